"""sheaf.report: the numbers, the verdict and the page."""

import json
from pathlib import Path

import pytest

import sheaf

STREAMS = {"x": sheaf.Stream(dim=2), "y": sheaf.Stream(dim=3, sparse=True)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "train.ctf"
    path.write_text("".join(f"{i} |x {i} 0.5 |y {i % 3}:1\n" for i in range(120)))
    return path


def test_the_report_matches_stat(data: Path) -> None:
    report = sheaf.report(data, STREAMS)
    stat = sheaf.stat(data, STREAMS)
    assert report.data["data"]["sequences"] == stat["sequences"] == 120
    assert report.data["data"]["samples"] == stat["samples"]
    assert report.verdict
    assert {finding.level for finding in report.verdict} <= {"error", "warning", "notice", "good"}
    assert str(report).count("\n") == len(report.verdict) - 1
    assert report.html.startswith("<!doctype html>")
    assert report._repr_html_().count("<iframe") == 1
    assert "<script" not in report._repr_html_()  # the page is text of an attribute


def test_open_data_and_threads_give_the_same_report(data: Path) -> None:
    first = sheaf.report(data, STREAMS)
    assert sheaf.report(sheaf.open(data, STREAMS)) == first
    assert sheaf.report(data, STREAMS, num_threads=1, memory_limit="64MiB") == first
    assert "train.ctf" in first.json


@pytest.mark.parametrize("chunk_size", [1 << 20, 64 << 20])
def test_the_forecast_has_the_default_window_of_a_table(tmp_path: Path, chunk_size: int) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"x": [0.5, 1.5] * 200}), tmp_path / "t.parquet", row_group_size=50)
    report = sheaf.report(tmp_path / "t.parquet", chunk_size=chunk_size)
    expected = (4 << 30) // chunk_size
    assert report.data["order"]["keyed"]["window_chunks"] == expected
    order = sheaf.order(tmp_path / "t.parquet", order="keyed", batch_size=4, chunk_size=chunk_size)
    assert order["window_chunks"] == expected


def test_other_data_are_compared_for_leaks_and_drift(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "valid.ctf"
    other.write_text("".join(f"{i} |x {i} 0.5 |y {i % 3}:1\n" for i in range(100, 140)))
    for against in (other, sheaf.open(other, STREAMS)):
        compared = sheaf.report(data, STREAMS, against=against).data["against"]
        assert compared["leaks"]["same"] == 20
        assert {drift["what"] for drift in compared["drift"]} >= {"length", "values of x"}
    with pytest.raises(sheaf.ConfigError, match="against is a path"):
        sheaf.report(sheaf.open(data, STREAMS), against=other)


def test_open_data_to_compare_with_are_not_opened_again(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "valid.ctf"
    other.write_text("".join(f"{i} |x {i} 0.5 |y {i % 3}:1\n" for i in range(100, 140)))
    expected = sheaf.report(data, STREAMS, against=other)
    against = sheaf.open(other, STREAMS)
    other.unlink()
    assert sheaf.report(data, STREAMS, against=against) == expected


def test_a_report_is_saved_and_replaced(data: Path, tmp_path: Path) -> None:
    report = sheaf.report(data, STREAMS)
    page = tmp_path / "report.html"
    twin = tmp_path / "report.json"
    for path in (page, twin):
        report.save(path)
        report.save(str(path))  # in place of the earlier report
    assert page.read_text(encoding="utf-8") == report.html
    assert json.loads(twin.read_text(encoding="utf-8")) == report.data
    text = data.read_text()
    with pytest.raises(sheaf.ConfigError, match="is no report"):
        report.save(data)
    assert data.read_text() == text
    report.save(data, overwrite=True)
    assert data.read_text(encoding="utf-8") == report.html
    with pytest.raises(sheaf.IoError):
        report.save(tmp_path / "none" / "a.html")


def test_show_values_false_leaves_values_and_keys_out(tmp_path: Path) -> None:
    path = tmp_path / "a.ctf"
    path.write_text("".join(f"secret{i} |x 1 {i}\n" for i in range(30)))
    given = {"x": sheaf.Stream(dim=2)}
    assert "secret" in sheaf.report(path, given, keys="text").json
    assert "secret" not in sheaf.report(path, given, keys="text", show_values=False).json


def test_errors_of_the_data_are_in_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "bad.ctf"
    path.write_text("0 |x 1 2\n1 |x zz 1\n2 |x 1 1\n")
    report = sheaf.report(path, {"x": sheaf.Stream(dim=2)})
    assert report.verdict[0].level == "error"
    assert report.verdict[0].advice
    assert report.data["data"]["holes"] == 1
    assert str(report).startswith("error: data: ")


# A block of values has 2,048, ids are counted 512 at a time, and lengths are hashed 64 at a time.
@pytest.mark.parametrize("count", [63, 64, 65, 511, 512, 513, 2047, 2048, 2049, 4097])
def test_statistics_are_right_at_the_borders_of_blocks(tmp_path: Path, count: int) -> None:
    rows = "".join(f"0 |x {i % 7} |w {i % 600}:1\n" for i in range(count))
    path = tmp_path / "a.ctf"
    path.write_text(rows + rows.replace("0 |x", "1 |x") + "2 |x 5 |w 3:1\n")
    given = {"x": sheaf.Stream(dim=1), "w": sheaf.Stream(dim=600, sparse=True)}
    report = sheaf.report(path, given, chunk_size=1 << 20).data
    stat = sheaf.stat(path, given)
    for own, other in zip(report["streams"], stat["streams"], strict=True):
        assert own["values"]["count"] == 2 * count + 1
        assert own["values"]["zeros"] == other["values"]["zeros"]
        assert own["values"]["mean"] == pytest.approx(other["values"]["mean"])
    assert report["duplicates"]["same"] == 1
    ids = next(each for each in report["labels"] if each["stream"] == "w")
    assert sum(n for _, n in ids["counts"]) + ids["rest"] == 2 * count + 1
    assert ids["seen"] == min(count, 600)
    assert dict(ids["counts"])[3] >= 3
