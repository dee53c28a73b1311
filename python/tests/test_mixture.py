"""``sheaf.mix``: sequences drawn from data sets by weight."""

from __future__ import annotations

import json
import pathlib
import pickle
from collections import Counter
from decimal import Decimal
from itertools import chain

import numpy as np
import pytest

import sheaf


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name, count, first in (("a", 70, 0), ("b", 30, 1000), ("c", 10, 2000)):
        rows = [f"{key} |x {first + key}\n" * (1 + key % 3) for key in range(count)]
        (tmp_path / f"{name}.ctf").write_text("".join(rows))
    return tmp_path


def values(reader: sheaf.Reader) -> list[list[int]]:
    """The first values of the sequences of each minibatch."""
    return [firsts_of(each) for each in reader]


def firsts_of(minibatch: sheaf.Minibatch) -> list[int]:
    values, starts = minibatch.x.values, minibatch.x.sequence_offsets
    if starts is None:
        return [int(value) for value in values[:, 0, 0]]
    return [int(value) for value in values[starts[:-1], 0]]


def test_shares_are_exact(folder):
    data = sheaf.mix({"a.ctf": 0.7, "b.ctf": "0.3"}, exhausted="drop")
    assert data.names == ("a.ctf", "b.ctf")
    delivered = values(sheaf.Reader(data, batch_size=10))
    assert [sum(value >= 1000 for value in each) for each in delivered] == [3] * 10
    assert sorted(chain(*delivered)) == [*range(70), *range(1000, 1030)]


@pytest.mark.parametrize("packing", ["ragged", "padded"])
def test_a_minibatch_has_the_member_of_each_sequence(folder, packing):
    (folder / "b.ctf").write_text((folder / "b.ctf").read_text() + "99 |x wrong\n98 |x 1098\n")
    data = sheaf.mix({"a.ctf": 1, "b.ctf": 1}, exhausted="drop")
    how = {"batch_size": 9, "packing": packing, "order": "keyed", "max_errors": 5}
    seen = []
    for transforms in ([], [sheaf.map(lambda x: x, "x")]):
        for minibatch in sheaf.Reader(data, **how, transforms=transforms, streams=None):
            assert minibatch.members.shape == minibatch.sequence_keys.shape
            again = pickle.loads(pickle.dumps(minibatch))
            assert again.members.tolist() == minibatch.members.tolist()
            firsts = firsts_of(minibatch)
            assert minibatch.members.tolist() == [int(first >= 1000) for first in firsts]
            seen += firsts
    assert len(seen) == 2 * 101  # one sequence is a hole
    assert next(iter(sheaf.Reader("a.ctf", batch_size=2))).members is None


@pytest.mark.parametrize("order", ["file", "keyed"])
def test_each_member_repeats_in_its_own_sweeps(folder, order):
    data = sheaf.mix([("a.ctf", 1), ("c.ctf", Decimal(1))], exhausted="repeat")
    reader = sheaf.Reader(data, batch_size=7, order=order, seed=3)
    all_values = list(chain(*values(reader)))
    assert len(all_values) in (139, 140)
    counts = Counter(all_values)
    assert all(counts[value] == 1 for value in range(70))
    assert {counts[value] for value in range(2000, 2010)} <= {6, 7}
    sweeps = [value for value in all_values if value >= 2000][:20]
    assert set(sweeps[:10]) == set(sweeps[10:]) == set(range(2000, 2010))
    assert (sweeps[:10] == sweeps[10:]) == (order == "file")


def test_keys_may_repeat_and_tables_may_be_members(folder):
    class Own(sheaf.Deserializer):
        streams = {"x": sheaf.Stream(dim=1)}  # noqa: RUF012

        def chunks(self) -> list[int]:
            return [5]

        def read(self, chunk: int) -> dict[str, np.ndarray]:
            return {"x": np.arange(5000, 5005, dtype=np.float32).reshape(5, 1)}

    data = sheaf.mix([("c.ctf", 1), (Own(), 1), ({"files": "c.ctf"}, 2)], exhausted="stop")
    delivered = list(chain(*values(sheaf.Reader(data, batch_size=4))))
    # Half of the draws come from the last member, which has 10 sequences.
    assert 18 <= len(delivered) <= 22
    counts = Counter(delivered)
    assert counts[2000] == 2
    assert counts[5000] == 1


def test_a_table_is_a_member(folder):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": pa.array([[5000.0], [5001.0]], pa.list_(pa.float32()))})
    data = sheaf.mix([("c.ctf", 1), (table, 1)], exhausted="repeat")
    delivered = set(chain(*values(sheaf.Reader(data, batch_size=4, packing="ragged"))))
    assert {5000, 5001, 2000} <= delivered


