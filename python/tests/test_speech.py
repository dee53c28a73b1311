"""A join of features, labels and lattices: every order, resumed, shared and killed."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest

import sheaf
from speech_files import frames_of, lattice_of, write_features, write_labels, write_lattices

SHARED = pathlib.Path(
    os.environ.get("SHEAF_SHARED_DIR", pathlib.Path(__file__).parents[3] / "shared")
)
HCOPY = SHARED / "conformance" / "htk"
COUNTS = [1 + i * 7 % 11 for i in range(60)]
ORDERS = [
    {"order": "file"},
    {"order": "cntk", "window_samples": 120, "seed": 3},
    {"order": "keyed", "seed": 3},
    {"order": "keyed", "packing": "packed", "row_samples": 16},
]


@pytest.fixture
def data(tmp_path):
    """Three lists joined, with three frames of context, as data of a spec."""
    features = write_features(tmp_path, "x", frames_of(*COUNTS))
    labels, states = write_labels(tmp_path, *("abc"[i % 3] * n for i, n in enumerate(COUNTS)))
    lattices = write_lattices(tmp_path, [lattice_of(range(n + 1)) for n in COUNTS])
    members = [
        {"files": features, "keys": "text"},
        {"files": labels, "keys": "text", "format_options": {"mlf.states": states}},
        {"files": lattices, "keys": "text"},
    ]
    transforms = ["context:x:left=1,right=1"]
    return {"join": members, "transforms": transforms}


def read(data, **options):
    read = {"minibatch_size": 8, "unit": "sequences", "packing": "ragged", **options}
    if "row_samples" in read:
        del read["unit"]
        read["minibatch_size"] = 64
    return sheaf.Reader(spec={"data": data, "read": read})


def content(minibatch):
    arrays = (minibatch["x"].values, minibatch["l"].indices, minibatch["lattice"].values)
    return minibatch.key_texts, [np.asarray(each).tobytes() for each in arrays]


def test_options_of_formats_go_to_the_files_of_the_format(data):
    features, labels, lattices = (member["files"] for member in data["join"])
    states = data["join"][1]["format_options"]["mlf.states"]
    options = {"mlf.states": states, "lattice.as": "f32"}
    said = {"keys": "text", "batch_size": 100, "packing": "ragged"}
    reader = sheaf.Reader(features, join=[labels, lattices], format_options=options, **said)
    (minibatch,) = reader
    assert minibatch.sequence_count == len(COUNTS)
    assert minibatch["lattice"].values.dtype == np.float32
    with pytest.raises(sheaf.ConfigError, match=r"did you mean mlf\.states\?"):
        sheaf.Reader(features, join=labels, format_options={"mlf.state": states}, **said)


def test_in_packed_each_lattice_has_its_own_slot(data):
    data["join"][2]["format_options"] = {"lattice.as": "f32"}
    for minibatch in read(data, packing="packed"):
        lattice = minibatch["lattice"]
        blocks = [lattice_of(range(COUNTS[int(key[1:])] + 1)) for key in minibatch.key_texts]
        blocks = [block + bytes(-len(block) % 4) for block in blocks]
        steps = max(map(len, blocks)) // 4
        assert lattice.values.shape == (len(blocks), steps, 1)
        wanted = b"".join(block.ljust(steps * 4, b"\0") for block in blocks)
        assert lattice.values.tobytes() == wanted
        assert lattice.lengths.tolist() == [len(block) // 4 for block in blocks]
        assert np.asarray(lattice.mask).sum(axis=1).tolist() == lattice.lengths.tolist()
        assert minibatch["x"].values.shape[:2] == minibatch["x"].mask.shape
        assert minibatch["x"].slots is not None


def test_rows_of_lattices_count_against_the_memory_limit(tmp_path):
    count = 64
    features = write_features(tmp_path, "x", frames_of(*([1] * count)))
    blocks = [lattice_of([1]) for _ in range(count)]
    blocks[7] = lattice_of([0] * (1 << 20) + [1])  # 2 MiB
    lattices = write_lattices(tmp_path, blocks)
    said = {
        "join": lattices,
        "keys": "text",
        "format_options": {"lattice.as": "f32"},
        "batch_size": count,
        "packing": "packed",
    }
    (minibatch,) = sheaf.Reader(features, **said, memory_limit=400 << 20)
    assert minibatch["lattice"].values.nbytes > 128 << 20
    message = 'the longest sequence of "lattice" gives all their length'
    with pytest.raises(sheaf.ConfigError, match=message):
        list(sheaf.Reader(features, **said, memory_limit=100 << 20))


def test_the_frames_of_lattices_are_compared_with_other_lengths(tmp_path):
    features = write_features(tmp_path, "x", frames_of(2, 3, 4))
    lattices = write_lattices(tmp_path, [lattice_of(range(n + 1)) for n in (2, 9, 4)])
    data = {
        "join": [{"files": features, "keys": "text"}, {"files": lattices, "keys": "text"}],
        "lengths": "equal",
    }
    (minibatch,) = read(data, max_errors=1)
    assert minibatch.key_texts == ["u0", "u2"]
    with pytest.raises(
        sheaf.DataError, match=r"of 3 samples.*found 9, as the sequence itself says"
    ):
        list(read(data))
    report = sheaf.check(spec={"data": data})
    assert (report.error_count, report.holes) == (1, 1)
    assert [each.code for each in report.diagnostics] == ["join-length"]


def test_check_finds_unusual_values_and_lengths(tmp_path):
    frames = frames_of(5, 5, 9)
    frames[1][2, 0] = np.nan
    frames[2][8, 1] = -np.inf
    features = write_features(tmp_path, "x", frames)
    labels, states = write_labels(tmp_path, "abcab", "abcb", "abcab")
    options = {"keys": "text", "format_options": {"mlf.states": states}}
    with sheaf.open(features, join=labels, **options) as opened:
        for report in (sheaf.check(features, join=labels, **options), sheaf.check(opened)):
            assert report.ok
            assert report.warnings_by_code == {"check-non-finite": 2}
            (warning,) = report.warnings
            assert (warning.path, warning.sequence_key, warning.stream) == (features, "u1", "x")
            assert "nan in sample 2 of sequence u1; NaN and infinite values: 2, in 2" in str(
                warning
            )
            (shorter,) = report.length_differences
            assert shorter == sheaf.LengthDifference("l", 2, 4, {1: 1, 4: 1})
    (alone,) = sheaf.check(features, keys="text").warnings
    assert (alone.path, alone.line) == (features, 2)


def test_minibatch_size_sets_the_length_of_pieces_in_a_configuration(tmp_path):
    features = write_features(tmp_path, "x", frames_of(5, 4, 3))
    config = tmp_path / "a.cntk"
    config.write_text(
        "reader=[readerType=HTKMLFReader\nframeMode=false\ntruncated=true\nreadMethod=none\n"
        f"nbruttsineachrecurrentiter=2\nx=[scpFile={features}\ndim=2]]"
    )
    shapes = [each["x"].values.shape for each in sheaf.Reader(config=config, minibatch_size=3)]
    assert set(shapes) == {(3, 2, 2)}
    settings = ["reader=[truncationLength=3]"]
    said = sheaf.Reader(config=config, settings=settings, minibatch_size=6)
    assert [each["x"].values.shape for each in said] == shapes


def test_every_utterance_has_its_frames_labels_and_lattice(data):
    seen = []
    for minibatch in read(data, minibatch_size=1, order="keyed"):
        (key,) = minibatch.key_texts
        number = int(key[1:])
        count = COUNTS[number]
        np.testing.assert_array_equal(
            minibatch["x"].values[:, 2:4], frames_of(*COUNTS)[number], str(key)
        )
        assert set(minibatch["l"].indices.tolist()) == {number % 3}
        assert len(minibatch["l"].indices) == count
        assert np.asarray(minibatch["lattice"].values).tobytes() == lattice_of(range(count + 1))
        seen.append(number)
    assert sorted(seen) == list(range(len(COUNTS)))


@pytest.mark.parametrize("options", ORDERS, ids=str)
def test_a_run_resumes_from_any_minibatch(data, options):
    reader = read(data, **options)
    states, expected = [], []
    for minibatch in reader:
        states.append(reader.state_dict())
        expected.append(content(minibatch))
    assert len(expected) > 5
    for i, state in enumerate(states[:-1]):  # the last state begins the next epoch
        again = read(data, **options)
        again.load_state_dict(state)
        assert [content(each) for each in again] == expected[i + 1 :]


def test_order_keyed_is_the_same_for_any_number_of_workers(data):
    whole = [sorted(each.key_texts) for each in read(data, order="keyed")]
    spec = {"data": data, "read": {"order": "keyed", "minibatch_size": 8, "unit": "sequences"}}
    for world_size in (2, 3):
        shares = [
            [each.key_texts for each in sheaf.Reader(spec=spec, rank=r, world_size=world_size)]
            for r in range(world_size)
        ]
        assert [
            sorted(key for keys in step for key in keys) for step in zip(*shares, strict=True)
        ] == whole


# Reads on from its state, and kills itself where the state of the last minibatch is not written.
PROGRAM = """
import hashlib, json, os, pathlib, signal, sys
import sheaf
spec, state, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
reader = sheaf.Reader(spec=str(spec))
if state.exists():
    reader.load_state_dict(json.loads(state.read_text()))
