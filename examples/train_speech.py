#!/usr/bin/env python3
"""Learn spoken digits from WAV files, in a run that is killed and resumes with more processes.

train_speech.py [FOLDER]          shows everything, in FOLDER or in a temporary folder
train_speech.py FOLDER RUN COUNT  trains with COUNT processes; FOLDER/RUN.npz is the checkpoint

This program makes the recordings, from two gliding tones a digit and noise. `fbank` turns them into
log-mel frames, `spec_augment` masks parts of the frames, and buckets put utterances of similar
length together. The size of a minibatch counts frames. sheaf knows their number before it reads a
recording.

A run prints a line for each step: the number of the step, the number of utterances, and a checksum
of their keys and of their masked frames. The first run has one process and is not disturbed. The
second run has two processes and is killed. The third run resumes from the checkpoint with three
processes. The lines of the second and third run equal those of the first. (The weights differ in
their last digits, because three processes add the gradients in another order than one does.)
"""

from __future__ import annotations

import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import subprocess
import sys
import tempfile
import wave
import zlib
from typing import Any

import numpy as np

import sheaf

DIGITS, HIDDEN, EPOCHS = 10, 48, 16
RATE = 8000  # samples a second
FRAMES_IN_MINIBATCH = 1200
STEPS_BETWEEN_CHECKPOINTS = 10
KILL_BEHIND_STEP = 47
LEARNING_RATE = 1.0

Weights = dict[str, np.ndarray]


def spoken(digit: int, random: np.random.Generator) -> np.ndarray:
    """Return two tones that glide between the pitches of a digit, for 0.25 to 0.8 seconds."""
    of_digit = np.random.default_rng(100 + digit)
    pitches = of_digit.uniform((300, 300, 1200, 1200), (1100, 1100, 3000, 3000))
    pitches *= random.uniform(0.93, 1.07)  # another speaker
    count = int(random.uniform(0.25, 0.8) * RATE)
    low = np.linspace(pitches[0], pitches[1], count)
    high = np.linspace(pitches[2], pitches[3], count)
    tones = np.sin(2 * np.pi * np.cumsum(low) / RATE) + np.sin(2 * np.pi * np.cumsum(high) / RATE)
    return (4000 * tones + random.normal(scale=2500, size=count)).round().clip(-32768, 32767)


def make_corpus(folder: pathlib.Path) -> None:
    random = np.random.default_rng(5)
    for part, speakers in (("train", 30), ("test", 10)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        with (folder / f"{part}.ctf").open("w") as labels:
            for speaker in range(speakers):
                for digit in range(DIGITS):
                    key = f"{part}-{speaker:02}-{digit}"
                    with wave.open(str(folder / part / f"{key}.wav"), "wb") as file:
                        file.setparams((1, 2, RATE, 0, "NONE", ""))
                        file.writeframes(spoken(digit, random).astype("<i2").tobytes())
                    labels.write(f"{key} |digit {digit}:1\n")


def open_reader(folder: pathlib.Path, part: str, **worker: int) -> sheaf.Reader:
    audio = {
        "files": str(folder / part / "*.wav"),
        "keys": "text",
        "streams": [{"name": "audio", "shape": [1], "defines_minibatch_size": True}],
        "format_options": {"wav.scale": "int16"},
    }
    labels = {
        "files": str(folder / f"{part}.ctf"),
        "keys": "text",
        "streams": [{"name": "digit", "storage": "sparse", "shape": [DIGITS]}],
    }
    masks = "spec_augment:audio:time_masks=1,time_width=8,frequency_masks=1,frequency_width=4"
    transforms = [
        f"fbank:audio:sample_rate={RATE},num_mel_bins=23",
        "standardize:audio:per=sequence",  # the mean is 0 now, like the value of a mask
        *([masks] if part == "train" else []),
        "context:audio:left=3,right=3",
        "rename:audio:as=frames",
    ]
    read = {"minibatch_size": FRAMES_IN_MINIBATCH, "packing": "padded"}
    if part == "train":
        read |= {"order": "keyed", "seed": 1, "batching": "bucketed"}
    spec = {"data": {"join": [audio, labels], "transforms": transforms}, "read": read}
    return sheaf.Reader(spec=spec, **worker)


def scores(minibatch: sheaf.Minibatch, weights: Weights) -> tuple[np.ndarray, ...]:
    """Return scores of the digits for each utterance, from the mean hidden layer of its frames."""
    frames = minibatch["frames"]
    hidden = np.maximum(frames.values @ weights["hidden"], 0)  # [utterances, frames, HIDDEN]
    share = frames.mask / frames.lengths[:, None]  # 0 for padding
    mean = np.einsum("uth,ut->uh", hidden, share)
    return hidden, share, mean, mean @ weights["output"]


def gradient(minibatch: sheaf.Minibatch, weights: Weights) -> Weights:
    """Return the gradient of the cross entropy, summed over the utterances."""
    hidden, share, mean, error = scores(minibatch, weights)
    error = np.exp(error - error.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(error)), minibatch["digit"].indices] -= 1
    back = (error @ weights["output"].T)[:, None] * share[:, :, None] * (hidden > 0)
    frames = minibatch["frames"].values
    return {
        "hidden": frames.reshape(-1, frames.shape[2]).T @ back.reshape(-1, HIDDEN),
        "output": mean.T @ error,
    }


