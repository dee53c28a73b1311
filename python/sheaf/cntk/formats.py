"""CNTK's names for formats and their settings, from the library's table of formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _sheaf

Option = tuple[str, Callable[[Any], object]]  # of a spec: its name, and how a value is converted


@dataclass(frozen=True)
class SpeechStream:
    """CNTK's description of the one stream of a deserializer for speech, which names the files."""

    files: tuple[str, ...]  # the stream has one of these settings
    dims: tuple[str, ...]  # the first existing one counts; none: the stream has no dim
    options: Mapping[str, Option | None]
    fixed: Mapping[str, str]  # options of the format that always apply
    is_sparse: bool
    may_be_first: bool
    has_parts: bool  # whether frame mode and truncated sequences work
    makes_text_keys: bool
    has_context: bool


@dataclass(frozen=True)
class Format:
    """A format with a deserializer in CNTK."""

    name: str  # in a spec
    declares_streams: bool  # shapes come from the program, not from the file
    keeps_keys: bool
    tolerates_errors: bool
    options: Mapping[str, Option | None]  # CNTK's name -> the spec's; None: without effect
    always: dict[str, object] = field(default_factory=dict)  # options of every spec
    stream: SpeechStream | None = None
    has_images: bool = False


def _option(kind: str, option: str, if_true: str, if_false: str) -> Option | None:
    if kind == "whole":
        return option, int
    if kind in ("text", "path"):
        return option, str
    if kind == "truth" and if_true:
        return option, lambda value: if_true if value else if_false
    return (option, bool) if kind == "truth" else None


def _speech_stream(row: Mapping[str, Any]) -> SpeechStream:
    return SpeechStream(
        files=tuple(row["files"]),
        dims=tuple(row["dims"]),
        options={name: _option(kind, *how) for name, kind, *how in row["settings"]},
        fixed=dict(row["options"]),
        is_sparse=row["is_sparse"],
        may_be_first=row["may_be_first"],
        has_parts=row["has_parts"],
        makes_text_keys=row["makes_text_keys"],
        has_context=row["has_context"],
    )


def _format(row: Mapping[str, Any]) -> Format:
    options: dict[str, Option | None] = {
        "missingStreams": ("missing_streams", str),
        "sameKeys": ("same_keys", str),
        "compatibility": ("compatibility", str) if row["cntk"]["has_strict"] else None,
    }
    stream = row["cntk"]["stream"]
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
        stream=None if stream is None else _speech_stream(stream),
        has_images=row["cntk"]["has_images"],
    )


FORMATS = {
    deserializer: _format(row)
    for row in _sheaf.formats()
    if row["cntk"] is not None
    for deserializer in row["cntk"]["deserializers"]
}
