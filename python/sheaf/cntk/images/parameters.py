"""Reads parameters, which may be numbers, texts or pairs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._options.texts import path_text
from ..errors import ConfigError
from ..values import text_list

Said = Mapping[str, Any]


class Parameters:
    """The parameters of a transform, or of a deserializer."""

    def __init__(self, said: Said, known: Sequence[str], ignored: Sequence[str] = ()) -> None:
        self.kind = str(said["type"])
        self._said = said
        unknown = [name for name in said if name not in {"type", "module", *known, *ignored}]
        if unknown:
            raise ConfigError(f"{self.kind} has no {text_list(unknown)}; it has {text_list(known)}")

    def wrong(self, name: str, expected: str) -> ConfigError:
        return ConfigError(f"{self.kind}: {name} is {expected}: got {self._said.get(name)!r}")

    def word(self, name: str, default: str, words: tuple[str, ...]) -> str:
        """One of some words, in lower case."""
        word = str(self._said.get(name, default)).lower()
        if word not in words:
            raise self.wrong(name, f"one of {text_list(words)}")
        return word

    def text(self, name: str) -> str:
        """A path; "" where nothing is said."""
        value = self._said.get(name, "")
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise self.wrong(name, "a path")
        return path_text(value)

    def number(self, name: str, default: float = 0.0) -> float:
        try:
            return float(self._said.get(name, default))
        except (TypeError, ValueError):
            raise self.wrong(name, "a number") from None

    def whole(self, name: str, default: int | None = None) -> int:
        number = self.number(name, float("nan") if default is None else default)
        if not number.is_integer():
            raise self.wrong(name, "a whole number")
        return int(number)

    def flag(self, name: str, default: bool) -> bool:
        value = self._said.get(name, default)
        word = str(value).lower()
        if word not in ("true", "false", "1", "0"):
            raise self.wrong(name, "true or false")
        return word in ("true", "1")

    def pair(self, name: str, default: float) -> tuple[float, float]:
        """Two numbers, as "a:b" or in a tuple; one stands for both. They are floats of 32 bits."""
        value = self._said.get(name, default)
        if isinstance(value, str):
            value = value.split(":")
        parts = value if isinstance(value, (tuple, list)) else [value]
        try:
            numbers = [float(np.float32(part)) for part in parts]
        except (TypeError, ValueError):
            raise self.wrong(name, "a number, or two as a:b") from None
        if len(numbers) not in (1, 2) or not np.isfinite(numbers).all():
            raise self.wrong(name, "a number, or two as a:b")
        return numbers[0], numbers[-1]
