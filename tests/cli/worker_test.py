#!/usr/bin/env python3
"""--worker env takes the worker from the variables of a launcher."""

from __future__ import annotations

import json
import shutil
import subprocess
import unittest

from command import BAD_USAGE, DIGITS, GOOD, SHEAF, TIMEOUT_SECONDS, CommandTest, Result

OPENMPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3"}
SOURCE = "OpenMPI (OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=3)"
ENV = ("--order", "keyed", "--worker", "env")
SAID = ("--order", "keyed", "--worker", "1/3")


class WorkerTest(CommandTest):
    def run_in(self, environment: dict[str, str], *arguments: str) -> Result:
        result = self.run_sheaf(*arguments, environment=environment)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        return result

    def test_read_and_seek_use_the_worker_of_the_environment(self) -> None:
        at = self.folder / "at.json"
        keys = self.run_in(OPENMPI, "read", DIGITS, *ENV, "--format", "keys").stdout
        self.assertEqual(self.good("read", DIGITS, *SAID, "--format", "keys"), keys)
        self.run_in(OPENMPI, "position", "seek", DIGITS, *ENV, "--sample", "0",
                    "--output", str(at))  # fmt: skip
        self.good("read", DIGITS, *SAID, "--resume", str(at))

    def test_order_names_the_source_of_the_worker(self) -> None:
        text = self.run_in(OPENMPI, "order", DIGITS, *ENV).stdout
        self.assertIn(f"this is worker 1 of 3: {SOURCE}", " ".join(text.split()))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        report = json.loads(self.run_in(OPENMPI, "order", DIGITS, *ENV, "--json").stdout)
        self.assertEqual(
            (1, 3, SOURCE), (report["worker_index"], report["workers"], report["worker_source"])
        )
        said = self.good_json("order", DIGITS, *SAID, "--json")
        self.assertEqual((1, None), (said["worker_index"], said["worker_source"]))
        self.assertNotIn("this is worker", self.good("order", DIGITS, *SAID))

    def test_statistics_name_the_source_of_the_worker(self) -> None:
        read = ("read", DIGITS, *ENV, "--format", "none")
        self.assertIn(f"; worker 1 of 3: {SOURCE};", self.run_in(OPENMPI, *read).stdout)
        speed = json.loads(self.run_in(OPENMPI, *read, "--json").stdout)
        self.assertEqual(
            (1, 3, SOURCE), (speed["worker_index"], speed["worker_count"], speed["worker_source"])
        )
        said = self.good_json("read", DIGITS, *SAID, "--format", "none", "--json")
        self.assertEqual(
            (1, 3, None), (said["worker_index"], said["worker_count"], said["worker_source"])
        )
        self.assertEqual(said["checksum"], speed["checksum"])

    def test_ambiguous_variables_get_a_note(self) -> None:
        note = "sheaf: --worker env: RANK=1, WORLD_SIZE=2 come without LOCAL_RANK"
        for verb in ("order", "read"):
            result = self.run_in({"RANK": "1", "WORLD_SIZE": "2"}, verb, DIGITS, "--worker", "env")
            self.assertIn(note, result.stderr)
        self.assertNotIn("LOCAL_RANK", self.run_in(OPENMPI, "order", DIGITS, *ENV).stderr)

    def test_variables_that_describe_no_worker_are_bad_usage(self) -> None:
        for environment, text in (
            ({"RANK": "1"}, "RANK is 1, but WORLD_SIZE is not set"),
            ({**OPENMPI, "PMI_RANK": "0", "PMI_SIZE": "3"},
             f"environment variables disagree about this worker: {SOURCE}; MPICH or Intel MPI "
             "(PMI_RANK=0, PMI_SIZE=3)"),
        ):  # fmt: skip
            for verb in ("order", "read"):
                result = self.run_sheaf(verb, DIGITS, "--worker", "env", environment=environment)
                self.assertEqual(BAD_USAGE, result.returncode)
                self.assertTrue(
                    result.stderr.startswith(f"sheaf: error: --worker env: {text}"), result.stderr
                )
        # Explicit numbers take precedence over the environment.
        self.run_in({"RANK": "1"}, "order", DIGITS, "--worker", "0/2")

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_processes_of_mpirun_share_the_data(self) -> None:
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        run = subprocess.run(
            ["env", *(f"{name}={value}" for name, value in root.items()), "mpirun", "-np", "3",
             "--oversubscribe", SHEAF, "read", DIGITS, *ENV, "--format", "none", "--json"],
            capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS,
        )  # fmt: skip
        speeds = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([0, 1, 2], sorted(speed["worker_index"] for speed in speeds))
        whole = self.good_json("read", DIGITS, "--format", "none", "--json")
        self.assertEqual(whole["sequences"], sum(speed["sequences"] for speed in speeds))
        parts = sum(int(speed["checksum"], 16) for speed in speeds) % 2**64
        self.assertEqual(int(whole["checksum"], 16), parts)


if __name__ == "__main__":
    unittest.main()
