"""Sources of images: behaviours 13, 14, 17 and 18 of cntk.io, and errors of the data."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from image_data import (
    COLORS,
    base64_deserializer,
    classes,
    cv2,
    delivered,
    deserializer,
    encoded,
    in_order,
    noise,
    plain,
    working_in,
    write_base64,
    write_colors,
    write_map,
)

import sheaf
from sheaf import cntk
from sheaf.cntk import transforms

SCALE = transforms.scale(width=4, height=8, channels=3)


def as_delivered(pixels):
    """Pixels as a stream has them: channels first, in the order B, G, R."""
    return np.asarray(pixels).transpose(2, 0, 1).astype(np.float32)


# Behaviour of cntk.io.


def test_images_are_not_opened_before_they_are_read(tmp_path):  # 13
    sources = []
    for name in "ab":
        map_file = write_map(
            tmp_path, [f"no-{name}-{i}.jpg" for i in range(10)], name=f"{name}.txt"
        )
        sources.append(
            cntk.MinibatchSource(
                deserializer(map_file, [SCALE], names=(f"image {name}", f"label {name}"))
            )
        )
    for source in sources:
        assert len(source.stream_infos()) == 2
        with pytest.raises(RuntimeError, match=r"found no-[ab]-\d.jpg: .*No such file"):
            source.next_minibatch(1)


def test_base64_joins_text_by_keys_of_64_bits(tmp_path):  # 14
    keys = [2**63 + 7919 * i for i in range(10)]
    images = [noise(i, 12, 10) for i in range(10)]
    file = write_base64(tmp_path, [encoded(each) for each in images], keys)
    shuffled = np.random.default_rng(1).permutation(10)
    index = tmp_path / "index.ctf"
    index.write_text("".join(f"{keys[i]} |index {i}\n" for i in shuffled))
    source = cntk.MinibatchSource(
        [
            cntk.CTFDeserializer(
                str(index), cntk.StreamDefs(index=cntk.StreamDef(field="index", shape=1))
            ),
            base64_deserializer(file),
        ]
    )
    streams = source.streams
    assert streams.images.dtype == np.float32
    orders = set()
    for _ in range(100):
        minibatch = source.next_minibatch(10)
        numbers = minibatch[streams.index].asarray().reshape(-1).astype(int)
        orders.add(tuple(numbers))
        pixels = minibatch[streams.images]
        assert pixels.shape == (10, 1, 3, 10, 12)
        for number, found in zip(numbers, pixels.as_sequences(), strict=True):
            assert np.array_equal(found[0], as_delivered(images[number]))
        labels = minibatch[streams.labels].asarray().reshape(10, 4).argmax(1)
        assert np.array_equal(labels, numbers % 4)
    assert len(orders) > 50


def test_base64_equals_plain_files(tmp_path):  # 17
    keys = range(20)
    images = [encoded(noise(i, 9, 7), ".jpg") for i in keys]
    (tmp_path / "pictures").mkdir()
    for i, image in enumerate(images):
        (tmp_path / "pictures" / f"{i}.jpg").write_bytes(image)
    map_file = write_map(tmp_path, [f".../pictures/{i}.jpg" for i in keys], keys)
    file = write_base64(tmp_path, images, keys)
    steps = [transforms.scale(width=6, height=5, channels=3)]
    source = cntk.MinibatchSource(
        [
            deserializer(map_file, steps, ("plain", "plain labels")),
            base64_deserializer(file, steps, ("inside", "inside labels")),
        ],
        max_sweeps=2,
    )
    count = 0
    while minibatch := source.next_minibatch(7):
        plain, inside, *labels = (
            minibatch[source.streams[name]].asarray()
            for name in ("plain", "inside", "plain labels", "inside labels")
        )
        assert plain.shape[2:] == (3, 5, 6)
        assert np.array_equal(plain, inside)
        assert np.array_equal(*labels)
        count += len(plain)
    assert count == 40


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("before", [[], [transforms.scale(width=40, height=30, channels=3)]])
def test_equal_crops_of_two_deserializers(tmp_path, size, before):  # 18
    keys = range(12)
    images = [noise(i) for i in keys]
    file = write_base64(tmp_path, [encoded(each) for each in images], keys)
    for i, image in enumerate(images):
        (tmp_path / f"{i}.png").write_bytes(encoded(image))
    map_file = write_map(tmp_path, [f".../{i}.png" for i in keys], keys)
    steps = [*before, transforms.crop("randomside", crop_size=(20, 10), side_ratio=0.5)]
    source = cntk.MinibatchSource(
        [deserializer(map_file, steps, ("a", "la")), base64_deserializer(file, steps, ("b", "lb"))],
        max_sweeps=3,
    )
    seen = set()
    while minibatch := source.next_minibatch(size):
        first, second = (minibatch[source.streams[name]].asarray() for name in "ab")
        assert first.shape[1:] == (1, 3, 10, 20)
        assert np.array_equal(first, second)
        seen.update(each.tobytes() for each in first)
    assert len(seen) > 30  # of 36: the crops of an image differ from sweep to sweep


# Order and streams.


def test_the_order_matches_cntk(tmp_path):
    with working_in(tmp_path):
        said = deserializer(write_map(tmp_path, write_colors(tmp_path)), [SCALE])
        source = cntk.MinibatchSource(said, max_sweeps=1)
        assert classes(source, 4) == [1, 2, 0, 3]  # CNTK's controls: blue, green, black, red
        source = cntk.MinibatchSource(said, max_sweeps=1, randomization_window_in_chunks=1)
        assert classes(source, 4) == [2, 0, 1, 3]  # green, black, blue, red


def test_images_and_labels_are_streams(tmp_path):
    with working_in(tmp_path):
        path = write_map(tmp_path, write_colors(tmp_path))
        source = in_order(deserializer(path, [SCALE]))
        images, labels = source.streams.images, source.streams.labels
        assert (images.sample_shape, images.storage_format) == ((3, 8, 4), "dense")
        assert (labels.sample_shape, labels.storage_format) == ((4,), "sparse")
        minibatch = source.next_minibatch(4)
        assert np.array_equal(
            minibatch[images].asarray()[:, 0],
            [as_delivered(plain(color)) for color in COLORS.values()],
        )
        assert np.array_equal(minibatch[labels].asarray()[:, 0], np.eye(4))
        data = minibatch[images]
        assert (data.num_sequences, data.num_samples, data.end_of_sweep) == (4, 4, True)
        assert source.next_minibatch(4) == {}

        assert in_order(deserializer(path)).streams.images.sample_shape == ()  # not known


def test_images_without_a_transpose_have_their_channels_last(tmp_path):
    said = base64_deserializer(write_base64(tmp_path, [encoded(noise(1))]))
    said["input"]["images"]["transforms"] = []
    (found,) = delivered(in_order(said, dtype="float64"), 1)
    assert found.dtype == np.float64
    assert np.array_equal(found[0], noise(1))


def test_undeclared_labels_are_ignored(tmp_path):
    with working_in(tmp_path):
        path = write_map(tmp_path, write_colors(tmp_path))  # labels 0 to 3; the hidden have 2
        streams = cntk.StreamDefs(images=cntk.StreamDef(field="image", transforms=[SCALE]))
        source = in_order(cntk.ImageDeserializer(str(path), streams))
        (images,) = delivered(source, 4)
        assert len(images) == 4
        assert set(source.streams) == {"images"}


def test_flags_may_be_words(tmp_path):
    file = write_base64(tmp_path, [encoded(noise(1))])
    for word, channels in (("false", 3), ("True", 1), ("0", 3), (True, 1)):
        (found,) = delivered(in_order(base64_deserializer(file, grayscale=word)), 1)
        assert found.shape[1] == channels
    (found,) = delivered(in_order(base64_deserializer(file, multiViewCrop="false")), 1)
    assert len(found) == 1


def test_grey_images_have_one_or_three_channels(tmp_path):
    levels = np.arange(16, dtype=np.uint8).reshape(4, 4) * 17
    file = write_base64(tmp_path, [encoded(levels)])
    (grey,) = delivered(in_order(base64_deserializer(file, grayscale=True)), 1)
    assert np.array_equal(grey[0, 0], levels)
    (color,) = delivered(in_order(base64_deserializer(file)), 1)
    assert np.array_equal(color[0], [levels] * 3)


def test_alpha_is_dropped_and_16_bits_become_8(tmp_path):
    pixels = np.dstack([noise(3, 5, 4), np.zeros((4, 5, 1), np.uint8)])
    deep = noise(4, 5, 4).astype(np.uint16) * 256 + 77
    written = [encoded(pixels), cv2.imencode(".png", deep)[1].tobytes()]
    (found,) = delivered(in_order(base64_deserializer(write_base64(tmp_path, written))), 2)
    assert np.array_equal(found[0], as_delivered(noise(3, 5, 4)))
    assert np.array_equal(found[1], as_delivered(noise(4, 5, 4)))


def turned_jpeg(orientation):
    """A JPEG image with the orientation in its EXIF block."""
    jpeg = encoded(np.repeat(np.repeat(noise(5, 3, 2), 16, 0), 16, 1), ".jpg")
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01" + bytes([0, orientation, 0, 0])
    tiff = b"MM\x00\x2a\x00\x00\x00\x08\x00\x01" + entry + b"\x00\x00\x00\x00"
    block = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + jpeg[2:]


def test_images_are_rotated_by_their_exif_orientation(tmp_path):
    turned = []
    for orientation in range(1, 9):
        file = write_base64(tmp_path, [turned_jpeg(orientation)], name=f"{orientation}.txt")
        (part,) = delivered(in_order(base64_deserializer(file)), 1)
        turned.append(part[0])
    rows = turned[0].transpose(1, 2, 0)
    expected = [
        rows,
        rows[:, ::-1],
        rows[::-1, ::-1],
        rows[::-1],
        rows.transpose(1, 0, 2),
        np.rot90(rows, -1),
        np.rot90(rows, -1)[:, ::-1][::-1],
        np.rot90(rows),
    ]
    expected[6] = np.rot90(rows, 2).transpose(1, 0, 2)
    for found, each in zip(turned, expected, strict=True):
        assert np.array_equal(found, each.transpose(2, 0, 1))


# Where images lie.


def test_images_in_zip_archives_are_read(tmp_path):
    for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w", method) as file:
            for color, value in COLORS.items():
                file.writestr(f"part/{color}.png", encoded(plain(value)))
    paths = [
        f".../{name}.zip@{separator}{color}.png"
        for name in ("stored", "deflated")
        for separator in ("/part/", "\\part\\")
        for color in (*COLORS, "red")
    ]
    (found,) = delivered(in_order(deserializer(write_map(tmp_path, paths), [SCALE])), 100)
    values = [*COLORS.values(), COLORS["red"]] * 4
    assert np.array_equal(found, [as_delivered(plain(value)) for value in values])


def test_missing_entries_of_archives_are_errors(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("x.png", b"")
    with pytest.raises(RuntimeError, match=r"map.txt:2:1: error: expected an entry of the archive"):
        in_order(deserializer(write_map(tmp_path, [".../a.zip@/x.png", ".../a.zip@/y.png"])))
    with pytest.raises(RuntimeError, match=r"b\.zip"):
        in_order(deserializer(write_map(tmp_path, [".../b.zip@/x.png"])))


def test_a_container_instead_of_an_image_is_an_error(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("x.png", encoded(noise(1)))
    path = write_map(tmp_path, [".../a.zip@/x.png", ".../a.zip"])
    with pytest.raises(RuntimeError, match=r"a\.zip: .*image-header"):
        delivered(in_order(deserializer(path)), 2)


def test_names_of_files_may_have_an_at_sign(tmp_path):
    (tmp_path / "a@2x.png").write_bytes(encoded(noise(1)))
    (found,) = delivered(in_order(deserializer(write_map(tmp_path, [".../a@2x.png"]))), 1)
    assert np.array_equal(found[0], as_delivered(noise(1)))


def test_a_map_file_in_the_working_directory(tmp_path):
    with working_in(tmp_path):
        write_map(tmp_path, [f".../{name}" for name in write_colors(tmp_path)])
        assert classes(in_order(deserializer("map.txt", [SCALE]))) == [0, 1, 2, 3]


# Wrong lists.

MAP_ERRORS = [
    ("a\t1\nb\n", "map.txt:2:1: .*two or three columns"),
    ("a\t1\n\nb\t1\n", "map.txt:2:1: .*two or three columns"),
    ("a\t\n", "map.txt:1:1: .*two or three columns"),
    ("a\tx\n", 'map.txt:1:3: .*a class id, .*found "x"'),
    ("1\ta\t3abc\n", 'map.txt:1:5: .*a class id, .*found "3abc"'),
    ("a\t-1\n", 'map.txt:1:3: .*a class id, .*found "-1"'),
    ("a\t1\na/b.jpg\t4\n", "map.txt:2:9: .*found 4, where there are 4 classes"),
    ("k\ta\t1\n", 'map.txt:1:1: .*expected a key that is a number .*found "k"'),
    (f"{2**64}\ta\t1\n", "map.txt:1:1: .*expected a key that is a number from 0 to 2.64-1"),
    ("", "map.txt:1:1: .*at least one line with an image"),
]


@pytest.mark.parametrize(("text", "message"), MAP_ERRORS)
def test_wrong_map_files_are_refused(tmp_path, text, message):
    (tmp_path / "map.txt").write_text(text)
    with pytest.raises(RuntimeError, match=message):
        in_order(deserializer(tmp_path / "map.txt"))


def test_a_missing_map_file_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match=r"none.txt: cannot open: No such file"):
        in_order(deserializer(tmp_path / "none.txt"))
    with pytest.raises(RuntimeError, match=r"none.txt: cannot open: No such file"):
        in_order(base64_deserializer(tmp_path / "none.txt"))


def test_map_files_may_have_windows_line_ends(tmp_path):
    with working_in(tmp_path):
        names = write_colors(tmp_path)
        rows = [f"{7 * i}\t{name}\t {i}\r\n" for i, name in enumerate(names)]
        (tmp_path / "map.txt").write_bytes("".join(rows)[:-2].encode())
        assert classes(in_order(deserializer("map.txt", [SCALE]))) == [0, 1, 2, 3]


BASE64_ERRORS = [
    (b"1\n", "base64.txt:1:1: .*image_base64-columns"),
    (b"7\tx\tAAAA\n", 'base64.txt:1:3: .*a class id.*found "x"'),
    (b"7\t4\tAAAA\n", "base64.txt:1:3: .*image_base64-class"),
    (b"1\tAA*A\n", "base64.txt:1:5: .*image_base64-character"),
    (b"1\tAAA\n", "base64.txt:1:.*image_base64-length"),
    (b"1\t\n", "base64.txt:1:3: .*an image in base64, found none"),
    (b"1\tAAAA\n", "base64.txt:1:3: .*image-header"),
]


@pytest.mark.parametrize(("text", "message"), BASE64_ERRORS)
def test_wrong_base64_files_are_refused(tmp_path, text, message):
    (tmp_path / "base64.txt").write_bytes(text)
    source = in_order(base64_deserializer(tmp_path / "base64.txt"))
    with pytest.raises(RuntimeError, match=message):
        delivered(source, 10)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\t \n"])
@pytest.mark.parametrize("has_end", [True, False])
def test_base64_lines_may_have_any_line_end(tmp_path, end, has_end):
    path = write_base64(tmp_path, [encoded(noise(i)) for i in range(3)], range(3), end=end)
    text = b"\xef\xbb\xbf" + path.read_bytes()
    path.write_bytes(text if has_end else text.rstrip())
    (found,) = delivered(in_order(base64_deserializer(path)), 3)
    assert np.array_equal(found, [as_delivered(noise(i)) for i in range(3)])


def test_keys_may_be_texts(tmp_path):
    keys = ["b c", "a", "\xfc"]
    images = [encoded(noise(i)) for i in range(3)]
    file = write_base64(tmp_path, images, ["b", "a", "\xfc"])
    text = tmp_path / "index.ctf"
    text.write_text("".join(f"{key.split()[0]} |x {i}\n" for i, key in enumerate(keys)))
    index = cntk.CTFDeserializer(str(text), cntk.StreamDefs(x=cntk.StreamDef(field="x", shape=1)))
    source = in_order(index, base64_deserializer(file), numeric_keys=False)
    (found,) = delivered(source, 3)
    assert np.array_equal(found, [as_delivered(noise(i)) for i in range(3)])
    without = write_base64(tmp_path, images, name="without.txt")
    with pytest.raises(RuntimeError, match="have no keys, by its first line"):
        in_order(base64_deserializer(without), numeric_keys=False)


def test_a_repeated_key_is_an_error_in_a_join(tmp_path):
    images = [encoded(noise(i)) for i in range(2)]
    file = write_base64(tmp_path, images, [5, 5])
    assert len(delivered(in_order(base64_deserializer(file)), 1)) == 2  # no error without a join
    index = tmp_path / "index.ctf"
    index.write_text("5 |x 1\n")
    streams = cntk.StreamDefs(x=cntk.StreamDef(field="x", shape=1))
    with pytest.raises(RuntimeError, match=r"base64.txt:2: .*found 5, which is that of"):
        in_order(cntk.CTFDeserializer(str(index), streams), base64_deserializer(file))


# Images that cannot be decoded.


def test_bad_images_are_left_out_of_all_streams(tmp_path, caplog):
    images = [encoded(noise(i)) for i in range(8)]
    for bad in (0, 3, 4):
        images[bad] = images[bad][:-20]
    keys = range(8)
    index = tmp_path / "index.ctf"
    index.write_text("".join(f"{key} |x {key}\n" for key in keys))
    x = cntk.CTFDeserializer(str(index), cntk.StreamDefs(x=cntk.StreamDef(field="x", shape=1)))
    file = write_base64(tmp_path, images, keys)
    source = in_order(x, base64_deserializer(file, maxErrors=3))
    sizes, numbers = [], []
    while minibatch := source.next_minibatch(2):
        found = {name: minibatch[source.streams[name]] for name in ("x", "images", "labels")}
        sizes.append({len(each) for each in found.values()})
        for number, pixels, label in zip(
            *(each.asarray()[:, 0] for each in found.values()), strict=True
        ):
            numbers.append(int(number[0]))
            assert np.array_equal(pixels, as_delivered(noise(numbers[-1])))
            assert label.argmax() == numbers[-1] % 4
    assert sizes == [{1}, {1}, {1}, {2}]
    assert numbers == [1, 2, 5, 6, 7]
    lines = [
        record.message.partition("base64.txt:")[2].partition(":")[0] for record in caplog.records
    ]
    assert lines == ["1", "4", "5"]

    source = in_order(x, base64_deserializer(file, maxErrors=2))
    assert [len(source.next_minibatch(2)) for _ in range(2)] == [3, 3]
    with pytest.raises(RuntimeError, match=r"base64.txt:5:5: .*image-data"):
        source.next_minibatch(2)


def test_a_bad_image_counts_once_for_all_sweeps(tmp_path, caplog):
    images = [encoded(noise(1)), encoded(noise(2))[:-20], encoded(noise(3))]
    path = write_base64(tmp_path, images)
    source = in_order(base64_deserializer(path, maxErrors=1), sweeps=5)
    assert sum(map(len, delivered(source, 3))) == 10
    assert len(caplog.records) == 1


def test_an_error_is_repeated_and_keeps_the_position(tmp_path):
    images = [encoded(noise(1)), encoded(noise(2)), encoded(noise(3))[:-20], encoded(noise(4))]
    source = in_order(base64_deserializer(write_base64(tmp_path, images)))
    source.next_minibatch(1)
    source.next_minibatch(1)
    before = source.get_checkpoint_state()
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"base64.txt:3:3: .*image-data"):
            source.next_minibatch(1)
        assert source.get_checkpoint_state() == before


def test_a_minibatch_of_only_bad_images_is_empty(tmp_path):
    bad = encoded(noise(1))[:-20]
    path = write_base64(tmp_path, [bad, bad, encoded(noise(2))])
    source = in_order(base64_deserializer(path, maxErrors=-1))
    empty = source.next_minibatch(2)[source.streams.images]
    assert (len(empty), empty.num_samples, empty.data, empty.as_sequences()) == (0, 0, None, [])
    assert len(source.next_minibatch(2)[source.streams.images]) == 1
    with pytest.raises(RuntimeError, match="image-data"):
        in_order(base64_deserializer(path)).next_minibatch(2)


def test_wrong_image_files_are_errors(tmp_path):
    (tmp_path / "a.png").write_bytes(encoded(noise(1))[:60])
    (tmp_path / "b.png").write_bytes(b"no image")
    path = write_map(tmp_path, [".../a.png", ".../b.png"])
    with pytest.raises(RuntimeError, match=r"a\.png: byte 60: .*image-data"):
        in_order(deserializer(path)).next_minibatch(1)
    assert delivered(in_order(deserializer(path, maxErrors=2)), 1) == []
    missing = write_map(tmp_path, ["none.png"], name="missing.txt")
    with pytest.raises(RuntimeError, match=r"found none.png: .*No such file"):
        in_order(deserializer(missing, maxErrors=2)).next_minibatch(1)


def test_images_of_different_sizes_are_an_error(tmp_path):
    path = write_base64(tmp_path, [encoded(noise(1)), encoded(noise(2, 5, 5))])
    whole = in_order(base64_deserializer(path))
    apart = in_order(base64_deserializer(path))
    assert len(apart.next_minibatch(1)[apart["images"]]) == 1
    for source, size in (whole, 2), (apart, 1), (apart, 1):
        with pytest.raises(RuntimeError) as raised:
            source.next_minibatch(size)
        assert (
            "Packer currently does not support samples with varying shapes.Please make sure there "
            "is a transform that unifies the shape of samples for input stream 'images' or the "
            "deserializer provides samples with the same shape."
        ) in str(raised.value)
        assert "got one of 5 x 5" in str(raised.value)


def test_the_first_size_outlives_a_checkpoint(tmp_path):
    path = write_base64(tmp_path, [encoded(noise(1)), encoded(noise(2, 5, 5))])
    first = in_order(base64_deserializer(path))
    first.next_minibatch(1)
    later = in_order(base64_deserializer(path))
    later.restore_from_checkpoint(first.get_checkpoint_state())
    with pytest.raises(RuntimeError, match="expected images of 20 x 30"):
        later.next_minibatch(1)


def test_wrong_dictionaries_are_refused(tmp_path):
    path = write_base64(tmp_path, [encoded(noise(1))])
    said = base64_deserializer(path)
    steps = said["input"]["images"]

    def refused(message, wrong, **options):
        with pytest.raises(ValueError, match=message):
            in_order(wrong, **options)

    refused('found "chunkSize"', said | {"chunkSize": 1})
    refused("a section with labelDim", said | {"input": {"a": {"transforms": []}}})
    both = {"input": {name: {"transforms": []} for name in "ab"}}
    refused("one stream of each kind", said | both)
    refused('grayscale, found "maybe"', said | {"grayscale": "maybe"})
    refused("/file|the setting file", {name: said[name] for name in ("type", "input")})
    refused("labelDim", said | {"input": {"images": steps, "labels": {"labelDim": "x"}}})
    refused('expected "float32" or "float64", got "int32"', said, dtype="int32")
    color = transforms.color(brightness_radius=0.5)
    for seed in ("x", 1.5, -1):
        refused("seed", base64_deserializer(path, [color], seed=seed))
    for kind in ("Transpose", "Crop"):
        steps["transforms"] = [{"type": "Transpose"}, {"type": kind}]
        refused(f'behind Transpose .*found "{kind}"', said)
    for wrong in ("Crop", ["Crop"], [3], 3, {"type": "Crop"}):
        steps["transforms"] = wrong
        refused("transforms", said)
    steps["transforms"] = [{"type": "Crop", "cropSize": object()}]
    refused("/cropSize: expected a truth, a number, a text, a list or a dict.*got object", said)
    steps["transforms"] = [{"type": "Crop", 3: 4}]
    refused("transforms@0: each key must be a text", said)
    endless = []
    endless.append(endless)
    refused("at most 32 dictionaries and lists", said | {"input": endless})


def test_settings_may_have_numpy_numbers_and_paths_of_bytes(tmp_path):
    path = write_base64(tmp_path, [encoded(noise(1))])
    said = base64_deserializer(path)
    size = (np.int64(20), np.int32(10))
    said["input"]["images"]["transforms"] = [{"type": "Crop", "cropSize": size}]
    (found,) = delivered(in_order(said | {"file": path}), 1)
    assert found.shape == (1, 10, 20, 3)
    half = np.float32(0.5)
    said["input"]["images"]["transforms"] = [{"type": "Crop", "sideRatio": half}]
    (found,) = delivered(in_order(said | {"file": bytes(path)}), 1)
    assert found.shape == (1, 10, 10, 3)


def test_a_spec_reads_the_same_images(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_base64(tmp_path, [encoded(noise(i)) for i in range(9)], range(9))
    said = base64_deserializer("base64.txt", [transforms.crop("randomside", side_ratio=0.5)])
    source = cntk.MinibatchSource(said, max_sweeps=2)
    spec = json.loads(json.dumps(source.spec))
    monkeypatch.chdir("/")
    for minibatch in sheaf.Reader(spec=spec, minibatch_samples=4):
        expected = source.next_minibatch(4)[source["images"]].asarray()
        assert np.array_equal(minibatch["images"].values, expected)
    assert source.next_minibatch(4) == {}
