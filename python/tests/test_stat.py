"""sheaf.stat returns the statistics that the command prints."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import sheaf


def printed(*arguments) -> dict:
    command = [sys.executable, "-m", "sheaf", "stat", "--json", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def test_the_numbers_match_the_command(digits, tmp_path):
    path = digits / "train.ctf"
    assert sheaf.stat(path) == printed(path)
    assert sheaf.stat(sheaf.open(path, num_threads=3)) == printed(path)
    assert sheaf.stat(path, duplicates=False) == printed(path, "--no-duplicates")
    wrong = tmp_path / "wrong.ctf"
    wrong.write_text("0 |x 1\n1 |x z\n2 |x 1\n2 |x inf\n")
    found = sheaf.stat(wrong, ["x:dense:1"])
    assert found == printed(wrong, "--stream", "x:dense:1")
    assert (found["holes"], found["duplicates"]) == (2, 0)


def test_wrong_data_and_options_are_refused(tmp_path, write_ctf):
    with pytest.raises(sheaf.DataError):
        sheaf.stat(write_ctf("nonsense\n"), ["x:dense:1"])
    path = write_ctf("0 |x 1\n")
    with pytest.raises(sheaf.ConfigError):
        sheaf.stat(path, memory_limit=1)
