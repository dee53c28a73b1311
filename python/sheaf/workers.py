"""Finds which worker this process is, by asking frameworks and launchers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _sheaf
from .errors import ConfigError, Diagnostic


@dataclass(frozen=True)
class Worker:
    """One of several processes that share the data, as ``sheaf.worker`` found it."""

    worker_index: int  # from 0
    worker_count: int
    source: (
        str  # where the numbers come from: "torch.distributed", or a launcher with its variables
    )
    warning: str = ""  # why the numbers may be wrong; often empty

    def __str__(self) -> str:
        return f"worker {self.worker_index} of {self.worker_count}: {self.source}"


def worker() -> Worker:
    """Return which worker this process is.

    Asks ``torch.distributed`` if there is a process group, then Ray Train inside one of its
    workers, and then the environment variables of torchrun, Horovod, OpenMPI, MPICH, Intel MPI,
    MVAPICH2, Flux, PALS, jsrun, Slurm and SageMaker. Returns worker 0 of 1 if nobody says anything.
    docs/how-to/distributed.md lists the variables.

    Raises ConfigError if variables are incomplete or malformed, or if two launchers disagree.
    """
    return _of_torch() or _of_ray() or Worker(*_sheaf.worker())


def _of_torch() -> Worker | None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return Worker(distributed.get_rank(), distributed.get_world_size(), "torch.distributed")


def _of_ray() -> Worker | None:
    train = sys.modules.get("ray.train")
    if train is None:
        return None
    try:
        context = train.get_context()
        index, count = context.get_world_rank(), context.get_world_size()
    except (AttributeError, RuntimeError, DeprecationWarning):
        return None  # the process is no worker of Ray Train; in Ray Tune, the last one is raised
    return Worker(index, count, "Ray Train") if count and count > 1 else None


def asks_environment(rank: object, world_size: object) -> bool:
    """Tell whether rank is "env". Raises ConfigError if world_size is given, too."""
    if not isinstance(rank, str) or rank != "env":
        return False
    if world_size is not None:
        raise ConfigError('rank="env" finds world_size, too: leave world_size out')
    return True


def given_worker(said: Mapping[str, Any]) -> tuple[dict[str, Any], Worker | None]:
    """Return keywords in which the worker that was found replaces ``rank="env"``.

    Raises ConfigError if nothing tells the worker, or if world_size is given, too.
    """
    if not asks_environment(said.get("rank"), said.get("world_size")):
        return dict(said), None
    try:
        found = worker()
    except ConfigError as error:
        raise ConfigError(f'rank="env": {error}') from None
    return {**said, "rank": found.worker_index, "world_size": found.worker_count}, found


def worker_warnings(found: Worker | None) -> list[Diagnostic]:
    """Return the doubts about a worker, as warnings of a Reader."""
    if found is None or not found.warning:
        return []
    return [
        Diagnostic(
            path="",
            line=0,
            column=0,
            byte_offset=-1,
            sequence_key="",
            stream="",
            code="worker-doubtful",
            expected="",
            found=found.source,
            text=found.warning,
            severity="warning",
        )
    ]
