"""Whole files as Arrow streams, and back. Tests of pyarrow or polars are skipped without them."""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest

import sheaf
from conftest import JAGGED
from sheaf._options.options import stream_options
from sheaf._write.writer import file_options

X = ["x:dense:2", "s:sparse:4"]


@pytest.fixture
def canonical(tmp_path, write_ctf):
    """Write a text, and again as sheaf writes it; return the path and the bytes."""

    def write(text, streams=None, target="data.ctf", **options):
        path = tmp_path / f"in-{target}"
        sheaf.convert(write_ctf(text), path, streams, overwrite=True, **options)
        return path, path.read_bytes()

    return write


FILES = {
    "jagged": (JAGGED, X, {}),
    "found": (JAGGED, None, {}),
    "one value": ("3 |y 1\n3 |y 2\n4 |y 5\n", None, {}),
    "shapes": ("1 |i 1 2 3 4 5 6\n2 |i 0 0 0 0 0 7\n", ["i:dense:2x3"], {}),
    "doubles": ("1 |x 0.1 1e300\n", None, {"dtype": "float64"}),
    "texts": ("b |x 1\na |x 2\nlong-enough-to-be-no-short-one |x 2\n", None, {"keys": "text"}),
    "absent": ("1 |x 1 2\n2 |s 3:1\n", X, {"missing_streams": "allow"}),
    "wide": ("1 |s 8000000000:1\n", ["s:sparse:9000000000:index=i64"], {}),
    "mb": ("1 |x 1 |y 1\n1 |x 2\n", ["x:dense:1:mb", "y:dense:1"], {}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_stream_converts_back_to_the_file(tmp_path, canonical, name):
    text, streams, options = FILES[name]
    path, expected = canonical(text, streams, **options)
    stream = sheaf.to_arrow(path, streams, **options)
    out = tmp_path / "out.ctf"
    for _ in range(2):  # each consumer reads from the beginning
        conversion = sheaf.from_arrow(stream, out)
        assert out.read_bytes() == expected
    assert conversion.sequences == len(sheaf.open(path, streams, **options))


@pytest.mark.parametrize("name", FILES)
def test_sliced_and_concatenated_tables_are_written(tmp_path, canonical, name):
    pyarrow = pytest.importorskip("pyarrow")
    text, streams, options = FILES[name]
    path, expected = canonical(text, streams, **options)
    out = tmp_path / "out.ctf"
    table = pyarrow.table(sheaf.to_arrow(path, streams, **options))
    table.validate(full=True)
    sheaf.from_arrow(table, out)
    assert out.read_bytes() == expected
    for part in (table, table.slice(1), pyarrow.concat_tables([table.slice(1), table.slice(0, 1)])):
        if part.num_rows == 0:
            continue
        sheaf.from_arrow(part, out)
        assert len(sheaf.open(out, streams, **options)) == part.num_rows


@pytest.mark.parametrize("name", ["out.ctf", "out.cbf"])
def test_many_batches_become_one_file(tmp_path, digits, name):
    sheaf.convert(digits / "train.ctf", tmp_path / f"expected-{name}")
    reader = sheaf.Reader(digits / "train.ctf", batch_size=100, packing="ragged")
    sheaf.from_arrow(sheaf.to_arrow(reader), tmp_path / name)
    assert (tmp_path / name).read_bytes() == (tmp_path / f"expected-{name}").read_bytes()


def test_a_conversion_to_parquet_and_back_keeps_the_data(tmp_path, digits):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sheaf.convert(digits / "train.ctf", tmp_path / "expected.ctf")
    table = pyarrow.table(sheaf.to_arrow(digits / "train.ctf"))
    parquet.write_table(table, tmp_path / "train.parquet", row_group_size=500)
    sheaf.from_arrow(parquet.ParquetFile(tmp_path / "train.parquet").read(), tmp_path / "out.ctf")
    assert (tmp_path / "out.ctf").read_bytes() == (tmp_path / "expected.ctf").read_bytes()


def test_a_table_has_columns_of_nested_lists(write_ctf):
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(sheaf.to_arrow(write_ctf(JAGGED), X))
    assert reader.schema.names == ["sequence_key", "x", "s"]
    assert reader.schema.field("s").metadata == {b"sheaf.stream": b"s:sparse:4"}
    rows = reader.read_all().to_pylist()
    assert [row["sequence_key"] for row in rows] == [7, 8, 9]
    assert rows[0]["x"] == [[1, 2.5], [3, -4]]
    assert rows[2]["s"] == [
        [{"index": 0, "value": 2}],
        [{"index": 2, "value": 4}, {"index": 3, "value": 5}],
    ]
    assert rows[1]["s"] == [[]]


def test_a_reader_gives_its_minibatches(write_ctf):
    pyarrow = pytest.importorskip("pyarrow")
    path = write_ctf("".join(f"{i} |x {i}\n" for i in range(10)))
    options = {"order": "keyed", "seed": 4, "batch_size": 3, "packing": "frames"}
    reader = sheaf.Reader(path, **options)
    expected = [minibatch.sequence_keys.tolist() for minibatch in reader]
    batches = list(pyarrow.RecordBatchReader.from_stream(sheaf.to_arrow(reader)))
    assert [batch.column("sequence_key").to_pylist() for batch in batches] == expected
    assert [value.as_py() for value in batches[0].column("x")] == expected[0]
    with pytest.raises(sheaf.ConfigError, match='"ragged" or "frames": got "padded"'):
        sheaf.to_arrow(sheaf.Reader(path))
    with pytest.raises(sheaf.ConfigError, match="has no end"):
        sheaf.to_arrow(sheaf.Reader(path, sweeps=0, packing="ragged"))


def test_errors_of_the_stream_reach_the_consumer(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n1 |x z\n")
    with pytest.raises(sheaf.IoError, match=r"data\.ctf:2:6: error"):
        sheaf.from_arrow(sheaf.to_arrow(path, ["x:dense:1"]), tmp_path / "out.ctf")
    assert os.listdir(tmp_path) == ["data.ctf"]
    sheaf.from_arrow(sheaf.to_arrow(path, ["x:dense:1"], max_errors=1), tmp_path / "out.ctf")
    assert sheaf.open(tmp_path / "out.ctf").keys.tolist() == [0]


def columns(pa):
    """Return columns of two sequences as other libraries make them, and their streams."""
    pair = pa.struct([("index", pa.int64()), ("value", pa.float64())])
    one, two = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], [[1.0, 2.0], [5.0, 6.0]]
    entries = [[{"index": 1, "value": 2.0}, {"index": 3, "value": 1.0}], []]
    samples = [[entries[0], entries[1]], [[{"index": 0, "value": 4.0}]]]
    dense = "|x 1 2\n7 |x 3 4\n8 |x 5 6\n"
    yield one, pa.list_(pa.list_(pa.float32())), None, dense
    yield one, pa.large_list(pa.list_(pa.int64(), 2)), None, dense
    yield [[1, 2, 3, 4], [5, 6]], pa.list_(pa.uint8()), "x:dense:2", dense
    yield two, pa.list_(pa.float64(), 2), None, "|x 1 2\n8 |x 5 6\n"
    yield two, pa.list_(pa.float64()), None, "|x 1\n7 |x 2\n8 |x 5\n8 |x 6\n"
    yield [3, -4], pa.int8(), None, "|x 3\n8 |x -4\n"
    yield [two, two], pa.list_(pa.list_(pa.float32(), 2), 2), None, "|x 1 2 5 6\n8 |x 1 2 5 6\n"
    yield entries, pa.list_(pair), "x:sparse:4", "|x 1:2 3:1\n8 |x\n"
    yield samples, pa.list_(pa.large_list(pair)), "x:sparse:4", "|x 1:2 3:1\n7 |x\n8 |x 0:4\n"
    yield (
        [[(1, 2)], [(3, 4)]],
        pa.map_(pa.int16(), pa.float32()),
        "x:sparse:4",
        "|x 1:2\n8 |x 3:4\n",
    )


def test_columns_of_other_types_are_written(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "out.ctf"
    for values, kind, stream, expected in columns(pa):
        column = pa.array(values, kind)
        doubled = pa.concat_arrays([column, column]).slice(2)  # which begins at an offset
        for each in (column, doubled):
            table = pa.table({"key": pa.array([7, 8], pa.int32()), "x": each})
            sheaf.from_arrow(table, path, stream and [stream], key="key")
            assert path.read_text() == f"7 {expected}", (kind, values)


def test_a_null_is_an_absent_stream(tmp_path):
    pa = pytest.importorskip("pyarrow")
    samples = pa.list_(pa.list_(pa.float32()))
    columns = {
        "y": pa.array([1.0, None, 3.0]),
        "a": pa.array([None, [5, 6], [7, 8]], pa.list_(pa.int32(), 2)),
        "b": pa.array([[[1], [2]], None, [[3]]], samples),
    }
    sheaf.from_arrow(pa.table(columns), tmp_path / "out.ctf")
    assert (tmp_path / "out.ctf").read_text() == (
        "0 |y 1 |b 1\n0 |b 2\n1 |a 5 6\n2 |y 3 |a 7 8 |b 3\n"
    )


def test_keys_of_any_type_are_written(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "out.ctf"
    texts = ["ab", "a-text-that-is-longer-than-twelve-bytes"]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary()):
        table = pa.table({"id": pa.array(texts, pa.string()).cast(kind), "x": [1.0, 2.0]})
        sheaf.from_arrow(table.slice(1), path, key="id")
        assert sheaf.open(path, keys="text").keys == texts[1:]
    sheaf.from_arrow(table.select(["x"]), path)
    assert sheaf.open(path).keys.tolist() == [0, 1]
    sheaf.from_arrow(table, path, ["x:dense:1"], key=None)
    assert sheaf.open(path).keys.tolist() == [0, 1]
    for values in ([-1, 2], [None, 2]):
        with pytest.raises(sheaf.DataError, match="arrow-key"):
            sheaf.from_arrow(pa.table({"sequence_key": values, "x": [1.0, 2.0]}), path)
    for key, text in ((pa.array([1.5, 2]), "whole numbers or texts"), (pa.nulls(2), "format")):
        with pytest.raises(sheaf.ConfigError, match=text):
            sheaf.from_arrow(pa.table({"sequence_key": key, "x": [1.0, 2.0]}), path)
    with pytest.raises(sheaf.ConfigError, match='no column "y"; there are: id, x'):
        sheaf.from_arrow(table, path, key="y")


def test_wrong_values_are_reported_with_their_key(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "out.ctf"
    pair = pa.struct([("index", pa.int64()), ("value", pa.float64())])
    entry = {"index": 4, "value": 1.0}
    for values, kind, stream, text in (
        (
            [[[1, 2]], [[1, 2], [3]]],
            None,
            "x:dense:2",
            "samples of 2 values, found 1 [arrow-shape]",
        ),
        ([[1, 2], [1, 2, 3]], None, "x:dense:2", "samples of 2 values, found 3"),
        ([[1, 2], [1, None]], None, "x:dense:1", "a value, found a null [arrow-null]"),
        (
            [1.0, 1e300],
            None,
            {"x": sheaf.Stream(dim=1, dtype="float32")},
            "a float32 value, found 1",
        ),
        (
            [[], [entry]],
            pa.list_(pair),
            "x:sparse:4",
            "an index from 0 to 3, found 4 [arrow-index]",
        ),
    ):
        table = pa.table({"sequence_key": [7, 8], "x": pa.array(values, kind)})
        with pytest.raises(sheaf.DataError) as error:
            sheaf.from_arrow(table, path, [stream] if isinstance(stream, str) else stream)
        diagnostic = error.value.diagnostics[0]
        assert (diagnostic.sequence_key, diagnostic.stream) == ("8", "x")
        assert text in str(diagnostic)
    assert not path.exists()


def test_whole_numbers_are_written_exactly_or_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "out.ctf"
    for kind, dtype, exact, inexact in (
        (pa.int32(), None, [0, -(2**31), 2**31 - 1, 2**24 + 1], []),
        (pa.int32(), "float32", [0, -(2**31), 2**24], [2**24 + 1, -(2**24) - 1, 2**31 - 1]),
        (pa.uint32(), "float32", [2**31, 2**24 + 2], [2**32 - 1]),
        (pa.int64(), None, [-(2**63), 2**53, 2**53 + 2], [2**60 + 1, -(2**53) - 1, 2**63 - 1]),
        (pa.int64(), "float32", [2**40, -(2**63)], [2**24 + 1]),
        (pa.uint64(), None, [2**63], [2**64 - 1]),
        (pa.int16(), "float32", [2**15 - 1, -(2**15)], []),
    ):
        streams = {"x": sheaf.Stream(dim=1, dtype=dtype)} if dtype else None
        table = pa.table({"x": pa.array(exact, kind)})
        sheaf.from_arrow(table, path, streams)
        read = sheaf.open(path, {"x": sheaf.Stream(dim=1, dtype=dtype or "float64")})
        assert [int(each.x.values[0, 0]) for each in read] == exact
        for number in inexact:
            keys = pa.array(range(5, 5 + len(exact) + 1))
            table = pa.table({"sequence_key": keys, "x": pa.array([*exact, number], kind)})
            with pytest.raises(sheaf.DataError) as error:
                sheaf.from_arrow(table, path, streams)
            diagnostic = error.value.diagnostics[0]
            assert (diagnostic.sequence_key, diagnostic.stream) == (str(5 + len(exact)), "x")
            assert (diagnostic.code, diagnostic.found) == ("arrow-inexact", str(number))
            assert diagnostic.expected == f"a whole number that {dtype or 'float64'} holds exactly"
    pairs = pa.array([[{"index": 1, "value": 5}, {"index": 2, "value": 2**53 + 1}]])
    with pytest.raises(sheaf.DataError, match="found 9007199254740993"):
        sheaf.from_arrow(pa.table({"x": pairs}), path, ["x:sparse:4"])


def test_columns_that_cannot_be_streams_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    deep = pa.list_(pa.list_(pa.list_(pa.int32())))
    pair = pa.struct([("index", pa.int64()), ("value", pa.float64())])
    codes_of_indices, codes_of_values = (
        pa.ListArray.from_arrays([0, 2], pa.StructArray.from_arrays(children, ["index", "value"]))
        for children in (
            [pa.array([7, 8]).dictionary_encode(), pa.array([1.0, 2.0])],
            [pa.array([7, 8]), pa.array([1.0, 2.0]).dictionary_encode()],
        )
    )
    for array, streams, text in (
        (
            pa.array([[1]], pa.list_view(pa.int8())),
            None,
            r'"\+vl" .*: cast the list views to lists',
        ),
        (pa.array([[1]], pa.large_list_view(pa.int8())), None, r'"\+vL" .*: cast the list views'),
        (pa.array([True]), None, '"b" are none of a stream: cast them to whole numbers, or to f'),
        (pa.array(["a"]).dictionary_encode(), None, "its values are a dictionary's: cast it"),
        (codes_of_indices, None, "its values are a dictionary's: cast it"),
        (codes_of_values, ["x:sparse:9"], "its values are a dictionary's: cast it"),
        (pa.array([[[[1]]]], deep), None, "it has too many lists"),
        (pa.array([[[1]]], pa.list_(pa.list_(pa.int32()), 1)), None, "in one of fixed size"),
        (pa.array([{"index": 1, "value": 1}], pair), None, "structs are taken as lists of"),
        (
            pa.array([[{"index": 1, "value": 1}]]),
            None,
            r"its dim is in no type: say it, as streams=\[",
        ),
        (pa.array([[[]]], pa.list_(pa.list_(pa.int32()))), None, "its dim is in no type"),
        (pa.array([1]), ["x:sparse:4"], "it is dense, and the stream sparse"),
        (pa.array([1]), ["y:dense:4"], 'there is no column "y"; there are: x'),
    ):
        with pytest.raises(sheaf.ConfigError, match=text):
            sheaf.from_arrow(pa.table({"x": array}), tmp_path / "out.ctf", streams)
    for source in (None, np.eye(2), "train.parquet"):
        with pytest.raises(sheaf.ConfigError, match="__arrow_c_stream__ or"):
            sheaf.from_arrow(source, tmp_path / "out.ctf")
    assert os.listdir(tmp_path) == []


def test_a_repeated_name_of_a_column_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "out.ctf"
    values = [pa.array([7, 8]), pa.array([1.0, 2.0]), pa.array([[1.0], [2.0, 3.0]])]
    for names, key, streams, wrong in (
        (["id", "x", "x"], "id", None, "x"),
        (["id", "x", "x"], "id", ["x:dense:1"], "x"),
        (["id", "x", "id"], "id", ["x:dense:1"], "id"),
    ):
        table = pa.Table.from_arrays(values, names)
        with pytest.raises(sheaf.ConfigError, match=f'"{wrong}": several columns .*: rename them'):
            sheaf.from_arrow(table, path, streams, key=key)
    assert os.listdir(tmp_path) == []
    table = pa.Table.from_arrays(values, ["y", "x", "y"])
    sheaf.from_arrow(table, path, ["x:dense:1"])
    assert path.read_text() == "0 |x 1\n1 |x 2\n"


def test_the_writer_refuses_a_column_of_another_kind(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pair = pa.struct([("index", pa.int64()), ("value", pa.float64())])
    entries = pa.array([[{"index": 1, "value": 2.0}]], pa.list_(pair))
    for column, sparse, message in (
        (entries, False, "it is sparse, and the stream dense"),
        (pa.array([1.0]), True, "it is dense, and the stream sparse"),
    ):
        rows = sheaf._sheaf.ArrowSource.of_stream(pa.table({"x": column}).__arrow_c_stream__())
        table = {"x": sheaf.Stream(dim=4, sparse=sparse, dtype="float32")}
        settings = file_options(None, None, None)
        path = str(tmp_path / "out.ctf")
        file = sheaf._sheaf.FileWriter(path, stream_options(table), *settings, True)
        with pytest.raises(sheaf.ConfigError, match=message):
            rows.write_to(file, path, None)
        file.discard()


def test_minibatches_and_frames_of_polars_are_written(tmp_path, write_ctf):
    path, out = write_ctf(JAGGED), tmp_path / "out.ctf"
    minibatch = next(iter(sheaf.Reader(path, X, packing="ragged")))
    sheaf.from_arrow(minibatch, out, X)
    sheaf.convert(path, tmp_path / "expected.ctf")
    assert out.read_text() == (tmp_path / "expected.ctf").read_text()
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(sheaf.to_arrow(path, X))
    assert frame["sequence_key"].to_list() == [7, 8, 9]
    sheaf.from_arrow(frame.with_columns(id=polars.Series(["a", "b", "c"])), out, X, key="id")
    assert sheaf.open(out, keys="text").keys == ["a", "b", "c"]


def test_other_threads_run_while_a_stream_is_read(tmp_path):
    path = tmp_path / "data.ctf"
    path.write_text(("|x" + 40 * " 0.123456789" + "\n") * 60_000)
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    stream = sheaf.to_arrow(path, ["x:dense:40"], index="off")
    counter = threading.Thread(target=count)
    counter.start()
    capsule = stream.__arrow_c_stream__()
    before = counted[0]
    sheaf._sheaf.ArrowSource.of_stream(capsule)  # reads the first batch
    after = counted[0]
    done.set()
    counter.join()
    assert after - before > 100


def test_unused_streams_are_released(write_ctf):
    before = threading.active_count()
    stream = sheaf.to_arrow(write_ctf(JAGGED), X)
    capsules = [stream.__arrow_c_stream__() for _ in range(3)]
    taken = sheaf._sheaf.ArrowSource.of_stream(capsules[0])
    with pytest.raises(sheaf.ConfigError, match="were taken before"):
        sheaf._sheaf.ArrowSource.of_stream(capsules[0])
    assert taken.names == ["sequence_key", "x", "s"]
    del taken, capsules, stream
    assert threading.active_count() == before


class Schema(ctypes.Structure):
    """The beginning of the struct ArrowSchema of the Arrow C data interface."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("child_count", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
    )


class WithoutNames:
    """A record batch whose columns have no names: NULL in the Arrow C data interface."""

    def __init__(self, batch, columns):
        self.batch = batch
        self.columns = columns

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.batch.__arrow_c_array__(requested_schema)
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype = ctypes.c_void_p
        pointer_of.argtypes = (ctypes.py_object, ctypes.c_char_p)
        table = Schema.from_address(pointer_of(schema, b"arrow_schema"))
        for column in self.columns:
            Schema.from_address(table.children[column]).name = None
        return schema, array


def test_columns_may_lack_a_name(tmp_path):
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"sequence_key": [7, 8], "x": [1.0, 2.0], "y": pa.array([[1], [2]])})
    sheaf.from_arrow(WithoutNames(batch, [2]), tmp_path / "out.ctf", ["x:dense:1"])
    assert sheaf.open(tmp_path / "out.ctf").keys.tolist() == [7, 8]
    with pytest.raises(sheaf.ConfigError, match='no column "z"; there are: sequence_key, '):
        sheaf.from_arrow(WithoutNames(batch, [2]), tmp_path / "out.ctf", ["z:dense:1"])
    dates = pa.record_batch({"x": [1.0], "y": pa.array([True])})
    with pytest.raises(sheaf.ConfigError, match='column "": values of the Arrow format "b"'):
        sheaf.from_arrow(WithoutNames(dates, [1]), tmp_path / "out.ctf")
    with pytest.raises(sheaf.ConfigError, match='column "": keys are whole numbers or texts'):
        sheaf.from_arrow(WithoutNames(batch, [2]), tmp_path / "out.ctf", ["x:dense:1"], key="")
