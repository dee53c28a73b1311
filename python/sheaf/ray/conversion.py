"""Conversions by the tasks of a cluster."""

from __future__ import annotations

import os
import shutil
import uuid
from dataclasses import replace
from typing import Any

from .. import _write, merge
from .._options.options import Sources
from .._options.streams import Streams
from .._options.texts import Path, path_text
from .._options.values import type_name
from .._write.conversion import Conversion
from .._write.writer import check_target
from ..errors import ConfigError, DataError, IoError
from .options import checked_parts, chunks_and_files, for_tasks, task_options
from .tasks import default_parts, run_all, run_until_done


def convert(
    source: Sources | None,
    target: Path,
    streams: Streams | None = None,
    *,
    parts: int | None = None,
    num_cpus: float = 1,
    max_retries: int = 3,
    overwrite: bool = False,
    **options: Any,
) -> Conversion:
    """Write the sequences of data to a file, with the tasks of a cluster.

        sheaf.ray.convert("train-*.ctf", "train.cbf")

    The bytes of the file are the bytes that ``sheaf.convert`` writes, for any number of parts.
    Tasks write parts to a hidden folder beside the target, and a last task merges the parts. The
    target is there when all of it is, or not at all. ``convert`` removes the folder at the end,
    also after an error; a program that is killed leaves the folder ``.NAME.parts-...`` behind.

    parts        number of tasks; without it, up to four for each processor of the cluster
    num_cpus     processors of a task, which also has so many threads
    max_retries  how often Ray runs a task again whose worker died
    source, target, streams, overwrite, options  those of ``sheaf.convert``

    Raises ConfigError, IoError, DataError.
    """
    count = checked_parts(parts)
    path = os.path.join(os.getcwd(), path_text(target))
    said = task_options({"path": source, "streams": streams, **options})
    for name in ("shards", "split"):
        if name in said:
            raise ConfigError(f"{name}: the tasks write one file: leave {name} out")
    chunks, sources = chunks_and_files(_as_read(said))
    check_target(path, sources, overwrite)
    count = count or default_parts(chunks, num_cpus)
    folder = _parts_folder(path)
    sent = for_tasks(said, num_cpus)
    extension = os.path.splitext(path)[1]  # a part notes the format of the target
    files = [os.path.join(folder, f"{number:05d}{extension}") for number in range(count)]
    calls = [(sent, file, number, count) for number, file in enumerate(files)]
    try:
        written = run_all(convert_part, calls, num_cpus, max_retries)
        _check_errors(written, said.get("max_errors"))
        named = {name: sent.get(name) for name in ("to_format", "num_threads", "memory_limit")}
        merging = (path, files, named, overwrite)
        merged: Conversion = run_until_done(merge_parts, merging, num_cpus, max_retries)
        return _with_notes(merged, written)
    finally:
        remove_folder(folder)


def convert_part(said: dict[str, Any], file: str, number: int, count: int) -> Conversion:
    """Write one part of a conversion. A task that runs again replaces the part."""
    given = dict(said)
    source = given.pop("path", None)
    convert_here = _write.conversion.convert
    return convert_here(source, file, **given, part=(number, count), overwrite=True)


def merge_parts(
    target: str, files: list[str], options: dict[str, Any], overwrite: bool, is_again: bool
) -> Conversion:
    """Merge the parts of a conversion.

    ``is_again`` tells that the worker of an earlier call died. The worker may have written the
    target before, so a repetition may replace the target.
    """
    return merge(target, files, **options, overwrite=overwrite or is_again)


def remove_folder(folder: str) -> None:
    """Remove a folder, although a task that was canceled may still add a file."""
    for _ in range(10):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return


def _check_errors(written: list[Conversion], max_errors: int | str | None) -> None:
    """Raise the DataError of one process if the parts together have too many errors."""
    if not isinstance(max_errors, int) or sum(each.error_count for each in written) <= max_errors:
        return
    first = [diagnostic for each in written for diagnostic in each.diagnostics][: max_errors + 1]
    raise DataError(str(first[-1]), first)


def _with_notes(merged: Conversion, written: list[Conversion]) -> Conversion:
    """Return the report of the merge with the errors and the warnings of the parts."""
    warnings = [
        warning for each in written for warning in each.warnings if warning.path != each.path
    ]
    return replace(
        merged,
        holes=sum(each.holes for each in written),
        error_count=sum(each.error_count for each in written),
        diagnostics=[diagnostic for each in written for diagnostic in each.diagnostics],
        warnings=list(dict.fromkeys([*warnings, *merged.warnings])),
    )


def _parts_folder(target: str) -> str:
    """Make a hidden folder beside the target."""
    parent, name = os.path.split(target)
    folder = os.path.join(parent, f".{name}.parts-{uuid.uuid4().hex}")
    try:
        os.mkdir(folder)
    except OSError as error:
        raise IoError(f"{folder}: cannot make the folder: {error.strerror}") from None
    return folder


def _as_read(said: dict[str, Any]) -> dict[str, Any]:
    """Return keywords as ``sheaf.convert`` opens data with them: text is read in a wide type."""
    dtype = said.get("dtype")
    if dtype is None or type_name("dtype", dtype) != "float32":
        return said
    return {name: value for name, value in said.items() if name != "dtype"}
