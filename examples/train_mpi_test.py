"""Check that any number of processes of train_mpi learns the same model.

train_mpi_test.py PROGRAM DATA MPIEXEC

Runs train_mpi with 1, 2 and 3 processes, kills a run, and resumes with other numbers of processes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, DATA, MPIEXEC = sys.argv[1:]
STEPS = 135  # three sweeps of 1438 images
KILLED_AT = 25
LAST_CHECKPOINT = 20
LINE = re.compile(r"step (\d+): (\d+) images, keys ([0-9a-f]{16}), loss (\S+)")
# Lets OpenMPI run as root, and more processes than there are cores. Other MPIs ignore it.
OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}

Steps = dict[int, tuple[str, str, float]]


def start(processes: int, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a number of processes; 0 means one process that no launcher starts."""
    launcher = [MPIEXEC, "-n", str(processes)] if processes else []
    return subprocess.run(
        [*launcher, PROGRAM, "--data", DATA, *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **OPENMPI, **variables},
    )


def run(processes: int, *options: str, is_killed: bool = False) -> Steps:
    """Return images, keys and loss of each step."""
    result = start(processes, *options)
    assert (result.returncode != 0) == is_killed, result.stderr
    found = LINE.findall(result.stdout)
    return {int(step): (images, keys, float(loss)) for step, images, keys, loss in found}


def check_same(found: Steps, expected: Steps) -> None:
    assert found.keys() == expected.keys(), (sorted(found), sorted(expected))
    for step, (images, keys, loss) in expected.items():
        assert found[step][:2] == (images, keys), step
        assert abs(found[step][2] - loss) < 2e-6, (step, found[step], loss)  # sums are rounded


def main() -> None:
    whole = run(1)
    assert sorted(whole) == list(range(1, STEPS + 1))
    assert whole[STEPS][2] < whole[1][2] / 4
    for processes in (0, 2, 3):
        check_same(run(processes), whole)
    with tempfile.TemporaryDirectory() as folder:
        for processes in (3, 1):
            checkpoint = ("--checkpoint", str(Path(folder, f"model-{processes}")))
            killed = run(2, *checkpoint, "--die-at", str(KILLED_AT), is_killed=True)
            assert LAST_CHECKPOINT <= max(killed) <= KILLED_AT
            check_same(killed, {step: whole[step] for step in range(1, max(killed) + 1)})
            rest = run(processes, *checkpoint)
            check_same(rest, {step: whole[step] for step in whole if step > LAST_CHECKPOINT})
    # MPI does not know this launcher: each process would learn only from its own part.
    alone = start(1, RANK="0", WORLD_SIZE="2", LOCAL_RANK="0")
    assert alone.returncode != 0, alone.stdout
    assert "MPI says that this is process 0 of 1, but a launcher like torchrun" in alone.stderr


main()
