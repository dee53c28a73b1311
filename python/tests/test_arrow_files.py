"""Arrow files: sheaf reads files of pyarrow and polars, and they read files of sheaf."""

from __future__ import annotations

import itertools
import os
import pathlib
import random

import numpy as np
import pytest

import sheaf

FILES = pathlib.Path(__file__).parents[2] / "testdata" / "arrow"
TABLES = int(os.environ.get("SHEAF_ARROW_TABLES", "40"))  # random ones


def value_of(batch, number=0):
    """Return the samples of one sequence as a list of nested lists; None if they are absent."""
    if batch.presence is not None and not batch.presence[number]:
        return None
    return [sample.tolist() for sample in np.asarray(batch.values)]


def test_files_and_streams_of_pyarrow_are_read():
    for name in ("types.arrow", "types.stream"):
        with sheaf.open(FILES / name, format="arrow") as data:
            assert data.format == "arrow" and len(data) == 3
            assert data.streams["int8"].dtype == "int32"
            assert data.streams["uint16"].dtype == "uint16"
            assert data.streams["fixed_binary"].sample_shape == (3,)
            first, second, third = data
            assert first["required"].values.ravel().tolist() != []
            assert second.sequence_keys.tolist() == [1] and third.sequence_keys.tolist() == [2]


def test_compression_does_not_change_the_data():
    plain, packed = (
        sheaf.open(FILES / f"nested{kind}.arrow", max_errors=9) for kind in ("", "_lz4")
    )
    for one, other in zip(plain, packed, strict=True):
        assert one.sequence_keys.tolist() == other.sequence_keys.tolist()
        for name in one:
            np.testing.assert_array_equal(one[name].values, other[name].values)


def test_classes_are_named():
    with sheaf.open(FILES / "deltas.arrow") as data:
        names = data.streams["w"].class_names
        assert len(names) == len(set(names)) == 3


def test_damaged_files_are_reported_with_a_code(tmp_path):
    whole = (FILES / "types.arrow").read_bytes()
    path = tmp_path / "cut.arrow"
    path.write_bytes(whole[:-7])
    with pytest.raises(sheaf.DataError, match="arrow-footer"):
        sheaf.open(path)
    path.write_bytes(b"FEA1" + whole[4:])
    with pytest.raises(sheaf.DataError, match="arrow-feather"):
        sheaf.open(path)


# Random tables.


def random_type(pa, rng):
    """Return a type, a maker of values, and a function from a value to sheaf's value."""
    numbers = [
        (pa.int8(), lambda: rng.randrange(-128, 128)),
        (pa.uint8(), lambda: rng.randrange(256)),
        (pa.int16(), lambda: rng.randrange(-(2**15), 2**15)),
        (pa.uint16(), lambda: rng.randrange(2**16)),
        (pa.int32(), lambda: rng.randrange(-(2**31), 2**31)),
        (pa.uint32(), lambda: rng.randrange(2**32)),
        (pa.int64(), lambda: rng.randrange(-(2**63), 2**63)),
        (pa.uint64(), lambda: rng.randrange(2**63)),
        (pa.float32(), lambda: float(np.float32(rng.gauss(0, 1)))),
        (pa.float64(), lambda: rng.gauss(0, 1)),
        (pa.bool_(), lambda: rng.random() < 0.5),
    ]
    kind, make = rng.choice(numbers)
    letters = "abc\u00e9 "
    text = lambda: "".join(rng.choices(letters, k=rng.choice([0, 3, 12, 13, 40])))  # noqa: E731
    texts = rng.choice([pa.string(), pa.large_string(), pa.string_view()])
    lists = rng.choice([pa.list_, pa.large_list])
    size = rng.randrange(1, 4)
    many = lambda one: [one() for _ in range(rng.choice([0, 1, 2, 5]))]  # noqa: E731
    as_bytes = lambda value: list(value.encode())  # noqa: E731
    return rng.choice(
        [
            (kind, make, lambda v: [[v]]),
            (lists(kind), lambda: many(make), lambda v: [[each] for each in v]),
            (pa.list_(kind, size), lambda: [make() for _ in range(size)], lambda v: [v]),
            (
                lists(pa.list_(kind, size)),
                lambda: many(lambda: [make() for _ in range(size)]),
                lambda v: v,
            ),
            (texts, text, lambda v: as_bytes(v)),
            (
                pa.dictionary(pa.int8(), pa.string()),
                lambda: rng.choice(["cat", "dog", "emu"]),
                lambda v: v,
            ),
        ]
    )


def random_table(pa, rng):
    rows = rng.choice([1, 2, 7, 40])
    columns, fields, shows = [], [], {}
    for number in range(rng.randrange(1, 5)):
        kind, make, show = random_type(pa, rng)
        nulls = rng.choice([0, 0, 0.3])
        values = [None if rng.random() < nulls else make() for _ in range(rows)]
        columns.append(pa.array(values, kind))
        fields.append(pa.field(f"c{number}", kind))
        shows[f"c{number}"] = show
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    first = rng.randrange(rows)
    if rng.random() < 0.5:
        table = table.slice(first, rng.randrange(1, rows - first + 1))
    return table, shows


def write(pa, rng, table, path):
    batch_rows = rng.choice([1, 3, 100])
    codec = rng.choice([None, None, "lz4", "zstd"])
    options = pa.ipc.IpcWriteOptions(compression=codec, emit_dictionary_deltas=False)
    if rng.random() < 0.5 or any(pa.types.is_dictionary(each.type) for each in table.schema):
        writer = pa.ipc.new_stream(str(path), table.schema, options=options)
    else:
        writer = pa.ipc.new_file(str(path), table.schema, options=options)
    with writer:
        writer.write_table(table, max_chunksize=batch_rows)


