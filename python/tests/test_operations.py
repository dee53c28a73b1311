"""Each operation in C++, Python and shell: the same results and the same bytes."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples"
PROGRAM = ROOT / "build" / "release" / "examples" / "operations"  # of operations.cc


def test_cpp_python_and_command_print_and_write_the_same(tmp_path):
    if not PROGRAM.exists():
        pytest.skip("examples/operations.cc is not built: make build")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    text = "".join(f"{i} |x {i} 0.5\n" * (1 + i % 5) for i in range(1000)) + "1000 |x z 1\n"
    commands = (
        [PROGRAM],
        [sys.executable, EXAMPLES / "operations.py"],
        [EXAMPLES / "operations.sh"],
    )
    printed, written = [], []
    for number, command in enumerate(commands):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "in.ctf").write_text(text)
        os.utime(folder / "in.ctf", (1, 1))  # which the index file has
        result = subprocess.run(
            [*command, "in.ctf", "out.cbf"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        assert (result.returncode, result.stderr) == (0, "")
        printed.append(result.stdout)
        written.append({each.name: each.read_bytes() for each in folder.iterdir()})
    assert printed[0] == printed[1] == printed[2]
    assert written[0] == written[1] == written[2]
    lines = printed[0].splitlines()
    assert lines[:2] == ["good 1000, left out 1", "indexed 1001"]
    assert lines[2].startswith("in.ctf.sheaf-index ")
    assert "advice few-sequences" in lines
    assert sum(line.startswith("out.") for line in lines) == 2
    files = ["in.ctf", "in.ctf.sheaf-index", "out.test.cbf", "out.train.cbf"]
    assert sorted(written[0]) == files
