#!/usr/bin/env python3
"""Measure speech: AN4's features and labels, joined, with context frames.

    bench/speech.py --data ../shared/conformance/speech/data [--build build/release] [--runs 5]
                    [--threads 2] [--sweeps 3]

33 values a frame become 363, with five neighbours on each side; the labels are those of the MLF.
Each run is a process of its own that delivers three sweeps in order `cntk`, in frame mode
(minibatches of 1,024 frames), in sequence mode (4,096) and truncated (20 samples, 4,096). Prints
the medians: frames a second of processors, and the delivered bytes a second of processors as a
part of what memcpy moves on one core.
"""

from __future__ import annotations

import argparse
import json
import pathlib
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


def spec_of(data: pathlib.Path, join: dict[str, Any], read: dict[str, Any], sweeps: int) -> str:
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
        for _ in range(options.runs):  # in turns: machines change their speed
            for name in MODES:
                done = subprocess.run(
                    [program, f"{folder}/{name}.json", str(options.threads)],
                    capture_output=True,
                    text=True,
                    check=False,
                    cwd=data,  # the list names its archive so
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


if __name__ == "__main__":
    main()
