"""CNTK's names for formats and their settings, as the library's table of formats has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _sheaf

Option = tuple[str, Callable[[Any], object]]  # of a spec: its name, and how a value is converted


@dataclass(frozen=True)
class Format:
    """A format that CNTK has a deserializer for."""

    name: str  # in a spec
    declares_streams: bool  # shapes come from the program, not from the file
    keeps_keys: bool
    tolerates_errors: bool
    options: Mapping[str, Option | None]  # CNTK's name -> the spec's; None: without effect
    always: dict[str, object] = field(default_factory=dict)  # options of every spec


def _option(kind: str, option: str, if_true: str, if_false: str) -> Option | None:
    if kind == "whole":
        return option, int
    if kind == "truth" and if_true:
        return option, lambda value: if_true if value else if_false
    return (option, bool) if kind == "truth" else None


def _format(row: Mapping[str, Any]) -> Format:
    options: dict[str, Option | None] = {
        "missingStreams": ("missing_streams", str),
        "sameKeys": ("same_keys", str),
        "compatibility": ("compatibility", str) if row["cntk"]["has_strict"] else None,
    }
    kinds = set()
    for name, kind, *how in row["cntk"]["settings"]:
        kinds.add(kind)
        options[name] = _option(kind, *how)
    return Format(
        name=row["name"],
        declares_streams=row["cntk"]["declares_streams"],
        keeps_keys=row["keeps_keys"],
        tolerates_errors="errors" in kinds,
        options=options,
        always={} if row["cntk"]["has_strict"] else {"compatibility": "cntk"},
    )


FORMATS = {
    deserializer: _format(row)
    for row in _sheaf.formats()
    if row["cntk"] is not None
    for deserializer in row["cntk"]["deserializers"]
}
