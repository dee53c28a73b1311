#!/usr/bin/env python3
"""Writes the small files that tests of Arrow's IPC formats read. Needs pyarrow.

    make.py [FOLDER]

The bytes depend on the version of pyarrow; the files here are by pyarrow 26.0.1.
"""

import datetime
import decimal
import sys
from pathlib import Path

import pyarrow as pa

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent

DAY = datetime.date(1970, 1, 3)


def plain_columns() -> dict[str, pa.Array]:
    """A column for each type without children: a value, a null, and another value."""
    columns = {"n": pa.nulls(3), "b": pa.array([True, None, False])}
    for name in ("int8", "int16", "int32", "int64"):
        columns[name] = pa.array([-1, None, 100], getattr(pa, name)())
        columns["u" + name] = pa.array([1, None, 200], getattr(pa, "u" + name)())
    columns["float16"] = pa.array([1.0, None, 2.0], pa.float16())
    columns["float32"] = pa.array([1.5, None, -2.0], pa.float32())
    columns["float64"] = pa.array([1.25, None, -2.0], pa.float64())
    for name in ("string", "large_string", "string_view"):
        columns[name] = pa.array(["one", None, "more than twelve bytes"], getattr(pa, name)())
    for name in ("binary", "large_binary", "binary_view"):
        columns[name] = pa.array([b"", None, b"more than twelve bytes"], getattr(pa, name)())
    columns["fixed_binary"] = pa.array([b"abc", None, b"def"], pa.binary(3))
    for bits in (32, 64, 128, 256):
        kind = getattr(pa, f"decimal{bits}")(8, 2)
        columns[f"decimal{bits}"] = pa.array(
            [decimal.Decimal("1.25"), None, decimal.Decimal("7.00")], kind
        )
    columns["date32"] = pa.array([DAY, None, DAY], pa.date32())
    columns["date64"] = pa.array([DAY, None, DAY], pa.date64())
    for unit in ("s", "ms", "us", "ns"):
        time = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
        columns[f"time_{unit}"] = pa.array([5, None, 6], time)
        columns[f"timestamp_{unit}"] = pa.array([5, None, 6], pa.timestamp(unit))
        columns[f"duration_{unit}"] = pa.array([5, None, -6], pa.duration(unit))
    columns["zone"] = pa.array([5, None, 6], pa.timestamp("us", "Europe/Berlin"))
    columns["interval"] = pa.array(
        [pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([4, 5, 6])],
        pa.month_day_nano_interval(),
    )
    return columns


def nested_columns(has_views: bool = True) -> dict[str, pa.Array]:
    """A column for each type with children, of 12 rows."""
    lists = [[1], None, [], [2, 3], [4], [5, None], [6], [7, 8, 9], None, [10], [], [11]]
    texts = [[f"t{i}" * i] * (i % 3) for i in range(12)]
    columns = {
        "list": pa.array(lists, pa.list_(pa.int32())),
        "large_list": pa.array(texts, pa.large_list(pa.string())),
        "fixed_list": pa.array(
            [None if i == 3 else [i, i + 1] for i in range(12)], pa.list_(pa.int16(), 2)
        ),
        "struct": pa.array(
            [None if i == 2 else {"a": i, "b": [True] * (i % 2)} for i in range(12)],
            pa.struct([pa.field("a", pa.int64()), pa.field("b", pa.list_(pa.bool_()))]),
        ),
        "map": pa.array(
            [[(f"k{i}", i)] * (i % 3) for i in range(12)], pa.map_(pa.string(), pa.int8())
        ),
        "flags": pa.array([None if i == 9 else i % 3 == 0 for i in range(12)]),
        "words": pa.array(["red", "green", "red", None] * 3).dictionary_encode(),
        "word_lists": pa.ListArray.from_arrays(
            pa.array([0, 1, 1, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8], pa.int32()),
            pa.array(["up", "down", "up", "up", "down", "left", "up", "down"]).dictionary_encode(),
        ),
        "sparse": pa.UnionArray.from_sparse(
            pa.array([0, 1] * 6, pa.int8()),
            [pa.array(range(12), pa.int32()), pa.array([f"s{i}" for i in range(12)])],
        ),
        "dense": pa.UnionArray.from_dense(
            pa.array([0, 1, 1] * 4, pa.int8()),
            pa.array([0, 0, 1, 1, 2, 3, 2, 4, 5, 3, 6, 7], pa.int32()),
            [pa.array(range(4), pa.int32()), pa.array([f"d{i}" for i in range(8)])],
        ),
    }
    if has_views:
        columns["list_view"] = pa.ListViewArray.from_arrays(
            pa.array([4, 0, 0, 2, 2, 1, 0, 3, 5, 0, 4, 1], pa.int32()),
            pa.array([2, 1, 0, 3, 2, 1, 4, 0, 1, 2, 1, 3], pa.int32()),
            pa.array([10, 11, 12, 13, 14, 15], pa.int32()),
        )
        columns["text_view"] = pa.array(
            [None if i == 5 else f"text number {i}" * (i % 3) for i in range(12)],
            pa.string_view(),
        )
        columns["runs"] = pa.RunEndEncodedArray.from_arrays(
            pa.array([3, 8, 12], pa.int32()), pa.array(["x", None, "z"])
        )
    return columns


