"""A program's own deserializers, and the source that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .config import MinibatchSourceConfig
from .constants import FULL_DATA_SWEEP, INFINITELY_REPEAT
from .errors import ConfigError, SourceError
from .local_order import InOrder, Limits, LocalOrder, Timeline, Tumbling
from .records import StreamInformation
from .values import MinibatchData, Rows, Value, as_rows, is_csr, text_list

Share = tuple[int, int, int]


class UserDeserializer:
    """Override the methods; sheaf calls them on the thread that asks for a minibatch."""

    def stream_infos(self) -> list[StreamInformation]:
        """Return the streams; the id of each is its index in the list."""
        raise NotImplementedError

    def num_chunks(self) -> int:
        """Return the number of chunks."""
        raise NotImplementedError

    def get_chunk(self, chunk_id: int) -> dict[str, Any]:
        """Return the data of a chunk, by the names of the streams.

        An array ``(n, *shape)`` or a CSR matrix ``(n, dim)`` has n sequences of one sample; a list
        has a sequence in each item, as an array ``(samples, *shape)`` or a CSR matrix.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class _Chunk:
    streams: dict[str, list[Any]]  # of each sequence an array of [samples, *shape], or Rows
    lengths: list[int]


class _Data:
    """The checked chunks of a deserializer, kept as long as needed."""

    def __init__(self, deserializer: UserDeserializer, has_frames: bool) -> None:
        self._deserializer = deserializer
        self._has_frames = has_frames  # each sequence has one sample
        self.streams = list(deserializer.stream_infos())
        if not self.streams:
            raise ConfigError("stream_infos() of a UserDeserializer names at least one stream")
        self.chunk_count = int(deserializer.num_chunks())
        if self.chunk_count < 1:
            raise ConfigError(f"num_chunks() is at least 1: got {self.chunk_count}")
        self._chunks: dict[int, _Chunk] = {}

    def chunk(self, number: int) -> _Chunk:
        if number not in self._chunks:
            said = self._deserializer.get_chunk(number)
            self._chunks[number] = self._checked(number, said)
        return self._chunks[number]

    def lengths_of(self, chunk: int) -> list[int]:
        return self.chunk(chunk).lengths

    def keep(self, count: int) -> None:
        """Keep only the most recently loaded chunks, up to ``count``."""
        while len(self._chunks) > count:
            del self._chunks[next(iter(self._chunks))]

    def _checked(self, number: int, said: object) -> _Chunk:
        where = f"get_chunk({number})"
        if not isinstance(said, dict):
            raise SourceError(f"{where} gives a dict: got {type(said).__name__}")
        names = [stream.name for stream in self.streams]
        for name in said:
            if name not in names:
                raise SourceError(f'{where}: no stream is "{name}"; there are {text_list(names)}')
        for name in names:
            if name not in said:
                raise SourceError(f'{where} lacks the stream "{name}"')
        streams = {
            stream.name: _sequences(said[stream.name], stream, f'{where}["{stream.name}"]')
            for stream in self.streams
        }
        counts = {name: len(sequences) for name, sequences in streams.items()}
        if len(set(counts.values())) > 1:
            raise SourceError(f"{where}: the streams have different numbers of sequences: {counts}")
        lengths = [
            max(1, *(_length(sequence) for sequence in sequences))
            for sequences in zip(*streams.values(), strict=True)
        ]
        if not lengths:
            raise SourceError(f"{where} has no sequences")
        if self._has_frames:
            for name, sequences in streams.items():
                _check_frames(sequences, f'{where}["{name}"]')
        return _Chunk(streams, lengths)


def _check_frames(sequences: Sequence[Any], where: str) -> None:
    """Raise SourceError if a sequence is not a single frame."""
    for i, sequence in enumerate(sequences):
        if _length(sequence) != 1:
            raise SourceError(
                f"{where}[{i}] has {_length(sequence)} samples: frame_mode takes sequences of "
                "exactly one"
            )


def _length(sequence: Any) -> int:
    return sequence.count if isinstance(sequence, Rows) else len(sequence)


def _sequences(data: Any, stream: StreamInformation, where: str) -> list[Any]:
    """Return the sequences of a stream, each with its samples in rows."""
    if isinstance(data, (list, tuple)):
        return [_sequence(each, stream, f"{where}[{i}]") for i, each in enumerate(data)]
    if stream.is_sparse:
        rows = _rows(data, stream, where)
        return [rows.part(i, i + 1) for i in range(rows.count)]
    array = _array(data, where)
    if array.shape[1:] != stream.sample_shape:
        raise SourceError(f"{where} has the shape (n, *{stream.sample_shape}): got {array.shape}")
    return [array[i : i + 1] for i in range(len(array))]


