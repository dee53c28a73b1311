"""Streams of every type of numbers, from a file to arrays and back; torch, if it is installed."""

from __future__ import annotations

import ctypes
import pickle

import numpy as np
import pytest

import sheaf

BIG = 2**53 + 1  # which no float64 is

# Each type with a sample of two values as text, and the same values in NumPy.
TYPES = {
    "int64": (f"{BIG} -9223372036854775808", [BIG, -(2**63)]),
    "int32": ("2147483647 -7", [2147483647, -7]),
    "uint16": ("65535 0", [65535, 0]),
    "uint8": ("255 7", [255, 7]),
    "float16": ("0.1 65504", [float(np.float16(0.1)), 65504.0]),
    "bfloat16": ("1.5 256", [0x3FC0, 0x4380]),
    "float64": ("0.1 1e300", [0.1, 1e300]),
    "float32": ("0.5 3", [0.5, 3.0]),
}


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.fixture(params=TYPES)
def case(request, tmp_path):
    dtype = request.param
    text, values = TYPES[dtype]
    path = tmp_path / "x.ctf"
    path.write_text(f"0 |x {text}\n0 |x 1 2\n1 |x 3 4\n")
    return dtype, path, values


def test_values_have_the_type_without_a_copy(case):
    dtype, path, values = case
    for options in ({"dtype": dtype}, {"streams": {"x": sheaf.Stream(dim=2, dtype=dtype)}}):
        batch = next(iter(sheaf.Reader(path, packing="ragged", **options))).x
        assert batch.dtype == dtype
        assert batch.values.dtype == ("uint16" if dtype == "bfloat16" else dtype)
        assert batch.values[0].tolist() == values
        assert address(np.asarray(batch)) == address(batch.values)
    copy = pickle.loads(pickle.dumps(batch))
    assert copy.dtype == dtype
    assert np.array_equal(copy.values, batch.values)