for minibatch in reader:
    digest = hashlib.sha256(repr(minibatch.key_texts).encode())
    for array in (minibatch["x"].values, minibatch["l"].indices, minibatch["lattice"].values):
        digest.update(array.tobytes())
    print(digest.hexdigest(), flush=True)
    count -= 1
    if count == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    part = state.with_suffix(".part")
    part.write_text(json.dumps(reader.state_dict()))
    part.rename(state)
"""


@pytest.mark.parametrize("order", ["cntk", "keyed"])
def test_a_killed_program_resumes_with_the_same_minibatches(data, tmp_path, order):
    read = {"order": order, "minibatch_size": 2, "unit": "sequences", "packing": "ragged"}
    (tmp_path / "spec.json").write_text(json.dumps({"data": data, "read": read}))

    def program(state, count=0):
        paths = [tmp_path / "spec.json", tmp_path / state]
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *paths, str(count)], stdout=subprocess.PIPE, text=True
        )

    expected = program("whole").stdout.split()
    assert len(expected) == 30
    seen = []
    for count in (11, 8):
        process = program("killed", count)
        assert process.returncode == -signal.SIGKILL
        seen.append(process.stdout.split())
        assert len(seen[-1]) == count
    seen.append(program("killed").stdout.split())
    assert seen == [expected[:11], expected[10:18], expected[17:]]  # the last ones come again


@pytest.mark.skipif(not HCOPY.exists(), reason=f"{HCOPY} is not there; see SHEAF_SHARED_DIR")
def test_files_of_hcopy_match_another_parser(tmp_path):
    paths = sorted(HCOPY.glob("test.wav.*_htk.*"))
    assert len(paths) >= 6
    for path in paths:
        header, body = path.read_bytes()[:12], path.read_bytes()[12:]
        count, _, size, _ = struct.unpack(">iihH", header)
        expected = np.frombuffer(body, ">f4").reshape(count, size // 4)
        (tmp_path / "a.scp").write_text(f"u.x={path}\nv.x={path}[3,10]\n")
        minibatch = next(iter(sheaf.Reader(tmp_path / "a.scp", batch_size=2, packing="ragged")))
        np.testing.assert_array_equal(
            minibatch["a"].values, np.concatenate([expected, expected[3:11]]), path.name
        )
