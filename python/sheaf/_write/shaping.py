"""Turns a program's values into columns of sequences, and checks each value before the write."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .._options.streams import Stream, extents_of, numpy_name
from .._sheaf import DenseBatch, SparseBatch
from .refusal import refusal

_Offsets = NDArray[np.int64]


@dataclass
class Column:
    """All samples of one stream of some sequences, like Column in C++; None: not needed."""

    values: NDArray[Any]
    indices: NDArray[Any] | None = None
    sample_offsets: _Offsets | None = None  # sparse, or of varying shape: [samples + 1]
    extents: _Offsets | None = None  # of each sample, if shapes vary
    sequence_offsets: _Offsets | None = None  # None means that every sequence has one sample
    presence: NDArray[np.uint8] | None = None
    inexact: tuple[int, int] | None = (
        None  # a whole number that `values` cannot hold: its index, and the number
    )

    def parts(self) -> tuple[Any, ...]:
        """Return the parts in the order that C++ takes."""
        offsets = (self.sample_offsets, self.extents, self.sequence_offsets)
        return (self.values, self.indices, *offsets, self.presence)


@dataclass
class _Rows:
    """Compressed rows."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]


def key_list(path: str, keys: Any) -> NDArray[np.uint64] | list[str]:
    """Return keys in the form that C++ takes: numbers as an array, texts as a list."""
    if isinstance(keys, np.ndarray) and keys.ndim == 1 and keys.dtype.kind in "iu":
        if len(keys) > 0 and keys.min() < 0:
            raise refusal(path, keys.min(), "", "write-key", "a key of 0 or more", "this one")
        return np.require(keys, np.uint64, ["C", "A"])
    every = list(keys)
    if every and all(isinstance(key, str) for key in every):
        return every
    numbers = []
    for key in every:
        try:
            numbers.append(operator.index(key))
        except TypeError:
            expected = "keys that are all numbers, or all texts"
            raise refusal(path, None, "", "write-key", expected, f"{key!r:.40}") from None
        if not 0 <= numbers[-1] < 2**64:
            raise refusal(path, key, "", "write-key", "a key from 0 to 2**64 - 1", "this one")
    return np.array(numbers, np.uint64)


def check_packing(path: str, name: str, batch: DenseBatch | SparseBatch) -> None:
    """Refuse a packing that does not have the samples of a sequence one after the other."""
    if batch.slots is not None:
        expected = 'a minibatch of the packing "ragged", "padded" or "frames"'
        raise refusal(path, None, name, "write-packing", expected, "samples in slots")


