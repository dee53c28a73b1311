"""sheaf.worker(): the sources of a process's worker index, and their effect on a Reader."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import sheaf

KEYED = {"order": "keyed", "batch_size": 6}
STARTS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "HOROVOD_", "OMPI_COMM_", "PMI", "MV2_", "FLUX_")
STARTS += ("PALS_", "JSM_", "SLURM_", "SM_")
OPENMPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3"}
SOURCE = "OpenMPI (OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=3)"


@pytest.fixture(autouse=True)
def launched(monkeypatch):
    """Leaves out the variables of launchers. Gives a function that sets some."""
    for name in os.environ:
        if name.startswith(STARTS):
            monkeypatch.delenv(name)

    def launch(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return launch


@pytest.fixture
def path(write_ctf):
    return write_ctf("".join(f"{i} |x {i} 1\n" * (1 + i % 3) for i in range(40)))


def keys(reader) -> list[int]:
    return [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]


# The result of worker().


def test_without_a_launcher_the_worker_is_0_of_1():
    assert sheaf.worker() == sheaf.Worker(0, 1, "no launcher")


def test_variables_of_a_launcher_give_the_worker(launched):
    launched(**OPENMPI)
    found = sheaf.worker()
    assert found == sheaf.Worker(worker_index=1, worker_count=3, source=SOURCE)
    assert str(found) == f"worker 1 of 3: {SOURCE}"
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.worker_index = 2


def test_variables_that_may_count_nodes_are_a_warning(launched):
    launched(RANK="1", WORLD_SIZE="2")
    found = sheaf.worker()
    assert found.source == "an unknown launcher (RANK=1, WORLD_SIZE=2)"
    assert found.warning.startswith("RANK=1, WORLD_SIZE=2 come without LOCAL_RANK")


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"RANK": "1"}, "RANK is 1, but WORLD_SIZE is not set"),
        ({"PMI_RANK": "x", "PMI_SIZE": "2"}, 'PMI_RANK must be a whole number: got "x"'),
        ({**OPENMPI, "PMI_RANK": "2", "PMI_SIZE": "3"}, "variables disagree about this worker"),
    ],
)
def test_wrong_variables_are_refused(launched, path, variables, text):
    launched(**variables)
    with pytest.raises(sheaf.ConfigError, match=text):
        sheaf.worker()
    with pytest.raises(sheaf.ConfigError, match=f'rank="env": .*{text}'):
        sheaf.Reader(path, rank="env")
    assert sheaf.Reader(path, rank=0, world_size=2).stats["worker_count"] == 2


def test_a_process_group_overrides_the_environment(launched):
    torch = pytest.importorskip("torch")
    launched(**OPENMPI)
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        assert sheaf.worker() == sheaf.Worker(0, 1, "torch.distributed")
    finally:
        torch.distributed.destroy_process_group()
    assert sheaf.worker().source == SOURCE


# Readers and orders.


def test_a_reader_uses_the_worker_of_the_environment(launched, path):
    launched(**OPENMPI)
    reader = sheaf.Reader(path, **KEYED, rank="env")
    said = sheaf.Reader(path, **KEYED, rank=1, world_size=3)
    assert keys(reader) == keys(said) != []
    names = ("worker_index", "worker_count", "worker_source")
    assert [reader.stats[name] for name in names] == [1, 3, SOURCE]
    assert [said.stats[name] for name in names] == [1, 3, None]
    assert [sheaf.Reader(path).stats[name] for name in names] == [0, 1, None]
    assert reader.warnings == said.warnings


def test_a_reader_warns_of_variables_that_may_count_nodes(launched, path):
    launched(RANK="1", WORLD_SIZE="2")
    warning = sheaf.Reader(path, rank="env").warnings[0]
    assert (warning.code, warning.severity) == ("worker-doubtful", "warning")
    assert str(warning) == sheaf.worker().warning


def test_a_copy_reads_the_environment_of_its_process(launched, path):
    launched(**OPENMPI)
    reader = sheaf.Reader(path, **KEYED, rank="env")
    launched(OMPI_COMM_WORLD_RANK="2")
    assert copy.copy(reader).stats["worker_index"] == 2
    assert reader.stats["worker_index"] == 1


def test_options_that_exclude_rank_env_are_refused(launched, path):
    launched(**OPENMPI)
    with pytest.raises(sheaf.ConfigError, match="leave world_size out"):
        sheaf.Reader(path, rank="env", world_size=3)
    with pytest.raises(TypeError, match="rank: expected a whole number"):
        sheaf.Reader(path, rank="environment", world_size=3)
    with pytest.raises(TypeError, match="did you mean 'rank'"):
        sheaf.Reader(path, worker="env")


def test_order_names_the_source_of_the_worker(launched, path):
    launched(**OPENMPI)
    fields = ("workers", "worker_index", "worker_source")
    command = [sys.executable, "-m", "sheaf", "order", "--json", "--order", "keyed", path]
    printed = subprocess.run([*command, "--worker", "env"], check=True, capture_output=True).stdout
    report = sheaf.order(path, order="keyed", rank="env")
    assert [report[name] for name in fields] == [3, 1, SOURCE]
    assert [json.loads(printed)[name] for name in fields] == [3, 1, SOURCE]
    with sheaf.Reader(path, order="keyed", rank="env") as reader:
        assert sheaf.order(reader)["worker_source"] == SOURCE
    assert sheaf.order(path, order="keyed", rank=1, world_size=3)["worker_source"] is None


def test_a_data_set_uses_the_worker_of_the_environment(launched, path):
    pytest.importorskip("torch")
    import sheaf.torch

    launched(**OPENMPI)
    share = keys(sheaf.Reader(path, **KEYED, rank=1, world_size=3))
    for said in ({}, {"rank": "env"}):
        dataset = sheaf.torch.SheafDataset(path, **KEYED, collate_fn=lambda batch: batch, **said)
        assert keys(dataset) == share
        assert dataset.reader.stats["worker_source"] == SOURCE
    assert sheaf.torch.rank_and_world_size() == (1, 3)
    with pytest.raises(sheaf.ConfigError, match="leave world_size out"):
        sheaf.torch.SheafDataset(path, rank="env", world_size=3)
    launched(OMPI_COMM_WORLD_RANK="3")
    dataset = sheaf.torch.SheafDataset(path, **KEYED)
    with pytest.raises(sheaf.ConfigError, match=r"below OMPI_COMM_WORLD_SIZE.*init_process"):
        len(dataset)


# Real launchers.

SHARE = """
import json, os, pathlib, sys
import sheaf

