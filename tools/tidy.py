#!/usr/bin/env python3
"""Checks style rules that a compiler does not check and a reviewer should not have to.

    tools/tidy.py [FOLDER]

Prints a line for each finding and exits with 1 if there are findings; notes do not count. The rules
are the functions named check_*, and their docstrings describe them. tidy_test.py tests every rule.
"""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

# The other layers that the files of a layer may include. docs/architecture.md has a drawing. The
# only file of `all` is sheaf.h.
MAY_INCLUDE = {
    "base": set(),
    "core": {"base"},
    "io": {"base", "core"},
    "image": {"base", "core"},
    "index": {"base", "core", "io"},
    "format": {"base", "core", "image", "io", "index"},
    "sequencer": {"base", "core"},
    "transform": {"base", "core", "image"},
    "packer": {"base", "core"},
    "dataset": {
        *("base", "core", "io", "index", "format"),
        *("sequencer", "transform", "packer"),
    },
    "reader": {
        *("base", "core", "io", "index", "format", "dataset"),
        *("sequencer", "transform", "packer"),
    },
    "cntk": {
        *("base", "core", "io", "index", "format", "dataset"),
        *("sequencer", "packer"),
    },
    "writer": {"base", "core", "io", "format", "packer"},
    "ops": {
        *("base", "core", "image", "io", "index", "format", "dataset"),
        *("sequencer", "packer", "reader", "writer"),
    },
    "all": {
        *("base", "core", "io", "index", "format", "dataset"),
        *("sequencer", "packer", "reader", "writer", "cntk", "ops"),
    },
}

# The layer of each public header.
HEADER_LAYER = {
    "check.h": "ops",
    "config_reader.h": "cntk",
    "convert.h": "ops",
    "diagnostic.h": "core",
    "dtype.h": "core",
    "error.h": "core",
    "float16.h": "base",
    "index_data.h": "ops",
    "merge.h": "ops",
    "minibatch.h": "packer",
    "mixture.h": "core",
    "open.h": "dataset",
    "operation.h": "ops",
    "order.h": "sequencer",
    "order_summary.h": "ops",
    "part.h": "core",
    "position.h": "core",
    "reader.h": "reader",
    "report.h": "ops",
    "select.h": "ops",
    "sheaf.h": "all",
    "spec.h": "dataset",
    "stat.h": "ops",
    "types.h": "core",
    "version.h": "base",
    "worker.h": "ops",
    "writer.h": "writer",
    "extend/archive.h": "io",
    "extend/arrow_data.h": "format",
    "extend/arrow_interface.h": "base",
    "extend/arrow_node.h": "format",
    "extend/buffer.h": "core",
    "extend/byte_sink.h": "io",
    "extend/byte_source.h": "io",
    "extend/checked.h": "dataset",
    "extend/chunk.h": "core",
    "extend/cntk_names.h": "format",
    "extend/compressed.h": "io",
    "extend/concatenate.h": "dataset",
    "extend/config.h": "cntk",
    "extend/context.h": "io",
    "extend/count_all.h": "format",
    "extend/counts.h": "core",
    "extend/decoded_sink.h": "index",
    "extend/deserializer.h": "format",
    "extend/executor.h": "base",
    "extend/file_sink.h": "io",
    "extend/file_system.h": "io",
    "extend/format.h": "format",
    "extend/index.h": "index",
    "extend/index_file.h": "index",
    "extend/interruption.h": "base",
    "extend/join.h": "dataset",
    "extend/json.h": "core",
    "extend/keyed_generator.h": "core",
    "extend/named_data.h": "format",
    "extend/nearest.h": "base",
    "extend/order_report.h": "sequencer",
    "extend/packed_ints.h": "base",
    "extend/packer.h": "packer",
    "extend/parallel_for.h": "base",
    "extend/scan_data.h": "ops",
    "extend/sequencer.h": "sequencer",
    "extend/slab_memory.h": "core",
    "extend/serializer.h": "format",
    "extend/simd.h": "base",
    "extend/size_text.h": "base",
    "extend/sound_library.h": "format",
    "extend/transform.h": "transform",
    "extend/transform_list.h": "transform",
}

# Besides their own files, these folders may include only public headers.
OUTSIDE = ("cli", "python", "examples", "bench")

