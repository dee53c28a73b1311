"""Colour and progress appear only on a terminal."""

import gzip
import json
import re
import unittest
import zipfile
from pathlib import Path

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

STREAM = ("--stream", "x:dense:2")
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]|\r")


class ColorTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.write("0 |x 1 zz\n1 |x 1 2\n")
        self.arguments = ("check", self.path, *STREAM, "--no-progress")
        self.plain = self.run_sheaf(*self.arguments).stderr

    def test_no_colors_without_a_terminal(self) -> None:
        self.assertNotIn("\x1b", self.plain)
        self.assertIn(f"{self.path}:1:8: error: ", self.plain)

    def test_colors_on_a_terminal(self) -> None:
        code, text = self.on_terminal(*self.arguments)
        self.assertEqual(BAD_DATA, code)
        self.assertIn(f"\x1b[1m{self.path}:1:8:\x1b[0m \x1b[1;31merror:\x1b[0m ", text)
        self.assertIn("\x1b[1;32m^~\x1b[0m", text)
        self.assertEqual(self.plain, ESCAPE.sub("", text))

    def test_the_environment_turns_colors_off(self) -> None:
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(environment):
                _, text = self.on_terminal(*self.arguments, environment=environment)
                self.assertEqual(self.plain, text)
        _, text = self.on_terminal(*self.arguments, environment={"NO_COLOR": ""})
        self.assertIn("\x1b", text)

    def test_the_option_overrides_the_environment(self) -> None:
        _, text = self.on_terminal(*self.arguments, "--color", "never")
        self.assertEqual(self.plain, text)
        result = self.run_sheaf(*self.arguments, "--color", "always", environment={"NO_COLOR": "1"})
        self.assertIn("\x1b[1;31merror:", result.stderr)
        self.assertEqual(self.plain, ESCAPE.sub("", result.stderr))

    def test_fatal_errors_have_colors(self) -> None:
        _, text = self.on_terminal("read", self.path, *STREAM)
        self.assertIn("\x1b[1;32m^~", text)
        self.assertIn("sheaf: \x1b[1;31merror:\x1b[0m stopped at bad data", text)


class PictureTest(CommandTest):
    """Pictures of head appear only on a terminal."""

    def setUp(self) -> None:
        super().setUp()
        values = " ".join(str(i) for i in range(64))
        path = self.write(f"0 |x\u009b31m {values}\n")
        self.arguments = ("head", path, "--stream", "x\u009b31m:dense:8x8")

    def test_pictures_use_the_colors_of_the_terminal(self) -> None:
        for depth, escape in (("truecolor", "\x1b[38;5;232;48;5;232m"), ("", "\x1b[38;5;")):
            code, text = self.on_terminal(
                *self.arguments, environment={"COLORTERM": depth}, has_output=True
            )
            self.assertEqual(GOOD, code)
            self.assertIn(escape, text)
            self.assertIn("(8 x 8 pixels; dark 0, bright 63)", text)
            self.assertIn("x\\u009b31m", text)  # a name from the data
            self.assertNotIn("\u009b", text)

    def test_pictures_without_colors(self) -> None:
        for more in (("--color", "never"), ()):
            environment = {} if more else {"NO_COLOR": "1"}
            _, text = self.on_terminal(
                *self.arguments, *more, environment=environment, has_output=True
            )
            self.assertIn("@@@", text)
            self.assertNotIn("\x1b[38", text)

    def test_pictures_without_a_terminal_need_an_option(self) -> None:
        self.assertNotIn("pixels", self.good(*self.arguments))
        self.assertIn("@@@", self.good(*self.arguments, "--pictures", "always"))
        self.assertIn(
            "\x1b[38;5;", self.good(*self.arguments, "--pictures", "always", "--color", "always")
        )
        self.good_json(*self.arguments, "--json", "--pictures", "always")
        _, text = self.on_terminal(*self.arguments, "--pictures", "never", has_output=True)
        self.assertNotIn("pixels", text)


