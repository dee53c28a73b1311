"""`sheaf read --save-position`, killed at random moments: cut, resumed and appended, the output is
that of a run that nobody killed.

SHEAF_KILLS says how often to kill, in all; SHEAF_SEED when.
"""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from command import DIGITS, DIGITS_STREAMS, SHEAF, TIMEOUT_SECONDS, CommandTest, plain_environment

KILLS = int(os.environ.get("SHEAF_KILLS", "20"))
SEED = int(os.environ.get("SHEAF_SEED", "1"))

CNTK = ("--order", "cntk", "--seed", "3", "--chunk-bytes", "20000", "--window-chunks", "4")
SEQUENCES = "".join(
    f"{i} |labels {i % 10}:1 |features {'1 ' * 63}{t}\n"
    for i in range(300)
    for t in range(1 + i % 9)
)

RUNS = {
    "file": (DIGITS, ("--minibatch-size", "5", "--sweeps", "3")),
    "cntk": (DIGITS, (*CNTK, "--minibatch-size", "5", "--epochs", "3")),
    "worker 0": (DIGITS, (*CNTK, "--minibatch-size", "9", "--epochs", "4", "--worker", "0/2")),
    "worker 1": (DIGITS, (*CNTK, "--minibatch-size", "9", "--epochs", "4", "--worker", "1/2")),
    "truncated": (None, (*CNTK, "--truncation-length", "4", "--minibatch-size", "12",
                         "--sweeps", "3")),
}  # fmt: skip


class KilledTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.output = self.folder / "output"
        self.at = self.folder / "at.json"

    def resume_arguments(self) -> list[str]:
        """Cut the output to what the position knows of; say how to go on."""
        if not self.at.exists():  # killed before anything was printed
            os.truncate(self.output, 0)
            return []
        size = json.loads(self.at.read_text())["output_bytes"]
        self.assertGreaterEqual(self.output.stat().st_size, size)
        os.truncate(self.output, size)
        return ["--resume", str(self.at)]

    def run_until(self, command: list[str], seconds: float | None) -> bool:
        """Append to the output; whether the command came to its end."""
        with self.output.open("ab") as output:
            process = subprocess.Popen(
                [*command, "--save-position", str(self.at)],
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
                return False
            # It came to its end before the signal reached it.
        self.assertEqual(0, process.returncode, error)
        return True

    def check(self, command: list[str], seconds: float, kills: int, choice: random.Random) -> None:
        expected = subprocess.run(
            command, capture_output=True, check=True, timeout=TIMEOUT_SECONDS
        ).stdout
        killed = 0
        resumed = 0
        while killed < kills:
            self.at.unlink(missing_ok=True)
            self.output.write_bytes(b"")
            is_over = False
            while killed < kills and not is_over:
                arguments = self.resume_arguments()
                resumed += bool(arguments)
                # A run of its own takes `seconds`: several kills on the way, some beside it.
                is_over = self.run_until([*command, *arguments], choice.uniform(0, seconds / 2))
                killed += not is_over
            if not is_over:
                self.run_until([*command, *self.resume_arguments()], None)
            self.assertEqual(expected, self.output.read_bytes())
            names = {path.name for path in self.folder.iterdir()}
            self.assertLessEqual(names, {"output", "at.json", "at.json.tmp", "data.ctf"})
        self.assertGreater(resumed, 0)

    def test_the_output_is_as_if_nothing_had_happened(self) -> None:
        choice = random.Random(SEED)
        kills = max(1, KILLS // len(RUNS))
        for name, (path, arguments) in RUNS.items():
            with self.subTest(name, seed=SEED):
                command = [
                    SHEAF, "read", path or self.write(SEQUENCES), *DIGITS_STREAMS,
                    "--format", "json", *arguments,
                ]  # fmt: skip
                start = time.monotonic()
                self.output.write_bytes(b"")
                self.assertTrue(self.run_until(command, None))
                self.check(command, time.monotonic() - start, kills, choice)


if __name__ == "__main__":
    unittest.main()
