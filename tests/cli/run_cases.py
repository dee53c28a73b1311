"""Run .case files (tests/cases/README.md) through the command `sheaf`.

`sheaf check --json` must give the lines, texts and codes of the diagnostics. `sheaf head --json`
must give the delivered values. Exit codes must fit. Cases with options that the command lacks are
skipped and counted.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

EXIT_GOOD, EXIT_BAD_DATA, EXIT_BAD_USAGE = 0, 1, 2

SECTIONS = (
    "streams",
    "options",
    "input escaped",
    "input",
    "expect",
    "diagnostics",
    "warnings",
    "data error",
    "config error",
)
OPTIONS = {
    "chunk_size_bytes": "--chunk-bytes",
    "compatibility": "--compatibility",
    "keys": "--keys",
    "missing_streams": "--missing-streams",
}
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0", "\\": b"\\", "s": b" "}


class LeftOutError(Exception):
    """Raised if the command has no option for the case."""


class MismatchError(Exception):
    """Raised if the command does not do what the case says."""


@dataclass
class Case:
    """A case file, section by section."""

    sections: dict[str, list[str]] = field(default_factory=dict)
    input: bytes = b""

    def lines(self, section: str) -> list[str]:
        return [line for line in self.sections.get(section, []) if line.strip()]


def unescaped(text: str) -> bytes:
    def byte_of(match: re.Match[str]) -> str:
        escape = match[1]
        byte = bytes([int(escape[1:], 16)]) if escape[0] == "x" else ESCAPES[escape]
        return byte.decode("latin-1")

    raw = text.encode().decode("latin-1")  # one character for each byte
    return re.sub(r"\\(x[0-9A-Fa-f]{2}|.)", byte_of, raw).encode("latin-1")


def parse_case(path: Path) -> Case:
    case = Case()
    section = None
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        if line.startswith("--- "):
            rest = line[4:]
            section = next(name for name in SECTIONS if rest.startswith(name))
            case.sections[section] = []
            line = rest[len(section) :].strip()
            if not line:
                continue
        if section is not None:
            case.sections[section].append(line)
    if "input" in case.sections:
        case.input = "".join(line + "\n" for line in case.sections["input"]).encode()
    else:
        case.input = b"".join(map(unescaped, case.sections["input escaped"]))
    return case


# Types that only --stream can give, not --precision.
DTYPES = {"f16": "float16", "bf16": "bfloat16", "i32": "int32", "i64": "int64"}
DTYPES |= {"u8": "uint8", "u16": "uint16"}


def protected(text: str) -> str:
    """Returns a part of --stream without characters that would end it."""
    return text.replace("\\", "\\\\").replace(":", "\\:")


def stream_arguments(case: Case) -> list[str]:
    """Returns the command's options for the sections `streams` and `options`."""
    arguments = []
    types = set()
    text = ",".join(case.lines("streams"))
    for stream in filter(None, re.split(r",(?![^\[]*\])", text)):
        name, _, rest = stream.partition(":")
        storage, element_type, dim, more = "dense", "f32", None, []
        for word in rest.split():
            if word in ("dense", "sparse"):
                storage = word
            elif word == "mb" or word.startswith("alias="):
                more.append(word)
            elif word.startswith("[") and "*" not in word:
                dim = word[1:-1].replace(",", "x")
            elif word in ("f32", "f64"):
                element_type = word
            elif word == "index=i64":
                more.append(word)
            elif word in DTYPES:
                more.append(f"dtype={DTYPES[word]}")
            else:
                raise LeftOutError(f"the command cannot say {word!r}")
        types.add(element_type)
        if storage == "sparse" and dim is not None and "x" in dim:
            raise LeftOutError("the command refuses such a sparse stream in its own words")
        more = [protected(word) for word in more]
        arguments += ["--stream", ":".join([protected(name.strip()), storage, dim or "?", *more])]
    if len(types) > 1:
        raise LeftOutError("the command has one precision for all streams")
    arguments += ["--precision", "double" if types == {"f64"} else "float"]
    for option in " ".join(case.lines("options")).split():
        option_name, _, value = option.partition("=")
        if option_name == "skip_sequence_ids":
            arguments += ["--skip-sequence-ids"] if value == "true" else []
        elif option_name in OPTIONS:
            arguments += [OPTIONS[option_name], value]
        elif option_name == "read_size_bytes":
            raise LeftOutError("the command does not let one choose how much is read at once")
        else:
            arguments += ["--format-option", option]
    return arguments


def number_of(text: str) -> float:
    return float(text)


def parse_sample(text: str) -> list:
    if text.startswith("{"):
        pairs = (pair.split(":") for pair in text[1:-1].split())
        return [[int(index), number_of(value)] for index, value in pairs]
    return [number_of(value) for value in text[1:-1].split()]


