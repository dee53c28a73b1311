#!/usr/bin/env python3
"""Measure the time to the first minibatch of very many small files, with few open files allowed.

    bench/many_files.py [--files 100000] [--descriptors 256] [--folder DIR]

Runs the command, a C++ program (bench/many_files.cc) and a Python program, each in a process of its
own, and prints a table. Uses existing files in --folder as they are.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"

PYTHON = """
import json, resource, sys, time
begin = time.perf_counter()
import sheaf
reader = sheaf.Reader(sys.argv[1], ["x:dense:3"], batch_size=256, order=sys.argv[2])
count = len(next(iter(reader)).sequence_keys)
seconds = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"minibatches": int(count > 0), "seconds": seconds, "peak_kib": peak}))
"""


def write_files(folder: Path, count: int) -> None:
    """Write files with two sequences of three values each."""
    for number in range(count):
        path = folder / f"{number:06}.ctf"
        if not path.exists():
            path.write_text(f"{2 * number} |x {number} 1 2\n{2 * number + 1} |x {number} 3 4\n")


def command(front_end: str, pattern: str, order: str) -> list[str]:
    if front_end == "C++":
        return [str(BUILD / "bench" / "sheaf_many_files"), pattern, order]
    if front_end == "Python":
        return [sys.executable, "-c", PYTHON, pattern, order]
    return [
        *(str(BUILD / "sheaf"), "read", pattern, "--stream", "x:dense:3", "--order", order),
        *("--minibatch-size", "256", "--max-minibatches", "1", "--format", "none", "--json"),
    ]


def measure(arguments: list[str], descriptors: int) -> tuple[float, float, float]:
    """Return the seconds to the first minibatch, the processor seconds and the peak MiB."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    before = os.times()
    done = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard)),
    )
    after = os.times()
    if done.returncode != 0:
        raise SystemExit(f"{arguments[0]}: {done.stderr}")
    result = json.loads(done.stdout)
    seconds = result.get("first_minibatch_seconds", result.get("seconds"))
    peak_kib = result["peak_kib"] if "peak_kib" in result else result["peak_rss_bytes"] / 1024
    assert result["minibatches"] == 1, result
    processor = after.children_user + after.children_system
    processor -= before.children_user + before.children_system
    return seconds, processor, peak_kib / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--descriptors", type=int, default=256)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        write_files(folder, options.files)
        print(f"{options.files} files, {options.descriptors} descriptors")
        print("front end  order  first minibatch, s  processor, s  peak MiB")
        for order in ("file", "keyed"):
            for front_end in ("shell", "C++", "Python"):
                arguments = command(front_end, str(folder / "*.ctf"), order)
                seconds, processor, peak = measure(arguments, options.descriptors)
                print(f"{front_end:9}  {order:5}  {seconds:18.2f}  {processor:12.2f}  {peak:8.0f}")


if __name__ == "__main__":
    main()
