"""Minibatches as tensors: a data set for torch's DataLoader, or to iterate over by itself."""

from __future__ import annotations

import threading
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, Unpack

import torch
from torch.utils.data import IterableDataset, get_worker_info

from ._options.keywords import kept, refuse_keyword, size_bytes
from ._options.options import ReaderOptions, Sources, check_options
from ._options.streams import Streams
from ._packed_rows import packed_rows
from ._sheaf import DenseBatch, Minibatch, SlabMemory
from ._texts import html_table, printable
from .errors import ConfigError
from .loaders import refuse_lost_place, refuse_second_sharding, refuse_stacking
from .reader import Reader
from .workers import Worker, asks_environment, worker

__all__ = [
    "SheafDataset",
    "epoch_callback",
    "keyed_jagged",
    "packed_rows",
    "rank_and_world_size",
    "tensors",
]

_KEYWORDS = (*ReaderOptions.__annotations__, "rank", "world_size")


def tensors(minibatch: Minibatch) -> dict[str, dict[str, torch.Tensor]]:
    """Return the streams of a minibatch, each a dict of tensors that share its memory.

    A dense stream has ``values``; a sparse one has the ``indices``, ``offsets`` and ``weights`` of
    ``SparseBatch.to_bags()``. Both have ``lengths``, and, depending on the packing, ``mask``,
    ``sequence_offsets``, ``slots``, ``begins`` and ``presence``.
    """
    found: dict[str, dict[str, torch.Tensor]]
    found = minibatch._tensors(torch.from_dlpack)  # type: ignore[operator]  # not in the stubs
    return found


def keyed_jagged(minibatch: Minibatch, streams: Iterable[str] | None = None) -> dict[str, Any]:
    """Return sparse streams for TorchRec: ``KeyedJaggedTensor(**keyed_jagged(minibatch))``.

    Each sample is one example. The streams, by default all sparse ones, must have equal numbers of
    samples. ``keys`` are the names of the streams. ``values`` are the indices and ``weights`` their
    values, one stream after the other. ``lengths`` is the number of indices of each sample.

    Raises ConfigError for unequal numbers of samples.
    """
    if streams is None:
        streams = [name for name, b in minibatch.items() if not isinstance(b, DenseBatch)]
    batches = {name: minibatch[name] for name in streams}
    rows = {name: batch.shape[0] for name, batch in batches.items()}
    if len(set(rows.values())) > 1:
        raise ConfigError(f"keyed_jagged: the streams have different numbers of rows: {rows}")
    bags = [batch.to_bags() for batch in batches.values()]
    return {
        "keys": list(batches),
        "values": torch.cat([indices for indices, _, _ in bags]),
        "weights": torch.cat([weights for _, _, weights in bags]),
        "lengths": torch.cat([offsets.diff() for _, offsets, _ in bags]),
    }


def rank_and_world_size() -> tuple[int, int]:
    """Return the index and count that ``sheaf.worker()`` finds; it asks torch.distributed first.

    Raises ConfigError if the environment does not tell which process this is.
    """
    found = _found_worker()
    return found.worker_index, found.worker_count


def _found_worker() -> Worker:
    try:
        return worker()
    except ConfigError as error:
        raise ConfigError(
            f"{error}. Without a process group, the environment tells the share: use the data set "
            "after init_process_group() (Lightning calls it in fit()), or give rank= and "
            "world_size="
        ) from None


