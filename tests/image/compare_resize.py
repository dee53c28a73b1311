#!/usr/bin/env python3
"""Compares resized images of random extents with what OpenCV and Pillow make of them.

    tests/image/compare_resize.py TOOL [COUNT [SEED]]

TOOL is the program sheaf_resize_images. Needs numpy, Pillow before 13, which has another order of
the passes, and cv2 4.6 without IPP (Debian: python3-pil, python3-opencv). Prints how many images
were compared, and each one that differs; exits with 1 then.
"""

import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

OPENCV = {
    "nearest": cv2.INTER_NEAREST,
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "lanczos": cv2.INTER_LANCZOS4,
}
PILLOW = ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")
MODES = {1: "L", 3: "RGB", 4: "CMYK"}  # of Pillow; RGBA would multiply by its alpha
BORDERS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)


def some_extent(choose):
    kind = choose.random()
    if kind < 0.4:
        return choose.choice(BORDERS)
    return choose.randint(1, 40) if kind < 0.7 else choose.randint(1, 300)


def some_sizes(choose):
    """Returns the extents of an image and of the result; some of a ratio with its own path."""
    to_width, to_height = some_extent(choose), some_extent(choose)
    kind = choose.random()
    if kind < 0.1:
        return 2 * to_width, 2 * to_height, to_width, to_height
    if kind < 0.15:
        return 2 * to_width, some_extent(choose), to_width, to_height
    if kind < 0.2:
        return to_width, some_extent(choose), to_width, to_height
    if kind < 0.25:
        return some_extent(choose), to_height, to_width, to_height
    return some_extent(choose), some_extent(choose), to_width, to_height


def some_pixels(rng, choose, width, height, channels, dtype):
    """Returns noise, or only the least and the greatest values: sums are clipped there."""
    if dtype == np.uint8:
        pixels = rng.integers(0, 256, (height, width, channels), dtype=np.uint8)
        return pixels // 128 * 255 if choose.random() < 0.3 else pixels
    return (rng.random((height, width, channels)) * 300 - 20).astype(dtype)


def some_box(choose, width, height):
    if choose.random() < 0.4:
        return 0.0, 0.0, float(width), float(height)
    step = choose.choice((1, 0.5, 0.125, 0.001))
    borders = []
    for extent in (width, height):
        first = min(int(choose.random() * extent / step) * step, extent - step)
        end = min(first + (1 + int(choose.random() * extent / step)) * step, extent)
        borders.append((first, max(end, first + step / 2)))
    (left, right), (top, bottom) = borders
    return left, top, right, bottom


def opencv_case(rng, choose):
    width, height, to_width, to_height = some_sizes(choose)
    channels = choose.choice((1, 3, 3, 4))
    dtype = choose.choice((np.uint8, np.uint8, np.float32, np.float64))
    kernel = choose.choice(tuple(OPENCV))
    pixels = some_pixels(rng, choose, width, height, channels, dtype)
    made = cv2.resize(pixels, (to_width, to_height), interpolation=OPENCV[kernel])
    return pixels, (to_width, to_height), kernel, (0.0, 0.0, width, height), made


def pillow_case(rng, choose):
    width, height, to_width, to_height = some_sizes(choose)
    channels = choose.choice((1, 3, 3, 4))
    filter_name = choose.choice(PILLOW)
    pixels = some_pixels(rng, choose, width, height, channels, np.uint8)
    box = some_box(choose, width, height)
    given = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels, MODES[channels])
    made = given.resize((to_width, to_height), getattr(Image, filter_name.upper()), box=box)
    return pixels, (to_width, to_height), filter_name, box, np.asarray(made)


def make_cases(folder, count, seed):
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    for number in range(count):
        rules = choose.choice(("opencv", "pillow"))
        make = opencv_case if rules == "opencv" else pillow_case
        pixels, (to_width, to_height), kernel, box, expected = make(rng, choose)
        height, width, channels = pixels.shape
        bits = pixels.dtype.itemsize * 8
        source, output = folder / f"{number}.from", folder / f"{number}.to"
        source.write_bytes(pixels.tobytes())
        borders = " ".join(map(repr, box))
        line = (
            f"{source} {output} {rules} {kernel} {bits} {width} {height} {channels} "
            f"{to_width} {to_height} {borders}"
        )
        yield line, output, np.ascontiguousarray(expected), (rules, bits, kernel)


def main():
    tool = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    compared, different = Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        cases = list(make_cases(Path(name), count, seed))
        lines = "".join(line + "\n" for line, *_ in cases)
        subprocess.run([tool], input=lines, text=True, check=True)
        for line, output, expected, kind in cases:
            compared[kind] += 1
            found = output.read_bytes()
            levels = len(found) // expected.nbytes  # one result for each set of instructions
            if found == expected.tobytes() * max(levels, 1):
                continue
            different[kind] += 1
            values = np.frombuffer(found, expected.dtype).astype(float)
            wanted = np.tile(expected.ravel(), levels)
            gap = np.abs(values - wanted).max() if values.size == wanted.size else "size"
            print(f"differs by {gap}: {line.split(' ', 2)[2]}")
    for kind, number in sorted(compared.items()):
        print(*kind, number)
    print(f"{sum(compared.values())} images compared, {sum(different.values())} differ")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
