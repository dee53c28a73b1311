"""Writing: sheaf.Writer, from arrays to a file."""

from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np
import pytest

import sheaf

STREAMS = ["x:dense:2", "s:sparse:4"]


def rows(indptr, indices, data):
    """Compressed rows, without SciPy."""
    return SimpleNamespace(indptr=indptr, indices=indices, data=data)


def written(path, streams=STREAMS, **options):
    with sheaf.open(path, streams, **options) as data:
        return [
            {
                "key": each.key_texts[0] if each.key_texts else int(each.sequence_keys[0]),
                **{
                    name: batch.values.tolist()
                    if hasattr(batch, "values")
                    else [
                        dict(zip(i.tolist(), v.tolist(), strict=True))
                        for i, v in zip(
                            np.split(batch.indices, batch.indptr[1:-1]),
                            np.split(batch.data, batch.indptr[1:-1]),
                            strict=True,
                        )
                    ][: len(batch.indptr) - 1]
                    for name, batch in each.items()
                    if batch.presence is None or batch.presence[0]
                },
            }
            for each in data
        ]


EXPECTED = [
    {"key": 7, "x": [[1, 2.5], [3, -4]], "s": [{1: 0.5, 3: 1}]},
    {"key": 8, "x": [[5, 6]], "s": [{}, {0: 2}]},
]


@pytest.mark.parametrize("name", ["data.ctf", "data.cbf"])
def test_sequences_are_written_one_by_one(tmp_path, name):
    path = tmp_path / name
    with sheaf.Writer(path, STREAMS) as writer:
        writer.write(7, {"x": [[1, 2.5], [3, -4]], "s": ([1, 3], [0.5, 1])})
        writer.write(8, {"s": [([], []), ([0], [2])], "x": np.array([5, 6])})
        assert not path.exists()
        assert (writer.sequence_count, writer.sample_count) == (2, 4)
    expected = [dict(each) for each in EXPECTED]
    if name == "data.cbf":  # which keeps no keys
        expected = [{**each, "key": number} for number, each in enumerate(EXPECTED)]
    assert written(path) == expected
    assert os.listdir(tmp_path) == [name]
    assert writer.sequence_count == 2


def batches():
    yield (
        "columns",
        [7, 8],
        {
            "x": (np.array([[1, 2.5], [3, -4], [5, 6]]), [2, 1]),
            "s": (rows([0, 2, 2, 3], [1, 3, 0], [0.5, 1, 2]), [1, 2]),
        },
    )
    yield (
        "lists",
        np.array([7, 8], np.int32),
        {
            "x": [np.array([[1, 2.5], [3, -4]], "f2"), (5, 6)],
            "s": [([1, 3], [0.5, 1]), rows([0, 0, 1], [0], [2])],
        },
    )


@pytest.mark.parametrize("name, keys, columns", list(batches()))
def test_many_sequences_are_written_at_once(tmp_path, name, keys, columns):
    path = tmp_path / "data.ctf"
    with sheaf.Writer(path, STREAMS) as writer:
        writer.write_batch(keys, columns)
        writer.write_batch([], {"x": np.empty((0, 2)), "s": []})
    assert written(path) == EXPECTED


