"""`sheaf completion`: runs the script for bash, and the other scripts if their shell exists."""

import shutil
import subprocess
import unittest

from command import CommandTest

# Takes the words of a command line as in bash, and returns the completions of the last word.
LINES = (
    (["sheaf", "re"], ["read", "report"]),
    (["sheaf", "h"], ["head", "help"]),
    (["sheaf", "--v"], ["--version"]),
    (["sheaf", "read", "--unit", ""], ["cost", "samples", "sequences"]),
    (["sheaf", "read", "--unit", "se"], ["sequences"]),
    (["sheaf", "read", "--unit", "="], ["cost", "samples", "sequences"]),
    (["sheaf", "read", "--unit", "=", "sa"], ["samples"]),
    (["sheaf", "read", "x.ctf", "--packing", "r"], ["ragged"]),
    (["sheaf", "read", "--minib"], ["--minibatch-size"]),
    (["sheaf", "read", "--threads", ""], []),
    (["sheaf", "read", "--see"], ["--seed"]),
    (["sheaf", "read", "--conf"], ["--config"]),
    (["sheaf", "read", "--order", ""], ["cntk", "file", "keyed"]),
    (["sheaf", "position", "s"], ["seek", "show"]),
    (["sheaf", "position", "seek", "--epoch-"], ["--epoch-size"]),
    (["sheaf", "position", "seek", "x.ctf", "--timeline", "g"], ["global"]),
    (["sheaf", "position", "show", "--epoch-"], []),
    (["sheaf", "position", "show", "tra"], ["train.ctf", "training"]),
    (["sheaf", "position", "seek", "--output", "tra"], ["train.ctf", "training"]),
    (["sheaf", "o"], ["order"]),
    (["sheaf", "order", "x.ctf", "--noise"], ["--noise-of"]),
    (["sheaf", "order", "x.ctf", "--order", "k"], ["keyed"]),
    (["sheaf", "order", "x.ctf", "--step"], ["--steps"]),
    (["sheaf", "c"], ["check", "completion", "config", "convert", "ctf2bin"]),
    (["sheaf", "convert", "--sh"], ["--shards"]),
    (["sheaf", "convert", "--in-"], ["--in-chunk-size", "--in-option"]),
    (["sheaf", "convert", "tra"], ["train.ctf", "training"]),
    (["sheaf", "convert", "train.ctf", "tra"], ["train.ctf", "training"]),
    (["sheaf", "convert", "--report", "tra"], ["train.ctf", "training"]),
    (["sheaf", "convert", "--order", "c"], ["cntk"]),
    (["sheaf", "ctf2bin", "--input", "tra"], ["train.ctf", "training"]),
    (["sheaf", "ctf2bin", "--chunk"], ["--chunk_size"]),
    (["sheaf", "ctf2bin", "--precision", ""], ["double", "float"]),
    (["sheaf", "head", "--seq"], ["--sequences"]),
    (["sheaf", "head", "--ke"], ["--key", "--keys"]),
    (["sheaf", "head", "--key", "tra"], []),
    (["sheaf", "head", "--minib"], []),
    (["sheaf", "head", "--format-"], ["--format-option"]),
    (["sheaf", "head", "--data-format", "c"], ["cbf", "csv", "ctf"]),
    (["sheaf", "head", "--format-option", "lib"], ["libsvm.base=0", "libsvm.base=1"]),
    (["sheaf", "convert", "--to", "c"], ["cbf", "csv", "ctf"]),
    (
        ["sheaf", "convert", "--out-option", "cbf.ch"],
        ["cbf.checks=off", "cbf.checks=on", "cbf.chunks=cntk", "cbf.chunks=exact"],
    ),
    (["sheaf", "stat", "x.dat", "--data-f"], ["--data-format"]),
    (["sheaf", "read", "x.ctf", "--transform", "rev"], ["reverse"]),
    (["sheaf", "check", "--no-p"], ["--no-progress"]),
    (["sheaf", "index", "--index", "re"], ["rebuild", "require"]),
    (["sheaf", "help", "st"], ["stat"]),
    (["sheaf", "completion", ""], ["bash", "fish", "zsh"]),
    (["sheaf", "check", "tra"], ["train.ctf", "training"]),
    (["sheaf", "read", "--resume", "tra"], ["train.ctf", "training"]),
    (["sheaf", "read", "--index-dir", "tra"], ["training"]),
    (["sheaf", "read", "--worker", ""], ["env"]),
    (["sheaf", "read", "--cach"], ["--cache", "--cache-limit"]),
    (["sheaf", "read", "--cache", "tra"], ["training"]),
    (["sheaf", "read", "--cache-limit", ""], []),
    (["sheaf", "convert", "--cach"], []),
)


