"""Finds loaders and training loops that would lose, double or reshape the data of a SheafDataset.

A data set is not told who iterates over it, so the functions here look for loaders and loops among
its callers, on the stack. They look at the methods of the frameworks' own modules only.
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
_TRAINERS = ("transformers.trainer",)
_LIGHTNING = ("pytorch_lightning.loops.fit_loop", "lightning.pytorch.loops.fit_loop")
_LOADERS = ("torch.utils.data.dataloader", "torchdata.stateful_dataloader.stateful_dataloader")


def refuse_second_sharding() -> None:
    """Raise ConfigError if the caller runs inside a loader that Accelerate prepared.

    Such a loader shards or cuts batches, though each process already reads its own share. Even with
    one process it may lose data: it starts with epoch 0 where a state was loaded.
    """
    for loader, _ in _callers(_SHARDING):
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
    for loader, _ in _callers(_LOADERS):
        if not isinstance(loader, DataLoader) or loader.dataset is not dataset:
            continue
        if loader.batch_size is not None and loader.collate_fn is default_collate:
            raise ConfigError(
                "SheafDataset: this DataLoader would stack whole minibatches along one more "
                f"dimension, {loader.batch_size} at a time: make it with batch_size=None, and give "
                "the data set the batch_size"
            )


def refuse_lost_place(epoch: int, *, is_untouched: bool) -> None:
    """Raise ConfigError if a framework resumes at a place that the data set does not have.

    ``epoch`` is that of the data set. ``is_untouched`` means that the program set no state and no
    epoch, and that the data set delivered nothing.
    """
    for loop, function in _callers(_LIGHTNING):
        if function != "setup_data" or not is_untouched or not getattr(loop, "restarting", False):
            continue
        batches = loop.epoch_loop.batch_progress.current.ready
        if batches > 0:
            raise ConfigError(
                f"SheafDataset: Lightning resumes behind batch {batches} of an epoch, but its "
                "checkpoint has no state of the data, so that batches would come twice: give it "
                "torchdata's StatefulDataLoader(dataset, batch_size=None) from the start"
            )
    if not any(getattr(loader, "skip_batches", 0) for loader, _ in _callers(_SHARDING)):
        return
    for trainer, _ in _callers(_TRAINERS):
        begun = getattr(getattr(trainer, "state", None), "epoch", None) or 0
        if begun >= epoch + 1:
            raise ConfigError(
                f"SheafDataset: the Trainer resumes in epoch {int(begun)}, but would skip batches "
                f"of epoch {epoch}, so that batches would come twice: give the Trainer "
                "callbacks=[sheaf.torch.epoch_callback(dataset)]"
            )


def _callers(modules: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """Yield ``self`` and the name of each method on the stack that one of the modules defines."""
    if not any(module in sys.modules for module in modules):
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") in modules and "self" in frame.f_locals:
            yield frame.f_locals["self"], frame.f_code.co_name
        frame = frame.f_back
