"""The type that type checkers give a stream of a minibatch, and the functions that pickle calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _sheaf

if TYPE_CHECKING:
    from ._sheaf import DenseBatch, Minibatch, SparseBatch

    class AnyBatch(DenseBatch, SparseBatch):
        """A DenseBatch or a SparseBatch: only the data tell which."""


def restore_minibatch(state: tuple[Any, ...]) -> Minibatch:
    """Return a minibatch, made from its state."""
    return _sheaf.restore_minibatch(state)


def restore_batch(state: tuple[Any, ...]) -> DenseBatch | SparseBatch:
    """Return a stream of a minibatch, made from its state."""
    return _sheaf.restore_batch(state)
