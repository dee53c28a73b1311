"""Processes of torchrun share Parquet files. A killed run goes on with another number of them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import pytest

import sheaf

pa = pytest.importorskip("pyarrow", reason="sheaf reads Parquet with pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("torch", reason="torchrun is a part of torch")

OPTIONS = {"order": "keyed", "seed": 3, "batch_size": 16, "window": 4, "sweeps": 2}
STEP_OF_DEATH = 5

# The processes take steps together. Each appends the keys of a step to its file, and then process 0
# saves the state. Process 1 dies after the step that an argument names. The others may begin one
# more step.
PROGRAM = """
import json, os, pathlib, signal, sys
import torch.distributed
import sheaf.torch

path, folder, step_of_death, options = sys.argv[1:]
folder = pathlib.Path(folder)
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
dataset = sheaf.torch.SheafDataset(
    path, **json.loads(options), packing="ragged",
    collate_fn=lambda batch: batch.sequence_keys.tolist(),
)
state = folder / "state.json"
step = 0
if state.exists():
    saved = json.loads(state.read_text())
    dataset.load_state_dict(saved["data"])
    step = saved["step"]
with open(folder / f"from{step}.{rank}.jsonl", "x") as lines:
    for keys in dataset:
        step += 1
        print(json.dumps([step, keys]), file=lines, flush=True)
        torch.distributed.barrier()
        if rank == 0:
            state.write_text(json.dumps({"data": dataset.state_dict(), "step": step}))
        torch.distributed.barrier()
        if step == int(step_of_death) and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
torch.distributed.destroy_process_group()
"""


@pytest.fixture
def path(tmp_path):
    """Return a pattern of two Parquet files, with row groups of 20 rows."""
    for number in range(2):
        rows = range(number * 150, (number + 1) * 150)
        table = pa.table({"ids": [[row] * (1 + row % 7) for row in rows]})
        pq.write_table(table, tmp_path / f"train-{number}.parquet", row_group_size=20)
    return tmp_path / "train-*.parquet"


def run(path, folder, processes, step_of_death):
    folder.mkdir(exist_ok=True)
    script = folder / "program.py"
    script.write_text(PROGRAM)
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    arguments = [str(path), str(folder), str(step_of_death), json.dumps(OPTIONS)]
    return subprocess.run(
        [sys.executable, *torchrun, str(script), *arguments],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def steps_of(folder, begin):
    """Return the sorted keys of each step, over all processes of the run that began there."""
    steps: dict[int, list[int]] = {}
    for file in folder.glob(f"from{begin}.*.jsonl"):
        for line in file.read_text().splitlines():
            step, keys = json.loads(line)
            steps.setdefault(step, []).extend(keys)
    return [sorted(keys) for _, keys in sorted(steps.items())]


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 2)])
def test_a_killed_run_over_parquet_goes_on_with_other_processes(path, tmp_path, before, after):
    folder = tmp_path / "run"
    killed = run(path, folder, before, STEP_OF_DEATH)
    assert killed.returncode != 0
    expected = [sorted(batch.sequence_keys.tolist()) for batch in sheaf.Reader(path, **OPTIONS)]
    delivered = steps_of(folder, 0)[:STEP_OF_DEATH]
    assert delivered == expected[:STEP_OF_DEATH]
    resumed = run(path, folder, after, 0)
    assert resumed.returncode == 0, resumed.stderr
    assert delivered + steps_of(folder, STEP_OF_DEATH) == expected
    assert len(list(folder.glob(f"from{STEP_OF_DEATH}.*"))) == after
    assert len(expected) > 2 * STEP_OF_DEATH
    rows = sorted(itertools.chain(*expected))
    assert rows == sorted([*range(300)] * 2)
