"""Sources that programs write, and data in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from cntk_data import SPARSE, counts, next_of, sparse, write

from sheaf import cntk


@dataclass
class Csr:
    """A sparse matrix with the attributes of SciPy's."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


def one_hot(numbers, dim=1000, dtype=np.float32) -> Csr:
    count = len(numbers)
    indices = np.array(numbers, np.int32)
    return Csr(np.ones(count, dtype), indices, np.arange(count + 1, dtype=np.int32), (count, dim))


DENSE = cntk.StreamInformation("x", 0, "dense", np.float32, (2, 3))
SPARSE_INFO = cntk.StreamInformation("y", 1, "sparse", np.float32, (1000,))


def dense(number, length=None):
    shape = (2, 3) if length is None else (length, 2, 3)
    return np.full(shape, number, np.float32)


class Numbers(cntk.UserDeserializer):
    """Sequence i holds i in all its samples, and i one-hot."""

    def __init__(self, chunk_size, chunk_count, has_sequences):
        self.chunk_size = chunk_size
        self.chunk_count = chunk_count
        self.has_sequences = has_sequences
        self.loads = Counter()

    def stream_infos(self):
        return [DENSE, SPARSE_INFO]

    def num_chunks(self):
        return self.chunk_count

    def get_chunk(self, chunk_id):
        self.loads[chunk_id] += 1
        numbers = range(chunk_id * self.chunk_size, (chunk_id + 1) * self.chunk_size)
        if not self.has_sequences:
            return {"x": np.stack([dense(i) for i in numbers]), "y": one_hot(numbers)}
        return {
            "x": [dense(i, 1 + i % 4 if i % 5 else None) for i in numbers],
            "y": [one_hot([i] * (1 + i % 3)) for i in numbers],
        }


def numbers_of(source, minibatch):
    data = minibatch[source["x"]]
    numbers = [int(each.flat[0]) for each in data.as_sequences()]
    sparse_data = minibatch[source["y"]]
    assert sparse_data.is_sparse and not data.is_sparse
    assert data.num_sequences == sparse_data.num_sequences == len(numbers)
    assert data.shape[2:] == (2, 3)
    array = sparse_data.asarray()
    for i, number in enumerate(numbers):
        assert array[i, 0, number] == 1
        assert array[i].sum() == (sparse_data.mask[i] > 0).sum()
        assert (data.asarray()[i][data.mask[i] > 0] == number).all()
    return numbers


@pytest.mark.parametrize("has_sequences", [False, True])
@pytest.mark.parametrize("chunk_size", [100, 1])
@pytest.mark.parametrize("sweeps", [2, 3])
@pytest.mark.parametrize("options", [{"randomize": False}, {"randomization_window_in_chunks": 5}])
def test_all_items_are_delivered_with_states_restored(has_sequences, chunk_size, sweeps, options):
    deserializer = Numbers(chunk_size, 7, has_sequences)
    source = cntk.MinibatchSource(deserializer, max_sweeps=sweeps, **options)
    source.restore_from_checkpoint(source.get_checkpoint_state())
    seen, taken = Counter(), 0
    while minibatch := source.next_minibatch(20):
        if minibatch[source["x"]].data is None:
            continue
        seen.update(numbers_of(source, minibatch))
        taken += 1
        if taken % 10 == 1:
            state = source.get_checkpoint_state()
            for _ in range(3):
                source.next_minibatch(20)
            source.restore_from_checkpoint(state)
            assert source.current_position == state
    assert seen == dict.fromkeys(range(7 * chunk_size), sweeps)


def test_small_data_are_loaded_once():
    deserializer = Numbers(10, 3, False)
    source = cntk.MinibatchSource(deserializer, max_sweeps=20)  # the window is 128 chunks
    while source.next_minibatch(10):
        pass
    assert deserializer.loads == {0: 1, 1: 1, 2: 1}


@pytest.mark.parametrize(
    "options",
    [
        {"randomize": False},
        {"randomization_window_in_chunks": 2},
        {"randomization_window_in_chunks": 0, "randomization_window_in_samples": 30},
    ],
)
def test_workers_share_the_data(options):
    seen = Counter()
    for worker in range(3):
        source = cntk.MinibatchSource(Numbers(10, 7, True), max_sweeps=2, **options)
        while minibatch := next_of(source, 30, 3, worker):
            if minibatch[source["x"]].data is not None:
                seen.update(numbers_of(source, minibatch))
    assert seen == dict.fromkeys(range(70), 2)


