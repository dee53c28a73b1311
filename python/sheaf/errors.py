"""The exceptions. Each has a second base, so that code which knows Python alone catches it too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One wrong place in a file; ``str()`` gives it in the form of a compiler's message."""

    path: str
    line: int  # from 1; 0 where the format has no lines
    column: int  # from 1, in bytes; 0 where the whole line is meant
    byte_offset: int  # from the start of the file; -1: of no place in it
    sequence_key: str  # empty where unknown
    stream: str  # empty where no stream is concerned
    code: str  # stable: "ctf-number"
    expected: str
    found: str
    text: str
    severity: str = "error"  # or "warning", or "fatal": an error that no max_errors tolerates
    hint: str = ""  # what to do about it; often empty

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """Everything that sheaf raises on purpose."""


class ConfigError(Error, ValueError):
    """Options contradict each other, the data, or a limit."""


class IoError(Error, OSError):
    """Bytes could not be had."""


class DataError(Error, ValueError):
    """Data are not as their format says, and more of them than ``max_errors`` tolerates."""

    diagnostics: list[Diagnostic]  # the one too many is the last

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class InternalError(Error, RuntimeError):
    """A promise inside the library was broken."""


class RaisedBefore(Error):  # noqa: N818 - nobody is to see it
    """What a Deserializer raised comes once more; a Reader raises the same exception again."""
