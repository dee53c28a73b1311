"""Lines of images in base64, against the standard library's base64."""

from __future__ import annotations

import base64

import numpy as np
import pytest

import sheaf

JPEG = b"\xff\xd8\xff"


def line(label, image, key=None):
    text = f"{label}\t{base64.b64encode(image).decode()}\n"
    return text if key is None else f"{key}\t{text}"


def write_lines(path, count, has_keys=True):
    rows = [(f"image {n}", n % 10, JPEG + bytes([n]) * n) for n in range(count)]
    path.write_text(
        "".join(line(label, image, key if has_keys else None) for key, label, image in rows)
    )
    return rows


def rows_of(path, **options):
    rows = []
    options = {"unit": "sequences", "minibatch_size": 7, "packing": "ragged", **options}
    for minibatch in sheaf.Reader(str(path), **options):
        keys = minibatch.key_texts or minibatch.sequence_keys.tolist()
        labels = minibatch["label"].values.ravel().tolist()
        for i, (key, label) in enumerate(zip(keys, labels, strict=True)):
            (image,) = minibatch["image"].samples(i)
            rows.append((key, label, bytes(image)))
    return rows


def test_lines_with_keys_are_read_in_order(tmp_path):
    rows = write_lines(tmp_path / "train.b64", 50)
    assert rows_of(tmp_path / "train.b64") == rows


def test_without_keys_lines_are_counted(tmp_path):
    rows = write_lines(tmp_path / "train.b64", 20, has_keys=False)
    expected = [(n, label, image) for n, (_, label, image) in enumerate(rows)]
    assert rows_of(tmp_path / "train.b64") == expected
    with pytest.raises(sheaf.ConfigError, match="have no keys"):
        sheaf.open(tmp_path / "train.b64", keys="text")


def test_a_conversion_copies_every_byte(tmp_path):
    write_lines(tmp_path / "a.b64", 30)
    sheaf.convert(tmp_path / "a.b64", tmp_path / "b.b64")
    assert (tmp_path / "b.b64").read_bytes() == (tmp_path / "a.b64").read_bytes()


def test_ten_views_are_numbered(tmp_path):
    write_lines(tmp_path / "a.b64", 2)
    reader = sheaf.Reader(
        str(tmp_path / "a.b64"),
        format_options={"image_base64.views": "10"},
        unit="sequences",
        minibatch_size=20,
        packing="ragged",
    )
    (minibatch,) = reader
    assert np.array_equal(minibatch["view"].values.ravel(), np.tile(np.arange(10), 2))


def test_a_damaged_image_is_reported_with_its_line(tmp_path):
    (tmp_path / "a.b64").write_text(line(0, b"no image", "a") + line(1, b"none either", "b"))
    reader = sheaf.Reader(str(tmp_path / "a.b64"), transforms=["decode:image"], batch_size=2)
    with pytest.raises(sheaf.DataError) as caught:
        list(reader)
    assert "a.b64:1:5: error:" in str(caught.value)
