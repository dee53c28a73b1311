#!/usr/bin/env python3
"""Runs the examples of the public headers beside train.ctf, and compares what they print.

run_examples.py PROGRAM DATA_FOLDER
"""

import difflib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str]) -> int:
    program, data = Path(arguments[0]).resolve(), Path(arguments[1])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("train.ctf", "test.ctf"):
            shutil.copy(data / name, folder)
        run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    expected = (Path(__file__).parent / "expected.txt").read_text(encoding="utf-8")
    if run.returncode == 0 and run.stdout == expected:
        return 0
    print(f"exit code {run.returncode}\n{run.stderr}")
    found = run.stdout.splitlines()
    print(*difflib.unified_diff(expected.splitlines(), found, lineterm=""), sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
