"""Data sources written in Python: their chunks, orders, joins, parts, and exceptions."""

from __future__ import annotations

import json
import os
import threading

import numpy as np
import pytest

import sheaf

DIM = 50
STREAMS = {"x": sheaf.Stream(dim=3), "y": sheaf.Stream(dim=DIM, sparse=True)}


class Source(sheaf.Deserializer):
    """Sequences of 1 to 4 samples, as flat arrays; `answer` changes what is read."""

    streams = STREAMS

    def __init__(self, chunk_count=12, size=10, *, keys=lambda chunk, i: 1000 + 10 * chunk + i):
        self.lengths = [[1 + (c + i * i) % 4 for i in range(size)] for c in range(chunk_count)]
        self.keys = [[keys(c, i) for i in range(size)] for c in range(chunk_count)]
        self.reads = []
        self.answer = None

    def chunks(self):
        for lengths, keys in zip(self.lengths, self.keys, strict=True):
            yield sheaf.Chunk(samples=lengths, keys=keys)

    def rows(self, chunk):
        rows = sum(self.lengths[chunk])
        first = sum(map(sum, self.lengths[:chunk]))
        x = first + np.arange(3 * rows, dtype=np.float32).reshape(rows, 3) / 4
        counts = (first + np.arange(rows)) % 3
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices = np.concatenate([np.arange(n, dtype=np.int32) * 7 + n for n in counts] or [[]])
        return x, (np.ones(indptr[-1], np.float32) / 2, indices.astype(np.int32), indptr)

    def read(self, chunk):
        self.reads.append(chunk)
        x, y = self.rows(chunk)
        data = {"x": x, "y": y}
        return data if self.answer is None else self.answer(chunk, data)


def contents(minibatches):
    return [
        (
            mb.sequence_keys.tolist(),
            mb.key_texts,
            mb.x.values.tobytes(),
            mb.x.lengths.tolist(),
            mb.y.data.tobytes(),
            mb.y.indices.tobytes(),
            mb.y.indptr.tolist(),
            mb.ends_sweep,
            mb.ends_epoch,
        )
        for mb in minibatches
    ]


def write_ctf(path, source, size_bytes=120):
    """Write the same data with sequences of equal bytes: the file has the source's chunks."""
    with open(path, "w") as file:
        for chunk, lengths in enumerate(source.lengths):
            x, (data, indices, indptr) = source.rows(chunk)
            row = 0
            for key, length in zip(source.keys[chunk], lengths, strict=True):
                for _ in range(length):
                    pairs = " ".join(
                        f"{indices[k]}:{data[k]}" for k in range(indptr[row], indptr[row + 1])
                    )
                    text = f"{key} |x {' '.join(map(str, x[row].tolist()))} |y {pairs}"
                    width = 4 * size_bytes // length - 1
                    assert len(text) <= width
                    file.write(text.ljust(width) + "\n")
                    row += 1
    return 4 * size_bytes * len(source.lengths[0])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "keyed", "seed": 5},
        {"order": "keyed", "seed": 5, "window": 3, "batching": "bucketed"},
        {"order": "cntk", "seed": 2, "window": 4},
        {"order": "keyed", "rank": 1, "world_size": 3, "sweeps": 2},
        {"order": "keyed", "window": 4, "num_threads": 1, "memory_limit": 4 << 20},
    ],
)
def test_a_deserializer_delivers_the_same_as_a_file(tmp_path, options):
    source = Source()
    chunk_size = write_ctf(tmp_path / "same.ctf", source)
    if "order" in options:  # for files, the default window is 4 GiB of chunks
        options = {"window": 128, **options}
    path = tmp_path / "same.ctf"
    file = sheaf.Reader(path, STREAMS, batch_size=7, chunk_size_bytes=chunk_size, **options)
    own = sheaf.Reader(source, batch_size=7, **options)
    assert "chunks: 12" in repr(file) and "chunks: 12" in repr(own)
    assert len(own) == len(file)
    expected = contents(file)
    assert contents(own) == expected
    assert contents(own) == contents(file)  # the next epoch
    assert own.sequence_count == file.sequence_count == 120
    assert contents([own.sequence(1055)]) == contents([file.sequence(1055)])
    if "batching" not in options:
        assert contents([own.sequence_at(1, 17)]) == contents([file.sequence_at(1, 17)])
    with pytest.raises(KeyError):
        own.sequence(7)


@pytest.mark.parametrize("chunk_count", [3, 12, 100])
@pytest.mark.parametrize("order", ["file", "cntk", "keyed"])
def test_each_chunk_is_read_once_a_sweep(order, chunk_count):
    source = Source(chunk_count)
    reader = sheaf.Reader(source, batch_size=16, order=order)
    assert sum(mb.sequence_count for mb in reader) == 10 * chunk_count
    assert sorted(source.reads) == list(range(chunk_count))


