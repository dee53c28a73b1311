"""Specs in Python: a file or a dict, the objects that a spec names, and keywords beside it."""

from __future__ import annotations

import itertools
import json
import math
import operator
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import _sheaf
from .._user.describing import Description, describe, stream_tuples
from .._user.deserializer import Deserializer
from .._user.functions import Function, FunctionDescription
from .._user.serving import server_of
from .._user.source import ProgramData
from ..errors import ConfigError
from .spec_tables import SpecTable, without_tables
from .texts import Path, encodable, path_text
from .transforms import Transform, transform_list

# Keywords that change the run of a spec.
_CHANGES = (
    *("order", "seed", "window_chunks", "window_samples", "sweep_ends", "timeline", "balance"),
    *("batching", "split_frames", "truncation_length", "sweeps", "epoch_size", "packing"),
    *("row_samples", "max_errors", "minibatch_size", "unit", "sizes", "drop_last", "long"),
    *("pad_values", "pad_side", "pad_multiple", "pad_length"),
)
_SAY_THE_SAME = [
    {"window_chunks", "window_samples"},
    {"sweeps", "epoch_size"},
    {"pad_multiple", "pad_length"},
]


def plan_of_spec(spec: Path | Mapping[str, Any], said: Mapping[str, Any]) -> _sheaf.Plan:
    """Return the plan of a spec, whose ``read`` these keywords change."""
    if isinstance(spec, Mapping):
        name = "spec"
        plan = _sheaf.Plan.of_spec(name, _json(spec))
    else:
        name = path_text(spec)
        plan = _sheaf.Plan.of_spec(name, None)
    changes = {name: value for name, value in said.items() if name in _CHANGES}
    if changes:
        if changes.get("sweeps") == 0:
            changes["sweeps"] = "endless"
        whole = json.loads(plan.to_json())
        for names in _SAY_THE_SAME:
            if names & changes.keys():
                whole["read"] = {
                    key: value for key, value in whole["read"].items() if key not in names
                }
        whole["read"].update(changes)
        plan = _sheaf.Plan.of_spec(name, json.dumps(whole))
    plan.set_worker(said.get("rank", 0), said.get("world_size", 1))
    return plan


@dataclass
class Specified:
    """The plan of a spec, and the objects that the plan names."""

    plan: _sheaf.Plan
    objects: dict[str, ProgramData | Function]  # objects that the program gives
    tables: dict[str, SpecTable]  # the Parquet files of the spec


def specified_data(said: Mapping[str, Any], changes: Mapping[str, Any]) -> Specified:
    """Return the data of a spec. Keywords change ``read`` and the use of index files."""
    plan = plan_of_spec(said["spec"], changes)
    index_dir = said.get("index_dir")
    plan.set_index(said.get("index"), None if index_dir is None else path_text(index_dir))
    objects = _checked_objects(plan, said.get("objects", {}))
    name = "spec" if isinstance(said["spec"], Mapping) else path_text(said["spec"])
    rest, tables = without_tables(plan.to_json(), name)
    if tables:
        plan = plan_of_spec(rest, changes)
    return Specified(plan, objects, tables)


def _checked_objects(plan: _sheaf.Plan, objects: object) -> dict[str, ProgramData | Function]:
    """Return the objects by name; ConfigError unless they are those that the spec names."""
    if not isinstance(objects, Mapping):
        raise ConfigError(f"objects is a dict of names and Deserializers: got {objects!r}")
    for name, source in objects.items():
        if not isinstance(name, str):
            raise ConfigError(f"the name of an object is a text: got {name!r}")
        encodable("the name of an object", name)
        if not isinstance(source, (ProgramData, Function)):
            raise ConfigError(
                f'objects: expected a Deserializer, a Table or sheaf.map(...) under "{name}", got '
                f"{source!r}"
            )
    plan.check_objects([name for name, each in objects.items() if isinstance(each, ProgramData)])
    _check_functions(plan, [name for name, each in objects.items() if isinstance(each, Function)])
    return dict(objects)


def _check_functions(plan: _sheaf.Plan, given: list[str]) -> None:
    named = [
        transform["name"]
        for transform in json.loads(plan.to_json())["data"].get("transforms", [])
        if isinstance(transform, Mapping) and transform["type"] == "function"
    ]
    for name in given:
        if name not in named:
            raise ConfigError(f'objects: no transform of the spec names the function "{name}"')


