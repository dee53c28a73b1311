"""Binary files, which equal text, and joins of several files."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from cntk_data import DENSE1, DENSE2, FOUR, SPARSE, ctf, sparse, stream, values, write

from sheaf import cntk

MIXED = "".join(
    f"{i}\t|S0 {i} {i * t} |S1 {t}:1 {t + 5}:{i / 8}\n" for i in range(30) for t in range(1 + i % 4)
)
DATA = {
    "four": (FOUR, {"S0": stream("S0")}),
    "dense1": (DENSE1, {"S0": stream("S0"), "S1": stream("S1")}),
    "dense2": (DENSE2, {"S0": stream("S0"), "S1": stream("S1")}),
    "sparse": (SPARSE, {"x": stream("x", 1000, is_sparse=True), "y": stream("y", 5)}),
    "mixed": (MIXED, {"S0": stream("S0", 2), "S1": stream("S1", 9, is_sparse=True)}),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A text file and the same in binary, by the name of the data."""
    folder = tmp_path_factory.mktemp("files")

    @cache
    def made(name):
        text, streams = DATA[name]
        path = write(folder, text, f"{name}.ctf")
        binary = str(folder / f"{name}.cbf")
        kinds = (
            f"--stream={each}:{'sparse' if said.is_sparse else 'dense'}:{said.dim}"
            for each, said in streams.items()
        )
        command = [sys.executable, "-m", "sheaf", "convert", path, binary, *kinds]
        subprocess.run(command, check=True, capture_output=True)
        return path, binary

    return made


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("randomize", [False, True])
@pytest.mark.parametrize(("sweeps", "size"), [(1, 1), (1, 10), (3, 100), (10, 2)])
def test_binary_equals_text(files, name, randomize, sweeps, size):
    path, binary = files(name)
    streams = cntk.StreamDefs(**DATA[name][1])
    sources = [
        cntk.MinibatchSource(each, randomize=randomize, max_sweeps=sweeps)
        for each in (cntk.CTFDeserializer(path, streams), cntk.CBFDeserializer(binary, streams))
    ]
    assert sources[0].streams == sources[1].streams
    count = 0
    while first := sources[0].next_minibatch(size):
        second = sources[1].next_minibatch(size)
        assert list(first) == list(second)
        for info, a in first.items():
            b = second[info]
            assert (a.num_sequences, a.num_samples) == (b.num_sequences, b.num_samples)
            assert (a.shape, a.end_of_sweep, a.is_sparse) == (b.shape, b.end_of_sweep, b.is_sparse)
            assert (a.mask == b.mask).all()
            assert (a.asarray() == b.asarray()).all()
        count += 1
    assert count > 0
    assert sources[1].next_minibatch(size) == {}


def test_binary_streams_are_found(files):
    source = cntk.MinibatchSource(cntk.CBFDeserializer(files("mixed")[1]))
    assert {info.name for info in source.stream_infos()} == {"S0", "S1"}
    info = source["S0"]
    assert (info.sample_shape, info.storage_format, info.dtype) == ((2,), "dense", np.float32)


def test_binary_streams_are_renamed(files):
    renamed = cntk.CBFDeserializer(files("mixed")[1], cntk.StreamDefs(features=stream("S0")))
    assert set(cntk.MinibatchSource(renamed).streams) == {"features", "S1"}


def test_an_empty_alias_is_refused(files):
    found = cntk.CBFDeserializer(files("four")[1]) | {"input": {"S0": {"alias": ""}}}
    with pytest.raises(ValueError, match="empty alias"):
        cntk.MinibatchSource(found)


def test_binary_values_may_have_64_bits(tmp_path):
    path, binary = write(tmp_path, "|S0 0.1\n"), str(tmp_path / "data.cbf")
    command = [sys.executable, "-m", "sheaf", "convert", path, binary, "--precision=double"]
    subprocess.run(command, check=True, capture_output=True)
    for dtype in (np.float32, np.float64):
        source = cntk.MinibatchSource(cntk.CBFDeserializer(binary), dtype=dtype)
        value = source.next_minibatch(1)[source["S0"]].asarray()
        assert value.dtype == dtype
        assert value.item() == dtype(0.1)


