"""Mixtures: sequences drawn from several data sets by weight."""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

from .._user.source import ProgramData
from ..errors import ConfigError
from .kaldi_dir import KaldiDir
from .specs import spec_text
from .streams import Stream, Streams, stream_table
from .tables import table_or
from .texts import Path, path_text
from .values import refuse_type

if TYPE_CHECKING:
    from decimal import Decimal

Member = Path | Iterable[Path] | Mapping[str, Any] | KaldiDir | ProgramData
Weight = Union[int, float, str, "Decimal"]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Several data sets with a weight each: ``sheaf.mix`` makes one.

    A Reader, ``sheaf.order`` and ``SheafDataset`` take the object in place of a path.
    ``transforms=`` beside the object apply to the sequences of all members. ``spec`` describes the
    data as plain data, and ``str()`` gives the spec as JSON for a file.
    """

    names: tuple[str, ...]  # of the members
    exhausted: str
    _data: dict[str, Any] = field(repr=False)
    objects: dict[str, ProgramData] = field(repr=False)  # members of the program, by their names

    @property
    def spec(self) -> dict[str, Any]:
        """A spec for ``spec=`` or for a file."""
        return {"data": copy.deepcopy(self._data)}

    def __str__(self) -> str:
        """Return the spec as JSON. Relative paths begin at the folder of the spec's file."""
        return json.dumps(self.spec, indent=2)


def mix(
    members: Mapping[Any, Weight] | Iterable[tuple[Member, Weight]],
    *,
    exhausted: Literal["repeat", "stop", "drop", "error"],
    schedule: Mapping[int, Iterable[Weight]] | None = None,
    streams: Streams | None = None,
    format: str | None = None,
    format_options: Mapping[str, str] | None = None,
) -> Mixture:
    """Draw sequences from several data sets by weight.

    members         the weight of each data set: ``{"news.ctf": 0.7, "chat.ctf": 0.3}``, or pairs.
                    A data set is a path, a pattern, a tuple of paths that are read one after the
                    other, a spec or its "data" as a dictionary, ``sheaf.kaldi_dir(...)``, a
                    Deserializer of your own, or an Arrow stream such as a table of pyarrow. Paths
                    may name Parquet files. Members may have the same keys
    exhausted       what happens when a draw takes from a member that has delivered all of its
                    sequences. "repeat": the member begins its next sweep; "stop": the sweep of the
                    mixture ends; "drop": members leave with their last sequence, and the others go
                    on; "error": an error, unless all members end together
    schedule        later weights of all members, by the number of the draw that they begin with:
                    ``{100_000: [0.5, 0.5]}``. Draws are counted from 0, from the start of the run
                    with "repeat", and else from the start of each sweep
    streams, format, format_options
                    as for a Reader, for all members that are files

    Weights are decimal numbers, and only their ratios count: 0.35 is exactly 7 of 20. After any
    number of draws, each member is within 2 sequences of its share.

    With "repeat", a sweep of the mixture ends when each member has been delivered once or more.

    Raises ConfigError and TypeError for wrong options.
    """
    pairs = list(members.items()) if isinstance(members, Mapping) else [*members]
    objects: dict[str, ProgramData] = {}
    table = {} if streams is None else stream_table(streams)
    said: dict[str, Any] = {}
    if table:
        said["streams"] = [_stream(name, stream) for name, stream in table.items()]
    if format is not None:
        said["format"] = format
    if format_options is not None:
        said["format_options"] = dict(format_options)
    listed = []
    names = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            refuse_type("members", "a mapping or pairs of a data set and its weight", pair)
        member, weight = pair
        data, name = _member(member, said, objects)
        listed.append({**data, "weight": _weight(weight)})
        names.append(name)
    data = {"mix": listed, "exhausted": exhausted}
    if schedule is not None:
        data["schedule"] = _stages(schedule)
    return Mixture(tuple(names), exhausted, data, objects)


def _member(
    member: Any, said: dict[str, Any], objects: dict[str, ProgramData]
) -> tuple[dict[str, Any], str]:
    """Return the data of a member, and its name."""
    table = table_or(member)
    if isinstance(table, ProgramData):
        name = f"member{len(objects)}"
        objects[name] = table
        return {"object": name}, type(member).__name__
    if isinstance(member, KaldiDir):
        return member.spec["data"], member.folder
    if isinstance(member, Mapping):
        data = member.get("data", member)
        if not isinstance(data, Mapping):
            refuse_type("members", "a spec or its data", member)
        return dict(data), "a spec"
    if isinstance(member, (str, bytes, os.PathLike)):
        paths = [path_text(member)]
    elif isinstance(member, Iterable):
        paths = [path_text(path) for path in member]
    else:
        refuse_type("members", "a path, paths, a spec or an object", member)
    if not paths:
        raise ConfigError("members: expected at least one path")
    return {"files": [spec_text(path) for path in paths], **said}, ", ".join(paths)


def _weight(weight: Any) -> str:
    decimal = sys.modules.get("decimal")  # a program that has one has imported it
    kinds = (int, float, str) if decimal is None else (int, float, str, decimal.Decimal)
    if isinstance(weight, bool) or not isinstance(weight, kinds):
        refuse_type("the weight of a member", "a number or a decimal text", weight)
    return repr(weight) if isinstance(weight, float) else str(weight)


def _stages(schedule: Any) -> list[dict[str, Any]]:
    if not isinstance(schedule, Mapping):
        refuse_type("schedule", "a mapping of draws to weights", schedule)
    stages = []
    for draw, weights in sorted(schedule.items()):
        if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
            refuse_type("schedule", "a list of weights for each draw", weights)
        stages.append({"from": draw, "weights": [_weight(weight) for weight in weights]})
    return stages


def _stream(name: str, stream: Stream) -> dict[str, Any]:
    """Return a stream in the form of a spec."""
    described: dict[str, Any] = {"name": spec_text(name)}
    if stream.sample_shape is not None:
        described["shape"] = list(stream.sample_shape)
    if stream.sparse:
        described["storage"] = "sparse"
    if stream.alias is not None:
        described["alias"] = spec_text(stream.alias)
    if stream.dtype is not None:
        described["dtype"] = stream.dtype
    if stream.index_dtype != "int32":
        described["index_dtype"] = stream.index_dtype
    if stream.defines_minibatch_size:
        described["defines_minibatch_size"] = True
    return described
