"""The exceptions. Each has a second base of Python's own, so that generic code catches it, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One error in a file, or one warning. ``str()`` returns text like a compiler's message."""

    path: str
    line: int  # from 1; 0 where the format has no lines
    column: int  # from 1, in bytes; 0 means the whole line
    byte_offset: int  # from the start of the file; -1 if unknown
    sequence_key: str  # empty if unknown
    stream: str  # empty if the error is not about a stream
    code: str  # stable: "ctf-number"
    expected: str
    found: str
    text: str
    severity: str = "error"  # or "warning", or "fatal": an error that no max_errors tolerates
    hint: str = ""  # a suggested cure; often empty

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """Everything that sheaf raises on purpose."""


class ConfigError(Error, ValueError):
    """Options contradict each other, the data, or a limit."""


class IoError(Error, OSError):
    """Reading or writing bytes failed."""


class DataError(Error, ValueError):
    """The data have an error, or more errors than ``max_errors`` tolerates."""

    diagnostics: list[Diagnostic]  # the last one exceeds max_errors

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class InternalError(Error, RuntimeError):
    """A promise inside the library was broken."""


class RaisedBefore(Error):  # noqa: N818 - nobody is to see it
    """Marks that a Deserializer's exception comes again; a Reader raises the same exception."""
