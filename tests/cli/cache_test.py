"""`sheaf read --cache`: the same minibatches for any content of the cache, within its limit."""

import gzip
import os
import random
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path

from cached_run import STREAMS, CachedTest, bytes_of_units, rows, unit_files
from command import DIGITS, DIGITS_STREAMS, SHEAF, TIMEOUT_SECONDS, plain_environment

MEGABYTE = 1 << 20
TEXT = rows(5 * MEGABYTE // 2)  # three units
SMALL = rows(60_000, seed=2)  # one
ORDERS = ("file", "cntk", "keyed")


class CacheTest(CachedTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(TEXT)

    def test_the_cache_does_not_change_delivered_data(self) -> None:
        for order in ORDERS:
            with self.subTest(order):
                self.cache = self.folder / order
                how = ("--order", order, "--sweeps", "2")
                expected = self.plain(*how)
                self.assertEqual((0, 0), (expected.hits, expected.misses))
                first = self.cached(*how)
                self.assertEqual((expected.checksum, ""), (first.checksum, first.stderr))
                self.assertGreater(first.misses, 1)
                self.assertGreater(len(unit_files(self.cache)), 1)
                self.assert_whole(expected.checksum, *how)
                self.assert_whole(expected.checksum, *how, "--threads", "1")

    def test_minibatches_are_the_same_byte_by_byte(self) -> None:
        how = ("read", self.data, *STREAMS, "--order", "keyed", "--seed", "5", "--format", "json",
               "--minibatch-size", "500")  # fmt: skip
        expected = self.good(*how)
        for _ in range(2):
            self.assertEqual(expected, self.good(*how, "--cache", str(self.cache)))

    def test_all_orders_share_one_cache(self) -> None:
        expected = self.cached().checksum
        for order in ORDERS:
            self.assert_whole(expected, "--order", order, "--packing", "ragged")

    def test_an_incomplete_cache_is_used_and_completed(self) -> None:
        for order in ORDERS:
            with self.subTest(order):
                expected = self.cached("--order", order).checksum
                files = unit_files(self.cache)
                self.assertGreater(len(files), 1)
                for path in files[: len(files) // 2]:
                    path.unlink()
                found = self.cached("--order", order)
                self.assertEqual((expected, ""), (found.checksum, found.stderr))
                self.assertGreater(min(found.hits, found.misses), 0)
                self.assert_whole(expected, "--order", order)

    def check_damage(self, damage: Callable[[Path], None]) -> None:
        """Damages every file: a run warns, delivers the same, and repairs the cache."""
        expected = self.cached().checksum
        files = unit_files(self.cache)
        self.assertTrue(files)
        for path in files:
            damage(path)
        found = self.cached()
        self.assertEqual((expected, len(files)), (found.checksum, found.misses))
        self.assertIn(f"{self.cache}: warning: ", found.stderr)
        self.assertIn(f"{len(files)} damaged", found.stderr)
        self.assertEqual(files, unit_files(self.cache))
        self.assert_whole(expected)

    def test_damaged_files_are_written_again(self) -> None:
        def flip(path: Path) -> None:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)

        def replace(path: Path) -> None:
            path.write_bytes(random.Random(4).randbytes(path.stat().st_size))

        ways: dict[str, Callable[[Path], None]] = {
            "a bit flipped": flip,
            "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
            "one byte cut off": lambda path: os.truncate(path, path.stat().st_size - 1),
            "empty": lambda path: os.truncate(path, 0),
            "longer": lambda path: os.truncate(path, path.stat().st_size + 1),
            "other bytes": replace,
        }
        for name, way in ways.items():
            with self.subTest(name):
                self.check_damage(way)

    def test_a_bit_flipped_anywhere_is_found(self) -> None:
        self.write(SMALL)
        expected = self.cached().checksum
        (path,) = unit_files(self.cache)
        data = path.read_bytes()
        choice = random.Random(3)
        ends = [*range(32), *range(len(data) - 32, len(data))]
        for at in [*ends, *(choice.randrange(len(data)) for _ in range(64))]:
            with self.subTest(at, size=len(data)):
                changed = bytearray(data)
                changed[at] ^= 1 << choice.randrange(8)
                path.write_bytes(changed)
                found = self.cached()
                self.assertEqual((expected, 0, 1), (found.checksum, found.hits, found.misses))

    def test_files_of_other_units_are_not_used(self) -> None:
        expected = self.cached().checksum
        first, second, *_ = unit_files(self.cache)
        one, other = first.read_bytes(), second.read_bytes()
        first.write_bytes(other)
        second.write_bytes(one)
        self.assertEqual(expected, self.cached().checksum)

    def test_changed_data_are_decoded_again(self) -> None:
        self.cached()
        at = TEXT.index("|x ", len(TEXT) // 2) + len("|x ")
        at += TEXT[at] == "-"
        changed = TEXT[:at] + ("1" if TEXT[at] != "1" else "2") + TEXT[at + 1 :]
        self.assertEqual(len(TEXT), len(changed))
        before = self.plain().checksum
        self.write(changed)
        expected = self.plain().checksum
        self.assertNotEqual(before, expected)
        self.assertEqual(expected, self.cached().checksum)
        self.assert_whole(expected)

    def test_other_streams_use_other_units(self) -> None:
        self.cached()
        for streams in (("--stream", "x:dense:3:dtype=float64"), ("--stream", "y:sparse:60"),
                        ("--stream", "z:dense:3:alias=x")):  # fmt: skip
            with self.subTest(streams):
                how = ("read", self.data, *streams, "--format", "none", "--json")
                expected = self.report(*how).checksum
                for _ in range(2):
                    found = self.report(*how, "--cache", str(self.cache))
                    self.assertEqual(expected, found.checksum)

    def test_errors_are_reported_again(self) -> None:
        lines = TEXT.splitlines(keepends=True)
        at = len(lines) // 2
        while lines[at].split()[0] == lines[at - 1].split()[0]:  # between two sequences
            at += 1
        lines.insert(at, "999999999 |x 1 ? 2 |y 3:1\n")
        self.write("".join(lines))
        expected = self.plain("--max-errors", "1")
        self.assertIn('found "?"', expected.stderr)
        for _ in range(2):
            found = self.cached("--max-errors", "1")
            self.assertEqual(expected.checksum, found.checksum)
            self.assertEqual(expected.stderr, found.stderr)

    def test_workers_may_use_one_cache_in_turn(self) -> None:
        for order in ORDERS:
            workers = [("--order", order, "--worker", f"{worker}/3") for worker in range(3)]
            expected = [self.plain(*worker).checksum for worker in workers]
            for _ in range(2):
                self.assertEqual(expected, [self.cached(*worker).checksum for worker in workers])

    def test_a_moving_window_reads_parts_of_units(self) -> None:
        # To read a part of gzip, a run decompresses half of the file. So the cache is faster.
        path = self.folder / "data.ctf.gz"
        path.write_bytes(gzip.compress(rows(2 * MEGABYTE).encode(), 1))
        how = ("--order", "keyed", "--window-chunks", "1", "--chunk-size", "1MiB", "--threads", "1")
        expected = self.plain(*how, path=str(path))
        first = self.cached(*how, path=str(path))
        self.assertEqual((expected.checksum, ""), (first.checksum, first.stderr))
        units = len(unit_files(self.cache))
        self.assertEqual(units, first.misses)
        self.assertGreater(first.hits, 100 * units)
        later = self.cached(*how, "--sweeps", "2", path=str(path))
        self.assertEqual((0, ""), (later.misses, later.stderr))
        self.assertEqual(units, len(unit_files(self.cache)))

    def test_the_summary_line_has_hits_and_misses(self) -> None:
        how = ("read", self.data, *STREAMS, "--format", "none")
        self.assertNotIn("cache", self.good(*how))
        units = self.cached().misses
        line = self.good(*how, "--cache", str(self.cache))
        self.assertRegex(line, rf"MiB; cache hits {units}, misses 0; checksum [0-9a-f]+\n\Z")
        self.assertEqual(1, line.count("\n"))


class CacheLimitTest(CachedTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(TEXT)

    def bytes_of(self, path: str) -> int:
        """Returns the size of all units of these data."""
        cache = self.folder / "free"
        self.report(*self.arguments("--cache", str(cache), path=path))
        size = bytes_of_units(cache)
        for file in unit_files(cache):
            file.unlink()
        return size

    def watched(self, limit: int, *arguments: str) -> tuple[int, str]:
        """Returns the most bytes that the units took during a run, and standard error."""
        command = self.arguments("--cache", str(self.cache), "--cache-limit", str(limit),
                                 *arguments)  # fmt: skip
        process = subprocess.Popen(
            [SHEAF, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment(),
        )  # fmt: skip
        most = 0
        while process.poll() is None:
            most = max(most, bytes_of_units(self.cache))
        _, error = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(0, process.returncode, error)
        return max(most, bytes_of_units(self.cache)), error

    def test_the_files_stay_within_the_limit(self) -> None:
        whole = self.bytes_of(self.data)
        expected = self.plain().checksum
        for limit in (1, whole // 3, whole - 1, whole, 2 * whole):
            with self.subTest(limit, whole=whole):
                self.cache = self.folder / f"cache-{limit}"
                most, error = self.watched(limit)
                self.assertLessEqual(most, limit)
                self.assertEqual(limit < whole, "cache_limit (--cache-limit)" in error, error)
                found = self.cached("--cache-limit", str(limit))
                self.assertEqual(expected, found.checksum)
                self.assertEqual(limit < whole, found.misses > 0)
                self.assertLessEqual(bytes_of_units(self.cache), limit)

    def test_new_data_replace_old_data(self) -> None:
        paths = [self.write(rows(3 * MEGABYTE // 2, seed), f"{seed}.ctf") for seed in range(10, 14)]
        limit = self.bytes_of(paths[0]) * 3 // 2
        self.cache.mkdir()
        foreign = {"notes.txt": "mine", "train.unit": "mine, too", "0" * 32 + ".unit.old": "old"}
        for name, text in foreign.items():
            (self.cache / name).write_text(text)
        for path in paths:
            expected = self.plain(path=path).checksum
            for is_first in (True, False):
                found = self.cached("--cache-limit", str(limit), path=path)
                self.assertEqual((expected, ""), (found.checksum, found.stderr))
                self.assertEqual(is_first, found.misses > 0)
                self.assertLessEqual(bytes_of_units(self.cache), limit)
        for name, text in foreign.items():
            self.assertEqual(text, (self.cache / name).read_text())

    def test_a_smaller_limit_makes_the_cache_smaller(self) -> None:
        self.cached()
        whole = bytes_of_units(self.cache)
        other = self.write(rows(MEGABYTE // 2, seed=4), "other.ctf")
        self.cached("--cache-limit", str(whole // 2), path=other)
        self.assertLessEqual(bytes_of_units(self.cache), whole // 2)

    def test_limits_may_be_words_or_have_units(self) -> None:
        for limit in ("none", "0", "1GB", "64MiB"):
            self.cached("--cache-limit", limit)
        self.assert_whole(self.plain().checksum, "--cache-limit", "none")

    def test_a_limit_needs_a_cache(self) -> None:
        error = self.refused("read", DIGITS, *DIGITS_STREAMS, "--cache-limit", "1GB")
        self.assertTrue(error.startswith("sheaf: error: --cache-limit: "), error)


if __name__ == "__main__":
    unittest.main()
