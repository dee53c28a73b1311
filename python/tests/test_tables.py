"""Tables as data: in memory, by a class, Parquet, and Hugging Face."""

from __future__ import annotations

import itertools
import os
import pickle
import threading

import numpy as np
import pytest

import sheaf

TEXT = "".join(
    f"{i} |ids {' '.join(str(i * 10 + j) for j in range(3))} |y {i}.5\n" for i in range(20)
)
STREAMS = ["ids:dense:3", "y:dense:1"]


class Schema:
    """The schema of a minibatch."""

    def __init__(self, minibatch):
        self._minibatch = minibatch

    def __arrow_c_schema__(self):
        return self._minibatch.__arrow_c_array__()[0]


class OwnTable(sheaf.Table):
    """The minibatches of a file as batches; a test may spoil one."""

    def __init__(self, path, streams=STREAMS, size=4):
        self._path, self._streams, self._size = path, streams, size
        with self._reader(streams) as reader:
            minibatches = list(reader)
        self.schema = Schema(minibatches[0])
        self._rows = [len(each.sequence_keys) for each in minibatches]
        self.threads = set()
        self.spoil = {}

    def _reader(self, streams):
        return sheaf.Reader(self._path, streams, batch_size=self._size, packing="ragged")

    def batches(self):
        return self._rows

    def read(self, batch, columns):
        self.threads.add(threading.current_thread().name)
        if batch in self.spoil:
            return self.spoil[batch]()
        assert set(columns) <= {"sequence_key", "ids", "y"}
        with self._reader(self._streams) as reader:
            return list(reader)[batch]


def rows_of(reader):
    return [
        (
            minibatch.sequence_keys.tolist(),
            {name: minibatch[name].values.tolist() for name in minibatch},
        )
        for minibatch in reader
    ]


@pytest.fixture
def path(write_ctf):
    return write_ctf(TEXT)


KEYED = {"format_options": {"arrow.key": "sequence_key"}}
ORDER = {"order": "keyed", "seed": 3, "batch_size": 6, "window": 3}


def test_a_stream_of_batches_can_be_opened(path):
    stream = sheaf.to_arrow(path, STREAMS)
    with sheaf.open(stream, **KEYED) as data:
        assert len(data) == 20
        assert data.streams["ids"].dim == 3
        assert data.streams["y"].dtype == "float32"
        assert data.keys.tolist() == list(range(20))
        assert data.sequence(7).ids.values.tolist() == [[70, 71, 72]]
    with sheaf.open(stream, ["y:dense:1"]) as data:
        assert list(data.streams) == ["y"]
        assert [each.y.values.tolist() for each in data] == [[[i + 0.5]] for i in range(20)]


def test_orders_and_resuming_match_a_file(path):
    table = OwnTable(path)
    options = {**ORDER, **KEYED}
    whole = rows_of(sheaf.Reader(table, **options))
    assert sorted(key for keys, _ in whole for key in keys) == list(range(20))
    assert whole == rows_of(sheaf.Reader(table, num_threads=3, **options))
    first = sheaf.Reader(table, **options)
    begun = list(itertools.islice(first, 2))
    state = first.state_dict()
    second = sheaf.Reader(table, **options)
    second.load_state_dict(state)
    assert rows_of(begun) + rows_of(second) == whole


def test_workers_share_the_rows(path):
    table = OwnTable(path)
    parts = [
        [
            key
            for minibatch in sheaf.Reader(table, rank=rank, world_size=3, **ORDER, **KEYED)
            for key in minibatch.sequence_keys.tolist()
        ]
        for rank in range(3)
    ]
    assert sorted(itertools.chain(*parts)) == list(range(20))


def keys_of_ranks(source, world_size, state=None, count=None, **options):
    """Give the keys that so many workers deliver, and the state of the first one."""
    keys, states = [], []
    for rank in range(world_size):
        reader = sheaf.Reader(source, rank=rank, world_size=world_size, **options)
        if state is not None:
            reader.load_state_dict(state)
        for minibatch in itertools.islice(reader, count):
            keys += minibatch.key_texts or minibatch.sequence_keys.tolist()
        states.append(reader.state_dict())
    return keys, states[0]


