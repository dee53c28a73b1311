#!/usr/bin/env python3
"""Write train.ctf and test.ctf, as README.md beside says. Needs scikit-learn.

python3 testdata/digits/make.py [--out FOLDER]
"""

import argparse
import pathlib

from sklearn.datasets import load_digits  # type: ignore[import-untyped]

TEST_EVERY = 5  # image i is for testing where i % 5 == 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    folder = parser.parse_args().out

    digits = load_digits()
    rows: dict[str, list[str]] = {"train": [], "test": []}
    for key, (image, label) in enumerate(zip(digits.data, digits.target, strict=True)):
        part = "test" if key % TEST_EVERY == TEST_EVERY - 1 else "train"
        pixels = " ".join(str(int(pixel)) for pixel in image)
        rows[part].append(f"{key} |labels {label}:1 |features {pixels}\n")
    for part, lines in rows.items():
        (folder / f"{part}.ctf").write_bytes("".join(lines).encode("ascii"))


if __name__ == "__main__":
    main()
