#!/usr/bin/env python3
"""Measure a shuffled epoch to torch tensors against a gather written by hand.

    bench/torch_epoch.py [--kinds ragged,sparse,dense] [--sequences 200000] [--runs 9]
                         [--batch-size 256] [--folder FOLDER]

Each kind of data is made from a seed and written twice: as NumPy arrays and as a CBF file.

ragged  20 to 179 ids for each sequence, as floats
sparse  up to 49 pairs of an index below 100,000 and a value
dense   a row of 100 floats

`hand` maps the arrays into memory, shuffles the sequences, gathers the sequences of each batch with
NumPy, and converts them to tensors. `sheaf` iterates over a SheafDataset in order `keyed`. Both
open their files in each run and take turns. The table has the median clock seconds, the median
processor seconds, and the ratio of the clock seconds within a run: the median, the minimum and the
maximum. Needs torch (bench/requirements.txt).
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

import sheaf
from sheaf.torch import SheafDataset

DIM, IDS, INDICES = 100, 30_000, 100_000
Arrays = dict[str, np.ndarray]


class Kind:
    """Makes the arrays of one kind of data and batches of them."""

    def __init__(self, stream: sheaf.Stream, packing: str, counted: str) -> None:
        self.stream, self.packing, self.counted = stream, packing, counted

    def arrays(self, rng: np.random.Generator, count: int) -> Arrays:
        raise NotImplementedError

    def column(self, arrays: Arrays) -> Any:
        raise NotImplementedError

    def batch(self, arrays: Arrays, sequences: np.ndarray) -> list[torch.Tensor]:
        raise NotImplementedError


def places(offsets: np.ndarray, sequences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets of the values of some sequences, back to back, and the value counts."""
    lengths = offsets[sequences + 1] - offsets[sequences]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1]) + np.repeat(offsets[sequences] - ends + lengths, lengths), lengths


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths)))


class Dense(Kind):
    def __init__(self) -> None:
        super().__init__(sheaf.Stream(dim=DIM), "frames", "values")

    def arrays(self, rng: np.random.Generator, count: int) -> Arrays:
        return {"x": rng.standard_normal((count, DIM), dtype="f4")}

    def column(self, arrays: Arrays) -> Any:
        return arrays["x"]

    def batch(self, arrays: Arrays, sequences: np.ndarray) -> list[torch.Tensor]:
        return [torch.from_numpy(arrays["x"][sequences])]


class Ragged(Kind):
    def __init__(self) -> None:
        super().__init__(sheaf.Stream(dim=1, dtype="float32"), "ragged", "lengths")

    def arrays(self, rng: np.random.Generator, count: int) -> Arrays:
        offsets = offsets_of(rng.integers(20, 180, count))
        return {"x": rng.integers(0, IDS, offsets[-1]).astype("f4"), "offsets": offsets}

    def column(self, arrays: Arrays) -> Any:
        return arrays["x"][:, None], np.diff(arrays["offsets"])

    def batch(self, arrays: Arrays, sequences: np.ndarray) -> list[torch.Tensor]:
        where, lengths = places(arrays["offsets"], sequences)
        return [torch.from_numpy(array) for array in (arrays["x"][where], lengths)]


class Sparse(Kind):
    def __init__(self) -> None:
        super().__init__(sheaf.Stream(dim=INDICES, sparse=True), "ragged", "lengths")

    def arrays(self, rng: np.random.Generator, count: int) -> Arrays:
        drawn = [np.unique(rng.integers(0, INDICES, rng.integers(10, 50))) for _ in range(count)]
        offsets = offsets_of(np.array([len(each) for each in drawn]))
        values = rng.standard_normal(offsets[-1], dtype="f4")
        return {"indices": np.concatenate(drawn).astype("i4"), "values": values, "offsets": offsets}

    def column(self, arrays: Arrays) -> Any:
        return SimpleNamespace(
            data=arrays["values"], indices=arrays["indices"], indptr=arrays["offsets"]
        )

    def batch(self, arrays: Arrays, sequences: np.ndarray) -> list[torch.Tensor]:
        where, lengths = places(arrays["offsets"], sequences)
        gathered = arrays["indices"][where], arrays["values"][where], lengths
        return [torch.from_numpy(array) for array in gathered]


