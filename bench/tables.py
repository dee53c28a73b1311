#!/usr/bin/env python3
"""Measure one shuffled epoch of a table to torch tensors, by sheaf and by other packages.

    bench/tables.py [--kinds ragged,sparse,dense] [--rows 200000] [--runs 5] [--batch-size 256]
                    [--programs all] [--threads N] [--folder FOLDER] [--json FILE]

The data come from bench/torch_epoch.py. Each package reads the data in its own format, which is
written before the clock runs. A run opens the data and takes every batch as tensors: either the
values of all rows back to back with their lengths, or a matrix. No program has worker processes.
The programs take turns after one warm-up run. Each run is checked by the number of rows and the sum
of the values.

sheaf ...            SheafDataset in order `keyed`, with a window of all rows, from an Arrow file,
                     Parquet, and CBF
NumPy                arrays mapped into memory, gathered by hand for each batch
pyarrow              `take` on a table that is mapped into memory
datasets, indices    Hugging Face: shuffle(), and iter() through the indices mapping
datasets, flattened  the same after flatten_indices(), which the clock includes
datasets, buffer     to_iterable_dataset() and a buffer of 10,000 rows: no exact shuffle
Mosaic, LitData      in their own order
WebDataset           shuffled shards and a buffer of 10,000 rows: no exact shuffle
Grain                a global shuffle over ArrayRecord with 1 record a group
lists                a list of arrays in memory

The tables have the clock seconds (median, minimum and maximum), the processor seconds, and the
ratio to the first program within a run. The script prints the load of the machine before and after.
Packages that are not installed are listed as missing. Needs torch and pyarrow beside sheaf, and the
packages to measure: datasets, mosaicml-streaming (which imports torchvision), litdata, webdataset,
grain, array_record.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import torch_epoch
from others.tables_peers import PEERS, Batch, Peer, Sample

import sheaf
from sheaf.torch import SheafDataset

BATCH_ROWS = 1000  # rows in a batch of Arrow, as `datasets` writes them
GROUP_ROWS = 10_000  # rows in a group of Parquet
SHEAF_FILES = {"Arrow": "table.arrow", "Parquet": "table.parquet", "CBF": "data.cbf"}

Times = dict[str, list[tuple[float, float]]]  # clock and processor seconds of each run, by program


def table_of(arrays: Sample) -> pa.Table:
    """Return the arrays of a kind as a table of one column."""
    if "offsets" not in arrays:
        return pa.table({"x": pa.FixedSizeListArray.from_arrays(arrays["x"].ravel(), 100)})
    offsets = pa.array(arrays["offsets"].astype("i4"))
    lists = {
        name: pa.ListArray.from_arrays(offsets, pa.array(values))
        for name, values in arrays.items()
        if name != "offsets"
    }
    column = next(iter(lists.values())) if len(lists) == 1 else None
    if column is None:
        column = pa.StructArray.from_arrays(list(lists.values()), names=list(lists))
    return pa.table({"x": column})


def write_tables(folder: pathlib.Path, kind: torch_epoch.Kind, arrays: Sample, count: int) -> None:
    torch_epoch.write(kind, arrays, count, folder)  # makes data.cbf, and a NumPy file for each
    # array
    table = table_of(arrays)
    for name, new in (("table.arrow", pa.ipc.new_file), ("table.stream", pa.ipc.new_stream)):
        with pa.OSFile(str(folder / name), "wb") as file, new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=BATCH_ROWS)
    pq.write_table(table, folder / "table.parquet", row_group_size=GROUP_ROWS)


def by_sheaf(
    path: pathlib.Path, kind: torch_epoch.Kind, size: int, threads: int | None
) -> Iterator[Batch]:
    """Yield the batches of a SheafDataset in the form of the other programs."""
    stream = kind.stream
    options = {"order": "keyed", "window": "all", "batch_size": size, "packing": kind.packing}
    for batch in SheafDataset(path, {"x": stream}, num_threads=threads or "auto", **options):
        found = batch["x"]
        if stream.sparse:
            yield [found["indices"], found["weights"], found["lengths"]]
        elif kind.packing == "frames":
            yield [found["values"]]
        else:
            yield [found["values"], found["lengths"]]


def by_numpy(
    folder: pathlib.Path, kind: torch_epoch.Kind, names: list[str], size: int
) -> Iterator[Batch]:
    arrays: Sample = {
        name: np.load(folder / f"{name}.npy", mmap_mode=None if name == "offsets" else "r")
        for name in names
    }
    count = len(arrays["offsets"]) - 1 if "offsets" in arrays else len(arrays["x"])
    order = np.random.default_rng(2).permutation(count)
    for begin in range(0, count, size):
        yield kind.batch(arrays, order[begin : begin + size])


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the children that it waited for."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def timed(epoch: Callable[[], Iterator[Batch]]) -> tuple[float, float, int, float]:
    """Return the clock seconds, the processor seconds, the row count and the sum of the values."""
    clock, processors = time.perf_counter(), processor_seconds()
    rows, total = 0, torch.zeros((), dtype=torch.float64)
    for batch in epoch():
        rows += len(batch[-1])
        total += batch[0].sum(dtype=torch.float64)
    return time.perf_counter() - clock, processor_seconds() - processors, rows, total.item()


def peers(wanted: list[str]) -> tuple[dict[str, Peer], list[str]]:
    """Return the installed peers, and the reasons why others are missing."""
    found, missing = {}, []
    for name, make in PEERS.items():
        if wanted != ["all"] and name not in wanted:
            continue
        try:
            found[name] = make()
        except ImportError as error:
            missing.append(f"{name} ({error})")
    return found, missing


def measure(
    name: str, options: argparse.Namespace, folder: pathlib.Path, others: dict[str, Peer]
) -> Times:
    kind = torch_epoch.KINDS[name]()
    size = options.batch_size
    arrays = kind.arrays(np.random.default_rng(1), options.rows)
    write_tables(folder, kind, arrays, options.rows)
    programs: dict[str, Callable[[], Iterator[Batch]]] = {
        f"sheaf, {title}": lambda file=file: by_sheaf(folder / file, kind, size, options.threads)
        for title, file in SHEAF_FILES.items()
    }
    programs["NumPy"] = lambda: by_numpy(folder, kind, list(arrays), size)
    for title, peer in others.items():
        peer.write(folder, arrays, options.rows)
        programs[title] = lambda peer=peer: peer.epoch(folder, size)
    total = float(next(iter(arrays.values())).sum(dtype="f8"))
    found: Times = {title: [] for title in programs}
    for run in range(options.runs + 1):
        for title, program in programs.items():
            clock, processors, rows, come = timed(program)
            if rows != options.rows or abs(come - total) > 1e-6 * max(1.0, abs(total)):
                raise SystemExit(f"{name}, {title}: {rows} rows came, whose sum is {come}")
            if run > 0:  # the first run is a warm-up
                found[title].append((clock, processors))
    return found


def print_table(name: str, times: Times) -> None:
    print(f"\n{name:<22}{'seconds':>9}{'least':>9}{'most':>9}{'cpu s':>9}{'ratio':>9}")
    first = next(iter(times.values()))
    for title, runs in times.items():
        clock = [run[0] for run in runs]
        ratio = statistics.median(run[0] / base[0] for run, base in zip(runs, first, strict=True))
        cells = [statistics.median(clock), min(clock), max(clock)]
        cells += [statistics.median(run[1] for run in runs), ratio]
        print(f"{title:<22}" + "".join(f"{cell:9.3f}" for cell in cells), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default=",".join(torch_epoch.KINDS))
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, help="of sheaf; one for each processor")
    parser.add_argument("--programs", default="all", help="names of other programs, or all")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in torch_epoch.KINDS]:
        parser.error(f"kinds are {', '.join(torch_epoch.KINDS)}, not {unknown[0]}")
    wanted = [each.strip() for each in options.programs.split(";")]
    if unknown := [each for each in wanted if each not in ("all", *PEERS)]:
        parser.error(f"programs, parted by semicolons, are {'; '.join(PEERS)}: not {unknown[0]}")
    others, missing = peers(wanted)
    warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
    report: dict[str, Any] = {"rows": options.rows, "batch_size": options.batch_size, "kinds": {}}
    report["load_before"] = os.getloadavg()
    print(f"{options.rows} rows, batches of {options.batch_size}, {options.runs} runs, sheaf "
          f"{sheaf.__version__}, load {os.getloadavg()[0]:.2f}")  # fmt: skip
    for kind, folder in torch_epoch.folders(kinds, options.folder):
        report["kinds"][kind] = measure(kind, options, folder, others)
        print_table(kind, report["kinds"][kind])
    report["load_after"] = os.getloadavg()
    print(f"\nload {os.getloadavg()[0]:.2f}" + "".join(f"\nmissing: {each}" for each in missing))
    if options.json is not None:
        with tempfile.NamedTemporaryFile(
            "w", dir=options.json.parent, delete=False, suffix=".json"
        ) as file:
            json.dump(report, file, indent=1)
        os.replace(file.name, options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
