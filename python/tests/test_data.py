"""Input data: formats, several files, joins, configurations, and options about data."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf


def write(path, text):
    path.write_bytes(text.encode("ascii"))
    return path


def keys(reader):
    return [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]


def values(reader, stream="x"):
    return [value for minibatch in reader for value in minibatch[stream].values.ravel().tolist()]


@pytest.fixture
def parts(tmp_path):
    for i in range(3):
        write(tmp_path / f"part-{i}.ctf", f"{2 * i} |x {i}.5\n{2 * i + 1} |x {i}.75\n")
    return tmp_path


def test_several_files_are_read_in_order(parts):
    expected = [0.5, 0.75, 1.5, 1.75, 2.5, 2.75]
    paths = [parts / f"part-{i}.ctf" for i in range(3)]
    assert values(sheaf.Reader(paths, ["x:dense:1"])) == expected
    assert values(sheaf.Reader(parts / "part-*.ctf")) == expected
    mixed = sheaf.Reader([paths[2], str(parts / "part-[01].ctf")], ["x:dense"])
    assert values(mixed) == expected[4:] + expected[:4]
    assert repr(mixed).startswith("<sheaf.Reader of 3 files, ")
    with pytest.raises(sheaf.ConfigError, match="no-"):
        sheaf.Reader(parts / "no-*.ctf")
    with pytest.raises(sheaf.ConfigError, match="needs a path"):
        sheaf.Reader()


def test_a_key_in_two_files_is_an_error_or_numbered(parts):
    write(parts / "part-3.ctf", "0 |x 9\n")
    reader = sheaf.Reader(parts / "part-*.ctf", batch_size=9)
    with pytest.raises(sheaf.DataError, match=r"part-3\.ctf"):
        list(reader)
    assert "6 |x" not in repr(reader) and "part-3.ctf" in repr(reader)  # and nothing is raised
    numbered = sheaf.Reader(parts / "part-*.ctf", batch_size=9, same_keys="number")
    assert keys(numbered) == list(range(7))


def test_streams_of_the_same_sequences_are_joined(tmp_path):
    x = write(tmp_path / "x.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n")
    y = write(tmp_path / "y.ctf", "3 |y 1:3\n1 |y 0:1\n")
    z = write(tmp_path / "z.ctf", "1 |z 10 |w 5\n3 |z 30 |w 5\n4 |z 40 |w 5\n")
    reader = sheaf.Reader(x, join=[y, z], batch_size=9)
    (minibatch,) = reader
    assert minibatch.sequence_keys.tolist() == [1, 3]
    assert list(minibatch) == ["x", "y", "z", "w"]
    assert minibatch.y.indices.tolist() == [0, 1]
    assert any("2" in str(warning) for warning in reader.warnings)

    declared = sheaf.Reader(x, ["x:dense:1"], join={y: ["y:sparse:7"], z: ["z:dense:1"]})
    assert list(declared.streams) == ["x", "y", "z"]
    assert declared.streams["y"].dim == 7
    (minibatch,) = sheaf.Reader(x, join=y, missing_sequences="absent")
    assert minibatch.sequence_keys.tolist() == [1, 2, 3]
    assert minibatch.y.presence.tolist() == [True, False, True]
    assert minibatch.x.presence is None
    assert minibatch.y.lengths.tolist() == [1, 0, 1]
    with pytest.raises(sheaf.DataError, match="1 that are not in all of them"):
        sheaf.Reader(x, join=y, missing_sequences="error")


def test_lengths_of_joined_files_may_differ_within_the_tolerance(tmp_path):
    x = write(tmp_path / "x.ctf", "1 |x 1\n1 |x 2\n1 |x 3\n2 |x 4\n")
    y = write(tmp_path / "y.ctf", "1 |y 1\n1 |y 2\n2 |y 3\n")
    v = write(tmp_path / "v.ctf", "1 |v 7\n2 |v 8\n")
    reader = sheaf.Reader(
        x,
        join=[y, v],
        lengths="equal",
        length_tolerance=1,
        length_streams=["x", "y"],
        transforms=["broadcast:v:like=x"],
    )
    (minibatch,) = reader
    assert minibatch.x.lengths.tolist() == [2, 1]
    assert minibatch.y.lengths.tolist() == [2, 1]
    assert minibatch.v.values[..., 0].tolist() == [[7, 7], [8, 0]]
    with pytest.raises(sheaf.DataError, match="at least 3 samples of sequence 1"):
        list(sheaf.Reader(x, join=y, lengths="primary"))
    with pytest.raises(sheaf.ConfigError, match='no stream "z"'):
        sheaf.Reader(x, join=y, lengths="equal", length_streams="z")
    with pytest.raises(TypeError, match="length_streams takes names of streams, not int"):
        sheaf.Reader(x, join=y, lengths="equal", length_streams=[1])


def test_a_format_and_its_options_are_given_by_keyword(tmp_path):
    svm = write(tmp_path / "a.svm", "1 0:2 3:4\n-1 1:6\n")
    (minibatch,) = sheaf.Reader(svm, format="libsvm", format_options={"libsvm.base": 0})
    assert minibatch.label.values.ravel().tolist() == [1, -1]
    assert minibatch.features.indices.tolist() == [0, 3, 1]


def test_streams_and_types_are_found_in_the_data(digits):
    reader = sheaf.Reader(digits / "train.ctf")
    assert reader.streams == {
        "labels": sheaf.Stream(dim=10, sparse=True, dtype="float32"),
        "features": sheaf.Stream(dim=64, dtype="float32"),
    }
    streams = {"labels": sheaf.Stream(sparse=True, index_dtype="int64"), "features": sheaf.Stream()}
    minibatch = next(iter(sheaf.Reader(digits / "train.ctf", streams, dtype="float64")))
    assert minibatch.features.values.dtype == np.float64
    assert minibatch.labels.indices.dtype == np.int64


@pytest.mark.parametrize(
    ("text", "name", "stream"),
    [
        ("x:dense:3", "x", sheaf.Stream(dim=3)),
        ("x:dense:2x3", "x", sheaf.Stream(shape=(2, 3))),
        ("x:sparse:9:mb:alias=a", "x", sheaf.Stream(9, None, True, "a", None, "int32", True)),
        ("x:sparse:?:index=i64", "x", sheaf.Stream(sparse=True, index_dtype="int64")),
        (r"a\:b\\:dense:alias=c\:d", "a:b\\", sheaf.Stream(alias="c:d")),
    ],
)
def test_the_syntax_of_streams(text, name, stream):
    from sheaf._options.streams import parse_stream

    assert parse_stream(text) == (name, stream)


def test_missing_streams_and_rows_without_ids_are_allowed_by_option(write_ctf):
    path = write_ctf("0 |x 1 |y 2\n0 |x 3\n1 |y 4\n")
    allowed = sheaf.Reader(path, ["x:dense:1", "y:dense:1"], missing_streams="allow")
    assert keys(allowed) == [0, 1]
    with pytest.raises(sheaf.DataError):
        list(sheaf.Reader(path, ["x:dense:1", "y:dense:1"]))
    rows = sheaf.Reader(path, ["x:dense:1"], missing_streams="allow", skip_sequence_ids=True)
    assert [minibatch.x.lengths.tolist() for minibatch in rows] == [[1, 1, 0]]


def test_compatibility_with_cntk_pads_short_samples(write_ctf):
    path = write_ctf("0 |x 1 2\n1 |x 3\n")  # a sample too short, which CNTK pads
    with pytest.raises(sheaf.DataError):
        list(sheaf.Reader(path, ["x:dense:2"]))
    reader = sheaf.Reader(path, ["x:dense:2"], compatibility="cntk")
    assert values(reader) == [1, 2, 3, 0]


def test_index_files_are_written_and_required(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n")
    folder = tmp_path / "indexes"
    folder.mkdir()
    assert values(sheaf.Reader(path, ["x:dense:1"], index="rebuild", index_dir=folder)) == [1]
    assert len(list(folder.iterdir())) == 1
    required = sheaf.Reader(path, ["x:dense:1"], index="require", index_dir=folder)
    assert values(required) == [1]
    with pytest.raises(sheaf.Error, match="index"):
        list(sheaf.Reader(path, ["x:dense:1"], index="require"))


CONFIG = """
Folder = "nowhere"
Train = [
    reader = [
        readerType = "CNTKTextFormatReader"
        file = "$Folder$/data.ctf"
        randomize = false
        input = [ x = [ dim = 1 ; format = "dense" ] ]
    ]
]
Test = [ reader = [ readerType = "CNTKTextFormatReader" ; file = "$Folder$/data.ctf"
                    randomize = true ; input = [ x = [ dim = 1 ; format = "dense" ] ] ] ]
