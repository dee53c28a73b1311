"""Declarations of streams, by programs and by the library."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import ConfigError
from .values import refuse_type, truth, type_name, whole

# The types of values, under their names in C++ and in NumPy.
DTYPES = {"u8": "uint8", "u16": "uint16", "i32": "int32", "i64": "int64", "f16": "float16"}
DTYPES |= {"bf16": "bfloat16", "f32": "float32", "f64": "float64", "bytes": "bytes"}

# The type in the text of a stream. A stream without it has the type of the file.
_SAID_DTYPES = [name for name in DTYPES.values() if name not in ("float32", "float64", "bytes")]

_SYNTAX = "NAME:dense|sparse[:DIM][:alias=A][:mb][:dtype=T][:index=i64]"
_DIM = re.compile(r"\?|(\d+|\*)(x(\d+|\*))*")

_VARIABLE = -1  # the library's value for an extent that varies


@dataclass(frozen=True)
class Stream:
    """One stream: ``dim`` values (dense) or indices (sparse) a sample, or a dense ``shape``.

    Without dim and shape, sheaf finds them in the data. A ``dtype`` of None means the type of the
    data, and float32 for text. An extent of None in ``shape`` varies from sample to sample. Opaque
    bytes, such as encoded images, have the dtype "bytes", and by default the shape ``(None,)``.
    """

    dim: int | None = None
    shape: tuple[int | None, ...] | None = None
    sparse: bool = False
    alias: str | None = None  # name in the file, if it differs
    dtype: str | None = None  # of the values, such as "float32", "int64" or "bfloat16"
    index_dtype: str = "int32"  # or "int64", of a sparse stream
    defines_minibatch_size: bool = False  # only its samples are counted

    # The names of classes, by their ids, if the data name them. Programs cannot set them.
    class_names: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_types()
        if self.dtype == "bytes" and self.sample_shape is None and not self.sparse:
            self._set("shape", (None,))
        if self.dim is not None and self.shape is not None:
            raise ConfigError(f"a Stream has either dim or shape: got {self!r}")
        if self.sparse and self.shape is not None:
            raise ConfigError(f"a sparse Stream has a dim, not a shape: got {self!r}")
        if self.dtype is not None and self.dtype not in DTYPES.values():
            known = ", ".join(DTYPES.values())
            raise ConfigError(f"the dtype of a Stream is one of {known}: got {self!r}")
        if self.index_dtype not in ("int32", "int64"):
            raise ConfigError(f'the index_dtype of a Stream is "int32" or "int64": got {self!r}')

    def _check_types(self) -> None:
        truth("sparse", self.sparse)
        truth("defines_minibatch_size", self.defines_minibatch_size)
        if self.alias is not None and not isinstance(self.alias, str):
            refuse_type("alias", "a text", self.alias)
        if self.dim is not None:
            self._set("dim", whole("dim", self.dim))
        if self.shape is not None:
            if not isinstance(self.shape, Iterable):
                refuse_type("shape", "a tuple of whole numbers", self.shape)
            shape = tuple(None if e is None else whole("shape", e) for e in self.shape)
            self._set("shape", shape)
        for name, extents in (("dim", [self.dim or 1]), ("shape", self.shape or ())):
            if self.dim == 0 or any(extent is not None and extent < 1 for extent in extents):
                raise ConfigError(f"the {name} of a Stream is at least 1: got {self!r}")
        for name in ("dtype", "index_dtype"):
            if getattr(self, name) is not None:
                self._set(name, type_name(name, getattr(self, name)))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def sample_shape(self) -> tuple[int | None, ...] | None:
        """``shape``, or ``(dim,)``; None if sheaf must find the shape in the data."""
        return (self.dim,) if self.dim is not None else self.shape

    @property
    def is_variable(self) -> bool:
        """Whether the shape differs from sample to sample."""
        return None in (self.sample_shape or ())

    def word(self, name: str) -> str:
        """Return the stream under a name as a value of ``--stream``: ``features:dense:64``."""
        sizes = self.sample_shape
        parts = [_escaped(name), "sparse" if self.sparse else "dense"]
        extents = ["*" if size is None else str(size) for size in sizes or ()]
        parts.append("?" if sizes is None else "x".join(extents) or "1")
        if self.alias is not None and self.alias != name:
            parts.append("alias=" + _escaped(self.alias))
        if self.defines_minibatch_size:
            parts.append("mb")
        if self.dtype in _SAID_DTYPES:
            parts.append(f"dtype={self.dtype}")
        if self.sparse and self.index_dtype == "int64":
            parts.append("index=i64")
        return ":".join(parts)

    def __str__(self) -> str:
        shape = "of a shape to be found"
        if self.sample_shape is not None:
            shape = shape_text(self.sample_shape)
        return f"{'sparse' if self.sparse else 'dense'} {self.dtype or 'values'} {shape}"


Streams = Mapping[str, Stream] | Iterable[str]


def shape_text(shape: Iterable[int | None]) -> str:
    """Return a shape as the library prints it: ``[*, *, 3]``, where * varies."""
    return f"[{', '.join('*' if extent is None else str(extent) for extent in shape)}]"


def extents_of(shape: Iterable[int | None]) -> tuple[int, ...]:
    """Return a shape in the form that the library takes."""
    return tuple(_VARIABLE if extent is None else extent for extent in shape)


def shape_of(extents: Iterable[int]) -> tuple[int | None, ...]:
    """Return the shape for extents of the library."""
    return tuple(None if extent == _VARIABLE else extent for extent in extents)


def numpy_name(dtype: str | None) -> str:
    """Return NumPy's type for values of a type. NumPy has no bfloat16: its bits are uint16."""
    return "uint16" if dtype == "bfloat16" else dtype or "float32"


