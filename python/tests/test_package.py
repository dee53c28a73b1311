"""The package as a whole: stub, types, version."""

from __future__ import annotations

import importlib.util
import pathlib
import re

from nanobind import stubgen

import sheaf
import sheaf._sheaf
from conftest import ROOT

STUB = ROOT / "python" / "sheaf" / "_sheaf.pyi"


def test_the_stub_is_the_generated_one():
    generator = stubgen.StubGen(module=sheaf._sheaf)
    generator.put(sheaf._sheaf)
    # After a change: python -m nanobind.stubgen -m sheaf._sheaf -o python/sheaf/_sheaf.pyi
    assert generator.get().strip() == STUB.read_text().strip()


def test_the_package_says_that_it_is_typed():
    spec = importlib.util.find_spec("sheaf")
    assert spec is not None and spec.origin is not None
    assert (pathlib.Path(spec.origin).parent / "py.typed").exists()


def test_the_version_is_that_of_the_header():
    header = (ROOT / "include" / "sheaf" / "version.h").read_text()
    assert re.search(r'kVersion = "(.*)"', header)[1] == sheaf.__version__


def test_all_names_are_there():
    for name in sheaf.__all__:
        assert hasattr(sheaf, name)
