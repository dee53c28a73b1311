"""Minibatches and readers as objects: their texts, and copies of them."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import sheaf
from conftest import JAGGED
from sheaf._batch import restore_minibatch

OPTIONS = {
    "padded": {"batch_size": 3},
    "ragged": {"batch_size": 3, "packing": "ragged"},
    "packed": {"batch_size": 3, "packing": "packed"},
    "truncated": {"minibatch_samples": 4, "truncation_length": 2, "streams": ["x:dense"]},
    "keyed": {"batch_size": 2, "order": "keyed", "seed": 3},
}
ARRAYS = ("lengths", "mask", "sequence_offsets", "slots", "begins", "presence")


@pytest.fixture
def path(write_ctf):
    return write_ctf(JAGGED)


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


def out_of_band(thing):
    buffers = []
    data = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers)


def arrays(batch):
    names = ("values",) if isinstance(batch, sheaf.DenseBatch) else ("data", "indices", "indptr")
    found = {name: getattr(batch, name) for name in (*names, *ARRAYS)}
    return {name: None if a is None else (a.dtype, a.tolist()) for name, a in found.items()}


def content(minibatch):
    return (
        {name: arrays(batch) for name, batch in minibatch.items()},
        minibatch.sequence_keys.tolist(),
        minibatch.key_texts,
        None if minibatch.slices is None else minibatch.slices.tolist(),
        minibatch.sample_count,
        minibatch.position,
        (minibatch.ends_sweep, minibatch.ends_epoch, minibatch.hole_count),
    )


def of_varying_shape():
    """A minibatch as a format of C++ with samples of varying shape would make it."""
    shapes = [(0, 6, 2), (6, 9, 1), (9, 9, 0)]
    images = [np.arange(begin, end).reshape(rows, 3) for begin, end, rows in shapes]
    values = np.concatenate([image.ravel() for image in images]).astype(np.int32)
    arrays = {
        0: values,
        2: np.cumsum([0, *(image.size for image in images)]),  # where samples begin
        3: np.array([image.shape for image in images]),
        4: np.array([1, 2]),  # lengths
        5: np.array([0, 1, 3]),  # where sequences begin
    }
    return image_minibatch(1, arrays, (-1, 3)), images


def image_minibatch(layout, arrays, row_shape):
    empty = np.zeros(0, np.uint8)
    buffers = [arrays[i].ravel().view(np.uint8) if i in arrays else empty for i in range(10)]
    state = (
        4,
        [("image", 1, (-1, 3), 0, 1, False, False, False)],  # int32, dense
        [(layout, 2, 3, 2, 0, buffers, row_shape, 0)],
        np.arange(4, dtype=np.uint64).view(np.uint8),  # two keys of 128 bits
        [],
        empty,
        False,
        False,
        0,
        None,
        empty,
    )
    return restore_minibatch(state)


@pytest.mark.parametrize("copied", [lambda batch: batch, pickled, copy.copy])
def test_samples_of_varying_shape_come_flat_with_their_extents(copied):
    minibatch, images = of_varying_shape()
    batch = copied(minibatch.image)
    assert (batch.values.dtype, batch.values.tolist()) == (np.int32, list(range(9)))
    assert batch.extents.tolist() == [[2, 3], [1, 3], [0, 3]]
    assert batch.sample_offsets.tolist() == [0, 6, 9, 9]
    for sample, image in enumerate(images):
        begin, end = batch.sample_offsets[sample : sample + 2]
        found = batch.values[begin:end].reshape(batch.extents[sample])
        assert found.tolist() == image.tolist()
    assert [image.tolist() for image in batch.samples(1)] == [i.tolist() for i in images[1:]]
    assert repr(batch) == (
        "<sheaf.DenseBatch, dense int32 3 samples of varying shape, 9 values ragged, "
        "sequences: 2, samples of each: 1 to 2>"
    )


@pytest.mark.parametrize("copied", [lambda batch: batch, pickled, copy.copy])
def test_padded_samples_of_varying_shape_are_arrays_of_the_largest(copied):
    values = np.arange(2 * 2 * 2 * 3, dtype=np.int32)
    extents = np.array([[[2, 3], [0, 0]], [[1, 3], [0, 3]]])
    arrays = {0: values, 3: extents, 4: np.array([1, 2]), 8: np.array([1, 0, 1, 1], np.uint8)}
    batch = copied(image_minibatch(0, arrays, (2, 3)).image)
    assert batch.values.tolist() == values.reshape(2, 2, 2, 3).tolist()
    assert batch.extents.tolist() == extents.tolist()
    assert batch.mask.tolist() == [[True, False], [True, True]]
    assert batch.sample_offsets is None
    assert "[2, 2, 2, 3] padded" in repr(batch)


def test_formats_without_varying_shapes_refuse_them(tmp_path):
    minibatch, _ = of_varying_shape()
    streams = {"image": sheaf.Stream(dim=3)}
    writer = sheaf.Writer(tmp_path / "out.ctf", streams)
    with pytest.raises(sheaf.DataError, match="samples of one shape"):
        writer.write_batch([1, 2], {"image": minibatch.image})


def test_fixed_shapes_have_no_extents(path):
    batch = next(iter(sheaf.Reader(path, batch_size=3, packing="ragged"))).x
    assert batch.extents is None
    assert batch.sample_offsets is None


@pytest.mark.parametrize("copied", [pickled, out_of_band, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_copy_of_a_minibatch_has_the_same_content(path, options, copied):
    for minibatch in sheaf.Reader(path, **options):
        twin = copied(minibatch)
        assert content(twin) == content(minibatch)
        twin.x.values[...] = 99
        assert content(twin) != content(minibatch)
        for batch in minibatch.values():
            assert type(copied(batch)) is type(batch)
            assert arrays(copied(batch)) == arrays(batch)


def test_text_keys_are_copied(write_ctf):
    path = write_ctf("a |x 1\nb |x 2\nb |x 3\n")
    minibatch = next(iter(sheaf.Reader(path, keys="text", batch_size=2)))
    assert content(pickled(minibatch)) == content(minibatch)
    assert pickled(minibatch).key_texts == ["a", "b"]
    with pytest.raises(sheaf.ConfigError, match="another version"):
        sheaf._sheaf.restore_minibatch((0, *minibatch.__reduce__()[1][0][1:]))


def test_a_pickled_stream_excludes_other_streams(tmp_path):
    path = tmp_path / "wide.ctf"
    row = " ".join(["0.5"] * 50_000)
    path.write_text(f"0 |wide {row} |narrow 1\n")
    minibatch = next(iter(sheaf.Reader(path)))
    assert len(pickle.dumps(minibatch)) > 200_000
    assert len(pickle.dumps(minibatch.narrow)) < 2_000


def test_a_minibatch_goes_through_a_queue(path):
    queue = multiprocessing.get_context("spawn").Queue()
    minibatch = next(iter(sheaf.Reader(path)))
    queue.put(minibatch)
    assert content(queue.get(timeout=30)) == content(minibatch)


@pytest.mark.parametrize("copied", [pickled, copy.copy])
def test_a_copy_of_a_reader_has_the_position_of_the_reader(path, copied):
    def keys(reader):
        return [m.sequence_keys.tolist() for m in reader]

    reader = sheaf.Reader(iter([path]), iter(["x:dense"]), batch_size=1, order="keyed", seed=3)
    expected = keys(copied(reader))
    iterator = iter(reader)
    taken = [next(iterator).sequence_keys.tolist()]
    assert taken + keys(copied(reader)) == expected
    assert taken + [m.sequence_keys.tolist() for m in iterator] == expected
    assert keys(copied(reader)) == keys(reader) != []
    reader.close()
    with pytest.raises(sheaf.ConfigError, match="closed"):
        copied(reader)


def test_the_repr_of_a_minibatch_lists_its_content(path):
    minibatch = next(iter(sheaf.Reader(path, batch_size=3)))
    assert repr(minibatch) == (
        "<sheaf.Minibatch, sequences: 3, samples: 6, ends the epoch\n"
        "  x: dense float32 [3, 3, 2] padded\n"
        "  s: sparse float32 [6, 4] with 5 values padded\n"
        "  keys: 7, 8, 9>"
    )
    assert repr(minibatch.x) == (
        "<sheaf.DenseBatch, dense float32 [3, 3, 2] padded, sequences: 3, samples of each: 1 to 3>"
    )
    assert repr(minibatch.s).startswith("<sheaf.SparseBatch, sparse float32 [6, 4] with 5 values")
    html = minibatch._repr_html_()
    assert "<tr><td>x</td><td>dense</td><td>float32</td><td>[3, 3, 2]</td>" in html
    assert "<td>[6, 4] with 5 values</td>" in minibatch.s._repr_html_()
    assert "<td>x</td><td>dense float32 [2]</td>" in sheaf.Reader(path)._repr_html_()


def test_names_and_keys_of_hostile_files_are_escaped(write_ctf):
    path = write_ctf("<b> |<script> 1\n")
    minibatch = next(iter(sheaf.Reader(path, keys="text")))
    for html in (minibatch._repr_html_(), sheaf.Reader(path, keys="text")._repr_html_()):
        assert "<script>" not in html and "<b>" not in html
        assert "&lt;script&gt;" in html


def test_control_characters_in_texts_are_escaped():
    from sheaf._texts import printable

    assert printable("gr\u00f6\u00dfe") == "gr\u00f6\u00dfe"
    assert printable("a\x1b[2J\n") == r"'a\x1b[2J\n'"
    assert printable("\udcff") == r"'\udcff'"


def test_a_sparse_stream_cannot_become_an_array(path):
    minibatch = next(iter(sheaf.Reader(path)))
    with pytest.raises(TypeError, match="to_scipy"):
        np.asarray(minibatch.s)
    assert np.asarray(minibatch.x).shape == minibatch.x.values.shape