class FoundStreams(dict[str, Stream]):
    """Streams by name; ``str()`` returns them as options of the command, for a shell."""

    def __str__(self) -> str:
        words = (stream.word(name) for name, stream in self.items())
        return " ".join(f"--stream {shlex.quote(word)}" for word in words)


def _escaped(name: str) -> str:
    return re.sub(r"([:\\])", r"\\\1", name)


def parse_stream(text: str) -> tuple[str, Stream]:
    r"""Parse the syntax of the command line; a colon in a name is written ``\:``."""
    found = re.findall(r":((?:\\[:\\]|[^:])*)", ":" + text)
    name, *parts = (re.sub(r"\\([:\\])", r"\1", part) for part in found)
    options: dict[str, str | bool] = {}
    dim = ""
    is_wrong = not name or not parts or parts[0] not in ("dense", "sparse")
    for number, part in enumerate(parts[1:]):
        key, _, value = part.partition("=")
        if number == 0 and _DIM.fullmatch(part):
            dim = part
        elif part == "mb":
            options["defines_minibatch_size"] = True
        elif key == "alias" and value:
            options["alias"] = value
        elif key == "dtype" and value:
            options["dtype"] = value
        elif part in ("index=i32", "index=i64"):
            options["index_dtype"] = part.replace("index=i", "int")
        else:
            is_wrong = True
    if is_wrong:
        raise ConfigError(f'a stream is {_SYNTAX}: got "{text}"')
    shape: tuple[int | None, ...] | None = None
    if dim not in ("", "?"):
        shape = tuple(None if extent == "*" else int(extent) for extent in dim.split("x"))
    is_dim = shape is not None and len(shape) == 1 and shape[0] is not None
    size: dict[str, object] = {"dim": shape[0]} if shape and is_dim else {"shape": shape}
    return name, Stream(sparse=parts[0] == "sparse", **size, **options)  # type: ignore[arg-type]


def stream_table(streams: Streams | None) -> dict[str, Stream]:
    """Return streams by name, from any form of declaration."""
    if streams is None:
        return {}
    if isinstance(streams, Mapping):
        for name, stream in streams.items():
            if not isinstance(name, str) or not isinstance(stream, Stream):
                raise ConfigError(
                    f"streams is a dict of names and Streams, or a list of strings {_SYNTAX}: "
                    f"got {name!r}: {stream!r}"
                )
        return dict(streams)
    if isinstance(streams, str):
        raise ConfigError(f'streams is a dict or a list of strings: got the string "{streams}"')
    table: dict[str, Stream] = {}
    for text in streams:
        if not isinstance(text, str):
            raise ConfigError(f"a stream in a list is a string {_SYNTAX}: got {text!r}")
        name, stream = parse_stream(text)
        if name in table:
            raise ConfigError(f'streams names "{name}" twice')
        table[name] = stream
    return table
