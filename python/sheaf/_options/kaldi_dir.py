"""The files of a data folder of Kaldi, joined."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import ConfigError, IoError
from .texts import Path, path_text
from .values import refuse_type

# The streams of a folder, and the file of each one.
_FILES = {
    "feats": "feats.scp",
    "wav": "wav.scp",
    "text": "text",
    "spk": "utt2spk",
    "vad": "vad.scp",
}
_CMVN_FILES = ("cmvn.scp", "cmvn.ark")
_SHOWN = 20  # names of files in a message


@dataclass(frozen=True)
class KaldiDir:
    """The files of a data folder of Kaldi, joined: ``sheaf.kaldi_dir`` makes one.

    A Reader, ``sheaf.open``, ``check``, ``stat``, ``order``, ``convert`` and ``SheafDataset`` take
    the object in place of a path. ``transforms=`` beside the object follow those of the object.
    ``spec`` describes the data as plain data, and ``str()`` gives the spec as JSON for a file.
    """

    folder: str
    found: dict[str, str] = field(compare=False)  # the file of each stream, by the stream's name
    missing: tuple[str, ...] = field(compare=False)  # files of streams that the folder lacks
    _data: dict[str, Any]

    @property
    def spec(self) -> dict[str, Any]:
        """A spec for ``spec=``, for a file, or as a part of another spec."""
        return {"data": copy.deepcopy(self._data)}

    def __str__(self) -> str:
        """Return the spec as JSON. Relative paths begin at the folder of the spec's file."""
        return json.dumps(self.spec, indent=2)

    def __repr__(self) -> str:
        missing = f"; not there: {', '.join(self.missing)}" if self.missing else ""
        return f"<KaldiDir {self.folder!r}: {', '.join(self.found)}{missing}>"


def kaldi_dir(
    folder: Path,
    streams: Iterable[str] | None = None,
    *,
    symbols: Path | None = None,
    unknown: str | int | None = None,
    ali: Path | Iterable[Path] | None = None,
    ivectors: Path | Iterable[Path] | None = None,
    cmvn: bool | Path = False,
    norm_vars: bool = False,
    missing_sequences: Literal["drop", "error", "absent"] = "drop",
    lengths: Literal["any", "equal", "primary", "at_least"] | None = None,
    length_tolerance: int = 0,
) -> KaldiDir:
    """Join the files of a data folder of Kaldi by utterance.

    folder             such as "data/train"
    streams            which files to read, by the names of their streams: "feats" (feats.scp),
                       "wav" (wav.scp, cut by segments if the folder has this file), "text", "spk"
                       (utt2spk) and "vad" (vad.scp). By default all existing files, and "wav" only
                       if there is no feats.scp
    symbols            a symbol table such as data/lang/words.txt, which maps each word of "text" to
                       an int32. Without a table, "text" has the bytes of each transcript
    unknown            a word of the table, or an id, for words that the table lacks. By default
                       such words are errors
    ali                alignments: a path, a pattern such as "exp/tri3_ali/ali.*.gz", or several.
                       The stream "ali" has the integers of the files: transition ids, unless
                       ``ali-to-pdf`` or ``ali-to-phones`` of Kaldi changed them
    ivectors           a list or archives of i-vectors, likewise: the stream "ivector"
    cmvn               True or "speaker" standardizes "feats" by the statistics of the folder
                       (cmvn.scp) and utt2spk; "utterance" by those of each utterance; any other
                       text is the path of statistics, of speakers or of all
    norm_vars          True also divides by the standard deviation, like Kaldi's --norm-vars
    missing_sequences, length_tolerance
                       as for a Reader
    lengths            as for a Reader. Without it, "equal" for the streams that have a sample for
                       each frame: "feats", "vad" and "ali"

    The first stream, "feats" or "wav", gives the order, and minibatch sizes count its samples. Keys
    are texts.

    Raises IoError if the folder or a requested file is missing, and names the existing files.
    Raises ConfigError and TypeError for wrong options.
    """
    path = path_text(folder)
    names = _names_in(path)
    chosen = _chosen(path, names, streams)
    if not isinstance(norm_vars, bool):
        refuse_type("norm_vars", "True or False", norm_vars)
    members = [_member(path, names, name, symbols, unknown) for name in chosen]
    if "text" not in chosen and (symbols is not None or unknown is not None):
        raise ConfigError('symbols and unknown are about the stream "text", which is not read')
    for name, files in (("ali", ali), ("ivector", ivectors)):
        if files is not None:
            members.append(_given(name, files))
    members[0]["streams"][0]["defines_minibatch_size"] = True
    found = {member["streams"][0]["name"]: _shown(member["files"]) for member in members}
    data: dict[str, Any] = members[0]
    if len(members) > 1:
        data = {"join": members, "missing_sequences": missing_sequences}
        data.update(_lengths(list(found), lengths, length_tolerance))
    transforms = _cmvn(path, names, list(found), cmvn, norm_vars)
    if transforms:
        data["transforms"] = transforms
    missing = tuple(file for file in _FILES.values() if file not in names)
    return KaldiDir(path, found, missing, data)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise IoError(f"{folder}: expected a data folder of Kaldi: {error.strerror}") from None


