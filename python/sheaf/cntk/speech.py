"""Deserializers for speech, whose streams name the files, as data of a spec."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .._options.specs import spec_text
from ..errors import ConfigError
from .config import MinibatchSourceConfig
from .errors import SourceError
from .formats import FORMATS, Format, SpeechStream
from .values import text_list

_OF_FORMAT = "format_options."
_CONTEXT = ("contextWindow", "expandToUtterance")

Spec = dict[str, Any]


def makes_text_keys(deserializers: Sequence[object]) -> bool:
    """Return whether a deserializer makes sequence ids texts, for the whole source."""
    for each in deserializers:
        found = FORMATS.get(each.get("type", "")) if isinstance(each, Mapping) else None
        if found is not None and found.stream is not None and found.stream.makes_text_keys:
            return True
    return False


class Speech:
    """The settings of one source's deserializers for speech, beside their files."""

    def __init__(self, config: MinibatchSourceConfig, dtype: str, keys: str, folder: str) -> None:
        self._config = config
        self._dtype = dtype
        self._keys = keys
        self._folder = folder
        self._contexts: list[Spec] = []
        self._repeated: list[str] = []
        self._is_there = False

    def members(self, said: Mapping[str, Any], found: Format, *, is_first: bool) -> list[Spec]:
        """Return each stream of a deserializer as data of a spec: a list has one stream."""
        assert found.stream is not None
        kind = said["type"]
        if is_first and not found.stream.may_be_first:
            raise SourceError(f"{kind} cannot be the first: put a deserializer with features there")
        config = self._config
        if not found.stream.has_parts and (
            config.is_frame_mode_enabled or config.truncation_length
        ):
            raise SourceError(f"{kind} has whole sequences: no frame_mode, no truncation_length")
        streams = dict(said.get("input", {}))
        if not streams:
            raise ConfigError(f"{kind} needs a stream")
        self._is_there = True
        members = []
        for name, stream in streams.items():
            settings = {**said, **stream}  # a stream inherits the settings of the deserializer
            members.append(self._member(name, settings, found, is_first=is_first))
            is_first = False
        return members

    def said_of_data(self, members: Sequence[Spec]) -> Spec:
        """Return the settings beside the members: the transforms, and the rule for lengths."""
        said: Spec = {}
        first = members[0].get("streams", [{}])[0].get("name")
        repeats = [{"type": "broadcast", "streams": n, "like": first} for n in self._repeated]
        if repeats or self._contexts:
            said["transforms"] = repeats + self._contexts
        if not self._is_there or len(members) == 1:
            return said
        if self._config.is_frame_mode_enabled:
            said["lengths"] = "at_least"
        elif self._config.truncation_length:
            said["lengths"] = "equal"
        if "lengths" in said and self._repeated:
            names = [stream["name"] for each in members for stream in each.get("streams", ())]
            said["length_streams"] = [name for name in names if name not in self._repeated]
        return said

    def said_of_reading(self) -> Spec:
        """Return the settings of frame mode, where each frame is a sequence."""
        return (
            {"split_frames": True} if self._is_there and self._config.is_frame_mode_enabled else {}
        )

    def _member(self, name: str, said: Mapping[str, Any], found: Format, *, is_first: bool) -> Spec:
        row = found.stream
        assert row is not None
        self._check_names(name, said, found, row)
        stream: Spec = {"name": spec_text(name)}
        if row.is_sparse:
            stream["storage"] = "sparse"
        dim = next((int(said[each]) for each in row.dims if each in said), None)
        if row.dims and dim is None:
            raise ConfigError(f'the stream "{name}" needs a dim')
        if row.has_context:
            assert dim is not None
            dim = self._context(name, said, dim, is_first=is_first)
        if dim is not None:
            stream["shape"] = [dim]
        if said.get("definesMBSize", False) and not self._config.is_frame_mode_enabled:
            stream["defines_minibatch_size"] = True
        data: Spec = {
            "files": _paths(name, said, row, self._folder),
            "format": found.name,
            "dtype": self._dtype,
            "streams": [stream],
            "keys": self._keys if row.makes_text_keys else "numeric",
        }
        options: Spec = dict(row.fixed)
        for setting, option in {**found.options, **row.options}.items():
            if setting not in said or option is None:
                continue
            spec_name, converted = option
            if spec_name.startswith(_OF_FORMAT):
                options[spec_name.removeprefix(_OF_FORMAT)] = converted(said[setting])
            else:
                data[spec_name] = converted(said[setting])
        if options:
            data["format_options"] = options
        return data | found.always

    def _check_names(
        self, name: str, said: Mapping[str, Any], found: Format, row: SpeechStream
    ) -> None:
        known = {*row.files, *row.dims, *row.options, *found.options, "definesMBSize"}
        known |= {*(_CONTEXT if row.has_context else ()), "type", "module", "input", "maxErrors"}
        known |= {"traceLevel", "composable", "labelType"}
        unknown = [each for each in said if each not in known]
        if unknown:
            has = text_list(sorted(known))
            raise ConfigError(f'the stream "{name}" has no {text_list(unknown)}; it has {has}')

    def _context(
        self, name: str, said: Mapping[str, Any], dim: int, *, is_first: bool
    ) -> int | None:
        """Note how frames are joined with their neighbours; return the dim of the files."""
        window = said.get("contextWindow", (0, 0))
        if isinstance(window, int):
            if window < 1 or window % 2 == 0:
                raise ConfigError(f"contextWindow: expected an odd number of frames: got {window}")
            window = (window // 2, window // 2)
        left, right = (int(each) for each in window)
        if said.get("expandToUtterance", False):
            if is_first:
                raise ConfigError(
                    f'the stream "{name}": the first stream gives the number of frames to expand to'
                )
            self._repeated.append(name)
        context: Spec = {"type": "context", "streams": name}
        if left == right == 0:  # the files tell which frames the dim includes
            self._contexts.append(context | {"dim": dim})
            return None
        self._contexts.append(context | {"left": left, "right": right})
        return dim


def _paths(name: str, said: Mapping[str, Any], row: SpeechStream, folder: str) -> list[Any]:
    for each in row.files:
        if each not in said:
            continue
        files = said[each]
        if isinstance(files, str) and each.endswith("List"):
            files = files.split(":") if ":" in files else _listed(os.path.join(folder, files))
        paths = [files] if isinstance(files, str) else list(files)
        return [spec_text(os.path.join(folder, path)) for path in paths]
    raise ConfigError(f'the stream "{name}" needs {text_list(row.files)}')


def _listed(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [line.strip() for line in file if line.strip()]
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
