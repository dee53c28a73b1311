"""The files that a command may replace: its own files, and files named by options."""

import json
import os
import socket
import stat
import unittest
from pathlib import Path

from command import CommandTest

STREAM = ("--stream", "x:dense:1")
DATA = "0 |x 1\n1 |x 2\n2 |x 3\n"
CONFIG = """include=more.cntk
Train=[reader=[readerType="CNTKTextFormatReader" ; file="data.ctf"
               input=[x=[dim=1 ; format="dense"]]]]
"""


class ReplacedTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(DATA)
        self.at = self.folder / "at.json"

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def unchanged(self, *arguments: str) -> str:
        """Returns the standard error of a refused run. All files stay as they are."""
        before = self.files()
        error = self.refused(*arguments)
        self.assertEqual(before, self.files())
        return error


class PositionTest(ReplacedTest):
    """Returns both commands that write positions."""

    def commands(self, path: str) -> tuple[tuple[str, ...], ...]:
        return (
            ("read", self.data, *STREAM, "--save-position", path),
            ("position", "seek", self.data, *STREAM, "--sample", "1", "--output", path),
        )

    def test_a_saved_position_is_replaced(self) -> None:
        for first in self.commands(str(self.at)):
            for second in self.commands(str(self.at)):
                self.good(*first)
                self.good(*second)
                self.assertIn("position", json.loads(self.at.read_text()))
        self.assertEqual({"at.json", "data.ctf"}, self.names())

    def test_files_above_64_mib_are_not_taken_for_positions(self) -> None:
        limit = 64 << 20
        command = self.commands(str(self.at))[1]
        for size in (limit - 1, limit, limit + 1):
            self.at.unlink(missing_ok=True)
            self.good(*command)
            self.at.write_bytes(self.at.read_bytes().ljust(size))
            with self.subTest(size):
                if size <= limit:
                    self.good(*command)
                    self.assertLess(self.at.stat().st_size, 10_000)
                else:
                    self.assertIn("holds no position", self.refused(*command))
                    self.assertEqual(size, self.at.stat().st_size)

    def test_as_many_links_are_followed_as_the_system_follows(self) -> None:
        for last in (39, 40, 41):
            for path in self.folder.glob("link*"):
                path.unlink()
            os.symlink("at.json", self.folder / "link1")
            for i in range(2, last + 1):
                os.symlink(f"link{i - 1}", self.folder / f"link{i}")
            self.at.unlink(missing_ok=True)
            command = self.commands(str(self.folder / f"link{last}"))[1]
            with self.subTest(last):
                if last <= 40:
                    self.good(*command)
                    self.assertIn("position", json.loads(self.at.read_text()))
                else:
                    run = self.run_sheaf(*command)
                    self.assertNotEqual(0, run.returncode)
                    self.assertIn("Too many levels of symbolic links", run.stderr)
                    self.assertFalse(self.at.exists())

    def test_files_without_a_position_are_not_replaced(self) -> None:
        joined = self.write("0 |y 1\n1 |y 2\n2 |y 3\n", "joined.ctf")
        self.good("index", self.data, *STREAM)
        self.write('{"output_bytes":1,"position":{}}', "nearly.json")
        self.write("", "empty.json")
        self.write(b"\xff\x00" * 100, "bytes.bin")
        os.symlink("data.ctf", self.folder / "link.ctf")
        os.link(self.data, self.folder / "twin.ctf")
        for name in sorted(self.names()):
            path = str(self.folder / name)
            for command in self.commands(path):
                with self.subTest(command):
                    self.assertEqual(
                        f"sheaf: error: {path}: exists and holds no position, so it is not "
                        "replaced: name another file\n",
                        self.unchanged(*command, "--join", joined, "--stream", "y:dense:1"),
                    )

    def test_files_of_a_configuration_are_not_replaced(self) -> None:
        self.write("a=1\n", "more.cntk")
        config = self.write(CONFIG, "train.cntk")
        here = ("--set", f"currentDirectory={self.folder}")
        for name in ("train.cntk", "more.cntk", "data.ctf"):
            path = str(self.folder / name)
            for command in (
                ("read", "--config", config, *here, "--save-position", path),
                ("position", "seek", "--config", config, *here, "--sample", "1", "--output", path),
            ):
                with self.subTest(command):
                    self.assertIn("holds no position", self.unchanged(*command))

    def test_other_than_regular_files_are_not_replaced(self) -> None:
        folder = self.folder / "folder"
        folder.mkdir()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        door = socket.socket(socket.AF_UNIX)
        self.addCleanup(door.close)
        door.bind(str(self.folder / "door"))
        os.symlink("pipe", self.folder / "link")
        for name, kind in (
            ("folder", "a directory"),
            ("pipe", "a pipe"),
            ("link", "a pipe"),
            ("door", "a socket"),
        ):
            path = str(self.folder / name)
            before = os.lstat(path)
            for command in self.commands(path):
                with self.subTest(command):
                    self.assertEqual(
                        f"sheaf: error: {path}: cannot be written: not a regular file but {kind}\n",
                        self.unchanged(*command),
                    )
                    self.assertEqual(
                        (before.st_ino, before.st_mode),
                        (os.lstat(path).st_ino, os.lstat(path).st_mode),
                    )

    def test_devices_are_not_replaced(self) -> None:
        null = str(self.folder / "null")
        try:
            os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError as error:
            self.skipTest(f"only root makes devices, and not everywhere: {error}")
        commands = (
            *self.commands(null),
            ("convert", self.data, null, "--to", "ctf", *STREAM, "--overwrite"),
            ("convert", self.data, str(self.folder / "out.ctf"), *STREAM, "--report", null),
        )
        for command in commands:
            with self.subTest(command):
                self.assertIn("not a regular file but a device", self.unchanged(*command))
                self.assertTrue(stat.S_ISCHR(os.lstat(null).st_mode))

    def test_a_position_is_written_through_a_symbolic_link(self) -> None:
        far = self.folder / "far"
        far.mkdir()
        os.symlink("far/at.json", self.at)
        for command in (*self.commands(str(self.at)), *self.commands(str(self.at))):
            self.good(*command)
            self.assertTrue(self.at.is_symlink())
            saved = json.loads((far / "at.json").read_text())
            self.assertNotEqual(99999, saved["output_bytes"])
            self.assertEqual(["at.json"], os.listdir(far))
            (far / "at.json").write_text(json.dumps({**saved, "output_bytes": 99999}))
        self.assertEqual({"data.ctf", "at.json", "far"}, self.names())

    def test_a_file_with_a_likely_temporary_name_is_kept(self) -> None:
        self.write("mine", "at.json.tmp")
        for command in self.commands(str(self.at)):
            self.good(*command)
            self.assertEqual("mine", (self.folder / "at.json.tmp").read_text())
            self.assertEqual({"data.ctf", "at.json", "at.json.tmp"}, self.names())


