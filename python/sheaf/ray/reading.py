"""Data as a data set of Ray Data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Unpack

import pyarrow
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from .._options.options import DataOptions, Sources
from .._options.streams import Streams
from .._options.values import whole
from ..arrow import to_arrow
from ..data import open
from ..errors import DataError, IoError
from .options import checked_parts, for_tasks, task_options


class SheafDatasource(Datasource):
    """Data as a source of Ray Data: ``ray.data.read_datasource(SheafDatasource("train.ctf"))``.

    The keywords are those of ``sheaf.ray.read``. A task has one thread unless ``num_threads`` says
    otherwise. The data are opened at once, which finds the streams and writes index files; only
    tasks read sequences.
    """

    def __init__(
        self,
        source: Sources | None = None,
        streams: Streams | None = None,
        *,
        parts: int | None = None,
        max_errors: int | None = None,
        **options: Unpack[DataOptions],
    ) -> None:
        super().__init__()
        self._parts = checked_parts(parts)
        threads = whole("num_threads", options.pop("num_threads", None) or 1, ("auto", 1))
        said = task_options(
            {"path": source, "streams": streams, "max_errors": max_errors, **options}
        )
        self._said = for_tasks(said, threads)
        with open(**said) as data:
            chunks = data.chunks
            self._schema = _batches(to_arrow(data)).schema
        # Where each chunk begins, and the end.
        self._rows = [0, *accumulate(chunk.sequences for chunk in chunks)]
        self._bytes = [0, *accumulate(chunk.size_bytes for chunk in chunks)]
        # Rows with wrong values may be left out, and a spec or configuration may allow that, too.
        self._counts_rows = not (said.keys() & {"max_errors", "spec", "config"})

    def get_name(self) -> str:
        """Return the name that Ray shows."""
        return "Sheaf"

    def estimate_inmemory_data_size(self) -> int:
        """Return the bytes of all chunks in the files."""
        return self._bytes[-1]

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,
    ) -> list[ReadTask]:
        """Return a task for each part, in the order of the file."""
        chunks = len(self._rows) - 1
        count = self._parts or max(1, min(parallelism, chunks))
        return [
            ReadTask(
                _reading(self._said, number, count),
                self._metadata(
                    chunks * number // count, chunks * (number + 1) // count, per_task_row_limit
                ),
                schema=self._schema,
                per_task_row_limit=per_task_row_limit,
            )
            for number in range(count)
        ]

    def _metadata(self, begin: int, end: int, limit: int | None) -> BlockMetadata:
        rows = self._rows[end] - self._rows[begin]
        size_bytes = self._bytes[end] - self._bytes[begin]
        if limit is not None and limit < rows:
            size_bytes = size_bytes * limit // rows
            rows = limit
        return BlockMetadata(
            num_rows=rows if self._counts_rows else None,
            size_bytes=size_bytes,
            exec_stats=None,
            input_files=None,
        )


def read(
    source: Sources | None = None,
    streams: Streams | None = None,
    *,
    parts: int | None = None,
    concurrency: int | None = None,
    num_cpus: float = 1,
    max_errors: int | None = None,
    **options: Unpack[DataOptions],
) -> Any:
    """Read data as a ``ray.data.Dataset``: a row for each sequence.

        dataset = sheaf.ray.read("train-*.ctf")

    Each task reads one part. Blocks are Arrow tables with the columns of ``sheaf.to_arrow``.
    A task that runs again delivers the same blocks. Rows come in the order of the files if
    ``ray.data.DataContext.get_current().execution_options.preserve_order`` is True.

    parts        number of tasks; without it, the number that Ray chooses, at most one for each
                 chunk
    concurrency  how many tasks run at once, at most; without it, Ray decides
    num_cpus     processors of a task, which also has so many threads
    max_errors   errors tolerated in each part; their sequences are left out
    source, streams, options  those of ``sheaf.open``

    To train, let each worker open a ``sheaf.Reader`` by its rank: such a run can be resumed.

    Raises ConfigError, IoError, DataError. Tasks raise the exceptions of Ray Data.
    """
    options.setdefault("num_threads", max(1, int(num_cpus)))
    datasource = SheafDatasource(source, streams, parts=parts, max_errors=max_errors, **options)
    return ray.data.read_datasource(datasource, concurrency=concurrency, num_cpus=num_cpus)


def read_part(said: dict[str, Any], number: int, count: int) -> Iterator[Any]:
    """Read one part: tables of about 16 MiB, or an empty table if the part has no sequence."""
    given = dict(said)
    batches = _batches(to_arrow(given.pop("path", None), **given, part=(number, count)))
    is_empty = True
    while (batch := _next(batches)) is not None:
        is_empty = False
        yield pyarrow.Table.from_batches([batch])
    if is_empty:
        yield batches.schema.empty_table()


def _reading(said: dict[str, Any], number: int, count: int) -> Callable[[], Iterator[Any]]:
    """Return a function for Ray, which does not take along the whole Datasource."""

    def read_sheaf() -> Iterator[Any]:
        return read_part(said, number, count)

    return read_sheaf


def _batches(stream: Any) -> Any:
    return pyarrow.RecordBatchReader.from_stream(stream)


def _next(batches: Any) -> Any:
    """Return the next batch, or None. pyarrow has exceptions of its own for a stream that fails."""
    try:
        return batches.read_next_batch()
    except StopIteration:
        return None
    except pyarrow.ArrowInvalid as error:
        raise DataError(str(error)) from None
    except OSError as error:
        raise IoError(str(error)) from None