@pytest.mark.parametrize("randomize", [False, True])
def test_sequences_are_whole_and_minibatches_full(randomize):
    def sequences(size):
        source = cntk.MinibatchSource(Numbers(10, 7, True), max_sweeps=1, randomize=randomize)
        while minibatch := source.next_minibatch(size):
            data = [minibatch[source[name]] for name in ("x", "y")]
            if data[0].data is not None:
                lengths = [data_of.mask.astype(bool).sum(1).tolist() for data_of in data]
                yield [max(pair) for pair in zip(*lengths, strict=True)]

    order = [length for (length,) in sequences(1)]
    assert len(order) == 70
    for minibatch in sequences(9):
        assert sum(minibatch) <= 9
        assert minibatch == order[: len(minibatch)]
        del order[: len(minibatch)]
        assert sum(minibatch) + (order or [9])[0] > 9
    assert order == []


def test_partitions_of_one_source_can_be_read_in_turn():
    source = cntk.MinibatchSource(Numbers(10, 4, False), max_sweeps=3, randomize=False)
    found = []
    for i in range(12):
        minibatch = next_of(source, 8, 2, i % 2)
        found += numbers_of(source, minibatch)
    assert all(number % 2 == i // 4 % 2 for i, number in enumerate(found))
    assert source.get_checkpoint_state()["baseSampleCount"] == len(found) == 48


@pytest.mark.parametrize(
    "options",
    [
        {"randomize": False},
        {"randomization_window_in_chunks": 2},
        {"randomization_window_in_chunks": 0, "randomization_window_in_samples": 9},
    ],
)
@pytest.mark.parametrize("worker", [0, 1])
def test_a_new_source_continues_with_the_share_of_a_worker(options, worker):
    def make():
        return cntk.MinibatchSource(Numbers(3, 5, True), max_sweeps=2, **options)

    source, states, found = make(), [], []
    while minibatch := next_of(source, 4, 2, worker):
        found.append(numbers_of(source, minibatch) if minibatch[source["x"]].data else [])
        states.append(source.get_checkpoint_state())
    for i, state in enumerate(states[:-1]):
        resumed = make()
        resumed.restore_from_checkpoint(state)
        assert resumed.get_checkpoint_state() == state
        for expected in found[i + 1 :]:
            minibatch = next_of(resumed, 4, 2, worker)
            assert expected == (
                numbers_of(resumed, minibatch) if minibatch[resumed["x"]].data else []
            )
        assert next_of(resumed, 4, 2, worker) == {}


@pytest.mark.parametrize("randomize", [False, True])
def test_a_worker_without_a_chunk_ends_at_once(randomize):
    source = cntk.MinibatchSource(Numbers(1, 2, False), randomize=randomize)
    while next_of(source, 10, 3, 2):
        pass
    assert next_of(source, 10, 3, 2) == {}


def test_limits_apply_to_a_user_deserializer():
    def read(**limits):
        source = cntk.MinibatchSource(Numbers(10, 2, False), randomize=False, **limits)
        return [count for count, _ in counts(source, 8) if count]

    assert read(max_samples=cntk.FULL_DATA_SWEEP) == [8, 8, 4]
    assert read(max_sweeps=2) == [8, 8, 8, 8, 8]
    assert read(max_samples=30) == [8, 8, 8, 6]
    assert read(max_sweeps=0) == []


class Wrong(Numbers):
    def __init__(self, **changed):
        super().__init__(2, 1, False)
        self.changed = changed

    def get_chunk(self, chunk_id):
        if "all" in self.changed:
            return self.changed["all"]
        found = super().get_chunk(chunk_id) | self.changed
        return {name: data for name, data in found.items() if data is not None}


LONG_INDICES = Csr(np.ones(2, "f4"), np.arange(2), np.arange(3), (2, 1000))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"all": [1]}, r"get_chunk\(0\) gives a dict: got list"),
        ({"z": dense(1, 2)}, 'no stream is "z"; there are x, y'),
        ({"x": None}, 'lacks the stream "x"'),
        ({"x": dense(1, 3)}, "different numbers of sequences: {'x': 3, 'y': 2}"),
        ({"x": dense(1, 2).astype("f8")}, "values of float32: got float64"),
        ({"y": one_hot([1, 2], dtype=np.float64)}, "values of float32: got float64"),
        ({"x": np.zeros((2, 6), np.float32)}, r"has the shape \(n, \*\(2, 3\)\): got \(2, 6\)"),
        ({"x": [np.zeros((2, 6), np.float32)] * 2}, r"\[0\] has the shape \(samples"),
        ({"x": "text"}, "is an array of NumPy: got str"),
        ({"x": [[1.0], [2.0]]}, "is an array of NumPy: got list"),
        ({"y": dense(1, 2)}, "is a CSR matrix: got ndarray"),
        ({"y": LONG_INDICES}, "indices of int32: got int64"),
        ({"y": one_hot([1, 2], 7)}, "columns: got 7"),
    ],
)
def test_wrong_chunks_are_errors(changed, message):
    source = cntk.MinibatchSource(Wrong(**changed))
    with pytest.raises(RuntimeError, match=message):
        source.next_minibatch(1)