KINDS: dict[str, Callable[[], Kind]] = {"ragged": Ragged, "sparse": Sparse, "dense": Dense}


def write(kind: Kind, arrays: Arrays, count: int, folder: pathlib.Path) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    with sheaf.Writer(folder / "data.cbf", {"x": kind.stream}) as writer:
        writer.write_batch(np.arange(count), {"x": kind.column(arrays)})


def hand(kind: Kind, names: list[str], folder: pathlib.Path, batch_size: int) -> int:
    """Make the batches of an epoch by hand. Returns the number of sequences."""
    # Read the offsets into memory, since they are small and each batch needs them.
    arrays: Arrays = {
        name: np.load(folder / f"{name}.npy", mmap_mode=None if name == "offsets" else "r")
        for name in names
    }
    count = len(arrays["offsets"]) - 1 if "offsets" in arrays else len(arrays["x"])
    order = np.random.default_rng(2).permutation(count)
    come = 0
    for begin in range(0, count, batch_size):
        come += len(kind.batch(arrays, order[begin : begin + batch_size])[-1])
    return come


def epoch(kind: Kind, folder: pathlib.Path, batch_size: int) -> int:
    """Make the batches of an epoch with sheaf. Returns the number of sequences."""
    data = SheafDataset(
        folder / "data.cbf", batch_size=batch_size, order="keyed", packing=kind.packing
    )
    return sum(len(batch["x"][kind.counted]) for batch in data)


def timed(program: Callable[[], int]) -> tuple[float, float, int]:
    clock, processors = time.perf_counter(), time.process_time()
    count = program()
    return time.perf_counter() - clock, time.process_time() - processors, count


def measure(name: str, options: argparse.Namespace, folder: pathlib.Path) -> str:
    kind = KINDS[name]()
    arrays = kind.arrays(np.random.default_rng(1), options.sequences)
    write(kind, arrays, options.sequences, folder)
    names = list(arrays)
    del arrays
    programs = {
        "hand": lambda: hand(kind, names, folder, options.batch_size),
        "sheaf": lambda: epoch(kind, folder, options.batch_size),
    }
    found: dict[str, list[tuple[float, float, int]]] = {program: [] for program in programs}
    for _ in range(options.runs + 1):
        for program, run in programs.items():
            found[program].append(timed(run))
            if found[program][-1][2] != options.sequences:
                raise SystemExit(f"{name}, {program}: {found[program][-1][2]} sequences came")
    by_hand, by_sheaf = found["hand"][1:], found["sheaf"][1:]  # the first run is a warm-up
    ratios = [ours[0] / theirs[0] for ours, theirs in zip(by_sheaf, by_hand, strict=True)]
    cells = [name]
    for runs in (by_hand, by_sheaf):
        cells += [f"{statistics.median(run[i] for run in runs):.3f}" for i in (0, 1)]
    cells += [f"{each:.2f}" for each in (statistics.median(ratios), min(ratios), max(ratios))]
    return row(cells)


def row(cells: list[str]) -> str:
    return f"{cells[0]:<8}" + "".join(f"{cell:>11}" for cell in cells[1:])


def folders(kinds: list[str], folder: pathlib.Path | None) -> Iterator[tuple[str, pathlib.Path]]:
    """Yield a temporary folder for each kind. It exists while the kind is measured."""
    for kind in kinds:
        with tempfile.TemporaryDirectory(dir=folder) as path:
            yield kind, pathlib.Path(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--sequences", type=int, default=200_000)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"kinds are {', '.join(KINDS)}, not {unknown[0]}")
    print(row(["", "hand s", "cpu s", "sheaf s", "cpu s", "ratio", "least", "most"]))
    for kind, folder in folders(kinds, options.folder):
        print(measure(kind, options, folder), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
