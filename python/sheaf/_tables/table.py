"""A table of one's own: a class that says what its batches are, and reads them."""

from __future__ import annotations

import abc
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _sheaf
from .._options.texts import encodable
from .._user.serving import server_of, servers_of
from .._user.source import ProgramData
from ..errors import ConfigError

TABLE_OPTIONS = {"arrow.key"}  # of format_options
_THREADS_MAX = 16  # that read batches of one table


@dataclass(frozen=True)
class Part:
    """Batches of a table that lie in one place."""

    name: str  # for messages
    fingerprint: str
    schema: Any  # with __arrow_c_schema__
    rows: Sequence[int]  # of each batch
    sizes: Sequence[int]  # bytes of each batch, where it lies
    nulls: Sequence[Sequence[int]] = ()  # in each batch, by its columns; -1: not known
    path: str = ""  # of the file, which an index file may lie beside


@dataclass(frozen=True)
class TableDescription:
    """What the library knows by a number."""

    name: str


class Table(ProgramData, abc.ABC):
    """A table in batches of rows, each row a sequence: hand an object to a Reader.

    A batch is what is read at once: some megabytes are good, and at least some dozens of batches.
    Its rows are ordered, packed, joined, shared among workers and resumed as those of a file are.
    What column is what stream is in docs/formats/arrow.md, as the option ``arrow.key`` of
    ``format_options``, which names the column with the keys.

    A subclass has

    schema         the types of the columns: a schema of pyarrow, or anything else that has
                   ``__arrow_c_schema__``
    batches()      how many rows each batch has, in order
    read(n, names) batch n with at least the columns of these names, as a RecordBatch of pyarrow,
                   or anything else that has ``__arrow_c_array__``

    Several threads call read() at the same time. What they raise is raised by the Reader where the
    rows would have been delivered.
    """

    schema: Any

    @abc.abstractmethod
    def batches(self) -> Iterable[int]:
        """How many rows each batch has. Asked for once, when a Reader is made."""

    @abc.abstractmethod
    def read(self, batch: int, columns: Sequence[str]) -> Any:
        """Some columns of a batch."""

    @property
    def tells_content(self) -> bool:
        """Whether other values have another fingerprint."""
        return self.fingerprint() is not None

    def fingerprint(self) -> str | None:
        """What tells the table from others of the same columns and rows: a version, a date.

        A state of a Reader belongs to data of one fingerprint. None: columns and numbers of rows
        are all there is to tell.
        """
        return None

    def _parts(self) -> Iterator[Part]:
        rows = [int(count) for count in self.batches()]
        if any(count < 0 for count in rows):
            raise ConfigError(
                f"{type(self).__name__}: a batch has at least 0 rows: got {min(rows)}"
            )
        name = type(self).__name__
        told = self.fingerprint() or ""
        fingerprint = f"python:{name}:{told}:{','.join(map(str, rows))}"
        yield Part(name, fingerprint, self.schema, rows, [0] * len(rows))

    def give(
        self,
        plan: _sheaf.Plan,
        name: str,
        streams: list[_sheaf.StreamOptions],
        options: _sheaf.FormatOptions,
        threads: int,
    ) -> None:
        """Give a plan the table, which its spec calls ``name``."""
        parts = server_of(self).run(lambda: list(self._parts()))
        if not parts:
            raise ConfigError(f"{type(self).__name__}: there is nothing to read")
        count = threads or os.cpu_count() or 1
        servers = servers_of(self, min(count, _THREADS_MAX))
        description = TableDescription(parts[0].name)
        _sheaf.give_batches(
            plan,
            name,
            [(server.calls, server.keep(description)) for server in servers],
            [
                (
                    encodable("the name of a table", part.name),
                    part.fingerprint,
                    part.schema.__arrow_c_schema__(),
                    list(part.rows),
                    list(part.sizes),
                    list(part.nulls) or [[]] * len(part.rows),
                    encodable("the path of a table", part.path),
                )
                for part in parts
            ],
            streams,
            options,
        )
