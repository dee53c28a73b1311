"""Deserializers of images, as data of a spec: the library understands CNTK's dictionaries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import _sheaf
from ..errors import ConfigError
from .config import MinibatchSourceConfig
from .errors import SourceError

_DRAWING = ("Crop", "Color", "Intensity")

# Items without effect in the spec of one deserializer: the source counts errors.
_IGNORED = ("maxErrors", "verbosity", "precision", "seed")

Spec = dict[str, Any]


class Images:
    """The settings of one source's deserializers of images, beside their files."""

    def __init__(self, config: MinibatchSourceConfig, dtype: str, keys: str, folder: str) -> None:
        self._is_joined = len(config.deserializers) > 1
        self._folder = folder
        self._reader = {
            "precision": "double" if dtype == "float64" else "float",
            "useNumericSequenceKeys": keys == "numeric",
        }
        self.transforms: list[Spec] = []

    def member(self, said: Mapping[str, Any]) -> Spec:
        """Return a deserializer as data of a spec. Raises ConfigError and SourceError."""
        reader = self._reader | {"deserializers": [_with_seeds(said)]}
        text, warnings = _sheaf.cntk_spec(reader, self._folder)
        if warnings:
            first = warnings[0]
            raise ConfigError(f"expected {first.expected}, found {first.found}; {first.hint}")
        data: Spec = json.loads(text)["data"]
        transforms = data.pop("transforms", [])
        if self._is_joined and any(each["type"] == "select" for each in transforms):
            raise SourceError(
                f"{said['type']}: multiview10 has 10 sequences under each key, so it joins with no "
                "other deserializer"
            )
        self.transforms += transforms
        return data


def _with_seeds(said: Mapping[str, Any]) -> dict[str, Any]:
    """Give each random transform the seed of its stream or deserializer, unless it has one."""
    changed = {name: value for name, value in said.items() if name not in _IGNORED}
    inputs = said.get("input")
    if not isinstance(inputs, Mapping):
        return changed
    changed["input"] = {
        name: _with_seed(stream, said.get("seed")) for name, stream in inputs.items()
    }
    return changed


def _with_seed(stream: Any, seed: object) -> Any:
    if not isinstance(stream, Mapping) or not isinstance(stream.get("transforms"), (list, tuple)):
        return stream
    seed = stream.get("seed", seed)
    steps = [
        {"seed": seed, **step}
        if seed is not None and isinstance(step, Mapping) and step.get("type") in _DRAWING
        else step
        for step in stream["transforms"]
    ]
    return {
        **{name: value for name, value in stream.items() if name != "seed"},
        "transforms": steps,
    }
