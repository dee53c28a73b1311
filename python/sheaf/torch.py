"""Minibatches as tensors: a data set for torch's DataLoader, or to iterate over by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from ._sheaf import DenseBatch, Minibatch
from .errors import ConfigError
from .options import Sources
from .reader import Reader
from .streams import Streams

__all__ = ["SheafDataset", "keyed_jagged", "rank_and_world_size", "tensors"]

_PLACES = ("lengths", "mask", "sequence_offsets", "slots", "begins", "presence")


def tensors(minibatch: Minibatch) -> dict[str, dict[str, torch.Tensor]]:
    """The streams of a minibatch, each a dict of tensors that share its memory.

    A dense stream has ``values``; a sparse one ``indices``, ``offsets`` and ``weights``, as
    ``SparseBatch.to_bags()`` gives them. Both have ``lengths``, and, as the packing has them,
    ``mask``, ``sequence_offsets``, ``slots``, ``begins`` and ``presence``.
    """
    return {name: _stream_tensors(batch) for name, batch in minibatch.items()}


def _stream_tensors(batch: Any) -> dict[str, torch.Tensor]:
    if isinstance(batch, DenseBatch):
        found = {"values": batch.to_torch()}
    else:
        found = dict(zip(("indices", "offsets", "weights"), batch.to_bags(), strict=True))
    for name in _PLACES:
        array = getattr(batch, name)
        if array is not None:
            found[name] = torch.from_numpy(array)
    return found


def keyed_jagged(minibatch: Minibatch, streams: Iterable[str] | None = None) -> dict[str, Any]:
    """Sparse streams as TorchRec has them: ``KeyedJaggedTensor(**keyed_jagged(minibatch))``.

    A row, which is a sample, is one example; the streams, all sparse ones unless named, must have
    equally many: ConfigError otherwise. ``keys`` are the names, ``values`` the indices and
    ``weights`` what goes with them, one stream after the other, ``lengths`` how many each row has.
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
    """Those of torch.distributed; before it is set up, those that torchrun says; else (0, 1)."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


def _pinned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _pinned(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_pinned(each) for each in value)
    return value.pin_memory() if hasattr(value, "pin_memory") else value


class SheafDataset(IterableDataset[Any]):
    """A Reader whose minibatches come as tensors.

    Iterate over it, or hand it to a DataLoader with ``batch_size=None`` and no workers: it reads
    ahead on threads of its own, and a worker process would read all of the data once more, which is
    refused. Takes what a Reader takes, and

    collate_fn        what becomes of a Minibatch: ``tensors`` unless told
    pin_memory        copies tensors to page-locked memory, where there is a GPU
    rank, world_size  those of ``rank_and_world_size()`` unless told

    ``order="keyed"`` gives all ranks equally many minibatches. Each ``iter()`` is an epoch; len(),
    set_epoch(), state_dict() and load_state_dict() are the ``reader``'s, so that torchdata's
    StatefulDataLoader keeps the state.

    Raises ConfigError, IoError, DataError.
    """

    def __init__(
        self,
        path: Sources | None = None,
        streams: Streams | None = None,
        *,
        collate_fn: Callable[[Minibatch], Any] = tensors,
        pin_memory: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        **options: Any,
    ) -> None:
        if (rank is None) != (world_size is None):
            raise ConfigError("rank and world_size go together: give both, or none")
        if rank is None:
            rank, world_size = rank_and_world_size()
        self.reader = Reader(path, streams, rank=rank, world_size=world_size, **options)
        self._collate = collate_fn
        self._pins = pin_memory and torch.cuda.is_available()

    def __iter__(self) -> Iterator[Any]:
        if get_worker_info() is not None:
            raise ConfigError(
                "SheafDataset: each worker process of a DataLoader would read all data again; use "
                "num_workers=0, since it reads ahead on threads of its own"
            )
        return map(self._ready, self.reader)

    def _ready(self, minibatch: Minibatch) -> Any:
        value = self._collate(minibatch)
        return _pinned(value) if self._pins else value

    def __len__(self) -> int:
        return len(self.reader)

    def set_epoch(self, epoch: int) -> None:
        """See ``Reader.set_epoch``."""
        self.reader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """See ``Reader.state_dict``."""
        return self.reader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """See ``Reader.load_state_dict``."""
        self.reader.load_state_dict(state)
