"""Ctrl-C ends every long call, and interrupted objects can be used again."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import sheaf

CHUNKS = 400
SECONDS = 0.05  # that reading a chunk takes


class Slow(sheaf.Deserializer):
    """Chunks that take long to read, without work for the processor: 20 seconds for all."""

    streams = ("x:dense:4",)

    def __init__(self):
        self.seconds = SECONDS
        self.reads = 0

    def chunks(self):
        return [4] * CHUNKS

    def read(self, chunk):
        self.reads += 1
        time.sleep(self.seconds)
        return {"x": np.full((4, 4), chunk, np.float32)}


@pytest.fixture(autouse=True)
def handler():
    """Let Ctrl-C raise KeyboardInterrupt, even if the shell ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(work, seconds, raised=KeyboardInterrupt):
    """Check that Ctrl-C after some seconds ends a call; return the exception."""
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    # Python ignores exceptions in callbacks of weak references, which the collector may run at
    # any time: KeyboardInterrupt would get lost there.
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(raised) as caught:
            timer.start()
            work()
            timer.join()
            pytest.fail("it ran to its end")
    finally:
        gc.enable()
    timer.join()
    return caught.value


def read_all(slow, _):
    for _ in sheaf.Reader(slow, batch_size=4 * CHUNKS):
        pass


def check_all(slow, _):
    sheaf.check(slow)


def check_on_many_threads(slow, _):
    sheaf.check(slow, num_threads=5)


def convert_all(slow, folder):
    sheaf.convert(slow, folder / "out.ctf")


def convert_on_one_thread(slow, folder):
    sheaf.convert(slow, folder / "out.cbf", num_threads=1)


def convert_shuffled(slow, folder):
    sheaf.convert(slow, folder / "out.ctf", order="keyed", window=CHUNKS)


def arrow_to_file(slow, folder):
    sheaf.from_arrow(sheaf.to_arrow(slow), folder / "out.ctf")


def noise_of_all(slow, _):
    sheaf.order(slow, noise_of="x", batch_size=4)


def all_sequences(slow, _):
    for _ in sheaf.open(slow):
        pass


VERBS = (
    read_all,
    check_all,
    check_on_many_threads,
    convert_all,
    convert_on_one_thread,
    convert_shuffled,
    arrow_to_file,
    noise_of_all,
    all_sequences,
)


@pytest.mark.parametrize("seconds", [0.05, 0.2])
@pytest.mark.parametrize("verb", VERBS)
def test_ctrl_c_ends_each_verb(tmp_path, verb, seconds):
    slow = Slow()
    interrupted(lambda: verb(slow, tmp_path), seconds)
    assert slow.reads < CHUNKS
    assert os.listdir(tmp_path) == []
    slow.seconds = 0
    verb(slow, tmp_path)


def test_ctrl_c_ends_the_measuring_of_an_order():
    quick = Slow()
    quick.seconds = 0
    with sheaf.Reader(quick, batch_size=2, order="keyed", world_size=8) as reader:
        interrupted(lambda: sheaf.order(reader, steps=50_000_000), 0.2)
        assert sheaf.order(reader, steps=5)["looked_at"]["steps"] == 5


def test_ctrl_c_ends_a_read_of_one_sequence():
    slow = Slow()
    data = sheaf.open(slow)
    slow.seconds = 1
    interrupted(lambda: data.sequence_at(3), 0.1)
    slow.seconds = 0
    assert data.sequence_at(5).x.values[0, 0] == 1


def test_an_interrupted_reader_continues():
    slow = Slow()
    minibatches = iter(sheaf.Reader(slow, batch_size=4, num_threads=1))
    first = next(minibatches).x.values[0, 0, 0]
    slow.seconds = 0.5
    interrupted(lambda: [next(minibatches) for _ in range(CHUNKS)], 0.2)
    slow.seconds = 0
    rest = [minibatch.x.values[0, 0, 0] for minibatch in minibatches]
    assert rest == sorted(rest)
    assert rest[-1] == CHUNKS - 1
    assert first == 0


@pytest.mark.parametrize("batched", [False, True])
def test_ctrl_c_does_not_wait_for_a_function(tmp_path, batched):
    path = tmp_path / "train.ctf"
    path.write_text("".join(f"{key} |x {key}\n" for key in range(8)))
    may_end = threading.Event()

    def waits(x):
        assert may_end.wait(60)
        return x

    function = sheaf.map(waits, "x", batched=batched)
    with sheaf.Reader(path, transforms=[function], batch_size=8, num_threads=2) as reader:
        minibatches = iter(reader)
        interrupted(lambda: next(minibatches), 0.2)
        interrupted(lambda: reader.sequence(3), 0.2)
        may_end.set()
        assert next(minibatches).x.values.reshape(-1).tolist() == list(range(8))
        assert reader.sequence(3).x.values.reshape(-1).tolist() == [3]


