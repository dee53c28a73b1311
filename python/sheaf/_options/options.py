"""Turns the keywords of a Reader into open data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from .. import _sheaf
from .._tables.in_memory import TableInMemory
from .._tables.parquet import ParquetFiles
from .._tables.table import TABLE_OPTIONS, Table, check_table_options
from .._user.deserializer import Deserializer
from .._user.functions import Function
from .._user.source import ProgramData
from ..errors import ConfigError, Diagnostic
from .checks import check_cached, check_run, check_sizes
from .kaldi_dir import KaldiDir
from .keywords import Keywords, Said, refuse_keyword, understood
from .mixture import Mixture
from .specs import (
    Specified,
    give_deserializer,
    give_function,
    named_functions,
    spec_of_data,
    specified_data,
    transforms_json,
)
from .streams import DTYPES, Stream, Streams, extents_of, shape_of, stream_table
from .tables import with_tables
from .texts import Path, encodable, path_text
from .transforms import Transforms
from .values import DType, part_text

Paths = Path | Iterable[Path]
Source = Paths | ProgramData
Sources = Source | KaldiDir | Mixture
Joined = Path | ProgramData


class DataOptions(TypedDict, total=False):
    """The keywords about data, except path and streams; ``help(sheaf.Reader)`` describes them."""

    join: Source | Iterable[Joined] | Mapping[Joined, Streams | None] | None
    missing_sequences: Literal["drop", "error", "absent"] | None
    lengths: Literal["any", "equal", "primary", "at_least"] | None
    length_tolerance: int | None
    length_streams: str | Iterable[str] | None
    same_keys: Literal["refuse", "number"] | None
    format: str | None
    format_options: Mapping[str, object] | None
    dtype: DType | None
    keys: Literal["numeric", "text"] | None
    skip_sequence_ids: bool | None
    missing_streams: Literal["error", "allow"] | None
    compatibility: Literal["strict", "cntk"] | None
    chunk_size: int | str | None
    chunk_size_bytes: int | str | None
    index: Literal["auto", "off", "rebuild", "require"] | None
    index_dir: Path | None
    transforms: Transforms | None
    part: tuple[int, int] | str | None
    spec: Path | Mapping[str, Any] | None
    objects: Mapping[str, ProgramData | Function] | None
    config: Paths | None
    section: str | None
    settings: Mapping[str, object] | Iterable[str] | None
    num_threads: int | Literal["auto"] | None
    memory_limit: int | str | None


class ReaderOptions(DataOptions, total=False):
    """The keywords of ``sheaf.Reader``, except path, streams, rank and world_size."""

    max_errors: int | Literal["any"] | None
    batch_size: int | None
    minibatch_samples: int | None
    minibatch_size: int | None
    unit: Literal["samples", "sequences", "cost"] | None
    packing: Literal["padded", "ragged", "packed", "frames", "truncated"] | None
    row_samples: int | None
    pad_values: Mapping[str, float] | None
    pad_side: Literal["right", "left"] | None
    pad_multiple: int | None
    pad_length: int | None
    long: Literal["error", "split", "truncate", "drop"] | None
    split_frames: bool | None
    truncation_length: int | None
    order: Literal["file", "cntk", "keyed"] | None
    seed: int | None
    window: int | Literal["all"] | None
    window_chunks: int | Literal["all"] | None
    window_samples: int | Literal["all"] | None
    sweeps: int | Literal["endless"] | None
    epoch_size: int | None
    sweep_ends: Literal["cross", "cut"] | None
    batching: Literal["plain", "bucketed"] | None
    sizes: Literal["even", "exact"] | None
    drop_last: bool | None
    timeline: Literal["local", "global"] | None
    balance: Literal["cost", "count"] | None
    cache: Path | None
    cache_limit: int | str | None


# The values of keywords that were not given.
_FORMAT: Said = {
    "format": "",
    "format_options": {},
    "dtype": None,
    "keys": None,
    "missing_streams": "error",
    "compatibility": "strict",
    "skip_sequence_ids": False,
    "chunk_size": 32 << 20,
    "index": "auto",
    "index_dir": "",
}
_FILES: Said = {"same_keys": "refuse"}
_JOIN: Said = {
    "missing_sequences": "drop",
    "lengths": "any",
    "length_tolerance": 0,
    "length_streams": (),
}
_ORDER: Said = {
    "order": "file",
    "seed": 0,
    "window_chunks": None,
    "window_samples": None,
    "sweep_ends": "cross",
    "timeline": "local",
    "balance": "cost",
    "batching": "plain",
    "sizes": "even",
    "drop_last": False,
    "split_frames": False,
    "truncation_length": 0,
    "long": "error",
}
_SIZES: Said = {"sweeps": 1, "epoch_size": 0, "rank": 0, "world_size": 1}
_RUN: Said = {"row_samples": 0, "num_threads": 0, "memory_limit": 0, "max_errors": 0}
_PADDING: Said = {"pad_values": {}, "pad_side": "right", "pad_multiple": 0, "pad_length": 0}
_MINIBATCH_SAMPLES = 256

# Keywords that are refused beside a configuration: its reader section has these settings.
_SAID_BY_CONFIG = (
    {"path", "streams", "join", "row_samples", *_PADDING, *_FORMAT, *_FILES, *_JOIN, *_ORDER}
) - {"index", "index_dir"}

# Keywords that are refused beside a spec: its data have these settings.
_SAID_BY_SPEC = {"path", "streams", "join", "transforms", *_FORMAT, *_FILES, *_JOIN} - {
    "index",
    "index_dir",
}


# Keywords that apply to tables as they apply to files.
_SAID_OF_TABLES = {"format_options", "dtype", "keys", "missing_streams", "chunk_size"}


@dataclass
class OpenData:
    """The open data of a Reader."""

    data: _sheaf.Data
    warnings: list[Diagnostic]  # of a configuration
    declared: dict[str, Stream]  # streams, as they were declared
    sources: list[ProgramData | Function]
    has_end: bool  # whether an epoch has one


@dataclass
class _Declared:
    """The declarations of a program about its data, and its objects."""

    streams: dict[str, Stream] = field(default_factory=dict)
    sources: list[ProgramData | Function] = field(default_factory=list)
    untold: str = ""  # the type of an object whose values may change unnoticed
    indexed: list[tuple[ParquetFiles, str]] = field(default_factory=list)  # and the index_dir

    def give(
        self, plan: _sheaf.Plan, name: str, source: ProgramData | Function, said: Said
    ) -> None:
        """Give a plan the object under this name."""
        if isinstance(source, Function):
            give_function(plan, name, source)
        elif isinstance(source, (Table, TableInMemory)):
            self.give_table(plan, name, source, None, said)
        else:
            assert isinstance(source, Deserializer)
            description = give_deserializer(plan, name, source, said.get("memory_limit", 0))
            self.streams.update(description.streams)
            if not description.fingerprint:
                self.untold = type(source).__name__
        self.sources.append(source)

    def give_table(
        self,
        plan: _sheaf.Plan,
        name: str,
        table: Table | TableInMemory,
        streams: Streams | None,
        said: Said,
        *,
        shares_options: bool = False,
    ) -> None:
        """Give a plan the table under this name."""
        declared = stream_table(streams)
        self.streams.update(declared)
        options = _format_options(said, of_tables=True, shares_options=shares_options)
        table.give(plan, name, _stream_options(declared), options, said.get("num_threads", 0))
        if not table.tells_content:
            self.untold = "table"
        if isinstance(table, ParquetFiles):
            self.indexed.append((table, path_text(said.get("index_dir") or "")))


@dataclass
class PlannedData:
    """The data that a Reader will read: checked, but not open."""

    plan: _sheaf.Plan
    said: Said
    warnings: list[Diagnostic]
    declared: _Declared

    @property
    def operation(self) -> Said:
        """How an operation over all data runs."""
        return _chosen(self.said, {name: _RUN[name] for name in ("num_threads", "memory_limit")})

    def open(self) -> OpenData:
        """Open the data.

        Raises ConfigError, IoError, DataError, and the exceptions of a Deserializer.
        """
        if self.plan.has_cache:
            check_cached(self.declared.untold)
        data = _sheaf.Data(self.plan, **_chosen(self.said, _RUN))
        # Keep the objects that the data read: the program may hold no other reference to them.
        setattr(data, "sources", self.declared.sources)  # noqa: B010 - no attribute of the stub
        return OpenData(
            data=data,
            warnings=self.warnings,
            declared=self.declared.streams,
            sources=self.declared.sources,
            has_end=self.plan.has_end,
        )


@dataclass
class _Adder:
    """Adds data to a plan."""

    plan: _sheaf.Plan
    said: Said
    declared: _Declared = field(default_factory=_Declared)

    def __post_init__(self) -> None:
        self._tables: list[tuple[str, Table | TableInMemory, Streams | None]] = []
        self._format_options = _format_options(self.said, of_tables=False)
        self._chunk_size = _chosen(self.said, _FORMAT)["chunk_size"]

    def add(self, source: Source, streams: Streams | None) -> None:
        if isinstance(source, ProgramData):
            self._add_source(source, streams)
            return
        table = stream_table(streams)
        self.declared.streams.update(table)
        self.plan.add_files(
            path_list(source),
            _stream_options(table),
            self._format_options,
            **_chosen(self.said, _FILES),
        )

    def _add_source(self, source: ProgramData, streams: Streams | None) -> None:
        name = str(len(self.declared.sources))
        if isinstance(source, (Table, TableInMemory)):
            self._tables.append((name, source, streams))
            self.declared.sources.append(source)
            self.plan.add_object(name, self._chunk_size)
            return
        if streams is not None:
            raise ConfigError(
                f"streams: those of {type(source).__name__} are what it says: leave them out"
            )
        self.declared.give(self.plan, name, source, self.said)
        self.plan.add_object(name, self._chunk_size)

    def finish(self) -> None:
        """Share the options of formats among all data, and give the plan the tables."""
        of_tables = list(TABLE_OPTIONS) if len(self._tables) > 0 else []
        of_files = self.plan.share_format_options(of_tables)
        taken = len(self._tables) + sum(name in TABLE_OPTIONS for name in of_files)
        for name, table, streams in self._tables:
            self.declared.give_table(
                self.plan, name, table, streams, self.said, shares_options=taken > 1
            )


def check_options(said: Said) -> None:
    """Check keywords as far as possible without opening the data; ``open_data`` checks the rest.

    Raises ConfigError, and TypeError for a value of a wrong type.
    """
    said = understood(_expanded(said))
    _check(said)
    plan = _sheaf.Plan()
    order = _order(said)
    if "spec" in said:
        specified_data(said, said)
    elif "config" not in said:
        _Adder(plan, said)
        joined = _joined(said.get("join", ()))
        for source, streams in [(said["path"], said.get("streams")), *joined]:
            if not isinstance(source, ProgramData):
                path_list(source)
            _stream_options(stream_table(streams))
        _set_join(plan, said)
        plan.set_order(order, _chosen(said, _FORMAT)["chunk_size"])
    _add_transforms(plan, said)
    _set_part(plan, said)
    plan.packing = said.get("packing", "padded")
    plan.set_padding(**_chosen(said, _PADDING))
    _set_cache(plan, said)


def plan_data(said: Said) -> PlannedData:
    """Check keywords, and make a plan, without opening data.

    Raises ConfigError, TypeError, and the exceptions of a Deserializer's ``chunks()``.
    """
    said = understood(_expanded(said))
    _check(said)
    warnings: list[Diagnostic] = []
    declared = _Declared()
    if "spec" in said:
        specified = specified_data(said, said)
        plan, declared = specified.plan, _give_objects(specified, said)
        said = {**said, "row_samples": plan.row_samples, "max_errors": 0}
    elif "config" in said:
        plan, warnings = _configured(said)
    else:
        plan = _sheaf.Plan()
        declared = _add_data(plan, said)
        plan.set_order(_order(said), _chosen(said, _FORMAT)["chunk_size"])
        plan.packing = said.get("packing", "padded")
        plan.set_padding(**_chosen(said, _PADDING))
    _set_cache(plan, said)
    _set_part(plan, said)
    _give_functions(plan, said, declared)
    return PlannedData(plan, said, warnings, declared)


def open_data(said: Said) -> OpenData:
    """Open the data that keywords describe.

    Raises ConfigError, IoError, DataError, and the exceptions of a Deserializer.
    """
    return plan_data(said).open()


def open_whole(said: Said) -> OpenData:
    """Like ``open_data``, for single whole sequences, by default in the order of the file."""
    return plan_whole(said).open()


def plan_whole(said: Said) -> PlannedData:
    """Like ``plan_data``, for whole sequences."""
    _check_names(said)
    given = {name: value for name, value in said.items() if value is not None}
    said = understood(_expanded({"batch_size": 1, **given}))
    _check(said)
    declared = _Declared()
    warnings: list[Diagnostic] = []
    if "spec" in said:
        specified = specified_data(said, {})
        plan, declared = specified.plan, _give_objects(specified, said)
    elif "config" in said:
        plan, warnings = _configured(said)
    else:
        plan = _sheaf.Plan()
        declared = _add_data(plan, said)
    _set_part(plan, said)
    _give_functions(plan, said, declared)
    plan.set_order(_order(said), _chosen(said, _FORMAT)["chunk_size"])
    plan.packing = "ragged"
    plan.set_padding(**_PADDING)  # a spec may say it
    plan.set_cache("", 0)  # likewise
    return PlannedData(plan, said, warnings, declared)


def refuse_transforms(what: str, said: Said) -> None:
    """Raise ConfigError if keywords have transforms: the caller needs untransformed data."""
    if said.get("transforms") is not None:
        raise ConfigError(f"transforms: {what} are as the data are: leave transforms out")


def stream_options(streams: Mapping[str, Stream]) -> list[_sheaf.StreamOptions]:
    """Return streams in the form that C++ takes."""
    return _stream_options(dict(streams))


def found_streams(data: _sheaf.Data, declared: Mapping[str, Stream]) -> dict[str, Stream]:
    """Return the streams of data, with their declared names and shapes."""
    table = {}
    for described, class_names in zip(data.streams, data.class_names, strict=True):
        name, shape, sparse, dtype, index_dtype, defines = described
        said = declared.get(name)
        own = shape_of(shape)
        is_vector = len(own) == 1 and own[0] is not None and (said is None or said.shape is None)
        table[name] = Stream(
            dim=own[0] if is_vector else None,
            shape=None if is_vector else own,
            sparse=sparse,
            alias=said.alias if said else None,
            dtype=DTYPES[dtype],
            index_dtype=DTYPES[index_dtype],
            defines_minibatch_size=defines,
            class_names=class_names,
        )
    return table


def path_list(paths: Paths) -> list[str]:
    """Return one path or several as a list of texts."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [path_text(paths)]
    paths = list(paths)
    for path in paths:
        if isinstance(path, ProgramData):
            raise ConfigError(
                f"path: {type(path).__name__} is not one of several that are read one after the "
                "other: let one object have all of the data"
            )
    return [path_text(path) for path in paths]


