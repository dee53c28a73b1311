#!/usr/bin/env python3
"""Measure speech: the joined features and labels of AN4 with context frames.

    bench/speech.py --data ../shared/conformance/speech/data [--build build/release] [--runs 5]
                    [--threads 2] [--sweeps 3]

The 33 values of a frame become 363 with five neighbours on each side. The labels come from the MLF.
Each run is a separate process that delivers three sweeps in order `cntk`: in frame mode
(minibatches of 1,024 frames), in sequence mode (4,096) and truncated (20 samples, 4,096). Prints
medians: frames per processor second, and delivered bytes per processor second relative to the speed
of memcpy on one core. Then the list and the labels are written many times over with different keys.
`sheaf_parse_file` indexes both and decodes the labels on one thread.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from typing import Any

MODES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "frames": (
        {"lengths": "primary"},
        {"packing": "frames", "split_frames": True, "minibatch_size": 1024},
    ),
    "sequences": ({}, {"packing": "packed", "minibatch_size": 4096}),
    "truncated": (
        {"lengths": "equal"},
        {"packing": "truncated", "truncation_length": 20, "minibatch_size": 4096},
    ),
}


COPIES = {".scp": 2000, ".mlf": 100}  # copies of each utterance for measuring text


def data_of(data: pathlib.Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the features and the labels as members of a join."""
    features = {
        "files": str(data / "an4" / "glob_0000.scp"),
        "format": "htk",
        "keys": "text",
        "streams": [{"name": "features", "shape": [33]}],
    }
    labels = {
        "files": str(data / "an4" / "glob_0000.mlf"),
        "format": "mlf",
        "keys": "text",
        "format_options": {"mlf.states": str(data / "an4" / "state.list")},
        "streams": [{"name": "labels", "storage": "sparse", "shape": [132]}],
    }
    return features, labels


def spec_of(data: pathlib.Path, join: dict[str, Any], read: dict[str, Any], sweeps: int) -> str:
    features, labels = data_of(data)
    return json.dumps(
        {
            "data": {
                "join": [features, labels],
                **join,
                "transforms": [{"type": "context", "streams": "features", "left": 5, "right": 5}],
            },
            "read": {"order": "cntk", "seed": 1, "sweeps": sweeps, **read},
        }
    )


def write_copies(path: str, into: pathlib.Path) -> None:
    """Write a list or labels many times over, each time with different folders in the keys."""
    text = pathlib.Path(path).read_text()
    if path.endswith(".scp"):
        head, body, name = "", text, re.compile(r"^(?=.)", re.MULTILINE)
    else:
        head, body = text.split("\n", 1)
        head, name = f"{head}\n", re.compile(r'(?<=^")(?=.*\.lab"$)', re.MULTILINE)
    with into.open("w") as out:
        out.write(head)
        for copy in range(COPIES[into.suffix]):
            out.write(name.sub(f"{copy}/", body))


def measure_texts(data: pathlib.Path, program: pathlib.Path, runs: int) -> None:
    """Index the labels and the list on one thread, and decode the labels."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {}
        for name, member in zip(("list", "labels"), data_of(data), strict=True):
            text = pathlib.Path(folder) / pathlib.Path(member["files"]).name
            write_copies(member["files"], text)
            spec = pathlib.Path(folder) / f"{name}.json"
            spec.write_text(json.dumps({"data": {**member, "files": str(text)}}))
            texts[name] = (text.stat().st_size, spec)
        found: dict[str, list[float]] = {}
        for _ in range(runs):
            for name, (_, spec) in texts.items():
                what = "--index" if name == "list" else "--spec"
                command = [str(program / "sheaf_parse_file"), what, str(spec)]
                done = subprocess.run(command, capture_output=True, check=True, text=True)
                times = json.loads(done.stdout)
                for part in ("index", "parse"):
                    if f"{part}_seconds" in times:
                        seconds = times[f"{part}_processor_seconds"]
                        found.setdefault(f"{part} {name}", []).append(seconds)
        for what, seconds in found.items():
            rates = [texts[what.split()[1]][0] / each / 1e9 for each in seconds]
            print(
                f"{what:12} {statistics.median(rates):6.2f} GB of text per processor second "
                f"({min(rates):.2f} to {max(rates):.2f}), "
                f"{texts[what.split()[1]][0] / 1e6:.0f} MB"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=3)
    options = parser.parse_args()
    data = options.data.resolve()
    program = options.build.resolve() / "bench" / "sheaf_read_spec"
    found: dict[str, list[dict[str, float]]] = {name: [] for name in MODES}
    with tempfile.TemporaryDirectory() as folder:
        for name, (join, read) in MODES.items():
            (pathlib.Path(folder) / f"{name}.json").write_text(
                spec_of(data, join, read, options.sweeps)
            )
        for _ in range(options.runs):  # in turns, since the speed of a machine varies
            for name in MODES:
                done = subprocess.run(
                    [program, f"{folder}/{name}.json", str(options.threads)],
                    capture_output=True,
                    text=True,
                    check=False,
                    cwd=data,  # the folder of the archive paths in the list
                )
                if done.returncode != 0:
                    sys.exit(done.stderr)
                found[name].append(json.loads(done.stdout))
    for name, runs in found.items():
        frames = [run["samples"] / run["processor_seconds"] / 1e6 for run in runs]
        parts = [
            run["bytes"] / run["processor_seconds"] / run["copied_bytes_per_second"] for run in runs
        ]
        print(
            f"{name:10} {statistics.median(frames):6.2f} million frames per processor second, "
            f"{statistics.median(parts):.2f} of memcpy ({min(parts):.2f} to {max(parts):.2f}), "
            f"{statistics.median(run['seconds'] for run in runs):.3f} s, "
            f"{runs[0]['bytes'] / 1e6:.0f} MB"
        )
    measure_texts(data, program.parent, options.runs)


if __name__ == "__main__":
    main()
