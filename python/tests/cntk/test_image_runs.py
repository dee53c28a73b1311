"""Runs over images: random numbers of slots, states, partitions, views, packing."""

from __future__ import annotations

import json

import numpy as np
import pytest
from image_data import (
    base64_deserializer,
    delivered,
    deserializer,
    encoded,
    in_order,
    noise,
    write_base64,
    write_map,
)

from sheaf import cntk
from sheaf.cntk import transforms

RANDOM = [
    transforms.crop("randomside", side_ratio=(0.4, 0.9), jitter_type="uniratio"),
    transforms.scale(width=8, height=8, channels=3),
    transforms.color(brightness_radius=0.3, contrast_radius=0.3, saturation_radius=0.3),
]


@pytest.fixture(name="images")
def fixture_images(tmp_path):
    return write_base64(tmp_path, [encoded(noise(i)) for i in range(10)], range(10))


def numbers_of(minibatch):
    return [data.asarray() if len(data) else None for data in minibatch.values()]


def assert_equal_runs(first, second):
    assert len(first) == len(second) > 0
    for left, right in zip(first, second, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 7}])
def test_threads_do_not_change_the_images(images, options):
    serial = cntk.MinibatchSource(
        base64_deserializer(images, RANDOM), max_sweeps=3, multithreaded_deserializer=False
    )
    parallel = cntk.MinibatchSource(base64_deserializer(images, RANDOM), max_sweeps=3, **options)
    assert_equal_runs(delivered(serial, 4), delivered(parallel, 4))


def test_a_seed_changes_the_random_numbers(images):
    def run(seed):
        said = base64_deserializer(images, RANDOM)
        if seed is not None:
            said["seed"] = seed
        return np.concatenate(delivered(in_order(said), 4))

    assert np.array_equal(run(None), run(0))
    assert not np.array_equal(run(0), run(9))

    # Slot j begins with seed + j, so slot 1 of seed 0 draws the same numbers as slot 0 of seed 1.
    file = images.parent / "same.txt"
    write_base64(file.parent, [encoded(noise(1))] * 2, name=file.name)
    zero, one = (
        delivered(in_order(base64_deserializer(file, RANDOM, seed=seed)), 2)[0] for seed in (0, 1)
    )
    assert np.array_equal(zero[1], one[0])
    assert not np.array_equal(zero[0], zero[1])


