#!/usr/bin/env python3
"""Load a text file as a user of another package would: all its numbers in memory, as arrays.

    .venv-bench/bin/python bench/others/peers.py PEER FILE [--text csv|libsvm|home] [--threads N]

Prints JSON: the seconds of loading without imports, the count of loaded numbers (null if the
package does not tell), the peak memory of the process, and the version of the package. The exit
code is 3 if the package is not installed; make bench-setup installs all packages.
"""

from __future__ import annotations

import argparse
import array
import importlib.metadata
import json
import os
import pathlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Numbers = int | None
Load = Callable[[], Numbers]


@dataclass
class Task:
    path: str
    text: str
    threads: int

    def columns(self) -> list[str]:
        """Return names for the columns of a CSV file without names."""
        with open(self.path, "rb") as file:
            return [f"c{i}" for i in range(file.readline().count(b",") + 1)]


def pyarrow_csv(task: Task) -> Load:
    import pyarrow
    from pyarrow import csv

    pyarrow.set_cpu_count(task.threads)
    names = task.columns()
    read = csv.ReadOptions(column_names=names)
    convert = csv.ConvertOptions(column_types={name: pyarrow.float32() for name in names})

    def load() -> Numbers:
        table = csv.read_csv(task.path, read_options=read, convert_options=convert)
        return int(table.num_rows * table.num_columns)

    return load


def polars_csv(task: Task) -> Load:
    os.environ["POLARS_MAX_THREADS"] = str(task.threads)
    import polars

    schema = {name: polars.Float32 for name in task.columns()}

    def load() -> Numbers:
        frame = polars.read_csv(task.path, has_header=False, schema=schema)
        return int(frame.height * frame.width)

    return load


def pandas_csv(task: Task, **options: str) -> Load:
    import numpy
    import pandas

    return lambda: int(
        pandas.read_csv(task.path, header=None, dtype=numpy.float32, engine="c", **options).size
    )


def pandas_round_trip(task: Task) -> Load:
    return pandas_csv(task, float_precision="round_trip")


def numpy_loadtxt(task: Task) -> Load:
    import numpy

    return lambda: int(numpy.loadtxt(task.path, delimiter=",", dtype=numpy.float32).size)


def scikit_learn(task: Task) -> Load:
    import numpy
    from sklearn.datasets import load_svmlight_file

    def load() -> Numbers:
        features, labels = load_svmlight_file(task.path, dtype=numpy.float32)
        return int(2 * features.nnz + labels.size)

    return load


def xgboost_matrix(task: Task) -> Load:
    import xgboost

    def load() -> Numbers:
        matrix = xgboost.DMatrix(f"{task.path}?format={task.text}", nthread=task.threads)
        count = matrix.num_nonmissing()
        return count if task.text == "csv" else 2 * count + int(matrix.num_row())

    return load


def lightgbm_dataset(task: Task) -> Load:
    """Load a Dataset, which also sorts the values into the bins of LightGBM."""
    import lightgbm

    options = {"verbosity": -1, "num_threads": task.threads, "header": False}

    def load() -> Numbers:
        lightgbm.Dataset(task.path, params=options).construct()
        return None

    return load


Field = tuple["array.array[int]", "array.array[float]"]  # indices, none for a dense stream; values


def parse_row(row: bytes) -> list[Field]:
    """Parse the streams of a CTF row, or label and features of a LibSVM row."""
    if b"|" in row:
        parts = [field.partition(b" ")[2] for field in row.split(b"|")[1:]]
    else:
        parts = list(row.partition(b" ")[::2])
    fields: list[Field] = []
    for part in parts:
        numbers = part.replace(b":", b" ").split()
        every = 2 if b":" in part else 1
        indices = map(int, numbers[::2]) if every == 2 else ()
        values = map(float, numbers[every - 1 :: every])
        fields.append((array.array("q", indices), array.array("f", values)))
    return fields


def python_loop(task: Task) -> Load:
    def load() -> Numbers:
        streams: dict[int, tuple[array.array[int], array.array[float], array.array[int]]] = {}
        keys = array.array("q")
        with open(task.path, "rb") as file:
            for row in file:
                if row[:1].isdigit() and b"|" in row:
                    keys.append(int(row.split(None, 1)[0]))
                for i, (indices, values) in enumerate(parse_row(row)):
                    if i not in streams:
                        streams[i] = array.array("q"), array.array("f"), array.array("q")
                    streams[i][0].extend(indices)
                    streams[i][1].extend(values)
                    streams[i][2].append(len(streams[i][1]))
        return len(keys) + sum(len(i) + len(v) for i, v, _ in streams.values())

    return load