def test_random_tables_match_pyarrow(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "t.arrow"
    for seed in range(TABLES):
        rng = random.Random(seed)
        table, shows = random_table(pa, rng)
        write(pa, rng, table, path)
        with sheaf.open(path, chunk_size=rng.choice([None, 200])) as data:
            assert list(data.streams) == table.column_names, seed
            read = list(data)
            names = {each: data.streams[each].class_names for each in data.streams}
        assert len(read) == table.num_rows, seed
        for row, sequence in zip(table.to_pylist(), read, strict=True):
            for name, value in row.items():
                found = value_of(sequence[name])
                where = (seed, name, table.schema.field(name))
                if value is None:
                    assert found is None, where
                elif names[name] is not None:
                    assert names[name][found[0][0]] == value, where
                else:
                    assert found == shows[name](value), where


def contents(minibatches):
    return [(each.sequence_keys.tolist(), each.ids.values.tolist()) for each in minibatches]


def test_arrow_files_have_orders_and_resume(tmp_path):
    pa = pytest.importorskip("pyarrow")
    rng = random.Random(3)
    for number in range(3):
        lengths = [rng.randrange(1, 30) for _ in range(100)]
        values = [list(range(length)) for length in lengths]
        table = pa.table({"ids": pa.array(values, pa.list_(pa.int64()))})
        with pa.ipc.new_stream(str(tmp_path / f"d-{number}.arrow"), table.schema) as writer:
            writer.write_table(table, max_chunksize=10)
    pattern = str(tmp_path / "d-*.arrow")
    assert len(sheaf.open(pattern)) == 300
    for options in (
        {"order": "file"},
        {"order": "keyed", "seed": 5},
        {"order": "keyed", "seed": 5, "packing": "packed", "row_samples": 64, "long": "split"},
        {"order": "keyed", "seed": 5, "batching": "bucketed"},
    ):
        reader = sheaf.Reader(pattern, minibatch_size=16, **options)
        whole = contents(reader)
        first = sheaf.Reader(pattern, minibatch_size=16, **options)
        begun = [
            (batch.sequence_keys.tolist(), batch.ids.values.tolist())
            for batch in itertools.islice(first, 5)
        ]
        second = sheaf.Reader(pattern, minibatch_size=16, **options)
        second.load_state_dict(first.state_dict())
        assert begun + contents(second) == whole
        if options["order"] == "keyed" and "packing" not in options:
            keys = sorted(key for keys, _ in whole for key in keys)
            assert keys == list(range(300))


def test_files_of_polars_are_read(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "p.arrow"
    frame = polars.DataFrame({"x": [1.5, 2.5], "t": ["a", "longer than twelve bytes"]})
    frame.write_ipc(path)
    with sheaf.open(path) as data:
        assert [each.x.values.tolist() for each in data] == [[[1.5]], [[2.5]]]
        texts = [bytes(each.t.values) for each in data]
        assert texts == [b"a", b"longer than twelve bytes"]


def test_a_conversion_to_arrow_and_back_keeps_the_data(tmp_path, digits):
    sheaf.convert(digits / "train.ctf", tmp_path / "a.arrow")
    sheaf.convert(tmp_path / "a.arrow", tmp_path / "again.ctf")
    sheaf.convert(digits / "train.ctf", tmp_path / "once.ctf")
    assert (tmp_path / "again.ctf").read_bytes() == (tmp_path / "once.ctf").read_bytes()
    streams = {
        "ids": sheaf.Stream(dim=1, dtype="int64"),
        "x": sheaf.Stream(shape=(2, 2), dtype="float32"),
    }
    with sheaf.Writer(tmp_path / "b.arrow", streams) as writer:
        writer.write("one", {"ids": np.arange(3).reshape(3, 1), "x": np.ones((1, 2, 2), "f4")})
        writer.write("two", {"ids": np.empty((0, 1), np.int64), "x": np.zeros((2, 2, 2), "f4")})
    with sheaf.open(tmp_path / "b.arrow") as data:
        assert data.keys == ["one", "two"]
        assert dict(data.streams) == streams
        assert data.sequence("one").ids.values.ravel().tolist() == [0, 1, 2]
        assert data.sequence("two").x.values.shape == (2, 2, 2)


def test_pyarrow_reads_written_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    (tmp_path / "a.ctf").write_text("7 |x 1 2 |s 3:1\n7 |x 3 4\n9 |s 0:2\n")
    streams = ["x:dense:2", "s:sparse:4"]
    sheaf.convert(tmp_path / "a.ctf", tmp_path / "a.arrow", streams, missing_streams="allow")
    with pa.OSFile(str(tmp_path / "a.arrow")) as file:
        table = pa.ipc.open_file(file).read_all()
    table.validate(full=True)
    assert table.to_pylist() == [
        {
            "sequence_key": 7,
            "x": [[1.0, 2.0], [3.0, 4.0]],
            "s": [[{"index": 3, "value": 1.0}]],
        },
        {"sequence_key": 9, "x": None, "s": [[{"index": 0, "value": 2.0}]]},
    ]
    given = pa.table(sheaf.to_arrow(tmp_path / "a.ctf", streams, missing_streams="allow"))
    assert given.schema.remove_metadata().names == table.schema.names
    assert given.to_pylist() == table.to_pylist()
