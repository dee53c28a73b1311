"""Maps of images: files, entries of zips, orders, workers and resume."""

from __future__ import annotations

import struct
import zipfile
import zlib

import numpy as np
import pytest

import sheaf


def png(red: int, width: int = 8, height: int = 6) -> bytes:
    def chunk(kind, content):
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes((red, 90, 200)) * width) * height
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


@pytest.fixture
def images(tmp_path):
    """Forty images, every other one in a zip."""
    lines = []
    with zipfile.ZipFile(tmp_path / "odd.zip", "w", zipfile.ZIP_DEFLATED) as odd:
        for n in range(40):
            if n % 2 == 0:
                (tmp_path / f"{n}.png").write_bytes(png(n))
                lines.append(f"key{n}\t.../{n}.png\t{n % 3}\n")
            else:
                odd.writestr(f"in/{n}.png", png(n))
                lines.append(f"key{n}\t.../odd.zip@/in/{n}.png\t{n % 3}\n")
    (tmp_path / "train.map").write_text("".join(lines))
    return tmp_path / "train.map"


def read(path, **options):
    rows = []
    options = {"transforms": ["decode:image"], "batch_size": 8, **options}
    for minibatch in sheaf.Reader(str(path), **options):
        pixels = minibatch["image"].values
        assert pixels.dtype == np.uint8 and pixels.shape[1:] == (1, 6, 8, 3)
        labels = minibatch["label"].values.ravel().tolist()
        rows += zip(minibatch.key_texts, pixels[:, 0, 0, 0, 0].tolist(), labels, strict=True)
    return rows


EXPECTED = [(f"key{n}", n, n % 3) for n in range(40)]


def test_images_match_the_lines_of_the_map(images):
    assert read(images) == EXPECTED


def test_workers_share_the_images_of_a_shuffled_sweep(images):
    alone = read(images, order="keyed", seed=3)
    assert alone != EXPECTED and sorted(alone) == sorted(EXPECTED)
    parts = []
    for rank in range(3):
        parts += read(images, order="keyed", seed=3, rank=rank, world_size=3)
    assert sorted(parts) == sorted(EXPECTED)


def test_a_reader_resumes_from_the_state_of_another(images):
    options = {"transforms": ["decode:image", "random_resized_crop:image:size=4"]}
    options |= {"batch_size": 8, "order": "keyed", "seed": 5}
    whole = [m["image"].values.copy() for m in sheaf.Reader(str(images), **options)]
    reader = sheaf.Reader(str(images), **options)
    minibatches = iter(reader)
    for _ in range(2):
        next(minibatches)
    rest = sheaf.Reader(str(images), **options)
    rest.load_state_dict(reader.state_dict())
    for expected, minibatch in zip(whole[2:], rest, strict=True):
        np.testing.assert_array_equal(minibatch["image"].values, expected)


def test_bad_images_are_left_out_and_named(images):
    (images.parent / "2.png").write_bytes(b"no image, but of no matter to others")
    (images.parent / "4.png").unlink()
    assert read(images, max_errors=2) == [EXPECTED[n] for n in range(40) if n not in (2, 4)]
    with pytest.raises(sheaf.DataError, match=r"2\.png"):
        read(images)


def test_the_program_of_the_page_reads_maps_by_their_name(images):
    other = images.with_name("train_map.txt")
    images.rename(other)
    assert read(other, format="image_map") == EXPECTED
    with pytest.raises(sheaf.ConfigError, match="image_map"):
        sheaf.open(other)
