"""The examples that train on packed rows: killed twice, and the same to the last bit."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from conftest import ROOT

# Runs a program that kills itself when it prints that a step is done.
DRIVER = """
import builtins, os, runpy, signal, sys

kill_at, show = int(sys.argv.pop(1)), builtins.print

def show_or_die(*words, **more):
    show(*words, **more)
    if words[:2] == ("step", kill_at):
        os.kill(os.getpid(), signal.SIGKILL)

builtins.print = show_or_die
del sys.argv[0]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""

PROGRAMS = {
    "train_hf_trainer.py": ("accelerate",),
    "train_hf_lightning.py": ("pytorch_lightning", "torchdata"),
    "train_hf_accelerate.py": ("accelerate",),
}


def train(name, folder, kill_at=-1):
    """The lines of the steps, and the losses of rows that the program compared."""
    program = str(ROOT / "examples" / name)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(kill_at), program, str(folder), "2"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == (0 if kill_at < 0 else -signal.SIGKILL), done.stderr
    lines = done.stdout.splitlines()
    compared = [re.findall(r"\d+\.\d+", line) for line in lines if line.startswith("loss of")]
    assert len(compared) == (2 if kill_at < 0 else 1), done.stdout
    return [line for line in lines if re.match(r"step \d+ loss", line)], compared


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_killed_training_on_packed_rows_resumes_with_the_same_losses(name, tmp_path):
    for module in ("torch", "datasets", "transformers", *PROGRAMS[name]):
        pytest.importorskip(module, reason=f"examples/{name} needs {module}, which is missing")
    expected, compared = train(name, tmp_path / "whole")
    assert all(float(rows) == pytest.approx(float(alone), abs=1e-5) for rows, alone in compared)
    assert float(compared[1][0]) < 0.6 * float(compared[0][0])  # it learns

    folder = tmp_path / "killed"
    parts = [train(name, folder, kill_at)[0] for kill_at in (20, 45)]
    rest, after = train(name, folder)
    assert after[1] == compared[1]
    firsts = [int(part[0].split()[1]) for part in (*parts, rest)]
    assert firsts == [1, 15, 43]  # checkpoints are behind the steps 7, 14, ...
    seen = dict.fromkeys(line for part in (*parts, rest) for line in part)
    assert list(seen) == expected
