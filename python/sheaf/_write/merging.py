"""The parts of work that was divided, put together."""

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
    """Write the file that ``sheaf.convert`` writes in one go, of its parts, with the same bytes.

    target     the file. Its extension tells the format; without an extension, the target gets the
               format that the conversions named. A target of another format than theirs gets the
               default options of its format
    parts      the files that ``sheaf.convert(..., part=(i, n))`` wrote, all n, in any order
    to_format  one of sheaf.formats(), where the extension of the target does not tell
    overwrite  True replaces a target that exists; without it that is a ConfigError
    num_threads, memory_limit  those of ``sheaf.open``

    Each part says which part it is, of which data, and with which options: a part that is missing,
    comes twice or belongs to another conversion is a ConfigError. The GIL is free meanwhile.

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
    """Give the report of all data, from the reports of all its parts.

    reports  what ``sheaf.check(..., part=(i, n))`` gave for each of the n parts, or what
             ``sheaf.stat`` gave, in any order

    The result is the report that ``sheaf.check`` or ``sheaf.stat`` gives of the whole data. Raises
    ConfigError where the reports are not those of all parts of the same data, each once.
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
