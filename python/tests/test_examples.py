"""The examples run and learn, and README.md is true."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys

import pytest

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


def train_tagger(folder):
    pytest.importorskip("torch", reason="examples/train_tagger.py needs torch")
    command = [sys.executable, ROOT / "examples" / "train_tagger.py", folder, "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_tagger_that_is_killed_goes_on_to_the_same_weights(tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    expected = train_tagger(tmp_path / "whole").communicate()[0].splitlines()
    losses = [float.fromhex(line.split()[2]) for line in expected[:-1]]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])

    seen = []
    for kill_at in (20, 45):
        with train_tagger(tmp_path / "killed") as process:
            for line in process.stdout:
                seen.append(line.strip())
                if int(line.split()[0]) == kill_at:
                    process.kill()
                    break
        assert process.returncode == -signal.SIGKILL
    seen += train_tagger(tmp_path / "killed").communicate()[0].splitlines()

    assert len(seen) > len(expected)  # steps behind a checkpoint were done again
    assert list(dict.fromkeys(seen)) == expected


DOCS = ROOT / "docs"
ON_TWO_PROCESSES = DOCS / "how-to" / "frameworks.md"  # test_torch_frameworks.py runs its programs
PROGRAMS = {
    f"{page.relative_to(DOCS)}, program {number}": program
    for page in sorted(set(DOCS.rglob("*.md")) - {ON_TWO_PROCESSES})
    for number, program in enumerate(
        re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    )
}
HEAVY = ("cv2", "polars", "pyarrow", "scipy", "torch")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_of_the_pages_run(name, tmp_path, digits, monkeypatch):
    program = PROGRAMS[name]
    for module in HEAVY:
        if re.search(rf"import {module}\b|to_{module}\b", program):
            pytest.importorskip(module)
    shutil.copy(digits / "train.ctf", tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, name, "exec"), {"__name__": "program"})
