"""CNTK's names for formats and their options: all that this package knows of formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Option = tuple[str, Callable[[Any], object]]  # of a spec: its name, and how a value is converted


@dataclass(frozen=True)
class Format:
    """A format that CNTK has a deserializer for."""

    name: str  # in a spec
    declares_streams: bool  # shapes and keys come from the program, not from the file
    options: Mapping[str, Option | None]  # CNTK's name -> the spec's; None: without effect
    always: dict[str, object] = field(default_factory=dict)  # options of every spec


_SHARED: dict[str, Option | None] = {
    "missingStreams": ("missing_streams", str),
    "sameKeys": ("same_keys", str),
    "chunkSizeInBytes": ("chunk_size", int),
    "cacheIndex": ("index", lambda value: "auto" if value else "off"),
}
_TEXT = {"compatibility": ("compatibility", str), "skipSequenceIds": ("skip_sequence_ids", bool)}

FORMATS = {
    "CNTKTextFormatDeserializer": Format("ctf", True, {**_SHARED, **_TEXT}),
    "CNTKBinaryFormatDeserializer": Format(
        "cbf", False, {**_SHARED, **dict.fromkeys(_TEXT)}, {"compatibility": "cntk"}
    ),
}
