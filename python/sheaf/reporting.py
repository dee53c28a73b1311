"""Data described for people."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources
from ._options.streams import Streams
from ._options.texts import Path, path_text
from .data import Data, opened
from .errors import ConfigError


@dataclass(frozen=True)
class Finding:
    """One sentence of the verdict of a report."""

    level: Literal["error", "warning", "notice", "good"]
    section: str  # the part of the report that has the numbers, such as "lengths"
    text: str
    advice: str  # what to do; empty if nothing

    def __str__(self) -> str:
        return f"{self.level}: {self.section}: {self.text} {self.advice}".rstrip()


@dataclass(frozen=True)
class Report:
    """The result of ``sheaf.report``. A notebook shows it as a page.

    json  all numbers, as ``sheaf report --json`` prints them; docs/report.md lists the fields
    """

    json: str

    @property
    def data(self) -> dict[str, Any]:
        """All numbers."""
        data: dict[str, Any] = json.loads(self.json)
        return data

    @property
    def verdict(self) -> list[Finding]:
        """The findings, the worst first."""
        return [
            Finding(each["level"], each["section"], each["text"], each.get("advice", ""))
            for each in self.data["verdict"]
        ]

    @property
    def html(self) -> str:
        """Return the page: one file that needs no network and no script."""
        return _sheaf.report_html(self.json)

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the page, or all numbers if the name of the file ends with ".json".

        The file is complete or absent. The call replaces an earlier report, and any other file only
        with ``overwrite``.

        Raises ConfigError and IoError.
        """
        _sheaf.write_report(self.json, path_text(path), overwrite)

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.verdict)

    def _repr_html_(self) -> str:
        # A frame of its own: the style of the page stays inside, and runs no script.
        return (
            f'<iframe sandbox srcdoc="{html.escape(self.html)}" '
            'style="width:100%;height:40em;border:0"></iframe>'
        )


def report(
    path: Sources | Data | None = None,
    streams: Streams | None = None,
    *,
    against: Sources | Data | None = None,
    show_values: bool = True,
    **options: Unpack[DataOptions],
) -> Report:
    """Describe data for people: errors, the cost of padding, the quality of the order.

    path         a path, a pattern, several of them, or the result of ``sheaf.open``; None with
                 ``config=``
    against      other data to compare with, such as a test set: the report shows which sequences
                 are in both, and how much lengths, values and labels differ. sheaf reads a path
                 with the same streams and options
    show_values  whether the report shows values, keys and sequences; without them it has only
                 counts and statistics
    streams, options  those of ``sheaf.open``

    The report leaves out sequences with errors, and says so. The GIL is free during the call.

    Raises ConfigError, IoError, DataError.
    """
    data = opened(path, streams, dict(options))
    other = None
    if against is not None:
        if hasattr(against, "_opened"):
            other = opened(against, None, {})
        elif hasattr(path, "_opened"):
            raise ConfigError(
                "against is a path, and the data are open already: give sheaf.open(...) as well"
            )
        else:
            other = opened(against, streams, dict(options))
    return Report(
        _sheaf.report_json(
            data,
            ", ".join(data.files),
            other,
            ", ".join(other.files) if other is not None else "",
            show_values,
        )
    )
