"""Data sources written in Python, and readers of them: threads, forks, the end, and Ctrl-C."""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import sheaf
from conftest import DIGITS


class Counting(sheaf.Deserializer):
    """Chunks of 100 sequences, with a note of each array."""

    streams = ("x:dense:64",)

    def __init__(self, chunk_count=50, on_read=None):
        self.chunk_count = chunk_count
        self.on_read = on_read
        self.arrays = []

    def chunks(self):
        return [100] * self.chunk_count

    def read(self, chunk):
        if self.on_read is not None:
            self.on_read(chunk)
        array = np.full((100, 64), chunk, np.float32)
        self.arrays.append(weakref.ref(array))
        return {"x": array}

    def alive(self):
        return sum(array() is not None for array in self.arrays)


def eventually(condition, seconds=5.0):
    """Return whether a condition becomes true: threads release objects after a while."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.005)
    return condition()


of_others = set()  # threads that tests of other files left behind


def threads():
    found = [thread for thread in threading.enumerate() if thread not in of_others]
    return [thread.name for thread in found if thread.name.startswith("sheaf")]


@pytest.fixture(autouse=True, scope="module")
def threads_before():
    of_others.update(threading.enumerate())


@pytest.fixture(autouse=True)
def no_threads_stay(threads_before):
    yield
    assert eventually(lambda: not threads()), threads()


# Lifetimes of kept objects.


def test_arrays_live_exactly_as_long_as_their_chunk():
    source = Counting()
    reader = sheaf.Reader(source, batch_size=10)
    minibatches = iter(reader)
    kept = [next(minibatches) for _ in range(15)]
    assert source.alive() < 50  # chunks packed ahead of the loop may be released already
    kept += minibatches
    assert eventually(lambda: source.alive() == 0)
    assert [mb.x.values[0, 0, 0] for mb in kept] == [i // 10 for i in range(500)]
    del minibatches
    reader.sequence(0)  # its chunk may be asked for again
    assert source.alive() == 1
    reader.close()
    assert eventually(lambda: source.alive() == 0)


def test_arrays_are_kept_while_the_order_holds_their_chunk():
    source = Counting()
    with sheaf.Reader(source, batch_size=10, order="keyed") as reader:
        minibatches = iter(reader)
        kept = [next(minibatches) for _ in range(15)]
        assert 1 <= source.alive() <= 50
        kept += minibatches
        assert len(kept) == 500
        del minibatches
    assert eventually(lambda: source.alive() == 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_sweeps_do_not_leak():
    def resident_bytes():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

    source = Counting()
    reader = sheaf.Reader(source, batch_size=100, order="keyed", sweeps=0)
    minibatches = iter(reader)

    def consume(count):
        for _ in range(count):
            next(minibatches)
        source.arrays.clear()
        gc.collect()

    consume(1000)
    before = resident_bytes()
    consume(5000)
    assert resident_bytes() - before < 8 << 20  # the chunks are 128 MB


def test_a_thread_ends_with_its_deserializer():
    source = Counting()
    assert not threads()  # it is started when it is needed
    reader = sheaf.Reader(source, batch_size=10)
    next(iter(reader))
    assert threads() == ["sheaf Counting"]
    del source
    assert threads() == ["sheaf Counting"]
    next(iter(reader))
    del reader
    assert eventually(lambda: not threads())


def test_each_copy_has_its_own_thread():
    source = Counting()
    reader = sheaf.Reader(source)
    copies = [copy.copy(source), pickle.loads(pickle.dumps(Counting(3)))]
    readers = [sheaf.Reader(each) for each in copies]
    assert len(threads()) == 3
    assert [each.sequence_count for each in (reader, *readers)] == [5000, 5000, 300]


def test_exceptions_are_released():
    def fail(chunk):
        raise OSError(chunk)

    source = Counting(on_read=fail)
    reader = sheaf.Reader(source)
    for _ in range(50):
        with pytest.raises(OSError):
            list(reader)
    server = source.__dict__["_sheaf_servers"][0]
    assert eventually(lambda: len(server._kept) < 60)  # exceptions of the last epoch remain
    reader.close()
    assert eventually(lambda: not server._kept)


def test_cycles_are_collected():
    class Error(Exception):
        pass

    def fail(chunk):
        if chunk == 3:
            raise Error

    def make():
        source = Counting(on_read=fail)
        source.reader = sheaf.Reader(source, batch_size=10)
        source.minibatches = iter(source.reader)
        with pytest.raises(Error) as caught:
            list(source.minibatches)
        source.error = caught.value
        with pytest.raises(Error):
            list(source.reader)
        return weakref.ref(source), weakref.ref(source.reader)

    for reference in make():
        assert eventually(lambda reference=reference: reference() is None)


def test_a_reader_may_be_collected_by_the_thread_that_it_waits_for():
    holder = {}

    def collect(chunk):
        if chunk == 1:
            arrived.set()
            gone.wait(5)
            gc.collect()
            collected.append(holder["reader"]() is None)

    arrived, gone, collected = threading.Event(), threading.Event(), []
    source = Counting(on_read=collect)
    reader = sheaf.Reader(source, batch_size=10)
    cycle = [reader, iter(reader)]
    cycle.append(cycle)
    next(cycle[1])
    arrived.wait(5)
    holder["reader"] = weakref.ref(reader)
    gc.disable()
    try:
        del reader, cycle
        gone.set()
        assert eventually(lambda: bool(collected))
    finally:
        gc.enable()
    assert collected == [True]
    assert sum(mb.sequence_count for mb in sheaf.Reader(source)) == 5000


def test_threads_may_share_a_reader():
    reader = sheaf.Reader(Counting(), batch_size=7, order="keyed", num_threads=3)
    minibatches = iter(reader)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        shares = [pool.submit(lambda: [mb.sequence_keys for mb in minibatches]) for _ in range(4)]
        keys = [key for share in shares for some in share.result() for key in some.tolist()]
    assert sorted(keys) == list(range(5000))


def test_closing_waits_only_for_reads_in_progress():
    reads = []
    source = Counting(on_read=lambda chunk: (reads.append(chunk), time.sleep(0.02)))
    reader = sheaf.Reader(source, batch_size=10, num_threads=2)
    next(iter(reader))
    before = len(reads)
    reader.close()
    assert len(reads) <= before + 4


# The end of the interpreter.

PROLOGUE = """
import atexit, contextlib, os, sys, threading, time
import numpy as np
import sheaf

