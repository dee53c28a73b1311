"""Two runs of `sheaf read` fill one cache, and one of them is killed at a random moment.

SHEAF_KILLS is the total number of kills. SHEAF_SEED chooses the moments.
"""

import os
import random
import signal
import subprocess
import time
import unittest

from cached_run import CachedTest, report_of, rows, unit_files
from command import SHEAF, TIMEOUT_SECONDS, plain_environment

KILLS = int(os.environ.get("SHEAF_KILLS", "100"))
SEED = int(os.environ.get("SHEAF_SEED", "1"))

TEXT = rows(3 << 19, seed=3)  # two units


class CacheKilledTest(CachedTest):
    def start(self) -> subprocess.Popen[str]:
        command = self.arguments("--cache", str(self.cache), "--threads", "1")
        return subprocess.Popen(
            [SHEAF, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment(),
        )  # fmt: skip

    def checksum(self, process: subprocess.Popen[str]) -> str:
        """Returns the delivered minibatches of a run that finished."""
        stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual((0, ""), (process.returncode, stderr))
        return report_of(stdout, stderr).checksum

    def test_a_killed_run_leaves_a_usable_cache(self) -> None:
        self.write(TEXT)
        expected = self.plain().checksum
        choice = random.Random(SEED)
        start = time.monotonic()
        self.assertEqual(expected, self.checksum(self.start()))
        seconds = time.monotonic() - start
        files = unit_files(self.cache)
        self.assertEqual(2, len(files))
        kills = 0
        while kills < KILLS:
            with self.subTest(kills, seed=SEED):
                for path in choice.sample(files, choice.randint(1, len(files))):
                    path.unlink(missing_ok=True)
                killed, other = self.start(), self.start()
                time.sleep(choice.uniform(0, 1.2 * seconds))
                killed.kill()
                killed.communicate()
                kills += killed.returncode == -signal.SIGKILL
                self.assertEqual(expected, self.checksum(other))
                self.assert_whole(expected, "--threads", "1")
        self.assertEqual(files, unit_files(self.cache))


if __name__ == "__main__":
    unittest.main()
