"""`sheaf report`: the page, the numbers, and the cases with exit code 1."""

import json
import unittest
from html.parser import HTMLParser
from pathlib import Path

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

HOSTILE = "</script><script>alert(1)</script>"


class Page(HTMLParser):
    """Finds everything that a browser would load or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.loaded: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append(dict(attrs).get("type") or "")
        for name, value in attrs:
            if name in ("src", "href", "data", "action", "srcset", "poster"):
                self.loaded.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


class ReportTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.page = str(self.folder / "report.html")
        self.data = (DIGITS, *DIGITS_STREAMS)

    def test_the_page_loads_no_other_file(self) -> None:
        out = self.good("report", *self.data, "-o", self.page)
        text = Path(self.page).read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual([], [name for name in page.scripts if name != "application/json"])
        self.assertEqual([], [at for at in page.loaded if not at.startswith(("#", "data:"))])
        self.assertEqual([], page.handlers)
        self.assertIn("default-src 'none'", text)
        self.assertLess(len(text), 1_000_000)
        self.assertRegex(out, r"\A((error|warning|notice|good): \w+: .+\n)+\Z")

    def test_threads_and_memory_limit_do_not_change_the_report(self) -> None:
        first = self.good("report", *self.data, "--json", "--threads", "1")
        for more in (("--threads", "3"), ("--memory-limit", "64M")):
            self.assertEqual(first, self.good("report", *self.data, "--json", *more))
        self.good("report", *self.data, "-o", self.page)
        page = Path(self.page).read_bytes()
        self.good("report", *self.data, "-o", self.page, "--threads", "3")
        self.assertEqual(page, Path(self.page).read_bytes())

    def test_a_json_file_equals_the_json_option(self) -> None:
        twin = str(self.folder / "report.json")
        self.good("report", *self.data, "-o", twin)
        text = Path(twin).read_text(encoding="utf-8")
        self.assertEqual(text, self.good("report", *self.data, "--json"))
        report = json.loads(text)
        stat = self.good_json("stat", *self.data, "--json")
        self.assertEqual(stat["sequences"], report["data"]["sequences"])
        self.assertEqual(stat["samples"], report["data"]["samples"])

    def test_a_report_replaces_other_files_only_by_option(self) -> None:
        self.good("report", *self.data, "-o", self.page)
        self.good("report", *self.data, "-o", self.page, "--no-values")
        other = self.write("0 |x 1 2\n", "other.html")
        self.assertIn("is no report", self.refused("report", *self.data, "-o", other))
        self.assertEqual("0 |x 1 2\n", Path(other).read_text())
        self.good("report", *self.data, "-o", other, "--overwrite")
        self.assertTrue(Path(other).read_text(encoding="utf-8").startswith("<!doctype html>"))
        self.refused("report", *self.data, "-o", DIGITS, "--overwrite")

    def test_leaks_and_drift_end_with_an_exit_code(self) -> None:
        rows = [f"{i} |x {i} {i % 7}\n" for i in range(200)]
        train = self.write("".join(rows), "train.ctf")
        valid = self.write("".join(rows[150:]), "valid.ctf")
        fresh = self.write("".join(f"{i} |x {i} {i % 7}\n" for i in range(900, 950)), "fresh.ctf")
        given = ("report", train, "--stream", "x:dense:2", "--against")
        report = self.good_json(*given, valid, "--json")["against"]
        self.assertEqual(50, report["leaks"]["same"])
        result = self.run_sheaf(*given, valid, "--fail-on", "leak")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("--fail-on leak: 50 of ", result.stderr)
        self.good(*given, fresh, "--fail-on", "leak")
        result = self.run_sheaf(*given, fresh, "--fail-on", "drift=0.2")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("--fail-on drift=0.2: ", result.stderr)
        self.good(*given, fresh, "--fail-on", "drift=1")
        for wrong in (("leek",), ("drift=2",), ("drift=",), ("drift=nan",)):
            self.refused(*given, fresh, "--fail-on", *wrong)
        self.refused("report", train, "--fail-on", "leak")

    def test_errors_of_the_data_fail_only_by_option(self) -> None:
        path = self.write("0 |x 1 2\n1 |x zz 1\n")
        given = ("report", path, "--stream", "x:dense:2")
        out = self.good(*given)
        self.assertTrue(out.startswith("error: data: "), out)
        self.assertEqual(BAD_DATA, self.run_sheaf(*given, "--fail-on", "error").returncode)

    def test_scripts_in_the_data_do_not_run(self) -> None:
        rows = [{"key": f"{HOSTILE}{i}", "x": [i, 2], "t": HOSTILE} for i in range(20)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        path = self.write(text, f"a{HOSTILE.replace('/', '')}.jsonl")
        result = self.run_sheaf("report", path, "-o", self.page)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        page = Path(self.page).read_text(encoding="utf-8")
        self.assertNotIn("<script>", page)
        self.assertEqual(1, page.count("</script>"))
        self.assertEqual(["application/json"], Page(page).scripts)

    def test_no_values_leaves_values_and_keys_out(self) -> None:
        rows = "".join(f"secret{i} |x 0.12345 {i} |y {i % 3}:1\n" for i in range(50))
        path = self.write(rows)
        streams = ("--stream", "x:dense:2", "--stream", "y:sparse:3", "--keys", "text")
        whole = self.good("report", path, *streams, "--json")
        self.assertIn("secret", whole)
        bare = self.good("report", path, *streams, "--json", "--no-values")
        self.assertNotIn("secret", bare)
        self.assertNotIn('sequences":[{', bare)
        self.good("report", path, *streams, "--no-values", "-o", self.page)
        self.assertNotIn("secret", Path(self.page).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