class Source(sheaf.Deserializer):
    streams = {"x": sheaf.Stream(dim=4)}
    seconds = 0
    def chunks(self):
        return [10] * 100
    def read(self, chunk):
        time.sleep(self.seconds)
        return {"x": np.zeros((10, 4), np.float32)}

source = Source()
reader = sheaf.Reader(source, batch_size=5, num_threads=2)
minibatches = iter(reader)
next(minibatches)
"""


def run(program, seconds=20):
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROLOGUE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip(), time.monotonic() - begin


@pytest.mark.parametrize(
    ("program", "out"),
    [
        ("print('end')", "end"),
        ("Source.seconds = 0.3; time.sleep(0.01); print('end')", "end"),
        # Threads that run for a while, and a thread that is never joined.
        (
            """
            Source.seconds = 0.001
            threading.Thread(target=lambda: print(len(list(minibatches)))).start()
            """,
            "199",
        ),
        (
            """
            Source.seconds = 0.001
            def work():
                with contextlib.suppress(sheaf.ConfigError):  # the interpreter ends
                    list(minibatches)
            threading.Thread(target=work, daemon=True).start()
            time.sleep(0.02)
            print('end')
            """,
            "end",
        ),
        (
            f"""
            file = sheaf.Reader({str(DIGITS / "train.ctf")!r}, batch_size=5, sweeps=0)
            threading.Thread(target=lambda: list(file), daemon=True).start()
            time.sleep(0.02)
            print('end')
            """,
            "end",
        ),
        # Later registrations with atexit run first. Earlier ones find the server ended.
        ("atexit.register(lambda: print(next(minibatches).sequence_count))", "5"),
        ("keep = reader, source; del reader, source; print('end')", "end"),
    ],
)
def test_the_interpreter_ends_during_any_operation(program, out):
    assert run(program)[:3] == (0, out, "")


def test_a_blocked_read_does_not_keep_the_interpreter_from_ending():
    code, out, err, seconds = run(
        """
        import sheaf._user.serving
        sheaf._user.serving._END_SECONDS = 0.2
        Source.seconds = 100
        time.sleep(0.05)
        print('end')
        """
    )
    assert (code, out, err) == (0, "end", "")
    assert seconds < 10


# A fork.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("kind", ["source", "file"])
def test_a_forked_process_cannot_use_the_reader_of_its_parent(kind, digits):
    program = """
        class FileLike: pass
        if KIND == "file":
            reader = sheaf.Reader(PATH, ["labels:sparse:10"], batch_size=5, num_threads=2)
            minibatches = iter(reader)
            next(minibatches)
        reader.sequence(1)
        fresh = iter(reader)
        child = os.fork()
        if child == 0:
            actions = [
                lambda: next(minibatches), lambda: next(fresh), lambda: iter(reader),
                lambda: reader.sequence(1), lambda: reader.sequence_at(0, 1), reader.state_dict,
                lambda: reader.set_epoch(3), lambda: len(reader), reader.close,
            ]
            for action in actions:
                try:
                    action()
                except sheaf.ConfigError as error:
                    assert "made before a fork" in str(error), error
                else:
                    raise AssertionError("no error")
            del minibatches, fresh, reader, actions, action
            if KIND == "source":
                own = sheaf.Reader(source, batch_size=5)
                assert sum(mb.sequence_count for mb in own) == 1000
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(1 + sum(1 for _ in minibatches))
    """.replace("KIND", repr(kind)).replace("PATH", repr(str(digits / "train.ctf")))
    code, out, err, _ = run(program)
    warnings = [line for line in err.splitlines() if "fork" not in line]
    assert (code, warnings) == (0, [])
    assert out.split() == ["7", "200" if kind == "source" else "288"]


# Ctrl-C. A shell may start background programs with SIGINT ignored, and their children inherit
# this setting.


@pytest.fixture(autouse=True)
def heeds_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupted(seconds=0.15):
    """Send Ctrl-C after a while; return how long the answer took, and check that all work ends."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.monotonic() - sent[0] < 5, "it is to be about 0.1 s, on a machine at rest"
    timer.join()
    assert eventually(is_quiet), "threads are still busy"


