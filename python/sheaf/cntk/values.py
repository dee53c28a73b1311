"""The values of a stream in a minibatch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ConfigError, SourceError

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """Sparse samples: of row r the values and indices from ``indptr[r]`` to ``indptr[r + 1]``."""

    data: Array
    indices: Array
    indptr: Array
    dim: int

    @property
    def count(self) -> int:
        return len(self.indptr) - 1

    def part(self, begin: int, end: int) -> Rows:
        """Return a range of rows; copies only their offsets."""
        first, last = self.indptr[begin], self.indptr[end]
        return Rows(
            self.data[first:last],
            self.indices[first:last],
            self.indptr[begin : end + 1] - first,
            self.dim,
        )

    def to_dense(self) -> Array:
        dense = np.zeros((self.count, self.dim), self.data.dtype)
        # As in sparse matrices, values with the same index add up.
        rows = np.repeat(np.arange(self.count), np.diff(self.indptr))
        np.add.at(dense, (rows, self.indices), self.data)
        return dense

    def to_scipy(self) -> Any:
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise SourceError(
                "sparse sequences are matrices of SciPy: pip install 'sheaf-data[scipy]'"
            ) from None
        return csr_matrix((self.data, self.indices, self.indptr), shape=(self.count, self.dim))


def as_rows(matrix: Any) -> Rows:
    """Return the rows of a CSR matrix of SciPy, or of any object with the same attributes."""
    return Rows(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))


def is_csr(value: object) -> bool:
    return all(hasattr(value, name) for name in ("data", "indices", "indptr", "shape"))


def joined_rows(parts: Sequence[Rows], sample_count: int) -> Rows:
    """Join the rows of sequences, each filled up with empty rows to the same number."""
    begin = 0
    offsets = [np.zeros(1, np.int64)]
    for part in parts:
        ends = part.indptr[1:].astype(np.int64) - int(part.indptr[0]) + begin
        begin = int(ends[-1]) if len(ends) else begin
        offsets += [ends, np.full(sample_count - part.count, begin, np.int64)]
    return Rows(
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate(offsets),
        parts[0].dim,
    )


class Value:
    """Sequences side by side: ``[sequences, samples, *shape]``, filled up with zeros.

    With ``pieces``, which are (row, first sample, samples, whether a sequence begins there), a row
    may hold several sequences, as truncated minibatches do.
    """

    def __init__(
        self,
        values: Array | Rows,
        lengths: npt.ArrayLike,
        pieces: Array | None = None,
    ) -> None:
        self._values = values
        self._lengths = counts = np.asarray(lengths, np.int64)
        self._cut = pieces
        if isinstance(values, Rows):
            steps = values.count // len(counts) if len(counts) else 0
            self.shape: tuple[int, ...] = (len(counts), steps, values.dim)
        else:
            self.shape = values.shape

    @staticmethod
    def of_sequences(sequences: Sequence[Any]) -> Value:
        """Put sequences side by side: arrays of ``[samples, *shape]``, or CSR matrices."""
        if is_csr(sequences[0]):
            return Value.of_rows([as_rows(each) for each in sequences])
        arrays = [np.asarray(each) for each in sequences]
        longest = max(len(each) for each in arrays)
        values = np.zeros((len(arrays), longest, *arrays[0].shape[1:]), arrays[0].dtype)
        for row, each in zip(values, arrays, strict=True):
            row[: len(each)] = each
        return Value(values, [len(each) for each in arrays])

    @staticmethod
    def of_rows(sequences: Sequence[Rows]) -> Value:
        """Put sparse sequences side by side."""
        lengths = [part.count for part in sequences]
        return Value(joined_rows(sequences, max(lengths)), lengths)

    @property
    def is_sparse(self) -> bool:
        return isinstance(self._values, Rows)

    @property
    def dtype(self) -> np.dtype[Any]:
        values = self._values
        return values.data.dtype if isinstance(values, Rows) else values.dtype

    def pieces(self) -> list[tuple[int, int, int, int]]:
        """Row, first sample, samples, and whether a sequence begins there, for each piece."""
        if self._cut is not None:
            pieces = self._cut
        else:
            zero = np.zeros_like(self._lengths)
            pieces = np.stack([np.arange(len(zero)), zero, self._lengths, zero + 1], 1)
        found: list[tuple[int, int, int, int]] = pieces.tolist()
        return found

    @property
    def sequence_count(self) -> int:
        return len(self._lengths)

    @property
    def sample_count(self) -> int:
        return int(self._lengths.sum())

    @property
    def mask(self) -> npt.NDArray[np.uint8]:
        """2 at the first sample of a sequence, 1 at the others, 0 where none is."""
        mask = np.zeros(self.shape[:2], np.uint8)
        for row, begin, count, is_first in self.pieces():
            mask[row, begin : begin + count] = 1
            if is_first and count:
                mask[row, begin] = 2
        return mask

    def asarray(self) -> Array:
        """Return the values with their padding; sparse values become dense."""
        if isinstance(self._values, Rows):
            return self._values.to_dense().reshape(self.shape)
        return self._values

    def parts(self) -> list[Any]:
        """Return the sequences without padding: arrays, or Rows."""
        values, steps = self._values, self.shape[1]
        if isinstance(values, Rows):
            return [
                values.part(row * steps + begin, row * steps + begin + count)
                for row, begin, count, _ in self.pieces()
            ]
        return [values[row, begin : begin + count] for row, begin, count, _ in self.pieces()]

    def as_sequences(self, variable: object = None) -> list[Any]:
        """Return the sequences without padding: arrays, or CSR matrices of SciPy."""
        if not self.is_sparse:
            return self.parts()
        if variable is None:
            raise ConfigError("as_sequences: sparse values need the variable they are for")
        return [part.to_scipy() for part in self.parts()]


class MinibatchData:
    """One stream of a minibatch, with its counts."""

    def __init__(
        self, value: Value | None, num_sequences: int, num_samples: int, sweep_end: bool
    ) -> None:
        self.data = value
        self.num_sequences = num_sequences
        self.num_samples = num_samples
        self.end_of_sweep = sweep_end

    @staticmethod
    def of(value: Value, sweep_end: bool) -> MinibatchData:
        """Return the data of a whole value."""
        return MinibatchData(value, value.sequence_count, value.sample_count, sweep_end)

    @property
    def sweep_end(self) -> bool:
        return self.end_of_sweep

    @property
    def number_of_sequences(self) -> int:
        return self.num_sequences

    @property
    def number_of_samples(self) -> int:
        return self.num_samples

    def _value(self) -> Value:
        if self.data is None:
            raise SourceError("this worker has no data in this minibatch")
        return self.data

    @property
    def shape(self) -> tuple[int, ...]:
        """(sequences, samples of the longest, *shape of a sample)."""
        return self._value().shape

    @property
    def mask(self) -> npt.NDArray[np.uint8]:
        """2 at the first sample of a sequence, 1 at the others, 0 where none is."""
        return self._value().mask

    @property
    def is_sparse(self) -> bool:
        return self.data is not None and self.data.is_sparse

    def asarray(self) -> Array:
        """Return the values as an array of ``shape``."""
        return self._value().asarray()

    def as_sequences(self, variable: object = None) -> list[Any]:
        """Return an array for each sequence; sparse streams need the variable of the network."""
        return [] if self.data is None else self.data.as_sequences(variable)

    def __len__(self) -> int:
        return self.num_sequences

    def __repr__(self) -> str:
        end = ", end of sweep" if self.end_of_sweep else ""
        return f"MinibatchData(sequences: {self.num_sequences}, samples: {self.num_samples}{end})"


def text_list(words: Iterable[object]) -> str:
    return ", ".join(map(str, words)) or "nothing"