def test_a_run_resumes_with_another_number_of_workers(path):
    options = {**ORDER, **KEYED}
    begun, state = keys_of_ranks(OwnTable(path), 2, count=1, **options)
    rest, _ = keys_of_ranks(OwnTable(path), 3, state, **options)
    assert begun
    assert sorted(begun + rest) == list(range(20))


def test_tables_are_joined_with_files(path, tmp_path):
    other = tmp_path / "other.ctf"
    other.write_text("".join(f"{i} |z {i}\n" for i in range(20)))
    reader = sheaf.Reader(OwnTable(path), join={other: None}, batch_size=20, **KEYED)
    minibatch = next(iter(reader))
    assert minibatch.z.values.ravel().tolist() == list(range(20))
    assert minibatch.y.values.ravel().tolist() == [i + 0.5 for i in range(20)]


def test_a_spec_names_tables(path):
    spec = {"data": {"object": "rows"}, "read": {"minibatch_size": 20, "unit": "sequences"}}
    minibatch = next(iter(sheaf.Reader(spec=spec, objects={"rows": OwnTable(path)})))
    assert minibatch.y.values.ravel().tolist() == [i + 0.5 for i in range(20)]


def test_exceptions_of_read_arrive_at_the_step_of_their_rows(path):
    table = OwnTable(path)

    def fail():
        raise RuntimeError("no such column today")

    table.spoil = {3: fail}
    reader = sheaf.Reader(table, batch_size=4)
    with pytest.raises(RuntimeError, match="no such column today") as error:
        list(reader)
    assert error.value.__notes__ == ["sheaf: this was batch 3 of OwnTable"]


def test_damage_reported_by_read_is_a_data_error(path):
    table = OwnTable(path)

    def damaged():
        sheaf._sheaf.raise_damage("t.bin", 17, "table-damage", "a batch", "nothing")

    sizes = [4] * 5
    with sheaf.Reader(table, batch_size=4) as reader:
        assert [len(each.sequence_keys) for each in reader] == sizes
    table.spoil = {1: damaged}
    with pytest.raises(sheaf.DataError, match=r"t\.bin.*17.*expected a batch, found nothing"):
        list(sheaf.Reader(table, batch_size=4))


def test_batches_that_do_not_match_the_table_are_refused(path, tmp_path):
    def spoiled(make, **options):
        table = OwnTable(path)
        table.spoil = {1: make}
        with pytest.raises((sheaf.ConfigError, TypeError)) as error:
            list(sheaf.Reader(table, batch_size=4, **options))
        return str(error.value)

    def first_of(text, streams, size=4):
        other = tmp_path / "other.ctf"
        other.write_text(text)
        options = {"batch_size": size, "packing": "ragged"}
        return lambda: next(iter(sheaf.Reader(other, streams, **options)))

    assert "__arrow_c_array__: got int" in spoiled(lambda: 3)
    assert "batch 1: expected 4 rows, found 3" in spoiled(first_of(TEXT, STREAMS, 3))
    assert 'batch 1: expected the column "y", found none' in spoiled(first_of(TEXT, STREAMS[:1]))
    wide = ["ids:dense:3", "y:dense:2"]
    message = spoiled(first_of(TEXT.replace("|y ", "|y 0 "), wide))
    assert 'expected the column "y" with the type of the schema, found another type' in message


def test_several_threads_read_a_table(path):
    table = OwnTable(path, size=1)
    list(sheaf.Reader(table, batch_size=1, num_threads=3, **KEYED))
    assert 1 <= len(table.threads) <= 3


def test_tables_are_pickled_with_their_reader(path):
    options = {"batch_size": 4}
    with sheaf.Reader(OwnTableOfFile(path), **options) as reader:
        begun = rows_of(itertools.islice(reader, 1))
        again = pickle.loads(pickle.dumps(reader))
    assert begun + rows_of(again) == rows_of(sheaf.Reader(OwnTableOfFile(path), **options))


class OwnTableOfFile(OwnTable):
    def __getstate__(self):
        return {"path": self._path}

    def __setstate__(self, state):
        self.__init__(state["path"])


class Numbers(sheaf.Deserializer):
    streams = ("x:dense:1",)

    def chunks(self):
        return [2]

    def read(self, chunk):
        return {"x": np.zeros((2, 1), "f4")}


