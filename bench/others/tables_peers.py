"""Peers for bench/tables.py: one shuffled epoch to torch tensors by other packages.

A peer writes a table once in its own format and then yields the batches of an epoch. Packages with
Python objects as samples share `collated`, which joins samples to a batch with NumPy.
"""

from __future__ import annotations

import pathlib
import pickle
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
import torch

Sample = dict[str, np.ndarray]
Batch = list[torch.Tensor]
SHARD_BYTES = 16 << 20  # shard size of Mosaic, LitData and WebDataset
BUFFER_ROWS = 10_000  # buffer size of packages that shuffle in a buffer


def samples_of(arrays: Sample, rows: Iterable[int]) -> Iterator[Sample]:
    """Yield the rows of a table one by one."""
    offsets = arrays.get("offsets")
    names = [name for name in arrays if name != "offsets"]
    for row in rows:
        part = slice(offsets[row], offsets[row + 1]) if offsets is not None else row
        yield {name: arrays[name][part] for name in names}


def collated(samples: list[Sample]) -> Batch:
    """Join samples: values back to back with lengths if lengths differ, otherwise a matrix."""
    names = list(samples[0])
    if names == ["x"] and all(len(each["x"]) == len(samples[0]["x"]) for each in samples):
        return [torch.from_numpy(np.stack([each["x"] for each in samples]))]
    lengths = np.array([len(each[names[0]]) for each in samples])
    joined = [np.concatenate([each[name] for each in samples]) for name in names]
    return [*map(torch.from_numpy, joined), torch.from_numpy(lengths)]


def batches_of(samples: Iterable[Sample], size: int) -> Iterator[Batch]:
    kept: list[Sample] = []
    for sample in samples:
        kept.append(sample)
        if len(kept) == size:
            yield collated(kept)
            kept = []
    if kept:
        yield collated(kept)


def tensors_of(column: pa.Array) -> Batch:
    """Convert a column of Arrow to tensors. Copies only if pyarrow must."""
    if pa.types.is_fixed_size_list(column.type):
        values = column.flatten().to_numpy(zero_copy_only=False)
        return [torch.from_numpy(values.reshape(len(column), -1))]
    lists = column.flatten() if pa.types.is_struct(column.type) else [column]
    found = [torch.from_numpy(each.flatten().to_numpy(zero_copy_only=False)) for each in lists]
    return [*found, torch.from_numpy(np.diff(lists[0].offsets.to_numpy()))]


class Peer:
    """A way to read a table. ``folder`` has table.arrow and the files that `write` adds."""

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None: ...

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        raise NotImplementedError


class PyArrow(Peer):
    """Maps the table into memory; `take` gathers the rows of each batch."""

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        with pa.memory_map(str(folder / "table.arrow")) as file:
            table = pa.ipc.open_file(file).read_all()
            order = np.random.default_rng(2).permutation(len(table))
            for first in range(0, len(table), size):
                column = table.take(pa.array(order[first : first + size])).column(0)
                yield tensors_of(column.combine_chunks())


class HuggingFace(Peer):
    def __init__(self, way: str) -> None:
        import datasets

        datasets.disable_progress_bars()
        self._datasets, self._way = datasets, way

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        rows = self._datasets.Dataset.from_file(str(folder / "table.stream"))
        if self._way == "buffer":
            rows = rows.to_iterable_dataset(num_shards=16)
            rows = rows.shuffle(seed=2, buffer_size=BUFFER_ROWS)
        else:
            rows = rows.shuffle(seed=2, keep_in_memory=True)
            if self._way == "flatten":
                rows = rows.flatten_indices(keep_in_memory=True)
        for table in rows.with_format("arrow").iter(batch_size=size):
            yield tensors_of(table.column(0).combine_chunks())


class Mosaic(Peer):
    def __init__(self) -> None:
        import streaming

        self._streaming = streaming

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None:
        names = {name: f"ndarray:{a.dtype}" for name, a in arrays.items() if name != "offsets"}
        out = str(folder / "mds")
        with self._streaming.MDSWriter(out=out, columns=names, size_limit=SHARD_BYTES) as shards:
            for sample in samples_of(arrays, range(count)):
                shards.write(sample)

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        self._streaming.base.util.clean_stale_shared_memory()
        rows = self._streaming.StreamingDataset(
            local=str(folder / "mds"), shuffle=True, shuffle_seed=2, batch_size=size
        )
        yield from batches_of(rows, size)


class LitData(Peer):
    def __init__(self) -> None:
        import litdata
        from litdata.streaming.writer import BinaryWriter

        self._litdata, self._writer = litdata, BinaryWriter

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None:
        chunks = self._writer(str(folder / "chunks"), chunk_bytes=SHARD_BYTES)
        for row, sample in enumerate(samples_of(arrays, range(count))):
            chunks[row] = sample
        chunks.done()
        chunks.merge()

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        rows = self._litdata.StreamingDataset(str(folder / "chunks"), shuffle=True, seed=2)
        yield from batches_of(rows, size)


class WebDataset(Peer):
    def __init__(self) -> None:
        import webdataset

        self._webdataset = webdataset

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None:
        pattern = str(folder / "shard-%06d.tar")
        with self._webdataset.ShardWriter(
            pattern, maxsize=SHARD_BYTES, maxcount=10**9, verbose=0
        ) as shards:
            for row, sample in enumerate(samples_of(arrays, range(count))):
                entries = {f"{name}.npy": value for name, value in sample.items()}
                shards.write({"__key__": f"{row:09d}", **entries})

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        names = sorted(map(str, folder.glob("shard-*.tar")))
        rows = self._webdataset.WebDataset(names, shardshuffle=len(names), seed=2)
        rows = rows.shuffle(BUFFER_ROWS, initial=BUFFER_ROWS).decode()
        kept = (
            {name[:-4]: value for name, value in row.items() if name.endswith(".npy")}
            for row in rows
        )
        yield from batches_of(kept, size)


class Grain(Peer):
    def __init__(self) -> None:
        import grain.python
        from array_record.python.array_record_module import ArrayRecordWriter

        self._grain, self._writer = grain.python, ArrayRecordWriter

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None:
        records = self._writer(str(folder / "table.array_record"), "group_size:1")
        for sample in samples_of(arrays, range(count)):
            records.write(pickle.dumps(sample, protocol=5))
        records.close()

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        grain = self._grain
        records = grain.ArrayRecordDataSource([str(folder / "table.array_record")])
        rows = grain.MapDataset.source(records).seed(2).shuffle().map(pickle.loads)
        yield from rows.batch(size, batch_fn=collated).to_iter_dataset()


class Lists(Peer):
    """Keeps the samples as a list in memory, which is made before the clock runs."""

    def write(self, folder: pathlib.Path, arrays: Sample, count: int) -> None:
        self._samples = list(samples_of(arrays, range(count)))

    def epoch(self, folder: pathlib.Path, size: int) -> Iterator[Batch]:
        order = np.random.default_rng(2).permutation(len(self._samples))
        yield from batches_of((self._samples[row] for row in order.tolist()), size)


PEERS: dict[str, Callable[[], Peer]] = {
    "pyarrow": PyArrow,
    "datasets, indices": lambda: HuggingFace("indices"),
    "datasets, flattened": lambda: HuggingFace("flatten"),
    "datasets, buffer": lambda: HuggingFace("buffer"),
    "Mosaic": Mosaic,
    "LitData": LitData,
    "WebDataset": WebDataset,
    "Grain": Grain,
    "lists": Lists,
}
