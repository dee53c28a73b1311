"""Replaces the Parquet files of a spec by tables that the program gives."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .._tables.parquet import PARQUET, ParquetFiles, is_parquet
from .._tables.table import check_table_options
from ..errors import ConfigError
from .keywords import Said
from .streams import Stream

_OPTIONS = ("dtype", "keys", "missing_streams", "chunk_size", "index")
_REFUSED = ("skip_sequence_ids", "compatibility", "same_keys")
_KEPT = ("weight", "transforms", "part")  # beside all data, and not only beside files


@dataclass(frozen=True)
class SpecTable:
    """Parquet files of a spec, with the options beside them."""

    table: ParquetFiles
    streams: dict[str, Stream] | None  # None: all columns that can be streams
    options: Said  # by the names of keywords


def without_tables(spec: str, name: str) -> tuple[dict[str, Any], dict[str, SpecTable]]:
    """Return a spec with an object in place of Parquet files, and the files by their objects.

    ``spec`` is the JSON of a plan, so its paths are complete. Messages call the spec ``name``. The
    first result is empty if the spec has no Parquet files.
    """
    if PARQUET not in spec.lower():
        return {}, {}
    whole = json.loads(spec)
    found = list(_members(whole["data"], "data"))
    taken = {data["object"] for data, _ in found if isinstance(data.get("object"), str)}
    names = (each for i in itertools.count() if (each := f"{PARQUET}:{i}") not in taken)
    tables: dict[str, SpecTable] = {}
    for data, location in found:
        if not _is_table(data, f"{name}: {location}"):
            continue
        table = _table(data, f"{name}: {location}")
        kept = {key: data[key] for key in _KEPT if key in data}
        data.clear()
        data.update({"object": next(names), **kept})
        tables[data["object"]] = table
    return (whole, tables) if tables else ({}, {})


def _members(data: dict[str, Any], location: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield data and all their members, each with its location in the spec."""
    yield data, location
    for kind in ("concatenate", "join", "mix"):
        for i, member in enumerate(data.get(kind, ())):
            yield from _members(member, f"{location}.{kind}[{i}]")


def _is_table(data: dict[str, Any], location: str) -> bool:
    if "files" not in data:
        return False
    said = data.get("format")
    if said is not None:
        return bool(said == PARQUET)
    found = {is_parquet(path) for path in _paths(data)}
    if len(found) == 2:
        raise ConfigError(
            f"{location}.files: Parquet files and others are two members: concatenate them"
        )
    return found == {True}


def _paths(data: dict[str, Any]) -> list[str]:
    return [_text(path) for path in data["files"]]


def _table(data: dict[str, Any], location: str) -> SpecTable:
    for name in _REFUSED:
        if name in data:
            raise ConfigError(f"{location}.{name}: a table has no such option: leave it out")
    format_options = data.get("format_options", {})
    check_table_options(f"{location}.format_options", format_options)
    options: Said = {name: data[name] for name in _OPTIONS if name in data}
    options["format_options"] = {name: _text(value) for name, value in format_options.items()}
    options["index_dir"] = _text(data.get("index_dir", ""))
    streams: dict[str, Stream] = {}
    for i, said in enumerate(data.get("streams", ())):
        stream = _text(said["name"])
        if stream in streams:
            raise ConfigError(f'{location}.streams names "{stream}" twice')
        try:
            streams[stream] = _stream(said)
        except ConfigError as error:
            raise ConfigError(f"{location}.streams[{i}]: {error}") from error
    return SpecTable(ParquetFiles(_paths(data)), streams or None, options)


def _stream(said: dict[str, Any]) -> Stream:
    shape = said.get("shape")
    dim = shape[0] if shape is not None and len(shape) == 1 else None
    return Stream(
        dim=dim,
        shape=None if shape is None or dim is not None else tuple(shape),
        sparse=said.get("storage") == "sparse",
        alias=_text(said["alias"]) if "alias" in said else None,
        dtype=said.get("dtype"),
        index_dtype=said.get("index_dtype", "int32"),
        defines_minibatch_size=said.get("defines_minibatch_size", False),
    )


def _text(said: str | dict[str, str]) -> str:
    """Return a text of a spec, whose bytes may be no UTF-8."""
    return said if isinstance(said, str) else os.fsdecode(said["latin-1"].encode("latin-1"))
