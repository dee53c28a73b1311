#!/usr/bin/env python3
"""Writes resize_golden.h: hashes of images that OpenCV and Pillow resized.

    tests/image/resize_golden.py > tests/image/resize_golden.h

Needs cv2 4.6 without IPP (Debian's python3-opencv) and Pillow.
"""

import cv2
import numpy as np
from PIL import Image

SIZES = [  # of the image, and of the result
    (1, 1, 3, 2),
    (2, 2, 4, 4),
    (2, 3, 1, 1),
    (7, 5, 8, 9),
    (8, 8, 7, 9),
    (9, 4, 9, 2),
    (16, 10, 8, 5),
    (31, 17, 16, 16),
    (33, 40, 64, 15),
    (100, 75, 56, 56),
    (3, 2, 65, 5),
    (66, 9, 63, 8),
    (108, 81, 31, 23),  # Pillow's window "hamming" differs here where its constants are doubles
]
BOXES = [  # of an image of 40 x 30, to 16 x 12
    (0, 0, 40, 30),
    (3, 5, 19, 17),
    (1.25, 2.5, 38.75, 29.5),
]
OPENCV = {
    "nearest": cv2.INTER_NEAREST,
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "lanczos": cv2.INTER_LANCZOS4,
}
PILLOW = ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")


def image(width: int, height: int, channels: int) -> np.ndarray:
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    return ((x * 37 + y * 91 + c * 53 + x * y * 7 + x * x * 3) % 256).astype(np.uint8)


def fnv(values: np.ndarray) -> int:
    found = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(values).tobytes():
        found = ((found ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return found


def opencv_rows():
    for dtype in (np.uint8, np.float32, np.float64):
        for width, height, to_width, to_height in SIZES:
            for name, kernel in OPENCV.items():
                for channels in (1, 3, 4):
                    pixels = image(width, height, channels).astype(dtype)
                    made = cv2.resize(pixels, (to_width, to_height), interpolation=kernel)
                    bits = np.dtype(dtype).itemsize * 8
                    yield (
                        f"{{{bits}, {width}, {height}, {channels}, {to_width}, {to_height}, "
                        f"Interpolation::{name}, 0x{fnv(made):016x}}},"
                    )


def pillow_rows():
    cases = [(w, h, (0, 0, w, h), tw, th) for w, h, tw, th in SIZES]
    cases += [(40, 30, box, 16, 12) for box in BOXES]
    for width, height, box, to_width, to_height in cases:
        for name in PILLOW:
            for channels in (1, 3):
                pixels = image(width, height, channels)
                given = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
                made = given.resize((to_width, to_height), getattr(Image, name.upper()), box=box)
                left, top, right, bottom = box
                code = fnv(np.array(made))
                yield (
                    f"{{{width}, {height}, {channels}, {{{left}, {top}, {right}, {bottom}}}, "
                    f"{to_width}, {to_height}, ResizeFilter::{name}, 0x{code:016x}}},"
                )


def main() -> None:
    print("// Written by resize_golden.py: hashes of what OpenCV 4.6 and Pillow make.")
    print("// clang-format off")
    print('\n#pragma once\n\n#include <cstdint>\n\n#include "image/resize.h"\n')
    print("namespace sheaf::internal {\n")
    print("struct OpencvCase {")
    print("  int bits;  // of a value: 8, or a float or double")
    print("  int width, height, channels, to_width, to_height;")
    print("  Interpolation interpolation;\n  std::uint64_t hash;  // FNV-1a of the bytes\n};")
    print("\ninline constexpr OpencvCase kOpencvCases[] = {")
    for row in opencv_rows():
        print(f"    {row}")
    print("};\n\nstruct PillowCase {\n  int width, height, channels;\n  ResizeBox box;")
    print("  int to_width, to_height;\n  ResizeFilter filter;\n  std::uint64_t hash;\n};")
    print("\ninline constexpr PillowCase kPillowCases[] = {")
    for row in pillow_rows():
        print(f"    {row}")
    print("};\n\n}  // namespace sheaf::internal")


if __name__ == "__main__":
    main()
