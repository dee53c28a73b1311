"""The names of options in docs/options.md match specs, C++, Python and the command."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import sheaf
from conftest import ROOT
from sheaf._options.keywords import _BYTES, _WORDS, understood
from sheaf._options.options import ReaderOptions
from sheaf._options.specs import _CHANGES

DOC = (ROOT / "docs" / "options.md").read_text()
FIELDS = (ROOT / "src" / "dataset" / "spec_fields.h").read_text()
HEADERS = "".join(path.read_text() for path in sorted((ROOT / "include" / "sheaf").rglob("*.h")))
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
ROW_OF_TWO = re.compile(r"^\| `(--\S+)` \| `(\S+)` \|$", re.MULTILINE)
# Options with several values, or with their own code to read them.
NO_FIELDS = {"files", "streams", "join", "transforms", "part"}


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def rows(*titles: str) -> list[tuple[list[str], ...]]:
    found = []
    for title in titles:
        section = DOC.partition(f"## {title}\n")[2].partition("\n## ")[0]
        cells = [match.groups() for match in ROW.finditer(section)]
        found += [tuple(map(names, row)) for row in cells if row[0] not in ("Spec", "Option")]
    return found


SPEC = rows(
    *("What is read", "In which order, and in which minibatches"),
    "A cache of decoded sequences",
)
RUN = rows("How a program runs")
WORDS = rows("None, all, any")
STREAM = rows("A stream")
TRANSFORM = rows("A transform")
CTF2BIN = ROW_OF_TWO.findall(DOC.partition("## ctf2bin\n")[2])


def read(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sheaf", "read", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def help_text() -> str:
    return read("--help").stdout


def test_the_tables_have_all_their_rows():
    assert (len(SPEC), len(RUN), len(WORDS)) == (47, 4, 9)
    assert (len(STREAM), len(TRANSFORM), len(CTF2BIN)) == (6, 4, 5)


def test_specs_have_the_listed_fields():
    fields = set(re.findall(r'fields\.\w+\("(\w+)"', FIELDS))
    of_streams = set(re.findall(r'"(\w+)", stream\.', FIELDS)) - {"dtype"}
    assert {spec[0] for spec, *_ in SPEC} - NO_FIELDS == fields - of_streams - {"primary"}
    assert {spec[0] for spec, *_ in STREAM} == of_streams | {"dtype", "shape"}
    spec_page = (ROOT / "docs" / "spec.md").read_text()
    for (name,), *_ in SPEC:
        assert f"`{name}`" in spec_page


def struct(name: str) -> str:
    return re.search(rf"^struct {name} {{$(.*?)^}};$", HEADERS, re.MULTILINE | re.DOTALL)[1]


def declaration(member: str) -> str:
    owner, _, name = member.partition("::")
    found = re.search(rf"^  ([\w:<>, *]+ {name}\b(?!\()[^;]*);", struct(owner), re.MULTILINE)
    assert found, member
    return found[1]


# A member does not repeat the name of its struct.
SHORT_MEMBERS = {
    "order": "algorithm",
    "index": "mode",
    "index_dir": "directory",
    "format_options": "extra",
    "join": "members",
    "cache": "folder",
    "cache_limit": "limit",
    "shape": "sample_shape",
    "long": "long_sequences",  # long is a word of C++
}


def test_cpp_has_the_listed_members():
    for _, (member,), *_ in SPEC + RUN + STREAM + TRANSFORM:
        declaration(member)


def test_members_of_cpp_have_the_names_of_the_spec():
    for (spec,), (member,), *_ in SPEC + STREAM:
        name = member.partition("::")[2]
        expected = SHORT_MEMBERS.get(spec, spec)
        is_size = spec in ("chunk_size", "cache_limit")
        assert name == (f"{expected}_bytes" if is_size else expected), member


def test_words_are_kall_or_nullopt_in_cpp():
    for _, (word,), _, (text,) in WORDS:
        member, _, value = text.partition(" = ")
        assert value == ("kAll" if word in ("all", "any") else "std::nullopt"), text
        type_and_name = declaration(member)
        assert value == "kAll" or type_and_name.startswith("std::optional<"), text
        assert value == "std::nullopt" or "int64_t" in type_and_name, text
    every = re.findall(
        r"^  ((?!//)\S+) (memory_limit_bytes|threads|sweeps|epochs)\b", HEADERS, re.M
    )
    assert len(every) > 8
    kinds = {kind.partition("<")[0] for kind, _ in every}
    assert kinds - {"std::vector"} == {"std::optional"}  # a list is no option: Step::sweeps


def test_each_field_of_a_spec_sets_the_listed_member():
    for (spec,), (member,), *_ in SPEC:
        if spec in NO_FIELDS:
            continue
        expressions = re.findall(rf'"{spec}", ([\w.]+)[,)]', FIELDS)
        assert member.partition("::")[2] in {each.rpartition(".")[2] for each in expressions}, spec


def test_python_has_the_listed_keywords():
    keywords = set(inspect.signature(sheaf.Reader).parameters)
    documented = {name for *_, python, _ in SPEC + RUN for name in python}
    assert documented == keywords - {"spec", "objects", "config", "section", "settings"}
    for (spec,), _, python, _ in SPEC:
        assert not python or python[0] == {"files": "path"}.get(spec, spec)


def test_python_knows_each_keyword_everywhere():
    keywords = set(inspect.signature(sheaf.Reader).parameters)
    by_location = {"path", "streams", "rank", "world_size"}
    assert set(ReaderOptions.__annotations__) == keywords - by_location
    of_a_run = rows("In which order, and in which minibatches")
    assert {name for *_, python, _ in of_a_run for name in python[:1]} == set(_CHANGES)
    numbers = set(re.findall(r'fields\.(?:whole|seed)\("(\w+)"', FIELDS))
    assert {name for name in numbers if name in keywords} <= {*_WORDS, *_BYTES}


def test_transforms_have_the_listed_names():
    source = (ROOT / "src" / "dataset" / "transforms_json.cc").read_text()
    keywords = set(inspect.signature(sheaf.transform).parameters)
    assert {python[0] for *_, python, _ in TRANSFORM[:3]} == keywords - {"options"}
    for (spec,), *_ in TRANSFORM[:3]:
        assert f'= "{spec}";' in source
    named = sheaf.transform("t", "x", as_="y", left=5).to_dict()
    assert list(named) == [spec for (spec,), *_ in TRANSFORM]


def test_the_command_has_the_listed_options(help_text):
    for *_, command in SPEC + RUN:
        name, *others = command
        if name != "FILE":
            assert re.search(rf"^  {name}\b", help_text, re.MULTILINE), name
        for other in others:
            assert other not in help_text
            assert "needs a value" in read("x.ctf", other).stderr  # and so is known
    for (spec,), *_, (name, *_) in SPEC:
        special = {"files": "FILE", "streams": "--stream", "format": "--data-format"}
        special["transforms"] = "--transform"
        special["format_options"] = "--format-option"
        assert name == special.get(spec, "--" + spec.replace("_", "-"))


def test_words_are_accepted_everywhere(help_text, tmp_path):
    table = {spec[0]: (python, command) for spec, _, python, command in SPEC}
    table |= {"threads": (["num_threads"], ["--threads"])}
    table |= {"memory_limit": (["memory_limit"], ["--memory-limit"])}
    (tmp_path / "x.ctf").write_text("0 |x 1\n")
    for (option, *verb), (word,), *_ in WORDS:
        if verb:  # an option of only one verb
            continue
        python, (command, *_) = table[option]
        assert re.search(rf"^  {command} (N|SIZE)\|{word}$", help_text, re.MULTILINE), command
        for name in python:
            value = understood({name: word})[name if name != "window" else "window_chunks"]
            assert value in (0, 2**63 - 1)
        order = ("--order", "keyed") if option.startswith("window") else ()
        arguments = ["read", tmp_path / "x.ctf", *order, command, word, "--format", "keys"]
        run = subprocess.Popen(
            [sys.executable, "-m", "sheaf", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with run:
            first = run.stdout.readline()
            run.stdout.close()  # a run without end ends with its reader
            assert first.startswith('{"keys":[0'), (first, run.stderr.read())


def test_names_of_python_get_a_suggestion_of_the_option():
    for name, meant in (("--batch-size", "--minibatch-size"), ("--num-threads", "--threads")):
        result = read("x.ctf", name, "3")
        assert result.returncode == 2
        assert f"there is no option {name}; did you mean {meant}?" in result.stderr


def test_check_accepts_the_word_all(tmp_path):
    help_of_check = subprocess.run(
        [sys.executable, "-m", "sheaf", "check", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.search(r"^  --limit N\|all$", help_of_check, re.MULTILINE)
    path = tmp_path / "x.ctf"
    path.write_text("0 |x a\n" * 120)
    assert len(sheaf.check(path, ["x:dense:1"]).errors) == 100
    assert len(sheaf.check(path, ["x:dense:1"], limit="all").errors) == 120
    assert len(sheaf.check(path, ["x:dense:1"], limit=0).errors) == 120


def test_each_option_of_ctf2bin_has_one_of_convert():
    def options_of(verb: str) -> str:
        command = [sys.executable, "-m", "sheaf", verb, "--help"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    old, new = options_of("ctf2bin"), options_of("convert")
    for alias, option in CTF2BIN:
        assert re.search(rf"^  {alias}\b", old, re.MULTILINE), alias
        assert re.search(rf"^  {option}\b", new, re.MULTILINE), option
