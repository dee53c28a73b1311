"""How a program says which streams to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .errors import ConfigError

_SYNTAX = re.compile(
    r"(?P<name>[^:]+):(?P<storage>dense|sparse):(?P<shape>\d+(?:x\d+)*)"
    r"(?P<options>(?::mb|:alias=[^:]+)*)"
)


@dataclass(frozen=True)
class Stream:
    """A stream: ``dim`` values (dense) or indices (sparse) a sample, or a dense ``shape``."""

    dim: int | None = None
    shape: tuple[int, ...] | None = None
    sparse: bool = False
    alias: str | None = None  # what the file calls it, if not by its name
    dtype: str = "float32"  # or "float64"
    defines_minibatch_size: bool = False  # its samples alone are counted

    def __post_init__(self) -> None:
        if (self.dim is None) == (self.shape is None):
            raise ConfigError(f"a Stream has either dim or shape: got {self}")
        if self.sparse and self.dim is None:
            raise ConfigError(f"a sparse Stream has a dim, not a shape: got {self}")
        if self.dtype not in ("float32", "float64"):
            raise ConfigError(f'the dtype of a Stream is "float32" or "float64": got {self}')

    @property
    def sample_shape(self) -> tuple[int, ...]:
        """``shape``, or ``(dim,)``."""
        return self.shape if self.shape is not None else (self.dim or 0,)


Streams = Mapping[str, Stream] | Iterable[str]


def parse_stream(text: str) -> tuple[str, Stream]:
    """Parse ``NAME:dense|sparse:DIM[:alias=A][:mb]``, the syntax of the command line."""
    match = _SYNTAX.fullmatch(text)
    if match is None:
        raise ConfigError(f'a stream is NAME:dense|sparse:DIM[:alias=A][:mb]: got "{text}"')
    extents = tuple(int(extent) for extent in match["shape"].split("x"))
    sparse = match["storage"] == "sparse"
    if len(extents) == 1:
        stream = Stream(dim=extents[0], sparse=sparse)
    else:
        stream = Stream(shape=extents, sparse=sparse)
    for option in match["options"].split(":")[1:]:
        if option == "mb":
            stream = replace(stream, defines_minibatch_size=True)
        else:
            stream = replace(stream, alias=option[len("alias=") :])
    return match["name"], stream


def stream_table(streams: Streams) -> dict[str, Stream]:
    """Give streams by name, whichever way they were said."""
    if isinstance(streams, Mapping):
        return dict(streams)
    if isinstance(streams, str):
        raise ConfigError(f'streams is a dict or a list of strings: got the string "{streams}"')
    table: dict[str, Stream] = {}
    for text in streams:
        name, stream = parse_stream(text)
        if name in table:
            raise ConfigError(f'streams names "{name}" twice')
        table[name] = stream
    return table
