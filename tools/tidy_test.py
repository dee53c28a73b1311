"""Tests that each rule of tidy.py finds its error in a small tree that breaks only this rule."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import tidy

# A tree without findings. Each test changes one thing.
CLEAN = {
    "README.md": "# sheaf\n\nSee [the lexer](src/format/ctf/lexer.cc) and [below](#how-it-works).\n"
    "\n## How it works\n",
    "include/sheaf/types.h": "#pragma once\n#include <cstdint>\n",
    "include/sheaf/extend/format.h": '#pragma once\n#include "sheaf/types.h"\n',
    "src/CMakeLists.txt": "target_sources(sheaf PRIVATE core/types.cc)\n",
    "src/core/types.cc": '#include "sheaf/types.h"\n#include <cstdint>\n',
    "src/format/ctf/CMakeLists.txt": "target_sources(sheaf PRIVATE\n"
    "  ${CMAKE_CURRENT_SOURCE_DIR}/lexer.cc)\n",
    "src/format/ctf/lexer.h": "#pragma once\n",
    "src/format/ctf/lexer.cc": '#include "format/ctf/lexer.h"\n#include "sheaf/extend/format.h"\n',
    "tests/CMakeLists.txt": "foreach(name core/types_test format/ctf/lexer_test)\nendforeach()\n",
    "tests/core/types_test.cc": '#include "sheaf/types.h"\n',
    "tests/format/ctf/lexer_test.cc": '#include "format/ctf/lexer.h"\n',
    "cli/CMakeLists.txt": "add_executable(sheaf_cli main.cc)\n",
    "cli/main.cc": '#include "sheaf/extend/format.h"\n',
}


def findings_of(changes: dict[str, str | bytes | None]) -> tidy.Tree:
    """Return the findings in CLEAN with some files changed, added, or (None) removed."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in {**CLEAN, **changes}.items():
            if content is None:
                continue
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tidy.run(Path(folder))


