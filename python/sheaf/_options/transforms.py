"""Transforms in a program, and the list of the library's transforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _sheaf
from .._user.functions import Function
from .values import refuse_type

_ONE = 'texts, dicts, Transforms or sheaf.map(...), such as "reverse:features"'


@dataclass(frozen=True)
class TransformOption:
    """An option of a type of transforms."""

    name: str  # "left"
    default: str  # as text; "" if the option has no default
    help: str


@dataclass(frozen=True)
class TransformType:
    """A type of transforms: the first argument of ``sheaf.transform``."""

    name: str
    description: str
    takes_all: bool  # whether a transform without streams applies to all streams
    options: tuple[TransformOption, ...]


@dataclass(frozen=True)
class Transform:
    """A function of one sequence: ``sheaf.transform`` makes one, ``transforms=`` takes several."""

    type: str
    streams: tuple[str, ...] = ()  # that the transform reads; none: all, if the type allows that
    as_: tuple[str, ...] = ()  # names of the streams that the transform makes; none: the same
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the transform in the form of a spec."""
        said: dict[str, Any] = {"type": self.type}
        if self.streams:
            said["streams"] = list(self.streams)
        if self.as_:
            said["as"] = list(self.as_)
        return {**said, **self.options}


Transforms = Iterable[str | Mapping[str, Any] | Transform | Function]


def transform(
    type: str,
    streams: str | Iterable[str] = (),
    *,
    as_: str | Iterable[str] = (),
    **options: Any,
) -> Transform:
    """Describe a transform for ``transforms=``.

    type     one of ``sheaf.transforms()``
    streams  the streams that the transform reads: a name, or several. Without streams, the
             transform applies to all streams, if the type allows that
    as_      names of the streams that the transform makes; by default those of ``streams``
    options  options of the type: numbers, texts, True or False, and lists or arrays of numbers

    A Reader checks type and options.

    >>> import sheaf
    >>> sheaf.transform("rename", "features", as_="x").to_dict()
    {'type': 'rename', 'streams': ['features'], 'as': ['x']}
    """
    if not isinstance(type, str):
        refuse_type("type", "a text", type)
    return Transform(type, _names("streams", streams), _names("as_", as_), dict(options))


def transforms() -> list[TransformType]:
    """List the library's types of transforms.

    >>> import sheaf
    >>> "reverse" in [row.name for row in sheaf.transforms()]
    True
    """
    return [
        TransformType(
            name=row["name"],
            description=row["description"],
            takes_all=row["takes_all"],
            options=tuple(TransformOption(*option) for option in row["options"]),
        )
        for row in _sheaf.transforms()
    ]


def transform_list(name: str, value: Any) -> list[Any]:
    """Return transforms as a list; TypeError for other values."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        refuse_type(name, f"a list of {_ONE}", value)
    found = list(value)
    for each in found:
        if not isinstance(each, (str, Mapping, Transform, Function)):
            refuse_type(name, _ONE, each)
    return found


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        refuse_type(name, "a name or several", value)
    names = tuple(value)
    for each in names:
        if not isinstance(each, str):
            refuse_type(name, "names that are texts", each)
    return names
