"""Puts the parts of divided work together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, overload

from .. import _sheaf
from .._options.keywords import understood
from .._options.texts import Path, path_text
from .._options.values import refuse_type
from ..checking import CheckReport, report_of_json
from .conversion import Conversion, conversion_of
from .writer import check_target


def merge(
    target: Path,
    parts: Iterable[Path],
    *,
    to_format: str | None = None,
    overwrite: bool = False,
    num_threads: int | str | None = None,
    memory_limit: int | str | None = None,
) -> Conversion:
    """Join parts to the file that one ``sheaf.convert`` writes, with the same bytes.

    target     the file. Its extension tells the format; without an extension, the target gets the
               format that the conversions named. A target of another format than theirs gets the
               default options of its format
    parts      the files that ``sheaf.convert(..., part=(i, n))`` wrote, all n, in any order
    to_format  one of sheaf.formats(), if the extension of the target does not tell it
    overwrite  True replaces an existing target; by default that is a ConfigError
    num_threads, memory_limit  those of ``sheaf.open``

    Each part knows its number, its data and its options. A part that is missing, comes twice or
    belongs to another conversion is a ConfigError. The GIL is free during the call.

    Raises ConfigError, IoError, DataError.
    """
    path = path_text(target)
    if isinstance(parts, (str, bytes)) or hasattr(parts, "__fspath__"):
        refuse_type("parts", "a list of paths", parts)
    paths = [path_text(part) for part in parts]
    check_target(path, paths, overwrite)
    sizes = {"num_threads": num_threads, "memory_limit": memory_limit}
    said = understood({name: value for name, value in sizes.items() if value is not None})
    limits = (said.get("num_threads", 0), said.get("memory_limit", 0))
    return conversion_of(path, _sheaf.merge(path, paths, to_format or "", overwrite, *limits))


@overload
def merge_reports(reports: Sequence[CheckReport]) -> CheckReport: ...
@overload
def merge_reports(reports: Sequence[dict[str, Any]]) -> dict[str, Any]: ...
def merge_reports(
    reports: Sequence[CheckReport] | Sequence[dict[str, Any]],
) -> CheckReport | dict[str, Any]:
    """Return the report on all data, from the reports on all their parts.

    reports  the results of ``sheaf.check(..., part=(i, n))`` or of ``sheaf.stat`` for each of the n
             parts, in any order

    The result equals the report of ``sheaf.check`` or ``sheaf.stat`` on the whole data. Raises
    ConfigError unless the reports are those of all parts of the same data, each once.
    """
    texts = []
    for report in reports:
        if isinstance(report, CheckReport):
            texts.append(report.part or "{}")
        else:
            texts.append(json.dumps(report))
    merged = _sheaf.merge_reports(texts)
    if isinstance(reports[0], CheckReport):
        return report_of_json(merged)
    found: dict[str, Any] = json.loads(merged)
    return found
