"""The reference of the package is complete."""

from __future__ import annotations

import importlib
import inspect
import re
import sys

import pytest

import sheaf
from conftest import ROOT


@pytest.fixture(scope="module")
def reference():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("api_reference")
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def pages(reference):
    return dict(reference.pages(ROOT / "python" / "sheaf"))


def test_every_name_and_method_is_in_the_reference(pages):
    headings = re.findall(r"^#+ (\S+)$", pages["sheaf"].replace("\\_", "_"), re.MULTILINE)
    assert len(headings) == len(set(headings))
    for name in sheaf.__all__:
        thing = getattr(sheaf, name)
        if name.startswith("__"):
            continue
        assert name in headings
        if isinstance(thing, type) and not issubclass(thing, (Exception, dict)):
            members = [each for each in vars(thing) if not each.startswith("_")]
            fields = getattr(thing, "__dataclass_fields__", {})
            missing = {f"{name}.{each}" for each in members if each not in fields}
            assert missing <= set(headings)


def test_every_entry_has_a_description(pages):
    for part in re.split(r"^### ", pages["sheaf"], flags=re.MULTILINE)[1:]:
        assert re.match(r"\S+\n+```python\n[^`]*```\n\n\w", part), part


def test_indented_blocks_stay_and_paragraphs_are_joined(reference):
    text = reference._text("Of ``a`` and *b*.\n\n    x  is one\n    yy is two\n\nThe\nend.")
    assert text == ["Of `a` and \\*b\\*.", "```text\nx  is one\nyy is two\n```", "The end."]
    assert reference._split("a: dict[str, int], b: str=',', *, c") == [
        "a: dict[str, int]",
        "b: str = ','",
        "*",
        "c",
    ]


def test_the_help_of_a_reader_describes_each_keyword():
    described = re.findall(
        r"^    (\w+(?:, \w+)*)(?:\n| {2,}| (?=\S))", sheaf.Reader.__doc__, re.MULTILINE
    )
    names = {name for each in described for name in each.split(", ")}
    also = set(re.findall(r"also called (\w+)", sheaf.Reader.__doc__))
    assert set(inspect.signature(sheaf.Reader).parameters) <= names | also
