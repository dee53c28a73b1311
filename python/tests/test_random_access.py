"""Sequences one by one: by key, and by their number in a sweep."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf

LENGTHS = [1 + i * 7 % 11 for i in range(40)]
DATA = "".join(f"{3 * i} |x {i} {t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
CNTK = {"order": "cntk", "chunk_size_bytes": 200, "window": 3}


@pytest.fixture
def read(write_ctf):
    path = write_ctf(DATA)
    return lambda **options: sheaf.Reader(path, ["x:dense:2"], **options)


def content(minibatch):
    return minibatch.sequence_keys.tolist(), minibatch["x"].values.tolist()


def test_sequences_are_read_by_key(read):
    reader = read(**CNTK)
    for i, length in enumerate(LENGTHS):
        expected = [[[i, t] for t in range(length)]]
        assert content(reader.sequence(3 * i)) == ([3 * i], expected)


def test_keys_may_be_any_integer_type(read):
    reader = read()
    key = next(iter(reader)).sequence_keys[5]
    assert not isinstance(key, int)  # NumPy's
    assert reader.sequence(key).sequence_keys.tolist() == [15]
    assert reader.sequence(np.int32(15)).sequence_keys.tolist() == [15]


@pytest.mark.parametrize("key", [1, 3 * 40, -3, 2**64 - 1, 2**64, 2**200, "3", ""])
def test_an_unknown_key_is_a_key_error(read, key):
    with pytest.raises(KeyError) as error:
        read().sequence(key)
    assert error.value.args == (key,)


@pytest.mark.parametrize("key", [None, 3.0, b"3", [3]])
def test_a_key_of_a_wrong_type_is_a_type_error(read, key):
    with pytest.raises(TypeError):
        read().sequence(key)


@pytest.mark.parametrize(
    "options", [{}, CNTK, {**CNTK, "seed": 5, "rank": 1, "world_size": 3}, {"world_size": 2}]
)
def test_numbers_follow_the_order_of_a_sweep(read, options):
    whole = read(**{**options, "rank": 0, "world_size": 1}, sweeps=2, batch_size=1)
    expected = [content(minibatch) for minibatch in whole]
    reader = read(**options)
    assert [content(reader.sequence_at(s, n)) for s in range(2) for n in range(40)] == expected


def test_frames_are_read_by_number(read):
    options = {**CNTK, "split_frames": True, "packing": "frames"}
    expected = [frame for mb in read(**options) for frame in mb["x"].values.tolist()]
    reader = read(**options)
    found = [reader.sequence_at(0, n) for n in range(sum(LENGTHS))]
    assert [mb["x"].values.tolist()[0] for mb in found] == expected
    assert all(mb.slices[0, 1] == 1 for mb in found)
    with pytest.raises(sheaf.ConfigError, match="`frames` takes"):
        reader.sequence(3)


@pytest.mark.parametrize("numbers", [(0, 40), (1, 40), (0, -1), (-1, 0), (2, 2**62)])
def test_a_number_beyond_the_sweep_is_an_index_error(read, numbers):
    sweep, number = numbers
    with pytest.raises(IndexError, match=f"sweep {sweep} has no sequence number {number}"):
        read(**CNTK).sequence_at(sweep, number)


def test_random_access_keeps_the_position(read):
    expected = [content(minibatch) for minibatch in read(**CNTK, sweeps=2, batch_size=3)]
    reader = read(**CNTK, sweeps=2, batch_size=3)
    seen = []
    state = reader.state_dict()
    for n, minibatch in enumerate(reader):
        seen.append(content(minibatch))
        assert reader.state_dict() == minibatch.position != state
        state = minibatch.position
        for found in (reader.sequence(3 * (n % 40)), reader.sequence_at(n, n % 40)):
            assert reader.state_dict() == state
            assert not found.ends_sweep
        assert reader.stats["minibatches"] == len(seen)
    assert seen == expected
    assert content(reader.sequence(0))[0] == [0]


def test_keys_may_be_texts(write_ctf):
    path = write_ctf("utt/1 |x 1\nutt/2 |x 2\n7 |x 3\n")
    reader = sheaf.Reader(path, ["x:dense:1"], keys="text")
    assert reader.sequence("utt/2").key_texts == ["utt/2"]
    assert reader.sequence("7")["x"].values.tolist() == [[[3]]]
    for key in ("utt/3", 7, "\udce9"):
        with pytest.raises(KeyError):
            reader.sequence(key)
    with pytest.raises(sheaf.ConfigError, match='keys is "numeric" or "text": got "x"'):
        sheaf.Reader(path, ["x:dense:1"], keys="x")


def test_an_empty_text_is_a_key(tmp_path):
    path = tmp_path / "empty.sheaf"
    with sheaf.Writer(path, ["x:dense:1"]) as writer:
        writer.write("", {"x": [1]})
        writer.write("a", {"x": [2]})
    reader = sheaf.Reader(path)
    found = reader.sequence("")
    assert found.key_texts == [""]
    assert found["x"].values.tolist() == [[[1]]]
    assert "" in sheaf.open(path)
    assert next(iter(reader)).key_texts == ["", "a"]


@pytest.mark.parametrize("keys", [["", "a"], ["a", ""], [""]])
def test_an_empty_key_passes_transforms_functions_and_joins(tmp_path, keys):
    for name in ("x", "y"):
        with sheaf.Writer(tmp_path / f"{name}.sheaf", [f"{name}:dense:1"]) as writer:
            for i, key in enumerate(keys):
                writer.write(key, {name: [i]})

    path = tmp_path / "x.sheaf"
    for options in (
        {"transforms": [sheaf.transform("reverse", "x")]},
        {"transforms": [sheaf.map(lambda x: x * 2, "x")]},
        {"join": tmp_path / "y.sheaf"},
        {"join": tmp_path / "y.sheaf", "cache": tmp_path / "cache"},
    ):
        for _ in range(2):
            reader = sheaf.Reader(path, minibatch_size=1, **options)
            assert [list(each.key_texts) for each in reader] == [[key] for key in keys], options
        assert list(sheaf.Reader(path, **options).sequence("").key_texts) == [""]


def test_text_keys_may_have_any_bytes(tmp_path):
    path = tmp_path / "data.ctf"
    path.write_bytes(b"caf\xe9 |x 1\n")
    reader = sheaf.Reader(path, ["x:dense:1"], keys="text")
    (text,) = next(iter(reader)).key_texts
    assert reader.sequence(text).key_texts == [text] == ["caf\udce9"]


def test_a_bad_sequence_is_a_data_error(write_ctf):
    path = write_ctf("0 |x 1\n1 |x z\n2 |x 3\n")
    reader = sheaf.Reader(path, ["x:dense:1"], max_errors=1)
    for lookup in (lambda: reader.sequence(1), lambda: reader.sequence_at(0, 1)):
        with pytest.raises(sheaf.DataError) as error:
            lookup()
        assert [d.line for d in error.value.diagnostics] == [2]
    assert reader.stats["error_places"] == 0
    assert next(iter(reader)).sequence_keys.tolist() == [0, 2]


def test_truncated_sequences_have_no_random_access(read):
    reader = read(truncation_length=4)
    with pytest.raises(sheaf.ConfigError, match="leave truncation_length out"):
        reader.sequence_at(0, 0)
    with pytest.raises(sheaf.ConfigError, match="`truncated` takes sequences"):
        reader.sequence(3)