@pytest.mark.parametrize("packing", ["ragged", "padded", "packed"])
@pytest.mark.parametrize("order", ["file", "keyed"])
def test_a_run_resumes_with_any_number_of_workers(folder, order, packing):
    data = sheaf.mix(
        {"a.ctf": 5, "b.ctf": 3, "c.ctf": 1}, exhausted="repeat", schedule={40: [1, 1, 0]}
    )
    how = {"batch_size": 8, "order": order, "seed": 1, "packing": packing, "sweeps": 2}
    whole = [minibatch.sequence_keys.tolist() for minibatch in sheaf.Reader(data, **how)]
    reader = sheaf.Reader(data, **how)
    epoch = iter(reader)
    for _ in range(5):
        next(epoch)
    state = json.loads(json.dumps(reader.state_dict()))
    ranks = []
    for rank in range(3):
        other = sheaf.Reader(data, **how, rank=rank, world_size=3)
        other.load_state_dict(state)
        ranks.append([minibatch.sequence_keys.tolist() for minibatch in other])
    together = [sorted(chain(*each)) for each in zip(*ranks, strict=True)]
    assert together == [sorted(each) for each in whole[5:]]


def test_a_position_of_other_weights_is_refused(folder):
    how = {"batch_size": 8}
    reader = sheaf.Reader(sheaf.mix({"a.ctf": 2, "b.ctf": 1}, exhausted="repeat"), **how)
    next(iter(reader))
    state = reader.state_dict()
    other = sheaf.Reader(sheaf.mix({"a.ctf": 1, "b.ctf": 1}, exhausted="repeat"), **how)
    with pytest.raises(sheaf.ConfigError, match=r"mixture.*2:1 repeat.*1:1 repeat"):
        other.load_state_dict(state)


def test_a_spec_gives_the_same_mixture(folder):
    data = sheaf.mix(
        {"a.ctf": 0.5, ("b.ctf", "c.ctf"): 0.25},
        exhausted="repeat",
        streams=["x:dense:1"],
        format="ctf",
        schedule={9: (1, "0.5")},
    )
    spec = data.spec
    spec["data"]["mix"][1]["same_keys"] = "number"
    (folder / "mix.json").write_text(json.dumps(spec))
    how = {"batch_size": 6, "order": "keyed", "seed": 4}
    delivered = values(sheaf.Reader(spec="mix.json", **how))
    assert delivered == values(sheaf.Reader(spec=spec, **how))
    assert len(delivered) > 10
    assert json.loads(str(data)) == data.spec


def test_transforms_apply_to_all_members(folder):
    data = sheaf.mix({"a.ctf": 1, "b.ctf": 1}, exhausted="stop")
    double = sheaf.map(lambda x: 2 * x, "x")
    plain = values(sheaf.Reader(data, batch_size=5))
    assert values(sheaf.Reader(data, batch_size=5, transforms=[double])) == [
        [2 * value for value in each] for each in plain
    ]


def test_order_reports_the_shares(folder):
    report = sheaf.order(sheaf.mix({"a.ctf": 2, "c.ctf": 1}, exhausted="repeat"), batch_size=6)
    mixture = report["mixture"]
    assert mixture["exhausted"] == "repeat"
    assert mixture["is_whole"]
    assert [member["name"] for member in mixture["members"]] == ["a.ctf", "c.ctf"]
    assert [round(member["asked"], 6) for member in mixture["members"]] == [0.666667, 0.333333]
    assert mixture["largest_deviation"] < 2
    assert sheaf.order("a.ctf", batch_size=6)["mixture"] is None


def test_wrong_arguments_are_refused(folder):
    with pytest.raises(TypeError, match="exhausted"):
        sheaf.mix({"a.ctf": 1})
    with pytest.raises(TypeError, match="the weight of a member"):
        sheaf.mix({"a.ctf": None}, exhausted="stop")
    with pytest.raises(TypeError, match="members"):
        sheaf.mix(["a.ctf"], exhausted="stop")
    with pytest.raises(TypeError, match="members"):
        sheaf.mix([(3, 1)], exhausted="stop")
    with pytest.raises(sheaf.ConfigError, match="at least one path"):
        sheaf.mix([((), 1)], exhausted="stop")
    with pytest.raises(TypeError, match="schedule"):
        sheaf.mix({"a.ctf": 1}, exhausted="stop", schedule=[1])
    with pytest.raises(TypeError, match="schedule"):
        sheaf.mix({"a.ctf": 1}, exhausted="stop", schedule={1: "1"})

    def read(*arguments, **options):
        return lambda: sheaf.Reader(sheaf.mix(*arguments, **options), batch_size=2)

    for make, message in (
        (read({"a.ctf": "x"}, exhausted="stop"), "is no number"),
        (read({"a.ctf": -1}, exhausted="stop"), "is negative"),
        (read({"a.ctf": 0}, exhausted="stop"), "sum 0|weight 0"),
        (read({"a.ctf": 1}, exhausted="never"), "exhausted"),
        (read({"a.ctf": 1}, exhausted="stop", schedule={0: [1]}), "from"),
        (read({}, exhausted="stop"), "a list of data"),
    ):
        with pytest.raises(sheaf.ConfigError, match=message):
            make()
    data = sheaf.mix({"a.ctf": 1}, exhausted="stop")
    with pytest.raises(sheaf.ConfigError, match=r"join: sheaf.mix says what is read"):
        sheaf.Reader(data, batch_size=2, join="b.ctf")
    with pytest.raises(sheaf.ConfigError, match="no order"):
        sheaf.Reader(data, batch_size=2, order="cntk")
