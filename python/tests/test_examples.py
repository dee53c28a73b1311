"""The examples run and learn, and README.md is true."""

from __future__ import annotations

import re
import subprocess
import sys

from conftest import ROOT


def run(*arguments) -> str:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_train_digits_reaches_93_percent():
    accuracy = re.search(r"test accuracy: ([\d.]+) %", run("examples/train_digits.py"))
    assert accuracy is not None
    assert float(accuracy[1]) >= 93


def test_the_program_in_the_readme_runs():
    program = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert program is not None
    lines = run("-c", program[1])
    assert "(32, 1, 64)" in lines