def test_scipy_rows_are_written(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    path = tmp_path / "data.ctf"
    with sheaf.Writer(path, STREAMS) as writer:
        for key, x, s in ((7, [[1, 2.5], [3, -4]], [[0, 0.5, 0, 1]]),):
            writer.write(key, {"x": x, "s": sparse.coo_matrix(s)})
        writer.write_batch(
            [8], {"x": [[[5, 6]]], "s": (sparse.csr_array([[0] * 4, [2, 0, 0, 0]]), [2])}
        )
    assert written(path) == EXPECTED


@pytest.mark.parametrize("packing", ["ragged", "padded", "frames"])
def test_minibatches_are_written_for_any_order_of_streams(tmp_path, packing):
    path = tmp_path / "in.ctf"
    if packing == "frames":
        path.write_text("".join(f"{i} |x {i} 1 |s {i % 4}:2\n" for i in range(9)))
    else:
        path.write_text("3 |x 1 2 |s 1:1\n3 |x 3 4 |s\n5 |x 5 6 |s 0:2 1:3\n")
    expected = written(path)
    for streams in (STREAMS, STREAMS[::-1], ["s:sparse:4"]):
        reader = sheaf.Reader(path, STREAMS, packing=packing, batch_size=2)
        with sheaf.Writer(tmp_path / "out.ctf", streams) as writer:
            for minibatch in reader:
                writer.write_batch(minibatch)
        names = ["key", *(stream[0] for stream in streams)]
        assert written(tmp_path / "out.ctf", streams) == [
            {name: each[name] for name in names} for each in expected
        ]


def test_minibatches_that_cannot_be_written_are_refused(tmp_path, digits):
    reader = sheaf.Reader(digits / "train.ctf", packing="packed")
    packed = next(iter(reader))
    with sheaf.Writer(tmp_path / "out.ctf", reader.streams) as writer:
        with pytest.raises(sheaf.DataError, match="found samples in slots"):
            writer.write_batch(packed)
        with pytest.raises(sheaf.DataError, match="found samples in slots"):
            writer.write_batch(packed.sequence_keys, dict(packed.items()))
        ragged = next(iter(sheaf.Reader(digits / "train.ctf", packing="ragged")))
        writer.write_batch(ragged)
    with sheaf.Writer(tmp_path / "out.ctf", ["labels:dense:10"]) as writer:
        with pytest.raises(sheaf.DataError, match="expected a dense stream, found a sparse"):
            writer.write_batch(ragged)
        with pytest.raises(TypeError, match="keys and columns, or a minibatch"):
            writer.write_batch([1])
        writer.write(1, {"labels": np.ones(10)})
    assert sheaf.open(tmp_path / "out.ctf").keys.tolist() == [1]


def test_results_are_written_under_the_keys_of_their_sequences(tmp_path, digits):
    reader = sheaf.Reader(digits / "train.ctf", batch_size=100, packing="frames", order="keyed")
    with sheaf.Writer(tmp_path / "sums.ctf", ["sum:dense:1"]) as writer:
        for minibatch in reader:
            sums = minibatch.features.values.sum(axis=1)
            writer.write_batch(minibatch.sequence_keys, {"sum": sums})
    sums = sheaf.open(tmp_path / "sums.ctf")
    for sequence in list(sheaf.open(digits / "train.ctf"))[::100]:
        key = int(sequence.sequence_keys[0])
        assert sums.sequence(key).sum.values[0, 0] == sequence.features.values.sum()


def test_texts_shapes_types_and_absent_streams_are_written(tmp_path):
    path = tmp_path / "data.ctf"
    streams = {
        "image": sheaf.Stream(shape=(2, 3), alias="i"),
        "y": sheaf.Stream(dim=1, dtype="float64"),
        "s": sheaf.Stream(dim=2**40, sparse=True, index_dtype="int64"),
    }
    with sheaf.Writer(path, streams) as writer:
        writer.write("b", {"image": np.arange(6).reshape(2, 3), "y": 1 / 3, "s": None})
        keys, absent = ["a", "c"], [None, ([2**39], [1])]
        writer.write_batch(keys, {"image": np.zeros((2, 2, 3)), "y": [1, [2, 3]], "s": absent})
    assert "|i 0 1 2 3 4 5" in path.read_text()
    assert written(path, streams, keys="text", missing_streams="allow") == [
        {"key": "b", "image": [[[0, 1, 2], [3, 4, 5]]], "y": [[1 / 3]]},
        {"key": "a", "image": [[[0] * 3] * 2], "y": [[1]]},
        {"key": "c", "image": [[[0] * 3] * 2], "y": [[2], [3]], "s": [{2**39: 1}]},
    ]


# Whole numbers that types of streams hold exactly, and numbers that they do not hold.
EXACT = (0, 1, 2**24 - 1, 2**24, 2**24 + 2, 2**25 + 4, 2**31, 3 << 40, 2**53, 2**62, 2**63)
ONLY_FLOAT64 = (2**24 + 1, 2**24 + 3, 2**25 + 2, 2**31 - 1, 2**32 - 1, 2**53 - 1, 2**53 + 2, 10**18)
INEXACT = (2**53 + 1, 2**60 + 1, 2**63 - 1, 2**64 - 1)


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u4", "i8", "u8", ">i4", ">i8"])
def test_whole_numbers_are_written_exactly_or_refused(tmp_path, kind):
    path = tmp_path / "x.ctf"
    for dtype, exact, inexact in (
        ("float32", EXACT, ONLY_FLOAT64 + INEXACT),
        ("float64", EXACT + ONLY_FLOAT64, INEXACT),
    ):
        limits = np.iinfo(kind)
        both = [[s * n for n in numbers for s in (1, -1)] for numbers in (exact, inexact)]
        good, bad = [[n for n in each if limits.min <= n <= limits.max] for each in both]
        streams = {"x": sheaf.Stream(dim=1, dtype=dtype)}
        with sheaf.Writer(path, streams) as writer:
            writer.write_batch(range(len(good)), {"x": np.array(good, kind)})
            writer.write(999, {"x": np.array(good[::-1], kind)})
            for i, number in enumerate(bad):
                values = np.array([1, *good, number, 1], kind)
                found = f"{dtype} holds exactly, found {number} "
                with pytest.raises(sheaf.DataError, match=found):
                    writer.write(1000 + i, {"x": values})
        one_each, together = written(path, streams)[:-1], written(path, streams)[-1]
        assert [int(row["x"][0][0]) for row in one_each] == good
        assert [int(sample[0]) for sample in together["x"]] == good[::-1]


def test_floats_are_rounded_to_the_type_of_the_stream(tmp_path):
    path = tmp_path / "x.ctf"
    with sheaf.Writer(path, {"x": sheaf.Stream(dim=2)}) as writer:
        writer.write(0, {"x": np.array([2.0**24 + 1, 0.1])})
        writer.write(1, {"x": [2.0**24 + 1, 2**24]})
        writer.write(2, {"x": [True, False]})
    assert path.read_text() == "0 |x 16777216 0.1\n1 |x 16777216 16777216\n2 |x 1 0\n"


def refusals():
    def one(x=(1, 2), s=([], []), key=5):
        return lambda writer: writer.write(key, {"x": x, "s": s})

    two = np.ones((2, 2))

    def many(x=two, s=None, keys=(5, 6)):
        return lambda writer: writer.write_batch(list(keys), {"x": x, "s": s})

    where = 'sequence 5: error: stream "x": expected '
    yield one([1, 2, 3]), where + "an array of [samples, 2] or [2], found one of [3] [write-shape]"
    yield one([[[1, 2]]]), where + "an array of [samples, 2] or [2], found one of [1, 1, 2]"
    yield one(["a", "b"]), where + "values of float32, found <U1 [write-type]"
    yield one([1, 1e300]), where + "values of float32, found one as large as 1e+300 [write-range]"
    exact = "a whole number that float32 holds exactly, found "
    yield one([1, 2**24 + 1]), where + exact + "16777217 [write-inexact]"
    yield one([0.5, 2**24 + 1]), where + exact + "16777217 [write-inexact]"
    yield one([-1, 2**63 + 1]), where + exact + "9223372036854775809 [write-inexact]"
    yield one([(0.5, 2), (2**24 + 3, 1)]), where + exact + "16777219 [write-inexact]"
    yield one(np.array([1, -(2**63) + 1])), where + exact + "-9223372036854775807 [write-inexact]"
    where = 'sequence 5: error: stream "s": expected '
    yield one(s=([1, 2], [1, 2**24 + 1])), where + exact + "16777217 [write-inexact]"
    yield one(s=[([1], [1]), ([2], [2**24 + 3])]), where + exact + "16777219 [write-inexact]"
    yield one(s=[1, 2]), where + "rows of 4 as SciPy has them, (indices, values) of one sample, or"
    yield one(s=([1, 4], [1, 1])), where + "an index from 0 to 3, found 4 [write-index]"
    yield one(s=([2**32], [1])), where + "values of int32, found 4294967296 to 4294967296"
    yield one(s=([1.5], [1])), where + "values of int32, found float64 [write-type]"
    yield one(s=([1, 2], [1])), where + "as many indices as values, found [2] and [1]"
    yield one(s=rows([0, 3], [1], [1])), where + "rows of 4 as SciPy has them"
    yield one(key=-1), "sequence -1: error: expected a key from 0 to 2**64 - 1, found this one"
    yield one(key=1.5), "expected keys that are all numbers, or all texts, found 1.5 [write-key]"
    yield one(key="a"), "expected keys that are numbers, as those before, found texts"
    wanted = 'stream "x": expected a sample for each key, or (values, lengths), found 1 of 2'
    yield many(np.ones((1, 2))), wanted
    yield many((np.ones((3, 2)), [1, 1])), "expected lengths that add up to the samples, found 3"
    yield many((np.ones((2, 2)), [3, -1])), "sequence 6: error: stream"
    yield many((np.ones((2, 2)), [2])), "a length for each key, found [1] for 2"
    yield many([None]), "expected a value for each key, found 1 of 2"
    yield (
        many(s=(rows([0, 1, 2, 3], [0, 1, 9], [1, 1, 1]), [2, 1])),
        'sequence 6: error: stream "s"',
    )
    samples = np.array([[1, 2], [3, 4], [5, 2**24 + 1], [2**24 + 3, 0]])
    yield (
        many((samples, [2, 2])),
        'sequence 6: error: stream "x": expected ' + exact + "16777217 [write-inexact]",
    )
    yield many(samples[1:3]), 'sequence 6: error: stream "x": expected ' + exact + "16777217"
    large = np.array([1, 1, 2**32 + 1], np.uint64)
    yield (
        many(s=(rows([0, 1, 1, 3], [0, 1, 2], large), [1, 2])),
        'sequence 6: error: stream "s": expected ' + exact + "4294967297 [write-inexact]",
    )
    yield many(s=np.eye(4)), "rows of 4 as SciPy has them, found ndarray"
    yield many(keys=[-5, 3]), "sequence -5: error: expected a key"
    yield lambda writer: writer.write(5, {"x": [1, 2]}), 'stream "s": expected a value, or None'
    yield lambda writer: writer.write(5, {"z": 1}), 'stream "z": expected one of x, s, found no'


@pytest.mark.parametrize("write, text", list(refusals()))
def test_wrong_sequences_are_errors_and_not_written(tmp_path, write, text):
    path = tmp_path / "data.ctf"
    with sheaf.Writer(path, STREAMS) as writer:
        writer.write(1, {"x": [1, 2], "s": ([1], [1])})
        with pytest.raises(sheaf.DataError) as error:
            write(writer)
        assert text in str(error.value)
        assert error.value.diagnostics[0].path == str(path)
        writer.write(2, {"x": [3, 4], "s": ([1], [1])})
    assert [each["key"] for each in written(path)] == [1, 2]


def test_a_file_is_complete_or_absent(tmp_path):
    path = tmp_path / "data.ctf"
    path.write_text("0 |x 1\n")
    with pytest.raises(ZeroDivisionError), sheaf.Writer(path, ["x:dense:1"]) as writer:
        writer.write(1, {"x": 5})
        raise ZeroDivisionError
    assert path.read_text() == "0 |x 1\n" and os.listdir(tmp_path) == ["data.ctf"]
    writer = sheaf.Writer(path, ["x:dense:1"])
    writer.write(1, {"x": 5})
    del writer
    assert os.listdir(tmp_path) == ["data.ctf"]
    with (
        pytest.raises(sheaf.DataError, match="ctf-repeated-id"),
        sheaf.Writer(path, ["x:dense:1"]) as writer,
    ):
        for _ in range(2):
            writer.write(1, {"x": 5})
    assert path.read_text() == "0 |x 1\n"
    with pytest.raises(sheaf.ConfigError, match="the file is closed"):
        writer.write(2, {"x": 5})
    with pytest.raises(sheaf.ConfigError, match="exists already; overwrite=True"):
        sheaf.Writer(path, ["x:dense:1"], overwrite=False)
    with sheaf.Writer(path, ["x:dense:1"]) as writer:
        writer.write(1, {"x": 5})
    writer.close()  # once more
    assert path.read_text() == "1 |x 5\n"


def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.ctf")
    for path, kind in ((tmp_path / "pipe.ctf", "pipe"), ("/dev/null", "device")):
        before = os.stat(path)
        with pytest.raises(sheaf.ConfigError, match=f"not a regular file but a {kind}"):
            sheaf.Writer(path, ["x:dense:1"], format="ctf")
        assert os.stat(path).st_ino == before.st_ino
    (tmp_path / "link.ctf").symlink_to("target.ctf")
    with sheaf.Writer(tmp_path / "link.ctf", ["x:dense:1"]) as writer:
        writer.write(1, {"x": 5})
    assert (tmp_path / "link.ctf").is_symlink()
    assert (tmp_path / "target.ctf").read_text() == "1 |x 5\n"


def test_options_of_formats_apply(tmp_path):
    checked, plain = tmp_path / "a.bin", tmp_path / "b.bin"
    for path, checks in ((checked, "on"), (plain, "off")):
        options = {"format": "cbf", "format_options": {"cbf.checks": checks}}
        with sheaf.Writer(path, ["x:dense:1"], chunk_size_bytes=64, **options) as writer:
            writer.write_batch(range(100), {"x": np.arange(100)})
        assert len(sheaf.open(path).chunks) > 5
    assert os.path.getsize(checked) > os.path.getsize(plain)
    for wrong in ({"format": "html"}, {"format_options": {"a": 1}}, {"chunk_size_bytes": 0}):
        with pytest.raises(sheaf.ConfigError):
            sheaf.Writer(tmp_path / "c.ctf", ["x:dense:1"], **wrong)
    with pytest.raises(sheaf.ConfigError, match='stream "x": a Writer needs its dim'):
        sheaf.Writer(tmp_path / "c.ctf", ["x:dense"])
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "b.bin"]
