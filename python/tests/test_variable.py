"""Opaque bytes and samples of variable shape, from their source to their consumer."""

from __future__ import annotations

import gc
import io
import pickle
import re
import zlib

import numpy as np
import pytest

import sheaf

# Of each sequence the blobs, and its images; None where the stream is absent.
BLOBS = [[b"one", b""], [b"\x00\xff two"], None, [b"3", b"33", b"333"]]
IMAGES = [[(2, 3), (1, 2)], [(4, 1)], [(3, 3)], [(1, 5), (2, 2), (2, 4)]]
LENGTHS = [2, 1, 1, 3]


def image(shape, start):
    return np.arange(start, start + 3 * shape[0] * shape[1], dtype=np.uint8).reshape(*shape, 3)


PIXELS = [[image(shape, 10 * i + t) for t, shape in enumerate(s)] for i, s in enumerate(IMAGES)]


class Blobs(sheaf.Deserializer):
    """Sequences with a stream of opaque bytes and one of images."""

    def __init__(self, blobs=BLOBS, pixels=PIXELS):
        self.streams = {
            "blob": sheaf.Stream(dtype="bytes"),
            "image": sheaf.Stream(shape=(None, None, 3), dtype="uint8"),
        }
        self.blobs = blobs
        self.pixels = pixels

    def chunks(self):
        yield sheaf.Chunk(samples=LENGTHS, size_bytes=1000)

    def read(self, chunk):
        return {"blob": self.blobs, "image": self.pixels}


def read(source=None, **options):
    options = {"batch_size": 4, "packing": "ragged", **options}
    return next(iter(sheaf.Reader(source or Blobs(), **options)))


def blobs_of(batch):
    samples = [batch.samples(i) for i in range(len(batch.lengths))]
    return [None if s is None else [bytes(each) for each in s] for s in samples]


def equal(found, expected):
    return (
        len(found) == len(expected)
        and all(a.shape == b.shape for a, b in zip(found, expected, strict=True))
        and all((a == b).all() for a, b in zip(found, expected, strict=True))
    )


def test_streams_show_varying_extents():
    reader = sheaf.Reader(Blobs())
    assert reader.streams["blob"] == sheaf.Stream(shape=(None,), dtype="bytes")
    assert reader.streams["image"].shape == (None, None, 3)
    assert reader.streams["image"].is_variable
    assert str(reader.streams["image"]) == "dense uint8 [*, *, 3]"
    assert reader.streams["image"].word("i") == "i:dense:*x*x3:dtype=uint8"
    assert sheaf.Stream(shape=(None, 2)) == sheaf.Stream(shape=[None, 2])


@pytest.mark.parametrize("packing", ["ragged", "padded"])
def test_samples_come_one_by_one_in_each_packing(packing):
    minibatch = read(packing=packing)
    assert blobs_of(minibatch.blob) == BLOBS
    assert all(isinstance(view, memoryview) for view in minibatch.blob.samples(0))
    for i, pixels in enumerate(PIXELS):
        assert equal(minibatch.image.samples(i), pixels)
        assert equal(minibatch.image.samples(i - 4), pixels)
    assert minibatch.blob.presence.tolist() == [True, True, False, True]
    for wrong in (4, -5):
        with pytest.raises(IndexError, match="4 sequences"):
            minibatch.image.samples(wrong)


@pytest.mark.parametrize("packing", ["ragged", "padded"])
def test_tensors_equal_the_arrays(packing):
    torch = pytest.importorskip("torch")
    from sheaf.torch import tensors

    minibatch = read(packing=packing)
    for name, found in tensors(minibatch).items():
        batch = minibatch[name]
        assert torch.equal(found["values"], torch.from_numpy(batch.values))
        assert torch.equal(found["lengths"], torch.from_numpy(batch.lengths))
        assert ("presence" in found) == (batch.presence is not None)


def test_bytes_lie_back_to_back():
    for packing in ("ragged", "padded"):
        blob = read(packing=packing).blob
        assert blob.values.dtype == np.uint8
        assert blob.values.tobytes() == b"".join(b for s in BLOBS if s for b in s)
        offsets = blob.sample_offsets
        assert offsets[0] == 0 and offsets[-1] == len(blob.values)


