"""Padding: its values, its side, and the padded length."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sheaf

DATA = "1 |x 1 |y 1\n1 |x 2 |y 2\n1 |x 3\n2 |x 4 |y 4\n"


@pytest.fixture
def first(write_ctf):
    path = write_ctf(DATA)

    def first(**options):
        reader = sheaf.Reader(path, ["x:dense:1", "y:dense:1"], batch_size=2, **options)
        return next(iter(reader))

    return first


@pytest.mark.parametrize(
    ("options", "x", "y"),
    [
        ({}, [1, 2, 3, 4, 0, 0], [1, 2, 4, 0]),
        ({"pad_values": {"x": 9, "y": -100}}, [1, 2, 3, 4, 9, 9], [1, 2, 4, -100]),
        ({"pad_values": {"x": np.float32(0.5)}}, [1, 2, 3, 4, 0.5, 0.5], [1, 2, 4, 0]),
        ({"pad_values": {"y": np.int16(7)}}, [1, 2, 3, 4, 0, 0], [1, 2, 4, 7]),
        ({"pad_side": "left"}, [1, 2, 3, 0, 0, 4], [1, 2, 0, 4]),
        ({"pad_multiple": 2}, [1, 2, 3, 0, 4, 0, 0, 0], [1, 2, 4, 0]),
        ({"pad_length": 3}, [1, 2, 3, 4, 0, 0], [1, 2, 0, 4, 0, 0]),
        (
            {"row_samples": 3, "pad_values": {"x": 8}},
            [1, 4, 2, 8, 3, 8],
            [1, 2, 4],  # in one slot
        ),
    ],
)
def test_padding_and_gaps_have_the_values_given(first, options, x, y):
    minibatch = first(**options)
    assert minibatch.x.values.ravel().tolist() == x
    assert minibatch.y.values.ravel().tolist() == y
    again = pickle.loads(pickle.dumps(minibatch))
    assert again.x.values.tolist() == minibatch.x.values.tolist()
    assert again.x.mask.tolist() == minibatch.x.mask.tolist()


def test_keywords_change_the_padding_of_a_spec(tmp_path, write_ctf):
    read = {"pad_values": {"x": 5}, "pad_multiple": 4, "minibatch_size": 9}
    spec = {"data": {"files": str(write_ctf(DATA))}, "read": read}
    assert next(iter(sheaf.Reader(spec=spec))).x.values[1].ravel().tolist() == [4, 5, 5, 5]
    minibatch = next(iter(sheaf.Reader(spec=spec, pad_values={}, pad_length=5)))
    assert minibatch.x.values[1].ravel().tolist() == [4, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"pad_values": {"z": 1}}, sheaf.ConfigError, 'no stream is named "z"'),
        ({"pad_values": {"x": 2**24 + 1}}, sheaf.ConfigError, "type f32, and 16777217 is none"),
        ({"pad_values": {"x": 2**63}}, sheaf.ConfigError, "a whole number has 64 bits"),
        ({"pad_values": {"x": float("nan")}}, sheaf.ConfigError, "must be finite"),
        ({"pad_values": {"x": "1"}}, TypeError, "pad_values"),
        ({"pad_values": [1]}, TypeError, "pad_values"),
        ({"pad_side": "up"}, sheaf.ConfigError, "pad_side"),
        ({"pad_multiple": 0}, sheaf.ConfigError, "pad_multiple must be at least 1: got 0"),
        ({"pad_length": 2}, sheaf.ConfigError, "more than the 2 of pad_length"),
        ({"pad_length": 4, "pad_multiple": 2}, sheaf.ConfigError, "leave one out"),
        ({"pad_side": "left", "packing": "packed"}, sheaf.ConfigError, "pad_side: it is `padded`"),
        ({"pad_values": {"x": 1}, "packing": "ragged"}, sheaf.ConfigError, "`ragged` has no place"),
    ],
)
def test_wrong_padding_options_are_refused(first, options, error, text):
    with pytest.raises(error) as refusal:
        first(**options)
    assert text in str(refusal.value)
