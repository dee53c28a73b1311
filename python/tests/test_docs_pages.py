"""Each page opens with its purpose and a program, and a reader can follow it line by line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

DOCS = ROOT / "docs"
PAGES = {str(page.relative_to(DOCS)): page.read_text() for page in sorted(DOCS.rglob("*.md"))}

# Pages about the sources of sheaf. Their readers want to know how sheaf is built.
INSIDE = {"adding-a-format.md", "architecture.md"}

# Pages with commands that another test runs, or that need another machine.
ELSEWHERE = {
    "benchmarks.md": "the programs of bench/ are not in the package",
    "first-change.md": "test_first_change.py",
    "how-to/frameworks.md": "test_torch_frameworks.py",
    "how-to/many-machines.md": "test_examples.py",
    "how-to/wheels.md": "tools/wheel_test.py",
    "index.md": "test_examples.py",
    "reliability.md": "ctest",
    "tutorial.md": "test_tutorial.py",
}

# Blocks that need files of the reader, or programs that sheaf does not bring.
OF_THE_READER = {
    "cli.md": r"part-|train\.(svm|json|ctf\.gz)|--config|ctf2bin|completion|train\.cbf",
    "formats/image_folder.md": r"sheaf head clips",
    "formats/kaldi.md": r"data/train/text|train\.cntk",
    "formats/wav.md": r"apt-get",
    "how-to/distributed.md": r"torchrun|mpirun",
    "how-to/speech.md": r"train\.cntk",
    "scale.md": r"build/release",
}
HEAVY = re.compile(
    r"import (PIL|av|cv2|datasets|litdata|polars|pyarrow|pyspark|ray|scipy|streaming|torch|"
    r"transformers|webdataset)\b|to_(arrow|pandas|polars|scipy|torch)\b"
)

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name: str) -> list[tuple[str, str]]:
    """Return the language and the text of each program and command of a page."""
    return [found for found in BLOCK.findall(PAGES[name]) if found[0] in ("python", "sh")]


@pytest.mark.parametrize("name", sorted(PAGES.keys() - INSIDE))
def test_a_page_opens_with_a_purpose_and_a_program(name):
    title, _, rest = PAGES[name].partition("\n\n")
    assert re.fullmatch(r"# .+", title)
    assert re.match(r"[A-Z`\[]|sheaf", rest), "a paragraph stands behind the title"
    first = re.search(r"^```(python|sh|console|cpp)$", rest, re.MULTILINE)
    assert first is not None
    before = rest[: first.start()]
    assert before.count("\n") <= 30, "the program comes soon"


def follow(name):
    for language, text in blocks(name):
        if re.search(OF_THE_READER.get(name, r"(?!)"), text):
            continue
        if language == "python":
            exec(compile(text, name, "exec"), {"__name__": "program"})
        else:
            script = f'sheaf() {{ "{sys.executable}" -m sheaf "$@"; }}\nset -e\n{text}'
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
            assert done.returncode == 0, f"{text}\n{done.stderr}"


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name in PAGES.keys() - ELSEWHERE.keys() - INSIDE
        if any(language == "sh" for language, _ in blocks(name))
    ),
)
def test_the_programs_of_a_page_run_in_an_empty_folder(name, tmp_path, digits, monkeypatch):
    needed = HEAVY.search("".join(text for language, text in blocks(name) if language == "python"))
    if needed:
        pytest.importorskip(needed[1] or needed[2], reason="a program of the page needs it")
    if "testdata/" in PAGES[name]:
        shutil.copytree(digits.parent, tmp_path / "testdata")
        shutil.copy(digits / "train.ctf", tmp_path)  # as the page says: cp testdata/...
    monkeypatch.chdir(tmp_path)
    follow(name)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_that_read_the_digits_name_the_file(name):
    programs = "".join(text for _, text in blocks(name))
    reads = re.search(r"(?<![\w/.])train\.ctf\b", programs)
    if reads and 'open("train.ctf", "w"' not in programs:
        assert "testdata/digits/train.ctf" in PAGES[name]
