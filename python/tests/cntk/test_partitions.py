"""Several workers, sizes that change, and states."""

from __future__ import annotations

import json

import pytest
from cntk_data import counts, ctf, lengths_data, next_of, values, write

from sheaf import cntk

TEN = {0: 7, 2: 3, 3: 4, 4: 1, 5: 2, 6: 2, 7: 1, 8: 2, 9: 2, 10: 1}
MANY = {key: 1 + key * 7 % 11 for key in range(100)}
TOTAL = sum(MANY.values())


def samples(source, size, *share):
    return [count for count, _ in counts(source, size, *share)]


def test_two_workers_share_data_in_file_order(tmp_path):
    deserializer = ctf(write(tmp_path, lengths_data(TEN)))
    expected = [7, 4, 5, 7, 4], [4, 5, 3]
    for worker in range(2):
        source = cntk.MinibatchSource(deserializer, max_samples=36, randomize=False)
        assert samples(source, 10, 2, worker) == expected[worker]


def test_one_of_two_workers_gets_a_single_chunk(tmp_path):
    deserializer = ctf(write(tmp_path, lengths_data(TEN)))
    found = [
        samples(cntk.MinibatchSource(deserializer, max_sweeps=1), 10, 2, worker)
        for worker in range(2)
    ]
    assert found == [[5, 4, 4, 5, 7], []]


LIMITS = [{}, {"max_samples": 100}, {"max_sweeps": 4}]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("randomize", [False, True])
def test_partitions_can_be_read_in_turn(tmp_path, limits, randomize):
    text = lengths_data({0: 3, 1: 3})
    source = cntk.MinibatchSource(ctf(write(tmp_path, text)), randomize=randomize, **limits)
    found = []
    for i in range(20):
        minibatch = next_of(source, 5, 2, i % 2)
        if minibatch and minibatch[source["S0"]].data is not None:
            found.append(minibatch[source["S0"]].num_samples)
    assert found and set(found) == {3}


def keys_of(minibatch, source):
    return [int(each[0, 0]) for each in minibatch[source["S0"]].as_sequences()]


@pytest.mark.parametrize("randomize", [False, True])
@pytest.mark.parametrize("chunk", [100, 32 << 20])
def test_one_worker_can_become_two(tmp_path, randomize, chunk):
    deserializer = ctf(write(tmp_path, lengths_data(MANY)), chunkSizeInBytes=chunk)
    options = {"randomize": randomize, "max_samples": 3 * TOTAL}
    sources = [cntk.MinibatchSource(deserializer, **options) for _ in range(2)]
    seen = []
    for _ in range(20):
        minibatches = [source.next_minibatch(16) for source in sources]
        first, second = (keys_of(*pair) for pair in zip(minibatches, sources, strict=True))
        assert first == second
        seen += first
    shares = []
    for worker, source in enumerate(sources):
        share = []
        while minibatch := next_of(source, 16, 2, worker):
            share += keys_of(minibatch, source)
        shares.append(share)
    assert sorted(seen + shares[0] + shares[1]) == sorted(3 * list(MANY))
    has_one_chunk = randomize and chunk > 100
    assert bool(shares[1]) is not has_one_chunk
    assert shares[0]


@pytest.mark.parametrize("randomize", [False, True])
def test_changing_sizes_keep_the_order(tmp_path, randomize):
    deserializer = ctf(write(tmp_path, lengths_data(MANY)), chunkSizeInBytes=100)
    options = {"randomize": randomize, "max_sweeps": 2}
    source = cntk.MinibatchSource(deserializer, **options)
    found = []
    for i in range(1000):
        minibatch = source.next_minibatch(1 + i * 5 % 37)
        if not minibatch:
            break
        found += [x for each in minibatch[source["S0"]].as_sequences() for x in each.ravel()]
    assert found == values(cntk.MinibatchSource(deserializer, **options), 20, 10**6)


def test_full_data_sweep_delivers_the_rest_of_a_sweep(tmp_path):
    deserializer = ctf(write(tmp_path, lengths_data(MANY)))
    source = cntk.MinibatchSource(deserializer, max_sweeps=2)
    first = source.next_minibatch(50)[source["S0"]]
    rest = source.next_minibatch(cntk.FULL_DATA_SWEEP)[source["S0"]]
    assert first.num_samples + rest.num_samples == TOTAL
    assert rest.end_of_sweep and not first.end_of_sweep
    assert source.next_minibatch(cntk.FULL_DATA_SWEEP)[source["S0"]].num_samples == TOTAL
    assert source.next_minibatch(1) == {}


