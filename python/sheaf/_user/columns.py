"""Checks the results of a Deserializer, and converts them to the form that the library takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _sheaf
from .._options.streams import Stream, extents_of, numpy_name, shape_text
from ..errors import DataError
from .deserializer import Bad

# Values, indices, offsets of samples, lengths, presence: an array, or None if the library knows it;
# whether indices are long; the shape of each sample, or None if it is fixed.
Arrays = tuple[Any, Any, Any, Any, Any, bool, Any]

# The samples of a sequence of variable shape: their values and shapes.
Samples = list[tuple[Any, tuple[int, ...]]]


@dataclass(frozen=True)
class Kind:
    """The required form of the arrays of a stream."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    is_sparse: bool
    is_bytes: bool = False
    is_bfloat16: bool = False  # the bits of which are uint16

    @staticmethod
    def of(name: str, stream: Stream) -> Kind:
        shape = stream.sample_shape
        assert shape is not None
        is_bytes = stream.dtype == "bytes"
        dtype = np.dtype("uint8" if is_bytes else numpy_name(stream.dtype))
        return Kind(name, dtype, shape, stream.sparse, is_bytes, stream.dtype == "bfloat16")

    @property
    def is_variable(self) -> bool:
        """Whether the shape differs from sample to sample."""
        return None in self.shape


class Answer:
    """The sequences of a call, taken from the results of a Deserializer."""

    def __init__(
        self,
        data: Any,
        kinds: list[Kind],
        call: _sheaf.UserCall,
        name: str,
        where: str | None = None,
        copies: bool = False,  # arrays may change as soon as the call has its answer
    ) -> None:
        self._call = call
        self._copies = copies
        self._where = where or f"{name}: chunk {call.chunk}"
        self._bad: dict[int, str] = {}
        if not isinstance(data, Mapping):
            raise DataError(
                f"{self._where}: expected a mapping from streams to columns, got {_type(data)}"
            )
        names = {kind.name for kind in kinds}
        for given in data:
            if given not in names:
                raise DataError(f"{self._where}: {given!r} is none of the streams {sorted(names)}")
        self.streams = [self._stream(data, kind) for kind in kinds]
        self.bad = sorted(self._bad.items())

    def _stream(self, data: Mapping[str, Any], kind: Kind) -> Arrays:
        where = f'{self._where}: stream "{kind.name}"'
        if kind.name not in data:
            raise DataError(f"{where}: it is not there")
        columns, lengths = data[kind.name], None
        if isinstance(columns, tuple) and len(columns) == 2:
            columns, lengths = columns
            if isinstance(columns, list):
                raise DataError(f"{where}: a list has a sequence in each place, and no lengths")
        if isinstance(columns, list):
            return self._listed(columns, kind, where)
        if kind.is_sparse:
            parts = _rows(columns, kind, where)
            counts = self._lengths(lengths, len(parts[2]) - 1, where)
            return (*parts, counts, None, parts[1].dtype == np.int64, None)
        if kind.is_variable:
            raise DataError(
                f"{where}: its samples are of variable shape: expected a list of the sequences, "
                f"got {_type(columns)}"
            )
        array = _array(columns, kind, where)
        return array, None, None, self._lengths(lengths, len(array), where), None, False, None

    def _lengths(self, lengths: Any, rows: int, where: str) -> NDArray[np.int64] | None:
        count = self._call.count
        if lengths is None:
            if rows != self._call.sample_count:
                raise DataError(
                    f"{where}: expected {self._call.sample_count} samples, as chunks() says for "
                    f"these {count} sequences, got {rows}; (columns, lengths) gives other lengths"
                )
            return None
        array = np.asarray(lengths)
        if array.dtype.kind not in "iu":
            raise DataError(f"{where}: expected lengths that are whole numbers, got {array.dtype}")
        if array.ndim == 0:
            array = np.full(count, array)
        if array.shape != (count,):
            raise DataError(f"{where}: expected {count} lengths, got the shape {array.shape}")
        array = np.ascontiguousarray(array, dtype=np.int64)
        if (array < 0).any() or array.sum() != rows:
            raise DataError(
                f"{where}: expected lengths whose sum is {rows}, the samples there are, got "
                f"{array.sum()}" + (", and negative ones" if (array < 0).any() else "")
            )
        return array

    # Lists: an item for each sequence.

    def _listed(self, sequences: list[Any], kind: Kind, where: str) -> Arrays:
        count = self._call.count
        if len(sequences) != count:
            raise DataError(f"{where}: expected {count} sequences, got {len(sequences)}")
        parts: list[Any] = []
        lengths = np.zeros(count, dtype=np.int64)
        presence = np.ones(count, dtype=np.uint8)
        for i, sequence in enumerate(sequences):
            if sequence is None:
                presence[i] = 0
            elif isinstance(sequence, Bad):
                self._bad[i] = sequence.reason
            else:
                part = self._part(sequence, kind, f"{where}: sequence {i}", i)
                lengths[i] = len(part[2]) - 1 if kind.is_sparse else len(part)
                parts.append(part)
        absent = None if presence.all() else presence
        if kind.is_variable:
            values, offsets, extents = _joined_samples(
                [sample for part in parts for sample in part], kind, self._copies
            )
            return values, None, offsets, lengths, absent, False, extents
        if not kind.is_sparse:
            return (
                _concatenated(parts, kind, self._copies),
                None,
                None,
                lengths,
                absent,
                False,
                None,
            )
        data, indices, indptr = _joined(parts, kind)
        return data, indices, indptr, lengths, absent, indices.dtype == np.int64, None

    def _part(self, sequence: Any, kind: Kind, where: str, i: int) -> Any:
        try:
            if kind.is_sparse:
                return _rows(sequence, kind, where)
            if kind.is_variable:
                return _samples(sequence, kind, where)
            if isinstance(sequence, np.ndarray) and sequence.shape == kind.shape:
                sequence = sequence[np.newaxis]  # a single sample
            return _array(sequence, kind, where)
        except DataError as error:
            raise DataError(f"{error} (its key is {self._call.key(i)})") from None


