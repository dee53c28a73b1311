"""Tables in CSV: the standard library's csv module writes, sheaf reads, and the other way round."""

from __future__ import annotations

import csv
import gzip
import random

import numpy as np
import pytest

import sheaf

QUOTING = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]


def write(path, rows, **options):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows(rows)


def read(path, **options):
    """Return the samples of each stream of each sequence in the order of delivery."""
    found = []
    options = {"unit": "sequences", "minibatch_size": 7, "packing": "ragged", **options}
    for minibatch in sheaf.Reader(str(path), **options):
        keys = minibatch.key_texts or minibatch.sequence_keys.tolist()
        for i, key in enumerate(keys):
            streams = {}
            for name in minibatch:
                samples = minibatch[name].samples(i)
                streams[name] = [
                    bytes(sample).decode()
                    if np.asarray(sample).dtype == np.uint8
                    else np.asarray(sample).ravel().tolist()
                    for sample in samples
                ]
            found.append((key, streams))
    return found


def text_of(random_, line_end):
    # The csv module quotes CR only where CR is part of the line end.
    alphabet = "ab, \"'\n;\t\u00e4" + line_end
    return "".join(random_.choice(alphabet) for _ in range(random_.randrange(6)))


@pytest.mark.parametrize("quoting", QUOTING)
@pytest.mark.parametrize("lineterminator", ["\n", "\r\n"])
def test_output_of_the_csv_module_is_read(tmp_path, quoting, lineterminator):
    rows = [[n, n / 8, f'text "{n}",\nline'] for n in range(40)]
    header = ["n", "x", "a, name"]
    write(tmp_path / "t.csv", [header, *rows], quoting=quoting, lineterminator=lineterminator)
    expected = [
        (i, {"n": [[n]], "x": [[x]], "a, name": [text]}) for i, (n, x, text) in enumerate(rows)
    ]
    assert read(tmp_path / "t.csv") == expected


def test_random_tables_match_the_csv_module(tmp_path):
    for seed in range(100):
        random_ = random.Random(seed)
        columns = random_.randrange(2, 5)
        line_end = random_.choice(["\n", "\r\n"])
        row_count = random_.randrange(1, 12)
        rows = [[text_of(random_, line_end) for _ in range(columns)] for _ in range(row_count)]
        path = tmp_path / f"{seed}.csv"
        delimiter, word = random_.choice([(",", "comma"), (";", "semicolon"), ("\t", "tab")])
        write(
            path,
            rows,
            delimiter=delimiter,
            quoting=random_.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
            lineterminator=line_end,
        )
        with open(path, newline="", encoding="utf-8") as file:
            expected = list(csv.reader(file, delimiter=delimiter))
        assert expected == rows
        streams = [f"c{i}:dense:*:dtype=bytes" for i in range(columns)]
        found = read(
            path,
            streams=streams,
            chunk_size=random_.choice([1, 40, 10_000]),
            format_options={"csv.header": "no", "csv.delimiter": word},
        )
        assert [[s[f"c{i}"][0] for i in range(columns)] for _, s in found] == rows, seed


def test_columns_classes_and_keys_are_options(tmp_path):
    rows = [[n // 3, "red" if n % 2 else "blue", n, n + 0.5] for n in range(12)]
    write(tmp_path / "t.csv", [["id", "colour", "x0", "x1"], *rows])
    options = {
        "csv.key": "id",
        "csv.classes": "colour",
        "csv.columns": "colour,x=x0..x1",
    }
    found = read(tmp_path / "t.csv", format_options=options)
    assert [key for key, _ in found] == [0, 1, 2, 3]
    assert found[1][1] == {
        "colour": [[1], [0], [1]],
        "x": [[3.0, 3.5], [4.0, 4.5], [5.0, 5.5]],
    }
    data = sheaf.open(str(tmp_path / "t.csv"), format_options=options)
    assert data.streams["colour"].class_names == ("blue", "red")


def test_compressed_tables_have_their_delimiter(tmp_path):
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"x\tname\n1\ta,b\n2.5\tc\n"))
    assert read(path) == [
        (0, {"x": [[1.0]], "name": ["a,b"]}),
        (1, {"x": [[2.5]], "name": ["c"]}),
    ]


