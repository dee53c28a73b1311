"""A `sheaf read` that is killed and continues from its saved position."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from command import TIMEOUT_SECONDS, plain_environment


class KilledRun:
    """The command, the output and the position of a run: NAME.output and NAME.json in a folder."""

    def __init__(self, folder: Path, name: str, command: Sequence[str]) -> None:
        self.command = [*command]
        self.output = folder / f"{name}.output"
        self.at = folder / f"{name}.json"
        self.kills = 0
        self.resumptions = 0
        self.begin()

    def begin(self) -> None:
        """Removes the output and the position."""
        self.at.unlink(missing_ok=True)
        self.output.write_bytes(b"")

    def go_on(self, seconds: float | None = None) -> bool:
        """Cut the output to the length in the position, resume the run, and append its output.

        Kills the run after `seconds`. Returns whether the run finished.
        """
        arguments = self._resume_arguments()
        self.resumptions += bool(arguments)
        with self.output.open("ab") as output:
            process = subprocess.Popen(
                [*self.command, *arguments, "--save-position", str(self.at)],
                stdout=output,
                stderr=subprocess.PIPE,
                env=plain_environment(),
            )
        try:
            _, error = process.communicate(timeout=seconds or TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, error = process.communicate()
            if process.returncode == -signal.SIGKILL:
                self.kills += 1
                return False
            # The run finished before the signal.
        if process.returncode != 0:
            raise AssertionError(f"exit code {process.returncode}: {error.decode()}")
        return True

    def _resume_arguments(self) -> list[str]:
        if not self.at.exists():  # killed before the first output
            os.truncate(self.output, 0)
            return []
        size = json.loads(self.at.read_text())["output_bytes"]
        printed = self.output.stat().st_size
        if printed < size:
            raise AssertionError(f"the position knows of {size} bytes, {printed} were printed")
        os.truncate(self.output, size)
        return ["--resume", str(self.at)]
