"""Several files: concatenated and joined."""

import json
import resource
import subprocess
import unittest

from command import BAD_DATA, GOOD, SHEAF, CommandTest

X = "1 |x 1\n2 |x 2\n3 |x 3\n"
MORE = "4 |x 4\n5 |x 5\n"
Y = "3 |y 7:1\n1 |y 2:1\n2 |y 1:1\n"


class SeveralTest(CommandTest):
    def keys(self, *arguments: str) -> list[int]:
        lines = self.good("read", *arguments, "--format", "keys").splitlines()
        return [key for line in lines for key in json.loads(line)["keys"]]


class ConcatenationTest(SeveralTest):
    def setUp(self) -> None:
        super().setUp()
        self.first = self.write(X, "part-1.ctf")
        self.second = self.write(MORE, "part-2.ctf")
        self.pattern = str(self.folder / "part-*.ctf")

    def test_files_come_in_the_order_given_and_patterns_by_name(self) -> None:
        self.assertEqual([1, 2, 3, 4, 5], self.keys(self.first, self.second))
        self.assertEqual([4, 5, 1, 2, 3], self.keys(self.second, self.first))
        self.assertEqual([1, 2, 3, 4, 5], self.keys(self.pattern))

    def test_every_verb_reads_several_files(self) -> None:
        files = (self.first, self.second)
        check = self.good_json("check", *files, "--json")
        self.assertEqual(5, check["sequences"])
        self.assertEqual(f"{self.first}, {self.second}", check["path"])
        self.assertEqual(5, self.good_json("stat", *files, "--json")["sequences"])
        self.assertIn("sequences     5", self.good("order", *files))
        self.assertEqual(5, len(self.good("head", *files, "--json").splitlines()))
        self.assertEqual("4\n  x  4\n", self.good("head", *files, "--key", "4"))
        position = str(self.folder / "at.json")
        self.good("position", "seek", *files, "--sample", "4", "--output", position)
        self.assertEqual([5], self.keys(*files, "--resume", position))

    def test_convert_writes_the_last_file(self) -> None:
        written = str(self.folder / "all.ctf")
        self.good("convert", self.first, self.second, written)
        self.assertEqual([1, 2, 3, 4, 5], self.keys(written))
        self.good("convert", self.pattern, written, "--overwrite")
        self.assertEqual([1, 2, 3, 4, 5], self.keys(written))
        refused = self.refused("convert", self.first, self.second, self.first)
        self.assertIn("is the file that is read", refused)
        refused = self.refused("convert", "-", self.first, written, "--from", "ctf")
        self.assertIn("standard input is read alone", refused)

    def test_errors_name_their_file(self) -> None:
        bad = self.write("6 |x 6\n7 |x seven\n", "bad.ctf")
        result = self.run_sheaf("check", self.first, bad, "--stream", "x:dense:1")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(f"{bad}:2:6: error: ", result.stderr)

    def test_a_key_in_two_files_is_an_error_or_numbered(self) -> None:
        again = self.write(X, "again.ctf")
        result = self.run_sheaf("read", self.first, again)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(f"{again}:1: error: ", result.stderr)
        self.assertIn(f"found 1, which is that of {self.first}:1, too", result.stderr)
        self.assertIn("--same-keys number", result.stderr)
        self.assertEqual([0, 1, 2, 3, 4, 5], self.keys(self.first, again, "--same-keys", "number"))

    def test_more_files_than_a_process_may_open_are_read(self) -> None:
        for number in range(1000):
            self.write(f"{number} |x 1\n", f"many-{number:04}.ctf")
        for order in ("file", "keyed"):
            result = subprocess.run(
                [
                    *(SHEAF, "read", str(self.folder / "many-*.ctf"), "--format", "keys"),
                    *("--minibatch-size", "1000", "--order", order),
                ],
                capture_output=True,
                check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)),
            )
            self.assertEqual(GOOD, result.returncode, result.stderr)
            self.assertEqual(list(range(1000)), sorted(json.loads(result.stdout)["keys"]))

    def test_each_of_many_files_gets_an_index_file(self) -> None:
        for number in range(200):
            self.write(f"{number} |x 1\n", f"many-{number:03}.ctf")
        result = subprocess.run(
            [SHEAF, "read", str(self.folder / "many-*.ctf"), "--index", "rebuild"],
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)),
        )
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertNotIn(b"warning", result.stderr)
        self.assertEqual(200, len(list(self.folder.glob("*.ctf.sheaf-index"))))

    def test_streams_are_found_in_all_files_together(self) -> None:
        self.write("6 |x 6 |y 3:1\n", "y-1.ctf")
        self.write("7 |x 7 |y 8:1\n", "y-2.ctf")
        pattern = str(self.folder / "y-*.ctf")
        found = "streams found: --stream x:dense:1 --stream y:sparse:9\n"
        read = self.run_sheaf("read", pattern, "--format", "json")
        self.assertEqual((GOOD, found), (read.returncode, read.stderr))
        both = self.write("6 |x 6 |y 3:1\n7 |x 7 |y 8:1\n", "both.ctf")
        self.assertEqual(self.good("read", both, "--format", "json"), read.stdout)
        # The index files list the streams of each file, so no file is scanned.
        self.good("index", pattern)
        for verb in ("read", "check", "index"):
            result = self.run_sheaf(verb, pattern, "--index", "require")
            self.assertEqual((GOOD, found), (result.returncode, result.stderr))
        more = self.write("8 |x 8 |z 1\n", "y-3.ctf")
        allowed = self.run_sheaf("read", pattern, "--missing-streams", "allow", "--format", "keys")
        self.assertEqual([6, 7, 8], json.loads(allowed.stdout)["keys"])
        result = self.run_sheaf("read", more, pattern.replace("*", "1"))
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(f'{more}:1:1: error: stream "y"', result.stderr)

    def test_files_that_make_no_data_set_are_refused(self) -> None:
        wide = self.write("9 |x 1 2\n", "wide.ctf")
        self.assertIn("has the stream x: dense f32 [1]", self.refused("read", self.first, wide))
        self.assertIn("no file has such a name", self.refused("read", str(self.folder / "no*")))
        self.assertIn("named twice", self.refused("read", self.first, self.pattern))


