#!/usr/bin/env python3
"""Measure reading text against a plain strtof loop on the same file.

    bench/run.py [--build build/release] [--megabytes 400] [--corpora decimals,pairs] [--runs 5]
                 [--json FILE]

Each corpus is generated once into --folder, brought into the page cache before every run, and read
by each program in turn, --runs times over; the table shows medians, the spread (least and most),
and the ratio to the strtof loop. `parse` decodes all chunks on one thread; `read N` is
`sheaf read --format none --threads N`, which delivers every minibatch.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

STREAMS = {
    "decimals": ["x:dense:100"],
    "pairs": ["x:sparse:2000000", "y:sparse:10"],
    "integers": ["x:dense:784", "y:sparse:10"],
    "ones": ["a:sparse:100000", "b:sparse:100000"],
    "tagged": ["w:sparse:50000", "t:sparse:128"],
    "libsvm": ["label:dense:1", "features:sparse:100000"],
}


def generate(
    build: pathlib.Path, corpus: str, megabytes: int, folder: pathlib.Path
) -> pathlib.Path:
    path = folder / f"{corpus}-{megabytes}.{'svm' if corpus == 'libsvm' else 'ctf'}"
    if not path.exists():
        with path.with_suffix(".part").open("wb") as out:
            subprocess.run(
                [build / "bench/sheaf_generate", corpus, str(megabytes)], stdout=out, check=True
            )
        path.with_suffix(".part").rename(path)
    return path


def commands(build: pathlib.Path, corpus: str, path: pathlib.Path) -> dict[str, list[str]]:
    read = [str(build / "sheaf"), "read", str(path), "--format", "none", "--json"]
    for stream in STREAMS[corpus]:
        read += ["--stream", stream]
    return {
        "strtof loop": [str(build / "bench/strtof_loop"), str(path)],
        "parse": [str(build / "bench/sheaf_parse_file"), corpus, str(path)],
        "read 1": [*read, "--threads", "1"],
        "read 2": [*read, "--threads", "2"],
    }


def warm(path: pathlib.Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 22):
            pass


def seconds_of(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--corpora", default=",".join(STREAMS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()

    results = []
    print(f"{'corpus':<10} {'program':<12} {'MB/s':>7} {'least':>7} {'most':>7} {'ratio':>6}")
    for corpus in options.corpora.split(","):
        path = generate(options.build, corpus, options.megabytes, options.folder)
        size = os.path.getsize(path) / 1e6
        programs = commands(options.build, corpus, path)
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(options.runs):
            for name, command in programs.items():
                warm(path)
                times[name].append(seconds_of(command))
        base = statistics.median(times["strtof loop"])
        for name, values in times.items():
            median = statistics.median(values)
            row = {
                "corpus": corpus,
                "program": name,
                "megabytes_per_second": size / median,
                "least": size / max(values),
                "most": size / min(values),
                "ratio": base / median,
            }
            results.append(row)
            print(
                f"{corpus:<10} {name:<12} {row['megabytes_per_second']:>7.0f} {row['least']:>7.0f} "
                f"{row['most']:>7.0f} {row['ratio']:>6.2f}",
                flush=True,
            )
    if options.json:
        about = {
            "processor": platform.processor() or platform.machine(),
            "megabytes": options.megabytes,
        }
        options.json.write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
