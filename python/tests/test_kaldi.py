"""Kaldi archives and lists, from bytes that this file writes."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import sheaf


def matrix(values: np.ndarray) -> bytes:
    rows, cols = values.shape
    head = b"\0BFM \4" + struct.pack("<i", rows) + b"\4" + struct.pack("<i", cols)
    return head + values.astype("<f4").tobytes()


def integers(values: list[int]) -> bytes:
    body = b"".join(b"\4" + struct.pack("<i", value) for value in values)
    return b"\0B\4" + struct.pack("<i", len(values)) + body


def posterior(frames: list[list[tuple[int, float]]]) -> bytes:
    data = b"\0B\4" + struct.pack("<i", len(frames))
    for frame in frames:
        data += b"\4" + struct.pack("<i", len(frame))
        for index, weight in frame:
            data += b"\4" + struct.pack("<i", index) + b"\4" + struct.pack("<f", weight)
    return data


@pytest.fixture
def features() -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    return {f"utt{n:02}": random.standard_normal((n % 5 + 1, 4)).astype("f4") for n in range(23)}


@pytest.fixture
def folder(tmp_path: Path, features: dict[str, np.ndarray]) -> Path:
    """A folder with features in two archives and a list, and alignments, compressed."""
    lines = []
    for part in range(2):
        archive = b""
        for key in list(features)[part::2]:
            archive += key.encode() + b" "
            lines.append(f"{key} feats.{part}.ark:{len(archive)}\n")
            archive += matrix(features[key])
        (tmp_path / f"feats.{part}.ark").write_bytes(archive)
    (tmp_path / "feats.scp").write_text("".join(sorted(lines)))
    alignments = b"".join(
        key.encode() + b" " + integers([len(key) * t for t in range(len(values))])
        for key, values in features.items()
    )
    (tmp_path / "ali.ark.gz").write_bytes(gzip.compress(alignments))
    return tmp_path


def rows_of(reader: sheaf.Reader, name: str) -> dict[str, np.ndarray]:
    found = {}
    for minibatch in reader:
        batch = minibatch[name]
        for n, key in enumerate(minibatch.key_texts):
            found[key] = np.array(batch.values[n, : batch.lengths[n]])
    return found


@pytest.mark.parametrize("files", ["feats.scp", "feats.*.ark"])
@pytest.mark.parametrize("order", ["file", "keyed"])
def test_lists_and_archives_have_the_same_values(
    folder: Path, features: dict[str, np.ndarray], files: str, order: str
) -> None:
    reader = sheaf.Reader(str(folder / files), minibatch_size=7, order=order, packing="padded")
    found = rows_of(reader, "feats")
    assert found.keys() == features.keys()
    for key, values in features.items():
        np.testing.assert_array_equal(found[key], values)


def test_alignments_are_joined_by_key(folder: Path, features: dict[str, np.ndarray]) -> None:
    reader = sheaf.Reader(
        str(folder / "feats.scp"),
        ["feats:dense:4"],
        join={str(folder / "ali.ark.gz"): ["ali:dense:1:dtype=int32"]},
        minibatch_size=5,
        packing="padded",
    )
    count = 0
    for minibatch in reader:
        for n, key in enumerate(minibatch.key_texts):
            length = len(features[key])
            assert minibatch["feats"].lengths[n] == length
            expected = [[len(key) * t] for t in range(length)]
            assert minibatch["ali"].values[n, :length].tolist() == expected
            count += 1
    assert count == len(features)


def test_posteriors_are_sparse(tmp_path: Path) -> None:
    (tmp_path / "post.ark").write_bytes(
        b"a " + posterior([[(3, 0.5), (1, 0.25)], []]) + b"b " + posterior([[(4, 1.0)]])
    )
    reader = sheaf.Reader(
        str(tmp_path / "post.ark"),
        ["post:sparse:5"],
        format_options={"kaldi.as": "posteriors"},
        minibatch_size=10,
        packing="padded",
    )
    (minibatch,) = list(reader)
    posteriors = minibatch["post"]
    assert [
        [(indices.tolist(), values.tolist()) for indices, values in posteriors.samples(n)]
        for n in range(2)
    ] == [[([1, 3], [0.25, 0.5]), ([], [])], [([4], [1.0])]]


def test_commands_are_never_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    (tmp_path / "x.scp").write_text(f"a touch {witness} |\n")
    with pytest.raises(sheaf.DataError, match="starts no other command"):
        sheaf.Reader(str(tmp_path / "x.scp"), format="kaldi")
    assert not witness.exists()


def test_a_run_resumes(folder: Path) -> None:
    def reader() -> sheaf.Reader:
        return sheaf.Reader(
            str(folder / "feats.scp"), minibatch_size=4, order="keyed", seed=5, packing="padded"
        )

    whole = [list(minibatch.key_texts) for minibatch in reader()]
    first = reader()
    keys = []
    for minibatch in first:
        keys.append(list(minibatch.key_texts))
        if len(keys) == 3:
            state = first.state_dict()
            break
    second = reader()
    second.load_state_dict(state)
    keys += [list(minibatch.key_texts) for minibatch in second]
    assert keys == whole


def write_cntk(folder: Path, features: str, labels: str, settings: str = "") -> Path:
    (folder / "x.rx").write_text(f"{features}\n")
    (folder / "y.rx").write_text(f"{labels}\n")
    config = folder / "a.cntk"
    config.write_text(
        f"reader=[readerType=Kaldi2Reader\nreadMethod=none\n{settings}\n"
        f'x=[dim=12\nscpFile="x.counts"\nrx="{folder}/x.rx"\nfeatureTransform=$transform$]\n'
        f'y=[mlfFile="{folder}/y.rx"\nlabelDim=7\nlabelMappingFile="states"\n'
        "labelType=category]]\n"
    )
    return config


def test_a_configuration_of_cntk_joins_features_and_posteriors(
    folder: Path, features: dict[str, np.ndarray]
) -> None:
    labels = {key: [(len(key) + t) % 7 for t in range(len(v))] for key, v in features.items()}
    data = b"".join(
        key.encode() + b" " + posterior([[(label, 1.0)] for label in labels[key]])
        for key in features
    )
    (folder / "post.gz").write_bytes(gzip.compress(data))
    (folder / "all.scp").write_text(
        "".join(
            f"{line.split()[0]} {folder}/{line.split()[1]}\n"
            for line in (folder / "feats.scp").read_text().splitlines()
        )
    )
    whole = write_cntk(
        folder, f"scp:{folder}/all.scp", f"ark,s,cs:gunzip -c {folder}/post.gz |", "frameMode=false"
    )
    settings = ["transform=NO_FEATURE_TRANSFORM"]
    seen = set()
    for minibatch in sheaf.Reader(config=whole, settings=settings, packing="padded"):
        for n, key in enumerate(minibatch.key_texts):
            length = minibatch["x"].lengths[n]
            found = minibatch["x"].values[n, :length]  # one frame before, one behind
            np.testing.assert_array_equal(found[:, 4:8], features[key])
            classes = [int(indices[0]) for indices, _ in minibatch["y"].samples(n)]
            assert classes == labels[key]
            seen.add(key)
    assert seen == features.keys()

    frames = write_cntk(folder, f"scp:{folder}/all.scp", f"ark:zcat {folder}/post.gz|")
    count = 0
    for minibatch in sheaf.Reader(config=frames, settings=settings, minibatch_size=8):
        assert minibatch["x"].values.shape[1:] == (12,)
        assert len(minibatch["y"].indices) == len(minibatch["x"].values)
        count += len(minibatch["x"].values)
    assert count == sum(map(len, features.values()))


def test_a_configuration_of_cntk_starts_no_program(folder: Path) -> None:
    config = write_cntk(folder, f"ark:touch {folder}/witness |", "ark:post")
    with pytest.raises(sheaf.ConfigError, match=r"touch .*witness"):
        sheaf.Reader(config=config, settings=["transform=NO_FEATURE_TRANSFORM"])
    assert not (folder / "witness").exists()
    (folder / "x.rx").write_text(f"scp:{folder}/feats.scp")
    with pytest.raises(sheaf.ConfigError, match=r'NO_FEATURE_TRANSFORM .*found "final.nnet"'):
        sheaf.Reader(config=config, settings=["transform=final.nnet"])
