"""Texts, opaque bytes and samples of varying length from tables: `sheaf.from_arrow`."""

from __future__ import annotations

import os

import pytest

import sheaf

pa = pytest.importorskip("pyarrow")

LONG = b"more than the twelve bytes of a short view"
VALUES = [b"a", b"", None, LONG, b"\x00\xff"]
TEXTS = [None if each is None else each.decode("latin-1") for each in VALUES]
LISTS = [[b"a", b""], [], None, [LONG], [b"\x00\xff", b"b", LONG]]


def samples_of(path, name="blob"):
    """Return the samples of each sequence as bytes; None where the stream is absent."""
    with sheaf.open(path, missing_streams="allow") as data:
        assert data.streams[name].dtype == "bytes"
        rows = [row[name].samples(0) for row in data]
    return [None if row is None else [bytes(each) for each in row] for row in rows]


def one_each(values):
    return [None if each is None else [each] for each in values]


def parts_of(array):
    """Return the array, and the same values at an offset in a longer one."""
    return array, pa.concat_arrays([array, array]).slice(len(array))


@pytest.mark.parametrize("target", ["out.arrow", "out.sheaf"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_binaries_become_opaque_bytes(tmp_path, kind, target):
    for column in parts_of(pa.array(VALUES, pa.binary()).cast(kind)):
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / target)
        assert samples_of(tmp_path / target) == one_each(VALUES)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_texts_become_their_utf8_bytes(tmp_path, kind):
    expected = [None if each is None else [each.encode()] for each in TEXTS]
    for column in parts_of(pa.array(TEXTS, pa.string()).cast(kind)):
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / "out.arrow")
        assert samples_of(tmp_path / "out.arrow") == expected
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / "out.jsonl")
        assert samples_of(tmp_path / "out.jsonl") == expected


def files_of(values, names=("bytes", "path"), kind=None):
    """Return structs as Hugging Face stores images."""
    kind = kind or pa.binary()
    blobs = pa.array([b"" if value is None else value for value in values], kind)
    children = {"bytes": blobs, "path": pa.array([f"{n}.png" for n in range(len(values))])}
    mask = pa.array([value is None for value in values])
    return pa.StructArray.from_arrays([children[name] for name in names], list(names), mask=mask)


@pytest.mark.parametrize("names", [("bytes", "path"), ("path", "bytes")])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_structs_of_bytes_and_path_are_opaque_bytes(tmp_path, names, kind):
    column = files_of(VALUES, names, kind)
    for each in (*parts_of(column), column[1:], column[3:]):
        sheaf.from_arrow(pa.table({"blob": each}), tmp_path / "out.arrow")
        expected = [None if row is None else row["bytes"] for row in each.to_pylist()]
        assert samples_of(tmp_path / "out.arrow") == one_each(expected)


def test_lists_of_structs_of_bytes_and_path_are_samples(tmp_path):
    items = files_of([b"unused", b"a", b"", LONG, b"\x00\xff"])[1:]
    lists = pa.ListArray.from_arrays(pa.array([0, 2, None, 2, 4], pa.int32()), items)
    for column in parts_of(lists):
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / "out.arrow")
        rows = column.to_pylist()
        assert [each["bytes"] for each in rows[3]] == [LONG, b"\x00\xff"]
        expected = [row and [each["bytes"] for each in row] for row in rows]
        assert samples_of(tmp_path / "out.arrow") == expected


def test_a_file_without_bytes_is_refused(tmp_path):
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    blobs = pa.array([{"bytes": b"a", "path": "a"}, {"bytes": None, "path": "b"}], kind)
    table = pa.table({"sequence_key": [7, 8], "blob": blobs})
    with pytest.raises(sheaf.DataError, match="a value, found a null") as error:
        sheaf.from_arrow(table, tmp_path / "out.arrow")
    assert error.value.diagnostics[0].sequence_key == "8"


def values_of(path, name="x"):
    with sheaf.open(path, missing_streams="allow") as data:
        assert data.streams[name].dim == 3
        rows = [row[name].samples(0) for row in data]
    return [None if row is None else [each.tolist() for each in row] for row in rows]


