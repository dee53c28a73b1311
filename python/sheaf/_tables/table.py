"""Your own tables: a class that describes its batches, and reads them."""

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
    """Batches of a table that are stored together, such as those of a file."""

    name: str  # for messages
    fingerprint: str
    schema: Any  # with __arrow_c_schema__
    rows: Sequence[int]  # of each batch
    sizes: Sequence[int]  # stored bytes of each batch
    nulls: Sequence[Sequence[int]] = ()  # in each batch, by its columns; -1 means unknown
    path: str = ""  # of the file, which an index file may lie beside


def check_table_options(location: str, given: Iterable[str]) -> None:
    """Raise ConfigError for an option of ``format_options`` that tables do not have.

    ``location`` names ``format_options`` in the message.
    """
    for name in given:
        if name not in TABLE_OPTIONS:
            known = ", ".join(f'"{option}"' for option in TABLE_OPTIONS)
            raise ConfigError(f'{location}: tables have no option "{name}"; there is {known}')


@dataclass(frozen=True)
class TableDescription:
    """The description of a table, which the library knows by a number."""

    name: str


class Table(ProgramData, abc.ABC):
    """A table in batches of rows, each row a sequence: give an object to a Reader.

    sheaf reads a batch at once. Good batches have some megabytes, and there are at least some
    dozens of them. sheaf orders, packs, joins, shares and resumes the rows like those of a file.
    docs/formats/arrow.md tells how columns become streams, and describes the option ``arrow.key``
    of ``format_options``, which names the column with the keys.

    A subclass has

    schema         the types of the columns: a schema of pyarrow, or anything else that has
                   ``__arrow_c_schema__``
    batches()      how many rows each batch has, in order
    read(n, names) batch n with at least the columns of these names, as a RecordBatch of pyarrow,
                   or anything else that has ``__arrow_c_array__``

    Several threads call read() at the same time. The Reader raises the exceptions of read() when it
    would deliver the rows.
    """

    schema: Any

    @abc.abstractmethod
    def batches(self) -> Iterable[int]:
        """Return the number of rows of each batch. sheaf calls this once, for a new Reader."""

    @abc.abstractmethod
    def read(self, batch: int, columns: Sequence[str]) -> Any:
        """Return a batch with some of its columns."""

    @property
    def tells_content(self) -> bool:
        """Whether the fingerprint changes with the values."""
        return self.fingerprint() is not None

    def fingerprint(self) -> str | None:
        """Return a text that identifies the values of the table, such as a version or a date.

        A state of a Reader belongs to data with one fingerprint. None means that only columns and
        numbers of rows identify the table.
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
        """Give a plan the table under the name of its spec, ``name``."""
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
