"""Names, keys and paths that are not UTF-8: Python encodes them like its own file names."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
import pytest

import sheaf

NAMES = [
    b"\x80",
    b"\xff",
    b"caf\xe9",
    b"\xc3\xa9",  # a letter in UTF-8
    b"\xc3\xa9\xff",
    b"\xed\xa0\x80",  # a surrogate, which is no UTF-8
    b"\xf4\x90\x80\x80",
    bytes(range(0x80, 0x100)),
]


def text(name):
    return name.decode("utf-8", "surrogateescape")


@pytest.fixture(params=NAMES, ids=repr)
def name(request):
    return request.param


@pytest.fixture
def path(tmp_path, name):
    """A file with a stream of this name, in a file of the name ``\\xff.ctf``."""
    path = os.path.join(os.fsencode(tmp_path), b"\xff.ctf")
    with open(path, "wb") as file:
        for key in range(4):
            file.write(b"%d |%s %d 2\n" % (key, name, key))
    return path


def test_streams_are_found_and_read(path, name):
    assert list(sheaf.infer(path)) == [text(name)]
    with sheaf.open(path) as data:
        assert data.files == [os.fsdecode(path)]
        assert text(os.fsencode(repr(data))) or repr(data)
        sequence = data.sequence(2)
        assert sequence[text(name)].values.tolist() == [[2, 2]]
        assert list(sequence) == [text(name)]
        assert text(name) in sequence
        assert getattr(sequence, text(name)) is not None
        assert text(name) in dir(sequence)
        assert data.streams[text(name)].dim == 2
    with pytest.raises(KeyError):
        sequence["\udc80other"]
    with pytest.raises(AttributeError, match="neither"):
        getattr(sequence, "\udc80other")
    assert sheaf.check(path).ok


def test_a_reader_resumes(path, name):
    def read():
        return sheaf.Reader(path, {text(name): sheaf.Stream(dim=2)}, batch_size=1)

    reader = read()
    minibatches = iter(reader)
    next(minibatches)
    state = json.loads(json.dumps(reader.state_dict()))
    assert state == reader.state_dict()
    resumed = read()
    resumed.load_state_dict(state)
    assert [mb[text(name)].values[0, 0, 0] for mb in resumed] == [1, 2, 3]
    assert repr(reader)
    assert reader.warnings == []


def test_warnings_come_with_and_without_an_index_file(path, name):
    with open(path, "ab") as file:
        file.write(b"5 |%s 1 2 |other\xfe 1\n" % name)
    for index in ("off", "rebuild", "require"):
        reader = sheaf.Reader(path, {text(name): sheaf.Stream(dim=2)}, index=index)
        assert len(list(reader)) == 1
        (warning,) = reader.warnings
        assert os.fsencode(warning.path) == path
        assert warning.code == "ctf-unknown-stream"
        assert "\\xfe" in str(warning)


def test_files_are_written(tmp_path, path, name):
    folder = os.path.join(os.fsencode(tmp_path), b"out\xfe")
    os.mkdir(folder)
    out = os.path.join(folder, b"\x80.ctf")
    conversion = sheaf.convert(path, out)
    assert os.fsencode(conversion.path) == out
    assert sheaf.infer(out).keys() == {text(name)}
    with sheaf.Writer(os.fsdecode(out), {text(name): sheaf.Stream(dim=2)}) as writer:
        writer.write(7, {text(name): [5, 6]})
        assert repr(writer)
    assert sheaf.open(out).sequence(7)[text(name)].values.tolist() == [[5, 6]]
    renamed = sheaf.convert(out, out + b".ctf", written={text(name): "x"})
    assert sheaf.infer(renamed.path).keys() == {"x"}
    declared = sheaf.open(out, {"y": sheaf.Stream(dim=2, alias=text(name))})
    assert declared.sequence(7).y.values.tolist() == [[5, 6]]


def test_names_in_arrow_must_be_utf8(tmp_path, path, name):
    stream = {"x": sheaf.Stream(dim=2, alias=text(name))}
    sheaf.from_arrow(sheaf.to_arrow(path, stream), os.fsencode(tmp_path) + b"/\xff2.ctf")
    minibatch = next(iter(sheaf.Reader(path, packing="ragged")))
    try:
        name.decode()
    except UnicodeDecodeError:
        with pytest.raises(sheaf.ConfigError, match="alias"):
            sheaf.to_arrow(path)
        with pytest.raises(sheaf.ConfigError, match="alias"):
            minibatch.__arrow_c_array__()
    else:
        sheaf.to_arrow(path)
        minibatch.__arrow_c_array__()


def test_errors_contain_the_name_and_the_path(path, name):
    with open(path, "ab") as file:
        file.write(b"9 |%s 1 x\n" % name)
    with pytest.raises(sheaf.DataError) as caught:
        list(sheaf.Reader(path))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.stream == text(name)
    assert os.fsencode(diagnostic.path) == path
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics
    assert sheaf.check(path).errors[0] == diagnostic
    assert repr(sheaf.check(path))
    for streams in ([text(name) + ":other"], {text(name) + "2": sheaf.Stream(dim=2)}):
        with pytest.raises((sheaf.ConfigError, sheaf.DataError)):
            list(sheaf.Reader(path, streams))
    with pytest.raises(sheaf.IoError) as missing:
        sheaf.open(path + b"\x80.ctf")
    assert "\udcff.ctf\udc80.ctf" in str(missing.value)
    with pytest.raises(sheaf.ConfigError):
        sheaf.convert(path, path)


def test_keys_are_texts_of_any_bytes(tmp_path, name):
    path = tmp_path / "keys.ctf"
    path.write_bytes(b"a |x 1\nk%s |x 2\n" % name)
    with sheaf.open(path, keys="text") as data:
        key = "k" + text(name)
        assert data.keys == ["a", key]
        assert data.sequence(key).x.values.tolist() == [[2]]
        assert key in data
        assert "k" + text(name) + "\udc80" not in data
        assert "\ud800" not in data
    with sheaf.Writer(tmp_path / "out.ctf", ["x:dense:1"]) as writer:
        writer.write_batch(["b", key], {"x": np.ones((2, 1), np.float32)})
    assert sheaf.open(tmp_path / "out.ctf", keys="text").keys == ["b", key]


class Named(sheaf.Deserializer):
    """A stream of any name, and keys of any bytes."""

    def __init__(self, name):
        self.streams = {name: sheaf.Stream(dim=1)}

    def chunks(self):
        yield sheaf.Chunk(samples=[1, 1], keys=["k\udc80", "k\udcff"])

    def read(self, chunk):
        return dict.fromkeys(self.streams, np.ones((2, 1), np.float32))


def test_a_deserializer_may_have_names_of_any_bytes(name):
    reader = sheaf.Reader(Named(text(name)), batch_size=1)
    minibatches = iter(reader)
    assert next(minibatches).key_texts == ["k\udc80"]
    state = reader.state_dict()
    resumed = sheaf.Reader(Named(text(name)), batch_size=1)
    resumed.load_state_dict(state)
    assert [mb.key_texts for mb in resumed] == [["k\udcff"]]
    other = sheaf.Reader(Named(text(name) + "2"), batch_size=1)
    with pytest.raises(sheaf.ConfigError, match="another run"):
        other.load_state_dict(state)


class PathOf:
    """A path that is no str."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_a_path_may_be_text_bytes_or_an_object(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.ctf"
    with open(path, "wb") as file:
        file.write(b"0 |x 1\n")
    for said in (path, os.fsdecode(path), PathOf(path), PathOf(os.fsdecode(path)), [path]):
        assert len(sheaf.open(said)) == 1
        assert len(list(sheaf.Reader(said, join=[], index_dir=os.fsencode(tmp_path)))) == 1
        folder = os.fsencode(tmp_path) + b"/\xff"
        assert len(list(sheaf.Reader(said, cache=folder, cache_limit="1MiB"))) == 1
        assert os.path.isdir(folder)
        assert sheaf.check(said).ok
        assert list(sheaf.infer(said)) == ["x"]
    for said in (path + b"2.ctf", PathOf(path + b"2.ctf")):
        sheaf.convert(path, said, overwrite=True)
        sheaf.Writer(said, ["x:dense:1"]).discard()
        sheaf.from_arrow(sheaf.to_arrow(path), said)
    joined = sheaf.open(path, ["x:dense:1"], join={path: ["y:dense:1:alias=x"]})
    assert list(joined.streams) == ["x", "y"]


