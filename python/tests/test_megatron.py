"""Tokens of Megatron-LM: documents that NumPy writes, read in every order."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import sheaf

CODES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint16": 8}


def write(path, documents, dtype):
    """Write the two files as Megatron's builder does: a sequence for each document."""
    tokens = np.concatenate(documents).astype(dtype)
    lengths = np.array([len(each) for each in documents], np.int32)
    offsets = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))]) * tokens.itemsize
    header = struct.pack("<9sQBQQ", b"MMIDIDX", 1, CODES[dtype], len(lengths), len(lengths) + 1)
    starts = np.arange(len(lengths) + 1, dtype=np.int64)
    path.with_suffix(".bin").write_bytes(tokens.tobytes())
    path.write_bytes(header + lengths.tobytes() + offsets[:-1].tobytes() + starts.tobytes())


def made(dtype, count=120):
    rng = np.random.default_rng(5)
    info = np.iinfo(dtype)
    return [
        rng.integers(info.min, info.max, rng.integers(1, 60), dtype, endpoint=True)
        for _ in range(count)
    ]


@pytest.fixture
def corpus(tmp_path):
    documents = made("uint16")
    write(tmp_path / "corpus.idx", documents, "uint16")
    return str(tmp_path / "corpus.idx"), documents


def delivered(reader):
    """Return the tokens of each sequence in the order of delivery: [(key, tokens)]."""
    found = []
    for minibatch in reader:
        for i, key in enumerate(minibatch.sequence_keys):
            samples = [sample.tolist() for sample in minibatch["tokens"].samples(i)]
            found.append((key, [token for sample in samples for token in sample]))
    return found


OPTIONS = {"batch_size": 7, "packing": "ragged", "chunk_size": 400}


@pytest.mark.parametrize("dtype", CODES)
def test_all_types_are_read(tmp_path, dtype):
    documents = made(dtype, 20)
    write(tmp_path / "t.idx", documents, dtype)
    found = delivered(sheaf.Reader(str(tmp_path / "t.idx"), packing="ragged"))
    assert found == [(i, each.tolist()) for i, each in enumerate(documents)]
    wide = sheaf.Reader(str(tmp_path / "t.idx"), dtype="int64", packing="ragged")
    assert delivered(wide) == found


@pytest.mark.parametrize(
    "order", [{"order": "file"}, {"order": "keyed", "seed": 3}, {"order": "cntk", "seed": 3}]
)
def test_orders_threads_and_limits_give_the_same_tokens(corpus, order):
    path, documents = corpus
    expected = delivered(sheaf.Reader(path, num_threads=1, **OPTIONS, **order))
    assert sorted(expected) == [(i, each.tolist()) for i, each in enumerate(documents)]
    for more in ({"num_threads": 4}, {"memory_limit": "4MiB"}):
        assert delivered(sheaf.Reader(path, **OPTIONS, **order, **more)) == expected


def test_a_run_resumes_with_another_number_of_workers(corpus):
    path, documents = corpus
    options = {**OPTIONS, "order": "keyed", "seed": 3}
    whole = delivered(sheaf.Reader(path, **options))
    reader = sheaf.Reader(path, **options)
    minibatches = iter(reader)
    first = delivered([next(minibatches) for _ in range(5)])
    state = reader.state_dict()
    rest = []
    for rank in range(3):
        part = sheaf.Reader(path, rank=rank, world_size=3, **options)
        part.load_state_dict(state)
        rest += delivered(part)
    assert sorted(first + rest) == sorted(whole)
    assert len(whole) == len(documents)


def test_rows_of_equal_size_hold_all_tokens(corpus):
    path, documents = corpus
    reader = sheaf.Reader(
        path, packing="packed", row_samples=64, long="split", batch_size=4, dtype="int32"
    )
    count = sum(int(minibatch["tokens"].lengths.sum()) for minibatch in reader)
    assert count == sum(map(len, documents))


def test_a_conversion_copies_every_byte(corpus, tmp_path):
    path, documents = corpus
    sheaf.convert(path, str(tmp_path / "copy.idx"))
    assert (tmp_path / "copy.idx").read_bytes() == (tmp_path / "corpus.idx").read_bytes()
    assert (tmp_path / "copy.bin").read_bytes() == (tmp_path / "corpus.bin").read_bytes()
    sheaf.convert(path, str(tmp_path / "copy.ctf"))
    found = delivered(sheaf.Reader(str(tmp_path / "copy.ctf"), packing="ragged"))
    assert found == [(i, each.tolist()) for i, each in enumerate(documents)]


def test_sequences_are_read_by_number_and_from_several_lists(corpus, tmp_path):
    path, documents = corpus
    with sheaf.Reader(path) as reader:
        assert reader.sequence(17)["tokens"].values.ravel().tolist() == documents[17].tolist()
    write(tmp_path / "more.idx", documents[:9], "uint16")
    both = sheaf.Reader([path, str(tmp_path / "more.idx")], same_keys="number", packing="ragged")
    assert [tokens for _, tokens in delivered(both)] == [
        each.tolist() for each in documents + documents[:9]
    ]


def test_a_damaged_index_or_missing_tokens_are_errors(corpus, tmp_path):
    path, _ = corpus
    with open(path, "r+b") as file:
        file.seek(9)
        file.write(b"\x02")
    with pytest.raises(sheaf.DataError, match="megatron-version"):
        sheaf.Reader(path)
    (tmp_path / "corpus.bin").unlink()
    with pytest.raises(sheaf.Error):
        sheaf.Reader(path)