def test_the_repr_names_the_class_and_the_streams():
    text = repr(sheaf.Reader(Source()))
    assert text.startswith("<sheaf.Reader of Source\n  120 sequences, ")
    assert f"y: sparse float32 [{DIM}]" in text


# Descriptions of chunks.


class Chunks(sheaf.Deserializer):
    streams = ("x:dense:1",)

    def __init__(self, *chunks):
        self._chunks = chunks

    def chunks(self):
        return self._chunks

    def read(self, chunk):
        said = self._chunks[chunk]
        if isinstance(said, int):
            return {"x": np.full((said, 1), chunk, np.float32)}
        total = np.sum(said.samples) if np.ndim(said.samples) else said.samples * 2
        return {"x": np.full((total, 1), chunk, np.float32)}


def test_chunks_may_be_given_as_counts():
    (minibatch,) = sheaf.Reader(Chunks(2, sheaf.Chunk(2, samples=3), 1), packing="ragged")
    assert minibatch.x.values.ravel().tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 2]
    assert minibatch.sequence_keys.tolist() == [0, 1, 2, 3, 4]
    assert list(sheaf.Reader(Chunks())) == []


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([0], "Chunks: chunk 0: a chunk has at least one sequence: got 0"),
        ([2, 1.5], "Chunks: chunk 1: sequences: expected a whole number, got 1.5"),
        ([2, -1], "chunk 1: sequences: expected at least 0, got -1"),
        ([sheaf.Chunk()], "chunk 0: how many sequences it has is not said"),
        ([sheaf.Chunk(2, keys=[1])], "that differ: {'keys': 1, 'sequences': 2}"),
        ([sheaf.Chunk(samples=[1, 0])], "at least one sample: got 0 of its sequence 1"),
        ([sheaf.Chunk(samples=[1.5])], "samples: expected a whole number for each sequence"),
        ([sheaf.Chunk(samples=[-1])], "expected numbers from 0 to 9223372036854775807, got -1"),
        ([sheaf.Chunk(keys=[-1])], "expected numbers from 0 to 18446744073709551615, got -1 to -1"),
        ([sheaf.Chunk(keys="ab")], "keys: expected one for each sequence, got 'ab'"),
        ([sheaf.Chunk(keys=["a", 1])], "all are texts or none is: got 1 for sequence 1"),
        ([sheaf.Chunk(keys=["a"]), sheaf.Chunk(keys=[1])], "chunk 1: all chunks have keys of one"),
        ([1, sheaf.Chunk(keys=[1])], "chunk 1: all chunks have keys of one kind"),
        (
            [sheaf.Chunk(keys=[5, 3]), sheaf.Chunk(keys=[4, 5])],
            "Chunks: the key 5 is there twice: in chunk 0 as sequence 0, in chunk 1 as sequence 1",
        ),
        ([sheaf.Chunk(keys=["q", "r", "q"])], "Chunks: the key q is there twice"),
    ],
)
def test_wrong_chunks_are_refused(chunks, text):
    with pytest.raises(sheaf.ConfigError) as caught:
        sheaf.Reader(Chunks(*chunks))
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("streams", "text"),
    [
        ({}, "it has no streams"),
        ({"x": sheaf.Stream()}, 'stream "x": it needs a dim or a shape'),
        ({"x": sheaf.Stream(dim=1, alias="a")}, "no alias"),
        ({"x": sheaf.Stream(dim=1, dtype="bytes")}, "opaque bytes are dense samples of the shape"),
        ({"x": 3}, "got 'x': 3"),
        (["x:dense:1:mb", "y:dense:1:mb"], "one stream can define the minibatch size"),
    ],
)
def test_wrong_streams_are_refused(streams, text):
    source = Chunks(1)
    source.streams = streams
    with pytest.raises(sheaf.ConfigError, match=text):
        sheaf.Reader(source)


def test_options_about_files_are_refused(tmp_path):
    for name, value in {"format": "ctf", "dtype": "float64", "same_keys": "number"}.items():
        with pytest.raises(sheaf.ConfigError, match=f"{name}: it is about files"):
            sheaf.Reader(Source(), join=Chunks(1), **{name: value})
    with pytest.raises(sheaf.ConfigError, match="those of Source are what it says"):
        sheaf.Reader(Source(), ["x:dense:3"])
    with pytest.raises(sheaf.ConfigError, match="let one object have all"):
        sheaf.Reader([Source(), Source()])


# Together with others.


