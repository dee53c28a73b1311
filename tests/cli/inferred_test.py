"""Properties inferred from the data: streams, dims, keys; warnings; the index file."""

import json
import os
import re
import shlex
import unittest
from pathlib import Path

from command import BAD_USAGE, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

FOUND = re.compile(r"^streams found: (.*)$", re.MULTILINE)
TEXT = "5 |x 1 2 |y 3:4 8:0.5\n5 |x 3 4 |y\n6 |x 5 6 |y 0:1\n"


class InferredTest(CommandTest):
    def test_found_streams_are_reported_once(self) -> None:
        for verb in ("head", "check", "stat", "read", "index"):
            with self.subTest(verb):
                result = self.run_sheaf(verb, DIGITS, "--index-dir", str(self.folder))
                self.assertEqual(GOOD, result.returncode, result.stderr)
                self.assertEqual([" ".join(DIGITS_STREAMS)], FOUND.findall(result.stderr))
                if verb != "index":  # this run is timed
                    self.assertEqual(self.good(verb, DIGITS, *DIGITS_STREAMS), result.stdout)
                result = self.run_sheaf(verb, DIGITS, "--json", "--index-dir", str(self.folder))
                self.assertEqual("", result.stderr)

    def test_declared_streams_are_not_reported(self) -> None:
        result = self.run_sheaf("head", DIGITS, *DIGITS_STREAMS)
        self.assertEqual("", result.stderr)

    def test_reported_streams_can_be_pasted_as_options(self) -> None:
        names = ("a", "it's", 'q"$x', "b:c", "d\\e", "f*;g")
        text = "".join(
            f"{i} " + " ".join(f"|{name} {i} {i + 1}" for name in names) + "\n" for i in range(3)
        )
        path = self.write(text)
        first = self.run_sheaf("read", path, "--format", "json")
        self.assertEqual(GOOD, first.returncode, first.stderr)
        options = shlex.split(FOUND.findall(first.stderr)[0])
        self.assertEqual(2 * len(names), len(options))
        again = self.run_sheaf("read", path, "--format", "json", *options)
        self.assertEqual((first.stdout, ""), (again.stdout, again.stderr))
        streams = json.loads(again.stdout.splitlines()[0])["streams"]
        self.assertEqual(list(names), list(streams))

    def test_a_dim_can_be_left_out(self) -> None:
        path = self.write(TEXT)
        for x, y in (
            ("x:dense", "y:sparse"),
            ("x:dense:?", "y:sparse:?"),
            ("x:dense:2", "y:sparse"),
        ):
            with self.subTest(x=x, y=y):
                result = self.run_sheaf("read", path, "--stream", x, "--stream", y)
                self.assertIn(
                    "streams found: --stream x:dense:2 --stream y:sparse:9\n", result.stderr
                )

    def test_precision_applies_to_found_streams(self) -> None:
        path = self.write(TEXT)
        for precision, expected in (((), "f32"), (("float",), "f32"), (("double",), "f64")):
            options = [word for each in precision for word in ("--precision", each)]
            streams = self.good_json("stat", path, "--json", *options)["streams"]
            self.assertEqual([expected] * 2, [stream["element_type"] for stream in streams])

    def test_every_layout_has_the_same_checksum(self) -> None:
        checksums = {
            self.good_json("read", DIGITS, "--format", "none", "--json", "--packing", packing)[
                "checksum"
            ]
            for packing in ("padded", "ragged", "packed", "frames")
        }
        self.assertEqual(1, len(checksums))
        path = self.write(
            "".join(f"{i} |x {i} {row}\n" for i in range(90) for row in range(1 + i % 5))
        )
        checksums = {
            self.good_json(
                "read",
                path,
                "--format",
                "none",
                "--json",
                "--packing",
                packing,
                "--minibatch-size",
                size,
            )["checksum"]
            for packing in ("padded", "ragged", "packed")
            for size in ("1", "17", "1000")
        }
        self.assertEqual(1, len(checksums))


class KeysTest(CommandTest):
    def test_keys_may_be_texts(self) -> None:
        path = self.write("cat.jpg |x 1\ndog.jpg |x 2\ndog.jpg |x 3\n")
        text = self.good("head", path, "--keys", "text", "--stream", "x:dense:1")
        self.assertEqual("cat.jpg\n  x  1\ndog.jpg\n  x  2\n     3\n", text)
        lines = self.good("head", path, "--keys", "text", "--json").splitlines()
        self.assertEqual(["cat.jpg", "dog.jpg"], [json.loads(line)["key"] for line in lines])

    def test_ids_can_be_skipped(self) -> None:
        path = self.write("7 |x 1\n7 |x 2\n")
        report = self.good_json("stat", path, "--skip-sequence-ids", "--json")
        self.assertEqual((2, 2), (report["sequences"], report["samples"]))


