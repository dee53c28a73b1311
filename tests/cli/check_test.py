"""`sheaf check`: all errors, counts by kind, limits, JSON."""

import json
import unittest

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

STREAM = ("--stream", "x:dense:2")

# One sequence of a hundred has a wrong number, and one lacks a value.
SEQUENCE_COUNT = 30_000
LARGE = "".join(
    f"{i} |x bad {i}x\n" if i % 100 == 7 else f"{i} |x 1\n" if i % 100 == 50 else f"{i} |x {i} 1\n"
    for i in range(SEQUENCE_COUNT)
)


class CheckTest(CommandTest):
    def test_good_data_have_no_errors(self) -> None:
        result = self.run_sheaf("check", DIGITS, *DIGITS_STREAMS)
        self.assertEqual((GOOD, ""), (result.returncode, result.stderr))
        self.assertIn("sequences 1438, samples 1438, streams 2; left out 0", result.stdout)

    def test_errors_are_counted_and_reported_in_order(self) -> None:
        path = self.write(LARGE)
        expected = SEQUENCE_COUNT // 100
        runs = set()
        for arguments in (
            ["--threads", "1"],
            ["--threads", "5"],
            ["--threads", "3", "--chunk-bytes", "1000"],
        ):
            result = self.run_sheaf("check", path, *STREAM, "--limit", "0", "--json", *arguments)
            self.assertEqual(BAD_DATA, result.returncode)
            runs.add((result.stdout, result.stderr))
        self.assertEqual(1, len(runs))

        report = json.loads(result.stdout)
        self.assertEqual(path, report["path"])
        self.assertEqual(SEQUENCE_COUNT - 2 * expected, report["sequences"])
        self.assertEqual(SEQUENCE_COUNT - 2 * expected, report["samples"])
        self.assertEqual(2 * expected, report["holes"])
        self.assertEqual(["ctf-few-values", "ctf-number"], list(report["by_code"]))
        self.assertEqual(expected, report["by_code"]["ctf-few-values"]["count"])
        self.assertEqual(51, report["by_code"]["ctf-few-values"]["first"]["line"])
        self.assertEqual(
            (8, 6), tuple(report["by_code"]["ctf-number"]["first"][k] for k in ("line", "column"))
        )
        self.assertEqual(report["places"], len(report["diagnostics"]))
        self.assertEqual(report["places"], sum(k["count"] for k in report["by_code"].values()))
        offsets = [each["byte_offset"] for each in report["diagnostics"]]
        self.assertEqual(sorted(offsets), offsets)
        self.assertEqual([], report["warnings"])
        self.assertEqual(
            [{"name": "x", "storage": "dense", "element_type": "f32", "shape": [2]}],
            report["streams"],
        )
        for each in report["diagnostics"]:
            self.assertIn(each["text"], result.stderr)

    def test_limit_bounds_the_errors_that_are_shown(self) -> None:
        path = self.write("0 |x a\n0 |x b\n1 |x 1 2\n2 |x c\n")
        whole = self.run_sheaf("check", path, *STREAM)
        self.assertEqual(whole.stderr.count(": error: "), 3)
        self.assertNotIn("more", whole.stderr)
        some = self.run_sheaf("check", path, *STREAM, "--limit", "1")
        self.assertEqual(some.stderr.count(": error: "), 1)
        self.assertTrue(some.stderr.endswith("... and 2 more\n"), some.stderr)
        self.assertEqual(whole.stdout, some.stdout)
        self.assertIn("left out 2, wrong places 3", some.stdout)
        report = json.loads(self.run_sheaf("check", path, *STREAM, "--limit", "1", "--json").stdout)
        self.assertEqual(1, len(report["diagnostics"]))
        self.assertEqual(3, report["places"])
        for all_of_them in ("all", "0"):
            every = self.run_sheaf("check", path, *STREAM, "--limit", all_of_them)
            self.assertEqual(whole.stderr, every.stderr, all_of_them)
        wrong = self.run_sheaf("check", path, *STREAM, "--limit", "any")
        self.assertIn('--limit takes a whole number of 0 or more, or "all"', wrong.stderr)

    def test_a_unit_with_thousands_of_errors(self) -> None:
        count = 12_000
        path = self.write("".join(f"{i} |x z z\n" for i in range(count)))
        report = json.loads(self.run_sheaf("check", path, *STREAM, "--json").stdout)
        self.assertEqual(count, report["holes"])
        self.assertEqual(100, len(report["diagnostics"]))
        self.assertEqual(
            {"count": report["places"], "first": {"line": 1, "column": 6, "byte_offset": 5}},
            report["by_code"]["ctf-number"],
        )

    def test_one_sequence_with_thousands_of_errors(self) -> None:
        count = 10_000
        path = self.write("".join("0 |x 1 z\n" for _ in range(count)))
        report = json.loads(self.run_sheaf("check", path, *STREAM, "--json").stdout)
        self.assertEqual((count, 1, 0), (report["places"], report["holes"], report["sequences"]))

    def test_errors_of_opening_are_in_the_json(self) -> None:
        path = self.write("nonsense\n")
        result = self.run_sheaf("check", path, *STREAM, "--json")
        self.assertEqual(BAD_DATA, result.returncode)
        report = json.loads(result.stdout)
        self.assertEqual(["ctf-no-id"], list(report["by_code"]))
        self.assertIn(report["diagnostics"][0]["text"], result.stderr)

    def test_json_is_utf8_for_any_bytes_of_the_file(self) -> None:
        path = self.write(b"0 |x \xff\xfe\x01 2\n1 |x \xc3\xa4 2\n")
        result = self.run_sheaf("check", path, *STREAM, "--json")
        report = json.loads(result.stdout)
        self.assertEqual(2, report["holes"])

    def test_warnings_are_counted_separately(self) -> None:
        cntk = ("--compatibility", "cntk")
        path = self.write("".join(f"{i} |x {i}\n" for i in range(500)) + "500 |x 1 2\n500 |x a\n")
        result = self.run_sheaf("check", path, *STREAM, *cntk)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("left out 0, wrong places 3, warnings 500\n", result.stdout)
        self.assertEqual(100, result.stderr.count(": warning: "))
        self.assertEqual(3, result.stderr.count(": error: "))
        self.assertTrue(result.stderr.endswith("... and 400 more warnings\n"), result.stderr)
        self.assertIn("  ctf-few-values  ", result.stdout)

        limited = self.run_sheaf("check", path, *STREAM, *cntk, "--limit", "2", "--json")
        report = json.loads(limited.stdout)
        self.assertEqual((3, 500), (report["places"], report["warning_places"]))
        self.assertEqual((2, 2), (len(report["diagnostics"]), len(report["warnings"])))
        self.assertEqual(
            {"ctf-few-values": {"count": 500, "first": {"line": 1, "column": 3, "byte_offset": 2}}},
            report["warnings_by_code"],
        )

        path = self.write("0 |x 1\n")
        self.assertIn("warnings 1\n", self.good("check", path, *STREAM, *cntk))
        stat = self.good_json("stat", path, *STREAM, *cntk, "--json")
        self.assertEqual((0, 1), (stat["places"], stat["warning_places"]))

    def test_the_table_counts_errors_by_code(self) -> None:
        path = self.write("0 |x a b\n1 |x 1 2\n2 |x 1\n")
        lines = self.run_sheaf("check", path, *STREAM).stdout.splitlines()
        self.assertEqual(["", "places", "first", "at"], ["", *lines[1].split()])
        self.assertEqual(["ctf-few-values", "1", "3:3"], lines[2].split())
        self.assertEqual("ctf-number", lines[3].split()[0])