def offsets_of(lengths: NDArray[Any]) -> _Offsets:
    """Return where each of these lengths begins, one after the other, and the end."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _sequence_of(column: Column, sample: int) -> int:
    if column.sequence_offsets is None:
        return sample
    return int(np.searchsorted(column.sequence_offsets, sample, "right")) - 1


def _first_inexact(value: Any, array: NDArray[Any], dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """Find the first whole number that the floating-point type does not hold exactly.

    ``value`` is the original value, from which NumPy made the array. Returns the index of the
    number among all values, and the number.
    """
    if dtype.kind != "f" or array.size == 0:
        return None
    bits = np.finfo(dtype).nmant + 1
    if array.dtype.kind in "iu":
        return _first_integer_beyond(array, bits)
    # Ints beside floats, and those that no type of integers has in common, are floats for NumPy.
    if isinstance(value, (list, tuple)) and bool((np.abs(array) >= 2**bits).any()):
        for where, item in enumerate(np.asarray(value, dtype=object).flat):
            if isinstance(item, (int, np.integer)) and _bit_count(int(item)) > bits:
                return where, int(item)
    return None


def _first_integer_beyond(array: NDArray[Any], bits: int) -> tuple[int, int] | None:
    """Return the index and the value of the first integer with more significant bits."""
    if max(-int(array.min()), int(array.max())) <= 2**bits:
        return None
    flat = array.ravel()
    size = flat.astype(np.uint64)
    size = np.where(flat < 0, ~size + 1, size)  # the magnitude, of the least int64 too
    lowest_bit = np.maximum(size & (~size + 1), 1)
    wrong = size // lowest_bit >= 2**bits
    where = int(wrong.argmax())
    return (where, int(flat[where])) if wrong[where] else None


def _bit_count(number: int) -> int:
    """Count the bits from the highest that is set to the lowest."""
    size = abs(number)
    return (size // max(size & -size, 1)).bit_length()


class Shaper:
    """Makes columns of one stream of a file."""

    def __init__(self, path: str, name: str, stream: Stream) -> None:
        self._path = path
        self._name = name
        self._sparse = stream.sparse
        self._shape = extents_of(stream.sample_shape or ())
        self._dim = int(np.prod(self._shape, dtype=np.int64))
        self._dtype = np.dtype(numpy_name(stream.dtype))
        self._is_bfloat16 = stream.dtype == "bfloat16"
        self._index_dtype = np.dtype(stream.index_dtype)

    # One sequence.

    def sequence(self, key: object, value: Any) -> Column:
        """Make the column of one sequence."""
        if value is None:
            return self._absent(1)
        column = self._samples(key, value)
        count = self._count(column)
        if count != 1:
            column.sequence_offsets = np.array([0, count], np.int64)
        return column

    def _samples(self, key: object, value: Any) -> Column:
        column = self._sparse_samples(key, value) if self._sparse else self._dense(key, value)
        self._check_exact(column, lambda sample: key)
        if self._sparse:
            self._check_indices(column, lambda sample: key)
        return column

    def _dense(self, key: object, value: Any) -> Column:
        wanted = f"an array of {self._shape_text('samples')} or {self._shape_text()}"
        column = self._values(key, value, wanted)
        array = column.values
        if array.shape == self._shape or (self._dim == 1 and array.ndim == 0):
            array = array.reshape(1, *self._shape)
        elif self._dim == 1 and array.ndim == 1:
            array = array.reshape(-1, *self._shape)
        if array.shape[1:] != self._shape or array.ndim == 0:
            self._refuse(key, "write-shape", wanted, f"one of {list(array.shape)}")
        column.values = array
        return column

    def _sparse_samples(self, key: object, value: Any) -> Column:
        wanted = (
            f"rows of {self._dim} as SciPy has them, (indices, values) of one sample, or a list "
            "of such pairs, a pair for each"
        )
        if hasattr(value, "tocsr") or hasattr(value, "indptr"):
            return self._csr(key, value, wanted)
        pairs = [value] if isinstance(value, tuple) else value
        if not isinstance(pairs, list):
            self._refuse(key, "write-sparse", wanted, type(value).__name__)
        indices, values = [], []
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                self._refuse(key, "write-sparse", wanted, f"a list with {pair!r:.40}")
            indices.append(self._array(key, pair[0], self._index_dtype, wanted))
            column = self._values(key, pair[1], wanted)
            self._check_exact(column, lambda sample: key)
            values.append(column.values)
            if indices[-1].ndim != 1 or indices[-1].shape != values[-1].shape:
                found = f"{list(indices[-1].shape)} and {list(values[-1].shape)}"
                self._refuse(key, "write-sparse", "as many indices as values", found)
        lengths = np.array([len(each) for each in indices], np.int64)
        return Column(
            np.concatenate([np.empty(0, self._dtype), *values]),
            np.concatenate([np.empty(0, self._index_dtype), *indices]),
            offsets_of(lengths),
        )

    def _csr(self, key: object, value: Any, wanted: str) -> Column:
        rows = value.tocsr() if hasattr(value, "tocsr") else value
        shape = getattr(rows, "shape", None)
        if shape is not None and (len(shape) != 2 or shape[1] != self._dim):
            found = f"a matrix of {list(shape)}"
            self._refuse(key, "write-shape", f"rows of {self._dim}", found)
        offsets = self._array(key, rows.indptr, np.dtype(np.int64), wanted)
        indices = self._array(key, rows.indices, self._index_dtype, wanted)
        column = self._values(key, rows.data, wanted)
        is_whole = len(offsets) > 0 and offsets[0] == 0 and bool((np.diff(offsets) >= 0).all())
        count = len(column.values)
        if not is_whole or not len(indices) == count == offsets[-1]:
            found = f"{len(indices)} indices, {count} values, offsets that do not fit them"
            self._refuse(key, "write-sparse", wanted, found)
        column.indices, column.sample_offsets = indices, offsets
        return column

    # Several sequences.

    def batch(self, keys: Sequence[object] | NDArray[np.uint64], value: Any) -> Column:
        """Make the column of several sequences."""
        if value is None:
            return self._absent(len(keys))
        if isinstance(value, (DenseBatch, SparseBatch)):
            return self._of_minibatch(keys, value)
        if isinstance(value, list):
            if len(value) != len(keys):
                found = f"{len(value)} of {len(keys)}"
                self._refuse(None, "write-count", "a value for each key", found)
            return self._joined([self.sequence(*pair) for pair in zip(keys, value, strict=True)])
        lengths = None
        if isinstance(value, tuple):
            if len(value) != 2:
                self._refuse(None, "write-count", "(values, lengths)", f"{len(value)} arrays")
            value, lengths = value
        return self._rows(keys, value, lengths)

    def _rows(self, keys: Any, value: Any, lengths: Any) -> Column:
        if self._sparse:
            wanted = f"rows of {self._dim} as SciPy has them"
            if not (hasattr(value, "tocsr") or hasattr(value, "indptr")):
                self._refuse(None, "write-sparse", wanted, type(value).__name__)
            column = self._csr(None, value, wanted)
        else:
            column = self._dense_rows(value)
        count = self._count(column)
        if lengths is not None:
            column.sequence_offsets = self._sequence_offsets(keys, lengths, count)
        elif count != len(keys):
            expected = "a sample for each key, or (values, lengths)"
            self._refuse(None, "write-count", expected, f"{count} of {len(keys)}")
        self._check_exact(column, lambda sample: keys[_sequence_of(column, sample)])
        if self._sparse:
            self._check_indices(column, lambda sample: keys[_sequence_of(column, sample)])
        return column

    def _dense_rows(self, value: Any) -> Column:
        wanted = f"an array of {self._shape_text('samples')}"
        column = self._values(None, value, wanted)
        array = column.values
        if self._dim == 1 and array.ndim == 1:
            array = array.reshape(-1, *self._shape)
        if array.ndim == 0 or array.shape[1:] != self._shape:
            self._refuse(None, "write-shape", wanted, f"one of {list(array.shape)}")
        column.values = array
        return column

    def _sequence_offsets(self, keys: Any, lengths: Any, count: int) -> _Offsets:
        array = self._array(None, lengths, np.dtype(np.int64), "a length for each key")
        if array.shape != (len(keys),):
            found = f"{list(array.shape)} for {len(keys)}"
            self._refuse(None, "write-count", "a length for each key", found)
        if len(array) > 0 and array.min() < 0:
            where = int(array.argmin())
            self._refuse(keys[where], "write-count", "a length of 0 or more", f"{array[where]}")
        if array.sum() != count:
            found = f"{count} samples, and lengths of {array.sum()}"
            self._refuse(None, "write-count", "lengths that add up to the samples", found)
        return offsets_of(array)

    def _of_minibatch(self, keys: Any, batch: DenseBatch | SparseBatch) -> Column:
        check_packing(self._path, self._name, batch)
        if isinstance(batch, SparseBatch) != self._sparse:
            kinds = ("a sparse stream", "a dense stream")
            self._refuse(None, "write-sparse", *(kinds if self._sparse else kinds[::-1]))
        varies = isinstance(batch, DenseBatch) and (
            batch.extents is not None or batch.sample_offsets is not None
        )
        if varies:
            self._refuse(None, "write-shape", "samples of one shape", "samples of varying shape")
        mask = batch.mask
        if isinstance(batch, SparseBatch):
            offsets = batch.indptr
            if mask is not None:  # rows of padding have no values
                offsets = offsets_of(np.diff(offsets)[mask.ravel()])
            shape = (len(offsets) - 1, batch.shape[1])
            value: Any = _Rows(self._converted(batch, batch.data), batch.indices, offsets, shape)
        else:
            value = batch.values if mask is None else batch.values[mask]
            value = self._converted(batch, value)
        column = self._rows(keys, value, batch.lengths)
        if batch.presence is not None:
            column.presence = batch.presence.view(np.uint8)
        return column

    def _converted(self, batch: DenseBatch | SparseBatch, array: NDArray[Any]) -> NDArray[Any]:
        """Return the numbers of a batch for which NumPy has the bits of bfloat16."""
        if (batch.dtype == "bfloat16") == self._is_bfloat16:
            return array
        if self._is_bfloat16:
            self._refuse(None, "write-type", "values of bfloat16", batch.dtype)
        return (array.astype(np.uint32) << 16).view(np.float32)

    def _joined(self, columns: list[Column]) -> Column:
        parts = [self._absent(0), *columns]
        joined = Column(np.concatenate([each.values for each in parts]))
        if self._sparse:
            rows = [(each.indices, each.sample_offsets) for each in parts]
            joined.indices = np.concatenate([one for one, _ in rows if one is not None])
            lengths = [np.diff(one) for _, one in rows if one is not None]
            joined.sample_offsets = offsets_of(np.concatenate(lengths))
        joined.sequence_offsets = offsets_of(np.array([self._count(each) for each in columns]))
        presence = np.array([each.presence is None for each in columns], np.uint8)
        joined.presence = None if presence.all() else presence
        return joined

    # What is in common.

    def _absent(self, count: int) -> Column:
        column = Column(np.empty((0, *(() if self._sparse else self._shape)), self._dtype))
        if self._sparse:
            column.indices = np.empty(0, self._index_dtype)
            column.sample_offsets = np.zeros(1, np.int64)
        column.sequence_offsets = np.zeros(count + 1, np.int64)
        column.presence = np.zeros(count, np.uint8)
        return column

    def _count(self, column: Column) -> int:
        offsets = column.sample_offsets
        return len(column.values) if offsets is None else len(offsets) - 1

    def _given(self, key: object, value: Any, wanted: str) -> NDArray[Any]:
        try:
            return np.asarray(value)
        except (TypeError, ValueError) as error:
            self._refuse(key, "write-type", wanted, f"{value!r:.40}: {error}")

    def _values(self, key: object, value: Any, wanted: str) -> Column:
        """Make a column with values in the type of the stream, and without the other parts."""
        given = self._given(key, value, wanted)
        array = self._array(key, given, self._dtype, wanted)
        return Column(array, inexact=_first_inexact(value, given, self._dtype))

    def _array(self, key: object, value: Any, dtype: np.dtype[Any], wanted: str) -> NDArray[Any]:
        array = self._given(key, value, wanted)
        if array.size == 0:
            return np.empty(array.shape, dtype)
        if self._is_bfloat16 and dtype == self._dtype:
            return self._bits(key, array)
        are_whole = dtype.kind in "iu" and array.dtype.kind in "iu"
        if not are_whole and not np.can_cast(array.dtype, dtype, "same_kind"):
            self._refuse(key, "write-type", f"values of {dtype}", f"{array.dtype}")
        if dtype.kind in "iu" and array.dtype != dtype:
            least, most = int(array.min()), int(array.max())
            if least < np.iinfo(dtype).min or most > np.iinfo(dtype).max:
                self._refuse(key, "write-range", f"values of {dtype}", f"{least} to {most}")
        try:
            with np.errstate(over="raise"):
                return np.require(array, dtype, ["C", "A"])
        except FloatingPointError:
            found = f"one as large as {np.abs(array).max()}"
            self._refuse(key, "write-range", f"values of {dtype}", found)

    def _bits(self, key: object, array: NDArray[Any]) -> NDArray[Any]:
        """Return the bits of bfloat16: of an array of ml_dtypes, or of uint16 unchanged."""
        if array.dtype.name == "bfloat16":
            array = array.view(np.uint16)
        if array.dtype != np.uint16:
            wanted = "values of bfloat16, or their bits as uint16"
            self._refuse(key, "write-type", wanted, f"{array.dtype}")
        return np.require(array, np.uint16, ["C", "A"])

    def _check_exact(self, column: Column, key_of: Callable[[int], object]) -> None:
        if column.inexact is None:
            return
        where, found = column.inexact
        offsets = column.sample_offsets
        if offsets is None:
            sample = where // self._dim
        else:
            sample = int(np.searchsorted(offsets, where, "right")) - 1
        expected = f"a whole number that {self._dtype} holds exactly"
        self._refuse(key_of(sample), "write-inexact", expected, str(found))

    def _check_indices(self, column: Column, key_of: Callable[[int], object]) -> None:
        indices, offsets = column.indices, column.sample_offsets
        if indices is None or offsets is None or len(indices) == 0:
            return
        if indices.min() >= 0 and indices.max() < self._dim:
            return
        where = int(((indices < 0) | (indices >= self._dim)).argmax())
        sample = int(np.searchsorted(offsets, where, "right")) - 1
        expected = f"an index from 0 to {self._dim - 1}"
        self._refuse(key_of(sample), "write-index", expected, str(indices[where]))

    def _shape_text(self, first: str | None = None) -> str:
        sizes = [str(size) for size in self._shape]
        return f"[{', '.join([first, *sizes] if first else sizes)}]"

    def _refuse(self, key: object, code: str, expected: str, found: str) -> NoReturn:
        raise refusal(self._path, key, self._name, code, expected, found)
