"""Keywords as tasks get them: picklable, with absolute paths."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Mapping
from typing import Any

from .._options.kaldi_dir import KaldiDir
from .._options.keywords import kept
from .._options.mixture import Mixture
from .._options.options import DataOptions
from .._options.texts import path_text
from .._options.values import refuse_type, whole
from .._user.functions import Function
from .._user.source import is_data
from ..data import Data, open
from ..errors import ConfigError
from ..reader import Reader

_PATHS = (str, bytes, os.PathLike)
_OF_PROGRAM = "tasks run in other processes: write the data to a file first, and read the file"


def task_options(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords that were given, with absolute paths.

    Raises ConfigError for what a task cannot have, such as a Deserializer or a function.
    """
    if isinstance(said.get("path"), (Data, Reader)):
        refuse_type("source", "a path or several: tasks open the data themselves", said["path"])
    given = {name: kept(name, value) for name, value in said.items() if value is not None}
    _refuse(given)
    for name, change in (
        ("path", _absolute_source),
        ("join", _absolute_join),
        ("config", _absolute_source),
        ("spec", _absolute_path),
        ("index_dir", _absolute_path),
    ):
        if name in given:
            given[name] = change(given[name])
    for name, value in given.items():
        try:
            pickle.dumps(value)
        except Exception as error:
            raise ConfigError(f"{name}: a task gets it by pickle, which says: {error}") from None
    return given


def chunks_and_files(said: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return the number of chunks and the files of data.

    Raises the exceptions of ``sheaf.open`` before any task starts, and writes the index files that
    the tasks share.
    """
    names = DataOptions.__annotations__.keys() | {"path", "streams"}
    with open(**{name: value for name, value in said.items() if name in names}) as data:
        return len(data.chunks), data.files


def for_tasks(said: Mapping[str, Any], num_cpus: float) -> dict[str, Any]:
    """Return keywords for a task with so many processors, after the program opened the data."""
    changed: dict[str, Any] = {"num_threads": max(1, int(num_cpus)), **said}
    if changed.get("index") == "rebuild":
        changed["index"] = "auto"  # the program has rebuilt the index
    return changed


def checked_parts(parts: int | None) -> int | None:
    """Return a number of parts; ConfigError below 1."""
    if parts is not None and whole("parts", parts) < 1:
        raise ConfigError(f"parts is at least 1: got {parts}")
    return parts


def _refuse(given: Mapping[str, Any]) -> None:
    path, join = given.get("path"), given.get("join", ())
    if isinstance(path, Mixture):
        raise ConfigError("source: a mixture has no parts: read its members, each by itself")
    if isinstance(path, KaldiDir) and not os.path.isabs(path.folder):
        raise ConfigError(
            f"source: tasks run in other folders: give kaldi_dir an absolute path: got "
            f"{path.folder!r}"
        )
    joined = [join] if is_data(join) or isinstance(join, _PATHS) else list(join)
    for name, each in [("source", path), *(("join", each) for each in joined)]:
        if is_data(each):
            kind = type(each).__name__
            raise ConfigError(f"{name}: the {kind} is in this program, and {_OF_PROGRAM}")
    if "part" in given:
        raise ConfigError("part: the tasks take the parts of all data: leave part out")
    if "objects" in given:
        raise ConfigError(f"objects are in this program, and {_OF_PROGRAM}")
    transforms = given.get("transforms", ())
    if isinstance(transforms, Iterable) and any(isinstance(t, Function) for t in transforms):
        raise ConfigError(
            "transforms: a function of this program is not run by tasks: apply it to the batches "
            "of the Dataset"
        )


def _absolute_path(path: Any) -> Any:
    """Return an absolute path; whatever is no path, as it is."""
    return os.path.join(os.getcwd(), path_text(path)) if isinstance(path, _PATHS) else path


def _absolute_source(source: Any) -> Any:
    if isinstance(source, list):
        return [_absolute_path(path) for path in source]
    return _absolute_path(source)


def _absolute_join(join: Any) -> Any:
    if isinstance(join, Mapping):
        return {_absolute_path(path): streams for path, streams in join.items()}
    return _absolute_source(join)
