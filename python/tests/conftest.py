"""What the tests share."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DIGITS = ROOT / "testdata" / "digits"


@pytest.fixture
def write_ctf(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Write a file of this text; gives its path."""

    def write(text: str) -> pathlib.Path:
        path = tmp_path / "data.ctf"
        path.write_bytes(text.encode("ascii"))
        return path

    return write


@pytest.fixture
def digits() -> pathlib.Path:
    """The folder of the digits."""
    return DIGITS
