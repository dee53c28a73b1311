"""Ctrl-C leaves interrupted objects unchanged: a repeated call gives the answer."""

from __future__ import annotations

import contextlib
import signal
import time

import numpy as np
import pytest

import sheaf

ROWS = 60_000


@contextlib.contextmanager
def interrupted_after(seconds):
    """Raise KeyboardInterrupt after a while, unless the block ends before."""

    def interrupt(_signal, _frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files whose keys do not rise: which of them both have is looked for on disk."""
    folder = tmp_path_factory.mktemp("interruptions")
    paths = []
    for first in (ROWS, 0):
        keys = first + np.random.default_rng(first).permutation(ROWS)
        paths.append(folder / f"{first}.ctf")
        paths[-1].write_text("".join(f"{key} |x 1\n" for key in keys))
    return paths


class Slow(sheaf.Deserializer):
    """Takes its time for each chunk."""

    streams = ("x:dense:1",)

    def chunks(self):
        return [2] * 3

    def read(self, chunk):
        time.sleep(0.06)
        return {"x": np.full((2, 1), chunk, np.float32)}


LIMITED = {"memory_limit": 8 << 20, "num_threads": 2, "index": "off"}


def keys_of(reader):
    return [key for minibatch in reader for key in minibatch.sequence_keys.tolist()]


# Name: how to make the object, and the call that is interrupted.
QUESTIONS = {
    "counts of a reader": (
        lambda files: sheaf.Reader(
            files, ["x:dense:1"], order="file", chunk_size_bytes=1 << 16, **LIMITED
        ),
        lambda reader: (reader.sequence_count, reader.sample_count),
    ),
    "minibatches of a reader": (
        lambda files: sheaf.Reader(files, ["x:dense:1"], batch_size=1000, **LIMITED),
        len,
    ),
    "keys of open data": (
        lambda files: sheaf.open(files, ["x:dense:1"], chunk_size_bytes=1 << 16, **LIMITED),
        lambda data: data.keys.tolist(),
    ),
    "a sequence of open data": (
        lambda files: sheaf.open(files, ["x:dense:1"], chunk_size_bytes=1 << 16, **LIMITED),
        lambda data: data.sequence(17).x.values.tolist(),
    ),
    "a deserializer": (
        lambda _files: sheaf.Reader(Slow(), order="file", batch_size=2, num_threads=1),
        lambda reader: [reader.sequence_at(0, number).x.values.tolist() for number in range(6)],
    ),
}


@pytest.mark.parametrize(("make", "ask"), QUESTIONS.values(), ids=QUESTIONS)
def test_an_interrupted_call_can_be_repeated(files, make, ask):
    with make(files) as subject:
        begin = time.monotonic()
        expected = ask(subject)
        duration = time.monotonic() - begin
    for part in (0.3, 0.6, 0.9):
        with make(files) as subject:
            with contextlib.suppress(KeyboardInterrupt), interrupted_after(part * duration):
                ask(subject)
            assert ask(subject) == expected
