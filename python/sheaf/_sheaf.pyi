from collections.abc import Iterator, Sequence
from typing import Any

import numpy
import numpy.typing

import sheaf.errors


class DenseBatch:
    """One dense stream of a minibatch."""

    @property
    def values(self) -> numpy.typing.NDArray[Any]:
        """
        Padded: [sequences, samples, *shape], zero where no sample is. Ragged: [samples of all sequences, *shape]. Packed and truncated: [steps, slots, *shape], zero where no sample is. Frames: [sequences, *shape].
        """

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """Samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True where a sample is. Padded: [sequences, samples]. Packed and truncated: [steps, slots]. Else None.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Ragged: where each sequence begins among the rows, and the end. Else None.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """Packed and truncated: the slot of each sequence. Else None."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Packed and truncated: the step of each sequence's first sample here. Else None.
        """

    @property
    def slot_count(self) -> int:
        """Packed and truncated: how many sequences advance side by side. Else 0."""

class SparseBatch:
    """
    One sparse stream of a minibatch: compressed rows, as scipy.sparse.csr_matrix takes them.
    A row is a sample; padded, there are as many rows for each sequence, the last ones empty;
    packed and truncated, row t * slot_count + s is step t of slot s.
    """

    @property
    def data(self) -> numpy.typing.NDArray[Any]:
        """The stored values."""

    @property
    def indices(self) -> numpy.typing.NDArray[Any]:
        """The index of each value."""

    @property
    def indptr(self) -> numpy.typing.NDArray[numpy.int64]:
        """Where each row begins among the values, and the end."""

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, dim)."""

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """Samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True where a sample is. Padded: [sequences, samples]. Packed and truncated: [steps, slots]. Else None.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Ragged: where each sequence begins among the rows, and the end. Else None.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """Packed and truncated: the slot of each sequence. Else None."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Packed and truncated: the step of each sequence's first sample here. Else None.
        """

    @property
    def slot_count(self) -> int:
        """Packed and truncated: how many sequences advance side by side. Else 0."""

class Minibatch:
    """What one step consumes: a mapping from stream names to arrays."""

    def __getitem__(self, stream: str) -> Any: ...

    def __len__(self) -> int: ...

    def __contains__(self, stream: str) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def keys(self) -> list[str]:
        """Names of the streams."""

    def values(self) -> list[DenseBatch | SparseBatch]: ...

    def items(self) -> list[tuple[str, DenseBatch | SparseBatch]]: ...

    @property
    def sequence_keys(self) -> numpy.typing.NDArray[numpy.uint64]:
        """Names of the sequences, in the order of delivery."""

    @property
    def key_texts(self) -> list[str]:
        """The texts of the keys; empty where keys are numbers."""

    @property
    def slices(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where sequences are cut, the part of each that is in here: [sequences, (first sample, samples, samples of the whole sequence)]. Else None.
        """

    @property
    def sequence_count(self) -> int: ...

    @property
    def sample_count(self) -> int:
        """The largest number of samples that any one stream has in it."""

    @property
    def position(self) -> str:
        """The position after it: a string, for Reader(position=...)."""

    @property
    def ends_sweep(self) -> bool:
        """Whether the last sequence of a sweep is in it."""

    @property
    def ends_epoch(self) -> bool: ...

    @property
    def hole_count(self) -> int:
        """Sequences left out because their data are wrong."""

class StreamOptions:
    def __init__(self, name: str, alias: str, shape: Sequence[int], sparse: bool, is_double: bool, defines_minibatch_size: bool) -> None: ...

class OrderOptions:
    def __init__(self, *, minibatch_size: int, counts_sequences: bool, sweeps: int, epoch_size: int, epochs: int, cut_at_sweep_end: bool, split_frames: bool, worker_index: int, worker_count: int, is_global: bool, algorithm: str, seed: int, window_chunks: int | None, window_samples: int | None, truncation_length: int, balances_count: bool, is_bucketed: bool) -> None: ...

class Reader:
    def __init__(self, path: str, streams: Sequence[StreamOptions], *, order: OrderOptions, packing: str, row_samples: int, threads: int, memory_limit_bytes: int, chunk_size_bytes: int, has_text_keys: bool, max_errors: int, position: str | None) -> None: ...

    def __iter__(self) -> Iterator[Minibatch]: ...

    def __next__(self) -> Minibatch: ...

    def sequence(self, key: int | str) -> Minibatch:
        """
        The first sequence of the file with this key, packed alone; KeyError where there is none. The reader stays where it is.
        """

    def sequence_at(self, sweep: int, number: int) -> Minibatch:
        """
        The sequence that a sweep delivers as its number-th, from 0, counted over all workers, packed alone; IndexError where there is none. The reader stays where it is.
        """

    @property
    def position(self) -> str:
        """
        Where the reader stands, after the last minibatch it gave: a string, for Reader(position=...).
        """

    @property
    def stats(self) -> dict[str, Any]:
        """
        What the reader did so far. padding_ratio is the share of sample_places, the rows of the arrays, that hold none of the samples.
        """

    @property
    def diagnostics(self) -> list[sheaf.errors.Diagnostic]:
        """The wrong places met so far in what was delivered."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]:
        """
        What is worth knowing though nothing is wrong, as far as it is known by now.
        """
