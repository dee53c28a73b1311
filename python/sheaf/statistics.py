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
    """Read data to their end and count: the object that ``sheaf stat --json`` prints.

    path        of a file, a pattern, several, or what ``sheaf.open`` gave; None with ``config=``
    duplicates  whether to look for sequences with equal content: 16 bytes of memory a sequence
    streams, options  those of ``sheaf.open``

    Sequences with wrong places are left out, and counted. The GIL is free meanwhile.

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
    """Say how good an order is and what it costs: the object that ``sheaf order --json`` prints.

    path      of a file, a pattern, several, or a Reader; None with ``spec=`` or ``config=``
    noise_of  the stream whose values an order should mix: measure noise by the first value of each
              sequence, or the first index of a sparse stream. Reads all of the data. Without it,
              the noise is that of a file sorted by what is to be learned: the worst case
    steps     how many steps to measure, however long it takes; without it, a sweep, or as much of
              it as takes some seconds
    streams, rank, world_size, options  those of ``sheaf.Reader``

    The steps of all workers are planned and measured; the data are not read, except for one
    minibatch. ``advice`` says what to change, in the words of these keywords. docs/cli.md lists the
    fields. The GIL is free meanwhile.

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