def test_binaries_of_fixed_size_are_whole_numbers(tmp_path):
    values = [b"\x00\x01\xff", None, b"abc", b"\x80\x7f\x00"]
    expected = [None if value is None else [list(value)] for value in values]
    column = pa.array(values, pa.binary(3))
    for each, rows in (
        (column, expected),
        (column[2:], expected[2:]),
        (pa.concat_arrays([column, column]).slice(4), expected),
    ):
        for dtype in ("float32", "uint8", "int64"):
            streams = {"x": sheaf.Stream(dim=3, dtype=dtype)}
            sheaf.from_arrow(pa.table({"x": each}), tmp_path / "out.arrow", streams)
            assert values_of(tmp_path / "out.arrow") == rows
        sheaf.from_arrow(pa.table({"x": each}), tmp_path / "out.arrow")
        assert values_of(tmp_path / "out.arrow") == rows


def test_lists_of_binaries_of_fixed_size_are_samples(tmp_path):
    values = [[b"abc", b"def"], [], None, [b"\x00\x01\xff"]]
    expected = [None if row is None else [list(each) for each in row] for row in values]
    column = pa.array(values, pa.list_(pa.binary(3)))
    for each, rows in ((column, expected), (column[1:], expected[1:])):
        sheaf.from_arrow(pa.table({"x": each}), tmp_path / "out.arrow")
        assert values_of(tmp_path / "out.arrow") == rows
    pairs = pa.array([[b"ab", b"cd"], [b"ef", b"gh"]], pa.list_(pa.binary(2), 2))
    sheaf.from_arrow(pa.table({"x": pairs[1:]}), tmp_path / "out.arrow")
    with sheaf.open(tmp_path / "out.arrow") as data:
        assert data.streams["x"].shape == (2, 2)
        assert data.sequence(0).x.values.tolist() == [[list(b"ef"), list(b"gh")]]


def test_a_null_in_a_list_of_binaries_of_fixed_size_is_refused(tmp_path):
    table = pa.table({"x": pa.array([[b"a"], [b"b", None]], pa.list_(pa.binary(1)))})
    with pytest.raises(sheaf.DataError, match="a value, found a null"):
        sheaf.from_arrow(table, tmp_path / "out.arrow")


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_lists_of_binaries_are_samples(tmp_path, lists, kind):
    for column in parts_of(pa.array(LISTS, lists(kind))):
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / "out.arrow")
        assert samples_of(tmp_path / "out.arrow") == LISTS


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view(), pa.string()])
def test_lists_of_views_and_of_texts_are_samples(tmp_path, kind):
    texts = [["a", ""], [], None, [LONG.decode()], ["\u00ff", "b", LONG.decode()]]
    expected = [row and [each.encode() for each in row] for row in texts]
    items = pa.array([each for row in texts for each in row or []], pa.string()).cast(kind)
    lists = pa.ListArray.from_arrays(pa.array([0, 2, None, 2, 3, 6], pa.int32()), items)
    for column in parts_of(lists):
        sheaf.from_arrow(pa.table({"blob": column}), tmp_path / "out.arrow")
        assert samples_of(tmp_path / "out.arrow") == expected


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_the_items_of_lists_may_begin_at_an_offset(tmp_path, kind):
    items = pa.array([b"unused", b"unused, too", *VALUES[:2], LONG], pa.binary()).cast(kind)[2:]
    assert items.offset == 2
    lists = pa.ListArray.from_arrays([0, 1, 1, 3], items)
    sheaf.from_arrow(pa.table({"blob": lists}), tmp_path / "out.arrow")
    assert samples_of(tmp_path / "out.arrow") == [[b"a"], [], [b"", LONG]]


def test_a_slice_of_an_array_of_structs_is_written(tmp_path):
    children = [pa.array([5, 6, 7, 8]), pa.array([b"a", None, LONG, b"d"])]
    rows = pa.StructArray.from_arrays(children, ["sequence_key", "blob"])[1:3]
    assert rows.offset == 1
    sheaf.from_arrow(rows, tmp_path / "out.arrow")
    assert samples_of(tmp_path / "out.arrow") == [None, [LONG]]
    with sheaf.open(tmp_path / "out.arrow", missing_streams="allow") as data:
        assert data.keys.tolist() == [6, 7]