def test_missing_values_are_errors_or_nan(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n,3\n4,NA\n")
    with pytest.raises(sheaf.DataError, match="csv-missing"):
        read(path, streams=["x:dense:1"])
    options = {"csv.missing_text": "NA", "csv.missing": "nan"}
    found = read(path, format_options=options)
    assert np.isnan(found[1][1]["x"][0][0])
    assert np.isnan(found[2][1]["y"][0][0])
    options["csv.missing"] = "-1"
    assert read(path, format_options=options)[1][1] == {"x": [[-1]], "y": [[3]]}
    options["csv.missing"] = "absent"
    reader = sheaf.Reader(str(path), packing="ragged", format_options=options)
    (minibatch,) = reader
    assert minibatch["x"].presence.tolist() == [1, 0, 1]


def test_wrong_rows_are_reported_and_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n3\n4,5,6\n7,z\n8,9\n")
    report = sheaf.check(str(path))
    assert report.error_count == 3
    streams = ["x:dense:1", "y:dense:1"]
    found = read(path, max_errors=3, streams=streams)
    assert [key for key, _ in found] == [0, 4]


@pytest.fixture
def table(tmp_path):
    rows = [[n, n * n / 7] for n in range(500)]
    write(tmp_path / "t.csv", [["n", "x"], *rows])
    return str(tmp_path / "t.csv")


OPTIONS = {"batch_size": 16, "order": "keyed", "seed": 3, "chunk_size": 1000}


def keys_of(reader):
    return [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]


def test_orders_threads_and_workers_give_the_same_rows(table):
    whole = keys_of(sheaf.Reader(table, num_threads=1, **OPTIONS))
    assert sorted(whole) == list(range(500))
    assert keys_of(sheaf.Reader(table, num_threads=4, **OPTIONS)) == whole
    parts = [keys_of(sheaf.Reader(table, rank=rank, world_size=3, **OPTIONS)) for rank in range(3)]
    assert sorted(key for part in parts for key in part) == sorted(whole)


def test_a_run_resumes(table):
    whole = keys_of(sheaf.Reader(table, **OPTIONS))
    reader = sheaf.Reader(table, **OPTIONS)
    minibatches = iter(reader)
    first = keys_of([next(minibatches) for _ in range(9)])
    state = reader.state_dict()
    again = sheaf.Reader(table, **OPTIONS)
    again.load_state_dict(state)
    assert first + keys_of(again) == whole


def test_data_can_be_read_with_a_required_index_file(table):
    sheaf.index(table)
    found = read(table, index="require")
    assert len(found) == 500
    assert found == read(table, index="off")


def test_conversions_keep_the_values(tmp_path):
    ctf = tmp_path / "a.ctf"
    ctf.write_text("".join(f"{n} |y {n % 3} |x {n / 3} {-n} 1e-{n % 9}\n" for n in range(50)))
    sheaf.convert(str(ctf), str(tmp_path / "b.csv"))
    options = {"format_options": {"csv.columns": "y,x=x0..x2"}, "dtype": "float32"}
    expected = read(ctf)
    assert read(tmp_path / "b.csv", **options) == expected
    sheaf.convert(str(tmp_path / "b.csv"), str(tmp_path / "c.ctf"), **options)
    assert read(tmp_path / "c.ctf") == expected


def test_conversions_keep_keys_and_rows_of_sequences(tmp_path):
    ctf = tmp_path / "a.ctf"
    ctf.write_text("7 |x 1\n7 |x 2\n9 |x 3\n")
    with pytest.raises(sheaf.DataError, match="csv-key-needed"):
        sheaf.convert(str(ctf), str(tmp_path / "b.csv"))
    assert not (tmp_path / "b.csv").exists()
    sheaf.convert(str(ctf), str(tmp_path / "b.csv"), to_options={"csv.key": "id"})
    assert (tmp_path / "b.csv").read_text() == "id,x\n7,1\n7,2\n9,3\n"
    streams = ["x:dense:1"]
    assert read(tmp_path / "b.csv", format_options={"csv.key": "id"}, streams=streams) == read(ctf)
