"""sheaf.convert writes the same files as the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import sheaf
from conftest import JAGGED

X = ["x:dense:2", "s:sparse:4"]


def command(*arguments) -> None:
    subprocess.run([sys.executable, "-m", "sheaf", "convert", *arguments], check=True)


@pytest.mark.parametrize(
    "name, arguments, options",
    [
        ("out.cbf", [], {}),
        ("out.ctf", [], {"num_threads": 3}),
        ("out.ctf", ["--order", "keyed", "--seed", "7"], {"order": "keyed", "seed": 7}),
        ("out.cbf", ["--order", "cntk"], {"order": "cntk"}),
        ("out.cbf", ["--precision", "double"], {"dtype": "float64"}),
        ("out.ctf", ["--streams", "features=F"], {"written": {"features": "F"}}),
        ("out.ctf", ["--streams", "features,labels"], {"written": ["features", "labels"]}),
        (
            "out",
            ["--to", "cbf", "--chunk-bytes", "2000", "--out-option", "cbf.checks=on"],
            {"to_format": "cbf", "to_chunk_size_bytes": 2000, "to_options": {"cbf.checks": "on"}},
        ),
    ],
)
def test_the_bytes_match_the_command(tmp_path, digits, name, arguments, options):
    expected, path = tmp_path / f"expected-{name}", tmp_path / name
    command(digits / "train.ctf", expected, *arguments)
    conversion = sheaf.convert(digits / "train.ctf", path, **options)
    assert path.read_bytes() == expected.read_bytes()
    assert (conversion.path, conversion.bytes) == (str(path), os.path.getsize(path))
    assert (conversion.sequences, conversion.samples, conversion.holes) == (1438, 1438, 0)


def test_threads_write_sequences_in_order(tmp_path):
    path = tmp_path / "in.ctf"
    path.write_text("".join(f"{i} |x {i % 7} {i % 11}\n" for i in range(300_000)))
    expected = tmp_path / "expected.cbf"
    command(path, expected)
    for threads in (1, 4):
        sheaf.convert(path, tmp_path / f"{threads}.cbf", num_threads=threads)
        assert (tmp_path / f"{threads}.cbf").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize(
    "arguments, options",
    [
        (["--split", "a=0.75,b=0.25"], {"split": {"a": 0.75, "b": "0.25"}}),
        (["--shards", "3"], {"shards": 3}),
        (["--select-share", "0.1"], {"select_share": 0.1}),
        (["--min-length", "2", "--max-length", "3"], {"min_length": 2, "max_length": 3}),
        (["--select-keys", "keys.txt"], {"select_keys": [7, 399]}),
        (["--select-keys", "keys.txt", "--shards", "2"], {"select_keys": ["7", 399], "shards": 2}),
    ],
)
def test_files_and_selections_match_the_command(tmp_path, monkeypatch, arguments, options):
    monkeypatch.chdir(tmp_path)
    with open("in.ctf", "w") as file:
        file.writelines(f"{i} |x {i}\n" * (1 + i % 4) for i in range(400))
    with open("keys.txt", "w") as file:
        file.write("7\n399\n")
    command("in.ctf", "out.ctf", *arguments)
    written = sorted(name for name in os.listdir() if name.startswith("out"))
    texts = [(tmp_path / name).read_text() for name in written]
    conversion = sheaf.convert("in.ctf", "out.ctf", overwrite=True, **options)
    assert sorted(file.path for file in conversion.files) == written
    assert [(tmp_path / name).read_text() for name in written] == texts
    assert conversion.bytes == sum(map(len, texts))
    assert conversion.sequences == sum(file.sequences for file in conversion.files)


def test_wrong_selections_and_splits_are_refused(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n")
    for options, message in (
        ({"select_share": 1e-12}, "share 0.000000000001: a share is a decimal number above 0"),
        ({"split": {"a": 0.5}}, "shares add up to 1, these to 0.500000000"),
        ({"split": {}}, "split names at least one part"),
        ({"min_length": 2, "max_length": 1}, "lengths from 2 to 1"),
        ({"select_keys": []}, "no sequence of the data is selected"),
        ({"shards": 2, "split": {"a": 1.0}}, "shards and parts both divide"),
    ):
        with pytest.raises(sheaf.ConfigError, match=message):
            sheaf.convert(path, tmp_path / "out.ctf", **options)
    assert os.listdir(tmp_path) == ["data.ctf"]


def test_open_data_and_readers_are_converted(tmp_path, write_ctf):
    path = write_ctf(JAGGED)
    out = tmp_path / "out.ctf"
    sheaf.convert(path, out, X)
    expected = out.read_text()
    sheaf.convert(sheaf.open(path, X), out, overwrite=True)
    assert out.read_text() == expected
    reader = sheaf.Reader(path, X, order="keyed", seed=3, batch_size=1)
    keys = [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]
    assert sheaf.convert(reader, out, overwrite=True).sequences == 3
    assert sheaf.open(out).keys.tolist() == keys
    for options in ({"sweeps": 0}, {"packing": "packed"}):
        with pytest.raises(sheaf.ConfigError):
            sheaf.convert(sheaf.Reader(path, X, **options), out, overwrite=True)
    with pytest.raises(sheaf.ConfigError, match="order: the source is open already"):
        sheaf.convert(reader, out, order="file")
    assert sheaf.open(out).keys.tolist() == keys


def test_bad_sequences_are_left_out_or_an_error(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n1 |x z\n2 |x 3\n")
    out = tmp_path / "out.ctf"
    with pytest.raises(sheaf.DataError, match=r"data\.ctf:2:6"):
        sheaf.convert(path, out, ["x:dense:1"])
    assert os.listdir(tmp_path) == ["data.ctf"]
    conversion = sheaf.convert(path, out, ["x:dense:1"], max_errors=1)
    assert (conversion.sequences, conversion.holes, conversion.error_count) == (2, 1, 1)
    assert [each.line for each in conversion.diagnostics] == [2]
    assert sheaf.open(out).keys.tolist() == [0, 2]


def test_lost_keys_and_values_are_warnings(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n5 |x 2\n")
    conversion = sheaf.convert(path, tmp_path / "out.cbf")
    assert [each.code for each in conversion.warnings] == ["convert-keys"]
    assert conversion.warnings[0].found == "5 of sequence 1"
    path = write_ctf("0 |x 1e300\n")
    data = sheaf.open(path, dtype="float64")
    conversion = sheaf.convert(data, tmp_path / "float.cbf", dtype="float32")
    assert [each.code for each in conversion.warnings] == ["convert-range"]


def test_an_existing_target_is_replaced_only_by_option(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n")
    out = tmp_path / "out.ctf"
    out.write_text("before")
    for options in ({}, {"overwrite": False}):
        with pytest.raises(sheaf.ConfigError, match=r"out\.ctf: exists already; overwrite=True"):
            sheaf.convert(path, out, **options)
    assert out.read_text() == "before"
    sheaf.convert(path, out, overwrite=True)
    assert out.read_text() == "0 |x 1\n"
    link = tmp_path / "link.ctf"
    link.symlink_to("out.ctf")
    with pytest.raises(sheaf.ConfigError, match="exists already"):
        sheaf.convert(path, link)
    out.write_text("before")
    sheaf.convert(path, link, overwrite=True)
    assert (link.is_symlink(), out.read_text()) == (True, "0 |x 1\n")


def test_a_target_that_would_do_harm_is_refused(tmp_path, write_ctf):
    path = write_ctf("0 |x 1\n")
    os.link(path, tmp_path / "same.ctf")
    with pytest.raises(sheaf.ConfigError, match="is the file that is read"):
        sheaf.convert(path, tmp_path / "same.ctf", overwrite=True)
    with pytest.raises(sheaf.ConfigError, match="not a regular file but a directory"):
        sheaf.convert(path, tmp_path, overwrite=True)
    with pytest.raises(sheaf.IoError, match="No such file or directory"):
        sheaf.convert(path, tmp_path / "nowhere" / "out.ctf")
    with pytest.raises(sheaf.ConfigError, match='there is no stream "z"; there are: x'):
        sheaf.convert(path, tmp_path / "out.ctf", written=["z"])
    with pytest.raises(sheaf.ConfigError, match="html"):
        sheaf.convert(path, tmp_path / "out.ctf", to_format="html")
    assert sorted(os.listdir(tmp_path)) == ["data.ctf", "same.ctf"]


class StopError(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def stop_soon():
    """Return a function that makes a signal raise StopError a moment later."""

    def stop(*_):
        raise StopError

    before = signal.signal(signal.SIGALRM, stop)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("verb", ["check", "convert"])
def test_a_signal_ends_long_work_and_leaves_no_file(tmp_path, stop_soon, verb):
    path = tmp_path / "long.ctf"
    path.write_text(("|x" + 40 * " 0.123456789" + "\n") * 120_000)
    data = sheaf.open(path, ["x:dense:40"], num_threads=1, index="off")
    with pytest.raises(StopError):
        stop_soon()
        if verb == "check":
            sheaf.check(data)
        else:
            sheaf.convert(data, tmp_path / "out.ctf")
    assert os.listdir(tmp_path) == ["long.ctf"]
