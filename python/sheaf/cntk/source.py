"""Sources of minibatches under CNTK's names."""

from __future__ import annotations

import copy
import logging
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .config import MinibatchSourceConfig
from .constants import (
    DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    INFINITELY_REPEAT,
    TraceLevel,
)
from .deserializers import Deserializer
from .engine import EngineSource
from .errors import ConfigError, SourceError, whole_number
from .records import Record, StreamInformation, streams_by_name
from .specs import source_spec, working_directory
from .speech import makes_text_keys
from .user_deserializer import UserDeserializer, UserSource
from .values import MinibatchData, text_list

_LOG = logging.getLogger("sheaf.cntk")

Minibatch = dict[Any, MinibatchData]


class _Source:
    """The common part of all sources: their streams."""

    _streams: Record

    @property
    def streams(self) -> Record:
        """The streams by name: as items and as attributes."""
        return self._streams

    def stream_info(self, name: str) -> StreamInformation:
        """Return the stream of this name; RuntimeError if there is none."""
        if name not in self._streams:
            raise SourceError(f'no stream is "{name}"; there are {text_list(self._streams)}')
        found: StreamInformation = self._streams[name]
        return found

    def __getitem__(self, name: str) -> StreamInformation:
        return self.stream_info(name)


class MinibatchSource(_Source):
    """Reads files as ``cntk.io.MinibatchSource`` does, in the same order.

    ``deserializers`` is one or a list. Several are joined by sequence key, and the first gives the
    order. A UserDeserializer stands alone. ``trace_level`` and ``multithreaded_deserializer`` are
    accepted, and have no effect.

    Four keywords are not in CNTK. ``dtype``: "float32" or "float64", for all values;
    ``numeric_keys``: whether sequence ids are numbers, by default True unless a deserializer is for
    speech; ``num_threads`` and ``memory_limit``: as for a Reader.

    Raises SourceError, a RuntimeError, where CNTK raises one, and ConfigError, a ValueError.
    """

    def __init__(
        self,
        deserializers: Deserializer | UserDeserializer | Sequence[Deserializer | UserDeserializer],
        max_samples: int = INFINITELY_REPEAT,
        max_sweeps: int = INFINITELY_REPEAT,
        randomization_window_in_chunks: int = DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
        randomization_window_in_samples: int = 0,
        randomization_seed: int = 0,
        trace_level: int = TraceLevel.Warning,
        multithreaded_deserializer: bool | None = None,
        frame_mode: bool = False,
        truncation_length: int = 0,
        randomize: bool = True,
        *,
        dtype: npt.DTypeLike = "float32",
        numeric_keys: bool | None = None,
        num_threads: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if not isinstance(deserializers, (list, tuple)):
            deserializers = [deserializers]  # type: ignore[list-item]
        dictionaries = [each for each in deserializers if isinstance(each, dict)]
        users = [each for each in deserializers if isinstance(each, UserDeserializer)]
        _check_deserializers(deserializers, users, dictionaries)
        config = MinibatchSourceConfig(dictionaries)
        config.max_samples = max_samples
        config.max_sweeps = max_sweeps
        config.randomization_window_in_chunks = randomization_window_in_chunks if randomize else 0
        config.randomization_window_in_samples = randomization_window_in_samples if randomize else 0
        config.randomization_seed = randomization_seed
        config.trace_level = trace_level
        config.truncation_length = truncation_length or 0
        config.is_frame_mode_enabled = frame_mode
        if multithreaded_deserializer is not None:
            config.is_multithreaded.set(multithreaded_deserializer)
        config.check()
        self._config = config
        self._spec: dict[str, Any] | None = None
        self._source: EngineSource | UserSource
        if users:
            if truncation_length:
                raise SourceError("truncation_length: the data of a UserDeserializer are never cut")
            self._source = UserSource(config, users[0])
        else:
            values = np.dtype(dtype).name
            if numeric_keys is None:
                numeric_keys = not makes_text_keys(dictionaries)
            if values not in ("float32", "float64"):  # CNTK has no others
                raise ConfigError(f'dtype: expected "float32" or "float64", got "{values}"')
            options = (values, "numeric" if numeric_keys else "text")
            self._spec = source_spec(config, *options, folder=working_directory())
            self._source = EngineSource(config, *options, num_threads, memory_limit)
        self._streams = streams_by_name(self._source.streams)

    def stream_infos(self) -> list[StreamInformation]:
        """What is known of the streams."""
        return list(self._source.streams)

    def next_minibatch(
        self,
        minibatch_size_in_samples: int,
        input_map: Mapping[Any, StreamInformation] | None = None,
        device: object = None,
        num_data_partitions: int | None = None,
        partition_index: int | None = None,
    ) -> Minibatch:
        """Return whole sequences of at most this number of samples; empty at the end.

        A minibatch has at least one sequence. The size is that of all partitions together. Size and
        partition may change from call to call: a source continues from its place. FULL_DATA_SWEEP
        means the rest of the sweep.

        The keys are those of ``input_map``, or else streams. A partition without a share of this
        minibatch has entries without data.
        """
        size = whole_number("minibatch_size_in_samples", minibatch_size_in_samples)
        if size == 0:
            raise ConfigError("minibatch_size_in_samples is at least 1: got 0")
        workers = 1 if num_data_partitions is None else num_data_partitions
        workers = whole_number("num_data_partitions", workers, _PARTITIONS_MAX)
        worker = whole_number("partition_index", partition_index or 0, _PARTITIONS_MAX)
        if workers == 0:
            raise ConfigError("num_data_partitions is at least 1: got 0")
        if worker >= workers:
            raise ConfigError(f"partition_index is below num_data_partitions: got {worker}")
        if size <= worker:
            _LOG.warning("partition %d of a minibatch of %d is empty: taken for 1", worker, size)
        minibatch = self._source.next((size, workers, worker))
        if not minibatch or not input_map:
            return minibatch
        return _mapped(minibatch, input_map)

    def get_checkpoint_state(self) -> dict[str, int]:
        """Return the place of the source, behind the last delivered minibatch."""
        return self._source.state()

    def restore_from_checkpoint(self, checkpoint: Mapping[str, int]) -> None:
        """Continue from a state of the same data, seed, window and partitions."""
        self._source.restore(checkpoint)

    @property
    def current_position(self) -> dict[str, int]:
        """The state, for reading and setting."""
        return self.get_checkpoint_state()

    @current_position.setter
    def current_position(self, position: Mapping[str, int]) -> None:
        self.restore_from_checkpoint(position)

    def is_infinite(self) -> bool:
        """Whether it never ends."""
        return self._config.is_infinite

    @property
    def spec(self) -> dict[str, Any]:
        """The data and the order as a spec, for ``sheaf.Reader(spec=...)``.

        The values are those of JSON, and paths are absolute. The spec has no minibatch size and no
        partition, because they are arguments of ``next_minibatch``. Raises SourceError for a
        UserDeserializer, which no spec can name.
        """
        if self._spec is None:
            raise SourceError("spec: no spec says what a UserDeserializer is")
        return copy.deepcopy(self._spec)


_PARTITIONS_MAX = 2**31 - 1


def _check_deserializers(all_of_them: Sequence[Any], users: list[Any], others: list[Any]) -> None:
    if not all_of_them:
        raise ConfigError("deserializers: a MinibatchSource needs at least one")
    if len(users) + len(others) < len(all_of_them):
        raise TypeError("a deserializer is what a ...Deserializer() gives, or a UserDeserializer")
    if users and len(all_of_them) > 1:
        raise ConfigError("a UserDeserializer joins with no other deserializer")


def _mapped(
    minibatch: Mapping[StreamInformation, MinibatchData],
    input_map: Mapping[Hashable, StreamInformation],
) -> Minibatch:
    return {key: minibatch[stream] for key, stream in input_map.items()}


class UserMinibatchSource(_Source):
    """A program's own source: override the methods, and call the constructor last."""

    def __init__(self) -> None:
        self._streams = streams_by_name(self.stream_infos())

    def stream_infos(self) -> list[StreamInformation]:
        """What is known of the streams."""
        raise NotImplementedError

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int,
        worker_rank: int,
        device: object = None,
    ) -> dict[StreamInformation, MinibatchData]:
        """The next minibatch; empty at the end."""
        raise NotImplementedError

    def get_checkpoint_state(self) -> dict[str, Any]:
        """Return the place of the source, as a dict with texts for keys."""
        return {}

    def restore_from_checkpoint(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        if state:
            raise NotImplementedError(
                "a source whose get_checkpoint_state() says something has to be told how to go on"
            )

    def is_infinite(self) -> bool:
        """Whether it never ends."""
        return False