def test_padded_images_lie_in_the_corner_of_the_largest():
    image = read(packing="padded").image
    assert image.values.shape == (4, 3, 4, 5, 3)
    assert image.extents.shape == (4, 3, 3)
    assert image.extents[3].tolist() == [[1, 5, 3], [2, 2, 3], [2, 4, 3]]
    assert image.values.sum() == sum(int(p.sum()) for s in PIXELS for p in s)
    assert (image.values[0, 0, :2, :3] == PIXELS[0][0]).all()
    first = image.samples(0)[0]
    first[0, 0, 0] = 99  # not a copy
    assert image.values[0, 0, 0, 0, 0] == 99


def test_frames_take_bytes_and_images_of_one_shape():
    class One(sheaf.Deserializer):
        def __init__(self):
            self.streams = {
                "blob": sheaf.Stream(dtype="bytes"),
                "image": sheaf.Stream(shape=(None, 2), dtype="int32"),
            }

        def chunks(self):
            yield 2

        def read(self, chunk):
            images = [np.full((3, 2), n, np.int32) for n in (7, 8)]
            return {"blob": [b"a", b"bcd"], "image": images}

    minibatch = read(One(), packing="frames")
    assert blobs_of(minibatch.blob) == [[b"a"], [b"bcd"]]
    assert minibatch.image.values.shape == (2, 3, 2)
    assert minibatch.image.samples(1)[0].tolist() == [[8, 8]] * 3
    pa = pytest.importorskip("pyarrow")
    table = pa.record_batch(minibatch)
    assert table["blob"].to_pylist() == [b"a", b"bcd"]
    assert table["image"].to_pylist()[1] == {"data": [8] * 6, "shape": [3, 2]}


def test_views_outlive_minibatch_and_reader():
    def views():
        minibatch = read()
        return minibatch.blob.samples(3), minibatch.image.samples(3)

    blobs, images = views()
    gc.collect()
    others = [views() for _ in range(50)]
    assert [bytes(b) for b in blobs] == BLOBS[3]
    assert equal(images, PIXELS[3])
    assert len(others) == 50
    assert io.BytesIO(blobs[2]).read() == b"333"


def test_fixed_and_sparse_streams_have_samples_too(write_ctf):
    path = write_ctf("1 |x 1 2 |s 3:1 4:2\n1 |x 3 4\n2 |x 5 6 |s 0:7\n")
    for packing in ("padded", "ragged", "packed"):
        reader = sheaf.Reader(path, ["x:dense:2", "s:sparse:9"], batch_size=2, packing=packing)
        minibatch = next(iter(reader))
        assert [x.tolist() for x in minibatch.x.samples(0)] == [[1, 2], [3, 4]]
        assert [x.tolist() for x in minibatch.x.samples(1)] == [[5, 6]]
        found = [(i.tolist(), v.tolist()) for i, v in minibatch.s.samples(0)]
        assert found == [([3, 4], [1, 2])]
    with pytest.raises(IndexError):
        minibatch.s.samples(2)


def test_minibatches_of_varying_shape_are_pickled():
    for packing in ("ragged", "padded"):
        minibatch = read(packing=packing)
        twin = pickle.loads(pickle.dumps(minibatch))
        assert blobs_of(twin.blob) == BLOBS
        assert all(equal(twin.image.samples(i), PIXELS[i]) for i in range(4))
        assert repr(twin) == repr(minibatch)
        alone = pickle.loads(pickle.dumps(minibatch.image))
        assert equal(alone.samples(1), PIXELS[1])


def test_a_sequence_of_varying_shape_is_read_by_key():
    with sheaf.open(Blobs()) as data:
        assert [bytes(b) for b in data.sequence(3).blob.samples(0)] == BLOBS[3]
        assert equal(data.sequence(3).image.samples(0), PIXELS[3])
        assert data.sequence(2).blob.samples(0) is None


def test_a_shuffled_run_delivers_all_varying_shapes():
    class Many(Blobs):
        def chunks(self):
            for _ in range(5):
                yield sheaf.Chunk(samples=LENGTHS, size_bytes=1000)

    reader = sheaf.Reader(
        Many(), batch_size=3, packing="padded", order="keyed", seed=3, memory_limit="16MiB"
    )
    found = {}
    for minibatch in reader:
        for i, key in enumerate(minibatch.sequence_keys.tolist()):
            found[key] = (blobs_of(minibatch.blob)[i], minibatch.image.samples(i))
    assert sorted(found) == list(range(20))
    assert all(blobs == BLOBS[key % 4] for key, (blobs, _) in found.items())
    assert all(equal(images, PIXELS[key % 4]) for key, (_, images) in found.items())


