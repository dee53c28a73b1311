"""Each iter() is one epoch, which has a length, a number and a position."""

from __future__ import annotations

import os
import sys

import pytest

import sheaf

LENGTHS = [1 + i * 7 % 11 for i in range(40)]
DATA = "".join(f"{i} |x {i} {t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
SMALL_CHUNKS = {"chunk_size_bytes": 200, "index": "off"}
ORDERS = [
    {"minibatch_samples": 12},
    {"batch_size": 7, "sweeps": 2},
    {"order": "cntk", "window": 3, "seed": 4, "minibatch_samples": 12},
    {"order": "cntk", "window": 3, "minibatch_samples": 12, "rank": 1, "world_size": 3},
    {"order": "cntk", "window": 3, "epoch_size": 50, "minibatch_samples": 12},
    {"order": "keyed", "minibatch_samples": 12},
    {"order": "keyed", "batch_size": 5, "epoch_size": 50},
    {"order": "keyed", "batching": "bucketed", "minibatch_samples": 30},
    {"order": "keyed", "split_frames": True, "packing": "frames", "minibatch_samples": 12},
    {"truncation_length": 4, "minibatch_samples": 12},
    {"truncation_length": 4, "minibatch_samples": 12, "epoch_size": 50},
    {"epoch_size": 50, "minibatch_samples": 12, "rank": 1, "world_size": 2},
]


@pytest.fixture
def read(write_ctf):
    path = write_ctf(DATA)
    return lambda **options: sheaf.Reader(path, ["x:dense:2"], **SMALL_CHUNKS, **options)


def content(minibatch):
    return minibatch.sequence_keys.tolist(), minibatch["x"].values.tobytes()


@pytest.mark.parametrize("options", ORDERS)
def test_each_iterator_gives_the_next_epoch(read, options):
    reader = read(**options)
    epochs = [[content(minibatch) for minibatch in reader] for _ in range(4)]
    assert all(epochs)
    assert reader.epoch == 4

    for number in (2, 0, 3):
        other = read(**options)
        other.set_epoch(number)
        assert other.epoch == number
        assert [content(minibatch) for minibatch in other] == epochs[number]
        reader.set_epoch(number)
        assert [content(minibatch) for minibatch in reader] == epochs[number]
        assert reader.epoch == number + 1


@pytest.mark.parametrize("options", ORDERS)
def test_the_length_is_the_number_of_minibatches(read, options):
    reader = read(**options)
    for _ in range(3):
        assert len(reader) == len([*iter(reader)])
    minibatches = iter(reader)
    next(minibatches)
    assert len(reader) == 1 + len([*minibatches])  # also in the middle
    reader.set_epoch(1)
    expected = len(reader)
    assert expected == sum(1 for _ in reader)


@pytest.mark.parametrize("options", ORDERS)
def test_a_state_of_any_epoch_resumes(read, options):
    reader = read(**options)
    run = [(content(minibatch), minibatch.position) for _ in range(3) for minibatch in reader]
    for number in (0, len(run) // 2, len(run) - 2):
        resumed = read(**options)
        resumed.load_state_dict(run[number][1])
        rest = []
        while len(rest) < len(run) - number - 1:
            rest += [content(minibatch) for minibatch in resumed]
        assert rest == [each for each, _ in run[number + 1 :]]


def test_a_state_of_order_keyed_resumes_with_any_number_of_workers(read):
    options = {"order": "keyed", "batch_size": 6}
    whole = read(**options)
    minibatches = iter(whole)
    for _ in range(3):
        next(minibatches)
    state = whole.state_dict()
    rest = [sorted(minibatch.sequence_keys.tolist()) for minibatch in minibatches]
    shares = []
    for rank in range(2):
        share = read(**options, rank=rank, world_size=2)
        share.load_state_dict(state)
        shares.append([minibatch.sequence_keys.tolist() for minibatch in share])
    assert [sorted(a + b) for a, b in zip(*shares, strict=True)] == rest


def test_an_abandoned_epoch_is_over(read):
    reader = read(order="keyed", batch_size=4)
    first, second = ([content(minibatch) for minibatch in reader] for _ in range(2))
    reader.set_epoch(0)
    for number, minibatch in enumerate(reader):
        assert content(minibatch) == first[number]
        if number == 3:
            break
    left = reader.state_dict()
    assert left["epoch"] == 0
    assert reader.epoch == 1
    assert [content(minibatch) for minibatch in reader] == second
    reader.load_state_dict(left)
    assert reader.epoch == 0
    assert len(reader) == len(first)
    assert [content(minibatch) for minibatch in reader] == first[4:]


def test_setting_the_epoch_of_a_state_keeps_the_state(read):
    reader = read(batch_size=4)
    minibatches = iter(reader)
    next(minibatches)
    state = reader.state_dict()
    for epoch, begin in ((0, 4), (1, 0)):
        resumed = read(batch_size=4)
        resumed.load_state_dict(state)
        resumed.set_epoch(epoch)
        assert next(iter(resumed)).sequence_keys[0] == begin


def test_an_iterator_begins_with_its_first_minibatch(read):
    reader = read(batch_size=4)
    unused, used = iter(reader), iter(reader)
    assert next(used).position["epoch"] == 0
    assert reader.epoch == 1
    assert next(unused).sequence_keys[0] == 0  # of epoch 1
    assert reader.state_dict()["epoch"] == 1
    assert next(used).sequence_keys[0] == 4


def test_an_endless_epoch_continues_in_the_next_iterator(read):
    reader = read(batch_size=16, sweeps=0)
    seen = []
    for _ in range(4):
        for minibatch in reader:
            seen += minibatch.sequence_keys.tolist()
            break
    assert seen == [i % 40 for i in range(64)]
    with pytest.raises(TypeError, match="has no len"):
        len(reader)
    with pytest.raises(sheaf.ConfigError, match="no epoch follows"):
        reader.set_epoch(1)
    reader.set_epoch(0)
    assert next(iter(reader)).sequence_keys[0] == 0
    resumed = read(batch_size=16, sweeps=0)
    resumed.load_state_dict(minibatch.position)
    assert next(iter(resumed)).sequence_keys[0] == 24


@pytest.mark.parametrize("epoch", [-1, 2**31, 2**62])
def test_wrong_epochs_are_refused(read, epoch):
    with pytest.raises(sheaf.ConfigError, match="epoch"):
        read().set_epoch(epoch)


def test_statistics_count_one_epoch(read):
    reader = read(batch_size=4)
    assert reader.stats["sequences"] == 0
    for _ in range(2):
        list(reader)
        assert reader.stats["sequences"] == 40
        assert reader.stats["samples"] == sum(LENGTHS)


def test_a_closed_reader_refuses_every_use(read):
    with read(batch_size=4) as reader:
        minibatches = iter(reader)
        minibatch = next(minibatches)
        reader.sequence(3)
    assert minibatch.sequence_keys.tolist() == [0, 1, 2, 3]
    assert repr(reader) == "<sheaf.Reader, closed>"
    for use in (
        lambda: next(minibatches),
        lambda: iter(reader),
        lambda: len(reader),
        lambda: reader.sequence(3),
        lambda: reader.stats,
        lambda: reader.state_dict(),
        lambda: reader.set_epoch(1),
        lambda: reader.streams,
        reader.__enter__,
    ):
        with pytest.raises(sheaf.ConfigError, match="closed"):
            use()
    reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_closing_ends_threads_and_closes_files(read):
    def held():
        files = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
        threads = os.listdir("/proc/self/task")
        return len(threads), sum(file.endswith("data.ctf") for file in files)

    before = held()
    reader = read(batch_size=4, num_threads=3)
    minibatches = iter(reader)
    kept = next(minibatches)
    reader.sequence(3)
    assert held()[0] >= before[0] + 3
    assert held()[1] > before[1]
    reader.close()
    assert held() == before
    assert kept.sequence_keys.tolist() == [0, 1, 2, 3]


def test_the_repr_of_a_reader_lists_counts_and_streams(read):
    reader = read(batch_size=4)
    assert reader.sequence_count == 40
    assert reader.sample_count == sum(LENGTHS)
    lines = repr(reader).split("\n  ")
    assert lines[0].startswith("<sheaf.Reader of '")
    assert lines[0].endswith(f"data.ctf', {len(DATA):,} bytes")
    assert lines[1].startswith(f"40 sequences, {sum(LENGTHS)} samples, chunks: ")
    assert lines[2] == "x: dense float32 [2]>"