class TextThatIsNoCtfTest(CommandTest):
    def test_the_error_is_in_the_first_row(self) -> None:
        for name, text, location in (
            ("numbers.txt", "1 2 3\n4 5 6\n", "1:1"),
            ("libsvm.ctf", "\n1 1:0.5 3:2\n0 2:1\n", "2:1"),
            ("bars.ctf", "0 ||||\n", "1:1"),
        ):
            path = self.write(text, name)
            for verb in ("check", "head", "read", "stat", "index"):
                with self.subTest(name=name, verb=verb):
                    result = self.run_sheaf(verb, path)
                    self.assertEqual(BAD_DATA, result.returncode)
                    self.assertIn(f"{path}:{location}: error: expected a stream", result.stderr)
                    self.assertIn("a row of CTF looks like this: 0 |x 1 2", result.stderr)
            report = json.loads(self.run_sheaf("check", path, "--json").stdout)
            self.assertEqual(["ctf-no-stream"], list(report["by_code"]))


ROWS = [f"{i} |items 1 2 |label 3\n" for i in range(300)]


class MissingStreamTest(CommandTest):
    def test_a_stream_missing_everywhere_is_reported_once(self) -> None:
        path = self.write("".join(ROWS))
        result = self.run_sheaf("check", path, "--stream", "lable:dense:1")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual(1, result.stderr.count("[ctf-missing-stream]"))
        self.assertIn('the sequence has "items", "label"; did you mean "label"? ', result.stderr)
        self.assertIn('sheaf: stream "lable": 300 of 300 sequences have none\n', result.stderr)
        self.assertNotIn("more", result.stderr.replace("--missing", ""))
        self.assertIn("wrong places 300", result.stdout)
        everything = self.run_sheaf("check", path, "--stream", "lable:dense:1", "--limit", "0")
        self.assertEqual(300, everything.stderr.count("[ctf-missing-stream]"))

    def test_a_misspelled_name_in_one_row_is_reported_with_its_line(self) -> None:
        rows = list(ROWS)
        rows[6] = rows[6].replace("items", "itmes")
        result = self.run_sheaf("check", self.write("".join(rows)))
        self.assertEqual(2, result.stderr.count("[ctf-missing-stream]"))
        self.assertIn('line 7 is the first with "itmes"; is "items" meant there? ', result.stderr)
        self.assertIn('sheaf: stream "itmes": 299 of 300 sequences have none\n', result.stderr)

    def test_a_stream_missing_from_few_sequences_is_reported_each_time(self) -> None:
        rows = list(ROWS)
        for i in (3, 30, 200):
            rows[i] = f"{i} |items 1 2\n"
        result = self.run_sheaf("check", self.write("".join(rows)))
        self.assertEqual(3, result.stderr.count("[ctf-missing-stream]"))


