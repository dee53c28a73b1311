"""Sources that the engine reads: text and binary files of CNTK, and joins of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _sheaf
from ..deserializer import Deserializer as WrittenDeserializer
from ..errors import ConfigError
from ..options import add_deserializer
from ..streams import DTYPES
from .config import MinibatchSourceConfig
from .constants import FULL_DATA_SWEEP
from .deserializers import MODULES, Deserializer
from .errors import SourceError, as_source_errors
from .records import StreamInformation
from .values import MinibatchData, Rows, Value, text_list

_COUNT_MAX = 2**63 - 1
_TEXT, _BINARY = "CNTKTextFormatDeserializer", "CNTKBinaryFormatDeserializer"
_POSITION = "minibatchSourcePosition"

# Items of a dictionary that change nothing.
_IGNORED = {"type", "module", "traceLevel", "keepDataInMemory", "numChunksToCache", "composable"}
_KNOWN = {"file", "input", "maxErrors", "missingStreams", "sameKeys", "compatibility"} | {
    *("cacheIndex", "chunkSizeInBytes", "skipSequenceIds")
}
_CHUNK_BYTES = 32 << 20

Share = tuple[int, int, int]  # minibatch size, workers, which one this is


def _stream_options(kind: str, name: str, said: Mapping[str, Any]) -> _sheaf.StreamOptions:
    form = str(said.get("format", "dense")).lower()
    if form not in ("dense", "sparse"):
        raise ConfigError(f'the format of a stream is "dense" or "sparse": got "{form}"')
    alias = said.get("alias", name)
    if not alias:
        raise ConfigError(f'the stream "{name}" has an empty alias: leave it out')
    return _sheaf.StreamOptions(
        name=name,
        alias=alias,
        shape=[int(said["dim"])] if kind == _TEXT else None,
        sparse=form == "sparse",
        dtype=None,
        has_long_indices=False,
        defines_minibatch_size=bool(said.get("definesMBSize", False)),
    )


def _add(plan: _sheaf.Plan, said: Deserializer, dtype: str, keys: str) -> int:
    """Add the files of a deserializer to the plan; gives how many errors it tolerates."""
    kind = said.get("type", "")
    if kind not in MODULES and "module" not in said:
        raise ConfigError(f'a deserializer is of an unknown type, and names no module: "{kind}"')
    if kind not in (_TEXT, _BINARY):
        raise SourceError(f"{kind} is not read yet; {_TEXT}, {_BINARY} and those of images are")
    unknown = [name for name in said if name not in _IGNORED | _KNOWN]
    if unknown:
        raise ConfigError(f"{kind} has no {text_list(unknown)}; it has {text_list(sorted(_KNOWN))}")
    is_text = kind == _TEXT
    streams = [_stream_options(kind, *item) for item in dict(said.get("input", {})).items()]
    if is_text and not streams:
        raise ConfigError("CTFDeserializer needs streams")
    format_options = _sheaf.FormatOptions(
        format="ctf" if is_text else "cbf",
        format_options={},
        dtype=dtype,
        keys=keys if is_text else "numeric",
        missing_streams=said.get("missingStreams", "error"),
        compatibility=said.get("compatibility", "strict") if is_text else "cntk",
        skip_sequence_ids=is_text and bool(said.get("skipSequenceIds", False)),
        chunk_size_bytes=int(said.get("chunkSizeInBytes", _CHUNK_BYTES)),
        index="auto" if said.get("cacheIndex", True) else "off",
        index_dir="",
    )
    files = said["file"]
    paths = [files] if isinstance(files, str) else list(files)
    plan.add_files(paths, streams, format_options, said.get("sameKeys", "refuse"))
    return tolerated_errors(said) if is_text else 0


def tolerated_errors(said: Mapping[str, Any]) -> int:
    """The maxErrors of a deserializer; a negative number stands for all."""
    tolerated = int(said.get("maxErrors", 0))
    return _COUNT_MAX // 64 if tolerated < 0 else tolerated


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
        self._deserializers = deserializers  # those in Python live as long as they are read
        self._process = os.getpid()
        self._place: dict[str, Any] = {}  # of self._share; empty: at self._sample
        self._sample = 0
        self._share: Share | None = None
        self._run: _sheaf.Run | None = None
        self._is_moved = False  # the run has a later place
        self._is_over = False
        plan = _sheaf.Plan()
        tolerated = 0
        for each in deserializers:
            if isinstance(each, WrittenDeserializer):
                add_deserializer(plan, each, memory)
            else:
                tolerated += _add(plan, each, dtype, keys)
        plan.packing = (
            "truncated"
            if config.truncation_length
            else "frames"
            if config.is_frame_mode_enabled
            else "padded"
        )
        with as_source_errors():
            plan.set_order(self._order((1, 1, 0)), _CHUNK_BYTES)
            self._data = _sheaf.Data(
                plan, row_samples=0, num_threads=threads, memory_limit=memory, max_errors=tolerated
            )
            self._ordered = self._data
        self.streams = [
            StreamInformation(
                name, i, "sparse" if sparse else "dense", DTYPES[element], shape, defines
            )
            for i, (name, shape, sparse, element, _, defines) in enumerate(self._data.streams)
        ]
        self._sweep_samples = 0

    def _order(self, share: Share) -> _sheaf.OrderOptions:
        config = self._config
        size, workers, worker = share
        is_rest = size >= FULL_DATA_SWEEP
        window = config.randomization_window_in_chunks
        samples = config.randomization_window_in_samples
        if config.is_single_sweep or config.max_samples >= FULL_DATA_SWEEP:
            limit = 0
        else:
            limit = min(config.max_samples, _COUNT_MAX // 4)
        sweeps = 1 if config.is_single_sweep else config.max_sweeps
        return _sheaf.OrderOptions(
            minibatch_size=min(size, _COUNT_MAX),
            counts_sequences=False,
            sweeps=0 if sweeps > _COUNT_MAX // 4 else max(sweeps, 1),
            epoch_size=limit,
            rank=worker,
            world_size=workers,
            order="cntk" if config.is_randomized else "file",
            seed=config.randomization_seed,
            window=min(window, _COUNT_MAX) or None,
            window_samples=min(samples, _COUNT_MAX) or None,
            sweep_ends="cut" if is_rest else "cross",
            timeline="local",
            balance="cost",
            batching="plain",
            split_frames=False,
            truncation_length=config.truncation_length,
        )

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
        self._ordered = self._data.reordered(self._order(share))
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
