"""Deserializers, as dictionaries that describe data. Programs may change them before use."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from .._options.texts import Path, path_text
from .errors import ConfigError, SourceError
from .records import Record, StreamConfiguration

Deserializer = dict[str, Any]

MODULES = {
    "CNTKTextFormatDeserializer": "CNTKTextFormatReader",
    "CNTKBinaryFormatDeserializer": "CNTKBinaryReader",
    "ImageDeserializer": "ImageReader",
    "Base64ImageDeserializer": "ImageReader",
    "HTKFeatureDeserializer": "HTKDeserializers",
    "HTKMLFDeserializer": "HTKDeserializers",
    "LatticeDeserializer": "HTKDeserializers",
}


def _stream_defs(
    streams: Mapping[str, Record] | Sequence[StreamConfiguration],
) -> dict[str, Record]:
    if isinstance(streams, Mapping):
        return dict(streams)
    return {
        each.name: Record(
            stream_alias=each.stream_alias or each.name,
            is_sparse=each.is_sparse,
            dim=each.dim,
            defines_mb_size=each.defines_mb_size,
        )
        for each in streams
    }


def CTFDeserializer(  # noqa: N802 - CNTK's name
    filename: Path | Sequence[Path],
    streams: Mapping[str, Record] | Sequence[StreamConfiguration],
    **options: Any,
) -> Deserializer:
    """Read text in CNTK's format; ``options`` become items of the dictionary."""
    inputs = {}
    for name, stream in _stream_defs(streams).items():
        if stream.get("stream_alias") is None:
            raise ConfigError(f'the stream "{name}" needs a field: what the file calls it')
        if not isinstance(stream.get("dim"), int):
            raise ConfigError(f'the stream "{name}" needs a shape that is a whole number')
        inputs[name] = {
            "dim": stream["dim"],
            "format": "sparse" if stream["is_sparse"] else "dense",
            "alias": stream["stream_alias"],
            "definesMBSize": stream["defines_mb_size"],
        }
    found = {"type": "CNTKTextFormatDeserializer", "file": _file(filename), "input": inputs}
    return found | options


def CBFDeserializer(  # noqa: N802 - CNTK's name
    filename: Path | Sequence[Path],
    streams: Mapping[str, Record] | Sequence[StreamConfiguration] = (),
    **options: Any,
) -> Deserializer:
    """Read CNTK's binary format: all streams of the file; ``streams`` renames some of them."""
    inputs = {}
    for name, stream in _stream_defs(streams).items():
        if stream.get("defines_mb_size"):
            raise ConfigError(f'the stream "{name}": in CBF the file says what defines the size')
        alias = stream.get("stream_alias")
        inputs[name] = {"alias": alias} if alias not in (None, name) else {}
    found: Deserializer = {"type": "CNTKBinaryFormatDeserializer", "file": _file(filename)}
    return found | ({"input": inputs} if inputs else {}) | options


def HTKFeatureDeserializer(streams: Mapping[str, Record]) -> Deserializer:  # noqa: N802
    """Read HTK parameter files through lists, with a list for each stream.

    A stream has ``scp``, ``shape``, ``context`` (frames before and after), ``broadcast`` (the one
    frame of an utterance is repeated), ``defines_mb_size`` and ``max_sequence_length``.
    """
    if not streams:
        raise ConfigError("HTKFeatureDeserializer needs at least one stream")
    inputs = {}
    for name, stream in dict(streams).items():
        _check_no_field("HTKFeatureDeserializer", name, stream)
        if "scp" not in stream:
            raise ConfigError(f'the stream "{name}" needs an scp: the list of its files')
        inputs[name] = {
            "scpFile": stream["scp"],
            "dim": stream.dim,
            "contextWindow": list(stream.get("context", (0, 0))),
            "expandToUtterance": stream.get("broadcast", False),
            "maxSequenceLength": stream["max_sequence_length"],
            "definesMBSize": stream["defines_mb_size"],
        }
    return {"type": "HTKFeatureDeserializer", "input": inputs}


