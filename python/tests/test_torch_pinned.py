"""sheaf.torch with pin_memory=True: minibatches in slabs, which a fake GPU provides."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

import sheaf

torch = pytest.importorskip("torch")

import sheaf.torch  # noqa: E402

DATA = "".join(
    f"{i} |x {i} {t} |s {t}:1 {20 + i}:0.5\n" for i in range(300) for t in range(1 + i * 7 % 11)
)
OPTIONS = {"batch_size": 3, "order": "keyed", "packing": "padded"}
MIB = 1 << 20


class FakeGpu:
    """Makes slabs of plain memory, and counts the copies of pin_memory()."""

    def __init__(self) -> None:
        self.slabs = []
        self.copies = 0

    def page_locked(self, size_bytes):
        slab = torch.full((size_bytes,), 0xEE, dtype=torch.uint8)
        self.slabs.append((slab.data_ptr(), size_bytes))
        return slab

    def pin_memory(self, tensor):
        self.copies += 1
        return tensor.clone()

    def lies_in_a_slab(self, tensor):
        at, size = tensor.data_ptr(), tensor.numel() * tensor.element_size()
        return any(begin <= at and at + size <= begin + most for begin, most in self.slabs)


@pytest.fixture
def gpu(monkeypatch):
    fake = FakeGpu()
    monkeypatch.setattr(sheaf.torch, "_has_gpu", lambda: True)
    monkeypatch.setattr(sheaf.torch, "_page_locked", fake.page_locked)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: fake.pin_memory(tensor))
    return fake


@pytest.fixture
def path(write_ctf):
    return write_ctf(DATA)


def tensors_of(batch):
    return [tensor for stream in batch.values() for tensor in stream.values()]


def assert_equal(found, expected):
    assert found.keys() == expected.keys()
    for name, stream in expected.items():
        assert found[name].keys() == stream.keys()
        for what, tensor in stream.items():
            assert found[name][what].dtype == tensor.dtype, (name, what)
            assert torch.equal(found[name][what], tensor), (name, what)


@pytest.mark.parametrize("packing", ["padded", "ragged", "packed"])
def test_tensors_in_slabs_are_equal_and_outlive_all(path, gpu, packing):
    options = {**OPTIONS, "packing": packing}
    expected = list(sheaf.torch.SheafDataset(path, **options))
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, **options)
    found = list(dataset)
    dataset.close()
    del dataset
    gc.collect()
    assert len(found) == len(expected) == 100
    for batch, plain in zip(found, expected, strict=True):
        assert_equal(batch, plain)
    assert len(gpu.slabs) >= 2


def test_all_but_converted_tensors_lie_in_slabs(path, gpu):
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, **OPTIONS)
    batches = list(dataset)
    for batch in batches[50:]:
        for name, stream in batch.items():
            for what, tensor in stream.items():
                assert gpu.lies_in_a_slab(tensor) == (what != "offsets"), (name, what)


def test_slabs_are_reused_and_stay_below_the_bound(write_ctf, gpu):
    rows = "".join("|x " + "1.5 " * 1000 + "\n" for _ in range(2000))
    dataset = sheaf.torch.SheafDataset(
        write_ctf(rows), ["x:dense:1000"], batch_size=20, sweeps=4, pin_memory=True
    )
    most = count = 0
    for batch in dataset:
        count += 1
        assert bool((batch["x"]["values"] == 1.5).all())
        slabs = dataset._slabs.memory
        assert sum(slab.numel() for slab in slabs.slabs.values()) == slabs.slab_bytes
        assert len(dataset._slabs._begins) == len(slabs.slabs)
        most = max(most, len(slabs.slabs))
    assert count == 400
    assert most <= 40
    assert len(gpu.slabs) > most, "spent slabs are replaced"


def test_a_memory_limit_bounds_the_slabs(path, gpu):
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, memory_limit="12MiB", **OPTIONS)
    for _ in dataset:
        assert dataset._slabs.memory.slab_bytes <= 3 * MIB
    assert gpu.slabs


def test_a_slab_lives_as_long_as_its_tensors(path, gpu):
    slabs = sheaf.torch._Slabs(8 * MIB)
    slabs.turn()
    reader = sheaf.Reader(path, packing="frames", split_frames=True, batch_size=3)
    minibatches = reader._epoch_in(slabs.memory)
    kept = next(minibatches)._tensors(slabs.tensor)
    before = [tensor.clone() for tensor in tensors_of(kept)]
    reader.close()
    del slabs, minibatches, reader
    gc.collect()
    for tensor, value in zip(tensors_of(kept), before, strict=True):
        assert torch.equal(tensor, value)


def test_a_minibatch_keeps_its_slab_alive(path, gpu):
    slabs = sheaf.torch._Slabs(8 * MIB)
    slabs.turn()
    with sheaf.Reader(path, **OPTIONS) as reader:
        minibatch = next(reader._epoch_in(slabs.memory))
        again = next(sheaf.Reader(path, **OPTIONS)._epoch_in(None))
    del slabs, reader
    gc.collect()
    assert (minibatch["x"].values == again["x"].values).all()


def test_a_collate_fn_of_the_user_is_not_given_slabs(path, gpu):
    def collate(minibatch):
        tensors = sheaf.torch.tensors(minibatch)
        return {"kept": [tensors["x"]["values"]], "number": 3}

    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, collate_fn=collate, **OPTIONS)
    assert len(list(dataset)) == 100
    assert gpu.copies == 100
    assert not gpu.slabs


def test_without_a_gpu_there_are_no_slabs(path, gpu, monkeypatch):
    monkeypatch.setattr(sheaf.torch, "_has_gpu", lambda: False)
    assert len(list(sheaf.torch.SheafDataset(path, pin_memory=True, **OPTIONS))) == 100
    assert not gpu.slabs
    assert gpu.copies == 0


def test_each_copy_gets_its_own_slabs(path, gpu):
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, **OPTIONS)
    expected = list(sheaf.torch.SheafDataset(path, **OPTIONS))
    running = iter(dataset)
    for plain in expected[:10]:
        assert_equal(next(running), plain)
    for other in (pickle.loads(pickle.dumps(dataset)), copy.copy(dataset)):
        rest = list(other)
        assert other._slabs is not dataset._slabs
        for found, plain in zip(rest, expected[10:], strict=True):
            assert_equal(found, plain)


def test_errors_and_close_work_as_without_slabs(write_ctf, gpu):
    path = write_ctf(DATA + "400 |x wrong\n")
    dataset = sheaf.torch.SheafDataset(
        path, ["x:dense:2", "s:sparse:400"], batch_size=3, pin_memory=True
    )
    found = []
    with pytest.raises(sheaf.DataError):
        for batch in dataset:
            found.append(batch)
    assert found
    dataset.close()
    with pytest.raises(sheaf.ConfigError, match="closed"):
        iter(dataset)
    assert all(tensor.sum() is not None for batch in found for tensor in tensors_of(batch))


def test_refused_memory_is_not_requested_again(path, gpu, monkeypatch):
    calls = []

    def refuse(size_bytes):
        calls.append(size_bytes)
        raise RuntimeError("out of memory")

    monkeypatch.setattr(sheaf.torch, "_page_locked", refuse)
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, **OPTIONS)
    expected = list(sheaf.torch.SheafDataset(path, **OPTIONS))
    for found, plain in zip(dataset, expected, strict=True):
        assert_equal(found, plain)
    assert len(calls) == 1
    assert gpu.copies == sum(len(tensors_of(batch)) for batch in expected)


def test_an_endless_epoch_uses_the_memory_of_each_caller(path, gpu):
    options = {**OPTIONS, "sweeps": "endless"}
    plain = iter(sheaf.torch.SheafDataset(path, **options))
    dataset = sheaf.torch.SheafDataset(path, pin_memory=True, **options)
    for _ in range(3):
        assert_equal(next(iter(dataset)), next(plain))
        minibatch = next(iter(dataset.reader))
        assert not gpu.lies_in_a_slab(torch.from_dlpack(minibatch["x"].values))
        assert_equal(sheaf.torch.tensors(minibatch), next(plain))


def test_slab_memory_refuses_wrong_arguments():
    with pytest.raises(sheaf.ConfigError):
        sheaf._sheaf.SlabMemory(-1)
    memory = sheaf._sheaf.SlabMemory(MIB)
    for address, size in ((0, 64), (1, 64), (64, -1)):
        with pytest.raises(sheaf.ConfigError):
            memory.add(address, size)
    assert memory.turn() == ([], MIB, 1)
