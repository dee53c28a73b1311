"""Index files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources, plan_whole, refuse_transforms
from ._options.streams import Streams
from ._options.values import refuse_type
from .errors import Diagnostic, IoError


@dataclass(frozen=True)
class IndexReport:
    """What ``sheaf.index`` counted, wrote or checked."""

    chunks: int
    sequences: int  # of joined data, the sum over the members; the same for samples
    samples: int
    data_bytes: int  # of all files
    files: dict[str, int]  # the bytes of each index file, by its path
    why_unused: str  # why a later run would scan the data; "" where it would not
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0  # opening and indexing took


def index(
    path: Sources | None = None,
    streams: Streams | None = None,
    **options: Unpack[DataOptions],
) -> IndexReport:
    """Write the index file of each file, so that later runs scan nothing, as ``sheaf index`` does.

    path      of a file, a pattern, or several; None with ``spec=`` or ``config=``
    streams, options  those of ``sheaf.open``. Here ``index`` is "rebuild" unless told: scan and
              write; "require": check the index files; "auto": do what a Reader does

    An index depends on the options about data: a Reader with other options does not use it.
    Missing folders of ``index_dir`` are made. Formats that are their own index, as CBF is, have no
    index file. The GIL is free meanwhile.

    Raises ConfigError, also where "require" finds no index file that fits; IoError, also where an
    index file cannot be written; DataError.
    """
    if hasattr(path, "_opened"):
        refuse_type("path", "a path or several, and no open data", path)
    said = {"path": path, "streams": streams, **options}
    refuse_transforms("index files", said)
    mode = options.get("index") or "rebuild"
    planned = plan_whole({**said, "index": mode})
    report = IndexReport(**_sheaf.index_data(planned.plan, mode, **planned.operation))
    if mode == "rebuild" and report.why_unused:
        raise IoError("\n".join([*map(str, report.warnings), report.why_unused]))
    return report
