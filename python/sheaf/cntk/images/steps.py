"""Transforms of images: arrays of [rows, columns, channels], of bytes until one needs more."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ..errors import ConfigError, SourceError
from ..values import text_list
from .crop import Crop, rounded
from .parameters import Parameters, Said
from .randomness import Draws

_INTERPOLATIONS = {
    "nearest": "INTER_NEAREST",
    "linear": "INTER_LINEAR",
    "cubic": "INTER_CUBIC",
    "lanczos": "INTER_LANCZOS4",
}


@functools.cache
def opencv() -> Any:
    """OpenCV's module, which decodes and resizes."""
    try:
        import cv2
    except ImportError as error:
        raise SourceError(
            f"images need OpenCV: pip install 'sheaf-data[images]' ({error})"
        ) from error
    return cv2


class Step(Protocol):
    """A transform. ``view`` tells the copies of one image apart."""

    def __call__(self, image: Any, draws: Draws, view: int) -> Any: ...


class Scale:
    """Gives all images one size."""

    def __init__(self, said: Said, _: str) -> None:
        get = Parameters(
            said, ("width", "height", "channels", "interpolations", "scaleMode", "padValue")
        )
        self.width, self.height = get.whole("width"), get.whole("height")
        self.channels = get.whole("channels")
        for name in ("width", "height", "channels"):
            if getattr(self, name) < 1:
                raise get.wrong(name, "at least 1")
        word = get.word("interpolations", "linear", tuple(_INTERPOLATIONS))
        self._interpolation = getattr(opencv(), _INTERPOLATIONS[word])
        self._mode = get.word("scaleMode", "fill", ("fill", "crop", "pad"))
        self._pad = get.whole("padValue", -1)
        if self._pad < -1:
            raise get.wrong("padValue", "-1, which repeats the border, or at least 0")

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        rows, columns, channels = image.shape
        if channels != self.channels:
            raise SourceError(f"Scale: an image has {channels} channels, not {self.channels}")
        if self._mode == "fill":
            return self._resized(image, self.width, self.height)
        # The side that decides, so that the other one is cut, or filled, and not the reverse.
        by_width = columns * self.height < rows * self.width
        if self._mode == "pad":
            by_width = not by_width
        if by_width:
            width, height = self.width, rounded(rows * self.width / columns)
        else:
            width, height = rounded(columns * self.height / rows), self.height
        image = self._resized(image, max(width, 1), max(height, 1))
        return self._cut(image) if self._mode == "crop" else self._padded(image)

    def _resized(self, image: Any, width: int, height: int) -> Any:
        if image.shape[:2] == (height, width):
            return image
        resized = opencv().resize(
            np.ascontiguousarray(image), (width, height), interpolation=self._interpolation
        )
        return resized.reshape(height, width, self.channels)

    def _cut(self, image: Any) -> Any:
        y, x = (image.shape[0] - self.height) // 2, (image.shape[1] - self.width) // 2
        return image[y : y + self.height, x : x + self.width]

    def _padded(self, image: Any) -> Any:
        free_y, free_x = self.height - image.shape[0], self.width - image.shape[1]
        top, left = free_y // 2, free_x // 2
        margins = ((top, free_y - top), (left, free_x - left), (0, 0))
        if self._pad < 0:
            return np.pad(image, margins, "edge")
        value = min(self._pad, 255) if image.dtype == np.uint8 else self._pad
        return np.pad(image, margins, constant_values=value)


class Mean:
    """Subtracts an image, which a file of OpenCV has."""

    def __init__(self, said: Said, dtype: str) -> None:
        get = Parameters(said, ("meanFile", "meanLayout"))
        self._dtype = np.dtype(dtype)
        self._path = get.text("meanFile")
        # Some files of CNTK's examples have a plane of each color: red, green, blue.
        has_planes = get.word("meanLayout", "pixels", ("pixels", "planes")) == "planes"
        self._mean = None
        if self._path:
            self._mean = _mean_image(self._path, has_planes).astype(self._dtype)

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        if self._mean is None:
            return image
        if image.shape != self._mean.shape:
            raise SourceError(
                f'Mean: an image is of {image.shape}, and that of "{self._path}" of '
                f"{self._mean.shape} (rows, columns, channels)"
            )
        return image.astype(self._dtype) - self._mean


