#!/usr/bin/env python3
"""Learn handwritten digits from PNG images in tar shards, on workers that are killed and resumed.

train_images.py [FOLDER]     the folder for the shards; a temporary folder by default

Each image is cropped at random and resized by sheaf's threads, and comes as uint8. Two workers read
some minibatches, and three workers read the rest: together exactly the minibatches of a run that
was never stopped.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import struct
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator

import numpy as np

import sheaf

DIGITS = pathlib.Path(__file__).parent.parent / "testdata/digits"
SHARDS = 4
SWEEPS = 12
BATCH_SIZE = 32
LEARNING_RATE = 0.5
CROP = "random_resized_crop:image:size=8,scale=0.8:1,ratio=0.9:1.1"


def png(pixels: np.ndarray) -> bytes:
    """Encode grey pixels, [height, width] of uint8."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


def write_shards(name: str, folder: pathlib.Path) -> str:
    """Write the digits of a CTF file as shards of 16 x 16 images, and return their pattern."""
    streams = {"features": sheaf.Stream(dim=64), "labels": sheaf.Stream(dim=10, sparse=True)}
    number = 0
    with contextlib.ExitStack() as stack:
        shards = [
            stack.enter_context(tarfile.open(folder / f"{name}-{i:03d}.tar", "w"))
            for i in range(SHARDS)
        ]
        for minibatch in sheaf.Reader(DIGITS / f"{name}.ctf", streams, batch_size=BATCH_SIZE):
            images = (minibatch["features"].values.reshape(-1, 8, 8) * 15).astype(np.uint8)
            for image, label in zip(images, minibatch["labels"].indices, strict=True):
                large = np.kron(image, np.ones((2, 2), np.uint8))
                for suffix, content in ("png", png(large)), ("cls", str(label).encode()):
                    entry = tarfile.TarInfo(f"{number:05d}.{suffix}")
                    entry.size = len(content)
                    shards[number % SHARDS].addfile(entry, io.BytesIO(content))
                number += 1
    return str(folder / f"{name}-*.tar")


def reader_of(shards: str, rank: int = 0, world_size: int = 1) -> sheaf.Reader:
    return sheaf.Reader(
        shards,
        transforms=["decode:image:color=grey", CROP],
        batch_size=BATCH_SIZE,
        order="keyed",
        seed=7,
        sweeps=SWEEPS,
        rank=rank,
        world_size=world_size,
    )


def batches(minibatch: sheaf.Minibatch) -> tuple[np.ndarray, np.ndarray]:
    images = minibatch["image"].values  # uint8: [images, 1, 8, 8, 1]
    assert images.dtype == np.uint8
    return images.reshape(len(images), 64) / np.float32(255), minibatch["cls"].values.ravel()


def images_of_all(readers: list[Iterator[sheaf.Minibatch]]) -> dict[str, bytes]:
    """Return the next minibatch of all workers: pixels by key."""
    found: dict[str, bytes] = {}
    for reader in readers:
        minibatch = next(reader)
        for key, image in zip(minibatch.key_texts, minibatch["image"].values, strict=True):
            found[key] = image.tobytes()
    return found


def check_resume(shards: str) -> None:
    whole = iter(reader_of(shards))
    expected = [images_of_all([whole]) for _ in range(20)]
    two = [reader_of(shards, i, 2) for i in range(2)]
    both = [iter(reader) for reader in two]
    delivered = [images_of_all(both) for _ in range(9)]
    three = [reader_of(shards, i, 3) for i in range(3)]
    for reader in three:
        reader.load_state_dict(two[0].state_dict())
    all_three = [iter(reader) for reader in three]
    delivered += [images_of_all(all_three) for _ in range(11)]
    assert delivered == expected
    print("two workers, then three: the pixels are those of the whole run")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        train, test = write_shards("train", folder), write_shards("test", folder)
        check_resume(train)

        weights, biases = np.zeros((64, 10), np.float32), np.zeros(10, np.float32)
        for minibatch in reader_of(train):
            images, labels = batches(minibatch)
            scores = images @ weights + biases
            exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
            error = exponentials / exponentials.sum(axis=1, keepdims=True)
            error[np.arange(len(labels)), labels] -= 1
            weights -= LEARNING_RATE / len(labels) * images.T @ error
            biases -= LEARNING_RATE / len(labels) * error.sum(axis=0)

        right = count = 0
        steps = ["decode:image:color=grey", "resize:image:size=8x8"]
        for minibatch in sheaf.Reader(test, transforms=steps, batch_size=BATCH_SIZE):
            images, labels = batches(minibatch)
            right += int(((images @ weights + biases).argmax(axis=1) == labels).sum())
            count += len(labels)
        print(f"test accuracy: {100 * right / count:.1f} %")


if __name__ == "__main__":
    main()
