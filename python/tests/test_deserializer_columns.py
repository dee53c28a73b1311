"""The columns that a Deserializer may return, wrong sequences, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import sheaf


class Columns(sheaf.Deserializer):
    """One chunk of three sequences of 2, 1 and 3 samples, with any columns."""

    def __init__(self, columns, streams=None):
        self.streams = streams or {"x": sheaf.Stream(dim=2), "y": sheaf.Stream(dim=9, sparse=True)}
        self.columns = columns

    def chunks(self):
        yield sheaf.Chunk(samples=[2, 1, 3], keys=["a", "b", "c"])

    def read(self, chunk):
        assert chunk == 0
        return self.columns


X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = (
    np.arange(1, 8, dtype=np.float32),
    np.array([3, 5, 0, 8, 2, 1, 4], np.int32),
    np.array([0, 2, 2, 4, 5, 6, 7]),
)


def ragged(columns, **options):
    (minibatch,) = sheaf.Reader(Columns(columns), batch_size=9, packing="ragged", **options)
    return minibatch


def rows(begin, end):
    data, indices, indptr = Y
    part = slice(indptr[begin], indptr[end])
    return data[part], indices[part], indptr[begin : end + 1] - indptr[begin]


@pytest.mark.parametrize("as_csr", [False, True])
def test_columns_are_flat_or_lists(as_csr):
    def matrix(parts):
        if not as_csr:
            return parts
        sparse = pytest.importorskip("scipy.sparse")
        return sparse.csr_array(parts, shape=(len(parts[2]) - 1, 9))

    bounds = [(0, 2), (2, 3), (3, 6)]
    for x in (X, (X, [2, 1, 3]), [X[:2], X[2], X[3:]], np.asfortranarray(X)):
        for y in (matrix(Y), (matrix(Y), (2, 1, 3)), [matrix(rows(*each)) for each in bounds]):
            minibatch = ragged({"x": x, "y": y})
            assert minibatch.x.values.tolist() == X.tolist()
            assert minibatch.x.lengths.tolist() == [2, 1, 3]
            assert minibatch.y.data.tolist() == Y[0].tolist()
            assert minibatch.y.indices.tolist() == Y[1].tolist()
            assert minibatch.y.indptr.tolist() == Y[2].tolist()
            assert minibatch.key_texts == ["a", "b", "c"]


def test_a_stream_may_have_its_own_lengths():
    minibatch = ragged({"x": (X[:3], 1), "y": Y})
    assert minibatch.x.lengths.tolist() == [1, 1, 1]
    assert minibatch.y.lengths.tolist() == [2, 1, 3]
    minibatch = ragged({"x": (X[:3], [0, 0, 3]), "y": Y})
    assert minibatch.x.lengths.tolist() == [0, 0, 3]


def test_none_in_a_list_is_a_sequence_without_the_stream():
    minibatch = ragged({"x": [X[:2], None, X[3:]], "y": Y})
    assert minibatch.x.presence.tolist() == [True, False, True]
    assert minibatch.x.lengths.tolist() == [2, 0, 3]
    assert minibatch.y.presence is None


def test_columns_may_have_any_dtype_and_shape():
    for dtype in ("uint8", "int32", "int64", "float16", "float32", "float64"):
        for shape in ((), (2,), (2, 3)):
            values = np.arange(6 * int(np.prod(shape))).reshape(6, *shape).astype(dtype)
            streams = {"z": sheaf.Stream(shape=shape, dtype=dtype)}
            reader = sheaf.Reader(Columns({"z": values}, streams), packing="ragged")
            (minibatch,) = reader
            assert minibatch.z.values.dtype == dtype
            assert (minibatch.z.values.reshape(values.shape) == values).all()
            assert reader.streams["z"].dtype == dtype
    data, indices, indptr = Y
    for there in ("int32", "int64"):
        for wanted in ("int32", "int64"):
            streams = {"y": sheaf.Stream(dim=9, sparse=True, index_dtype=wanted, dtype="float64")}
            columns = {"y": (data.astype("float64"), indices.astype(there), indptr.astype(there))}
            (minibatch,) = sheaf.Reader(Columns(columns, streams), packing="ragged")
            assert minibatch.y.indices.dtype == wanted
            assert minibatch.y.indices.tolist() == indices.tolist()


def test_read_only_arrays_are_accepted():
    values = np.frombuffer(X.tobytes(), dtype=np.float32).reshape(6, 2)
    assert not values.flags.writeable
    assert ragged({"x": values, "y": Y}).x.values.tolist() == X.tolist()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: [], "expected a mapping from streams to columns, got list"),
        (lambda c: {"x": c["x"]}, 'stream "y": it is not there'),
        (lambda c: {**c, "z": 1}, "'z' is none of the streams ['x', 'y']"),
        (lambda c: {**c, "x": X.astype("float64")}, 'stream "x": expected float32, got float64'),
        (lambda c: {**c, "x": X.astype(">f4")}, "expected float32, got >f4"),
        (lambda c: {**c, "x": X.tolist()}, "expected 3 sequences, got 6"),
        (lambda c: {**c, "x": X.tolist()[:3]}, "sequence 0: expected an array of NumPy, got list"),
        (lambda c: {**c, "x": X[:, :1]}, "expected the shape (samples, 2), got (6, 1)"),
        (lambda c: {**c, "x": X[:5]}, "expected 6 samples, as chunks() says for these 3"),
        (lambda c: {**c, "x": (X, [2, 1])}, "expected 3 lengths, got the shape (2,)"),
        (lambda c: {**c, "x": (X, [2, 1, 2])}, "whose sum is 6, the samples there are, got 5"),
        (lambda c: {**c, "x": (X, [8, -1, -1])}, "got 6, and negative ones"),
        (lambda c: {**c, "x": (X, [2.0, 1, 3])}, "lengths that are whole numbers, got float64"),
        (lambda c: {**c, "x": ([X], 2)}, "a list has a sequence in each place, and no lengths"),
        (lambda c: {**c, "x": [X[:2], X[2:3].T, X[3:]]}, "sequence 1: expected the shape (sampl"),
        (lambda c: {**c, "x": [X[:2], X[2:3].T, X[3:]]}, "got (2, 1) (its key is b)"),
        (lambda c: {**c, "y": X}, "expected a CSR matrix or (data, indices, indptr), got ndarray"),
        (lambda c: {**c, "y": (Y[0], Y[1], Y[2] + 1)}, "expected an indptr that rises from 0 to 7"),
        (lambda c: {**c, "y": (Y[0], Y[1][:5], Y[2])}, "got the shapes (7,), (5,), (7,)"),
        (lambda c: {**c, "y": (Y[0], Y[1].astype("u2"), Y[2])}, "indices: expected int32, got uin"),
        (
            lambda c: {**c, "y": (Y[0], Y[1], Y[2][[0, 2, 1, 3, 4, 5, 6]] * [1, 1, 0, 1, 1, 1, 1])},
            "rises from 0",
        ),
    ],
)
def test_wrong_columns_are_errors_that_name_the_chunk(change, text):
    with pytest.raises(sheaf.DataError) as caught:
        ragged(change({"x": X, "y": Y}), max_errors=100)
    assert str(caught.value).startswith("Columns: chunk 0: ")
    assert text in str(caught.value)
    assert caught.value.__notes__ == ["sheaf: this was chunk 0 of Columns"]


# Wrong sequences behave like wrong sequences of a file.


@pytest.mark.parametrize(
    ("columns", "stream", "expected", "found"),
    [
        ({"y": (Y[0], Y[1] + [0, 0, 0, 1, 0, 0, 0], Y[2])}, "y", "an index below 9", "9"),
        ({"y": (Y[0], Y[1] - [0, 0, 1, 0, 0, 0, 0], Y[2])}, "y", "an index below 9", "-1"),
        (
            {"y": (Y[0], Y[1] + [0, 0, 8, 0, 0, 0, 0], Y[2])},
            "y",
            "indices that rise within a sample",
            "8 behind 8",
        ),
        (
            {"x": [X[:2], np.vstack([X[2], X[2]]), X[3:]]},
            "x",
            "1 samples, as chunks() has it",
            "2",
        ),
        ({"x": [X[:2], sheaf.Bad("no such file"), X[3:]]}, "", "a sequence that", "no such file"),
    ],
)
def test_a_wrong_sequence_is_a_hole(columns, stream, expected, found):
    columns = {"x": X, "y": Y, **columns}
    with pytest.raises(sheaf.DataError) as caught:
        ragged(columns)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.path, diagnostic.sequence_key, diagnostic.stream) == (
        "Columns: chunk 0",
        "b",
        stream,
    )
    assert expected in diagnostic.expected and diagnostic.found == found
    assert str(diagnostic).startswith("Columns: chunk 0: sequence b: error: ")

    minibatch = ragged(columns, max_errors=1)
    assert minibatch.key_texts == ["a", "c"]
    assert minibatch.hole_count == 1
    assert minibatch.x.values.tolist() == X[[0, 1, 3, 4, 5]].tolist()
    assert minibatch.y.indices.tolist() == Y[1][[0, 1, 4, 5, 6]].tolist()
    assert minibatch.y.indptr.tolist() == [0, 2, 2, 3, 4, 5]
    reader = sheaf.Reader(Columns(columns), max_errors=1)
    with pytest.raises(sheaf.DataError):
        reader.sequence("b")
    assert reader.sequence("c").x.values.tolist() == [X[3:].tolist()]
