"""`sheaf config`: the settings of CNTK's configurations."""

import json
import re
import unittest

from command import BAD_DATA, BAD_USAGE, GOOD, REPOSITORY, CommandTest

REAL_FILES = REPOSITORY.parent / "shared" / "conformance" / "config" / "files"

TRAIN = """\
# a comment
command = Train
DataDir = "/data"
Train = [
    action = "train"
    SimpleNetworkBuilder = [ x = 1 ; y = // no setting
    ]
    SGD = [ epochSize = 0 ; rate = 0.1*2:0.01 ]
    reader = {
        verbosity = 0 ;\u00a0randomize = false
        deserializers = ({
            type = "T" ; file = "$DataDir$/a.ctf"
            input = { x = { dim = $dim$ ; transforms = () } }
        }:[type=U])
    }
]
"""
READERS = """\
/Train/reader/deserializers@0/file\t/data/a.ctf
/Train/reader/deserializers@0/input/x/dim\t7
/Train/reader/deserializers@0/type\tT
/Train/reader/deserializers@1/type\tU
/Train/reader/randomize\tfalse
/Train/reader/verbosity\t0
"""


class ConfigTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.write(TRAIN, "train.cntk")

    def test_readers_lists_settings_of_readers_and_warns(self) -> None:
        result = self.run_sheaf("config", self.file, "--readers", "--set", "dim=7")
        self.assertEqual(GOOD, result.returncode)
        self.assertEqual(READERS, result.stdout)
        self.assertEqual(
            f"{self.file}:10:24: warning: expected a blank or a tab, found U+00A0 [config-blank]\n"
            "          verbosity = 0 ;\u00a0randomize = false\n"
            "                         ^\n"
            "  it is taken for a blank; CNTK takes it for a letter\n",
            result.stderr,
        )

    def test_raw_prints_settings_without_resolving_names(self) -> None:
        text = self.good("config", self.file, "--readers", "--raw")
        self.assertIn("/Train/reader/\u00a0randomize\tfalse\n", text)
        self.assertIn("/file\t$DataDir$/a.ctf\n", text)
        self.assertNotIn("transforms", text)

    def test_settings_are_listed_without_networks(self) -> None:
        result = self.run_sheaf("config", self.file, "--set", "dim=7")
        self.assertEqual(GOOD, result.returncode)
        self.assertIn(READERS, result.stdout)
        self.assertIn("/Train/SGD/rate\t0.1*2:0.01\n", result.stdout)
        self.assertIn("/command\tTrain\n", result.stdout)
        self.assertIn(
            "sheaf: /Train/SimpleNetworkBuilder: describes a network, and is passed over\n",
            result.stderr,
        )

    def test_section_prints_one_section(self) -> None:
        self.assertEqual(
            "/Train/SGD/epochSize\t0\n/Train/SGD/rate\t0.1*2:0.01\n",
            self.good("config", self.file, "--section", "train/sgd"),
        )
        result = self.run_sheaf("config", self.file, "--section", "Train/raeder")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("expected the section raeder in /Train, found none", result.stderr)
        self.assertIn("did you mean reader?", result.stderr)
        self.assertIn(
            "--section excludes --readers",
            self.refused("config", self.file, "--section", "x", "--readers"),
        )

    def test_later_settings_override_earlier_ones(self) -> None:
        words = ("--set", "T=[a=1;b=1]", "--set", "T=[b=2]", "--set", "word")
        file = self.write("T=[c=0]\n", "t.cntk")
        self.assertEqual(
            "/T/a\t1\n/T/b\t2\n/T/c\t0\n/word\ttrue\n", self.good("config", file, *words)
        )

    def test_later_files_override_earlier_ones(self) -> None:
        a, b = self.write("x=1;y=1", "a.cntk"), self.write("x=2", "b.cntk")
        self.assertEqual("/x\t2\n/y\t1\n", self.good("config", f"{a}+{b}"))

    def test_settings_are_listed_despite_a_wrong_one(self) -> None:
        result = self.run_sheaf("config", self.file, "--readers")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertEqual(READERS.replace("/Train/reader/deserializers@0/input/x/dim\t7\n", ""),
                         result.stdout)  # fmt: skip
        self.assertIn(
            'error: expected a name that is defined, found "$dim$" [config-name]', result.stderr
        )

    def test_broken_and_missing_files_are_errors(self) -> None:
        file = self.write("a=[x=1\n", "broken.cntk")
        result = self.run_sheaf("config", file)
        self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
        self.assertTrue(result.stderr.startswith(f"{file}:1:3: error: expected a closing ']'"))
        result = self.run_sheaf("config", str(self.folder / "none.cntk"))
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("none.cntk: cannot be read: No such file or directory", result.stderr)
        self.assertEqual(BAD_USAGE, self.run_sheaf("config").returncode)

    def test_json_has_settings_readers_warnings_and_errors(self) -> None:
        result = self.run_sheaf("config", self.file, "--readers", "--json")
        self.assertEqual((BAD_DATA, ""), (result.returncode, result.stderr))
        data = json.loads(result.stdout)
        self.assertEqual(
            [
                "settings",
                "readers",
                "networks",
                "warnings",
                "warnings_left_out",
                "errors",
                "errors_left_out",
            ],
            list(data),
        )
        self.assertEqual(
            {
                "setting": "/Train/reader/deserializers@0/file",
                "value": "/data/a.ctf",
                "path": self.file,
                "line": 12,
                "column": 33,
            },
            data["settings"][0],
        )
        self.assertEqual("config-blank", data["warnings"][0]["code"])
        self.assertEqual("config-name", data["errors"][0]["code"])

    @unittest.skipUnless(REAL_FILES.exists(), "the files are not in the repository")
    def test_raw_and_resolved_settings_of_real_files_agree(self) -> None:
        """Except for names, which are replaced, and for the blank that is a letter in CNTK."""
        for path in sorted(REAL_FILES.iterdir()):
            with self.subTest(path.name):
                names = set(
                    re.findall(r"\$([A-Za-z_][\w.-]*)\$", path.read_text("utf-8", "replace"))
                )
                words = [word for name in sorted(names) for word in ("--set", f"{name}=[x=1]")]
                raw = self.good("config", str(path), "--readers", "--raw")
                resolved = self.good("config", str(path), "--readers", *words)
                found = set(resolved.splitlines())
                for line in raw.replace("/\u00a0 ", "/").splitlines():
                    if "$" not in line:
                        self.assertIn(line, found)

    def test_line_breaks_in_values_become_spaces(self) -> None:
        file = self.write('a = "x\n\ty"\nb = "\xff"', "lines.cntk")
        self.assertEqual("/a\tx y\n/b\t\u00ff\n", self.good("config", file))
        file = self.write(b'a = "\xff"', "bytes.cntk")
        self.assertEqual("\ufffd", self.good_json("config", file, "--json")["settings"][0]["value"])


class NoReaderTest(CommandTest):
    def test_describe_says_that_there_is_no_reader(self) -> None:
        result = self.run_sheaf("config", self.write("a=1\n", "no.cntk"), "--describe")
        self.assertEqual((GOOD, ""), (result.returncode, result.stdout))
        self.assertEqual("sheaf: no section of the configuration is a reader\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
