"""Tasks of Ray: started together, and ended together if one of them fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from ..errors import Error

_END_SECONDS = 60  # that canceled tasks have to end
_PARTS_PER_CPU = 4  # so that a slow part at the end costs little


def default_parts(chunks: int, num_cpus: float) -> int:
    """Return a number of parts that keeps all processors of the cluster busy."""
    if not ray.is_initialized():
        ray.init()
    at_once = ray.cluster_resources().get("CPU", 1) / max(num_cpus, 1)
    return int(max(1, min(chunks, _PARTS_PER_CPU * at_once)))


def run_all(
    function: Callable[..., Any],
    arguments: list[tuple[Any, ...]],
    num_cpus: float,
    max_retries: int,
) -> list[Any]:
    """Call a function in a task for each item of ``arguments``; return the results in order.

    Ray runs a task again if its worker died. The first exception of a task cancels all other tasks.
    """
    remote = ray.remote(function).options(num_cpus=num_cpus, max_retries=max_retries)
    tasks = [remote.remote(*each) for each in arguments]
    waiting = list(tasks)
    try:
        while waiting:
            done, waiting = ray.wait(waiting)
            ray.get(done)
        return list(ray.get(tasks))
    except RayTaskError as error:
        raise error.cause if isinstance(error.cause, Error) else error from None
    finally:
        for task in waiting:
            ray.cancel(task, force=True)
        if waiting:
            ray.wait(waiting, num_returns=len(waiting), timeout=_END_SECONDS)


def run_until_done(
    function: Callable[..., Any], arguments: tuple[Any, ...], num_cpus: float, max_retries: int
) -> Any:
    """Call a function in a task until no worker dies.

    The last argument of the function tells whether the call is a repetition.
    """
    attempt = 0
    while True:
        try:
            return run_all(function, [(*arguments, attempt > 0)], num_cpus, 0)[0]
        except RayTaskError:
            raise
        except RayError:
            if attempt == max_retries:
                raise
        attempt += 1
