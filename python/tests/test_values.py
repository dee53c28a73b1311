"""The delivered values equal the values of the file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import sheaf
from conftest import JAGGED

STREAMS = {"features": sheaf.Stream(dim=64), "labels": sheaf.Stream(dim=10, sparse=True)}

JAGGED_STREAMS = ["x:dense:2", "s:sparse:4"]


def parse_digits(path):
    keys, labels, features = [], [], []
    for line in path.read_text().splitlines():
        key, label, pixels = line.split("|")
        keys.append(int(key))
        labels.append(int(label.split()[1].split(":")[0]))
        features.append([float(pixel) for pixel in pixels.split()[1:]])
    return np.array(keys), np.array(labels), np.array(features, np.float32)


@pytest.mark.parametrize("packing", ["padded", "ragged", "packed", "frames"])
@pytest.mark.parametrize("batch_size", [1, 64, 10_000])
def test_the_digits_match_numpy(digits, packing, batch_size):
    keys, labels, features = parse_digits(digits / "train.ctf")
    reader = sheaf.Reader(
        digits / "train.ctf", streams=STREAMS, batch_size=batch_size, packing=packing
    )
    minibatches = list(reader)
    assert max(len(mb.sequence_keys) for mb in minibatches) == min(batch_size, len(keys))
    assert (np.concatenate([mb.sequence_keys for mb in minibatches]) == keys).all()
    assert (np.concatenate([mb["labels"].indices for mb in minibatches]) == labels).all()
    values = np.concatenate([mb["features"].values.reshape(-1, 64) for mb in minibatches])
    assert values.dtype == np.float32
    assert (values == features).all()


def test_padded_arrays_are_zero_where_no_sample_is(write_ctf):
    (minibatch,) = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3)
    x = minibatch["x"]
    assert x.values.tolist() == [
        [[1, 2.5], [3, -4], [0, 0]],
        [[5, np.float32(0.6)], [0, 0], [0, 0]],
        [[7, 8], [9, 10], [11, 12]],
    ]
    assert x.mask.dtype == np.bool_
    assert x.mask.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    assert x.lengths.tolist() == [2, 1, 3]
    assert x.sequence_offsets is None


def test_ragged_arrays_are_back_to_back(write_ctf):
    (minibatch,) = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3, packing="ragged")
    x = minibatch["x"]
    assert x.values.shape == (6, 2)
    assert x.values[:, 0].tolist() == [1, 3, 5, 7, 9, 11]
    assert x.sequence_offsets.tolist() == [0, 2, 3, 6]
    assert x.lengths.tolist() == [2, 1, 3]
    assert x.mask is None


def test_packed_arrays_have_steps_of_slots(write_ctf):
    (minibatch,) = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3, packing="packed")
    x = minibatch["x"]
    assert x.slot_count == 2
    assert x.slots.tolist() == [0, 0, 1]
    assert x.begins.tolist() == [0, 2, 0]
    assert x.lengths.tolist() == [2, 1, 3]
    assert x.values.tolist() == [
        [[1, 2.5], [7, 8]],
        [[3, -4], [9, 10]],
        [[5, np.float32(0.6)], [11, 12]],
    ]
    assert x.mask.tolist() == [[True, True], [True, True], [True, True]]
    assert x.sequence_offsets is None

    s = minibatch["s"]  # 1, 1 and 2 samples
    assert (s.slot_count, s.shape) == (2, (4, 4))
    assert (s.slots.tolist(), s.begins.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert to_dense(s) == [[0, 0.5, 0, 1], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 4, 5]]


def test_packed_gaps_are_zero_and_masked(write_ctf):
    path = write_ctf("0 |x 1\n0 |x 2\n1 |x 3\n1 |x 4\n2 |x 5\n")
    (minibatch,) = sheaf.Reader(path, ["x:dense:1"], batch_size=3, packing="packed")
    x = minibatch["x"]
    assert x.values[:, :, 0].tolist() == [[1, 3, 5], [2, 4, 0]]
    assert x.mask.tolist() == [[True, True, True], [True, True, False]]


def test_frames_have_no_time_axis(write_ctf):
    path = write_ctf("|x 1 2 |s 1:3\n|x 3 4 |s\n")
    (minibatch,) = sheaf.Reader(path, JAGGED_STREAMS, batch_size=3, packing="frames")
    x = minibatch["x"]
    assert x.values.tolist() == [[1, 2], [3, 4]]
    for nothing in (x.mask, x.sequence_offsets, x.slots, x.begins):
        assert nothing is None
    assert x.slot_count == 0
    assert to_dense(minibatch["s"]) == [[0, 3, 0, 0], [0, 0, 0, 0]]


def test_frames_refuse_a_sequence_of_several_samples(write_ctf):
    reader = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3, packing="frames")
    with pytest.raises(sheaf.ConfigError, match='sequence 7 has 2 samples in stream "x"'):
        next(iter(reader))


def test_numeric_keys_have_no_texts_and_good_data_no_warnings(write_ctf):
    reader = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3)
    assert next(iter(reader)).key_texts == []
    assert reader.warnings == []


def to_dense(batch):
    dense = np.zeros(batch.shape, batch.data.dtype)
    for row in range(batch.shape[0]):
        entries = slice(batch.indptr[row], batch.indptr[row + 1])
        dense[row, batch.indices[entries]] = batch.data[entries]
    return dense.tolist()


def test_sparse_streams_are_compressed_rows(write_ctf):
    path = write_ctf(JAGGED)
    (ragged,) = sheaf.Reader(path, JAGGED_STREAMS, batch_size=3, packing="ragged")
    assert ragged["s"].lengths.tolist() == [1, 1, 2]
    assert to_dense(ragged["s"]) == [[0, 0.5, 0, 1], [0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 4, 5]]

    (padded,) = sheaf.Reader(path, JAGGED_STREAMS, batch_size=3)
    assert padded["s"].shape == (6, 4)
    assert padded["s"].mask.tolist() == [[True, False], [True, False], [True, True]]
    nothing = [0, 0, 0, 0]
    assert to_dense(padded["s"]) == [
        [0, 0.5, 0, 1],
        nothing,
        nothing,
        nothing,
        [2, 0, 0, 0],
        [0, 0, 4, 5],
    ]


def test_streams_have_shape_dtype_and_alias(write_ctf):
    path = write_ctf("0 |F0 0.1 2 3 4 5 6\n")
    streams = {"image": sheaf.Stream(shape=(2, 3), alias="F0", dtype="float64")}
    (minibatch,) = sheaf.Reader(path, streams, batch_size=1)
    values = minibatch["image"].values
    assert values.dtype == np.float64
    assert values.shape == (1, 1, 2, 3)
    assert values[0, 0, 0, 0] == 0.1


def test_a_minibatch_is_a_mapping(write_ctf):
    (minibatch,) = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS, batch_size=3)
    assert list(minibatch) == list(minibatch.keys()) == ["x", "s"]
    assert len(minibatch) == 2
    assert "x" in minibatch
    assert "y" not in minibatch
    assert [type(batch) for batch in minibatch.values()] == [sheaf.DenseBatch, sheaf.SparseBatch]
    assert [name for name, _ in minibatch.items()] == ["x", "s"]
    assert minibatch["x"].lengths.tolist() == dict(minibatch.items())["x"].lengths.tolist()
    with pytest.raises(KeyError, match="y"):
        minibatch["y"]
    assert isinstance(minibatch, Mapping)
    assert minibatch.get("y") is None
    assert minibatch.get("y", 3) == 3
    assert minibatch.get("x").lengths.tolist() == [2, 1, 3]


def test_streams_are_attributes(write_ctf):
    path = write_ctf("0 |x 1 |position 2\n")
    (minibatch,) = sheaf.Reader(path, ["x:dense:1", "position:dense:1"])
    assert minibatch.x.values.tolist() == [[[1]]]
    assert minibatch.position["epoch"] == 1  # the class comes first
    assert minibatch["position"].values.tolist() == [[[2]]]
    assert {"x", "position", "sequence_keys"} <= set(dir(minibatch))
    with pytest.raises(AttributeError, match='neither an attribute nor a stream "y"'):
        minibatch.y  # noqa: B018


def test_minibatches_have_keys_and_ends_of_sweep_and_epoch(write_ctf):
    path = write_ctf("18446744073709551615 |x 1\n3 |x 2\n4 |x 3\n")
    reader = sheaf.Reader(path, ["x:dense:1"], batch_size=2, sweeps=2, sweep_ends="cut")
    seen = [(mb.sequence_keys.tolist(), mb.ends_sweep, mb.ends_epoch) for mb in reader]
    largest = 2**64 - 1
    assert seen == [
        ([largest, 3], False, False),
        ([4], True, False),
        ([largest, 3], False, False),
        ([4], True, True),
    ]
    assert reader.stats["minibatches"] == 4
    assert reader.stats["sequences"] == 6


@pytest.mark.parametrize(
    ("packing", "rows"),
    [
        ({}, 9),
        ({"packing": "packed"}, 6),
        ({"row_samples": 8}, 8),
        ({"packing": "ragged"}, 6),
        ({"packing": "frames", "split_frames": True}, 6),
        ({"truncation_length": 4, "minibatch_samples": 8}, 16),
    ],
)
def test_stats_have_the_padding_ratio(write_ctf, packing, rows):
    options = {"minibatch_samples": 100} | packing
    reader = sheaf.Reader(write_ctf(JAGGED), JAGGED_STREAMS[:1], **options)
    assert reader.stats["padding_ratio"] == 0
    list(reader)
    assert (reader.stats["samples"], reader.stats["sample_places"]) == (6, rows)
    assert reader.stats["padding_ratio"] == pytest.approx(1 - 6 / rows)


def test_minibatch_samples_counts_samples(write_ctf):
    reader = sheaf.Reader(write_ctf(JAGGED), ["x:dense:2", "s:sparse:4"], minibatch_samples=3)
    assert [mb.sample_count for mb in reader] == [3, 3]


def test_a_minibatch_of_only_holes_has_empty_arrays(write_ctf):
    path = write_ctf("0 |x 1 |s 1:z\n1 |x 2 |s 1:1\n")
    for packing in ("padded", "ragged", "packed", "frames"):
        first, second = sheaf.Reader(
            path, ["x:dense:1", "s:sparse:4"], batch_size=1, packing=packing, max_errors=1
        )
        assert first.hole_count == 1
        assert first.sequence_keys.shape == (0,)
        assert first["x"].values.size == 0
        assert first["s"].data.size == 0
        assert first["s"].indptr.tolist() == [0]
        assert second.sequence_keys.tolist() == [1]