def share(path, folder):
    reader = sheaf.Reader(path, order="keyed", batch_size=6, rank="env")
    keys = [minibatch.sequence_keys.tolist() for minibatch in reader]
    text = json.dumps([reader.stats["worker_source"], keys])
    pathlib.Path(folder, f"{sheaf.worker().worker_index}.json").write_text(text)
"""
OF_THE_ENVIRONMENT = SHARE + "\nshare(*sys.argv[1:])\n"
OF_A_DATA_SET = """
import json, pathlib, sys
import sheaf.torch

dataset = sheaf.torch.SheafDataset(
    sys.argv[1], order="keyed", batch_size=6, collate_fn=lambda batch: batch.sequence_keys.tolist()
)
batches = list(dataset)
stats = dataset.reader.stats
text = json.dumps([stats["worker_source"], batches])
pathlib.Path(sys.argv[2], f"{stats['worker_index']}.json").write_text(text)
"""
OF_RAY = (
    SHARE
    + """
import ray
import ray.train
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
assert sheaf.worker().source == "no launcher"
DataParallelTrainer(
    lambda config: share(*config["arguments"]),
    train_loop_config={"arguments": sys.argv[1:]},
    scaling_config=ray.train.ScalingConfig(num_workers=3),
    run_config=ray.train.RunConfig(storage_path=os.path.join(sys.argv[2], "ray")),
).fit()
"""
)


def sources_of(launcher: list[str], program: str, path: pathlib.Path, folder: pathlib.Path):
    """Run a program in 3 processes that share the data. Return the source of each worker."""
    script = folder / "program.py"
    script.write_text(program)
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    run = subprocess.run(
        [*launcher, str(script), str(path), str(folder)],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    reports = [json.loads((folder / f"{rank}.json").read_text()) for rank in range(3)]
    steps = zip(*(batches for _, batches in reports), strict=True)
    together = [sorted(itertools.chain(*step)) for step in steps]
    assert together == [
        sorted(batch.sequence_keys.tolist()) for batch in sheaf.Reader(path, **KEYED)
    ]
    return [source for source, _ in reports]


@pytest.mark.parametrize("program", [OF_THE_ENVIRONMENT, OF_A_DATA_SET], ids=["reader", "dataset"])
def test_processes_of_torchrun_share_the_data(path, tmp_path, program):
    pytest.importorskip("torch")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=3"]
    sources = sources_of([sys.executable, *torchrun], program, path, tmp_path)
    for rank, source in enumerate(sources):
        assert source == f"torchrun (RANK={rank}, WORLD_SIZE=3, LOCAL_RANK={rank})"


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="it is about mpirun")
def test_processes_of_mpirun_share_the_data(path, tmp_path):
    mpirun = ["mpirun", "-np", "3", "--oversubscribe", sys.executable]
    sources = sources_of(mpirun, OF_THE_ENVIRONMENT, path, tmp_path)
    for rank, source in enumerate(sources):
        assert source == f"OpenMPI (OMPI_COMM_WORLD_RANK={rank}, OMPI_COMM_WORLD_SIZE=3)"


def test_workers_of_ray_train_share_the_data(path, tmp_path):
    pytest.importorskip(
        "ray.train.v2.api.data_parallel_trainer",
        exc_type=ImportError,
        reason="it is about Ray Train",
    )
    assert sources_of([sys.executable], OF_RAY, path, tmp_path) == ["Ray Train"] * 3