STATES = [
    {"randomize": False},
    {},
    {"randomization_seed": 7},
    {"randomization_window_in_chunks": 3},
    {"randomization_window_in_chunks": 0, "randomization_window_in_samples": 50},
    {"truncation_length": 4},
    {"truncation_length": 4, "randomize": False},
]


@pytest.mark.parametrize("options", STATES)
@pytest.mark.parametrize("share", [(), (3, 1)])
def test_a_state_resumes_the_run(tmp_path, options, share):
    deserializer = ctf(write(tmp_path, lengths_data(MANY)), chunkSizeInBytes=100)

    def fresh():
        return cntk.MinibatchSource(deserializer, max_sweeps=3, **options)

    def content(minibatch):
        return {
            stream.name: (data.asarray().tolist(), data.mask.tolist(), data.end_of_sweep)
            for stream, data in minibatch.items()
            if data.data is not None
        }

    source = fresh()
    states, whole = [source.get_checkpoint_state()], []
    while minibatch := next_of(source, 48, *share):
        whole.append(content(minibatch))
        states.append(json.loads(json.dumps(source.current_position)))
    assert states[0] == {"minibatchSourcePosition": 0}
    assert len(whole) > 10
    for at in (0, 1, len(whole) // 2, len(whole) - 1, len(whole)):
        other = fresh()
        if at % 2 == 0:
            next_of(other, 7)
        other.restore_from_checkpoint(states[at])
        assert other.get_checkpoint_state() == states[at]
        rest = []
        while minibatch := next_of(other, 48, *share):
            rest.append(content(minibatch))
            other.current_position = other.current_position  # changes nothing
        assert rest == whole[at:]
    source.restore_from_checkpoint(states[0])  # the source is at its end and starts again
    assert content(next_of(source, 48, *share)) == whole[0]


def test_a_state_has_the_position_in_samples(tmp_path):
    source = cntk.MinibatchSource(ctf(write(tmp_path, lengths_data(MANY))), randomize=False)
    position = 0
    for _ in range(3 * len(MANY)):
        position += source.next_minibatch(25)[source["S0"]].num_samples
        assert source.get_checkpoint_state() == {"minibatchSourcePosition": position}
    with pytest.raises(ValueError, match="the state has no minibatchSourcePosition; it has a"):
        source.restore_from_checkpoint({"a": 1})


def test_a_position_within_a_sequence_resumes_at_the_next_one(tmp_path):
    source = cntk.MinibatchSource(ctf(write(tmp_path, lengths_data(TEN))), randomize=False)
    for position, key in ((0, 0), (1, 2), (7, 2), (8, 3), (24, 10), (25, 0), (26, 2)):
        source.current_position = {"minibatchSourcePosition": position}
        assert keys_of(source.next_minibatch(1), source) == [key]


FLAGS = [
    *(({"max_samples": 603}, size) for size in (603, 1000, 100)),
    ({"max_samples": 100}, 30),
    ({"max_samples": 2000}, 500),
    ({"max_samples": 2412}, 301),
    *(({"max_sweeps": sweeps}, size) for sweeps in (2, 3) for size in (100, 603, 1000)),
]


@pytest.mark.parametrize(("limits", "size"), FLAGS)
@pytest.mark.parametrize("randomize", [False, True])
def test_sweeps_of_603_samples_end_in_the_right_minibatch(tmp_path, limits, size, randomize):
    text = "".join(f"{i} |S0 {i}\n" for i in range(603))
    source = cntk.MinibatchSource(ctf(write(tmp_path, text)), randomize=randomize, **limits)
    found = counts(source, size)
    total = limits.get("max_samples") or limits["max_sweeps"] * 603
    assert sum(count for count, _ in found) == total
    position = 0
    for count, ends_sweep in found:
        assert ends_sweep == ((position + count) // 603 > position // 603)
        position += count
    touched = sum(ends_sweep for _, ends_sweep in found)
    assert touched == total // 603 or size > 603
    assert source.next_minibatch(size) == {}
