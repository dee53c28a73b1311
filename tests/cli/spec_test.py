"""Specs: read by every verb that reads data, made from CNTK configurations, refused where wrong."""

import json
import unittest
from pathlib import Path

from command import BAD_DATA, BAD_USAGE, GOOD, CommandTest

CASES = Path(__file__).parents[3] / "shared" / "conformance" / "cntk" / "cases.json"

TEXT = "1 |x 1 2 |y 3:1\n2 |x 3 4 |y 1:2\n2 |x 5 6 |y 0:1\n3 |x 7 8 |y 2:1\n"
STREAMS = [
    {"name": "x", "shape": [2]},
    {"name": "y", "storage": "sparse", "shape": 4},
]


class SpecTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write(TEXT, "a.ctf")
        self.write("3 |z 30\n1 |z 10\n", "b.ctf")

    def spec(self, data, read=None, name="s.json"):
        return self.write(json.dumps({"data": data, "read": read or {}}), name)

    def printed(self, *arguments):
        done = self.run_sheaf(*arguments)
        self.assertEqual(GOOD, done.returncode, done.stderr)
        return done.stdout

    def says(self, text, *arguments, code=BAD_USAGE):
        done = self.run_sheaf(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)

    def test_every_verb_reads_what_a_spec_says(self):
        spec = self.spec({"files": "a.ctf", "streams": STREAMS})
        options = [str(self.folder / "a.ctf"), "--stream", "x:dense:2"]
        options += ["--stream", "y:sparse:4"]
        for verb in (
            ["read", "--format", "json"],
            ["head"],
            ["check"],
            ["stat"],
        ):
            expected = self.printed(*verb, *options)
            self.assertEqual(self.printed(*verb, "--spec", spec), expected, verb)
        self.assertIn("sequences", self.printed("order", "--spec", spec))

    def test_the_parts_of_a_spec_are_those_of_the_options(self):
        a, b = str(self.folder / "a.ctf"), str(self.folder / "b.ctf")
        join = {"join": [{"files": "a.ctf"}, {"files": "b.ctf"}], "missing_sequences": "absent"}
        for spec, options in (
            ((join, {}), [a, "--join", b, "--missing-sequences", "absent"]),
            (
                ({"files": ["a.ctf"], "dtype": "float64"}, {"order": "keyed", "seed": 5}),
                [a, "--precision", "double", "--order", "keyed", "--seed", "5"],
            ),
            (
                ({"files": "a.ctf"}, {"minibatch_size": 1, "unit": "sequences", "epochs": 2}),
                [a, "--minibatch-size", "1", "--unit", "sequences", "--epochs", "2"],
            ),
            (({"files": "a.ctf"}, {"packing": "ragged"}), [a, "--packing", "ragged"]),
            (({"files": "a.ctf"}, {"row_samples": 2}), [a, "--row-samples", "2"]),
            (
                ({"files": "a.ctf"}, {"truncation_length": 2, "minibatch_size": 4}),
                [a, "--truncation-length", "2", "--minibatch-size", "4"],
            ),
        ):
            done = self.run_sheaf("read", "--spec", self.spec(*spec), "--format", "json")
            expected = self.run_sheaf("read", *options, "--format", "json")
            self.assertEqual((done.returncode, expected.returncode), (GOOD, GOOD), done.stderr)
            self.assertEqual(done.stdout, expected.stdout, spec)

    def test_options_beside_a_spec_change_how_it_is_read(self):
        spec = self.spec(
            {"files": "a.ctf"},
            {"order": "keyed", "seed": 1, "sweeps": 2, "packing": "ragged", "max_errors": 3},
        )
        a = str(self.folder / "a.ctf")
        keyed = ["--packing", "ragged", "--order", "keyed"]
        for changes, options in (
            (["--seed", "9"], [*keyed, "--seed", "9", "--sweeps", "2"]),
            (["--sweeps", "1"], [*keyed, "--seed", "1"]),
            (["--epoch-size", "5"], [*keyed, "--seed", "1", "--epoch-size", "5"]),
            (
                ["--order", "cntk"],
                ["--packing", "ragged", "--order", "cntk", "--seed", "1", "--sweeps", "2"],
            ),
            (
                ["--packing", "padded", "--worker", "1/2"],
                ["--order", "keyed", "--seed", "1", "--sweeps", "2", "--worker", "1/2"],
            ),
        ):
            done = self.run_sheaf("read", "--spec", spec, *changes, "--format", "json")
            expected = self.run_sheaf("read", a, *options, "--format", "json")
            self.assertEqual((done.returncode, expected.returncode), (GOOD, GOOD), done.stderr)
            self.assertEqual(done.stdout, expected.stdout, changes)
        self.says("--balance", "read", "--spec", spec, "--order", "file", "--balance", "cost")

    def test_what_says_the_same_as_a_spec_is_refused(self):
        spec = self.spec({"files": "a.ctf"})
        a = str(self.folder / "a.ctf")
        self.says("FILE and --spec both say what is read", "read", a, "--spec", spec)
        self.says("--spec and --config both", "read", "--spec", spec, "--config", "c.cntk")
        self.says("--stream: the spec says", "read", "--spec", spec, "--stream", "x:dense")
        self.says("--keys: the spec says", "check", "--spec", spec, "--keys", "text")
        self.says("--section and --set belong", "read", "--spec", spec, "--section", "r")

    def test_a_wrong_spec_is_refused_by_place(self):
        spec = self.spec({"files": "a.ctf", "stream": []})
        name = str(self.folder / "s.json")
        self.says(
            f'{name}: data: unknown name "stream"; did you mean "streams"?', "read", "--spec", spec
        )
        self.write('{\n "data": [}', "s.json")
        self.says(f"{name}:2:11: not JSON", "read", "--spec", spec)
        self.spec({"object": "mine"})
        self.says('no object is called "mine"', "read", "--spec", spec)
        self.says("cannot open", "read", "--spec", "/nowhere.json", code=BAD_DATA)

    def test_a_configuration_becomes_a_spec(self):
        self.write(
            "reader=[readerType=CNTKTextFormatReader;file=$Dir$/a.ctf;randomize=false;"
            "input=[x=[dim=2;format=dense]]]\n"
            "other=[file=b.ctf;readerType=CNTKTextFormatReader;input=[z=[dim=1;format=dense]]]",
            "c.cntk",
        )
        config = str(self.folder / "c.cntk")
        made = self.printed(
            "config", config, "--section", "reader", "--set", f"Dir={self.folder}", "--spec"
        )
        self.assertEqual(json.loads(made)["data"]["files"], [str(self.folder / "a.ctf")])
        made = self.printed(
            *("config", config, "--section", "reader", "--set", f"Dir={self.folder}", "--spec"),
            *("--relative-to", str(self.folder)),
        )
        self.assertEqual(json.loads(made)["data"]["files"], ["a.ctf"])
        self.write(made, "made.json")
        read = ["--format", "matrix", "--streams", "x"]
        self.assertEqual(
            self.printed("read", "--spec", str(self.folder / "made.json"), *read),
            self.printed(
                *("read", "--config", config, "--section", "reader"),
                *("--set", f"Dir={self.folder}", *read),
            ),
        )
        self.says("several reader sections", "config", config, "--spec")
        self.says("--relative-to is about", "config", config, "--relative-to", "/")

    @unittest.skipUnless(CASES.exists(), f"{CASES} is not there")
    def test_cntks_own_cases_are_the_same_through_specs(self):
        cases = json.loads(CASES.read_text())
        cases = cases["cases"] if isinstance(cases, dict) else cases
        count = 0
        for case in cases:
            settings = [f"{key}={value}" for key, value in case.get("set", {}).items()]
            chosen = ["--section", case["section"]]
            for setting in settings:
                chosen += ["--set", setting]
            config = str(CASES.parent / "config" / case["config"])
            data = CASES.parent / "data"
            made = self.run_sheaf("config", config, *chosen, "--spec", folder=data)
            read = ["--streams", ",".join(case["streams"]), "--format", "matrix"]
            read += ["--minibatch-size", str(case["minibatch_size"])]
            read += ["--epochs", str(case.get("epochs", 1)), "--worker", case.get("worker", "0/1")]
            read += ["--max-minibatches", str(case.get("max_minibatches", 10))]
            if "epoch_size" in case:
                read += ["--epoch-size", str(case["epoch_size"])]
            expected = self.run_sheaf("read", "--config", config, *chosen, *read, folder=data)
            if made.returncode != GOOD:
                self.assertEqual(made.returncode, expected.returncode, case["name"])
                continue
            spec = self.write(made.stdout, "case.json")
            done = self.run_sheaf("read", "--spec", spec, *read, folder=data)
            self.assertEqual(done.returncode, expected.returncode, case["name"])
            self.assertEqual(done.stdout, expected.stdout, case["name"])
            count += 1
        self.assertGreater(count, 0)


if __name__ == "__main__":
    unittest.main()
