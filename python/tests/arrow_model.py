"""The rules of docs/formats/arrow.md for columns, in Python: a model for random tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

# The page's codes of wrong rows.
ROW_CODES = {"arrow-null", "arrow-shape", "arrow-index", "arrow-pair", "arrow-range"}


class WrongRowError(Exception):
    """Raised for a row with errors. The argument is the set of their codes."""


def number(value: Any, codes: set[str] | None = None) -> Any:
    """Return a number in a form that compares to the bit: floats as text, for NaN and -0.0."""
    if value is None:
        return wrong(codes, "arrow-null")
    if isinstance(value, (bool, int)):
        # i64 is the widest type of a stream.
        return int(value) if int(value) < 2**63 else wrong(codes, "arrow-range")
    return float(value).hex()


def wrong(codes: set[str] | None, code: str) -> None:
    assert codes is not None
    codes.add(code)


def text(value: Any, codes: set[str]) -> bytes | None:
    if value is None:
        return wrong(codes, "arrow-null")
    return value.encode() if isinstance(value, str) else bytes(value)


def flat(value: Any, depth: int, codes: set[str]) -> list[Any]:
    """Return the values of a sample whose shape has this number of extents."""
    if value is None:
        wrong(codes, "arrow-null")
        return []
    if depth == 0:
        return [value]
    return [each for inner in value for each in flat(inner, depth - 1, codes)]


def pairs(value: Any, codes: set[str]) -> list[tuple[Any, Any]]:
    """Return a sparse sample."""
    if value is None:
        wrong(codes, "arrow-null")
        return []
    if isinstance(value, dict):  # a struct of two lists
        indices, values = value["indices"], value["values"]
        if len(indices) != len(values):
            wrong(codes, "arrow-pair")
        value = list(itertools.zip_longest(indices, values))
    found = []
    for pair in value:
        if pair is None:
            wrong(codes, "arrow-null")
            continue
        index, weight = pair.values() if isinstance(pair, dict) else pair
        found.append((number(index, codes), number(weight, codes)))
        if (found[-1][0] or 0) < 0:
            wrong(codes, "arrow-index")
    return found


@dataclass
class Column:
    """The stream for a column."""

    kind: str  # "numbers", "bytes", "classes", "sparse"
    lists: int  # lists and maps around the values
    fixed: tuple[int, ...]  # extents of samples
    depth: int = 0  # of lists of fixed size, or bytes, in a sample
    is_image: bool = False
    has_sparse_list: bool = False  # a list of sparse samples

    @property
    def is_list_of_lists(self) -> bool:
        return self.kind in ("numbers", "classes") and self.lists == 2

    def samples(self, row: Any, dim: int | None = None) -> list[Any] | None:
        """Return the samples of a row; None if the stream is absent. Raises WrongRowError.

        ``dim`` is the size of the samples of lists of lists, where it is fixed.
        """
        if row is None:
            return None
        codes: set[str] = set()
        found = self._samples(row, dim, codes)
        if codes:
            raise WrongRowError(codes)
        return found

    def _samples(self, row: Any, dim: int | None, codes: set[str]) -> list[Any]:
        if self.kind == "sparse":
            return [pairs(each, codes) for each in (row if self.has_sparse_list else [row])]
        if self.kind == "bytes":
            return [self._text(each, codes) for each in (row if self.lists else [row])]
        samples = row if self.lists else [row]
        found = []
        for sample in samples:
            if self.lists == 2 and sample is None:
                wrong(codes, "arrow-null")
                continue
            items = sample if self.lists == 2 else [sample]
            leaf = number if self.kind == "numbers" else text
            values = [each for item in items for each in flat(item, self.depth, codes)]
            found.append([leaf(value, codes) for value in values])
            if dim is not None and len(values) != dim:
                wrong(codes, "arrow-shape")
        return found

    def _text(self, value: Any, codes: set[str]) -> Any:
        if self.is_image and value is not None:
            value = value["bytes"]
        return text(value, codes)


def rows_of(batch: Any) -> list[dict[str, Any]]:
    """Return the rows of a batch; tensors become the lists that store them."""
    columns = {
        name: [
            value
            for chunk in getattr(column, "chunks", [column])
            for value in getattr(chunk, "storage", chunk).to_pylist()
        ]
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }
    return [{name: values[i] for name, values in columns.items()} for i in range(len(batch))]


def is_whole(kind: Any) -> bool:
    return pa.types.is_integer(kind)


def is_number(kind: Any) -> bool:
    return is_whole(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)


def is_text(kind: Any) -> bool:
    names = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return any(getattr(pa.types, f"is_{name}")(kind) for name in names)


def is_list(kind: Any) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


def column_of(kind: Any) -> Column | None:
    """Return the stream for a type, or None if the type cannot be a stream."""
    lists, depth, fixed = 0, 0, []
    while True:
        if isinstance(kind, pa.FixedShapeTensorType):
            fixed += kind.shape
            depth += 1  # its storage is one list
            kind = kind.value_type
        elif is_list(kind) or pa.types.is_map(kind):
            if fixed:
                return None
            lists += 1
            if pa.types.is_map(kind):
                return _sparse(lists, kind.key_type, kind.item_type, nested=False)
            kind = kind.value_type
        elif pa.types.is_fixed_size_list(kind):
            if kind.list_size < 1:
                return None
            fixed.append(kind.list_size)
            depth += 1
            kind = kind.value_type
        else:
            return _leaf(kind, lists, tuple(fixed), depth)


def _sparse(lists: int, index: Any, value: Any, *, nested: bool) -> Column | None:
    fits = is_whole(index) and is_number(value) and lists <= (1 if nested else 2)
    several = lists == (1 if nested else 2)
    return Column("sparse", lists, (), has_sparse_list=several) if fits else None


def _leaf(kind: Any, lists: int, fixed: tuple[int, ...], depth: int) -> Column | None:
    if is_text(kind):
        return Column("bytes", lists, ()) if lists <= 1 and not fixed else None
    if pa.types.is_struct(kind):
        fields = {field.name: field.type for field in kind}
        if fixed or len(fields) != 2:
            return None
        if set(fields) == {"indices", "values"}:
            if not all(is_list(each) for each in fields.values()):
                return None
            inner = [fields[name].value_type for name in ("indices", "values")]
            return _sparse(lists, *inner, nested=True)
        if set(fields) == {"bytes", "path"}:
            good = is_text(fields["bytes"]) and lists <= 1
            return Column("bytes", lists, (), is_image=True) if good else None
        return _sparse(lists, *fields.values(), nested=False) if lists else None
    if pa.types.is_dictionary(kind):
        name = "classes" if is_text(kind.value_type) else None
    elif pa.types.is_fixed_size_binary(kind):  # which is no number, so that lists are one at most
        name = "numbers" if kind.byte_width > 0 and lists <= 1 else None
        depth += 1
    else:
        name = "numbers" if is_number(kind) else None
    if name is None or lists > (1 if fixed else 2):
        return None
    return Column(name, lists, fixed, depth)