def test_ctrl_c_works_while_another_thread_uses_the_reader():
    slow = Slow()
    reader = sheaf.Reader(slow, batch_size=4 * CHUNKS)
    minibatches = iter(reader)
    waiting = threading.Thread(target=lambda: next(minibatches, None))
    waiting.start()
    time.sleep(0.1)
    interrupted(lambda: reader.stats, 0.1)
    slow.seconds = 0
    waiting.join(60)
    assert reader.stats["minibatches"] == 1


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a file that takes a while to scan: 120 MB."""
    path = tmp_path_factory.mktemp("large") / "large.ctf"
    lines = ("|x" + 20 * " 0.123456789" + "\n") * 1000
    with open(path, "w") as file:
        for _ in range(500):
            file.write(lines)
    yield path
    path.unlink()


def scan(path):
    return len(sheaf.open(path, ["x:dense:20"], index="off", num_threads=1))


def infer(path):
    return sheaf.infer(path, index="off", num_threads=1)


def keys(path):
    return sheaf.open(path, ["x:dense:20"], index="off", num_threads=1).keys


def chunks(path):
    return sheaf.open(path, ["x:dense:20"], index="off", num_threads=1).chunks


@pytest.mark.parametrize("verb", [scan, infer, keys, chunks])
def test_ctrl_c_ends_a_scan(large, verb):
    interrupted(lambda: verb(large), 0.002)


def test_ctrl_c_ends_writing_and_leaves_no_file(tmp_path):
    values = np.full((400_000, 40), 0.123456789, np.float32)
    writer = sheaf.Writer(tmp_path / "out.ctf", ["x:dense:40"])
    writer.write(0, {"x": values[0]})

    def stop():
        while writer.sequence_count == 1:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    stopping = threading.Thread(target=stop)
    with pytest.raises(KeyboardInterrupt):
        stopping.start()
        writer.write_batch(np.arange(1, 400_001), {"x": values})
        stopping.join()
    assert 1 < writer.sequence_count < 400_001
    for _ in range(2):
        with pytest.raises(sheaf.ConfigError, match="writing was interrupted"):
            writer.write(400_001, {"x": values[0]})
    with pytest.raises(sheaf.ConfigError, match="writing was interrupted"):
        writer.close()
    assert os.listdir(tmp_path) == []


def test_batches_of_any_size_write_the_same_file(tmp_path):
    values = np.arange(80_000, dtype=np.float32).reshape(20_000, 4)
    lengths = np.tile([1, 3], 5_000)
    written = []
    for size in (10_000, 100):
        with sheaf.Writer(tmp_path / "out.cbf", ["x:dense:4"]) as writer:
            for first in range(0, 10_000, size):
                part = slice(2 * first, 2 * (first + size))
                writer.write_batch(
                    np.arange(first, first + size),
                    {"x": (values[part], lengths[first : first + size])},
                )
        written.append((tmp_path / "out.cbf").read_bytes())
    assert written[0] == written[1]


class ArrowStream(ctypes.Structure):
    """The C interface, as Arrow's pages give it."""


GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.c_void_p)
TEXT = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowStream))
RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))
ArrowStream._fields_ = [
    ("get_schema", GET),
    ("get_next", GET),
    ("get_last_error", TEXT),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]


def taken(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.POINTER(ArrowStream)
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, b"arrow_array_stream")


def test_an_interrupted_arrow_stream_returns_an_error_and_continues():
    slow = Slow()
    slow.seconds = 1
    capsule = sheaf.to_arrow(slow, num_threads=1).__arrow_c_stream__()
    stream = taken(capsule)
    array = (ctypes.c_int64 * 10)()
    codes = []
    interrupted(lambda: codes.append(stream.contents.get_next(stream, array)), 0.1)
    slow.seconds = 0
    assert codes in ([], [errno.EINTR])  # Python raises it before or after the call of append()
    text = stream.contents.get_last_error(stream)
    assert text == b"interrupted by a signal: KeyboardInterrupt"
    assert stream.contents.get_next(stream, array) == 0
    assert array[0] == 4 * CHUNKS, "no row is lost"


def test_ctrl_c_ends_a_table_of_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    slow = Slow()

    def table():
        try:
            pyarrow.table(sheaf.to_arrow(slow))
        except OSError as error:
            assert "interrupted by a signal: KeyboardInterrupt" in str(error)
            time.sleep(0)  # Python raises KeyboardInterrupt here

    interrupted(table, 0.2)
    assert slow.reads < CHUNKS
    slow.seconds = 0
    assert pyarrow.table(sheaf.to_arrow(slow)).num_rows == 4 * CHUNKS


def test_counts_of_an_open_file_are_available_on_another_thread(tmp_path):
    slow = Slow()
    slow.seconds = 0.002
    reader = sheaf.Reader(slow, num_threads=1, batch_size=4)
    writer = sheaf.Writer(tmp_path / "out.ctf", ["x:dense:4"])
    file = writer._file

    def write():
        for minibatch in reader:
            assert file.write_minibatch(minibatch)

    seen = []
    done = threading.Event()

    def look():
        while not done.is_set():
            seen.append(file.stats()[0])
            time.sleep(0.001)

    looking = threading.Thread(target=look)
    warned = []
    warnings = threading.Thread(target=lambda: warned.append(file.warnings))
    writing = threading.Thread(target=write, daemon=True)
    for thread in (looking, writing, warnings):
        thread.start()
    writing.join(60)
    done.set()
    assert not writing.is_alive(), "two threads wait for each other"
    looking.join(60)
    warnings.join(60)
    assert warned == [[]]
    assert seen == sorted(seen)
    writer.close()
    assert file.stats()[0] == 4 * CHUNKS


def test_exceptions_of_importing_numpy_are_raised_unchanged(tmp_path):
    program = """
        import sys
        import sheaf

        class Finder:
            def find_spec(self, name, path, target=None):
                if name == "numpy":
                    raise KeyboardInterrupt

        with open("x.ctf", "w") as file:
            file.write("0 |x 1\\n")
        minibatch = next(iter(sheaf.Reader("x.ctf")))
        sys.meta_path.insert(0, Finder())
        try:
            minibatch.x.values
        except KeyboardInterrupt:
            print("as it is")
        del sys.meta_path[0]
        print(minibatch.x.values.tolist())
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("as it is\n[[[1.0]]]\n", "")
