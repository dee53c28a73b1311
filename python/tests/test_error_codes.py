"""docs/error-codes.md has a row for each code of the sources, and no other row."""

from __future__ import annotations

import importlib
import re
import sys

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "error-codes.md").read_text()
ROWS = re.findall(r"^\| `([^`]*)` \|(.*)\|$", PAGE, re.MULTILINE)
EFFECTS = {"refused", "left out", "warning", "writing"}


@pytest.fixture(scope="module")
def error_codes():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("error_codes")
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture
def codes_of(error_codes, tmp_path):
    """Return the codes of a folder with one source file."""

    def codes(source: str, path: str = "src/format/new/new.cc") -> dict[str, list[str]]:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
        return error_codes.codes(tmp_path)

    return codes


def test_each_code_has_a_row_and_each_row_has_a_code(error_codes):
    rows = [code for code, _ in ROWS]
    assert len(rows) == len(set(rows))
    found = error_codes.codes(ROOT)
    undocumented = {code: found[code] for code in found.keys() - set(rows)}
    assert not undocumented, "codes without a row in docs/error-codes.md"
    assert not set(rows) - found.keys(), "rows of docs/error-codes.md without a code"


def test_each_row_has_effect_meaning_and_advice():
    for code, row in ROWS:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)]
        assert len(cells) == 3, code
        effects, meaning, advice = cells
        assert EFFECTS.issuperset(effects.split(", ")), code
        assert meaning.endswith(".") and advice.endswith((".", ")")), code


def test_the_rows_of_a_table_are_sorted():
    for table in PAGE.split("\n## ")[1:]:
        codes = re.findall(r"^\| `([^`]*)` \|", table, re.MULTILINE)
        assert codes == sorted(codes)


def test_the_page_names_only_options_that_exist():
    pages = [PAGE, *((ROOT / "docs" / name).read_text() for name in ("options.md", "cli.md"))]
    options, *known = (set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) for page in pages)
    assert options
    assert options - set().union(*known) == {"--json-keys"}  # of Megatron-LM


def test_the_page_names_only_options_of_formats_that_exist():
    pages = {path.stem: path.read_text() for path in (ROOT / "docs" / "formats").glob("*.md")}
    options = set(re.findall(rf"(?<!/)\b({'|'.join(pages)})\.([a-z_]+)\b(?!\()", PAGE))
    options -= {("sheaf", "check"), ("sheaf", "from_arrow"), ("sheaf", "open")}  # of Python
    options = {(form, name) for form, name in options if name != "md"}
    assert len(options) > 40
    missing = {f"{form}.{name}" for form, name in options if f"{form}.{name}" not in pages[form]}
    assert not missing


def test_texts_excluded_from_codes_are_in_the_sources(error_codes):
    texts = {literal.text for literal in error_codes.literals(ROOT)}
    assert texts.issuperset(error_codes.NOT_CODES)
    assert texts.issuperset(error_codes.NOT_PARTS)
    for path in error_codes.NOT_CODE_FILES:
        assert (ROOT / path).is_file()


@pytest.mark.parametrize(
    "source",
    [
        'constexpr ErrorKind kBad{"new-bad", "a good one"};\n',
        'constexpr ErrorKind kBad{\n    "new-bad",\n    "a good one"};\n',
        'diagnostic.code = "new-bad";  // "not-this"\n',
        '/* "not-this" */ const int big = 1\'000; refuse(place, "new-bad", R"(not a-code)");\n',
        'if (c == \'"\') add("new-bad");\n',
        'add("\\"", "new-bad");\n',
    ],
)
def test_a_code_of_cpp_is_found_and_its_comments_are_not(codes_of, source):
    assert list(codes_of(source)) == ["new-bad"]


def test_a_code_is_found_with_file_and_line(codes_of):
    assert codes_of('\n\nuse("new-bad");\nuse("new-bad");\n') == {
        "new-bad": ["src/format/new/new.cc:3", "src/format/new/new.cc:4"]
    }


def test_a_code_of_python_is_found(codes_of):
    source = (
        'def f():\n    """Not "this-one"."""\n    return Diagnostic(code="new-bad")  # "not-me"\n'
    )
    assert codes_of(source, "python/sheaf/new.py") == {"new-bad": ["python/sheaf/new.py:3"]}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ('state.fail(place, "cycle", formatted("{} here", name), "none");', "config-cycle"),
        ('value->warn("auto", "true or false", "taken for true");', "config-auto"),
        ('state.warn(state.diagnostic(text, "include", "include=FILE", found));', "config-include"),
    ],
)
def test_codes_of_configurations_get_a_prefix(codes_of, call, code):
    assert list(codes_of(call + "\n", "src/cntk/new.cc")) == [code]


def test_calls_outside_configurations_make_no_code(codes_of):
    assert codes_of('state.fail(place, "cycle", "a name");\n') == {}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ('diagnostic.code = format + "-new-place";\n', "src/ops/new.cc"),
        ('diagnostic.code = "fresh-" + word;\n', "src/ops/new.cc"),
        ('diagnostic.code = formatted("{}-new", format);\n', "src/ops/new.cc"),
        ('code = f"fresh-{word}"\n', "python/sheaf/new.py"),
    ],
)
def test_codes_put_together_from_parts_are_refused(codes_of, source, path):
    with pytest.raises(ValueError, match=r"new\.(cc|py):1: .* could be a part of a code"):
        codes_of(source, path)


def test_the_program_lists_codes_with_file_and_line(error_codes, tmp_path, capsys, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cc").write_text('use("new-bad");\n')
    monkeypatch.setattr(sys, "argv", ["error_codes.py", str(tmp_path)])
    assert error_codes.main() == 0
    assert capsys.readouterr().out.split() == ["new-bad", "src/a.cc:1"]
