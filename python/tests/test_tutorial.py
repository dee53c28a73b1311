"""The commands of the tutorial print the documented output in an empty folder."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[Ss]ave[^.`]*\bas `(\w+\.\w+)`:\n\n$")
COMMANDS = f"""
sheaf() {{ "{sys.executable}" -m sheaf "$@"; }}
python() {{ "{sys.executable}" "$@"; }}
set -e
"""
HAS_TORCH = importlib.util.find_spec("torch") is not None


def shell(lines: str, folder: Path) -> tuple[int, str]:
    """Runs the lines; returns the exit code and the text that a terminal shows."""
    done = subprocess.run(
        ["bash", "-c", COMMANDS + lines],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def shows(expected: str, printed: str) -> bool:
    """Whether the page shows this text, where a line of three points stands for any lines."""
    lines = [re.escape(line) + "\n" for line in expected.splitlines()]
    pattern = "".join(".*" if line == re.escape("...") + "\n" else line for line in lines)
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> tuple[Path, list[tuple[str, int, str, str | None]]]:
    """Follows the page; gives the folder, and of each command lines, code, text and text shown."""
    folder = tmp_path_factory.mktemp("tutorial")
    found = []
    blocks = list(BLOCK.finditer(PAGE))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        language, text = block.groups()
        if language in ("python", "json"):
            name = NAME.search(PAGE[: block.start()])
            assert name is not None, text
            (folder / name[1]).write_text(text)
        elif language == "sh" and (HAS_TORCH or "torch" not in text):
            is_shown = after is not None and after[1] == ""
            found.append((text, *shell(text, folder), after[2] if is_shown else None))
    return folder, found


def compare(found) -> None:
    for lines, code, printed, shown in found:
        is_refused = lines == "sheaf check --spec moves.json\n"
        assert code == (1 if is_refused else 0), f"{lines}\n{printed}"
        assert shows(shown or "", printed), f"{lines}\n{printed}"


def test_each_command_prints_the_documented_output(followed):
    _, found = followed
    compare(each for each in found if "torch" not in each[0])
    assert len(found) == PAGE.count("```sh\n") - (0 if HAS_TORCH else 1)


def test_the_commands_with_torch_print_the_documented_output(followed):
    pytest.importorskip("torch", reason="this part of the tutorial needs torch")
    _, found = followed
    with_torch = [each for each in found if "torch" in each[0]]
    assert len(with_torch) == 1
    compare(with_torch)


def test_a_resumed_run_ends_with_the_weights_of_a_whole_run(followed):
    folder, _ = followed
    resumed = json.loads((folder / "checkpoint.json").read_text())
    (folder / "checkpoint.json").unlink()
    code, _ = shell("python train.py", folder)
    assert code == 0
    whole = json.loads((folder / "checkpoint.json").read_text())
    assert whole["step"] == resumed["step"] == 160
    assert whole["weights"] == resumed["weights"]


def test_the_sort_command_of_the_page_fixes_repeated_keys(followed, tmp_path):
    folder, _ = followed
    header, *rows = (folder / "moves.csv").read_text().splitlines()
    parted = "\n".join([header, *rows[::2], *rows[1::2]]) + "\n"
    (tmp_path / "moves.csv").write_text(parted)
    code, printed = shell("sheaf check moves.csv --format-option csv.key=recording", tmp_path)
    assert code == 1 and "[csv-repeated-key]" in printed

    (lines,) = (text for _, text in BLOCK.findall(PAGE) if "sort -s" in text)
    assert shell(lines, tmp_path) == (0, "")
    code, printed = shell("sheaf check sorted.csv --format-option csv.key=recording", tmp_path)
    assert code == 0 and "sequences 300, samples 12090" in printed


def test_an_ellipsis_stands_for_whole_lines_only():
    assert shows("a\n...\nc\n", "a\nb\nb\nc\n") and shows("a\n...\n", "a\n")
    assert not shows("a\n...\nc\n", "a\nb\n") and not shows("a ... b\n", "a x b\n")
    assert not shows("", "a\n") and not shows("a.c\n", "abc\n")
