"""Whole runs of the command in which any one call of the file system fails.

SHEAF_FAULT_SHIM is the library that makes calls fail (tests/faults/shim.cc). Each run is made once
without faults to count its calls. Then it is repeated for each call, which fails alone or with all
later calls. A run succeeds and is right, or it says what failed and why. Either way, its files are
complete or missing, and the next run without faults is right.
"""

import errno
import functools
import json
import os
import re
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from command import SHEAF, CommandTest, plain_environment

SHIM = os.environ.get("SHEAF_FAULT_SHIM", "")
TIMEOUT_SECONDS = 20  # a run takes a hundredth of a second; a longer one hangs

SEQUENCES = "".join(
    f"{i} |x {i} {i % 7}.5 |y {i % 9}:1\n" * (1 + i % 3) for i in range(120)
)  # fmt: skip
STREAMS = ("--stream", "x:dense:2", "--stream", "y:sparse:9")
SMALL = ("--chunk-bytes", "1000", "--threads", "2")

CONFIG = """train = [ reader = [
    readerType = "CNTKTextFormatReader" ; file = "data.ctf" ; randomize = true
    input = [ x = [ dim = 2 ; format = "dense" ] ; y = [ dim = 9 ; format = "sparse" ] ]
] ]
"""

# Every seventh sequence has a wrong value.
BAD = "".join(f"{i} |x {i} {'?' if i % 7 == 0 else 1} |y {i % 9}:1\n" for i in range(100))

MEASURED = re.compile(r'"[a-z_]*(seconds|_per_second|rss_bytes|memory_bytes_max)":[^,}]*')

Files = dict[str, bytes]


@dataclass(frozen=True)
class Fault:
    """The failing calls of one kind: only call number n, or all calls from there on."""

    call: str
    error: int
    first: int
    is_for_good: bool = False

    def environment(self) -> dict[str, str]:
        return {
            "SHEAF_FAULT_CALL": self.call,
            "SHEAF_FAULT_ERROR": str(self.error),
            "SHEAF_FAULT_FIRST": str(self.first),
            "SHEAF_FAULT_LAST": "0" if self.is_for_good else str(self.first),
        }


@dataclass(frozen=True)
class Run:
    """A command line about files in a folder. `@` stands for the folder."""

    arguments: tuple[str, ...]
    before: tuple["Run", ...] = ()  # makes the files before the run
    stdin: str = ""  # the name of a file in the folder
    position: str = ""  # the file that keeps the position, and changes during the run
    may_lack: tuple[str, ...] = ()  # files that a successful run may omit if it says why


@dataclass(frozen=True)
class Outcome:
    code: int
    stdout: str
    stderr: str
    files: Files


INDEX = Run(("index", "@/data.ctf", *STREAMS, "--chunk-bytes", "1000", "--json"))
TO_CBF = Run(("convert", "@/data.ctf", "@/data.cbf", *STREAMS, "--chunk-bytes", "1000"))
TO_HTK = Run(("convert", "@/data.ctf", "@/data.scp", *STREAMS, "--streams", "x"))
READ = ("read", "@/data.ctf", *STREAMS, *SMALL, "--format", "keys", "--minibatch-size", "40")
CNTK = ("--order", "cntk", "--seed", "3", "--window-chunks", "3")
SAVE = ("--save-position", "@/at.json")
REPORT = "report.json"  # note of a conversion, written at its end
BEGUN = Run((*READ, *CNTK, *SAVE, "--max-minibatches", "3"), position="at.json")

RUNS = {
    "index": INDEX,
    "index of streams that are found": Run(("index", "@/data.ctf", "--json")),
    "check": Run(("check", "@/data.ctf", *STREAMS, "--json")),
    "read in file order": Run((*READ, *SAVE), position="at.json"),
    "read in CNTK's order by an index file": Run((*READ, *CNTK), before=(INDEX,),
                                                may_lack=("data.ctf.sheaf-index",)),
    "read in keyed order": Run((*READ, "--order", "keyed", "--index", "rebuild", *SAVE),
                               position="at.json", may_lack=("data.ctf.sheaf-index",)),
    "resume": Run((*READ, *CNTK, *SAVE, "--resume", "@/at.json"), before=(BEGUN,),
                  position="at.json"),
    "count": Run(("read", "@/bad.ctf", *STREAMS, *SMALL, "--order", "keyed", "--sweeps", "2",
                  "--format", "none", "--json", "--max-errors", "100")),
    "read CBF": Run(("read", "@/data.cbf", *SMALL[2:], "--format", "keys", *CNTK),
                    before=(TO_CBF,)),
    "read two files joined": Run(
        ("read", "@/data.ctf", "--stream", "x:dense:2", *SMALL, "--format", "keys",
         "--join", "@/more.ctf", "--stream", "z:dense:1")),
    "read by a configuration": Run(("read", "--config", "@/train.cntk", "--format", "keys",
                                    "--set", "currentDirectory=@")),
    "convert CTF to CBF": TO_CBF,
    "convert CBF to CTF": Run(("convert", "@/data.cbf", "@/out.ctf"), before=(TO_CBF,)),
    "convert into shards": Run(("convert", "@/data.ctf", "@/out.ctf", *STREAMS, "--shards", "3",
                                "--order", "keyed", "--report", f"@/{REPORT}")),
    "convert CTF to HTK": TO_HTK,
    "convert HTK to files of utterances": Run(
        ("convert", "@/data.scp", "@/few.scp", "--select-share", "0.05",
         "--out-option", "htk.layout=files"), before=(TO_HTK,)),
    "convert into shards of HTK": Run((*TO_HTK.arguments, "--shards", "2")),
    "convert standard input": Run(("convert", "-", "@/out.cbf", "--from", "ctf", *STREAMS),
                                  stdin="data.ctf"),
    "seek a position": Run(("position", "seek", "@/data.ctf", *STREAMS, *CNTK, "--sample", "100",
                            "--output", "@/at.json")),
}  # fmt: skip

