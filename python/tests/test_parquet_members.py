"""Parquet files as members of joins, mixtures and concatenations."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import sheaf

pa = pytest.importorskip("pyarrow", reason="sheaf reads Parquet with pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNT = 60
READ = {"order": "keyed", "seed": 5, "batch_size": 7, "window_chunks": 2}
LABELS = {"l": sheaf.Stream(dim=1)}


def name_of(n):
    return f"row-{n}"


def write(path, key, column, values, order=range(COUNT)):
    """Write a table with a column of keys, and a row for each number of ``order``."""
    table = pa.table({key: [name_of(n) for n in order], column: [values(n) for n in order]})
    pq.write_table(table, path, row_group_size=8)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Write Parquet files with keys in columns of different names, and files of other formats."""
    monkeypatch.chdir(tmp_path)
    write("x.parquet", "id", "x", lambda n: [float(n)] * (n % 3 + 1))
    write("y.parquet", "name", "y", lambda n: [n] * (n % 3 + 1), order=range(COUNT - 1, -1, -1))
    write("z-0.parquet", "id", "z", lambda n: f"text {n}", order=range(0, COUNT, 2))
    write("z-1.parquet", "id", "z", lambda n: f"text {n}", order=range(1, COUNT, 2))
    with open("l.ctf", "w") as file:
        file.writelines(f"{n} |l {n}\n" for n in range(COUNT))
    return tmp_path


def member(files, key, **options):
    return {"files": files, "format_options": {"arrow.key": key}, **options}


X = member("x.parquet", "id")
Y = member("y.parquet", "name")
Z = member("z-*.parquet", "id")


def joined(*members, **options):
    return {"data": {"join": list(members), **options}}


def values_of(minibatch, i, name):
    samples = minibatch[name].samples(i)
    return None if samples is None else [each.tolist() for each in samples]


def check_rows(reader):
    """Check the values of each sequence by its key, and return the keys."""
    keys = []
    for minibatch in reader:
        for i, key in enumerate(minibatch.key_texts):
            n = int(key.removeprefix("row-"))
            length = n % 3 + 1
            expected = {
                "x": [[float(n)]] * length,
                "y": [[n]] * length,
                "z": [list(b"text %d" % n)],
                "l": [[float(n)]],
            }
            for name in minibatch:
                assert values_of(minibatch, i, name) == expected[name]
            keys.append(key)
    return keys


@pytest.mark.parametrize("order", list(itertools.permutations([X, Y, Z])))
def test_a_spec_joins_parquet_in_any_position(order):
    reader = sheaf.Reader(spec=joined(*order), packing="ragged", **READ)
    assert sorted(reader.streams) == ["x", "y", "z"]
    assert sorted(check_rows(reader)) == sorted(map(name_of, range(COUNT)))


@pytest.mark.parametrize("primary", [0, 1])
def test_the_primary_gives_the_order(primary):
    reader = sheaf.Reader(spec=joined(X, Y, primary=primary), batch_size=10)
    numbers = [range(COUNT), range(COUNT - 1, -1, -1)][primary]
    assert check_rows(reader) == list(map(name_of, numbers))


def test_parquet_is_joined_with_files_of_other_formats():
    rows = {"files": "x.parquet", "format_options": {"arrow.key": "rows"}}
    rows["streams"] = [{"name": "x"}]
    ctf = {"files": "l.ctf"}
    for order in ([rows, ctf], [ctf, rows]):
        reader = sheaf.Reader(spec=joined(*order), batch_size=4, packing="ragged")
        for minibatch in reader:
            for i, key in enumerate(minibatch.sequence_keys.tolist()):
                assert values_of(minibatch, i, "l") == [[float(key)]]
                assert values_of(minibatch, i, "x") == [[float(key)]] * (key % 3 + 1)
        assert reader.sequence_count == COUNT