def parse_expect(line: str) -> tuple[str, dict[str, list | None] | None]:
    """Returns the key and the streams of a line, or None for a hole."""
    key, _, rest = line.partition(" ")
    if rest == "hole":
        return key, None
    streams: dict[str, list | None] = {}
    for name in re.findall(r"(\S+?)=absent", rest):
        streams[name] = None
    for name, samples in re.findall(r"(\S+?)=\[((?:\[[^\]]*\]|\{[^}]*\}| )*)\]", rest):
        texts = re.findall(r"\[[^\]]*\]|\{[^}]*\}", samples)
        streams[name] = [parse_sample(text) for text in texts]
    return key, streams


def check_equal(what: str, expected: object, found: object) -> None:
    # repr distinguishes -0.0 from 0.0, and 1 from 1.0. JSON does not.
    if repr(expected) != repr(found):
        raise MismatchError(f"{what}\n    expected {expected!r}\n    found    {found!r}")


def as_floats(samples: list | None) -> list | None:
    if samples is None:
        return None
    return [
        [[v[0], float(v[1])] if isinstance(v, list) else float(v) for v in sample]
        for sample in samples
    ]


def parse_json(text: str) -> dict:
    # Python would read -0 as the integer 0.
    return json.loads(text, parse_int=lambda number: -0.0 if number == "-0" else int(number))


def run(sheaf: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sheaf, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def diagnostic_line(diagnostic: dict) -> str:
    location = f"byte {diagnostic['byte_offset']}"
    if diagnostic["line"] > 0:
        location = f"{diagnostic['line']}:{diagnostic['column']}"
    return f"{location}: {diagnostic['message']} [{diagnostic['code']}]"


def run_case(sheaf: str, case: Case, path: Path) -> None:
    # The extension is the name of the format, even if the format has other extensions.
    arguments = [str(path), "--data-format", path.suffix[1:], *stream_arguments(case)]
    check = run(sheaf, "check", "--json", *arguments)
    if case.lines("config error"):
        check_equal("exit code of check", EXIT_BAD_USAGE, check.returncode)
        check_equal("standard output of check", "", check.stdout)
        for part in case.lines("config error"):
            if part not in check.stderr:
                raise MismatchError(f"check says {check.stderr!r}, without {part!r}")
        return

    refused = case.lines("data error")
    expected = refused or case.lines("diagnostics")
    check_equal("exit code of check", EXIT_BAD_DATA if expected else EXIT_GOOD, check.returncode)
    report = parse_json(check.stdout)
    diagnostics, warnings = (
        sorted(report[name], key=lambda each: each["byte_offset"])
        for name in ("diagnostics", "warnings")
    )
    check_equal("diagnostics", expected, [diagnostic_line(each) for each in diagnostics])
    if "warnings" in case.sections:
        found = [diagnostic_line(each) for each in warnings]
        check_equal("warnings", case.lines("warnings"), found)
    for each in diagnostics + warnings:
        if each["text"] not in check.stderr:
            raise MismatchError(f"check does not print {each['text']!r}, but {check.stderr!r}")

    sequences = [parse_expect(line) for line in case.lines("expect")]
    good = [(key, streams) for key, streams in sequences if streams is not None]
    check_equal("sequences", len(good), report["sequences"])
    check_equal("bad sequences", len(sequences) - len(good), report["holes"])

    head = run(
        sheaf,
        "head",
        "--json",
        "-n",
        str(len(sequences) + 1),
        "--max-errors",
        "1000000",
        *arguments,
    )
    check_equal("exit code of head", EXIT_BAD_DATA if refused else EXIT_GOOD, head.returncode)
    delivered = [parse_json(line) for line in head.stdout.splitlines()]
    check_equal("keys", [key for key, _ in good], [str(each["key"]) for each in delivered])
    for (key, streams), each in zip(good, delivered, strict=True):
        for name, samples in streams.items():
            check_equal(f"stream {name} of {key}", samples, as_floats(each["streams"][name]))

    strict = run(sheaf, "head", "--json", *arguments)
    check_equal(
        "exit code of head without --max-errors",
        EXIT_BAD_DATA if expected else EXIT_GOOD,
        strict.returncode,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheaf", required=True, help="the command to test")
    parser.add_argument("folder", type=Path, help="of the cases; its name is the format's")
    options = parser.parse_args()

    paths = sorted(options.folder.glob("*.case"))
    failed, left_out = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for path in paths:
            try:
                case = parse_case(path)
                # The same name as in the unit tests, because a name may be a key.
                data = Path(temporary) / f"memory.{options.folder.name}"
                data.write_bytes(case.input)
                run_case(options.sheaf, case, data)
            except LeftOutError as reason:
                left_out += 1
                print(f"left out {path.name}: {reason}")
            except (MismatchError, KeyError, ValueError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {path.name}: {error}")
    print(
        f"{len(paths)} cases: {len(paths) - failed - left_out} passed, {left_out} left out, "
        f"{failed} failed"
    )
    if len(paths) == left_out:
        print("no case was run")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
