"""The order of user sources equals the orders recorded from CNTK."""

from __future__ import annotations

import pathlib
import re

import pytest

from conftest import ROOT
from sheaf.cntk.local_order import InOrder, Limits, LocalOrder, Mt19937, Timeline, Tumbling

GOLDEN = ROOT.parent / "shared" / "spec" / "golden"
FILES = ("09_local_timeline.txt", "09b_local_timeline_workers.txt")
RUN = re.compile(
    r"run lt-(?P<kind>\w+) (?:(?P<chunks>\d+)x(?P<length>\d+)x1|U (?P<unit>\w+) (?P<window>\d+) "
    r"seed (?P<seed>\d+)) mb (?P<mb>\d+) sweeps (?P<sweeps>\d+)"
    r"(?: workers (?P<workers>\d+) rank (?P<rank>\d+))?$"
)
MINIBATCH = re.compile(r"mb \d+ eos (\d) eoe (\d) :([\d ]*) \| (.*)")


def order_of(run: re.Match[str]) -> LocalOrder:
    limits = Limits(sweeps=int(run["sweeps"]))
    share = (int(run["workers"] or 1), int(run["rank"] or 0))
    if run["kind"] == "none":
        lengths = [1] * int(run["length"])
        return InOrder(Timeline(int(run["chunks"]), lambda _: lengths, limits, *share))
    return Tumbling(
        Timeline(10, lambda _: [1] * 5, limits, *share),
        window=int(run["window"]),
        counts_samples=run["unit"] == "samples",
        seed=int(run["seed"]),
    )


def runs(path: pathlib.Path) -> list[tuple[re.Match[str], list[re.Match[str]]]]:
    found: list[tuple[re.Match[str], list[re.Match[str]]]] = []
    for line in path.read_text().splitlines():
        if line.startswith("run"):
            run = RUN.match(line)
            assert run, line
            found.append((run, []))
        elif not line.startswith("#"):
            minibatch = MINIBATCH.match(line.strip())
            assert minibatch, line
            found[-1][1].append(minibatch)
    return found


def next_of(
    order: LocalOrder, size: int, width: int
) -> tuple[list[int], bool, bool, dict[str, int]]:
    step = order.next(size)
    numbers = [chunk * width + number for chunk, number in step.sequences]
    return numbers, step.ends_sweep, step.ends_epoch, order.state()


@pytest.mark.parametrize("name", FILES)
def test_orders_match_cntk(name):
    if not (GOLDEN / name).exists():
        pytest.skip(f"no golden files at {GOLDEN}: the folder ../shared is not there")
    count = 0
    for run, minibatches in runs(GOLDEN / name):
        width = int(run["length"] or 5)
        order = order_of(run)
        state = order.state()
        for minibatch in minibatches:
            fields = (part.split("=") for part in minibatch[4].split())
            expected = (
                [int(number) for number in minibatch[3].split()],
                minibatch[1] == "1",
                minibatch[2] == "1",
                {field: int(value) for field, value in fields},
            )
            assert next_of(order, int(run["mb"]), width) == expected, run[0]
            resumed = order_of(run)
            resumed.restore(state)
            assert next_of(resumed, int(run["mb"]), width) == expected, run[0]
            state = order.state()
            count += 1
    assert count > 40


def test_the_generator_matches_cpp():
    random = Mt19937(5489)
    # The C++ standard gives the 10000th number of this seed.
    assert [random() for _ in range(10000)][-1] == 9981545732273789042
