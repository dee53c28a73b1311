"""Minibatches for other libraries. Tests of torch or SciPy are skipped without them."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf
from conftest import JAGGED

STREAMS = ["x:dense:2", "s:sparse:4"]
ROWS = [[0, 0.5, 0, 1], [0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 4, 5]]


@pytest.fixture
def minibatch(write_ctf):
    return lambda packing="ragged", streams=STREAMS: next(
        iter(sheaf.Reader(write_ctf(JAGGED), streams, packing=packing))
    )


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_numpy_takes_a_dense_stream_without_a_copy(minibatch):
    x = minibatch().x
    assert np.asarray(x).tolist() == x.values.tolist()
    assert address(np.asarray(x)) == address(np.from_dlpack(x)) == address(x.values)
    assert address(np.array(x)) != address(x.values)
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(x, dtype=np.float64, copy=False)


def test_cu_seqlens_has_the_offsets_of_sequences(minibatch):
    offsets = minibatch().x.cu_seqlens()
    assert offsets.dtype == np.int32
    assert offsets.tolist() == [0, 2, 3, 6]
    with pytest.raises(sheaf.ConfigError, match="cu_seqlens: it is the packing"):
        minibatch("padded").x.cu_seqlens()


def test_scipy_takes_a_sparse_stream(minibatch):
    pytest.importorskip("scipy")
    s = minibatch().s
    matrix = s.to_scipy()
    assert matrix.toarray().tolist() == ROWS
    assert address(matrix.data) == address(s.data)
    assert address(matrix.indices) == address(s.indices)
    assert minibatch("padded").s.to_scipy().shape == (6, 4)
    wide = minibatch(streams=["s:sparse:4:index=i64"]).s.to_scipy()
    assert wide.toarray().tolist() == ROWS


@pytest.mark.parametrize("index", ["i32", "i64"])
def test_torch_takes_streams(minibatch, index):
    torch = pytest.importorskip("torch")
    mb = minibatch(streams=["x:dense:2", f"s:sparse:4:index={index}"])
    for tensor in (mb.x.to_torch(), torch.from_dlpack(mb.x)):
        assert tensor.data_ptr() == address(mb.x.values)
        assert tensor.tolist() == mb.x.values.tolist()
    rows = mb.s.to_torch()
    assert rows.layout == torch.sparse_csr
    assert rows.to_dense().tolist() == ROWS
    assert rows.values().data_ptr() == address(mb.s.data)


def test_torch_has_bags_and_nested_tensors(minibatch):
    torch = pytest.importorskip("torch")
    mb = minibatch()
    indices, offsets, weights = mb.s.to_bags()
    table = torch.arange(8.0).reshape(4, 2)
    found = torch.nn.functional.embedding_bag(
        indices, table, offsets, mode="sum", per_sample_weights=weights, include_last_offset=True
    )
    assert found.tolist() == (np.array(ROWS) @ table.numpy()).tolist()
    nested = mb.x.to_nested()
    assert [part.tolist() for part in nested.unbind()] == [
        [[1, 2.5], [3, -4]],
        [[5, np.float32(0.6)]],
        [[7, 8], [9, 10], [11, 12]],
    ]
    assert nested.values().data_ptr() == address(mb.x.values)
    with pytest.raises(sheaf.ConfigError, match="to_nested: it is the packing"):
        minibatch("padded").x.to_nested()


def test_tensors_outlive_the_minibatch(digits):
    torch = pytest.importorskip("torch")
    reader = sheaf.Reader(digits / "train.ctf", ["features:dense:64"], batch_size=100)
    kept = [next(iter(reader)).features.to_torch() for _ in range(20)]
    assert all(torch.equal(tensor, kept[0]) for tensor in kept)


def test_arrow_takes_ragged_minibatches(minibatch):
    pyarrow = pytest.importorskip("pyarrow")
    mb = minibatch()
    table = pyarrow.record_batch(mb)
    table.validate(full=True)
    assert table.schema.names == ["sequence_key", "x", "s"]
    rows = table.to_pylist()
    assert [row["sequence_key"] for row in rows] == [7, 8, 9]
    assert [row["x"] for row in rows] == [
        [[1, 2.5], [3, -4]],
        [[5, np.float32(0.6)]],
        [[7, 8], [9, 10], [11, 12]],
    ]
    assert rows[0]["s"] == [[{"index": 1, "value": 0.5}, {"index": 3, "value": 1}]]
    assert rows[1]["s"] == [[]]
    values = table.column("x").values.values.to_numpy()
    assert address(values) == address(mb.x.values)
    del mb, table
    assert values[:2].tolist() == [1, 2.5]


def test_arrow_takes_frames_texts_and_absent_streams(write_ctf):
    pyarrow = pytest.importorskip("pyarrow")
    path = write_ctf("a |x 1 |s 1:3\nb |x 2 |s 0:1 2:1\n")
    for packing, x in (("frames", [1, 2]), ("ragged", [[1], [2]])):
        reader = sheaf.Reader(path, ["x:dense:1", "s:sparse:4"], packing=packing, keys="text")
        table = pyarrow.record_batch(next(iter(reader)))
        table.validate(full=True)
        assert table.column("sequence_key").to_pylist() == ["a", "b"]
        assert table.column("x").to_pylist() == x
    path = write_ctf("0 |x 1\n1 |y 2\n")
    reader = sheaf.Reader(
        path, ["x:dense:1", "y:dense:1"], packing="ragged", missing_streams="allow"
    )
    table = pyarrow.record_batch(next(iter(reader)))
    table.validate(full=True)
    assert table.column("x").to_pylist() == [[1], None]
    assert table.column("y").to_pylist() == [None, [2]]


def test_padded_minibatches_have_no_arrow_form(minibatch):
    with pytest.raises(sheaf.ConfigError, match='"ragged" or "frames": got "padded"'):
        minibatch("padded").__arrow_c_array__()
    capsules = minibatch().__arrow_c_array__()  # unused capsules are released, too
    assert len(capsules) == 2
