"""The description that a Deserializer gives of its data before they are read."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _sheaf
from .._options.streams import DTYPES, Stream, extents_of, numpy_name, stream_table
from .._options.texts import encodable
from ..errors import ConfigError
from .deserializer import Chunk, Deserializer

if TYPE_CHECKING:
    from .columns import Kind

_TYPES = {name: short for short, name in DTYPES.items()}
_COUNT_MAX = 2**62
_PAIRS_MAX = 64  # default estimate for a sparse sample
_VARIABLE_BYTES = 64 << 10  # default estimate for a sample of variable shape


@dataclass(frozen=True)
class Description:
    """The description of a Deserializer's data."""

    name: str
    streams: dict[str, Stream]
    kinds: list[Kind]
    table: _sheaf.UserTable
    fingerprint: str
    reads_parts: bool


def add_note(error: BaseException, note: str) -> None:
    """Add a note to an exception, once."""
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def describe(source: Deserializer, memory_limit: int = 0) -> Description:
    """Return the description of a Deserializer's data. Call this on the Deserializer's thread."""
    from .columns import Kind

    name = type(source).__name__
    try:
        streams = _streams(source, name)
        table = _sheaf.UserTable(name, _cost_name(source, name))
        sizes = [_sample_bytes(stream) for stream in streams.values()]
        variable = [name for name, stream in streams.items() if stream.is_variable]
        try:
            for number, chunk in enumerate(source.chunks()):
                if memory_limit and variable and getattr(chunk, "size_bytes", None) is None:
                    raise ConfigError(
                        f'chunk {number}: with a memory_limit, the stream "{variable[0]}" of '
                        "variable shape needs the size_bytes of each Chunk"
                    )
                _add_chunk(table, number, chunk, sizes)
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from error.__cause__
        fingerprint = source.fingerprint() or ""
        if not isinstance(fingerprint, str):
            raise ConfigError(f"{name}: fingerprint() gives a text: got {fingerprint!r}")
    except BaseException as error:
        add_note(error, f"sheaf: this was {name}, when a Reader was made")
        raise
    return Description(
        name=name,
        streams=streams,
        kinds=[Kind.of(name, stream) for name, stream in streams.items()],
        table=table,
        fingerprint=fingerprint,
        reads_parts=type(source).read_sequences is not Deserializer.read_sequences,
    )


def stream_tuples(
    streams: dict[str, Stream],
) -> list[tuple[str, tuple[int, ...], bool, str, str, bool]]:
    """Return streams in the form that the library takes."""
    return [
        (
            name,
            extents_of(stream.sample_shape or ()),
            stream.sparse,
            _TYPES[stream.dtype or "float32"],
            _TYPES[stream.index_dtype],
            stream.defines_minibatch_size,
        )
        for name, stream in streams.items()
    ]


def _streams(source: Deserializer, name: str) -> dict[str, Stream]:
    if not hasattr(source, "streams"):
        raise ConfigError(f"{name}: it has no streams; they are name -> Stream")
    streams = stream_table(source.streams)
    if not streams:
        raise ConfigError(f"{name}: it has no streams")
    for key, stream in streams.items():
        where = f'{name}: stream "{encodable("the name of a stream", key)}"'
        if stream.sample_shape is None:
            raise ConfigError(f"{where}: it needs a dim or a shape: nothing is found in the data")
        if stream.alias is not None:
            raise ConfigError(f"{where}: there is no file that calls it otherwise: no alias")
        check_shape(stream, where)
    if sum(stream.defines_minibatch_size for stream in streams.values()) > 1:
        raise ConfigError(f"{name}: one stream can define the minibatch size")
    return streams


def check_shape(stream: Stream, where: str) -> None:
    """Refuse shapes that a stream of Python cannot have."""
    shape = stream.sample_shape or ()
    if stream.sparse and stream.is_variable:
        raise ConfigError(f"{where}: a sparse stream has a dim that does not vary")
    if stream.dtype == "bytes" and (stream.sparse or shape != (None,)):
        raise ConfigError(
            f"{where}: opaque bytes are dense samples of the shape (None,): got {stream!r}"
        )


