"""What a minibatch costs in Python: `python bench/python_costs.py [REPEATS]`.

Reads small sequences of a dense and a sparse stream, one sequence a minibatch, and prints the
processor time of a minibatch, of all threads, in microseconds: the median of the repeats, and the
lowest and the highest of them.

iterate   next() alone
numpy     and the arrays of each stream: values, or data, indices and indptr
all       and lengths and mask of both
torch     all of them as tensors, by sheaf.torch.tensors(), where torch is there
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
    """Sequences of one sample with one value and one pair."""
    path.write_text("".join(f"{i} |x {i % 7} |y {i % 10}:1\n" for i in range(SEQUENCES)))


def iterate(minibatch: sheaf.Minibatch) -> Any:
    """Nothing but the minibatch."""
    return minibatch


def numpy(minibatch: sheaf.Minibatch) -> Any:
    """The arrays of the streams."""
    x, y = minibatch["x"], minibatch["y"]
    return x.values, y.data, y.indices, y.indptr


def all_arrays(minibatch: sheaf.Minibatch) -> Any:
    """And what says which of their places have samples."""
    x, y = minibatch["x"], minibatch["y"]
    return numpy(minibatch), x.lengths, x.mask, y.lengths, y.mask


def cost(path: Path, use: Callable[[sheaf.Minibatch], Any]) -> float:
    """Microseconds of processor time for a minibatch. The first half brings the window."""
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
    """Print the microseconds of each way: in turns, so that a busy machine is busy for all."""
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