def _group() -> tuple[int, int] | None:
    """Return rank and world size of the process group, if there is one."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return None


def _pinned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _pinned(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_pinned(each) for each in value)
    return value.pin_memory() if hasattr(value, "pin_memory") else value


_SLABS_BYTES_MAX = 1 << 30  # without a memory limit; with one, a quarter of the limit


def _has_gpu() -> bool:
    found: bool = torch.cuda.is_available()
    return found


def _page_locked(size_bytes: int) -> torch.Tensor:
    return torch.empty(size_bytes, dtype=torch.uint8, pin_memory=True)


class _Slabs:
    """Page-locked memory for packing minibatches.

    The slabs are tensors of torch, and so are the tensors cut from them: torch notes which copies
    to a GPU still read a slab, and reuses its memory only when they are done. A tensor that merely
    shares the address, such as one from DLPack, would be overwritten during a non-blocking copy.
    Each slab therefore serves once here, and torch's allocator keeps and reuses the memory.
    """

    def __init__(self, bytes_max: int) -> None:
        self.memory = _SlabMemory(bytes_max)
        self._lock = threading.Lock()  # threads may share the iterator
        self._begins: list[int] = []  # addresses, sorted
        self._is_refused = False  # the system gives no more page-locked memory

    def turn(self) -> None:
        """Return spent slabs, and add the requested slabs."""
        slabs = self.memory.slabs
        with self._lock:
            spent, size_bytes, wanted = self.memory.turn()
            for begin in spent:
                del self._begins[bisect_right(self._begins, begin) - 1], slabs[begin]
            for _ in range(0 if self._is_refused else wanted):
                try:
                    slab = _page_locked(size_bytes)
                except RuntimeError:  # arrays without a slab are copied, and that may still work
                    self._is_refused = True
                    break
                begin = slab.data_ptr()
                slabs[begin] = slab
                insort(self._begins, begin)
                self.memory.add(begin, size_bytes)

    def tensor(self, array: Any) -> torch.Tensor:
        """Return an array as a page-locked tensor; copy the array unless it lies in a slab."""
        tensor = torch.from_dlpack(array)
        address = tensor.data_ptr()
        with self._lock:
            index = bisect_right(self._begins, address) - 1
            slab = self.memory.slabs[self._begins[index]] if index >= 0 else None
        if slab is None or address >= slab.data_ptr() + slab.numel() or tensor.numel() == 0:
            pinned: torch.Tensor = _pinned(tensor)
            return pinned
        offset = (address - slab.data_ptr()) // tensor.element_size()
        empty = torch.empty(0, dtype=tensor.dtype)
        return empty.set_(slab.untyped_storage(), offset, tensor.shape, tensor.stride())


class _SlabMemory(SlabMemory):
    """Keeps the slabs alive: an array of the memory refers to this object."""

    def __init__(self, bytes_max: int) -> None:
        super().__init__(bytes_max)
        self.slabs: dict[int, torch.Tensor] = {}  # by address


class SheafDataset(IterableDataset[Any]):
    """A Reader whose minibatches come as tensors.

    Iterate over it, or give it to a DataLoader with ``batch_size=None`` and without workers: it
    reads ahead on threads of its own. A worker process would read all data again, so it raises a
    ConfigError. SheafDataset takes the keywords of a Reader, and

    collate_fn        function that turns a Minibatch into a batch; ``tensors`` by default
    pin_memory        True delivers tensors in page-locked memory if there is a GPU. Minibatches are
                      packed into this memory; what a ``collate_fn`` of your own returns is copied
    rank, world_size  by default, and with rank="env", the numbers that ``sheaf.worker()`` finds

    SheafDataset checks the options at once, and opens the data at the first use: ``iter()``,
    ``len()``, ``epoch``, a state, or ``reader``. The first use also finds rank and world size, so
    you may make the data set before the process group. If torch.distributed later reports another
    rank or world size, each use raises ConfigError.

    With ``order="keyed"``, all ranks get the same number of minibatches. Each ``iter()`` is an
    epoch. len(), epoch, set_epoch(), state_dict(), load_state_dict(), close() and ``with`` are
    those of the ``reader``, so torchdata's StatefulDataLoader keeps the state.

    You can pickle and copy a data set. The copy has the same options, stands where the original
    stands, and finds rank and world size in its own process.

    Raises ConfigError, IoError and DataError, and TypeError for an unknown option.
    """

    def __init__(
        self,
        path: Sources | None = None,
        streams: Streams | None = None,
        *,
        collate_fn: Callable[[Minibatch], Any] = tensors,
        pin_memory: bool = False,
        rank: int | Literal["env"] | None = None,
        world_size: int | None = None,
        **options: Unpack[ReaderOptions],
    ) -> None:
        if asks_environment(rank, world_size):
            rank = None  # found at the first use
        if (rank is None) != (world_size is None):
            raise ConfigError("rank and world_size go together: give both, or none")
        said: dict[str, Any] = {
            "path": path,
            "streams": streams,
            "rank": rank,
            "world_size": world_size,
            **options,
        }
        for name in options:
            if name not in _KEYWORDS:
                refuse_keyword(name, _KEYWORDS)
        self._said = {name: kept(name, value) for name, value in said.items() if value is not None}
        check_options(self._said)
        self._collate = collate_fn
        self._pin_memory = pin_memory
        self._slabs: _Slabs | None = None  # of this process, from the first iter() on
        self._start: dict[str, Any] | None = None  # the state that the reader begins with
        self._reader: Reader | None = None  # from the first use on
        self._share: tuple[int, int] | None = None  # rank and world size, found at the first use
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def reader(self) -> Reader:
        """The Reader of this process, which the first use opens."""
        refuse_second_sharding()
        with self._lock:
            if self._is_closed:
                raise ConfigError("the SheafDataset is closed")
            if self._reader is None:
                self._reader = self._open()
        self._check_share()
        return self._reader

    def _open(self) -> Reader:
        if "rank" in self._said:
            reader = Reader(**self._said)
        else:
            found = _found_worker()
            self._share = rank, world_size = found.worker_index, found.worker_count
            reader = Reader(**self._said, rank=rank, world_size=world_size)
            reader._told_by(found)
        if self._start is not None:
            reader.load_state_dict(self._start)
        return reader

    def _check_share(self) -> None:
        group = _group()
        if self._share is None or group is None or group == self._share:
            return
        raise ConfigError(
            "SheafDataset: its first use found rank {} of {}, but torch.distributed now says rank "
            "{} of {}: use the data set (also len() and states) only after init_process_group(), "
            "or give rank= and world_size=".format(*self._share, *group)
        )

    def __iter__(self) -> Iterator[Any]:
        if get_worker_info() is not None:
            raise ConfigError(
                "SheafDataset: each worker process of a DataLoader would read all data again; use "
                "num_workers=0, since it reads ahead on threads of its own"
            )
        reader = self.reader
        try:
            self._check_callers(reader)
        except ConfigError as error:
            return _failing(error)  # Lightning hides what iter() raises behind an error of its own
        slabs = self._found_slabs()
        if slabs is None:
            return map(self._ready, reader)
        return map(partial(self._ready_in_slabs, slabs), reader._epoch_in(slabs.memory))

    def _found_slabs(self) -> _Slabs | None:
        # What collate_fn copies to a GPU by itself must not lie in a slab: see _Slabs.
        if not self._pin_memory or self._collate is not tensors or not _has_gpu():
            return None
        with self._lock:
            if self._slabs is None:
                limit = size_bytes("memory_limit", self._said.get("memory_limit", "none"))
                self._slabs = _Slabs(limit // 4 if limit else _SLABS_BYTES_MAX)
            self._slabs.turn()
            return self._slabs

    def _check_callers(self, reader: Reader) -> None:
        if self._collate is tensors or self._said.get("batch_size") != 1:
            refuse_stacking(self)
        if reader._has_end:
            untouched = reader._run is None and reader._start is None
            refuse_lost_place(reader.epoch, is_untouched=untouched)

    def _ready(self, minibatch: Minibatch) -> Any:
        if self._share is not None:
            self._check_share()
        value = self._collate(minibatch)
        return _pinned(value) if self._pin_memory and _has_gpu() else value

    def _ready_in_slabs(self, slabs: _Slabs, minibatch: Minibatch) -> Any:
        if self._share is not None:
            self._check_share()
        slabs.turn()
        return minibatch._tensors(slabs.tensor)  # type: ignore[operator]  # not in the stubs

    def __len__(self) -> int:
        return len(self.reader)

    @property
    def epoch(self) -> int:
        """See ``Reader.epoch``."""
        return self.reader.epoch

    def set_epoch(self, epoch: int) -> None:
        """See ``Reader.set_epoch``."""
        self.reader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """See ``Reader.state_dict``."""
        return self.reader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """See ``Reader.load_state_dict``."""
        self.reader.load_state_dict(state)

    def __repr__(self) -> str:
        if self._is_closed:
            return "<sheaf.torch.SheafDataset, closed>"
        if self._reader is None:
            said = ", ".join(f"{name}={value!r}" for name, value in self._said.items())
            return f"<sheaf.torch.SheafDataset, not opened yet: {said}>"
        rank, world_size = self._share or (self._said["rank"], self._said["world_size"])
        return f"<sheaf.torch.SheafDataset, rank {rank} of {world_size}: {self._reader!r}>"

    def _repr_html_(self) -> str:
        if self._reader is not None and not self._is_closed:
            return self._reader._repr_html_()
        rows = [(name, printable(str(value))) for name, value in self._said.items()]
        state = "closed" if self._is_closed else "not opened yet"
        return html_table(f"SheafDataset, {state}", ("option", "value"), rows)

    def close(self) -> None:
        """End the threads and close the files.

        Tensors stay valid. Every later use of the data set raises ConfigError.
        """
        with self._lock:
            self._is_closed = True
            self._slabs = None
            if self._reader is not None:
                self._reader.close()

    def __enter__(self) -> SheafDataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        reader = None if self._is_closed else self._reader
        if reader is not None and (reader._run is not None or reader._start is not None):
            state["_start"] = reader.state_dict()
        state["_reader"] = state["_share"] = state["_slabs"] = None
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _failing(error: ConfigError) -> Iterator[Any]:
    """Return an iterator whose first item is an error."""
    raise error
    yield


def epoch_callback(dataset: SheafDataset) -> Any:
    """Return a callback that tells the data set which epoch the Hugging Face Trainer begins.

    A Trainer that resumes in epoch 1 iterates over a new data set, and skips the batches that it
    has already trained on in that epoch. With this callback, it skips batches of epoch 1; without
    the callback, it skips batches of epoch 0.
    """
    from transformers import TrainerCallback

    class EpochCallback(TrainerCallback):
        def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if dataset.reader._has_end:
                # The Trainer adds up fractions of an epoch, which may come to 0.99999.
                dataset.set_epoch(int((state.epoch or 0) + 0.5 / len(dataset)))

    return EpochCallback()