def test_frame_mode_delivers_the_frames_of_a_user_deserializer():
    options = {"randomize": False, "max_sweeps": 1, "frame_mode": True}
    source = cntk.MinibatchSource(Numbers(5, 2, False), **options)
    minibatch = next_of(source, 7)
    assert minibatch[source["x"]].shape == (7, 1, 2, 3)
    assert numbers_of(source, minibatch) == list(range(7))
    source = cntk.MinibatchSource(Numbers(5, 2, True), **options)
    with pytest.raises(RuntimeError, match=r'get_chunk\(0\)\["x"\]\[1\] has 2 samples: frame_mode'):
        next_of(source, 7)


def test_wrong_deserializers_are_refused(tmp_path):
    class NoStreams(Numbers):
        def stream_infos(self):
            return []

    with pytest.raises(ValueError, match="at least one stream"):
        cntk.MinibatchSource(NoStreams(1, 1, False))
    with pytest.raises(ValueError, match=r"num_chunks\(\) is at least 1: got 0"):
        cntk.MinibatchSource(Numbers(1, 0, False))
    with pytest.raises(ValueError, match="joins with no other"):
        cntk.MinibatchSource([Numbers(1, 1, False), sparse(write(tmp_path, SPARSE))])
    with pytest.raises(RuntimeError, match="truncation_length: the data of a UserDeserializer"):
        cntk.MinibatchSource(Numbers(1, 1, False), truncation_length=3)
    with pytest.raises(RuntimeError, match="the state has no baseSweepCount"):
        cntk.MinibatchSource(Numbers(1, 1, False)).restore_from_checkpoint({"a": 1})


class Own(cntk.UserMinibatchSource):
    """Passes on the minibatches of a source of files."""

    def __init__(self, path):
        self.source = cntk.MinibatchSource(sparse(path), randomize=False, max_samples=7)
        super().__init__()

    def stream_infos(self):
        return self.source.stream_infos()

    def next_minibatch(self, num_samples, number_of_workers, worker_rank, device=None):
        return self.source.next_minibatch(num_samples, None, device, number_of_workers, worker_rank)

    def get_checkpoint_state(self):
        return self.source.get_checkpoint_state()

    def restore_from_checkpoint(self, state):
        self.source.restore_from_checkpoint(state)


def test_a_user_source_equals_a_source_of_files(tmp_path):
    own = Own(write(tmp_path, SPARSE))
    native = own.source
    assert own.streams.features == own["features"] == native.streams.features
    start = own.get_checkpoint_state()
    minibatch = own.next_minibatch(2, 1, 0)
    features = minibatch[own.streams.features]
    assert (features.num_sequences, features.num_samples) == (1, 3)
    own.restore_from_checkpoint(start)
    minibatch = own.next_minibatch(10, 1, 0)
    other = cntk.MinibatchSource(sparse(write(tmp_path, SPARSE)), randomize=False, max_samples=7)
    expected = other.next_minibatch(10)
    for stream in own.stream_infos():
        assert minibatch[stream].end_of_sweep
        assert minibatch[stream].num_samples == expected[stream].num_samples
        assert (minibatch[stream].asarray() == expected[stream].asarray()).all()
    assert own.next_minibatch(10, 1, 0) == {}
    assert own.is_infinite() is False


