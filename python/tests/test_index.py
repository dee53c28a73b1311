"""sheaf.index does the same as the command."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys

import pytest

import sheaf


def printed(*arguments) -> dict:
    command = [sys.executable, "-m", "sheaf", "index", "--json", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def numbers(report: sheaf.IndexReport) -> dict:
    return {
        **{name: getattr(report, name) for name in ("chunks", "sequences", "samples")},
        "data_bytes": report.data_bytes,
        "index_path": next(iter(report.files)) if len(report.files) == 1 else None,
        "index_files": len(report.files),
        "index_bytes": sum(report.files.values()) if report.files else None,
    }


def test_the_report_and_the_file_match_the_command(digits, tmp_path):
    path = tmp_path / "train.ctf"
    path.write_bytes((digits / "train.ctf").read_bytes())
    with pytest.raises(sheaf.ConfigError, match="index: required"):
        sheaf.index(path, index="require")
    report = sheaf.index(path, chunk_size=20_000)
    assert report.files == {f"{path}.sheaf-index": os.path.getsize(f"{path}.sheaf-index")}
    assert report.why_unused == ""
    assert f"sequences={report.sequences}" in repr(report)
    written = (tmp_path / "train.ctf.sheaf-index").read_bytes()
    expected = printed(path, "--chunk-size", "20000")
    assert (tmp_path / "train.ctf.sheaf-index").read_bytes() == written
    for name in ("path", "seconds"):
        expected.pop(name)
    assert numbers(report) == expected
    assert sheaf.open(path, chunk_size=20_000, index="require").sample_count == report.samples
    again = sheaf.index(path, chunk_size=20_000, index="require")
    assert dataclasses.replace(again, seconds=0) == dataclasses.replace(report, seconds=0)


def test_each_file_gets_an_index_file_in_a_new_folder(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.ctf").write_text(f"{ord(name)} |x 1\n")
    report = sheaf.index(tmp_path / "*.ctf", index_dir=tmp_path / "made" / "here")
    assert sorted(os.path.basename(path)[:5] for path in report.files) == ["a.ctf", "b.ctf"]
    assert sorted(map(str, (tmp_path / "made" / "here").iterdir())) == sorted(report.files)
    sheaf.convert(tmp_path / "a.ctf", tmp_path / "a.cbf")
    report = sheaf.index(tmp_path / "a.cbf")
    assert (report.files, report.why_unused, report.sequences) == ({}, "", 1)


def test_wrong_arguments_are_refused(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n")
    with pytest.raises(sheaf.ConfigError, match='"off" makes no index file'):
        sheaf.index(path, index="off")
    with pytest.raises(sheaf.IoError, match=r"index_dir .*: cannot be made"):
        sheaf.index(path, index_dir=path)
    (tmp_path / "data.ctf.sheaf-index").mkdir()
    with pytest.raises(sheaf.IoError, match="an index file that can be written"):
        sheaf.index(path)
    with pytest.raises(sheaf.DataError):
        sheaf.index(write_ctf("nonsense\n"), ["x:dense:1"])
    with pytest.raises(TypeError, match="path: expected a path or several, and no open data"):
        sheaf.index(sheaf.open(write_ctf("0 |x 1\n")))
    with pytest.raises(TypeError, match="nonsense"):
        sheaf.index(path, nonsense=1)
