"""Measure the cost of a minibatch in Python: `python bench/python_costs.py [REPEATS]`.

Reads small sequences of a dense and a sparse stream, one sequence in each minibatch. Prints the
processor time of a minibatch over all threads in microseconds: the median, the minimum and the
maximum of the repeats.

iterate   next() alone
numpy     and the arrays of each stream: values, or data, indices and indptr
all       and the lengths and the mask of both streams
torch     all of them as tensors by sheaf.torch.tensors(), if torch is installed
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import sheaf

SEQUENCES = 20_000


def write_data(path: Path) -> None:
    """Write sequences of one sample with one value and one pair."""
    path.write_text("".join(f"{i} |x {i % 7} |y {i % 10}:1\n" for i in range(SEQUENCES)))


def iterate(minibatch: sheaf.Minibatch) -> Any:
    """Use nothing but the minibatch."""
    return minibatch


def numpy(minibatch: sheaf.Minibatch) -> Any:
    """Take the arrays of the streams."""
    x, y = minibatch["x"], minibatch["y"]
    return x.values, y.data, y.indices, y.indptr


def all_arrays(minibatch: sheaf.Minibatch) -> Any:
    """Also take the lengths and the masks of the streams."""
    x, y = minibatch["x"], minibatch["y"]
    return numpy(minibatch), x.lengths, x.mask, y.lengths, y.mask


def cost(path: Path, use: Callable[[sheaf.Minibatch], Any]) -> float:
    """Return the microseconds of processor time for a minibatch, after a first half of warm-up."""
    streams = ["x:dense:1", "y:sparse:10"]
    with sheaf.Reader(
        str(path),
        streams,
        minibatch_size=1,
        unit="sequences",
        packing="padded",
        order="file",
        sweeps=1,
        num_threads=1,
    ) as reader:
        minibatches = iter(reader)
        for _ in range(SEQUENCES // 2):
            use(next(minibatches))
        start = time.process_time()
        for _ in range(SEQUENCES // 2):
            use(next(minibatches))
        return (time.process_time() - start) * 1e6 / (SEQUENCES // 2)


def print_in_turns(repeats: int, ways: dict[str, Callable[[], float]]) -> None:
    """Print the microseconds of each way. Taking turns spreads the load of a busy machine."""
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            costs[name].append(way())
    print(f"{'':8} {'median':>8} {'lowest':>8} {'highest':>8}  microseconds a minibatch")
    for name, found in costs.items():
        print(f"{name:8} {statistics.median(found):8.1f} {min(found):8.1f} {max(found):8.1f}")


def main() -> None:
    """Print a line for each way to take a minibatch."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    uses: dict[str, Callable[[sheaf.Minibatch], Any]] = {
        "iterate": iterate,
        "numpy": numpy,
        "all": all_arrays,
    }
    try:
        from sheaf.torch import tensors
    except ImportError:
        pass
    else:
        uses["torch"] = tensors
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.ctf"
        write_data(path)
        print_in_turns(repeats, {name: partial(cost, path, use) for name, use in uses.items()})


if __name__ == "__main__":
    main()
