"""Finds the loaders that wrap a SheafDataset in a way that would lose or reshape its data.

A data set is not told who iterates over it, so the functions here look for loaders among its
callers, on the stack. They look at the methods of the loaders' own modules only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from torch.utils.data import DataLoader, IterableDataset, default_collate

from .errors import ConfigError

# The modules with loaders that shard, and the class in them that only skips batches: a Trainer that
# resumes needs it.
_SHARDING = ("accelerate.data_loader", "transformers.trainer_pt_utils")
_HARMLESS = "SkipDataLoader"
_LOADERS = ("torch.utils.data.dataloader", "torchdata.stateful_dataloader.stateful_dataloader")


def refuse_second_sharding() -> None:
    """Raise ConfigError if the caller runs inside a loader that Accelerate prepared.

    Such a loader shards or cuts batches, though each process already reads its own share. Even with
    one process it may lose data: it starts with epoch 0 where a state was loaded.
    """
    for loader in _callers(_SHARDING):
        name = type(loader).__name__
        if name != _HARMLESS:
            raise ConfigError(
                f"SheafDataset: this DataLoader was prepared by Accelerate ({name}), which would "
                "shard the data a second time or start over. Leave it out of "
                "accelerator.prepare(): prepare the model and the optimizer, iterate over the data "
                "set itself, and move each batch with "
                "accelerate.utils.send_to_device(batch, accelerator.device). With the Trainer, "
                "override get_train_dataloader()"
            )


def refuse_stacking(dataset: IterableDataset[Any]) -> None:
    """Raise ConfigError if the caller is a DataLoader that would stack whole minibatches."""
    for loader in _callers(_LOADERS):
        if not isinstance(loader, DataLoader) or loader.dataset is not dataset:
            continue
        if loader.batch_size is not None and loader.collate_fn is default_collate:
            raise ConfigError(
                "SheafDataset: this DataLoader would stack whole minibatches along one more "
                f"dimension, {loader.batch_size} at a time: make it with batch_size=None, and give "
                "the data set the batch_size"
            )


def _callers(modules: tuple[str, ...]) -> Iterator[object]:
    """Yield ``self`` of each method on the stack that one of the modules defines."""
    if not any(module in sys.modules for module in modules):
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") in modules and "self" in frame.f_locals:
            yield frame.f_locals["self"]
        frame = frame.f_back
