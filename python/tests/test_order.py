"""Shuffled order, epochs, workers, frames, truncated sequences."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import sheaf

LENGTHS = [1 + i * 7 % 11 for i in range(40)]
DATA = "".join(f"{i} |x {i} {t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
CNTK = {"order": "cntk", "chunk_size_bytes": 200, "window": 3}


@pytest.fixture
def read(write_ctf):
    path = write_ctf(DATA)
    return lambda **options: sheaf.Reader(path, ["x:dense:2"], **options)


def keys(reader):
    return [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]


def test_each_sweep_has_its_own_order(read):
    order = keys(read(**CNTK, sweeps=2))
    assert sorted(order[:40]) == sorted(order[40:]) == list(range(40))
    assert len({tuple(order[:40]), tuple(order[40:]), tuple(range(40))}) == 3
    assert keys(read(**CNTK, seed=0)) == order[:40]
    assert keys(read(**CNTK, seed=2**64 - 1)) != order[:40]


def test_order_cntk_has_a_default_window(read):
    assert keys(read(order="cntk")) == keys(read(order="cntk", window=128))
    assert keys(read(order="cntk", chunk_size_bytes=200, window_samples=9)) != keys(read(**CNTK))


def test_epochs_have_the_length_given(read):
    reader = read(epoch_size=50, minibatch_samples=20)
    minibatches = [minibatch for _ in range(4) for minibatch in reader]
    assert sum(minibatch.ends_epoch for minibatch in minibatches) == 4
    assert 200 <= sum(minibatch.sample_count for minibatch in minibatches) < 200 + max(LENGTHS)
    reader = read()
    assert keys(reader) + keys(reader) + keys(reader) == keys(read(sweeps=3)) == 3 * list(range(40))


EXACT = {"order": "keyed", "seed": 3, "sizes": "exact", "balance": "count"}


def sizes(reader):
    return [len(minibatch.sequence_keys) for minibatch in reader]


@pytest.mark.parametrize("batching", ["plain", "bucketed"])
def test_exact_sizes_have_the_number_of_sequences_given(read, batching):
    options = {**EXACT, "batch_size": 12, "batching": batching}
    assert sizes(read(**options)) == [12, 12, 12, 4]
    assert sorted(keys(read(**options))) == list(range(40))
    reader = read(**options, drop_last=True)
    assert len(reader) == 3
    epochs = [(sizes(reader), keys(read(**options, drop_last=True, sweeps=2))) for _ in range(2)]
    assert [each for each, _ in epochs] == [[12, 12, 12]] * 2
    sweeps = epochs[0][1]
    assert len(set(sweeps[:36])) == len(set(sweeps[36:])) == 36
    assert set(sweeps[:36]) != set(sweeps[36:])  # others are left out in each sweep


def test_each_rank_has_the_same_number_in_each_minibatch(read):
    options = {**EXACT, "batch_size": 12, "drop_last": True}
    for rank in range(4):
        assert sizes(read(**options, rank=rank, world_size=4)) == [3, 3, 3]
    shares = [sizes(read(**options, rank=rank, world_size=5)) for rank in range(5)]
    assert [sorted(step) for step in zip(*shares, strict=True)] == [[2, 2, 2, 3, 3]] * 3


def test_too_few_data_for_one_exact_minibatch_are_refused(read):
    reader = read(**EXACT, batch_size=41, drop_last=True, sweeps="endless")
    with pytest.raises(sheaf.ConfigError, match="the data have 40 sequences, too few for one"):
        next(iter(reader))


def test_a_keyword_overrides_sizes_of_a_spec(write_ctf):
    path = str(write_ctf(DATA))
    spec = {
        "data": {"files": path, "streams": [{"name": "x", "shape": [2]}]},
        "read": {"order": "keyed", "minibatch_size": 12, "unit": "sequences", "sizes": "exact"},
    }
    assert sizes(sheaf.Reader(spec=spec)) == [12, 12, 12, 4]
    assert sizes(sheaf.Reader(spec=spec, drop_last=True)) == [12, 12, 12]
    assert sizes(sheaf.Reader(spec=spec, sizes="even")) == [10, 10, 10, 10]


@pytest.mark.parametrize("order", [{}, CNTK])
@pytest.mark.parametrize("timeline", ["local", "global"])
def test_workers_share_all_sequences(read, order, timeline):
    shares = [keys(read(**order, rank=i, world_size=3, timeline=timeline)) for i in range(3)]
    assert all(shares)
    assert sorted(key for share in shares for key in share) == list(range(40))


def test_frames_have_key_and_sample(read):
    frames = []
    for minibatch in read(**CNTK, split_frames=True, packing="frames"):
        assert minibatch.slices.dtype == np.int64
        assert (minibatch.slices[:, 1] == 1).all()
        named = np.stack([minibatch.sequence_keys.astype(np.int64), minibatch.slices[:, 0]], 1)
        assert (named == minibatch["x"].values).all()
        frames += named.tolist()
    assert sorted(frames) == [[i, t] for i, length in enumerate(LENGTHS) for t in range(length)]


def test_whole_sequences_have_no_slices(read):
    assert next(iter(read())).slices is None


@pytest.mark.parametrize("packing", [{}, {"packing": "truncated"}])
def test_pieces_of_sequences_continue_in_their_slot(read, packing):
    seen: Counter[int] = Counter()
    for minibatch in read(**CNTK, **packing, truncation_length=4, minibatch_samples=12):
        x = minibatch["x"]
        assert x.values.shape == (4, 3, 2)
        assert x.slot_count == 3
        assert x.mask.shape == (4, 3)
        assert x.mask.sum() == minibatch.sample_count == x.lengths.sum()
        parts = zip(
            minibatch.sequence_keys.tolist(), minibatch.slices.tolist(), x.slots, x.begins,
            strict=True,
        )  # fmt: skip
        for key, (first, count, length), slot, begin in parts:
            assert first == seen[key]
            assert length == LENGTHS[key]
            expected = [[key, t] for t in range(first, first + count)]
            assert x.values[begin : begin + count, slot].tolist() == expected
            seen[key] += count
    assert seen == Counter(dict(enumerate(LENGTHS)))


@pytest.mark.parametrize("packing", [{}, {"packing": "packed"}])
def test_rows_have_a_fixed_number_of_samples(read, packing):
    seen = []
    for minibatch in read(**CNTK, **packing, row_samples=16, batch_size=9):
        x = minibatch["x"]
        assert x.values.shape == (16, x.slot_count, 2)
        assert x.mask.sum() == minibatch.sample_count == x.lengths.sum()
        # Behind each other in the order of the minibatch, and no gap but at the end.
        used = [0] * x.slot_count
        keys = minibatch.sequence_keys.tolist()
        for key, length, slot, begin in zip(keys, x.lengths, x.slots, x.begins, strict=True):
            assert begin == used[slot]
            used[slot] += length
            expected = [[key, t] for t in range(length)]
            assert x.values[begin : begin + length, slot].tolist() == expected
        assert x.mask.sum(0).tolist() == used
        seen += keys
    assert sorted(seen) == list(range(40))


def test_tokens_and_labels_have_the_same_layout(write_ctf):
    path = write_ctf(
        "".join(
            f"{i} |token {i} |label 1:{t}" + (f" |topic {i}\n" if t == 0 else "\n")
            for i, length in enumerate(LENGTHS)
            for t in range(length)
        )
    )
    streams = ["token:dense:1", "label:sparse:2", "topic:dense:1"]
    for minibatch in sheaf.Reader(path, streams, row_samples=20, batch_size=13):
        token, label, topic = (minibatch[name] for name in ("token", "label", "topic"))
        assert (token.slots == label.slots).all()
        assert (token.begins == label.begins).all()
        assert (token.mask == label.mask).all()
        assert topic.values.shape == (20, 1, 1)
        assert (topic.values[topic.begins, topic.slots, 0] == minibatch.sequence_keys).all()


def test_a_sequence_longer_than_its_row_is_an_error_at_its_step(read):
    reader = read(row_samples=10, batch_size=2)  # lengths are 1, 8, 4, 11
    minibatches = iter(reader)
    next(minibatches)
    with pytest.raises(sheaf.ConfigError) as error:
        next(minibatches)
    assert 'sequence 3 has 11 samples in stream "x", more than the 10 of row_samples' in str(
        error.value
    )


def pieces(reader):
    """The key, the first sample and the samples of each piece, in the order of delivery."""
    return [
        (key, *piece[:2])
        for minibatch in reader
        for key, piece in zip(
            minibatch.sequence_keys.tolist(), minibatch.slices.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("options", [{}, CNTK, {"order": "keyed", "seed": 5}])
def test_long_sequences_are_split_truncated_or_dropped(read, options):
    cut = [
        (key, first, min(4, length - first))
        for key, length in enumerate(LENGTHS)
        for first in range(0, length, 4)
    ]
    options = {**options, "row_samples": 4, "minibatch_samples": 30}
    split = pieces(read(**options, long="split"))
    truncated = pieces(read(**options, long="truncate"))
    if "order" in options:
        assert split != cut
        split, truncated = sorted(split), sorted(truncated)
    assert split == cut
    assert truncated == [piece for piece in cut if piece[1] == 0]
    short = [key for key, length in enumerate(LENGTHS) if length <= 4]
    assert sorted(keys(read(**options, long="drop"))) == short
    assert next(iter(read(**options, long="drop"))).slices is None


def test_rows_hold_the_samples_of_pieces(read):
    minibatch = next(iter(read(row_samples=4, long="split", batch_size=100)))
    x = minibatch.x
    assert x.values.shape == (4, len(x.values[0]), 2)
    assert x.mask.sum() == sum(LENGTHS)
    for i, (first, count, whole) in enumerate(minibatch.slices.tolist()):
        key = minibatch.sequence_keys[i]
        rows = x.values[x.begins[i] : x.begins[i] + count, x.slots[i]]
        assert rows.tolist() == [[key, t] for t in range(first, first + count)]
        assert whole == LENGTHS[key]


def test_pieces_are_read_by_number_and_sequences_by_key(read):
    reader = read(row_samples=8, long="split")
    assert reader.sequence_at(0, 4).slices.tolist() == [[8, 3, 11]]  # lengths are 1, 8, 4, 11
    assert reader.sequence(2).slices is None
    with pytest.raises(sheaf.ConfigError, match="say with `long` what becomes of longer ones"):
        reader.sequence(3)


def test_a_state_of_another_rule_for_long_sequences_is_refused(read):
    reader = read(row_samples=8, long="split")
    next(iter(reader))
    other = read(row_samples=8, long="drop")
    with pytest.raises(sheaf.ConfigError, match="long was split/8, is drop/8"):
        other.load_state_dict(reader.state_dict())


@pytest.mark.parametrize(
    "options",
    [
        {**CNTK, "seed": 4, "sweeps": 3},
        {**CNTK, "rank": 1, "world_size": 2, "epoch_size": 70},
        {**CNTK, "truncation_length": 4},
        {"split_frames": True},
        {**CNTK, "row_samples": 12},
        {**CNTK, "row_samples": 4, "long": "split"},
        {"order": "keyed", "row_samples": 4, "long": "truncate", "epoch_size": 90},
        {"row_samples": 4, "long": "drop"},
    ],
)
def test_a_resumed_run_equals_an_uninterrupted_run(read, options):
    def contents(reader):
        return [(mb.sequence_keys.tolist(), mb["x"].values.tobytes()) for mb in reader]

    whole = contents(read(minibatch_samples=12, **options))
    reader = read(minibatch_samples=12, **options)
    minibatches = iter(reader)
    for _ in range(3):
        next(minibatches)
    rest = read(minibatch_samples=12, **options)
    rest.load_state_dict(reader.state_dict())
    assert contents(rest) == whole[3:] != []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "random"}, 'order is "file", "cntk" or "keyed": got "random"'),
        ({"seed": 1}, 'seed: the order "file" shuffles nothing'),
        ({**CNTK, "seed": -1}, "seed is a whole number from 0 to"),
        ({**CNTK, "seed": 2**64}, "seed is a whole number from 0 to"),
        ({"window": 1}, 'window: the order "file" shuffles nothing'),
        ({"window_samples": 1}, 'window_samples: the order "file" shuffles nothing'),
        ({**CNTK, "window": 0}, "window must be at least 1: got 0"),
        ({**CNTK, "window_samples": 1}, "both say how large it is: leave one out"),
        ({"epoch_size": 0}, "epoch_size must be at least 1: got 0"),
        ({"epoch_size": 9, "sweeps": 1}, "both say how long an epoch is: leave one out"),
        ({"world_size": 0}, "world_size must be at least 1: got 0"),
        ({"rank": -1, "world_size": 2}, "rank must be at least 0: got -1"),
        ({"rank": 2, "world_size": 2}, "rank must be below world_size: got 2 of 2"),
        ({"rank": 1}, "rank must be below world_size: got 1 of 1"),
        ({"order": "keyed", "timeline": "global"}, "look at the same minibatches: leave it out"),
        ({"order": "keyed", "sweep_ends": "cross"}, "divides each sweep evenly"),
        ({"balance": "cost"}, 'needs the order "keyed", and the order is "file"'),
        ({"sizes": "exact"}, 'sizes: needs the order "keyed", and the order is "file"'),
        ({"drop_last": True}, 'drop_last: needs the order "keyed", and the order is "file"'),
        ({"order": "keyed", "sizes": "x"}, 'sizes is "even" or "exact": got "x"'),
        ({"order": "keyed", "sizes": "exact"}, "a number of sequences: give batch_size"),
        ({"order": "keyed", "batch_size": 2, "drop_last": True}, 'give sizes="exact", too'),
        ({"timeline": "x"}, 'timeline is "local" or "global": got "x"'),
        ({"truncation_length": 0}, "truncation_length must be at least 1: got 0"),
        ({"truncation_length": 4, "batch_size": 3}, "give minibatch_samples in place of"),
        ({"truncation_length": 4, "timeline": "global"}, "slots of its own"),
        ({"truncation_length": 4, "packing": "frames"}, "truncation_length: pieces of sequences"),
        ({"truncation_length": 4, "split_frames": True}, "exclude each other"),
        ({"packing": "truncated"}, "needs a truncation_length"),
        ({"row_samples": 0}, "row_samples must be at least 1: got 0"),
        ({"row_samples": 10**9 + 1}, "to 1000000000: got 1000000001"),
        ({"row_samples": 9, "packing": "ragged"}, "row_samples: slots of a fixed length are those"),
        ({"row_samples": 9, "truncation_length": 4}, "row_samples: the slots hold whole sequences"),
        ({"long": "x", "row_samples": 4}, '"split", "truncate" or "drop": got "x"'),
        ({"long": "split"}, 'long: "split" needs the length of a row: give row_samples or'),
        ({"long": "split", "packing": "packed"}, "give row_samples or pad_length, too"),
        ({"long": "drop", "row_samples": 4, "split_frames": True}, "leave split_frames out"),
        ({"long": "drop", "row_samples": 4, "truncation_length": 4}, "leave one of them out"),
        ({"long": "split", "row_samples": 4, "unit": "cost"}, 'or give long="drop"'),
        ({"long": "split", "row_samples": 4, "packing": "ragged"}, "row_samples: slots of a fixed"),
        ({"packing": "x"}, 'packing is "padded", "ragged", "packed", "frames" or "truncated"'),
    ],
)
def test_wrong_options_are_refused(read, options, message):
    with pytest.raises(sheaf.ConfigError) as error:
        read(**options)
    assert message in str(error.value)