# Source files without a test of their own, with the reason.
UNTESTED: dict[str, str] = {}

# Folders of src/format that several formats share.
KITS = ("text", "listed", "audio", "images", "columns")

# Headers of a format that other formats may include. They define values in files of several
# formats.
SHARED_HEADERS = {
    "src/format/kaldi/kaldi_compressed.h",  # the matrices that lhotse cuts name
    "src/format/kaldi/kaldi_errors.h",
    "src/format/kaldi/kaldi_object.h",
}
THREADS_LIVE_IN = "src/base/thread_pool.cc"
ENVIRONMENT_IS_READ_IN = "src/ops/worker.cc"  # the only file that reads environment variables
GENERATED = {"python/sheaf/_sheaf.pyi"}  # made by nanobind's stub generator; a test compares it

LINE_LENGTH_MAX = 100
FUNCTION_LINES_MAX = 70

SKIPPED_FOLDERS = {".git", ".venv", ".venv-bench", "build", "dist", "__pycache__", "node_modules"}
SKIPPED_FOLDERS |= {".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
DATA_FOLDERS = {"testdata", "fuzz/corpus", "tests/cases"}  # every byte of these files matters
CODE_SUFFIXES = {".cc", ".h", ".py", ".pyi", ".sh", ".cmake", ".in"}
CODE_NAMES = {"CMakeLists.txt", "Makefile", ".ci/run"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".toml", ".yaml", ".json"}

LEFTOVER = re.compile(r"\b(FIX[M]E|TO[D]O|XX[X])\b")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


@dataclass
class File:
    path: str  # from the root, separated by slashes
    text: str

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def includes(self) -> Iterator[tuple[int, str, str]]:
        """Yield the line, '<' or '"', and the path of each include."""
        for match in INCLUDE.finditer(self.text):
            yield self.line_of(match.start()), match[1], match[2]


@dataclass
class Tree:
    root: Path
    files: dict[str, File] = field(default_factory=dict)  # text files only
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def find(self, path: str, line: int, rule: str, message: str) -> None:
        self.findings.append(f"{path}:{line}: {message} [{rule}]")

    def note(self, path: str, line: int, rule: str, message: str) -> None:
        self.notes.append(f"{path}:{line}: note: {message} [{rule}]")

    def matching(self, folders: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterator[File]:
        starts = tuple(f"{folder}/" for folder in folders)
        for file in self.files.values():
            if file.path.startswith(starts) and file.path.endswith(suffixes):
                yield file


def load(root: Path) -> Tree:
    tree = Tree(root)
    for folder, subfolders, names in os.walk(root):
        base = Path(folder).relative_to(root)
        subfolders[:] = sorted(
            name
            for name in subfolders
            if name not in SKIPPED_FOLDERS
            and not name.endswith(".egg-info")
            and (base / name).as_posix() not in DATA_FOLDERS
        )
        for name in sorted(names):
            path = (base / name).as_posix()
            if not is_text(path):
                continue
            try:
                text = (root / path).read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                tree.find(path, 1, "utf-8", "not UTF-8")
                continue
            tree.files[path] = File(path, text)
    return tree


def is_code(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix in CODE_SUFFIXES or pure.name in CODE_NAMES or path in CODE_NAMES


def is_text(path: str) -> bool:
    return is_code(path) or PurePosixPath(path).suffix in TEXT_SUFFIXES


def blank_out(text: str, strings: bool) -> str:
    """Replace C++ comments (and, if asked, literals) by blanks. Lines keep their numbers."""
    token = re.compile(
        r"//[^\n]*|/\*.*?\*/"
        r'|R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"'
        r'|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
        re.DOTALL,
    )

    def blank(match: re.Match[str]) -> str:
        is_comment = match[0].startswith(("//", "/*"))
        if not is_comment and not strings:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return token.sub(blank, text)


# --- layers ---------------------------------------------------------------------------------------


def layer_of(path: str) -> str | None:
    """Return the layer of a file under src/ or include/sheaf/."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if path.startswith("include/sheaf/"):
        return HEADER_LAYER.get(path.removeprefix("include/sheaf/"))
    return None


def format_of(path: str) -> str | None:
    """Return the format whose folder contains a file under src/."""
    parts = path.split("/")
    is_format = parts[:2] == ["src", "format"] and len(parts) > 3 and parts[2] not in KITS
    return parts[2] if is_format else None


def included_path(tree: Tree, name: str) -> str | None:
    """Return the path of a file that the library includes in quotes."""
    for path in (f"include/{name}", f"src/{name}"):
        if path in tree.files:
            return path
    return None


def check_public_headers(tree: Tree) -> None:
    """Public headers have a layer and include only sheaf/ and the standard library."""
    for file in tree.matching(("include",), (".h",)):
        name = file.path.removeprefix("include/sheaf/")
        if name not in HEADER_LAYER:
            tree.find(file.path, 1, "layer", "not in HEADER_LAYER of tools/tidy.py: say its layer")
        for line, mark, target in file.includes():
            if mark == '"' and not target.startswith("sheaf/"):
                tree.find(file.path, line, "public", f'includes "{target}", which is not public')
            if mark == "<" and not re.fullmatch(r"[a-z_0-9]+", target):
                tree.find(file.path, line, "public", f"includes <{target}>: users may lack it")
    for file in tree.matching(("include", "src", "cli", "tests", "bench", "fuzz"), (".h",)):
        if "#pragma once" not in file.text:
            tree.find(file.path, 1, "pragma-once", "a header without #pragma once")


def check_layers(tree: Tree) -> None:
    """Includes within the library point down; formats do not include one another."""
    for file in tree.matching(("src", "include"), (".h", ".cc")):
        layer = layer_of(file.path)
        if file.path.startswith("src/") and layer not in MAY_INCLUDE:
            tree.find(file.path, 1, "layer", f"in no layer; there are {', '.join(MAY_INCLUDE)}")
            continue
        if layer is None:
            continue  # check_public_headers() reports an unknown header
        for line, mark, target in file.includes():
            if mark != '"':
                continue
            path = included_path(tree, target)
            if path is None:
                message = f'"{target}" is neither in include nor in src'
                tree.find(file.path, line, "include", message)
                continue
            other = layer_of(path)
            if other is not None and other != layer and other not in MAY_INCLUDE[layer]:
                allowed = ", ".join(sorted(MAY_INCLUDE[layer])) or "none"
                message = f'{layer} includes "{target}" of {other}; it may include: {allowed}'
                tree.find(file.path, line, "layer", message)
            is_of_kit = path.startswith(tuple(f"src/format/{kit}/" for kit in KITS))
            if is_of_kit and layer != "format":
                message = f'includes "{target}": the kit is for formats alone'
                tree.find(file.path, line, "layer", message)
            other_format = None if path in SHARED_HEADERS else format_of(path)
            if other_format is not None and other_format != format_of(file.path):
                message = f'includes "{target}": only the format {other_format} itself may'
                tree.find(file.path, line, "layer", message)


# Words that are also the name of a format.
WORDS_LIKE_FORMATS = {
    ("src/transform/delta.cc", "htk"),  # regression as in HTK
    ("src/transform/delta.cc", "kaldi"),  # regression as in Kaldi
    ("src/transform/kaldi_statistics.cc", "kaldi"),  # statistics of Kaldi, which are not a data set
    ("src/transform/kaldi_statistics.h", "kaldi"),
    ("src/transform/standardize.cc", "kaldi"),
    ("python/sheaf/_options/kaldi_dir.py", "kaldi"),  # the folders contain files of this format
    ("python/sheaf/_options/kaldi_dir.py", "wav"),  # a stream, named after wav.scp
    ("python/sheaf/_tables/hugging_face.py", "arrow"),  # an argument of `datasets`
}

# Fields of StreamDef in CNTK. The Python interface of CNTK keeps their names.
CNTK_FIELDS = ("mlf",)


def check_format_names(tree: Tree) -> None:
    """Only the folder of a format names it; all others use its row in the table of formats."""
    # The container format shares its name with the project, which may occur anywhere.
    names = {format_of(path) for path in tree.files} - {None, "sheaf"}
    if not names:
        return
    literal = re.compile(f"[\"'`]({'|'.join(sorted(names))})[\"'`]")
    for file in tree.matching(("src", "cli", "python/src", "python/sheaf"), (".h", ".cc", ".py")):
        if file.path.startswith("src/format/"):
            continue
        for match in literal.finditer(file.text):
            if (file.path, match[1]) in WORDS_LIKE_FORMATS:
                continue
            if file.path.startswith("python/sheaf/cntk/") and match[1] in CNTK_FIELDS:
                continue
            message = f"names the format {match[1]}: see Format in sheaf/extend/format.h"
            tree.find(file.path, file.line_of(match.start()), "format-name", message)


TYPE = re.compile(
    r"\bnamespace\s*(?P<namespace>[\w:]*)\s*\{"
    r"|\b(?:class|struct|enum|union)\s+(?:class\s+|alignas\(\w+\)\s+)*(?P<type>\w+)"
    r"\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{"
    r"|[{}]"
)


def types_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the qualified name of each type that other files can see."""
    scopes: list[str | None] = []  # a name for each namespace, None for other braces
    for match in TYPE.finditer(blank_out(text, strings=True)):
        if match["namespace"] is not None:
            scopes.append(match["namespace"] or "(anonymous)")
        elif match["type"]:
            if None not in scopes and "(anonymous)" not in scopes:
                yield match.start(), "::".join([*map(str, scopes), match["type"]])
            scopes.append(None)
        elif match[0] == "{":
            scopes.append(None)
        elif scopes:
            scopes.pop()


def check_one_definition(tree: Tree) -> None:
    """A type has one definition: the linker mixes up two types of the same name."""
    first: dict[str, str] = {}
    for file in tree.matching(("include", "src", "cli", "tests"), (".h", ".cc")):
        for offset, name in types_of(file.text):
            other = first.setdefault(name, file.path)
            if other != file.path:
                message = f"{name} is another type in {other}"
                tree.find(file.path, file.line_of(offset), "one-definition", message)


def check_outsiders(tree: Tree) -> None:
    """Programs and bindings use the library as its users do."""
    for folder in OUTSIDE:
        for file in tree.matching((folder,), (".h", ".cc")):
            for line, mark, target in file.includes():
                if mark == '"' and target.startswith("sheaf/"):
                    if f"include/{target}" not in tree.files:
                        tree.find(file.path, line, "include", f'there is no "{target}"')
                elif mark == '"' and not is_own(tree, folder, file.path, target):
                    message = f'includes "{target}": {folder} sees sheaf/*.h and its own files'
                    tree.find(file.path, line, "layer", message)


def is_own(tree: Tree, folder: str, path: str, target: str) -> bool:
    beside = (PurePosixPath(path).parent / target).as_posix()
    places = (beside, f"{folder}/{target}", f"{folder}/src/{target}")
    return ".." not in target and any(place in tree.files for place in places)


def check_own_header_first(tree: Tree) -> None:
    """x.cc includes x.h before all else, which shows that x.h compiles alone."""
    for file in tree.matching(("src",), (".cc",)):
        beside = file.path.removeprefix("src/").removesuffix(".cc") + ".h"
        name = PurePosixPath(beside).name
        for own in (beside, f"sheaf/{name}", f"sheaf/extend/{name}"):
            if included_path(tree, own) is None:
                continue
            first = next(((line, target) for line, _, target in file.includes()), None)
            if first is not None and first[1] != own:
                tree.find(file.path, first[0], "own-header", f'"{own}" must be included first')
            break


# --- what code may do -----------------------------------------------------------------------------

GETENV = r"\b(secure_)?getenv\s*\("
BANNED = (
    # The header of libjpeg-turbo requires <cstdio> before it.
    (r"#\s*include\s*<(iostream|cstdio|stdio\.h)>(?!\n\n#include <jpeglib\.h>)", "the library does "
     "not print"),
    (r"\b(printf|fprintf|puts|fputs|putchar|vprintf|perror)\s*\(", "the library does not print"),
    (r"\bstd::(cout|cerr|clog)\b", "the library does not print"),
    (r"\bfmt::print\b", "the library does not print"),
    (r"(?<![\w.>])(std::)?(abort|exit|_exit|quick_exit|terminate)\s*\(", "a library does not end "
     "the program"),
    (GETENV, f"the environment is read in {ENVIRONMENT_IS_READ_IN} alone"),
    (r"\b(setlocale|srand|strtok)\s*\(", "a library leaves the process's state alone"),
    (r"#\s*include\s*<regex>", "std::regex is slow and overflows the stack"),
    (r"\busing namespace\b", "names are written out"),
)  # fmt: skip
THREAD_STARTERS = r"\bstd::(thread|jthread|async)\b|\bpthread_create\b|\bfork\s*\("


def check_quiet(tree: Tree) -> None:
    """The library prints nothing, never ends the process, and does not change its state."""
    for file in tree.matching(("src", "include"), (".h", ".cc")):
        code = blank_out(file.text, strings=True)
        for pattern, reason in BANNED:
            if pattern == GETENV and file.path == ENVIRONMENT_IS_READ_IN:
                continue
            for match in re.finditer(pattern, code):
                tree.find(file.path, file.line_of(match.start()), "banned", f"{match[0]}: {reason}")


def check_threads(tree: Tree) -> None:
    """Only one file starts threads."""
    for file in tree.matching(("src", "include", "cli", "python"), (".h", ".cc")):
        if file.path == THREADS_LIVE_IN:
            continue
        for match in re.finditer(THREAD_STARTERS, blank_out(file.text, strings=True)):
            message = f"{match[0]}: threads are started in {THREADS_LIVE_IN} alone; use an Executor"
            tree.find(file.path, file.line_of(match.start()), "threads", message)


# --- how text looks -------------------------------------------------------------------------------


def check_lines(tree: Tree) -> None:
    """Lines are short, code is ASCII, no leftovers remain, and no line ends in blanks."""
    for file in tree.files.values():
        code = is_code(file.path)
        if file.path in GENERATED:
            continue
        for number, line in enumerate(file.text.split("\n"), start=1):
            if code and len(line) > LINE_LENGTH_MAX and not re.search(r"https?://\S{40}", line):
                message = f"{len(line)} columns; {LINE_LENGTH_MAX} at most"
                tree.find(file.path, number, "line-length", message)
            if code and not line.isascii():
                strange = next(c for c in line if not c.isascii())
                tree.find(file.path, number, "ascii", f"U+{ord(strange):04X} in a source file")
            if LEFTOVER.search(line):
                tree.find(file.path, number, "leftover", f"left over: {line.strip()[:60]}")
            if line != line.rstrip():
                tree.find(file.path, number, "blank", "blanks or a CR at the end of the line")
        if file.text and not file.text.endswith("\n"):
            tree.find(file.path, file.text.count("\n") + 1, "newline", "no newline at the end")


def check_function_length(tree: Tree) -> None:
    """A long function gets a note, not a finding."""
    for file in tree.files.values():
        if file.path.endswith((".cc", ".h")):
            found = cxx_functions(file.text)
        elif file.path.endswith(".py"):
            found = python_functions(file.text)
        else:
            continue
        for line, length in found:
            if length > FUNCTION_LINES_MAX:
                message = f"a function of {length} lines; could it be said in parts?"
                tree.note(file.path, line, "function-length", message)


def cxx_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first line and the length of each outermost function body.

    A brace opens a body if a parameter list precedes it and all braces around it belong to
    namespaces and classes.
    """
    code = re.sub(r"^[ \t]*#.*$", "", blank_out(text, strings=True), flags=re.MULTILINE)
    scopes: list[tuple[bool, int]] = []  # whether the scope contains code, first line
    start = 0
    line = 1
    for offset, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == ";":
            start = offset + 1
        elif char == "{":
            head = code[start:offset].strip()
            outer = not scopes or not scopes[-1][0]
            names = re.search(r"\b(namespace|class|struct|union|enum)\b(?![^(]*\))", head)
            is_body = outer and "(" in head and not (names and "(" not in head[: names.start()])
            begin = line - head.count("\n")
            scopes.append((is_body or not outer or not names, begin if is_body else 0))
            start = offset + 1
        elif char == "}":
            if scopes:
                _, begin = scopes.pop()
                if begin:
                    yield begin, line - begin + 1
            start = offset + 1


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    try:
        module = ast.parse(text)
    except SyntaxError:
        return  # the Python tests report these
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


# --- what belongs together ------------------------------------------------------------------------


def check_tests(tree: Tree) -> None:
    """src/layer/x.cc has a test tests/layer/x_test.cc."""
    for file in tree.matching(("src",), (".cc",)):
        expected = file.path.replace("src/", "tests/", 1).removesuffix(".cc") + "_test.cc"
        if expected not in tree.files and file.path not in UNTESTED:
            tree.find(file.path, 1, "no-test", f"there is no {expected}")
        if expected in tree.files and file.path in UNTESTED:
            tree.find(file.path, 1, "no-test", "has a test, but is in UNTESTED of tools/tidy.py")
    for path in UNTESTED:
        if path not in tree.files:
            tree.find("tools/tidy.py", 1, "no-test", f"UNTESTED names {path}, which is not there")


def check_dead_files(tree: Tree) -> None:
    """A CMakeLists.txt builds every .cc file, and every private header is included."""
    built = {
        path
        for script in tree.files.values()
        if script.path.endswith(("CMakeLists.txt", ".cmake"))
        for path in files_named_by(script)
    }
    for file in tree.files.values():
        if file.path.endswith(".cc") and file.path not in built:
            tree.find(file.path, 1, "dead-file", "no CMakeLists.txt names this file")

    included = {
        PurePosixPath(target).name
        for file in tree.files.values()
        if file.path.endswith((".h", ".cc", ".in"))
        for _, _, target in file.includes()
    }
    for file in tree.files.values():
        private = file.path.endswith(".h") and not file.path.startswith("include/")
        if private and PurePosixPath(file.path).name not in included:
            tree.find(file.path, 1, "dead-file", "nothing includes this header")


def files_named_by(script: File) -> Iterator[str]:
    """Yield the words of a CMake script that may name source files, with or without ".cc"."""
    folder = PurePosixPath(script.path).parent
    for word in re.findall(r"[\w./${}-]+", re.sub(r"#.*", "", script.text)):
        path = re.sub(r"^\$\{CMAKE_CURRENT_(SOURCE|LIST)_DIR\}/", "", word)
        if path.startswith("${PROJECT_SOURCE_DIR}/"):
            path = path.removeprefix("${PROJECT_SOURCE_DIR}/")
        else:
            path = os.path.normpath(folder / path)
        yield path
        yield path + ".cc"


# --- documents ------------------------------------------------------------------------------------


def prose(text: str) -> str:
    """Replace code in Markdown by blanks. Lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"^(```|~~~).*?^\1[^\n]*", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", blank, text)


def anchors(text: str) -> set[str]:
    """Return the targets of #links into a Markdown file, as GitHub derives them from headings."""
    found = set()
    fenced = re.sub(r"^(```|~~~).*?^\1[^\n]*", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,6}[ \t]+(.*?)[ \t]*#*$", fenced, flags=re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def check_documents(tree: Tree) -> None:
    """A Markdown file has one title, and its links have targets."""
    for file in tree.files.values():
        if not file.path.endswith(".md"):
            continue
        text = prose(file.text)
        titles = [m.start() for m in re.finditer(r"^# ", text, flags=re.MULTILINE)]
        if len(titles) != 1:
            line = file.line_of(titles[1]) if titles else 1
            tree.find(file.path, line, "title", f"{len(titles)} titles (# ...); one is wanted")
        for match in re.finditer(r"\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)", text):
            check_link(tree, file, file.line_of(match.start()), match[1])


def check_link(tree: Tree, file: File, line: int, link: str) -> None:
    if re.match(r"[a-z]+:", link):
        return
    target, _, anchor = link.partition("#")
    path = (tree.root / file.path).parent / target if target else tree.root / file.path
    if not path.exists():
        tree.find(file.path, line, "link", f"{link} leads nowhere")
    elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text("utf-8")):
        tree.find(file.path, line, "link", f"{link}: there is no such heading")


CHECKS: tuple[Callable[[Tree], None], ...] = (
    check_public_headers,
    check_layers,
    check_format_names,
    check_one_definition,
    check_outsiders,
    check_own_header_first,
    check_quiet,
    check_threads,
    check_lines,
    check_function_length,
    check_tests,
    check_dead_files,
    check_documents,
)


def run(root: Path) -> Tree:
    tree = load(root)
    for check in CHECKS:
        check(tree)
    return tree


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    tree = run(root)
    for text in tree.notes + tree.findings:
        print(text)
    count = len(tree.findings)
    print(f"tidy: {len(tree.files)} files, {count} findings, {len(tree.notes)} notes")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
