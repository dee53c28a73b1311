"""Rows that repeat one token, as long as an internal size, and a byte shorter and longer.

Such a row neither crashes the command nor changes the rows beside it. The command delivers the row
or reports its error.
"""

import json
import unittest
from collections.abc import Iterator

from command import BAD_DATA, BAD_USAGE, GOOD, CommandTest

# A block and a piece of a kernel, twice these sizes, and a step of the search for a row.
SIZES = (64, 128, 4096, 8192, 16384)
DISTANCES = (-1, 0, 1)

CTF_TOKENS = (
    "0", "1 ", "0.5 ", "1:1 ", "7:1", ":", "::", ": ", ":1 ", "1: ", " ", "\t", "|", "||", "|#",
    "|# ", "|x 1 ", "|y 1:1 ", "|x:", "#", ".", "-", "+", "e", "1e5 ", "1e", ",", "\r", "\0",
    "\x01", "\x7f", "\x80", "\xff", "x", "\\", '"',
)  # fmt: skip
LIBSVM_TOKENS = (
    "0", "1 ", "1:1 ", "7:1", ":", "::", ": ", ":1 ", "1: ", " ", "\t", ",", "1,", "#", "# ",
    "qid:", "qid:1 ", ".", "-", "e", "\r", "\0", "\x7f", "\xff", "x",
)  # fmt: skip
TOKENS = {"ctf": CTF_TOKENS, "libsvm": LIBSVM_TOKENS}

# Text before the tokens that makes the row a sequence.
PREFIXES = {
    "ctf": ("{} |x ", "{} |y ", "{} |x 1 2 |# ", "{} |x 1 2 |", "{} "),
    "libsvm": ("1 ", "1 1:1 ", "1 1:1 # ", "1 1"),
}
STREAMS = {
    "ctf": ("--stream", "x:dense:2", "--stream", "y:sparse:9"),
    "libsvm": ("--stream", "label:dense:1", "--stream", "features:sparse:9"),
}
GOOD_ROW = {"ctf": "{} |x 1 2 |y 3:4", "libsvm": "1 4:4"}
GOOD_VALUES = {"ctf": {"x": [1, 2], "y": [4]}, "libsvm": {"label": [1], "features": [4]}}


def repeated(token: str) -> Iterator[str]:
    """Repeats the token up to each size. The last token may be cut."""
    for size in SIZES:
        for distance in DISTANCES:
            yield (token * (size // len(token) + 2))[: size + distance]


def rows_of(kind: str, prefix: str) -> bytes:
    """Returns rows of every token in every size. Good rows follow: sequences 1, 3, 5, ..."""
    rows: list[str] = []
    for token in TOKENS[kind]:
        for tokens in repeated(token):
            rows.append(prefix.format(len(rows)) + tokens)
            rows.append(GOOD_ROW[kind].format(len(rows)))
    return "\n".join([*rows, ""]).encode("latin-1")


class RepeatedTokenTest(CommandTest):
    def run_to_end(self, codes: tuple[int, ...], *arguments: str) -> str:
        """Returns the standard output of a run that ends with one of the codes."""
        result = self.run_sheaf(*arguments)
        self.assertIn(result.returncode, codes, f"{arguments}: {result.stderr[-1000:]}")
        self.assertNotIn("internal error", result.stderr)
        return result.stdout

    def check_good_rows(self, kind: str, name: str, count: int) -> None:
        """Checks that the good rows are delivered unchanged."""
        lines = self.run_to_end(
            (GOOD, BAD_DATA), "read", name, *STREAMS[kind], "--format", "json",
            "--minibatch-size", "1", "--max-errors", "1000000",
        ).splitlines()  # fmt: skip
        found = {}
        for line in lines:
            minibatch = json.loads(line)
            values = {name: each["values"] for name, each in minibatch["streams"].items()}
            found.update({key: values for key in minibatch["keys"] if key % 2 == 1})
        self.assertEqual(found, {key: GOOD_VALUES[kind] for key in range(1, count, 2)})

    def check_declared(self, kind: str) -> None:
        for i, prefix in enumerate(PREFIXES[kind]):
            with self.subTest(kind=kind, prefix=prefix):
                text = rows_of(kind, prefix)
                name = self.write(text, f"{i}.{kind}")
                report = json.loads(
                    self.run_to_end(
                        (GOOD, BAD_DATA), "check", name, *STREAMS[kind], "--json", "--limit", "5"
                    )
                )
                count = text.count(b"\n")
                self.assertEqual(count, report["sequences"] + report["holes"])
                self.check_good_rows(kind, name, count)

    def check_found(self, kind: str) -> None:
        for i, token in enumerate(TOKENS[kind]):
            # As values, and instead of an id or a label.
            for prefix in (PREFIXES[kind][1], ""):
                with self.subTest(kind=kind, token=token, prefix=prefix):
                    rows = [prefix.format(n) + tokens for n, tokens in enumerate(repeated(token))]
                    text = "\n".join([*rows, GOOD_ROW[kind].format(10**6), ""])
                    name = self.write(text.encode("latin-1"), f"{i}.{kind}")
                    self.run_to_end((GOOD, BAD_DATA, BAD_USAGE), "check", name)

    def test_repeated_tokens_in_declared_ctf(self) -> None:
        self.check_declared("ctf")

    def test_repeated_tokens_in_declared_libsvm(self) -> None:
        self.check_declared("libsvm")

    def test_repeated_tokens_in_ctf_with_found_streams(self) -> None:
        self.check_found("ctf")

    def test_repeated_tokens_in_libsvm_with_found_dims(self) -> None:
        self.check_found("libsvm")


if __name__ == "__main__":
    unittest.main()
