#!/usr/bin/env python3
"""Measure a cache: a run without a cache, the run that fills it, and a run that uses it.

    bench/cache.py [--build build/release] [--megabytes 600] [--runs 5] [--folder /tmp/cache-bench]
                   [--processor]

Each corpus is text of about the given size. All threads read it in several orders. The window of an
order holds two chunks of 32 MiB, so that each sweep reads the data again. The programs take turns
within each run. In `warm` runs, data and cache are in the page cache; in `cold` runs, neither is.
The table shows the median seconds, their spread, and the time of a later run relative to a run
without a cache. With --processor, the seconds are those of the processor, user and system, which
other programs on the machine change less. The mark `slow` means that the run did not use its cache,
because reading the data again is faster.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterable

ORDERS = {
    "file": ["--order", "file"],
    "cntk": ["--order", "cntk", "--window-chunks", "2"],
    "keyed": ["--order", "keyed", "--window-chunks", "2"],
}


def decimals(rng: random.Random) -> list[str]:
    return [f"{rng.uniform(-20, 20):.4f}" for _ in range(80)]


def ctf_lines(rng: random.Random, rows: list[list[str]]) -> Iterable[str]:
    key = 0
    while True:
        for _ in range(rng.randint(1, 12)):
            yield f"{key} |x {' '.join(rng.choice(rows))} |y {rng.randrange(5000)}:1\n"
        key += 1


def jsonl_lines(rng: random.Random, rows: list[list[str]]) -> Iterable[str]:
    while True:
        yield f'{{"x": [{", ".join(rng.choice(rows))}], "y": {rng.randrange(5000)}}}\n'


def write(path: pathlib.Path, lines: Iterable[str], megabytes: int) -> None:
    size = 0
    with path.open("w", encoding="ascii") as file:
        for line in lines:
            if size > megabytes << 20:
                return
            size += file.write(line)


def make(folder: pathlib.Path, name: str, megabytes: int) -> pathlib.Path:
    rng = random.Random(1)
    rows = [decimals(rng) for _ in range(2000)]
    path = folder / f"train.{name}"
    if path.exists():
        return path
    if name == "ctf.gz":
        plain = make(folder, "ctf", megabytes)
        with plain.open("rb") as source, gzip.open(path, "wb", 1) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        return path
    lines = {"ctf": ctf_lines, "jsonl": jsonl_lines}[name]
    write(path, lines(rng, rows), megabytes)
    return path


def drop(paths: Iterable[pathlib.Path]) -> None:
    """Remove files from the page cache."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(
    build: pathlib.Path, path: pathlib.Path, order: str, runs: int, *, by_processor: bool
) -> None:
    cache = path.parent / "cache"
    plain = [str(build / "sheaf"), "read", str(path), *ORDERS[order]]
    plain += ["--minibatch-size", "4096", "--format", "none", "--json"]
    cached = [*plain, "--cache", str(cache)]
    is_slow = False

    def reading(command: list[str]) -> tuple[float, bool]:
        """Run a command. Returns the seconds and whether the run left the cache unused."""
        before = processor_seconds()
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        used = processor_seconds() - before
        seconds = used if by_processor else float(json.loads(done.stdout)["seconds"])
        return seconds, "[cache-slow]" in done.stderr

    def first() -> tuple[float, bool]:
        shutil.rmtree(cache, ignore_errors=True)
        return reading(cached)

    def cold(command: list[str]) -> tuple[float, bool]:
        drop([path, *cache.glob("*.unit")])
        return reading(command)

    programs: dict[str, Callable[[], tuple[float, bool]]] = {
        "no cache": lambda: reading(plain),
        "filling": first,
        "later": lambda: reading(cached),
        "no cache, cold": lambda: cold(plain),
        "later, cold": lambda: cold(cached),
    }
    reading(plain)  # writes the index
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(runs):
        for name, program in programs.items():
            taken, is_left = program()
            seconds[name].append(taken)
            is_slow |= is_left
    middle = {name: statistics.median(times) for name, times in seconds.items()}
    size = sum(each.stat().st_size for each in cache.glob("*.unit"))
    print(f"{path.name}, {order}: {path.stat().st_size >> 20} MiB, cache {size >> 20} MiB")
    for name, times in seconds.items():
        print(f"  {name:16} {middle[name]:7.3f} s   {min(times):.3f} - {max(times):.3f}")
    warm = middle["later"] / middle["no cache"]
    on_disk = middle["later, cold"] / middle["no cache, cold"]
    print(f"  later / no cache: warm {warm:.2f}, cold {on_disk:.2f}{'  slow' if is_slow else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--megabytes", type=int, default=600)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/cache-bench"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.2f}")
    for name in ("ctf", "jsonl", "ctf.gz"):
        path = make(arguments.folder, name, arguments.megabytes)
        for order in ORDERS:
            measure(arguments.build, path, order, arguments.runs, by_processor=arguments.processor)


if __name__ == "__main__":
    main()
