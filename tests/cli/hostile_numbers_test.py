"""Numbers at the ends of integer types, wherever the command reads one: options, text, tables.

Each run ends soon and with little memory, with a good result or a message: no unchecked number is
used for an allocation, a sum or a product.
"""

import os
import resource
import struct
import subprocess
import unittest
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from command import BAD_DATA, BAD_USAGE, GOOD, SHEAF, CommandTest, plain_environment

TIMEOUT_SECONDS = 20
ADDRESS_SPACE = 3 << 30  # threads reserve memory for heaps that is hardly used

NUMBERS = (0, -1, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
           2**64, 10**30)  # fmt: skip
# Numbers for each order, unless there is time for all numbers.
IS_FULL = os.environ.get("SHEAF_TEST_FULL_SIZES", "") == "1"
OF_ORDERS = NUMBERS if IS_FULL else (0, 2**31 - 1, 2**32, 2**53, 2**63 - 1, 2**64)

DATA = "".join(f"{i} |x {i} 1 |y {i % 7}:1\n" * (1 + i % 3) for i in range(40))
STREAMS = ("--stream", "x:dense:2", "--stream", "y:sparse:7")

# A message must not be one of these: they name no option, no location and no number.
POOR = ("std::", "vector", "bad_", "basic_string", "not enough memory")

CBF_STREAMS = struct.pack("<BI1sBI", 0, 1, b"x", 0, 2) + struct.pack("<BI1sBI", 1, 1, b"y", 0, 9)
CBF_CHUNK = struct.pack("<II", 1, 1)
CBF_DENSE = struct.pack("<Iff", 1, 1, 2) * 2
CBF_SPARSE = struct.pack("<Iifii", 1, 1, 1, 3, 1) * 2
MAGIC = 0x636E746B5F62696E

Arguments = tuple[str, ...]


def cbf() -> bytearray:
    """Returns a file of one chunk with two sequences."""
    chunk = CBF_CHUNK + CBF_DENSE + CBF_SPARSE
    header = struct.pack("<QII", MAGIC, 1, 2) + CBF_STREAMS + struct.pack("<QII", 12, 2, 2)
    return bytearray(struct.pack("<QI", MAGIC, 1) + chunk + header
                     + struct.pack("<Q", 12 + len(chunk)))  # fmt: skip


class HostileNumbersTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(DATA)

    def run_bounded(self, arguments: Arguments) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SHEAF, *arguments], capture_output=True, text=True, check=False,
            timeout=TIMEOUT_SECONDS, env=plain_environment(), stdin=subprocess.DEVNULL,
            errors="replace",
        )  # fmt: skip

    def problem(self, arguments: Arguments) -> str:
        """Returns the problem with the end of a run, or an empty text."""
        try:
            result = self.run_bounded(arguments)
        except subprocess.TimeoutExpired:
            return f"{arguments}: no end"
        if result.returncode not in (GOOD, BAD_DATA, BAD_USAGE):
            return f"{arguments}: exit code {result.returncode}: {result.stderr[:300]}"
        if result.returncode != GOOD and any(word in result.stderr for word in POOR):
            return f"{arguments}: {result.stderr[:300]}"
        return ""

    def check(self, runs: Iterator[Arguments]) -> None:
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, before[1]))  # including children
        try:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                problems = [text for text in threads.map(self.problem, runs) if text]
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
        self.assertEqual([], problems, "\n" + "\n".join(problems))

    def read(self, *arguments: str, path: str = "") -> Arguments:
        return ("read", path or self.data, "--format", "none", "--json", "--index", "off",
                "--memory-limit", "16MiB", *arguments)  # fmt: skip

    def test_extreme_numbers_in_options_of_read(self) -> None:
        few = ("--max-minibatches", "20")
        options = {
            "chunk-bytes": (), "max-errors": (), "threads": (), "memory-limit": (), "seed": few,
            "window-chunks": few, "window-samples": few, "sweeps": few, "minibatch-size": few,
            "epoch-size": (*few, "--worker", "1/3"), "max-minibatches": (),
            "truncation-length": ("--packing", "truncated"),
            "row-samples": ("--packing", "packed"),
            "cache-limit": ("--cache", f"{self.folder}/cache"),
        }  # fmt: skip

        def runs() -> Iterator[Arguments]:
            for order in ("file", "cntk", "keyed"):
                for number in OF_ORDERS:
                    run = self.read(*STREAMS, "--order", order)
                    for name, others in options.items():
                        yield (*run, *others, f"--{name}={number}")
                    endless = (*run, "--sweeps", "0", "--max-minibatches", "2")
                    yield (*endless, f"--minibatch-size={number}")
                    yield (*endless, "--unit", "sequences", f"--minibatch-size={number}")
                    yield (*endless, "--truncation-length", "1", f"--minibatch-size={number}",
                           "--packing", "truncated")  # fmt: skip
                    yield (*endless, f"--truncation-length={number}", "--packing", "truncated",
                           f"--minibatch-size={number}")  # fmt: skip
                    yield (*run, "--split-frames", f"--minibatch-size={number}")
                    yield (*run, f"--worker=0/{number}")
                    yield (*run, f"--worker={number}/3")

        self.check(runs())

    def test_extreme_numbers_in_streams_and_other_verbs(self) -> None:
        def runs() -> Iterator[Arguments]:
            for number in NUMBERS:
                for stream in (f"x:dense:{number}", f"x:dense:2x{number}",
                               f"x:dense:{number}x{number}", f"y:sparse:{number}",
                               f"y:sparse:{number}:index=i64"):  # fmt: skip
                    yield self.read("--stream", stream)
                    yield self.read("--stream", stream, "--compatibility", "cntk")
                    yield ("check", self.data, "--index", "off", "--stream", stream)
                yield ("check", self.data, "--index", "off", f"--limit={number}")
                yield ("head", self.data, "--index", "off", f"--key={number}")
                for name in ("shards", "chunk-bytes", "in-chunk-bytes", "memory-limit"):
                    yield ("convert", self.data, f"{self.folder}/{name}{number}.cbf", "--index",
                           "off", f"--{name}={number}")  # fmt: skip
                yield ("convert", self.data, f"{self.folder}/s{number}.cbf", "--index", "off",
                       f"--split=a={number},b=0.5")  # fmt: skip
                for order in ("file", "cntk", "keyed"):
                    for name in ("sample", "sweep"):
                        yield ("position", "seek", self.data, "--index", "off", "--order", order,
                               "--sweeps", "0", f"--{name}={number}")  # fmt: skip
                    yield ("position", "seek", self.data, "--index", "off", "--order", order,
                           "--epochs", "0", f"--epoch={number}")  # fmt: skip

        self.check(runs())

    def test_extreme_numbers_in_text(self) -> None:
        ctf = {
            "id": "{0} |x 1 1\n", "index": "0 |y {0}:1\n", "value": "0 |x {0} 1\n",
            "alone": "{0}\n{0} |x 1 1\n", "exponent": "0 |x 1e{0} 1\n", "pair": "0 |y 1:{0}\n",
        }  # fmt: skip
        svm = {
            "label": "{0} 1:1\n", "qid": "1 qid:{0} 1:1\n", "index": "1 {0}:1\n",
            "value": "1 1:{0}\n", "labels": "1,{0},7 1:1\n",
        }  # fmt: skip

        def runs() -> Iterator[Arguments]:
            for number in NUMBERS:
                for name, text in ctf.items():
                    path = self.write(text.format(number), f"{name}{number}.ctf")
                    for declared in ((), ("--stream", "x:dense:2"),
                                     ("--stream", f"y:sparse:{2**40}:index=i64")):  # fmt: skip
                        for option in ((), ("--compatibility", "cntk"), ("--keys", "text")):
                            yield self.read(*declared, *option, path=path)
                for name, text in svm.items():
                    path = self.write(text.format(number), f"{name}{number}.svm")
                    features = ("--stream", "features:dense")
                    for declared in ((), ("--stream", "label:sparse"), features,
                                     (f"{features[0]}", f"{features[1]}:5")):  # fmt: skip
                        yield self.read(*declared, path=path)

        self.check(runs())

    def test_extreme_numbers_in_configurations(self) -> None:
        settings = ("epochSize", "randomizationWindow", "truncationLength", "maxErrors",
                    "chunkSizeInBytes", "minibatchSize", "dim")  # fmt: skip

        def runs() -> Iterator[Arguments]:
            for number in NUMBERS:
                for name in settings:
                    dim = number if name == "dim" else 2
                    setting = "" if name == "dim" else f"{name} = {number}"
                    path = self.write(
                        f"reader = [\nreaderType = CNTKTextFormatReader\nfile = {self.data}\n"
                        f"randomize = true\n{setting}\n"
                        f"input = [ x = [ dim = {dim} ; format = dense ] ;"
                        f" y = [ dim = {max(dim, 7)} ; format = sparse ] ]\n]\n",
                        f"{name}{number}.cntk",
                    )
                    yield ("read", "--config", path, "--format", "none", "--index", "off",
                           "--memory-limit", "16MiB", "--max-minibatches", "20")  # fmt: skip

        self.check(runs())

    def test_extreme_numbers_in_positions(self) -> None:
        saved = str(self.folder / "saved.json")
        self.good(*self.read(*STREAMS, "--sweeps", "0", "--max-minibatches", "3",
                             "--save-position", saved))  # fmt: skip
        text = (self.folder / "saved.json").read_text()

        def runs() -> Iterator[Arguments]:
            for number in NUMBERS:
                for name in ("epoch", "sweep", "sequence", "sample"):
                    before, found, behind = text.partition(f'"{name}":')
                    self.assertTrue(found, text)
                    changed = before + found + str(number) + behind.lstrip(" 0123456789")
                    path = self.write(changed, f"{name}{number}.json")
                    yield self.read(*STREAMS, "--sweeps", "0", "--max-minibatches", "3",
                                    "--resume", path)  # fmt: skip

        self.check(runs())

    def test_extreme_numbers_in_cbf_files(self) -> None:
        whole = cbf()
        good = self.write(bytes(whole), "good.cbf")
        self.assertEqual(2, self.good_json(*self.read(path=good))["sequences"])

        def runs() -> Iterator[Arguments]:
            for at in range(0, len(whole) - 3):
                for number in (0, 2**31 - 1, 2**32 - 1):
                    changed = bytearray(whole)
                    changed[at : at + 4] = struct.pack("<I", number)
                    if (
                        at % 4 == 0 or at > 12 + 8 + 24 + 40
                    ):  # numbers of the header lie at any offset
                        path = self.write(bytes(changed), f"{at}-{number}.cbf")
                        yield self.read("--max-errors", "9", path=path)

        self.check(runs())


if __name__ == "__main__":
    unittest.main()
