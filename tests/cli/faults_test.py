"""The command's messages about damaged data files and index files."""

import os
import subprocess
import unittest
from pathlib import Path

from command import BAD_DATA, BAD_USAGE, GOOD, SHEAF, TIMEOUT_SECONDS, CommandTest, Result

MEGABYTE = 1 << 20
ROW = "{} |x {} 2 |y {}:1 |# a comment makes rows long, and these files quick to read {}\n"


def rows(size: int) -> str:
    count = size // len(ROW)
    return "".join(ROW.format(i, i, i % 9, "-" * (i % 20)) for i in range(count))


class IndexFileFaultsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.write(rows(MEGABYTE))
        self.index = Path(self.path + ".sheaf-index")
        self.good("index", self.path)
        self.bytes = self.index.read_bytes()
        self.checksum = self.read("--index", "off").stdout

    def read(self, *arguments: str) -> Result:
        return self.run_sheaf(
            "read", self.path, "--format", "keys", "--minibatch-size", "1000", *arguments
        )

    def check(self, reason: str) -> None:
        """A run continues without the index file and warns, unless it requires the file."""
        result = self.read()
        self.assertEqual((GOOD, self.checksum), (result.returncode, result.stdout))
        self.assertIn("[ctf-index-file]", result.stderr)
        self.assertIn(f"{self.index}: {reason}", result.stderr)
        result = self.read("--index", "require")
        self.assertEqual((BAD_USAGE, ""), (result.returncode, result.stdout))
        self.assertIn(f"index: required, but {self.index}: {reason}", result.stderr)

    def test_a_good_index_file_is_used(self) -> None:
        result = self.read("--index", "require")
        self.assertEqual((GOOD, self.checksum), (result.returncode, result.stdout))
        self.assertNotIn("warning", result.stderr)

    def test_a_missing_index_file_is_refused(self) -> None:
        self.index.unlink()
        result = self.read("--index", "require")
        self.assertEqual(BAD_USAGE, result.returncode)
        self.assertIn(f"{self.index}: cannot open: No such file or directory", result.stderr)

    def test_a_truncated_index_file_is_reported(self) -> None:
        for size in (0, 7, 20, len(self.bytes) // 2, len(self.bytes) - 1):
            with self.subTest(size):
                self.index.write_bytes(self.bytes[:size])
                self.check("not an index file" if size < 8 else "cut short")

    def test_a_flipped_bit_of_the_footer_is_reported(self) -> None:
        for at in (-30, -20, -100, -len(self.bytes) + 10):  # footer, its checksum; the version
            with self.subTest(at):
                changed = bytearray(self.bytes)
                changed[at] ^= 4
                self.index.write_bytes(changed)
                self.check("damaged" if at > -1000 else "of version")

    def test_a_flipped_bit_in_a_chunk_is_reported(self) -> None:
        self.index.write_bytes(self.bytes[:16] + b"?" + self.bytes[17:])
        for mode, end in (("require", "--index rebuild"), ("auto", "it is removed")):
            with self.subTest(mode):
                result = self.read("--index", mode)
                self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
                self.assertIn(f"{self.index}: damaged: chunk 0 has a wrong", result.stderr)
                self.assertIn(end, result.stderr)
        result = self.read()
        self.assertEqual((GOOD, self.checksum), (result.returncode, result.stdout))

    def test_an_index_file_of_other_data_or_options_is_refused(self) -> None:
        self.index.write_bytes(self.bytes)
        with open(self.path, "a") as data:
            data.write("9999999 |x 1 2 |y\n")
        self.checksum = self.read("--index", "off").stdout
        self.check("made from data ")
        result = self.read("--index", "require", "--chunk-bytes", "4096")
        self.assertEqual(BAD_USAGE, result.returncode)
        self.write(rows(MEGABYTE))
        result = self.read("--index", "require", "--chunk-bytes", "4096")
        self.assertEqual(BAD_USAGE, result.returncode)
        self.assertIn('made with options "ctf 3:chunk=33554432;', result.stderr)

    def test_an_unusable_index_folder_is_a_warning(self) -> None:
        for folder, reason in (
            (self.folder / "none", "No such file or directory"),
            (Path(self.path), "Not a directory"),
        ):
            with self.subTest(folder):
                where = ("--index", "rebuild", "--index-dir", str(folder))
                result = self.read(*where)
                self.assertEqual((GOOD, self.checksum), (result.returncode, result.stdout))
                self.assertIn(f"{folder}/", result.stderr)
                self.assertIn(reason, result.stderr)

    def test_index_creates_the_folder(self) -> None:
        folder = self.folder / "none"
        result = self.run_sheaf("index", self.path, "--index-dir", str(folder))
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertEqual(1, len(list(folder.iterdir())))
        result = self.run_sheaf("index", self.path, "--index-dir", self.path)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual("", result.stdout)
        self.assertIn(f"--index-dir {self.path}: cannot be made: ", result.stderr)

    def test_streams_are_inferred_with_a_required_index_file(self) -> None:
        # Streams are inferred from the whole file. A file with an unreadable middle has no streams.
        text = rows(MEGABYTE)
        half = len(text) // 2
        self.write(text[:half] + "?" * 1000 + text[half + 1000 :])
        result = self.run_sheaf("index", self.path, "--index", "require")
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertIn("streams found: --stream x:dense:2 --stream y:sparse:9", result.stderr)


class DataFaultsTest(CommandTest):
    def test_a_file_changed_since_it_was_indexed_is_an_error(self) -> None:
        text = rows(MEGABYTE)
        path = self.write(text)
        self.good("index", path)
        at = text.index("|x ", len(text) // 2) + 3
        self.write(text[:at] + ("2" if text[at] == "1" else "1") + text[at + 1 :])
        result = self.run_sheaf("read", path, "--index", "require")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(f"{path}: near line ", result.stderr)
        self.assertIn("the file has changed since", result.stderr)

    def test_utf16_is_an_error_that_names_a_command(self) -> None:
        for encoding in ("utf-16-le", "utf-16-be"):
            path = self.write(("\ufeff" + "0 |x 1\n").encode(encoding))
            for verb in ("head", "check", "stat", "read", "index"):
                with self.subTest(encoding=encoding, verb=verb):
                    result = self.run_sheaf(verb, path)
                    self.assertEqual(BAD_DATA, result.returncode)
                    self.assertIn(f"{path}:1:1: error: expected UTF-8", result.stderr)
                    self.assertIn("iconv", result.stderr)

    def test_a_file_that_cannot_be_opened_is_an_error(self) -> None:
        self.write("", "file")
        loop = self.folder / "loop.ctf"
        loop.symlink_to(loop)
        cases = [
            (self.folder / "file" / "a.ctf", "Not a directory"),
            (loop, "Too many levels of symbolic links"),
        ]
        secret = Path(self.write("0 |x 1\n", "secret.ctf"))
        secret.chmod(0)
        if not os.access(secret, os.R_OK):  # root can read it nevertheless
            cases.append((secret, "Permission denied"))
        for path, reason in cases:
            for verb in ("head", "check", "stat", "read", "index"):
                with self.subTest(verb=verb, path=path):
                    result = self.run_sheaf(verb, str(path))
                    self.assertEqual(BAD_DATA, result.returncode)
                    self.assertEqual(
                        f"sheaf: error: {path}: cannot open: {reason}\n", result.stderr
                    )

    def test_a_file_truncated_while_it_is_read_is_an_error(self) -> None:
        path = self.write(rows(8 * MEGABYTE))
        process = subprocess.Popen(
            [
                SHEAF, "read", path, "--stream", "x:dense:2", "--format", "json", "--index", "off",
                "--minibatch-size", "100", "--sweeps", "0", "--threads", "1", "--memory-limit",
                "4MiB", "--chunk-bytes", "1MiB",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        os.truncate(path, MEGABYTE)
        _, error = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(BAD_DATA, process.returncode)
        self.assertRegex(
            error.decode(),
            f"{path}: (ends at byte 1048576, it had [0-9]+ bytes|near line [0-9]+: not what was)",
        )


class OptionsTest(CommandTest):
    def test_errors_of_options_name_the_option_and_its_range(self) -> None:
        path = self.write("0 |x 1\n")
        for arguments, message in (
            (["--chunk-bytes", "0"], '--chunk-size takes a number of bytes of 1 or more: got "0"'),
            (["--stream", "x:dense:0"], "DIM is a positive number"),
            (["--stream", "x:dense:1:index=i64"], "index=i64 is for sparse streams"),
            (["--stream", "x:sparse:3000000000"], "dim 3000000000 needs index_dtype i64"),
            (
                ["--stream", "x:dense:1", "--stream", "y:dense:1:alias=x"],
                'streams: "x" and "y" both read "x" of the file',
            ),
            (["--stream", "x:dense:1", "--stream", "x:dense:1"], 'two have the name "x"'),
            (
                ["--stream", "x:dense:1:mb", "--stream", "y:dense:1:mb"],
                'streams: "x" and "y" both define the minibatch size; one can',
            ),
            (["--keys", "text", "--skip-sequence-ids"], "keys: text needs the ids"),
            (["--nonsense"], "there is no option --nonsense"),
        ):
            for verb in ("head", "check", "stat", "read", "index"):
                with self.subTest(verb=verb, arguments=arguments):
                    self.assertIn(message, self.refused(verb, path, *arguments))


if __name__ == "__main__":
    unittest.main()
