"""The keywords: their names, the types of their values, and the words for special values.

docs/options.md has the names in all languages.
"""

from __future__ import annotations

import functools
import math
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, ParamSpec, TypeVar

from .._user.source import is_data
from ..errors import ConfigError
from .texts import encodable
from .transforms import transform_list
from .values import COUNT_MAX, refuse_type, truth, type_name, whole

Said = dict[str, Any]  # the keywords that were given

P = ParamSpec("P")
R = TypeVar("R")


# Other names, and the names that specs have.
_ALIASES = {"window": "window_chunks", "chunk_size_bytes": "chunk_size"}
_SIZES_IN = {"batch_size": "sequences", "minibatch_samples": "samples"}  # with their unit

# Names that other programs have for a keyword.
_FOREIGN = {
    "cache_dir": "cache",
    "cache_limit_bytes": "cache_limit",
    "memory_limit_bytes": "memory_limit",
    "num_replicas": "world_size",
    "num_workers": "num_threads",
    "precision": "dtype",
    "shuffle": "order",
    "threads": "num_threads",
    "worker_count": "world_size",
    "worker": "rank",
    "worker_index": "rank",
}

# Whole numbers, and the word that replaces a number.
_WORDS: dict[str, tuple[str, int] | None] = {
    **dict.fromkeys(("batch_size", "minibatch_samples", "minibatch_size", "epoch_size", "seed")),
    **dict.fromkeys(("truncation_length", "row_samples", "rank", "world_size")),
    **dict.fromkeys(("pad_multiple", "pad_length", "length_tolerance")),
    "window": ("all", COUNT_MAX),
    "window_chunks": ("all", COUNT_MAX),
    "window_samples": ("all", COUNT_MAX),
    "sweeps": ("endless", 0),
    "max_errors": ("any", COUNT_MAX),
    "num_threads": ("auto", 0),
}
_BYTES: dict[str, tuple[str, int] | None] = {
    "memory_limit": ("none", 0),
    "cache_limit": ("none", 0),
    "chunk_size": None,
    "chunk_size_bytes": None,
}
_TRUTHS = ("skip_sequence_ids", "split_frames", "drop_last")
_TEXTS = (
    *(
        "missing_sequences",
        "lengths",
        "same_keys",
        "format",
        "keys",
        "missing_streams",
        "compatibility",
    ),
    "pad_side",
    *("index", "section", "packing", "order", "sweep_ends", "batching", "timeline", "balance"),
    *("unit", "sizes", "long"),
)
_TEXT_LIKE = (str, bytes, os.PathLike)

_SIZE = re.compile(r"(\d+) ?([kmgt]i?b?|b|)", re.IGNORECASE)
_STEPS = " kmgt"