class ConvertTest(ReplacedTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out.cbf"

    def test_an_existing_file_is_replaced_only_by_option(self) -> None:
        self.out.write_text("before")
        command = ("convert", self.data, str(self.out), *STREAM)
        self.assertEqual(
            f"sheaf: error: {self.out}: exists already; --overwrite replaces it\n",
            self.unchanged(*command),
        )
        self.good(*command, "--overwrite")
        self.assertEqual(3, self.good_json("stat", str(self.out), "--json")["sequences"])
        self.assertEqual({"data.ctf", "out.cbf"}, self.names())

    def test_a_forgotten_out_is_suggested(self) -> None:
        parts = [self.write(f"{i} |x {i}\n", f"part-{i}.ctf") for i in range(3)]
        for count in (2, 3):
            with self.subTest(count):
                self.assertEqual(
                    f"sheaf: error: {parts[count - 1]}: exists already; was OUT forgotten, which "
                    "is the last file; --overwrite replaces it\n",
                    self.unchanged("convert", *parts[:count], *STREAM),
                )

    def test_existing_shards_and_parts_are_replaced_only_by_option(self) -> None:
        for arguments, name in (
            (("--shards", "3"), "out-00001-of-00003.cbf"),
            (("--split", "a=0.5,b=0.5"), "out.b.cbf"),
        ):
            with self.subTest(arguments):
                path = self.write("before", name)
                command = ("convert", self.data, str(self.out), *STREAM, *arguments)
                self.assertIn(f"{path}: exists already", self.unchanged(*command))
        before = self.write("before", "out.cbf")  # none of the shards has this name
        os.unlink(self.folder / "out-00001-of-00003.cbf")
        self.good("convert", self.data, str(self.out), *STREAM, "--shards", "3")
        self.assertEqual("before", Path(before).read_text())

    def test_a_conversion_is_written_through_a_symbolic_link(self) -> None:
        link = self.folder / "link.cbf"
        os.symlink("target.cbf", link)
        command = ("convert", self.data, str(link), *STREAM)
        self.good(*command)
        self.assertTrue(link.is_symlink())
        expected = (self.folder / "target.cbf").read_bytes()
        self.assertIn("exists already", self.unchanged(*command))
        (self.folder / "target.cbf").write_text("before")
        self.good(*command, "--overwrite")
        self.assertTrue(link.is_symlink())
        self.assertEqual(expected, (self.folder / "target.cbf").read_bytes())

    def test_a_report_replaces_only_a_report(self) -> None:
        report = self.folder / "report.json"
        command = ("convert", self.data, str(self.out), *STREAM, "--report", str(report))
        self.good(*command)
        self.good(*command, "--overwrite")
        self.assertEqual(3, json.loads(report.read_text())["sequences"])
        for text in ("", "mine", '{"input": "data.ctf"}', "[]"):
            with self.subTest(text):
                report.write_text(text)
                self.assertEqual(
                    f"sheaf: error: --report {report}: exists and is no report, so it is not "
                    "replaced: name another file\n",
                    self.unchanged(*command, "--overwrite"),
                )

    def test_ctf2bin_replaces_files_as_the_original_does(self) -> None:
        self.out.write_text("before")
        header = self.write("x x dense 1\n", "header.txt")
        self.good("ctf2bin", "--input", self.data, "--header", header, "--chunk_size", "9",
                  "--output", str(self.out))  # fmt: skip
        self.assertNotEqual(b"before", self.out.read_bytes())
        before = self.files()
        for source in (self.data, header):
            error = self.refused("ctf2bin", "--input", self.data, "--header", header,
                                 "--chunk_size", "9", "--output", source)  # fmt: skip
            self.assertIn(f"{source}: is the file that is read", error)
        self.assertEqual(before, self.files())


class IndexTest(ReplacedTest):
    def test_an_index_file_replaces_only_an_index_file(self) -> None:
        path = self.folder / "data.ctf.sheaf-index"
        command = ("index", self.data, *STREAM)
        self.good(*command)
        self.good(*command)
        path.write_text("mine")
        result = self.run_sheaf(*command)
        self.assertNotEqual(0, result.returncode)
        self.assertIn(f"{path}: not an index file, so it is not replaced", result.stderr)
        self.assertEqual("mine", path.read_text())
        self.assertEqual({"data.ctf", path.name}, self.names())
        path.unlink()
        os.mkfifo(path)
        result = self.run_sheaf(*command)
        self.assertNotEqual(0, result.returncode)
        self.assertIn(f"{path}: not a regular file but a pipe", result.stderr)
        self.assertTrue(path.is_fifo())


if __name__ == "__main__":
    unittest.main()