def test_the_repr_of_open_data_names_the_class_of_a_table(path):
    with sheaf.open(OwnTable(path), STREAMS) as data:
        assert repr(data).splitlines()[0] == "<sheaf.Data of OwnTable"
        assert data.files == []
    with sheaf.open(OwnTable(path), ["y:dense:1"], join=Numbers(), **KEYED) as data:
        assert repr(data).splitlines()[0] == "<sheaf.Data of OwnTable, Numbers"
    assert repr(sheaf.open(Numbers())) == "<sheaf.Data of Numbers\n  x: dense float32 [1]>"


def test_options_of_files_are_refused_for_tables(path):
    with pytest.raises(sheaf.ConfigError, match="index: a table has no such option"):
        sheaf.Reader(OwnTable(path), index="rebuild")
    with pytest.raises(sheaf.ConfigError, match='no column "z"'):
        sheaf.Reader(OwnTable(path), ["z:dense:1"])
    with pytest.raises(sheaf.ConfigError, match=r'no option "libsvm.base"; there is "arrow.key"'):
        sheaf.Reader(OwnTable(path), format_options={"libsvm.base": "0"})
    with pytest.raises(TypeError, match="a path, several, a Deserializer, or a table"):
        sheaf.Reader(3)


# Parquet.


def table_of(pa, rows=100, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, rows)
    return pa.table(
        {
            "id": pa.array([f"row-{seed}-{i:04}" for i in range(rows)]),
            "input_ids": pa.array([list(range(n)) for n in lengths], pa.list_(pa.int64())),
            "label": pa.array(rng.integers(0, 3, rows), pa.int8()),
            "name": pa.array([["cat", "dog"][i % 2] for i in range(rows)]).dictionary_encode(),
            "when": pa.array([None] * rows, pa.date32()),
        }
    )


def vectors_of(pa, rows, width=1):
    """A table whose row i has the key i and a vector of random numbers."""
    values = np.random.default_rng(rows).random(rows * width, dtype="f4")
    return pa.table({"x": pa.FixedSizeListArray.from_arrays(values, width)})


@pytest.fixture
def parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    paths = []
    for number in range(2):
        paths.append(tmp_path / f"part-{number}.parquet")
        pq.write_table(table_of(pa, 50, number), paths[-1], row_group_size=8)
    return pa, pq, paths


def read_rows(pq, paths):
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def test_parquet_files_are_known_by_their_extension(parquet, tmp_path):
    _, pq, paths = parquet
    rows = read_rows(pq, paths)
    for source in (tmp_path / "part-*.parquet", paths, [os.fsencode(path) for path in paths]):
        with sheaf.open(source) as data:
            assert len(data) == 100
            assert [chunk.sequences for chunk in data.chunks] == [8] * 6 + [2] + [8] * 6 + [2]
            assert set(data.streams) == {"id", "input_ids", "label", "name"}
            assert data.streams["name"].class_names == ("cat", "dog")
            assert [w.code for w in data.warnings] == ["arrow-column"]
            for row, sequence in zip(rows, data, strict=True):
                assert bytes(sequence.id.values).decode() == row["id"]
                assert sequence.input_ids.values.ravel().tolist() == row["input_ids"]
                assert sequence.label.values.ravel().tolist() == [row["label"]]