def _expanded(said: Said) -> Said:
    """Return keywords in which data replace objects for data: a folder, a mixture, a table."""
    said = with_tables(said)
    source = said.get("path")
    if not isinstance(source, (KaldiDir, Mixture)):
        return said
    maker = "kaldi_dir" if isinstance(source, KaldiDir) else "mix"
    for name in ("spec", "config", *_SAID_BY_SPEC - {"path", "transforms"}):
        if said.get(name) is not None:
            raise ConfigError(f"{name}: sheaf.{maker} says what is read: leave it out")
    spec, functions = spec_of_data(source.spec["data"], said.get("transforms") or ())
    rest = {name: value for name, value in said.items() if name not in ("path", "transforms")}
    objects = source.objects if isinstance(source, Mixture) else {}
    return {
        **rest,
        "spec": spec,
        "objects": {**rest.get("objects", {}), **objects, **functions},
    }


def _format_options(
    said: Said, *, of_tables: bool, shares_options: bool = False
) -> _sheaf.FormatOptions:
    """Return the options of tables, or of files, which may have options of tables, too."""
    chosen = _chosen(said, _FORMAT)
    chosen["index_dir"] = path_text(chosen["index_dir"])
    if of_tables:
        chosen["format_options"] = {
            name: value for name, value in chosen["format_options"].items() if name in TABLE_OPTIONS
        }
    return _sheaf.FormatOptions(**chosen, shares_options=shares_options)


