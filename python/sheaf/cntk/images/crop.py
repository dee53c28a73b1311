"""Cuts a part out of each image."""

from __future__ import annotations

import math
from typing import Any

from .parameters import Parameters, Said
from .randomness import Draws

_PARAMETERS = ("cropType", "cropSize", "sideRatio", "areaRatio", "aspectRatio", "jitterType")
_KINDS = ("center", "randomside", "randomarea", "multiview10")
_ATTEMPTS = 10
VIEW_COUNT = 10  # of "multiview10": four corners and the centre, then the same mirrored


def rounded(value: float) -> int:
    """The nearest whole number of one that is not negative, halves upwards."""
    return math.floor(value + 0.5)


class Crop:
    """A window of a fixed size, or of a part of the side or the area, in the centre or anywhere.

    What it draws, in this order: in each attempt the ratio, the aspect, and a coin for which side
    is the longer one; then x, y, and a coin for the mirror.
    """

    def __init__(self, said: Said, _: str) -> None:
        get = Parameters(said, (*_PARAMETERS, "hflip", "seed"))
        self.kind = get.word("cropType", "center", _KINDS)
        width, height = get.pair("cropSize", 0)
        if not (width >= 0 and height >= 0 and width.is_integer() and height.is_integer()):
            raise get.wrong("cropSize", "a whole number of at least 0, or two as width:height")
        self._size = (int(width), int(height)) if width > 0 and height > 0 else None
        self._side = _ratio(get, "sideRatio")
        self._area = _ratio(get, "areaRatio")
        if self._side and self._area:
            raise get.wrong("areaRatio", "not given where sideRatio is")
        is_placed_at_random = self.kind in ("randomside", "randomarea")
        if is_placed_at_random and not (self._size or self._side or self._area):
            raise get.wrong("cropType", "one that needs cropSize, sideRatio or areaRatio")
        self._aspect = get.pair("aspectRatio", 1.0)
        if not 0 < self._aspect[0] <= self._aspect[1]:
            raise get.wrong("aspectRatio", "above 0, as a pair that rises")
        self._jitters = get.word("jitterType", "none", ("none", "uniratio")) == "uniratio"
        self._flips = get.flag("hflip", is_placed_at_random) and self.kind != "multiview10"
        self._is_placed_at_random = is_placed_at_random

    def __call__(self, image: Any, draws: Draws, view: int) -> Any:
        image_height, image_width = image.shape[:2]
        width, height = self._window(image_width, image_height, draws)
        free_x, free_y = image_width - width, image_height - height
        flips = False
        if self.kind == "multiview10":
            corner = view % 5
            x, y = ((corner % 2) * free_x, (corner // 2) * free_y)
            if corner == 4:
                x, y = free_x // 2, free_y // 2
            flips = view % VIEW_COUNT >= 5
        elif self._is_placed_at_random:
            x = draws.whole(free_x)
            y = draws.whole(free_y)
        else:
            x, y = free_x // 2, free_y // 2
        if self._flips:
            flips = draws.coin()
        part = image[y : y + height, x : x + width]
        return part[:, ::-1] if flips else part

    def _window(self, image_width: int, image_height: int, draws: Draws) -> tuple[int, int]:
        if self._size:
            return min(image_width, self._size[0]), min(image_height, self._size[1])
        width, height = image_width, image_height
        for _ in range(_ATTEMPTS):
            if self._side:
                width = height = rounded(
                    min(image_width, image_height) * self._jittered(self._side, draws)
                )
            elif self._area:
                ratio = self._jittered(self._area, draws)
                width = height = rounded(math.sqrt(image_width * image_height * ratio))
            aspect = self._jittered(self._aspect, draws)
            if aspect != 1:
                area = width * height
                longer = int(math.sqrt(area * aspect))
                other = int(math.sqrt(area / aspect))
                width, height = (longer, other) if draws.coin() else (other, longer)
            if width <= image_width and height <= image_height:
                return max(width, 1), max(height, 1)
        return image_width, image_height

    def _jittered(self, pair: tuple[float, float], draws: Draws) -> float:
        return draws.real(*pair) if self._jitters else pair[0]


def _ratio(get: Parameters, name: str) -> tuple[float, float] | None:
    low, high = get.pair(name, 0.0)
    if low == high == 0:
        return None
    if not 0 < low <= high <= 1:
        raise get.wrong(name, "above 0 and at most 1, as a pair that rises")
    return low, high