class CompletionTest(CommandTest):
    def test_bash_completes_verbs_options_and_files(self) -> None:
        self.write("", "train.ctf")
        (self.folder / "training").mkdir()
        script = self.write(self.good("completion", "bash"), "complete.bash")
        for words, expected in LINES:
            with self.subTest(words):
                quoted = " ".join(f"'{word}'" for word in words)
                program = (
                    f"set -eu; source '{script}'; COMP_WORDS=({quoted}); "
                    f"COMP_CWORD={len(words) - 1}; _sheaf; printf '%s\\n' \"${{COMPREPLY[@]}}\""
                )
                result = subprocess.run(
                    ["bash", "-c", program], cwd=self.folder, capture_output=True, text=True,
                    check=False, timeout=60,
                )  # fmt: skip
                self.assertEqual((0, ""), (result.returncode, result.stderr))
                self.assertEqual(expected, sorted(result.stdout.split()))

    def test_every_option_of_the_help_is_completed(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            script = self.good("completion", shell)
            for verb in (
                "head", "check", "stat", "order", "read", "convert", "ctf2bin", "config", "index",
                "merge", "report", "position seek",
            ):  # fmt: skip
                for line in self.good("help", *verb.split()).splitlines():
                    if line.startswith("  --"):
                        name = line.split()[0]
                        spelled = f"-l {name[2:]}" if shell == "fish" else name
                        self.assertIn(spelled, script, shell)

    def test_scripts_are_well_formed(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            path = self.write(self.good("completion", shell), f"complete.{shell}")
            if shutil.which(shell) is None:
                continue
            with self.subTest(shell):
                result = subprocess.run(
                    [shell, "-n", path], capture_output=True, text=True, check=False, timeout=60
                )
                self.assertEqual((0, ""), (result.returncode, result.stderr))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_values_of_options(self) -> None:
        path = self.write(self.good("completion", "fish"), "sheaf.fish")
        result = subprocess.run(
            ["fish", "-c", f"source {path}; complete -C 'sheaf read --unit '"],
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(
            ["cost", "samples", "sequences"],
            [line.split("\t")[0] for line in result.stdout.splitlines()],
        )

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_nested_verbs(self) -> None:
        path = self.write(self.good("completion", "fish"), "sheaf.fish")
        for line, expected in (
            ("sheaf position ", "seek"),
            ("sheaf position seek --wor", "--worker"),
            ("sheaf position seek --worker ", "env"),
        ):
            with self.subTest(line):
                result = subprocess.run(
                    ["fish", "-c", f"source {path}; complete -C '{line}'"],
                    capture_output=True, text=True, check=True, timeout=60,
                )  # fmt: skip
                words = [word.split("\t")[0] for word in result.stdout.splitlines()]
                self.assertIn(expected, words)
                self.assertNotIn("--config", words)

    def test_other_shells_are_refused(self) -> None:
        self.assertIn(
            'SHELL is one of bash, zsh, fish: got "csh"', self.refused("completion", "csh")
        )
        self.assertIn("SHELL is required", self.refused("completion"))


if __name__ == "__main__":
    unittest.main()