def _type(value: Any) -> str:
    return type(value).__name__


def _array(array: Any, kind: Kind, where: str) -> NDArray[Any]:
    """Dense samples."""
    array = _checked_values(array, kind, where)
    if array.ndim == 0 or array.shape[1:] != kind.shape:
        shape = ", ".join(map(str, ("samples", *kind.shape)))
        raise DataError(f"{where}: expected the shape ({shape}), got {array.shape}")
    return _contiguous(array)


def _samples(sequence: Any, kind: Kind, where: str) -> Samples:
    """Return the samples of a sequence, given as a sample, a list, or an array of equal samples."""
    if isinstance(sequence, np.ndarray) and sequence.ndim == len(kind.shape) + 1:
        sequence = list(sequence)
    if not isinstance(sequence, list):
        return [_sample(sequence, kind, where)]
    return [_sample(sample, kind, f"{where}: sample {t}") for t, sample in enumerate(sequence)]


def _sample(sample: Any, kind: Kind, where: str) -> tuple[Any, tuple[int, ...]]:
    """Return the values of a sample of variable shape, and its shape."""
    if kind.is_bytes and not isinstance(sample, np.ndarray):
        try:
            view = memoryview(sample)
        except TypeError:
            raise DataError(
                f"{where}: expected bytes or what has their buffer, got {_type(sample)}"
            ) from None
        return (view if view.c_contiguous else view.tobytes()), (view.nbytes,)
    sample = _checked_values(sample, kind, where)
    fits = len(sample.shape) == len(kind.shape) and all(
        own in (None, given) for own, given in zip(kind.shape, sample.shape, strict=True)
    )
    if not fits:
        raise DataError(
            f"{where}: expected a sample of {shape_text(kind.shape)}, got the shape {sample.shape}"
        )
    return _contiguous(sample), sample.shape