class JoinTest(SeveralTest):
    def setUp(self) -> None:
        super().setUp()
        self.x = self.write(X, "x.ctf")
        self.y = self.write(Y, "y.ctf")

    def test_streams_are_joined_by_key(self) -> None:
        lines = self.good("head", self.x, "--join", self.y, "--json").splitlines()
        expected = [
            {"key": "1", "streams": {"x": [[1]], "y": [[[2, 1]]]}},
            {"key": "2", "streams": {"x": [[2]], "y": [[[1, 1]]]}},
            {"key": "3", "streams": {"x": [[3]], "y": [[[7, 1]]]}},
        ]
        self.assertEqual(expected, [json.loads(line) for line in lines])

    def test_a_stream_belongs_to_the_file_before_it(self) -> None:
        declared = (
            "--stream",
            "a:dense:1:alias=x",
            "--join",
            self.y,
            "--stream",
            "b:sparse:9:alias=y",
        )
        line = self.good("head", self.x, *declared, "--json", "-n", "1")
        self.assertEqual({"a": [[1]], "b": [[[2, 1]]]}, json.loads(line)["streams"])

    def test_reported_streams_can_be_pasted_as_options(self) -> None:
        found = self.run_sheaf("read", self.x, "--join", self.y).stderr.strip()
        prefix = "streams found: "
        self.assertEqual(f"{prefix}--stream x:dense:1 --join {self.y} --stream y:sparse:8", found)
        self.run_sheaf("read", self.x, *found.removeprefix(prefix).split())
        again = self.run_sheaf("read", self.x, *found.removeprefix(prefix).split())
        self.assertEqual((GOOD, ""), (again.returncode, again.stderr))

    def test_a_join_equals_a_single_file(self) -> None:
        single = self.write("1 |x 1 |y 2:1\n2 |x 2 |y 1:1\n3 |x 3 |y 7:1\n", "single.ctf")
        joined = (self.x, "--join", self.y)
        for order in ("file", "cntk", "keyed"):
            how = ("--format", "json", "--order", order, "--minibatch-size", "2")
            self.assertEqual(self.good("read", single, *how), self.good("read", *joined, *how))
        written = str(self.folder / "written.ctf")
        self.good("convert", *joined[:1], written, *joined[1:])
        self.assertEqual(self.good("head", single), self.good("head", written))

    def test_missing_sequences_are_dropped_kept_or_an_error(self) -> None:
        y = self.write("2 |y 1:1\n9 |y 1:1\n", "less.ctf")
        joined = (self.x, "--join", y)
        dropped = self.run_sheaf("read", *joined, "--format", "keys")
        self.assertEqual([2], json.loads(dropped.stdout)["keys"])
        self.assertIn(f"{self.x}:1: warning: expected sequence 1 in {y}, too", dropped.stderr)
        self.assertIn("found 2 that are not in all of them: they are left out", dropped.stderr)
        self.assertIn("read one after the other", dropped.stderr)
        self.assertEqual([1, 2, 3], self.keys(*joined, "--missing-sequences", "absent"))
        refused = self.run_sheaf("read", *joined, "--missing-sequences", "error")
        self.assertEqual(BAD_DATA, refused.returncode)
        self.assertIn("stopped at files that do not fit each other", refused.stderr)

    def test_differing_lengths_are_refused_beyond_the_tolerance(self) -> None:
        y = self.write("1 |y 1:1\n1 |y 2:1\n2 |y 1:1\n3 |y 1:1\n", "longer.ctf")
        joined = (self.x, "--join", y, "--lengths", "equal", "--length-streams", "x,y")
        refused = self.run_sheaf("read", *joined)
        self.assertEqual(BAD_DATA, refused.returncode)
        self.assertIn("expected 2 samples of sequence 1", refused.stderr)
        self.assertEqual([1, 2, 3], self.keys(*joined, "--length-tolerance", "1"))
        self.assertEqual([1, 2, 3], self.keys(*joined[:3], "--lengths", "primary"))

    def test_sequences_that_keep_further_samples_are_not_cut(self) -> None:
        y = self.write("1 |y 1:1\n1 |y 2:1\n2 |y 1:1\n3 |y 1:1\n", "longer.ctf")
        joined = (self.x, "--join", y, "--lengths", "at_least")
        self.assertEqual([[1, 0], [2, 0], [3, 0]], self.keys(*joined, "--split-frames"))
        reason = "exclude each other: samples behind the end of the first file belong to no piece"
        data = {"join": [{"files": self.x}, {"files": y}], "lengths": "at_least"}
        spec = self.write(json.dumps({"data": data, "read": {"truncation_length": 2}}), "s.json")
        for option, arguments in (
            ("truncation_length", ("read", *joined, "--truncation-length", "2")),
            ("truncation_length", ("order", *joined, "--truncation-length", "2")),
            ("truncation_length", ("read", "--spec", spec)),
            ('long "split"', ("read", *joined, "--row-samples", "4", "--long", "split")),
        ):
            refused = self.run_sheaf(*arguments)
            self.assertNotEqual(GOOD, refused.returncode)
            self.assertIn(f'error: {option} and lengths "at_least" {reason}', refused.stderr)

    def test_joining_files_without_common_keys_is_an_error_with_advice(self) -> None:
        parts = (self.x, "--stream", "x:dense:1")
        y = self.write("7 |y 1:1\n", "other.ctf")
        result = self.run_sheaf("read", *parts, "--join", y)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("[join-empty]", result.stderr)
        self.assertIn("several files in one command", result.stderr)

    def test_several_files_can_be_joined_as_one(self) -> None:
        self.write("3 |y 7:1\n1 |y 2:1\n", "y-1.ctf")
        self.write("2 |y 7:1\n", "y-2.ctf")
        pattern = str(self.folder / "y-*.ctf")
        self.assertEqual([1, 2, 3], self.keys(self.x, "--join", pattern))

    def test_an_option_of_a_format_goes_to_the_files_of_the_format(self) -> None:
        svm = self.write("5 0:2\n6 1:3\n", "z.svm")
        first = self.write("1 |x 1\n0 |x 0\n", "first.ctf")
        option = ("--format-option", "libsvm.base=0")
        self.assertEqual([0, 1], self.keys(svm, "--join", first, *option))
        self.assertEqual([1, 0], self.keys(first, "--join", svm, *option))
        # Without the option, indices begin at 1.
        self.assertEqual(BAD_DATA, self.run_sheaf("read", first, "--join", svm).returncode)
        refused = self.refused("read", first, "--join", svm, "--format-option", "libsvm.bse=0")
        self.assertIn("did you mean libsvm.base?", refused)

    def test_check_counts_missing_sequences(self) -> None:
        y = self.write("2 |y 1:1\n1 |y 1:1\n", "less.ctf")
        report = self.good_json("check", self.x, "--join", y, "--json")
        self.assertEqual(2, report["sequences"])
        self.assertEqual(1, report["warnings_by_code"]["join-missing"]["count"])
        self.assertIn("join-missing", self.good("check", self.x, "--join", y))

    def test_check_counts_more_missing_sequences_than_it_lists(self) -> None:
        x = self.write("".join(f"{i} |x 1\n" for i in range(14)), "many.ctf")
        y = self.write("0 |y 1\n1 |y 1\n", "few.ctf")
        report = self.good_json("check", x, "--join", y, "--json")
        self.assertEqual(12, report["warning_places"])
        command = ("check", x, "--join", y, "--missing-sequences", "error")
        result = self.run_sheaf(*command)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("wrong places 12,", result.stdout)
        self.assertRegex(result.stdout, r"join-missing +12 ")
        self.assertNotIn("more", result.stderr.splitlines()[-1])
        cut = self.run_sheaf(*command, "--limit", "4")
        self.assertIn("... and 8 more", cut.stderr)


if __name__ == "__main__":
    unittest.main()
