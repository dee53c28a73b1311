"""Index files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources, plan_whole, refuse_transforms
from ._options.streams import Streams
from ._options.values import refuse_type
from ._tables.parquet import ParquetFiles
from .errors import Diagnostic, IoError


@dataclass(frozen=True)
class IndexReport:
    """What ``sheaf.index`` counted, wrote or checked."""

    chunks: int
    sequences: int  # for joined data, the sum over the members, as for samples
    samples: int
    data_bytes: int  # of all files
    files: dict[str, int]  # the bytes of each index file, by its path
    why_unused: str  # why a later run would scan the data; "" if it would not
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0  # time to open and index the data


def index(
    path: Sources | None = None,
    streams: Streams | None = None,
    **options: Unpack[DataOptions],
) -> IndexReport:
    """Write the index file of each file, so that later runs scan nothing, as ``sheaf index`` does.

    path      a path, a pattern, or several of them; None with ``spec=`` or ``config=``
    streams, options  those of ``sheaf.open``. Here ``index`` is "rebuild" by default: scan and
              write. "require" checks the index files; "auto" does the same as a Reader

    An index depends on the options about data: a Reader with other options does not use it.
    The function creates missing folders of ``index_dir``. Formats that are their own index, such as
    CBF, have no index file. Parquet files that are read together have one index file, beside the
    first of them. The GIL is free during the call.

    Raises ConfigError, also if "require" finds no index file that fits; IoError, also if an index
    file cannot be written; DataError.
    """
    if hasattr(path, "_opened"):
        refuse_type("path", "a path or several, and no open data", path)
    said = {"path": path, "streams": streams, **options}
    refuse_transforms("index files", said)
    mode = options.get("index") or "rebuild"
    planned = plan_whole({**said, "index": mode})
    for _, index_dir in planned.declared.indexed:
        if index_dir:
            os.makedirs(index_dir, exist_ok=True)
    report = IndexReport(**_sheaf.index_data(planned.plan, mode, **planned.operation))
    for table, index_dir in planned.declared.indexed:
        report = _with_table(report, table, index_dir)
    if mode == "rebuild" and report.why_unused:
        raise IoError("\n".join([*map(str, report.warnings), report.why_unused]))
    return report


def _with_table(report: IndexReport, table: ParquetFiles, index_dir: str) -> IndexReport:
    """Return a report with the index file of a table, which the library does not look for."""
    path = _sheaf.index_file_path(table.first_path, index_dir)
    found = {path: os.path.getsize(path)} if os.path.isfile(path) else {}
    missing = "" if found else f"index: required, but {path}: there is none"
    return replace(
        report,
        data_bytes=report.data_bytes + table.stored_bytes,
        files={**report.files, **found},
        why_unused=report.why_unused or missing,
    )
