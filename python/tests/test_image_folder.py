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


def test_a_run_resumes(photos):
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


def test_a_deleted_file_is_an_error(photos):
    reader = sheaf.Reader(str(photos), **OPTIONS)
    (photos / "ape" / "0.png").unlink()
    with pytest.raises(sheaf.IoError, match=r"ape/0\.png: cannot open"):
        rows_of(reader)


def test_one_hot_labels_follow_a_file_of_names(photos, tmp_path):
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


def test_class_names_are_no_part_of_the_declaration(photos):
    streams = sheaf.open(photos).streams
    assert "cat-fish" not in repr(streams["label"])
    assert streams["label"] == sheaf.Stream(dim=1, dtype="int32")
    again = sheaf.Reader(str(photos), streams={"label": streams["label"]})
    assert again.streams["label"].class_names == ("ape", "cat", "cat-fish")
    other = sheaf.Reader(str(photos), format_options={"image_folder.labels": "none"})
    assert list(other.streams) == ["image"]


@pytest.fixture
def videos(tmp_path):
    for c, name in enumerate(("ape", "cat")):
        for clip in range(4):
            folder = tmp_path / "videos" / name / f"clip{clip}"
            folder.mkdir(parents=True)
            for n in range(1 + clip * 4):  # 1, 5, 9 and 13 frames
                (folder / f"frame_{n + 2}.png").write_bytes(png(10 * n + 100 * c))
    return tmp_path / "videos"


FRAMES = {"format_options": {"image_folder.frames": "true"}}
COUNTED = ["image:dense:mb", "label:dense"]  # minibatch sizes count frames


def clips_of(reader):
    clips = {}
    for minibatch in reader:
        labels = minibatch["label"].values.ravel().tolist()
        for i, key in enumerate(minibatch.key_texts):
            frames = [np.asarray(frame) for frame in minibatch["image"].samples(i)]
            clips[key] = (labels[i], [int(frame[0, 0, 0]) for frame in frames])
    return clips


def test_a_folder_of_numbered_images_is_a_sequence(videos):
    reader = sheaf.Reader(
        str(videos), transforms=["decode:image"], packing="ragged", batch_size=3, **FRAMES
    )
    clips = clips_of(reader)
    assert len(clips) == 8
    for key, (label, reds) in clips.items():
        name, clip = key.split("/")
        assert reader.streams["label"].class_names[label] == name
        assert reds == [10 * n + 100 * label for n in range(1 + 4 * int(clip[-1]))]


def test_minibatches_count_frames(videos):
    reader = sheaf.Reader(
        str(videos), packing="ragged", minibatch_size=13, unit="samples", **FRAMES
    )
    counts = [[len(list(m["image"].samples(i))) for i in range(len(m.key_texts))] for m in reader]
    assert counts == [[1, 5], [9], [13], [1, 5], [9], [13]]


def test_clips_of_frames_are_decoded_and_padded(videos):
    transforms = ["clip:image:samples=4", "decode:image"]
    reader = sheaf.Reader(
        str(videos), COUNTED, transforms=transforms, packing="padded", batch_size=8, **FRAMES
    )
    (minibatch,) = reader
    assert minibatch["image"].values.shape == (8, 4, 6, 8, 3)
    assert minibatch["image"].lengths.tolist() == [1, 4, 4, 4] * 2
    assert minibatch["label"].values.ravel().tolist() == [0] * 4 + [1] * 4


def test_a_run_over_frames_resumes(videos):
    options = {
        "streams": COUNTED,
        "transforms": ["clip:image:samples=3,at=random", "decode:image"],
        "packing": "ragged",
        "batch_size": 3,
        "order": "keyed",
        "seed": 5,
        **FRAMES,
    }
    whole = clips_of(sheaf.Reader(str(videos), **options))
    reader = sheaf.Reader(str(videos), **options)
    begun = clips_of([next(iter(reader))])
    other = sheaf.Reader(str(videos), **options)
    other.load_state_dict(reader.state_dict())
    rest = clips_of(other)
    assert list(begun) + list(rest) == list(whole)
    assert {**begun, **rest} == whole


def test_wrong_frames_are_named(videos):
    (videos / "ape" / "clip1" / "02.png").write_bytes(png(0))
    with pytest.raises(sheaf.DataError, match=r'clip1/frame_2\.png: .*beside "02\.png"'):
        clips_of(sheaf.Reader(str(videos), packing="ragged", **FRAMES))
    (videos / "ape" / "clip1" / "02.png").unlink()
    (videos / "ape" / "clip1" / "frame_3.png").write_bytes(b"no image")
    options = {"transforms": ["decode:image"], "packing": "ragged", **FRAMES}
    with pytest.raises(sheaf.DataError, match="ape/clip1: "):
        clips_of(sheaf.Reader(str(videos), **options))
    assert len(clips_of(sheaf.Reader(str(videos), max_errors=1, **options))) == 7


def test_frames_are_written_to_a_shard_and_read_back(videos, tmp_path):
    shard = tmp_path / "clips.tar"
    sheaf.convert(
        str(videos),
        str(shard),
        to_options={"webdataset.frames": "true"},
        **FRAMES,
    )
    options = {"transforms": ["decode:image"], "packing": "ragged", "batch_size": 8}
    folders = clips_of(sheaf.Reader(str(videos), **options, **FRAMES))
    frames = {"format_options": {"webdataset.frames": "true"}}
    streams = ["image:dense", "label:dense:alias=cls"]
    assert clips_of(sheaf.Reader(str(shard), streams, **options, **frames)) == folders


def test_an_index_file_stores_pixel_counts(photos):
    options = {"format_options": {"image_folder.headers": "read"}, "unit": "cost"}
    sheaf.index(str(photos), format_options=options["format_options"])
    assert photos.with_name("photos.sheaf-index").is_file()
    reader = sheaf.Reader(str(photos), index="require", minibatch_size=96, **options)
    assert [len(minibatch.key_texts) for minibatch in reader] == [2] * 9
    (photos / "ape" / "0.png").touch()
    with pytest.raises(sheaf.ConfigError, match="index: required"):
        next(iter(sheaf.Reader(str(photos), index="require", **options)))
