#!/usr/bin/env python3
"""Do what operations.cc does: check, index, measure an order, split and count."""

import sys

import sheaf

source, target = sys.argv[1:]
checked = sheaf.check(source)
print(f"good {checked.sequences}, left out {checked.holes}")
indexed = sheaf.index(source)
print(f"indexed {indexed.sequences}")
for path, size in indexed.files.items():
    print(path, size)

order = sheaf.order(source, order="keyed", seed=7, minibatch_size=30, world_size=8)
print(f"noise {order['all']['noise']:.3f}, a sweep reads {order['sweep_bytes']} bytes")
for advice in order["advice"]:
    print("advice", advice["code"])

split = {"train": 0.9, "test": 0.1}
converted = sheaf.convert(source, target, split=split, max_length=3, max_errors=100)
for file in converted.files:
    print(file.path, file.bytes, file.sequences)
    report = sheaf.stat(file.path)
    print(f"samples {report['samples']}, longest {report['lengths']['max']}")
