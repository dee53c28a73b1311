"""What is wrong with data, all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources
from ._options.streams import Streams
from ._options.values import whole
from .data import Data, opened
from .errors import ConfigError, DataError, Diagnostic


@dataclass(frozen=True)
class CheckReport:
    """What ``sheaf.check`` found. It is true where nothing is wrong; warnings are no errors."""

    sequences: int  # good ones
    samples: int  # of these
    holes: int  # sequences that would be left out because something in them is wrong
    error_count: int  # wrong places
    warning_count: int  # places worth a warning
    errors: list[Diagnostic]  # the first of each, in the order of the file
    warnings: list[Diagnostic]
    errors_by_code: dict[str, int] = field(default_factory=dict)  # "ctf-number" -> places
    warnings_by_code: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.error_count == 0

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The errors, then the warnings."""
        return self.errors + self.warnings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [str(diagnostic) for diagnostic in self.diagnostics]
        lines.append(
            f"sequences {self.sequences}, samples {self.samples}; left out {self.holes}, "
            f"wrong places {self.error_count}, warnings {self.warning_count}"
        )
        return "\n".join(lines)


def check(
    path: Sources | Data | None = None,
    streams: Streams | None = None,
    *,
    limit: int | Literal["all"] = 100,
    **options: Unpack[DataOptions],
) -> CheckReport:
    """Read data to their end and say all that is wrong with them, as ``sheaf check`` does.

    path      of a file, a pattern, several, or what ``sheaf.open`` gave; None with ``config=``
    limit     how many wrong places, and how many places worth a warning, the report keeps, or
              "all"; 0 also means "all". The report counts every place
    streams, options  those of ``sheaf.open``

    Bad data raise nothing: the report has them. Raises ConfigError and IoError. The GIL is free
    meanwhile.
    """
    kept = whole("limit", limit, ("all", 0))
    if kept < 0:
        raise ConfigError(f"limit is at least 0: got {limit}")
    try:
        found = _sheaf.check(opened(path, streams, dict(options)), kept)
    except DataError as error:  # the data could not even be opened
        found = _unopened(error.diagnostics, kept)
    return CheckReport(
        sequences=found["sequences"],
        samples=found["samples"],
        holes=found["holes"],
        error_count=found["errors"]["count"],
        warning_count=found["warnings"]["count"],
        errors=found["errors"]["first"],
        warnings=found["warnings"]["first"],
        errors_by_code=found["errors"]["by_code"],
        warnings_by_code=found["warnings"]["by_code"],
    )


def _unopened(diagnostics: list[Diagnostic], limit: int) -> dict[str, Any]:
    found: dict[str, Any] = {"sequences": 0, "samples": 0, "holes": 0}
    for kind in ("errors", "warnings"):
        places = [
            each for each in diagnostics if (each.severity == "warning") == (kind != "errors")
        ]
        by_code: dict[str, int] = {}
        for each in places:
            by_code[each.code] = by_code.get(each.code, 0) + 1
        found[kind] = {
            "count": len(places),
            "first": places[: limit or None],
            "by_code": by_code,
        }
    return found
