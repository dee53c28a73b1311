"""Compressed files and archives written by other programs."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import tarfile
import types
import unittest
import zipfile

from command import (
    BAD_DATA,
    DIGITS,
    DIGITS_STREAMS,
    SHEAF,
    TIMEOUT_SECONDS,
    CommandTest,
    plain_environment,
)

ROWS = "".join(f"{i} |x {i}.5 {i % 7} |y {i % 10}:1\n" for i in range(2000))


def compressed_rows(how: types.ModuleType) -> bytes:
    return how.compress(ROWS.encode())


class CompressedTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.plain = self.write(ROWS, "plain.ctf")
        members = [ROWS[:1000], "", ROWS[1000:20_000], ROWS[20_000:]]
        self.gzip = self.write(b"".join(gzip.compress(m.encode()) for m in members), "a.ctf.gz")

    def test_every_verb_reads_compressed_files(self) -> None:
        for verb in (("read", "--order", "keyed", "--seed", "3"), ("head", "--json")):
            plain = self.good(verb[0], self.plain, *verb[1:])
            self.assertEqual(
                plain.replace("plain.ctf", "a.ctf.gz"),
                self.good(verb[0], self.gzip, *verb[1:]),
                verb,
            )
        self.assertEqual(2000, self.good_json("check", self.gzip, "--json")["sequences"])
        self.assertEqual(2000, self.good_json("stat", self.gzip, "--json")["sequences"])
        written = [str(self.folder / name) for name in ("1.cbf", "2.cbf")]
        self.good("convert", self.plain, written[0])
        self.good("convert", self.gzip, written[1])
        with open(written[0], "rb") as one, open(written[1], "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_a_pattern_may_match_compressed_and_plain_files(self) -> None:
        self.write(gzip.compress(b"7 |x 1\n"), "part-1.ctf.gz")
        self.write("9 |x 1\n", "part-2.ctf")
        text = self.good("read", str(self.folder / "part-*"), "--format", "keys")
        keys = [key for line in text.splitlines() for key in json.loads(line)["keys"]]
        self.assertEqual([7, 9], keys)

    def test_a_position_fits_the_file_before_compression(self) -> None:
        position = str(self.folder / "at.json")
        self.good("position", "seek", self.plain, "--sample", "1990", "--output", position)
        self.assertEqual(
            self.good("read", self.plain, "--resume", position),
            self.good("read", self.gzip, "--resume", position),
        )

    def test_compressed_files_can_be_indexed(self) -> None:
        self.good("index", self.gzip)
        self.assertTrue((self.folder / "a.ctf.gz.sheaf-index").exists())
        self.assertEqual(
            2000, self.good_json("check", self.gzip, "--json", "--index", "require")["sequences"]
        )

    def test_compressed_cbf_is_read_and_ctf2bin_reads_compressed_text(self) -> None:
        binary = str(self.folder / "digits.cbf")
        self.good("convert", DIGITS, binary, *DIGITS_STREAMS)
        with open(binary, "rb") as file:
            compressed = self.write(gzip.compress(file.read()), "digits.cbf.gz")
        self.assertEqual(self.good("read", binary), self.good("read", compressed))
        header = self.write("x x dense 2\ny y sparse 10\n", "header.txt")
        for source, target in ((self.plain, "1.bin"), (self.gzip, "2.bin")):
            self.good(
                "ctf2bin",
                "--input",
                source,
                "--header",
                header,
                "--chunk_size",
                "100000",
                "--output",
                str(self.folder / target),
            )
        self.assertEqual((self.folder / "1.bin").read_bytes(), (self.folder / "2.bin").read_bytes())

    def piped(self, data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [SHEAF, *arguments], input=data, capture_output=True, check=False,
            env=plain_environment(), timeout=TIMEOUT_SECONDS,
        )  # fmt: skip

    def test_compressed_standard_input_is_decompressed(self) -> None:
        with open(self.gzip, "rb") as file:
            compressed = file.read()
        for verb in (("check",), ("stat",), ("read", "--order", "keyed"), ("head",)):
            with self.subTest(verb):
                plain = self.piped(ROWS.encode(), *verb, "-")
                result = self.piped(compressed, *verb, "-")
                self.assertEqual((0, plain.stdout), (result.returncode, result.stdout))
        written = [str(self.folder / name) for name in ("1.cbf", "2.cbf")]
        for data, out in zip((ROWS.encode(), compressed), written, strict=True):
            self.assertEqual(0, self.piped(data, "convert", "-", out, "--from", "ctf").returncode)
        with open(written[0], "rb") as one, open(written[1], "rb") as other:
            self.assertEqual(one.read(), other.read())
        for name in ("/dev/stdin", "/dev/fd/0"):
            result = self.piped(compressed, "check", name)
            self.assertIn(b"sequences 2000,", result.stdout)

    def test_unknown_compressions_are_errors_that_name_a_command(self) -> None:
        result = self.piped(compressed_rows(lzma), "check", "-")
        self.assertEqual(1, result.returncode)
        self.assertIn(b"standard input: an xz file, which sheaf does not decompress: xzcat FILE",
                      result.stderr)  # fmt: skip
        path = self.write(compressed_rows(bz2), "a.ctf.bz2")
        result = self.run_sheaf("check", path, "--data-format", "ctf")
        self.assertIn("a bzip2 file, which sheaf does not decompress: bzcat FILE", result.stderr)
        cut = self.piped(gzip.compress(ROWS.encode())[:-3], "check", "-")
        self.assertEqual(1, cut.returncode)
        self.assertIn(b"standard input: damaged at compressed byte", cut.stderr)

    def test_errors_have_lines_and_columns_of_the_decompressed_text(self) -> None:
        bad = self.write(gzip.compress(b"1 |x 1\n2 |x one\n"), "bad.ctf.gz")
        result = self.run_sheaf("check", bad, "--stream", "x:dense:1")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(f"{bad}:2:6: error: ", result.stderr)

    def test_damage_and_wrong_extensions_are_errors(self) -> None:
        with open(self.gzip, "rb") as file:
            whole = file.read()
        cut = self.write(whole[:-3], "cut.ctf.gz")
        result = self.run_sheaf("read", cut)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(
            f"{cut}: damaged at compressed byte {len(whole) - 3}, after {len(ROWS)} "
            "decompressed bytes: the file ends inside a gzip member",
            result.stderr,
        )
        renamed = self.write(whole, "renamed.ctf")
        self.assertIn(f"name it {renamed}.gz", self.run_sheaf("check", renamed).stderr)
        text = self.write(ROWS, "text.ctf.gz")
        self.assertIn("not a gzip file, as its name says", self.run_sheaf("check", text).stderr)
        refused = self.refused("convert", self.plain, str(self.folder / "out.ctf.zst"))
        self.assertIn("compressed files are not written", refused)

    def check(self, *arguments: str) -> int:
        return self.good_json("check", *arguments, "--json")["sequences"]

    def test_entries_of_archives_are_read(self) -> None:
        long_name = "folder/" * 30 + "part-0.ctf"
        names = ("part-0.ctf", long_name, "b.ctf.gz")
        contents = (ROWS.encode(), ROWS.encode(), gzip.compress(ROWS.encode()))
        kinds = {"gnu.tar": tarfile.GNU_FORMAT, "pax.tar": tarfile.PAX_FORMAT}
        for kind, tar_format in kinds.items():
            for mode, suffix in (("w", ""), ("w:gz", ".gz")):
                path = self.folder / (kind + suffix)
                with tarfile.open(path, mode, format=tar_format) as archive:
                    for name, data in zip(names, contents, strict=True):
                        entry = tarfile.TarInfo(name)
                        entry.size = len(data)
                        archive.addfile(entry, io.BytesIO(data))
        for kind, method in (("s.zip", zipfile.ZIP_STORED), ("d.zip", zipfile.ZIP_DEFLATED)):
            with zipfile.ZipFile(self.folder / kind, "w", method) as archive:
                for name, data in zip(names, contents, strict=True):
                    archive.writestr(name, data)
        expected = self.good("read", self.plain)
        for archive in ("gnu.tar", "pax.tar", "gnu.tar.gz", "pax.tar.gz", "s.zip", "d.zip"):
            for name in names:
                path = str(self.folder / archive / name)
                self.assertEqual(expected, self.good("read", path), path)
        self.assertEqual(2000, self.check(str(self.folder / "gnu.tar" / "part-0.ctf")))
        result = self.run_sheaf("check", str(self.folder / "gnu.tar" / "none.ctf"))
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("gnu.tar: has no entry none.ctf", result.stderr)


if __name__ == "__main__":
    unittest.main()
