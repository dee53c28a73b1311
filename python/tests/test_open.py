"""Looking into data: sheaf.open, sheaf.infer, sheaf.check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import sheaf
from conftest import JAGGED
from sheaf._options.streams import stream_table

STREAMS = ["x:dense:2", "s:sparse:4"]


def test_open_data_have_counts_files_streams_and_chunks(write_ctf):
    path = write_ctf(JAGGED)
    with sheaf.open(path) as data:
        assert (len(data), data.sample_count, data.format) == (3, 6, "ctf")
        assert data.files == [str(path)]
        assert data.streams == {
            "x": sheaf.Stream(dim=2, dtype="float32"),
            "s": sheaf.Stream(dim=4, sparse=True, dtype="float32"),
        }
        (chunk,) = data.chunks
        assert (chunk.sequences, chunk.samples, chunk.first_line) == (3, 6, 1)
        assert chunk.offset_bytes + chunk.size_bytes == os.path.getsize(path)
        assert data.keys.dtype == np.uint64
        assert data.keys.tolist() == [7, 8, 9]
        assert data.warnings == []
        assert repr(data).startswith(f"<sheaf.Data of {str(path)!r}, ctf\n  x: dense float32 [2]")
    assert repr(data) == "<sheaf.Data, closed>"
    with pytest.raises(sheaf.ConfigError, match="the Data are closed"):
        len(data)


def test_sequences_come_in_the_order_of_the_file(write_ctf):
    data = sheaf.open(write_ctf(JAGGED), STREAMS)
    sequences = list(data)
    assert [each.sequence_keys.tolist() for each in sequences] == [[7], [8], [9]]
    assert sequences[2].x.values.tolist() == [[7, 8], [9, 10], [11, 12]]
    assert sequences[0].s.indices.tolist() == [1, 3]
    assert [len(each.x.values) for each in data] == [2, 1, 3]  # and again


def test_sequences_by_key_and_by_number(write_ctf):
    data = sheaf.open(write_ctf(JAGGED), STREAMS)
    assert data.sequence(8).x.values.tolist() == [[5, np.float32(0.6)]]
    assert data.sequence_at(2).sequence_keys.tolist() == [9]
    assert 8 in data and np.uint64(9) in data.keys
    assert all(key not in data for key in (1, 2**70, -1, 8.0, None))
    with pytest.raises(KeyError):
        data.sequence(1)
    with pytest.raises(IndexError):
        data.sequence_at(3)


def test_keys_may_be_texts(write_ctf):
    data = sheaf.open(write_ctf("b |x 1\na |x 2\n"), keys="text")
    assert data.keys == ["b", "a"]
    assert data.sequence("a").x.values.tolist() == [[2]]
    assert "b" in data and "c" not in data


def test_wrong_sequences_are_errors_or_left_out(write_ctf):
    path = write_ctf("0 |x 1\n1 |x z\n2 |x 3\n")
    with pytest.raises(sheaf.DataError, match=r"data\.ctf:2:6"):
        list(sheaf.open(path, ["x:dense:1"]))
    data = sheaf.open(path, ["x:dense:1"], max_errors=1)
    assert [each.sequence_keys[0] for each in data] == [0, 2]
    assert 1 in data


def test_configurations_and_joined_files_are_opened(tmp_path):
    (tmp_path / "x.ctf").write_text("1 |x 1\n2 |x 2\n")
    (tmp_path / "y.ctf").write_text("2 |y 4\n1 |y 3\n")
    data = sheaf.open(tmp_path / "x.ctf", join=tmp_path / "y.ctf")
    assert [each.y.values[0, 0] for each in data] == [3, 4]
    (tmp_path / "c.cntk").write_text(
        "reader = [ readerType = CNTKTextFormatReader ; randomize = true\n"
        f"  file = {tmp_path}/x.ctf\n"
        "  input = [ x = [ dim = 1 ; format = dense ] ] ]"
    )
    configured = sheaf.open(config=tmp_path / "c.cntk")
    assert [each.x.values[0, 0] for each in configured] == [1, 2]
    assert sheaf.check(config=tmp_path / "c.cntk").sequences == 2
    with pytest.raises(sheaf.ConfigError, match="needs a path"):
        sheaf.check()


def test_unknown_keywords_are_refused(write_ctf):
    path = write_ctf("0 |x 1\n")
    with pytest.raises(TypeError, match="unexpected keyword argument 'batch_size'"):
        sheaf.open(path, batch_size=3)
    with pytest.raises(sheaf.ConfigError, match="needs a path"):
        sheaf.open()
    with pytest.raises(sheaf.ConfigError, match="keys: the source is open already"):
        sheaf.check(sheaf.open(path), keys="text")


def test_found_streams_print_as_options_of_the_command(write_ctf):
    path = write_ctf("0 |a:b 1 2 |s 5:1\n0 |s 7:2\n")
    found = sheaf.infer(path)
    assert str(found) == r"--stream 'a\:b:dense:2' --stream s:sparse:8"
    command = [sys.executable, "-m", "sheaf", "head", path]
    stderr = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert f"streams found: {found}\n" in stderr
    reader = sheaf.Reader(path, found)
    assert reader.streams == found
    assert list(sheaf.infer(path, ["s:sparse"])) == ["s"]
    words = ["x:dense:2x3:alias=y:mb", "z:sparse:4:index=i64", "w:dense:?"]
    assert [stream.word(name) for name, stream in stream_table(words).items()] == words


WRONG = "0 |x 1 2 |y 1\n1 |x 3 z\n2 |x 5\n3 |x 1 2\n"


def test_a_check_finds_all_errors_and_warnings(write_ctf):
    path = write_ctf(WRONG + "".join(f"{i} |x 0 {i}\n" for i in range(4, 40)))
    report = sheaf.check(path, ["x:dense:2"])
    assert not report and not report.ok
    assert (report.sequences, report.samples, report.holes) == (38, 38, 2)
    assert (report.error_count, report.warning_count) == (2, 1)
    assert [(each.line, each.column, each.severity) for each in report.diagnostics] == [
        (2, 8, "error"),
        (3, 3, "error"),
        (1, 10, "warning"),
    ]
    assert (report.errors[0].stream, report.errors[0].found) == ("x", '"z"')
    assert report.warnings[0].hint == "it is passed over, here and in all rows"
    assert sheaf.check(path, ["x:dense:2"], limit=1).errors == report.errors[:1]
    assert str(report).endswith("left out 2, wrong places 2, warnings 1")
    assert sheaf.check(write_ctf(JAGGED)).ok


def test_a_check_matches_the_command(tmp_path):
    path = tmp_path / "long.ctf"
    lines = (f"{i} |x {i} {'z' * (i % 5 == 0)}{i}\n" for i in range(200_000))
    path.write_text("".join(lines))
    command = [sys.executable, "-m", "sheaf", "check", path, "--stream", "x:dense:2", "--json"]
    expected = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    for threads in (1, 3):
        report = sheaf.check(path, ["x:dense:2"], num_threads=threads)
        assert (report.sequences, report.holes) == (expected["sequences"], expected["holes"])
        assert report.errors_by_code == {
            code: kind["count"] for code, kind in expected["by_code"].items()
        }
        assert report.error_count == 40_000
        assert [each.line for each in report.errors] == [
            each["line"] for each in expected["diagnostics"]
        ]


def test_a_check_reports_every_sample_whose_form_differs_from_the_first(write_ctf):
    path = write_ctf("0 |x 1 2\n1 |x 3\n2 |x 1 2\n3 |x 4 5 6\n")
    report = sheaf.check(path)
    assert (report.sequences, report.holes, report.error_count) == (2, 2, 2)
    assert [each.line for each in report.errors] == [2, 4]
    with pytest.raises(sheaf.DataError):
        sheaf.open(path)


def test_errors_of_opening_are_in_the_report(tmp_path):
    path = tmp_path / "broken.cbf"
    path.write_bytes(b"no CBF at all, whatever its name may say")
    report = sheaf.check(path)
    assert not report and report.sequences == 0
    assert report.error_count == len(report.errors) == 1
    with pytest.raises(sheaf.IoError, match=r"none\.ctf"):
        sheaf.check(tmp_path / "none.ctf")
    with pytest.raises(sheaf.ConfigError, match="limit is at least 0"):
        sheaf.check(path, limit=-1)


def test_other_threads_run_during_a_check(tmp_path):
    path = tmp_path / "data.ctf"
    path.write_text("".join(f"{i} |x {i}\n" for i in range(300_000)))
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    sheaf.check(path, ["x:dense:1"])
    done.set()
    counter.join()
    assert counted[0] > 100