"""


def test_a_configuration_is_read(tmp_path, write_ctf):
    write_ctf("0 |x 1\n0 |x 2\n1 |x 3\n")
    config = write(tmp_path / "train.cntk", CONFIG)
    options = {"config": config, "settings": {"Folder": tmp_path}}
    reader = sheaf.Reader(**options, section="Train/reader", batch_size=9)
    (minibatch,) = reader
    assert minibatch.x.values.tolist() == [[[1], [3]], [[2], [0]]]  # CNTK's layout
    (minibatch,) = sheaf.Reader(**options, section="Train/reader", packing="ragged")
    assert minibatch.x.values.tolist() == [[1], [2], [3]]
    words = sheaf.Reader(config=config, section="Test/reader", settings=[f"Folder={tmp_path}"])
    assert sorted(keys(words)) == [0, 1]
    assert words.state_dict()["algorithm"] == "cntk"

    with pytest.raises(sheaf.ConfigError, match='name one:\n  section="Test/reader"'):
        sheaf.Reader(**options)
    with pytest.raises(sheaf.ConfigError, match="order: the section of the configuration says it"):
        sheaf.Reader(**options, section="Train/reader", order="file")
    with pytest.raises(sheaf.ConfigError, match="path: the section of the configuration says it"):
        sheaf.Reader("x.ctf", **options, section="Train/reader")
    with pytest.raises(sheaf.IoError, match="nowhere"):
        sheaf.Reader(config=config, section="Train/reader")


def test_a_configuration_has_warnings(tmp_path, write_ctf):
    write_ctf("0 |x 1\n")
    text = CONFIG.replace("randomize = false", "randomize = false ; nonsense = 3")
    config = write(tmp_path / "train.cntk", text)
    reader = sheaf.Reader(config=config, section="Train/reader", settings={"Folder": tmp_path})
    assert any("nonsense" in str(warning) for warning in reader.warnings)
