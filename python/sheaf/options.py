"""From what the keywords of a Reader say to data that are open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

from . import _sheaf
from .errors import ConfigError, Diagnostic
from .streams import DTYPES, Stream, Streams, stream_table

Path = str | os.PathLike[str]
Paths = Path | Iterable[Path]
Said = dict[str, Any]  # the keywords that were given


class DataOptions(TypedDict, total=False):
    """Which data, apart from path and streams; ``help(sheaf.Reader)`` says what each is."""

    join: Paths | Mapping[Path, Streams | None] | None
    missing_sequences: Literal["drop", "error", "absent"] | None
    same_keys: Literal["refuse", "number"] | None
    format: str | None
    format_options: Mapping[str, object] | None
    dtype: Literal["float32", "float64"] | None
    keys: Literal["numeric", "text"] | None
    skip_sequence_ids: bool | None
    missing_streams: Literal["error", "allow"] | None
    compatibility: Literal["strict", "cntk"] | None
    chunk_size_bytes: int | None
    index: Literal["auto", "off", "rebuild", "require"] | None
    index_dir: Path | None
    config: Paths | None
    section: str | None
    settings: Mapping[str, object] | Iterable[str] | None
    num_threads: int | None
    memory_limit: int | None


_SEED_MAX = 2**64 - 1
_COUNT_MAX = 2**63 - 1

# What a keyword stands for that was not given.
_FORMAT: Said = {
    "format": "",
    "format_options": {},
    "dtype": None,
    "keys": "numeric",
    "missing_streams": "error",
    "compatibility": "strict",
    "skip_sequence_ids": False,
    "chunk_size_bytes": 32 << 20,
    "index": "auto",
    "index_dir": "",
}
_FILES: Said = {"same_keys": "refuse"}
_JOIN: Said = {"missing_sequences": "drop"}
_ORDER: Said = {
    "order": "file",
    "seed": 0,
    "window": None,
    "window_samples": None,
    "sweep_ends": "cross",
    "timeline": "local",
    "balance": "cost",
    "batching": "plain",
    "split_frames": False,
    "truncation_length": 0,
}
_SIZES: Said = {"sweeps": 1, "epoch_size": 0, "rank": 0, "world_size": 1}
_RUN: Said = {"row_samples": 0, "num_threads": 0, "memory_limit": 0, "max_errors": 0}
_MINIBATCH_SAMPLES = 256

# What a reader section of a configuration says, and a keyword therefore does not.
_SAID_BY_CONFIG = (
    {"path", "streams", "join", "row_samples", *_FORMAT, *_FILES, *_JOIN, *_ORDER}
) - {"index", "index_dir"}

_LEAST = {
    "batch_size": 1,
    "minibatch_samples": 1,
    "window": 1,
    "window_samples": 1,
    "sweeps": 0,
    "epoch_size": 1,
    "truncation_length": 1,
    "row_samples": 1,
    "world_size": 1,
    "rank": 0,
    "num_threads": 0,
    "memory_limit": 0,
    "max_errors": 0,
    "chunk_size_bytes": 1,
}


def open_data(said: Said) -> tuple[_sheaf.Data, list[Diagnostic], dict[str, Stream]]:
    """Open what keywords ask for: data, warnings of a configuration, and the streams as declared.

    Raises ConfigError, IoError, DataError.
    """
    _check(said)
    if "config" in said:
        plan, warnings = _configured(said)
        declared: dict[str, Stream] = {}
    else:
        plan, warnings = _sheaf.Plan(), []
        declared = _add_data(plan, said)
        plan.set_order(_order(said), _chosen(said, _FORMAT)["chunk_size_bytes"])
        plan.packing = said.get("packing", "padded")
    return _sheaf.Data(plan, **_chosen(said, _RUN)), warnings, declared


def open_whole(said: Said) -> tuple[_sheaf.Data, list[Diagnostic], dict[str, Stream]]:
    """As ``open_data``, for whole sequences: one by one, in the order of the file unless told."""
    _check_names(said)
    said = {"batch_size": 1, **{name: value for name, value in said.items() if value is not None}}
    _check(said)
    declared: dict[str, Stream] = {}
    warnings: list[Diagnostic] = []
    if "config" in said:
        plan, warnings = _configured(said)
    else:
        plan = _sheaf.Plan()
        declared = _add_data(plan, said)
    plan.set_order(_order(said), _chosen(said, _FORMAT)["chunk_size_bytes"])
    plan.packing = "ragged"
    return _sheaf.Data(plan, **_chosen(said, _RUN)), warnings, declared


def stream_options(streams: Mapping[str, Stream]) -> list[_sheaf.StreamOptions]:
    """Give streams as C++ takes them."""
    return _stream_options(dict(streams))


def found_streams(data: _sheaf.Data, declared: Mapping[str, Stream]) -> dict[str, Stream]:
    """Give the streams that data have, named and shaped as they were declared."""
    table = {}
    for name, shape, sparse, dtype, index_dtype, defines in data.streams:
        said = declared.get(name)
        is_vector = len(shape) == 1 and (said is None or said.shape is None)
        table[name] = Stream(
            dim=shape[0] if is_vector else None,
            shape=None if is_vector else shape,
            sparse=sparse,
            alias=said.alias if said else None,
            dtype=DTYPES[dtype],
            index_dtype=DTYPES[index_dtype],
            defines_minibatch_size=defines,
        )
    return table


def path_list(paths: Paths) -> list[str]:
    """Give paths as texts, whether one or several were said."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def _chosen(said: Said, defaults: Said) -> Said:
    return {name: said.get(name, default) for name, default in defaults.items()}