class HostileTextTest(CommandTest):
    """Names and values cannot control a terminal."""

    def test_control_characters_in_names_are_escaped(self) -> None:
        path = self.write("0 |a\u009b31m\u202e 1\n1 |a\u009b31m\u202e x\n", "f\x1b[31m.ctf")
        for color in ("always", "never"):
            result = self.run_sheaf("check", path, "--color", color)
            text = ESCAPE.sub("", result.stderr)
            self.assertIn("f\\u001b[31m.ctf:2:14: error: ", text)
            for character in "\x1b\u009b\u202e":
                self.assertNotIn(character, text)
        missing = self.run_sheaf("read", str(self.folder / "no\x1b[31m.ctf"))
        self.assertNotIn("\x1b", missing.stderr)
        self.assertIn("no\\u001b[31m.ctf", missing.stderr)


class ProgressTest(CommandTest):
    VERBS = ("check", "stat", "index", "convert")

    def setUp(self) -> None:
        super().setUp()
        self.digits = self.write(Path(DIGITS).read_bytes(), "digits.ctf")

    def arguments(self, verb: str) -> tuple[str, ...]:
        out = (str(self.folder / "out.ctf"), "--overwrite") if verb == "convert" else ()
        return (verb, self.digits, *out, *DIGITS_STREAMS)

    def test_progress_on_a_terminal_is_erased_at_the_end(self) -> None:
        for verb in self.VERBS:
            with self.subTest(verb):
                code, text = self.on_terminal(*self.arguments(verb))
                self.assertEqual(GOOD, code)
                self.assertIn("0 %, 0.0 of 0.2 MB", text)
                self.assertTrue(text.endswith("\r\x1b[K"), repr(text))
                self.assertNotIn("\n", text)

    def test_progress_of_opening_is_shown(self) -> None:
        out = (str(self.folder / "out.ctf"), "--overwrite")
        for command in (("check",), ("stat",), ("index",), ("convert",), ("order",)):
            with self.subTest(command):
                arguments = (*command, self.digits, *(out if command[0] == "convert" else ()))
                _, text = self.on_terminal(*arguments)
                self.assertIn("opening the data: 0.0 MB read", text)

    def test_a_dumb_terminal_gets_lines(self) -> None:
        arguments = self.arguments("check")
        _, text = self.on_terminal(*arguments, environment={"TERM": "dumb"})
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertEqual("  0 %, 0.0 of 0.2 MB", text.splitlines()[0])

    def test_messages_replace_the_progress_line(self) -> None:
        path = self.write("0 |x zz 1\n")
        _, text = self.on_terminal("check", path, *STREAM, "--color", "never")
        # The terminal shows the text after the last return of each line.
        shown = [re.sub(r".*\r\x1b\[K", "", line) for line in text.split("\n")]
        self.assertTrue(shown[0].startswith(f"{path}:1:6: error: "), shown)

    def opening_commands(self) -> list[tuple[str, ...]]:
        """Commands that deliver only some data, so they show the progress of opening."""
        at = str(self.folder / "at.json")
        return [
            ("read", self.digits, "--order", "keyed", "--format", "none"),
            ("head", "-n", "1", self.digits),
            ("head", self.digits, "--key", "3"),
            ("position", "seek", self.digits, "--order", "keyed", "--sample", "9", "--output", at),
        ]

    def test_progress_of_opening_is_erased_at_the_end(self) -> None:
        for command in self.opening_commands():
            with self.subTest(command):
                code, text = self.on_terminal(*command, *DIGITS_STREAMS)
                self.assertEqual(GOOD, code)
                self.assertIn("opening the data: 0.0 MB read", text)
                self.assertTrue(text.endswith("\r\x1b[K"), repr(text))
                _, text = self.on_terminal(*command, *DIGITS_STREAMS, "--no-progress")
                self.assertEqual("", text)

    def test_progress_of_opening_without_a_terminal_needs_an_option(self) -> None:
        for command in self.opening_commands():
            with self.subTest(command):
                self.assertEqual("", self.run_sheaf(*command, *DIGITS_STREAMS).stderr)
                result = self.run_sheaf(*command, *DIGITS_STREAMS, "--progress")
                self.assertRegex(
                    result.stderr, r"\Aopening the data: \d+\.\d MB read(, \d+\.\d MB/s)?\n\Z"
                )

    def test_no_progress_without_a_terminal(self) -> None:
        for verb in self.VERBS:
            with self.subTest(verb):
                self.assertEqual("", self.run_sheaf(*self.arguments(verb)).stderr)

    def test_progress_by_option(self) -> None:
        for verb in self.VERBS:
            with self.subTest(verb):
                result = self.run_sheaf(*self.arguments(verb), "--progress")
                lines = result.stderr.splitlines()
                self.assertEqual("  0 %, 0.0 of 0.2 MB", lines[0])
                self.assertRegex(lines[-1], r"\A100 %, 0\.2 of 0\.2 MB, \d+\.\d MB/s\Z")
                self.assertNotIn("\x1b", result.stderr)
                _, text = self.on_terminal(*self.arguments(verb), "--no-progress")
                self.assertEqual("", text)

    def test_a_container_counts_the_bytes_of_its_file(self) -> None:
        container = str(self.folder / "digits.sheaf")
        self.good("convert", self.digits, container, *DIGITS_STREAMS)
        megabytes = re.escape(f"{Path(container).stat().st_size / 1e6:.1f}")
        outputs = {
            "check": (),
            "stat": (),
            "report": ("-o", str(self.folder / "page.html")),
            "convert": (str(self.folder / "again.ctf"),),
        }
        for verb, output in outputs.items():
            with self.subTest(verb):
                lines = self.run_sheaf(verb, container, *output, "--progress").stderr.splitlines()
                self.assertRegex(lines[-1], rf"\A100 %, {megabytes} of {megabytes} MB")

    def test_progress_of_a_part_ends_at_100_percent(self) -> None:
        more = {
            "report": ("-o", str(self.folder / "report.html")),
            "order": ("--noise-of", "labels"),
        }
        for verb in ("check", "stat", "report", "order", "convert"):
            with self.subTest(verb):
                chunks = "--in-chunk-size" if verb == "convert" else "--chunk-size"
                part = (chunks, "120k", "--part", "1/2", *more.get(verb, ()))
                arguments = (*self.arguments(verb), *part)
                lines = self.run_sheaf(*arguments, "--progress").stderr.splitlines()
                self.assertEqual("  0 %, 0.0 of 0.1 MB", lines[0])
                self.assertRegex(lines[-1], r"\A100 %, 0\.1 of 0\.1 MB, \d+\.\d MB/s\Z")
                _, text = self.on_terminal(*arguments)
                self.assertIn("  0 %, 0.0 of 0.1 MB", text)
                self.assertNotIn(" of 0.2 MB", text)

    def test_a_report_counts_the_data_to_compare_with(self) -> None:
        other = self.write(Path(DIGITS).read_bytes() * 3, "other.ctf")
        out = str(self.folder / "report.html")
        arguments = (*self.arguments("report"), "--against", other, "-o", out, "--progress")
        lines = self.run_sheaf(*arguments).stderr.splitlines()
        self.assertEqual("  0 %, 0.0 of 1.0 MB", lines[0])
        self.assertRegex(lines[-1], r"\A100 %, 1\.0 of 1\.0 MB, \d+\.\d MB/s\Z")
        part = ("--chunk-size", "120k", "--part", "1/2")
        lines = self.run_sheaf(*arguments, *part, "--overwrite").stderr.splitlines()
        self.assertEqual("  0 %, 0.0 of 0.9 MB", lines[0])
        self.assertRegex(lines[-1], r"\A100 %, 0\.9 of 0\.9 MB, \d+\.\d MB/s\Z")

    def test_progress_counts_the_bytes_of_all_containers(self) -> None:
        containers = [str(self.folder / name) for name in ("a.sheaf", "b.sheaf")]
        self.good("convert", self.digits, containers[0], *DIGITS_STREAMS)
        lines = Path(DIGITS).read_text("utf-8").splitlines()
        others = "".join(f"1000{line}\n" for line in lines)  # other keys
        self.good("convert", self.write(others, "b.ctf"), containers[1], *DIGITS_STREAMS)
        total = sum(Path(container).stat().st_size for container in containers) / 1e6
        out = str(self.folder / "both.html")
        verbs = (
            ("report", containers[0], "--against", containers[1], "-o", out),
            ("index", str(self.folder / "*.sheaf")),
            ("check", *containers),
        )
        for verb in verbs:
            with self.subTest(verb[0]):
                told = self.run_sheaf(*verb, "--progress").stderr.splitlines()
                self.assertRegex(told[-1], rf"\A100 %, {total:.1f} of {total:.1f} MB")

    def test_progress_of_indexing_a_part_counts_its_files(self) -> None:
        row = "".join(f"{i} |x {i % 7} 2\n" for i in range(20000))
        small = self.write(row, "small.ctf")
        large = self.write(row.replace("x", "y"), "large.ctf")
        sizes = [Path(path).stat().st_size / 1e6 for path in (small, large)]
        data = {"join": [{"files": small}, {"files": large}]}
        spec = self.write(json.dumps({"data": data}), "join.json")
        for part, total in (("0/1", sum(sizes)), ("0/2", sizes[0]), ("1/2", sizes[1])):
            with self.subTest(part):
                arguments = ("index", "--spec", spec, "--part", part, "--progress")
                told = self.run_sheaf(*arguments).stderr.splitlines()
                shares = [line for line in told if " %, " in line]
                self.assertEqual(f"  0 %, 0.0 of {total:.1f} MB", shares[0])
                self.assertRegex(shares[-1], rf"\A100 %, {total:.1f} of {total:.1f} MB")
                self.assertEqual(1, sum(line.startswith("  0 %") for line in shares))

    def test_progress_of_a_compressed_text_counts_its_bytes(self) -> None:
        text = "".join(f"{i} |x {i % 7} 2\n" for i in range(200000))
        path = self.folder / "large.ctf.gz"
        path.write_bytes(gzip.compress(text.encode()))
        total = path.stat().st_size / 1e6
        for verb in ("index", "check", "stat"):
            with self.subTest(verb):
                told = self.run_sheaf(verb, str(path), "--progress").stderr.splitlines()
                self.assertRegex(told[-1], rf"\A100 %, {total:.1f} of {total:.1f} MB")

    def test_progress_of_an_entry_of_a_zip_counts_its_bytes(self) -> None:
        text = "".join(f"{i} |x {i % 7} 2\n" for i in range(200000))
        with zipfile.ZipFile(self.folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("large.ctf", text)
        total = len(text) / 1e6
        for verb in ("check", "stat"):
            with self.subTest(verb):
                path = str(self.folder / "a.zip" / "large.ctf")
                told = self.run_sheaf(verb, path, "--progress").stderr.splitlines()
                self.assertRegex(told[-1], rf"\A100 %, {total:.1f} of {total:.1f} MB")

    def test_data_to_compare_with_must_exist(self) -> None:
        missing = str(self.folder / "missing.ctf")
        arguments = (*self.arguments("report"), "--against", missing, "--progress")
        result = self.run_sheaf(*arguments)
        self.assertIn(f"{missing}: cannot open", result.stderr)
        self.assertNotIn(" %", result.stderr)  # the error comes before the pass

    def test_data_that_do_not_open_have_no_share(self) -> None:
        for verb in self.VERBS:
            with self.subTest(verb):
                self.write("", "digits.ctf")  # no rows
                self.assertNotIn(" %", self.run_sheaf(*self.arguments(verb), "--progress").stderr)


if __name__ == "__main__":
    unittest.main()