def _has_table(said: Said) -> bool:
    sources = [said.get("path"), *(source for source, _ in _joined(said.get("join", ())))]
    return any(isinstance(source, (Table, TableInMemory)) for source in sources)


def _chosen(said: Said, defaults: Said) -> Said:
    return {name: said.get(name, default) for name, default in defaults.items()}


def _order(said: Said) -> _sheaf.OrderOptions:
    return _sheaf.OrderOptions(
        minibatch_size=said.get("minibatch_size", _MINIBATCH_SAMPLES),
        unit=said.get("unit", "samples"),
        **_chosen(said, _SIZES),
        **_chosen(said, _ORDER),
    )


def _stream_options(streams: dict[str, Stream]) -> list[_sheaf.StreamOptions]:
    return [
        _sheaf.StreamOptions(
            name=encodable("the name of a stream", name),
            alias=encodable("the alias of a stream", stream.alias or ""),
            shape=None if stream.sample_shape is None else extents_of(stream.sample_shape),
            sparse=stream.sparse,
            dtype=stream.dtype,
            has_long_indices=stream.index_dtype == "int64",
            defines_minibatch_size=stream.defines_minibatch_size,
        )
        for name, stream in streams.items()
    ]


def _joined(
    join: Source | Iterable[Joined] | Mapping[Joined, Streams | None],
) -> list[tuple[Joined, Streams | None]]:
    if isinstance(join, Mapping):
        return list(join.items())
    if isinstance(join, (str, bytes, os.PathLike, ProgramData)):
        return [(join, None)]
    return [(each, None) for each in join]


