"""Minibatches that count the costs that data declare."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf


class Images(sheaf.Deserializer):
    """Sequences of one sample: the number of the sequence. Each sequence has its own cost."""

    cost_name = "pixels"

    def __init__(self, chunks=12, size=40, *, costs=lambda n: 100 + 37 * n % 901):
        self.streams = {"n": sheaf.Stream(dim=1)}
        self.costs = [[costs(c * size + i) for i in range(size)] for c in range(chunks)]

    def chunks(self):
        for costs in self.costs:
            yield sheaf.Chunk(costs=costs)

    def read(self, chunk):
        size = len(self.costs[chunk])
        return {"n": chunk * size + np.arange(size, dtype=np.float32).reshape(-1, 1)}


def costs_of(source, minibatches):
    flat = np.concatenate(source.costs)
    return [flat[minibatch.sequence_keys.astype(int)] for minibatch in minibatches]


@pytest.mark.parametrize("order", ["file", "cntk", "keyed"])
def test_minibatches_count_declared_costs(order):
    source = Images()
    window = {} if order == "file" else {"window_chunks": 4}
    with sheaf.Reader(source, order=order, minibatch_size=5000, unit="cost", **window) as reader:
        costs = costs_of(source, reader)
    assert sum(map(len, costs)) == 480
    slack = 1001 if order == "keyed" else 0
    assert all(each.sum() <= 5000 + slack for each in costs)
    assert np.mean([each.sum() for each in costs]) > 4000


def test_buckets_have_sequences_of_similar_cost():
    source = Images()
    waste = {}
    for batching in ("plain", "bucketed"):
        with sheaf.Reader(
            source, order="keyed", minibatch_size=5000, unit="cost", batching=batching
        ) as reader:
            costs = costs_of(source, reader)
        waste[batching] = sum(len(each) * each.max() - each.sum() for each in costs)
        if batching == "bucketed":
            assert all(len(each) * each.max() <= 5000 for each in costs)
    assert 4 * waste["bucketed"] < waste["plain"]


@pytest.mark.parametrize("batching", ["plain", "bucketed"])
def test_a_run_that_counts_costs_resumes(batching):
    options = {"order": "keyed", "minibatch_size": 5000, "unit": "cost", "batching": batching}
    with sheaf.Reader(Images(), **options) as reader:
        whole = [minibatch.sequence_keys.tolist() for minibatch in reader]
    with sheaf.Reader(Images(), **options) as reader:
        steps = iter(reader)
        first = [next(steps).sequence_keys.tolist() for _ in range(4)]
        state = reader.state_dict()
    with sheaf.Reader(Images(), **options) as reader:
        reader.load_state_dict(state)
        rest = [minibatch.sequence_keys.tolist() for minibatch in reader]
    assert first + rest == whole
    other = sheaf.Reader(Images(costs=lambda n: n), **options)
    with pytest.raises(sheaf.ConfigError), other:
        other.load_state_dict(state)
        next(iter(other))


def test_workers_have_about_equal_costs():
    source = Images()
    sums = []
    for rank in range(3):
        with sheaf.Reader(
            source, order="keyed", minibatch_size=30_000, unit="cost", rank=rank, world_size=3
        ) as reader:
            sums.append([each.sum() for each in costs_of(source, reader)])
    for step in zip(*sums, strict=True):
        assert max(step) - min(step) < 1100


def test_text_declares_its_bytes(tmp_path):
    path = tmp_path / "a.ctf"
    path.write_text("1 |x 1\n2 |x 12345\n3 |x 3\n")
    with sheaf.Reader(path, ["x:dense:1"], minibatch_size=14, unit="cost") as reader:
        assert [minibatch.sequence_keys.tolist() for minibatch in reader] == [[1], [2], [3]]
    with sheaf.Reader(path, ["x:dense:1"], minibatch_size=18, unit="cost") as reader:
        assert [minibatch.sequence_keys.tolist() for minibatch in reader] == [[1, 2], [3]]


class Plain(Images):
    def chunks(self):
        return [40] * 12


def test_data_without_costs_are_refused_with_the_reason():
    with pytest.raises(
        sheaf.ConfigError, match=r"declare no cost.*Plain: the chunks have no costs"
    ):
        next(iter(sheaf.Reader(Plain(), minibatch_size=10, unit="cost")))


def test_wrong_costs_are_refused():
    class Some(Images):
        def chunks(self):
            return [sheaf.Chunk(costs=[1] * 40)] + [40] * 11

    class Unnamed(Images):
        cost_name = ""

    for source, message in (
        (Some(), "chunk 1: either all chunks have costs or none has some"),
        (Images(costs=lambda n: -n), "chunk 0: costs: expected numbers from 0"),
        (Images(costs=lambda n: n / 2), "chunk 0: costs: expected a whole number"),
        (Images(costs=lambda n: 2**61), "costs are not negative, and counted in 64 bits"),
        (Unnamed(), 'cost_name is a text, such as "pixels"'),
    ):
        with pytest.raises(sheaf.ConfigError, match=message):
            next(iter(sheaf.Reader(source, minibatch_size=10, unit="cost")))


def test_a_cost_belongs_to_a_whole_sequence():
    for options in ({"split_frames": True}, {"truncation_length": 3}):
        with pytest.raises(sheaf.ConfigError, match=r'unit[ =]"cost"'):
            next(iter(sheaf.Reader(Images(), minibatch_size=10, unit="cost", **options)))
