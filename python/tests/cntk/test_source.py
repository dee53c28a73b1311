"""MinibatchSource over text: sizes, limits, order, refused options."""

from __future__ import annotations

import numpy as np
import pytest
from cntk_data import DENSE1, DENSE2, FOUR, SPARSE, counts, ctf, sparse, stream, values, write

from sheaf import cntk

ALL, SWEEP = cntk.INFINITELY_REPEAT, cntk.FULL_DATA_SWEEP


def test_two_minibatches_of_sparse_data(tmp_path):
    source = cntk.MinibatchSource(sparse(write(tmp_path, SPARSE)), randomize=False)
    assert {info.name for info in source.stream_infos()} == {"features", "labels"}
    features_info, labels_info = source["features"], source.streams.labels
    minibatch = source.next_minibatch(7)
    features, labels = minibatch[features_info], minibatch[labels_info]
    assert (features.num_sequences, features.num_samples, len(features)) == (2, 7, 2)
    assert features.shape == (2, 4, 1000)
    assert features.is_sparse
    assert features.end_of_sweep
    assert (labels.num_sequences, labels.num_samples, labels.shape) == (2, 2, (2, 1, 5))
    assert not labels.is_sparse
    assert labels.end_of_sweep
    expected = np.zeros((2, 4, 1000))
    for index in ((0, 0, 560), (0, 1, 0), (0, 2, 0), (1, 0, 560), (1, 1, 0), (1, 2, 0)):
        expected[index] = 1
    expected[1, 3, 424] = 1
    assert (features.asarray() == expected).all()
    assert labels.asarray().tolist() == [[[1, 0, 0, 0, 0]], [[0, 1, 0, 0, 0]]]

    minibatch = source.next_minibatch(1)
    features, labels = minibatch[features_info], minibatch[labels_info]
    assert (features.num_sequences, labels.num_sequences, labels.num_samples) == (1, 1, 1)
    assert features.num_samples < 7
    assert not features.end_of_sweep


def test_sparse_sequences_become_matrices(tmp_path):
    source = cntk.MinibatchSource(sparse(write(tmp_path, SPARSE)), randomize=False)
    features = source.next_minibatch(7)[source.streams.features]
    with pytest.raises(ValueError, match="need the variable"):
        features.as_sequences()
    pytest.importorskip("scipy")
    sequences = features.as_sequences("any variable")
    assert [each.shape for each in sequences] == [(3, 1000), (4, 1000)]
    assert sequences[1].toarray()[3, 424] == 1


def test_values_and_masks_follow_the_file(tmp_path):
    deserializer = ctf(write(tmp_path, DENSE1), {"S0": 1, "S1": 1})
    source = cntk.MinibatchSource(deserializer, randomization_window_in_chunks=0, max_sweeps=1)
    minibatch = source.next_minibatch(1000)
    first, second = minibatch[source.streams.S0], minibatch[source.streams.S1]
    assert [each.ravel().tolist() for each in first.as_sequences()] == [[0, 1, 2, 3], [4, 5, 6]]
    assert [each.ravel().tolist() for each in second.as_sequences()] == [[0, 1, 3], [4, 5]]
    assert first.mask.tolist() == [[2, 1, 1, 1], [2, 1, 1, 0]]
    assert second.mask.tolist() == [[2, 1, 1], [2, 1, 0]]
    assert first.data.mask.tolist() == first.mask.tolist()
    assert first.asarray().dtype == np.float32
    assert first.sweep_end and second.end_of_sweep
    assert source.next_minibatch(1000) == {}


@pytest.mark.parametrize(
    ("limits", "size", "expected"),
    [
        ({"max_samples": 1}, 10, [(1, False)]),
        ({"max_sweeps": 3}, 5, [(5, True), (5, True), (2, True)]),
        ({"max_samples": 11}, 5, [(5, True), (5, True), (1, False)]),
        ({"max_sweeps": 1}, 10, [(4, True)]),
        ({"max_samples": SWEEP}, 10, [(4, True)]),
        ({"max_sweeps": 1, "max_samples": ALL}, 10, [(4, True)]),
        ({"max_samples": SWEEP, "max_sweeps": ALL}, 10, [(4, True)]),
        ({"max_sweeps": 0}, 10, []),
        ({"max_sweeps": 2}, SWEEP, [(4, True), (4, True)]),
        ({"max_sweeps": 2}, ALL, [(4, True), (4, True)]),
    ],
)
@pytest.mark.parametrize("randomize", [False, True])
def test_limits_of_samples_and_sweeps(tmp_path, limits, size, expected, randomize):
    deserializer = ctf(write(tmp_path, FOUR))
    for _ in range(2):  # the same deserializer in two sources
        source = cntk.MinibatchSource(deserializer, randomize=randomize, **limits)
        assert counts(source, size) == expected
        assert not source.is_infinite()
    assert cntk.MinibatchSource(deserializer).is_infinite()


