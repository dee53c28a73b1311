"""The order of a program's own sources, which equals that of CNTK 2.x, number by number.

Each worker has a timeline of its own. A *window* has the sequences, and the ends of sweeps, between
two loads. It consists of *segments*, one for each sweep that it touches, so that a window of many
sweeps takes no more memory than one sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .errors import SourceError
from .values import text_list

_WORDS, _MIDDLE = 312, 156
_MASK = 2**64 - 1
_UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
_MATRIX = np.uint64(0xB5026F5AA96619E9)

Entry = tuple[int, int] | None
"""Of a window: chunk and number of a sequence; or the end of a sweep."""


class Mt19937:
    """The generator std::mt19937_64."""

    def __init__(self, seed: int) -> None:
        word = seed & _MASK
        words = [word]
        for i in range(1, _WORDS):
            word = (6364136223846793005 * (word ^ (word >> 62)) + i) & _MASK
            words.append(word)
        self._state = np.array(words, np.uint64)
        self._left: list[int] = []

    def __call__(self) -> int:
        if not self._left:
            self._left = self._twist()
        return self._left.pop()

    def _twist(self) -> list[int]:
        """The next 312 numbers, the last one first."""
        state, one = self._state, np.uint64(1)
        # Each half needs only existing numbers: the second half those of the first.
        for begin, end in ((0, _MIDDLE), (_MIDDLE, _WORDS - 1), (_WORDS - 1, _WORDS)):
            here = np.arange(begin, end)
            joined = (state[here] & _UPPER) | (state[(here + 1) % _WORDS] & _LOWER)
            odd = np.where(joined & one == one, _MATRIX, np.uint64(0))
            state[here] = state[(here + _MIDDLE) % _WORDS] ^ (joined >> one) ^ odd
        x = state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        x ^= x >> np.uint64(43)
        numbers: list[int] = x[::-1].tolist()
        return numbers


def shuffled_chunks(count: int, seed: int) -> list[int]:
    """Return the chunks in the order of a sweep. Orders are not equally likely."""
    random = Mt19937(seed)
    chunks = list(range(count))
    for i in range(count):
        j = random() % count
        chunks[i], chunks[j] = chunks[j], chunks[i]
    return chunks


def shuffle_forward(items: list[Entry], seed: int) -> None:
    """Shuffle in the way of a window."""
    random = Mt19937(seed)
    for i in range(len(items)):
        j = i + random() % (len(items) - i)
        items[i], items[j] = items[j], items[i]


@dataclass(frozen=True)
class Limits:
    """The end of a worker: a number of sweeps, or of samples of all workers."""

    sweeps: int | None = None
    samples: int | None = None


@dataclass(frozen=True)
class LocalStep:
    """The sequences of a minibatch, as (chunk, number in it), and the ends at the minibatch."""

    sequences: list[tuple[int, int]]
    ends_sweep: bool
    ends_epoch: bool


@dataclass(frozen=True)
class Timeline:
    """The data and the share of a worker; ``lengths_of(chunk)``: the samples of its sequences."""

    chunk_count: int
    lengths_of: Callable[[int], Sequence[int]]
    limits: Limits
    workers: int = 1
    worker: int = 0


class LocalOrder:
    """The order of one worker."""

    def __init__(self, timeline: Timeline) -> None:
        self._chunk_count = timeline.chunk_count
        self._lengths_of = timeline.lengths_of
        self._limits = timeline.limits
        self._workers = timeline.workers
        self._worker = timeline.worker
        self._sweeps_seen = 0
        self._samples_seen = 0
        self._cursor = 0  # entries of the window that are passed
        self._begin = (0, 0)  # of the window
        self._next_begin = (0, 0)  # of the window behind it
        self._segments: Iterator[list[Entry]] | None = None  # entries left in the window
        self._segment: list[Entry] = []  # what is left of this one, the next at the end

    # The parts that differ between the two orders.

    state_names: tuple[str, str]
    chunks_needed = 1  # at the same time
    has_data = True  # whether this worker has any sequences

    def _window(self, begin: tuple[int, int]) -> Iterator[list[Entry]]:
        """Return the segments of a window; sets where the next one begins before it ends."""
        raise NotImplementedError

    # The timeline.

    def _is_over(self) -> bool:
        sweeps, samples = self._limits.sweeps, self._limits.samples
        if not self.has_data or (sweeps is not None and self._sweeps_seen >= sweeps):
            return True
        if samples is None:
            return False
        share = samples // self._workers + (samples % self._workers > self._worker)
        return self._samples_seen >= share

    def _head(self) -> Entry:
        while not self._segment:
            if self._segments is None:
                self._segments = self._window(self._begin)
            segment = next(self._segments, None)
            if segment is None:
                self._begin_next_window()
            else:
                self._segment = segment[::-1]
        return self._segment[-1]

    def _begin_next_window(self) -> None:
        self._begin, self._cursor, self._segments = self._next_begin, 0, None

    def _pass(self) -> None:
        """Pass an entry; with the last one of a window, the next window begins."""
        self._segment.pop()
        self._cursor += 1
        while not self._segment and self._segments is not None:
            segment = next(self._segments, None)
            if segment is None:
                self._begin_next_window()
            else:
                self._segment = segment[::-1]

    def next(self, size: int) -> LocalStep:
        """Return the longest run of sequences that fits ``size`` samples, but at least one."""
        taken: list[tuple[int, int]] = []
        samples = ends = 0
        while samples < size and not self._is_over():
            entry = self._head()
            if entry is None:
                self._sweeps_seen += 1
                ends += 1
                if ends > 1 and not taken:  # a whole sweep had nothing for this worker
                    self.has_data = False
            else:
                chunk, number = entry
                length = self._lengths_of(chunk)[number]
                if taken and samples + length > size:
                    break
                taken.append(entry)
                samples += length
                self._samples_seen += length
            self._pass()
        return LocalStep(taken, ends > 0, self._is_over())

    # State.

    def state(self) -> dict[str, int]:
        """Return the place of the worker, under the names of CNTK."""
        return {
            "baseSweepCount": self._sweeps_seen,
            "baseSampleCount": self._samples_seen,
            "baseCurrentSequencePositionInWindow": self._cursor,
            **dict(zip(self.state_names, self._begin, strict=True)),
        }

    def checked(self, state: Mapping[str, int]) -> dict[str, int]:
        """Return the numbers of a state that restore() needs; SourceError if one is missing."""
        needed = (
            "baseSweepCount",
            "baseSampleCount",
            "baseCurrentSequencePositionInWindow",
            *self.state_names,
        )
        missing = [name for name in needed if name not in state]
        if missing:
            raise SourceError(f"the state has no {text_list(missing)}; it has {text_list(state)}")
        return {name: int(state[name]) for name in needed}

    def restore(self, state: Mapping[str, int]) -> None:
        """Continue from a state of a worker with the same share."""
        numbers = self.checked(state).values()
        self._sweeps_seen, self._samples_seen, passed, first, second = numbers
        self._begin = (first, second)
        self._cursor = 0
        self._segments = None
        self._segment = []
        for _ in range(passed if self.has_data else 0):
            self._head()
            self._pass()


class InOrder(LocalOrder):
    """Chunk after chunk; each is a window. A worker has every n-th sequence of a sweep."""

    state_names = ("currentChunkPosition", "currentSequencePosition")

    def _window(self, begin: tuple[int, int]) -> Iterator[list[Entry]]:
        chunk, counted = begin
        count = len(self._lengths_of(chunk))
        own: list[Entry] = [
            (chunk, number)
            for number in range(count)
            if (counted + number) % self._workers == self._worker
        ]
        is_last = chunk == self._chunk_count - 1
        # A single worker counts nothing, as in the states of CNTK.
        passed = 0 if is_last or self._workers == 1 else counted + count
        self._next_begin = ((chunk + 1) % self._chunk_count, passed)
        yield own + [None] * is_last


@dataclass
class _Sweep:
    number: int = -1
    chunks: list[int] = field(default_factory=list)


class Tumbling(LocalOrder):
    """Shuffles the chunks in each sweep, and the sequences of the chunks of a window.

    A worker has every n-th chunk. A window counts its chunks, or with ``counts_samples`` samples.
    """

    state_names = ("chunkPosition", "sweepIndex")

    def __init__(
        self, timeline: Timeline, *, window: int, counts_samples: bool = False, seed: int = 0
    ) -> None:
        super().__init__(timeline)
        self._size = window
        self._counts_samples = counts_samples
        self._seed = seed
        self._sweep = _Sweep()
        self.has_data = self._worker < self._chunk_count
        self.chunks_needed = self._chunk_count if counts_samples else min(window, self._chunk_count)

    def _chunk(self, sweep: int, position: int) -> int:
        if sweep != self._sweep.number:
            self._sweep = _Sweep(sweep, shuffled_chunks(self._chunk_count, self._seed + sweep))
        return self._sweep.chunks[position]

    def _window(self, begin: tuple[int, int]) -> Iterator[list[Entry]]:
        position, sweep = begin
        first = position
        left = self._size
        entries: list[Entry] = []
        while left > 0:
            if position % self._workers == self._worker:
                chunk = self._chunk(sweep, position)
                lengths = self._lengths_of(chunk)
                entries += [(chunk, number) for number in range(len(lengths))]
                left -= sum(lengths) if self._counts_samples else 1
            position += 1
            if position == self._chunk_count:
                shuffle_forward(entries, first + sweep + self._seed)
                yield [*entries, None]
                entries, first, position, sweep = [], 0, 0, sweep + 1
        shuffle_forward(entries, first + sweep + self._seed)
        self._next_begin = (position, sweep)
        if entries:
            yield entries
