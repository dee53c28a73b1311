"""Arrow and Parquet files that polars, DuckDB and Hugging Face `datasets` write."""

from __future__ import annotations

import pytest

import sheaf


def shown(data, name):
    """The samples of each row as lists, or as bytes; None where the stream is absent."""
    is_bytes = data.streams[name].dtype == "bytes"
    rows = [row[name].samples(0) for row in data]
    show = bytes if is_bytes else lambda sample: sample.tolist()
    return [None if row is None else [show(sample) for sample in row] for row in rows]


@pytest.fixture
def frame():
    polars = pytest.importorskip("polars", reason="pip install polars")
    pairs = polars.Series([[1, 2], [3, 4], [5, 6], [7, 8]], dtype=polars.Array(polars.Int16, 2))
    return polars.DataFrame(
        {
            "text": ["a", "", None, "four"],
            "ids": [[1, 2], [], [3], None],
            "x": [0.5, float("inf"), None, -1.5],
            "pair": pairs,
            "word": polars.Series(["u", "v", "u", "w"], dtype=polars.Categorical),
        }
    )


def check_rows_of_polars(path):
    with sheaf.open(path) as data:
        assert shown(data, "text") == [[b"a"], [b""], None, [b"four"]]
        assert shown(data, "ids") == [[[1], [2]], [], [[3]], None]
        assert shown(data, "x") == [[[0.5]], [[float("inf")]], None, [[-1.5]]]
        assert shown(data, "pair") == [[[1, 2]], [[3, 4]], [[5, 6]], [[7, 8]]]
        names = data.streams["word"].class_names
        assert [names[number] for ((number,),) in shown(data, "word")] == ["u", "v", "u", "w"]


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_arrow_files_of_polars_are_read(frame, tmp_path, compression):
    frame.write_ipc(tmp_path / "file.arrow", compression=compression)
    check_rows_of_polars(tmp_path / "file.arrow")
    frame.write_ipc_stream(tmp_path / "stream.arrow", compression=compression)
    check_rows_of_polars(tmp_path / "stream.arrow")


def test_parquet_files_of_polars_are_read(frame, tmp_path):
    pytest.importorskip("pyarrow", reason="sheaf reads Parquet with pyarrow")
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=3)
    check_rows_of_polars(tmp_path / "rows.parquet")


def test_parquet_files_and_relations_of_duckdb_are_read(tmp_path):
    pytest.importorskip("pyarrow", reason="sheaf reads Parquet with pyarrow")
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    connection = duckdb.connect()
    query = """
        select n, [n, n + 1] ids, {'indices': [n], 'values': [(n / 2)::float]} weights,
               case when n % 2 = 0 then 'text ' || n end as label
        from range(3000) rows(n)"""
    path = tmp_path / "rows.parquet"
    connection.execute(f"copy ({query}) to '{path}' (format parquet, row_group_size 2048)")
    for source in (path, connection.sql(query)):
        with sheaf.open(source) as data:
            assert len(data) == 3000
            assert data.streams["weights"].sparse
            assert data.streams["weights"].sample_shape == (3000,)
            for n, row in enumerate(data):
                assert row.n.values.tolist() == [[n]]
                assert row.ids.values.tolist() == [[n], [n + 1]]
                ((index, value),) = row.weights.samples(0)
                assert (index.tolist(), value.tolist()) == ([n], [n / 2])
            labels = [None if n % 2 else [b"text %d" % n] for n in range(3000)]
            assert shown(data, "label") == labels


def test_caches_and_parquet_files_of_hugging_face_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="pip install datasets")

    def rows():
        for n in range(2500):
            yield {"ids": list(range(n % 5)), "box": [n, 1, 2], "label": n % 2, "text": f"row {n}"}

    features = datasets.Features(
        {
            "ids": datasets.List(datasets.Value("int32")),
            "box": datasets.List(datasets.Value("float32"), length=3),
            "label": datasets.ClassLabel(names=["no", "yes"]),
            "text": datasets.Value("large_string"),
        }
    )
    made = datasets.Dataset.from_generator(rows, features=features, cache_dir=str(tmp_path))
    made.to_parquet(tmp_path / "rows.parquet")
    for path in (made.cache_files[0]["filename"], tmp_path / "rows.parquet"):
        with sheaf.open(path) as data:
            assert len(data) == 2500
            assert data.streams["box"].sample_shape == (3,)
            for n in (0, 1, 999, 1000, 1001, 2499):  # around the ends of batches
                row = data.sequence_at(n)
                assert row.ids.values.ravel().tolist() == list(range(n % 5))
                assert row.box.values.tolist() == [[n, 1, 2]]
                assert row.label.values.item() == n % 2
                assert bytes(row.text.samples(0)[0]) == b"row %d" % n
