#!/usr/bin/env python3
"""Measure writing and reading of CBF against a copy of the same bytes.

    bench/convert.py [--build build/release] [--megabytes 400] [--corpora decimals,pairs]
                     [--runs 5]

Each corpus is generated as CTF once, as in bench/run.py. The programs take turns within each run.
`convert` writes a CBF file. `read` delivers every minibatch of the CBF file, in file order, in the
order of cntk and in keyed order. `copy` reads the bytes of the CBF file from the page cache and
copies them once in memory, on one thread. The table shows medians, the spread and the ratio to
`copy`: in MB of text for `convert`, in MB of CBF for the others. Index and output are in the page
cache.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from run import STREAMS, generate, warm


def copy_seconds(path: pathlib.Path) -> float:
    buffer = bytearray(1 << 20)
    target = bytearray(1 << 20)
    start = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            target[:count] = memoryview(buffer)[:count]
    return time.perf_counter() - start


def convert_seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def read_seconds(command: list[str]) -> float:
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def programs(
    build: pathlib.Path, corpus: str, text: pathlib.Path, binary: pathlib.Path
) -> dict[str, Callable[[], float]]:
    sheaf = str(build / "sheaf")
    streams = [word for stream in STREAMS[corpus] for word in ("--stream", stream)]
    read = [sheaf, "read", str(binary), "--format", "none", "--json", "--unit", "samples"]
    read += ["--minibatch-size", "1024"]
    return {
        "copy": lambda: copy_seconds(binary),
        "convert": lambda: convert_seconds(
            [sheaf, "convert", str(text), str(binary), *streams, "--overwrite"]
        ),
        "read file 1": lambda: read_seconds([*read, "--threads", "1"]),
        "read file 2": lambda: read_seconds([*read, "--threads", "2"]),
        "read cntk 2": lambda: read_seconds([*read, "--threads", "2", "--order", "cntk"]),
        "read keyed 2": lambda: read_seconds([*read, "--threads", "2", "--order", "keyed"]),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--corpora", default="decimals,pairs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    options = parser.parse_args()

    print(f"{'corpus':<10} {'program':<13} {'MB/s':>7} {'least':>7} {'most':>7} {'ratio':>6}")
    for corpus in options.corpora.split(","):
        text = generate(options.build, corpus, options.megabytes, options.folder)
        binary = text.with_suffix(".cbf")
        todo = programs(options.build, corpus, text, binary)
        todo["convert"]()
        times: dict[str, list[float]] = {name: [] for name in todo}
        for _ in range(options.runs):
            for name, measure in todo.items():
                warm(text if name == "convert" else binary)
                times[name].append(measure())
        copy = os.path.getsize(binary) / 1e6 / statistics.median(times["copy"])
        for name, values in times.items():
            size = os.path.getsize(text if name == "convert" else binary) / 1e6
            rate = size / statistics.median(values)
            print(
                f"{corpus:<10} {name:<13} {rate:>7.0f} {size / max(values):>7.0f} "
                f"{size / min(values):>7.0f} {rate / copy:>6.2f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
