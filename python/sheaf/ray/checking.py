"""Checks by the tasks of a cluster."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from .. import checking, merge_reports
from .._options.options import DataOptions, Sources
from .._options.streams import Streams
from ..checking import CheckReport
from .options import checked_parts, chunks_and_files, for_tasks, task_options
from .tasks import default_parts, run_all


def check(
    source: Sources | None = None,
    streams: Streams | None = None,
    *,
    parts: int | None = None,
    num_cpus: float = 1,
    max_retries: int = 3,
    limit: int | Literal["all"] = 100,
    **options: Unpack[DataOptions],
) -> CheckReport:
    """Say all that is wrong with data, as ``sheaf.check`` does, with the tasks of a cluster.

    parts        number of tasks; without it, up to four for each processor of the cluster
    num_cpus     processors of a task, which also has so many threads
    max_retries  how often Ray runs a task again whose worker died
    source, streams, limit, options  those of ``sheaf.check``

    The report equals the report of one process for any number of parts. Its paths are absolute.

    Raises ConfigError and IoError.
    """
    count = checked_parts(parts)
    said = task_options({"path": source, "streams": streams, **options})
    chunks, _ = chunks_and_files(said)
    count = count or default_parts(chunks, num_cpus)
    sent = {**for_tasks(said, num_cpus), "limit": limit}
    calls = [(sent, number, count) for number in range(count)]
    reports: list[CheckReport] = run_all(check_part, calls, num_cpus, max_retries)
    return merge_reports(reports)


def check_part(said: dict[str, Any], number: int, count: int) -> CheckReport:
    """Check one part of data."""
    return checking.check(**said, part=(number, count))
