"""Fixtures and helpers of all tests."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DIGITS = ROOT / "testdata" / "digits"

# Sequences of 2, 1 and 3 samples of x; the second has no values in its sample of s.
JAGGED = """\
7 |x 1 2.5 |s 3:1 1:0.5
7 |x 3 -4
8 |x 5 6e-1 |s
9 |x 7 8 |s 0:2
9 |x 9 10 |s 2:4 3:5
9 |x 11 12
"""


@pytest.fixture
def write_ctf(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Write a file with this text, and return its path."""

    def write(text: str) -> pathlib.Path:
        path = tmp_path / "data.ctf"
        path.write_bytes(text.encode("ascii"))
        return path

    return write


@pytest.fixture
def digits() -> pathlib.Path:
    """The folder of the digits."""
    return DIGITS