def test_keywords_name_the_column_of_the_keys_for_arrow_files_too():
    table = pa.table({"id": [name_of(n) for n in range(COUNT)], "y": list(range(COUNT))})
    with pa.OSFile("y.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with open("texts.ctf", "w") as file:
        file.writelines(f"{name_of(n)} |l {n}\n" for n in range(COUNT))
    for path, *joined in itertools.permutations(["x.parquet", "y.arrow", "texts.ctf"]):
        options = {"format_options": {"arrow.key": "id"}, "keys": "text"}
        with sheaf.open(path, join=joined, **options) as data:
            assert sorted(data.streams) == ["l", "x", "y"]
            assert len(data) == COUNT
            row = data.sequence("row-4")
            assert row.x.values.tolist() == [[4.0], [4.0]]
            assert row.y.values.item() == row.l.values.item() == 4


def test_a_table_of_sheaf_keeps_its_own_keys_in_a_join():
    with sheaf.Writer("own.arrow", ["w:dense:1"]) as writer:
        writer.write_batch([name_of(n) for n in range(COUNT)], {"w": [[[n]] for n in range(COUNT)]})
    message = 'arrow.key: .*own.arrow.* has no column "id".*"sequence_key": leave arrow.key out'
    key = {"format_options": {"arrow.key": "id"}}
    with pytest.raises(sheaf.ConfigError, match=message):
        sheaf.open(spec=joined(X, {"files": "own.arrow", **key}))
    with pytest.raises(sheaf.ConfigError, match=message):
        sheaf.open("own.arrow", **key)
    table = pa.table(sheaf.to_arrow("own.arrow"))
    pq.write_table(table, "own.parquet", row_group_size=8)
    for said in (
        {"spec": joined(X, {"files": "own.arrow"})},
        {"path": "x.parquet", "join": "own.arrow", **key},
        {"path": "own.arrow", "join": ["x.parquet"], **key},
        {"path": "x.parquet", "join": table, **key},
        {"path": "own.parquet", "join": "x.parquet", **key},
    ):
        with sheaf.open(**said) as data:
            assert len(data) == COUNT
            assert data.sequence("row-4").x.values.tolist() == [[4.0], [4.0]]
            assert data.sequence("row-4").w.values.item() == 4
    with pytest.raises(sheaf.ConfigError, match=r'arrow\.key: .* has no column "none"'):
        sheaf.open("own.arrow", join="x.parquet", format_options={"arrow.key": "none"})


@pytest.mark.parametrize("text", ["t.ctf", "t.jsonl"])
def test_a_misspelled_key_of_the_only_table_of_a_join_is_refused(text):
    with sheaf.Writer("own.arrow", ["w:dense:1"]) as writer:
        writer.write_batch([name_of(n) for n in range(3)], {"w": [[[n]] for n in range(3)]})
    own = pa.table(sheaf.to_arrow("own.arrow"))
    pq.write_table(own, "own.parquet")
    with open("t.ctf", "w") as file:
        file.writelines(f"{name_of(n)} |v {n}\n" for n in range(3))
    with open("t.jsonl", "w") as file:
        file.writelines(f'{{"id": "{name_of(n)}", "v": {n}}}\n' for n in range(3))
    own_options = {"jsonl.key": "id"} if text.endswith("jsonl") else {}
    for table in ("own.arrow", "own.parquet", own):
        for path, join in ((table, text), (text, table)):
            said = {"path": path, "join": join, "keys": "text"}
            with sheaf.open(**said, format_options=own_options) as data:
                assert len(data) == 3
            with pytest.raises(sheaf.ConfigError, match=r'has no column "id2".*"sequence_key"'):
                sheaf.open(**said, format_options={"arrow.key": "id2", **own_options})


def test_the_window_of_a_spec_follows_the_chunk_size_of_its_table():
    states = []
    for size in (1 << 20, 64 << 20, None):
        said = {} if size is None else {"chunk_size": size}
        keywords = sheaf.Reader("x.parquet", order="cntk", sweeps=1, **said)
        by_spec = sheaf.Reader(
            spec={"data": {"files": "x.parquet", **said}, "read": {"order": "cntk"}}, sweeps=1
        )
        assert by_spec.state_dict() == keywords.state_dict()
        states.append(str(by_spec.state_dict()))
    assert len(set(states)) == 3


def test_a_spec_delivers_the_rows_of_keywords():
    options = {"packing": "ragged", **READ}
    keywords = sheaf.Reader(
        "x.parquet",
        ["x:dense:1"],
        join={"z-*.parquet": ["z:dense"]},
        format_options={"arrow.key": "id"},
        **options,
    )
    streams = [[{"name": "x", "shape": 1}], [{"name": "z"}]]
    members = [{**X, "streams": streams[0]}, {**Z, "streams": streams[1]}]
    by_spec = sheaf.Reader(spec=joined(*members), **options)
    assert list(keywords.streams) == list(by_spec.streams) == ["x", "z"]
    assert keywords.streams["x"] == by_spec.streams["x"]
    assert check_rows(keywords) == check_rows(by_spec)


def test_options_of_a_member_are_those_of_its_files_alone():
    streams = [{"name": "twice", "alias": "y", "shape": 1, "dtype": "float64"}]
    options = {"chunk_size": 100, "streams": streams}
    alone = sheaf.Reader(
        "y.parquet",
        {"twice": sheaf.Stream(dim=1, alias="y", dtype="float64")},
        format_options={"arrow.key": "name"},
        chunk_size=100,
        order="keyed",
    )
    by_spec = sheaf.Reader(spec={"data": {**Y, **options}}, order="keyed", sweeps=1)
    assert by_spec.streams == alone.streams
    assert by_spec.state_dict() == alone.state_dict()
    with_others = sheaf.open(spec=joined(X, {**Y, **options}))
    assert list(with_others.streams) == ["x", "twice"]
    assert with_others.sequence("row-4").twice.values.tolist() == [[4.0], [4.0]]
    assert with_others.streams["twice"].dtype == "float64"


def test_lengths_are_compared():
    assert len(check_rows(sheaf.Reader(spec=joined(X, Y, lengths="equal")))) == COUNT
    write("y.parquet", "name", "y", lambda n: [n] * 2)
    with pytest.raises(sheaf.DataError, match=r"2 samples of sequence row-0, .* \[join-length\]"):
        list(sheaf.Reader(spec=joined(X, Y, lengths="equal")))


def test_missing_sequences_are_absent():
    few = member("z-1.parquet", "id")
    spec = joined(X, few, missing_sequences="absent")
    with sheaf.open(spec=spec) as data:
        assert len(data) == COUNT
        assert data.sequence("row-2").z.samples(0) is None
        assert bytes(data.sequence("row-3").z.samples(0)[0]) == b"text 3"
    assert len(check_rows(sheaf.Reader(spec=joined(few, X)))) == COUNT // 2


def test_a_spec_in_a_file_has_relative_paths(tmp_path, monkeypatch):
    spec = {**joined(X, {**Z, "index_dir": "indexes"}), "read": {"minibatch_size": 100}}
    (tmp_path / "train.json").write_text(json.dumps(spec))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(check_rows(sheaf.Reader(spec="../train.json"))) == COUNT
    report = sheaf.index(spec="../train.json")
    folders = [(tmp_path / "elsewhere" / path).resolve().parent for path in report.files]
    assert folders == [tmp_path, tmp_path / "indexes"]
    report = sheaf.index(spec="../train.json", index_dir="own")
    assert [path.startswith("own") for path in report.files] == [True, True]


def test_workers_share_a_join_and_a_run_goes_on():
    spec = joined(Y, X)
    keys = [check_rows(sheaf.Reader(spec=spec, rank=r, world_size=2, **READ)) for r in range(2)]
    assert sorted(itertools.chain(*keys)) == sorted(map(name_of, range(COUNT)))
    first = sheaf.Reader(spec=spec, **READ)
    begun = check_rows(itertools.islice(first, 3))
    second = sheaf.Reader(spec=spec, **READ)
    second.load_state_dict(first.state_dict())
    assert begun + check_rows(second) == check_rows(sheaf.Reader(spec=spec, **READ))


class Labels(sheaf.Deserializer):
    streams = LABELS

    def chunks(self):
        return [sheaf.Chunk(keys=[name_of(n) for n in range(COUNT)])]

    def read(self, chunk):
        return {"l": np.arange(COUNT, dtype=np.float32)[:, None]}


def test_objects_transforms_and_parts_stay():
    spec = joined({"object": "parquet:0"}, X, Y, transforms=["rename:x:as=first"], part="0/1")
    reader = sheaf.Reader(spec=spec, objects={"parquet:0": Labels()}, batch_size=COUNT)
    (minibatch,) = reader
    assert minibatch.l.values.ravel().tolist() == list(range(COUNT))
    assert values_of(minibatch, 4, "first") == [[4.0], [4.0]]
    assert values_of(minibatch, 4, "y") == [[4], [4]]
    half = sheaf.Reader(spec={"data": {**X, "part": "1/2"}}, batch_size=9)
    assert check_rows(half) == [name_of(n) for n in range(32, COUNT)]


def test_parquet_is_a_member_of_mixtures_and_concatenations():
    for member_of_two in ("z-*.parquet", ("z-0.parquet", "z-1.parquet")):
        data = sheaf.mix(
            [("z-0.parquet", 1), (member_of_two, 2)],
            exhausted="drop",
            format_options={"arrow.key": "id"},
        )
        assert len(check_rows(sheaf.Reader(data, batch_size=9))) == COUNT + COUNT // 2
    both = {"data": {"concatenate": [member("z-0.parquet", "id"), member("z-1.parquet", "id")]}}
    keys = check_rows(sheaf.Reader(spec=both, batch_size=9))
    assert keys == [name_of(n) for n in (*range(0, COUNT, 2), *range(1, COUNT, 2))]


def test_a_member_of_a_mixture_has_its_own_key_column():
    with open("texts.ctf", "w") as file:
        file.writelines(f"text-{n} |x {n}\n" for n in range(COUNT))
    texts = {"files": "texts.ctf", "keys": "text"}
    with pytest.raises(sheaf.ConfigError, match=r'ctf has no option "arrow\.key"'):
        mixed = {"x.parquet": 1, "texts.ctf": 1}
        options = {"arrow.key": "id"}
        sheaf.Reader(sheaf.mix(mixed, exhausted="drop", format_options=options))
    data = sheaf.mix([(X, 1), (texts, 1)], exhausted="drop")
    keys = [key for minibatch in sheaf.Reader(data, batch_size=9) for key in minibatch.key_texts]
    assert sorted(keys) == sorted(f"{kind}-{n}" for kind in ("row", "text") for n in range(COUNT))


def test_a_format_tells_what_no_extension_does(tmp_path):
    (tmp_path / "x.parquet").rename("x.rows")
    data = {**X, "files": ["x.rows"], "format": "parquet"}
    assert len(check_rows(sheaf.Reader(spec=joined(Y, data)))) == COUNT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"same_keys": "number"}, r"data\.join\[1\]\.same_keys: a table has no such option"),
        (
            {"streams": [{"name": "y"}, {"name": "s", "shape": [2, 3], "storage": "sparse"}]},
            r"data\.join\[1\]\.streams\[1\]: a sparse Stream has a dim, not a shape",
        ),
        ({"skip_sequence_ids": True}, r"data\.join\[1\]\.skip_sequence_ids: a table has no such"),
        ({"compatibility": "cntk"}, r"data\.join\[1\]\.compatibility: a table has no such"),
        (
            {"format_options": {"arrow.kee": "id"}},
            r'data\.join\[1\]\.format_options: tables have no option "arrow.kee"; there is',
        ),
        ({"streams": [{"name": "x"}] * 2}, r'data\.join\[1\]\.streams names "x" twice'),
        ({"format_options": {"arrow.key": "id2"}}, 'has no column "id2"'),
        ({"files": "nowhere.parquet"}, "nowhere.parquet: no such file"),
        (
            {"files": ["y.parquet", "l.ctf"]},
            r"data\.join\[1\]\.files: Parquet files and others are two members: concatenate them",
        ),
    ],
)
def test_wrong_members_are_refused(options, message):
    with pytest.raises((sheaf.ConfigError, sheaf.IoError), match=message):
        sheaf.Reader(spec=joined(Y, {**X, **options}))
