#!/usr/bin/env python3
"""Random tables, written by pyarrow and read by sheaf: all arrays are equal.

    cmake --build BUILD --target sheaf_export_ipc
    compare_with_pyarrow.py BUILD/tests/format/arrow/libsheaf_export_ipc.so [TABLES] [SEED]

Needs pyarrow. Reads whole batches, parts of batches, and some of the columns. Copies the columns
that sheaf can write, and has pyarrow read the copy. Prints the number of comparisons. The first
array that differs ends the run.
"""

import ctypes
import datetime
import decimal
import random
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from pyarrow.cffi import ffi

LIBRARY = ctypes.CDLL(sys.argv[1])
LIBRARY.ipc_open.restype = ctypes.c_char_p
LIBRARY.ipc_read.restype = ctypes.c_char_p
LIBRARY.ipc_copy.restype = ctypes.c_char_p
LIBRARY.ipc_batch_count.restype = ctypes.c_int64
LIBRARY.ipc_row_count.restype = ctypes.c_int64
LIBRARY.ipc_reads_parts.restype = ctypes.c_bool


class Ipc:
    """A file that sheaf has opened."""

    def __init__(self, path: Path) -> None:
        self.pointer = ctypes.c_void_p()
        error = LIBRARY.ipc_open(str(path).encode(), ctypes.byref(self.pointer))
        if error:
            raise ValueError(error.decode())

    def batch_count(self) -> int:
        return LIBRARY.ipc_batch_count(self.pointer)

    def row_count(self, batch: int) -> int:
        return LIBRARY.ipc_row_count(self.pointer, ctypes.c_int64(batch))

    def schema(self, columns: list[int]) -> pa.Schema:
        taken = ffi.new("struct ArrowSchema*")
        numbers = (ctypes.c_int64 * len(columns))(*columns)
        LIBRARY.ipc_schema(
            self.pointer,
            numbers,
            ctypes.c_int64(len(columns)),
            ctypes.c_void_p(int(ffi.cast("uintptr_t", taken))),
        )
        return pa.Schema._import_from_c(int(ffi.cast("uintptr_t", taken)))

    def read(
        self, batch: int, first: int, count: int, columns: list[int], lengths_only: bool = False
    ) -> pa.RecordBatch | None:
        taken = ffi.new("struct ArrowArray*")
        numbers = (ctypes.c_int64 * len(columns))(*columns)
        address = int(ffi.cast("uintptr_t", taken))
        error = LIBRARY.ipc_read(
            self.pointer,
            ctypes.c_int64(batch),
            ctypes.c_int64(first),
            ctypes.c_int64(count),
            numbers,
            ctypes.c_int64(len(columns)),
            ctypes.c_bool(lengths_only),
            ctypes.c_void_p(address),
        )
        if error:
            raise ValueError(error.decode())
        if lengths_only:
            taken.release(taken)
            return None
        return pa.RecordBatch._import_from_c(address, self.schema(columns))

    def copy(self, columns: list[int], skipped: int, path: Path) -> None:
        error = LIBRARY.ipc_copy(
            self.pointer,
            (ctypes.c_int64 * len(columns))(*columns),
            ctypes.c_int64(len(columns)),
            ctypes.c_int64(skipped),
            str(path).encode(),
        )
        if error:
            raise ValueError(error.decode())

    def close(self) -> None:
        LIBRARY.ipc_close(self.pointer)


