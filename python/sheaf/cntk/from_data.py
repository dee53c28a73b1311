"""Minibatches of data in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .constants import INFINITELY_REPEAT
from .errors import ConfigError
from .records import StreamInformation
from .source import UserMinibatchSource
from .values import MinibatchData, Rows, Value, as_rows, is_csr


class _Items:
    """The sequences of a stream, from any supported type of data."""

    def __init__(self, name: str, data: Any, shape: Any) -> None:
        self.is_value = isinstance(data, Value)
        declared = shape
        if isinstance(data, Value):
            declared = None
            shape = (data.shape[2],) if data.is_sparse else data.shape[2:]
            self.is_sparse = data.is_sparse
            self._parts = data.parts()
        elif isinstance(data, np.ndarray):
            self._parts = [data[i : i + 1] for i in range(len(data))]
            self.is_sparse, shape = False, data.shape[1:]
        elif is_csr(data):
            rows = as_rows(data)
            self._parts = [rows.part(i, i + 1) for i in range(rows.count)]
            self.is_sparse, shape = True, (rows.dim,)
        elif isinstance(data, (list, tuple)):
            self._parts = [as_rows(each) if is_csr(each) else np.asarray(each) for each in data]
            first = self._parts[0] if data else np.zeros((0, 0))
            self.is_sparse = isinstance(first, Rows)
            shape = (first.dim,) if isinstance(first, Rows) else first.shape[1:]
        else:
            raise TypeError(
                f'the data of "{name}" are an array, a CSR matrix, a Value or a list: '
                f"got {type(data).__name__}"
            )
        if not self._parts:
            raise ConfigError(f'the stream "{name}" has no data')
        self.shape = tuple(shape)
        self._check_shape(name, declared)

    def _check_shape(self, name: str, declared: Any) -> None:
        expected = getattr(declared, "shape", declared)
        expected = (expected,) if isinstance(expected, int) else expected
        if isinstance(expected, tuple) and tuple(expected) != self.shape:
            raise ConfigError(
                f'the stream "{name}" is declared with the shape {expected}: its data have '
                f"{self.shape}"
            )

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def dtype(self) -> Any:
        first = self._parts[0]
        return first.data.dtype if isinstance(first, Rows) else first.dtype

    def length(self, number: int) -> int:
        part = self._parts[number]
        return part.count if isinstance(part, Rows) else len(part)

    def value(self, numbers: list[int]) -> Value:
        parts = [self._parts[number] for number in numbers]
        if self.is_sparse:
            return Value.of_rows(parts)
        return Value.of_sequences(parts)


class MinibatchSourceFromData(UserMinibatchSource):
    """Delivers data in memory, in their order.

    ``data_streams`` has for each name an array whose first axis counts samples, a CSR matrix, a
    Value, or a list with a sequence in each item; or a pair of these and the shape of a sample. No
    minibatch goes beyond the end of the data. After the end the data begin again, up to
    ``max_samples``.
    """

    def __init__(
        self, data_streams: Mapping[str, Any], max_samples: int = INFINITELY_REPEAT
    ) -> None:
        if not data_streams:
            raise ConfigError("data_streams names at least one stream")
        self._items: dict[str, _Items] = {}
        for name, data in data_streams.items():
            data, shape = data if isinstance(data, tuple) else (data, None)
            self._items[name] = _Items(name, data, shape)
        counts = {name: len(items) for name, items in self._items.items()}
        if len(set(counts.values())) > 1:
            raise TypeError(f"the streams have different numbers of items: {counts}")
        self._count = next(iter(counts.values()))
        self._max_samples = max_samples
        self._cursor = 0
        self._total = 0
        super().__init__()

    def stream_infos(self) -> list[StreamInformation]:
        """Return the descriptions of the streams."""
        return [
            StreamInformation(
                name, i, "sparse" if items.is_sparse else "dense", items.dtype, items.shape
            )
            for i, (name, items) in enumerate(self._items.items())
        ]

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int = 1,
        worker_rank: int = 0,
        device: object = None,
    ) -> dict[StreamInformation, MinibatchData]:
        """Return items until the longest stream has this number of samples; empty at the end.

        A minibatch has at least one item. Each of n workers gets every n-th item of it.
        """
        if number_of_workers != 1 and any(items.is_value for items in self._items.values()):
            raise ConfigError("several workers do not share a Value")
        if self._total >= self._max_samples:
            return {}
        begin, samples = self._cursor, dict.fromkeys(self._items, 0)
        while self._cursor < self._count:
            more = {
                name: samples[name] + items.length(self._cursor)
                for name, items in self._items.items()
            }
            longest = max(more.values())
            is_full = longest > num_samples or self._total + longest > self._max_samples
            if is_full and self._cursor > begin:
                break
            samples = more
            self._cursor += 1
        numbers = list(range(begin, self._cursor))[worker_rank::number_of_workers]
        self._total += max(samples.values())
        is_end = self._cursor == self._count
        if is_end:
            self._cursor = 0
        return {stream: self._data_of(stream, numbers, is_end) for stream in self.stream_infos()}

    def _data_of(
        self, stream: StreamInformation, numbers: list[int], is_end: bool
    ) -> MinibatchData:
        if not numbers:
            return MinibatchData(None, 0, 0, is_end)
        return MinibatchData.of(self._items[stream.name].value(numbers), is_end)

    def get_checkpoint_state(self) -> dict[str, Any]:
        """Return the place of the source."""
        return {"cursor": self._cursor, "total_num_samples": self._total}

    def restore_from_checkpoint(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        self._cursor = int(state["cursor"])
        self._total = int(state["total_num_samples"])

    def is_infinite(self) -> bool:
        """Return whether the source never ends."""
        return self._max_samples == INFINITELY_REPEAT
