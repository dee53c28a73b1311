"""Writes arrays to a file."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from .. import _sheaf
from .._options.options import stream_options
from .._options.streams import Stream, Streams, stream_table
from .._options.texts import Path, path_text
from .._sheaf import Minibatch
from ..errors import ConfigError, Diagnostic
from .refusal import refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .shaping import Column, Shaper

Keys = Iterable[int] | Iterable[str]

_CHUNK_SIZE_BYTES = 32 << 20


class Writer:
    """Writes sequences to a file, in any format that can be written.

    The complete file appears when ``close()`` returns. Until then it has another name, and an
    existing file under its name stays. The end of a ``with`` block closes the file, or discards it
    after an exception. The bytes depend only on the sequences and the options, and not on how the
    sequences are divided among calls.

    path              the file; its extension tells the format, and a name without an extension
                      means "sheaf"
    streams           name -> Stream, or strings such as "features:dense:64", in the file's order,
                      each with its dim or shape; also the ``streams`` of a Reader or of
                      ``sheaf.open``, or the result of ``sheaf.infer``. ``alias`` is the name in the
                      file, ``dtype`` the type of the values, "float32" by default
    format            one of sheaf.formats(), if the extension does not tell it
    format_options    options of this format; the format's page has them
    chunk_size_bytes  approximate size of a chunk, if the format has chunks; 32 MiB by default
    overwrite         True, the default, replaces an existing file when the Writer is closed; False
                      makes an existing file a ConfigError. sheaf never replaces a directory, pipe,
                      socket or device

    Threads may share a Writer. It writes their sequences in the order of arrival.

    Raises ConfigError, IoError.
    """

    def __init__(
        self,
        path: Path,
        streams: Streams,
        *,
        format: str | None = None,
        format_options: Mapping[str, object] | None = None,
        chunk_size_bytes: int | None = None,
        overwrite: bool = True,
    ) -> None:
        from .shaping import Shaper  # brings NumPy
        from .varying import VaryingShaper

        self._path = path_text(path)
        self._streams = stream_table(streams)
        for name, stream in self._streams.items():
            if stream.sample_shape is None:
                raise ConfigError(f'stream "{name}": a Writer needs its dim or shape')
        check_target(self._path, (), overwrite)
        self._file = _sheaf.FileWriter(
            self._path,
            stream_options(self._streams),
            *file_options(format, format_options, chunk_size_bytes),
            overwrite,
        )
        self._shapers: dict[str, Shaper] = {
            name: (VaryingShaper if stream.is_variable else Shaper)(self._path, name, stream)
            for name, stream in self._streams.items()
        }
        self._lock = threading.Lock()
        self._has_texts: bool | None = None  # None: nothing was written yet
        self._is_open = True

    def write(self, key: int | str, values: Mapping[str, Any]) -> None:
        """Write one sequence.

        key     a number, or a text; all keys of a file are of one kind, and each comes once
        values  stream -> its samples. Dense: an array of [samples, *shape], or [*shape] for one
                sample. Sparse: rows as SciPy has them, [samples, dim]; (indices, values) for one
                sample; or a list of such pairs, one for each. Opaque bytes: bytes or a text for
                one sample, or a list of these. Of varying shape: an array for one sample, or a
                list of arrays. None: the stream is absent

        Floats are rounded to the type of the stream. The type must hold whole numbers exactly.

        Raises DataError with key, stream, the expected and the found value. Nothing is written
        then, and the next sequence can follow. An error that only the format finds, such as a key
        that comes twice, ends the file: each later call raises the error again.
        """
        from .shaping import key_list

        keys = key_list(self._path, [key])
        made = {
            name: self._shapers[name].sequence(key, value) for name, value in self._each(values)
        }
        self._write(keys, made)

    @overload
    def write_batch(self, keys: Minibatch, columns: None = None) -> None: ...
    @overload
    def write_batch(
        self, keys: Iterable[int] | Iterable[str], columns: Mapping[str, Any]
    ) -> None: ...

    def write_batch(self, keys: Any, columns: Mapping[str, Any] | None = None) -> None:
        """Write many sequences at once, which is much faster than one by one.

        keys     the keys of the sequences: an array of whole numbers, or a list of numbers or of
                 texts
        columns  stream -> all of its samples, one sequence after the other. Dense: an array of
                 [samples, *shape]; sparse: rows of SciPy, or anything with ``data``, ``indices``
                 and ``indptr``. Unless each sequence has one sample, give (samples, lengths), with
                 the number of samples of each sequence. A list has for each sequence a value that
                 ``write`` takes; bytes and samples of varying shape need a list. A stream of a
                 minibatch works, too. None: absent from all sequences

        A minibatch of a Reader can replace both arguments, with any packing but "packed" and
        "truncated". It may have more streams than the file.

        Raises DataError like ``write``.
        """
        from .shaping import check_packing, key_list

        if isinstance(keys, Minibatch):
            minibatch = keys
            if minibatch.sequence_count == 0:
                return
            keys = minibatch.key_texts or minibatch.sequence_keys
            for name, stream in minibatch.items():
                check_packing(self._path, name, stream)
            if self._is_taken_whole(minibatch):
                with self._lock:
                    self._note_kind(keys)
                    if self._file.write_minibatch(minibatch):
                        return
            columns = {name: minibatch[name] for name in self._streams if name in minibatch}
        elif columns is None:
            raise TypeError("write_batch() takes keys and columns, or a minibatch")
        given = key_list(self._path, keys)
        made = {
            name: self._shapers[name].batch(given, value) for name, value in self._each(columns)
        }
        self._write(given, made)

    def _is_taken_whole(self, minibatch: Minibatch) -> bool:
        """Return whether the samples of varying shape of a minibatch lie together."""
        return not any(
            stream.is_variable and name in minibatch and minibatch[name].packing != "ragged"
            for name, stream in self._streams.items()
        )

    def _each(self, values: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Return the values in the order of the file's streams."""
        for name in values:
            if name not in self._streams:
                known = ", ".join(self._streams)
                raise refusal(
                    self._path, None, name, "write-stream", f"one of {known}", "no such stream"
                )
        for name in self._streams:
            if name not in values:
                expected = "a value, or None where it is absent"
                raise refusal(self._path, None, name, "write-stream", expected, "none")
        return [(name, values[name]) for name in self._streams]

    def _write(self, keys: NDArray[np.uint64] | list[str], columns: dict[str, Column]) -> None:
        if len(keys) == 0:
            return
        with self._lock:
            self._note_kind(keys)
            self._file.write_columns(keys, [column.parts() for column in columns.values()])

    def _note_kind(self, keys: object) -> None:
        has_texts = isinstance(keys, list)
        if self._has_texts is None:
            self._has_texts = has_texts
        elif self._has_texts != has_texts:
            kinds = ("keys that are numbers, as those before", "texts")
            expected, found = kinds if has_texts else ("keys that are texts", "numbers")
            raise refusal(self._path, None, "", "write-key", expected, found)

    # What was written.

    @property
    def streams(self) -> dict[str, Stream]:
        """The streams of the file."""
        return dict(self._streams)

    @property
    def sequence_count(self) -> int:
        """The number of sequences written so far."""
        return self._file.stats()[0]

    @property
    def sample_count(self) -> int:
        """The number of their samples, as minibatch sizes count them."""
        return self._file.stats()[1]

    @property
    def warnings(self) -> list[Diagnostic]:
        """Hints about data that could be written."""
        return self._file.warnings

    # Lifetime.

    def close(self) -> None:
        """Complete the file. A second call does nothing.

        Raises IoError, and DataError if the format cannot hold the data, such as no sequence at
        all.
        """
        if self._is_open:
            self._is_open = False
            try:
                self._file.finish()
            finally:
                self._file.discard()  # what could not be finished

    def discard(self) -> None:
        """Discard the written data, unless the file is already closed."""
        self._is_open = False
        self._file.discard()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __repr__(self) -> str:
        state = "" if self._is_open else ", closed"
        lines = [f"<sheaf.Writer of {self._path!r}{state}"]
        lines += [f"{name}: {stream}" for name, stream in self._streams.items()]
        return "\n  ".join(lines) + ">"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Writer has an open file: make one in each process instead")


def file_options(
    format: str | None, format_options: Mapping[str, object] | None, chunk_size_bytes: int | None
) -> tuple[str, dict[str, str], int]:
    """Return the options of an output file in the form that C++ takes."""
    if chunk_size_bytes is not None and chunk_size_bytes < 1:
        raise ConfigError(f"chunk_size_bytes must be at least 1: got {chunk_size_bytes}")
    settings = {name: str(value) for name, value in (format_options or {}).items()}
    return format or "", settings, chunk_size_bytes or _CHUNK_SIZE_BYTES


def check_target(path: str, sources: Iterable[str], overwrite: bool) -> None:
    """Refuse a target that must not be written or replaced."""
    if _sheaf.check_output_path(path, list(sources)) and not overwrite:
        raise ConfigError(f"{path}: exists already; overwrite=True replaces it")
