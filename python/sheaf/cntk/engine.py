"""Sources that the engine reads: text and binary files of CNTK, and joins of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _sheaf
from .._options.options import plan_data
from .._options.streams import DTYPES
from .._user.deserializer import Deserializer as WrittenDeserializer
from ..errors import ConfigError
from .config import MinibatchSourceConfig
from .constants import FULL_DATA_SWEEP
from .deserializers import Deserializer
from .errors import SourceError, as_source_errors
from .records import StreamInformation
from .specs import source_spec
from .values import MinibatchData, Rows, Value, text_list

_COUNT_MAX = 2**63 - 1
_POSITION = "minibatchSourcePosition"

Share = tuple[int, int, int]  # minibatch size, workers, which one this is


class EngineSource:
    """Delivers what the engine reads; where size and partition change, it goes on from its place.

    The place is counted in samples of the run, as CNTK does it. What this cannot tell, which are
    cut sequences and whose turn it is among workers, the state says as well; it holds as long as
    size and partition stay.
    """

    def __init__(
        self,
        config: MinibatchSourceConfig,
        deserializers: Sequence[Deserializer | WrittenDeserializer],
        dtype: str,
        keys: str,
        threads: int,
        memory: int,
    ) -> None:
        self._config = config
        self._process = os.getpid()
        self._place: dict[str, Any] = {}  # of self._share; empty: at self._sample
        self._sample = 0
        self._share: Share | None = None
        self._run: _sheaf.Run | None = None
        self._is_moved = False  # the run has a later place
        self._is_over = False
        spec, objects = source_spec(config, deserializers, dtype, keys)
        planned = plan_data(
            {
                "spec": spec,
                "objects": objects,
                "minibatch_samples": 1,
                "num_threads": threads,
                "memory_limit": memory,
            }
        )
        with as_source_errors():
            opened = planned.open()
        self._data = self._ordered = opened.data
        self._sources = opened.sources  # they live as long as they are read
        self.streams = [
            StreamInformation(
                name, i, "sparse" if sparse else "dense", DTYPES[element], shape, defines
            )
            for i, (name, shape, sparse, element, _, defines) in enumerate(self._data.streams)
        ]
        self._sweep_samples = 0

    # Reading.

    def next(self, share: Share) -> dict[StreamInformation, MinibatchData]:
        """The next minibatch; empty at the end."""
        if self._config.max_samples == 0:
            raise SourceError("max_samples is 0: an epoch has at least one sample")
        if self._is_over or self._config.max_sweeps == 0:
            return {}
        self.check_process()
        with as_source_errors():
            if self._run is None or share != self._share:
                self._begin(share)
            if self._is_over:
                return {}
            assert self._run is not None
            try:
                minibatch = next(self._run)
            except StopIteration:
                self._is_over = True
                return {}
        self._is_moved = True
        self._is_over = minibatch.ends_epoch
        if self._is_over and minibatch.sequence_count == 0:
            return {}
        return {stream: self._data_of(stream, minibatch) for stream in self.streams}

    def check_process(self) -> None:
        """SourceError in a process that was forked: threads did not come along."""
        if os.getpid() != self._process:
            raise SourceError("the source was made before a fork: make one in each process instead")

    def _begin(self, share: Share) -> None:
        """Begin a run of this share where the one before, or a state, has left."""
        self._catch_up()
        size, workers, worker = share
        self._ordered = self._data.resized(
            minibatch_size=min(size, _COUNT_MAX),
            sweep_ends="cut" if size >= FULL_DATA_SWEEP else "cross",
            rank=worker,
            world_size=workers,
        )
        position = json.loads(self._ordered.begin_of(0))
        if self._place and share == self._share:
            position |= {name: self._place[name] for name in _PLACE}
        else:
            sample = self._sample_position()
            if sample > 0:
                position = json.loads(self._ordered.position_of(sample))
        self._share = share
        self._is_over = position["epoch"] > 0 and not _has_rest(position)
        if not self._is_over:
            self._run = _sheaf.Run(self._ordered, json.dumps(position))
            self._place = position

    def _data_of(self, stream: StreamInformation, minibatch: _sheaf.Minibatch) -> MinibatchData:
        ends_sweep = minibatch.ends_sweep
        if minibatch.sequence_count == 0:
            return MinibatchData(None, 0, 0, ends_sweep)
        batch = minibatch[stream.name]
        lengths = batch.lengths
        count, samples = len(lengths), int(lengths.sum())
        if self._config.truncation_length:
            return MinibatchData(_truncated(minibatch, batch), count, samples, ends_sweep)
        if stream.is_sparse:
            rows = Rows(batch.data, batch.indices, batch.indptr, batch.shape[1])
            return MinibatchData(Value(rows, lengths), count, samples, ends_sweep)
        values = batch.values
        if self._config.is_frame_mode_enabled:
            values = values[:, np.newaxis]
        return MinibatchData(Value(values, lengths), count, samples, ends_sweep)

    # State.

    def _catch_up(self) -> None:
        """Ask the run for the place, which only states and new runs need."""
        if self._is_moved and self._run is not None:
            self._place = json.loads(self._run.position)
        self._is_moved = False

    def _sample_position(self) -> int:
        self._catch_up()
        if not self._place:
            return self._sample
        if self._place["sweep"] == 0:  # needs no look at the whole index
            return int(self._place["sample"])
        if self._sweep_samples == 0:
            self._sweep_samples = self._data.sizes()[2]
        return int(self._place["sweep"] * self._sweep_samples + self._place["sample"])

    def state(self) -> dict[str, int]:
        with as_source_errors():
            state = {_POSITION: self._sample_position()}
        carry = self._place.get("carry", [])
        if carry and self._share is not None:
            state |= dict(zip(_SHARE, self._share, strict=True))
            state |= {f"place.{name}": self._place[name] for name in _PLACE if name != "carry"}
            state |= {f"carry.{i}": value for i, value in enumerate(carry)}
        return state

    def restore(self, state: Mapping[str, int]) -> None:
        if _POSITION not in state:
            raise ConfigError(f"the state has no {_POSITION}; it has {text_list(state)}")
        if state == self.state() and not self._is_over:
            return
        self._run = None
        self._is_moved = False
        self._is_over = False
        self._place = {}
        self._share = None
        self._sample = int(state[_POSITION])
        if all(name in state for name in _SHARE):
            size, workers, worker = (int(state[name]) for name in _SHARE)
            self._share = (size, workers, worker)
            self._place = {f: state[f"place.{f}"] for f in _PLACE if f != "carry"}
            count = sum(name.startswith("carry.") for name in state)
            self._place["carry"] = [state[f"carry.{i}"] for i in range(count)]


_PLACE = ("epoch", "sweep", "sequence", "sample", "carry")
_SHARE = ("minibatchSize", "numDataPartitions", "partitionIndex")


def _has_rest(position: Mapping[str, Any]) -> bool:
    """Whether cut sequences are left though all have begun."""
    carry = position.get("carry") or [0]
    return bool(carry[0] == 1)


def _truncated(minibatch: _sheaf.Minibatch, batch: Any) -> Value:
    """Pieces of sequences in their slots, dense."""
    steps, slots = batch.mask.shape
    if isinstance(batch, _sheaf.SparseBatch):
        dense = Rows(batch.data, batch.indices, batch.indptr, batch.shape[1]).to_dense()
        values = dense.reshape(steps, slots, -1)
    else:
        values = batch.values
    slices = minibatch.slices
    is_first = (slices[:, 0] == 0) if slices is not None else np.ones(len(batch.slots), bool)
    pieces = np.stack([batch.slots, batch.begins, batch.lengths, is_first], 1)
    return Value(values.swapaxes(0, 1), batch.lengths, pieces)