@pytest.fixture
def group_reads(parquet, monkeypatch):
    """The row groups that pyarrow decodes from now on, in the order of the calls."""
    _, pq, _ = parquet
    read = []
    decode = pq.ParquetFile.read_row_group

    def noted(file, group, **options):
        read.append(group)
        return decode(file, group, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    return read


def test_parquet_has_orders_resume_and_keys(parquet, tmp_path):
    options = {
        **ORDER,
        "format_options": {"arrow.key": "id"},
        "streams": ["input_ids:dense:1", "label:dense:1"],
    }
    source = tmp_path / "part-*.parquet"
    whole = [minibatch.key_texts for minibatch in sheaf.Reader(source, **options)]
    names = [f"row-{i}-{j:04}" for i in range(2) for j in range(50)]
    assert sorted(itertools.chain(*whole)) == names
    first = sheaf.Reader(source, **options)
    begun = [minibatch.key_texts for minibatch in itertools.islice(first, 3)]
    second = sheaf.Reader(source, **options, num_threads=1)
    second.load_state_dict(first.state_dict())
    assert begun + [minibatch.key_texts for minibatch in second] == whole


def test_parquet_resumes_with_another_number_of_workers(parquet):
    _, _, paths = parquet
    options = {
        **ORDER,
        "format_options": {"arrow.key": "id"},
        "streams": ["input_ids:dense:1"],
        "batching": "bucketed",
    }
    begun, state = keys_of_ranks(paths, 2, count=4, **options)
    rest, _ = keys_of_ranks(paths, 3, state, **options)
    assert len(begun) > 10
    assert sorted(begun + rest) == [f"row-{i}-{j:04}" for i in range(2) for j in range(50)]


def test_parquet_reads_only_declared_columns(parquet, tmp_path, monkeypatch):
    _, pq, paths = parquet
    asked = set()
    read = pq.ParquetFile.read_row_group

    def noted(self, number, columns=None, **options):
        asked.add(tuple(columns))
        return read(self, number, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    list(sheaf.Reader(paths, ["label:dense:1"]))
    assert asked == {("label",)}


def test_files_with_differing_columns_are_refused(parquet, tmp_path):
    pa, pq, _ = parquet
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "part-9.parquet")
    with pytest.raises(sheaf.ConfigError, match=r"part-0.*part-9.*are no table together"):
        sheaf.open(tmp_path / "part-*.parquet")


def test_damaged_parquet_files_are_reported_with_their_path(parquet, tmp_path):
    _, _, paths = parquet
    whole = paths[0].read_bytes()
    path = tmp_path / "cut.parquet"
    footer = "the size of a footer, and PAR1"
    for content, expected, offset in (
        (b"", "a Parquet file", 0),
        (whole[:-1], footer, len(whole) - 9),
        (whole[:4] + whole[-8:], footer, 4),
        (whole[:20] + bytes(len(whole) - 28) + whole[-8:], "a Parquet file that pyarrow reads", 0),
    ):
        path.write_bytes(content)
        with pytest.raises(sheaf.DataError) as error:
            sheaf.open(path)
        diagnostic = error.value.diagnostics[0]
        assert (diagnostic.code, diagnostic.path) == ("parquet-file", str(path))
        assert (diagnostic.expected, diagnostic.byte_offset) == (expected, offset)
    with pytest.raises(sheaf.IoError, match="no such file"):
        sheaf.open(tmp_path / "none.parquet")
    with pytest.raises(sheaf.IoError, match="no file has a name of this pattern"):
        sheaf.open(tmp_path / "none-*.parquet")


def test_a_damaged_row_group_is_left_out(parquet, tmp_path):
    _, pq, paths = parquet
    begin = pq.ParquetFile(paths[0]).metadata.row_group(2).column(2).data_page_offset
    content = bytearray(paths[0].read_bytes())
    content[begin : begin + 16] = b"\xff" * 16
    path = tmp_path / "damaged.parquet"
    path.write_bytes(content)
    streams = ["label:dense:1"]
    with pytest.raises(sheaf.DataError, match="expected the pages of row group 2"):
        list(sheaf.Reader(path, streams))
    kept = [
        key for batch in sheaf.Reader(path, streams, max_errors=8) for key in batch.sequence_keys
    ]
    assert kept == [*range(16), *range(24, 50)]


def test_a_changed_file_is_an_error(parquet, tmp_path):
    pa, pq, paths = parquet
    with sheaf.open(paths[0], ["label:dense:1"], num_threads=1) as data:
        pq.write_table(table_of(pa, 51), paths[0], row_group_size=8)
        with pytest.raises(sheaf.IoError, match="has changed since it was opened"):
            list(data)


def test_an_index_file_has_the_lengths_of_parquet_files(parquet, tmp_path, group_reads):
    pa, pq, paths = parquet
    source = tmp_path / "part-*.parquet"
    expected = rows_of(sheaf.Reader(source, ["input_ids:dense:1"], **ORDER))
    with pytest.raises(sheaf.ConfigError, match="index: required, but"):
        sheaf.Reader(source, ["input_ids:dense:1"], index="require")
    report = sheaf.index(source, ["input_ids:dense:1"])
    path = str(paths[0]) + ".sheaf-index"
    assert report.files == {path: os.path.getsize(path)}
    assert report.data_bytes == sum(os.path.getsize(each) for each in paths)
    assert (report.chunks, report.sequences) == (14, 100)

    group_reads.clear()
    again = sheaf.Reader(source, ["input_ids:dense:1"], index="require", **ORDER)
    assert rows_of(again) == expected
    assert len(group_reads) == 14  # each row group once
    with sheaf.open(source, ["input_ids:dense:1"], index="require") as data:
        assert data.sample_count == sum(len(row["input_ids"]) for row in read_rows(pq, paths))
    assert len(group_reads) == 14

    pq.write_table(table_of(pa, 50, 7), paths[1], row_group_size=8)
    with pytest.raises(sheaf.ConfigError, match="index: required, but"):
        sheaf.Reader(source, ["input_ids:dense:1"], index="require")
    # A small table is read for its lengths, and a warning says so.
    with sheaf.open(source, ["input_ids:dense:1"]) as data:
        assert [warning.code for warning in data.warnings] == ["arrow-index-file"]

    elsewhere = tmp_path / "indexes"
    report = sheaf.index(source, ["input_ids:dense:1"], index_dir=elsewhere)
    (path,) = report.files
    assert os.path.dirname(path) == str(elsewhere)
    sheaf.Reader(source, ["input_ids:dense:1"], index="require", index_dir=elsewhere).close()

    os.remove(path)
    os.mkdir(path)
    with pytest.raises(sheaf.IoError, match="arrow-index-file"):
        sheaf.index(source, ["input_ids:dense:1"], index_dir=elsewhere)


def test_an_index_file_has_the_classes_of_parquet_files(parquet, tmp_path, group_reads):
    pa, pq, _ = parquet
    path = tmp_path / "classes.parquet"
    words = pa.array(["up", "down", "up", "left"] * 10).dictionary_encode()
    pq.write_table(pa.table({"word": words}), path, row_group_size=8)
    group_reads.clear()
    with sheaf.open(path, index="rebuild") as data:
        assert group_reads == [0, 1, 2, 3, 4]
        expected = [row["word"].values.tolist() for row in data]
    for mode in ("auto", "require"):
        group_reads.clear()
        with sheaf.open(path, index=mode) as data:
            assert data.streams["word"].class_names == ("up", "down", "left")
            assert group_reads == []
            assert [row["word"].values.tolist() for row in data] == expected
            assert sorted(group_reads) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("memory_limit", [0, "6M"])
def test_a_moving_window_decodes_each_row_group_at_most_twice(
    parquet, tmp_path, group_reads, memory_limit
):
    pa, pq, _ = parquet
    path = tmp_path / "many.parquet"
    pq.write_table(table_of(pa, 1000), path, row_group_size=5)
    streams = ["input_ids:dense:1"]
    sheaf.index(path, streams)
    group_reads.clear()
    limit = {"memory_limit": memory_limit} if memory_limit else {}
    moving = {**ORDER, "window": 50, "index": "require", **limit}
    keys = [key for keys, *_ in rows_of(sheaf.Reader(path, streams, **moving)) for key in keys]
    assert sorted(keys) == list(range(1000))
    times = [group_reads.count(group) for group in range(200)]
    assert set(times) == {1, 2}
    assert times.count(2) < 200 // 3


@pytest.mark.parametrize("memory_limit", [None, "40M"])
@pytest.mark.parametrize("size", [{"batch_size": 256}, {"minibatch_samples": 5000}])
def test_the_order_file_decodes_each_row_group_once(
    parquet, tmp_path, group_reads, size, memory_limit
):
    pa, pq, _ = parquet
    path = tmp_path / "groups.parquet"
    pq.write_table(table_of(pa, 3000), path, row_group_size=500)
    options = {"index": "off", "memory_limit": memory_limit, **size}
    reader = sheaf.Reader(path, ["input_ids:dense:1"], **options)
    keys = [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]
    assert keys == list(range(3000))
    assert sorted(group_reads) == list(range(6))


def test_columns_without_lengths_are_decoded_beside_those_with_lengths(
    parquet, tmp_path, monkeypatch
):
    pa, pq, _ = parquet
    path = tmp_path / "groups.parquet"
    table = table_of(pa, 600)
    pq.write_table(table, path, row_group_size=100)
    asked = []
    decode = pq.ParquetFile.read_row_group

    def noted(file, group, columns, **options):
        asked.extend((group, column) for column in columns)
        return decode(file, group, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    columns = ["label", "input_ids"]
    streams = [f"{column}:dense:1" for column in columns]
    keyed = {"format_options": {"arrow.key": "id"}}
    reader = sheaf.Reader(path, streams, index="off", batch_size=64, packing="ragged", **keyed)
    read = {name: [] for name in columns}
    keys = []
    for minibatch in reader:
        keys += minibatch.key_texts
        for name in columns:
            read[name] += minibatch[name].values.ravel().tolist()
    assert keys == table["id"].to_pylist()
    assert read["label"] == table["label"].to_pylist()
    assert read["input_ids"] == list(itertools.chain(*table["input_ids"].to_pylist()))
    assert sorted(asked) == sorted(itertools.product(range(6), ["id", *columns]))


def test_a_window_smaller_than_a_few_row_groups_decodes_each_of_them_once(
    parquet, tmp_path, group_reads
):
    pa, pq, _ = parquet
    path = tmp_path / "groups.parquet"
    pq.write_table(vectors_of(pa, 63 * 100), path, row_group_size=100)
    moving = {**ORDER, "window": 4, "index": "off", "batch_size": 64}
    keys = [key for keys, *_ in rows_of(sheaf.Reader(path, **moving)) for key in keys]
    assert sorted(keys) == list(range(6300))
    assert sorted(group_reads) == list(range(63))


def test_the_first_minibatches_decode_whole_row_groups(parquet, tmp_path, group_reads):
    pa, pq, _ = parquet
    path = tmp_path / "groups.parquet"
    pq.write_table(vectors_of(pa, 70_000, 100), path, row_group_size=1000)
    sheaf.index(path)
    group_reads.clear()
    moving = {**ORDER, "window": 35, "index": "require", "batch_size": 256}
    keys = [key for each in sheaf.Reader(path, **moving) for key in each.sequence_keys.tolist()]
    assert sorted(keys) == list(range(70_000))
    assert {group_reads.count(group) for group in range(70)} == {1, 2}


def test_parquet_readers_are_pickled(parquet):
    _, _, paths = parquet
    options = {**ORDER, "streams": ["label:dense:1"]}
    with sheaf.Reader(paths, **options) as reader:
        begun = rows_of(itertools.islice(reader, 1))
        again = pickle.loads(pickle.dumps(reader))
    assert begun + rows_of(again) == rows_of(sheaf.Reader(paths, **options))


def test_empty_parquet_files_and_row_groups_are_read(parquet, tmp_path):
    pa, pq, _ = parquet
    path = tmp_path / "empty.parquet"
    empty = pa.table({"x": pa.array([], pa.float32())})
    pq.write_table(empty, path)
    assert list(sheaf.open(path)) == []
    one = pa.table({"x": pa.array([1.5], pa.float32())})
    with pq.ParquetWriter(path, empty.schema) as writer:
        for table in (empty, one, empty):
            writer.write_table(table)
    assert [each.x.values.tolist() for each in sheaf.open(path)] == [[[1.5]]]


@pytest.mark.parametrize("count", [7, 8, 9, 17])  # each thread keeps 8 files open
def test_any_number_of_parquet_files_is_read(parquet, tmp_path, count):
    pa, pq, _ = parquet
    paths = []
    for number in range(count):
        paths.append(tmp_path / f"many-{number}.parquet")
        rows = range(number * 10, number * 10 + 10)
        pq.write_table(pa.table({"x": rows}), paths[-1], row_group_size=3)
    reader = sheaf.Reader(paths, order="keyed", seed=2, batch_size=5, num_threads=1)
    values = [value for minibatch in reader for value in minibatch.x.values.ravel().tolist()]
    assert sorted(values) == list(range(count * 10))


def test_format_opens_parquet_files_of_any_name(parquet, tmp_path):
    _, _, paths = parquet
    other = tmp_path / "rows.bin"
    other.write_bytes(paths[0].read_bytes())
    with sheaf.open(other, ["label:dense:1"], format="parquet") as data:
        assert len(data) == 50


def test_names_of_columns_may_have_dots(parquet, tmp_path):
    pa, pq, _ = parquet
    nested = pa.array([{"b": 1.0}], pa.struct([("b", pa.float32())]))
    table = pa.table({"a.b": pa.array([2.0], pa.float32()), "a": nested, "c": [[1, 2]]})
    pq.write_table(table, tmp_path / "dots.parquet")
    with sheaf.open(tmp_path / "dots.parquet") as data:
        assert list(data.streams) == ["a.b", "c"]
        assert [each["a.b"].values.tolist() for each in data] == [[[2.0]]]


def test_polars_and_tables_of_pyarrow_are_data(parquet):
    pa, _, _ = parquet
    table = table_of(pa)
    expected = [row["label"] for row in table.to_pylist()]
    for source in (table, table.slice(0), table.to_reader(max_chunksize=7)):
        labels = [each.label.values.item() for each in sheaf.open(source, ["label:dense:1"])]
        assert labels == expected
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"label": expected, "text": ["a"] * 100})
    with sheaf.open(frame) as data:
        assert [each.label.values.item() for each in data] == expected