def test_a_deserializer_joins_files_as_primary_or_second(tmp_path):
    source = Source(chunk_count=3)
    labels = tmp_path / "labels.ctf"
    keys = [key for chunk in source.keys for key in chunk]
    with open(labels, "w") as file:
        for key in reversed(keys[1:]):
            file.write(f"{key} |label {key % 10}:1\n")

    def seen(reader):
        return {
            int(key): (values.tobytes(), int(label))
            for mb in reader
            for key, values, label in zip(
                mb.sequence_keys, mb.x.values, mb.label.indices, strict=True
            )
        }

    options = {"batch_size": 1, "missing_sequences": "drop"}
    own_first = sheaf.Reader(source, join=labels, order="keyed", **options)
    assert repr(own_first).startswith("<sheaf.Reader of Source and '")
    found = seen(own_first)
    assert list(found) != keys[1:] and sorted(found) == keys[1:]
    assert all(label == key % 10 for key, (_, label) in found.items())
    for join in (source, [source], {source: None}):
        assert seen(sheaf.Reader(labels, join=join, **options)) == found
    other = Source(chunk_count=3)
    other.streams = {"x2": sheaf.Stream(dim=3), "y2": sheaf.Stream(dim=DIM, sparse=True)}
    other.answer = lambda chunk, data: {name + "2": column for name, column in data.items()}
    for minibatch in sheaf.Reader(source, join=[other, labels], batch_size=4):
        assert (minibatch.x.values == minibatch.x2.values).all()
    with pytest.raises(sheaf.ConfigError, match='Source and Source both have a stream "x"'):
        sheaf.Reader(source, join=Source())


def test_workers_share_a_deserializer():
    alone = contents(sheaf.Reader(Source(), batch_size=12, order="keyed", packing="ragged"))
    shares = [
        list(sheaf.Reader(Source(), batch_size=12, order="keyed", rank=rank, world_size=3))
        for rank in range(3)
    ]
    for step, expected in enumerate(alone):
        keys = [key for share in shares for key in share[step].sequence_keys.tolist()]
        assert sorted(keys) == sorted(expected[0])


@pytest.mark.parametrize("order", ["file", "cntk", "keyed"])
def test_a_state_resumes_the_run(order):
    def read(source):
        return sheaf.Reader(source, batch_size=9, order=order, sweeps=2)

    whole = contents(read(Source()))
    reader = read(Source())
    minibatches = iter(reader)
    for _ in range(11):
        next(minibatches)
    state = json.loads(json.dumps(reader.state_dict()))
    resumed = read(Source())
    resumed.load_state_dict(state)
    assert contents(resumed) == whole[11:]

    for other in (Source(keys=lambda c, i: 10 * c + i), Source(size=9), Versioned()):
        with pytest.raises(sheaf.ConfigError):
            read(other).load_state_dict(state)
    read(Versioned()).load_state_dict(read(Versioned()).state_dict())


class Versioned(Source):
    def fingerprint(self):
        return "2"


class Wide(sheaf.Deserializer):
    """200 chunks of 64 KiB."""

    streams = ("x:dense:1024",)

    def __init__(self):
        self.reads = 0

    def chunks(self):
        return [16] * 200

    def read(self, chunk):
        self.reads += 1
        return {"x": np.full((16, 1024), chunk, np.float32)}


@pytest.mark.parametrize("order", ["file", "cntk", "keyed"])
def test_memory_stays_within_the_limit_without_changing_the_data(order):
    def read(**options):
        if order != "file":
            options["window"] = 20
        reader = sheaf.Reader(Wide(), batch_size=9, order=order, **options)
        return [mb.x.values[:, 0, 0].tolist() for mb in reader], reader.stats

    expected, free = read()
    limited, stats = read(memory_limit=5 << 20)
    assert limited == expected
    assert stats["memory_bytes_max"] <= 5 << 20 < free["memory_bytes_max"]
    with pytest.raises(sheaf.ConfigError, match="memory_limit"):
        read(memory_limit=1 << 20)


class Parts(Source):
    """Returns parts of a chunk, and notes which parts."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.parts = []

    def read_sequences(self, chunk, first, count):
        self.parts.append((chunk, first, count))
        begin = sum(self.lengths[chunk][:first])
        end = begin + sum(self.lengths[chunk][first : first + count])
        x, (data, indices, indptr) = self.rows(chunk)
        part = slice(indptr[begin], indptr[end])
        return {
            "x": x[begin:end],
            "y": (data[part], indices[part], indptr[begin : end + 1] - indptr[begin]),
        }


def test_a_deserializer_may_read_parts_of_chunks():
    whole, parts = Source(), Parts()
    readers = [sheaf.Reader(source, batch_size=7, order="keyed") for source in (whole, parts)]
    assert contents([readers[0].sequence(1055)]) == contents([readers[1].sequence(1055)])
    assert whole.reads == [5] and parts.reads == [] and parts.parts == [(5, 5, 1)]
    readers[0].sequence(1056)
    assert whole.reads == [5]  # it is kept for a while
    assert contents(readers[0]) == contents(readers[1])


class Many(Source):
    """Reads several chunks at a time."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked = []

    def read_many(self, chunks):
        self.asked.append(list(chunks))
        return [self.read(chunk) for chunk in chunks]


