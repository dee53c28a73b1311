"""Exceptions and their messages."""

from __future__ import annotations

import pickle

import pytest

import sheaf

BAD = "318 |x 1 2 3\n319 |x 0.5 1.2.3 0.9\n320 |x 4 5 6\n"


def test_errors_have_location_and_reason(write_ctf):
    path = write_ctf(BAD)
    reader = sheaf.Reader(path, ["x:dense:3"], batch_size=1)
    minibatches = iter(reader)
    assert next(minibatches).sequence_keys.tolist() == [318]
    with pytest.raises(sheaf.DataError) as raised:
        next(minibatches)
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value, sheaf.Error)
    assert f"{path}:2:12: " in str(raised.value)
    assert 'stream "x": expected a number, found "1.2.3"' in str(raised.value)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.path, diagnostic.line, diagnostic.column) == (str(path), 2, 12)
    assert diagnostic.byte_offset == BAD.index("1.2.3")
    assert diagnostic.sequence_key == "319"
    assert diagnostic.stream == "x"
    assert diagnostic.code == "ctf-number"
    assert diagnostic.expected == "a number"
    assert diagnostic.found == '"1.2.3"'
    assert "^~~~~" in diagnostic.text
    assert str(diagnostic) == diagnostic.text


def test_a_misspelled_stream_is_reported_in_repr_and_error(write_ctf):
    path = write_ctf("318 |features 1 2\n319 |features 3 4\n")
    reader = sheaf.Reader(path, ["featurs:dense:2"])
    lines = repr(reader).split("\n  ")
    assert lines[1].startswith("2 sequences, 0 samples")
    assert lines[2] == "no sequence has any of these streams: is a name misspelled?"
    with pytest.raises(sheaf.DataError, match='did you mean "features"'):
        next(iter(reader))


def test_bad_data_within_the_limit_are_left_out(write_ctf):
    reader = sheaf.Reader(write_ctf(BAD), ["x:dense:3"], batch_size=3, max_errors=1)
    (minibatch,) = reader
    assert minibatch.sequence_keys.tolist() == [318, 320]
    assert minibatch.hole_count == 1
    assert [diagnostic.line for diagnostic in reader.diagnostics] == [2]
    assert reader.stats["holes"] == 1


def test_the_errors_can_be_pickled(write_ctf):
    with pytest.raises(sheaf.DataError) as raised:
        list(sheaf.Reader(write_ctf(BAD), ["x:dense:3"]))
    copy = pickle.loads(pickle.dumps(raised.value))
    assert type(copy) is sheaf.DataError
    assert str(copy) == str(raised.value)
    assert copy.diagnostics == raised.value.diagnostics


def test_a_missing_file_is_an_io_error(tmp_path):
    with pytest.raises(sheaf.IoError, match="missing") as raised:
        sheaf.Reader(tmp_path / "missing.ctf", ["x:dense:3"])
    assert isinstance(raised.value, OSError)
    assert isinstance(raised.value, sheaf.Error)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1: got 0"),
        ({"batch_size": 1, "minibatch_samples": 1}, "not both"),
        ({"sweeps": -1}, "sweeps"),
        ({"packing": "dense"}, '"packed", "frames" or "truncated": got "dense"'),
        ({"sweep_ends": "maybe"}, 'sweep_ends is "cross" or "cut"'),
        ({"num_threads": -1}, "num_threads must be at least 0: got -1"),
        ({"num_threads": 1025}, "num_threads is at most 1024: got 1025"),
        ({"memory_limit": -1}, "memory_limit must be at least 0: got -1"),
        ({"chunk_size_bytes": 0}, "chunk_size_bytes must be at least 1: got 0"),
        ({"format": "x"}, "x"),
        ({"format_options": {"x": 1}}, 'ctf has no option "x"'),
        ({"dtype": "int8"}, 'dtype is "float32", "float64", "float16", '),
        ({"compatibility": "x"}, 'compatibility is "strict" or "cntk"'),
        ({"missing_streams": "x"}, 'missing_streams is "error" or "allow"'),
        ({"missing_sequences": "x"}, 'missing_sequences is "drop", "error" or "absent"'),
        ({"lengths": "x"}, 'lengths is "any", "equal", "primary" or "at_least"'),
        ({"length_tolerance": -1}, "length_tolerance must be at least 0: got -1"),
        ({"same_keys": "x"}, 'same_keys is "refuse" or "number"'),
        ({"index": "x"}, 'index is "auto", "off", "rebuild" or "require"'),
        ({"section": "x"}, "section belongs to a configuration"),
        ({"settings": ["x=y"]}, "settings belongs to a configuration"),
    ],
)
def test_options_out_of_range_are_config_errors(write_ctf, arguments, text):
    with pytest.raises(sheaf.ConfigError, match=text) as raised:
        sheaf.Reader(write_ctf("0 |x 1\n"), ["x:dense:1"], **arguments)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("streams", "text"),
    [
        (["x"], 'got "x"'),
        ([""], 'got ""'),
        ([":dense"], 'got ":dense"'),
        (["x:dense:3:4"], 'got "x:dense:3:4"'),
        (["x:sparse:3:index=i8"], "index=i64"),
        (["x:thick:3"], "dense"),
        (["x:dense:0"], "at least 1"),
        (["x:sparse:2x3"], "sparse"),
        (["x:dense:3:alias="], "alias"),
        (["x:dense:3", "x:dense:3"], "twice"),
        ("x:dense:3", "list of strings"),
    ],
)
def test_wrong_streams_are_config_errors(write_ctf, streams, text):
    with pytest.raises(sheaf.ConfigError, match=text):
        sheaf.Reader(write_ctf("0 |x 1 2 3\n"), streams)


@pytest.mark.parametrize("streams", [{"x": "sparse:10"}, {"x": 5}, {5: "x"}, [5], [b"x:dense"]])
def test_streams_of_wrong_python_types_are_errors_with_the_syntax(write_ctf, streams):
    with pytest.raises(sheaf.ConfigError, match="NAME:dense"):
        sheaf.Reader(write_ctf("0 |x 1\n"), streams)


def test_a_stream_has_dim_or_shape():
    with pytest.raises(sheaf.ConfigError, match="either dim or shape"):
        sheaf.Stream(dim=1, shape=(1,))
    with pytest.raises(sheaf.ConfigError, match="float64"):
        sheaf.Stream(dim=1, dtype="int8")
    with pytest.raises(sheaf.ConfigError, match="int64"):
        sheaf.Stream(dim=1, index_dtype="int8")
