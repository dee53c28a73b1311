"""`sheaf read --save-position`, killed at random moments. The output, cut, resumed and appended,
equals the output of an undisturbed run.

SHEAF_KILLS is the total number of kills. SHEAF_SEED chooses the moments.
"""

import os
import random
import re
import subprocess
import time
import unittest

from command import DIGITS, DIGITS_STREAMS, SHEAF, TIMEOUT_SECONDS, CommandTest
from killed_run import KilledRun

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
    def check(self, command: list[str], kills: int, choice: random.Random) -> None:
        run = KilledRun(self.folder, "run", command)
        start = time.monotonic()
        self.assertTrue(run.go_on())
        seconds = time.monotonic() - start
        expected = subprocess.run(
            command, capture_output=True, check=True, timeout=TIMEOUT_SECONDS
        ).stdout
        self.assertEqual(expected, run.output.read_bytes())
        while run.kills < kills:
            run.begin()
            is_over = False
            while run.kills < kills and not is_over:
                # An undisturbed run takes `seconds`, so most runs are killed and some finish.
                is_over = run.go_on(choice.uniform(0, seconds / 2))
            if not is_over:
                self.assertTrue(run.go_on())
            self.assertEqual(expected, run.output.read_bytes())
            names = {path.name for path in self.folder.iterdir()}
            names -= {name for name in names if re.fullmatch(r"run\.json\.\d+-0\.part", name)}
            self.assertLessEqual(names, {"run.output", "run.json", "data.ctf"})
        self.assertGreater(run.resumptions, 0)

    def test_killed_and_resumed_runs_print_the_same_output(self) -> None:
        choice = random.Random(SEED)
        kills = max(1, KILLS // len(RUNS))
        for name, (path, arguments) in RUNS.items():
            with self.subTest(name, seed=SEED):
                command = [
                    SHEAF, "read", path or self.write(SEQUENCES), *DIGITS_STREAMS,
                    "--format", "json", *arguments,
                ]  # fmt: skip
                self.check(command, kills, choice)


if __name__ == "__main__":
    unittest.main()
