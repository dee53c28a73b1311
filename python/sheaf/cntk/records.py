"""Declarations of streams, and a source's descriptions of its streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .errors import ConfigError


class Record(dict[str, Any]):
    """A constant dict, whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"a record of {', '.join(self) or 'nothing'} has no {name}")
        return self[name]

    def __getattribute__(self, name: str) -> Any:
        # Methods of a dict give way to streams of their name.
        if not name.startswith("_") and dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        return super().__getattribute__(name)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a record does not change")

    __setitem__ = __delitem__ = __setattr__ = __delattr__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return _record_of, (type(self), dict(self))


def _record_of(kind: type[Record], items: dict[str, Any]) -> Record:
    return kind(**items)


class StreamDefs(Record):
    """The streams of a deserializer: ``StreamDefs(features=StreamDef(...), ...)``."""


def StreamDef(  # noqa: N802 - CNTK's name
    field: str | None = None,
    shape: int | Sequence[int] | None = None,
    is_sparse: bool = False,
    transforms: Sequence[dict[str, Any]] | None = None,
    context: tuple[int, int] | None = None,
    scp: str | None = None,
    mlf: str | Sequence[str] | None = None,
    broadcast: bool | None = None,
    defines_mb_size: bool = False,
    max_sequence_length: int = 65535,
) -> Record:
    """Declare a stream: ``field`` is its name in the file, ``shape`` its number of values."""
    optional = {
        "dim": shape,
        "transforms": transforms,
        "context": context,
        "scp": scp,
        "mlf": mlf,
        "broadcast": broadcast,
    }
    return Record(
        stream_alias=field,
        is_sparse=is_sparse or mlf is not None,
        **{name: value for name, value in optional.items() if value is not None},
        defines_mb_size=defines_mb_size,
        max_sequence_length=max_sequence_length,
    )


class StreamConfiguration:
    """Declares a stream as the C++ interface does."""

    def __init__(
        self,
        name: str,
        dim: int,
        is_sparse: bool = False,
        stream_alias: str = "",
        defines_mb_size: bool = False,
    ) -> None:
        self.name = name
        self.dim = dim
        self.is_sparse = is_sparse
        self.stream_alias = stream_alias
        self.defines_mb_size = defines_mb_size

    def __repr__(self) -> str:
        return f"StreamConfiguration({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class StreamInformation:
    """The description of a source's stream; the attributes ``m_...`` are those of CNTK's C++."""

    def __init__(
        self,
        name: str,
        stream_id: int,
        storage_format: str,
        dtype: npt.DTypeLike,
        shape: Sequence[int],
        defines_mb_size: bool = False,
    ) -> None:
        if storage_format not in ("dense", "sparse"):
            raise KeyError(storage_format)
        self.name = name
        self.storage_format = storage_format
        self.dtype = np.dtype(dtype)
        self.sample_shape = tuple(int(extent) for extent in shape)
        self.defines_mb_size = defines_mb_size
        self.m_name = name
        self.m_id = stream_id
        self.m_storage_format = storage_format
        self.m_element_type = self.dtype
        self.m_sample_layout = self.sample_shape[::-1]  # the first is what changes fastest

    @property
    def is_sparse(self) -> bool:
        return self.storage_format == "sparse"

    def _values(self) -> tuple[object, ...]:
        return self.m_id, self.name, self.storage_format, self.dtype, self.sample_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StreamInformation) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self.m_id)

    def __repr__(self) -> str:
        return (
            f"StreamInformation({self.name!r}, {self.m_id}, {self.storage_format!r}, "
            f"{self.dtype.name}, {self.sample_shape})"
        )


def streams_by_name(infos: Sequence[StreamInformation]) -> Record:
    """Put streams into a record; ConfigError if two have one name."""
    names = [info.name for info in infos]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f'streams: two have the name "{name}"')
    return Record(**{info.name: info for info in infos})