def checksums(minibatch: sheaf.Minibatch) -> dict[str, int]:
    """Return a checksum of the masked frames of each utterance, by its key."""
    frames = minibatch["frames"]
    return {
        key: zlib.crc32(values[:length].tobytes())
        for key, values, length in zip(
            minibatch.key_texts, frames.values, frames.lengths, strict=True
        )
    }


def work(
    connection: multiprocessing.connection.Connection, folder: pathlib.Path, rank: int, count: int,
    state: dict[str, Any] | None,
) -> None:  # fmt: skip
    """Run process `rank` of `count`: receive weights, send the gradient of its share of a step."""
    reader = open_reader(folder, "train", rank=rank, world_size=count)
    if state is not None:
        reader.load_state_dict(state)
    try:
        while reader.epoch < EPOCHS:
            for minibatch in reader:
                part = gradient(minibatch, connection.recv())
                connection.send((part, checksums(minibatch), reader.state_dict()))
        connection.recv()
        connection.send(None)
    except (EOFError, ConnectionError):  # the first process was killed
        pass


def start(folder: pathlib.Path, count: int, state: dict[str, Any] | None) -> list[Any]:
    context = multiprocessing.get_context("spawn")
    connections = []
    for rank in range(count):
        ours, theirs = context.Pipe()
        arguments = (theirs, folder, rank, count, state)
        context.Process(target=work, args=arguments, daemon=True).start()
        theirs.close()
        connections.append(ours)
    return connections


def save(checkpoint: pathlib.Path, weights: Weights, **values: Any) -> None:
    with checkpoint.with_suffix(".partial").open("wb") as file:
        np.savez(file, place=json.dumps(values), **weights)
    os.replace(checkpoint.with_suffix(".partial"), checkpoint)  # complete or absent


def train(folder: pathlib.Path, run: str, count: int) -> None:
    """Train with `count` processes, starting from the checkpoint of the run."""
    random = np.random.default_rng(3)
    weights = {
        "hidden": random.normal(scale=0.1, size=(7 * 23, HIDDEN)),
        "output": random.normal(scale=0.1, size=(HIDDEN, DIGITS)),
    }
    step, state = 0, None
    checkpoint = folder / f"{run}.npz"
    if checkpoint.exists():
        with np.load(checkpoint) as saved:
            weights = {name: saved[name] for name in weights}
            place = json.loads(str(saved["place"]))
        step, state = place["step"], place["reader"]
    workers = start(folder, count, state)
    while True:
        for worker in workers:
            worker.send(weights)
        answers = [worker.recv() for worker in workers]
        if answers[0] is None:  # all processes have the same number of steps
            break
        step += 1
        state = answers[0][2]  # any process can load the state of any other
        seen = sorted(pair for _, sums, _ in answers for pair in sums.items())
        for name in weights:
            weights[name] -= LEARNING_RATE / len(seen) * sum(part[name] for part, _, _ in answers)
        print(step, len(seen), f"{zlib.crc32(repr(seen).encode()):08x}", flush=True)
        if step % STEPS_BETWEEN_CHECKPOINTS == 0:
            save(checkpoint, weights, step=step, reader=state)
    save(checkpoint, weights, step=step, reader=state)


def lines_of(folder: pathlib.Path, run: str, count: int, kill_behind: int = -1) -> list[str]:
    """Train in another program, and kill the program after a step. Return its lines."""
    command = [sys.executable, __file__, str(folder), run, str(count)]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        for line in program.stdout:
            lines.append(line.strip())
            if line.split()[0] == str(kill_behind):
                program.kill()
    assert program.returncode == 0 or kill_behind > 0, "the training failed"
    return lines


def accuracy(folder: pathlib.Path, run: str) -> float:
    with np.load(folder / f"{run}.npz") as saved:
        weights = {name: saved[name] for name in ("hidden", "output")}
    right = count = 0
    for minibatch in open_reader(folder, "test"):
        found = scores(minibatch, weights)[-1].argmax(axis=1)
        right += int((found == minibatch["digit"].indices).sum())
        count += len(found)
    return 100 * right / count


def show(folder: pathlib.Path) -> None:
    make_corpus(folder)
    for run in ("whole", "killed"):
        (folder / f"{run}.npz").unlink(missing_ok=True)
    whole = lines_of(folder, "whole", 1)
    killed = lines_of(folder, "killed", 2, KILL_BEHIND_STEP)
    resumed = lines_of(folder, "killed", 3)
    print(f"whole run: {len(whole)} steps of 1 process")
    print(f"killed behind step {killed[-1].split()[0]} of 2 processes")
    first = int(resumed[0].split()[0])
    print(f"resumed at step {first} with 3 processes")
    assert killed == whole[: len(killed)], "the killed run had other minibatches"
    assert resumed == whole[first - 1 :], "the resumed run had other minibatches"
    assert first <= len(killed) + 1, "steps are missing"
    print("the minibatches are those of the whole run")
    for run in ("whole", "killed"):
        right = accuracy(folder, run)
        print(f"{run}: {right:.1f} % of the test recordings are right")
        assert right >= 90


def main() -> None:
    if len(sys.argv) == 4:
        train(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 2:
        show(pathlib.Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            show(pathlib.Path(folder))


if __name__ == "__main__":
    main()