def _add_chunk(table: _sheaf.UserTable, number: int, said: Any, sizes: list[int]) -> None:
    import numpy as np

    if not isinstance(said, Chunk):
        count = _whole(number, "sequences", said)
        if count > 0:
            # As below, but there may be millions of such chunks.
            table.add(count, 1, None, None, None, None, _bytes(sizes, count, count))
            return
        said = Chunk(count)
    each, samples = None, 1
    if np.ndim(said.samples) == 0:
        samples = _whole(number, "samples", said.samples)
    else:
        each = _numbers(number, "samples", said.samples, np.int64)
    keys, texts = _keys(number, said.keys)
    costs = None if said.costs is None else _numbers(number, "costs", said.costs, np.int64)
    lists = (("samples", each), ("keys", keys), ("keys", texts), ("costs", costs))
    counts = {name: len(values) for name, values in lists if values is not None}
    if said.sequences is not None:
        counts["sequences"] = _whole(number, "sequences", said.sequences)
    if not counts:
        raise ConfigError(f"chunk {number}: how many sequences it has is not said")
    if len(set(counts.values())) > 1:
        raise ConfigError(f"chunk {number}: numbers of sequences that differ: {counts}")
    (count,) = set(counts.values())
    if count < 1:
        raise ConfigError(f"chunk {number}: a chunk has at least one sequence: got {count}")
    size_bytes = said.size_bytes
    if size_bytes is None:
        total = int(each.sum()) if each is not None else count * samples
        size_bytes = _bytes(sizes, count, total)
    size_bytes = _whole(number, "size_bytes", size_bytes)
    table.add(count, samples, each, keys, texts, costs, size_bytes)


def _cost_name(source: Deserializer, name: str) -> str:
    said = getattr(source, "cost_name", "cost")
    if not isinstance(said, str) or not said:
        raise ConfigError(f'{name}: cost_name is a text, such as "pixels": got {said!r}')
    return encodable("cost_name", said)


def _sample_bytes(stream: Stream) -> int:
    """Return the approximate size of a sample."""
    import numpy as np

    shape = extents_of(stream.sample_shape or ())
    if stream.is_variable:
        return _VARIABLE_BYTES
    value = np.dtype(numpy_name(stream.dtype)).itemsize
    if not stream.sparse:
        return int(np.prod(shape, dtype=np.int64)) * value
    value += np.dtype(stream.index_dtype).itemsize
    return min(shape[0], _PAIRS_MAX) * value + 8


def _bytes(sizes: list[int], sequences: int, samples: int) -> int:
    return sum(sample * samples + 8 * sequences for sample in sizes)


def _whole(number: int, what: str, value: Any) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        raise ConfigError(
            f"chunk {number}: {what}: expected a whole number, got {value!r}"
        ) from None
    if not 0 <= whole < _COUNT_MAX:
        raise ConfigError(f"chunk {number}: {what}: expected at least 0, got {whole}")
    return whole


def _numbers(number: int, what: str, values: Any, dtype: Any) -> Any:
    import numpy as np

    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ConfigError(
            f"chunk {number}: {what}: expected a whole number for each sequence, got "
            f"{array.dtype} of shape {array.shape}"
        )
    if array.size and (array.min() < 0 or int(array.max()) > np.iinfo(dtype).max):
        raise ConfigError(
            f"chunk {number}: {what}: expected numbers from 0 to {np.iinfo(dtype).max}, got "
            f"{array.min()} to {array.max()}"
        )
    return np.ascontiguousarray(array, dtype=dtype)


def _keys(number: int, keys: Any) -> tuple[Any, list[str] | None]:
    import numpy as np

    if keys is None:
        return None, None
    if isinstance(keys, str):
        raise ConfigError(f"chunk {number}: keys: expected one for each sequence, got {keys!r}")
    values = keys.tolist() if isinstance(keys, np.ndarray) and keys.dtype.kind == "U" else keys
    if not isinstance(values, np.ndarray):
        values = list(values)
        if any(isinstance(key, str) for key in values):
            for i, key in enumerate(values):
                if not isinstance(key, str):
                    raise ConfigError(
                        f"chunk {number}: keys: all are texts or none is: got {key!r} for "
                        f"sequence {i}"
                    )
            return None, values
    return _numbers(number, "keys", values, np.uint64), None
