"""A Writer takes opaque bytes and samples of varying shape."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf
from sheaf._write.varying import VaryingShaper

BYTES = {"t": sheaf.Stream(dtype="bytes")}
LISTS = {"x": sheaf.Stream(shape=(None,), dtype="int32")}
TEXTS = [b"one", b"", "\u00e4", b"\x00\xff", None, [b"a", b"bc"], [], [b""]]
READ = [[b"one"], [b""], [b"\xc3\xa4"], [b"\x00\xff"], None, [b"a", b"bc"], [], [b""]]


def samples_of(path, name, **options):
    """Give the samples of each sequence, in the order of the file."""
    found = []
    for minibatch in sheaf.Reader(path, packing="ragged", minibatch_size=3, **options):
        for i in range(len(minibatch.sequence_keys)):
            samples = minibatch[name].samples(i)
            found.append(
                samples
                and [
                    bytes(s) if isinstance(s, memoryview) else np.asarray(s).tolist()
                    for s in samples
                ]
                if samples is not None
                else None
            )
    return found


@pytest.mark.parametrize("at_once", [False, True])
def test_bytes_are_written_and_read_back(tmp_path, at_once):
    path = tmp_path / "t.arrow"
    with sheaf.Writer(path, {**BYTES, "n": sheaf.Stream(dim=1)}) as writer:
        if at_once:
            numbers = np.arange(len(TEXTS), dtype=np.float32)
            writer.write_batch(range(len(TEXTS)), {"t": TEXTS, "n": numbers})
        else:
            for key, text in enumerate(TEXTS):
                writer.write(key, {"t": text, "n": [float(key)]})
    assert samples_of(path, "t", missing_streams="allow") == READ
    assert samples_of(path, "n") == [[[float(key)]] for key in range(len(TEXTS))]


def test_a_text_may_be_given_as_any_buffer(tmp_path):
    path = tmp_path / "t.jsonl"
    buffers = [b"ab", bytearray(b"ab"), memoryview(b"ab"), memoryview(b"xaxb")[1::2], "ab"]
    buffers.append(np.frombuffer(b"ab", np.uint8))
    with sheaf.Writer(path, BYTES) as writer:
        for key, text in enumerate(buffers):
            writer.write(key, {"t": text})
    assert samples_of(path, "t", streams=["t:dense:dtype=bytes"]) == [[b"ab"]] * len(buffers)


def test_tables_of_texts_and_shards_of_images_are_written(tmp_path):
    path = tmp_path / "t.csv"
    with sheaf.Writer(path, BYTES) as writer:
        writer.write_batch([0, 1], {"t": ['say "no", or\nnot', ""]})
    assert path.read_bytes() == b't\n"say ""no"", or\nnot"\n""\n'
    jpeg = b"\xff\xd8\xff\xe0 not an image"
    path = tmp_path / "t.tar"
    with sheaf.Writer(path, {"image": sheaf.Stream(dtype="bytes"), **BYTES}) as writer:
        writer.write("a", {"image": jpeg, "t": "a caption"})
    assert samples_of(path, "image", streams=["image:dense:dtype=bytes"]) == [[jpeg]]
    assert samples_of(path, "t", streams=["t:dense:dtype=bytes"]) == [[b"a caption"]]


def test_lists_are_written_and_read_back(tmp_path):
    path = tmp_path / "x.arrow"
    lists = [
        [[1, 2], [3]],
        np.array([[1, 2], [3, 4]], np.int32),  # [samples, 2]
        np.array([5, 6, 7]),  # one sample
        [8, 9],  # one sample, too
        [np.empty(0, np.int32), np.array([1], np.uint8)],
        [],
    ]
    expected = [[[1, 2], [3]], [[1, 2], [3, 4]], [[5, 6, 7]], [[8, 9]], [[], [1]], []]
    with sheaf.Writer(path, LISTS) as writer:
        writer.write_batch(range(3), {"x": lists[:3]})
        for key, each in enumerate(lists[3:], 3):
            writer.write(key, {"x": each})
    assert samples_of(path, "x", streams=["x:dense:*:dtype=int32"]) == expected
    with pytest.raises(sheaf.ConfigError, match='stream "x": jsonl has samples of fixed shape'):
        sheaf.Writer(tmp_path / "x.jsonl", LISTS)


@pytest.mark.parametrize("packing", ["ragged", "padded"])
@pytest.mark.parametrize("is_whole", [False, True])
def test_minibatches_of_varying_shape_are_written(tmp_path, packing, is_whole):
    source, path = tmp_path / "a.arrow", tmp_path / "b.arrow"
    streams = {**BYTES, **LISTS, "y": sheaf.Stream(dim=1)}
    with sheaf.Writer(source, streams) as writer:
        lists = [[[1, 2]], [[3], []], None]
        writer.write_batch(range(3), {"t": ["ab", "", None], "x": lists, "y": [1.0, 2.0, 3.0]})
    options = {"missing_streams": "allow", "streams": streams}
    written = streams if is_whole else {**LISTS, **BYTES}
    with sheaf.Writer(path, written) as writer:
        for minibatch in sheaf.Reader(source, packing=packing, minibatch_size=2, **options):
            writer.write_batch(minibatch)
    for name in BYTES | LISTS:
        expected = samples_of(source, name, **options)
        assert samples_of(path, name, **{**options, "streams": written}) == expected
        assert expected[2] is None


def test_wrong_values_are_refused_by_key_and_stream(tmp_path):
    wrong = [
        (BYTES, 3, "write-type", "found int"),
        (BYTES, [b"a", 3], "write-type", "found int"),
        (BYTES, np.zeros(2), "write-type", "found ndarray"),
        (LISTS, [[1.5]], "write-type", "found float64"),
        (LISTS, [[2**31]], "write-range", "2147483648"),
        (LISTS, 7, "write-shape", r"an array of \[\]"),
        (LISTS, [[[1]]], "write-shape", r"an array of \[1, 1, 1\]"),
        (LISTS, [[1], 2], "write-type", "samples of"),
        ({"f": sheaf.Stream(shape=(None,))}, [np.array([2**24 + 1])], "write-inexact", "16777217"),
    ]
    for streams, value, code, words in wrong:
        (name,) = streams
        path = tmp_path / "out.arrow"
        with sheaf.Writer(path, streams) as writer:
            with pytest.raises(sheaf.DataError, match=rf"sequence 5.*\"{name}\".*{words}") as error:
                writer.write(5, {name: value})
            assert error.value.diagnostics[0].code == code
            with pytest.raises(sheaf.DataError, match="found tuple"):
                writer.write_batch([1, 2], {name: ()})
            with pytest.raises(sheaf.DataError, match="found 1 of 2"):
                writer.write_batch([1, 2], {name: [None]})
            writer.discard()
        assert not path.exists()


def test_some_extents_may_be_fixed():
    shaper = VaryingShaper("out", "p", sheaf.Stream(shape=(None, 2), dtype="int32"))
    column = shaper.sequence(5, [np.zeros((3, 2), int), [[1, 2]]])
    assert column.values.tolist() == [0] * 6 + [1, 2]
    assert (column.sample_offsets.tolist(), column.extents.tolist()) == ([0, 6, 8], [3, 2, 1, 2])
    with pytest.raises(sheaf.DataError, match=r"expected samples of \[\*, 2\].*one of \[3, 1\]"):
        shaper.sequence(5, [np.zeros((3, 1), int)])
