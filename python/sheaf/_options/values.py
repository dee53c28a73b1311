"""Checks the types of option values."""

from __future__ import annotations

import operator
from typing import Any, Literal, NoReturn, Protocol

COUNT_MAX = 2**63 - 1


class NamedType(Protocol):
    """An object with the name of a type, such as a ``numpy.dtype``."""

    @property
    def name(self) -> str:
        """The name, such as "float32"."""


DType = (
    Literal["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "uint16"]
    | type[Any]
    | NamedType
)


def refuse_type(name: str, expected: str, value: object) -> NoReturn:
    """Raise TypeError for a value of the wrong type for an option."""
    raise TypeError(f"{name}: expected {expected}, got {value!r} ({type(value).__name__})")


def whole(name: str, value: Any, word: tuple[str, int] | None = None) -> int:
    """Return a whole number, or the number for a word; TypeError for other values."""
    if word is not None and value == word[0]:
        return word[1]
    if not isinstance(value, (bool, str)):
        try:
            number: int = operator.index(value)
            return number
        except TypeError:
            pass
    refuse_type(name, "a whole number" + (f' or "{word[0]}"' if word else ""), value)


def part_text(part: Any) -> str:
    """Return a part, (3, 8) or "3/8", as text; TypeError for other values."""
    if isinstance(part, str):
        return part
    if not isinstance(part, tuple) or len(part) != 2:
        refuse_type("part", 'a number and how many parts there are, as (3, 8) or "3/8"', part)
    return "/".join(str(whole("part", each)) for each in part)


def checked_key(key: Any) -> int | str:
    """Return the key of a sequence; TypeError for a value that is not a key."""
    return key if isinstance(key, str) else whole("a key", key)


def truth(name: str, value: Any) -> bool:
    """Return a truth value; TypeError for other values."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):  # also NumPy's
        return bool(value)
    refuse_type(name, "True or False", value)


def type_name(name: str, value: Any) -> str:
    """Return the name of a type of NumPy or torch."""
    if isinstance(value, str):
        return value
    word = value.__name__ if isinstance(value, type) else getattr(value, "name", None)
    if isinstance(word, str):
        return word
    module, _, word = str(value).partition(".")
    if module == "torch" and word:
        return word
    refuse_type(name, '"float32", "int64" or another type of NumPy or torch', value)