def write(name: str, batches: list[pa.RecordBatch], stream: bool, **options: object) -> None:
    maker = pa.ipc.new_stream if stream else pa.ipc.new_file
    settings = pa.ipc.IpcWriteOptions(**options)
    with maker(str(FOLDER / name), batches[0].schema, options=settings) as writer:
        for batch in batches:
            writer.write_batch(batch)


def word_batches(lists: list[list[str]]) -> list[pa.RecordBatch]:
    """Batches whose dictionaries are the words, in their order."""
    schema = pa.schema([pa.field("w", pa.dictionary(pa.int8(), pa.string()))])
    batches = []
    for words in lists:
        array = pa.DictionaryArray.from_arrays(
            pa.array([len(words) - 1, None, 0], pa.int8()), pa.array(words)
        )
        batches.append(pa.RecordBatch.from_arrays([array], schema=schema))
    return batches


def main() -> None:
    fields = []
    columns = plain_columns()
    for name, array in columns.items():
        metadata = {"unit": "none", "": "empty"} if name == "int8" else None
        fields.append(pa.field(name, array.type, nullable=name != "string", metadata=metadata))
    fields[list(columns).index("string")] = pa.field("string", pa.string())
    fields.append(pa.field("required", pa.int32(), nullable=False))
    schema = pa.schema(fields, metadata={"made": "by make.py"})
    arrays = [*columns.values(), pa.array([7, 8, 9], pa.int32())]
    plain = pa.RecordBatch.from_arrays(arrays, schema=schema)
    write("types.stream", [plain], stream=True)
    write("types.arrow", [plain], stream=False)

    nested = pa.RecordBatch.from_pydict(nested_columns())
    batches = [nested, nested.slice(3, 5), nested.slice(0, 0)]
    write("nested.stream", batches, stream=True, emit_dictionary_deltas=True)
    write("nested.arrow", batches, stream=False)
    write("nested_lz4.arrow", batches, stream=False, compression="lz4")
    write("nested_zstd.stream", batches, stream=True, compression="zstd")

    old = [pa.RecordBatch.from_pydict(nested_columns(has_views=False))]
    version = pa.ipc.MetadataVersion.V4
    write("version4.arrow", old, stream=False, metadata_version=version)
    write("legacy.stream", old, stream=True, metadata_version=version, use_legacy_format=True)

    # A delta, a replacement, and the same dictionary again.
    lists = [["a", "b"], ["a", "b", "c"], ["x"], ["x"]]
    write("dictionaries.stream", word_batches(lists), stream=True, emit_dictionary_deltas=True)
    growing = word_batches([["a", "b"], ["a", "b", "c"]])
    write("deltas.arrow", growing, stream=False, emit_dictionary_deltas=True)

    inner = pa.array(["p", "q"]).dictionary_encode()
    outer = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.int8()), pa.StructArray.from_arrays([inner], ["s"])
    )
    other = pa.array([1, 2, 3], pa.int8())
    write("nested_dictionary.stream", [pa.RecordBatch.from_pydict({"o": outer, "i": other})], True)


if __name__ == "__main__":
    main()
