"""The formats that the library reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _sheaf


@dataclass(frozen=True)
class FormatOption:
    """An option of one format: an item of ``format_options``."""

    name: str  # "libsvm.base"
    values: tuple[str, ...]  # the first one is the default
    help: str


@dataclass(frozen=True)
class Format:
    """A format: what ``format=`` names."""

    name: str
    description: str
    extensions: tuple[str, ...]  # without dot, lower case
    opens_folders: bool  # a path to a folder has this format
    is_writable: bool
    keeps_keys: bool  # otherwise sequences get numbers when they are read
    read_options: tuple[FormatOption, ...]
    write_options: tuple[FormatOption, ...]


def formats() -> list[Format]:
    """List the formats that the library was built with.

    >>> import sheaf
    >>> all(row.extensions or row.opens_folders for row in sheaf.formats())
    True
    """
    return [
        Format(
            name=row["name"],
            description=row["description"],
            extensions=tuple(row["extensions"]),
            opens_folders=row["opens_folders"],
            is_writable=row["is_writable"],
            keeps_keys=row["keeps_keys"],
            read_options=_options(row["read_options"]),
            write_options=_options(row["write_options"]),
        )
        for row in _sheaf.formats()
    ]


def _options(rows: list[tuple[str, list[str], str]]) -> tuple[FormatOption, ...]:
    return tuple(FormatOption(name, tuple(values), text) for name, values, text in rows)