def suggesting(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function that refuses an unknown keyword name the nearest one."""
    code = getattr(function, "__code__")  # noqa: B009 - a Callable need not have it
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked_function(*args: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name not in known:
                refuse_keyword(name, known)
        return function(*args, **options)

    return checked_function


def refuse_keyword(name: str, known: Iterable[str]) -> NoReturn:
    """Raise the TypeError of an unknown keyword, with the nearest name."""
    from difflib import get_close_matches

    names = [each for each in known if each != "self"]
    near = [_FOREIGN[name]] if _FOREIGN.get(name) in names else get_close_matches(name, names, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise TypeError(f"got an unexpected keyword argument '{name}'{hint}")


_READ_TWICE = (
    *("path", "streams", "join", "length_streams", "objects", "config", "settings", "transforms"),
)


def kept(name: str, value: Any) -> Any:
    """Return an option in a form that can be read twice and pickled: iterables become lists."""
    if name not in _READ_TWICE:
        return value
    if isinstance(value, Mapping):
        if name == "objects":
            return dict(value)
        return {
            key: kept("streams", each) if name == "join" else each for key, each in value.items()
        }
    is_one = isinstance(value, _TEXT_LIKE) or is_data(value)
    if isinstance(value, Iterable) and not is_one:
        return list(value)
    return value


class Keywords(Said):
    """Keywords under the names that specs have; ``called`` gives the names that messages use."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def called(self, name: str) -> str:
        """Return the name that the program used."""
        return self._given.get(name, name)


def understood(said: Mapping[str, Any]) -> Keywords:
    """Return keywords with values of the right types, under the names of specs.

    Raises TypeError for a value of another type. Raises ConfigError for a value without a meaning,
    and for two names of one keyword.
    """
    found = Keywords()
    names = found._given
    for given, value in said.items():
        name = "minibatch_size" if given in _SIZES_IN else _ALIASES.get(given, given)
        if name in names:
            raise ConfigError(
                f"either {names[name]} or {given} sets the {_WHAT.get(name, 'same option')}, "
                "not both"
            )
        names[name] = given
        found[name] = _value(given, value)
        _check_least(given, found[name])
    unit = _SIZES_IN.get(names.get("minibatch_size", ""))
    if unit is not None:
        if found.get("unit", unit) != unit:
            raise ConfigError(
                f'unit: {names["minibatch_size"]} counts {unit}: leave out unit="{found["unit"]}", '
                "or give minibatch_size"
            )
        found["unit"] = unit
    return found


_WHAT = {"minibatch_size": "size", "window_chunks": "window", "chunk_size": "size of chunks"}

_MEMORY_LEAST = 1 << 20  # no step of any data does with less
_LEAST = {
    **dict.fromkeys(("batch_size", "minibatch_samples", "minibatch_size", "epoch_size"), 1),
    **dict.fromkeys(("window", "window_chunks", "window_samples"), 1),
    **dict.fromkeys(("truncation_length", "row_samples", "world_size"), 1),
    **dict.fromkeys(("pad_multiple", "pad_length"), 1),
    **dict.fromkeys(("chunk_size", "chunk_size_bytes"), 1),
    **dict.fromkeys(("sweeps", "rank", "num_threads", "max_errors"), 0),
    **dict.fromkeys(("memory_limit", "cache_limit"), 0),
}


def _check_least(name: str, value: Any) -> None:
    least = _LEAST.get(name)
    if least is not None and not least <= value <= COUNT_MAX:
        raise ConfigError(f"{name} must be at least {least}: got {value}")
    if name == "memory_limit" and 0 < value < _MEMORY_LEAST:
        raise ConfigError(
            f'memory_limit must be at least "1MiB", or "none" for no limit: got {value}'
        )


def _value(name: str, value: Any) -> Any:
    if name in _WORDS:
        return whole(name, value, _WORDS[name])
    if name in _BYTES:
        return _size(name, value, _BYTES[name])
    if name in _TRUTHS:
        return truth(name, value)
    if name in _TEXTS:
        return value if isinstance(value, str) else refuse_type(name, "a text", value)
    check = _OTHERS.get(name)
    return value if check is None else check(name, value)


def size_bytes(name: str, value: Any) -> int:
    """Return a size in bytes; 0 for the word that means no limit.

    Raises ConfigError for a text that is not a size.
    """
    return _size(name, value, _BYTES[name])


def _size(name: str, value: Any, word: tuple[str, int] | None) -> int:
    if not isinstance(value, str) or (word is not None and value == word[0]):
        return whole(name, value, word)
    found = _SIZE.fullmatch(value)
    if found is None:
        raise ConfigError(
            f"{name} is a number of bytes, such as 4096, 64MiB or 2GB"
            + (f', or "{word[0]}"' if word else "")
            + f': got "{value}"'
        )
    unit = found[2].lower()
    step = 1000 if re.fullmatch("[kmgt]b", unit) else 1024  # 1M is 1MiB, 1MB a million
    power = _STEPS.index(unit[:1].replace("b", "") or " ")
    return int(found[1]) * int(step**power)


def _path(name: str, value: Any) -> Any:
    return value if isinstance(value, _TEXT_LIKE) else refuse_type(name, "a path", value)


def _paths(name: str, value: Any) -> Any:
    if isinstance(value, _TEXT_LIKE):
        return value
    if not isinstance(value, Iterable):
        refuse_type(name, "a path or several", value)
    return [_path(name, each) for each in value]


def _sources(name: str, value: Any) -> Any:
    if isinstance(value, _TEXT_LIKE) or is_data(value):
        return value
    if not isinstance(value, Iterable):
        refuse_type(name, "a path, several, a Deserializer, or a table", value)
    sources = list(value)
    for each in sources:
        if not isinstance(each, _TEXT_LIKE) and not is_data(each):
            refuse_type(name, "paths", each)
    return sources


def _joined(name: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return _sources(name, value)
    _sources(name, value.keys())
    return value


def _spec(name: str, value: Any) -> Any:
    if isinstance(value, (Mapping, *_TEXT_LIKE)):
        return value
    refuse_type(name, "a path or a dict", value)


def _format_options(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        refuse_type(name, "a dict of names and values", value)
    for key in value:
        if not isinstance(key, str):
            refuse_type(name, "names that are texts", key)
    return {key: str(each) for key, each in value.items()}


def _settings(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{key}={each}" for key, each in value.items()]
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        refuse_type(name, 'a dict, or a list of texts "NAME=VALUE"', value)
    settings = list(value)
    for each in settings:
        if not isinstance(each, str):
            refuse_type(name, 'texts "NAME=VALUE"', each)
    return settings


def _pad_values(name: str, value: Any) -> dict[str, int | float]:
    if not isinstance(value, Mapping):
        refuse_type(name, "a dict of names of streams and numbers", value)
    found: dict[str, int | float] = {}
    for key, each in value.items():
        if not isinstance(key, str):
            refuse_type(name, "names that are texts", key)
        encodable("the name of a stream", key)
        found[key] = _pad_value(name, each)
    return found


def _pad_value(name: str, value: Any) -> int | float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        refuse_type(name, "numbers", value)
    if hasattr(value, "__index__"):
        number = operator.index(value)
        if not -COUNT_MAX - 1 <= number <= COUNT_MAX:
            raise ConfigError(f"{name}: a whole number has 64 bits: got {number}")
        return number
    if not math.isfinite(float(value)):
        raise ConfigError(f"{name}: a number must be finite: got {float(value)}")
    return float(value)


def _streams(name: str, value: Any) -> Any:
    if isinstance(value, Iterable):
        return value
    refuse_type(name, "a dict of names and Streams, or a list of texts", value)


_OTHERS: dict[str, Callable[[str, Any], Any]] = {
    "cache": _path,
    "config": _paths,
    "dtype": type_name,
    "format_options": _format_options,
    "index_dir": _path,
    "join": _joined,
    "pad_values": _pad_values,
    "path": _sources,
    "settings": _settings,
    "spec": _spec,
    "streams": _streams,
    "transforms": transform_list,
}
