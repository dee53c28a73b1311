"""`sheaf check --compatibility cntk` reports the errors that CNTK reports for invalid_inputs.txt.

CNTK's test data are not part of the project. Without them, the test is skipped.
"""

import json
import os
import re
import unittest
from pathlib import Path

from command import BAD_DATA, REPOSITORY, CommandTest

SHARED = Path(os.environ.get("SHEAF_SHARED_DIR", REPOSITORY.parent / "shared"))
DATA = SHARED / "conformance" / "cntk" / "data" / "invalid_inputs.txt"
CONTROL = SHARED / "conformance" / "cntk" / "control" / "invalid_inputs_Control.txt"

# Messages of CNTK and the codes of sheaf. The number in a message is an offset, or the id of a
# sequence if the error concerns the whole sequence.
ERRORS = (
    (r"Sparse index value \(\d+\) at offset (\d+)", "ctf-index-range"),
    (r"Dense sample \(size = \d+\) at offset (\d+)", "ctf-many-values"),
    (r"Unexpected character \('.'\) in a floating point value at offset (\d+)", "ctf-number"),
    (r"Unexpected character\('.'\) in place of the index delimiter .* at offset (\d+)", "ctf-pair"),
    (r"Expected a uint64 value, but none found at offset (\d+)", "ctf-pair"),
    (r"Input name prefix \('\|'\) is followed by an invalid .* at offset (\d+)", "ctf-name"),
    (r"Empty input row at offset (\d+)", "ctf-empty-row"),
    (r"Number of samples for sequence \(id = (\d+)\)", "ctf-few-samples"),
)
WARNINGS = (
    (r"A dense sample at offset (\d+) .* has a sparse suffix", "ctf-few-values"),
    (r"Possibly, a trailing newline is missing", "ctf-no-newline"),
    (r"Skipping unknown input .* at offset (\d+)", "ctf-unknown-stream"),
)


def told_by_control(kinds: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
    data = DATA.read_bytes()
    found = []
    # One message contains a newline.
    for message in CONTROL.read_text().replace("('\n')", "(' ')").splitlines():
        for pattern, code in kinds:
            if match := re.search(pattern, message):
                number = int(match[1]) if match.groups() else len(data)
                if code == "ctf-empty-row":
                    number -= 1  # the control gives the beginning of the next row
                has_offset = code != "ctf-few-samples"
                found.append((code, data.count(b"\n", 0, number) + 1 if has_offset else number))
    return sorted(found)


@unittest.skipUnless(
    DATA.exists() and CONTROL.exists(),
    f"{DATA} and its control are not there; SHEAF_SHARED_DIR says where to look",
)
class InvalidInputsTest(CommandTest):
    def test_errors_and_warnings_match_the_control_file(self) -> None:
        result = self.run_sheaf(
            "check", str(DATA), "--compatibility", "cntk", "--stream", "A:dense:1",
            "--stream", "B:sparse:10", "--index", "off", "--json",
        )  # fmt: skip
        self.assertEqual(BAD_DATA, result.returncode, result.stderr)
        report = json.loads(result.stdout)
        errors = sorted(
            (
                each["code"],
                int(each["sequence_key"]) if each["code"] == "ctf-few-samples" else each["line"],
            )
            for each in report["diagnostics"]
        )
        self.assertEqual(told_by_control(ERRORS), errors)
        self.assertEqual(28, len(errors))
        self.assertEqual((28, 0), (report["places"], report["holes"]))

        # Without a newline, the control reports both the row and its last sample.
        warnings = sorted((each["code"], each["line"]) for each in report["warnings"])
        self.assertEqual(sorted(set(told_by_control(WARNINGS))), warnings)
        self.assertEqual(3, report["warning_places"])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # prints why a test is skipped