def _mean_image(path: str, has_planes: bool) -> Any:
    cv2 = opencv()
    try:
        file = cv2.FileStorage(path, cv2.FILE_STORAGE_READ)
        if not file.isOpened():
            raise SourceError(f'Could not open the mean file "{path}" for reading.')
        values = file.getNode("MeanImg").mat()
        shape = tuple(int(file.getNode(name).real()) for name in ("Row", "Col", "Channel"))
        file.release()
    except (cv2.error, SystemError) as error:
        raise SourceError(f'the mean file "{path}" is no storage of OpenCV: {error}') from error
    if values is None or values.size != np.prod(shape) or min(shape) < 1:
        found = "nothing" if values is None else f"{values.size} values"
        raise SourceError(
            f'the mean file "{path}": expected as many values in MeanImg as Row x Col x Channel '
            f"says, {shape}; found {found}"
        )
    if has_planes:
        return values.reshape(shape[2], *shape[:2])[::-1].transpose(1, 2, 0)
    return values.reshape(shape)


class Color:
    """Changes brightness, contrast and saturation. It draws in this order, of those above 0."""

    def __init__(self, said: Said, dtype: str) -> None:
        names = ("brightnessRadius", "contrastRadius", "saturationRadius")
        get = Parameters(said, (*names, "seed"))
        self._dtype = np.dtype(dtype)
        self._brightness, self._contrast, self._saturation = (get.number(name) for name in names)
        for name in names:
            if not 0 <= get.number(name) <= 1:
                raise get.wrong(name, "from 0 to 1")

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        if self._brightness or self._contrast:
            beta, alpha = 0.0, 1.0
            if self._brightness:
                share = draws.real(-self._brightness, self._brightness)
                beta = share * float(image.mean(dtype=np.float64))
            if self._contrast:
                alpha = 1 + draws.real(-self._contrast, self._contrast)
            scale, shift = self._dtype.type(alpha), self._dtype.type(beta)
            image = np.clip(image.astype(self._dtype) * scale + shift, 0, 255)
        if self._saturation and image.shape[2] == 3:
            cv2 = opencv()
            ratio = 1 + draws.real(-self._saturation, self._saturation)
            planes = cv2.cvtColor(image.astype(np.float32), cv2.COLOR_BGR2HSV)
            planes[:, :, 1] = np.minimum(planes[:, :, 1] * np.float32(ratio), 1)
            image = cv2.cvtColor(planes, cv2.COLOR_HSV2BGR).astype(self._dtype)
        return image


class Cast:
    """Nothing: the last step of all gives values their type."""

    def __init__(self, said: Said, _: str) -> None:
        Parameters(said, ("precision",)).word("precision", "float", ("float", "double"))

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        return image


class Transpose(Cast):
    """Puts the channels first."""

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        return image.transpose(2, 0, 1)


_STEPS: dict[str, Any] = {
    "Crop": Crop,
    "Scale": Scale,
    "Mean": Mean,
    "Color": Color,
    "Transpose": Transpose,
    "Cast": Cast,
}


def step_of(said: Said, dtype: str) -> Step:
    """Make a transform of its dictionary. ConfigError, and SourceError of files it needs."""
    kind = str(said.get("type")) if isinstance(said, Mapping) else repr(said)
    if kind not in _STEPS:
        raise ConfigError(f"a transform has the type {kind!r}; known are {text_list(_STEPS)}")
    step: Step = _STEPS[kind](said, dtype)
    return step


def shape_after(steps: list[Step]) -> tuple[int, ...]:
    """The shape that all images have after the steps; () where they may differ.

    ConfigError where a step would get channels first.
    """
    kinds = [type(step) for step in steps]
    after = kinds[kinds.index(Transpose) + 1 :] if Transpose in kinds else []
    wrong = [kind.__name__ for kind in after if kind is not Cast]
    if wrong:
        raise ConfigError(f"Transpose is the last transform of images: got {text_list(wrong)}")
    shape: tuple[int, ...] = ()
    for step in steps:
        if isinstance(step, Scale):
            shape = (step.height, step.width, step.channels)
        elif isinstance(step, Crop):
            shape = ()
        elif isinstance(step, Transpose) and shape:
            shape = (shape[2], *shape[:2])
    return shape
