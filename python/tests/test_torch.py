"""sheaf.torch: tensors, and data sets for torch's loaders."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sheaf

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

import sheaf.torch  # noqa: E402

DATA = "".join(
    f"{i} |x {i} {t} |s {t}:1 {20 + i}:0.5\n" for i in range(40) for t in range(1 + i * 7 % 11)
)
KEYED = {"order": "keyed", "batch_size": 6}


@pytest.fixture
def path(write_ctf):
    return write_ctf(DATA)


def keys(dataset):
    return [key for batch in dataset for key in batch]


def keys_alone(minibatch):
    return minibatch.sequence_keys.tolist()


def test_tensors_have_values_and_lengths(path):
    batch = next(iter(sheaf.torch.SheafDataset(path, batch_size=3)))
    assert {name: list(tensors) for name, tensors in batch.items()} == {
        "x": ["values", "lengths", "mask"],
        "s": ["indices", "offsets", "weights", "lengths", "mask"],
    }
    assert batch["x"]["values"].shape == (3, 8, 2)
    assert batch["x"]["lengths"].tolist() == [1, 8, 4]
    assert batch["x"]["mask"].sum() == 13
    ragged = next(iter(sheaf.torch.SheafDataset(path, batch_size=3, packing="ragged")))
    assert ragged["x"]["sequence_offsets"].tolist() == [0, 1, 9, 13]


def by_attributes(batch):
    """The tensors of a stream, made of its arrays."""
    if isinstance(batch, sheaf.DenseBatch):
        found = {"values": batch.to_torch()}
    else:
        found = dict(zip(("indices", "offsets", "weights"), batch.to_bags(), strict=True))
    for name in ("lengths", "mask", "sequence_offsets", "slots", "begins", "presence"):
        array = getattr(batch, name)
        if array is not None:
            found[name] = torch.from_numpy(array)
    return found


def check_as_by_attributes(minibatch):
    found = sheaf.torch.tensors(minibatch)
    assert list(found) == list(minibatch)
    for name, batch in minibatch.items():
        expected = by_attributes(batch)
        assert list(found[name]) == list(expected)
        for key, tensor in found[name].items():
            assert tensor.dtype == expected[key].dtype, key
            assert tensor.shape == expected[key].shape, key
            assert torch.equal(tensor, expected[key]), key
            if tensor.numel() > 0 and key != "offsets":  # which may be in fewer bits
                assert tensor.data_ptr() == expected[key].data_ptr(), key


@pytest.mark.parametrize("packing", ["padded", "ragged", "packed", "frames"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "uint16"])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_tensors_equal_the_arrays(write_ctf, packing, dtype, index):
    more = "" if packing == "frames" else "{0} |x 1 2 |s 3:1\n"
    rows = ["{0} |x {0} 1 |s {0}:1 5{0}:2\n", "{0} |x {0} 2 |s\n", "{0} |x {0} 3\n"]
    text = "".join((rows[i % 3] + more * (i % 2)).format(i) for i in range(8))
    streams = {
        "x": sheaf.Stream(2, dtype=dtype),
        "s": sheaf.Stream(60, sparse=True, dtype=dtype, index_dtype=index),
    }
    allow = {"missing_streams": "allow"}
    minibatches = list(
        sheaf.Reader(write_ctf(text), streams, batch_size=3, packing=packing, **allow)
    )
    assert len(minibatches) == 3
    for minibatch in minibatches:
        check_as_by_attributes(minibatch)


def test_tensors_without_values_are_empty(write_ctf):
    (minibatch,) = sheaf.Reader(write_ctf("0 |x 1 |s\n"), ["x:dense:1", "s:sparse:4"])
    found = sheaf.torch.tensors(minibatch)["s"]
    assert found["indices"].shape == found["weights"].shape == (0,)
    assert found["offsets"].tolist() == [0, 0]


def test_tensors_outlive_the_minibatch(path):
    kept = [
        sheaf.torch.tensors(minibatch)
        for minibatch in sheaf.Reader(path, ["x:dense:2", "s:sparse:60"], batch_size=3)
    ]
    again = sheaf.Reader(path, ["x:dense:2", "s:sparse:60"], batch_size=3)
    for tensors, minibatch in zip(kept, again, strict=True):
        for name, batch in minibatch.items():
            for key, tensor in by_attributes(batch).items():
                assert torch.equal(tensors[name][key], tensor)


def test_pinning_is_left_out_without_a_gpu(path):
    batch = next(iter(sheaf.torch.SheafDataset(path, batch_size=3, pin_memory=True)))
    assert batch["x"]["values"].is_pinned() == torch.cuda.is_available()


def test_keyed_jagged_has_the_arguments_of_torchrec(write_ctf):
    path = write_ctf("|a 1:2 3:4 |b 0:1\n|a |b 2:3 1:1\n")
    streams = ["a:sparse:4", "b:sparse:4"]
    (minibatch,) = sheaf.Reader(path, streams, packing="frames")
    found = sheaf.torch.keyed_jagged(minibatch)
    assert found["keys"] == ["a", "b"]
    assert found["values"].tolist() == [1, 3, 0, 1, 2]
    assert found["weights"].tolist() == [2, 4, 1, 1, 3]
    assert found["lengths"].tolist() == [2, 0, 1, 2]  # of a: 2, 0; of b: 1, 2
    assert sheaf.torch.keyed_jagged(minibatch, ["b"])["lengths"].tolist() == [1, 2]
    (uneven,) = sheaf.Reader(write_ctf("0 |a 1:2 |b 0:1\n0 |a 1:1\n"), streams, packing="ragged")
    with pytest.raises(sheaf.ConfigError, match="different numbers of rows"):
        sheaf.torch.keyed_jagged(uneven)


def test_a_loader_without_workers_delivers_the_minibatches(path):
    dataset = sheaf.torch.SheafDataset(path, **KEYED, collate_fn=keys_alone)
    reader = sheaf.Reader(path, **KEYED)
    loader = DataLoader(dataset, batch_size=None)
    assert len(loader) == len(dataset) == 7
    for _ in range(2):
        assert list(loader) == [keys_alone(minibatch) for minibatch in reader]
    dataset.set_epoch(0)
    reader.set_epoch(0)
    assert list(loader) == [keys_alone(minibatch) for minibatch in reader]


@pytest.mark.parametrize("taken", [0, 3, 7, 10])
def test_a_stateful_loader_resumes(path, taken):
    stateful_dataloader = pytest.importorskip("torchdata.stateful_dataloader")

    def make():
        dataset = sheaf.torch.SheafDataset(path, **KEYED, collate_fn=keys_alone)
        return stateful_dataloader.StatefulDataLoader(dataset, batch_size=None)

    whole = make()
    expected = [batch for _ in range(3) for batch in whole]
    loader = make()
    seen = []
    while len(seen) < taken:
        for batch in loader:
            seen.append(batch)
            if len(seen) == taken:
                break
    state = loader.state_dict()
    resumed = make()
    resumed.load_state_dict(state)
    while len(seen) < len(expected):
        seen += resumed
    assert seen == expected


def test_ranks_share_the_data(path, monkeypatch):
    everything = sorted(keys(sheaf.torch.SheafDataset(path, **KEYED, collate_fn=keys_alone)))
    monkeypatch.setenv("WORLD_SIZE", "3")
    shares = []
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        assert sheaf.torch.rank_and_world_size() == (rank, 3)
        dataset = sheaf.torch.SheafDataset(path, **KEYED, collate_fn=keys_alone)
        assert len(dataset) == 7
        shares += keys(dataset)
    assert sorted(shares) == everything
    alone = sheaf.torch.SheafDataset(path, rank=0, world_size=1, collate_fn=keys_alone)
    assert sorted(keys(alone)) == everything
    with pytest.raises(sheaf.ConfigError, match="go together"):
        sheaf.torch.SheafDataset(path, rank=0)


RANKED = """
import sys
import torch.distributed
import sheaf.torch
torch.distributed.init_process_group("gloo")
dataset = sheaf.torch.SheafDataset(
    sys.argv[1], order="keyed", batch_size=6, collate_fn=lambda mb: mb.sequence_keys.tolist()
)
mine = [batch for _ in range(2) for batch in dataset]
gathered = [None, None]
torch.distributed.all_gather_object(gathered, mine)
if torch.distributed.get_rank() == 0:
    print([sorted(a + b) for a, b in zip(*gathered, strict=True)])
torch.distributed.destroy_process_group()
"""


def test_two_processes_share_the_minibatches_of_one(path, tmp_path):
    program = tmp_path / "ranked.py"
    program.write_text(RANKED)
    run = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
         program, path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    reader = sheaf.Reader(path, **KEYED)
    expected = [sorted(keys_alone(minibatch)) for _ in range(2) for minibatch in reader]
    assert run.stdout.strip() == str(expected)


def test_a_data_set_is_a_table_in_a_notebook(path):
    dataset = sheaf.torch.SheafDataset(path, batch_size=2, section=None)
    assert "<td>batch_size</td><td>2</td>" in dataset._repr_html_()
    assert len(dataset) > 0
    assert "<th>stream</th>" in dataset._repr_html_()
    dataset.close()
    assert "closed" in dataset._repr_html_()
