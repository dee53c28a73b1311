"""Specs that name Deserializers of the program."""

from __future__ import annotations

import gc
import json
import pathlib
import pickle
import re
import weakref

import numpy as np
import pytest

import sheaf


class Squares(sheaf.Deserializer):
    """The squares of the keys 0 to 19, in chunks of 5."""

    streams = ("square:dense:1",)

    def chunks(self):
        return [sheaf.Chunk(keys=np.arange(begin, begin + 5)) for begin in range(0, 20, 5)]

    def read(self, chunk):
        keys = np.arange(5 * chunk, 5 * chunk + 5, dtype=np.float32)
        return {"square": keys[:, None] ** 2}


@pytest.fixture
def join(tmp_path):
    """A spec that joins an object and a file, whose order is another one."""
    (tmp_path / "a.ctf").write_text("".join(f"{i} |x {i}\n" for i in reversed(range(0, 20, 2))))
    return {
        "data": {"join": [{"object": "squares"}, {"files": str(tmp_path / "a.ctf")}]},
        "read": {"order": "keyed", "seed": 5, "minibatch_size": 4},
    }


def delivered(reader):
    return [
        (minibatch.sequence_keys.tolist(), minibatch["square"].values.tolist())
        for minibatch in reader
    ]


def test_an_object_is_read_like_a_path(join):
    alone = sheaf.Reader(spec={"data": {"object": "mine"}}, objects={"mine": Squares()})
    assert delivered(alone) == delivered(sheaf.Reader(Squares()))
    path = join["data"]["join"][1]["files"]
    both = sheaf.Reader(spec=join, objects={"squares": Squares()})
    by_keywords = sheaf.Reader(
        Squares(), join=path, order="keyed", seed=5, window=128, minibatch_samples=4
    )
    assert delivered(both) == delivered(by_keywords)
    assert both.streams == by_keywords.streams
    assert "Squares and " in repr(both)


def test_an_arrow_stream_is_an_object():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"sequence_key": [4, 7], "x": [[1.0, 2.0], [3.0]]})
    spec = {"data": {"object": "rows"}, "read": {"packing": "ragged"}}
    reader = sheaf.Reader(spec=spec, objects={"rows": table})
    by_path = sheaf.Reader(table, packing="ragged")
    assert reader.streams == by_path.streams
    found, expected = (
        [(each.sequence_keys.tolist(), each["x"].values.tolist()) for each in one]
        for one in (reader, by_path)
    )
    assert found == expected
    with sheaf.open(spec=spec, objects={"rows": table}) as data:
        assert data.keys.tolist() == [0, 1]


def test_a_spec_in_a_file_may_name_objects(join, tmp_path):
    join["data"]["join"][1]["files"] = "a.ctf"
    (tmp_path / "s.json").write_text(json.dumps(join))
    reader = sheaf.Reader(spec=tmp_path / "s.json", objects={"squares": Squares()}, batch_size=2)
    assert [len(keys) for keys, _ in delivered(reader)] == [2] * 5
    again = sheaf.Reader(spec=tmp_path / "s.json", objects={"squares": Squares()}, batch_size=2)
    next(iter(again))
    again.load_state_dict(pickle.loads(pickle.dumps(again.state_dict())))
    assert len(delivered(again)) == 4


def test_objects_are_opened_checked_inferred_and_converted(join, tmp_path):
    said = {"spec": join, "objects": {"squares": Squares()}}
    with sheaf.open(**said) as data:
        assert data.keys.tolist() == list(range(0, 20, 2))
        assert data.sequence(4)["square"].values.tolist() == [[16]]
    assert sheaf.check(**said).sequences == 10
    assert list(sheaf.infer(**said)) == ["square", "x"]
    with sheaf.open(**said) as data:
        assert sheaf.convert(data, tmp_path / "out.ctf").sequences == 10


def test_an_object_lives_as_long_as_its_reader():
    def opened():
        squares = Squares()
        reader = sheaf.Reader(spec={"data": {"object": "mine"}}, objects={"mine": squares})
        return reader, weakref.ref(squares)

    reader, squares = opened()
    gc.collect()
    assert squares() is not None
    assert len(delivered(reader)) == 1
    reader.close()
    del reader
    gc.collect()
    assert squares() is None


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ({"sqares": Squares}, 'data: no object is called "squares"; did you mean "sqares"?'),
        ({"words": Squares}, 'data: no object is called "squares"; the program gives "words"'),
        ({}, 'data: no object is called "squares"; the program gives none'),
        (
            {"squares": Squares, "square": Squares},
            'objects: the spec names no object "square"; did you mean "squares"?',
        ),
        (
            {"squares": list},
            'objects: expected a Deserializer, a Table or sheaf.map(...) under "squares", got []',
        ),
        ({1: Squares}, "the name of an object is a text: got 1"),
    ],
)
def test_objects_must_match_the_names_of_the_spec(join, objects, message):
    given = {name: kind() for name, kind in objects.items()}
    with pytest.raises(sheaf.ConfigError, match=f"^{re.escape(message)}$"):
        sheaf.Reader(spec=join, objects=given)
    with pytest.raises(sheaf.ConfigError, match=f"^{re.escape(message)}$"):
        sheaf.open(spec=join, objects=given)


def test_objects_without_a_spec_are_refused(join):
    for said in ({"path": Squares()}, {"config": "c.cntk"}):
        with pytest.raises(sheaf.ConfigError, match="objects are what a spec names"):
            sheaf.Reader(**said, objects={"squares": Squares()})
    with pytest.raises(sheaf.ConfigError, match="objects is a dict of names"):
        sheaf.Reader(spec=join, objects=[Squares()])


def test_a_deserializer_within_a_spec_is_refused(join):
    join["data"]["join"][0] = Squares()
    with pytest.raises(sheaf.ConfigError, match=re.escape("spec: data.join[0]: a Deserializer is")):
        sheaf.Reader(spec=join)
    join["data"]["join"][0] = {"object": object()}
    with pytest.raises(sheaf.ConfigError, match=re.escape("data.join[0].object: expected a value")):
        sheaf.Reader(spec=join)


def test_a_dict_may_have_path_objects_and_numpy_numbers(tmp_path):
    name = b"caf\xe9.ctf"  # no UTF-8
    path = pathlib.Path(tmp_path / name.decode(errors="surrogateescape"))
    path.write_text("1 |x 1 2\n2 |x 3 4\n")
    streams = ({"name": "x", "shape": (np.int64(2),)},)
    for each in (path, [path], str(path), bytes(path)):
        reader = sheaf.Reader(spec={"data": {"files": each, "streams": streams}})
        assert len(reader) == 1


def test_a_data_set_for_torch_takes_objects(join):
    torch = pytest.importorskip("sheaf.torch")
    with pytest.raises(sheaf.ConfigError, match=r'no object is called "squares"'):
        torch.SheafDataset(spec=join)
    given = {"squares": Squares()}
    dataset = torch.SheafDataset(spec=join, objects=given)
    given.clear()
    squares = [batch["square"]["values"].sum().item() for batch in dataset]
    copied = pickle.loads(
        pickle.dumps(torch.SheafDataset(spec=join, objects={"squares": Squares()}))
    )
    assert [batch["square"]["values"].sum().item() for batch in copied] == squares
