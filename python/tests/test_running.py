"""Stopping, going on, and other threads."""

from __future__ import annotations

import json
import sys
import threading
import time

import numpy as np
import pytest

import sheaf

STREAMS = ["features:dense:64", "labels:sparse:10"]


def contents(minibatch):
    return (
        minibatch.sequence_keys.tolist(),
        minibatch["features"].values.tobytes(),
        minibatch["labels"].indices.tobytes(),
        minibatch.ends_sweep,
        minibatch.position,
    )


@pytest.mark.parametrize("stop_after", [0, 1, 7, 22, 23, 40, 45])
def test_going_on_from_a_position_equals_not_stopping(digits, stop_after):
    def open_at(position):
        return sheaf.Reader(
            digits / "train.ctf", STREAMS, batch_size=64, sweeps=2, position=position
        )

    whole = [contents(minibatch) for minibatch in open_at(None)]
    reader = open_at(None)
    for _ in range(stop_after):
        next(reader)
    json.loads(reader.position)  # it is JSON
    assert [contents(mb) for mb in open_at(reader.position)] == whole[stop_after:]


def test_the_position_of_a_minibatch_is_the_one_after_it(digits):
    reader = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64)
    first = next(reader)
    assert first.position == reader.position
    next(reader)
    resumed = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64, position=first.position)
    assert next(resumed).sequence_keys[0] == 80  # the 65th image that is for training


def test_a_position_of_another_run_is_refused(digits):
    position = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64).position
    with pytest.raises(sheaf.ConfigError, match="minibatch_size"):
        sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=32, position=position)
    with pytest.raises(sheaf.ConfigError):
        sheaf.Reader(digits / "test.ctf", STREAMS, batch_size=64, position=position)


def test_threads_and_memory_limit_change_nothing(digits):
    def run(**options):
        reader = sheaf.Reader(
            digits / "train.ctf", STREAMS, batch_size=50, chunk_size_bytes=8192, **options
        )
        return [contents(minibatch) for minibatch in reader]

    expected = run(threads=1)
    assert run(threads=4) == expected
    assert run(threads=2, memory_limit=8 << 20) == expected


def test_other_threads_run_while_a_minibatch_is_waited_for(tmp_path):
    # A first minibatch that takes a while: one sequence of many values.
    rng = np.random.default_rng(7)
    row = " ".join(f"{value:.9f}" for value in rng.standard_normal(2000))
    path = tmp_path / "large.ctf"
    path.write_text("".join(f"0 |x {row}\n" for _ in range(3000)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody is made to give the GIL away
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        begin = time.monotonic()
        minibatch = next(sheaf.Reader(path, ["x:dense:2000"], batch_size=1, threads=1))
        end = time.monotonic()
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert minibatch.sample_count == 3000
    during = [moment for moment in ticks if begin + 0.002 < moment < end - 0.002]
    assert end - begin > 0.02, "the file is too small for this test"
    assert len(during) >= 3


def test_a_reader_can_be_shared_by_threads(digits):
    reader = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=7, sweeps=3)
    keys: list[int] = []

    def work() -> None:
        for minibatch in reader:
            keys.extend(minibatch.sequence_keys.tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=7, sweeps=3)
    assert sorted(keys) == sorted(key for mb in everything for key in mb.sequence_keys.tolist())
