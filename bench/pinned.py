"""Measure the cost of a minibatch with pin_memory=True: `python bench/pinned.py [REPEATS]`.

Reads minibatches of 256 rows of 1,000 floats as tensors. Prints the wall-clock time of a minibatch
in microseconds: the median, the minimum and the maximum of the repeats.

plain   tensors without page-locked memory
slabs   minibatches packed into slabs
copied  each tensor copied to memory of torch, as pin_memory() does

Without a GPU, the slabs are ordinary memory that is kept and used again, as in torch's allocator of
page-locked memory. The copies are ordinary memory, too.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import torch
from python_costs import print_in_turns

import sheaf
import sheaf.torch

ROWS, DIM, BATCH = 25_600, 1_000, 256


_kept: list[Any] = []


def _ordinary(size_bytes: int) -> torch.Tensor:
    """Return memory that no tensor uses any more, or new memory."""
    for i in range(len(_kept)):
        if _kept[i].size == size_bytes and sys.getrefcount(_kept[i]) == 2:
            return torch.from_numpy(_kept[i])
    _kept.append(numpy.empty(size_bytes + 64, numpy.uint8))
    start = -_kept[-1].ctypes.data % 64
    _kept[-1] = _kept[-1][start : start + size_bytes]
    return torch.from_numpy(_kept[-1])


def copied(minibatch: sheaf.Minibatch) -> Any:
    """Copy each tensor of a minibatch."""
    pin = torch.Tensor.pin_memory if torch.cuda.is_available() else torch.Tensor.clone
    return {
        name: {what: pin(tensor) for what, tensor in stream.items()}
        for name, stream in sheaf.torch.tensors(minibatch).items()
    }


def cost(path: Path, options: dict[str, Any]) -> float:
    """Return the microseconds for each minibatch of the second and third sweep."""
    with sheaf.torch.SheafDataset(
        str(path), packing="frames", batch_size=BATCH, sweeps=3, **options
    ) as dataset:
        minibatches = iter(dataset)
        for _ in range(ROWS // BATCH):
            next(minibatches)
        start = time.perf_counter()
        count = sum(1 for _ in minibatches)
        return (time.perf_counter() - start) * 1e6 / count


def main() -> None:
    """Print a line for each kind of memory."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    torch.set_num_threads(1)  # a copy on several threads would wait for the threads of the reader
    ways: dict[str, dict[str, Any]] = {
        "plain": {},
        "slabs": {"pin_memory": True},
        "copied": {"collate_fn": copied},
    }
    if not torch.cuda.is_available():
        sheaf.torch._has_gpu = lambda: True
        sheaf.torch._page_locked = _ordinary
        torch.Tensor.pin_memory = torch.Tensor.clone
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dense.cbf"
        rows = numpy.random.default_rng(1).random((ROWS, DIM), dtype=numpy.float32)
        with sheaf.Writer(str(path), [f"x:dense:{DIM}"]) as writer:
            writer.write_batch(list(range(ROWS)), {"x": rows})
        print_in_turns(repeats, {name: partial(cost, path, way) for name, way in ways.items()})


if __name__ == "__main__":
    main()