def test_a_seed_sets_the_order(tmp_path):
    deserializer = ctf(write(tmp_path, "".join(f"|S0 {i}\n" for i in range(100))))

    def order(limit=100, **options):
        return values(cntk.MinibatchSource(deserializer, **options), 10, limit)

    default = order(300)
    assert default[:100] == order(randomization_seed=0)
    assert default[:100] != order(randomization_seed=123)
    assert default[100:] == order(200, randomization_seed=1)
    assert sorted(default[:100]) == sorted(default[100:200]) == list(range(100))
    assert default[:100] != list(range(100)) == order(randomize=False)


def test_a_large_minibatch_spans_many_sweeps(tmp_path):
    deserializer = ctf(write(tmp_path, DENSE2), {"S0": 1, "S1": 1})
    source = cntk.MinibatchSource(deserializer, randomize=False)
    minibatch = source.next_minibatch(1000)
    first, second = minibatch[source["S0"]], minibatch[source["S1"]]
    assert (first.num_sequences, first.num_samples, second.num_samples) == (142, 994, 710)
    assert first.end_of_sweep


def test_a_window_may_be_given_in_samples(tmp_path):
    deserializer = ctf(write(tmp_path, "".join(f"|S0 {i}\n" for i in range(50))))
    window = {"randomization_window_in_chunks": 0, "randomization_window_in_samples": 20}
    found = values(cntk.MinibatchSource(deserializer, max_sweeps=1, **window), 7)
    assert sorted(found) == list(range(50)) != found


@pytest.mark.parametrize("randomize", [False, True])
def test_one_stream_defines_the_minibatch_size(tmp_path, randomize):
    text = "0 |x 1 |y 1\n0 |x 2\n0 |x 3\n1 |x 4 |y 2\n1 |x 5\n1 |x 6\n1 |x 7\n2 |x 8 |y 3\n"
    text += "2 |x 9\n2 |x 10\n"

    def sizes(deserializers):
        source = cntk.MinibatchSource(deserializers, max_sweeps=1, randomize=False)
        for size, features in ((2, 7), (3, 10)):
            source.restore_from_checkpoint({"minibatchSourcePosition": 0})
            minibatch = source.next_minibatch(size)
            assert minibatch[source["labels"]].num_samples == size
            assert minibatch[source["features"]].num_samples == features

    labels = {"labels": stream("y", defines_mb_size=True)}
    features = {"features": stream("x")}
    path = write(tmp_path, text)
    sizes(cntk.CTFDeserializer(path, cntk.StreamDefs(**features, **labels)))
    only_x = "".join(line.split(" |y")[0] + "\n" for line in text.splitlines())
    only_y = "0 |y 1\n1 |y 2\n2 |y 3\n"
    sizes(
        [
            cntk.CTFDeserializer(write(tmp_path, only_x, "x.ctf"), cntk.StreamDefs(**features)),
            cntk.CTFDeserializer(write(tmp_path, only_y, "y.ctf"), cntk.StreamDefs(**labels)),
        ]
    )


def test_an_input_map_renames_and_selects_streams(tmp_path):
    source = cntk.MinibatchSource(ctf(write(tmp_path, FOUR)), max_sweeps=1, randomize=False)
    variable = object()
    assert source.next_minibatch(3, {})[source["S0"]].num_samples == 3
    with pytest.raises(KeyError):
        other = cntk.StreamInformation("other", 3, "dense", np.float32, (1,))
        source.next_minibatch(1, {variable: other})
    source.restore_from_checkpoint({"minibatchSourcePosition": 3})
    minibatch = source.next_minibatch(3, {variable: source["S0"]})
    assert list(minibatch) == [variable]
    assert minibatch[variable].asarray().tolist() == [[[4]]]
    assert source.next_minibatch(3, {variable: source["S0"]}) == {}


