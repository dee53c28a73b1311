#!/usr/bin/env python3
"""Measure WAV files: the decoding of recordings to float32, and the reading of many small files.

    bench/recordings.py [--build build/release] [--runs 5] [--threads 1]

For each encoding, the script writes 400 files of ten seconds with 16,000 samples per second, and
reads them in order `file` with eight recordings in a minibatch. It also reads 20,000 files of ten
milliseconds with 64 files in a minibatch. Prints the median of the delivered bytes per processor
second, also relative to the speed of memcpy on one core. The files are in the page cache, so the
disk is not measured.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile

RATE = 16_000
ENCODINGS = {"pcm16": (1, 16), "pcm24": (1, 24), "pcm8": (1, 8), "float32": (3, 32)}


def wav_of(data: bytes, kind: tuple[int, int]) -> bytes:
    """Return a WAV file of one channel."""
    code, bits = kind
    size = bits // 8
    fields = struct.pack("<HHIIHH", code, 1, RATE, RATE * size, size, bits)
    chunks = b"WAVEfmt " + struct.pack("<I", len(fields)) + fields
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks


def write_files(folder: pathlib.Path, count: int, samples: int, kind: tuple[int, int]) -> None:
    folder.mkdir()
    source = random.Random(1)
    for i in range(count):
        data = source.randbytes(samples * kind[1] // 8)
        if kind[0] == 3:
            data = struct.pack(f"<{samples}f", *(byte / 256 for byte in data[:samples]))
        (folder / f"r{i:06}.wav").write_bytes(wav_of(data, kind))


def spec_of(folder: pathlib.Path, minibatch_size: int) -> str:
    read = {
        "order": "file",
        "unit": "sequences",
        "minibatch_size": minibatch_size,
        "packing": "ragged",
        "sweeps": 1,
    }
    return json.dumps({"data": {"files": str(folder / "*.wav")}, "read": read})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    program = options.build.resolve() / "bench" / "sheaf_read_spec"
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        for name, kind in ENCODINGS.items():
            write_files(root / name, 400, 10 * RATE, kind)
            (root / f"{name}.json").write_text(spec_of(root / name, 8))
        write_files(root / "small", 20_000, RATE // 100, ENCODINGS["pcm16"])
        (root / "small.json").write_text(spec_of(root / "small", 64))
        for _ in range(options.runs):  # in turns, since the speed of a machine varies
            for name in [*ENCODINGS, "small"]:
                done = subprocess.run(
                    [program, str(root / f"{name}.json"), str(options.threads)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != 0:
                    sys.exit(done.stderr)
                found.setdefault(name, []).append(json.loads(done.stdout))
    for name, runs in found.items():
        rates = [run["bytes"] / run["processor_seconds"] / 1e9 for run in runs]
        parts = [
            run["bytes"] / run["processor_seconds"] / run["copied_bytes_per_second"] for run in runs
        ]
        print(
            f"{name:8} {statistics.median(rates):5.2f} GB of float32 per processor second, "
            f"{statistics.median(parts):.2f} of memcpy ({min(parts):.2f} to {max(parts):.2f}), "
            f"{statistics.median(run['seconds'] for run in runs):.3f} s, "
            f"{runs[0]['bytes'] / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    main()