def test_chunks_needed_at_the_same_time_are_read_together():
    source = Many(60)
    turn = threading.Event()
    source.answer = lambda chunk, data: (turn.wait(0.01), data)[1]
    read = contents(sheaf.Reader(source, batch_size=50, num_threads=4))
    assert read == contents(sheaf.Reader(Source(60), batch_size=50))
    assert sorted(chunk for chunks in source.asked for chunk in chunks) == list(range(60))
    assert max(map(len, source.asked)) > 1

    class Short(Many):
        def read_many(self, chunks):
            return []

    with pytest.raises(sheaf.DataError, match=r"Short: chunk 0: expected a mapping .* NoneType"):
        list(sheaf.Reader(Short(2)))


# Its exceptions.


class TooBadError(Exception):
    def __init__(self, a, b):  # not one that is made again from its text
        super().__init__(a, b)
        self.b = b


@pytest.mark.parametrize("kind", [TooBadError, KeyboardInterrupt, SystemExit, StopIteration])
@pytest.mark.parametrize("threads", [1, 4])
def test_exceptions_arrive_at_the_step_of_their_sequences(kind, threads):
    source = Source()

    def fail(chunk, data):
        if chunk == 7:
            raise kind("a", chunk)
        return data

    source.answer = fail
    reader = sheaf.Reader(source, batch_size=10, num_threads=threads)
    expected = RuntimeError if kind is StopIteration else kind
    for _ in range(2):
        minibatches = iter(reader)
        for _ in range(7):
            next(minibatches)
        depths = []
        for _ in range(3):
            with pytest.raises(expected) as caught:
                next(minibatches)
            assert caught.value.__notes__ == ["sheaf: this was chunk 7 of Source"]
            depths.append(len(caught.traceback))
            assert any(entry.name == "fail" for entry in caught.traceback) or kind is StopIteration
        assert len(set(depths)) == 1
        if kind is TooBadError:
            assert caught.value.b == 7
    source.answer = None
    assert sum(mb.sequence_count for mb in reader) == 120
    reader.close()


def test_exceptions_name_the_key_of_a_single_sequence():
    class Failing(Parts):
        def read_sequences(self, chunk, first, count):
            raise OSError("no")

    with pytest.raises(OSError, match="no") as caught:
        sheaf.Reader(Failing()).sequence(1055)
    assert caught.value.__notes__ == ["sheaf: this was chunk 5 of Failing, sequence 5, key 1055"]


@pytest.mark.parametrize("method", ["chunks", "fingerprint"])
def test_exceptions_arrive_when_a_reader_is_made(method):
    source = Source()

    def fail():
        raise TooBadError("a", 3)

    setattr(source, method, fail)
    with pytest.raises(TooBadError) as caught:
        sheaf.Reader(source)
    assert caught.value.__notes__ == ["sheaf: this was Source, when a Reader was made"]


def test_a_deserializer_cannot_use_the_reader_that_waits_for_it():
    source = Source()
    errors = []

    def use(chunk, data):
        for action in (lambda: next(minibatches), lambda: reader.sequence(1000), reader.close):
            try:
                action()
            except sheaf.ConfigError as error:
                errors.append(str(error))
        return data

    source.answer = use
    reader = sheaf.Reader(source, batch_size=10)
    minibatches = iter(reader)
    assert next(minibatches).sequence_count == 10
    assert errors and set(errors) == {
        "a Deserializer or a function cannot use the Reader that waits for it"
    }


def test_all_methods_run_on_one_thread():
    source = Source()
    threads = set()

    class Noting(Source):
        @property
        def streams(self):
            threads.add(threading.current_thread())
            return Source.streams

        def chunks(self):
            threads.add(threading.current_thread())
            return super().chunks()

        def read(self, chunk):
            threads.add(threading.current_thread())
            return super().read(chunk)

    source = Noting()
    readers = [sheaf.Reader(source, num_threads=4, order="cntk") for _ in range(2)]
    assert contents(readers[0]) == contents(readers[1])
    assert len(threads) == 1 and threading.main_thread() not in threads
    assert next(iter(threads)).name == "sheaf Noting"
    assert os.getpid() == source.__dict__["_sheaf_servers"][0].process
