"""Runs bench/run.py once on a megabyte. SHEAF_BUILD names the build folder."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "bench/run.py"


class RunTest(unittest.TestCase):
    def test_named_programs_run_warm_and_cold(self) -> None:
        for how in ("--warm-up", "--cold"):
            with tempfile.TemporaryDirectory() as name:
                command = [sys.executable, str(RUN), "--build", os.environ["SHEAF_BUILD"]]
                command += ["--runs", "1", "--megabytes", "1", "--corpora", "pairs", how]
                command += ["--programs", "keyed 2,cntk 1", "--peers", "none"]
                command += ["--folder", name, "--json", f"{name}/results.json"]
                done = subprocess.run(
                    command, capture_output=True, check=False, text=True, timeout=60
                )
                self.assertEqual(0, done.returncode, done.stderr)
                results = json.loads(Path(name, "results.json").read_text())
            self.assertEqual(
                ["strtof loop", "cntk 1", "keyed 2", "keyed 2, 256 MiB"],
                [row["program"] for row in results["rows"]],
            )
            for row in results["rows"]:
                self.assertGreater(row["processor_seconds"][0], 0)

    def test_every_program_has_a_row_of_results(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "polars.py").write_text("raise ImportError('no such package')\n")
            command = [
                sys.executable,
                str(RUN),
                "--build",
                os.environ["SHEAF_BUILD"],
                "--runs",
                "1",
            ]
            command += ["--megabytes", "1", "--large", "1", "--corpora", "decimals"]
            command += ["--peers", "python loop,polars", "--python", sys.executable]
            command += ["--folder", name, "--json", str(folder / "results.json")]
            done = subprocess.run(
                command,
                capture_output=True,
                check=False,
                text=True,
                timeout=60,
                env={**os.environ, "PYTHONPATH": name},
            )
            self.assertEqual(0, done.returncode, done.stderr)
            results = json.loads((folder / "results.json").read_text())
        rows = {(row["program"], row["threads"]): row for row in results["rows"]}
        self.assertEqual("missing: no such package", rows.pop(("polars", 2))["failure"])
        for (program, _), row in rows.items():
            with self.subTest(program):
                self.assertEqual(1, len(row["seconds"]))
                self.assertGreater(row["seconds"][0], 0)
                self.assertIn(f"| {program} ", done.stdout)
        wanted = {"copy", "read", "newlines", "strtof loop", "scan", "index 2", "file 1"}
        wanted |= {"parse baseline", "keyed 2", "cntk 2", "keyed 2, 256 MiB", "python loop"}
        wanted |= {"file order, no index file"}
        self.assertEqual(set(), wanted - {program for program, _ in rows})
        self.assertEqual(115_000, rows["python loop", 1]["numbers"])
        self.assertGreater(results["corpora"][0]["decoded_bytes"], 400_000)


if __name__ == "__main__":
    unittest.main()
