"""A cache whose files fail: each call of the file system about its folder, one after the other.

SHEAF_FAULT_SHIM is the library that makes calls fail (tests/faults/shim.cc). After any failure, the
run delivers the same data and succeeds. A warning names a unit that is not kept. The next run,
without faults, completes the cache.
"""

import errno
import os
import shutil
import unittest
from pathlib import Path

from cached_run import CachedTest, Report, rows, unit_files

SHIM = os.environ.get("SHEAF_FAULT_SHIM", "")

TEXT = rows(3 << 19, seed=5)  # two units

# As a full disk fails, for good; and as passing troubles do, once.
ERRORS: dict[str, tuple[tuple[int, bool], ...]] = {
    "open": ((errno.EMFILE, False), (errno.EACCES, True)),
    "stat": ((errno.EIO, False),),
    "read": ((errno.EIO, False), (errno.EIO, True)),
    "write": ((errno.ENOSPC, True), (errno.EIO, False)),
    "close": ((errno.EIO, False),),
    "rename": ((errno.EIO, False), (errno.ENOSPC, True)),
}
ALWAYS_WARNS = ("write", "rename")  # by a run that fills the cache


@unittest.skipUnless(SHIM, "this build has no library that lets calls fail")
class CacheFaultsTest(CachedTest):
    def setUp(self) -> None:
        super().setUp()
        self.write(TEXT)

    def run_with(self, **settings: str) -> Report:
        environment = {"LD_PRELOAD": SHIM, "SHEAF_FAULT_FOLDER": str(self.cache), **settings}
        command = self.arguments("--cache", str(self.cache), "--threads", "1")
        return self.report(*command, environment=environment)

    def counts(self) -> dict[str, int]:
        """Returns the calls of a run without faults."""
        path = self.folder / "counts"
        self.run_with(SHEAF_FAULT_COUNTS=str(path))
        counts = dict(line.split() for line in path.read_text().splitlines())
        return {name: int(count) for name, count in counts.items()}

    def begin(self, units: dict[str, bytes]) -> None:
        """Makes the cache as it is before the run."""
        shutil.rmtree(self.cache, ignore_errors=True)
        if units:
            self.cache.mkdir()
        for name, data in units.items():
            (self.cache / name).write_bytes(data)

    def check(self, units: dict[str, bytes], whole: dict[str, bytes], expected: str) -> None:
        self.begin(units)
        counts = self.counts()
        for call, ways in ERRORS.items():
            for error, is_for_good in ways:
                for n in range(1, counts[call] + 1):
                    with self.subTest(
                        call, error=errno.errorcode[error], n=n, for_good=is_for_good
                    ):
                        self.begin(units)
                        found = self.run_with(
                            SHEAF_FAULT_CALL=call,
                            SHEAF_FAULT_ERROR=str(error),
                            SHEAF_FAULT_FIRST=str(n),
                            SHEAF_FAULT_LAST="0" if is_for_good else str(n),
                        )
                        self.assertEqual(expected, found.checksum)
                        warns = f"{self.cache}: warning: " in found.stderr
                        if not units and call in ALWAYS_WARNS:
                            self.assertIn(os.strerror(error), found.stderr)
                        if whole.keys() - {path.name for path in unit_files(self.cache)}:
                            self.assertTrue(warns, found.stderr)
                        self.assertEqual([], [*self.cache.glob("*.part")])
                        self.check_files(whole)
                        self.assertEqual(expected, self.cached().checksum)
                        self.assert_whole(expected)

    def check_files(self, whole: dict[str, bytes]) -> None:
        """Checks that each file is complete or missing."""
        for path in unit_files(self.cache):
            self.assertEqual(whole[path.name], path.read_bytes(), path.name)

    def test_failed_calls_do_not_change_delivered_data(self) -> None:
        expected = self.plain("--threads", "1").checksum
        self.assertEqual(expected, self.cached("--threads", "1").checksum)
        whole = {path.name: path.read_bytes() for path in unit_files(self.cache)}
        self.assertEqual(2, len(whole))
        first = min(whole)
        for name, units in (
            ("to fill it", {}),
            ("to read one unit and write the other", {first: whole[first]}),
            ("to read it", whole),
        ):
            with self.subTest(name):
                self.check(units, whole, expected)

    def test_calls_of_filling_and_reading_are_counted(self) -> None:
        filling = self.counts()
        for call in ("open", "write", "close", "rename"):
            self.assertGreaterEqual(filling[call], 2, call)
        reading = self.counts()
        self.assertGreaterEqual(reading["open"], 2)
        self.assertEqual((0, 0), (reading["write"], reading["rename"]))

    def test_short_reads_and_writes_change_nothing(self) -> None:
        expected = self.plain().checksum
        for most in ("1000", "65536"):
            self.begin({})
            found = self.run_with(SHEAF_FAULT_SHORT=most)
            self.assertEqual((expected, ""), (found.checksum, found.stderr))
            found = self.run_with(SHEAF_FAULT_SHORT=most)
            self.assertEqual((expected, 0, ""), (found.checksum, found.misses, found.stderr))

    def test_a_full_disk_is_a_warning(self) -> None:
        expected = self.plain().checksum
        found = self.run_with(
            SHEAF_FAULT_CALL="write", SHEAF_FAULT_ERROR=str(errno.ENOSPC), SHEAF_FAULT_FIRST="1"
        )
        self.assertEqual(expected, found.checksum)
        self.assertIn(os.strerror(errno.ENOSPC), found.stderr)
        self.assertEqual([], [*Path(self.cache).iterdir()])


if __name__ == "__main__":
    unittest.main()
