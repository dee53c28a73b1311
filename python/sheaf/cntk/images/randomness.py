"""The random numbers of transforms, as CNTK draws them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

_BLOCK = 64  # numbers that are made at once
_SKIPPED_AT_ONCE = 1 << 16
_RANGE = 2**32


class Draws:
    """Numbers of a 32-bit Mersenne Twister, counted, so that it can go on elsewhere."""

    def __init__(self, seed: int, count: int = 0) -> None:
        self._seed = seed
        self._state: np.random.RandomState | None = None
        self._block: list[int] = []
        self.count = count

    def _fill(self) -> None:
        if self._state is None:
            self._state = np.random.RandomState(self._seed % _RANGE)
            skipped = 0
            while skipped < self.count:
                part = min(self.count - skipped, _SKIPPED_AT_ONCE)
                self._state.randint(0, _RANGE, part, np.uint32)
                skipped += part
        self._block = self._state.randint(0, _RANGE, _BLOCK, np.uint32).tolist()[::-1]

    def _next(self) -> int:
        if not self._block:
            self._fill()
        self.count += 1
        return self._block.pop()

    def real(self, low: float, high: float) -> float:
        """From low, and below high; low, without a draw, where they are equal."""
        if low == high:
            return low
        while True:
            value = low + (high - low) * self._next() / _RANGE
            if value < high:
                return value

    def whole(self, last: int) -> int:
        """From 0 to last; 0 takes no draw."""
        if last == 0:
            return 0
        bucket = _RANGE // (last + 1)
        while True:
            value = self._next() // bucket
            if value <= last:
                return value

    def coin(self) -> bool:
        return self._next() < _RANGE // 2


class Slots:
    """The Draws of one transform: one for each slot, which is a place in the minibatch.

    Slot j begins with the seed ``seed + j`` and runs on through minibatches and sweeps. What is
    drawn depends on where in minibatches a sequence comes to stand, not on threads.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._draws: list[Draws] = []

    def __getitem__(self, slot: int) -> Draws:
        """The Draws of a slot, for one thread at a time."""
        for new in range(len(self._draws), slot + 1):
            self._draws.append(Draws(self._seed + new))
        return self._draws[slot]

    def counts(self) -> dict[int, int]:
        """How many numbers each slot has drawn so far, where that is any."""
        return {slot: draws.count for slot, draws in enumerate(self._draws) if draws.count > 0}

    def go_to(self, counts: Mapping[int, int]) -> None:
        """Go on where slots had drawn so many; who has Draws from before may go on with them."""
        slots = range(1 + max(counts, default=-1))
        self._draws = [Draws(self._seed + slot, counts.get(slot, 0)) for slot in slots]
