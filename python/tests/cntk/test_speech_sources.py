"""Sources of speech: lists of HTK files."""

import struct

import numpy as np
import pytest

import sheaf
from sheaf import cntk
from speech_files import frames_of, lattice_of, write_features, write_labels


def stream(scp, **options):
    return cntk.StreamDef(scp=scp, **options)


def features(scp, name="x", **options):
    return cntk.HTKFeatureDeserializer({name: stream(scp, **options)})


def values_of(source, name="x", size=1000):
    found = source.next_minibatch(size)
    return [np.asarray(each) for each in found[source[name]].as_sequences()]


def test_utterances_are_sequences(tmp_path):
    frames = frames_of(3, 1, 2)
    scp = write_features(tmp_path, "a", frames)
    source = cntk.MinibatchSource(
        features(scp, shape=2, context=(0, 0)), max_sweeps=1, randomize=False
    )
    for got, expected in zip(values_of(source), frames, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_context_adds_neighbouring_frames(tmp_path):
    frames = frames_of(3, 1)
    scp = write_features(tmp_path, "a", frames)
    source = cntk.MinibatchSource(features(scp, shape=2, context=(1, 2)), randomize=False)
    padded = np.concatenate([frames[0][:1], frames[0], frames[0][-1:], frames[0][-1:]])
    expected = np.stack([padded[t : t + 4].reshape(-1) for t in range(3)])
    np.testing.assert_array_equal(values_of(source)[0], expected)
    inferred = cntk.MinibatchSource(features(scp, shape=6), randomize=False)
    assert values_of(inferred)[0].shape == (3, 6)


def test_frame_mode_delivers_frames(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    other = write_features(tmp_path, "b", frames_of(1, 1, dim=3, base=7))
    source = cntk.MinibatchSource(
        [features(scp, shape=2), features(other, "v", shape=3, broadcast=True)],
        randomize=False,
        frame_mode=True,
    )
    found = source.next_minibatch(4)
    assert found[source["x"]].num_sequences == 4
    vectors = [np.asarray(each)[0, 0] for each in found[source["v"]].as_sequences()]
    assert vectors == [7, 7, 7, 107]


def test_lengths_are_compared_where_frames_are_paired(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    short = write_features(tmp_path, "b", frames_of(2, 2, dim=3))
    for options in ({"frame_mode": True}, {"truncation_length": 2}):
        source = cntk.MinibatchSource(
            [features(scp, shape=2), features(short, "v", shape=3)], randomize=False, **options
        )
        with pytest.raises(RuntimeError, match="u0"):
            for _ in range(9):
                source.next_minibatch(8)


def test_several_streams_are_several_lists(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    both = cntk.HTKFeatureDeserializer({"x": stream(scp, shape=2), "y": stream(scp, shape=2)})
    source = cntk.MinibatchSource(both, randomize=False)
    found = source.next_minibatch(100)
    np.testing.assert_array_equal(
        np.concatenate([np.asarray(each) for each in found[source["x"]].as_sequences()]),
        np.concatenate([np.asarray(each) for each in found[source["y"]].as_sequences()]),
    )


@pytest.mark.parametrize("as_list", [False, True])
def test_labels_come_with_their_utterances(tmp_path, as_list):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    mlf, states = write_labels(tmp_path, "abc", "ca")
    (tmp_path / "m.mlf").write_text('#!MLF!#\n"u0.lab"\n0 3 c\n.\n')
    paths = [mlf, str(tmp_path / "m.mlf")] if as_list else mlf  # of u0, the first is read
    labels = cntk.HTKMLFDeserializer(states, cntk.StreamDefs(l=cntk.StreamDef(shape=3, mlf=paths)))
    source = cntk.MinibatchSource([features(scp, shape=2), labels], max_sweeps=1, randomize=False)
    assert source["l"].is_sparse
    found = source.next_minibatch(100)
    assert found[source["l"]].asarray().argmax(axis=2).tolist() == [[0, 1, 2], [2, 0, 0]]
    frames = cntk.MinibatchSource(
        [features(scp, shape=2), labels], max_sweeps=1, randomize=False, frame_mode=True
    )
    assert frames.next_minibatch(4)[frames["l"]].num_sequences == 4


def test_boundaries_of_phones_have_the_value_2(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3))
    mlf, states = write_labels(tmp_path, "abb")
    stream_of = cntk.StreamDefs(l=cntk.StreamDef(shape=3, mlf=mlf))
    labels = cntk.HTKMLFDeserializer(states, stream_of, phoneBoundaries=True)
    source = cntk.MinibatchSource([features(scp, shape=2), labels], max_sweeps=1, randomize=False)
    found = source.next_minibatch(100)
    assert found[source["l"]].asarray().max(axis=2).tolist() == [[2, 2, 2]]


def test_lattices_come_with_their_utterances(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    blocks = [lattice_of([0, 1, 3]), lattice_of([0, 2])]
    (tmp_path / "l.bin").write_bytes(b"".join(blocks))
    (tmp_path / "l.toc").write_text(f"u0={tmp_path}/l.bin[0]\nu1=[{len(blocks[0])}]\n")
    (tmp_path / "l.index").write_text(f"{tmp_path}/l.toc\n")
    lattices = cntk.LatticeDeserializer(
        str(tmp_path / "l.index"), cntk.StreamDefs(lattice=cntk.StreamDef())
    )
    source = cntk.MinibatchSource([features(scp, shape=2), lattices], max_sweeps=1, randomize=False)
    got = values_of(source, "lattice")
    for values, block in zip(got, blocks, strict=True):
        assert values.tobytes() == block + bytes(-len(block) % 4)
    with pytest.raises(RuntimeError, match="LatticeDeserializer cannot be the first"):
        cntk.MinibatchSource([lattices, features(scp, shape=2)])
    with pytest.raises(RuntimeError, match="LatticeDeserializer has whole sequences"):
        cntk.MinibatchSource([features(scp, shape=2), lattices], frame_mode=True)


def test_keys_may_be_numbers_in_all_deserializers(tmp_path):
    header = struct.pack(">iihh", 2, 100_000, 4, 9)
    (tmp_path / "x.htk").write_bytes(header + struct.pack(">2f", 5, 6))
    scp = tmp_path / "x.scp"
    scp.write_text(f"7.x={tmp_path}/x.htk[0,0]\n0.x={tmp_path}/x.htk[1,1]\n")
    mlf = tmp_path / "l.mlf"
    mlf.write_text('#!MLF!#\n"0.lab"\n0 1 b\n.\n"7.lab"\n0 1 c\n.\n')
    states = tmp_path / "states"
    states.write_text("a\nb\nc\n")
    ctf = tmp_path / "t.ctf"
    ctf.write_text("0 |t 3\n7 |t 4\n")
    labels = cntk.StreamDefs(l=cntk.StreamDef(shape=3, mlf=str(mlf)))
    declared = [
        features(str(scp), shape=1),
        cntk.HTKMLFDeserializer(str(states), labels),
        cntk.CTFDeserializer(str(ctf), {"t": cntk.StreamDef(field="t", shape=1)}),
    ]
    source = cntk.MinibatchSource(declared, randomize=False, numeric_keys=True)
    minibatch = source.next_minibatch(2)
    found = {name: minibatch[source[name]].asarray().ravel().tolist() for name in ("x", "l", "t")}
    assert found == {"x": [5, 6], "l": [0, 0, 1, 0, 1, 0], "t": [4, 3]}
    assert sheaf.open(scp, keys="numeric").keys.tolist() == [7, 0]
    assert sheaf.open(scp).keys == ["7", "0"]
    scp.write_text(f"u.x={tmp_path}/x.htk[0,0]\n")
    with pytest.raises(sheaf.DataError, match=r"x\.scp:1:1: .*htk-numeric-key"):
        sheaf.open(scp, keys="numeric")


def test_wrong_settings_are_refused(tmp_path):
    scp = write_features(tmp_path, "a", frames_of(3, 2))
    with pytest.raises(ValueError, match="contextWindow"):
        cntk.MinibatchSource(
            {
                "type": "HTKFeatureDeserializer",
                "input": {"x": {"scpFile": scp, "dim": 2, "contextWindow": 2}},
            }
        )
    with pytest.raises(ValueError, match="has no scpfile"):
        cntk.MinibatchSource(
            {"type": "HTKFeatureDeserializer", "input": {"x": {"scpfile": scp, "dim": 2}}}
        )
    with pytest.raises(ValueError, match="frames to expand to"):
        cntk.MinibatchSource(features(scp, shape=2, broadcast=True))
    with pytest.raises(RuntimeError, match=r"none\.scp"):
        cntk.MinibatchSource(features(str(tmp_path / "none.scp"), shape=2))
