"""Writing CNTK's text format."""

from __future__ import annotations

import numpy as np
import pytest
from cntk_data import stream, write

from sheaf import cntk
from sheaf.cntk.text import is_tensor


@pytest.mark.parametrize(
    ("number", "streams", "expected"),
    [
        (0, {"A": []}, ""),
        (0, {"A": [[[1, 0, 0, 1], [0, 1, 0, 0]]]}, "0\t|A 1 0 0 1 0 1 0 0"),
        (
            0,
            {"W": [[1, 0, 1, 0], [5, 6, 7, 8]], "L": [2]},
            "0\t|L 2 |W 1 0 1 0\n0\t|W 5 6 7 8",
        ),
        (7, {"A": np.array([[0.1, 2], [3, 4]], np.float32)}, "7\t|A 0.1 2.0\n7\t|A 3.0 4.0"),
        (1, {"S": [{5: 1, 2: 0.5}, {}]}, "1\t|S 2:0.5 5:1\n1\t|S "),
    ],
)
def test_sequences_become_lines(number, streams, expected):
    assert cntk.sequence_to_cntk_text_format(number, streams) == expected


@pytest.mark.parametrize(
    "streams", [{}, {"A": [object()]}, {"A": object()}, {"A": [np.array([1])]}, {"A": "text"}]
)
def test_wrong_samples_are_refused(streams):
    with pytest.raises(ValueError, match=r"^(alias_tensor_map|the samples of)"):
        cntk.sequence_to_cntk_text_format(0, streams)


def test_is_tensor_accepts_arrays_and_nested_lists_of_numbers():
    assert is_tensor([1])
    assert is_tensor([[1, 2]])
    assert is_tensor(np.zeros(3))
    assert not is_tensor([np.array([1])])
    assert not is_tensor([[np.array([1])]])
    assert not is_tensor([{1: 2}])


def test_written_text_is_read_back(tmp_path):
    sequences = [{"x": np.full((n + 1, 2), n / 3, np.float32), "y": [{n: 1}]} for n in range(3)]
    text = "\n".join(cntk.sequence_to_cntk_text_format(n, each) for n, each in enumerate(sequences))
    streams = cntk.StreamDefs(x=stream("x", 2), y=stream("y", 3, is_sparse=True))
    source = cntk.MinibatchSource(
        cntk.CTFDeserializer(write(tmp_path, text + "\n"), streams), randomize=False
    )
    minibatch = source.next_minibatch(6)
    for each, found in zip(sequences, minibatch[source["x"]].as_sequences(), strict=True):
        assert (found == each["x"]).all()
    assert minibatch[source["y"]].asarray()[:, 0].tolist() == np.eye(3).tolist()
