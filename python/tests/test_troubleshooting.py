"""docs/troubleshooting.md quotes the output of sheaf."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
CONSOLES = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
SESSIONS = re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path, digits, monkeypatch):
    """A working directory with train.ctf, and the command of the package on the path."""
    shutil.copy(digits / "train.ctf", tmp_path)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "sheaf"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sheaf "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("WORLD_SIZE", "1")  # the page sets it: this brings it back
    monkeypatch.delenv("WORLD_SIZE")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_printed(found: str, expected: str) -> None:
    """The texts are the same, but for "..." in the page."""
    checker = doctest.OutputChecker()
    if not checker.check_output(expected, found, doctest.ELLIPSIS):
        assert found == expected


def test_the_commands_print_the_documented_output(folder):
    for console in CONSOLES:
        for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                ["bash", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
            )
            assert_printed(done.stdout, expected)


def test_the_python_sessions_print_the_documented_output(folder):
    pytest.importorskip("torch")
    session = doctest.DocTestParser().get_doctest(
        "\n".join(SESSIONS), {}, "troubleshooting.md", None, 0
    )
    output: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=output.append)
    assert results.failed == 0, "".join(output)
    assert results.attempted > 10