def leaf_types() -> list[pa.DataType]:
    types = [pa.null(), pa.bool_(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32()]
    types += [pa.uint32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]
    types += [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
    types += [pa.string_view(), pa.binary_view(), pa.binary(3), pa.binary(0)]
    types += [pa.decimal128(9, 2), pa.decimal256(40, 3), pa.date32(), pa.date64()]
    if hasattr(pa, "decimal32"):
        types += [pa.decimal32(5, 2), pa.decimal64(10, 2)]
    for unit in ("s", "ms", "us", "ns"):
        types += [pa.timestamp(unit), pa.timestamp(unit, "Europe/Berlin"), pa.duration(unit)]
    types += [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]
    types += [pa.month_day_nano_interval()]
    return types


def random_type(draw: random.Random, depth: int) -> pa.DataType:
    if depth == 0 or draw.random() < 0.5:
        return draw.choice(leaf_types())
    kind = draw.randrange(9)
    if kind == 8:
        return pa.map_(pa.string(), random_type(draw, depth - 1))
    if kind == 7:
        fields = [pa.field(f"f{i}", random_type(draw, depth - 1)) for i in range(2)]
        return pa.struct(fields)
    child = random_type(draw, depth - 1)
    makers = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]
    if kind < 4:
        return makers[kind](child)
    return pa.list_(child, draw.randrange(4))


def random_value(draw: random.Random, kind: pa.DataType, nulls: float) -> object:
    if pa.types.is_null(kind) or draw.random() < nulls:
        return None
    types = pa.types
    if types.is_boolean(kind):
        return draw.random() < 0.5
    if types.is_integer(kind):
        low = 0 if types.is_unsigned_integer(kind) else -(1 << (kind.bit_width - 1))
        return draw.randrange(low, low + (1 << kind.bit_width))
    if types.is_floating(kind):
        return float(draw.randrange(-1000, 1000)) / 8
    if types.is_decimal(kind):
        return decimal.Decimal(draw.randrange(-999, 999)) / 100
    if types.is_fixed_size_binary(kind):
        return draw.randbytes(kind.byte_width)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "".join(draw.choice("abcde\u00e9") for _ in range(draw.randrange(30)))
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        return draw.randbytes(draw.randrange(30))
    if types.is_date(kind):
        return datetime.date(2000, 1, 1) + datetime.timedelta(days=draw.randrange(9999))
    if types.is_interval(kind):
        return pa.MonthDayNano([draw.randrange(9), draw.randrange(9), draw.randrange(9)])
    if types.is_temporal(kind):
        return draw.randrange(86400)
    if types.is_struct(kind):
        return {f.name: random_value(draw, f.type, nulls) for f in kind.fields}
    if types.is_map(kind):
        pairs = draw.randrange(4)
        return [(f"k{i}", random_value(draw, kind.item_type, nulls)) for i in range(pairs)]
    size = kind.list_size if types.is_fixed_size_list(kind) else draw.randrange(5)
    return [random_value(draw, kind.value_type, nulls) for _ in range(size)]


def random_array(draw: random.Random, kind: pa.DataType, rows: int) -> pa.Array:
    nulls = draw.choice([0.0, 0.2, 1.0])
    skipped = draw.choice([0, 0, 3, 9])
    values = [random_value(draw, kind, nulls) for _ in range(rows + skipped)]
    return pa.array(values, kind).slice(skipped, rows)


def special_arrays(draw: random.Random, rows: int) -> dict[str, pa.Array]:
    ids = pa.array([draw.randrange(2) for _ in range(rows)], pa.int8())
    numbers = random_array(draw, pa.int32(), rows).fill_null(0)
    texts = pa.array([f"t{draw.randrange(99)}" for _ in range(rows)])
    offsets = pa.array(range(rows), pa.int32())
    runs = sorted({*draw.sample(range(1, rows + 1), draw.randrange(1, rows + 1)), rows})
    return {
        "sparse": pa.UnionArray.from_sparse(ids, [numbers, texts]),
        "dense": pa.UnionArray.from_dense(ids, offsets, [numbers, texts]),
        "runs": pa.RunEndEncodedArray.from_arrays(
            pa.array(runs, pa.int32()), pa.array([f"r{i}" for i in range(len(runs))])
        ),
        "words": pa.array([f"w{draw.randrange(5)}" for _ in range(rows)]).dictionary_encode(),
        "lists": pa.ListArray.from_arrays(
            pa.array(range(rows + 1), pa.int32()),
            pa.array([f"w{draw.randrange(5)}" for _ in range(rows)]).dictionary_encode(),
        ),
    }


def random_batches(draw: random.Random) -> list[pa.RecordBatch]:
    types = [random_type(draw, 3) for _ in range(draw.randrange(1, 5))]
    with_special = draw.random() < 0.5
    batches = []
    for _ in range(draw.randrange(1, 4)):
        rows = draw.choice([0, 1, 7, 8, 9, 50, 300])
        arrays = {f"c{i}": random_array(draw, kind, rows) for i, kind in enumerate(types)}
        if with_special:
            arrays |= special_arrays(draw, max(rows, 1))
            arrays = {name: array.slice(0, rows) for name, array in arrays.items()}
        batches.append(pa.RecordBatch.from_pydict(arrays))
    return batches


def write(draw: random.Random, path: Path, batches: list[pa.RecordBatch]) -> str:
    """Returns how the file was written."""
    schema = batches[0].schema.with_metadata({"a": "b"})
    is_stream = draw.random() < 0.5
    compression = draw.choice([None, None, "lz4", "zstd"])
    old = compression is None and draw.random() < 0.3
    options = pa.ipc.IpcWriteOptions(
        compression=compression,
        metadata_version=pa.ipc.MetadataVersion.V4 if old else pa.ipc.MetadataVersion.V5,
        use_legacy_format=old and draw.random() < 0.5,
        emit_dictionary_deltas=is_stream or draw.random() < 0.5,
        unify_dictionaries=not is_stream,
    )
    maker = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with maker(str(path), schema, options=options) as writer:
        if is_stream:
            for batch in batches:
                writer.write_batch(batch)
        else:
            writer.write_table(pa.Table.from_batches(batches, batches[0].schema))
    return f"stream={is_stream} compression={compression} old={old}"


def read_by_pyarrow(path: Path, is_stream: bool) -> list[pa.RecordBatch]:
    if is_stream:
        return list(pa.ipc.open_stream(str(path)))
    reader = pa.ipc.open_file(str(path))
    return [reader.get_batch(i) for i in range(reader.num_record_batches)]


def is_written(kind: pa.DataType) -> bool:
    """Returns whether sheaf writes arrays of this type."""
    types = pa.types
    if types.is_map(kind) or types.is_dictionary(kind) or types.is_union(kind):
        return False
    views = (types.is_string_view, types.is_binary_view, types.is_list_view)
    if any(is_view(kind) for is_view in (*views, types.is_large_list_view)):
        return False
    if types.is_decimal(kind) or types.is_temporal(kind) or types.is_run_end_encoded(kind):
        return False
    return all(is_written(kind.field(i).type) for i in range(kind.num_fields))


def compare_copy(draw: random.Random, ipc: Ipc, path: Path, expected: list[pa.RecordBatch]) -> int:
    schema = expected[0].schema
    columns = [i for i, kind in enumerate(schema.types) if is_written(kind)]
    skipped = draw.choice([0, 0, 1, 5, 9])
    copy = path.with_suffix(".copy")
    ipc.copy(columns, skipped, copy)
    batches = read_by_pyarrow(copy, is_stream=False)
    assert len(batches) == len(expected)
    for got, whole in zip(batches, expected, strict=True):
        got.validate(full=True)
        wanted = whole.slice(min(skipped, whole.num_rows)).select(columns)
        assert got.schema.equals(wanted.schema, check_metadata=False), (got.schema, wanted.schema)
        for name in wanted.schema.names:
            one, other = got.column(name), wanted.column(name)
            assert one.equals(other) or one.to_pylist() == other.to_pylist(), (one, other)
    return len(columns) * len(batches)


def compare(draw: random.Random, path: Path, how: str) -> int:
    expected = read_by_pyarrow(path, how.startswith("stream=True"))
    ipc = Ipc(path)
    assert ipc.batch_count() == len(expected), how
    compared = 0
    for number, batch in enumerate(expected):
        rows = batch.num_rows
        assert ipc.row_count(number) == rows, how
        parts = [(0, rows), (0, 0), (rows, 0)]
        for _ in range(6):
            first = draw.randrange(rows + 1)
            parts.append((first, draw.randrange(rows - first + 1)))
        for first, count in parts:
            columns = list(range(batch.num_columns))
            if draw.random() < 0.5:
                columns = draw.sample(columns, draw.randrange(1, len(columns) + 1))
            ipc.read(number, first, count, columns, lengths_only=True)
            got = ipc.read(number, first, count, columns)
            got.validate(full=True)
            wanted = batch.select(columns).slice(first, count)
            assert got.schema.equals(wanted.schema), (how, got.schema, wanted.schema)
            for name in wanted.schema.names:
                one, other = got.column(name), wanted.column(name)
                assert one.equals(other) or one.to_pylist() == other.to_pylist(), (how, name)
                compared += 1
            del got
    if expected:
        compared += compare_copy(draw, ipc, path, expected)
    for batch in expected[:1]:
        assert ipc.schema(list(range(batch.num_columns))).equals(batch.schema, True), how
    ipc.close()
    return compared


def main() -> None:
    tables = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.arrow"
        for number in range(tables):
            draw = random.Random(seed * 1_000_003 + number)
            try:
                how = write(draw, path, random_batches(draw))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                print(f"table {number}: pyarrow refuses: {error}")
                continue
            try:
                compared += compare(draw, path, how)
            except Exception:
                print(f"table {number}: {how}")
                raise
    print(f"{tables} tables, {compared} arrays are equal")


if __name__ == "__main__":
    main()