def _order(said: Said) -> _sheaf.OrderOptions:
    size: int = said.get("batch_size") or said.get("minibatch_samples") or _MINIBATCH_SAMPLES
    return _sheaf.OrderOptions(
        minibatch_size=size,
        counts_sequences="batch_size" in said,
        **_chosen(said, _SIZES),
        **_chosen(said, _ORDER),
    )


def _stream_options(streams: dict[str, Stream]) -> list[_sheaf.StreamOptions]:
    return [
        _sheaf.StreamOptions(
            name=name,
            alias=stream.alias or "",
            shape=stream.sample_shape,
            sparse=stream.sparse,
            dtype=stream.dtype,
            has_long_indices=stream.index_dtype == "int64",
            defines_minibatch_size=stream.defines_minibatch_size,
        )
        for name, stream in streams.items()
    ]


def _joined(join: Paths | Mapping[Path, Streams | None]) -> dict[str, Streams | None]:
    if isinstance(join, Mapping):
        return {os.fspath(path): streams for path, streams in join.items()}
    return dict.fromkeys(path_list(join))


def _add_data(plan: _sheaf.Plan, said: Said) -> dict[str, Stream]:
    chosen = _chosen(said, _FORMAT)
    chosen["index_dir"] = os.fspath(chosen["index_dir"])
    chosen["format_options"] = {
        name: str(value) for name, value in chosen["format_options"].items()
    }
    format_options = _sheaf.FormatOptions(**chosen)
    declared: dict[str, Stream] = {}

    def add(paths: list[str], streams: Streams | None) -> None:
        table = stream_table(streams)
        declared.update(table)
        plan.add_files(paths, _stream_options(table), format_options, **_chosen(said, _FILES))

    add(path_list(said["path"]), said.get("streams"))
    for path, streams in _joined(said.get("join", ())).items():
        add([path], streams)
    plan.set_missing_sequences(said.get("missing_sequences", "drop"))
    return declared


