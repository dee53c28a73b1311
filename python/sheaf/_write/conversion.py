"""Converts one file to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

from .. import _sheaf
from .._options.options import DataOptions, Sources
from .._options.streams import Streams
from .._options.texts import Path, path_text
from .._options.values import type_name
from ..data import Data, opened
from ..errors import ConfigError, Diagnostic
from ..reader import Reader
from .writer import check_target, file_options


@dataclass(frozen=True)
class WrittenFile:
    """One file that ``sheaf.convert`` wrote."""

    path: str
    bytes: int
    sequences: int
    samples: int


@dataclass(frozen=True)
class Conversion:
    """The result of ``sheaf.convert``: the files, and the sequences that it left out."""

    path: str  # of the target; the names of shards and parts begin with it
    bytes: int  # of all files
    sequences: int
    samples: int  # the samples that minibatch sizes count
    holes: int = 0  # sequences left out because their data are wrong
    error_count: int = 0  # the number of errors
    diagnostics: list[Diagnostic] = field(default_factory=list)  # the first hundred errors
    warnings: list[Diagnostic] = field(default_factory=list)
    files: list[WrittenFile] = field(default_factory=list)


def convert(
    source: Sources | Data | Reader,
    target: Path,
    streams: Streams | None = None,
    *,
    written: Iterable[str] | Mapping[str, str | None] | None = None,
    to_format: str | None = None,
    to_options: Mapping[str, object] | None = None,
    to_chunk_size_bytes: int | None = None,
    overwrite: bool = False,
    shards: int | None = None,
    split: Mapping[str, float | str] | None = None,
    select_keys: Iterable[int | str] | None = None,
    min_length: int = 0,
    max_length: int | None = None,
    select_share: float | str | None = None,
    order: Literal["file", "cntk", "keyed"] | None = None,
    seed: int | None = None,
    window: int | None = None,
    window_samples: int | None = None,
    max_errors: int | None = None,
    **options: Unpack[DataOptions],
) -> Conversion:
    """Write the sequences of data to a file, once, as ``sheaf convert`` does, with the same bytes.

    source               a path, a pattern, several of them, or the result of ``sheaf.open``; or a
                         Reader, for its first epoch in its order (a packing other than "packed" and
                         "truncated")
    target               the file; its extension tells the format, and a name without an extension
                         means "sheaf"
    written              the streams to write, in their order: names, or name -> name in the target;
                         by default all. sheaf reads and checks all streams
    to_format            one of sheaf.formats(), if the extension of the target does not tell it
    to_options           options of this format, such as {"cbf.checks": "on"}; the format's page has
                         them
    to_chunk_size_bytes  approximate size of a chunk of the target; 32 MiB by default
    overwrite            True replaces an existing target; by default that is a ConfigError
    shards               write this number of files of equal samples: NAME-00000-of-00003.EXT, ...
    split                write a file for each part, NAME.train.EXT and so on: {"train": 0.9,
                         "test": 0.1}. Only the key of a sequence decides its part
    select_keys          write only the sequences with these keys; a key without a sequence is a
                         warning
    min_length, max_length  write only the sequences with this number of samples
    select_share         write a share of all sequences, such as 0.1: the first part of such a
                         split. A larger share has all sequences of a smaller one
    order, seed, window, window_samples  the order of the target, as for a Reader
    max_errors           number of errors to tolerate; their sequences are left out and
                         counted
    dtype                type of the written values, such as "float32" or "int64"; by default the
                         type of the source, and "float32" for text. Floating-point numbers are
                         rounded to a narrower type; any other number that the new type cannot hold
                         is a DataError
    part                 (3, 8): write a part for ``sheaf.merge``, which makes the target from all
                         parts. A part is a container, whatever the format of the target
    streams, options     those of ``sheaf.open``, for the source

    The target is complete or absent. With overwrite, the old file stays until the new one is
    complete. sheaf replaces only regular files; it follows a symbolic link, and keeps the link.
    Several files get their names together. The GIL is free during the call.

    Raises ConfigError, IoError, DataError.
    """
    path = path_text(target)
    shuffle = {"order": order, "seed": seed, "window": window, "window_samples": window_samples}
    said: dict[str, Any] = {**options, **shuffle, "max_errors": max_errors}
    dtype = said.pop("dtype", None)
    is_open = isinstance(source, (Data, Reader))
    if dtype is not None and not is_open:
        dtype = type_name("dtype", dtype)
        if dtype != "float32":
            said["dtype"] = dtype  # read text in the type to write, so that no digit is lost
    data = opened(source, streams, said)
    if isinstance(source, Reader) and not source._has_end:
        raise ConfigError("source: the epoch of a Reader with sweeps=0 has no end")
    files = (shards or 0, _split_text(split))
    for each in _sheaf.output_paths(path, *files):
        check_target(each, data.files, overwrite)
    choices = _choices(data, written, dtype)
    settings = file_options(to_format, to_options, to_chunk_size_bytes)
    selected = None if select_keys is None else [str(key) for key in select_keys]
    lengths = (min_length, max_length)
    in_own_steps = isinstance(source, Reader)
    found = _sheaf.convert(
        *(data, path, choices, *settings, overwrite, in_own_steps, *files),
        *(selected, *lengths, "" if select_share is None else _decimal(select_share)),
        options.get("part") is not None,
    )
    return conversion_of(path, found)


def conversion_of(path: str, found: dict[str, Any]) -> Conversion:
    """Return the report of C++ about written files."""
    written_files = [WrittenFile(*each) for each in found.pop("files")]
    return Conversion(
        path=path,
        bytes=sum(file.bytes for file in written_files),
        sequences=sum(file.sequences for file in written_files),
        samples=sum(file.samples for file in written_files),
        files=written_files,
        **found,
    )


def _decimal(share: float | str) -> str:
    """Return a share as the shortest decimal number for it, without an exponent."""
    if isinstance(share, str):
        return share
    from decimal import Decimal  # only here: `import sheaf` stays fast

    return f"{Decimal(repr(share)):f}"


def _split_text(split: Mapping[str, float | str] | None) -> str:
    if split is None:
        return ""
    if not split:
        raise ConfigError("split names at least one part")
    return ",".join(f"{name}={_decimal(share)}" for name, share in split.items())


def _choices(
    data: _sheaf.Data, written: Iterable[str] | Mapping[str, str | None] | None, dtype: str | None
) -> list[tuple[str, str, str | None]]:
    types = {name: kind for name, _, _, kind, _, _ in data.streams}
    if isinstance(written, str):
        raise ConfigError(f'written is a list of streams: got the string "{written}"')
    names = dict(written) if isinstance(written, Mapping) else dict.fromkeys(written or types)
    for name in names:
        if name not in types:
            known = ", ".join(types)
            raise ConfigError(f'written: there is no stream "{name}"; there are: {known}')
    return [
        (name, alias or "", None if types[name] == "bytes" else dtype)
        for name, alias in names.items()
    ]