def HTKMLFDeserializer(  # noqa: N802 - CNTK's name
    label_mapping_file: Path,
    streams: Mapping[str, Record],
    phoneBoundaries: bool = False,  # noqa: N803 - CNTK's name
) -> Deserializer:
    """Read labels of HTK: one-hot samples, by the states of ``label_mapping_file``.

    The stream has ``mlf``, a path or a list of paths, and ``shape``, the number of states.
    """
    name, stream = _only_stream("HTKMLFDeserializer", streams)
    _check_no_field("HTKMLFDeserializer", name, stream)
    mlf = stream.get("mlf")
    if isinstance(mlf, str):
        mlf = [mlf]
    if not isinstance(mlf, (list, tuple)) or not mlf:
        raise ConfigError(f'the stream "{name}" needs an mlf: a path, or a list of paths')
    files = {"mlfFile": mlf[0]} if len(mlf) == 1 else {"mlfFileList": list(mlf)}
    inputs = {
        "labelMappingFile": path_text(label_mapping_file),
        "dim": stream.dim,
        "phoneBoundaries": phoneBoundaries,
        **files,
    }
    return {"type": "HTKMLFDeserializer", "input": {name: inputs}}


def LatticeDeserializer(  # noqa: N802 - CNTK's name
    lattice_index_file: Path, streams: Mapping[str, Record]
) -> Deserializer:
    """Read lattices through tables of contents; the index file lists a table in each line."""
    name, stream = _only_stream("LatticeDeserializer", streams)
    _check_no_field("LatticeDeserializer", name, stream)
    path = path_text(lattice_index_file)
    if not path:
        raise SourceError("LatticeDeserializer: the path of the index file is empty")
    return {"type": "LatticeDeserializer", "input": {name: {"latticeIndexFile": path}}}


def ImageDeserializer(  # noqa: N802 - CNTK's name
    filename: Path, streams: Mapping[str, Record], **options: Any
) -> Deserializer:
    """Read images that a file lists: ``[key <TAB>] path <TAB> label``."""
    return _images("ImageDeserializer", filename, streams) | options


def Base64ImageDeserializer(  # noqa: N802 - CNTK's name
    filename: Path, streams: Mapping[str, Record], **options: Any
) -> Deserializer:
    """Read images in a text file: ``[key <TAB>] label <TAB> base64``."""
    return _images("Base64ImageDeserializer", filename, streams) | options


def _images(kind: str, filename: Path, streams: Mapping[str, Record]) -> Deserializer:
    inputs: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    for name, stream in dict(streams).items():
        field = stream.get("stream_alias")
        if field == "image":
            transforms = [dict(each) for each in stream.get("transforms", ())]
            inputs[name] = {"transforms": [*transforms, {"type": "Transpose"}]}
        elif field == "label":
            labels[name] = {"labelDim": stream.dim}
        else:
            raise ConfigError(f'{kind}: a field is "image" or "label": got {field!r}')
    if not inputs:
        raise ConfigError(f'{kind} needs a stream whose field is "image"')
    if not labels:
        labels[f"_ignore_labels_{uuid.uuid4()}"] = {"labelDim": 2}
    return {"type": kind, "file": path_text(filename), "input": inputs | labels}


def _file(filename: Path | Sequence[Path]) -> str | list[str]:
    if isinstance(filename, (str, bytes, os.PathLike)):
        return path_text(filename)
    return [path_text(each) for each in filename]


def _check_no_field(kind: str, name: str, stream: Record) -> None:
    if stream.get("stream_alias") is not None:
        raise ConfigError(f'{kind}: the stream "{name}" has a field, and the files have no names')


def _only_stream(kind: str, streams: Mapping[str, Record]) -> tuple[str, Record]:
    if len(streams) != 1:
        raise ConfigError(f"{kind} has exactly one stream: got {len(streams)}")
    return next(iter(dict(streams).items()))
