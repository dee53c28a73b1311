"""The package as a whole: stub, types, version."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import pathlib
import re
import subprocess
import sys

from nanobind import stubgen

import sheaf
import sheaf._sheaf
from conftest import ROOT

STUB = ROOT / "python" / "sheaf" / "_sheaf.pyi"


def test_the_stub_equals_the_generated_stub():
    generator = stubgen.StubGen(module=sheaf._sheaf)
    generator.put(sheaf._sheaf)
    # After a change: python -m nanobind.stubgen -m sheaf._sheaf -o python/sheaf/_sheaf.pyi
    assert generator.get().strip() == STUB.read_text().strip()


def test_the_package_is_marked_as_typed():
    spec = importlib.util.find_spec("sheaf")
    assert spec is not None and spec.origin is not None
    assert (pathlib.Path(spec.origin).parent / "py.typed").exists()


def test_the_version_matches_the_header():
    header = (ROOT / "include" / "sheaf" / "version.h").read_text()
    assert re.search(r'kVersion = "(.*)"', header)[1] == sheaf.__version__
    assert importlib.metadata.version("sheaf-data") == sheaf.__version__


def test_all_public_names_exist():
    for name in sheaf.__all__:
        assert hasattr(sheaf, name)


def run(*command) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_sheaf_imports_no_slow_module():
    before, after = (
        set(run(sys.executable, "-c", f"{imports}import sys; print(*sys.modules)").split())
        for imports in ("", "import sheaf; ")
    )
    slow = {"torch", "scipy", "numpy", "importlib.metadata", "asyncio", "email", "subprocess"}
    assert not {name.split(".")[0] for name in after - before} & slow
    others = {name for name in after - before if name.split(".")[0] != "sheaf"}
    assert len(others) < 55


def test_sheaf_ray_names_its_extra_where_ray_is_missing():
    program = "import sys; sys.modules['ray'] = None; import sheaf.ray"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert failed.returncode != 0
    assert "ImportError: sheaf.ray needs Ray Data and pyarrow" in failed.stderr
    assert "pip install 'sheaf-data[ray]'" in failed.stderr


def test_the_package_contains_the_command(digits, tmp_path):
    path = tmp_path / "train.cbf"
    run(sys.executable, "-m", "sheaf", "convert", digits / "train.ctf", path)
    minibatches = [list(sheaf.Reader(each, batch_size=9)) for each in (digits / "train.ctf", path)]
    assert len(minibatches[0]) == len(minibatches[1]) == 160
    for text, binary in zip(*minibatches, strict=True):
        assert (text.features.values == binary.features.values).all()
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="sheaf")
    assert script.value == "sheaf.__main__:main"
    assert sheaf.__version__ in run(sys.executable, "-m", "sheaf", "--version")
