"""`sheaf read` in CNTK's packed layout, as text and as JSON.

Small files have their expected output here. Files of CNTK's tests are compared with the minibatches
that CNTK delivered; tests of these files are skipped by name without --shared.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

JAGGED = """0 |x 1 10 |s 0:0.5
0 |x 2 20 |s 3:1 1:-2
0 |x 3 30 |s
1 |x 4 40 |s 2:7
2 |x 5 50 |s 1:8
2 |x 6 60 |s 1:9
"""
JAGGED_STREAMS = ("--stream", "x:dense:2", "--stream", "s:sparse:4")

FRAMES = """|x 1.25 -0
|x 2 1e-7
"""
FRAMES_STREAMS = ("--stream", "x:dense:2")


class MatrixTest(unittest.TestCase):
    sheaf: ClassVar[str]
    shared: ClassVar[Path]

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_sheaf(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.sheaf, "read", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def read(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = self.folder / "data.ctf"
        path.write_text(text, encoding="ascii")
        return self.run_sheaf(str(path), *arguments)

    def lines(self, text: str, *arguments: str) -> list[str]:
        result = self.read(text, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def test_each_sample_has_a_line_and_a_gap_has_none(self) -> None:
        # Slot 0 holds sequence 0; slot 1 holds sequences 1 and 2: no gap. Then sequence 2 alone.
        self.assertEqual(
            self.lines(JAGGED, *JAGGED_STREAMS, "--format", "matrix", "--minibatch-size", "6"),
            [
                *("1 10", "4 40", "2 20", "5 50", "3 30", "6 60"),
                *("0.5 0 0 0", "0 0 7 0", "0 -2 0 1", "0 8 0 0", "0 0 0 0", "0 9 0 0"),
            ],
        )
        self.assertEqual(
            self.lines(JAGGED, *JAGGED_STREAMS, "--format", "matrix", "--minibatch-size", "4"),
            [
                *("1 10", "4 40", "2 20", "3 30"),
                *("0.5 0 0 0", "0 0 7 0", "0 -2 0 1", "0 0 0 0"),
                *("5 50", "6 60", "0 8 0 0", "0 9 0 0"),
            ],
        )

    def test_streams_come_in_the_order_named(self) -> None:
        self.assertEqual(
            self.lines(
                JAGGED,
                *(*JAGGED_STREAMS, "--format", "matrix", "--minibatch-size", "4"),
                *("--max-minibatches", "1", "--streams", "s,x"),
            ),
            ["0.5 0 0 0", "0 0 7 0", "0 -2 0 1", "0 0 0 0", "1 10", "4 40", "2 20", "3 30"],
        )

    def test_each_frame_is_one_line(self) -> None:
        for packing in ("packed", "frames"):
            self.assertEqual(
                self.lines(FRAMES, *FRAMES_STREAMS, "--format", "matrix", "--packing", packing),
                ["1.25 -0", "2 1e-07"],
            )

    def test_frames_refuse_longer_sequences_by_name(self) -> None:
        result = self.read(JAGGED, *JAGGED_STREAMS, "--packing", "frames")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn('sequence 0 has 3 samples in stream "x"', result.stderr)

    def test_layouts_other_than_cntks_are_refused(self) -> None:
        for packing in ("padded", "ragged"):
            result = self.read(FRAMES, *FRAMES_STREAMS, "--format", "matrix", "--packing", packing)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--packing is packed or frames", result.stderr)
            self.assertIn(f'got "{packing}"', result.stderr)

    def test_a_minibatch_of_holes_has_no_line(self) -> None:
        result = self.read(
            "0 |x 1\n1 |x wrong\n2 |x 3\n",
            *("--stream", "x:dense:1", "--format", "matrix", "--minibatch-size", "1"),
            *("--max-errors", "1"),
        )
        self.assertEqual((result.returncode, result.stdout), (0, "1\n3\n"))

    def test_json_has_the_arrays_under_their_names(self) -> None:
        (line,) = self.lines(JAGGED, *JAGGED_STREAMS, "--packing", "packed", "--format", "json")
        streams = json.loads(line)["streams"]
        self.assertEqual(
            streams["x"],
            {
                "packing": "packed",
                "storage": "dense",
                "shape": [3, 2, 2],
                "values": [1, 10, 4, 40, 2, 20, 5, 50, 3, 30, 6, 60],
                "lengths": [3, 1, 2],
                "slot_count": 2,
                "slots": [0, 1, 1],
                "begins": [0, 0, 1],
                "mask": [1, 1, 1, 1, 1, 1],
            },
        )
        self.assertEqual(streams["s"]["row_offsets"], [0, 1, 2, 4, 5, 5, 6])
        (line,) = self.lines(FRAMES, *FRAMES_STREAMS, "--packing", "frames", "--format", "json")
        self.assertEqual(
            json.loads(line)["streams"]["x"],
            {
                "packing": "frames",
                "storage": "dense",
                "shape": [2, 2],
                "values": [1.25, -0.0, 2, 1e-07],
                "lengths": [1, 1],
            },
        )

    def test_a_summary_has_steps_and_slots(self) -> None:
        (line,) = self.lines(JAGGED, *JAGGED_STREAMS, "--packing", "packed")
        self.assertIn("x dense [3, 2, 2]; s sparse [3, 2, 4] of 6 values", line)

    def test_the_output_matches_cntk(self) -> None:
        folder = self.shared / "conformance" / "cntk"
        if not folder.is_dir():
            self.skipTest(f"{folder} is missing")
        cases = [
            ("10x10_dense", ["features:dense:5:alias=F0"]),
            ("10x10_sparse", ["features:sparse:100:alias=F0"]),
            (
                "3x5_MI_sparse",
                ["one:sparse:2:alias=F0", "two:sparse:20:alias=F1", "three:sparse:200:alias=F2"],
            ),
        ]
        for name, streams in cases:
            options = [option for stream in streams for option in ("--stream", stream)]
            result = self.run_sheaf(
                str(folder / "data" / f"{name}.txt"),
                *(*options, "--format", "matrix", "--minibatch-size", "100"),
            )
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            found = list(map(float, result.stdout.split()))
            control = (folder / "control" / f"{name}.txt").read_text(encoding="ascii")
            expected = list(map(float, control.split()))
            self.assertEqual(len(found), len(expected), name)
            for number, (a, b) in enumerate(zip(found, expected, strict=True)):
                self.assertTrue(math.isclose(a, b, rel_tol=1e-5), f"{name}: value {number}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheaf", required=True, help="the command to test")
    parser.add_argument("--shared", type=Path, required=True, help="where CNTK's files lie")
    options = parser.parse_args()
    MatrixTest.sheaf = options.sheaf
    MatrixTest.shared = options.shared
    unittest.main(argv=[sys.argv[0], "--verbose"])


if __name__ == "__main__":
    main()
