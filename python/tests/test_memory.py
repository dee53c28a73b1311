"""Ownership and lifetime of arrays."""

from __future__ import annotations

import gc
import pathlib
import sys

import numpy as np
import pytest

import sheaf


def resident_bytes() -> int:
    text = pathlib.Path("/proc/self/statm").read_text()
    return int(text.split()[1]) * 4096


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.fixture
def minibatches(digits):
    return iter(
        sheaf.Reader(digits / "train.ctf", ["features:dense:64", "labels:sparse:10"], batch_size=16)
    )


def test_arrays_are_not_copies(minibatches):
    minibatch = next(minibatches)
    for name, attributes in {
        "features": ["values", "mask", "lengths"],
        "labels": ["data", "indices", "indptr", "mask", "lengths"],
    }.items():
        for attribute in attributes:
            first = getattr(minibatch[name], attribute)
            again = getattr(minibatch[name], attribute)
            assert address(first) == address(again), (name, attribute)
            assert not first.flags.owndata
    assert address(minibatch.sequence_keys) == address(minibatch.sequence_keys)


def test_arrays_can_be_written_to(minibatches):
    minibatch = next(minibatches)
    minibatch["features"].values[3, 0, 5] = 123
    assert minibatch["features"].values[3, 0, 5] == 123


def test_arrays_are_aligned(minibatches):
    assert address(next(minibatches)["features"].values) % 64 == 0


def test_arrays_outlive_reader_and_minibatch(digits):
    def first_values():
        reader = sheaf.Reader(digits / "train.ctf", ["features:dense:64"], batch_size=100)
        minibatch = next(iter(reader))
        copy = minibatch["features"].values.copy()
        return minibatch["features"].values, minibatch.sequence_keys, copy

    values, keys, copy = first_values()
    gc.collect()
    others = [first_values() for _ in range(20)]  # would take memory that was given back
    assert (values == copy).all()
    assert len(others) == 20
    assert keys[:4].tolist() == [0, 1, 2, 3]


def test_minibatches_stay_valid_after_later_ones(minibatches):
    minibatches = list(minibatches)
    copies = [mb["features"].values.copy() for mb in minibatches]
    again = sheaf.Reader(reader_path(), ["features:dense:64"], batch_size=16)
    for kept, copy, fresh in zip(minibatches, copies, again, strict=True):
        assert (kept["features"].values == copy).all()
        assert (kept["features"].values == fresh["features"].values).all()


def reader_path() -> pathlib.Path:
    return pathlib.Path(__file__).parents[2] / "testdata" / "digits" / "train.ctf"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_thousand_minibatches_do_not_leak(digits):
    reader = sheaf.Reader(
        digits / "train.ctf", ["features:dense:64", "labels:sparse:10"], batch_size=64, sweeps=0
    )

    minibatches = iter(reader)

    def consume(count: int) -> None:
        for _ in range(count):
            minibatch = next(minibatches)
            arrays = [minibatch["features"].values, minibatch["labels"].data]
            arrays.append(minibatch.sequence_keys)
            assert reader.state_dict() == minibatch.position

    consume(500)
    gc.collect()
    before = resident_bytes()
    consume(2000)
    gc.collect()
    # One minibatch is 17 KB: a leak of each would be 34 MB.
    assert resident_bytes() - before < 4 << 20
