"""The same spec in C++, Python and shell: the same data, and the same refusals."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples"
CHECKSUM = ROOT / "build" / "release" / "examples" / "checksum"  # of checksum.cc
MEMORY_LIMIT = str(64 << 20)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two sets of files with the same sequences in other orders; one file is compressed."""
    for part in range(3):
        keys = range(100 * part, 100 * part + 100)
        rows = [f"{key} |x {key} 0.5 -1e-3\n" * (1 + key % 4) for key in keys]
        (tmp_path / f"x-{part}.ctf").write_text("".join(rows))
    for part in range(2):
        keys = reversed(range(150 * part, 150 * part + 150))
        text = "".join(f"{key} |y {key % 50}:1 {50 + key % 7}:0.25\n" for key in keys)
        (tmp_path / f"y-{part}.ctf").write_text(text)
    text = (tmp_path / "y-1.ctf").read_bytes()
    (tmp_path / "y-1.ctf.gz").write_bytes(gzip.compress(text))
    (tmp_path / "y-1.ctf").unlink()
    return tmp_path


def write_spec(folder: pathlib.Path, data: object = None, **changes: object) -> str:
    y = {"name": "y", "storage": "sparse", "shape": 57}
    data = data or {"join": [{"files": "x-*.ctf"}, {"files": "y-*.ctf*", "streams": [y]}]}
    read = {"order": "keyed", "seed": 7, "minibatch_size": 64, "sweeps": 2} | changes
    (folder / "train.json").write_text(json.dumps({"data": data, "read": read}))
    return str(folder / "train.json")


def run_all(spec: str) -> list[subprocess.CompletedProcess[str]]:
    """Run the three programs. Skips the test if the C++ program is not built."""
    if not CHECKSUM.exists():
        pytest.skip("examples/checksum.cc is not built: make build")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    commands = ([CHECKSUM], [sys.executable, EXAMPLES / "checksum.py"], [EXAMPLES / "checksum.sh"])
    return [
        subprocess.run(
            [*command, spec, MEMORY_LIMIT],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        for command in commands
    ]


def checksum(folder: pathlib.Path, data: object = None, **changes: object) -> str:
    """Return the output, which all three programs share."""
    results = run_all(write_spec(folder, data, **changes))
    assert [(each.returncode, each.stderr) for each in results] == [(0, "")] * 3
    assert len({each.stdout for each in results}) == 1, results
    return results[0].stdout


def test_cpp_python_and_command_mix_the_same(folder):
    members = [{"files": "x-0.ctf", "weight": "0.7"}, {"files": "x-1.ctf", "weight": 0.3}]
    schedule = [{"from": 40, "weights": [1, 1]}]
    data = {"mix": members, "exhausted": "repeat", "schedule": schedule}
    text = checksum(folder, data)
    assert text.startswith("sequences ")
    assert checksum(folder, {**data, "schedule": []}) != text


def test_cpp_python_and_command_divide_into_the_same_parts(folder):
    data = {"files": "x-*.ctf", "chunk_size": 1000}
    parts = [checksum(folder, {**data, "part": f"{i}/3"}) for i in range(3)]
    whole = int(checksum(folder, data).rpartition(" ")[2], 16)
    assert sum(int(part.rpartition(" ")[2], 16) for part in parts) % 2**64 == whole


def test_cpp_python_and_command_deliver_the_same(folder):
    twice = checksum(folder)
    assert twice.startswith("sequences 600, checksum ")
    once = checksum(folder, sweeps=1, order="file", seed=0)
    sums = [int(text.rpartition(" ")[2], 16) for text in (once, twice)]
    assert sums[1] == 2 * sums[0] % 2**64
    (folder / "x-0.ctf").write_text((folder / "x-0.ctf").read_text().replace("|x 8 ", "|x 9 "))
    assert checksum(folder) != twice


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"minibatchsize": 3},
            'read: unknown name "minibatchsize"; did you mean "minibatch_size"?',
        ),
        (
            {"sweeps": -1},
            'read.sweeps: expected a whole number, at least 1, or "endless", found -1',
        ),
    ],
)
def test_cpp_python_and_command_refuse_a_wrong_spec_alike(folder, changes, message):
    spec = write_spec(folder, **changes)
    results = run_all(spec)
    assert all(each.returncode != 0 and each.stdout == "" for each in results)
    said = {each.stderr.partition("error: ")[2] for each in results}
    assert said == {f"{spec}: {message}\n"}