def named_functions(transforms: Iterable[Any]) -> list[tuple[str, Function]]:
    """Return the functions among transforms, each with a name of its own."""
    named: dict[str, Function] = {}
    for each in transforms:
        if isinstance(each, Function):
            numbers = itertools.count(2)
            name = each.name
            while name in named:
                name = f"{each.name}#{next(numbers)}"
            named[name] = each
    return list(named.items())


def give_function(plan: _sheaf.Plan, name: str, function: Function) -> None:
    """Give a plan the function under this name; the reader keeps the function alive."""
    server = server_of(function)
    shapes_max = [function.shapes_max.get(output) for output in function.outputs or ()]
    _sheaf.give_function(
        plan,
        name,
        server.calls,
        server.keep(FunctionDescription(function)),
        function.name,
        None if function.outputs is None else stream_tuples(function.outputs),
        function.samples,
        [None if shape is None else list(shape) for shape in shapes_max],
        function.batched,
        function.wants_rng,
        function.version,
    )


def give_deserializer(
    plan: _sheaf.Plan, name: str, source: Deserializer, memory_limit: int
) -> Description:
    """Give a plan the object under this name; the reader of the plan must keep the object."""
    server = server_of(source)
    said: Description = server.run(lambda: describe(source, memory_limit))
    _sheaf.give_user_data(
        plan,
        name,
        server.calls,
        server.keep(said),
        said.name,
        stream_tuples(said.streams),
        said.table,
        said.fingerprint,
        memory_limit,
        said.reads_parts,
    )
    return said


def spec_text(text: str) -> str | dict[str, str]:
    """Return a text in the form of JSON: surrogates that encode bytes are not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return {"latin-1": os.fsencode(encodable("a text", text)).decode("latin-1")}
    return text


def transforms_json(transforms: Iterable[Any]) -> str:
    """Return transforms as JSON, in the form of a spec."""
    said = list(transforms)
    names = iter(name for name, _ in named_functions(said))
    return json.dumps(
        [
            {"type": "function", "name": spec_text(next(names)), "streams": _streams(each)}
            if isinstance(each, Function)
            else _plain(each, f"transforms[{number}]")
            for number, each in enumerate(said)
        ]
    )


def spec_of_data(
    data: Mapping[str, Any], transforms: Any
) -> tuple[dict[str, Any], dict[str, Function]]:
    """Return a spec with transforms behind those of the data, and the functions by name."""
    more = transform_list("transforms", transforms)
    if not more:
        return {"data": dict(data)}, {}
    whole = [*data.get("transforms", []), *json.loads(transforms_json(more))]
    return {"data": {**data, "transforms": whole}}, dict(named_functions(more))


def _streams(function: Function) -> list[Any]:
    return [spec_text(name) for name in function.inputs]


def _json(spec: Mapping[str, Any]) -> str:
    return json.dumps(_plain(spec, "spec", ": "))


def _plain(value: Any, location: str, separator: str = ".") -> Any:
    """Return the values of a spec as JSON values."""
    if isinstance(value, str):
        return spec_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{location}: expected a number that JSON has, got {value!r}")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Transform):
        return _plain(value.to_dict(), location, separator)
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy and torch
        return _plain(value.tolist(), location, separator)
    if isinstance(value, (bytes, os.PathLike)):
        return spec_text(path_text(value))
    if isinstance(value, Mapping):
        return {
            _name(name, location): _plain(each, f"{location}{separator}{name}")
            for name, each in value.items()
        }
    if isinstance(value, ProgramData):
        raise ConfigError(
            f'{location}: a {_kind_of(value)} is named, {{"object": "name"}}, and given beside the '
            f'spec, objects={{"name": ...}}: got {value!r}'
        )
    if isinstance(value, Iterable):
        return [_plain(each, f"{location}[{i}]") for i, each in enumerate(value)]
    try:
        return operator.index(value)
    except TypeError:
        raise ConfigError(f"{location}: expected a value of JSON, got {value!r}") from None


def _name(name: object, location: str) -> str:
    if isinstance(name, str):
        return encodable("a name in a spec", name)
    raise ConfigError(f"{location}: expected names that are texts, got {name!r}")


def _kind_of(source: ProgramData) -> str:
    return "Deserializer" if isinstance(source, Deserializer) else "table"
