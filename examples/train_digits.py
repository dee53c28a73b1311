#!/usr/bin/env python3
"""Softmax regression on handwritten digits, by stochastic gradient descent in NumPy.

train_digits.py [FOLDER]     the folder of train.ctf and test.ctf; testdata/digits by default
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np

import sheaf

STREAMS = {"features": sheaf.Stream(dim=64), "labels": sheaf.Stream(dim=10, sparse=True)}
PIXEL_MAX = 16
LEARNING_RATE = 0.5
SWEEPS = 40
BATCH_SIZE = 32


def images_and_labels(minibatch: sheaf.Minibatch) -> tuple[np.ndarray, np.ndarray]:
    # A sequence is one image: values are [sequences, 1, 64]. Each row of labels has one index.
    return minibatch["features"].values[:, 0] / PIXEL_MAX, minibatch["labels"].indices


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "testdata/digits")
    weights, biases = np.zeros((64, 10), np.float32), np.zeros(10, np.float32)

    reader = sheaf.Reader(folder / "train.ctf", STREAMS, batch_size=BATCH_SIZE, sweeps=SWEEPS)
    for minibatch in reader:
        images, labels = images_and_labels(minibatch)
        scores = images @ weights + biases
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = exponentials / exponentials.sum(axis=1, keepdims=True)
        error[np.arange(len(labels)), labels] -= 1
        weights -= LEARNING_RATE / len(labels) * images.T @ error
        biases -= LEARNING_RATE / len(labels) * error.sum(axis=0)
    stats = reader.stats
    print(f"NumPy: learned from {stats['minibatches']} minibatches, {stats['sequences']} sequences")

    right = count = 0
    for minibatch in sheaf.Reader(folder / "test.ctf", STREAMS, batch_size=BATCH_SIZE):
        images, labels = images_and_labels(minibatch)
        right += int(((images @ weights + biases).argmax(axis=1) == labels).sum())
        count += len(labels)
    print(f"NumPy: test accuracy: {100 * right / count:.1f} %")


if __name__ == "__main__":
    main()
