#!/usr/bin/env python3
"""Draw the figures of README.md and docs/: docs/figures/*.svg.

tools/figures.py           writes the figures
tools/figures.py --check   fails if a committed figure differs from the drawn one

The numbers in the figures match the data that sheaf delivers: python/tests/test_figures.py reads
the same data with sheaf and compares.
"""

from __future__ import annotations

import pathlib
import sys
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "figures"

# order.svg: six chunks of four sequences, shuffled with order="cntk", seed=3, window=3.
CHUNK_COUNT, CHUNK_SIZE, SEED, WINDOW = 6, 4, 3, 3
SHUFFLED_CHUNKS = [5, 3, 4, 2, 0, 1]
MINIBATCHES = [
    [23, 22, 20, 13],
    [17, 15, 18, 21],
    [14, 12, 19, 16],
    [9, 11, 10, 2],
    [7, 1, 4, 6],
    [3, 5, 8, 0],
]

# keyed.svg: the same file with order="keyed", seed=3: two epochs, and two workers in epoch 0.
KEYED_EPOCHS = [
    [
        [23, 10, 1, 16],
        [12, 6, 9, 21],
        [4, 7, 17, 11],
        [15, 2, 20, 3],
        [14, 22, 5, 0],
        [19, 18, 8, 13],
    ],
    [
        [10, 0, 12, 1],
        [5, 3, 19, 6],
        [20, 8, 16, 4],
        [18, 2, 7, 14],
        [11, 23, 9, 22],
        [13, 17, 15, 21],
    ],
]
KEYED_WORKERS = [
    [[10, 1], [6, 9], [7, 11], [2, 3], [5, 0], [19, 8]],
    [[23, 16], [12, 21], [4, 17], [15, 20], [14, 22], [18, 13]],
]

# packings.svg: four sequences. A sample is (sequence, number); None is padding.
LENGTHS = [3, 1, 2, 4]
ROW_SAMPLES = 5
Grid = list[list[tuple[int, int] | None]]  # table rows as drawn


def samples(sequence: int) -> list[tuple[int, int] | None]:
    return [(sequence, number) for number in range(LENGTHS[sequence])]


def padded() -> Grid:
    longest = max(LENGTHS)
    rows = [samples(sequence) for sequence in range(len(LENGTHS))]
    return [row + [None] * (longest - len(row)) for row in rows]


def slots(filled: list[list[int]], steps: int) -> Grid:
    """Return the array: a row for each step, a column for each slot with its sequences."""
    columns = [[one for sequence in slot for one in samples(sequence)] for slot in filled]
    return [[slot[step] if step < len(slot) else None for slot in columns] for step in range(steps)]


PACKINGS: dict[str, Grid] = {
    "padded": padded(),
    "ragged": [[one for sequence in range(len(LENGTHS)) for one in samples(sequence)]],
    "packed": slots([[0, 1], [2], [3]], max(LENGTHS)),
    "rows": slots([[1, 3], [0, 2]], ROW_SAMPLES),
}

COLORS = ["#8ecae6", "#ffb703", "#90be6d", "#f4978e", "#cdb4db", "#d4a373"]
STYLE = """\
text { font: 12px sans-serif; fill: #24292f } .head { font-weight: bold; font-size: 13px }
.cell { fill: #1b1f24; text-anchor: middle; font-size: 11px } .mid { text-anchor: middle }
.code { font-family: monospace } .paper { fill: #ffffff } .pad { fill: #eceff2; stroke: #b7bec8 }
.line { fill: none; stroke: #57606a }
@media (prefers-color-scheme: dark) {
text { fill: #d5dbe1 } .cell { fill: #1b1f24 } .paper { fill: #14181d }
.pad { fill: #262c33; stroke: #4b535d } .line { stroke: #9aa4ae } }
"""


