"""The figures show minibatches that sheaf delivers."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import sheaf
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import figures


class Chunks(sheaf.Deserializer):
    streams = {"x": sheaf.Stream(dim=1)}  # noqa: RUF012

    def chunks(self):
        return [figures.CHUNK_SIZE] * figures.CHUNK_COUNT

    def read(self, chunk):
        return {"x": np.zeros((figures.CHUNK_SIZE, 1), np.float32)}


def test_figures_of_minibatches_match_a_reader():
    options = {"order": "cntk", "seed": figures.SEED, "window": figures.WINDOW}
    reader = sheaf.Reader(Chunks(), batch_size=figures.CHUNK_SIZE, **options)
    found = [minibatch.sequence_keys.tolist() for minibatch in reader]
    assert found == figures.MINIBATCHES


def keyed_minibatches(epoch: int, **worker: int) -> list[list[int]]:
    options = {"order": "keyed", "seed": figures.SEED}
    reader = sheaf.Reader(Chunks(), batch_size=figures.CHUNK_SIZE, **options, **worker)
    reader.set_epoch(epoch)
    return [minibatch.sequence_keys.tolist() for minibatch in reader]


def test_figures_of_keyed_match_each_epoch():
    found = [keyed_minibatches(epoch) for epoch in range(2)]
    assert found == figures.KEYED_EPOCHS


def test_the_workers_of_keyed_share_its_minibatches():
    found = [keyed_minibatches(0, rank=rank, world_size=2) for rank in range(2)]
    assert found == figures.KEYED_WORKERS
    for parts in zip(*found, figures.KEYED_EPOCHS[0], strict=True):
        assert sorted(parts[0] + parts[1]) == sorted(parts[2])


@pytest.mark.parametrize(
    "name, options",
    [
        ("padded", {"packing": "padded"}),
        ("ragged", {"packing": "ragged"}),
        ("packed", {"packing": "packed"}),
        ("rows", {"packing": "packed", "row_samples": figures.ROW_SAMPLES}),
    ],
)
def test_figures_of_packings_match_minibatches(name, options, write_ctf):
    lines = [
        f"{sequence} |x {1 + 10 * sequence + number}\n"
        for sequence, length in enumerate(figures.LENGTHS)
        for number in range(length)
    ]
    reader = sheaf.Reader(write_ctf("".join(lines)), batch_size=4, **options)
    expected = [
        [0 if one is None else 1 + 10 * one[0] + one[1] for one in row]
        for row in figures.PACKINGS[name]
    ]
    values = next(iter(reader)).x.values[..., 0]
    assert np.atleast_2d(values).tolist() == expected
