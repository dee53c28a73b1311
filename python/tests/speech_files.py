"""Speech files made for tests: features, labels, lattices."""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Sequence

import numpy as np


def frames_of(*counts: int, dim: int = 2, base: int = 0) -> list[np.ndarray]:
    """Return utterances with these numbers of frames. Each frame has distinct values."""
    return [
        np.arange(count * dim, dtype=np.float32).reshape(count, dim) + base + 100 * i
        for i, count in enumerate(counts)
    ]


def write_features(folder: pathlib.Path, name: str, frames: Sequence[np.ndarray]) -> str:
    """Write one HTK file and its list: an utterance u0, u1, ... for each array of ``frames``."""
    values = np.concatenate(frames).astype(">f4")
    header = struct.pack(">iihh", len(values), 100_000, 4 * values.shape[1], 9)
    (folder / f"{name}.htk").write_bytes(header + values.tobytes())
    lines, first = [], 0
    for i, each in enumerate(frames):
        lines.append(f"u{i}.x={folder}/{name}.htk[{first},{first + len(each) - 1}]")
        first += len(each)
    (folder / f"{name}.scp").write_text("\n".join(lines) + "\n")
    return str(folder / f"{name}.scp")


def write_labels(folder: pathlib.Path, *utterances: str) -> tuple[str, str]:
    """Write an MLF and its states: for each utterance the state, a, b or c, of each frame."""
    text = "#!MLF!#\n"
    for i, states in enumerate(utterances):
        text += f'"u{i}.lab"\n'
        text += "".join(f"{t} {t + 1} {state}\n" for t, state in enumerate(states)) + ".\n"
    (folder / "l.mlf").write_text(text)
    (folder / "states").write_text("a\nb\nc\n")
    return str(folder / "l.mlf"), str(folder / "states")


def lattice_of(node_times: Sequence[int]) -> bytes:
    """Return a lattice without edges, with nodes at these frames; the last is the frame count."""
    nodes = struct.pack(f"<{len(node_times)}H", *node_times)
    head = struct.pack("<IIffdII", len(node_times), 0, -1.0, 0.0, 0.01, node_times[-1], 0)
    parts = [b"NODS", struct.pack("<i", len(node_times)), nodes, b"EDGS", struct.pack("<i", 0)]
    return b"LAT " + struct.pack("<i", 2) + head + b"".join(parts) + b"ALNS\0\0\0\0END "


def write_lattices(folder: pathlib.Path, blocks: Sequence[bytes]) -> str:
    """Write an archive and its table of contents: a lattice for each of u0, u1, ..."""
    (folder / "l.bin").write_bytes(b"".join(blocks))
    offset, text = 0, ""
    for i, block in enumerate(blocks):
        text += f"u{i}={folder if i == 0 else ''}{'/l.bin' if i == 0 else ''}[{offset}]\n"
        offset += len(block)
    (folder / "l.toc").write_text(text)
    return str(folder / "l.toc")
