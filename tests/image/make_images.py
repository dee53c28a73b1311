#!/usr/bin/env python3
"""Makes the images of tests/image/data, and expected.txt: what Pillow and OpenCV decode them to.

Needs what compare_with_python.py needs: Pillow 9.4 and OpenCV 4.6 of Debian 12. A line of
expected.txt is a file, the rules, rgb or grey, and the 64-bit FNV-1a of the pixels.
"""

import io
import sys
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageOps

sys.path.insert(0, str(Path(__file__).parent))
from compare_with_python import opencv_pixels, picture, pillow_pixels, saved

FOLDER = Path(__file__).parent / "data"


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def with_orientation(image, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(image, "JPEG", exif=exif)


def with_adobe_transform(data, transform):
    """Sets the byte that distinguishes CMYK from YCCK."""
    at = data.index(b"Adobe") + 11
    return data[:at] + bytes([transform]) + data[at + 1 :]


def interlaced_png(pixels):
    """Returns a PNG image of RGB in the seven passes of Adam7, which Pillow does not write."""
    import zlib

    raw = b""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)]
    for x, y, step_x, step_y in [*passes, (0, 1, 1, 2)]:
        for row in pixels[y::step_y, x::step_x]:
            raw += b"\0" + row.tobytes() if row.size else b""

    def chunk(kind, contents):
        body = kind + contents
        return len(contents).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    height, width, _ = pixels.shape
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 1])
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def make_jpegs(rng):
    color = Image.fromarray(picture(rng, 37, 29, 3))
    files = {f"exif_{i}.jpg": with_orientation(color, i) for i in range(1, 9)}
    inks = Image.fromarray(picture(rng, 37, 29, 4), "CMYK")
    files["cmyk.jpg"] = saved(inks, "JPEG", quality=90)
    files["ycck.jpg"] = with_adobe_transform(files["cmyk.jpg"], 2)
    files["grey.jpg"] = saved(color.convert("L"), "JPEG")
    files["progressive.jpg"] = saved(color, "JPEG", progressive=True)
    files["large.jpg"] = saved(Image.fromarray(picture(rng, 150, 130, 3)), "JPEG", quality=80)
    files["dot.jpg"] = saved(color.crop((0, 0, 1, 1)), "JPEG")
    files["wide.jpg"] = saved(Image.fromarray(picture(rng, 65500, 1, 1)[..., 0]), "JPEG", quality=5)
    return files


def make_pngs(rng):
    values = picture(rng, 37, 29, 4)
    color = Image.fromarray(np.ascontiguousarray(values[..., :3]))
    deep = rng.integers(0, 65536, (19, 23, 3), dtype=np.uint16)
    files = {"rgb_16.png": cv2.imencode(".png", deep)[1].tobytes()}
    files["grey_16.png"] = cv2.imencode(".png", np.ascontiguousarray(deep[..., 0]))[1].tobytes()
    for bits in (1, 2, 4, 8):
        files[f"palette_{bits}.png"] = saved(color.quantize(2**bits), "PNG", bits=bits)
    files["palette_alpha.png"] = saved(color.quantize(16), "PNG", transparency=1)
    files["black_white.png"] = saved(color.convert("1"), "PNG")
    files["rgba.png"] = saved(Image.fromarray(values), "PNG")
    files["grey_alpha.png"] = saved(color.convert("LA"), "PNG")
    files["interlaced.png"] = interlaced_png(np.asarray(color))
    files["dot.png"] = saved(color.crop((0, 0, 1, 1)), "PNG")
    files["wide.png"] = saved(Image.fromarray(picture(rng, 65535, 1, 1)[..., 0] // 64 * 64), "PNG")
    return files


def make_webps(rng):
    image = Image.fromarray(picture(rng, 37, 29, 4))
    exif = Image.Exif()
    exif[0x0112] = 6
    return {
        "lossy.webp": saved(image.convert("RGB"), "WEBP", quality=70),
        "lossless.webp": saved(image, "WEBP", lossless=True, exact=True),
        "exif_6.webp": saved(image.convert("RGB"), "WEBP", quality=70, exif=exif.tobytes()),
        "dot.webp": saved(image.crop((0, 0, 1, 1)).convert("RGB"), "WEBP"),
    }


def expected_pixels(data, rules, color):
    if rules == "pillow" or data[:4] == b"RIFF":
        turned = Image.open(io.BytesIO(data)).getexif().get(0x0112, 1)
        make = pillow_pixels if rules == "pillow" else opencv_pixels
        image = Image.fromarray(np.ascontiguousarray(make(data, color, 1)))
        image.getexif()[0x0112] = turned
        return np.asarray(ImageOps.exif_transpose(image))
    return opencv_pixels(data, color, 1)


def main():
    rng = np.random.default_rng(7)
    FOLDER.mkdir(exist_ok=True)
    lines = []
    for name, data in {**make_jpegs(rng), **make_pngs(rng), **make_webps(rng)}.items():
        (FOLDER / name).write_bytes(data)
        for rules in ("pillow", "opencv"):
            for color in ("rgb", "grey"):
                pixels = np.ascontiguousarray(expected_pixels(data, rules, color))
                lines.append(f"{name} {rules} {color} {fnv1a(pixels.tobytes()):016x}")
    (FOLDER / "expected.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
