"""Data and orders in numbers."""

from __future__ import annotations

import json
import time
from typing import Any, Literal, Unpack

from . import _sheaf
from ._options.options import DataOptions, ReaderOptions, Sources
from ._options.streams import Streams
from ._options.texts import encodable
from ._options.values import refuse_type, whole
from .data import Data, opened
from .errors import ConfigError
from .reader import Reader


def stat(
    path: Sources | Data | None = None,
    streams: Streams | None = None,
    *,
    duplicates: bool = True,
    **options: Unpack[DataOptions],
) -> dict[str, Any]:
    """Read data to their end and return the statistics that ``sheaf stat --json`` prints.

    path        a path, a pattern, several of them, or the result of ``sheaf.open``; None with
                ``config=``
    duplicates  whether to look for sequences with equal content, which takes 16 bytes of memory a
                sequence
    streams, options  those of ``sheaf.open``

    The statistics leave out sequences with errors, and count them. The GIL is free during the call.

    Raises ConfigError, IoError, DataError.
    """
    data = opened(path, streams, dict(options))
    report: dict[str, Any] = json.loads(_sheaf.stat_json(data, ", ".join(data.files), duplicates))
    return report


def order(
    path: Sources | Reader | None = None,
    streams: Streams | None = None,
    *,
    noise_of: str | None = None,
    steps: int | None = None,
    rank: int | Literal["env"] | None = None,
    world_size: int | None = None,
    **options: Unpack[ReaderOptions],
) -> dict[str, Any]:
    """Return the quality and the cost of an order: the object that ``sheaf order --json`` prints.

    path      a path, a pattern, several of them, or a Reader; None with ``spec=`` or ``config=``
    noise_of  the stream whose values the order should mix. The noise is then that of the first
              value of each sequence, or of the first index of a sparse stream, and the call reads
              all data. Without noise_of, the call assumes the worst case: a file sorted by the
              values to learn
    steps     how many steps to measure, however long it takes; by default a sweep, or the part of a
              sweep that takes some seconds
    streams, rank, world_size, options  those of ``sheaf.Reader``

    The call plans and measures the steps of all workers, and reads no data, except for one
    minibatch. ``advice`` suggests changes in the words of these keywords. docs/cli.md lists the
    fields. The GIL is free during the call.

    Raises ConfigError, IoError, DataError.
    """
    if steps is not None and whole("steps", steps) < 1:
        raise ConfigError(f"steps is at least 1: got {steps}")
    if noise_of is not None and not isinstance(noise_of, str):
        refuse_type("noise_of", "the name of a stream", noise_of)
    if isinstance(path, Data):
        refuse_type("path", "a path, several, or a Reader, which has an order", path)
    start = time.perf_counter()
    if isinstance(path, Reader):
        said = {**options, "rank": rank, "world_size": world_size}
        data = opened(path, streams, said)
        reader = path
    else:
        reader = Reader(path, streams, rank=rank, world_size=world_size, **options)
        data = reader._opened()
    report: dict[str, Any] = json.loads(
        _sheaf.order_json(
            data,
            ", ".join(data.files),
            encodable("noise_of", noise_of or ""),
            steps or 0,
            time.perf_counter() - start,
            reader._worker["worker_source"] or "",
        )
    )
    return report