def _chosen(folder: str, names: list[str], streams: Iterable[str] | None) -> list[str]:
    """Return the streams to read: first the one that gives the order."""
    there = [name for name, file in _FILES.items() if file in names]
    if streams is None:
        if "feats" not in there and "wav" not in there:
            raise IoError(_lacks(folder, names, "feats.scp or wav.scp"))
        return [name for name in there if name != "wav" or "feats" not in there]
    if isinstance(streams, (str, bytes)) or not isinstance(streams, Iterable):
        refuse_type("streams", f"a list of {', '.join(_FILES)}", streams)
    asked = list(streams)
    for name in asked:
        if name not in _FILES:
            raise ConfigError(f"streams: expected names out of {', '.join(_FILES)}: got {name!r}")
        if name not in there:
            raise IoError(_lacks(folder, names, _FILES[name]))
    if not asked:
        raise ConfigError("streams: expected at least one name")
    return [name for name in _FILES if name in asked]


def _lacks(folder: str, names: list[str], what: str) -> str:
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"{folder}: expected {what} in the folder, which has {shown or 'no file'}"


def _member(
    folder: str, names: list[str], name: str, symbols: Path | None, unknown: str | int | None
) -> dict[str, Any]:
    options: dict[str, str] = {}
    if name in ("text", "spk"):
        options["kaldi.as"] = "text"
    if name == "text" and symbols is not None:
        options["kaldi.symbols"] = path_text(symbols)
    if name == "text" and unknown is not None:
        options["kaldi.unknown"] = str(unknown)
    if name == "vad":
        options["kaldi.as"] = "frames"
    if name == "wav" and "segments" in names:
        options["kaldi.segments"] = os.path.join(folder, "segments")
    return _files(name, [os.path.join(folder, _FILES[name])], options)


def _given(name: str, files: Path | Iterable[Path]) -> dict[str, Any]:
    several = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
    if not several:
        raise ConfigError(f"{name}: expected at least one path")
    return _files(name, [path_text(each) for each in several], {})


def _files(name: str, files: list[str], options: Mapping[str, str]) -> dict[str, Any]:
    member: dict[str, Any] = {"files": files, "format": "kaldi", "streams": [{"name": name}]}
    if options:
        member["format_options"] = dict(options)
    return member


def _shown(files: list[str]) -> str:
    return ", ".join(files)


def _lengths(names: list[str], lengths: str | None, tolerance: int) -> dict[str, Any]:
    framed = [name for name in names if name in ("feats", "vad", "ali")]
    if lengths is None:
        lengths = "equal" if len(framed) > 1 else "any"
    if lengths == "any":
        return {}
    said: dict[str, Any] = {"lengths": lengths, "length_streams": framed}
    if tolerance:
        said["length_tolerance"] = tolerance
    return said


def _cmvn(
    folder: str, names: list[str], streams: list[str], cmvn: bool | Path, norm_vars: bool
) -> list[dict[str, Any]]:
    if cmvn is False:
        if norm_vars:
            raise ConfigError("norm_vars: cmvn says which statistics")
        return []
    if "feats" not in streams:
        raise ConfigError('cmvn: it is about the stream "feats", which is not read')
    said: dict[str, Any] = {"type": "standardize", "streams": ["feats"], "variance": norm_vars}
    if norm_vars:
        said["floor"] = 1e-10  # of a deviation; Kaldi's floor of a variance is 1e-20
    if cmvn == "utterance":
        return [{**said, "per": "sequence"}]
    if cmvn is True or cmvn == "speaker":
        there = [name for name in _CMVN_FILES if name in names]
        if not there:
            raise IoError(_lacks(folder, names, " or ".join(_CMVN_FILES)))
        path = os.path.join(folder, there[0])
    else:
        path = path_text(cmvn)
    said["statistics"] = path
    if _is_of_speakers(path):
        if "utt2spk" not in names:
            raise IoError(_lacks(folder, names, "utt2spk, which says the speaker"))
        said["speakers"] = os.path.join(folder, "utt2spk")
    return [said]


def _is_of_speakers(path: str) -> bool:
    """Return whether the statistics are per speaker: one matrix for all begins without a key."""
    try:
        with open(path, "rb") as file:
            start = file.read(1 << 16).lstrip()
    except OSError as error:
        raise IoError(f"cmvn: {path}: {error.strerror}") from None
    if start.startswith(b"{"):
        return b'"speakers"' in start
    return not start.startswith((b"\0B", b"["))