# Hugging Face.


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    rows = {
        "input_ids": [list(range(i % 7)) for i in range(3000)],
        "labels": [i % 3 for i in range(3000)],
        "text": [f"row {i}" for i in range(3000)],
    }
    return datasets.Dataset.from_dict(rows)


def texts_of(source):
    return [bytes(each.text.values).decode() for each in sheaf.open(source)]


def test_a_data_set_of_hugging_face_is_read_directly(dataset):
    source = sheaf.from_hugging_face(dataset)
    assert texts_of(source) == dataset["text"][:]
    reader = sheaf.Reader(source, order="keyed", seed=1, packing="packed", row_samples=32)
    assert sum(len(minibatch.sequence_keys) for minibatch in reader) == 3000


def test_an_indices_mapping_is_followed(dataset):
    for mapped in (
        dataset.shuffle(seed=3),
        dataset.select([5, 3, 3, 2999]),
        dataset.train_test_split(test_size=0.4, seed=2)["test"],
        dataset.filter(lambda row: row["labels"] == 1),
        dataset.select(range(10, 20)),
        dataset.select([]),
    ):
        assert texts_of(sheaf.from_hugging_face(mapped)) == mapped["text"][:]


@pytest.mark.parametrize("count", [999, 1000, 1001])  # batches have 1,000 rows
def test_an_indices_mapping_may_have_any_number_of_rows(dataset, count):
    mapped = dataset.shuffle(seed=5).select(range(count))
    with sheaf.open(sheaf.from_hugging_face(mapped)) as data:
        assert [chunk.sequences for chunk in data.chunks] == (
            [count] if count <= 1000 else [1000, 1]
        )
        assert [bytes(each.text.values).decode() for each in data] == mapped["text"][:]