@pytest.mark.parametrize("bad", ["\ud800", "a\udbff", "\udc7f", "\udd00b"])
def test_surrogates_that_encode_no_byte_are_refused(tmp_path, write_ctf, bad):
    path = write_ctf("0 |x 1\n")
    refused = pytest.raises((sheaf.ConfigError, UnicodeEncodeError))
    for call in (
        lambda: sheaf.open(bad),
        lambda: sheaf.Reader(path, {bad: sheaf.Stream(dim=1)}),
        lambda: sheaf.Reader(path, {"x": sheaf.Stream(dim=1, alias=bad)}),
        lambda: sheaf.Reader(path, index_dir=bad),
        lambda: sheaf.Reader(path, cache=bad),
        lambda: sheaf.convert(path, tmp_path / bad),
        lambda: sheaf.infer(bad),
        lambda: sheaf.check(bad),
        lambda: sheaf.to_arrow(bad),
        lambda: sheaf.Writer(bad, ["x:dense:1"]),
        lambda: sheaf.Writer(tmp_path / "out.ctf", {bad: sheaf.Stream(dim=1)}),
        lambda: sheaf.from_arrow(sheaf.to_arrow(path), bad),
        lambda: list(sheaf.Reader(Named(bad))),
    ):
        with refused:
            call()


@pytest.mark.parametrize("bad", ["a\0b", b"a\0b"])
def test_a_path_with_a_nul_is_refused(write_ctf, bad):
    path = write_ctf("0 |x 1\n")
    for call in (
        lambda: sheaf.open(bad),
        lambda: sheaf.Reader(path, index_dir=bad),
        lambda: sheaf.Reader(path, cache=bad),
        lambda: sheaf.convert(path, bad),
        lambda: sheaf.Writer(bad, ["x:dense:1"]),
    ):
        with pytest.raises(sheaf.ConfigError, match="NUL"):
            call()