# Maps a name to the changes of the tree and all findings that tidy must then report.
CASES: dict[str, tuple[dict[str, str | bytes | None], list[str]]] = {
    "a clean tree": ({}, []),
    "a type has one definition": (
        {
            "src/core/types.h": "#pragma once\nnamespace sheaf::internal {\nstruct Part {};\n}\n",
            "src/core/types.cc": '#include "core/types.h"\nnamespace sheaf {\nnamespace {\n'
            "class Part {};\n}\nstruct Part { struct Own {}; };\n}\n",
            "src/format/ctf/lexer.h": "#pragma once\nnamespace sheaf::internal {\nstruct Part;\n"
            "class Part final : Base {\n};\n}\n",
        },
        ["src/format/ctf/lexer.h:4: sheaf::internal::Part is another type in src/core/types.h"],
    ),
    "core may not include format": (
        {"src/core/types.cc": '#include "sheaf/types.h"\n#include "sheaf/extend/format.h"\n'},
        [
            'src/core/types.cc:2: core includes "sheaf/extend/format.h" of format; '
            "it may include: base"
        ],
    ),
    "a public header may not point up either": (
        {"include/sheaf/types.h": '#pragma once\n#include "sheaf/extend/format.h"\n'},
        ['include/sheaf/types.h:2: core includes "sheaf/extend/format.h" of format'],
    ),
    "a format may not include another": (
        {
            "src/format/cbf/CMakeLists.txt": "target_sources(sheaf PRIVATE cbf.cc)\n",
            "src/format/cbf/cbf.cc": '#include "format/ctf/lexer.h"\n',
            "tests/format/cbf/cbf_test.cc": "\n",
            "tests/CMakeLists.txt": "list(core/types_test format/ctf/lexer_test "
            "format/cbf/cbf_test)\n",
        },
        ['src/format/cbf/cbf.cc:1: includes "format/ctf/lexer.h": only the format ctf itself may'],
    ),
    "no layer above names a format": (
        {
            "src/CMakeLists.txt": "x(core/types.cc reader/reader.cc)\n",
            "src/reader/reader.cc": '#include "format/ctf/lexer.h"\n',
            "tests/reader/reader_test.cc": "\n",
            "tests/CMakeLists.txt": "x(core/types_test format/ctf/lexer_test reader/reader_test)\n",
        },
        ['src/reader/reader.cc:1: includes "format/ctf/lexer.h": only the format ctf'],
    ),
    "no layer above spells a format's name": (
        {"cli/main.cc": '#include "sheaf/extend/format.h"\nopen("ctf");\n'},
        ["cli/main.cc:2: names the format ctf: see Format in sheaf/extend/format.h [format-name]"],
    ),
    "a folder that is no layer": (
        {"src/util/x.h": "#pragma once\n", "src/core/types.cc": '#include "util/x.h"\n'},
        [
            'src/core/types.cc:1: core includes "util/x.h" of util',
            'src/core/types.cc:1: "sheaf/types.h" must be included first',
            "src/util/x.h:1: in no layer; there are base, core",
        ],
    ),
    "a public header without a layer": (
        {"include/sheaf/new.h": "#pragma once\n"},
        ["include/sheaf/new.h:1: not in HEADER_LAYER"],
    ),
    "a public header includes a private one": (
        {"include/sheaf/extend/format.h": '#pragma once\n#include "format/ctf/lexer.h"\n'},
        [
            'include/sheaf/extend/format.h:2: includes "format/ctf/lexer.h", which is not public',
            'include/sheaf/extend/format.h:2: includes "format/ctf/lexer.h": only the format ctf',
        ],
    ),
    "a public header includes another library": (
        {"include/sheaf/extend/format.h": "#pragma once\n#include <fmt/format.h>\n"},
        ["include/sheaf/extend/format.h:2: includes <fmt/format.h>: users may lack it"],
    ),
    "a header without pragma once": (
        {"src/format/ctf/lexer.h": "// nothing\n"},
        ["src/format/ctf/lexer.h:1: a header without #pragma once"],
    ),
    "an include that leads nowhere": (
        {"src/core/types.cc": '#include "sheaf/types.h"\n#include "sheaf/typos.h"\n'},
        ['src/core/types.cc:2: "sheaf/typos.h" is neither in include nor in src'],
    ),
    "the command line may not see src": (
        {"cli/main.cc": '#include "format/ctf/lexer.h"\n'},
        ['cli/main.cc:1: includes "format/ctf/lexer.h": cli sees sheaf/*.h and its own files'],
    ),
    "the command line has files of its own": (
        {"cli/main.cc": '#include "print.h"\n', "cli/print.h": "#pragma once\n"},
        [],
    ),
    "own header first": (
        {
            "src/format/ctf/lexer.cc": '#include "sheaf/extend/format.h"\n'
            '#include "format/ctf/lexer.h"\n'
        },
        ['src/format/ctf/lexer.cc:1: "format/ctf/lexer.h" must be included first'],
    ),
    "the library does not print": (
        {
            "src/core/types.cc": '#include "sheaf/types.h"\n#include <iostream>\n'
            "void f() {\n  std::cerr << 1;\n  fprintf(stderr, 1);\n}\n"
        },
        [
            "src/core/types.cc:2: #include <iostream>: the library does not print",
            "src/core/types.cc:5: fprintf(: the library does not print",
            "src/core/types.cc:4: std::cerr: the library does not print",
        ],
    ),
    "snprintf, comments and texts do not print": (
        {
            "src/core/types.cc": '#include "sheaf/types.h"\n// printf(1); std::cout\n'
            'const char* text = "printf(std::cerr)";  /* abort() */\n'
            "int n = snprintf(buffer, 1'000, text);\n"
            'const char* raw = R"(abort(); "std::cout)";\n'
        },
        [],
    ),
    "the library does not end the program": (
        {"src/core/types.cc": '#include "sheaf/types.h"\nvoid f() { std::abort(); }\n'},
        ["src/core/types.cc:2: std::abort(: a library does not end the program"],
    ),
    "threads are started in one place": (
        {"cli/main.cc": "auto t = std::jthread(f);\nauto u = std::async(f);\n"},
        [
            "cli/main.cc:1: std::jthread: threads are started in src/base/thread_pool.cc alone",
            "cli/main.cc:2: std::async: threads are started in src/base/thread_pool.cc alone",
        ],
    ),
    "that place may": (
        {
            "src/CMakeLists.txt": "x(core/types.cc base/thread_pool.cc)\n",
            "src/base/thread_pool.cc": "std::thread thread;\n",
            "tests/base/thread_pool_test.cc": "\n",
            "tests/CMakeLists.txt": "x(core/types_test format/ctf/lexer_test "
            "base/thread_pool_test)\n",
        },
        [],
    ),
    "lines of 100 columns and no more": (
        {"cli/main.cc": f"{'x' * 100}\n{'y' * 101}\n"},
        ["cli/main.cc:2: 101 columns; 100 at most"],
    ),
    "ASCII in sources, not in documents": (
        {"cli/main.cc": "// caf\u00e9\n", "docs/x.md": "# caf\u00e9\n"},
        ["cli/main.cc:1: U+00E9 in a source file"],
    ),
    "text is UTF-8": ({"docs/x.md": b"# \xff\n"}, ["docs/x.md:1: not UTF-8"]),
    "nothing left over": (
        {"cli/main.cc": "// TO" + "DO: later\n", "docs/x.md": "# x\n\nFIX" + "ME\n"},
        ["cli/main.cc:1: left over: // TO" + "DO", "docs/x.md:3: left over: FIX" + "ME"],
    ),
    "blanks at the end": (
        {"cli/main.cc": "int x; \r\nint y;\n"},
        ["cli/main.cc:1: blanks or a CR at the end of the line"],
    ),
    "no newline at the end": (
        {"cli/main.cc": "int x;"},
        ["cli/main.cc:1: no newline at the end"],
    ),
    "data may hold anything": (
        {"testdata/x.py": b"\xff  \r\nFIX" + b"ME", "build/x.cc": "int x; "},
        [],
    ),
    "a source without a test": (
        {"tests/core/types_test.cc": None},
        ["src/core/types.cc:1: there is no tests/core/types_test.cc"],
    ),
    "the environment": (
        {
            "src/core/types.cc": '#include "sheaf/types.h"\nauto x = std::getenv("RANK");\n',
            "src/CMakeLists.txt": "x(core/types.cc ops/worker.cc)\n",
            "src/ops/worker.cc": 'auto y = std::getenv("RANK");\n',
            "tests/CMakeLists.txt": "x(core/types_test format/ctf/lexer_test ops/worker_test)\n",
            "tests/ops/worker_test.cc": "int x;\n",
        },
        ["src/core/types.cc:2: getenv(: the environment is read in src/ops/worker.cc alone"],
    ),
    "a source that nothing builds": (
        {"cli/CMakeLists.txt": "# main.cc\nadd_executable(sheaf_cli domain.cc main.cc.in)\n"},
        ["cli/main.cc:1: no CMakeLists.txt names this file"],
    ),
    "a source that another folder builds": (
        {
            "tests/case/runner.cc": "int x;\n",
            "tests/core/CMakeLists.txt": "x(${CMAKE_CURRENT_SOURCE_DIR}/../case/runner.cc)\n",
        },
        [],
    ),
    "a test that nothing builds": (
        {"tests/CMakeLists.txt": "x(core/types_test)\n"},
        ["tests/format/ctf/lexer_test.cc:1: no CMakeLists.txt names this file"],
    ),
    "a header that nothing includes": (
        {"cli/print.h": "#pragma once\n"},
        ["cli/print.h:1: nothing includes this header"],
    ),
    "links that lead nowhere": (
        {"docs/x.md": "# x\n\n[a](y.md) [b](../README.md#how) [c](#x) [d](https://e.org/f)\n"},
        ["docs/x.md:3: y.md leads nowhere", "docs/x.md:3: ../README.md#how: there is no such head"],
    ),
    "code in documents has no links and no titles": (
        {"docs/x.md": "# x\n\n`[a](y.md)`\n\n```sh\n# not a title\n[b](z.md)\n```\n"},
        [],
    ),
    "one title": (
        {"docs/x.md": "# x\n\n# y\n", "docs/y.md": "## y\n"},
        ["docs/x.md:3: 2 titles", "docs/y.md:1: 0 titles"],
    ),
}


