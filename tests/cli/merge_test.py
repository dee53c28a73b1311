"""`--part` of convert, check, stat, index and read, and `sheaf merge`."""

import json
import unittest
from pathlib import Path

from command import CommandTest


def rows(first: int, count: int) -> str:
    return "".join(
        f"{key} |x {key}.5 {key % 7} |y {key % 10}:1\n" * (1 + key % 3)
        for key in range(first, first + count)
    )


SMALL = ("--chunk-size", "2000")
STREAMS = ("--stream", "x:dense:2", "--stream", "y:sparse:10")


class MergeTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(rows(0, 700), "in.ctf")

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def parts(self, name: str, count: int, *options: str) -> list[str]:
        paths = []
        for i in range(count):
            paths.append(self.path(f"{i}-{name}"))
            self.good("convert", self.data, paths[-1], "--part", f"{i}/{count}",
                      "--in-chunk-size", "2000", *options)  # fmt: skip
        return paths

    def test_merged_parts_equal_one_conversion(self) -> None:
        for name, count in (("a.cbf", 4), ("b.sheaf", 3), ("c.ctf", 40), ("d", 2)):
            with self.subTest(name=name):
                whole, merged = self.path(f"whole-{name}"), self.path(f"merged-{name}")
                self.good("convert", self.data, whole, "--in-chunk-size", "2000")
                out = self.good("merge", merged, *reversed(self.parts(name, count)))
                self.assertIn("sequences 700", out)
                self.assertEqual(Path(whole).read_bytes(), Path(merged).read_bytes())

    def test_merged_reports_equal_one_report(self) -> None:
        self.data = self.write(rows(0, 300) + "301 |x 1.2.3 1\n" + rows(400, 300), "bad.ctf")
        for verb in ("check", "stat"):
            whole = self.run_sheaf(verb, self.data, *SMALL, *STREAMS, "--json").stdout
            reports = []
            for i in range(5):
                report = self.run_sheaf(verb, self.data, *SMALL, *STREAMS, "--json",
                                        "--part", f"{i}/5")  # fmt: skip
                reports.append(self.write(report.stdout, f"{verb}-{i}.json"))
                self.assertEqual(i, json.loads(report.stdout)["part"]["number"])
            merged = self.path(f"{verb}.json")
            self.assertEqual("", self.good("merge", merged, *reports))
            self.assertEqual(whole, Path(merged).read_text())
            self.assertEqual(whole, self.good("merge", "-", *reports))

    def test_the_last_part_ends_with_an_error_that_hides_the_rest(self) -> None:
        a = self.write(rows(0, 40), "a.ctf")
        b = self.write(rows(100, 60) + "3 |x 1 1\n" + rows(200, 40), "b.ctf")  # 3 is in a.ctf, too
        arguments = ("check", a, b, "--chunk-size", "200", *STREAMS, "--json")
        whole = self.run_sheaf(*arguments).stdout
        self.assertIn("concatenation-repeated-key", whole)
        reports = []
        for i in range(2):
            report = self.run_sheaf(*arguments, "--part", f"{i}/2").stdout
            self.assertGreater(json.loads(report)["sequences"], 0)
            reports.append(self.write(report, f"check-{i}.json"))
        self.assertEqual(whole, self.good("merge", "-", *reports))

    def test_each_file_is_indexed_by_one_part(self) -> None:
        pattern = self.path("train-*.ctf")
        for i in range(6):
            self.write(rows(1000 * i, 10 + 50 * i), f"train-{i}.ctf")
        self.good("index", pattern, *STREAMS)
        indexes = sorted(self.folder.glob("train-*.sheaf-index"))
        whole = [index.read_bytes() for index in indexes]
        self.assertEqual(6, len(whole))
        for index in indexes:
            index.unlink()
        done = 0
        for i in range(4):
            report = self.good("index", pattern, *STREAMS, "--part", f"{i}/4", "--json")
            done += json.loads(report)["index_files"]
        self.assertEqual(6, done)
        self.assertEqual(whole, [index.read_bytes() for index in indexes])
        self.assertIn("declare every stream", self.refused("index", pattern, "--part", "0/4"))
        text = self.good("index", self.data, "--part", "1/2")
        self.assertIn("no file begins in this part", text)

    def test_a_part_is_read_like_other_data(self) -> None:
        keys = []
        for i in range(3):
            text = self.good("read", self.data, *SMALL, "--part", f"{i}/3", "--format", "json")
            for line in text.splitlines():
                keys += json.loads(line).get("keys", [])
        self.assertEqual(list(range(700)), keys)

    def test_reading_a_part_counts_its_own_bytes(self) -> None:
        size = Path(self.data).stat().st_size
        for order in ("file", "keyed"):
            arguments = ("read", self.data, *SMALL, "--order", order, "--format", "none", "--json")
            self.assertEqual(size, self.good_json(*arguments)["bytes"])
            parts = [self.good_json(*arguments, "--part", f"{i}/3")["bytes"] for i in range(3)]
            self.assertEqual(size, sum(parts))
            self.assertLess(max(parts), size)
        last = ("read", self.data, *SMALL, "--part", "2/3", "--format", "none", "--json")
        begin = self.good_json(*last, "--minibatch-size", "8", "--max-minibatches", "1")["bytes"]
        self.assertLess(0, begin)
        self.assertLess(begin, parts[2] // 2)

    def test_wrong_usage_is_refused(self) -> None:
        a, b = self.parts("a.cbf", 2)
        merged = self.path("merged.cbf")
        report = self.write(self.good("stat", self.data, "--part", "0/1", "--json"), "stat.json")
        whole = self.write(self.good("stat", self.data, "--json"), "whole.json")
        for arguments, message in (
            (("merge", merged, a), "part 1/2 is missing"),
            (("merge", merged, a, b, b), "are both part 1/2"),
            (("merge", a, b), "exists already"),
            (("merge", merged, a, report), "one is a report, the other a part of a conversion"),
            (("merge", merged, whole), "is no report of a part"),
            (("merge", "-", a, b), "OUT is standard output"),
            (("merge", merged, self.data), "is no part of a conversion"),
            (("merge", merged), "PART is required"),
            (("convert", self.data, merged, "--part", "2/2"), "--part 2/2: the number of a part"),
            (("convert", self.data, merged, "--part", "x"), "--part: expected a number"),
            (("convert", self.data, "-", "--to", "ctf", "--part", "0/2"), "a part is a file"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.refused(*arguments))
        for option, message in (
            (("--shards", "2"), "--part and --shards both divide what is written"),
            (("--order", "keyed"), "--part: parts follow each other in the order of the file"),
        ):
            with self.subTest(option=option):
                result = self.run_sheaf("convert", self.data, merged, "--part", "0/2", *option)
                self.assertEqual(2, result.returncode)
                self.assertIn(message, result.stderr)
        self.assertFalse(Path(merged).exists())

    def test_a_damaged_part_is_an_error(self) -> None:
        a, b = self.parts("a.cbf", 2)
        damaged = bytearray(Path(b).read_bytes())
        damaged[100] ^= 1
        Path(b).write_bytes(damaged)
        merged = self.path("merged.cbf")
        result = self.run_sheaf("merge", merged, a, b)
        self.assertEqual(1, result.returncode)
        self.assertIn(Path(b).name, result.stderr)
        self.assertFalse(Path(merged).exists())


if __name__ == "__main__":
    unittest.main()