def _configured(said: Said) -> tuple[_sheaf.Plan, list[Diagnostic]]:
    settings = said.get("settings", ())
    if isinstance(settings, Mapping):
        settings = [f"{name}={value}" for name, value in settings.items()]
    files = "+".join(path_list(said["config"]))
    plan, warnings = _sheaf.Plan.of_config(files, said.get("section", ""), list(settings))
    plan.set_sizes(_order(said))
    index_dir = said.get("index_dir")
    plan.set_index(said.get("index"), None if index_dir is None else os.fspath(index_dir))
    packing = said.get("packing", plan.packing)
    if packing != plan.packing and plan.packing != "packed":
        raise ConfigError(f'packing: the configuration makes it "{plan.packing}": leave it out')
    plan.packing = packing
    return plan, warnings


_WHOLE = {"path", "streams", "max_errors", "order", "seed", "window", "window_samples"}


def _check_names(said: Said) -> None:
    """Refuse what is no keyword, as a function without ``**options`` would."""
    for name in said:
        if name not in DataOptions.__annotations__ and name not in _WHOLE:
            raise TypeError(f"got an unexpected keyword argument '{name}'")


def _check(said: Said) -> None:
    for name, least in _LEAST.items():
        value = said.get(name, least)
        if not least <= value <= _COUNT_MAX:
            raise ConfigError(f"{name} must be at least {least}: got {value}")
    _check_source(said)
    _check_sizes(said)
    if "config" not in said:
        _check_order(said)
        _check_keyed(said)
        _check_truncation(said)


def _check_source(said: Said) -> None:
    if "config" not in said:
        for name in ("section", "settings"):
            if name in said:
                raise ConfigError(f"{name} belongs to a configuration: config says which")
        if "path" not in said:
            raise ConfigError("it needs a path, or a config")
        return
    for name in said:
        if name in _SAID_BY_CONFIG:
            raise ConfigError(
                f"{name}: the section of the configuration says it: change that with settings"
            )


def _check_sizes(said: Said) -> None:
    if "batch_size" in said and "minibatch_samples" in said:
        raise ConfigError("either batch_size or minibatch_samples sets the size, not both")
    if "sweeps" in said and "epoch_size" in said:
        raise ConfigError("sweeps and epoch_size both say how long an epoch is: leave one out")
    rank, world_size = said.get("rank", 0), said.get("world_size", 1)
    if rank >= world_size:
        raise ConfigError(f"rank must be below world_size: got {rank} of {world_size}")
    if said.get("num_threads", 0) > 1024:
        raise ConfigError(f"num_threads is at most 1024: got {said['num_threads']}")


def _check_order(said: Said) -> None:
    if not 0 <= said.get("seed", 0) <= _SEED_MAX:
        raise ConfigError(f"seed is a whole number from 0 to {_SEED_MAX}: got {said['seed']}")
    if "window" in said and "window_samples" in said:
        raise ConfigError("window and window_samples both say how large it is: leave one out")
    if said.get("order", "file") != "file":
        return
    for name in ("seed", "window", "window_samples"):
        if name in said:
            raise ConfigError(f'{name}: the order "file" shuffles nothing; "keyed" does')


def _check_keyed(said: Said) -> None:
    order = said.get("order", "file")
    if order != "keyed":
        for name in ("balance", "batching"):
            if name in said:
                raise ConfigError(f'{name}: it is the order "keyed" that has it, not "{order}"')
        return
    if "timeline" in said:
        raise ConfigError(
            'timeline: all workers of the order "keyed" look at the same minibatches: leave it out'
        )
    if said.get("sweep_ends") == "cross":
        raise ConfigError(
            'sweep_ends: the order "keyed" divides each sweep evenly, so no minibatch has '
            "sequences of two: leave it out"
        )


def _check_truncation(said: Said) -> None:
    if "truncation_length" not in said:
        return
    if "batch_size" in said:
        raise ConfigError(
            "truncation_length: samples are counted where sequences are cut: give "
            "minibatch_samples in place of batch_size"
        )
    if said.get("timeline") == "global":
        raise ConfigError(
            'truncation_length: each worker has slots of its own, which is the timeline "local"'
        )