# How calls fail: once, for passing troubles; for good, as a full disk or a broken one does.
ERRORS: dict[str, tuple[tuple[int, bool], ...]] = {
    "open": ((errno.EMFILE, False), (errno.EACCES, True)),
    "stat": ((errno.EIO, False),),
    "read": ((errno.EIO, False), (errno.EIO, True)),
    "write": ((errno.ENOSPC, True), (errno.EIO, False)),
    "sync": ((errno.EIO, False),),
    "close": ((errno.EIO, False),),
    # EINVAL also says that a file system cannot refuse an existing name. Other means can.
    "rename": ((errno.EIO, False), (errno.EINVAL, False)),
}


def output_bytes(position: bytes) -> int:
    return json.loads(position)["output_bytes"]


def files_of(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@unittest.skipUnless(SHIM, "this build has no library that lets calls fail")
class FaultsTest(CommandTest):
    def run_in(self, folder: Path, run: Run, environment: dict[str, str]) -> Outcome:
        """Returns the result of a run, without times and the name of the folder, which vary."""
        path = folder / run.stdin if run.stdin else Path(os.devnull)
        with path.open("rb") as standard_input:
            result = subprocess.run(
                [SHEAF, *(argument.replace("@", str(folder)) for argument in run.arguments)],
                stdin=standard_input, capture_output=True, text=True, check=False,
                timeout=TIMEOUT_SECONDS,
                env={**plain_environment(), "TMPDIR": str(folder), **environment},
            )  # fmt: skip
        stdout = MEASURED.sub("", result.stdout).replace(str(folder), "@")
        stderr = result.stderr.replace(str(folder), "@")
        files = {
            name: data.replace(str(folder).encode(), b"@")
            for name, data in files_of(folder).items()
        }
        return Outcome(result.returncode, stdout, stderr, files)

    def shimmed(self, folder: Path, **settings: str) -> dict[str, str]:
        return {"LD_PRELOAD": SHIM, "SHEAF_FAULT_FOLDER": str(folder), **settings}

    def begin(self, run: Run) -> Path:
        """A folder with the files before the run."""
        folder = self.folder / "begin"
        folder.mkdir()
        (folder / "data.ctf").write_text(SEQUENCES)
        (folder / "more.ctf").write_text("".join(f"{i} |z {i}\n" for i in range(120)))
        (folder / "bad.ctf").write_text(BAD)
        (folder / "train.cntk").write_text(CONFIG)
        for earlier in run.before:
            outcome = self.run_in(folder, earlier, {})
            self.assertEqual(0, outcome.code, outcome.stderr)
        return folder

    def copy(self, name: str) -> Path:
        """Returns a new folder with the files before the run. Data keep their times."""
        return Path(shutil.copytree(self.folder / "begin", self.folder / name))

    def counts(self, run: Run) -> tuple[Outcome, dict[str, int]]:
        """Returns the result of a run without faults, and its calls."""
        folder = self.copy("counted")
        path = self.folder / "counts"
        outcome = self.run_in(folder, run, self.shimmed(folder, SHEAF_FAULT_COUNTS=str(path)))
        self.assertEqual(0, outcome.code, outcome.stderr)
        counts = dict(line.split() for line in path.read_text().splitlines())
        return outcome, {name: int(count) for name, count in counts.items()}

    def check_files(self, run: Run, outcome: Outcome, before: Files, expected: Outcome) -> None:
        """Checks that each file is as before or as after a good run, with no other files."""
        for name, data in outcome.files.items():
            self.assertIn(name, {*before, *expected.files}, "left behind")
            if name != run.position:
                self.assertIn(data, (before.get(name), expected.files.get(name)), name)
        if run.arguments[0] == "convert" and outcome.code != 0:
            new = set(expected.files) - {*before, REPORT}  # files that appear together
            self.assertIn(new & set(outcome.files), (set(), new))
        for name in {*before, *expected.files} - set(outcome.files):
            is_new = name not in before
            self.assertTrue((is_new and outcome.code != 0) or name in run.may_lack, name)

    def check_conservation(self, stdout: str) -> None:
        """Checks that all indexed sequences are delivered or reported, in each of two sweeps."""
        count = {name: int(n) for name, n in re.findall(r'"([a-z]+)":([0-9]+)', stdout)}
        self.assertEqual(2 * count["indexed"], count["sequences"] + count["holes"])
        self.assertEqual((100, 2 * 15), (count["indexed"], count["holes"]))

    def check_outcome(self, run: Run, fault: Fault, outcome: Outcome, expected: Outcome) -> None:
        reason = os.strerror(fault.error)
        if outcome.code == 0:
            self.assertEqual(expected.stdout, outcome.stdout)
            if "none" in run.arguments:
                self.check_conservation(outcome.stdout)
            is_same = set(outcome.files) == set(expected.files)
            self.assertTrue(is_same or reason in outcome.stderr, outcome.stderr)
            return
        self.assertEqual(1, outcome.code, outcome.stderr)
        self.assertRegex(outcome.stderr, rf"@\S*: [^\n]*{re.escape(reason)}")
        if outcome.stdout != expected.stdout and run.arguments[0] != "index":
            self.assertTrue(expected.stdout.startswith(outcome.stdout), outcome.stdout)

    def check_next(self, run: Run, folder: Path, outcome: Outcome, before: Files,
                   expected: Outcome) -> None:  # fmt: skip
        """Checks that a later run without faults succeeds, and continues if it can."""
        kept = ""
        if run.position in outcome.files:
            begun = output_bytes(before[run.position]) if run.position in before else 0
            kept = outcome.stdout[: output_bytes(outcome.files[run.position]) - begun]
            if "--resume" not in run.arguments:
                run = replace(run, arguments=(*run.arguments, "--resume", f"@/{run.position}"))
        if run.arguments[0] == "convert":  # some of its files may be complete
            run = replace(run, arguments=(*run.arguments, "--overwrite"))
        later = self.run_in(folder, run, {})
        self.assertEqual(0, later.code, later.stderr)
        self.assertEqual(expected.stdout, kept + later.stdout)
        for name in set(expected.files) - set(run.may_lack):
            self.assertEqual(expected.files[name], later.files.get(name), name)
        self.assertLessEqual(set(later.files), set(expected.files))

    def check_fault(self, run: Run, fault: Fault, before: Files, expected: Outcome) -> None:
        folder = self.copy(f"{fault.call}-{fault.error}-{fault.first}-{fault.is_for_good}")
        outcome = self.run_in(folder, run, self.shimmed(folder, **fault.environment()))
        try:
            self.check_outcome(run, fault, outcome, expected)
            self.check_files(run, outcome, before, expected)
            if outcome.files not in (before, expected.files) or run.position:
                self.check_next(run, folder, outcome, before, expected)
        except AssertionError as error:
            raise AssertionError(f"{fault}: {error}\n{outcome.stderr}") from error
        shutil.rmtree(folder)

    def test_failed_calls_are_errors_that_leave_no_partial_file(self) -> None:
        for name, run in RUNS.items():
            with self.subTest(name), ThreadPoolExecutor(os.cpu_count()) as threads:
                before = files_of(self.begin(run))
                expected, counts = self.counts(run)
                faults = [
                    Fault(call, error, n, is_for_good)
                    for call, ways in ERRORS.items()
                    for error, is_for_good in ways
                    for n in range(1, counts[call] + 1)
                ]
                self.assertGreater(len(faults), 10)
                check = functools.partial(self.check_fault, run, before=before, expected=expected)
                self.assertEqual([None] * len(faults), list(threads.map(check, faults)))
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def test_interrupted_and_short_calls_change_nothing(self) -> None:
        interrupted = {"SHEAF_FAULT_ERROR": str(errno.EINTR), "SHEAF_FAULT_EVERY": "2",
                       "SHEAF_FAULT_FIRST": "1"}  # fmt: skip
        ways = [{**interrupted, "SHEAF_FAULT_CALL": call} for call in
                ("open", "read", "write", "sync", "close")]  # fmt: skip
        ways += [{"SHEAF_FAULT_SHORT": "1"}, {"SHEAF_FAULT_SHORT": "37"}]
        for name, run in RUNS.items():
            self.begin(run)
            expected, _ = self.counts(run)
            for number, way in enumerate(ways):
                with self.subTest(name, way=way):
                    folder = self.copy(f"{number}")
                    outcome = self.run_in(folder, run, self.shimmed(folder, **way))
                    self.assertEqual(expected, outcome)
            shutil.rmtree(self.folder)
            self.folder.mkdir()


if __name__ == "__main__":
    unittest.main()