@pytest.mark.parametrize("randomize", [False, True])
def test_a_join_has_the_order_of_its_first_file(tmp_path, randomize):
    keys = range(50)
    x = "".join(f"{k} |x {k}\n" * (1 + k % 3) for k in keys)
    y = "".join(f"{k} |y {k} {-k}\n" for k in reversed(keys) if k != 7)
    first = ctf(write(tmp_path, x, "x.ctf"), {"x": 1})
    second = ctf(write(tmp_path, y, "y.ctf"), {"y": 2})
    source = cntk.MinibatchSource([first, second], randomize=randomize, max_sweeps=1)
    seen = []
    while minibatch := source.next_minibatch(6):
        xs = [each[0, 0] for each in minibatch[source["x"]].as_sequences()]
        ys = [each[0].tolist() for each in minibatch[source["y"]].as_sequences()]
        assert ys == [[k, -k] for k in xs]
        assert minibatch[source["x"]].num_samples <= 6
        seen += xs
    assert sorted(seen) == [k for k in keys if k != 7]
    assert (seen == sorted(seen)) is not randomize


def test_a_join_resumes_from_a_state(tmp_path):
    deserializers = [
        ctf(write(tmp_path, "".join(f"{k} |{name} {k}\n" for k in range(40)), name), {name: 1})
        for name in "abc"
    ]
    source = cntk.MinibatchSource(deserializers, max_sweeps=2)
    for _ in range(5):
        source.next_minibatch(9)
    other = cntk.MinibatchSource(deserializers, max_sweeps=2)
    other.restore_from_checkpoint(source.get_checkpoint_state())
    while first := source.next_minibatch(9):
        second = other.next_minibatch(9)
        for name in "abc":
            values = [each[source[name]].asarray() for each in (first, second)]
            assert (values[0] == values[1]).all()
            assert (values[0] == first[source["a"]].asarray()).all()
    assert other.next_minibatch(9) == {}


def test_two_streams_that_define_the_size_are_refused(tmp_path):
    deserializers = [
        cntk.CTFDeserializer(
            write(tmp_path, f"0 |{name} 1\n", name),
            cntk.StreamDefs(**{name: stream(name, defines_mb_size=True)}),
        )
        for name in "ab"
    ]
    with pytest.raises(RuntimeError, match="minibatch size"):
        cntk.MinibatchSource(deserializers)


def test_a_text_joins_a_binary_file(files, tmp_path):
    labels = ctf(write(tmp_path, "".join(f"{k} |y {k}\n" for k in range(30))), {"y": 1})
    source = cntk.MinibatchSource([cntk.CBFDeserializer(files("mixed")[1]), labels], max_sweeps=1)
    minibatch = source.next_minibatch(1000)
    keys = [each[0, 0] for each in minibatch[source["S0"]].as_sequences()]
    assert minibatch[source["y"]].asarray().ravel().tolist() == keys
    assert len(keys) == 30


def test_a_join_delivers_sparse_text(tmp_path):
    more = ctf(write(tmp_path, "0 |z 5\n1 |z 6\n", "z.ctf"), {"z": 1})
    source = cntk.MinibatchSource([sparse(write(tmp_path, SPARSE)), more], randomize=False)
    minibatch = source.next_minibatch(7)
    assert minibatch[source["features"]].shape == (2, 4, 1000)
    assert minibatch[source["z"]].asarray().ravel().tolist() == [5, 6]


def test_a_path_may_be_any_bytes(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.ctf"
    with open(path, "w") as file:
        file.write(FOUR)
    for said in (path, os.fsdecode(path), [path]):
        source = cntk.MinibatchSource(ctf(said), randomize=False, max_sweeps=1)
        assert values(source, 2) == [1, 2, 3, 4]
