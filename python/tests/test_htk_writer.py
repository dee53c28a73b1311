"""Writing HTK parameter files: results under the names of utterances, and conversions."""

from __future__ import annotations

import os

import numpy as np
import pytest

import sheaf
from speech_files import frames_of, write_features

COUNTS = [3, 1, 7, 2]
FILES = {"htk.layout": "files"}


def utterances(path):
    """The values of each utterance, by key."""
    with sheaf.open(path, keys="text") as data:
        return {each.key_texts[0]: each[data_name(data)].values.tolist() for each in data}


def data_name(data):
    (name,) = data.streams
    return name


def names(folder):
    return set(os.listdir(folder))


@pytest.fixture
def features(tmp_path):
    """A list of utterances u0 to u3 in a separate folder."""
    folder = tmp_path / "features"
    folder.mkdir()
    return write_features(folder, "x", frames_of(*COUNTS))


@pytest.mark.parametrize(
    ("options", "written"),
    [({}, {"out.scp", "out.htk"}), (FILES, {"out.scp", "u0.htk", "u1.htk", "u2.htk", "u3.htk"})],
)
def test_outputs_of_a_network_are_written_under_the_names_of_utterances(
    tmp_path, features, options, written
):
    folder = tmp_path / "out"
    folder.mkdir()
    path = folder / "out.scp"
    reader = sheaf.Reader(
        features, keys="text", batch_size=3, unit="sequences", packing="ragged", order="keyed"
    )
    with sheaf.Writer(path, ["score:dense:1"], format_options=options, overwrite=False) as writer:
        for minibatch in reader:
            frames = minibatch["x"]
            scores = np.asarray(frames.values).sum(axis=1)
            writer.write_batch(minibatch.key_texts, {"score": (scores, frames.lengths)})
        assert not {each for each in names(folder) if not each.endswith(".part")}
    assert names(folder) == written
    expected = {key: np.sum(v, axis=1) for key, v in utterances(features).items()}
    got = utterances(path)
    assert got.keys() == expected.keys()
    for key, values in got.items():
        assert [value for (value,) in values] == expected[key].tolist()


def test_keys_may_be_numbers_and_values_keep_their_bits(tmp_path):
    bits = np.array([[0x7FC00001, 0x80000000], [1, 0xFF800000]], np.uint32).view(np.float32)
    with sheaf.Writer(tmp_path / "a.scp", ["x:dense:2"]) as writer:
        writer.write(17, {"x": bits})
    with sheaf.open(tmp_path / "a.scp", keys="text") as data:
        read = data.sequence("17").a.values
    assert read.tobytes() == bits.tobytes()


@pytest.mark.parametrize("taken", ["out.scp", "out.htk"])
def test_existing_files_are_replaced_only_where_allowed(tmp_path, taken):
    (tmp_path / taken).write_text("kept")
    with pytest.raises(sheaf.ConfigError, match=f"{taken}: exists already"):
        sheaf.Writer(tmp_path / "out.scp", ["x:dense:1"], overwrite=False)
    assert names(tmp_path) == {taken}
    assert (tmp_path / taken).read_text() == "kept"
    with sheaf.Writer(tmp_path / "out.scp", ["x:dense:1"]) as writer:
        writer.write("a", {"x": [[1]]})
    assert utterances(tmp_path / "out.scp") == {"a": [[1]]}


def test_an_exception_or_a_wrong_key_leaves_no_file(tmp_path):
    (tmp_path / "out.htk").write_text("kept")
    with pytest.raises(KeyError), sheaf.Writer(tmp_path / "out.scp", ["x:dense:1"]) as writer:
        writer.write("a", {"x": [[1]]})
        raise KeyError
    for key in ("a=b", "", "a\nb", "a\0b"):
        with (
            pytest.raises(sheaf.DataError, match="htk-key") as raised,
            sheaf.Writer(tmp_path / "out.scp", ["x:dense:1"]) as writer,
        ):
            writer.write(key, {"x": [[1]]})
        assert not key or raised.value.diagnostics[0].sequence_key == key
    assert names(tmp_path) == {"out.htk"}
    assert (tmp_path / "out.htk").read_text() == "kept"


def test_conversions_to_and_from_text_keep_values(tmp_path, features):
    sheaf.convert(features, tmp_path / "a.ctf")
    sheaf.convert(tmp_path / "a.ctf", tmp_path / "b.scp", keys="text")
    assert utterances(tmp_path / "b.scp") == utterances(features)
    conversion = sheaf.convert(features, tmp_path / "c.scp", shards=2, to_options=FILES)
    assert [each.sequences for each in conversion.files] == [3, 1]
    shards = [utterances(each.path) for each in conversion.files]
    assert shards[0] | shards[1] == utterances(features)
    sizes = [os.path.getsize(tmp_path / f"u{i}.htk") for i in range(4)]
    lists = [os.path.getsize(each.path) for each in conversion.files]
    assert [each.bytes - own for each, own in zip(conversion.files, lists, strict=True)] == [
        sum(sizes[:3]),
        sizes[3],
    ]


def test_input_files_are_never_overwritten(tmp_path, features):
    before = {path: path.read_bytes() for path in (tmp_path / "features").iterdir()}
    for options in ({"order": "file"}, {"order": "keyed", "minibatch_size": 2}):
        source = sheaf.Reader(features, **options)
        with pytest.raises(sheaf.ConfigError, match=r"x\.htk: is a file that is read"):
            sheaf.convert(source, tmp_path / "features" / "x.ark", overwrite=True, to_format="htk")
    assert {path: path.read_bytes() for path in (tmp_path / "features").iterdir()} == before
