"""Makes a spec of a source and its deserializers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .._options.specs import spec_text
from ..errors import ConfigError
from .config import MinibatchSourceConfig
from .constants import FULL_DATA_SWEEP
from .deserializers import MODULES, Deserializer
from .errors import SourceError
from .formats import FORMATS, Format
from .images import Images
from .speech import Speech
from .values import text_list

# Items of a dictionary without effect.
_IGNORED = {"type", "module", "traceLevel", "keepDataInMemory", "numChunksToCache", "composable"}

_COUNT_MAX = 2**63 - 1
_ALL_ERRORS = _COUNT_MAX // 64

Spec = dict[str, Any]


def source_spec(config: MinibatchSourceConfig, dtype: str, keys: str, *, folder: str = "") -> Spec:
    """Return the data of a source as a spec.

    Relative paths begin at ``folder``, or stay relative. Raises ConfigError and SourceError.
    """
    members: list[Spec] = []
    speech = Speech(config, dtype, keys, folder)
    images = Images(config, dtype, keys, folder)
    tolerated = 0
    for each in config.deserializers:
        found = _format_of(each)
        if found.has_images:
            members.append(images.member(each))
        elif found.stream is not None:
            members += speech.members(each, found, is_first=not members)
        else:
            members.append(_data(each, found, dtype, keys, folder))
        if found.tolerates_errors or found.has_images or found.stream is not None:
            tolerated += _tolerated_errors(each)
    data = members[0] if len(members) == 1 else {"join": members}
    data = data | speech.said_of_data(members)
    if images.transforms:
        data["transforms"] = data.get("transforms", []) + images.transforms
    return {"data": data, "read": _read(config, tolerated) | speech.said_of_reading()}


def working_directory() -> str:
    """Return the folder where relative paths begin; "" if the folder is gone."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _tolerated_errors(said: Mapping[str, Any]) -> int:
    """Return the maxErrors of a deserializer; a negative number means all."""
    tolerated = int(said.get("maxErrors", 0))
    return _ALL_ERRORS if tolerated < 0 else tolerated


def _format_of(said: Deserializer) -> Format:
    kind = said.get("type", "")
    if kind not in MODULES and "module" not in said:
        raise ConfigError(f'a deserializer is of an unknown type, and names no module: "{kind}"')
    if kind not in FORMATS:
        raise SourceError(f"{kind} is not read yet; {', '.join(FORMATS)} are")
    if FORMATS[kind].stream is not None or FORMATS[kind].has_images:
        return FORMATS[kind]  # what the dictionary says is checked with its streams
    known = {"file", "input", "maxErrors", *FORMATS[kind].options} - _IGNORED
    unknown = [name for name in said if name not in _IGNORED | known]
    if unknown:
        raise ConfigError(f"{kind} has no {text_list(unknown)}; it has {text_list(sorted(known))}")
    return FORMATS[kind]


def _data(said: Deserializer, found: Format, dtype: str, keys: str, folder: str) -> Spec:
    """Return the files of a deserializer as data of a spec."""
    streams = [_stream(found, *item) for item in dict(said.get("input", {})).items()]
    if found.declares_streams and not streams:
        raise ConfigError(f"{said['type']} needs streams")
    files = said["file"]
    paths = [files] if isinstance(files, str) else list(files)
    data: Spec = {
        "files": [spec_text(os.path.join(folder, path)) for path in paths],
        "format": found.name,
        "dtype": dtype,
    }
    if streams:
        data["streams"] = streams
    if found.keeps_keys and keys != "numeric":
        data["keys"] = keys
    for name, option in found.options.items():
        if name in said and option is not None:
            spec_name, converted = option
            data[spec_name] = converted(said[name])
    return data | found.always


def _stream(found: Format, name: str, said: Mapping[str, Any]) -> Spec:
    form = str(said.get("format", "dense")).lower()
    if form not in ("dense", "sparse"):
        raise ConfigError(f'the format of a stream is "dense" or "sparse": got "{form}"')
    alias = said.get("alias", name)
    if not alias:
        raise ConfigError(f'the stream "{name}" has an empty alias: leave it out')
    stream: Spec = {"name": spec_text(name)}
    if alias != name:
        stream["alias"] = spec_text(alias)
    if form == "sparse":
        stream["storage"] = form
    if found.declares_streams:
        stream["shape"] = [int(said["dim"])]
    if said.get("definesMBSize", False):
        stream["defines_minibatch_size"] = True
    return stream


def _read(config: MinibatchSourceConfig, tolerated: int) -> Spec:
    """Return how a source reads its data, as part of a spec without the minibatch size."""
    read: Spec = {"order": "cntk" if config.is_randomized else "file"}
    if config.is_randomized and config.randomization_seed:
        read["seed"] = config.randomization_seed
    if config.randomization_window_in_chunks:
        read["window_chunks"] = min(config.randomization_window_in_chunks, _COUNT_MAX)
    if config.randomization_window_in_samples:
        read["window_samples"] = min(config.randomization_window_in_samples, _COUNT_MAX)
    if config.is_single_sweep:
        read["sweeps"] = 1
    elif 0 < config.max_samples < FULL_DATA_SWEEP:
        read["epoch_size"] = min(config.max_samples, _COUNT_MAX // 4)
    else:
        is_endless = config.max_sweeps > _COUNT_MAX // 4
        read["sweeps"] = "endless" if is_endless else max(config.max_sweeps, 1)
    if config.truncation_length:
        read["truncation_length"] = config.truncation_length
    elif config.is_frame_mode_enabled:
        read["packing"] = "frames"
    if tolerated:
        read["max_errors"] = tolerated if tolerated < _ALL_ERRORS else "any"
    return read