def sequences(path: str) -> Iterator[tuple[int, int, int]]:
    """Yield offset, size and id count of each sequence: one row, or rows with the same id."""
    at = begin = ids = 0
    last: bytes | None = None
    with open(path, "rb") as file:
        for row in file:
            key = row.split(b"|", 1)[0].strip() if b"|" in row else b""
            if at > begin and (not key or key != last):
                yield begin, at - begin, ids
                begin, ids = at, 0
            last = key
            ids += bool(key)
            at += len(row)
    yield begin, at - begin, ids


def data_loader(task: Task, workers: int) -> Load:
    """Load with a map-style dataset over the offsets of sequences, shuffled, in batches of 256."""
    import numpy
    import torch
    from torch.utils import data

    class Sequences(data.Dataset[list[list[Field]]]):
        def __init__(self) -> None:
            self.places = numpy.array(list(sequences(task.path)), dtype=numpy.int64)
            self.file = os.open(task.path, os.O_RDONLY)

        def __len__(self) -> int:
            return len(self.places)

        def __getitem__(self, i: int) -> list[list[Field]]:
            begin, size, _ = (int(n) for n in self.places[i])
            return [parse_row(row) for row in os.pread(self.file, size, begin).splitlines()]

    def collate(batch: list[list[list[Field]]]) -> list[tuple[torch.Tensor, ...]]:
        """Return, for each stream, the indices, the values and the end of each row."""
        streams = []
        for fields in zip(*(row for rows in batch for row in rows), strict=True):
            indices, values = array.array("q"), array.array("f")
            for more_indices, more_values in fields:
                indices.extend(more_indices)
                values.extend(more_values)
            ends = numpy.cumsum([len(field[1]) for field in fields])
            streams.append(
                tuple(map(torch.from_numpy, map(numpy.asarray, (indices, values, ends))))
            )
        return streams

    def load() -> Numbers:
        torch.set_num_threads(1)
        torch.manual_seed(1)
        dataset = Sequences()
        count = int(dataset.places[:, 2].sum())
        batches = data.DataLoader(
            dataset,
            batch_size=256,
            shuffle=True,
            num_workers=workers,
            collate_fn=collate,
            multiprocessing_context="fork" if workers else None,
        )
        for batch in batches:
            count += sum(indices.numel() + values.numel() for indices, values, _ in batch)
        return count

    return load


@dataclass(frozen=True)
class Peer:
    package: str  # name for pip; empty for a program without a package
    texts: tuple[str, ...]  # "home" is the text that sheaf reads, CTF or LibSVM
    prepare: Callable[[Task], Load]
    threads: int = 1  # 0 means the number from the command line


PEERS = {
    "pyarrow.csv": Peer("pyarrow", ("csv",), pyarrow_csv, 0),
    "polars": Peer("polars", ("csv",), polars_csv, 0),
    "pandas": Peer("pandas", ("csv",), pandas_csv),
    "pandas round_trip": Peer("pandas", ("csv",), pandas_round_trip),
    "numpy.loadtxt": Peer("numpy", ("csv",), numpy_loadtxt),
    "scikit-learn": Peer("scikit-learn", ("libsvm",), scikit_learn),
    "xgboost DMatrix": Peer("xgboost-cpu", ("csv", "libsvm"), xgboost_matrix, 0),
    "lightgbm Dataset": Peer("lightgbm", ("csv", "libsvm"), lightgbm_dataset, 0),
    "torch DataLoader 0": Peer("torch", ("home",), lambda task: data_loader(task, 0)),
    "torch DataLoader 2": Peer("torch", ("home",), lambda task: data_loader(task, 2), 2),
    "python loop": Peer("", ("home",), python_loop),
}


def peak_rss_bytes() -> int:
    """Return the peak memory of this process. getrusage() would include that of its parent."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--text", choices=("csv", "libsvm", "home"), default="home")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    warnings.simplefilter("ignore")
    peer = PEERS[options.peer]
    try:
        load = peer.prepare(Task(str(options.file), options.text, options.threads))
        version = importlib.metadata.version(peer.package) if peer.package else ""
    except ImportError as error:
        print(error, file=sys.stderr)
        return 3
    start = time.perf_counter()
    numbers = load()
    seconds = time.perf_counter() - start
    result = {"seconds": seconds, "numbers": numbers, "peak_rss_bytes": peak_rss_bytes()}
    print(json.dumps(result | {"version": version}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
