"""Descriptions of transforms in Python, and the random numbers of a transform."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import sheaf
from conftest import JAGGED
from sheaf._options.options import check_options, plan_data


@pytest.fixture
def path(write_ctf):
    return write_ctf(JAGGED)


def planned(**options):
    """Give the transforms that a plan has for keywords."""
    return json.loads(plan_data(options).plan.to_json())["data"].get("transforms")


def test_a_text_a_dict_and_an_object_are_equivalent(path):
    said = {"type": "rename", "streams": ["a", "b"], "as": ["x", "y"]}
    for each in (
        "rename:a+b:as=x+y",
        said,
        {"type": "rename", "streams": ("a", "b"), "as": ["x", "y"]},
        sheaf.transform("rename", ["a", "b"], as_=("x", "y")),
    ):
        assert planned(path=path, transforms=[each]) == [said]
        assert planned(path=path, join=[path], transforms=iter([each])) == [said]
    one = sheaf.transform("reverse", "a")
    assert planned(path=path, transforms=[one, said]) == [
        {"type": "reverse", "streams": ["a"]},
        said,
    ]
    assert planned(path=path, transforms=[]) is None
    assert planned(path=path) is None


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (5, 5),
        (np.int32(5), 5),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (True, "true"),
        (np.array([1.0, 0.25]), "1 0.25"),
        ([1, 2.5], "1 2.5"),
        ("a b", "a b"),
        ("caf\udce9", {"latin-1": "caf\u00e9"}),
    ],
)
def test_options_may_be_numbers_texts_booleans_and_arrays(path, value, kept):
    transform = sheaf.transform("function", "a", name=value)
    expected = [{"type": "function", "streams": ["a"], "name": kept}]
    assert planned(path=path, transforms=[transform]) == expected
    spec = {"data": {"files": str(path), "transforms": [transform]}}
    assert planned(spec=spec) == expected
    assert planned(spec=spec, seed=3, order="keyed") == expected  # a spec that a keyword changes


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        (["revers:a"], 'there is no type "revers"; did you mean "reverse"?'),
        (["reverse", {"type": "revers"}], "transforms[1].type: there is no type"),
        ([sheaf.transform("function", nam=1)], 'transforms[0]: unknown name "nam"; did you mean'),
        ([sheaf.transform("reverse", left=1)], 'transforms[0]: unknown name "left"'),
        ([{"streams": "a"}], "transforms[0].type: expected the type of a transform, found none"),
        ([sheaf.transform("function", name=float("nan"))], "transforms[0].name: expected a number"),
        ([sheaf.transform("function", name=None)], "transforms[0].name: expected a number, a text"),
        ([sheaf.transform("function", name=object())], "transforms[0].name: expected a value of"),
    ],
)
def test_a_wrong_transform_is_reported_with_its_index(path, transforms, message):
    for call in (
        sheaf.Reader,
        sheaf.open,
        lambda path, **options: check_options({"path": path, **options}),
    ):
        with pytest.raises(sheaf.ConfigError) as raised:
            call(path, transforms=transforms)
        assert message in str(raised.value)


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        ("reverse:a", "transforms: expected a list of texts, dicts, Transforms or sheaf.map(...)"),
        (
            {"type": "reverse"},
            "transforms: expected a list of texts, dicts, Transforms or sheaf.map(...)",
        ),
        (
            sheaf.transform("reverse"),
            "transforms: expected a list of texts, dicts, Transforms or sheaf.map(...)",
        ),
        ([5], "transforms: expected texts, dicts, Transforms or sheaf.map(...)"),
    ],
)
def test_a_value_of_a_wrong_type_is_named(path, transforms, message):
    with pytest.raises(TypeError) as raised:
        sheaf.Reader(path, transforms=transforms)
    assert message in str(raised.value)


def test_names_of_a_transform_are_texts():
    for call, message in (
        (lambda: sheaf.transform(5), "type: expected a text, got 5"),
        (lambda: sheaf.transform("reverse", 5), "streams: expected a name or several, got 5"),
        (lambda: sheaf.transform("reverse", [5]), "streams: expected names that are texts, got 5"),
        (lambda: sheaf.transform("reverse", as_=b"x"), "as_: expected a name or several, got b'x'"),
    ):
        with pytest.raises(TypeError) as raised:
            call()
        assert message in str(raised.value)


def test_transforms_apply_to_a_configuration_but_not_to_a_spec(path, tmp_path):
    with pytest.raises(sheaf.ConfigError, match="transforms: the spec says what is read"):
        sheaf.Reader(spec={"data": {"files": str(path)}}, transforms=["reverse"])
    config = tmp_path / "c.cntk"
    config.write_text(
        f'reader = [ readerType = "CNTKTextFormatReader" ; file = "{path}" ; '
        "input = [ a = [ dim = 1 ; format = dense ] ] ]\n"
    )
    assert planned(config=config, transforms=["reverse"]) == [{"type": "reverse"}]


def test_index_and_infer_ignore_transforms(path):
    for call in (sheaf.index, sheaf.infer):
        with pytest.raises(sheaf.ConfigError, match="as the data are: leave transforms out"):
            call(path, transforms=["reverse"])
    transforms = ["rename:x:as=z", {"type": "function", "name": "augment"}]
    spec = {"data": {"files": str(path), "transforms": transforms}}
    assert list(sheaf.infer(spec=spec)) == list(sheaf.infer(path)) == ["x", "s"]
    assert sheaf.index(spec=spec).samples == sheaf.index(path).samples


def test_a_transform_is_copied_and_pickled():
    one = sheaf.transform("function", "a", as_="b", name="augment")
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    assert one != sheaf.transform("function", "a", as_="b", name="other")


def test_a_reader_with_transforms_is_pickled(path):
    reader = sheaf.Reader(path, transforms=iter(["reverse:x", sheaf.transform("reverse", "x")]))
    again = pickle.loads(pickle.dumps(reader))
    assert [each.sequence_keys.tolist() for each in again] == [
        each.sequence_keys.tolist() for each in reader
    ]


def test_the_list_has_the_types_of_the_library():
    rows = {row.name: row for row in sheaf.transforms()}
    assert {"rename", "reverse", "select"} <= set(rows)
    assert rows["reverse"].takes_all
    for row in rows.values():
        assert row.description
        for option in row.options:
            assert option.name and option.help


# The keys are those of tests/core/keyed_generator_test.cc.
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ((7, 3, 42, "clip"), (0xB39BC22218B8D496, 0xC0907F3B47B3D750)),
        ((7, 3, 42, ""), (0xD89C2622312BF113, 0xEAB1B410081FA6B9)),
    ],
)
def test_a_generator_matches_cpp(name, key):
    generator = sheaf.generator(*name)
    philox = np.random.Philox(key=np.array(key, dtype=np.uint64))
    raw = generator.bit_generator.random_raw(9)
    assert (raw == philox.random_raw(9)).all()
    state = sheaf.generator(*name).bit_generator.state["state"]
    assert tuple(map(int, state["key"])) == key


def test_a_generator_depends_on_each_of_its_values():
    names = [(7, 3, 42, "clip"), (8, 3, 42, "clip"), (7, 4, 42, "clip"), (7, 3, 43, "clip")]
    names += [(7, 3, 42, "clap"), (7, 3, "42", "clip"), (7, 3, "caf\udce9", "clip")]
    names += [(2**64 - 1, 2**63 - 1, 2**64 - 1, "clip"), (7, 3, "", "clip")]
    numbers = [int(sheaf.generator(*name).bit_generator.random_raw()) for name in names]
    assert len(set(numbers)) == len(names)
    assert numbers == [int(sheaf.generator(*name).bit_generator.random_raw()) for name in names]
    assert sheaf.generator(np.uint64(7), 3, np.int64(42), "clip").random() == (
        sheaf.generator(*names[0]).random()
    )


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ((-1, 0, 0, "t"), sheaf.ConfigError, "seed is a whole number from 0 to"),
        ((2**64, 0, 0, "t"), sheaf.ConfigError, "seed is a whole number from 0 to"),
        ((0, -1, 0, "t"), sheaf.ConfigError, "sweep is a whole number from 0 to"),
        ((0, 0, 2**64, "t"), sheaf.ConfigError, "key is a whole number from 0 to"),
        ((0, 0, 1.5, "t"), TypeError, "a key: expected a whole number, got 1.5"),
        ((0, 0, 0, 5), TypeError, "transform: expected a text, got 5"),
        ((0, 0, "\ud800", "t"), sheaf.ConfigError, "a key has of the surrogates only"),
    ],
)
def test_a_generator_refuses_other_values(name, error, message):
    with pytest.raises(error) as raised:
        sheaf.generator(*name)
    assert message in str(raised.value)
