"""sheaf.torch.SheafDataset: the moment when it opens the data, its share, and its loaders."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle
import subprocess
import sys
import typing

import pytest

import sheaf
from sheaf._options.options import ReaderOptions

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, IterableDataset  # noqa: E402

import sheaf.torch  # noqa: E402
from sheaf.torch import SheafDataset  # noqa: E402

KEYED = {"order": "keyed", "batch_size": 6}


@pytest.fixture
def path(write_ctf):
    return write_ctf("".join(f"{i} |x {i} 1\n" * (1 + i % 3) for i in range(40)))


def keys_alone(minibatch):
    return minibatch.sequence_keys.tolist()


def keyed(path, **options):
    return SheafDataset(path, **KEYED, collate_fn=keys_alone, **options)


@pytest.fixture
def group():
    """Makes torch.distributed report rank 0 of 1."""

    def make():
        store = torch.distributed.HashStore()
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)

    yield make
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


# Options are checked at once, data are opened at the first use.


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"ordr": "keyed"}, TypeError, "ordr"),
        ({"order": "keyd"}, sheaf.ConfigError, "keyd"),
        ({"packing": "frame"}, sheaf.ConfigError, "frame"),
        ({"batch_size": 0}, sheaf.ConfigError, "batch_size"),
        ({"streams": ["x:dence:2"]}, sheaf.ConfigError, "x:dence:2"),
        ({"join": {"other.ctf": ["y:dence:2"]}}, sheaf.ConfigError, "y:dence:2"),
        ({"seed": 3}, sheaf.ConfigError, "shuffles nothing"),
        ({"keys": "txt"}, sheaf.ConfigError, "txt"),
        ({"path": 5}, TypeError, "int"),
        ({"rank": 0}, sheaf.ConfigError, "go together"),
        ({"rank": 2, "world_size": 2}, sheaf.ConfigError, "below world_size"),
    ],
)
def test_wrong_options_are_refused_before_data_are_opened(options, error, text):
    with pytest.raises(error, match=text):
        SheafDataset(**{"path": "no-such-file.ctf", **options})


def test_data_are_opened_at_the_first_use(tmp_path):
    dataset = SheafDataset(tmp_path / "late.ctf", **KEYED)
    assert "not opened yet" in repr(dataset)
    with pytest.raises(sheaf.IoError, match=r"late\.ctf"):
        iter(dataset)
    (tmp_path / "late.ctf").write_text("0 |x 1\n")
    assert len(list(dataset)) == 1
    assert "rank 0 of 1: <sheaf.Reader of" in repr(dataset)


def test_options_match_a_reader():
    reader = typing.get_type_hints(sheaf.Reader.__init__)
    said = typing.get_type_hints(ReaderOptions)
    for name in ("path", "streams", "rank", "world_size", "return"):
        del reader[name]
    assert said == reader
    for name in inspect.signature(sheaf.Reader).parameters:
        assert name in said or name in inspect.signature(SheafDataset).parameters


def test_a_data_set_is_closed(path):
    with keyed(path) as dataset:
        assert dataset.epoch == 0
        assert len(list(dataset)) == 7
        assert dataset.epoch == 1
    for use in (iter, len, lambda dataset: dataset.epoch):
        with pytest.raises(sheaf.ConfigError, match="closed"):
            use(dataset)
    assert "closed" in repr(dataset)


# Copies.


def copied_by_pickle(dataset):
    return pickle.loads(pickle.dumps(dataset))


@pytest.mark.parametrize("copied", [copied_by_pickle, copy.copy, copy.deepcopy])
def test_a_copy_has_the_position_of_the_data_set(path, copied):
    expected = list(keyed(path)), list(keyed(path, seed=5))
    dataset = SheafDataset(iter([path]), iter(["x:dense:2"]), **KEYED, collate_fn=keys_alone)
    assert list(copied(dataset)) == expected[0]
    assert len(dataset) == 7
    assert list(copied(dataset)) == expected[0]
    iterator = iter(dataset)
    taken = [next(iterator) for _ in range(3)]
    assert taken + list(copied(dataset)) == expected[0]
    assert taken + list(iterator) == expected[0]
    assert list(copied(dataset)) == list(dataset) != expected[0]
    with pytest.raises(sheaf.ConfigError, match="closed"):
        dataset.close()
        len(copied(dataset))
    assert list(copied(keyed(path, seed=5))) == expected[1]


def gather(rank, dataset, port, queue):
    torch.distributed.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2
    )
    queue.put((rank, [key for batch in dataset for key in batch]))
    torch.distributed.destroy_process_group()


def test_spawned_processes_share_a_pickled_data_set(path):
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(gather, args=(keyed(path), port, queue), nprocs=2)
    shares = dict(queue.get() for _ in range(2))
    assert set(shares) == {0, 1} and all(shares.values())
    assert sorted(shares[0] + shares[1]) == list(range(40))


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_worker_processes_are_refused(path, start):
    loader = DataLoader(keyed(path), batch_size=None, num_workers=1, multiprocessing_context=start)
    with pytest.raises(sheaf.ConfigError, match="use num_workers=0"):
        list(loader)


# Rank and world size.


def test_a_data_set_made_before_the_process_group_reads_its_share(path, group, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")  # and no RANK, as in a process that Lightning starts
    dataset = keyed(path)
    for use in (iter, len, SheafDataset.state_dict):
        with pytest.raises(sheaf.ConfigError, match="WORLD_SIZE is 2, but RANK is not set"):
            use(dataset)
    group()
    assert sorted(key for batch in dataset for key in batch) == list(range(40))


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"RANK": "1"}, "RANK is 1, but WORLD_SIZE is not set"),
        ({"RANK": "one", "WORLD_SIZE": "2"}, 'RANK must be a whole number: got "one"'),
    ],
)
def test_a_wrong_environment_is_refused(path, monkeypatch, variables, text):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(sheaf.ConfigError, match=text):
        len(keyed(path))
    assert len(list(keyed(path, rank=0, world_size=1))) == 7


@pytest.mark.parametrize("use", [iter, len, SheafDataset.state_dict])
def test_another_rank_after_the_first_use_is_refused(path, group, monkeypatch, use):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    used, declared, unused = keyed(path), keyed(path, rank=1, world_size=2), keyed(path)
    use(used)
    use(declared)
    iterator = iter(keyed(path))
    next(iterator)
    group()
    for again in (iter, len, SheafDataset.state_dict):
        with pytest.raises(sheaf.ConfigError, match="found rank 1 of 2, but torch"):
            again(used)
    with pytest.raises(sheaf.ConfigError, match="found rank 1 of 2"):
        next(iterator)
    assert sum(map(len, declared)) < 40
    assert sum(map(len, unused)) == 40


# Loaders that would lose or reshape batches.


def test_a_loader_that_stacks_minibatches_is_refused(path):
    dataset = SheafDataset(path, **KEYED)
    for batch_size in (1, 4):
        loader = DataLoader(dataset, batch_size=batch_size)
        with pytest.raises(sheaf.ConfigError, match="batch_size=None"):
            next(iter(loader))
    torchdata = pytest.importorskip("torchdata.stateful_dataloader")
    with pytest.raises(sheaf.ConfigError, match="batch_size=None"):
        next(iter(torchdata.StatefulDataLoader(dataset)))


def test_a_loader_that_collates_by_itself_is_not_refused(path):
    class Flat(IterableDataset):
        def __iter__(self):
            for batch in keyed(path):
                yield from batch

    lists = [batch for (batch,) in DataLoader(keyed(path), batch_size=1, collate_fn=list)]
    assert lists == list(keyed(path))
    flat = [key for batch in DataLoader(Flat(), batch_size=9) for key in batch.tolist()]
    assert sorted(flat) == list(range(40))
    single = SheafDataset(path, batch_size=1, collate_fn=lambda batch: batch.x.values[0, 0])
    assert next(iter(DataLoader(single, batch_size=8))).shape == (8, 2)


PREPARED = """
import sys
import accelerate
import torch
import sheaf.torch
from torch.utils.data import DataLoader

