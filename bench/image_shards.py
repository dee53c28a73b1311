#!/usr/bin/env python3
"""Measure images from tar shards: decode, crop at random, resize to 224 x 224, make minibatches.

    bench/image_shards.py [--images 2000] [--width 500] [--height 375] [--runs 5] [--folder /tmp]
                          [--pipeline torchvision|cntk] [--batch 64]

JPEG files are made once, in one shard. Each run takes all of them in minibatches. sheaf runs on one
and two threads. The others are plain decoding by turbojpeg (simplejpeg) in one thread, a loop over
OpenCV, a loop over Pillow that does the same as torchvision's RandomResizedCrop, and this loop in a
torch DataLoader with two workers. The programs take turns.

`--pipeline cntk` does to images what CNTK does: it cuts a random square of 0.8 to 1 of the shorter
side, mirrors half of the images, resizes by the rules of OpenCV, and puts channels first. The loop
over OpenCV does the same.

The script prints medians, minima and maxima of two speeds: images per processor second, time in the
kernel included, and images per second of the clock. On a busy machine, compare the first speed.
Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import io
import math
import pathlib
import random
import resource
import statistics
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from PIL import Image

import sheaf

try:
    import cv2
except ImportError:
    cv2 = None
try:
    import torch
except ImportError:
    torch = None
try:
    import simplejpeg
except ImportError:
    simplejpeg = None

SIZE = 224


def write_shard(folder: pathlib.Path, count: int, width: int, height: int) -> pathlib.Path:
    """Write a shard of smooth noise, which compresses as photographs do."""
    path = folder / f"images-{count}-{width}x{height}.tar"
    if path.exists():
        return path
    random_state = np.random.default_rng(1)
    with tarfile.open(path, "w") as shard:
        for number in range(count):
            coarse = random_state.integers(0, 256, (height // 6, width // 6, 3)).astype(np.uint8)
            image = Image.fromarray(coarse).resize((width, height), Image.BICUBIC)
            content = io.BytesIO()
            image.save(content, "JPEG", quality=90)
            entry = tarfile.TarInfo(f"{number:06d}.jpg")
            entry.size = len(content.getvalue())
            shard.addfile(entry, io.BytesIO(content.getvalue()))
    return path


def crop_box(width: int, height: int) -> tuple[int, int, int, int]:
    """Return the rectangle of RandomResizedCrop with default options."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1.0)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            x, y = random.randint(0, width - w), random.randint(0, height - h)
            return x, y, x + w, y + h
    return 0, 0, width, height


def with_pillow(encoded: bytes) -> np.ndarray:
    image = Image.open(io.BytesIO(encoded)).convert("RGB")
    box = crop_box(*image.size)
    return np.asarray(image.crop(box).resize((SIZE, SIZE), Image.BILINEAR))


def with_opencv(encoded: bytes) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
    left, top, right, bottom = crop_box(image.shape[1], image.shape[0])
    return cv2.resize(image[top:bottom, left:right], (SIZE, SIZE))


def with_opencv_as_cntk(encoded: bytes) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    side = int(min(height, width) * random.uniform(0.8, 1.0) + 0.5)
    x, y = random.randint(0, width - side), random.randint(0, height - side)
    image = image[y : y + side, x : x + side]
    if random.random() < 0.5:
        image = cv2.flip(image, 1)
    return np.ascontiguousarray(cv2.resize(image, (SIZE, SIZE)).transpose(2, 0, 1))


class Encoded:
    """A torch Dataset of images in memory."""

    def __init__(self, images: list[bytes]) -> None:
        self.images = images

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, number: int) -> Any:
        return torch.from_numpy(with_pillow(self.images[number]).copy())


def loop(images: list[bytes], one: Callable[[bytes], np.ndarray], batch: int) -> Iterator[int]:
    for first in range(0, len(images), batch):
        yield len(np.stack([one(each) for each in images[first : first + batch]]))


def steps_of(pipeline: str, mode: str) -> list[str]:
    if pipeline == "cntk":
        return [
            f"decode:image:color=bgr,rules=opencv,mode={mode}",
            "crop:image:side_ratio=0.8:1,jitter=uniform,at=random,flip=true",
            f"resize:image:size={SIZE}x{SIZE},antialias=false",
            "transpose:image",
        ]
    return [f"decode:image:mode={mode}", f"random_resized_crop:image:size={SIZE}"]


def through_sheaf(path: pathlib.Path, steps: list[str], threads: int, batch: int) -> Iterator[int]:
    reader = sheaf.Reader(path, transforms=steps, batch_size=batch, num_threads=threads)
    for minibatch in reader:
        yield len(minibatch["image"].values)


def programs(
    path: pathlib.Path, images: list[bytes], pipeline: str, batch: int
) -> dict[str, Callable[[], Iterator[int]]]:
    found: dict[str, Callable[[], Iterator[int]]] = {}
    if simplejpeg is not None:
        found["turbojpeg, decoding alone"] = lambda: (
            len(simplejpeg.decode_jpeg(each)[:1]) for each in images
        )
    if cv2 is not None:
        cv2.setNumThreads(1)
        one = with_opencv_as_cntk if pipeline == "cntk" else with_opencv
        found["OpenCV loop"] = lambda: loop(images, one, batch)
    if pipeline != "cntk":
        found["Pillow loop"] = lambda: loop(images, with_pillow, batch)
        if torch is not None:
            torch.set_num_threads(1)
            loader = torch.utils.data.DataLoader(Encoded(images), batch, num_workers=2)
            found["DataLoader, 2 workers"] = lambda: (len(each) for each in loader)
    for threads in 1, 2:
        found[f"sheaf, {threads} thread{'s'[: threads - 1]}"] = lambda threads=threads: (
            through_sheaf(path, steps_of(pipeline, "exact"), threads, batch)
        )
    fast = steps_of(pipeline, "fast")
    found["sheaf, 1 thread, fast"] = lambda: through_sheaf(path, fast, 1, batch)
    return found


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the children that it waited for."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def text_of(rates: list[float]) -> str:
    return f"{statistics.median(rates):6.0f} ({min(rates):5.0f} to {max(rates):5.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--width", type=int, default=500)
    parser.add_argument("--height", type=int, default=375)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--pipeline", choices=("torchvision", "cntk"), default="torchvision")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    options = parser.parse_args()
    path = write_shard(options.folder, options.images, options.width, options.height)
    with tarfile.open(path) as shard:
        images = [shard.extractfile(entry).read() for entry in shard]
    by_processor: dict[str, list[float]] = {}
    by_clock: dict[str, list[float]] = {}
    for _ in range(options.runs):
        for name, program in programs(path, images, options.pipeline, options.batch).items():
            begin, used = time.perf_counter(), processor_seconds()
            count = sum(program())
            assert count == options.images, (name, count)
            by_clock.setdefault(name, []).append(count / (time.perf_counter() - begin))
            by_processor.setdefault(name, []).append(count / (processor_seconds() - used))
    average = sum(map(len, images)) / len(images) / 1024
    print(f"{options.images} JPEG of {options.width} x {options.height}, {average:.0f} KB each")
    print(f"{'':26} {'images a second of a processor':>30} {'by the clock':>23}")
    for name, rates in by_processor.items():
        print(f"{name:26} {text_of(rates):>30} {text_of(by_clock[name]):>23}")


if __name__ == "__main__":
    main()
