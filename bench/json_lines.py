#!/usr/bin/env python3
"""Measure a shuffled epoch of JSON Lines to torch tensors against a DataLoader over json.loads.

    bench/json_lines.py [--kinds ragged,sparse,dense] [--rows 50000] [--runs 5] [--batch-size 256]
                        [--threads N] [--folder FOLDER]

The data come from bench/torch_epoch.py. The text has the shortest digits of each float32 number.
`loads` is a DataLoader without worker processes over a data set that maps the file into memory,
calls json.loads for a row, and makes tensors of its lists. It knows where the rows begin. `sheaf`
iterates over a SheafDataset in order `keyed`, without an index file. The programs take turns after
one warm-up run. Each run is checked by the number of rows and the sum of the values. The table has
the median processor seconds, and the ratio within a run: the median, the minimum and the maximum.
Needs torch.
"""

from __future__ import annotations

import argparse
import json
import mmap
import pathlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch_epoch
from torch.utils.data import DataLoader, Dataset

from sheaf.torch import SheafDataset

Batch = list[torch.Tensor]  # the values come first, the lengths or the rows last
Row = dict[str, Any]


def numbers(array: np.ndarray) -> list[Any]:
    """Return numbers that json writes with the digits of their type."""
    is_whole = bool((array == np.trunc(array)).all())
    return [int(each) if is_whole else float(str(each)) for each in array]


def write(path: pathlib.Path, arrays: torch_epoch.Arrays, count: int) -> None:
    offsets = arrays.get("offsets")
    with path.open("w") as file:
        for row in range(count):
            part = slice(offsets[row], offsets[row + 1]) if offsets is not None else row
            value: Any = numbers(arrays["x" if "x" in arrays else "values"][part])
            if "indices" in arrays:
                value = {"indices": arrays["indices"][part].tolist(), "values": value}
            file.write(json.dumps({"x": value}) + "\n")


class Rows(Dataset[Row]):
    """The rows of a file, parsed one by one."""

    def __init__(self, path: pathlib.Path) -> None:
        with path.open("rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        ends = np.flatnonzero(np.frombuffer(self._text, dtype="u1") == ord("\n")) + 1
        self._offsets = [0, *ends.tolist()]

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> Row:
        return json.loads(self._text[self._offsets[row] : self._offsets[row + 1]])


def collated(rows: list[Row]) -> Batch:
    values = [row["x"] for row in rows]
    if isinstance(values[0], dict):
        lists = [[each[name] for each in values] for name in ("values", "indices")]
    else:
        lists = [values]
    types = (torch.float32, torch.int32)
    joined = [
        torch.cat([torch.tensor(each, dtype=dtype) for each in column])
        for column, dtype in zip(lists, types, strict=False)
    ]
    return [*joined, torch.tensor([len(each) for each in lists[0]])]


def by_loads(path: pathlib.Path, size: int) -> Iterator[Batch]:
    yield from DataLoader(Rows(path), batch_size=size, shuffle=True, collate_fn=collated)


def by_sheaf(
    path: pathlib.Path, kind: torch_epoch.Kind, size: int, threads: int | None
) -> Iterator[Batch]:
    data = SheafDataset(
        path,
        {"x": kind.stream},
        order="keyed",
        batch_size=size,
        packing=kind.packing,
        index="off",
        num_threads=threads or "auto",
    )
    for batch in data:
        found = batch["x"]
        values = found["weights" if kind.stream.sparse else "values"]
        yield [values, found[kind.counted]]


def timed(epoch: Callable[[], Iterator[Batch]]) -> tuple[float, int, float]:
    """Return the processor seconds, the row count and the sum of the values."""
    processors = time.process_time()
    rows, total = 0, torch.zeros((), dtype=torch.float64)
    for batch in epoch():
        rows += len(batch[-1])
        total += batch[0].sum(dtype=torch.float64)
    return time.process_time() - processors, rows, total.item()


def measure(name: str, options: argparse.Namespace, folder: pathlib.Path) -> str:
    kind = torch_epoch.KINDS[name]()
    arrays = kind.arrays(np.random.default_rng(1), options.rows)
    path = folder / "rows.jsonl"
    write(path, arrays, options.rows)
    programs: dict[str, Callable[[], Iterator[Batch]]] = {
        "loads": lambda: by_loads(path, options.batch_size),
        "sheaf": lambda: by_sheaf(path, kind, options.batch_size, options.threads),
    }
    total = float(arrays["x" if "x" in arrays else "values"].sum(dtype="f8"))
    seconds: dict[str, list[float]] = {program: [] for program in programs}
    for run in range(options.runs + 1):
        for program, epoch in programs.items():
            spent, rows, come = timed(epoch)
            if rows != options.rows or abs(come - total) > 1e-5 * max(1.0, abs(total)):
                raise SystemExit(f"{name}, {program}: {rows} rows came, whose sum is {come}")
            if run > 0:  # the first run is a warm-up
                seconds[program].append(spent)
    ratios = [a / b for a, b in zip(seconds["loads"], seconds["sheaf"], strict=True)]
    cells = [name, f"{path.stat().st_size / 1e6:.0f}"]
    cells += [f"{statistics.median(each):.3f}" for each in seconds.values()]
    cells += [f"{each:.1f}" for each in (statistics.median(ratios), min(ratios), max(ratios))]
    return torch_epoch.row(cells)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default=",".join(torch_epoch.KINDS))
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--threads", type=int, help="of sheaf; one for each processor")
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in torch_epoch.KINDS]:
        parser.error(f"kinds are {', '.join(torch_epoch.KINDS)}, not {unknown[0]}")
    print(torch_epoch.row(["", "MB", "loads s", "sheaf s", "ratio", "least", "most"]))
    for kind, folder in torch_epoch.folders(kinds, options.folder):
        print(measure(kind, options, folder), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
