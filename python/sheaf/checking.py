"""Finds everything that is wrong with data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources, plan_whole
from ._options.streams import Streams
from ._options.values import whole
from .data import Data, opened
from .errors import ConfigError, Diagnostic


@dataclass(frozen=True)
class LengthDifference:
    """The sequences that have fewer samples in a stream than in their longest stream."""

    stream: str
    sequences: int
    largest: int  # how many samples are missing at most
    by_size: dict[int, int]  # sequences that lack 1, 2, 3 to 4, 5 to 8, ... samples: {1: 9, 4: 2}


@dataclass(frozen=True)
class CheckReport:
    """The result of ``sheaf.check``. It is true if nothing is wrong; warnings are not errors."""

    sequences: int  # without errors
    samples: int  # of these sequences
    holes: int  # sequences that would be left out because something in them is wrong
    error_count: int  # the number of errors
    warning_count: int  # the number of warnings
    errors: list[Diagnostic]  # the first of each, in the order of the file
    warnings: list[Diagnostic]
    errors_by_code: dict[str, int] = field(default_factory=dict)  # "ctf-number" -> how many errors
    warnings_by_code: dict[str, int] = field(default_factory=dict)
    length_differences: list[LengthDifference] = field(default_factory=list)
    part: str = field(default="", repr=False)  # of a part of data, for ``merge_reports``

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
    """Read data to their end and report everything that is wrong, as ``sheaf check`` does.

    path      a path, a pattern, several of them, or the result of ``sheaf.open``; None with
              ``config=``
    limit     how many errors, and how many warnings, the report describes, or "all". 0 also
              means "all". The report counts every error and every warning
    streams, options  those of ``sheaf.open``

    Bad data raise no error: the report lists them. The GIL is free during the call.

    Raises ConfigError and IoError.
    """
    kept = whole("limit", limit, ("all", 0))
    if kept < 0:
        raise ConfigError(f"limit is at least 0: got {limit}")
    if hasattr(path, "_opened"):
        found = _sheaf.check(opened(path, streams, dict(options)), kept)
    else:
        planned = plan_whole({"path": path, "streams": streams, **options})
        found = _sheaf.check_plan(planned.plan, kept, **planned.operation)
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
        length_differences=[LengthDifference(*each) for each in found["length_differences"]],
        part=found["part"],
    )


def report_of_json(text: str) -> CheckReport:
    """Return the report that ``sheaf check --json`` prints."""
    found = json.loads(text)
    return CheckReport(
        sequences=found["sequences"],
        samples=found["samples"],
        holes=found["holes"],
        error_count=found["places"],
        warning_count=found["warning_places"],
        errors=[_diagnostic(each) for each in found["diagnostics"]],
        warnings=[_diagnostic(each) for each in found["warnings"]],
        errors_by_code=_counts(found["by_code"]),
        warnings_by_code=_counts(found["warnings_by_code"]),
        length_differences=[
            LengthDifference(
                stream=each["stream"],
                sequences=each["sequences"],
                largest=each["largest"],
                by_size={int(size): count for size, count in each["by_size"].items()},
            )
            for each in found["length_differences"]
        ],
    )


def _diagnostic(found: Mapping[str, Any]) -> Diagnostic:
    return Diagnostic(**{each.name: found[each.name] for each in fields(Diagnostic)})


def _counts(by_code: Mapping[str, Any]) -> dict[str, int]:
    return {code: same["count"] for code, same in by_code.items()}
