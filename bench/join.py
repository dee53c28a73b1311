#!/usr/bin/env python3
"""Measure a join of three files in different orders against one file with the same data.

    bench/join.py [--build build/release] [--sequences 1000000] [--memory-limit 128MiB]
                  [--folder /tmp] [--orders shuffled] [--threads 2]

Four files are generated once: one file with all streams, and one file for each stream. Two of the
latter have their sequences in orders of their own; with `--orders same`, none has. Each run
delivers all data in file order and prints the time, the peak memory and a checksum. The checksum
does not depend on the order. The exit code is 1 unless the checksums of the join and of the single
file are equal. The first run of each finds no index file.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import subprocess
import sys

STREAMS = {"x": "x:dense:8", "y": "y:sparse:100000", "z": "z:dense:1"}


def samples(count: int = 50_021) -> tuple[list[str], list[str]]:
    """Return generated samples of x and of y."""
    draw = random.Random(1)
    x = [" ".join(f"{draw.random() * 1000:.4f}" for _ in range(8)) for _ in range(count)]
    y = [
        " ".join(f"{i}:{draw.randint(1, 8)}" for i in sorted(draw.sample(range(100_000), 6)))
        for _ in range(count)
    ]
    return x, y


X, Y = samples()


def rows(key: int, names: str) -> str:
    """Return the text rows of a sequence. They depend only on its key."""
    lines = []
    for row in range(1 + key * 7 % 4):
        at = (key * 4 + row) * 2_654_435_761 % len(X)
        line = ""
        if "x" in names:
            line += f" |x {X[at]}"
        if "y" in names:
            line += f" |y {Y[at]}"
        if "z" in names and row == 0:
            line += f" |z {key % 10}"
        if line:
            lines.append(f"{key}{line}\n")
    return "".join(lines)


def generate(folder: pathlib.Path, count: int, orders: str) -> dict[str, pathlib.Path]:
    paths = {}
    for number, names in enumerate(("xyz", "x", "y", "z")):
        path = folder / f"join-{orders}-{count}-{names}.ctf"
        paths[names] = path
        if path.exists():
            continue
        keys = list(range(count))
        if orders == "shuffled" and names not in ("xyz", "x"):
            random.Random(number).shuffle(keys)
        with path.with_suffix(".part").open("w") as file:
            for key in keys:
                file.write(rows(key, names))
        path.with_suffix(".part").rename(path)
    return paths


def read(command: list[str]) -> dict[str, object]:
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--sequences", type=int, default=1_000_000)
    parser.add_argument("--memory-limit", default="128MiB")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    parser.add_argument("--orders", choices=("shuffled", "same"), default="shuffled")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    paths = generate(options.folder, options.sequences, options.orders)
    size = {names: path.stat().st_size / 1e6 for names, path in paths.items()}
    print(", ".join(f"{paths[names].name} {size[names]:.0f} MB" for names in paths))
    for path in paths.values():
        path.with_name(path.name + ".sheaf-index").unlink(missing_ok=True)

    sheaf = [str(options.build / "sheaf"), "read"]
    how = ["--format", "none", "--json", "--minibatch-size", "1024"]
    how += ["--threads", str(options.threads), "--memory-limit", options.memory_limit]
    streams = {name: ["--stream", stream] for name, stream in STREAMS.items()}
    single = [*sheaf, str(paths["xyz"]), *streams["x"], *streams["y"], *streams["z"], *how]
    joined = [*sheaf, str(paths["x"]), *streams["x"]]
    joined += ["--join", str(paths["y"]), *streams["y"], "--join", str(paths["z"]), *streams["z"]]
    joined += how
    print(f"{'data':<8} {'index':<6} {'seconds':>8} {'first':>7} {'peak MiB':>9}  checksum")
    checksums = set()
    for name, command in (("single", single), ("join", joined)):
        for index in ("none", "file"):
            result = read(command)
            checksums.add(result["checksum"])
            print(
                f"{name:<8} {index:<6} {result['seconds']:>8.2f}"
                f" {result['first_minibatch_seconds']:>7.2f}"
                f" {result['peak_rss_bytes'] / 2**20:>9.1f}  {result['checksum']}"
            )
    return 0 if len(checksums) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
