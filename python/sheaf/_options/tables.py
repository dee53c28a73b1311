"""Replaces Parquet files and Arrow streams in keywords by tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .._tables.in_memory import TableInMemory
from .._tables.parquet import PARQUET, ParquetFiles, is_parquet
from .._user.source import ProgramData, is_data
from .keywords import Said


def with_tables(said: Said) -> Said:
    """Return keywords with tables in place of Parquet files and Arrow streams."""
    format_name = said.get("format")
    changed = {}
    if said.get("path") is not None:
        changed["path"] = _table_or(said["path"], format_name)
    join = said.get("join")
    if isinstance(join, Mapping):
        changed["join"] = {_table_or(each, format_name): table for each, table in join.items()}
    elif join is not None and (_is_one(join) or isinstance(join, Iterable)):
        each_joined = [join] if _is_one(join) else list(join)
        changed["join"] = [_table_or(each, format_name) for each in each_joined]
    objects = said.get("objects")
    if isinstance(objects, Mapping):
        changed["objects"] = {name: table_or(each) for name, each in objects.items()}
    rest = {name: value for name, value in said.items() if (name, value) != ("format", PARQUET)}
    return {**rest, **changed}


def table_or(source: Any) -> Any:
    """Return the table for an Arrow stream, or the source itself."""
    is_stream = not isinstance(source, ProgramData) and hasattr(source, "__arrow_c_stream__")
    return TableInMemory(source) if is_stream else source


def _is_one(source: object) -> bool:
    return isinstance(source, (str, bytes, os.PathLike)) or is_data(source)


def _table_or(source: Any, format_name: str | None) -> Any:
    """Return the table for a source, or the source itself."""
    source = table_or(source)
    if isinstance(source, ProgramData):
        return source
    if format_name not in (None, PARQUET):
        return source
    if not _is_one(source):
        if not isinstance(source, Iterable):
            return source
        source = list(source)
    paths = [source] if _is_one(source) else source
    is_path = all(isinstance(path, (str, bytes, os.PathLike)) for path in paths)
    if is_path and paths and (format_name == PARQUET or all(map(is_parquet, paths))):
        return ParquetFiles(paths)
    return source