def _add_data(plan: _sheaf.Plan, said: Said) -> _Declared:
    adder = _Adder(plan, said)
    adder.add(said["path"], said.get("streams"))
    for source, streams in _joined(said.get("join", ())):
        adder.add(source, streams)
    adder.finish()
    _set_join(plan, said)
    _add_transforms(plan, said)
    return adder.declared


def _set_join(plan: _sheaf.Plan, said: Said) -> None:
    join = _chosen(said, _JOIN)
    plan.set_missing_sequences(join["missing_sequences"])
    names = join["length_streams"]
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"length_streams takes names of streams, not {type(name).__name__}")
    plan.set_lengths(join["lengths"], join["length_tolerance"], names)


def _add_transforms(plan: _sheaf.Plan, said: Said) -> None:
    if "transforms" in said:
        plan.add_transforms(transforms_json(said["transforms"]))


def _set_part(plan: _sheaf.Plan, said: Said) -> None:
    if "part" in said:
        plan.set_part(part_text(said["part"]))


def _set_cache(plan: _sheaf.Plan, said: Said) -> None:
    """Let keywords replace the cache settings of a spec."""
    folder = said.get("cache")
    plan.set_cache(None if folder is None else path_text(folder), said.get("cache_limit"))


def _give_functions(plan: _sheaf.Plan, said: Said, declared: _Declared) -> None:
    for name, function in named_functions(said.get("transforms", ())):
        declared.give(plan, name, function, said)