def test_a_table_without_rows_is_a_file_without_sequences(tmp_path):
    schema = pa.schema({"sequence_key": pa.int64(), "blob": pa.binary()})
    batch = pa.RecordBatch.from_pylist([], schema)
    for source in (schema.empty_table(), pa.Table.from_batches([], schema), batch):
        conversion = sheaf.from_arrow(source, tmp_path / "out.arrow")
        assert (conversion.sequences, conversion.samples) == (0, 0)
        with sheaf.open(tmp_path / "out.arrow") as data:
            assert (len(data), list(data.streams)) == (0, ["blob"])


def test_several_batches_and_streams(tmp_path):
    rows = {"n": [1.0, 2.0], "blob": [b"x", LONG], "key": ["k", "l"]}
    batches = [pa.record_batch({**rows, "key": [f"{k}{i}" for k in "kl"]}) for i in range(3)]
    empty = pa.record_batch(rows).slice(2)
    table = pa.Table.from_batches([empty, *batches, empty])
    streams = ["blob:dense", "n:dense:1"]
    conversion = sheaf.from_arrow(table, tmp_path / "out.arrow", streams, key="key")
    assert (conversion.sequences, conversion.samples) == (6, 6)
    with sheaf.open(tmp_path / "out.arrow") as data:
        assert list(data.streams) == ["blob", "n"]
        assert data.keys == ["k0", "l0", "k1", "l1", "k2", "l2"]
        assert bytes(data.sequence("l1").blob.samples(0)[0]) == LONG
        assert data.sequence("l1").n.values.tolist() == [[2.0]]


@pytest.mark.parametrize("counted", [None, "blob", "ids"])
def test_to_arrow_and_back(tmp_path, counted):
    first, second = tmp_path / "first.arrow", tmp_path / "second.arrow"
    streams = {
        "blob": sheaf.Stream(dtype="bytes", defines_minibatch_size=counted == "blob"),
        "ids": sheaf.Stream(shape=(None,), defines_minibatch_size=counted == "ids"),
    }
    with sheaf.Writer(first, streams) as writer:
        writer.write_batch([5, 6], {"blob": [[b"a", LONG], None], "ids": [[[1, 2], [3]], [[]]]})
    table = pa.table(sheaf.to_arrow(first, missing_streams="allow"))
    sheaf.from_arrow(table, second)
    assert second.read_bytes() == first.read_bytes()
    with sheaf.open(second, missing_streams="allow") as data:
        marked = [name for name, stream in data.streams.items() if stream.defines_minibatch_size]
    assert marked == ([counted] if counted else [])


def test_lists_of_lists_may_differ_in_length(tmp_path):
    values = [[[1, 2], [3]], [[]], None, [], [[4, 5, 6]]]
    for column in parts_of(pa.array(values, pa.list_(pa.large_list(pa.int64())))):
        stream = sheaf.Stream(shape=(None,), dtype="int32")
        sheaf.from_arrow(pa.table({"x": column}), tmp_path / "out.arrow", {"x": stream})
        with sheaf.open(tmp_path / "out.arrow", missing_streams="allow") as data:
            assert data.streams["x"] == stream
            rows = [row.x.samples(0) for row in data]
        found = [None if row is None else [each.tolist() for each in row] for row in rows]
        assert found == values


def test_the_message_about_lists_that_differ_names_the_shape(tmp_path):
    hint = "lists that differ in length need the shape *"
    values = {"differ": [[[1, 2], [3]]], "equal": [[[1, 2], [3, 4]]], "flat": [[1, 2, 3]]}
    for column, streams, found in (
        ("differ", None, hint),
        ("equal", ["equal:dense:3"], hint),
        ("flat", ["flat:dense:2"], ""),
    ):
        table = pa.table({column: values[column]})
        with pytest.raises(sheaf.DataError, match="arrow-shape") as error:
            sheaf.from_arrow(table, tmp_path / "out.ctf", streams)
        assert error.value.diagnostics[0].hint == found
    sheaf.from_arrow(pa.table({"x": values["differ"]}), tmp_path / "out.arrow", ["x:dense:*"])
    assert sheaf.open(tmp_path / "out.arrow").streams["x"].is_variable


