"""--transform: refusals, combinations with other options, and `sheaf transforms`."""

import json
import subprocess
import unittest

from command import BAD_USAGE, GOOD, SHEAF, TIMEOUT_SECONDS, CommandTest


class TransformOptionTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write("1 |x 1 |y 5\n1 |x 2 |y 6\n2 |x 3 |y 7\n", "a.ctf")

    def refused(self, *arguments: str) -> str:
        done = self.run_sheaf(*arguments)
        self.assertEqual(done.returncode, BAD_USAGE, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_unknown_types_and_options_are_refused_with_a_suggestion(self) -> None:
        for verb in ("read", "head", "check", "stat", "order"):
            text = self.refused(verb, self.data, "--transform", "revers:x")
            self.assertIn(
                'sheaf: error: --transform: transform "revers:x": there is no type "revers"; '
                'did you mean "reverse"?',
                text,
            )
        out = str(self.folder / "out.ctf")
        self.refused("convert", self.data, out, "--transform", "revers:x")
        self.assertFalse((self.folder / "out.ctf").exists())
        self.assertIn(
            'transform "reverse:x:left=1": there is no option "left"; the transform has none',
            self.refused("read", self.data, "--transform", "reverse:x:left=1"),
        )
        self.assertIn(
            "a transform is written TYPE:STREAM+STREAM:OPTION=VALUE,OPTION=VALUE",
            self.refused("read", self.data, "--transform", "reverse:x:left"),
        )
        self.assertIn(
            "the command has no functions: only a program gives them",
            self.refused("read", self.data, "--transform", "function:x:name=augment"),
        )

    def test_streams_of_transforms_are_not_reported_as_found(self) -> None:
        found = self.run_sheaf("head", self.data)
        self.assertIn("streams found: --stream x:dense:1 --stream y:dense:1", found.stderr)
        renamed = self.run_sheaf("head", self.data, "--transform", "rename:y:as=z")
        self.assertEqual((renamed.returncode, renamed.stderr), (GOOD, ""))
        other = self.write("1 |w 1\n2 |w 2\n", "b.ctf")
        arguments = [self.data, "--join", other, "--transform", "reverse:x+y"]
        self.assertIn(
            f"streams found: --stream x:dense:1 --stream y:dense:1 --join {other} --stream w:dense",
            self.run_sheaf("head", *arguments).stderr,
        )

    def read(self, *arguments: str) -> list[dict]:
        done = self.run_sheaf("read", *arguments, "--format", "json")
        self.assertEqual(done.returncode, GOOD, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_sequences_are_delivered_after_the_transforms(self) -> None:
        plain = self.read(self.data)
        turned = self.read(self.data, "--transform", "reverse:x", "--transform", "rename:y:as=z")
        self.assertNotEqual(plain, turned)
        text = json.dumps(turned)
        self.assertIn('"z"', text)
        self.assertNotIn('"y"', text)
        out = str(self.folder / "out.ctf")
        done = self.run_sheaf("convert", self.data, out, "--transform", "reverse:x")
        self.assertEqual(done.returncode, GOOD, done.stderr)
        lines = [line.split() for line in (self.folder / "out.ctf").read_text().splitlines()]
        self.assertEqual([line[2] for line in lines], ["2", "1", "3"])

    def test_seed_applies_to_transforms_in_any_order(self) -> None:
        rows = "".join(f"{k} |x {100 * k + t}\n" for k in range(9) for t in range(20))
        data = self.write(rows, "long.ctf")
        clip = ("--transform", "clip:samples=2")
        first = self.read(data, *clip, "--seed", "5")
        self.assertEqual(first, self.read(data, *clip, "--seed", "5", "--threads", "3"))
        self.assertNotEqual(first, self.read(data, *clip, "--seed", "6"))
        keyed = self.read(data, *clip, "--order", "keyed", "--seed", "5")
        sums = [sum(run[0]["streams"]["x"]["values"]) for run in (first, keyed)]
        self.assertEqual(sums[0], sums[1])
        spec = self.write(
            json.dumps(
                {
                    "data": {"files": data, "transforms": ["clip:samples=2"]},
                    "read": {"seed": 5},
                }
            ),
            "clip.json",
        )
        self.assertEqual(first, self.read("--spec", spec))

    def test_each_of_several_transforms_is_checked(self) -> None:
        self.assertIn(
            'there is no type "selct"; did you mean "select"?',
            self.refused("read", self.data, "--transform", "reverse", "--transform", "selct:x"),
        )

    def test_wrong_transforms_are_refused_before_standard_input_is_read(self) -> None:
        arguments = [SHEAF, "read", "-", "--data-format", "ctf", "--transform", "revers:x"]
        with subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as run:  # whose standard input has no end
            self.assertEqual(run.wait(TIMEOUT_SECONDS), BAD_USAGE)
            self.assertIn("did you mean", run.stderr.read())

    def test_the_option_is_refused_beside_a_spec(self) -> None:
        spec = self.write(json.dumps({"data": {"files": "a.ctf"}}), "s.json")
        self.assertIn(
            "--transform: the spec says what is read: change it there",
            self.refused("read", "--spec", spec, "--transform", "reverse:x"),
        )

    def test_the_option_applies_to_a_configuration(self) -> None:
        config = self.write(
            'reader = [ readerType = "CNTKTextFormatReader" ; '
            f'file = "{self.data}" ; input = [ x = [ dim = 1 ; format = dense ] ] ]\n',
            "c.cntk",
        )
        self.good("read", "--config", config, "--transform", "reverse:x")
        self.assertIn(
            'did you mean "reverse"?',
            self.refused("read", "--config", config, "--transform", "revers:x"),
        )

    def test_a_wrong_transform_of_a_spec_is_refused_with_its_index(self) -> None:
        data = {"files": "a.ctf", "transforms": ["reverse", {"type": "revers", "streams": "x"}]}
        spec = self.write(json.dumps({"data": data}), "s.json")
        self.assertIn(
            f'{spec}: data.transforms[1].type: there is no type "revers"; did you mean "reverse"?',
            self.refused("read", "--spec", spec),
        )

    def test_index_ignores_transforms(self) -> None:
        self.assertIn(
            "there is no option --transform",
            self.refused("index", self.data, "--transform", "reverse:x"),
        )
        data = {"files": "a.ctf", "transforms": [{"type": "function", "name": "augment"}]}
        spec = self.write(json.dumps({"data": data}), "s.json")
        report = self.good_json("index", "--spec", spec, "--json")
        self.assertEqual((report["sequences"], report["samples"]), (2, 3))

    def test_the_list_has_each_type_with_its_options(self) -> None:
        rows = self.good_json("transforms", "--json")
        self.assertLessEqual({"reverse", "rename", "select"}, {row["name"] for row in rows})
        text = self.good("transforms")
        help_text = " ".join(self.good("read", "--help").split())
        names = ", ".join(row["name"] for row in rows)
        self.assertIn(f"TYPE is one of {names}.", help_text)
        for row in rows:
            self.assertIn(f"{row['name']}  {row['description']}", text)
            for option in row["options"]:
                self.assertIn(f"  {option['name']}", text)
                self.assertIn(f"  {option['help']}\n", text)


if __name__ == "__main__":
    unittest.main()
