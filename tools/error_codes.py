#!/usr/bin/env python3
"""Lists every error code of the sources with its locations.

    tools/error_codes.py [FOLDER]

A code is the `code` of a diagnostic, such as `ctf-number`. In the sources a code is a string
literal of words with hyphens between them. Every literal of this form counts as a code, unless
NOT_CODES or NOT_CODE_FILES name it. So a new code needs no registration here, and a new literal
that only looks like a code needs an entry with a reason. docs/error-codes.md has a row for each
code.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOTS = ("include", "src", "python/src", "python/sheaf")

# Literals that look like a code, each with a reason.
NOT_CODES = {
    "kaldi-long": "fills a field of the errors of lists: only htk.max_frames sets a limit",
    "latin-1": "an encoding",
    "manifest-long": "as kaldi-long",
    "utf-8": "an encoding",
}

# Files whose literals are not codes, with the reason.
NOT_CODE_FILES = {
    "src/ops/order_advice.cc": "names of the advice of `sheaf order`, which is no diagnostic",
    "src/format/kaldi/kaldi_command.cc": "options of programs such as gunzip",
}

# Literals that begin or end with a hyphen look like parts of a code that is made at run time.
NOT_PARTS = {
    "-inf": "a number",
    "-magic": "src/ops/merge.cc compares the end of a code",
    "-missing-stream": "src/ops/check.cc compares the end of a code",
    "-of-": "the name of a file",
    "new-": "the name of a folder",
    "shard-": "the name of a file",
}

# Codes that are made at run time: BUILT_PART plus the first literal of some calls in BUILT_IN.
BUILT_PART = "config-"
BUILT_IN = "src/cntk"  # Sources::diagnostic() puts "config-" before the word from its callers
BUILT_CALLS = ("diagnostic", "diagnostic_of", "fail", "fail_at", "note", "warn")

CODE = re.compile(r"[a-z][a-z0-9_]*(-[a-z0-9_]+)+")
PART = re.compile(r"-[a-z][a-z0-9_]*(-[a-z0-9_]+)*-?|[a-z][a-z0-9_]*(-[a-z0-9_]+)*-")
FORMATTED_PART = re.compile(r"(?=.*[a-z])(\{\}|[a-z0-9_])*(\{\}-|-\{\})(\{\}|[a-z0-9_-])*")
TOKEN = re.compile(
    r"""(?P<skipped> //[^\n]* | /\*.*?\*/ | \b[0-9][0-9a-zA-Z'.]* | '(\\.|[^'\\\n])*' )
    | R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"
    | "(?P<text>(\\.|[^"\\\n])*)"
    | \b(?P<call>[A-Za-z_]\w*)\s*\(
    | (?P<bracket>[()])
    | \b[A-Za-z_]\w*""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Literal:
    """A string literal of a source file."""

    text: str
    path: str
    line: int
    is_built: bool = False  # the first literal of a call that makes a code at run time

    @property
    def location(self) -> str:
        return f"{self.path}:{self.line}"


def cpp_literals(path: str, source: str) -> Iterator[Literal]:
    """Yield the literals of C++ source text, without those in comments."""
    calls: list[str | None] = []  # the open parentheses; None after the first literal of a call
    for token in TOKEN.finditer(source):
        text = token["text"] if token["text"] is not None else token["raw"]
        if token["call"] is not None:
            calls.append(token["call"])
        elif token["bracket"] == "(":
            calls.append("")
        elif token["bracket"] == ")" and calls:
            calls.pop()
        elif text is not None:
            is_built = path.startswith(BUILT_IN) and any(call in BUILT_CALLS for call in calls)
            calls = [None if call in BUILT_CALLS else call for call in calls]
            yield Literal(text, path, source.count("\n", 0, token.start()) + 1, is_built)


def python_literals(path: str, source: str) -> Iterator[Literal]:
    """Yield the literals of Python source text, and the constant parts of f-strings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Literal(node.value, path, node.lineno)


def literals(root: Path) -> Iterator[Literal]:
    """Yield the literals of all source files below `root`."""
    for folder in ROOTS:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if path in NOT_CODE_FILES:
                continue
            if file.suffix in (".cc", ".h"):
                yield from cpp_literals(path, file.read_text())
            elif file.suffix == ".py":
                yield from python_literals(path, file.read_text())


def codes(root: Path) -> dict[str, list[str]]:
    """Return the locations of each code, as PATH:LINE.

    Raises ValueError for a literal that may be a part of a code which this module does not know.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for literal in literals(root):
        text = literal.text
        if literal.is_built and re.fullmatch(r"[a-z]+", text):
            found[BUILT_PART + text].append(literal.location)
        elif CODE.fullmatch(text) and text not in NOT_CODES:
            found[text].append(literal.location)
        elif text not in NOT_PARTS and (PART.fullmatch(text) or FORMATTED_PART.fullmatch(text)):
            if text == BUILT_PART and literal.path.startswith(BUILT_IN):
                continue
            raise ValueError(
                f"{literal.location}: {text!r} could be a part of a code: see NOT_PARTS"
            )
    return dict(sorted(found.items()))


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    for code, locations in codes(root).items():
        print(f"{code:36} {' '.join(locations)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
