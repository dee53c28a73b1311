"""Images as data that the engine orders and joins: it is given their numbers, not their pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..._options.streams import Stream
from ..._options.texts import path_text
from ..._user.deserializer import Chunk, Deserializer
from ..errors import SourceError
from ..values import text_list
from .crop import VIEW_COUNT, Crop
from .lists import Base64File, ImageList, MapFile
from .parameters import Parameters
from .steps import Step, step_of

_LISTS = {"ImageDeserializer": MapFile, "Base64ImageDeserializer": Base64File}
IMAGE_KINDS = tuple(_LISTS)

# Items of the dictionary that change nothing.
_IGNORED = ("traceLevel", "verbosity", "cacheIndex", "precision")
_KNOWN = ("file", "input", "maxErrors", "grayscale", "multiViewCrop", "seed")
_HIDDEN = "_ignore_labels_"  # begins the name of labels that nobody asked for


class ImageSource(Deserializer):
    """The images of one list.

    A sequence has one sample: of the features the number of the image, ``image * view_count +
    view``, of the labels a one at its class. Pixels are read when a minibatch is delivered: so the
    engine's window holds no images, and a slot's random numbers are drawn in order.
    """

    def __init__(self, said: Mapping[str, Any], dtype: str, keys: str, is_joined: bool) -> None:
        get = Parameters(said, _KNOWN, _IGNORED)
        self.kind = get.kind
        if "file" not in said:
            raise get.wrong("file", "the path of a list")
        self.feature, feature = _only_input(said, "transforms")
        self._label, label = _only_input(said, "labelDim")
        self.steps = [step_of(each, dtype) for each in feature["transforms"]]
        # A seed is that of the transform, or else of what it stands in.
        seed = feature.get("seed", said.get("seed", 0))
        self.seeds = [_whole(each, "seed", seed) for each in feature["transforms"]]
        self.view_count = 1
        if get.flag("multiViewCrop", False) or any(map(_is_multi_view, self.steps)):
            self.view_count = VIEW_COUNT
        if is_joined and self.view_count > 1:
            raise SourceError(
                f"{self.kind}: multiview10 has {VIEW_COUNT} sequences under each key, so it joins "
                "with no other deserializer"
            )
        self.is_gray = get.flag("grayscale", False)
        dim = _whole({"type": self.kind, **label}, "labelDim")
        self._has_labels = not self._label.startswith(_HIDDEN)
        self.streams = {
            self.feature: Stream(shape=(1,), dtype="int64"),
            self._label: Stream(dim=dim, sparse=True, dtype=dtype),
        }
        self._dtype = np.dtype(dtype)
        self._is_joined = is_joined
        self.images: ImageList = _LISTS[self.kind](
            path_text(said["file"]), dim if self._has_labels else None, keys == "text"
        )
        if len(self.images) == 0:
            raise SourceError(f"{self.images.path} lists no images")
        self._ends = self.images.chunk_ends(self.view_count)

    def chunks(self) -> Iterator[int | Chunk]:
        keys = self.images.keys
        begin = 0
        for end in self._ends:
            # Keys are for joins: without them, images may share one.
            yield Chunk(keys=keys[begin:end]) if self._is_joined else end - begin
            begin = end

    def read(self, chunk: int) -> dict[str, Any]:
        begin, end = self._ends[chunk - 1] if chunk > 0 else 0, self._ends[chunk]
        numbers = np.arange(begin, end, dtype=np.int64)
        return {self.feature: numbers.reshape(-1, 1), self._label: self._labels(begin, end)}

    def _labels(self, begin: int, end: int) -> tuple[Any, Any, Any]:
        count = end - begin
        if not self._has_labels:
            return np.zeros(0, self._dtype), np.zeros(0, np.int32), np.zeros(count + 1, np.int64)
        classes = [self.images.label(number // self.view_count) for number in range(begin, end)]
        return (
            np.ones(count, self._dtype),
            np.array(classes, np.int32),
            np.arange(count + 1, dtype=np.int64),
        )

    def fingerprint(self) -> str:
        return self.images.fingerprint()


def _only_input(said: Mapping[str, Any], item: str) -> tuple[str, Mapping[str, Any]]:
    found = [(name, each) for name, each in said.get("input", {}).items() if item in each]
    if len(found) != 1:
        raise SourceError(
            f"{said['type']}: exactly one of the inputs has {item}: got "
            f"{text_list(name for name, _ in found)}"
        )
    return found[0]


def _is_multi_view(step: Step) -> bool:
    return isinstance(step, Crop) and step.kind == "multiview10"


def _whole(said: Mapping[str, Any], name: str, default: int | None = None) -> int:
    return Parameters({"type": said["type"], name: said.get(name, default)}, (name,)).whole(name)