class _Tensor(ctypes.Structure):
    """The front of a DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


def test_dlpack_has_the_type(case):
    dtype, path, _ = case
    batch = next(iter(sheaf.Reader(path, dtype=dtype, packing="ragged"))).x
    capsule = batch.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    codes = {"i": 0, "u": 1, "f": 2, "b": 4}
    assert (tensor.code, tensor.bits) == (codes[dtype[0]], 8 * batch.values.itemsize)
    assert tensor.data == address(batch.values)
    assert tensor.rank == 2


def test_torch_has_the_type_without_a_copy(case):
    torch = pytest.importorskip("torch")
    dtype, path, _ = case
    batch = next(iter(sheaf.Reader(path, dtype=dtype, packing="ragged"))).x
    for tensor in (batch.to_torch(), torch.from_dlpack(batch)):
        assert tensor.dtype == getattr(torch, dtype)
        assert tensor.data_ptr() == address(batch.values)
    if dtype == "int64":
        assert batch.to_torch()[0, 0].item() == BIG
    if dtype == "bfloat16":
        assert batch.to_torch()[0].tolist() == [1.5, 256.0]


def test_sparse_streams_have_types(tmp_path):
    path = tmp_path / "s.ctf"
    path.write_text(f"|s 1:{BIG} 3:7\n|s\n")
    batch = next(iter(sheaf.Reader(path, ["s:sparse:4:dtype=int64"], batch_size=2))).s
    assert batch.dtype == "int64"
    assert batch.data.tolist() == [BIG, 7]
    path.write_text("|s 1:1.5\n")
    batch = next(iter(sheaf.Reader(path, ["s:sparse:4:dtype=bfloat16"]))).s
    assert batch.data.tolist() == [0x3FC0]
    with pytest.raises(sheaf.ConfigError, match="SciPy has no bfloat16"):
        batch.to_scipy()


def test_a_value_out_of_range_is_an_error(tmp_path):
    path = tmp_path / "x.ctf"
    path.write_text("|x 1.5\n")
    with pytest.raises(sheaf.DataError, match=r"expected a whole number, found \"1.5\""):
        list(sheaf.Reader(path, dtype="uint8"))
    path.write_text("|x 65520\n")
    with pytest.raises(sheaf.DataError, match="a number within the range of f16"):
        list(sheaf.Reader(path, dtype="float16"))


def test_the_text_of_a_stream_contains_its_type(case):
    dtype, path, _ = case
    stream = sheaf.open(path, dtype=dtype).streams
    words = "--stream x:dense:2" + ("" if dtype in ("float32", "float64") else f":dtype={dtype}")
    assert str(stream) == words
    reader = sheaf.Reader(path, [words.split()[1]])
    assert reader.streams["x"].dtype == (dtype if dtype != "float64" else "float32")
    with pytest.raises(sheaf.ConfigError, match=r"one of uint8, .*, bytes: got .*half"):
        sheaf.Reader(path, ["x:dense:2:dtype=half"])
    with pytest.raises(sheaf.ConfigError, match="a stream is NAME"):
        sheaf.Reader(path, ["x:dense:2:dtype="])


def test_conversions_keep_the_values(case, tmp_path):
    dtype, path, values = case
    again = tmp_path / "again.ctf"
    sheaf.convert(path, again, dtype=dtype)
    batch = next(iter(sheaf.Reader(again, dtype=dtype, packing="ragged"))).x
    assert batch.values[0].tolist() == values
    arrow = tmp_path / "arrow.ctf"
    if dtype == "bfloat16":
        with pytest.raises(sheaf.ConfigError, match="Arrow has no type for bfloat16"):
            sheaf.to_arrow(path, dtype=dtype).__arrow_c_stream__()
        return
    sheaf.from_arrow(sheaf.to_arrow(path, dtype=dtype), arrow)
    assert arrow.read_bytes() == again.read_bytes()


def test_conversions_refuse_values_out_of_range(tmp_path):
    path = tmp_path / "x.ctf"
    path.write_text("a |x 1\nb |x 256\n")
    data = sheaf.open(path, keys="text")
    with pytest.raises(
        sheaf.DataError, match="expected a value that u8 holds, found 256 as value 0"
    ):
        sheaf.convert(data, tmp_path / "y.ctf", dtype="uint8")
    assert not (tmp_path / "y.ctf").exists()
    sheaf.convert(data, tmp_path / "y.ctf", dtype="uint16")
    with pytest.raises(sheaf.ConfigError, match="cbf holds f32 or f64, not i32"):
        sheaf.convert(data, tmp_path / "y.cbf", dtype="int32")


def test_columns_of_arrow_become_any_type(tmp_path):
    path = tmp_path / "x.ctf"
    path.write_text(f"0 |x {BIG}\n1 |x 70000\n")
    target = tmp_path / "y.ctf"

    def written(dtype):
        arrow = sheaf.to_arrow(path, dtype="int64")
        sheaf.from_arrow(arrow, target, {"x": sheaf.Stream(dim=1, dtype=dtype)})
        return target.read_text()

    assert written("int64") == path.read_text()
    with pytest.raises(sheaf.DataError, match=f"a uint16 value, found {BIG}"):
        written("uint16")
    with pytest.raises(sheaf.DataError, match="a whole number that float64 holds exactly"):
        written("float64")
    path.write_text("0 |x 7\n1 |x 256\n")
    assert [written(each) for each in ("uint16", "float16", "bfloat16")] == [path.read_text()] * 3


def test_a_writer_takes_types(tmp_path):
    path = tmp_path / "x.ctf"
    streams = {name: sheaf.Stream(dim=1, dtype=name) for name in ("uint16", "int64", "bfloat16")}
    with sheaf.Writer(path, streams) as writer:
        bits = np.array([0x3FC0], np.uint16)
        writer.write(0, {"uint16": np.array([65535]), "int64": [BIG], "bfloat16": bits})
        with pytest.raises(sheaf.DataError, match="values of uint16"):
            writer.write(1, {"uint16": np.array([65536]), "int64": [1], "bfloat16": bits})
        with pytest.raises(sheaf.DataError, match="values of bfloat16, or their bits as uint16"):
            writer.write(1, {"uint16": [1], "int64": [1], "bfloat16": [1.5]})
    assert path.read_text() == f"0 |uint16 65535 |int64 {BIG} |bfloat16 1.5\n"
    minibatch = next(iter(sheaf.Reader(path, streams)))
    floats = tmp_path / "floats.ctf"
    with sheaf.Writer(floats, {"bfloat16": sheaf.Stream(dim=1)}) as writer:
        writer.write_batch(minibatch.sequence_keys, {"bfloat16": minibatch["bfloat16"]})
    assert floats.read_text() == "0 |bfloat16 1.5\n"


class Numbers(sheaf.Deserializer):
    """One sequence of one sample for each type."""

    def __init__(self, bits: np.ndarray) -> None:
        self.streams = {
            "ids": sheaf.Stream(dim=1, dtype="uint16"),
            "x": sheaf.Stream(dim=2, dtype="bfloat16"),
        }
        self.bits = bits

    def chunks(self):
        return [1]

    def read(self, chunk):
        return {"ids": np.array([[65535]], np.uint16), "x": self.bits}


def test_a_deserializer_gives_uint16_and_bfloat16():
    batch = next(iter(sheaf.Reader(Numbers(np.array([[0x3FC0, 0x4000]], np.uint16)))))
    assert batch.ids.values.ravel().tolist() == [65535]
    assert batch.x.dtype == "bfloat16"
    assert batch.x.values.ravel().tolist() == [0x3FC0, 0x4000]
    with pytest.raises(sheaf.DataError, match="expected bfloat16, or its bits as uint16"):
        next(iter(sheaf.Reader(Numbers(np.array([[1, 2]], np.float32)))))
    types = pytest.importorskip("ml_dtypes")
    batch = next(iter(sheaf.Reader(Numbers(np.array([[1.5, 2]], types.bfloat16)))))
    assert batch.x.values.ravel().tolist() == [0x3FC0, 0x4000]
