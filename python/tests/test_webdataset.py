"""Tar shards, against the standard library's tarfile and, where it is installed, WebDataset."""

from __future__ import annotations

import gzip
import io
import tarfile

import numpy as np
import pytest

import sheaf

JPEG = b"\xff\xd8\xff"


def write_shard(path, entries, tar_format=tarfile.GNU_FORMAT):
    with tarfile.open(path, "w", format=tar_format) as shard:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            if content is None:
                entry.type = tarfile.DIRTYPE
            else:
                entry.size = len(content)
            shard.addfile(entry, None if content is None else io.BytesIO(content))
    return path


def pairs(first, count, suffix="jpg"):
    entries = []
    for n in range(first, first + count):
        entries.append((f"{n:06d}.{suffix}", JPEG + bytes([n]) * n))
        entries.append((f"{n:06d}.cls", str(n % 10).encode()))
    return entries


def images_of(minibatch, name="image"):
    images = []
    for i in range(len(minibatch.key_texts)):
        images.append([bytes(sample) for sample in minibatch[name].samples(i) or ()])
    return images


def read(source, **options):
    rows = []
    options = {"unit": "sequences", "minibatch_size": 7, "packing": "ragged", **options}
    for minibatch in sheaf.Reader(str(source), **options):
        labels = minibatch["cls"].values.ravel().tolist()
        rows += zip(minibatch.key_texts, images_of(minibatch), labels, strict=True)
    return rows


def test_shards_of_a_pattern_are_read_in_order(tmp_path):
    write_shard(tmp_path / "train-000.tar", pairs(0, 10))
    write_shard(tmp_path / "train-001.tar", pairs(10, 10, suffix="png"))
    rows = read(tmp_path / "train-*.tar")
    assert rows == [(f"{n:06d}", [JPEG + bytes([n]) * n], n % 10) for n in range(20)]


@pytest.mark.parametrize(
    "tar_format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
)
def test_every_kind_of_tar_is_read(tmp_path, tar_format):
    key = "folder/" * 12 + "k" * 90
    entries = [("folder/", None), (f"{key}.jpg", JPEG), (f"{key}.cls", b"7\n")]
    path = write_shard(tmp_path / "a.tar", entries, tar_format)
    assert read(path) == [(key, [JPEG], 7)]


def test_compressed_shards_are_read(tmp_path):
    path = write_shard(tmp_path / "a.tar", pairs(0, 5))
    expected = read(path)
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read(tmp_path / "b.tar.gz") == expected


def test_numbered_images_are_frames(tmp_path):
    entries = [(f"clip.{n:03d}.jpg", JPEG * (n + 1)) for n in range(3)] + [("clip.cls", b"1")]
    path = write_shard(tmp_path / "a.tar", entries)
    rows = read(path, format_options={"webdataset.frames": "true"})
    assert rows == [("clip", [JPEG, JPEG * 2, JPEG * 3], 1)]


def test_a_shard_is_written_and_read_back(tmp_path):
    path = write_shard(tmp_path / "a.tar", pairs(0, 12))
    out = tmp_path / "out.tar"
    sheaf.convert(str(path), str(out))
    assert read(out) == read(path)
    with tarfile.open(out) as written, tarfile.open(path) as given:
        assert written.getnames() == given.getnames()
        assert {entry.mtime for entry in written} == {0}


def test_a_random_order_resumes(tmp_path):
    write_shard(tmp_path / "t-0.tar", pairs(0, 15))
    write_shard(tmp_path / "t-1.tar", pairs(15, 15))
    options = {"unit": "sequences", "minibatch_size": 4, "packing": "ragged", "order": "keyed"}
    pattern = str(tmp_path / "t-*.tar")
    keys = [minibatch.key_texts for minibatch in sheaf.Reader(pattern, **options)]
    reader = sheaf.Reader(pattern, **options)
    steps = iter(reader)
    begun = [next(steps).key_texts for _ in range(3)]
    other = sheaf.Reader(pattern, **options)
    other.load_state_dict(reader.state_dict())
    assert [list(k) for k in begun + [m.key_texts for m in other]] == [list(k) for k in keys]


def test_a_wrong_label_is_reported_with_its_offset(tmp_path):
    path = write_shard(tmp_path / "a.tar", [("a.jpg", JPEG), ("a.cls", b"x")])
    with pytest.raises(sheaf.DataError, match=r"byte 1536.*webdataset-label"):
        read(path)


def test_labels_may_be_one_hot(tmp_path):
    path = write_shard(tmp_path / "a.tar", pairs(0, 3))
    reader = sheaf.Reader(
        str(path),
        streams=["label:sparse:10:alias=cls"],
        unit="sequences",
        minibatch_size=3,
        packing="padded",
    )
    (minibatch,) = reader
    assert np.asarray(minibatch["label"].indices).ravel().tolist() == [0, 1, 2]


def test_sequences_match_webdataset(tmp_path):
    webdataset = pytest.importorskip("webdataset")
    entries = [("d/", None), ("__index__", b""), ("a/b.c/1.JPG", JPEG), ("a/b.c/1.cls", b"3")]
    entries += [("README", b"x"), ("2.x.jpg", JPEG), ("2.cls", b"4"), ("2.Jpg", JPEG * 2)]
    path = write_shard(tmp_path / "a.tar", entries)
    expected = [
        {key: value for key, value in sample.items() if key != "__url__"}
        for sample in webdataset.WebDataset(str(path), shardshuffle=False)
    ]
    reader = sheaf.Reader(
        str(path),
        streams=["jpg:dense", "cls:dense", "x_jpg:dense"],
        missing_streams="allow",
        unit="sequences",
        minibatch_size=1,
        packing="ragged",
    )
    found = []
    for minibatch in reader:
        sample = {"__key__": minibatch.key_texts[0]}
        labels = minibatch["cls"].values.ravel().tolist()
        if labels:
            sample["cls"] = str(labels[0]).encode()
        for name, suffix in (("jpg", "jpg"), ("x_jpg", "x.jpg")):
            samples = images_of(minibatch, name)[0]
            if samples:
                sample[suffix] = samples[0]
        found.append(sample)
    local = ("__local_path__",)
    assert found == [{k: v for k, v in sample.items() if k not in local} for sample in expected]
