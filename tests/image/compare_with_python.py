#!/usr/bin/env python3
"""Compares regions of decoded images with what Pillow and OpenCV make of whole ones.

    tests/image/compare_with_python.py TOOL [COUNT [SEED]]

TOOL is the program sheaf_decode_images. Needs numpy, Pillow and cv2 (Debian: python3-pil,
python3-opencv). Prints how many regions were compared, and each that differs; exits with 1 then.
"""

import io
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageFile, PngImagePlugin


def picture(rng, width, height, channels):
    """Returns noise on a coarse pattern: edges everywhere."""
    coarse = rng.integers(0, 256, (height // 7 + 2, width // 5 + 2, channels))
    large = np.kron(coarse, np.ones((7, 5, 1)))[:height, :width]
    noise = rng.integers(-40, 41, large.shape)
    return np.clip(large + noise, 0, 255).astype(np.uint8)


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def make_jpeg(rng, choose, width, height):
    mode = choose.choice(("RGB", "RGB", "RGB", "L", "CMYK"))
    progressive = choose.random() < 0.3
    if mode == "RGB":
        image = Image.fromarray(picture(rng, width, height, 3))
        quality = choose.randint(1, 100)
        data = saved(
            image,
            "JPEG",
            quality=quality,
            subsampling=choose.randint(0, 2),
            progressive=progressive,
        )
    else:
        channels = {"L": 1, "CMYK": 4}[mode]
        values = picture(rng, width, height, channels)
        image = Image.fromarray(values[..., 0] if channels == 1 else values, mode)
        data = saved(image, "JPEG", quality=choose.randint(1, 100), progressive=progressive)
    return data, "jpeg " + mode + (" progressive" if progressive else "")


def make_png(rng, choose, width, height):
    mode = choose.choice(("RGB", "RGBA", "L", "LA", "P", "1", "RGB16", "L16"))
    if mode in ("RGB16", "L16"):
        shape = (height, width, 3) if mode == "RGB16" else (height, width)
        values = rng.integers(0, 65536, shape, dtype=np.uint16)
        return cv2.imencode(".png", values)[1].tobytes(), "png " + mode
    channels = {"RGBA": 4, "LA": 2, "L": 1}.get(mode, 3)
    values = picture(rng, width, height, channels)
    if mode == "LA":
        image = Image.merge("LA", [Image.fromarray(values[..., i].copy()) for i in range(2)])
    elif mode in ("P", "1"):
        image = Image.fromarray(values)
        image = (
            image.quantize(choose.choice((2, 4, 16, 200))) if mode == "P" else image.convert("1")
        )
    else:
        image = Image.fromarray(values[..., 0] if channels == 1 else values)
    options = {"transparency": 1} if mode == "P" and choose.random() < 0.4 else {}
    if choose.random() < 0.3:
        options["pnginfo"] = info = PngImagePlugin.PngInfo()
        info.add(b"gAMA", (45455).to_bytes(4, "big"))
    return saved(image, "PNG", **options), "png " + mode


def make_webp(rng, choose, width, height):
    channels = choose.choice((3, 4))
    image = Image.fromarray(picture(rng, width, height, channels))
    lossless = choose.random() < 0.4
    data = saved(image, "WEBP", lossless=lossless, quality=choose.randint(1, 100), exact=True)
    return data, f"webp {channels} " + ("lossless" if lossless else "lossy")


def pillow_pixels(data, color, reduction):
    image = Image.open(io.BytesIO(data))
    if image.mode in ("I", "I;16"):  # 16-bit grey, which convert() clips: we keep the upper 8 bits
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    elif image.format == "JPEG":
        width, height = image.size
        luma = "L" if color == "grey" and image.mode == "RGB" else None
        image.draft(luma, (max(1, width // reduction), max(1, height // reduction)))
        assert image.size == (-(-width // reduction), -(-height // reduction)), image.size
    image = image.convert("L" if color == "grey" else "RGB")
    pixels = np.asarray(image)
    return pixels[..., ::-1] if color == "bgr" else pixels


def opencv_pixels(data, color, reduction):
    flags = {
        (False, 1): cv2.IMREAD_COLOR,
        (True, 1): cv2.IMREAD_GRAYSCALE,
        (False, 2): cv2.IMREAD_REDUCED_COLOR_2,
        (True, 2): cv2.IMREAD_REDUCED_GRAYSCALE_2,
        (False, 4): cv2.IMREAD_REDUCED_COLOR_4,
        (True, 4): cv2.IMREAD_REDUCED_GRAYSCALE_4,
    }[color == "grey", reduction]
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    return pixels[..., ::-1] if color == "rgb" else pixels


def some_region(choose, width, height):
    if choose.random() < 0.2:
        return 0, 0, width, height
    x, y = choose.randrange(width), choose.randrange(height)
    return x, y, choose.randint(1, width - x), choose.randint(1, height - y)


def make_cases(folder, count, seed):
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    for number in range(count):
        width, height = choose.randint(1, 150), choose.randint(1, 150)
        make = choose.choice((make_jpeg, make_jpeg, make_png, make_webp))
        data, name = make(rng, choose, width, height)
        path = folder / f"{number}.image"
        path.write_bytes(data)
        for part in range(6):
            reduction = choose.choice((1, 1, 2, 4)) if make is make_jpeg else 1
            color = choose.choice(("rgb", "bgr", "grey"))
            # Pillow has no reduced images of no width.
            is_tiny = min(width, height) < reduction
            rules = "opencv" if is_tiny else choose.choice(("pillow", "opencv"))
            size = (-(-width // reduction), -(-height // reduction))
            region = some_region(choose, *size)
            whole = (pillow_pixels if rules == "pillow" else opencv_pixels)(data, color, reduction)
            x, y, w, h = region
            expected = np.ascontiguousarray(whole[y : y + h, x : x + w])
            output = folder / f"{number}.{part}"
            line = f"{path} {output} {color} {rules} {reduction} {x} {y} {w} {h}"
            yield line, output, expected, (name, rules, color == "grey", reduction)


def main():
    tool = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    compared, different = Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        cases = list(make_cases(Path(name), count, seed))
        lines = "".join(line + "\n" for line, *_ in cases)
        subprocess.run([tool], input=lines, text=True, check=True)
        for line, output, expected, kind in cases:
            compared[kind[0], kind[1]] += 1
            found = output.read_bytes()
            if found == expected.tobytes():
                continue
            different[kind] += 1
            values = np.frombuffer(found, np.uint8).astype(int)
            gap = (
                np.abs(values - expected.ravel()).max() if values.size == expected.size else "size"
            )
            print(f"differs by {gap}: {kind} {line.split(' ', 2)[2]} of {expected.shape}")
    for kind, number in sorted(compared.items()):
        print(*kind, number)
    print(f"{sum(compared.values())} regions compared, {sum(different.values())} differ")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
