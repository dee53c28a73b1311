#!/usr/bin/env python3
"""Check data, split the sequences, and count what is in the parts: operations.cc in Python."""

import sys

import sheaf

source, target = sys.argv[1:]
checked = sheaf.check(source)
print(f"good {checked.sequences}, left out {checked.holes}")
split = {"train": 0.9, "test": 0.1}
converted = sheaf.convert(source, target, split=split, max_length=3, max_errors=100)
for file in converted.files:
    print(file.path, file.bytes, file.sequences)
    report = sheaf.stat(file.path)
    print(f"samples {report['samples']}, longest {report['lengths']['max']}")
