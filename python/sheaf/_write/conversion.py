"""From one file to another."""

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
    """What ``sheaf.convert`` wrote, and what it left out."""

    path: str  # of the target, from which shards and parts have their names
    bytes: int  # of all files
    sequences: int
    samples: int  # of each sequence those that a minibatch size counts
    holes: int = 0  # sequences left out because their data are wrong
    error_count: int = 0  # wrong places
    diagnostics: list[Diagnostic] = field(default_factory=list)  # of these, as far as kept
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

    source               of a path, a pattern, several, or what ``sheaf.open`` gave; of a Reader the
                         first epoch, in its order (its packing is not "packed" or "truncated")
    target               the file; its extension tells the format, and a name without an extension
                         means "sheaf"
    written              which streams, in which order: names, or name -> what the target calls it;
                         all unless told. All streams are read and checked
    to_format            one of sheaf.formats(), where the extension of the target does not tell
    to_options           what only this format understands, as {"cbf.checks": "on"}: see its page
    to_chunk_size_bytes  of a chunk of the target, about; 32 MiB unless told
    overwrite            True replaces a target that exists; without it that is a ConfigError
    shards               write so many files of equal samples, NAME-00000-of-00003.EXT and so on
    split                write a file for each part, NAME.train.EXT and so on: {"train": 0.9,
                         "test": 0.1}. The key of a sequence alone says which part it falls to
    select_keys          write the sequences with these keys alone; a key without a sequence is a
                         warning
    min_length, max_length  write the sequences of so many samples alone
    select_share         write a share of all sequences, as 0.1: those of the first part of such a
                         split. A larger share has all sequences of a smaller one
    order, seed, window, window_samples  those of a Reader: the order that the target has
    max_errors           wrong places tolerated; their sequences are left out, and counted
    dtype                of the values written, as "float32" or "int64"; without it, as the source
                         has them: of texts, "float32". A floating-point number is rounded to a
                         narrower type; every other number has to be one of the new type, else it
                         is a DataError
    part                 (3, 8): write a part for ``sheaf.merge``, which makes the target of all
                         parts. A part is a container, whatever format the target has
    streams, options     those of ``sheaf.open``: of the source

    The target is there when all of it is, or not at all. With overwrite the old file stays until
    then. Nothing but a regular file is ever replaced; a symbolic link is followed, and stays.
    Several files get their names together. The GIL is free meanwhile.

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
    """Give what C++ says of written files."""
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
    """Give a share as the shortest decimal number that is meant, without an exponent."""
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
