"""The programs of docs/how-to/frameworks.md on two processes: every epoch is exact after a kill."""

from __future__ import annotations

import collections
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

import sheaf
from conftest import DIGITS, ROOT

pytest.importorskip("torch", reason="the frameworks of torch need torch")

PAGE = (ROOT / "docs" / "how-to" / "frameworks.md").read_text()

# Runs a program, writes down the rows of each training step, and kills itself at a step.
DRIVER = """
import hashlib, json, os, signal, sys
import torch

program, log, kill_at = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps = 0
file = open(f"{log}.{os.getpid()}", "w")

def note(module, inputs):
    global steps
    if isinstance(module, torch.nn.Linear):
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        steps += 1
        rows = [hashlib.sha1(row.numpy().tobytes()).hexdigest() for row in inputs[0].detach()]
        file.write(json.dumps(rows) + "\\n")
        file.flush()

torch.nn.modules.module.register_module_forward_pre_hook(note)
exec(compile(open(program).read(), program, "exec"), {"__name__": "__main__"})
"""

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")
STEPS = 45  # of an epoch of the digits
KILLED_AT = STEPS + 19
SAVED_AT = STEPS + 15  # the last checkpoint before that


def program(title: str) -> str:
    """The program under a heading of the page."""
    found = re.search(rf"^## {title}\n.*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def run(folder, launcher, name, kill_at=-1):
    """Run train.py of a folder on two processes: the steps of each, and the exit status."""
    (folder / "driver.py").write_text(DRIVER)
    command = [sys.executable, *launcher, "driver.py", "train.py", name, str(kill_at)]
    on_cpu = {**os.environ, "ACCELERATE_USE_CPU": "true"}  # as `accelerate launch --cpu` sets it
    done = subprocess.run(
        command, cwd=folder, env=on_cpu, capture_output=True, text=True, timeout=300
    )
    if kill_at < 0:
        assert done.returncode == 0, done.stderr
    ranks = [
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(folder.glob(f"{name}.*"))
    ]
    assert len(ranks) == 2
    return ranks, done.returncode


def rows(ranks, begin, end):
    """How often the ranks trained on each row, in some steps."""
    return collections.Counter(itertools.chain(*(row for rank in ranks for row in rank[begin:end])))


@pytest.fixture(scope="module")
def everything():
    """The rows of the digits, each as often as the data have it."""
    import hashlib

    reader = sheaf.Reader(DIGITS / "train.ctf", packing="frames", batch_size=64)
    return collections.Counter(
        hashlib.sha1(row.tobytes()).hexdigest() for batch in reader for row in batch.features.values
    )


FRAMEWORKS = {
    "A loop of your own": ((), TORCHRUN),
    "Lightning": (("pytorch_lightning", "torchdata"), ()),
    "The Hugging Face Trainer": (("transformers", "accelerate"), TORCHRUN),
    "Accelerate": (("accelerate",), TORCHRUN),
}


@pytest.mark.parametrize("title", FRAMEWORKS)
def test_epochs_are_exact_after_a_kill_in_epoch_1(title, tmp_path, everything):
    modules, launcher = FRAMEWORKS[title]
    for module in modules:
        pytest.importorskip(module, reason=f"{title} needs {module}")
    shutil.copy(DIGITS / "train.ctf", tmp_path)
    text = program(title)
    if title == "Lightning":
        assert text.count("max_epochs=2,") == 1
        text = text.replace(
            "max_epochs=2,", 'max_epochs=2, accelerator="cpu", devices=2, strategy="ddp",'
        )
    (tmp_path / "train.py").write_text(text)

    killed, status = run(tmp_path, launcher, "killed", KILLED_AT)
    assert status == (1 if launcher else -signal.SIGKILL)
    assert [len(rank) for rank in killed] == [KILLED_AT] * 2
    assert rows(killed, 0, STEPS) == everything
    resumed, _ = run(tmp_path, launcher, "resumed")
    assert [len(rank) for rank in resumed] == [2 * STEPS - SAVED_AT] * 2
    assert rows(killed, STEPS, SAVED_AT) + rows(resumed, 0, None) == everything


def test_variables_of_slurm_give_the_share(tmp_path, monkeypatch):
    shutil.copy(DIGITS / "train.ctf", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    monkeypatch.setenv("SLURM_NTASKS", "3")
    sequences = 0
    for rank in range(3):
        monkeypatch.setenv("SLURM_PROCID", str(rank))
        names: dict = {}
        exec(program("Slurm, MPI, and processes that you start"), names)
        sequences += sum(batch["labels"]["lengths"].numel() for batch in names["dataset"])
    assert sequences == 1438
