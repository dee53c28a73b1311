"""`sheaf stat`: compares numbers with those of Python."""

import json
import random
import statistics
import unittest

from command import BAD_DATA, CommandTest

STREAMS = ("--stream", "x:dense:2", "--stream", "y:sparse:50")


def percentile(numbers: list[int], percent: int) -> int:
    ordered = sorted(numbers)
    return ordered[-(-len(ordered) * percent // 100) - 1]


class StatTest(CommandTest):
    def make(self, sequence_count: int) -> tuple[str, list[list], list[list]]:
        """Returns a file, with its dense and its sparse samples by sequence."""
        random.seed(7)
        lines, dense, sparse = [], [], []
        for key in range(sequence_count):
            length = random.choice((1, 1, 2, 3, 5, 8, 40, 2000 if key % 997 == 5 else 4))
            xs = [[random.randint(-50, 50) / 4, random.choice((0, 1.5))] for _ in range(length)]
            ys = [
                {
                    random.randrange(50): random.choice((0, 1, 2.5))
                    for _ in range(random.randrange(4))
                }
                for _ in range(max(1, length - 1))
            ]
            for row in range(length):
                text = f"{key} |x {xs[row][0]} {xs[row][1]}"
                if row < len(ys):
                    text += " |y " + " ".join(f"{i}:{v}" for i, v in ys[row].items())
                lines.append(text + "\n")
            dense.append(xs)
            sparse.append(ys)
        return self.write("".join(lines)), dense, sparse

    def test_statistics_match_python(self) -> None:
        path, dense, sparse = self.make(3000)
        report = self.good_json("stat", path, *STREAMS, "--json")
        self.assertEqual(3000, report["sequences"])
        self.assertEqual((0, 0), (report["holes"], report["places"]))
        self.assertEqual(sum(map(len, dense)), report["samples"])
        for stream, data in zip(report["streams"], (dense, sparse), strict=True):
            lengths = [len(samples) for samples in data]
            self.assertEqual(sum(lengths), stream["samples"])
            self.assertEqual(0, stream["absent"])
            found = stream["lengths"]
            self.assertAlmostEqual(statistics.mean(lengths), found.pop("mean"), places=9)
            expected = {
                "min": min(lengths),
                "median": percentile(lengths, 50),
                "p90": percentile(lengths, 90),
                "p99": percentile(lengths, 99),
                "max": max(lengths),
            }
            self.assertEqual(expected, found)
            values = [
                value
                for samples in data
                for sample in samples
                for value in (sample.values() if isinstance(sample, dict) else sample)
            ]
            found = stream["values"]
            self.assertEqual(len(values), found["stored"])
            self.assertEqual(values.count(0), found["zeros"])
            self.assertEqual(0, found["non_finite"])
            self.assertEqual((min(values), max(values)), (found["min"], found["max"]))
            self.assertAlmostEqual(statistics.fmean(values), found["mean"], places=9)
            self.assertAlmostEqual(statistics.pstdev(values), found["std"], places=9)
            per_sample = len(values) / sum(lengths)
            self.assertAlmostEqual(per_sample, stream["values_per_sample"], places=9)
            self.assertAlmostEqual(per_sample / stream["shape"][0], stream["density"], places=9)

    def test_threads_do_not_change_the_statistics(self) -> None:
        path, _, _ = self.make(2000)
        for form in ([], ["--json"]):
            texts = {
                self.good("stat", path, *STREAMS, "--threads", str(threads), *form)
                for threads in (1, 2, 3, 8)
            }
            self.assertEqual(1, len(texts))

    def test_duplicates_are_counted(self) -> None:
        rows = ("|x 1 2 |y 3:1", "|x 1 2 |y 3:1 4:0", "|x 1 2 |y", "|x 1 2\n{0} |y 3:1")
        again = (0, 0, 2, 3)  # the last one is the first one spread over two rows
        text = "".join(
            f"{key} {row.format(key)}\n"
            for key, row in enumerate([*rows, *(rows[i] for i in again)])
        )
        path = self.write(text)
        self.assertEqual(5, self.good_json("stat", path, *STREAMS, "--json")["duplicates"])
        self.assertIsNone(
            self.good_json("stat", path, *STREAMS, "--json", "--no-duplicates")["duplicates"]
        )
        table = self.good("stat", path, *STREAMS)
        self.assertIn("duplicates    5", table)

    def test_sequences_with_other_sample_borders_are_no_duplicates(self) -> None:
        one = "0 |y 1:1\n0 |y 2:1 3:1\n0 |x 1 2\n"
        other = "1 |y 1:1 2:1\n1 |y 3:1\n1 |x 1 2\n"
        path = self.write(one + other)
        self.assertEqual(0, self.good_json("stat", path, *STREAMS, "--json")["duplicates"])

    def test_bad_sequences_are_left_out(self) -> None:
        path = self.write("0 |x 1 2\n1 |x 1 z\n2 |x 3 4\n")
        result = self.run_sheaf("stat", path, *STREAMS[:2], "--json")
        self.assertEqual(0, result.returncode)
        report = json.loads(result.stdout)
        self.assertEqual((2, 1, 1), tuple(report[k] for k in ("sequences", "holes", "places")))
        self.assertEqual(4, report["streams"][0]["values"]["max"])
        self.assertIn("sheaf: left out 1 sequence, for 1 error; sheaf check lists", result.stderr)

    def test_statistics_without_a_good_sequence(self) -> None:
        path = self.write("0 |x z\n")
        report = self.good_json("stat", path, *STREAMS[:2], "--json")
        self.assertIsNone(report["lengths"])
        self.assertIsNone(report["streams"][0]["values"]["mean"])
        self.assertIsNone(report["streams"][0]["density"])
        self.good("stat", path, *STREAMS[:2])

    def test_values_whose_sum_overflows(self) -> None:
        path = self.write("0 |x 1e308 1e308\n1 |x 1e308 -1e308\n")
        report = self.good_json("stat", path, *STREAMS[:2], "--json", "--precision", "double")
        self.assertEqual(1e308, report["streams"][0]["values"]["max"])

    def test_text_that_cannot_be_opened_is_an_error(self) -> None:
        result = self.run_sheaf("stat", self.write("nonsense\n"), *STREAMS)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual("", result.stdout)

    def test_columns_are_aligned(self) -> None:
        path, _, _ = self.make(50)
        lines = self.good("stat", path, *STREAMS).splitlines()
        table = lines[lines.index("values") + 1 :]
        self.assertEqual(3, len(table))
        ends = {len(line) for line in table}
        self.assertEqual(1, len(ends), table)


if __name__ == "__main__":
    unittest.main()
