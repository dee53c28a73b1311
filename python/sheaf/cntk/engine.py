"""Sources that sheaf's engine reads: files in CNTK's formats, and joins of them."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _sheaf
from .._options.options import plan_data
from .._options.streams import DTYPES
from ..errors import ConfigError, Error
from .config import MinibatchSourceConfig
from .constants import FULL_DATA_SWEEP
from .errors import SourceError, as_source_errors
from .records import StreamInformation
from .specs import source_spec
from .values import MinibatchData, Rows, Value, text_list

_COUNT_MAX = 2**63 - 1
_POSITION = "minibatchSourcePosition"
# The engine's error for an image of another size than the first one.
_OTHER_SIZE = re.compile(
    r'stream "(.*)": expected images of [0-9 x]+\(height x width\), as the first'
)

Share = tuple[int, int, int]  # minibatch size, number of workers, index of this worker


class EngineSource:
    """Delivers the data of the engine; size and partition may change from call to call.

    The source counts its place in samples of the run, as CNTK does. A state has more than the
    place: cut sequences and the next worker, which are valid as long as size and partition stay,
    and the state of the random numbers that crop and color images.
    """

    def __init__(
        self, config: MinibatchSourceConfig, dtype: str, keys: str, threads: int, memory: int
    ) -> None:
        self._config = config
        self._process = os.getpid()
        self._place: dict[str, Any] = {}  # of self._share; empty means at self._sample
        self._sample = 0
        self._draws: list[int] = []  # if there is no place
        self._share: Share | None = None
        self._run: _sheaf.Run | None = None
        self._is_moved = False  # the run has a later place
        self._is_over = False
        spec = source_spec(config, dtype, keys)
        self._tolerates_errors = "max_errors" in spec["read"]
        self._told = 0  # how many errors were logged
        planned = plan_data(
            {
                "spec": spec,
                "minibatch_samples": 1,
                "num_threads": threads,
                "memory_limit": memory,
            }
        )
        with as_source_errors():
            self._data = self._ordered = planned.open().data
        self.streams = [
            StreamInformation(
                name,
                i,
                "sparse" if sparse else "dense",
                DTYPES[element],
                shape if min(shape, default=0) >= 0 else (),  # (): samples may differ
                defines,
            )
            for i, (name, shape, sparse, element, _, defines) in enumerate(self._data.streams)
        ]
        self._sweep_samples = 0

    # Reading.

    def next(self, share: Share) -> dict[StreamInformation, MinibatchData]:
        """Return the next minibatch; empty at the end."""
        if self._config.max_samples == 0:
            raise SourceError("max_samples is 0: an epoch has at least one sample")
        if self._is_over or self._config.max_sweeps == 0:
            return {}
        self._check_process()
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
            except Error as error:
                self._catch_up()
                self._run = None  # the next call begins here, and meets the error again
                if found := _OTHER_SIZE.search(str(error)):
                    raise SourceError(f"{_varying_shapes(found[1])} {error}") from error
                raise
        self._is_moved = True
        self._log_errors()
        self._is_over = minibatch.ends_epoch
        if self._is_over and minibatch.sequence_count == 0:
            return {}
        return {stream: self._data_of(stream, minibatch) for stream in self.streams}

    def _check_process(self) -> None:
        """Raise SourceError in a forked process, which has no threads of its parent."""
        if os.getpid() != self._process:
            raise SourceError("the source was made before a fork: make one in each process instead")

    def _log_errors(self) -> None:
        if not self._tolerates_errors or self._run is None:
            return
        found = self._run.diagnostics
        for each in found[self._told :]:
            _LOG.warning("a sequence is left out: %s", each)
        self._told = len(found)

    def _begin(self, share: Share) -> None:
        """Begin a run of this share at the place of the run before, or of a state."""
        self._catch_up()
        size, workers, worker = share
        self._ordered = self._data.resized(
            minibatch_size=min(size, _COUNT_MAX),
            sweep_ends="cut" if size >= FULL_DATA_SWEEP else "cross",
            rank=worker,
            world_size=workers,
        )
        position = json.loads(self._ordered.begin_of(0))
        draws = self._drawn()
        if self._place and share == self._share:
            position |= {name: self._place[name] for name in _PLACE if name in self._place}
        else:
            sample = self._sample_position()
            if sample > 0:
                position = json.loads(self._ordered.position_of(sample))
        if draws:
            position |= {"format_version": 2, "draws": draws}
        self._share = share
        self._is_over = position["epoch"] > 0 and not _has_rest(position)
        if not self._is_over:
            self._run = _sheaf.Run(self._ordered, json.dumps(position))
            self._told = 0
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
        if batch.extents is not None:
            _check_equal_shapes(stream.name, batch)
        if self._config.is_frame_mode_enabled:
            values = values[:, np.newaxis]
        return MinibatchData(Value(values, lengths), count, samples, ends_sweep)

    # State.

    def _catch_up(self) -> None:
        """Ask the run for its place, which only states and new runs need."""
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

    def _drawn(self) -> list[int]:
        """Return the state of the random numbers for images."""
        self._catch_up()
        draws: list[int] = self._place.get("draws", []) if self._place else self._draws
        return draws

    def state(self) -> dict[str, int]:
        with as_source_errors():
            state = {_POSITION: self._sample_position()}
        carry, draws = self._place.get("carry", []), self._drawn()
        if carry and self._share is not None:
            state |= dict(zip(_SHARE, self._share, strict=True))
            state |= {f"place.{name}": self._place[name] for name in _PLACE if name != "carry"}
            state |= {f"carry.{i}": value for i, value in enumerate(carry)}
        return state | {f"draws.{i}": value for i, value in enumerate(draws)}

    def restore(self, state: Mapping[str, int]) -> None:
        if _POSITION not in state:
            raise ConfigError(f"the state has no {_POSITION}; it has {text_list(state)}")
        if state == self.state() and not self._is_over:
            return
        sample, draws = int(state[_POSITION]), _numbers_of(state, "draws.")
        place, share = _place_of(state)
        self._run = None
        self._is_moved = False
        self._is_over = False
        self._place = place | ({"draws": draws} if place and draws else {})
        self._share = share
        self._sample = sample
        self._draws = draws


_LOG = logging.getLogger("sheaf.cntk")
_PLACE = ("epoch", "sweep", "sequence", "sample", "carry")
_SHARE = ("minibatchSize", "numDataPartitions", "partitionIndex")


def _numbers_of(state: Mapping[str, int], prefix: str) -> list[int]:
    """Return the numbers of a list in a state; ConfigError if one is missing."""
    names = [name for name in state if name.startswith(prefix)]
    numbers = [f"{prefix}{i}" for i in range(len(names))]
    if set(names) != set(numbers):
        wrong = min(set(names) - set(numbers))
        raise ConfigError(f"the state is wrong: {wrong!r} is {state[wrong]!r}")
    return [int(state[name]) for name in numbers]


def _place_of(state: Mapping[str, int]) -> tuple[dict[str, Any], Share | None]:
    """Return the place between two minibatches in a state, and the share that it belongs to."""
    if not all(name in state for name in _SHARE):
        return {}, None
    size, workers, worker = (int(state[name]) for name in _SHARE)
    place: dict[str, Any] = {f: state[f"place.{f}"] for f in _PLACE if f != "carry"}
    return place | {"carry": _numbers_of(state, "carry.")}, (size, workers, worker)


def _check_equal_shapes(name: str, batch: Any) -> None:
    """Raise SourceError if samples have several shapes: a minibatch has one."""
    extents = batch.extents.reshape(-1, batch.extents.shape[-1])
    shapes = {tuple(shape) for shape in extents[(extents > 0).all(1)].tolist()}
    if len(shapes) > 1:
        first, second, *_ = sorted(shapes)
        raise SourceError(f"{_varying_shapes(name)} Found {first} and {second}")


def _varying_shapes(name: str) -> str:
    """Return CNTK's words for a stream with samples of several shapes."""
    return (
        "Packer currently does not support samples with varying shapes.Please make sure there is a "
        f"transform that unifies the shape of samples for input stream '{name}' or the "
        "deserializer provides samples with the same shape."
    )


def _has_rest(position: Mapping[str, Any]) -> bool:
    """Return whether cut sequences are left after all sequences have begun."""
    carry = position.get("carry") or [0]
    return bool(carry[0] == 1)


def _truncated(minibatch: _sheaf.Minibatch, batch: Any) -> Value:
    """Return pieces of sequences in their slots, dense."""
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
