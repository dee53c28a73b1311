"""The options of a source, and their dictionary as in CNTK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .constants import (
    DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    FULL_DATA_SWEEP,
    INFINITELY_REPEAT,
    TraceLevel,
)
from .deserializers import MODULES, Deserializer
from .errors import ConfigError, SourceError, whole_number

_IMAGES = ("ImageDeserializer", "Base64ImageDeserializer")


class OptionalBool:
    """A bool, or nothing."""

    def __init__(self, value: bool | None = None) -> None:
        self.value = value

    def set(self, value: bool) -> None:
        self.value = bool(value)

    def __bool__(self) -> bool:
        return bool(self.value)


class MinibatchSourceConfig:
    """The options of a source. The conversion to a dictionary checks them."""

    def __init__(self, deserializers: Sequence[Deserializer] = (), randomize: bool = True) -> None:
        window = DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS if randomize else 0
        self.max_samples: int = INFINITELY_REPEAT
        self.max_sweeps: int = INFINITELY_REPEAT
        self.randomization_window_in_chunks: int = window
        self.randomization_window_in_samples: int = 0
        self.randomization_seed: int = 0
        self.trace_level: int = TraceLevel.Warning
        self.truncation_length: int = 0
        self.is_frame_mode_enabled: bool = False
        self.is_multithreaded = OptionalBool()
        self.deserializers: list[Deserializer] = list(deserializers)

    @property
    def is_randomized(self) -> bool:
        return self.randomization_window_in_chunks != 0 or self.randomization_window_in_samples != 0

    @property
    def is_infinite(self) -> bool:
        return self.max_samples == INFINITELY_REPEAT and self.max_sweeps == INFINITELY_REPEAT

    @property
    def is_single_sweep(self) -> bool:
        return self.max_sweeps == 1 or self.max_samples == FULL_DATA_SWEEP

    def check(self) -> None:
        """Raise a SourceError if options exclude each other."""
        for name in (
            "max_samples",
            "max_sweeps",
            "randomization_window_in_chunks",
            "randomization_window_in_samples",
            "randomization_seed",
            "truncation_length",
        ):
            setattr(self, name, whole_number(name, getattr(self, name)))
        if INFINITELY_REPEAT not in (self.max_samples, self.max_sweeps):
            raise SourceError("max_samples and max_sweeps exclude each other: leave one out")
        if self.randomization_window_in_chunks and self.randomization_window_in_samples:
            raise SourceError(
                "randomization_window_in_chunks and randomization_window_in_samples exclude each "
                "other: make one of them 0"
            )
        if self.is_frame_mode_enabled and self.truncation_length:
            raise SourceError("frame_mode and truncation_length exclude each other")

    def to_dictionary(self) -> dict[str, Any]:
        """Convert to the dictionary of CNTK, in the form of text configurations."""
        self.check()
        has_images = any(each.get("type") in _IMAGES for each in self.deserializers)
        is_multithreaded = self.is_multithreaded.value
        found: dict[str, Any] = {
            "randomize": self.is_randomized,
            "frameMode": bool(self.is_frame_mode_enabled),
            "traceLevel": int(self.trace_level),
            "multiThreadedDeserialization": (
                has_images if is_multithreaded is None else is_multithreaded
            ),
            "deserializers": [_with_module(each) for each in self.deserializers],
        }
        if self.is_randomized:
            counts_samples = self.randomization_window_in_samples != 0
            found["randomizationWindow"] = (
                self.randomization_window_in_samples
                if counts_samples
                else self.randomization_window_in_chunks
            )
            found["sampleBasedRandomizationWindow"] = counts_samples
            found["randomizationSeed"] = self.randomization_seed
        if self.truncation_length:
            found["truncated"] = True
            found["truncationLength"] = self.truncation_length
        return found


def to_dictionary(config: MinibatchSourceConfig) -> dict[str, Any]:
    """Convert the options of a source; SourceError if some exclude each other."""
    return config.to_dictionary()


def _with_module(deserializer: Mapping[str, Any]) -> dict[str, Any]:
    kind = deserializer.get("type", "")
    if "module" not in deserializer and kind not in MODULES:
        raise ConfigError(f'a deserializer is of an unknown type, and names no module: "{kind}"')
    return {"module": MODULES.get(kind)} | dict(deserializer)
