"""`sheaf convert`, ended at random moments or by a full disk. Each file is complete or absent.

SHEAF_KILLS is the total number of kills. SHEAF_SEED chooses the moments.
"""

import os
import random
import resource
import signal
import subprocess
import time
import unittest

from command import BAD_DATA, SHEAF, TIMEOUT_SECONDS, CommandTest, plain_environment

KILLS = int(os.environ.get("SHEAF_KILLS", "20"))
SEED = int(os.environ.get("SHEAF_SEED", "1"))

STREAM = ("--stream", "x:dense:3")
ROWS = 400_000
DATA = "".join(f"{i} |x {i}.25 {i % 100} 0.125\n" for i in range(ROWS))


class EndedTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(DATA)
        self.target = self.folder / "target"
        self.target.mkdir()
        self.out = self.target / "out.ctf"
        self.choice = random.Random(SEED)

    def command(self, *arguments: str) -> list[str]:
        return [SHEAF, "convert", self.data, str(self.out), *STREAM, "--index", "off", *arguments]

    def whole(self, *arguments: str) -> tuple[dict[str, bytes], float]:
        """Returns the files of an undisturbed run, and how long the run takes."""
        start = time.monotonic()
        subprocess.run(self.command(*arguments), check=True, timeout=TIMEOUT_SECONDS,
                       capture_output=True)  # fmt: skip
        seconds = time.monotonic() - start
        files = self.files()
        self.clear()
        return files, seconds

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.target.iterdir()}

    def clear(self) -> None:
        for path in self.target.iterdir():
            path.unlink()

    def end(self, number: int, seconds: float, *arguments: str) -> subprocess.Popen[bytes]:
        """Sends a signal some time after a file was begun."""
        process = subprocess.Popen(
            self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=plain_environment(),
        )  # fmt: skip
        while process.poll() is None and not any(self.target.glob("*.part")):
            time.sleep(0.001)
        time.sleep(self.choice.uniform(0, seconds))
        process.send_signal(number)
        return process

    def test_a_killed_conversion_leaves_complete_files_only(self) -> None:
        for arguments in ((), ("--shards", "3"), ("--split", "a=0.5,b=0.5")):
            with self.subTest(arguments, seed=SEED):
                expected, seconds = self.whole(*arguments)
                killed = 0
                while killed < max(1, KILLS // 3):
                    process = self.end(signal.SIGKILL, seconds, *arguments)
                    process.communicate(timeout=TIMEOUT_SECONDS)
                    is_killed = process.returncode == -signal.SIGKILL
                    killed += is_killed
                    found = {
                        name: data
                        for name, data in self.files().items()
                        if not name.endswith(".part")
                    }
                    self.assertLessEqual(set(found), set(expected))
                    for name, data in found.items():
                        self.assertEqual(expected[name], data, name)
                    if not is_killed:
                        self.assertEqual(expected, found)
                    self.clear()

    def test_a_signal_removes_partial_files(self) -> None:
        expected, seconds = self.whole("--shards", "3")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            ended = 0
            while ended < 2:
                with self.subTest(number, seed=SEED):
                    before = self.target / "out-00001-of-00003.ctf"
                    before.write_text("before")
                    process = self.end(number, seconds / 2, "--shards", "3", "--overwrite")
                    _, error = process.communicate(timeout=TIMEOUT_SECONDS)
                    if process.returncode == 0:
                        self.assertEqual(expected, self.files())
                    else:
                        self.assertEqual(128 + number, process.returncode, error)
                        self.assertEqual(b"sheaf: error: ended by a signal\n", error)
                        self.assertEqual({before.name: b"before"}, self.files())
                        ended += 1
                    self.clear()

    def test_an_ignored_signal_stays_ignored(self) -> None:
        def ignore() -> None:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        expected, _ = self.whole()
        process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=ignore
        )
        while process.poll() is None and not any(self.target.glob("*.part")):
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        _, error = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual((0, b""), (process.returncode, error))
        self.assertEqual(expected, self.files())


class FullDiskTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(DATA)
        self.disk = self.folder / "disk"
        self.disk.mkdir()

    def mount(self) -> None:
        result = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(self.disk)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if result.returncode != 0:
            self.skipTest(f"no small disk can be mounted here: {result.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(self.disk)], check=True)

    def refused(self, *arguments: str) -> str:
        result = self.run_sheaf("convert", self.data, *arguments, *STREAM, "--index", "off")
        self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
        return result.stderr

    def test_a_full_disk_is_an_error_and_leaves_no_file(self) -> None:
        self.mount()
        out = self.disk / "out.ctf"
        for arguments in ([], ["--shards", "2"], ["--split", "a=0.5,b=0.5"]):
            with self.subTest(arguments):
                self.assertRegex(
                    self.refused(str(out), *arguments),
                    rf"\Asheaf: error: {self.disk}/out[-.a-z0-9]*\.part: cannot write: "
                    r"No space left on device\n\Z",
                )
                self.assertEqual([], list(self.disk.iterdir()))
        out.write_text("before")
        self.refused(str(out), "--overwrite")
        self.assertEqual([out], list(self.disk.iterdir()))
        self.assertEqual("before", out.read_text())

    def test_a_full_disk_of_the_report_is_an_error(self) -> None:
        self.mount()
        (self.disk / "filler").write_bytes(bytes(2 << 20))
        error = self.refused(str(self.folder / "out.ctf"), "--report", str(self.disk / "r.json"))
        self.assertIn("r.json", error)
        self.assertIn("No space left on device", error)
        self.assertEqual(["filler"], [path.name for path in self.disk.iterdir()])

    def test_a_full_disk_of_temporary_files_is_an_error(self) -> None:
        self.mount()
        with open(self.data, "rb") as data:
            process = subprocess.run(
                [SHEAF, "convert", "-", str(self.folder / "out.ctf"), "--from", "ctf", *STREAM],
                stdin=data, capture_output=True, text=True, check=False,
                timeout=TIMEOUT_SECONDS, env={**plain_environment(), "TMPDIR": str(self.disk)},
            )  # fmt: skip
        self.assertEqual(BAD_DATA, process.returncode)
        self.assertEqual(
            f"sheaf: error: {self.disk}: cannot write to a temporary file: No space left on "
            "device\n",
            process.stderr,
        )
        self.assertEqual([], list(self.disk.iterdir()))

    def test_a_file_over_the_size_limit_of_the_process_is_an_error(self) -> None:
        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        result = subprocess.run(
            [SHEAF, "convert", self.data, str(self.disk / "out.ctf"), *STREAM, "--index", "off"],
            capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS, preexec_fn=limit,
        )  # fmt: skip
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(".part: cannot write: File too large", result.stderr)
        self.assertEqual([], list(self.disk.iterdir()))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # prints which tests are skipped, and why