def is_quiet():
    before = time.process_time()
    time.sleep(0.05)
    return time.process_time() - before < 0.02


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return some 16 GB to scan: one file of 64 MB under many names."""
    folder = tmp_path_factory.mktemp("large")
    rows = "".join(f"{i} |x {i % 10} {i % 7} |y {i % 9}:1\n" for i in range(100_000))
    first = folder / "part-000.ctf"
    first.write_text(rows * (64_000_000 // len(rows)))
    for i in range(1, 250):
        (folder / f"part-{i:03}.ctf").symlink_to(first)
    yield folder / "part-*.ctf"
    first.unlink()


OPTIONS = {"same_keys": "number", "skip_sequence_ids": True, "index": "off", "num_threads": 2}


def test_ctrl_c_ends_the_search_for_streams(large):
    with interrupted():
        sheaf.Reader(large, **OPTIONS)


def test_ctrl_c_ends_the_first_scan_and_the_next_one_works(large):
    streams = ["x:dense:2", "y:sparse:10"]
    reader = sheaf.Reader(large, streams, order="keyed", chunk_size_bytes=4 << 20, **OPTIONS)
    with interrupted():
        next(iter(reader))
    with interrupted():
        len(reader)
    in_order = sheaf.Reader(large, streams, **OPTIONS)
    with interrupted():
        assert in_order.sequence_count
    assert next(iter(in_order)).sequence_keys[0] == 0
    for each in (reader, in_order):
        each.close()


def test_ctrl_c_does_not_wait_for_a_deserializer():
    turn = threading.Event()

    class Slow(Counting):
        def chunks(self):
            turn.wait(10)
            return super().chunks()

    try:
        with interrupted():
            sheaf.Reader(Slow())
    finally:
        turn.set()

    turn = threading.Event()
    reader = sheaf.Reader(Counting(on_read=lambda chunk: turn.wait(10)), batch_size=10)
    minibatches = iter(reader)
    try:
        with interrupted():
            next(minibatches)
        with interrupted():
            reader.sequence(5)
    finally:
        turn.set()
    assert sum(mb.sequence_count for mb in minibatches) == 5000  # the interruption lost no sequence


def test_ctrl_c_ends_a_program(large):
    program = f"""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("ready", flush=True)
        list(sheaf.Reader({str(large)!r}, same_keys="number", index="off"))
    """
    with subprocess.Popen(
        [sys.executable, "-c", PROLOGUE + textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert time.monotonic() - begin < 10
    assert process.returncode == -signal.SIGINT
    assert err.splitlines()[-1] == "KeyboardInterrupt"
