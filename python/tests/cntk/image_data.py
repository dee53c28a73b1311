"""Images that tests write, and sources that read them."""

from __future__ import annotations

import base64
import contextlib
import os

import numpy as np
import pytest

from sheaf import cntk

cv2 = pytest.importorskip(
    "cv2", reason="these tests write images with OpenCV: pip install opencv-python-headless"
)

COLORS = {"black": (0, 0, 0), "blue": (254, 0, 0), "green": (1, 255, 0), "red": (0, 0, 254)}


def encoded(pixels, kind=".png"):
    is_written, data = cv2.imencode(kind, np.asarray(pixels, np.uint8))
    assert is_written
    return data.tobytes()


def plain(color, width=4, height=8):
    return np.full((height, width, 3), color, np.uint8)


def noise(number, width=30, height=20):
    """Random pixels [rows, columns, channels], so a test can recognize a region of them."""
    return np.random.default_rng(number).integers(0, 256, (height, width, 3)).astype(np.uint8)


def write_colors(folder):
    """Four images of one color each, in the order of COLORS; gives their names."""
    for name, color in COLORS.items():
        (folder / f"{name}.png").write_bytes(encoded(plain(color)))
    return [f"{name}.png" for name in COLORS]


def write_map(folder, names, keys=None, name="map.txt"):
    """A map file whose labels run through four classes."""
    rows = [f"{image}\t{i % 4}\n" for i, image in enumerate(names)]
    if keys is not None:
        rows = [f"{key}\t{row}" for key, row in zip(keys, rows, strict=True)]
    (folder / name).write_text("".join(rows))
    return folder / name


def write_base64(folder, images, keys=None, name="base64.txt", end="\n"):
    """A file of lines with images, which are encoded already."""
    rows = [f"{i % 4}\t{base64.b64encode(each).decode()}" for i, each in enumerate(images)]
    if keys is not None:
        rows = [f"{key}\t{row}" for key, row in zip(keys, rows, strict=True)]
    (folder / name).write_bytes((end.join(rows) + end).encode())
    return folder / name


def deserializer(path, transforms=(), names=("images", "labels"), kind=None, **options):
    make = kind or cntk.ImageDeserializer
    streams = {
        names[0]: cntk.StreamDef(field="image", transforms=list(transforms)),
        names[1]: cntk.StreamDef(field="label", shape=4),
    }
    return make(str(path), cntk.StreamDefs(**streams), **options)


def base64_deserializer(path, transforms=(), names=("images", "labels"), **options):
    return deserializer(path, transforms, names, cntk.Base64ImageDeserializer, **options)


def in_order(*deserializers, sweeps=1, **options):
    return cntk.MinibatchSource(list(deserializers), randomize=False, max_sweeps=sweeps, **options)


def delivered(source, size, stream="images", **options):
    """All minibatches of a stream that are not empty, as arrays [sequences, *shape]."""
    found = []
    while minibatch := source.next_minibatch(size, **options):
        data = minibatch[source.streams[stream]]
        if len(data):
            array = data.asarray()
            found.append(array.reshape(len(data), *array.shape[2:]))
    return found


def classes(source, size=1000):
    return [int(row) for part in delivered(source, size, "labels") for row in part.argmax(-1)]


@contextlib.contextmanager
def working_in(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
