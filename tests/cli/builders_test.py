"""Several processes build the index file of one file at the same time."""

import json
import os
import subprocess
import unittest
from collections.abc import Sequence

from command import SHEAF, TIMEOUT_SECONDS, CommandTest, plain_environment

PROCESS_COUNT = 4
ROUND_COUNT = 3

# More than 16 MiB: from this size on, an index file is written by default.
SIZE = 17 << 20
COMMENT = "|# " + "-" * 400


class BuildersTest(CommandTest):
    def at_once(self, *commands: Sequence[str]) -> list[str]:
        """Returns the standard output of commands that run at the same time and must succeed."""
        processes = [
            subprocess.Popen(
                [SHEAF, *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=plain_environment(),
                text=True,
            )
            for command in commands
        ]
        outputs = []
        for process in processes:
            output, error = process.communicate(timeout=TIMEOUT_SECONDS)
            self.assertEqual(0, process.returncode, error)
            self.assertNotIn("warning", error)
            outputs.append(output)
        return outputs

    def test_processes_that_index_at_once_leave_one_good_file(self) -> None:
        row = "{} |x {} 2 |y {}:1 " + COMMENT + "\n"
        count = SIZE // (len(row))
        path = self.write("".join(row.format(i, i, i % 9) for i in range(count)))
        self.assertGreater(os.path.getsize(path), 16 << 20)
        index = path + ".sheaf-index"
        read = ("read", path, "--format", "none", "--json", "--index", "auto")
        seen = set()
        files = set()
        for number in range(ROUND_COUNT):
            for commands in (
                [("index", path)] * PROCESS_COUNT,
                [read] * PROCESS_COUNT,
                [("index", path), read] * (PROCESS_COUNT // 2),
            ):
                with self.subTest(round=number, commands=commands):
                    if os.path.exists(index):
                        os.unlink(index)
                    for output in self.at_once(*commands):
                        if output.startswith("{"):
                            seen.add(json.loads(output)["checksum"])
                    self.assertEqual(
                        ["data.ctf", "data.ctf.sheaf-index"], sorted(os.listdir(self.folder))
                    )
                    with open(index, "rb") as file:
                        files.add(file.read())
                    report = self.good_json(*read[:-1], "require")
                    self.assertEqual(count, report["sequences"])
                    seen.add(report["checksum"])
        self.assertEqual(1, len(seen))
        self.assertEqual(1, len(files), "the bytes do not depend on who wrote them")


if __name__ == "__main__":
    unittest.main()