def test_a_state_of_another_data_set_is_refused(dataset):
    first = sheaf.Reader(sheaf.from_hugging_face(dataset), ["labels:dense:1"], batch_size=100)
    next(iter(first))
    state = first.state_dict()
    for other in (dataset.shuffle(seed=1), dataset.select(range(2999))):
        with pytest.raises(sheaf.ConfigError):
            sheaf.Reader(
                sheaf.from_hugging_face(other), ["labels:dense:1"], batch_size=100
            ).load_state_dict(state)


def test_objects_other_than_one_data_set_are_refused(dataset):
    datasets = pytest.importorskip("datasets")
    splits = datasets.DatasetDict({"train": dataset, "test": dataset})
    with pytest.raises(sheaf.ConfigError, match="one split: got a dictionary of train, test"):
        sheaf.from_hugging_face(splits)
    for other, kind in ((dataset.to_iterable_dataset(), "IterableDataset"), ([1], "list")):
        with pytest.raises(sheaf.ConfigError, match=f"got {kind}"):
            sheaf.from_hugging_face(other)


def test_files_of_saved_data_sets_are_read_natively(dataset, tmp_path):
    dataset.save_to_disk(str(tmp_path / "saved"), num_shards=3)
    assert texts_of(str(tmp_path / "saved" / "data-*.arrow")) == dataset["text"][:]
    assert texts_of(tmp_path / "saved") == dataset["text"][:]
    assert sheaf.check(tmp_path / "saved").sequences == len(dataset)
    order = sheaf.Reader(tmp_path / "saved", order="keyed", batch_size=4)
    assert len([key for minibatch in order for key in minibatch.sequence_keys]) == len(dataset)
    train = dataset.train_test_split(0.25, seed=1)
    train.save_to_disk(str(tmp_path / "splits"))
    assert texts_of(tmp_path / "splits" / "train") == train["train"]["text"][:]
    with pytest.raises(sheaf.ConfigError, match="splits is no data set: name the folder of one"):
        sheaf.open(tmp_path / "splits")
