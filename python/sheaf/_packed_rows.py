"""Packed sequences as rows of tokens, for causal language models."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ._sheaf import DenseBatch, Minibatch, SparseBatch
from .errors import ConfigError

_IGNORED = -100  # the label that torch.nn.functional.cross_entropy skips
_DERIVED = ("position_ids", "cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k")


def packed_rows(minibatch: Minibatch) -> dict[str, Any]:
    """Return packed sequences as the rows that a causal language model trains on.

    A ``collate_fn`` for ``packing="packed"``, with ``row_samples`` or without. The result has the
    names that models of Hugging Face take:

        SheafDataset(..., packing="packed", row_samples=1024, collate_fn=sheaf.torch.packed_rows)

    input_ids       [rows, steps], like each other stream; integers become int64. Streams must be
                    dense, with one value a sample and equal layouts for equal sequences
    labels          [rows, steps]: the stream ``labels``, or else ``input_ids``. The value is -100
                    where a row has no token, and at the first token of each sequence, which no
                    earlier token predicts
    position_ids    [rows, steps]: count from 0 in each sequence, and in the gap at the end of a row
    cu_seq_lens_q   [sequences and gaps + 1], int32: where each begins among the tokens of all rows,
                    one row after the other, and the end; ``cu_seq_lens_k`` is the same tensor
    max_length_q    the most tokens of a sequence or gap; ``max_length_k`` is the same number

    Attention stays within a sequence if the model uses ``position_ids`` (SDPA, eager, flex) or
    ``cu_seq_lens_q`` (flash attention). Models of Hugging Face do so only without an
    ``attention_mask`` and without a cache. The result therefore has no stream ``attention_mask``,
    and the configuration of the model needs ``use_cache=False``.

    Raises ConfigError for other packings and other streams.
    """
    batches = {
        name: _checked(name, batch) for name, batch in minibatch.items() if name != "attention_mask"
    }
    found: dict[str, Any] = {name: _rows(batch) for name, batch in batches.items()}
    first_name, first = next(iter(batches.items()), (None, None))
    if first is None or first_name is None:
        raise ConfigError("packed_rows: the minibatch has no stream but attention_mask")
    for name, batch in batches.items():
        if not _has_equal_layout(first, batch):
            raise ConfigError(
                f'packed_rows: the sequences of the streams "{first_name}" and "{name}" have other '
                "lengths, and so other places in the rows: name the streams that you want"
            )
    bounds = _bounds(first)
    if "labels" in found or "input_ids" in found:
        found["labels"] = _labels(found.get("labels", found.get("input_ids")), bounds, first)
    found.update(_positions(bounds, found[first_name].shape))
    return found


def _checked(name: str, batch: DenseBatch | SparseBatch) -> DenseBatch:
    if name in _DERIVED:
        raise ConfigError(f'packed_rows: the data have a stream of the name "{name}": rename it')
    if batch.packing != "packed":
        raise ConfigError(f'packed_rows: takes the packing "packed": got "{batch.packing}"')
    if not isinstance(batch, DenseBatch) or batch.values.shape[2:] != (1,):
        raise ConfigError(
            f'packed_rows: takes dense streams of one value a sample: "{name}" has other samples; '
            "name the streams that you want"
        )
    return batch


def _rows(batch: DenseBatch) -> torch.Tensor:
    """Return values as [rows, steps]; integers become int64 for embeddings and losses."""
    rows = batch.to_torch()[:, :, 0].T
    whole = not rows.dtype.is_floating_point
    return rows.to(torch.int64 if whole else rows.dtype, memory_format=torch.contiguous_format)


def _has_equal_layout(first: DenseBatch, other: DenseBatch) -> bool:
    return first.values.shape[:2] == other.values.shape[:2] and all(
        np.array_equal(getattr(first, name), getattr(other, name))
        for name in ("slots", "begins", "lengths")
    )


def _begins(batch: DenseBatch) -> NDArray[np.int64]:
    """Return where sequences begin among the tokens of all rows, except empty sequences."""
    assert batch.slots is not None and batch.begins is not None
    begins: NDArray[np.int64] = batch.slots * batch.values.shape[0] + batch.begins
    return begins[batch.lengths > 0]


def _bounds(batch: DenseBatch) -> NDArray[np.int64]:
    """Return where sequences and gaps begin among the tokens of all rows, and the end."""
    steps, rows = batch.values.shape[:2]
    begins = _begins(batch)
    ends = begins + batch.lengths[batch.lengths > 0]
    bounds: NDArray[np.int64] = np.unique(
        np.concatenate([np.arange(rows + 1) * steps, begins, ends])
    )
    return bounds


def _labels(source: Any, bounds: NDArray[np.int64], batch: DenseBatch) -> torch.Tensor:
    assert batch.mask is not None
    labels: torch.Tensor = source.clone()
    labels[~torch.from_numpy(batch.mask).T] = _IGNORED
    labels.view(-1)[torch.from_numpy(bounds[:-1])] = _IGNORED
    return labels


def _positions(bounds: NDArray[np.int64], shape: tuple[int, ...]) -> dict[str, Any]:
    if bounds[-1] > np.iinfo(np.int32).max:
        raise ConfigError(
            f"packed_rows: a minibatch has at most 2147483647 tokens: got {bounds[-1]}"
        )
    lengths = np.diff(bounds)
    positions = np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths)
    begins = torch.from_numpy(bounds.astype(np.int32))
    longest = int(lengths.max(initial=0))
    return {
        "position_ids": torch.from_numpy(positions).view(shape),
        "cu_seq_lens_q": begins,
        "cu_seq_lens_k": begins,
        "max_length_q": longest,
        "max_length_k": longest,
    }
