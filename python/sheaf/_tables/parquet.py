"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from .. import _sheaf
from .._options.texts import Path, path_text
from ..errors import ConfigError, DataError, IoError
from .table import Part, Table

PARQUET = "parquet"  # the word of format=
_OPEN_MAX = 8  # files that each thread keeps open
_ENDING_BYTES = 8  # behind the footer: its size, and the magic bytes


def is_parquet(path: object) -> bool:
    """Return whether a path, or a pattern of paths, names Parquet files."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    return os.fsdecode(path).lower().endswith(".parquet")


@dataclass(frozen=True)
class _File:
    path: str
    size: int
    changed: int  # when, in nanoseconds
    metadata: Any
    first: int  # number of its first row group


class ParquetFiles(Table):
    """The rows of Parquet files, one file after the other. A row group is a batch."""

    def __init__(self, paths: Path | Iterable[Path]) -> None:
        if isinstance(paths, (str, bytes, os.PathLike)):
            paths = [paths]
        self._paths = [path_text(path) for path in paths]
        self._sheaf_files: list[_File] = []
        self._sheaf_open = threading.local()

    @property
    def tells_content(self) -> bool:
        """Return True: sheaf reads the footer of a file, which tells where all values lie."""
        return True

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._sheaf_files = []
        self._sheaf_open = threading.local()

    def __repr__(self) -> str:
        return f"<sheaf: Parquet files {', '.join(self._paths)}>"

    @property
    def first_path(self) -> str:
        """The path of the file that the index file of the table lies beside."""
        return self._sheaf_files[0].path

    @property
    def stored_bytes(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self._sheaf_files)

    def batches(self) -> Iterable[int]:
        return [count for part in self._parts() for count in part.rows]

    def give(self, *said: Any) -> None:
        _parquet()  # is imported here, since pyarrow must not be first on a thread that ends
        super().give(*said)

    def _parts(self) -> Iterator[Part]:
        files: list[_File] = []
        parts = []
        first = 0
        for path in _found(self._paths):
            file, part = _described(path, first)
            files.append(file)
            parts.append(part)
            first += len(part.rows)
        self._sheaf_files = files
        yield from parts

    def read(self, batch: int, columns: Sequence[str]) -> Any:
        file = self._file_of(batch)
        group = batch - file.first
        opened = self._opened(file)
        try:
            table = opened.read_row_group(group, columns=list(columns), use_threads=False)
        except OSError as error:
            if error.errno is not None:
                raise IoError(f"{file.path}: {error.strerror or error}") from error
            self._damaged_group(file, group, error)  # what a codec says has no number
        except ValueError as error:
            self._damaged_group(file, group, error)
        batches = table.combine_chunks().to_batches()
        if not batches:
            return _pyarrow().RecordBatch.from_pylist([], schema=table.schema)
        if len(batches) > 1:
            raise ConfigError(
                f"{file.path}: row group {group}: texts of more than 2 GiB: write smaller row "
                "groups"
            )
        return batches[0]

    def _damaged_group(self, file: _File, group: int, error: Exception) -> NoReturn:
        column = file.metadata.row_group(group).column(0)
        offset = column.dictionary_page_offset or column.data_page_offset
        _damaged(file.path, offset, f"the pages of row group {group}", str(error))

    def _file_of(self, batch: int) -> _File:
        behind = [file for file in self._sheaf_files if file.first <= batch]
        return behind[-1]

    def _opened(self, file: _File) -> Any:
        kept: OrderedDict[str, Any] | None = getattr(self._sheaf_open, "files", None)
        if kept is None:
            kept = self._sheaf_open.files = OrderedDict()
        opened = kept.pop(file.path, None)
        if opened is None:
            now = os.stat(file.path)
            if (now.st_size, now.st_mtime_ns) != (file.size, file.changed):
                raise IoError(f"{file.path}: the file has changed since it was opened")
            opened = _parquet().ParquetFile(file.path, metadata=file.metadata)
        kept[file.path] = opened
        if len(kept) > _OPEN_MAX:
            kept.popitem(last=False)[1].close()
        return opened


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ConfigError(
            "Parquet files are read with pyarrow: pip install 'sheaf-data[arrow]'"
        ) from error
    return pyarrow


def _parquet() -> Any:
    return _pyarrow().parquet


def _found(paths: list[str]) -> list[str]:
    """Return the files of paths and patterns."""
    import glob

    files: list[str] = []
    for path in paths:
        matches = [path] if os.path.exists(path) else sorted(glob.glob(path), key=os.fsencode)
        if not matches:
            kind = "no file has a name of this pattern" if glob.has_magic(path) else "no such file"
            raise IoError(f"{path}: {kind}")
        files += matches
    return files


def _described(path: str, first: int) -> tuple[_File, Part]:
    try:
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            footer = _footer(path, file, state.st_size)
        opened = _parquet().ParquetFile(path)
        with opened:
            metadata, schema = opened.metadata, opened.schema_arrow
    except OSError as error:
        if error.errno is not None:
            raise IoError(f"{path}: {error.strerror or error}") from error
        _damaged(path, 0, "a Parquet file that pyarrow reads", str(error))
    except DataError:
        raise  # from _footer(); a DataError is a ValueError
    except ValueError as error:
        _damaged(path, 0, "a Parquet file that pyarrow reads", str(error))
    import hashlib  # takes a while: only where there are such files

    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    fingerprint = hashlib.blake2b(footer, digest_size=16).hexdigest()
    part = Part(
        name=path,
        fingerprint=f"parquet:{state.st_size}:{fingerprint}",
        schema=schema,
        rows=[group.num_rows for group in groups],
        sizes=[group.total_byte_size for group in groups],
        nulls=_null_counts(schema, metadata, groups),
        path=path,
    )
    return _File(path, state.st_size, state.st_mtime_ns, metadata, first), part


def _null_counts(schema: Any, metadata: Any, groups: Sequence[Any]) -> list[list[int]]:
    """Return the number of nulls of each column in each row group; -1 if the footer lacks it."""
    leaves = {metadata.schema.column(i).path: i for i in range(metadata.num_columns)}
    numbers = [leaves.get(name, -1) for name in schema.names]
    nullable = [schema.field(i).nullable for i in range(len(schema))]

    def count(group: Any, leaf: int, may_be_null: bool) -> int:
        if leaf < 0:  # a column of lists or structs
            return -1
        if not may_be_null:
            return 0
        statistics = group.column(leaf).statistics
        known = statistics is not None and statistics.has_null_count
        return statistics.null_count if known else -1

    return [
        [count(group, leaf, may) for leaf, may in zip(numbers, nullable, strict=True)]
        for group in groups
    ]


def _footer(path: str, file: Any, size: int) -> bytes:
    """Return the bytes of the footer, which tell where all data lie."""
    if size < _ENDING_BYTES:
        _damaged(path, 0, "a Parquet file", f"{size} bytes")
    file.seek(size - _ENDING_BYTES)
    ending = file.read(_ENDING_BYTES)
    length = int.from_bytes(ending[:4], "little")
    if ending[4:] != b"PAR1" or length > size - _ENDING_BYTES:
        offset = size - _ENDING_BYTES
        _damaged(path, offset, "the size of a footer, and PAR1", repr(ending))
    file.seek(size - _ENDING_BYTES - length)
    footer: bytes = file.read(length)
    return footer


def _damaged(path: str, offset: int, expected: str, found: str) -> NoReturn:
    _sheaf.raise_damage(path, offset, "parquet-file", expected, found)