def _give_objects(specified: Specified, said: Said) -> _Declared:
    declared = _Declared()
    for name, source in specified.objects.items():
        declared.give(specified.plan, name, source, said)
    for name, each in specified.tables.items():
        own = {**each.options, "num_threads": said.get("num_threads", 0)}
        declared.give_table(specified.plan, name, each.table, each.streams, own)
        if "chunk_size" in own:
            specified.plan.set_chunk_size(name, own["chunk_size"])
        declared.sources.append(each.table)
    return declared


def _configured(said: Said) -> tuple[_sheaf.Plan, list[Diagnostic]]:
    files = "+".join(path_list(said["config"]))
    plan, warnings = _sheaf.Plan.of_config(
        files,
        said.get("section", ""),
        said.get("settings", []),
        said.get("minibatch_size", _MINIBATCH_SAMPLES),
    )
    _add_transforms(plan, said)
    plan.set_sizes(_order(said))
    index_dir = said.get("index_dir")
    plan.set_index(said.get("index"), None if index_dir is None else path_text(index_dir))
    packing = said.get("packing", plan.packing)
    if packing != plan.packing and plan.packing != "packed":
        raise ConfigError(f'packing: the configuration makes it "{plan.packing}": leave it out')
    plan.packing = packing
    return plan, warnings


