"""docs/first-change.md and CONTRIBUTING.md name existing things, and the code compiles."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "first-change.md").read_text()
PATH = re.compile(r"`((?:cli|docs|fuzz|include|python|src|tests|tools)/[\w./-]+)`")
ROW = re.compile(r"^\| `([\w./-]+)` \| `(\w+)` \| .+ \|$", re.MULTILINE)
NEW = ["src/transform/scale.cc", "tests/transform/scale_test.cc"]
COMPILER = os.environ.get("CXX", "c++")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_named_files_exist():
    paths = set(PATH.findall(PAGE))
    assert set(NEW) < paths
    assert [path for path in sorted(paths - set(NEW)) if not (ROOT / path).exists()] == []


def test_the_map_of_the_code_leads_to_files():
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## A map of the code\n")[2]
    rows = re.findall(r"^\| (`.*) \| .* \| (`.*) \|$", text.partition("\n## ")[0], re.MULTILINE)
    assert 20 < len(rows) <= 25
    folders = {folder for row in rows for folder in re.findall(r"`([\w./-]+)`", row[0])}
    assert {"src/dataset", "src/reader", "cli", "python/sheaf", "fuzz"} < folders
    kits = {"listed", "audio", "images", "columns"}
    assert kits < folders
    for folder in folders - kits - {"src/format/NAME", "tests/LAYER"}:
        assert (ROOT / folder).is_dir(), folder
    layers = {f"src/{path.name}" for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert layers - folders == {"src/format"}
    for _, starts in rows:
        for path in re.findall(r"`([\w./-]+)`", starts):
            assert (ROOT / path).is_file(), path


def test_names_are_in_their_files():
    rows = ROW.findall(PAGE)
    assert len(rows) > 15
    for path, name in rows:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text()), (path, name)


def test_named_tests_exist():
    folders = (ROOT / "python" / "tests", ROOT / "tests" / "cli")
    sources = "".join(path.read_text() for folder in folders for path in folder.glob("*.py"))
    names = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(names) > 8
    for name in names:
        assert f"def {name}(" in sources, name


def changed() -> dict[str, str]:
    """Return the files of the page's diff after the change."""
    files = {}
    (diff,) = blocks("diff")
    for part in diff.split("--- a/")[1:]:
        path, _, lines = part.split("\n", 2)
        after = re.sub(r"^[ +]", "", lines, flags=re.MULTILINE)
        before = "".join(line[1:] for line in lines.splitlines(True) if line[0] == " ")
        text = (ROOT / path).read_text()
        assert text.count(before) == 1, path
        files[path] = text.replace(before, after)
    return files


def test_the_lists_keep_their_order():
    files = changed()
    rows = re.findall(
        r"internal::(\w+)_transform\(\)", files["src/transform/builtin_transforms.cc"]
    )
    assert "scale" in rows and rows == sorted(rows)
    assert set(files) == {
        "src/transform/types.h",
        "src/transform/builtin_transforms.cc",
        "src/CMakeLists.txt",
    }


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason="it is about C++")
@pytest.mark.parametrize("number", [0, 1], ids=NEW)
def test_the_code_compiles(tmp_path, number):
    code = blocks("cpp")
    assert len(code) == len(NEW)
    for path, text in (*changed().items(), (NEW[number], code[number])):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    include = [f"-I{folder}" for folder in (tmp_path / "src", ROOT / "include", ROOT / "src")]
    include.append(f"-I{ROOT / 'tests'}")
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *warnings, *include, tmp_path / NEW[number]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
