"""The errors of this package, which are a RuntimeError or a ValueError as in CNTK."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ConfigError, Error

__all__ = ["ConfigError", "SourceError"]

UINT64_MAX = 2**64 - 1


class SourceError(Error, RuntimeError):
    """A source cannot be made with these options, or cannot be read."""


@contextmanager
def as_source_errors() -> Iterator[None]:
    """Turn an exception of the engine into a SourceError with the exception as its cause."""
    try:
        yield
    except SourceError:
        raise
    except Error as error:
        raise SourceError(str(error)) from error


def whole_number(name: str, value: object, most: int = UINT64_MAX) -> int:
    """Return a count as an int; TypeError for other values, OverflowError out of range."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number: got {value!r}") from None
    if not 0 <= number <= most:
        raise OverflowError(f"{name} is from 0 to {most}: got {number}")
    return number