class LengthsTest(CommandTest):
    def test_differences_of_lengths_are_counted_by_size(self) -> None:
        x = "".join(f"{key} |x 1\n" for key in range(6) for _ in range(9))
        y = "".join(f"{key} |y 1\n" for key in range(6) for _ in range(9 - key))
        path, other = self.write(x), self.write(y, "y.ctf")
        data = (path, "--join", other)
        out = self.good("check", *data)
        self.assertIn(
            'stream "y": 5 sequences have fewer samples than their longest stream; '
            "samples missing: 1 in 1, 2 in 1, 3 to 4 in 2, 5 in 1\n",
            out,
        )
        report = self.good_json("check", *data, "--json")
        self.assertEqual(
            [
                {
                    "stream": "y",
                    "sequences": 5,
                    "largest": 5,
                    "by_size": {"1": 1, "2": 1, "4": 2, "8": 1},
                }
            ],
            report["length_differences"],
        )

    def test_streams_of_whole_sequences_do_not_count(self) -> None:
        rows = "".join(f"{key} |x {t}\n" for key in range(4) for t in range(9))
        labels = "".join(f"{key} |y 1\n" for key in range(4))
        path, other = self.write(rows), self.write(labels, "labels.ctf")
        self.assertNotIn("longest", self.good("check", path, "--join", other))


class ContradictionTest(CommandTest):
    def test_check_continues_with_the_form_of_the_first_sample(self) -> None:
        path = self.write("0 |user 1 2 3\n1 |user 1 2\n2 |user 3 4 5\n3 |user 1:2\n")
        result = self.run_sheaf("check", path)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("streams found: --stream user:dense:3\n", result.stderr)
        self.assertIn(f"{path}:2:3: error: ", result.stderr)
        self.assertIn(f"{path}:4:9: error: ", result.stderr)
        self.assertIn("sequences 2, samples 2, streams 1; left out 2", result.stdout)
        refused = self.run_sheaf("read", path)
        self.assertIn("declare the stream: --stream user:dense:3\n", refused.stderr)


if __name__ == "__main__":
    unittest.main()
