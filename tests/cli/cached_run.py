"""Runs of `sheaf read` with a cache of decoded sequences, and the files of such a cache."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from command import GOOD, CommandTest

STREAMS = ("--stream", "x:dense:3", "--stream", "y:sparse:50")
UNIT = re.compile(r"[0-9a-f]{32}\.unit")


def rows(size: int, seed: int = 1) -> str:
    """CTF of so many bytes, about, with numbers that the seed chooses. A unit is 1 MiB of text.

    The first 8 units that a run reads from its cache, or writes, are a trial, which may leave a
    slow cache aside. So a test whose counts matter reads less than 8 MiB, all sweeps counted.
    """
    choice = random.Random(seed)
    lines = []
    key = 0
    while size > 0:
        for _ in range(choice.randint(1, 4)):
            values = " ".join(f"{choice.uniform(-9, 9):.3f}" for _ in range(3))
            lines.append(f"{key} |x {values} |y {choice.randrange(50)}:{choice.randint(1, 9)}\n")
            size -= len(lines[-1])
        key += 1
    return "".join(lines)


def unit_files(cache: Path) -> list[Path]:
    """Returns the files of units, sorted by name, or nothing if the folder does not exist."""
    if not cache.is_dir():
        return []
    return sorted(path for path in cache.iterdir() if UNIT.fullmatch(path.name))


def bytes_of_units(cache: Path) -> int:
    """Returns the total size of the files of units, while another process may remove some."""
    size = 0
    for path in unit_files(cache):
        with contextlib.suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


@dataclass(frozen=True)
class Report:
    """Returns the last lines of a successful run."""

    checksum: str
    hits: int
    misses: int
    sequences: int
    stderr: str


def report_of(stdout: str, stderr: str) -> Report:
    found = json.loads(stdout)
    return Report(
        checksum=found["checksum"],
        hits=found["cache_hits"],
        misses=found["cache_misses"],
        sequences=found["sequences"],
        stderr=stderr,
    )


class CachedTest(CommandTest):
    """Reads data.ctf with the cache `cache`. Both are in the folder of the test."""

    def setUp(self) -> None:
        super().setUp()
        self.cache = self.folder / "cache"

    def arguments(self, *arguments: str, path: str = "") -> list[str]:
        path = path or str(self.folder / "data.ctf")
        return ["read", path, *STREAMS, "--format", "none", "--json", *arguments]

    def plain(self, *arguments: str, path: str = "") -> Report:
        """Runs without a cache."""
        return self.report(*self.arguments(*arguments, path=path))

    def cached(self, *arguments: str, path: str = "") -> Report:
        """Runs with the cache."""
        with_cache = ("--cache", str(self.cache), *arguments)
        return self.report(*self.arguments(*with_cache, path=path))

    def report(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Report:
        result = self.run_sheaf(*arguments, environment=environment)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        return report_of(result.stdout, result.stderr)

    def assert_whole(self, expected: str, *arguments: str) -> None:
        """Checks that a run gets all its data from the cache and prints no warning."""
        found = self.cached(*arguments)
        self.assertEqual((expected, 0, ""), (found.checksum, found.misses, found.stderr))
        self.assertGreater(found.hits, 0)