class MissingStreamsTest(CommandTest):
    ALLOW = ("--missing-streams", "allow")

    def test_absent_streams_are_counted_and_shown(self) -> None:
        path = self.write("0 |x 1 |y 2\n1 |x 3\n2 |x 4 |y 5\n")
        self.assertEqual(1, self.run_sheaf("check", path).returncode)
        report = self.good_json("stat", path, "--json", *self.ALLOW)
        self.assertEqual(3, report["sequences"])
        self.assertEqual([0, 1], [stream["absent"] for stream in report["streams"]])
        self.assertEqual([3, 2], [stream["samples"] for stream in report["streams"]])
        lines = self.good("head", path, "--json", *self.ALLOW).splitlines()
        self.assertIsNone(json.loads(lines[1])["streams"]["y"])
        self.assertIn("(absent)", self.good("head", path, *self.ALLOW))


class WarningsTest(CommandTest):
    def test_warnings_are_no_errors(self) -> None:
        path = self.write("0 |x 1 |z 9\n1 |x 2\n")
        for verb in ("head", "check", "stat", "read"):
            with self.subTest(verb):
                result = self.run_sheaf(verb, path, "--stream", "x:dense:1", "--index", "off")
                self.assertEqual(GOOD, result.returncode)
                self.assertIn(": warning: ", result.stderr)
                self.assertIn("[ctf-unknown-stream]", result.stderr)
        report = self.good_json("check", path, "--stream", "x:dense:1", "--json")
        self.assertEqual(["ctf-unknown-stream"], [each["code"] for each in report["warnings"]])
        self.assertEqual("warning", report["warnings"][0]["severity"])
        self.assertEqual(0, report["places"])

    def test_warnings_are_magenta(self) -> None:
        path = self.write("0 |x 1 |z 9\n")
        result = self.run_sheaf("check", path, "--stream", "x:dense:1", "--color", "always")
        self.assertIn("\x1b[1;35mwarning:\x1b[0m ", result.stderr)


class IndexFileTest(CommandTest):
    def test_an_index_file_is_written_used_and_refused(self) -> None:
        path = self.write(TEXT)
        missing = self.run_sheaf("index", path, "--index", "require")
        self.assertEqual(BAD_USAGE, missing.returncode)
        report = self.good_json("index", path, "--json")
        file = Path(path + ".sheaf-index")
        self.assertEqual(str(file), report["index_path"])
        self.assertEqual(file.stat().st_size, report["index_bytes"])
        again = self.good_json("index", path, "--index", "require", "--json")
        for key in ("chunks", "sequences", "samples", "index_bytes"):
            self.assertEqual(report[key], again[key])
        line = self.good("index", path, "--index", "require")
        share = 100 * report["index_bytes"] / len(TEXT)
        self.assertIn(f"index file {file} of {report['index_bytes']} bytes, {share:.2f} %", line)

        self.write(TEXT + "7 |x 1 1 |y\n")
        stale = self.run_sheaf("index", path, "--index", "require")
        self.assertEqual(BAD_USAGE, stale.returncode)
        self.assertIn(str(file), stale.stderr)
        other = self.run_sheaf("stat", path, "--json")
        self.assertEqual(3, json.loads(other.stdout)["sequences"])
        self.assertIn("[ctf-index-file]", other.stderr)

    def test_an_index_file_in_another_folder(self) -> None:
        path = self.write(TEXT)
        folder = self.folder / "indices"
        folder.mkdir()
        report = self.good_json("index", path, "--index-dir", str(folder), "--json")
        self.assertEqual([report["index_path"]], [str(each) for each in folder.iterdir()])
        self.assertRegex(report["index_path"], r"/indices/data\.ctf\.[0-9a-f]{8}\.sheaf-index$")
        self.assertFalse(Path(path + ".sheaf-index").exists())
        self.good("read", path, "--index", "require", "--index-dir", str(folder))

        new = self.folder / "new" / "folder"
        made = self.run_sheaf("index", path, "--index-dir", str(new))
        self.assertEqual(GOOD, made.returncode, made.stderr)
        self.assertNotIn("warning", made.stderr)
        self.assertEqual(1, len(os.listdir(new)))
        no_folder = self.run_sheaf("index", path, "--index-dir", path + "/x")
        self.assertEqual(1, no_folder.returncode)
        self.assertEqual(
            [f"sheaf: error: --index-dir {path}/x: cannot be made: Not a directory"],
            no_folder.stderr.splitlines(),
        )

        (self.folder / "other").mkdir()
        other = self.write("0 |x 1\n", "other/data.ctf")
        self.good("index", other, "--index-dir", str(folder))
        self.assertEqual(2, len(os.listdir(folder)))
        for each in (path, other):
            self.good("read", each, "--index", "require", "--index-dir", str(folder))


if __name__ == "__main__":
    unittest.main()