def test_a_user_source_may_have_no_state():
    class Stateless(cntk.UserMinibatchSource):
        def stream_infos(self):
            return [DENSE]

    source = Stateless()
    source.restore_from_checkpoint(source.get_checkpoint_state())
    with pytest.raises(NotImplementedError):
        source.restore_from_checkpoint({"a": 1})


def test_data_in_memory_are_delivered():
    xs = np.arange(20, dtype=np.float32).reshape(10, 2)
    source = cntk.MinibatchSourceFromData({"x": xs, "y": one_hot(range(10))}, 24)
    assert source.streams.x.sample_shape == (2,)
    assert source.streams.y.storage_format == "sparse"
    found = []
    while minibatch := source.next_minibatch(4):
        x, y = minibatch[source["x"]], minibatch[source["y"]]
        assert x.num_samples == y.num_samples
        assert x.shape == (len(x), 1, 2)
        assert (y.asarray()[range(len(y)), 0, (x.asarray()[:, 0, 0] / 2).astype(int)] == 1).all()
        found.append((x.num_samples, x.end_of_sweep))
    assert found == 2 * [(4, False), (4, False), (2, True)] + [(4, False)]
    assert source.next_minibatch(4) == {}
    assert not source.is_infinite()
    assert cntk.MinibatchSourceFromData({"x": xs}).is_infinite()


def test_sequences_in_memory_are_delivered():
    lists = [np.full((length, 2), length, np.float32) for length in (5, 1, 2)]
    source = cntk.MinibatchSourceFromData({"x": lists, "y": np.zeros((3, 1), np.float32)})
    sizes = [source.next_minibatch(3)[source["x"]].num_samples for _ in range(4)]
    assert sizes == [5, 3, 5, 3]  # a sequence above the size gets its own minibatch
    state = source.get_checkpoint_state()
    assert state == {"cursor": 0, "total_num_samples": 16}
    other = cntk.MinibatchSourceFromData({"x": lists, "y": np.zeros((3, 1), np.float32)})
    other.next_minibatch(3)
    kept = other.get_checkpoint_state()
    source.restore_from_checkpoint(kept)
    assert source.next_minibatch(3)[source["x"]].asarray()[:, 0, 0].tolist() == [1, 2]


def test_workers_share_data_in_memory():
    xs = np.arange(7, dtype=np.float32)[:, None]
    seen = []
    for worker in range(3):
        source = cntk.MinibatchSourceFromData({"x": xs}, 7)
        while minibatch := source.next_minibatch(4, 3, worker):
            data = minibatch[source["x"]]
            seen += np.concatenate([np.zeros((0, 1)), *data.as_sequences()]).ravel().tolist()
    assert sorted(seen) == list(range(7))


def test_values_in_memory_are_delivered():
    value = cntk.Value.of_sequences([np.ones((n, 2), np.float32) for n in (1, 3)])
    rows = cntk.Value.of_sequences([one_hot([5]), one_hot([6, 7, 8])])
    source = cntk.MinibatchSourceFromData({"x": value, "y": rows}, 4)
    minibatch = source.next_minibatch(10)
    assert minibatch[source["x"]].mask.tolist() == [[2, 0, 0], [2, 1, 1]]
    assert minibatch[source["y"]].asarray()[1, :, 6:9].tolist() == np.eye(3).tolist()
    with pytest.raises(ValueError, match="do not share a Value"):
        source.next_minibatch(10, 2, 0)


@pytest.mark.parametrize(
    ("streams", "error", "message"),
    [
        ({}, ValueError, "at least one stream"),
        ({"x": []}, ValueError, "has no data"),
        ({"x": np.zeros((0, 2))}, ValueError, "has no data"),
        ({"x": 5}, TypeError, "got int"),
        ({"x": np.zeros(2), "y": np.zeros(3)}, TypeError, "different numbers of items"),
        ({"x": (np.zeros((2, 3)), (4,))}, ValueError, r"declared with the shape \(4,\)"),
    ],
)
def test_wrong_data_in_memory_are_refused(streams, error, message):
    with pytest.raises(error, match=message):
        cntk.MinibatchSourceFromData(streams)
