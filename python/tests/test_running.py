"""Stopping, resuming, and other threads."""

from __future__ import annotations

import json
import os
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
def test_a_resumed_run_equals_an_uninterrupted_run(digits, stop_after):
    def read():
        return sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64, sweeps=2)

    whole = [contents(minibatch) for minibatch in read()]
    reader = read()
    minibatches = iter(reader)
    for _ in range(stop_after):
        next(minibatches)
    state = json.loads(json.dumps(reader.state_dict()))
    assert state == reader.state_dict()
    resumed = read()
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    if stop_after == len(whole):  # behind the end of an epoch is before the next one
        assert resumed.epoch == 1
    else:
        assert resumed.epoch == 0
        assert [contents(minibatch) for minibatch in resumed] == whole[stop_after:]


def test_a_minibatch_has_the_position_after_it(digits):
    reader = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64)
    minibatches = iter(reader)
    first = next(minibatches)
    assert first.position == reader.state_dict()
    next(minibatches)
    reader.load_state_dict(first.position)
    assert next(iter(reader)).sequence_keys[0] == 80  # the 65th image that is for training


def test_a_state_of_another_run_is_refused(digits):
    state = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=64).state_dict()
    for name, size in (("train.ctf", 32), ("test.ctf", 64)):
        reader = sheaf.Reader(digits / name, STREAMS, batch_size=size)
        with pytest.raises(sheaf.ConfigError):
            reader.load_state_dict(state)
        assert reader.state_dict()["sequence"] == 0
    with pytest.raises(sheaf.ConfigError, match="minibatch_size"):
        sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=32).load_state_dict(state)
    with pytest.raises(sheaf.ConfigError, match="position"):
        reader.load_state_dict({"x": 1})


def test_threads_and_memory_limit_do_not_change_the_data(digits):
    def run(**options):
        reader = sheaf.Reader(
            digits / "train.ctf", STREAMS, batch_size=50, chunk_size_bytes=8192, **options
        )
        return [contents(minibatch) for minibatch in reader]

    expected = run(num_threads=1)
    assert run(num_threads=4) == expected
    assert run(num_threads=2, memory_limit=8 << 20) == expected


def test_other_threads_run_while_the_reader_waits(tmp_path):
    # A first minibatch that takes a while: one sequence of many values.
    rng = np.random.default_rng(7)
    row = " ".join(f"{value:.9f}" for value in rng.standard_normal(2000))
    path = tmp_path / "large.ctf"
    path.write_text("".join(f"0 |x {row}\n" for _ in range(3000)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread is forced to release the GIL
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
        reader = sheaf.Reader(path, ["x:dense:2000"], batch_size=1, num_threads=1)
        minibatch = next(iter(reader))
        end = time.monotonic()
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert minibatch.sample_count == 3000
    during = [moment for moment in ticks if begin + 0.002 < moment < end - 0.002]
    assert end - begin > 0.02, "the file is too small for this test"
    assert len(during) >= 3


def test_an_epoch_can_be_shared_by_threads(digits):
    reader = sheaf.Reader(digits / "train.ctf", STREAMS, batch_size=7, sweeps=3)
    everything = sorted(key for mb in reader for key in mb.sequence_keys.tolist())
    reader.set_epoch(0)
    minibatches = iter(reader)
    keys: list[int] = []

    def work() -> None:
        for minibatch in minibatches:
            keys.extend(minibatch.sequence_keys.tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(keys) == everything


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_cannot_use_the_reader_of_its_parent(digits):
    reader = sheaf.Reader(digits / "train.ctf", STREAMS)
    child = os.fork()
    if child == 0:
        try:
            iter(reader)
        except sheaf.ConfigError as error:
            os._exit(7 if "before a fork" in str(error) else 1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert next(iter(reader)).sequence_keys[0] == 0
