"""`sheaf ctf2bin`: the arguments of CNTK's converter, its bytes, and the documented differences.

CNTK's sample files are not part of the project. Without them, the comparison is skipped.
"""

import os
import unittest
from pathlib import Path

from command import BAD_DATA, BAD_USAGE, GOOD, REPOSITORY, CommandTest, Result

SHARED = Path(os.environ.get("SHEAF_SHARED_DIR", REPOSITORY.parent / "shared"))
SAMPLES = SHARED / "conformance" / "cntk" / "data"

# Made by hand from the description of the format: `A a dense 1`, `B b sparse 3`.
WORKED = bytes.fromhex(
    "6e69625f6b746e63 01000000"  # prefix
    "01000000 01000000"  # lengths
    "01000000 0000803f 01000000 00000040"  # A: 1 and 2
    "01000000 00000000 00000000"  # B: an empty sample
    "01000000 01000000 0000803f 01000000 01000000"  # B: 1:1
    "6e69625f6b746e63 01000000 02000000"  # one chunk, two streams
    "00 01000000 41 00 01000000"
    "01 01000000 42 00 03000000"
    "0c00000000000000 02000000 02000000"
    "4400000000000000"  # the offset of the header
)


class Ctf2binTest(CommandTest):
    def convert(
        self, ctf: str | Path, header: str, *arguments: str, chunk: str = "33554432"
    ) -> Result:
        self.out = self.folder / "out.cbf"
        return self.run_sheaf(
            "ctf2bin", "--input", str(ctf), "--header", self.write(header, "header.txt"),
            "--chunk_size", chunk, "--output", str(self.out), *arguments,
        )  # fmt: skip

    def bytes_of(
        self, ctf: str | Path, header: str, *arguments: str, chunk: str = "33554432"
    ) -> bytes:
        result = self.convert(ctf, header, *arguments, chunk=chunk)
        self.assertEqual((GOOD, "", ""), (result.returncode, result.stdout, result.stderr))
        return self.out.read_bytes()


@unittest.skipUnless(
    (SAMPLES / "Simple_dense.txt").exists(),
    f"{SAMPLES} is not there; SHEAF_SHARED_DIR says where to look",
)
class SamplesTest(Ctf2binTest):
    def test_the_bytes_match_the_converter_of_cntk(self) -> None:
        for name, header in (
            ("Simple_dense", "features F dense 2\nlabels L dense 2\n"),
            ("10x10_dense", "features F0 dense 5\n"),
        ):
            with self.subTest(name):
                expected = (SAMPLES / f"{name}.bin").read_bytes()
                self.assertEqual(expected, self.bytes_of(SAMPLES / f"{name}.txt", header))


class OwnTest(Ctf2binTest):
    HEADER = "A a dense 1\nB b sparse 3\n"

    def test_equivalent_texts_give_the_same_bytes(self) -> None:
        for text in (
            "0|a 1|b\n1|a 2|b 1:1\n",
            "x |a 1 |b\n1 |b 1:1 |a 2\n",
            "|a 1|b\n|a 2|b 1:1\n",
            "\xef\xbb\xbf0|a 1|b\r\n\r\n1|a 2|b 1:1",
        ):
            with self.subTest(text):
                ctf = self.write(text.encode("latin-1"))
                written = self.bytes_of(ctf, self.HEADER)
                self.assertEqual(WORKED.hex(), written.hex())

    def test_streams_and_chunks_read_back(self) -> None:
        ctf = self.write("".join(f"s{i // 2} |a {i} |b {i % 3}:{i}.5\n" for i in range(400)))
        whole = None
        for chunk in ("1", "100", "33554432"):
            for precision in ("float", "double"):
                with self.subTest(chunk, precision=precision):
                    self.bytes_of(ctf, self.HEADER, "--precision", precision, chunk=chunk)
                    text = self.good(
                        "convert", str(self.out), "-", "--to", "ctf", "--streams", "A=a,B=b"
                    )
                    whole = whole or text
                    self.assertEqual(whole, text)
                    chunks = self.good_json("index", str(self.out), "--json")["chunks"]
                    self.assertEqual(chunk == "33554432", chunks == 1)

    def test_wrong_headers_and_data_are_errors(self) -> None:
        good = "0|a 1|b\n"
        for text, header, code, message in (
            (good, "A a dense\n", BAD_USAGE, "header.txt:1:5: error: expected four fields"),
            (good, "A a wet 1\n", BAD_USAGE, "header.txt:1:5: error: expected dense or sparse"),
            (good, "", BAD_USAGE, "header.txt:1:1: error: expected a stream"),
            ("0|a 1 2|b\n", self.HEADER, BAD_DATA, "data.ctf:1:7: error: "),
            ("0|a 1\n", self.HEADER, BAD_DATA, "[ctf-missing-stream]"),
            ("0|a 1|b -1:1\n", self.HEADER, BAD_DATA, "[ctf-pair]"),
            ("0|a 1|b\n1|a 1|b\n0|a 1|b\n", self.HEADER, BAD_DATA, "[ctf-repeated-id]"),
            ("", self.HEADER, BAD_DATA, "an empty file"),
        ):
            with self.subTest(text=text, header=header):
                result = self.convert(self.write(text), header)
                self.assertEqual((code, ""), (result.returncode, result.stdout), result.stderr)
                self.assertIn(message, result.stderr)
                self.assertEqual({"data.ctf", "header.txt"}, self.names())

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    def test_missing_and_wrong_arguments_are_refused(self) -> None:
        ctf = self.write("0|a 1|b\n")
        for arguments, message in (
            ((), "--input is required"),
            (("--input", ctf), "--header is required"),
            (("--input", ctf, "--header", ctf), "--chunk_size is required"),
            (("--input", ctf, "--header", ctf, "--chunk_size", "9"), "--output is required"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused("ctf2bin", *arguments))
        for chunk in ("0", "-1", "1MiB", "1.5"):
            with self.subTest(chunk):
                result = self.convert(ctf, self.HEADER, chunk=chunk)
                self.assertEqual(BAD_USAGE, result.returncode)
                self.assertIn("--chunk_size takes a whole number of 1 or more", result.stderr)
        result = self.convert(ctf, self.HEADER, "--precision", "half")
        self.assertIn('--precision is one of float, double: got "half"', result.stderr)
        for path in (ctf, self.write(self.HEADER, "header.txt")):
            with self.subTest(path):
                error = self.refused(
                    "ctf2bin", "--input", ctf, "--header", str(self.folder / "header.txt"),
                    "--chunk_size", "9", "--output", path,
                )  # fmt: skip
                self.assertIn(f"{path}: is the file that is read", error)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # prints why a test is skipped
