#!/usr/bin/env python3
"""A frame classifier on a small corpus of speech, by stochastic gradient descent in NumPy.

train_frames.py [FOLDER]     the folder of train.scp, test.scp, labels.mlf and states.list;
                             testdata/speech by default

The features are HTK files, the labels an MLF. A join puts them together by the names of the
utterances, and `context` gives each frame its neighbours. A network with one hidden layer learns
the state of each frame, once in the order of CNTK and once in order `keyed`.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np

import sheaf

HIDDEN = 64
LEARNING_RATE = 0.3
SWEEPS = 30
BATCH_SIZE = 64
STATES = 8


def spec_of(folder: pathlib.Path, part: str, **read: Any) -> dict[str, Any]:
    features = {"files": str(folder / f"{part}.scp"), "format": "htk", "keys": "text"}
    labels = {
        "files": str(folder / "labels.mlf"),
        "format": "mlf",
        "keys": "text",
        "format_options": {"mlf.states": str(folder / "states.list"), "mlf.as": "ids"},
    }
    transforms = [
        {"type": "rename", "streams": part, "as": "features"},
        {"type": "standardize", "streams": "features", "per": "sequence"},
        {"type": "context", "streams": "features", "left": 4, "right": 4},
    ]
    # Each frame is a sequence, as in CNTK's frameMode, so the order shuffles single frames.
    frames = {"split_frames": True, "packing": "frames", "minibatch_size": BATCH_SIZE}
    return {
        "data": {"join": [features, labels], "lengths": "primary", "transforms": transforms},
        "read": {**frames, **read},
    }


class Network:
    def __init__(self, inputs: int, rng: np.random.Generator) -> None:
        self.hidden = rng.standard_normal((inputs, HIDDEN)) / np.sqrt(inputs)
        self.outputs = rng.standard_normal((HIDDEN, STATES)) / np.sqrt(HIDDEN)

    def scores(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hidden = np.maximum(frames @ self.hidden, 0)
        return hidden, hidden @ self.outputs

    def learn(self, frames: np.ndarray, states: np.ndarray) -> None:
        hidden, scores = self.scores(frames)
        error = np.exp(scores - scores.max(axis=1, keepdims=True))
        error /= error.sum(axis=1, keepdims=True)
        error[np.arange(len(states)), states] -= 1
        error *= LEARNING_RATE / len(states)
        back = (error @ self.outputs.T) * (hidden > 0)
        self.outputs -= hidden.T @ error
        self.hidden -= frames.T @ back


def frames_and_states(minibatch: sheaf.Minibatch) -> tuple[np.ndarray, np.ndarray]:
    return minibatch["features"].values, minibatch["labels"].values[:, 0]


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "testdata/speech").resolve()
    for order in ("cntk", "keyed"):
        network: Network | None = None
        read = {"order": order, "seed": 1, "sweeps": SWEEPS}
        for minibatch in sheaf.Reader(spec=spec_of(folder, "train", **read)):
            frames, states = frames_and_states(minibatch)
            if network is None:
                network = Network(frames.shape[1], np.random.default_rng(1))
            network.learn(frames, states)
        assert network is not None
        right = count = 0
        for minibatch in sheaf.Reader(spec=spec_of(folder, "test")):
            frames, states = frames_and_states(minibatch)
            right += int((network.scores(frames)[1].argmax(axis=1) == states).sum())
            count += len(states)
        print(
            f"{order}: {100 * right / count:.1f} % of {count} frames of test utterances are right"
        )


if __name__ == "__main__":
    main()