class TidyTest(unittest.TestCase):
    def test_each_tree_gives_exactly_its_findings(self) -> None:
        for name, (changes, expected) in CASES.items():
            with self.subTest(name):
                found = findings_of(changes).findings
                self.assertEqual(len(found), len(expected), found)
                for line, start in zip(sorted(found), sorted(expected), strict=True):
                    self.assertTrue(line.startswith(start), f"{line}\ndoes not start with\n{start}")

    def test_every_rule_has_a_case(self) -> None:
        shown = {line.split("[")[-1] for case in CASES.values() for line in
                 findings_of(case[0]).findings}  # fmt: skip
        rules = {
            *(
                "layer]",
                "format-name]",
                "public]",
                "include]",
                "own-header]",
                "pragma-once]",
                "banned]",
            ),
            *("threads]", "line-length]", "ascii]", "utf-8]", "leftover]", "blank]"),
            *("newline]", "no-test]", "dead-file]", "link]", "title]", "one-definition]"),
        }
        self.assertEqual(shown, rules)

    def test_a_long_function_is_a_note_and_no_finding(self) -> None:
        body = "  x();\n" * 80
        tree = findings_of(
            {
                "cli/main.cc": "namespace sheaf {\nclass A {\n  void f(int a,\n         int b) {\n"
                f"    if (a) {{\n{body}    }}\n  }}\n}};\n}}  // namespace sheaf\n"
                "enum class E { a, b };\nstruct S {\n" + "  int x;\n" * 80 + "};\n",
                "tools/x.py": "def f():\n" + "    x()\n" * 80,
            }
        )
        self.assertEqual(tree.findings, [])
        self.assertEqual(
            [note.split(";")[0] for note in tree.notes],
            [
                "cli/main.cc:3: note: a function of 85 lines",
                "tools/x.py:1: note: a function of 81 lines",
            ],
        )

    def test_the_exit_code_says_whether_anything_was_found(self) -> None:
        for text, expected in (("# x\n", 0), ("no title\n", 1)):
            with tempfile.TemporaryDirectory() as folder, self.subTest(text):
                (Path(folder) / "x.md").write_text(text)
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    self.assertEqual(tidy.main([folder]), expected)
                self.assertIn(f"1 files, {expected} findings", out.getvalue())


if __name__ == "__main__":
    unittest.main()
