"""Orders, workers, resuming and packing give the same results for every format of columns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sheaf

ROWS = 120
ORDERS = {
    "plain": {"batch_size": 10},
    "bucketed": {"batch_size": 10, "batching": "bucketed"},
    "samples": {"minibatch_samples": 40, "batching": "bucketed"},
    "packed": {"batch_size": 4, "packing": "packed", "row_samples": 16, "long": "split"},
}


def rows():
    """Return the token ids of each row."""
    lengths = np.random.default_rng(5).integers(1, 12, ROWS)
    return [[100 * (row % 50) + token for token in range(n)] for row, n in enumerate(lengths)]


@pytest.fixture(params=["arrow", "parquet", "hugging_face", "jsonl", "csv", "megatron"])
def data(request, tmp_path):
    """Return the rows in a format, and the options that read them."""
    kind = request.param
    streams = {"tokens": sheaf.Stream(dim=1, dtype="int32")}
    options: dict = {"streams": streams}
    if kind in ("parquet", "hugging_face"):
        pa = pytest.importorskip("pyarrow")
        table = pa.table({"tokens": pa.array(rows(), pa.list_(pa.int32()))})
        if kind == "hugging_face":
            datasets = pytest.importorskip("datasets")
            return sheaf.from_hugging_face(datasets.Dataset(table)), options
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(table, tmp_path / "rows.parquet", row_group_size=9)
        return tmp_path / "rows.parquet", options
    path = tmp_path / ("rows.idx" if kind == "megatron" else f"rows.{kind}")
    key = {"csv": {"csv.key": "id"}, "jsonl": {"jsonl.key": "id"}}.get(kind, {})
    with sheaf.Writer(path, streams, format_options=key, chunk_size_bytes=600) as writer:
        lengths = [len(row) for row in rows()]
        values = np.array(list(itertools.chain(*rows())), dtype="i4")[:, None]
        writer.write_batch(np.arange(ROWS), {"tokens": (values, lengths)})
    return path, {**options, "format_options": key, "chunk_size": 600}


def open_reader(data, **options):
    source, own = data
    return sheaf.Reader(source, **{"order": "keyed", "seed": 7, "sweeps": 2, **own, **options})


def steps(reader):
    return [sorted(minibatch.sequence_keys.tolist()) for minibatch in reader]


def together(readers):
    """Return the keys of each step, over all readers."""
    return [sorted(itertools.chain(*parts)) for parts in zip(*map(steps, readers), strict=True)]


@pytest.mark.parametrize("order", ORDERS)
def test_a_sweep_has_the_tokens_of_each_row_once(data, order):
    found: dict[int, list[int]] = {}
    for minibatch in open_reader(data, **ORDERS[order], sweeps=1):
        batch = minibatch["tokens"]
        if order == "packed":
            assert batch.values.shape[0] == 16
        for number, key in enumerate(minibatch.sequence_keys.tolist()):
            # The order may cut rows. Their tokens ascend.
            found.setdefault(key, []).extend(np.ravel(batch.samples(number)).tolist())
    assert {key: sorted(tokens) for key, tokens in found.items()} == dict(enumerate(rows()))
    assert list(found) != sorted(found)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("world_size", [2, 3])
def test_workers_deliver_the_steps_of_one_worker(data, order, world_size):
    whole = steps(open_reader(data, **ORDERS[order]))
    readers = [
        open_reader(data, **ORDERS[order], rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]
    assert together(readers) == whole
    assert len(whole) > 10


@pytest.mark.parametrize("order", ORDERS)
def test_a_run_goes_on_with_another_number_of_workers(data, order):
    whole = steps(open_reader(data, **ORDERS[order]))
    for begin, before, after in ((1, 1, 1), (4, 2, 3), (9, 3, 1)):
        first = [
            open_reader(data, **ORDERS[order], rank=rank, world_size=before)
            for rank in range(before)
        ]
        begun = together([itertools.islice(reader, begin) for reader in first])
        state = first[-1].state_dict()
        others = [
            open_reader(data, **ORDERS[order], rank=rank, world_size=after) for rank in range(after)
        ]
        for reader in others:
            reader.load_state_dict(state)
        assert begun + together(others) == whole