def _joined_samples(
    samples: Samples, kind: Kind, copies: bool
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the values of samples of variable shape, offsets, and shapes."""
    if kind.is_bytes:
        values = np.frombuffer(b"".join(sample for sample, _ in samples), dtype=np.uint8)
    else:
        flat = Kind(kind.name, kind.dtype, (), is_sparse=False)
        values = _concatenated([sample.reshape(-1) for sample, _ in samples], flat, copies)
    shapes = [shape for _, shape in samples]
    extents = np.array(shapes, dtype=np.int64).reshape(len(shapes), len(kind.shape))
    offsets = np.zeros(len(shapes) + 1, dtype=np.int64)
    np.cumsum(np.prod(extents, axis=1), out=offsets[1:])
    return values, offsets, extents


def _concatenated(parts: list[Any], kind: Kind, copies: bool) -> NDArray[Any]:
    """Join arrays of a fixed shape; return a single one unchanged unless a copy is needed."""
    if len(parts) == 1 and not copies:
        array: NDArray[Any] = parts[0]
        return array
    return np.concatenate([np.empty((0, *extents_of(kind.shape)), dtype=kind.dtype), *parts])


def _checked_values(array: Any, kind: Kind, where: str) -> NDArray[Any]:
    """Return checked values; for bfloat16, a type of ml_dtypes, their bits."""
    if kind.is_bfloat16 and isinstance(array, np.ndarray):
        if array.dtype.name == "bfloat16":
            array = array.view(np.uint16)
        elif array.dtype != np.uint16:
            raise DataError(f"{where}: expected bfloat16, or its bits as uint16, got {array.dtype}")
    _check_array(array, kind.dtype, where)
    return array  # type: ignore[no-any-return]


def _check_array(array: Any, dtype: np.dtype[Any], where: str) -> None:
    if not isinstance(array, np.ndarray):
        raise DataError(f"{where}: expected an array of NumPy, got {_type(array)}")
    if array.dtype != dtype:
        raise DataError(f"{where}: expected {dtype}, got {array.dtype}")


def _contiguous(array: NDArray[Any]) -> NDArray[Any]:
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.array(array, order="C")


def _rows(matrix: Any, kind: Kind, where: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return values, indices and offsets of sparse samples."""
    (dim,) = kind.shape
    if isinstance(matrix, tuple) and len(matrix) == 3:
        data, indices, indptr = matrix
    elif getattr(matrix, "format", None) == "csr":
        if matrix.shape[1] != dim:
            raise DataError(f"{where}: expected {dim} columns, got {matrix.shape[1]}")
        data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    else:
        raise DataError(
            f"{where}: expected a CSR matrix or (data, indices, indptr), got {_type(matrix)}"
        )
    data = _checked_values(data, kind, f"{where}: data")
    for array, what in ((indices, "indices"), (indptr, "indptr")):
        known = np.dtype(np.int64 if getattr(array, "dtype", None) == np.int64 else np.int32)
        _check_array(array, known, f"{where}: {what}")
    if data.ndim != 1 or data.shape != indices.shape or indptr.ndim != 1 or not len(indptr):
        raise DataError(
            f"{where}: expected data and indices of one length, and indptr with one more than "
            f"samples, got the shapes {data.shape}, {indices.shape}, {indptr.shape}"
        )
    if indptr[0] != 0 or indptr[-1] != len(data) or (indptr[1:] < indptr[:-1]).any():
        raise DataError(
            f"{where}: expected an indptr that rises from 0 to {len(data)}, the values there are"
        )
    return _contiguous(data), _contiguous(indices), np.ascontiguousarray(indptr, dtype=np.int64)


def _joined(parts: list[Any], kind: Kind) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Join the rows of several matrices."""
    data = np.concatenate([np.empty(0, dtype=kind.dtype), *(part[0] for part in parts)])
    indices = np.concatenate([np.empty(0, dtype=np.int32), *(part[1] for part in parts)])
    counts = [np.zeros(1, dtype=np.int64), *(np.diff(part[2]) for part in parts)]
    return data, indices, np.cumsum(np.concatenate(counts))
