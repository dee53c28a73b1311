"""`sheaf read`: formats, the checksum, sequences that are not printed, positions."""

import json
import unittest

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, CommandTest

STREAMS = ("--stream", "a:dense:2", "--stream", "b:sparse:9")

# Sequences of several lengths; streams of different lengths; empty sparse samples.
DATA = "".join(
    "".join(
        f"{i} |a {i} {row}.5" + (f" |b {row % 9}:{i + 1}\n" if row % 2 else " |b\n")
        for row in range(1 + i % 4)
    )
    + (f"{i} |a 7 7\n" if i % 3 == 0 else "")
    for i in range(200)
)

SPEED_KEYS = {
    "minibatches", "sequences", "samples", "array_samples", "sample_places",
    "padding_ratio", "holes", "bytes",
    "indexed", "seconds", "samples_per_second", "megabytes_per_second", "first_minibatch_seconds",
    "peak_rss_bytes", "memory_bytes_max", "cache_hits", "cache_misses", "checksum",
    "worker_index", "worker_count", "worker_source",
}  # fmt: skip


class ReadTest(CommandTest):
    def checksum(self, path: str, *arguments: str) -> str:
        return self.good_json("read", path, "--format", "none", "--json", *arguments)["checksum"]

    def test_the_checksum_depends_on_the_data_alone(self) -> None:
        path = self.write(DATA)
        expected = self.checksum(path, *STREAMS)
        self.assertRegex(expected, r"\A[0-9a-f]{16}\Z")
        for arguments in (
            ["--packing", "ragged"],
            ["--packing", "padded", "--threads", "1"],
            ["--threads", "7"],
            ["--minibatch-size", "1"],
            ["--minibatch-size", "100000", "--packing", "ragged"],
            ["--unit", "sequences", "--minibatch-size", "13"],
            ["--chunk-bytes", "100"],
            ["--memory-limit", "3MiB"],
        ):
            with self.subTest(arguments):
                self.assertEqual(expected, self.checksum(path, *STREAMS, *arguments))
        # Streams in another order: the checksum is over samples under the names of their streams.
        self.assertEqual(expected, self.checksum(path, *STREAMS[2:], *STREAMS[:2]))

    def test_the_checksum_covers_every_part_of_a_sample(self) -> None:
        seen = {self.checksum(self.write(DATA), *STREAMS)}
        changes = (
            ("3 |a 3 0.5", "3 |a 3 0.75"),  # a value
            ("199 |a 199 3.5 |b 3:200", "199 |a 199 3.5 |b 4:200"),  # an index
            ("199 |a 199 3.5 |b 3:200", "199 |a 199 3.5 |b 3:201"),  # a value of a pair
            ("199 |a", "1999 |a"),  # a key
            ("199 |a 199 2.5 |b\n", "199 |a 199 2.5 |b 1:0\n"),  # an explicit zero
        )
        for before, after in changes:
            with self.subTest(before):
                self.assertIn(before, DATA)
                seen.add(self.checksum(self.write(DATA.replace(before, after)), *STREAMS))
        seen.add(
            self.checksum(
                self.write(DATA.replace("|a", "|c")), "--stream", "c:dense:2", *STREAMS[2:]
            )
        )  # a name
        # Two samples are swapped.
        seen.add(self.checksum(self.write("0 |a 1 2\n0 |a 3 4\n"), *STREAMS[:2]))
        seen.add(self.checksum(self.write("0 |a 3 4\n0 |a 1 2\n"), *STREAMS[:2]))
        self.assertEqual(len(changes) + 4, len(seen))

    def test_checksums_of_sweeps_add_up(self) -> None:
        path = self.write(DATA)
        once = int(self.checksum(path, *STREAMS), 16)
        thrice = int(self.checksum(path, *STREAMS, "--sweeps", "3"), 16)
        self.assertEqual(once * 3 % 2**64, thrice)

    def test_checksums_of_a_resumed_run_add_up(self) -> None:
        path = self.write(DATA)
        at = str(self.folder / "at.json")
        first = self.checksum(path, *STREAMS, "--max-minibatches", "1", "--save-position", at)
        rest = self.checksum(path, *STREAMS, "--resume", at)
        whole = self.checksum(path, *STREAMS)
        self.assertEqual(int(whole, 16), (int(first, 16) + int(rest, 16)) % 2**64)

    def test_format_none_prints_one_line_of_statistics(self) -> None:
        report = self.good_json("read", DIGITS, *DIGITS_STREAMS, "--format", "none", "--json")
        self.assertEqual(SPEED_KEYS, set(report))
        self.assertEqual(
            (1438, 1438, 6), tuple(report[k] for k in ("sequences", "samples", "minibatches"))
        )
        line = self.good("read", DIGITS, *DIGITS_STREAMS, "--format", "none")
        self.assertEqual(1, line.count("\n"))
        self.assertIn(f"checksum {report['checksum']}", line)

    def test_every_sequence_is_delivered_or_counted_as_a_hole(self) -> None:
        rows = (f"{i} |a {i} {'?' if i % 9 == 0 else i}\n" for i in range(200))
        path = self.write("".join(rows))
        for order in ("file", "cntk", "keyed"):
            for workers in (1, 3):
                with self.subTest(order=order, workers=workers):
                    reports = [
                        self.good_json(
                            "read", path, *STREAMS[:2], "--max-errors", "99", "--chunk-bytes",
                            "300", "--order", order, "--sweeps", "2", "--minibatch-size", "50",
                            "--worker", f"{worker}/{workers}", "--format", "none", "--json",
                        )
                        for worker in range(workers)
                    ]  # fmt: skip
                    self.assertEqual([200] * workers, [report["indexed"] for report in reports])
                    holes = sum(report["holes"] for report in reports)
                    delivered = sum(report["sequences"] for report in reports)
                    self.assertEqual((2 * 23, 2 * 177), (holes, delivered))
        part = self.good_json(
            "read", path, *STREAMS[:2], "--minibatch-size", "50", "--max-minibatches", "1",
            "--max-errors", "99", "--format", "none", "--json",
        )  # fmt: skip
        self.assertIsNone(part["indexed"])

    def test_padding_is_reported_for_each_packing(self) -> None:
        path = self.write("".join(f"{i} |a 1 2\n" for i in (0, 1, 1, 1, 1, 2, 2)))
        for arguments, rows, percent in (
            ((), 12, "41.7"),
            (("--packing", "packed"), 8, "12.5"),
            (("--row-samples", "7"), 7, "0.0"),
            (("--row-samples", "6"), 12, "41.7"),
            (("--packing", "ragged"), 7, "0.0"),
            (("--truncation-length", "2", "--minibatch-size", "4"), 12, "41.7"),
        ):
            with self.subTest(arguments):
                command = ("read", path, *STREAMS[:2], *arguments, "--format", "none")
                report = self.good_json(*command, "--json")
                self.assertEqual((7, rows), (report["samples"], report["sample_places"]))
                self.assertAlmostEqual(1 - 7 / rows, report["padding_ratio"])
                self.assertIn(
                    f"samples 7 in arrays, padding {percent} %, left out 0", self.good(*command)
                )

    def test_the_default_minibatch_size_is_256_samples(self) -> None:
        lines = self.good("read", DIGITS, *DIGITS_STREAMS, "--format", "keys").splitlines()
        self.assertEqual([256] * 5 + [158], [json.loads(line)["samples"] for line in lines])

    def test_minibatches_without_sequences_are_not_printed(self) -> None:
        path = self.write("0 |a 1 2\n1 |a x\n2 |a 3 4\n")
        for how in ("summary", "keys", "json"):
            with self.subTest(how):
                result = self.run_sheaf(
                    "read", path, *STREAMS[:2], "--max-errors", "9", "--minibatch-size", "1",
                    "--format", how,
                )  # fmt: skip
                self.assertEqual(0, result.returncode)
                self.assertEqual(2, len(result.stdout.splitlines()))
                self.assertIn("sheaf: left out 1 sequence, for 1 error\n", result.stderr)

    def test_errors_of_delivered_sequences_are_counted(self) -> None:
        path = self.write("0 |a 1 2\n0 |a x 2\n1 |a 3\n")
        cntk = ("--compatibility", "cntk", "--max-errors", "9", "--sweeps", "2")
        for verb in ("read", "head", "stat"):
            with self.subTest(verb):
                arguments = {"read": cntk, "head": cntk[:4], "stat": cntk[:2]}[verb]
                result = self.run_sheaf(verb, path, *STREAMS[:2], *arguments)
                self.assertEqual(0, result.returncode, result.stderr)
                self.assertIn("sheaf: 3 errors; no sequence was left out", result.stderr)
                if verb != "stat":
                    self.assertEqual(1, result.stderr.count(": warning: "), result.stderr)

    def test_minibatches_before_an_error_are_printed(self) -> None:
        path = self.write("0 |a 1 2\n1 |a x y\n2 |a 3 4\n")
        result = self.run_sheaf("read", path, *STREAMS[:2], "--minibatch-size", "1")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual(1, len(result.stdout.splitlines()))
        self.assertIn(f"{path}:2:6: error:", result.stderr)
        self.assertIn("stopped at bad data; --max-errors tolerates it", result.stderr)

    def test_max_errors_is_not_suggested_for_errors_of_opening(self) -> None:
        for text, code in (
            ("0 |x 1 2\n1 |x 1:2\n", "ctf-contradiction"),
            (b"\xff\xfe0\x00 \x00", "ctf-utf16"),
            ("", "ctf-empty"),
        ):
            for options in ([], ["--max-errors", "100"]):
                with self.subTest(code, options=options):
                    result = self.run_sheaf("read", self.write(text), *options)
                    self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
                    self.assertIn(f"[{code}]", result.stderr)
                    self.assertIn(
                        "sheaf: error: the data cannot be opened; --max-errors does not change "
                        "that\n",
                        result.stderr,
                    )

    def test_json_excludes_format_matrix(self) -> None:
        error = self.refused("read", self.write(DATA), *STREAMS, "--format", "matrix", "--json")
        self.assertIn("--json: --format matrix prints lines of numbers", error)

    def test_streams_selects_the_streams_to_print(self) -> None:
        path = self.write(DATA)
        line = self.good("read", path, *STREAMS, "--format", "json", "--streams", "b")
        self.assertEqual({"b"}, set(json.loads(line.splitlines()[0])["streams"]))

    def test_sizes_may_have_units(self) -> None:
        path = self.write(DATA)
        self.good("read", path, *STREAMS, "--chunk-bytes", "1KiB", "--memory-limit", "3MB")


if __name__ == "__main__":
    unittest.main()
