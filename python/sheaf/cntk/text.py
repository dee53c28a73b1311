"""Writing CNTK's text format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import ConfigError


def sequence_to_cntk_text_format(
    seq_idx: int, alias_tensor_map: Mapping[str, Sequence[Any]]
) -> str:
    """Return the lines of a sequence; ``alias_tensor_map`` has the samples of each stream.

    Samples are an array or nested lists of numbers; sparse ones are dicts of index and value.
    """
    if not alias_tensor_map:
        raise ConfigError("alias_tensor_map names at least one stream")
    columns = {alias: _samples(alias, tensor) for alias, tensor in sorted(alias_tensor_map.items())}
    lines = []
    for k in range(max(map(len, columns.values()))):
        words = [f"|{alias} {found[k]}" for alias, found in columns.items() if k < len(found)]
        lines.append(f"{seq_idx}\t{' '.join(words)}")
    return "\n".join(lines)


def is_tensor(data: object) -> bool:
    """Return whether a value is an array, or nested lists of numbers; checks only first items."""
    if isinstance(data, np.ndarray):
        return bool(data.dtype != object)
    if not isinstance(data, list):
        return False
    while isinstance(data, list):
        if not data:
            return True
        data = data[0]
    return isinstance(data, (int, float, np.number))


def _samples(alias: str, tensor: Any) -> list[str]:
    if is_tensor(tensor):
        return [" ".join(map(str, np.asarray(each).ravel())) for each in tensor]
    if isinstance(tensor, list) and isinstance(tensor[0], dict):
        return [
            " ".join(f"{index}:{value}" for index, value in sorted(each.items())) for each in tensor
        ]
    raise ConfigError(
        f'the samples of "{alias}" are an array, lists of numbers, or a list of dicts: '
        f"got {type(tensor).__name__}"
    )
