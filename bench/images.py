#!/usr/bin/env python3
"""Measure images in sheaf.cntk against loops that do the same with OpenCV and torch.

    bench/images.py [--images 2000] [--size 256] [--runs 5] [--folder /tmp] [--threads 2]

JPEG files are written once. Each run reads all of them in the order of the list, cuts 224 x 224
pixels at random, and makes minibatches of 64 images: arrays [images, 3, 224, 224] of float32. The
programs are a loop, a torch DataLoader with 0 and 2 workers if torch is installed, and sheaf on one
and on several threads. `trained` simulates a model that takes 100 ms for each minibatch, during
which reading ahead continues. The programs take turns. The script prints medians, minima and
maxima.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np

import sheaf.cntk as C_io  # noqa: N812 - CNTK's name
from sheaf.cntk import transforms

try:
    import torch
except ImportError:
    torch = None

CUT = 224
BATCH = 64
TRAINING_SECONDS = 0.1


def write_images(folder: pathlib.Path, count: int, size: int) -> pathlib.Path:
    """Write images of smooth noise, which compresses as photographs do. Returns their list."""
    made = folder / f"images-{count}-{size}"
    made.mkdir(exist_ok=True)
    random_state = np.random.default_rng(1)
    lines = []
    for i in range(count):
        path = made / f"{i}.jpg"
        if not path.exists():
            coarse = random_state.integers(0, 256, (size // 8, size // 8, 3)).astype(np.uint8)
            cv2.imwrite(str(path), cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC))
        lines.append(f"{path}\t{i % 10}\n")
    listed = folder / f"images-{count}-{size}.txt"
    listed.write_text("".join(lines))
    return listed


class Images:
    """The code of a program without sheaf: returns an image by number."""

    def __init__(self, listed: pathlib.Path) -> None:
        self.lines = [line.split("\t") for line in listed.read_text().splitlines()]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> tuple[Any, int]:
        path, label = self.lines[number]
        image = cv2.imread(path)
        y = random.randrange(image.shape[0] - CUT + 1)
        x = random.randrange(image.shape[1] - CUT + 1)
        part = image[y : y + CUT, x : x + CUT]
        return np.ascontiguousarray(part.transpose(2, 0, 1), np.float32), int(label)


def loop(listed: pathlib.Path) -> Iterator[Any]:
    images = Images(listed)
    for begin in range(0, len(images), BATCH):
        yield np.stack([images[i][0] for i in range(begin, min(begin + BATCH, len(images)))])


def data_loader(listed: pathlib.Path, workers: int) -> Iterator[Any]:
    loader = torch.utils.data.DataLoader(Images(listed), batch_size=BATCH, num_workers=workers)
    for images, _ in loader:
        yield images


def with_sheaf(listed: pathlib.Path, threads: int) -> Iterator[Any]:
    streams = C_io.StreamDefs(
        image=C_io.StreamDef(
            field="image",
            transforms=[
                transforms.crop("randomside", crop_size=CUT),
                transforms.scale(width=CUT, height=CUT, channels=3),
            ],
        ),
        label=C_io.StreamDef(field="label", shape=10),
    )
    source = C_io.MinibatchSource(
        C_io.ImageDeserializer(str(listed), streams),
        randomize=False,
        max_sweeps=1,
        num_threads=threads,
    )
    while minibatch := source.next_minibatch(BATCH):
        yield minibatch[source.streams.image].asarray()


def seconds(minibatches: Iterator[Any], count: int, training: float) -> float:
    begin = time.perf_counter()
    seen = 0
    for images in minibatches:
        assert tuple(images.shape[-3:]) == (3, CUT, CUT)
        seen += len(images)
        if training:
            time.sleep(training)
    assert seen == count
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    listed = write_images(options.folder, options.images, options.size)
    cv2.setNumThreads(1)

    programs: dict[str, Callable[[], Iterator[Any]]] = {"loop": lambda: loop(listed)}
    if torch is not None:
        programs["torch DataLoader 0"] = lambda: data_loader(listed, 0)
        programs["torch DataLoader 2"] = lambda: data_loader(listed, 2)
    programs["sheaf 1"] = lambda: with_sheaf(listed, 1)
    programs[f"sheaf {options.threads}"] = lambda: with_sheaf(listed, options.threads)
    for title, training in (("read", 0.0), ("trained", TRAINING_SECONDS)):
        measured: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(options.runs):
            for name, program in programs.items():
                measured[name].append(seconds(program(), options.images, training))
        for name, values in measured.items():
            median = statistics.median(values)
            print(
                f"{title:8} {name:18} {median:6.2f} s ({min(values):.2f} - {max(values):.2f}), "
                f"{options.images / median:6.0f} images/s, "
                f"{statistics.median(measured['loop']) / median:.2f} x loop"
            )


if __name__ == "__main__":
    main()
