"""Decodes the images of tests/image/data with the installed sheaf.

The pixels must match those of Pillow and OpenCV in expected.txt. tools/wheel.sh runs this script in
an environment that contains only the wheel.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import sheaf

FOLDER = pathlib.Path(__file__).parents[1] / "tests" / "image" / "data"


def fnv1a(values: bytes) -> str:
    """Return the 64-bit FNV-1a hash of bytes, written as in expected.txt."""
    number = 0xCBF29CE484222325
    for value in values:
        number = (number ^ value) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{number:016x}"


def decoded(files: list[str], rules: str, color: str) -> dict[str, str]:
    """Return the hash of the pixels of each file."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as images:
        images.writelines(f"{FOLDER / file}\t0\n" for file in files)
        images.flush()
        transform = f"decode:image:rules={rules},color={color}"
        with sheaf.Reader(
            images.name, format="image_map", transforms=[transform], order="file", batch_size=1
        ) as reader:
            found = [minibatch.image.samples(0)[0].tobytes() for minibatch in reader]
    return {file: fnv1a(pixels) for file, pixels in zip(files, found, strict=True)}


def main() -> int:
    """Compare all images with all rules; return how many differ."""
    expected: dict[tuple[str, str], dict[str, str]] = {}
    for line in (FOLDER / "expected.txt").read_text().splitlines():
        file, rules, color, pixels = line.split()
        expected.setdefault((rules, color), {})[file] = pixels
    wrong = 0
    for (rules, color), images in expected.items():
        found = decoded(list(images), rules, color)
        for file, pixels in images.items():
            if found[file] != pixels:
                print(f"{file}: expected {pixels} of {rules} {color}, got {found[file]}")
                wrong += 1
    count = sum(map(len, expected.values()))
    suffixes = sorted({file.rpartition(".")[2] for images in expected.values() for file in images})
    print(f"wheel_test: {count - wrong} of {count} images ({', '.join(suffixes)}) are right")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(), 1))
