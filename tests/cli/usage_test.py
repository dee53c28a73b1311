"""Arguments: refusals and their messages; help; unreadable files."""

import os
import re
import shutil
import unittest

from command import BAD_DATA, BAD_USAGE, DIGITS, DIGITS_STREAMS, GOOD, CommandTest

VERBS = ("head", "check", "stat", "order", "read", "index")
CONVERTERS = ("convert", "ctf2bin")  # they have two files
OTHERS = ("position", "config", "completion", "help")
OWN_VERBS = ("position show", "position seek")  # verbs of a verb

CNTK = ("--order", "cntk")
TRUNCATED = ("--truncation-length", "4", "--minibatch-size", "8")

REFUSED = (  # arguments of `sheaf read FILE`, and a part of the message
    (["--order", "random"], '--order is one of file, cntk, keyed: got "random"'),
    (["--order", "keyed", "--timeline", "local"], "--timeline: all workers of --order keyed look"),
    (["--order", "keyed", "--sweep-ends", "cross"], "--sweep-ends cross: --order keyed divides"),
    (["--batching", "bucketed"], "--batching: needs --order keyed, and the order is file"),
    (
        ["--order", "cntk", "--balance", "cost"],
        "--balance: needs --order keyed, and the order is cntk",
    ),
    (["--sizes", "exact"], "--sizes: needs --order keyed, and the order is file"),
    (["--order", "cntk", "--drop-last"], "--drop-last: needs --order keyed, and the order is cntk"),
    (["--order", "keyed", "--sizes", "exact"], 'sizes: "exact" is a number of sequences'),
    (["--order", "keyed", "--drop-last"], 'drop_last: sizes "even" has no short last minibatch'),
    (["--order", "keyed", "--batching", "x"], '--batching is one of plain, bucketed: got "x"'),
    (
        ["--seed", "7"],
        "--seed: --order file has no seed, since it shuffles nothing; --order keyed and",
    ),
    (["--seed", "-1"], "--seed takes a whole number from 0 to 18446744073709551615"),
    (["--seed", "18446744073709551616"], "--seed takes a whole number from 0 to"),
    (["--seed", "0x7"], '--seed takes a whole number from 0 to 18446744073709551615: got "0x7"'),
    (["--window-chunks", "8"], "--window-chunks: --order file has no window"),
    (["--window-samples", "8"], "--window-samples: --order file has no window"),
    (
        [*CNTK, "--window-chunks", "0"],
        '--window-chunks takes a whole number of 1 or more, or "all": got "0"',
    ),
    ([*CNTK, "--window-samples", "0"], "--window-samples takes a whole number of 1 or more"),
    (
        [*CNTK, "--window-chunks", "1", "--window-samples", "1"],
        "--window-chunks and --window-samples both say how large the window is: leave one out",
    ),
    (["--epoch-size", "0"], "--epoch-size takes a whole number from 1 to 4611686018427387903"),
    (["--epoch-size", "9223372036854775807"], "--epoch-size takes a whole number from 1 to"),
    (
        ["--epoch-size", "8", "--sweeps", "1"],
        "--sweeps and --epoch-size both say how long an epoch is: leave one out",
    ),
    (["--epochs", "-1"], '--epochs takes a whole number of 0 or more, or "endless": got "-1"'),
    (["--truncation-length", "0"], "--truncation-length takes a whole number of 1 or more"),
    (
        [*TRUNCATED, "--packing", "padded"],
        "--truncation-length: pieces of sequences are packed as truncated: leave --packing",
    ),
    ([*TRUNCATED, "--packing", "frames"], "pieces of sequences are packed as truncated"),
    ([*TRUNCATED, "--split-frames"], "a single frame cannot be cut: leave --split-frames out"),
    (
        [*TRUNCATED, "--unit", "sequences"],
        "--minibatch-size counts samples where sequences are cut",
    ),
    ([*TRUNCATED, "--timeline", "global"], "each worker has slots of its own"),
    ([*TRUNCATED, "--worker", "1/3"], "too few for 3 workers"),
    (
        ["--packing", "truncated"],
        "--packing truncated: --truncation-length must say how many steps",
    ),
    (["--row-samples", "0"], '--row-samples takes a whole number from 1 to 1000000000: got "0"'),
    (["--row-samples", "1000000001"], "--row-samples takes a whole number from 1 to 1000000000"),
    (
        ["--row-samples", "8", "--packing", "padded"],
        "--row-samples: slots of a fixed length are those of packed: leave --packing out; got "
        '"padded"',
    ),
    (["--row-samples", "8", "--packing", "frames"], "are those of packed: leave --packing out"),
    (
        ["--row-samples", "8", *TRUNCATED],
        "--row-samples and --truncation-length: the one packs whole sequences, the other cuts them",
    ),
    (["--timeline", "x"], '--timeline is one of local, global: got "x"'),
    (
        ["--worker", "2/2"],
        '--worker is R/W, worker R of W, with R from 0 to W - 1, or env: got "2/2"',
    ),
    (["--worker", "1"], "--worker is R/W"),
    (["--worker", "a/b"], "--worker is R/W"),
    (["--worker", "0/0"], "--worker is R/W"),
    (["--worker", "-1/2"], "--worker is R/W"),
    (["--minibatch-size", "0"], '--minibatch-size takes a whole number of 1 or more: got "0"'),
    (["--minibatch-size", "-3"], '--minibatch-size takes a whole number of 1 or more: got "-3"'),
    (["--minibatch-size", "8.5"], "--minibatch-size takes a whole number"),
    (["--minibatch-size", "99999999999999999999"], "--minibatch-size takes a whole number"),
    (["--minibatch-size"], "--minibatch-size needs a value: N"),
    (["--threads", "1025"], '--threads takes a whole number from 0 to 1024, or "auto": got "1025"'),
    (["--max-errors", "-1"], "--max-errors takes a whole number of 0 or more"),
    (["--sweeps", "x"], "--sweeps takes a whole number of 0 or more"),
    (["--unit", "bytes"], '--unit is one of samples, sequences, cost: got "bytes"'),
    (["--packing", "x"], "--packing is one of padded, ragged, packed, frames, truncated"),
    (
        ["--precision", "half"],
        "--dtype is one of float32, float64, float16, bfloat16, int32, int64, uint8, uint16: "
        'got "half"',
    ),
    (["--sweep-ends", "x"], "--sweep-ends is one of cross, cut"),
    (["--compatibility", "x"], "--compatibility is one of strict, cntk"),
    (["--missing-streams", "x"], "--missing-streams is one of error, allow"),
    (["--keys", "x"], "--keys is one of numeric, text"),
    (["--index", "x"], "--index is one of auto, off, rebuild, require"),
    (["--color", "x"], "--color is one of auto, always, never"),
    (["--format", "x"], "--format is one of"),
    (["--memory-limit", "x"], "--memory-limit is a number of bytes"),
    (["--cache"], "--cache needs a value: DIR"),
    (["--cache-limit", "x"], "--cache-limit is a number of bytes"),
    (["--cache-limit", "1GB"], "sheaf: error: --cache-limit: "),  # of no cache
    (["--chunk-bytes", "8PiB"], "--chunk-size is a number of bytes"),
    (["--streams", "x"], 'there is no stream "x"; there are: labels, features'),
    (["--minibach-size", "8"], "no option --minibach-size; did you mean --minibatch-size?"),
    (["--minibach-size=8"], "no option --minibach-size; did you mean --minibatch-size?"),
    (["--max-mini", "8"], "no option --max-mini; did you mean --max-minibatches?"),
    (["--window-chnks", "8"], "no option --window-chnks; did you mean --window-chunks?"),
    (["--zzzzzzz"], "there is no option --zzzzzzz\n  sheaf help read tells more"),
    (["more.xyz"], "more.xyz: the name does not tell the format"),
    (["more.parquet"], "more.parquet: Parquet is read in Python, through pyarrow: sheaf.Reader("),
    (["--missing-sequences", "x"], "--missing-sequences is one of drop, error, absent"),
    (["--same-keys", "x"], "--same-keys is one of refuse, number"),
    (["--data-format", "x"], 'format: "x" is not one of ctf (.ctf, .txt), '),
    (["--format-option", "x"], '--format-option takes KEY=VALUE: got "x"'),
    (["--format-option", "=x"], '--format-option takes KEY=VALUE: got "=x"'),
    (["--format-option", "a=", "--format-option", "a=b"], "--format-option a is given twice"),
    (["--format-option", "a.b=c=d"], 'extra: ctf has no option "a.b"'),
    (["--stream", "x"], "--stream x: dense or sparse is missing"),
    (["--stream", ":dense:3"], "NAME is empty"),
    (["--stream", "x:wet:3"], 'expected dense or sparse, got "wet"'),
    (["--stream", "x:dense:0"], "DIM is a positive number, for dense streams also several as 8x8"),
    (["--stream", "x:dense:"], "DIM is a positive number"),
    (["--stream", "x:dense:8x"], "DIM is a positive number"),
    (["--stream", "x:sparse:3x3"], "a sparse stream has a single DIM"),
    (["--stream", "x:dense:3:index=i64"], "index=i64 is for sparse streams"),
    (["--stream", "x:sparse:3:index=u8"], 'got "index=u8"'),
    (["--stream", "x:dense:3:alias="], 'got "alias="'),
    (["--stream", "x:dense:3:dtype=half"], "dtype is one of float32, "),
)


