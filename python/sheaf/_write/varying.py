"""Samples of varying shape, and opaque bytes, as columns of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._options.streams import Stream, shape_text
from .._sheaf import DenseBatch, SparseBatch
from .shaping import Column, Shaper, offsets_of

_Samples = list[NDArray[Any]]  # of one sequence


class VaryingShaper(Shaper):
    """Makes columns of one stream of a file whose samples vary in shape."""

    def __init__(self, path: str, name: str, stream: Stream) -> None:
        super().__init__(path, name, stream)
        self._extents = stream.sample_shape or ()
        self._is_bytes = stream.dtype == "bytes"
        if self._is_bytes:
            self._dtype = np.dtype(np.uint8)

    def sequence(self, key: object, value: Any) -> Column:
        """Make the column of one sequence."""
        return self._column([self._samples_of(key, value)])

    def batch(self, keys: Sequence[object] | NDArray[np.uint64], value: Any) -> Column:
        """Make the column of several sequences."""
        if isinstance(value, SparseBatch):
            self._refuse(None, "write-sparse", "a dense stream", "a sparse stream")
        if value is None:
            value = [None] * len(keys)
        elif isinstance(value, DenseBatch):
            value = [value.samples(i) for i in range(len(value.lengths))]
        if not isinstance(value, list):
            wanted = "a list, with the samples of each sequence"
            self._refuse(None, "write-type", wanted, type(value).__name__)
        if len(value) != len(keys):
            found = f"{len(value)} of {len(keys)}"
            self._refuse(None, "write-count", "a value for each key", found)
        pairs = zip(keys, value, strict=True)
        return self._column([self._samples_of(key, each) for key, each in pairs])

    def _samples_of(self, key: object, value: Any) -> _Samples | None:
        if value is None:
            return None
        return self._texts(key, value) if self._is_bytes else self._arrays(key, value)

    def _texts(self, key: object, value: Any) -> _Samples:
        items = value if isinstance(value, (list, tuple)) else [value]
        return [self._text(key, item) for item in items]

    def _text(self, key: object, item: Any) -> NDArray[Any]:
        if isinstance(item, str):
            item = item.encode("utf-8", "surrogateescape")
        is_array = isinstance(item, np.ndarray) and item.dtype == np.uint8 and item.ndim == 1
        if is_array or isinstance(item, (bytes, bytearray, memoryview)):
            return np.frombuffer(bytes(item), np.uint8)
        wanted = "bytes or a text, or a list of these, one for each sample"
        self._refuse(key, "write-type", wanted, type(item).__name__)

    def _arrays(self, key: object, value: Any) -> _Samples:
        rank = len(self._extents)
        wanted = f"samples of {shape_text(self._extents)}, in a list"
        if isinstance(value, list) and all(
            np.ndim(self._given(key, v, wanted)) == rank for v in value
        ):
            return [self._sample(key, item, wanted) for item in value]
        array = self._given(key, value, wanted)
        if array.ndim == rank:
            return [self._sample(key, value, wanted)]
        if array.ndim != rank + 1:
            self._refuse(key, "write-shape", wanted, f"an array of {list(array.shape)}")
        return [self._sample(key, item, wanted) for item in array]

    def _sample(self, key: object, value: Any, wanted: str) -> NDArray[Any]:
        column = self._values(key, value, wanted)
        shape = column.values.shape
        if any(
            extent not in (None, size) for extent, size in zip(self._extents, shape, strict=True)
        ):
            self._refuse(key, "write-shape", wanted, f"one of {list(shape)}")
        if column.inexact is not None:
            expected = f"a whole number that {self._dtype} holds exactly"
            self._refuse(key, "write-inexact", expected, str(column.inexact[1]))
        return column.values

    def _column(self, sequences: list[_Samples | None]) -> Column:
        samples = [sample for each in sequences for sample in each or []]
        presence = np.array([each is not None for each in sequences], np.uint8)
        shapes = [sample.shape for sample in samples]
        return Column(
            np.concatenate([np.empty(0, self._dtype), *(sample.ravel() for sample in samples)]),
            sample_offsets=offsets_of(np.array([sample.size for sample in samples], np.int64)),
            extents=np.array(shapes, np.int64).ravel(),
            sequence_offsets=offsets_of(
                np.array([len(each or []) for each in sequences], np.int64)
            ),
            presence=None if presence.all() else presence,
        )
