"""`-` as standard input, for every verb that reads data once."""

import gzip
import json
import subprocess
import unittest

from command import BAD_DATA, BAD_USAGE, GOOD, SHEAF, CommandTest, plain_environment

TEXT = b"".join(b"%d |x %d 2 |y 3:1\n" % (i, i) for i in range(50))


class StandardInputTest(CommandTest):
    def fed(self, data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [SHEAF, *arguments],
            input=data,
            capture_output=True,
            check=False,
            timeout=60,
            env=plain_environment(),
            cwd=self.folder,
        )

    def test_verbs_read_standard_input_like_a_file(self) -> None:
        path = self.write(TEXT)
        for arguments in (
            ["head", "--json"],
            ["check", "--json"],
            ["stat", "--json"],
            ["read", "--format", "json"],
            ["read", "--format", "json", "--order", "keyed", "--minibatch-size", "7"],
        ):
            with self.subTest(arguments):
                result = self.fed(TEXT, arguments[0], "-", *arguments[1:])
                self.assertEqual(GOOD, result.returncode, result.stderr)
                expected = self.good(arguments[0], path, *arguments[1:])
                self.assertEqual(expected.replace(path, "standard input"), result.stdout.decode())
        self.assertEqual(GOOD, self.fed(TEXT, "order", "-").returncode)

    def test_the_first_bytes_give_the_format(self) -> None:
        self.write(TEXT)
        self.good("convert", str(self.folder / "data.ctf"), str(self.folder / "data.cbf"))
        binary = (self.folder / "data.cbf").read_bytes()
        for data in (TEXT, binary, gzip.compress(TEXT)):
            result = self.fed(data, "check", "-", "--json")
            self.assertEqual(GOOD, result.returncode, result.stderr)
            self.assertEqual(50, json.loads(result.stdout)["sequences"])
        for data in (b"", b"1,2,x\n", b"words\n"):
            result = self.fed(data, "check", "-")
            self.assertEqual(BAD_USAGE, result.returncode)
            self.assertIn(b"option `format` (--data-format of the command", result.stderr)
        result = self.fed(b"words\n", "check", "-", "--data-format", "ctf")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(b"standard input:1:1: error: ", result.stderr)

    def test_standard_input_can_be_joined_and_be_one_of_several_files(self) -> None:
        self.write("".join(f"{i} |z {i}\n" for i in range(50)), "z.ctf")
        self.write("90 |x 1 2 |y 3:1\n", "more.ctf")
        for arguments, sequences in ((["-", "--join", "z.ctf"], 50), (["-", "more.ctf"], 51)):
            result = self.fed(TEXT, "check", *arguments, "--json")
            self.assertEqual(GOOD, result.returncode, result.stderr)
            self.assertEqual(sequences, json.loads(result.stdout)["sequences"])

    def test_standard_input_is_refused_twice_and_as_a_joined_file(self) -> None:
        self.write(TEXT)
        for arguments, message in (
            (["check", "-", "-"], b"-: standard input can be read once"),
            (["check", "data.ctf", "--join", "-"], b"--join -: standard input is a FILE"),
        ):
            result = self.fed(TEXT, *arguments)
            self.assertEqual(BAD_USAGE, result.returncode)
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    unittest.main()
