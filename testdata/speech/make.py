#!/usr/bin/env python3
"""Make the small corpus of this folder: synthesized speech, its features and its labels.

    testdata/speech/make.py [FOLDER]

An utterance is silence, some sounds and silence. A vowel is a buzz through two resonances, /s/ and
/f/ are noise. The features are 12 logarithms of energies in mel bands, every 10 ms, in one HTK file
of 16-bit values (`_C`); lists name the utterances; the labels are an MLF with times in 100 ns.
"""

from __future__ import annotations

import pathlib
import struct
import sys

import numpy as np

RATE, FRAME, WINDOW, BANDS = 8000, 80, 200, 12
VOWELS = {"a": (730, 1090), "e": (530, 1840), "i": (270, 2290), "o": (570, 840), "u": (300, 870)}
NOISES = {"s": (3000, 3900), "f": (1200, 3900)}
STATES = ["sil", *VOWELS, *NOISES]
UTTERANCES, TESTS = 40, 10


def sound(name: str, size: int, rng: np.random.Generator) -> np.ndarray:
    time = np.arange(size) / RATE
    frequencies = np.fft.rfftfreq(size, 1 / RATE)
    if name in VOWELS:
        pitch = rng.uniform(90, 220)
        source = np.sign(np.sin(2 * np.pi * pitch * time)) + 0.1 * rng.standard_normal(size)
        shift = rng.uniform(0.9, 1.1)  # of the speaker
        gain = sum(1 / (1 + ((frequencies - f * shift) / 90) ** 2) for f in VOWELS[name])
    elif name in NOISES:
        source = 2 * rng.standard_normal(size)
        low, high = NOISES[name]
        gain = ((frequencies > low) & (frequencies < high)).astype(float)
    else:
        return 0.02 * rng.standard_normal(size)
    return np.fft.irfft(np.fft.rfft(source) * gain, size) * rng.uniform(0.5, 1.5)


def mel(frequency: np.ndarray | float) -> np.ndarray | float:
    return 1127 * np.log1p(np.asarray(frequency) / 700)


def features(wave: np.ndarray) -> np.ndarray:
    count = len(wave) // FRAME
    padded = np.concatenate([wave, np.zeros(WINDOW)])
    frames = np.stack([padded[t * FRAME : t * FRAME + WINDOW] for t in range(count)])
    power = np.abs(np.fft.rfft(frames * np.hamming(WINDOW), 256)) ** 2
    edges = np.linspace(mel(60), mel(RATE / 2), BANDS + 2)
    place = mel(np.fft.rfftfreq(256, 1 / RATE))
    rising = (place[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - place[None]) / (edges[2:] - edges[1:-1])[:, None]
    bank = np.maximum(0, np.minimum(rising, falling))
    return np.log(power @ bank.T + 1e-3)


def utterance(rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[str, int]]]:
    names = ["sil", *rng.choice(STATES[1:], rng.integers(4, 8)), "sil"]
    runs = [(str(name), int(rng.integers(5, 13))) for name in names]
    wave = np.concatenate([sound(name, count * FRAME, rng) for name, count in runs])
    return features(wave + 0.01 * rng.standard_normal(len(wave))), runs


def compressed(values: np.ndarray) -> bytes:
    """HTK's 16 bits: value = (number + B) / A."""
    low, high = values.min(axis=0), values.max(axis=0)
    scale = (2 * 32767 / (high - low)).astype(">f4")
    offset = ((high + low) * 32767 / (high - low)).astype(">f4")
    numbers = np.rint(values * scale - offset).astype(">i2")
    header = struct.pack(">iihH", len(values) + 4, 100_000, 2 * BANDS, 9 | 0o2000)
    return header + scale.tobytes() + offset.tobytes() + numbers.tobytes()


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    rng = np.random.Generator(np.random.PCG64(2015))
    values, lists, labels, first = [], {"train": "", "test": ""}, "#!MLF!#\n", 0
    for i in range(UTTERANCES):
        frames, runs = utterance(rng)
        values.append(frames)
        name, last = f"u{i:02}", first + len(frames) - 1
        part = "train" if i < UTTERANCES - TESTS else "test"
        lists[part] += f"{name}.mfc=.../features.htk[{first},{last}]\n"
        labels += f'"{name}.lab"\n'
        at = 0
        for state, count in runs:
            labels += f"{at * 100_000} {(at + count) * 100_000} {state}\n"
            at += count
        labels += ".\n"
        first = last + 1
    (folder / "features.htk").write_bytes(compressed(np.concatenate(values)))
    for part, text in lists.items():
        (folder / f"{part}.scp").write_text(text)
    (folder / "labels.mlf").write_text(labels)
    (folder / "states.list").write_text("".join(f"{state}\n" for state in STATES))


if __name__ == "__main__":
    main()
