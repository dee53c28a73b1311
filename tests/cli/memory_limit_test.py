"""Runs at a memory limit, and measures the memory of the process.

A run stays within the limit plus a fixed allowance. Otherwise it is refused with a message that
says what needs how much. Shapes are hostile. With SHEAF_TEST_FULL_SIZES=1, shapes have a gigabyte
or tens of millions of sequences, the memory of each run is printed, and the test takes minutes.

If cgroups can be made, each run has its own, which ends a run that needs more memory.
"""

import json
import os
import re
import struct
import subprocess
import unittest
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from command import BAD_DATA, BAD_USAGE, GOOD, SHEAF, CommandTest, plain_environment

MIB = 1 << 20
FULL = os.environ.get("SHEAF_TEST_FULL_SIZES", "") == "1"
SCALE = 10 if FULL else 1
TEXT = (1000 if FULL else 64) * MIB  # about the size of a very long row
BESIDES = 64 * MIB  # allowed beyond the limit

NEEDS = re.compile(
    r"(set (it|the limit) to|--memory-limit\) to|needs|keeps|up to) [0-9]+|streams that are wanted"
)


@dataclass(frozen=True)
class Outcome:
    code: int
    peak: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Shape:
    """A file with its streams."""

    name: str
    parts: Callable[[], Iterable[bytes]]
    streams: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A run of a shape. `expected` is a part of standard error; empty means success."""

    shape: str
    verb: str
    limit: int  # MiB
    expected: str = ""
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.verb} {self.shape} {' '.join(self.options)} at {self.limit} MiB"


def many(piece: bytes, size: int) -> Iterator[bytes]:
    """Repeats a piece of text up to about `size` bytes."""
    block = piece * max(1, 65536 // len(piece))
    for _ in range(max(1, size // len(block))):
        yield block


def numbered(text: str, count: int) -> Iterator[bytes]:
    for first in range(0, count, 5000):
        yield "".join(text.format(i) for i in range(first, min(count, first + 5000))).encode()


def between(first: bytes, middle: Iterable[bytes], last: bytes) -> Iterator[bytes]:
    yield first
    yield from middle
    yield last


def streams(*texts: str) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("--stream", text))


def cbf_of_one(size: int) -> Iterator[bytes]:
    """Returns one sequence with two dense values for each sample, much shorter than as text."""
    samples = size // 8
    yield struct.pack("<QI", 0x636E746B5F62696E, 1)
    yield struct.pack("<II", samples, samples)
    zeros = bytes(65536 * 8)
    for first in range(0, samples, 65536):
        yield zeros[: 8 * min(65536, samples - first)]
    header = 12 + 8 + 8 * samples
    yield struct.pack("<QII", 0x636E746B5F62696E, 1, 1)
    yield struct.pack("<BI1sBI", 0, 1, b"x", 0, 2)
    yield struct.pack("<QII", 12, 1, samples)
    yield struct.pack("<Q", header)


DENSE = streams("x:dense:2")
THOUSANDS = 10_000
THOUSANDS_DECLARED = streams(*(f"s{i}:dense:1" for i in range(THOUSANDS)))

SHAPES = {
    shape.name: shape
    for shape in (
        Shape("plain.ctf", lambda: numbered("{0} |x 0.125 {0} |y {0}:1\n", 800_000 * SCALE),
              (*DENSE, *streams("y:sparse:100000000"))),
        Shape("row.ctf", lambda: between(b"0 |x 1 2\n1 |x", many(b" 1.25 3", TEXT), b"\n"), DENSE),
        Shape("pairs.ctf",
              lambda: between(b"0 |y 5:1\n1 |y 999999999:1",
                              numbered(" {0}:1.5", TEXT // 64), b"\n"),
              streams("y:sparse:1000000000")),
        Shape("samples.ctf", lambda: between(b"", many(b"1 |x 1.5 2.5\n", TEXT), b"2 |x 1 2\n"),
              DENSE),
        Shape("comment.ctf", lambda: between(b"0 |x 1 2 |#", many(b" remark", TEXT), b"\n"), DENSE),
        Shape("line.ctf", lambda: many(b"0 |x 1 2 ", TEXT), DENSE),
        Shape("garbage.ctf", lambda: between(b"0 |x 1 2\n", many(b"garbage", TEXT), b""), DENSE),
        Shape("key.ctf", lambda: between(b"a |x 1 2\n", many(b"key", TEXT), b" |x 1 2\n"),
              (*DENSE, "--keys", "text")),
        Shape("name.ctf", lambda: between(b"0 |x 1 2 |", many(b"name", TEXT), b" 1\n"), DENSE),
        Shape("empty.ctf", lambda: many(b"|y\n", 15_000_000 * SCALE), streams("y:sparse:9")),
        Shape("texts.ctf", lambda: numbered("k{0}x |y 1:1\n", 1_600_000 * SCALE),
              (*streams("y:sparse:9"), "--keys", "text")),
        Shape("wrong.ctf", lambda: many(b"|x ?\n", 10_000_000 * SCALE), DENSE),
        Shape("wide.ctf", lambda: many(b"|y 2147483646:1 7:1\n", 10_000_000 * SCALE),
              streams("y:sparse:2147483647")),
        Shape("short.ctf", lambda: many(b"|x 1 2\n", 10_000_000 * SCALE),
              streams("x:dense:2147483647")),
        Shape("names.ctf", lambda: numbered("|s{0} 1\n", 300_000 * SCALE), ()),
        Shape("streams.ctf",
              lambda: many(" ".join(f"|s{i} {i}" for i in range(THOUSANDS)).encode() + b"\n",
                           10_000_000 * SCALE), ()),
        Shape("missing.ctf", lambda: many(b"|s7 1\n", 300_000 * SCALE), THOUSANDS_DECLARED),
        Shape("padding.ctf",
              lambda: between(b"", numbered("{0} |x 1 2\n", 1000), b"9999 |x 1 2\n" * 10**6),
              DENSE),
        Shape("index.svm", lambda: many(b"1 1:1 2147483647:0.5\n", 10_000_000 * SCALE), ()),
        Shape("dense.svm", lambda: many(b"1 7:1\n", 1_000_000),
              streams("label:dense:1", "features:dense:268435456")),
        Shape("one.cbf", lambda: cbf_of_one(TEXT), ()),
    )
}  # fmt: skip

TOO_LONG = "too few for the row at byte"
TOO_MANY = "too small for the sequences of the chunk"
STEP = "this minibatch needs"
WINDOW = "too few"
SEQUENCE = "the 1 sequences up to byte"
KEYED = ("--order", "keyed", "--window-chunks", "1")
CNTK = ("--order", "cntk", "--window-chunks", "1")
RAGGED = ("--packing", "ragged")
WIDE = ("--transform", "context:x:left=20,right=20")

CASES = [
    # Much more data than memory.
    *(Case("plain.ctf", "read", 24, options=("--packing", p, "--threads", t))
      for p, t in (("padded", "1"), ("padded", "3"), ("ragged", "3"), ("packed", "3"),
                   ("frames", "3"))),
    *(Case("plain.ctf", "read", 24, options=(*o, "--chunk-bytes", "2MiB", "--threads", t))
      for o, t in ((KEYED, "1"), (KEYED, "3"), (CNTK, "3"))),
    # Transforms with much output, and a sequence that is too long for them.
    *(Case("plain.ctf", "read", limit, options=(*o, *WIDE, "--threads", t))
      for o, t, limit in (((), "1", 32), (RAGGED, "3", 32), (KEYED, "3", 48))),
    Case("plain.ctf", "check", 32, options=WIDE),
    Case("plain.ctf", "read", 32, STEP, (*WIDE, "--minibatch-size", "200000")),
    Case("plain.ctf", "check", 24),
    Case("plain.ctf", "index", 24),
    Case("plain.ctf", "convert", 96),
    Case("plain.ctf", "convert", 64, "leave nothing to read with: what is written keeps 67108864"),
    Case("plain.ctf", "pipe", 96),
    # A window or a minibatch that is too large.
    *(Case("plain.ctf", "read", 24 if FULL else 8, WINDOW, o)
      for o in (("--order", "keyed", "--window-chunks", "9"), ("--order", "cntk"))),
    Case("plain.ctf", "read", 24, STEP, ("--minibatch-size", "1000000", *RAGGED)),
    # Windows that are nearly too large, one after the other.
    Case("plain.ctf", "read", 180,
         options=("--minibatch-size", "400000", "--sweeps", "2", *RAGGED)),
    # A row longer than memory.
    *(Case(f"{name}.ctf", verb, 24, TOO_LONG, options)
      for name in ("row", "pairs", "comment", "line", "garbage", "key", "name")
      for verb, options in (("read", ()), ("read", KEYED), ("check", ()))),
    Case("line.ctf", "index", 24, TOO_LONG),
    Case("row.ctf", "inferred", 24, TOO_LONG),
    # A row shorter than memory.
    Case("pairs.ctf", "read", 1000 * SCALE),
    *([Case("line.ctf", "read", 10_000, "ctf-many-values")] if FULL else []),
    Case("key.ctf", "read", 1000 * SCALE),
    # A sequence of very many samples.
    Case("samples.ctf", "read", 24, STEP),
    Case("samples.ctf", "read", 24, WINDOW, KEYED),
    Case("samples.ctf", "check", 24, SEQUENCE),
    Case("samples.ctf", "index", 24),
    Case("one.cbf", "read", 24, STEP),
    Case("one.cbf", "check", 24, SEQUENCE),
    Case("one.cbf", "read", 400 * SCALE),
    Case("one.cbf", "convert", 400 * SCALE),
    Case("padding.ctf", "read", 128, STEP, ("--unit", "sequences", "--minibatch-size", "1001")),
    Case("padding.ctf", "read", 128, options=("--unit", "sequences", "--minibatch-size", "1001",
                                              *RAGGED)),
    # Very many empty sequences, or sequences with only a key text.
    *(Case("empty.ctf", "read", 640 if FULL else 160, options=o) for o in ((), KEYED, CNTK)),
    Case("empty.ctf", "index", 24),
    Case("empty.ctf", "read", 24, STEP, ("--minibatch-size", "1000000")),
    *(Case("texts.ctf", "read", 24, TOO_MANY, o) for o in ((), KEYED, CNTK)),
    *(Case("texts.ctf", "read", 64, options=(*o, "--chunk-bytes", "2MiB"))
      for o in ((), CNTK)),
    Case("texts.ctf", "index", 24, TOO_MANY),
    Case("texts.ctf", "index", 24, options=("--chunk-bytes", "8MiB")),
    # Errors everywhere, all tolerated.
    Case("wrong.ctf", "read", 64, options=("--max-errors", "1000000000")),
    Case("wrong.ctf", "check", 64, "ctf-number"),
    # Dims that exceed any memory.
    *(Case("wide.ctf", "read", 24, options=("--packing", p)) for p in ("padded", "ragged")),
    Case("wide.ctf", "inferred", 24),
    Case("wide.ctf", "matrix", 24, "dense rows of 2147483647 values"),
    Case("short.ctf", "read", 24, STEP),
    Case("short.ctf", "check", 24, "ctf-few-values"),
    Case("short.ctf", "read", 24, STEP, ("--compatibility", "cntk")),
    Case("index.svm", "inferred", 24),
    Case("dense.svm", "read", 24, STEP),
    # Thousands of streams, or a new name in each row.
    Case("streams.ctf", "inferred", 24, "streams that are wanted"),
    Case("streams.ctf", "inferred", 256, options=("--minibatch-size", "8")),
    Case("missing.ctf", "read", 24, STEP),
    Case("missing.ctf", "read", 64, WINDOW, KEYED),
    Case("names.ctf", "inferred", 24, "streams that are wanted"),
    Case("names.ctf", "inferred", 1024, "streams that are wanted"),
]  # fmt: skip


class Cgroup:
    """A group of processes with a memory limit, if the system can make such a group."""

    def __init__(self, name: str, limit: int) -> None:
        base = Path("/sys/fs/cgroup")
        is_second = (base / "cgroup.controllers").exists()
        self.folder = (base if is_second else base / "memory") / name
        self.folder.mkdir()
        limit_name = "memory.max" if is_second else "memory.limit_in_bytes"
        try:
            (self.folder / limit_name).write_text(str(limit))
        except OSError:
            self.folder.rmdir()
            raise

    @staticmethod
    def is_possible() -> bool:
        try:
            Cgroup(f"sheaf-{os.getpid()}", 64 * MIB).remove()
        except OSError:
            return False
        return True

    def entered(self, command: list[str]) -> list[str]:
        """Runs the command in the group."""
        enter = f'echo $$ > "{self.folder}/cgroup.procs"; exec "$0" "$@"'
        return ["sh", "-c", enter, *command]

    def remove(self) -> None:
        self.folder.rmdir()


class MemoryLimitTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.has_cgroups = Cgroup.is_possible()

    def make(self, shape: Shape) -> str:
        path = self.folder / shape.name
        with path.open("wb") as file:
            for part in shape.parts():
                file.write(part)
        return str(path)

    def measured(self, name: str, limit: int, *arguments: str, stdin: str | None = None) -> Outcome:
        """Returns a run and the most memory that it had."""
        group = Cgroup(f"sheaf-{os.getpid()}-{name}", limit) if self.has_cgroups else None
        texts = [self.folder / f"{name}.{end}" for end in ("out", "err")]
        with texts[0].open("wb") as out, texts[1].open("wb") as err:
            command = [SHEAF, *arguments]
            with open(stdin or os.devnull, "rb") as source:
                process = subprocess.Popen(
                    group.entered(command) if group else command, stdin=source, stdout=out,
                    stderr=err, env=plain_environment(),
                )  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if group:
            group.remove()
        with texts[0].open() as out, texts[1].open() as err:
            found = out.read(100_000), err.read(100_000)
        for text in texts:
            text.unlink()
        return Outcome(process.returncode, usage.ru_maxrss * 1024, *found)

    def arguments(self, case: Case, path: str, name: str) -> list[str]:
        shape = SHAPES[case.shape]
        read = ["read", path, "--format", "none", "--json", "--index", "off"]
        verbs = {
            "read": [*read, *shape.streams],
            "inferred": read,
            "matrix": ["read", path, "--format", "matrix", "--index", "off", *shape.streams],
            "check": ["check", path, "--index", "off", "--limit", "1", *shape.streams],
            "index": ["index", path, "--index", "rebuild", "--index-dir",
                      str(self.folder), *shape.streams],
            "convert": ["convert", path, str(self.folder / f"{name}.cbf"), "--index", "off",
                        *shape.streams],
            "pipe": ["convert", "-", str(self.folder / f"{name}.cbf"), "--from", "ctf",
                     *shape.streams],
        }  # fmt: skip
        return [*verbs[case.verb], *case.options, "--memory-limit", f"{case.limit}MiB"]

    def run_case(self, number: int, case: Case, path: str) -> None:
        name = f"case-{number}"
        allowed = case.limit * MIB + BESIDES
        outcome = self.measured(
            name, allowed, *self.arguments(case, path, name),
            stdin=path if case.verb == "pipe" else None,
        )  # fmt: skip
        text = f"{case}: code {outcome.code}, {outcome.peak / MIB:.0f} MiB: {outcome.stderr[:500]}"
        if FULL:
            print(text.split("\n")[0], flush=True)
        self.assertLessEqual(outcome.peak, allowed, text)
        self.assertIn(case.expected, outcome.stderr, text)
        if not case.expected:
            self.assertEqual(GOOD, outcome.code, text)
        elif "[" in outcome.stderr or case.expected.startswith("ctf-"):
            self.assertEqual(BAD_DATA, outcome.code, text)
        else:
            self.assertEqual(BAD_USAGE, outcome.code, text)
            self.assertRegex(outcome.stderr, NEEDS, text)
        if outcome.stdout.startswith('{"minibatches"'):
            account = json.loads(outcome.stdout)
            self.assertLessEqual(account["memory_bytes_max"], 1.2 * case.limit * MIB, text)
            self.assertEqual(account["sequences"] + account["holes"] > 0, True, text)
        (self.folder / f"{name}.cbf").unlink(missing_ok=True)

    def test_runs_stay_within_the_limit_or_report_the_memory_needed(self) -> None:
        numbered_cases = list(enumerate(CASES))

        def run_shape(shape: Shape) -> list[str]:
            path = self.make(shape)
            failures = []
            for number, case in numbered_cases:
                if case.shape != shape.name:
                    continue
                try:
                    self.run_case(number, case, path)
                except AssertionError as failure:
                    failures.append(str(failure))
            Path(path).unlink()
            return failures

        with ThreadPoolExecutor(1 if FULL else os.cpu_count()) as threads:
            failures = [text for found in threads.map(run_shape, SHAPES.values()) for text in found]
        self.assertEqual([], failures, "\n" + "\n".join(failures))

    def test_the_cgroup_kills_a_run_beyond_its_memory(self) -> None:
        if not self.has_cgroups:
            self.skipTest("no cgroup can be made here: what processes had is looked at alone")
        path = self.make(SHAPES["padding.ctf"])
        arguments = ("read", path, "--index", "off", "--unit", "sequences",
                     "--minibatch-size", "1001")  # fmt: skip
        outcome = self.measured("group", 80 * MIB, *arguments)
        self.assertEqual(-9, outcome.code, outcome.stderr)


if __name__ == "__main__":
    unittest.main()
