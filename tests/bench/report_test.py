"""bench/report.py: the page of benchmarks follows from its numbers."""

import json
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "bench"))

import report  # noqa: E402

DOCS = REPOSITORY / "docs"


def row(program: str, group: str, **more: object) -> report.Row:
    about = {"corpus": "tagged", "program": program, "group": group, "text": "home", "threads": 1}
    return {**about, "bytes": 8_000_000, "numbers": 1_000_000, **more}


class ReportTest(unittest.TestCase):
    def test_page_and_charts_match_the_results(self) -> None:
        results = json.loads((DOCS / "benchmarks.json").read_text())
        for name, text in report.documents(results).items():
            with self.subTest(name):
                message = f"docs/{name} is not what bench/report.py writes: run it"
                self.assertEqual(text, (DOCS / name).read_text(), message)

    def test_dump_reproduces_the_results_file(self) -> None:
        text = (DOCS / "benchmarks.json").read_text()
        self.assertEqual(text, report.dump(json.loads(text)))

    def test_charts_are_well_formed(self) -> None:
        results = json.loads((DOCS / "benchmarks.json").read_text())
        for text in report.charts(results).values():
            self.assertGreater(len(list(ElementTree.fromstring(text).iter())), 20)

    def test_the_readme_marks_a_provisional_chart(self) -> None:
        results = json.loads((DOCS / "benchmarks.json").read_text())
        readme = (REPOSITORY / "README.md").read_text().lower()
        self.assertEqual(report.is_provisional(results), "provisional" in readme)

    def test_a_busy_machine_makes_page_and_charts_provisional(self) -> None:
        results = json.loads((DOCS / "benchmarks.json").read_text())
        for load, commit, expected in ((0.1, "abc", 0), (1.5, "abc", 1), (0.1, "abc-dirty", 1)):
            results["about"] |= {"load_before": load, "commit": commit}
            for name, text in report.documents(results).items():
                with self.subTest(name, load=load, commit=commit):
                    self.assertEqual(expected, text.count("provisional"))

    def test_a_slow_keyed_1_is_explained_where_cntk_1_is_twice_as_fast(self) -> None:
        corpora = [{"corpus": "tagged", "decoded_bytes": 10_000_000}]
        for seconds, expected in ((0.21, True), (0.2, False)):
            rows = [
                row("keyed 1", "sheaf", seconds=[seconds]),
                row("cntk 1", "sheaf", seconds=[0.1]),
            ]
            text = report.tables({"about": {}, "corpora": corpora, "rows": rows})
            self.assertEqual(expected, "which `cntk 1` then reuses" in text)

    def test_medians_spread_and_ratio_are_computed(self) -> None:
        rows = [
            row("strtof loop", "loop", seconds=[0.1, 0.3, 0.2]),
            row(
                "keyed 2",
                "sheaf",
                seconds=[0.02, 0.04, 0.01],
                processor_seconds=[0.016],
                peak_bytes=5_000_000,
            ),
            row("other", "peer", seconds=[0.1], numbers=2_000_000, text="csv"),
            row("gone", "peer", failure="missing: No module named 'gone'"),
        ]
        corpora = [{"corpus": "tagged", "decoded_bytes": 10_000_000}]
        text = report.tables({"about": {}, "corpora": corpora, "rows": rows})
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
        title = report.TITLES["tagged"]
        self.assertIn([title, "40", "-", "-", "-", "10.0 of 5"], lines)
        self.assertIn([title, "5", "76", "-", "268"], lines)
        self.assertIn(
            ["keyed 2", "CTF", "1", "400", "200 - 800", "50.0", "10.00", "500", "5"], lines
        )
        self.assertIn(["other", "CSV", "1", "80", "80 - 80", "20.0", "4.00", "-", "-"], lines)
        missing = "missing: No module named 'gone'"
        self.assertIn(["gone", "CTF", "1", missing, *["-"] * 5], lines)
        amd = {"about": {"processor": "AMD EPYC"}, "corpora": corpora, "rows": rows}
        self.assertIn("| 10.0 of 4 |", report.targets_table(amd))


if __name__ == "__main__":
    unittest.main()