def test_empty_batches_do_not_hide_the_size_of_samples(tmp_path):
    rows = pa.record_batch({"x": [[[1, 2], [3, 4]], [[5, 6]]]})
    empty = rows.slice(2)
    table = pa.Table.from_batches([empty, empty, rows, empty])
    conversion = sheaf.from_arrow(table, tmp_path / "out.ctf")
    assert (conversion.sequences, conversion.samples) == (2, 3)
    assert sheaf.open(tmp_path / "out.ctf", ["x:dense:2"]).sequence(1).x.values.tolist() == [[5, 6]]


def test_a_wrong_value_of_such_a_list_has_the_key_of_its_row(tmp_path):
    values = [[[1, 2], [3]], [[], [4, 2**40]], [[5]]]
    table = pa.table({"sequence_key": [7, 8, 9], "x": values})
    with pytest.raises(sheaf.DataError, match="arrow-range") as error:
        stream = sheaf.Stream(shape=(None,), dtype="int32")
        sheaf.from_arrow(table, tmp_path / "out.arrow", {"x": stream})
    assert error.value.diagnostics[0].sequence_key == "8"


def test_a_null_in_a_list_is_refused(tmp_path):
    table = pa.table({"sequence_key": [7, 8], "blob": [[b"a"], [b"b", None]]})
    with pytest.raises(sheaf.DataError, match="a value, found a null") as error:
        sheaf.from_arrow(table, tmp_path / "out.arrow")
    assert error.value.diagnostics[0].sequence_key == "8"
    assert os.listdir(tmp_path) == []


def test_a_null_row_is_refused(tmp_path):
    children = [pa.array([5, 6, 7, 8]), pa.array([1.0, 2.0, 3.0, 4.0])]
    names = ["sequence_key", "x"]
    rows = pa.StructArray.from_arrays(children, names, mask=pa.array([False, False, False, True]))
    sources = [
        (rows, 3),
        (rows[1:], 2),
        (pa.chunked_array([rows[:2], rows[1:]]), 4),
        (pa.array([{"sequence_key": 5, "x": 1.0}, None]), 1),
    ]
    for source, row in sources:
        with pytest.raises(sheaf.DataError, match="expected a row, found a null") as error:
            sheaf.from_arrow(source, tmp_path / "out.ctf")
        diagnostic = error.value.diagnostics[0]
        assert (diagnostic.code, diagnostic.found) == ("arrow-null", f"a null: row {row}")
    assert os.listdir(tmp_path) == []
    sheaf.from_arrow(rows[:3], tmp_path / "out.ctf")
    assert sheaf.open(tmp_path / "out.ctf").keys.tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    ("values", "kind", "stream", "message"),
    [
        ([b"a"], None, "x:dense:1", "it has texts or binaries, and the stream is dense"),
        ([b"a"], None, "x:sparse:4", "it has texts or binaries, and the stream is sparse"),
        ([b"a"], None, "x:dense:*:dtype=int32", "it has texts or binaries, and the stream is"),
        ([1], None, sheaf.Stream(dtype="bytes"), "it has numbers, and no texts or binaries"),
        ([[1]], None, "x:dense:*", "only lists of lists of numbers are samples of the shape"),
        ([[[1]]], None, "x:dense:*x*", "only lists of lists of numbers are samples"),
        ([[[b"a"]]], None, None, "a sequence is a text, a binary, or one list of texts"),
        ([[b"a"]], pa.list_(pa.binary(), 1), None, "a sequence is a text, a binary, or one list"),
    ],
)
def test_columns_and_streams_of_different_kinds_are_refused(
    tmp_path, values, kind, stream, message
):
    table = pa.table({"x": pa.array(values, kind)})
    streams = {"x": stream} if isinstance(stream, sheaf.Stream) else stream and [stream]
    with pytest.raises(sheaf.ConfigError, match=f'column "x": {message}'):
        sheaf.from_arrow(table, tmp_path / "out.sheaf", streams)
    assert os.listdir(tmp_path) == []


def test_formats_of_numbers_refuse_bytes(tmp_path):
    table = pa.table({"blob": [b"a"], "x": [1.0]})
    for name in ("out.ctf", "out.cbf"):
        with pytest.raises(sheaf.ConfigError, match='"blob"'):
            sheaf.from_arrow(table, tmp_path / name)
        assert not (tmp_path / name).exists()
        sheaf.from_arrow(table, tmp_path / name, ["x:dense:1"])
        assert len(sheaf.open(tmp_path / name)) == 1
