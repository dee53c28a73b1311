"""Helpers of the tests of the command `sheaf`. SHEAF names the command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path

SHEAF = os.environ["SHEAF"]
REPOSITORY = Path(__file__).resolve().parents[2]
DIGITS = str(REPOSITORY / "testdata" / "digits" / "train.ctf")
DIGITS_STREAMS = ("--stream", "labels:sparse:10", "--stream", "features:dense:64")

GOOD, BAD_DATA, BAD_USAGE = 0, 1, 2
TIMEOUT_SECONDS = 120

Result = subprocess.CompletedProcess[str]


class CommandTest(unittest.TestCase):
    """Runs the command in a folder that is removed after the test."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text: str | bytes, name: str = "data.ctf") -> str:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def run_sheaf(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Result:
        return subprocess.run(
            [SHEAF, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
            env={**plain_environment(), **(environment or {})},
            cwd=folder,
        )

    def good(self, *arguments: str) -> str:
        """Returns the standard output of a run that must succeed."""
        result = self.run_sheaf(*arguments)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        return result.stdout

    def good_json(self, *arguments: str) -> dict:
        return json.loads(self.good(*arguments))

    def refused(self, *arguments: str) -> str:
        """Returns the standard error of a run with bad usage. The run prints nothing else."""
        result = self.run_sheaf(*arguments)
        self.assertEqual(BAD_USAGE, result.returncode, result.stderr)
        self.assertEqual("", result.stdout)
        self.assertTrue(result.stderr.startswith("sheaf: error: "), result.stderr)
        return result.stderr

    def on_terminal(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        has_output: bool = False,
    ) -> tuple[int, str]:
        """Returns the exit code and the text on a terminal at standard error, or also at output."""
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen(
                [SHEAF, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=theirs if has_output else subprocess.DEVNULL,
                stderr=theirs,
                env={**plain_environment(), "TERM": "xterm", **(environment or {})},
            )
        finally:
            os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        return process.wait(TIMEOUT_SECONDS), text.decode().replace("\r\n", "\n")


def plain_environment() -> dict[str, str]:
    """Returns the environment of the test without the variables that change colour."""
    return {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
