"""Folders of images, a folder for each class."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

import sheaf


def png(red: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\0" + bytes((red, 90, 200)) * 8) * 6
    header = struct.pack(">IIBBBBB", 8, 6, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def photos(tmp_path):
    for c, name in enumerate(("ape", "cat", "cat-fish")):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for n in range(6):
            path = tmp_path / "photos" / name / f"{n}.png"
            path.write_bytes(png(10 * n + 70 * c))
    return tmp_path / "photos"


OPTIONS = {
    "transforms": ["decode:image", "resize:image:size=4x4"],
    "batch_size": 4,
    "order": "keyed",
    "seed": 3,
}


def rows_of(reader):
    rows = []
    for minibatch in reader:
        reds = minibatch["image"].values[:, 0, 0, 0, 0].tolist()
        labels = minibatch["label"].values.ravel().tolist()
        rows += zip(minibatch.key_texts, labels, reds, strict=True)
    return rows


def test_images_have_the_class_of_their_folder(photos):
    rows = rows_of(sheaf.Reader(str(photos), **OPTIONS))
    names = sheaf.open(photos).streams["label"].class_names
    assert names == ("ape", "cat", "cat-fish")
    assert len(rows) == 18
    for key, label, red in rows:
        name, file = key.split("/")
        assert names[label] == name
        assert red == 10 * int(file[0]) + 70 * label


def test_a_path_object_and_the_format_are_known(photos):
    data = sheaf.open(photos)
    assert data.format == "image_folder"
    assert next(row for row in sheaf.formats() if row.name == "image_folder").opens_folders


def test_workers_share_the_images(photos):
    whole = rows_of(sheaf.Reader(str(photos), **OPTIONS))
    parts = [
        rows_of(sheaf.Reader(str(photos), rank=rank, world_size=2, **OPTIONS)) for rank in (0, 1)
    ]
    assert sorted(parts[0] + parts[1]) == sorted(whole)


def test_a_run_goes_on_where_it_stopped(photos):
    keys = [list(m.key_texts) for m in sheaf.Reader(str(photos), **OPTIONS)]
    reader = sheaf.Reader(str(photos), **OPTIONS)
    steps = iter(reader)
    begun = [list(next(steps).key_texts) for _ in range(2)]
    other = sheaf.Reader(str(photos), **OPTIONS)
    other.load_state_dict(reader.state_dict())
    assert begun + [list(m.key_texts) for m in other] == keys


def test_a_damaged_image_is_a_hole_with_the_path_of_its_file(photos):
    (photos / "cat" / "3.png").write_bytes(b"no image")
    with pytest.raises(sheaf.DataError, match=r"cat/3\.png: byte 0"):
        rows_of(sheaf.Reader(str(photos), **OPTIONS))
    assert len(rows_of(sheaf.Reader(str(photos), max_errors=1, **OPTIONS))) == 17


def test_a_file_that_is_gone_is_an_error(photos):
    reader = sheaf.Reader(str(photos), **OPTIONS)
    (photos / "ape" / "0.png").unlink()
    with pytest.raises(sheaf.IoError, match=r"ape/0\.png: cannot open"):
        rows_of(reader)


def test_one_hot_labels_and_a_file_of_names(photos, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("cat\ncat-fish\nape\n")
    reader = sheaf.Reader(
        str(photos),
        format_options={
            "image_folder.labels": "one_hot",
            "image_folder.class_names": str(names),
        },
        batch_size=18,
        packing="padded",
    )
    (minibatch,) = reader
    labels = np.asarray(minibatch["label"].indices).ravel().tolist()
    assert labels == [2] * 6 + [1] * 6 + [0] * 6
    assert reader.streams["label"].class_names == ("cat", "cat-fish", "ape")
    assert reader.streams["image"].class_names is None


def test_names_of_classes_describe_a_stream_and_do_not_declare_it(photos):
    streams = sheaf.open(photos).streams
    assert "cat-fish" not in repr(streams["label"])
    assert streams["label"] == sheaf.Stream(dim=1, dtype="int32")
    again = sheaf.Reader(str(photos), streams={"label": streams["label"]})
    assert again.streams["label"].class_names == ("ape", "cat", "cat-fish")
    other = sheaf.Reader(str(photos), format_options={"image_folder.labels": "none"})
    assert list(other.streams) == ["image"]
