"""Parts of data, and the files and reports that all parts make together."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import sheaf

SMALL = {"chunk_size": 2000}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = []
    for key in range(600):
        rows += [f"{key} |x {key}.5 {key % 7} |y {key % 10}:1\n"] * (1 + key % 3)
        if key % 97 == 96:
            rows.append(f"{key} |x 1.2.3 4\n")
    path = tmp_path / "in.ctf"
    path.write_text("".join(rows))
    return path


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("name", ["a.cbf", "a.sheaf", "a.ctf", "a"])
def test_merged_parts_equal_one_conversion(data, tmp_path, name, count):
    loose = {**SMALL, "max_errors": "any"}
    whole, merged = tmp_path / f"whole-{name}", tmp_path / f"merged-{name}"
    sheaf.convert(data, whole, **loose)
    parts = [tmp_path / f"{i}-{name}" for i in range(count)]
    holes = [
        sheaf.convert(data, part, part=(i, count), **loose).holes for i, part in enumerate(parts)
    ]
    assert sum(holes) == 6
    found = sheaf.merge(merged, parts, num_threads=2)
    assert merged.read_bytes() == whole.read_bytes()
    assert found.sequences == 594
    with pytest.raises(sheaf.ConfigError, match="overwrite"):
        sheaf.merge(merged, parts)
    sheaf.merge(merged, reversed(parts), overwrite=True, memory_limit="256MiB")
    assert merged.read_bytes() == whole.read_bytes()


def test_an_open_part_is_converted_to_its_own_file(data, tmp_path):
    keys = []
    for i in range(3):
        path = tmp_path / f"{i}.cbf"
        part = sheaf.open(data, part=(i, 3), max_errors="any", **SMALL)
        sheaf.convert(part, path)
        keys += [int(each["x"].values.ravel()[0]) for each in sheaf.Reader(path, batch_size=1)]
    assert len(keys) == 594
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("count", [1, 4, 50])
def test_merged_reports_equal_one_report(data, count):
    checks = [sheaf.check(data, part=f"{i}/{count}", **SMALL) for i in range(count)]
    whole = sheaf.check(data, **SMALL)
    assert not whole and whole.error_count == 6
    assert sheaf.merge_reports(pickle.loads(pickle.dumps(checks))) == whole
    stats = [sheaf.stat(data, part=(i, count), **SMALL) for i in range(count)]
    assert sheaf.merge_reports(json.loads(json.dumps(stats[::-1]))) == sheaf.stat(data, **SMALL)


def test_a_reader_reads_a_part(data):
    def keys_of(reader):
        return [key for minibatch in reader for key in minibatch.sequence_keys]

    def keys(**options):
        reader = sheaf.Reader(data, batch_size=7, max_errors="any", **SMALL, **options)
        return keys_of(reader)

    parts = [keys(part=(i, 5)) for i in range(5)]
    assert [key for part in parts for key in part] == keys()
    assert all(parts)
    spec = {"data": {"files": str(data), "chunk_size": 2000, "part": "4/5"}}
    spec["read"] = {"max_errors": 10, "minibatch_size": 7, "unit": "sequences"}
    assert keys_of(sheaf.Reader(spec=spec)) == parts[4]
    spec["data"].pop("part")
    assert [
        key for each in sheaf.Reader(spec=spec, part=(0, 5)) for key in each.sequence_keys
    ] == parts[0]


def test_each_file_is_indexed_by_one_part(tmp_path):
    for i in range(5):
        text = "".join(f"{1000 * i + key} |x {key}\n" for key in range(10 + 90 * i))
        (tmp_path / f"train-{i}.ctf").write_text(text)
    pattern = str(tmp_path / "train-*.ctf")
    streams = {"x": sheaf.Stream(dim=1)}
    done: list[str] = []
    for i in range(3):
        done += sheaf.index(pattern, streams, part=(i, 3)).files
    assert sorted(done) == sorted(map(str, tmp_path.glob("*.sheaf-index")))
    assert len(done) == 5
    assert sheaf.index(pattern, streams, index="require").sequences == 950


def test_wrong_parts_are_refused(data, tmp_path):
    for part, error, message in (
        ((3, 3), sheaf.ConfigError, "part 3/3: the number of a part is from 0 to 2"),
        ("1-2", sheaf.ConfigError, "part: expected a number and how many parts there are"),
        (3, TypeError, "part: expected a number and how many parts there are"),
        ((1, 2, 3), TypeError, "part: expected"),
        (("a", 2), TypeError, "part: expected a whole number"),
    ):
        with pytest.raises(error, match=message):
            sheaf.Reader(data, part=part)
    a, b = tmp_path / "a.cbf", tmp_path / "b.cbf"
    sheaf.convert(data, a, part=(0, 2), max_errors="any")
    with pytest.raises(sheaf.ConfigError, match="part 1/2 is missing"):
        sheaf.merge(b, [a])
    with pytest.raises(TypeError, match="parts: expected a list of paths"):
        sheaf.merge(b, a)
    with pytest.raises(sheaf.ConfigError, match="no report"):
        sheaf.merge_reports([])
    with pytest.raises(sheaf.ConfigError, match="report 0: is no report of a part"):
        sheaf.merge_reports([sheaf.check(data)])
    with pytest.raises(sheaf.ConfigError, match="both divide"):
        sheaf.convert(data, b, part=(0, 2), shards=2)
    mixture = sheaf.mix({data: 1, a: 1}, exhausted="stop")
    with pytest.raises(sheaf.ConfigError):
        sheaf.Reader(mixture, part=(0, 2))