for dispatch in (None, True, False):
    for options in ({"batch_size": None}, {"collate_fn": lambda batch: batch[0]}):
        accelerator = accelerate.Accelerator(
            cpu=True,
            dataloader_config=accelerate.DataLoaderConfiguration(dispatch_batches=dispatch),
        )
        dataset = sheaf.torch.SheafDataset(sys.argv[1], order="keyed", batch_size=6)
        loader = accelerator.prepare(DataLoader(dataset, **options))
        for use in (len, lambda loader: len(list(loader))):
            try:
                answer = use(loader)
            except sheaf.ConfigError as error:
                answer = "refused" if "prepare()" in str(error) else error
            print(f"{dispatch} {list(options)} {answer}\\n", end="", flush=True)
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_loaders_that_accelerate_prepared_are_refused(path, tmp_path, processes):
    pytest.importorskip("accelerate", reason="it is about Accelerate")
    program = tmp_path / "prepared.py"
    program.write_text(PREPARED)
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    run = subprocess.run(
        [sys.executable, *(launcher if processes > 1 else ()), program, path],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    expected = [
        f"{dispatch} {options} refused"
        for dispatch in (None, True, False)
        for options in (["batch_size"], ["collate_fn"])
        for _ in ("len", "list")
        for _ in range(processes)
    ]
    assert sorted(run.stdout.split("\n")) == sorted([*expected, ""])


def test_the_data_set_follows_the_epochs_of_the_trainer(path):
    pytest.importorskip("transformers", reason="it is about the Trainer")

    class State:
        epoch: float | None = None

    dataset = keyed(path)
    callback = sheaf.torch.epoch_callback(dataset)
    for State.epoch, expected in ((None, 0), (0, 0), (3 / 7, 0), (6 / 7, 0), (0.99999, 1), (2, 2)):
        callback.on_epoch_begin(None, State, None)
        assert dataset.epoch == expected
    endless = keyed(path, sweeps=0)
    sheaf.torch.epoch_callback(endless).on_epoch_begin(None, State, None)
    assert endless.epoch == 0
