"""Tables that hypothesis makes and pyarrow writes are read as docs/formats/arrow.md says.

100 tables; SHEAF_HYPOTHESIS_TABLES=2000 makes more.
"""

from __future__ import annotations

import os

import pytest

import sheaf

pa = pytest.importorskip("pyarrow", reason="random tables need pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="random tables need pyarrow")
hypothesis = pytest.importorskip("hypothesis", reason="random tables need hypothesis")
from hypothesis import HealthCheck, event, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from arrow_model import ROW_CODES, WrongRowError, column_of, number, rows_of  # noqa: E402

TABLES = int(os.environ.get("SHEAF_HYPOTHESIS_TABLES", "100"))
ROWS_MAX = 12

WHOLE = {
    **{pa.int8(): (-(2**7), 2**7 - 1), pa.uint8(): (0, 2**8 - 1)},
    **{pa.int16(): (-(2**15), 2**15 - 1), pa.uint16(): (0, 2**16 - 1)},
    **{pa.int32(): (-(2**31), 2**31 - 1), pa.uint32(): (0, 2**32 - 1)},
    **{pa.int64(): (-(2**63), 2**63 - 1), pa.uint64(): (0, 2**63 - 1)},
}
FLOATS = {pa.float16(): 16, pa.float32(): 32, pa.float64(): 64}
NUMBERS = [*WHOLE, *FLOATS, pa.bool_()]
TEXTS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
VIEWS = [pa.string_view(), pa.binary_view()]
LISTS = [pa.list_, pa.large_list]


# Types.

numbers = st.sampled_from(NUMBERS)
texts = st.sampled_from([*TEXTS, *VIEWS])
lists = st.sampled_from(LISTS)
sizes = st.integers(1, 3)
wholes = st.sampled_from([pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64()])


@st.composite
def fixed(draw, kinds=numbers, depth=2):
    kind = draw(kinds)
    for _ in range(draw(st.integers(1, depth))):
        kind = pa.list_(kind, draw(sizes))
    return kind


@st.composite
def classes(draw):
    return pa.dictionary(draw(wholes.filter(lambda kind: kind != pa.uint64())), draw(texts))


@st.composite
def sparse(draw):
    index, value = draw(wholes), draw(numbers)
    inner = draw(lists)(index), draw(lists)(value)
    if draw(st.booleans()):
        return pa.struct([("indices", inner[0]), ("values", inner[1])])
    if draw(st.booleans()):
        return pa.map_(index, value)
    names = draw(st.sampled_from([("index", "value"), ("a", "b")]))
    return draw(lists)(pa.struct([(names[0], index), (names[1], value)]))


images = texts.map(lambda kind: pa.struct([("bytes", kind), ("path", pa.string())]))
bits = sizes.map(pa.binary)
tensors = st.builds(
    pa.fixed_shape_tensor,
    numbers.filter(lambda kind: kind != pa.bool_()),
    st.lists(sizes, min_size=1, max_size=3),
)
within = st.one_of(
    numbers, fixed(), bits, fixed(bits, 1), texts, classes(), fixed(classes(), 1), images, sparse()
)
listed = st.builds(lambda make, kind: make(kind), lists, within)
listed_twice = st.builds(lambda outer, inner, kind: outer(inner(kind)), lists, lists, within)
tensor_lists = st.builds(lambda make, kind: make(kind), lists, tensors)
streams = st.one_of(numbers, within, listed, tensors, tensor_lists, listed_twice)
no_streams = st.sampled_from(
    [
        *(pa.date32(), pa.timestamp("us"), pa.duration("s"), pa.time64("ns"), pa.null()),
        *(pa.decimal128(9, 2), pa.struct([("a", pa.int64())]), pa.map_(pa.string(), pa.int8())),
        *(pa.dictionary(pa.int8(), pa.int64()), pa.list_(pa.date32()), pa.list_(pa.int8(), 0)),
        *(pa.list_(pa.list_(pa.list_(pa.int8()))), pa.list_(pa.list_(pa.string()))),
        *(pa.list_(pa.list_(pa.int8()), 2), pa.list_(pa.string(), 2), pa.binary(0)),
    ]
)


# Values.


def values_of(kind, nulls):
    """Return values of a type; with ``nulls``, also values that a stream cannot have."""
    inner = (lambda each: st.one_of(each, st.none())) if nulls else (lambda each: each)
    if kind in WHOLE:
        whole = st.integers(*WHOLE[kind])
        if nulls and kind == pa.uint64():
            return whole | st.sampled_from([2**63, 2**64 - 1])
        return whole | st.integers(0, 2)
    if kind in FLOATS:
        return st.floats(width=FLOATS[kind])
    if pa.types.is_boolean(kind):
        return st.booleans()
    if pa.types.is_dictionary(kind):
        return values_of(kind.value_type, nulls)
    if pa.types.is_fixed_size_binary(kind):
        return st.binary(min_size=kind.byte_width, max_size=kind.byte_width)
    if "string" in str(kind) and not pa.types.is_nested(kind):
        return st.text(st.characters(codec="utf-8"), max_size=20)
    if "binary" in str(kind) and not pa.types.is_nested(kind):
        return st.binary(max_size=20)
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        return st.lists(inner(values_of(kind.value_type, nulls)), min_size=size, max_size=size)
    if pa.types.is_map(kind):
        key = index(kind.key_type, nulls) if kind.key_type in WHOLE else st.just("key")
        return st.lists(st.tuples(key, inner(values_of(kind.item_type, nulls))), max_size=3)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        value = kind.value_type
        if pa.types.is_struct(value) and value.num_fields == 2 and value[0].name in ("index", "a"):
            names = [field.name for field in value]
            pair = st.tuples(
                inner(index(value[0].type, nulls)), inner(values_of(value[1].type, nulls))
            )
            return st.lists(
                inner(pair.map(lambda two: dict(zip(names, two, strict=True)))), max_size=3
            )
        return st.lists(inner(values_of(value, nulls)), max_size=4)
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        if names == ["indices", "values"]:
            index_type, value_type = (field.type.value_type for field in kind)
            pair = st.tuples(inner(index(index_type, nulls)), inner(values_of(value_type, nulls)))
            return st.tuples(st.lists(pair, max_size=3), st.integers(0, 9)).map(
                lambda drawn: {
                    "indices": [i for i, _ in drawn[0]] + ([1] if nulls and drawn[1] == 0 else []),
                    "values": [v for _, v in drawn[0]],
                }
            )
        if names == ["bytes", "path"]:
            return st.fixed_dictionaries(
                {"bytes": inner(values_of(kind[0].type, nulls)), "path": st.none() | st.just("p")}
            )
        return st.fixed_dictionaries({field.name: st.just(1) for field in kind})
    return st.none()


def index(kind, nulls):
    return st.integers(-1 if nulls and kind != pa.uint16() and kind != pa.uint64() else 0, 40)


def array_of(values, kind, front):
    """An array with a slice of ``front`` further elements before it."""
    rows = [*values[:1] * front, *values]
    if isinstance(kind, pa.BaseExtensionType):
        found = pa.ExtensionArray.from_storage(kind, pa.array(rows, kind.storage_type))
    elif pa.types.is_dictionary(kind):
        found = pa.array(rows, kind.value_type).dictionary_encode()
        found = pa.DictionaryArray.from_arrays(
            found.indices.cast(kind.index_type), found.dictionary
        )
    else:
        found = pa.array(rows, kind)
    return found.slice(front)


@st.composite
def tables(draw):
    """The batches of a table. Each batch has its own dictionaries, and slices of longer arrays."""
    kinds = [draw(streams), *draw(st.lists(streams | no_streams, max_size=3))]
    fields, columns = [], []
    counts = draw(st.lists(st.integers(0, ROWS_MAX // 2), min_size=1, max_size=4))
    for number_of, kind in enumerate(kinds):
        wrong = draw(st.integers(0, 4)) == 0
        storage = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        value = values_of(storage, wrong)
        if draw(st.booleans()):
            value = st.one_of(value, value, st.none())
        parts = []
        for count in counts:
            values = draw(st.lists(value, min_size=count, max_size=count))
            try:
                parts.append(array_of(values, kind, draw(st.integers(0, 9))))
            except pa.ArrowNotImplementedError:  # such as lists of dictionaries of some texts
                hypothesis.reject()
        columns.append(parts)
        fields.append(pa.field(f"c{number_of}", kind))
    schema = pa.schema(fields)
    return [
        pa.RecordBatch.from_arrays([parts[i] for parts in columns], schema=schema)
        for i in range(len(counts))
    ]


# Sources: each returns data for sheaf, and the batches that pyarrow reads from the data.


def in_memory(batches, folder, draw):
    return pa.Table.from_batches(batches), batches[0].schema, batches


def of_reader(batches, folder, draw):
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    return reader, reader.schema, batches


def written_as(suffix, compression):
    def write(batches, folder, draw):
        path = folder / f"t{suffix}"
        new = pa.ipc.new_stream if suffix == ".stream.arrow" else pa.ipc.new_file
        options = pa.ipc.IpcWriteOptions(
            compression=compression, unify_dictionaries=suffix != ".stream.arrow"
        )
        schema = batches[0].schema
        with pa.OSFile(str(path), "wb") as file, new(file, schema, options=options) as writer:
            if options.unify_dictionaries:
                writer.write_table(pa.Table.from_batches(batches))
            else:
                for batch in batches:
                    writer.write_batch(batch)
        if suffix == ".stream.arrow":
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                return path, reader.schema, list(reader)
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            count = reader.num_record_batches
            return path, reader.schema, [reader.get_batch(i) for i in range(count)]

    return write


def parquet(batches, folder, draw):
    path = folder / "t.parquet"
    pq.write_table(
        pa.Table.from_batches(batches),
        path,
        row_group_size=draw(st.integers(1, ROWS_MAX)),
        compression=draw(st.sampled_from(["none", "snappy", "zstd"])),
        use_dictionary=draw(st.booleans()),
    )
    with pq.ParquetFile(path) as file:
        groups = [file.read_row_group(i) for i in range(file.num_row_groups)]
        return path, file.schema_arrow, [group.combine_chunks() for group in groups]


SOURCES = {
    "memory": in_memory,
    "reader": of_reader,
    "arrow": written_as(".arrow", None),
    "lz4": written_as(".arrow", "lz4"),
    "zstd": written_as(".arrow", "zstd"),
    "stream": written_as(".stream.arrow", None),
    "stream-zstd": written_as(".stream.arrow", "zstd"),
    "parquet": parquet,
}


# Sequences delivered by sheaf, in the form of the model.


def sample_of(sample, stream):
    if stream.sparse:
        indices, values = sample
        return [(int(i), number(v)) for i, v in zip(indices.tolist(), values.tolist(), strict=True)]
    if stream.dtype == "bytes":
        return bytes(sample)
    if stream.class_names:
        return [stream.class_names[i].encode("utf-8", "surrogateescape") for i in sample.ravel()]
    return [number(v) for v in sample.ravel().tolist()]


def read(source, streams, **options):
    """Return the rows that a Reader delivers, by number."""
    found = {}
    for minibatch in sheaf.Reader(source, packing="ragged", batch_size=5, **options):
        for i, key in enumerate(minibatch.sequence_keys.tolist()):
            found[key] = {}
            for name, stream in streams.items():
                samples = minibatch[name].samples(i) if name in minibatch else None
                found[key][name] = (
                    None if samples is None else [sample_of(each, stream) for each in samples]
                )
    return found


def expected_rows(batches, columns, streams):
    """Return the good rows by number, and the codes of the wrong ones."""
    good, wrong = {}, {}
    rows = [row for batch in batches for row in rows_of(batch)]
    for i, row in enumerate(rows):
        good[i] = {}
        for name, column in columns.items():
            stream = streams[name]
            dim = stream.sample_shape[0] if column.is_list_of_lists else None
            try:
                good[i][name] = column.samples(row[name], dim)
            except WrongRowError as error:
                wrong.setdefault(i, set()).update(error.args[0])
    return {i: row for i, row in good.items() if i not in wrong}, wrong


@pytest.mark.parametrize("source", SOURCES)
@settings(
    max_examples=TABLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize="SHEAF_HYPOTHESIS_TABLES" not in os.environ,
)
@given(batches=tables(), data=st.data())
def test_random_tables_match_the_documented_rules(tmp_path_factory, source, batches, data):
    folder = tmp_path_factory.mktemp("tables")
    try:
        path, schema, seen = SOURCES[source](batches, folder, data.draw)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, OSError) as error:
        event(f"pyarrow does not write it, or not read it: {str(error)[:40]}")
        return

    def again():  # a stream of batches is read once
        return of_reader(batches, folder, data.draw)[0] if source == "reader" else path

    columns = {field.name: column_of(field.type) for field in schema}
    left_out = {name for name, column in columns.items() if column is None}
    columns = {name: column for name, column in columns.items() if column is not None}
    if not columns:
        with pytest.raises(sheaf.DataError, match="arrow-streams"):
            sheaf.open(again())
        return
    with sheaf.open(again(), max_errors="any") as opened:
        streams = dict(opened.streams)
        assert len(opened) == sum(len(batch) for batch in seen)
        assert set(streams) == set(columns)
        assert [w.code for w in opened.warnings] == ["arrow-column"] * len(left_out)
        assert {w.stream for w in opened.warnings} == left_out
    for name in left_out:
        with pytest.raises(sheaf.ConfigError, match=f'"{name}"'):
            sheaf.open(again(), [f"{name}:dense:1"])
    for name, column in columns.items():
        assert streams[name].sparse == (column.kind == "sparse")
        assert (streams[name].dtype == "bytes") == (column.kind == "bytes")
    good, wrong = expected_rows(seen, columns, streams)
    assert read(again(), streams, max_errors="any") == good
    if wrong:
        event("with wrong rows")
        with pytest.raises(sheaf.DataError) as error:
            read(again(), streams)
        code = error.value.diagnostics[0].code
        assert code in ROW_CODES
        assert any(code in codes for codes in wrong.values())
    else:
        assert read(again(), streams) == good
