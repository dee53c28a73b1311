"""Whole files as Arrow streams, and files from such streams."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NoReturn, Unpack

from . import _sheaf
from ._options.options import DataOptions, Sources, found_streams, stream_options
from ._options.streams import Stream, Streams, parse_stream, stream_table
from ._options.texts import Path, path_text
from ._write.conversion import Conversion
from ._write.writer import check_target, file_options
from .data import Data, opened
from .errors import ConfigError
from .reader import Reader

_WIDE = "iIlLg"  # formats of values that float32 cannot hold exactly
_BYTES = {"u", "U", "vu", "z", "Z", "vz"}  # formats of texts and binaries


class ArrowStream:
    """Sequences for any library that takes ``__arrow_c_stream__``: pyarrow, polars, DuckDB, others.

    ``sheaf.to_arrow`` makes one. Each consumer reads from the beginning.
    """

    def __init__(
        self, data: _sheaf.Data, streams: Mapping[str, Stream], *, in_turns: bool, kept: object
    ) -> None:
        self._kept = kept  # Deserializers and functions written in Python
        self._data = data.in_turns(16 << 20) if in_turns else data
        self._words = [stream.word(name) for name, stream in streams.items()]
        self.streams = dict(streams)
        _sheaf.arrow_stream(self._data, self._words)  # unavailable streams are an error here

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return _sheaf.arrow_stream(self._data, self._words)

    def __repr__(self) -> str:
        lines = ["<sheaf.ArrowStream", *map(str, self._words)]
        return "\n  ".join(lines) + ">"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an ArrowStream has open files: make one in each process instead")


def to_arrow(
    source: Sources | Data | Reader,
    streams: Streams | None = None,
    *,
    order: Literal["file", "cntk", "keyed"] | None = None,
    seed: int | None = None,
    window: int | None = None,
    window_samples: int | None = None,
    max_errors: int | None = None,
    **options: Unpack[DataOptions],
) -> ArrowStream:
    """Return the sequences of data as a stream of Arrow record batches: a row for each.

        table = pyarrow.table(sheaf.to_arrow("train.ctf"))

    Columns are ``sequence_key`` and the streams, each a list of samples. A sample is

        dense                        a list of fixed size, or the value itself if there is only one
        sparse                       a list of structs of index and value
        variable shape, one extent   a list of values
        variable shape, several      a struct of ``data``, such a list, and ``shape``
        opaque bytes                 a large_binary

    An absent stream is a null. The metadata "sheaf.stream" of each field, such as
    "labels:sparse:10", describe the stream for ``sheaf.from_arrow``. Batches of about 16 MiB come
    on request; values are not copied, and the GIL is free.

    source           a path, a pattern, several of them, or the result of ``sheaf.open``; or a
                     Reader with the packing "ragged" or "frames", for the minibatches of its first
                     epoch
    streams, order, seed, window, window_samples, max_errors, options  as for ``sheaf.convert``

    Raises ConfigError, IoError, DataError. The consumer of the stream reports later errors in its
    own way.
    """
    shuffle = {"order": order, "seed": seed, "window": window, "window_samples": window_samples}
    data = opened(source, streams, {**options, **shuffle, "max_errors": max_errors})
    is_reader = isinstance(source, Reader)
    if isinstance(source, Reader) and not source._has_end:
        raise ConfigError("source: the epoch of a Reader with sweeps=0 has no end")
    return ArrowStream(
        data, found_streams(data, {}), in_turns=not is_reader, kept=(source, options)
    )


def from_arrow(
    source: Any,
    target: Path,
    streams: Streams | None = None,
    *,
    key: str | None = "sequence_key",
    to_format: str | None = None,
    to_options: Mapping[str, object] | None = None,
    to_chunk_size_bytes: int | None = None,
    overwrite: bool = True,
) -> Conversion:
    """Write the rows of a table to a file, a sequence for each.

    source   anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``: a table or record batch
             reader of pyarrow, a data frame of polars or pandas, the result of ``sheaf.to_arrow``
    streams  name -> Stream, or strings such as "features:dense:8x8": the columns to write, in this
             order; by default all but the key. Without it, types and the metadata of ``to_arrow``
             define the streams, so a sparse column from another source needs a declared dim
    key      the column of keys, whole numbers or texts; None numbers the rows from 0. So does the
             default, "sequence_key", if the table lacks this column
    to_format, to_options, to_chunk_size_bytes  as for ``sheaf.convert``
    overwrite  as for ``sheaf.Writer``: True, the default, replaces an existing file

    Columns are

        a number                       a sample of one value
        a list of fixed size           a dense sample of that shape
        a list of numbers              samples, their values one after the other
        a list of fixed-size lists     dense samples
        a list of lists of numbers     dense samples, whose lists are equally long unless the
                                       stream has the shape (None,)
        a list of (index, value)       a sparse sample; also a map from index to value
        a list of lists of these       sparse samples
        a text, or a binary            a sample of opaque bytes
        a list of texts or binaries    samples of opaque bytes
        a struct of bytes and path     a sample of opaque bytes: an image of Hugging Face, for
                                       example; the path is left out. Also a list of these
        a binary of fixed size         as a list of that many whole numbers from 0 to 255

    and a null is a sequence without the stream. A null in place of a whole row is an error. Values
    are written as float32, or as float64 if the column has float64 or whole numbers of 32 bits or
    more, unless ``dtype`` of a Stream says otherwise. That type must hold each whole number
    exactly. Not all formats hold opaque bytes: docs/python-files.md names those that do. The target
    is complete or absent. ``sheaf.convert`` takes tables, too: it keeps the types of the columns,
    and also takes dictionaries of texts, booleans, and structs of ``indices`` and ``values``.

    Raises ConfigError for columns that cannot be a stream, DataError with key and stream for a
    value that does not fit, and IoError, also if ``source`` fails.
    """
    path = path_text(target)
    if hasattr(source, "__arrow_c_stream__"):
        rows = _first_of(source.__arrow_c_stream__())
    elif hasattr(source, "__arrow_c_array__"):
        rows = _sheaf.ArrowSource.of_array(*source.__arrow_c_array__())
    else:
        wanted = "__arrow_c_stream__ or __arrow_c_array__"
        raise ConfigError(f"source is something with {wanted}: got {type(source).__name__}")
    if key == "sequence_key" and key not in rows.names:
        key = None
    elif key is not None and key not in rows.names:
        raise ConfigError(f'key: there is no column "{key}"; there are: {", ".join(rows.names)}')
    table = _streams_of(rows, stream_table(streams), key)
    check_target(path, (), overwrite)
    settings = file_options(to_format, to_options, to_chunk_size_bytes)
    file = _sheaf.FileWriter(path, stream_options(table), *settings, overwrite)
    try:
        rows.write_to(file, path, key)
        file.finish()
    finally:
        file.discard()
        _raise_interruption()
    sequences, samples = file.stats()
    size = os.path.getsize(path)
    return Conversion(path, size, sequences, samples, warnings=file.warnings)


def _first_of(capsule: object) -> _sheaf.ArrowSource:
    try:
        return _sheaf.ArrowSource.of_stream(capsule)
    finally:
        _raise_interruption()


def _raise_interruption() -> None:
    """Let Python raise the exception of a Ctrl-C in a stream.

    A stream can only return an error number to its consumer. Python raises the exception at the
    beginning of a function.
    """


def _streams_of(
    rows: _sheaf.ArrowSource, said: dict[str, Stream], key: str | None
) -> dict[str, Stream]:
    numbers = {name: number for number, name in enumerate(rows.names)}
    table = {}
    wanted = list(said) or [name for name in numbers if name != key]
    for name in wanted if key is None else [*wanted, key]:
        if rows.names.count(name) > 1:
            raise ConfigError(f'column "{name}": several columns have this name: rename them')
    for name in wanted:
        if name not in numbers:
            raise ConfigError(
                f'streams: there is no column "{name}"; there are: {", ".join(numbers)}'
            )
        table[name] = _stream_of(name, said.get(name), *rows.describe(numbers[name]))
    if not table:
        raise ConfigError("there is no column to write")
    return table


def _stream_of(
    name: str,
    said: Stream | None,
    word: str,
    shape: tuple[int, ...] | None,
    sparse: bool,
    values: str,
    indices: str,
) -> Stream:
    if values in _BYTES:
        return _bytes_of(name, said, word)
    stream = said
    if stream is None:
        wide = "int64" if indices in ("I", "l", "L") else "int32"
        stream = (
            parse_stream(word)[1] if word else Stream(shape=shape, sparse=sparse, index_dtype=wide)
        )
    elif stream.sample_shape is None and not sparse:
        stream = replace(stream, shape=shape)
    if stream.sparse != sparse:
        kinds = ("sparse", "dense") if sparse else ("dense", "sparse")
        raise ConfigError(f'column "{name}": it is {kinds[0]}, and the stream {kinds[1]}')
    if stream.sample_shape is None:
        example = f'streams=["{name}:{"sparse" if sparse else "dense"}:DIM", ...]'
        raise ConfigError(f'column "{name}": its dim is in no type: say it, as {example}')
    return replace(stream, dtype=stream.dtype or ("float64" if values in _WIDE else "float32"))


def _bytes_of(name: str, said: Stream | None, word: str) -> Stream:
    """Return the stream of a column of texts or binaries."""
    if said is None:
        counts = bool(word) and parse_stream(word)[1].defines_minibatch_size
        return Stream(dtype="bytes", defines_minibatch_size=counts)
    is_of_bytes = said.dtype in (None, "bytes") and said.sample_shape in (None, (None,))
    if said.sparse or not is_of_bytes:
        raise ConfigError(f'column "{name}": it has texts or binaries, and the stream is {said}')
    return replace(said, dtype="bytes", shape=(None,))
