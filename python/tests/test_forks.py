"""Processes that fork while readers run."""

from __future__ import annotations

import multiprocessing
import os
import threading

import pytest

import sheaf

STREAMS = ["features:dense:64", "labels:sparse:10"]

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

CHILDREN = 40
SECONDS = 60  # a child needs a few hundredths


def reader_of(path):
    return sheaf.Reader(path, STREAMS, batch_size=64, num_threads=2)


def read_in_child(path, inherited, answers):
    """Read the data with a reader of this process; return the error of the parent's reader."""
    refusals = []
    for use in (iter, len, sheaf.Reader.state_dict, lambda reader: reader.sequence_count):
        try:
            use(inherited)
            refusals.append("")
        except sheaf.ConfigError as error:
            refusals.append(str(error))
    with reader_of(path) as reader:
        answers.put((sum(len(minibatch.sequence_keys) for minibatch in reader), refusals))


def test_children_read_while_a_reader_of_the_parent_runs(digits):
    path = digits / "train.ctf"
    fork = multiprocessing.get_context("fork")
    is_over = threading.Event()
    with reader_of(path) as counted:
        sequences = counted.sequence_count
    running = reader_of(path)

    def run():
        while not is_over.is_set():
            for _ in running:
                pass

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(CHILDREN):
            answers = fork.SimpleQueue()
            child = fork.Process(target=read_in_child, args=(path, running, answers))
            child.start()
            child.join(SECONDS)
            assert child.exitcode == 0, "it hangs, or has crashed"
            count, refusals = answers.get()
            assert count == sequences
            assert all("made before a fork" in refusal for refusal in refusals), refusals
    finally:
        is_over.set()
        thread.join()
