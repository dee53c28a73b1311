"""sheaf.order returns the report that the command prints."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import sheaf


def printed(*arguments) -> dict:
    command = [sys.executable, "-m", "sheaf", "order", "--json", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def lasting(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without measured values and without texts that name options."""
    gone = ("open_seconds", "first_minibatch_seconds", "memory_bytes", "index_bytes")
    kept = {name: value for name, value in report.items() if name not in gone}
    kept["windows"] = [{**window, "memory_bytes": 0} for window in report["windows"]]
    kept["advice"] = [advice["code"] for advice in report["advice"]]
    return kept


@pytest.fixture
def blocks(tmp_path):
    """A file whose classes lie in blocks."""
    path = tmp_path / "blocks.ctf"
    path.write_text("".join(f"{i} |x {i % 7} |y {i // 200}:1\n" * (1 + i % 3) for i in range(2000)))
    return path


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, ()),
        ({"rank": 1, "world_size": 4}, ("--worker", "1/4")),
        (
            {"order": "keyed", "seed": 7, "minibatch_size": 64, "unit": "sequences"},
            ("--order", "keyed", "--seed", "7", "--minibatch-size", "64", "--unit", "sequences"),
        ),
        (
            {"order": "cntk", "window_chunks": 2, "chunk_size": 4000, "noise_of": "y"},
            *[("--order", "cntk", "--window-chunks", "2", "--chunk-size", "4000")],
        ),
        ({"order": "keyed", "packing": "ragged", "steps": 9}, ("--order", "keyed", "--steps", "9")),
    ],
)
def test_the_numbers_match_the_command(blocks, keywords, options):
    if "noise_of" in keywords:
        options = (*options, "--noise-of", keywords["noise_of"])
    if "packing" in keywords:
        options = (*options, "--packing", keywords["packing"])
    report = sheaf.order(blocks, **keywords)
    assert lasting(report) == lasting(printed(blocks, *options))
    assert report["open_seconds"] > 0


def test_advice_names_keywords(blocks):
    report = sheaf.order(blocks, noise_of="y", world_size=2)
    texts = {advice["code"]: advice["text"] for advice in report["advice"]}
    assert texts["file-blocks"].endswith("whose classes lie in blocks: order=keyed")
    assert "--" not in "".join(texts.values())


def test_a_reader_has_an_order_report(blocks):
    with sheaf.Reader(blocks, order="keyed", batch_size=32, num_threads=2) as reader:
        report = sheaf.order(reader)
        assert (report["order"], report["unit"], report["minibatch_size"]) == (
            *("keyed", "sequences"),
            32,
        )
        with pytest.raises(sheaf.ConfigError, match="seed: the source is open already"):
            sheaf.order(reader, seed=1)


def test_wrong_arguments_are_refused(blocks):
    with pytest.raises(sheaf.ConfigError, match="noise_of z: there is no such stream"):
        sheaf.order(blocks, noise_of="z")
    with pytest.raises(sheaf.ConfigError, match="steps is at least 1"):
        sheaf.order(blocks, steps=0)
    with pytest.raises(TypeError, match="noise_of: expected the name of a stream, got 3"):
        sheaf.order(blocks, noise_of=3)
    with pytest.raises(TypeError, match="a Reader, which has an order"):
        sheaf.order(sheaf.open(blocks))
    with pytest.raises(TypeError, match="did you mean 'order'"):
        sheaf.order(blocks, shuffle=True)
    with pytest.raises(sheaf.IoError):
        sheaf.order("none.ctf")