def test_random_numbers_continue_across_sweeps(images):
    first, second = np.split(np.concatenate(delivered(
        in_order(base64_deserializer(images, RANDOM), sweeps=2), 10
    )), 2)  # fmt: skip
    assert not any(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("bad", [b"", b"no image", "cut.png", "cut.jpg", "changed.png"])
def test_a_bad_image_leaves_its_random_numbers_to_the_next(tmp_path, bad):
    """CNTK removes bad images before its transforms, so the next ones move up."""
    good = [encoded(noise(i)) for i in range(6)]
    if isinstance(bad, str):
        change, kind = bad.split(".")
        bad = encoded(noise(9), "." + kind)
        bad = bad[:-20] if change == "cut" else bad[:-30] + b"changed" + bad[-23:]
    mixed = [good[0], bad, *good[1:3], bad, bad, *good[3:]]

    def run(images, sizes, name):
        path = write_base64(tmp_path, images, range(len(images)), name=name)
        source = in_order(base64_deserializer(path, RANDOM, maxErrors=10), sweeps=2)
        return [source.next_minibatch(size)[source.streams.images].asarray() for size in sizes]

    assert_equal_runs(run(mixed, [4, 5, 4, 5], "mixed.txt"), run(good, [3, 3, 3, 3], "good.txt"))


@pytest.mark.parametrize("randomize", [True, False])
def test_a_run_resumes_from_its_state(images, randomize):
    def source():
        return cntk.MinibatchSource(
            base64_deserializer(images, RANDOM), max_sweeps=4, randomize=randomize
        )

    whole = source()
    expected, states = [], [whole.get_checkpoint_state()]
    while minibatch := whole.next_minibatch(3):
        expected.append(numbers_of(minibatch))
        states.append(json.loads(json.dumps(whole.get_checkpoint_state())))
    assert len(expected) == 14
    for start, state in enumerate(states):
        for fresh in (source(), whole):  # in another process, as it were, and back in this one
            fresh.restore_from_checkpoint(state)
            assert fresh.current_position == state
            rest = []
            while minibatch := fresh.next_minibatch(3):
                rest.append(numbers_of(minibatch))
            assert len(rest) == len(expected) - start
            for left, right in zip(rest, expected[start:], strict=True):
                assert all(map(np.array_equal, left, right))


def test_a_state_of_cntk_restarts_the_random_numbers(images):
    source = in_order(base64_deserializer(images, RANDOM), sweeps=2)
    begin = np.concatenate(delivered(source, 5))
    source.restore_from_checkpoint({"minibatchSourcePosition": 10})
    again = np.concatenate(delivered(source, 5))
    assert np.array_equal(begin[:10], again)


@pytest.mark.parametrize("value", [-1, 3])
def test_wrong_states_are_refused(images, value):
    source = in_order(base64_deserializer(images, RANDOM))
    slot = "x" if value > 0 else "0.0.images"
    with pytest.raises(ValueError, match="the state is wrong"):
        source.restore_from_checkpoint({"minibatchSourcePosition": 0, f"draws.{slot}": value})


def test_a_change_of_size_discards_images_read_ahead(images):
    def run(sizes):
        source = in_order(base64_deserializer(images, RANDOM))
        return [numbers_of(source.next_minibatch(size)) for size in sizes]

    changed = run([2, 3, 3, 2])
    for step, size in enumerate([2, 3, 3, 2]):
        assert len(changed[step][0]) == size
    # Slots 0 and 1 draw in each minibatch, and draw the same if no size changes before the third.
    steady = run([2, 3, 3])
    for left, right in zip(changed[:3], steady, strict=True):
        assert all(map(np.array_equal, left, right))
    source = in_order(base64_deserializer(images, RANDOM))
    source.next_minibatch(2)
    state = source.get_checkpoint_state()
    resumed = in_order(base64_deserializer(images, RANDOM))
    resumed.restore_from_checkpoint(state)
    assert np.array_equal(numbers_of(resumed.next_minibatch(3))[0], changed[1][0])


def test_partitions_share_the_images(images):
    whole = np.concatenate(delivered(in_order(base64_deserializer(images)), 4))
    found = []
    for partition in range(2):
        source = in_order(base64_deserializer(images))
        parts = delivered(source, 4, num_data_partitions=2, partition_index=partition)
        found += [each.tobytes() for part in parts for each in part]
    assert sorted(found) == sorted(each.tobytes() for each in whole)


def test_a_partition_without_a_chunk_has_no_data(images):
    source = cntk.MinibatchSource(
        base64_deserializer(images), max_sweeps=1, randomization_window_in_chunks=1
    )
    minibatch = source.next_minibatch(4, num_data_partitions=2, partition_index=1)
    while minibatch:  # one chunk, which is the other's
        assert all(data.data is None for data in minibatch.values())
        minibatch = source.next_minibatch(4, num_data_partitions=2, partition_index=1)


def test_ten_views_of_plain_files_and_base64_match(tmp_path):
    pixels = noise(1, 4, 4)
    (tmp_path / "a.png").write_bytes(encoded(pixels))
    (tmp_path / "b.png").write_bytes(encoded(noise(2, 4, 4)))
    path = write_map(tmp_path, [".../a.png", ".../b.png"])
    inside = write_base64(tmp_path, [encoded(pixels), encoded(noise(2, 4, 4))])
    step = [transforms.crop("multiview10", side_ratio=0.5)]
    corners = [(0, 0), (0, 2), (2, 0), (2, 2), (1, 1)]
    views = [pixels[y : y + 2, x : x + 2] for y, x in corners]
    views += [view[:, ::-1] for view in views]
    expected = np.array(views).transpose(0, 3, 1, 2)
    for said in (deserializer(path, step), base64_deserializer(inside, step)):
        (found,) = delivered(in_order(said), 20)
        assert found.shape == (20, 3, 2, 2)
        assert np.array_equal(found[:10], expected)
    joined = write_base64(tmp_path, [encoded(pixels)], [0], "joined.txt")
    with pytest.raises(RuntimeError, match="multiview10 has 10 sequences under each key"):
        in_order(
            base64_deserializer(joined, step, ("a", "la")),
            base64_deserializer(joined, (), ("b", "lb")),
        )


def test_images_are_read_as_frames_and_in_truncation(images):
    whole = np.concatenate(delivered(in_order(base64_deserializer(images)), 3))
    frames = np.concatenate(delivered(in_order(base64_deserializer(images), frame_mode=True), 3))
    assert np.array_equal(frames, whole)
    source = in_order(base64_deserializer(images), truncation_length=2)
    cut = []
    while minibatch := source.next_minibatch(4):
        cut += minibatch[source.streams.images].as_sequences()
    # A sequence goes into the first slot with room: two to a slot here.
    assert sorted(map(bytes, cut)) == sorted(map(bytes, whole[:, np.newaxis]))


def test_a_deleted_source_leaves_no_threads(images):
    import threading

    before = threading.active_count()
    for _ in range(20):
        source = cntk.MinibatchSource(base64_deserializer(images, RANDOM), num_threads=4)
        source.next_minibatch(4)
    del source
    deadline = threading.Event()
    for _ in range(100):
        if threading.active_count() <= before:
            break
        deadline.wait(0.05)
    assert threading.active_count() <= before
