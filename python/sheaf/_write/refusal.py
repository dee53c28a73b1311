"""The error for values that a program wants to write and no file can hold."""

from __future__ import annotations

from ..errors import DataError, Diagnostic


def refusal(path: str, key: object, stream: str, code: str, expected: str, found: str) -> DataError:
    """Return the error for a value that cannot be written."""
    name = "" if key is None else str(key)
    where = f"{path}: sequence {name}" if name else path
    what = f'stream "{stream}": ' if stream else ""
    text = f"{where}: error: {what}expected {expected}, found {found} [{code}]"
    diagnostic = Diagnostic(path, 0, 0, -1, name, stream, code, expected, found, text)
    return DataError(text, [diagnostic])