def test_earlier_minibatches_keep_their_values(tmp_path):
    source = cntk.MinibatchSource(
        ctf(write(tmp_path, "".join(f"|S0 {i}\n" for i in range(10)))), max_sweeps=1
    )
    kept = []
    while minibatch := source.next_minibatch(3):
        data = minibatch[source["S0"]]
        kept.append((data, data.asarray().copy()))
    assert [data.num_samples for data, _ in kept] == [3, 3, 3, 1]
    assert all((data.asarray() == copy).all() for data, copy in kept)
    del source
    assert sorted(int(x) for data, _ in kept for x in data.asarray().ravel()) == list(range(10))


def test_frame_mode_delivers_frames(tmp_path):
    deserializer = ctf(write(tmp_path, FOUR))
    source = cntk.MinibatchSource(deserializer, frame_mode=True, randomize=False, max_sweeps=1)
    data = source.next_minibatch(3)[source["S0"]]
    assert data.asarray().tolist() == [[[1]], [[2]], [[3]]]
    assert data.mask.tolist() == [[2], [2], [2]]
    source = cntk.MinibatchSource(ctf(write(tmp_path, DENSE1)), frame_mode=True)
    with pytest.raises(RuntimeError, match="sample"):
        source.next_minibatch(3)


def test_truncation_delivers_pieces(tmp_path):
    deserializer = cntk.CTFDeserializer(
        write(tmp_path, SPARSE.replace("|y 1 0 0 0 0", "").replace("|y 0 1 0 0 0", "")),
        cntk.StreamDefs(x=stream("x", 1000, is_sparse=True)),
    )
    source = cntk.MinibatchSource(deserializer, truncation_length=2, randomize=False, max_sweeps=1)
    pieces, masks = [], []
    while minibatch := source.next_minibatch(4):
        data = minibatch[source["x"]]
        assert not data.is_sparse
        assert data.shape == (2, 2, 1000)
        pieces.append([len(each) for each in data.as_sequences()])
        masks.append(data.mask.tolist())
    assert pieces == [[2, 2], [1, 2]]
    assert masks == [[[2, 1], [2, 1]], [[1, 0], [1, 1]]]


def test_values_may_have_64_bits(tmp_path):
    deserializer = ctf(write(tmp_path, "|S0 0.1\n"))
    source = cntk.MinibatchSource(deserializer, dtype=np.float64)
    assert source["S0"].dtype == np.float64
    assert source.next_minibatch(1)[source["S0"]].asarray().item() == 0.1


def test_sequence_ids_may_be_texts(tmp_path):
    x = ctf(write(tmp_path, "b |S0 1\na |S0 2\n", "x.ctf"))
    y = ctf(write(tmp_path, "a |y 3\nb |y 4\n", "y.ctf"), {"y": 1})
    source = cntk.MinibatchSource([x, y], randomize=False, numeric_keys=False)
    minibatch = source.next_minibatch(2)
    assert minibatch[source["y"]].asarray().ravel().tolist() == [4, 3]


def test_paths_may_have_brackets_and_be_several(tmp_path):
    folder = tmp_path / "a[1];b=c"
    folder.mkdir()
    one = write(folder, "0 |S0 1\n", "one.ctf")
    two = write(folder, "1 |S0 2\n", "two.ctf")
    source = cntk.MinibatchSource(ctf([one, two]), randomize=False)
    assert values(source, 1, 2) == [1, 2]


def test_options_of_a_deserializer_apply(tmp_path):
    path = write(tmp_path, "0 |S0 1\n0 |S0 2\n")
    deserializer = ctf(path, skipSequenceIds=True)
    deserializer |= {"cacheIndex": False, "chunkSizeInBytes": 8, "traceLevel": 2}
    source = cntk.MinibatchSource(deserializer, randomize=False)
    assert source.next_minibatch(2)[source["S0"]].num_sequences == 2
    wrong = write(tmp_path, "0 |S0 1\n1 |S0 x\n2 |S0 3\n", "wrong.ctf")
    tolerant = cntk.MinibatchSource(ctf(wrong, maxErrors=1), max_sweeps=1, randomize=False)
    assert values(tolerant, 9) == [1, 3]
    with pytest.raises(RuntimeError, match=r"wrong\.ctf:2"):
        values(cntk.MinibatchSource(ctf(wrong), max_sweeps=1), 9)