class UsageTest(CommandTest):
    def test_wrong_options_of_read_are_refused(self) -> None:
        for arguments, message in REFUSED:
            with self.subTest(arguments):
                error = self.refused("read", DIGITS, *DIGITS_STREAMS, *arguments)
                self.assertIn(message, error)

    def test_index_takes_one_file(self) -> None:
        error = self.refused("index", DIGITS, "more.ctf")
        self.assertIn('"more.ctf" is one argument too many', error)

    def test_options_with_default_values_change_nothing(self) -> None:
        plain = self.good("read", DIGITS, *DIGITS_STREAMS, "--format", "keys")
        for arguments in (
            ["--epochs", "1"],
            ["--worker", "0/1"],
            ["--order", "file"],
            ["--timeline", "global"],
            ["--epoch-size", "1438"],
            ["--data-format", "ctf"],
        ):
            with self.subTest(arguments):
                again = self.good("read", DIGITS, *DIGITS_STREAMS, "--format", "keys", *arguments)
                self.assertEqual(plain, again)

    def test_the_command_without_arguments_lists_first_commands_that_work(self) -> None:
        result = self.run_sheaf()
        self.assertEqual((2, ""), (result.returncode, result.stdout))
        self.assertIn("What people do first", result.stderr)
        commands = re.findall(r"^  sheaf (\S.*?)  +\S", result.stderr, re.MULTILINE)
        self.assertEqual(5, len(commands))
        shutil.copy(DIGITS, self.folder / "train.ctf")
        for command in commands:
            with self.subTest(command=command):
                words = [
                    str(self.folder / word) if word.startswith("train.") else word
                    for word in command.split()
                ]
                self.good(*words)

    def test_missing_and_unknown_verbs_are_refused(self) -> None:
        self.assertIn(
            "sheaf: error: a verb is needed: head, check, stat, report, order, read, convert, "
            "merge, index, formats, transforms, position",
            self.run_sheaf().stderr,
        )
        self.assertIn(
            "position: a verb is needed: show, seek\n  sheaf help position",
            self.refused("position"),
        )
        self.assertIn(
            'there is no verb "position sho"; did you mean show?', self.refused("position", "sho")
        )
        self.assertIn(
            'there is no verb "position sek"; did you mean seek?',
            self.refused("help", "position", "sek"),
        )
        self.assertIn('there is no verb "chekc"; did you mean check?', self.refused("chekc"))
        self.assertIn('there is no verb "fly"\n', self.refused("fly"))
        self.assertIn('there is no verb "raed"; did you mean read?', self.refused("help", "raed"))
        self.assertIn(
            "there is no option --versoin; did you mean --version?", self.refused("--versoin")
        )
        for verb in VERBS:
            with self.subTest(verb):
                self.assertRegex(
                    self.refused(verb),
                    rf"FILE is required(, or --config, or --spec)?\n  sheaf help {verb} tells more",
                )
        self.assertIn(
            "--index off", self.refused("index", DIGITS, *DIGITS_STREAMS, "--index", "off")
        )

    def test_verbs_that_deliver_no_minibatches_have_no_cache(self) -> None:
        for verb in (*VERBS, *CONVERTERS):
            if verb != "read":
                with self.subTest(verb):
                    self.assertIn("there is no option --cache", self.refused(verb, "--cache", "c"))

    def test_an_unknown_option_is_reported_before_a_missing_file(self) -> None:
        self.assertIn("did you mean --limit?", self.refused("check", "--limt=3"))

    def test_help_describes_each_verb(self) -> None:
        whole = self.good("--help")
        self.assertEqual(whole, self.good("help"))
        everything = self.good("--help-all")
        for verb in (*VERBS, *CONVERTERS, *OTHERS):
            with self.subTest(verb):
                self.assertIn(f"  {verb} ", whole)
        for verb in (*VERBS, *CONVERTERS, *OTHERS, *OWN_VERBS):
            with self.subTest(verb):
                words = verb.split()
                text = self.good("help", *words)
                self.assertEqual(text, self.good(*words, "--help"))
                self.assertTrue(text.startswith(f"sheaf {verb} - "), text[:40])
                self.assertIn(f"Usage: sheaf {verb} ", text)
                self.assertIn(text, everything)
                self.assertNotIn("\n\n\n", text)
        for verb in (*VERBS, "convert"):
            with self.subTest(verb):
                text = self.good("help", verb)
                for part in ("Examples:", "Exit codes:", "Data:", "Messages:", "--stream NAME:"):
                    self.assertIn(part, text)
        for part in ("Environment:", "NO_COLOR", "Exit codes:", "Examples:"):
            self.assertIn(part, whole)

    def test_help_of_read_explains_common_surprises(self) -> None:
        text = " ".join(self.good("help", "read").split())
        for part in (
            "float32 for text, and otherwise the type that the file stores",
            "none: no limit (default: none)",
            "a minibatch exceeds N by less than its longest sequence",
            "Go on from a position that --save-position wrote. Give the same options",
            "--order keyed --seed 7 --resume at.json",
        ):
            self.assertIn(part, text)

    def test_lines_of_help_fit_a_terminal(self) -> None:
        for line in self.good("--help-all").splitlines():
            # The list of all format names is one word, so it is never wrapped.
            if not line.lstrip().startswith(("--data-format ctf|", "--from ctf|")):
                self.assertLessEqual(len(line), 100, line)

    def test_version_prints_name_and_number(self) -> None:
        self.assertRegex(self.good("--version"), r"\Asheaf \d+\.\d+\.\d+\n\Z")

    def test_unreadable_files_are_errors(self) -> None:
        pipe = str(self.folder / "pipe.ctf")
        os.mkfifo(pipe)
        folder = self.folder / "folder.ctf"
        folder.mkdir()
        cases = (
            (str(self.folder / "missing.ctf"), "No such file or directory"),
            (str(folder), "image_folder-empty"),
            (pipe, "not a regular file"),
            (self.write("", "empty.ctf"), "an empty file"),
        )
        out = str(self.folder / "out.ctf")
        for verb in (*VERBS, "convert"):
            for path, reason in cases:
                with self.subTest(verb=verb, path=path):
                    files = (path, out) if verb == "convert" else (path,)
                    result = self.run_sheaf(verb, *files, "--stream", "x:dense:1")
                    self.assertEqual(BAD_DATA, result.returncode, result.stderr)
                    self.assertIn(path, result.stderr)
                    self.assertIn(reason, result.stderr)

    def test_an_unknown_extension_lists_the_formats(self) -> None:
        error = self.refused("head", self.write("x", "data.xyz"), "--stream", "x:dense:1")
        self.assertIn("xyz", error)
        self.assertIn("ctf", error)

    def test_a_closed_standard_output_is_no_error(self) -> None:
        import subprocess

        from command import SHEAF

        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run(
            [SHEAF, "read", DIGITS, *DIGITS_STREAMS, "--format", "json"],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        os.close(writer)
        self.assertEqual(GOOD, process.returncode)
        self.assertEqual(b"", process.stderr)

    def test_a_full_standard_output_is_an_error(self) -> None:
        import subprocess

        from command import SHEAF

        with open("/dev/full", "wb") as full:
            process = subprocess.run(
                [SHEAF, "read", DIGITS, *DIGITS_STREAMS],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
                timeout=60,
            )
        self.assertEqual(BAD_DATA, process.returncode)
        self.assertIn(b"standard output cannot be written: No space left", process.stderr)
        self.assertNotEqual(BAD_USAGE, process.returncode)


if __name__ == "__main__":
    unittest.main()