def test_varying_shapes_are_joined_without_bad_sequences():
    class Other(Blobs):
        def __init__(self):
            super().__init__(pixels=[PIXELS[0], sheaf.Bad("torn"), *PIXELS[2:]])
            self.streams = {f"{name}2": stream for name, stream in self.streams.items()}

        def read(self, chunk):
            return {f"{name}2": columns for name, columns in super().read(chunk).items()}

    reader = sheaf.Reader(Blobs(), join=[Other()], batch_size=4, packing="ragged", max_errors=1)
    (minibatch,) = reader
    assert minibatch.sequence_keys.tolist() == [0, 2, 3]
    assert blobs_of(minibatch.blob) == blobs_of(minibatch.blob2) == [BLOBS[i] for i in (0, 2, 3)]
    for i, key in enumerate((0, 2, 3)):
        assert equal(minibatch.image2.samples(i), PIXELS[key])


# Samples that a Deserializer may return.


@pytest.mark.parametrize(
    "blobs",
    [
        BLOBS,
        [[bytearray(b) for b in s] if s else None for s in BLOBS],
        [[memoryview(b) for b in s] if s else None for s in BLOBS],
        [[np.frombuffer(b, np.uint8) for b in s] if s else None for s in BLOBS],
        [BLOBS[0], BLOBS[1][0], None, BLOBS[3]],
    ],
)
def test_bytes_may_be_given_in_several_forms(blobs):
    assert blobs_of(read(Blobs(blobs)).blob) == BLOBS


def test_images_may_be_given_in_several_forms():
    equals = [np.stack([p, p]) for p in (PIXELS[0][0],)]
    pixels = [equals[0], PIXELS[1][0], PIXELS[2], [np.asfortranarray(p) for p in PIXELS[3]]]
    image = read(Blobs(pixels=pixels)).image
    assert equal(image.samples(0), [PIXELS[0][0]] * 2)
    assert all(equal(image.samples(i), PIXELS[i]) for i in (1, 2, 3))


@pytest.mark.parametrize(
    ("blobs", "pixels", "text"),
    [
        (["text", *BLOBS[1:]], PIXELS, 'stream "blob": sequence 0: expected bytes or what has'),
        ([[1, 2], *BLOBS[1:]], PIXELS, "sequence 0: sample 0: expected bytes or what has their bu"),
        (
            b"flat",
            PIXELS,
            "samples are of variable shape: expected a list of the sequences, got by",
        ),
        (BLOBS, [PIXELS[0][0][..., :2], *PIXELS[1:]], "expected a sample of [*, *, 3], got the sh"),
        (BLOBS, [[np.zeros((2, 3), np.uint8)], *PIXELS[1:]], "got the shape (2, 3) (its key is 0)"),
        (BLOBS, [[PIXELS[0][0].astype("f4")], *PIXELS[1:]], "expected uint8, got float32"),
    ],
)
def test_wrong_samples_are_errors(blobs, pixels, text):
    with pytest.raises(sheaf.DataError) as caught:
        read(Blobs(blobs, pixels))
    assert text in str(caught.value)


def test_wrong_declarations_are_refused():
    for stream in (
        sheaf.Stream(dim=3, dtype="bytes"),
        sheaf.Stream(dim=3, sparse=True, dtype="bytes"),
        sheaf.Stream(shape=(None, 2), dtype="bytes"),
    ):
        source = Blobs()
        source.streams = {"blob": stream}
        with pytest.raises(sheaf.ConfigError, match=r"opaque bytes are dense samples of the shape"):
            sheaf.Reader(source)
    with pytest.raises(sheaf.ConfigError, match="at least 1"):
        sheaf.Stream(shape=(None, 0))

    class Unsaid(Blobs):
        def chunks(self):
            yield sheaf.Chunk(samples=LENGTHS)

    assert blobs_of(read(Unsaid()).blob) == BLOBS
    with pytest.raises(sheaf.ConfigError, match='"blob" of variable shape needs the size_bytes'):
        read(Unsaid(), memory_limit="16MiB")


# Functions.


def decode(blobs):
    """Of each blob an image of one row."""
    return [np.repeat(np.frombuffer(blob, np.uint8), 3).reshape(1, -1, 3) for blob in blobs]


ROWS = sheaf.map(
    lambda blobs: decode(blobs), "blob", {"row": sheaf.Stream(shape=(None, None, 3), dtype="uint8")}
)


