"""sheaf.ray: data sets, shards, conversions and checks by tasks, also where a worker dies."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from functools import partial

import pytest

import sheaf
from conftest import ROOT

pytest.importorskip("ray.data", exc_type=ImportError, reason="sheaf.ray needs Ray Data")
pyarrow = pytest.importorskip("pyarrow", reason="sheaf.ray needs pyarrow")

import ray  # noqa: E402

import sheaf.ray  # noqa: E402

SMALL_CHUNKS = {"chunk_size": "20KiB"}
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
CHUNKS = 13  # of the digits
COUNTS = [1, 3, 17]


@pytest.fixture(scope="module")
def kills(tmp_path_factory) -> pathlib.Path:
    """A folder of files. A worker that finds the file of its function there dies, once."""
    return tmp_path_factory.mktemp("kills")


@pytest.fixture(scope="module")
def cluster(kills):
    """A cluster of two processors, whose workers die when a test asks for it."""

    def prepare_worker(folder=str(kills)):
        import os
        import signal
        import threading

        import sheaf.ray.checking
        import sheaf.ray.conversion
        import sheaf.ray.reading
        import sheaf.ray.writing

        def is_asked(name):
            try:
                os.unlink(os.path.join(folder, name))
            except FileNotFoundError:
                return False
            return True

        def die():
            os.kill(os.getpid(), signal.SIGKILL)

        def dies_after(module, name):
            function = getattr(module, name)

            def call(*arguments):
                asked = is_asked(name)
                result = function(*arguments)
                if asked:
                    die()
                return result

            setattr(module, name, call)

        def die_with_a_file(parts):
            while not os.listdir(parts):
                pass
            die()

        def convert_part(said, file, *part, real=sheaf.ray.conversion.convert_part):
            if is_asked("convert_part"):
                arguments = (os.path.dirname(file),)
                threading.Thread(target=die_with_a_file, args=arguments, daemon=True).start()
                real(said, file, *part)
                die()
            return real(said, file, *part)

        def read_part(said, number, count, real=sheaf.ray.reading.read_part):
            blocks = 0
            for table in real(said, number, count):
                for begin in range(0, table.num_rows, 100):
                    if blocks == 3 and is_asked("read_part"):
                        die()
                    yield table.slice(begin, 100)
                    blocks += 1

        dies_after(sheaf.ray.checking, "check_part")
        dies_after(sheaf.ray.conversion, "merge_parts")
        dies_after(sheaf.ray.writing, "sha256_of")
        sheaf.ray.conversion.convert_part = convert_part
        sheaf.ray.reading.read_part = read_part

    os.environ.update(ENVIRONMENT)
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"worker_process_setup_hook": prepare_worker},
    )
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    yield
    ray.shutdown()
    for name in ENVIRONMENT:
        del os.environ[name]


@pytest.fixture
def kill(kills):
    """Lets a worker die in a function; checks at the end that one died."""
    asked = []

    def ask(name):
        (kills / name).touch()
        asked.append(name)

    yield ask
    assert asked
    assert not list(kills.iterdir())


@pytest.fixture
def train(digits) -> pathlib.Path:
    return digits / "train.ctf"


def whole_table(path, **options):
    return pyarrow.table(sheaf.to_arrow(path, **options))


def tables_of(dataset):
    return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs()))


def names_in(folder) -> list[str]:
    return sorted(os.listdir(folder))


# Reading.


@pytest.mark.parametrize("parts", [*COUNTS, 50])
def test_parts_in_order_equal_the_file(train, parts):
    source = sheaf.ray.SheafDatasource(train, parts=parts, **SMALL_CHUNKS)
    tasks = source.get_read_tasks(4)
    assert len(tasks) == parts
    blocks = [list(task()) for task in tasks]
    rows = [sum(table.num_rows for table in each) for each in blocks]
    assert rows == [task.metadata.num_rows for task in tasks]
    assert (0 in rows) == (parts > CHUNKS)
    expected = whole_table(train, **SMALL_CHUNKS)
    found = pyarrow.concat_tables(table for each in blocks for table in each)
    assert found.equals(expected)
    for task, tables in zip(tasks, blocks, strict=True):
        for table in tables:
            assert table.schema.equals(expected.schema, check_metadata=True)
            assert table.schema.equals(task.schema, check_metadata=True)
    sizes = [task.metadata.size_bytes for task in tasks]
    assert sum(sizes) == source.estimate_inmemory_data_size()
    assert abs(sum(sizes) - train.stat().st_size) < 100


def test_by_default_there_are_no_more_parts_than_chunks(train):
    source = sheaf.ray.SheafDatasource(train, **SMALL_CHUNKS)
    assert len(source.get_read_tasks(4)) == 4
    assert len(source.get_read_tasks(500)) == CHUNKS


@pytest.mark.parametrize("limit", [1, 5, 200])
def test_a_task_reads_no_more_rows_than_its_limit(train, limit):
    source = sheaf.ray.SheafDatasource(train, parts=CHUNKS, **SMALL_CHUNKS)
    for whole, task in zip(source.get_read_tasks(4), source.get_read_tasks(4, limit), strict=True):
        expected = min(limit, whole.metadata.num_rows)
        assert sum(table.num_rows for table in task()) == expected == task.metadata.num_rows
        assert task.per_task_row_limit == limit


def test_a_data_set_has_the_rows_in_the_order_of_the_file(train, cluster):
    dataset = sheaf.ray.read(train, parts=3, **SMALL_CHUNKS)
    expected = whole_table(train)
    assert dataset.count() == 1438
    assert tables_of(dataset).to_pylist() == expected.to_pylist()
    keys = expected["sequence_key"].to_pylist()
    assert [row["sequence_key"] for row in dataset.limit(700).take_all()] == keys[:700]


def test_a_part_of_a_lost_worker_comes_once(train, cluster, kill):
    context = ray.data.DataContext.get_current()
    size_bytes = context.target_max_block_size
    context.target_max_block_size = 30_000  # so that blocks are out before the worker dies
    try:
        kill("read_part")
        dataset = sheaf.ray.read(train, parts=2, **SMALL_CHUNKS).materialize()
    finally:
        context.target_max_block_size = size_bytes
    assert dataset.num_blocks() > 4
    assert tables_of(dataset).to_pylist() == whole_table(train).to_pylist()


def test_rows_are_counted_by_reading_where_bad_sequences_are_left_out(write_ctf, cluster):
    path = write_ctf("1 |x 1\n2 |x a\n3 |x 3\n")
    dataset = sheaf.ray.read(path, ["x:dense:1"], max_errors=1)
    assert dataset.count() == 2
    assert [row["sequence_key"] for row in dataset.take_all()] == [1, 3]
    (task,) = sheaf.ray.SheafDatasource(path, ["x:dense:1"], parts=1).get_read_tasks(1)
    with pytest.raises(sheaf.DataError, match=r'data.ctf:2:6: error: stream "x": expected'):
        list(task())


# Writing.


def test_shards_are_listed(train, cluster, tmp_path):
    dataset = sheaf.ray.read(train, parts=4, **SMALL_CHUNKS)
    written = sheaf.ray.write(dataset, tmp_path / "out", to_format="cbf", shard_sequences=600)
    names = names_in(tmp_path / "out")
    shards, manifest = names[:-1], names[-1]
    count = len(shards)
    assert manifest == "shards.json"
    assert 2 <= count <= 3
    assert shards == [f"shard-{number:05d}-of-{count:05d}.cbf" for number in range(count)]
    listed = json.loads((tmp_path / "out" / manifest).read_text())
    assert (listed["format"], listed["sequences"], listed["samples"]) == ("cbf", 1438, 1438)
    assert listed["bytes"] == written.bytes == sum(each["bytes"] for each in listed["shards"])
    assert (written.sequences, written.samples) == (1438, 1438)
    for each, file in zip(listed["shards"], written.files, strict=True):
        path = tmp_path / "out" / each["name"]
        assert file == sheaf.WrittenFile(
            str(path), each["bytes"], each["sequences"], each["samples"]
        )
        assert hashlib.sha256(path.read_bytes()).hexdigest() == each["sha256"]
        assert len(sheaf.open(path)) == each["sequences"]
    assert {warning.path for warning in written.warnings} <= {each.path for each in written.files}
    assert not any(".shards-" in warning.text for warning in written.warnings)
    found = whole_table(tmp_path / "out" / "shard-*.cbf", same_keys="number")
    assert found["features"].equals(whole_table(train)["features"])


def test_a_shard_of_a_lost_worker_has_the_same_bytes(train, cluster, kill, tmp_path):
    dataset = sheaf.ray.read(train, parts=2, **SMALL_CHUNKS).materialize()
    sheaf.ray.write(dataset, tmp_path / "whole", to_format="ctf")
    kill("sha256_of")
    sheaf.ray.write(dataset, tmp_path / "killed", to_format="ctf")
    names = names_in(tmp_path / "whole")
    assert names_in(tmp_path / "killed") == names
    for name in names:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_an_earlier_write_is_replaced_only_by_option(train, cluster, tmp_path):
    dataset = sheaf.ray.read(train, parts=1)
    sheaf.ray.write(dataset, tmp_path, to_format="ctf")
    (tmp_path / "other.txt").touch()
    before = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}
    with pytest.raises(sheaf.ConfigError, match=r"has shards\.json already; overwrite=True"):
        sheaf.ray.write(dataset, tmp_path, to_format="cbf")
    (tmp_path / "shards.json").unlink()
    with pytest.raises(sheaf.ConfigError, match=r"has shard-00000-of-.* already"):
        sheaf.ray.write(dataset, tmp_path, to_format="cbf")
    (tmp_path / "shards.json").write_bytes(before["shards.json"])
    empty = dataset.filter(lambda row: False)
    with pytest.raises(sheaf.DataError, match="there is no sequence to write"):
        sheaf.ray.write(empty, tmp_path, to_format="cbf", overwrite=True)
    assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == before
    sheaf.ray.write(dataset, tmp_path, to_format="cbf", overwrite=True)
    extensions = {name.rpartition(".")[2] for name in names_in(tmp_path)}
    assert extensions == {"cbf", "json", "txt"}


def test_an_error_at_the_end_of_a_write_restores_earlier_shards(
    train, cluster, tmp_path, monkeypatch
):
    dataset = sheaf.ray.read(train, parts=1)
    sheaf.ray.write(dataset, tmp_path, to_format="ctf")
    before = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}

    def refuse(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(sheaf.ray.writing, "write_manifest", refuse)
    with pytest.raises(OSError, match="the disk is full"):
        sheaf.ray.write(dataset, tmp_path, to_format="ctf", overwrite=True)
    assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == before


def test_a_failed_write_leaves_no_file(train, cluster, tmp_path):
    dataset = sheaf.ray.read(train, parts=2, **SMALL_CHUNKS)
    folder = tmp_path / "out"
    with pytest.raises(sheaf.ConfigError, match="htk holds one stream"):
        sheaf.ray.write(dataset, folder, to_format="htk")
    assert names_in(folder) == []
    one = dataset.drop_columns(["labels"])
    with pytest.raises(sheaf.ConfigError, match='"htk" has several files'):
        sheaf.ray.write(one, folder, to_format="htk")
    assert names_in(folder) == []
    with pytest.raises(sheaf.ConfigError, match=r"to_format: expected one of ctf, .*: got 'wav'"):
        sheaf.ray.write(dataset, folder, to_format="wav")


# Conversion.


@pytest.mark.parametrize("extension", ["ctf", "cbf", "sheaf"])
@pytest.mark.parametrize("parts", COUNTS)
def test_a_conversion_matches_one_process(train, cluster, tmp_path, extension, parts):
    expected = sheaf.convert(train, tmp_path / f"one.{extension}", **SMALL_CHUNKS)
    target = tmp_path / f"all.{extension}"
    found = sheaf.ray.convert(train, target, parts=parts, **SMALL_CHUNKS)
    assert target.read_bytes() == (tmp_path / f"one.{extension}").read_bytes()
    sizes = (expected.sequences, expected.samples, expected.bytes)
    assert (found.sequences, found.samples, found.bytes) == sizes
    assert found.path == str(target)
    assert names_in(tmp_path) == sorted([f"one.{extension}", f"all.{extension}"])


def test_options_of_the_output_match_convert(train, cluster, tmp_path):
    options = {
        "written": {"features": "F"},
        "to_format": "ctf",
        "to_chunk_size_bytes": 5000,
        "select_keys": range(0, 1000, 3),
        "dtype": "float64",
        **SMALL_CHUNKS,
    }
    sheaf.convert(train, tmp_path / "one.text", **options)
    sheaf.ray.convert(train, tmp_path / "all.text", parts=3, **options)
    assert (tmp_path / "all.text").read_bytes() == (tmp_path / "one.text").read_bytes()


@pytest.mark.parametrize("function", ["convert_part", "merge_parts"])
def test_a_conversion_survives_a_lost_worker(train, cluster, kill, tmp_path, function):
    large = tmp_path / "large.ctf"
    large.write_bytes(b"".join(line[line.index(b" "):] for line in
                               train.read_bytes().splitlines(keepends=True)) * 20)  # fmt: skip
    options = {"skip_sequence_ids": True, "chunk_size": "200KiB"}
    sheaf.convert(large, tmp_path / "one.cbf", **options)
    kill(function)
    sheaf.ray.convert(large, tmp_path / "all.cbf", parts=4, **options)
    assert (tmp_path / "all.cbf").read_bytes() == (tmp_path / "one.cbf").read_bytes()
    assert names_in(tmp_path) == ["all.cbf", "large.ctf", "one.cbf"]


def test_a_failed_conversion_leaves_no_file(write_ctf, cluster, tmp_path):
    path = write_ctf("".join(f"{key} |x {key if key != 900 else 'a'}\n" for key in range(1000)))
    options = {"streams": ["x:dense:1"], "chunk_size": 1000}
    target = tmp_path / "all.cbf"
    target.write_text("earlier")
    with pytest.raises(sheaf.ConfigError, match="exists already"):
        sheaf.ray.convert(path, target, parts=5, **options)
    with pytest.raises(sheaf.DataError, match=r"data.ctf:901:8: .* expected a number") as raised:
        sheaf.ray.convert(path, target, parts=5, overwrite=True, **options)
    assert type(raised.value) is sheaf.DataError
    assert raised.value.diagnostics[-1].line == 901
    assert target.read_text() == "earlier"
    assert names_in(tmp_path) == ["all.cbf", "data.ctf"]


@pytest.mark.parametrize("parts", COUNTS)
def test_errors_match_one_process(write_ctf, cluster, tmp_path, parts):
    path = write_ctf("".join(f"{key} |x {key if key % 99 else 'a'}\n" for key in range(1000)))
    options = {"streams": ["x:dense:1"], "chunk_size": 1000}
    expected = sheaf.convert(path, tmp_path / "one.cbf", max_errors=11, **options)
    found = sheaf.ray.convert(path, tmp_path / "all.cbf", parts=parts, max_errors=11, **options)
    assert (tmp_path / "all.cbf").read_bytes() == (tmp_path / "one.cbf").read_bytes()
    assert found.holes == found.error_count == expected.error_count == 11
    assert found.diagnostics == expected.diagnostics
    assert [each.code for each in found.warnings] == [each.code for each in expected.warnings]
    for convert in (sheaf.convert, partial(sheaf.ray.convert, parts=parts)):
        with pytest.raises(sheaf.DataError) as raised:
            convert(path, tmp_path / "too-many.cbf", max_errors=9, **options)
        assert str(raised.value).startswith(f"{path}:892:8: error: ")
        assert [each.line for each in raised.value.diagnostics] == [*range(1, 893, 99)]
    assert names_in(tmp_path) == ["all.cbf", "data.ctf", "one.cbf"]


def test_input_files_are_never_overwritten(train, cluster, tmp_path):
    path = tmp_path / "train.ctf"
    path.write_bytes(train.read_bytes())
    with pytest.raises(sheaf.ConfigError, match=r"train\.ctf"):
        sheaf.ray.convert(path, path, parts=2, overwrite=True)
    for name, value in (("shards", 3), ("split", {"train": 0.5, "test": 0.5})):
        with pytest.raises(sheaf.ConfigError, match=f"{name}: the tasks write one file"):
            sheaf.ray.convert(path, tmp_path / "all.cbf", **{name: value})
    assert names_in(tmp_path) == ["train.ctf"]
    assert path.read_bytes() == train.read_bytes()


def test_paths_may_be_relative_to_the_program(train, cluster, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.ctf").write_bytes(train.read_bytes())
    monkeypatch.chdir(tmp_path)
    sheaf.ray.convert("data/*.ctf", "all.cbf", parts=2, index_dir="data", **SMALL_CHUNKS)
    with open("data/spec.json", "w") as file:
        json.dump({"data": {"files": "a.ctf"}}, file)
    assert sheaf.ray.check(spec="data/spec.json", parts=2).sequences == 1438
    sheaf.ray.write(sheaf.ray.read("all.cbf"), "shards")
    assert sheaf.open("shards/shard-*.sheaf").sample_count == 1438


# Checks.


@pytest.mark.parametrize("parts", COUNTS)
def test_a_check_matches_one_process(write_ctf, cluster, parts):
    path = write_ctf(
        "".join(f"{key} |x {key if key % 50 else 'a'} |y 1\n" * (1 + key % 3) for key in range(999))
    )
    options = {"streams": ["x:dense:1", "y:dense:1"], "chunk_size": 1000, "limit": 7}
    report = sheaf.ray.check(path, parts=parts, **options)
    assert report == sheaf.check(path, **options)
    assert report.error_count > 20
    assert len(report.errors) == 7


def test_a_check_survives_a_lost_worker(train, cluster, kill):
    kill("check_part")
    assert sheaf.ray.check(train, parts=3, **SMALL_CHUNKS) == sheaf.check(train, **SMALL_CHUNKS)


# Options that tasks cannot have.


@pytest.mark.parametrize("title", ["Ray", "Ray Data", "Ray Train"])
def test_the_programs_of_the_page_run(title, train, tmp_path):
    if title == "Ray Train":
        pytest.importorskip("torch", reason="the program trains with torch")
    page = (ROOT / "docs" / "how-to" / "many-machines.md").read_text()
    program = re.search(rf"^##+ {title}\n.*?```python\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert program is not None
    (tmp_path / "train.ctf").write_bytes(train.read_bytes())
    (tmp_path / "program.py").write_text(program[1])
    run = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr


class Numbers(sheaf.Deserializer):
    def chunks(self):
        return []

    def read(self, chunk):
        return []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": Numbers()}, "source: the Numbers is in this program"),
        ({"path": pyarrow.table({"x": [1.0]})}, "source: the Table is in this program"),
        ({"path": "a.ctf", "join": [Numbers()]}, "join: the Numbers is in"),
        ({"path": sheaf.mix({"a.ctf": 1}, exhausted="stop")}, "source: a mixture has no parts"),
        ({"path": "a.ctf", "part": (1, 2)}, "part: the tasks take the parts"),
        ({"spec": {}, "objects": {"a": 1}}, "objects are in this program"),
        (
            {"path": "a.ctf", "transforms": [sheaf.map(lambda x: x, ["x"])]},
            "transforms: a function of this program",
        ),
        (
            {"path": "a.ctf", "format_options": {"a": lambda: 0}},
            "format_options: a task gets",
        ),
    ],
)
def test_options_of_the_program_are_refused_for_tasks(options, message):
    from sheaf.ray.options import task_options

    with pytest.raises(sheaf.ConfigError, match=message):
        task_options(options)


def test_open_data_and_impossible_numbers_are_refused(train, tmp_path):
    with sheaf.open(train) as data, pytest.raises(TypeError, match="source"):
        sheaf.ray.check(data)
    with pytest.raises(sheaf.ConfigError, match="parts is at least 1: got 0"):
        sheaf.ray.read(train, parts=0)
    with pytest.raises(sheaf.ConfigError, match="shard_sequences is at least 1: got 0"):
        sheaf.ray.SheafDatasink(tmp_path, shard_sequences=0)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'chunks'"):
        sheaf.ray.read(train, chunks=3)
