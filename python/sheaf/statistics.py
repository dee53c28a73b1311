"""Data in numbers."""

from __future__ import annotations

import json
from typing import Any, Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources
from ._options.streams import Streams
from .data import Data, opened


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
