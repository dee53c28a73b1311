"""Data of CNTK's tests, and helpers of the tests in this folder."""

from __future__ import annotations

import pathlib

import numpy as np

from sheaf import cntk

FOUR = "|S0 1\n|S0 2\n|S0 3\n|S0 4\n"

_DENSE = """\
{0}\t|S0 0 |S1 0
{0}\t|S0 1 |S1 1
{0}\t|S0 2
{0}\t|S0 3 |S1 3
{1}\t|S0 4 |S1 4
{1}\t|S0 5 |S1 5
{1}\t|S0 6
"""
DENSE1 = _DENSE.format(0, 1)
DENSE2 = _DENSE.format(0, 0)

SPARSE = """\
0\t|x 560:1\t|y 1 0 0 0 0
0\t|x 0:1
0\t|x 0:1
1\t|x 560:1\t|y 0 1 0 0 0
1\t|x 0:1
1\t|x 0:1
1\t|x 424:1
"""


def lengths_data(lengths: dict[int, int]) -> str:
    """Sequences of these lengths, by id; each value is the id."""
    return "".join(f"{key} |S0 {key}\n" * length for key, length in lengths.items())


def write(folder: pathlib.Path, text: str, name: str = "data.ctf") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def stream(field: str, shape: int = 1, **options) -> cntk.Record:
    return cntk.StreamDef(field=field, shape=shape, **options)


def ctf(path: str, streams: dict[str, int] | None = None, **options) -> dict:
    """A deserializer of dense streams with the given shapes; by default one stream of one value."""
    declared = {name: stream(name, shape) for name, shape in (streams or {"S0": 1}).items()}
    return cntk.CTFDeserializer(path, cntk.StreamDefs(**declared), **options)


def sparse(path: str) -> dict:
    return cntk.CTFDeserializer(
        path,
        cntk.StreamDefs(
            features=stream("x", 1000, is_sparse=True), labels=stream("y", 5, is_sparse=False)
        ),
    )


def counts(source: cntk.MinibatchSource, size: int, *share: int) -> list[tuple[int, bool]]:
    """Samples and the end of a sweep of each minibatch, up to the end."""
    found = []
    for _ in range(1000):
        minibatch = next_of(source, size, *share)
        if not minibatch:
            assert next_of(source, size, *share) == {}
            return found
        data = minibatch[next(iter(minibatch))]
        found.append((data.num_samples, data.end_of_sweep))
    raise AssertionError("the source does not end")


def next_of(source: cntk.MinibatchSource, size: int, *share: int) -> dict:
    if not share:
        return source.next_minibatch(size)
    return source.next_minibatch(size, num_data_partitions=share[0], partition_index=share[1])


def values(source: cntk.MinibatchSource, size: int, limit: int = 1000, name: str = "S0") -> list:
    """The values of a stream, up to the end or to so many samples."""
    found: list[float] = []
    while len(found) < limit:
        minibatch = source.next_minibatch(size)
        if not minibatch:
            break
        found += np.concatenate(minibatch[source[name]].as_sequences()).ravel().tolist()
    return found[:limit]
