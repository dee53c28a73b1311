"""Specs: their effect on Reader, open() and similar functions, and keywords beside them."""

from __future__ import annotations

import json
import pickle
import re

import pytest

import sheaf


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{i} |x {i} {i}\n" for i in range(20))
    (tmp_path / "a.ctf").write_text(rows)
    (tmp_path / "b.ctf").write_text("".join(f"{i} |y {i}\n" for i in range(0, 20, 2)))
    return tmp_path


def write(folder, spec, name="s.json"):
    (folder / name).write_text(json.dumps(spec))
    return folder / name


def keys(reader):
    return [minibatch.sequence_keys.tolist() for minibatch in reader]


def test_a_file_and_a_dict_are_read(folder):
    spec = {"data": {"files": "a.ctf"}, "read": {"minibatch_size": 8, "unit": "sequences"}}
    expected = keys(sheaf.Reader(folder / "a.ctf", batch_size=8))
    assert keys(sheaf.Reader(spec=write(folder, spec))) == expected
    spec["data"]["files"] = str(folder / "a.ctf")
    assert keys(sheaf.Reader(spec=spec)) == expected
    assert len(sheaf.Reader(spec=spec)) == len(expected)


def test_keywords_change_how_a_spec_is_read(folder):
    spec = write(
        folder,
        {
            "data": {"files": "a.ctf"},
            "read": {"order": "keyed", "seed": 3, "sweeps": 2, "window_chunks": 1},
        },
    )
    path, both = folder / "a.ctf", {"order": "keyed", "window": 1}
    for changes, said in (
        ({"seed": 9}, {"seed": 9, "sweeps": 2, **both}),
        ({"sweeps": 1, "batch_size": 3}, {"seed": 3, "batch_size": 3, **both}),
        ({"epoch_size": 7}, {"seed": 3, "epoch_size": 7, **both}),
        ({"window_samples": 5}, {"seed": 3, "sweeps": 2, "order": "keyed", "window_samples": 5}),
        (
            {"rank": 1, "world_size": 2},
            {"seed": 3, "sweeps": 2, "rank": 1, "world_size": 2, **both},
        ),
        ({"packing": "ragged"}, {"seed": 3, "sweeps": 2, "packing": "ragged", **both}),
    ):
        assert keys(sheaf.Reader(spec=spec, **changes)) == keys(sheaf.Reader(path, **said)), changes


def test_an_epoch_may_be_endless(folder):
    spec = {"data": {"files": str(folder / "a.ctf")}, "read": {"sweeps": "endless"}}
    minibatches = iter(sheaf.Reader(spec=spec))
    assert sum(next(minibatches).sequence_count for _ in range(3)) > 20
    assert sum(len(each) for each in keys(sheaf.Reader(spec=spec, sweeps=1))) == 20


def test_errors_that_a_spec_tolerates_are_tolerated(folder):
    (folder / "a.ctf").write_text("1 |x 1\n2 |x ?\n3 |x 3\n")
    data = {"files": str(folder / "a.ctf"), "streams": [{"name": "x", "shape": 1}]}
    assert keys(sheaf.Reader(spec={"data": data, "read": {"max_errors": 1}})) == [[1, 3]]
    assert keys(sheaf.Reader(spec={"data": data}, max_errors=1)) == [[1, 3]]
    with pytest.raises(sheaf.DataError):
        keys(sheaf.Reader(spec={"data": data, "read": {"max_errors": 1}}, max_errors=0))


def test_a_join_is_opened_checked_and_resumed(folder):
    spec = write(folder, {"data": {"join": [{"files": "a.ctf"}, {"files": "b.ctf"}]}})
    data = sheaf.open(spec=spec)
    assert len(data) == 10
    assert sorted(data.streams) == ["x", "y"]
    assert data.files == [str(folder / "a.ctf"), str(folder / "b.ctf")]
    assert sheaf.check(spec=spec).sequences == 10
    reader = sheaf.Reader(spec=spec, batch_size=2)
    run = iter(reader)
    next(run)
    again = sheaf.Reader(spec=spec, batch_size=2)
    again.load_state_dict(pickle.loads(pickle.dumps(reader.state_dict())))
    assert next(iter(again)).sequence_keys.tolist() == next(run).sequence_keys.tolist()


def test_a_wrong_spec_is_refused_with_the_message_of_the_command(folder):
    spec = write(folder, {"data": {"files": "a.ctf"}, "read": {"sead": 1}})
    with pytest.raises(sheaf.ConfigError) as raised:
        sheaf.Reader(spec=spec)
    assert str(raised.value) == f'{spec}: read: unknown name "sead"; did you mean "seed"?'
    with pytest.raises(sheaf.ConfigError, match=re.escape("spec: data.files: expected a text")):
        sheaf.Reader(spec={"data": {"files": 1}})


def test_keywords_that_repeat_a_spec_are_refused(folder):
    spec = {"data": {"files": str(folder / "a.ctf")}}
    for other in ({"path": "a.ctf"}, {"streams": ["x:dense"]}, {"keys": "text"}):
        with pytest.raises(sheaf.ConfigError, match="the spec says what is read"):
            sheaf.Reader(spec=spec, **other)
    with pytest.raises(sheaf.ConfigError, match="config: the spec says"):
        sheaf.Reader(spec=spec, config="c.cntk")
