"""Specs: read by every verb that reads data, made from CNTK configurations, refused if wrong."""

import json
import subprocess
import unittest
from pathlib import Path

from command import (
    BAD_DATA,
    BAD_USAGE,
    GOOD,
    SHEAF,
    TIMEOUT_SECONDS,
    CommandTest,
    plain_environment,
)

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

    def test_every_verb_reads_a_spec(self):
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

    def test_max_minibatches_bounds_each_epoch_of_a_spec(self):
        spec = self.spec({"files": "a.ctf", "streams": STREAMS}, {"epochs": 2})
        arguments = ("--minibatch-size", "1", "--max-minibatches", "2", "--format", "keys")
        lines = self.printed("read", "--spec", spec, *arguments).splitlines()
        self.assertEqual([[1], [2]] * 2, [json.loads(line)["keys"] for line in lines])

    def test_options_and_specs_divide_the_memory_alike(self):
        row = self.write("1 |x 1" + " " * 3_000_000 + "\n2 |x 1\n", "row.ctf")
        declared = ["--stream", "x:dense:1"]
        spec = self.spec({"files": "row.ctf", "streams": [{"name": "x", "shape": 1}]})
        out = str(self.folder / "out.ctf")
        # tests/dataset/open_test.cc expects the same message of a Reader in C++.
        refusal = (
            "sheaf: error: memory limit: the index may take 1048576 bytes, too few for the row at "
            "byte 0 of {}, which has 3000006: raise memory_limit (--memory-limit) to 24000048 or "
            "more, and further for several files\n"
        )
        for name, arguments in (
            (row, ["read", row, *declared]),
            (row, ["read", "--spec", spec]),
            (row, ["index", "--spec", spec]),
            (row, ["convert", row, out, *declared]),
            (row, ["convert", "--spec", spec, out]),
            ("standard input", ["convert", "-", out, "--from", "ctf", *declared]),
        ):
            with open(row, encoding="utf-8") as source:
                done = subprocess.run(
                    [SHEAF, *arguments, "--memory-limit", "8MiB"],
                    capture_output=True,
                    text=True,
                    check=False,
                    stdin=source,
                    timeout=TIMEOUT_SECONDS,
                    env=plain_environment(),
                )
            self.assertEqual(done.returncode, BAD_USAGE)
            self.assertEqual(done.stderr, refusal.format(name), arguments)

    def converted(self, *arguments):
        out = self.folder / "out.cbf"
        self.printed("convert", *arguments, str(out), "--overwrite")
        return out.read_bytes()

    def test_convert_writes_the_data_of_a_spec(self):
        a = str(self.folder / "a.ctf")
        declared = ["--stream", "x:dense:2", "--stream", "y:sparse:4"]
        for data, read, options in (
            ({"files": "a.ctf"}, {}, [a]),
            ({"files": "a.ctf", "streams": STREAMS}, {}, [a, *declared]),
            ({"files": "a.ctf", "dtype": "float64"}, {}, [a, "--precision", "double"]),
            (
                {"files": "a.ctf", "chunk_size": 30},
                {"order": "keyed", "seed": 7, "window_chunks": 1},
                [
                    *(a, "--in-chunk-bytes", "30", "--order", "keyed", "--seed", "7"),
                    *("--window-chunks", "1"),
                ],
            ),
            (
                {"files": "a.ctf"},
                {"order": "cntk", "seed": 3, "sweeps": 2, "epochs": 2},
                [a, "--order", "cntk", "--seed", "3"],
            ),
            (
                {"join": [{"files": "a.ctf"}, {"files": "b.ctf"}]},
                {"packing": "ragged", "minibatch_size": 1},
                [a, "--join", str(self.folder / "b.ctf")],
            ),
        ):
            spec = self.spec(data, read)
            out = self.folder / "expected.cbf"
            self.printed("convert", options[0], str(out), *options[1:], "--overwrite")
            self.assertEqual(out.read_bytes(), self.converted("--spec", spec), (data, read))

    def test_options_of_convert_change_the_order_of_a_spec(self):
        spec = self.spec({"files": "a.ctf"}, {"order": "keyed", "seed": 7, "max_errors": 1})
        a = str(self.folder / "a.ctf")
        for seed in ("8", "9"):
            changed = self.converted("--spec", spec, "--seed", seed)
            self.assertEqual(changed, self.converted(a, "--order", "keyed", "--seed", seed))
        self.write(TEXT + "4 |x 1 2 |y 9:x\n", "a.ctf")
        self.assertEqual(
            self.converted("--spec", spec, "--order", "file", "--precision", "double"),
            self.converted(a, "--max-errors", "1", "--precision", "double"),
        )

    def test_convert_refuses_options_that_a_spec_sets(self):
        spec = self.spec({"files": "a.ctf"})
        a, out = str(self.folder / "a.ctf"), str(self.folder / "out.cbf")
        self.says("IN and --spec both say what is read", "convert", a, out, "--spec", spec)
        self.says("OUT is required", "convert", "--spec", spec)
        for option, value in (
            ("--from", "ctf"),
            ("--in-chunk-size", "9"),
            ("--in-option", "a=b"),
            ("--stream", "x:dense"),
        ):
            refused = ["convert", "--spec", spec, out, option, value]
            self.says(f"{option}: the spec says what is read", *refused)
        self.says("the file that is read", "convert", "--spec", spec, a, "--overwrite")
        self.printed("convert", "--spec", spec, out, "--chunk-bytes", "99")

    def test_convert_and_index_read_configurations(self):
        self.write(
            f"reader=[readerType=CNTKTextFormatReader;file={self.folder}/a.ctf;randomize=false;"
            "input=[x=[dim=2;format=dense];y=[dim=4;format=sparse]]]",
            "c.cntk",
        )
        config = ["--config", str(self.folder / "c.cntk")]
        spec = self.spec({"files": "a.ctf", "streams": STREAMS, "compatibility": "cntk"})
        self.assertEqual(self.converted("--spec", spec), self.converted(*config))
        report = json.loads(self.printed("index", *config, "--json"))
        self.assertEqual((report["sequences"], report["index_files"]), (3, 1))

    def test_index_makes_the_index_files_of_a_spec(self):
        a, b = str(self.folder / "a.ctf"), str(self.folder / "b.ctf")
        index = self.folder / "a.ctf.sheaf-index"
        self.printed("index", a, "--stream", "x:dense:2", "--stream", "y:sparse:4")
        expected = index.read_bytes()
        index.unlink()
        spec = self.spec({"files": "a.ctf", "streams": STREAMS, "index": "off"})
        report = json.loads(self.printed("index", "--spec", spec, "--json"))
        self.assertEqual(index.read_bytes(), expected)
        self.assertEqual((report["path"], report["index_path"]), (a, str(index)))

        index.unlink()
        joined = self.spec({"join": [{"files": "a.ctf"}, {"files": "b.ctf"}]}, name="j.json")
        report = json.loads(self.printed("index", "--spec", joined, "--json"))
        self.assertEqual(report["path"], f"{a}, {b}")
        self.assertEqual((report["sequences"], report["index_path"]), (5, None))
        names = [index, self.folder / "b.ctf.sheaf-index"]
        self.assertEqual(report["index_files"], 2)
        self.assertEqual(report["index_bytes"], sum(name.stat().st_size for name in names))
        self.printed("index", "--spec", joined, "--index", "require")
        self.assertIn("2 index files of", self.printed("index", "--spec", joined))
        names[0].unlink()
        self.says(a, "index", "--spec", joined, "--index", "require")

    def test_a_spec_equals_its_options(self):
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
                ({"files": "a.ctf"}, {"pad_side": "left", "pad_values": {"x": -1}}),
                [a, "--pad-side", "left", "--pad-values", "x=-1"],
            ),
            (({"files": "a.ctf"}, {"pad_multiple": 4}), [a, "--pad-multiple", "4"]),
            (({"files": "a.ctf"}, {"pad_length": 9}), [a, "--pad-length", "9"]),
            (
                ({"files": "a.ctf"}, {"row_samples": 1, "long": "split"}),
                [a, "--row-samples", "1", "--long", "split"],
            ),
            (
                ({"files": "a.ctf"}, {"truncation_length": 2, "minibatch_size": 4}),
                [a, "--truncation-length", "2", "--minibatch-size", "4"],
            ),
        ):
            done = self.run_sheaf("read", "--spec", self.spec(*spec), "--format", "json")
            expected = self.run_sheaf("read", *options, "--format", "json")
            self.assertEqual((done.returncode, expected.returncode), (GOOD, GOOD), done.stderr)
            self.assertEqual(done.stdout, expected.stdout, spec)

    def test_options_override_how_a_spec_is_read(self):
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

    def test_options_that_repeat_a_spec_are_refused(self):
        spec = self.spec({"files": "a.ctf"})
        a = str(self.folder / "a.ctf")
        self.says("FILE and --spec both say what is read", "read", a, "--spec", spec)
        self.says("--spec and --config both", "read", "--spec", spec, "--config", "c.cntk")
        self.says("--stream: the spec says", "read", "--spec", spec, "--stream", "x:dense")
        self.says("--keys: the spec says", "check", "--spec", spec, "--keys", "text")
        self.says("--section and --set belong", "read", "--spec", spec, "--section", "r")

    def test_errors_of_a_spec_name_the_file_and_setting(self):
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
    def test_cases_of_cntk_read_the_same_through_specs(self):
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