@pytest.mark.parametrize("packing", ["ragged", "padded"])
def test_a_function_decodes_bytes_to_samples_of_variable_shape(packing):
    minibatch = read(packing=packing, transforms=[ROWS])
    for i, blobs in enumerate(BLOBS):
        found = minibatch.row.samples(i)
        assert found is None if blobs is None else equal(found, decode(blobs))


def test_functions_take_and_make_images_and_bytes():
    kinds = []

    def flip(images, blobs):
        kinds.append([type(each) for each in blobs or ()])
        assert all(each.ndim == 3 for each in images)
        return [each[::-1] for each in images], [each.tobytes() for each in images]

    flipped = sheaf.map(
        flip,
        ["image", "blob"],
        {
            "flipped": sheaf.Stream(shape=(None, None, 3), dtype="uint8"),
            "raw": sheaf.Stream(dtype="bytes"),
        },
    )
    minibatch = read(transforms=[flipped, sheaf.map(lambda x: x, "image", name="same")])
    expected = [[memoryview] * len(blobs or ()) for blobs in BLOBS]
    assert sorted(kinds, key=len) == sorted(expected, key=len)  # threads call the function
    for i, pixels in enumerate(PIXELS):
        assert equal(minibatch.flipped.samples(i), [p[::-1] for p in pixels])
        assert [bytes(b) for b in minibatch.raw.samples(i)] == [p.tobytes() for p in pixels]
        assert equal(minibatch.image.samples(i), pixels)


def test_a_memory_limit_needs_the_largest_shape():
    outputs = {"row": sheaf.Stream(shape=(None, None, 3), dtype="uint8")}

    def make(**options):
        return sheaf.map(decode, "blob", outputs, name="decode", **options)

    with pytest.raises(sheaf.ConfigError) as caught:
        read(transforms=[make()], memory_limit="16MiB")
    assert 'the transform "function:blob:name=decode" takes is not known' in str(caught.value)
    assert '"row" has samples of variable shape' in str(caught.value)
    sized = make(shape_max=(1, 6, 3))
    minibatch = read(transforms=[sized], memory_limit="16MiB")
    assert equal(minibatch.row.samples(1), decode(BLOBS[1]))
    with pytest.raises(sheaf.ConfigError) as caught:
        read(transforms=[make(shape_max={"row": (1, 4, 3)})])
    assert "sequence 1: stream" in str(caught.value)
    assert "expected samples of at most [1, 4, 3], as shape_max says, got [1, 6, 3]" in str(
        caught.value
    )
    for wrong, text in (
        ((1, 2), "expected the largest"),
        ((1, 2, 4), "expected the largest"),
        ((0, 2, 3), "expected the largest"),
        ({"other": (1, 2, 3)}, "none of the outputs of variable shape"),
    ):
        with pytest.raises(sheaf.ConfigError, match=text):
            make(shape_max=wrong)
    with pytest.raises(TypeError, match="shape_max"):
        make(shape_max=5)
    with pytest.raises(sheaf.ConfigError, match="0 outputs are of variable shape"):
        sheaf.map(lambda x: x, "blob", shape_max=(1,))


def test_padding_that_exceeds_a_memory_limit_is_refused():
    tall, wide = np.ones((20_000, 1, 3), np.uint8), np.ones((1, 20_000, 3), np.uint8)

    class TallAndWide(Blobs):
        def __init__(self):
            self.streams = {"image": sheaf.Stream(shape=(None, None, 3), dtype="uint8")}

        def chunks(self):
            yield sheaf.Chunk(samples=[1, 1, 1, 1], size_bytes=250_000)

        def read(self, chunk):
            return {"image": [tall, wide, wide, tall]}

    for threads in (1, 3):
        options = {"memory_limit": "64MiB", "num_threads": threads, "batch_size": 2}
        with pytest.raises(sheaf.ConfigError) as caught:
            list(sheaf.Reader(TallAndWide(), **options))
        assert '`padded` makes each sample of "image" as large as [20000, 20000, 3]' in str(
            caught.value
        )
        needed = int(str(caught.value).split("this minibatch needs ")[1].split()[0])
        assert 2 * 20_000 * 20_000 * 3 < needed < 2.5e9
        ragged = list(sheaf.Reader(TallAndWide(), packing="ragged", **options))
        assert equal([ragged[1].image.samples(i)[0] for i in range(2)], [wide, tall])
    first = next(iter(sheaf.Reader(TallAndWide(), batch_size=1, memory_limit="64MiB")))
    assert first.image.values.shape == (1, 1, 20_000, 1, 3)


# Arrow.