def test_streams_are_found_by_name(tmp_path):
    source = cntk.MinibatchSource(sparse(write(tmp_path, SPARSE)))
    assert source.stream_info("features") == source["features"] == source.streams["features"]
    assert source.streams.features.sample_shape == (1000,)
    assert source.streams.features.m_storage_format == "sparse"
    assert source.streams is source.streams
    with pytest.raises(RuntimeError, match='no stream is "x"; there are features, labels'):
        source.stream_info("x")
    with pytest.raises(AttributeError):
        _ = source.streams.x


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_samples": 5, "max_sweeps": 5}, RuntimeError, "exclude each other"),
        ({"randomization_window_in_samples": 5}, RuntimeError, "make one of them 0"),
        ({"frame_mode": True, "truncation_length": 5}, RuntimeError, "exclude each other"),
        ({"max_samples": -1}, OverflowError, "max_samples is from 0 to"),
        ({"max_sweeps": 2**64}, OverflowError, "max_sweeps is from 0 to"),
        ({"max_samples": "5"}, TypeError, "max_samples is a whole number"),
        ({"randomization_seed": 1.5}, TypeError, "randomization_seed is a whole number"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        cntk.MinibatchSource(ctf(write(tmp_path, FOUR)), **options)


@pytest.mark.parametrize(
    ("size", "share", "error", "message"),
    [
        (0, (None, None), ValueError, "is at least 1"),
        (-1, (None, None), OverflowError, "is from 0"),
        (1.5, (None, None), TypeError, "whole number"),
        (1, (0, None), ValueError, "num_data_partitions is at least 1"),
        (1, (2, 2), ValueError, "partition_index is below"),
        (1, (None, 1), ValueError, "partition_index is below"),
    ],
)
def test_wrong_requests_are_refused(tmp_path, size, share, error, message):
    source = cntk.MinibatchSource(ctf(write(tmp_path, FOUR)))
    with pytest.raises(error, match=message):
        source.next_minibatch(size, None, None, *share)


def test_max_samples_0_is_an_error_when_read(tmp_path):
    source = cntk.MinibatchSource(ctf(write(tmp_path, FOUR)), max_samples=0)
    with pytest.raises(RuntimeError, match="max_samples is 0"):
        source.next_minibatch(1)


def test_a_source_cannot_be_used_after_a_fork(tmp_path, monkeypatch):
    source = cntk.MinibatchSource(ctf(write(tmp_path, FOUR)))
    monkeypatch.setattr("os.getpid", lambda: -1)
    with pytest.raises(RuntimeError, match="made before a fork"):
        source.next_minibatch(1)


def test_missing_files_and_wrong_deserializers_are_errors(tmp_path):
    path = write(tmp_path, FOUR)
    with pytest.raises(RuntimeError, match=r"missing\.ctf"):
        cntk.MinibatchSource(ctf(str(tmp_path / "missing.ctf")))
    with pytest.raises(ValueError, match="at least one"):
        cntk.MinibatchSource([])
    with pytest.raises(TypeError, match="a deserializer is what"):
        cntk.MinibatchSource([path])
    with pytest.raises(ValueError, match="CNTKTextFormatDeserializer has no cacheindex"):
        cntk.MinibatchSource(ctf(path, cacheindex=True))
    with pytest.raises(ValueError, match="unknown type"):
        cntk.MinibatchSource({"type": "Nothing"})
    with pytest.raises(RuntimeError, match='"S0"'):  # of two files
        cntk.MinibatchSource([ctf(path), ctf(write(tmp_path, FOUR, "other.ctf"))])
    with pytest.raises(RuntimeError, match="found none among"):
        keys = [write(tmp_path, f"{i} |{name} 1\n", f"{name}.ctf") for i, name in enumerate("ab")]
        cntk.MinibatchSource([ctf(keys[0], {"a": 1}), ctf(keys[1], {"b": 1})])


def test_unsupported_deserializers_are_errors():
    with pytest.raises(RuntimeError, match="AudioDeserializer is not read yet"):
        cntk.MinibatchSource({"type": "AudioDeserializer", "module": "Audio"})
