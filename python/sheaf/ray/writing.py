"""A data set of Ray Data as a folder of shards."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow
from ray.data.block import BlockAccessor
from ray.data.datasource import Datasink

from .._options.format_list import formats
from .._options.streams import Streams, stream_table
from .._options.texts import Path, path_text
from .._options.values import whole
from .._write.conversion import Conversion, WrittenFile
from .._write.writer import file_options
from ..arrow import from_arrow
from ..errors import ConfigError, DataError, Diagnostic, IoError
from .conversion import remove_folder
from .shards import MANIFEST, WrittenShard, is_shard, sha256_of, write_manifest


class SheafDatasink(Datasink):
    """A folder of shards as a sink: ``dataset.write_datasink(SheafDatasink("train"))``.

    The keywords are those of ``sheaf.ray.write``. After the write, ``result`` is the Conversion.
    """

    def __init__(
        self,
        folder: Path,
        streams: Streams | None = None,
        *,
        key: str | None = "sequence_key",
        to_format: str = "sheaf",
        to_options: Mapping[str, object] | None = None,
        to_chunk_size_bytes: int | None = None,
        shard_sequences: int | None = None,
        overwrite: bool = False,
    ) -> None:
        self.result: Conversion | None = None
        self._folder = os.path.join(os.getcwd(), path_text(folder))
        self._hidden = os.path.join(self._folder, f".shards-{uuid.uuid4().hex}")
        self._extension = _extension(to_format)
        file_options(to_format, to_options, to_chunk_size_bytes)  # refuses sizes that cannot be
        self._settings: dict[str, Any] = {
            "streams": stream_table(streams) or None,
            "key": key,
            "to_format": to_format,
            "to_options": None if to_options is None else dict(to_options),
            "to_chunk_size_bytes": to_chunk_size_bytes,
        }
        if shard_sequences is not None and whole("shard_sequences", shard_sequences) < 1:
            raise ConfigError(f"shard_sequences is at least 1: got {shard_sequences}")
        self._shard_sequences = shard_sequences
        self._overwrite = overwrite
        self._named: list[str] = []  # shards that have their last name
        self._moved: list[str] = []  # the list and shards of an earlier write, in the hidden folder
        self._refuse_earlier()

    def get_name(self) -> str:
        """Return the name that Ray shows."""
        return "Sheaf"

    @property
    def min_rows_per_write(self) -> int | None:
        """Return how many rows a task gets at least."""
        return self._shard_sequences

    def on_write_start(self, schema: Any = None) -> None:
        """Make the hidden folder, in which tasks write."""
        self._refuse_earlier()
        try:
            os.makedirs(self._folder, exist_ok=True)
            os.mkdir(self._hidden)
        except OSError as error:
            raise IoError(f"{self._hidden}: cannot make the folder: {error.strerror}") from None

    def write(self, blocks: Iterable[Any], ctx: Any) -> WrittenShard | None:
        """Write the rows of a task to a file of its own; None if there are no rows."""
        tables = (BlockAccessor.for_block(block).to_arrow() for block in blocks)
        filled = (table for table in tables if table.num_rows > 0)
        first = next(filled, None)
        if first is None:
            return None
        attempt = f"{ctx.task_idx:05d}-{uuid.uuid4().hex}"  # a task may run again, or twice
        folder = os.path.join(self._hidden, attempt)
        os.mkdir(folder)
        name = f"shard{self._extension}"
        path = os.path.join(folder, name)
        rows = pyarrow.RecordBatchReader.from_batches(first.schema, _batches(first, filled))
        written = from_arrow(rows, path, overwrite=False, **self._settings)
        if os.listdir(folder) != [name]:
            raise ConfigError(
                f'to_format: "{self._settings["to_format"]}" has several files, which refer to one '
                "another by name: a shard is one file"
            )
        return WrittenShard(
            task=ctx.task_idx,
            name=os.path.join(attempt, name),
            sequences=written.sequences,
            samples=written.samples,
            bytes=written.bytes,
            sha256=sha256_of(path),
            warnings=written.warnings,
        )

    def on_write_complete(self, write_result: Any) -> None:
        """Give all shards their names, and list the shards."""
        shards = sorted(
            (each for each in write_result.write_returns if each is not None),
            key=lambda shard: shard.task,
        )
        self._check(shards, int(write_result.num_rows))
        self._refuse_earlier()
        for name in self._earlier():
            os.rename(self._path(name), os.path.join(self._hidden, name))
            self._moved.append(name)
        files = [self._named_file(number, shards) for number in range(len(shards))]
        result = Conversion(
            path=self._folder,
            bytes=sum(file.bytes for file in files),
            sequences=sum(file.sequences for file in files),
            samples=sum(file.samples for file in files),
            warnings=[
                self._moved_warning(warning, shard, file)
                for shard, file in zip(shards, files, strict=True)
                for warning in shard.warnings
            ],
            files=files,
        )
        unfinished = os.path.join(self._hidden, f"new-{MANIFEST}")
        write_manifest(unfinished, self._settings["to_format"], files, shards)
        os.rename(unfinished, self._path(MANIFEST))
        self._named.clear()
        self._moved.clear()
        remove_folder(self._hidden)
        self.result = result

    def on_write_failed(self, error: BaseException) -> None:
        """Remove all files of this write, and give earlier shards their names back."""
        for path in self._named:
            os.unlink(path)
        self._named.clear()
        for name in reversed(self._moved):  # the list comes last
            os.rename(os.path.join(self._hidden, name), self._path(name))
        self._moved.clear()
        remove_folder(self._hidden)

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _named_file(self, number: int, shards: list[WrittenShard]) -> WrittenFile:
        """Give a shard its name."""
        shard = shards[number]
        path = self._path(f"shard-{number:05d}-of-{len(shards):05d}{self._extension}")
        os.rename(os.path.join(self._hidden, shard.name), path)
        self._named.append(path)
        return WrittenFile(path, shard.bytes, shard.sequences, shard.samples)

    def _moved_warning(
        self, warning: Diagnostic, shard: WrittenShard, file: WrittenFile
    ) -> Diagnostic:
        """Return a warning that names a file by its last name."""
        earlier = os.path.join(self._hidden, shard.name)
        return replace(warning, path=file.path, text=warning.text.replace(earlier, file.path))

    def _check(self, shards: list[WrittenShard], row_count: int) -> None:
        if not shards:
            raise DataError(f"{self._folder}: there is no sequence to write")
        for shard in shards:
            path = os.path.join(self._hidden, shard.name)
            if not os.path.isfile(path) or os.path.getsize(path) != shard.bytes:
                raise IoError(
                    f"{path}: expected a file of {shard.bytes} bytes that a task wrote: all "
                    "machines must see the same folder"
                )
        found = sum(shard.sequences for shard in shards)
        if found != row_count:
            raise IoError(f"{self._folder}: tasks wrote {found} sequences of {row_count} rows")

    def _earlier(self) -> list[str]:
        """Return the list and the shards of an earlier write, the list first."""
        if not os.path.isdir(self._folder):
            return []
        names = sorted(os.listdir(self._folder))
        listed = [name for name in names if name == MANIFEST]
        return listed + [name for name in names if is_shard(name)]

    def _refuse_earlier(self) -> None:
        earlier = self._earlier()
        if earlier and not self._overwrite:
            raise ConfigError(
                f"{self._folder}: has {earlier[0]} already; overwrite=True replaces all shards"
            )


def write(
    dataset: Any,
    folder: Path,
    streams: Streams | None = None,
    *,
    key: str | None = "sequence_key",
    to_format: str = "sheaf",
    to_options: Mapping[str, object] | None = None,
    to_chunk_size_bytes: int | None = None,
    shard_sequences: int | None = None,
    concurrency: int | None = None,
    overwrite: bool = False,
) -> Conversion:
    """Write the rows of a ``ray.data.Dataset`` to a folder: a shard for each task.

        sheaf.ray.write(dataset, "train")

    writes train/shard-00000-of-00012.sheaf and so on, and last the list train/shards.json with the
    names, sequences, samples, bytes and SHA-256 of all shards. Until then the folder has a hidden
    folder only. An error leaves nothing of the write behind.

    dataset          a ``ray.data.Dataset``, whose columns ``sheaf.from_arrow`` can write, such as
                     the columns of ``sheaf.ray.read``
    folder           where the shards are written. All machines must see the folder
    streams, key, to_options, to_chunk_size_bytes  those of ``sheaf.from_arrow``
    to_format        one of sheaf.formats()
    shard_sequences  how many sequences a shard has at least, except for the last one; without it,
                     a shard has the rows that Ray gives a task
    concurrency      how many tasks run at once, at most; without it, Ray decides
    overwrite        True replaces the list and all shards of an earlier write; without it, such a
                     folder is a ConfigError

    A task that runs again writes the same bytes if the data set delivers the same rows. Shards are
    in the order of the rows if ``preserve_order`` of the execution options of Ray Data is True.

    Raises ConfigError, IoError, DataError. Tasks raise the exceptions of Ray Data.
    """
    sink = SheafDatasink(
        folder,
        streams,
        key=key,
        to_format=to_format,
        to_options=to_options,
        to_chunk_size_bytes=to_chunk_size_bytes,
        shard_sequences=shard_sequences,
        overwrite=overwrite,
    )
    try:
        dataset.write_datasink(sink, concurrency=concurrency)
    except BaseException as error:
        sink.on_write_failed(error)  # which Ray does not call after Ctrl-C
        raise
    if sink.result is None:
        raise DataError(f"{path_text(folder)}: there is no sequence to write")
    return sink.result


def _extension(format_name: str) -> str:
    """Return the extension of files of a format."""
    writable = {each.name: each for each in formats() if each.is_writable}
    if format_name not in writable:
        raise ConfigError(f"to_format: expected one of {', '.join(writable)}: got {format_name!r}")
    return f".{writable[format_name].extensions[0]}"


def _batches(first: Any, others: Iterable[Any]) -> Iterator[Any]:
    """Return the record batches of tables, all with the schema of the first table."""
    yield from first.to_batches()
    for table in others:
        yield from table.select(first.column_names).cast(first.schema).to_batches()
