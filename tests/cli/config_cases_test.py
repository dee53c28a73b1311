"""Broken configurations, tests/cases/config/*.config, each with the messages it gets.

A case is a text file. Lines before the first section describe the case. Each section begins with
a line "--- NAME":

    --- arguments      of `sheaf config train.cntk`, one a line; may be left out
    --- file NAME      another file beside it; may be left out
    --- config         train.cntk
    --- prints         standard output; may be left out where there is none
    --- says CODE      the exit code, and standard error

`config_cases_test.py --update` writes the current output of the command to the cases, for review.
"""

import re
import sys
import unittest
from dataclasses import dataclass, field

from command import REPOSITORY, CommandTest

CASES = REPOSITORY / "tests" / "cases" / "config"
COUNT_MIN = 40


@dataclass
class Case:
    about: str
    sections: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> "Case":
        about, *rest = re.split(r"^--- (.*)\n", text, flags=re.MULTILINE)
        case = Case(about, dict(zip(rest[::2], rest[1::2], strict=True)))
        for heading, content in case.sections.items():
            if heading.startswith("file "):
                case.files[heading.removeprefix("file ")] = content
        case.files["train.cntk"] = case.sections["config"]
        return case

    def text(self) -> str:
        return self.about + "".join(f"--- {name}\n{text}" for name, text in self.sections.items())


class ConfigCasesTest(CommandTest):
    def run_case(self, case: Case) -> dict[str, str]:
        """Sections that depend on the output of the command."""
        for name, content in case.files.items():
            self.write(content, name)
        arguments = case.sections.get("arguments", "").splitlines()
        folder = str(self.folder) + "/"
        result = self.run_sheaf("config", "train.cntk", *arguments, folder=self.folder)
        self.assertNotIn(folder, result.stderr)
        made = {"prints": result.stdout} if result.stdout else {}
        return {**made, f"says {result.returncode}": result.stderr}

    def test_every_case_prints_its_expected_output(self) -> None:
        paths = sorted(CASES.glob("*.config"))
        self.assertGreaterEqual(len(paths), COUNT_MIN)
        for path in paths:
            with self.subTest(path.stem):
                case = Case.parse(path.read_text("utf-8"))
                given = {
                    name: text
                    for name, text in case.sections.items()
                    if name != "prints" and not name.startswith("says ")
                }
                made = self.run_case(case)
                expected = case.text()
                found = Case(case.about, {**given, **made}).text()
                if "--update" in sys.argv:
                    path.write_text(found, "utf-8")
                else:
                    self.assertEqual(expected, found)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--update"])
