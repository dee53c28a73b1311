"""Compressed files and entries of archives read like the original files."""

from __future__ import annotations

import gzip
import pathlib
import zipfile

import numpy as np
import pytest

import sheaf


def values_of(path: pathlib.Path | str) -> list[np.ndarray]:
    reader = sheaf.Reader(path, minibatch_samples=100, sweeps=1)
    return [np.asarray(minibatch["features"].values) for minibatch in reader]


def test_compressed_files_and_entries_give_the_same_values(
    digits: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    plain = digits / "train.ctf"
    compressed = tmp_path / "train.ctf.gz"
    compressed.write_bytes(gzip.compress(plain.read_bytes()))
    with zipfile.ZipFile(tmp_path / "data.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(plain, "train.ctf")
    expected = values_of(plain)
    for path in (compressed, tmp_path / "data.zip" / "train.ctf"):
        got = values_of(path)
        assert len(got) == len(expected)
        assert all(np.array_equal(a, b) for a, b in zip(got, expected, strict=True))


def test_a_cut_file_is_an_io_error(digits: pathlib.Path, tmp_path: pathlib.Path) -> None:
    whole = gzip.compress((digits / "train.ctf").read_bytes())
    cut = tmp_path / "train.ctf.gz"
    cut.write_bytes(whole[:-1])
    with pytest.raises(OSError, match="damaged at compressed byte"):
        sheaf.Reader(cut, minibatch_samples=100)