@dataclass
class Drawing:
    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        mark = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{mark}>{text}</text>')

    def cell(self, x: float, y: float, size: tuple[int, int], color: str | None, text: str) -> None:
        """Draw a box with a text; no color means padding."""
        fill = f'fill="{color}" stroke="#57606a"' if color else 'class="pad"'
        width, height = size
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{height}" rx="2" {fill}/>'
        )
        if text:
            self.text(x + width / 2, y + height / 2 + 4, text, "cell")

    def bracket(self, x: float, y: float, width: float, text: str) -> None:
        self.parts.append(f'<path class="line" d="M{x:g} {y:g}v6h{width:g}v-6"/>')
        self.text(x + width / 2, y + 20, text, "mid")

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{self.title}">\n'
            f"<style>{STYLE}</style>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="6" class="paper"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def sequences(drawing: Drawing, x: float, y: float, keys: list[int]) -> None:
    """Draw a group of sequences, each in the color of its chunk."""
    for index, key in enumerate(keys):
        color = COLORS[key // CHUNK_SIZE]
        drawing.cell(x + index * 32, y, (32, 24), color, str(key))


def chunk(number: int) -> list[int]:
    return list(range(number * CHUNK_SIZE, (number + 1) * CHUNK_SIZE))


def order() -> str:
    drawing = Drawing(920, 292, "From the file to minibatches")
    left, step = 70, 140
    rows = [
        ("file", [chunk(number) for number in range(CHUNK_COUNT)], 42),
        ("sweep", [chunk(number) for number in SHUFFLED_CHUNKS], 126),
        ("read", MINIBATCHES, 238),
    ]
    drawing.text(left, 28, "chunk: sequences that are read and dropped together", "head")
    drawing.text(left, 112, "sweep: every chunk once, in an order drawn from the seed", "head")
    drawing.text(left, 224, "minibatch: sequences drawn from the window, which moves on", "head")
    for name, groups, y in rows:
        drawing.text(12, y + 16, name)
        for index, keys in enumerate(groups):
            sequences(drawing, left + index * step, y, keys)
    drawing.bracket(left, 154, 2 * step + 128, "window: the chunks in memory, here 3")
    for index in range(CHUNK_COUNT):
        drawing.text(left + index * step + 64, 280, f"minibatch {index}", "mid")
    return drawing.svg()


def keyed() -> str:
    drawing = Drawing(920, 332, "The order keyed, from the file to minibatches")
    left, step = 82, 140
    drawing.text(left, 28, "file: 24 sequences, coloured by their place in the file", "head")
    for index in range(CHUNK_COUNT):
        sequences(drawing, left + index * step, 42, chunk(index))
    drawing.text(
        left,
        104,
        "minibatches of 4: each epoch has an order of its own, drawn from the seed",
        "head",
    )
    rows = [("epoch 0", KEYED_EPOCHS[0], 118), ("epoch 1", KEYED_EPOCHS[1], 154)]
    drawing.text(
        left,
        220,
        "on 2 processes: each delivers its share of the same minibatches, here of epoch 0",
        "head",
    )
    rows += [("process 0", KEYED_WORKERS[0], 234), ("process 1", KEYED_WORKERS[1], 270)]
    for name, groups, y in rows:
        drawing.text(12, y + 16, name)
        for place, keys in enumerate(groups):
            sequences(drawing, left + place * step, y, keys)
    for place in range(CHUNK_COUNT):
        drawing.text(left + place * step + 64, 318, f"minibatch {place}", "mid")
    return drawing.svg()


def grid(drawing: Drawing, x: float, y: float, rows: Grid) -> None:
    for down, row in enumerate(rows):
        for across, one in enumerate(row):
            color = COLORS[one[0]] if one else None
            text = "abcd"[one[0]] + str(one[1]) if one else "0"
            drawing.cell(x + across * 30, y + down * 24, (30, 24), color, text)


def packings() -> str:
    drawing = Drawing(920, 404, "How sequences lie in a minibatch")
    places = {
        "padded": (20, 142, 'packing="padded"', "[sequences, longest]", "with mask and lengths"),
        "ragged": (
            20,
            322,
            'packing="ragged"',
            "[samples of all sequences]",
            "offsets 0 3 4 6 10: no padding, for attention kernels and nested tensors",
        ),
        "packed": (
            310,
            142,
            'packing="packed"',
            "[steps, slots]",
            "a short one follows in the same slot",
        ),
        "rows": (
            620,
            142,
            'packing="packed", row_samples=5',
            "[5 steps, slots]",
            "every slot has exactly 5 steps",
        ),
    }
    drawing.text(20, 28, "Four sequences of one stream", "head")
    for sequence in range(len(LENGTHS)):
        grid(drawing, 20 + sequence * 150, 40, [samples(sequence)])
    for name, (x, y, option, shape, note) in places.items():
        drawing.text(x, y - 44, option, "head code")
        drawing.text(x, y - 26, shape, "code")
        drawing.text(x, y - 9, note)
        grid(drawing, x, y, PACKINGS[name])
    drawing.text(
        20, 384, "Where each sequence has one sample, packing=&quot;frames&quot; is [sequences]."
    )
    return drawing.svg()


def figures() -> dict[str, str]:
    return {"keyed.svg": keyed(), "order.svg": order(), "packings.svg": packings()}


def main() -> int:
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    for name, text in figures().items():
        path = FOLDER / name
        if not sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"docs/figures/{name} is not what tools/figures.py draws: run it")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