def _sequence(data: Any, stream: StreamInformation, where: str) -> Any:
    if stream.is_sparse:
        return _rows(data, stream, where)
    array = _array(data, where)
    if array.shape == stream.sample_shape:
        return array[np.newaxis]
    if array.shape[1:] != stream.sample_shape:
        raise SourceError(
            f"{where} has the shape (samples, *{stream.sample_shape}): got {array.shape}"
        )
    return array


def _array(data: Any, where: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    if not isinstance(data, np.ndarray):
        raise SourceError(f"{where} is an array of NumPy: got {type(data).__name__}")
    if data.dtype != np.float32:
        raise SourceError(f"{where} has values of float32: got {data.dtype}")
    return data


def _rows(data: Any, stream: StreamInformation, where: str) -> Rows:
    if not is_csr(data):
        raise SourceError(f"{where} is a CSR matrix: got {type(data).__name__}")
    rows = as_rows(data)
    if rows.data.dtype != np.float32:
        raise SourceError(f"{where} has values of float32: got {rows.data.dtype}")
    if rows.indices.dtype != np.int32 or rows.indptr.dtype != np.int32:
        raise SourceError(f"{where} has indices of int32: got {rows.indices.dtype}")
    if (rows.dim,) != stream.sample_shape:
        raise SourceError(f"{where} has {stream.sample_shape} columns: got {rows.dim}")
    return rows


class UserSource:
    """Delivers the data of a UserDeserializer, in CNTK's order for it."""

    def __init__(self, config: MinibatchSourceConfig, deserializer: UserDeserializer) -> None:
        self._config = config
        self._data = _Data(deserializer, config.is_frame_mode_enabled)
        self.streams = self._data.streams
        self._partition = (1, 0)
        self._order = self._make_order()
        self._restored: dict[str, int] | None = None  # a state that waits for its partition
        self._is_over = False

    def _make_order(self) -> LocalOrder:
        config = self._config
        samples = config.max_samples
        limits = Limits(
            sweeps=1
            if samples == FULL_DATA_SWEEP
            else None
            if config.max_sweeps == INFINITELY_REPEAT
            else config.max_sweeps,
            samples=samples if samples < FULL_DATA_SWEEP else None,
        )
        data = self._data
        timeline = Timeline(data.chunk_count, data.lengths_of, limits, *self._partition)
        if not config.is_randomized:
            return InOrder(timeline)
        counts_samples = config.randomization_window_in_samples != 0
        return Tumbling(
            timeline,
            window=config.randomization_window_in_samples or config.randomization_window_in_chunks,
            counts_samples=counts_samples,
            seed=config.randomization_seed,
        )

    def next(self, share: Share) -> dict[StreamInformation, MinibatchData]:
        """Return the next minibatch; empty at the end."""
        size, workers, worker = share
        if self._config.max_samples == 0:
            raise SourceError("max_samples is 0: an epoch has at least one sample")
        if self._is_over:
            return {}
        if self._restored is not None or (workers, worker) != self._partition:
            state = self.state()
            self._partition = (workers, worker)
            self._order = self._make_order()
            self._order.restore(state)
            self._restored = None
        step = self._order.next(max(1, size // workers + (size % workers > worker)))
        self._is_over = step.ends_epoch
        if not step.sequences:
            if self._is_over:
                return {}
            return {each: MinibatchData(None, 0, 0, step.ends_sweep) for each in self.streams}
        found = {
            each: self._minibatch(each, step.sequences, step.ends_sweep) for each in self.streams
        }
        self._data.keep(self._order.chunks_needed)
        return found

    def _minibatch(
        self, stream: StreamInformation, wanted: Sequence[tuple[int, int]], ends_sweep: bool
    ) -> MinibatchData:
        sequences = [
            self._data.chunk(chunk).streams[stream.name][number] for chunk, number in wanted
        ]
        if stream.is_sparse:
            return MinibatchData.of(Value.of_rows(sequences), ends_sweep)
        return MinibatchData.of(Value.of_sequences(sequences), ends_sweep)

    def state(self) -> dict[str, int]:
        return self._order.state() if self._restored is None else dict(self._restored)

    def restore(self, state: Mapping[str, int]) -> None:
        # The place in a window counts the sequences of one partition, which only the next call of
        # next() tells.
        self._restored = self._order.checked(state)
        self._is_over = False