_WHOLE = {"path", "streams", "max_errors", "order", "seed"}
_WHOLE |= {"window", "window_chunks", "window_samples"}


def _check_names(said: Said) -> None:
    """Refuse unknown keywords, like a function without ``**options``."""
    for name in said:
        if name not in DataOptions.__annotations__ and name not in _WHOLE:
            known = DataOptions.__annotations__.keys() | _WHOLE - {"path", "streams"}
            refuse_keyword(name, sorted(known))


def _check(said: Keywords) -> None:
    _check_source(said)
    if "config" in said or "spec" in said:
        check_sizes(said)
    else:
        check_run(said)


def _check_source(said: Keywords) -> None:
    if "spec" in said:
        for name in said:
            if name in ("config", "section", "settings"):
                raise ConfigError(
                    f"{said.called(name)}: the spec says what is read: leave one of them out"
                )
            if name in _SAID_BY_SPEC:
                raise ConfigError(
                    f"{said.called(name)}: the spec says what is read: change it there"
                )
        return
    if "objects" in said:
        raise ConfigError("objects are what a spec names: give a spec, too")
    if "config" not in said:
        for name in ("section", "settings"):
            if name in said:
                raise ConfigError(f"{name} belongs to a configuration: config says which")
        if "path" not in said:
            raise ConfigError("it needs a path, a config, or a spec")
        _check_files(said)
        return
    for name in said:
        if name in _SAID_BY_CONFIG:
            raise ConfigError(
                f"{said.called(name)}: the section of the configuration says it: change that with "
                "settings"
            )


def _check_files(said: Keywords) -> None:
    """Refuse keywords about files if there are no files."""
    joined = [source for source, _ in _joined(said.get("join", ()))]
    sources = (said["path"], *joined)
    if not all(isinstance(source, ProgramData) for source in sources):
        return
    has_table = _has_table(said)
    of_tables = _SAID_OF_TABLES
    if any(isinstance(source, ParquetFiles) for source in sources):
        of_tables = of_tables | {"index", "index_dir"}
    if has_table:
        check_table_options("format_options", said.get("format_options", {}))
    for name in (*_FORMAT, *_FILES):
        if name not in said or (has_table and name in of_tables):
            continue
        if has_table:
            raise ConfigError(f"{said.called(name)}: a table has no such option: leave it out")
        raise ConfigError(f"{said.called(name)}: it is about files, and nothing is read from one")