def test_varying_shapes_become_arrow_arrays():
    pa = pytest.importorskip("pyarrow")
    for batch in (pa.record_batch(read()), pa.table(sheaf.to_arrow(Blobs())).combine_chunks()):
        assert batch["blob"].to_pylist() == BLOBS
        assert batch.schema.field("blob").type == pa.large_list(
            pa.field("item", pa.large_binary(), nullable=False)
        )
        expected = [
            [{"data": p.ravel().tolist(), "shape": list(p.shape)} for p in s] for s in PIXELS
        ]
        assert batch["image"].to_pylist() == expected

    class Rows(sheaf.Deserializer):
        def __init__(self):
            self.streams = {"row": sheaf.Stream(shape=(None,), dtype="float64")}

        def chunks(self):
            yield sheaf.Chunk(samples=[2, 1], size_bytes=100)

        def read(self, chunk):
            return {"row": [[np.ones(2), np.ones(0)], [np.zeros(3)]]}

    assert pa.table(sheaf.to_arrow(Rows()))["row"].to_pylist() == [[[1, 1], []], [[0, 0, 0]]]


# Whole data.


@pytest.mark.parametrize("name", ["out.ctf", "out.cbf", "out.libsvm"])
def test_formats_without_varying_shapes_refuse_a_conversion(tmp_path, name):
    path = tmp_path / name
    for stream in ("blob", "image"):
        with pytest.raises(sheaf.ConfigError, match=rf'"{stream}"') as caught:
            sheaf.convert(Blobs(), path, transforms=[f"select:{stream}"])
        assert not path.exists()
        assert re.search(r"u8|bytes|\[\*", str(caught.value))


def test_formats_without_varying_shapes_refuse_a_writer(tmp_path):
    path = tmp_path / "out.ctf"
    for stream in (sheaf.Stream(dtype="bytes"), sheaf.Stream(shape=(None, 3))):
        with pytest.raises(sheaf.ConfigError, match='stream "x"'):
            sheaf.Writer(path, {"x": stream})
    assert not path.exists()
    with sheaf.Writer(path, ["x:dense:3"]) as writer:
        for packing in ("ragged", "padded"):
            for name in ("blob", "image"):
                with pytest.raises(sheaf.DataError, match="samples of one shape"):
                    writer.write_batch([0, 1, 2, 3], {"x": read(packing=packing)[name]})
        writer.discard()
    assert not path.exists()


def test_varying_shapes_are_checked_and_counted():
    assert sheaf.check(Blobs()).ok
    report = sheaf.stat(Blobs())
    blob, image = report["streams"]
    assert (blob["shape"], image["shape"]) == ([None], [None, None, 3])
    assert (blob["samples"], blob["absent"]) == (6, 1)
    sizes = [len(b) for s in BLOBS if s for b in s]
    (counted,) = blob["extents"]
    assert (counted["min"], counted["max"]) == (min(sizes), max(sizes))
    assert counted["mean"] == pytest.approx(sum(sizes) / len(sizes))
    assert [axis["max"] for axis in image["extents"]] == [4, 5, 3]
    assert image["values"]["stored"] == sum(p.size for s in PIXELS for p in s)
    assert report["duplicates"] == 0
    twice = Blobs([BLOBS[1], BLOBS[1], None, BLOBS[3]], [PIXELS[1], PIXELS[1], *PIXELS[2:]])
    twice.chunks = lambda: iter([sheaf.Chunk(samples=[1, 1, 1, 3], size_bytes=1000)])
    assert sheaf.stat(twice)["duplicates"] == 1


def test_torch_takes_varying_shapes(tmp_path):
    torch = pytest.importorskip("torch")
    minibatch = read(packing="padded")
    assert minibatch.blob.to_torch().dtype == torch.uint8
    assert tuple(minibatch.image.to_torch().shape) == minibatch.image.values.shape
    with pytest.raises(sheaf.ConfigError, match="varies"):
        read().image.to_nested()


def test_compressed_images_are_decoded_to_another_stream():
    packed = [[zlib.compress(p.tobytes()) for p in s] for s in PIXELS]

    def unpack(blobs):
        return [np.frombuffer(zlib.decompress(blob), np.uint8) for blob in blobs]

    flat = sheaf.map(unpack, "blob", {"flat": sheaf.Stream(shape=(None,), dtype="uint8")})
    minibatch = read(Blobs(packed), transforms=[flat])
    for i, pixels in enumerate(PIXELS):
        assert equal(minibatch.flat.samples(i), [p.ravel() for p in pixels])
