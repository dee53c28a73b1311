"""Recordings: files that the standard library writes are read value for value."""

from __future__ import annotations

import gzip
import os
import tarfile
import wave

import numpy as np
import pytest

import sheaf

WIDTHS = [1, 2, 3, 4]  # bytes of a value


def samples_of(width, count, channels=1, seed=0):
    """Whole numbers of the full range, with both ends: [count, channels]."""
    half = 2 ** (8 * width - 1)
    values = np.random.default_rng(seed).integers(-half, half, (count, channels))
    values.flat[:2] = [-half, half - 1]
    return values


def bytes_of(values, width):
    if width == 1:
        values = values + 128
    words = np.asarray(values, "<i8").reshape(-1, 1).view("u1")
    return words[:, :width].tobytes()


def write_wav(path, values, width=2, rate=16000):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(values.shape[1])
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(bytes_of(values, width))
    return path


def recordings(data):
    """The values of each recording, by key."""
    (name,) = data.streams
    return {each.key_texts[0]: np.array(each[name].values) for each in data}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_every_value_is_the_number_by_its_full_scale(tmp_path, width, channels):
    values = samples_of(width, 1001, channels)
    path = write_wav(tmp_path / "a.wav", values, width)
    expected = values.astype(np.float32) / np.float32(2 ** (8 * width - 1))
    with sheaf.open(path) as data:
        assert data.streams["audio"].dim == channels
        found = recordings(data)["a"]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)
    with sheaf.open(path, format_options={"wav.scale": "int16"}) as data:
        found = recordings(data)["a"]
    np.testing.assert_array_equal(found.reshape(expected.shape), expected * np.float32(32768))


def test_a_recording_is_found_by_its_name(tmp_path):
    values = {f"r{i}": samples_of(2, 10 + i, seed=i) for i in range(20)}
    for name, each in values.items():
        write_wav(tmp_path / f"{name}.wav", each)
    with sheaf.open(tmp_path / "*.wav") as data:
        assert data.keys == sorted(values)
        assert {key: len(each) for key, each in recordings(data).items()} == {
            key: len(each) for key, each in values.items()
        }
    reader = sheaf.Reader(tmp_path / "*.wav", keys="text", packing="ragged", minibatch_size=64)
    found = np.asarray(reader.sequence("r7")["audio"].values).reshape(-1)
    np.testing.assert_array_equal(found[3:9] * 32768, values["r7"][3:9, 0])


def test_labels_join_by_the_names_of_the_files(tmp_path):
    lengths = {"b": 5, "a": 3, "c": 4}
    for name, length in lengths.items():
        write_wav(tmp_path / f"{name}.wav", samples_of(2, length))
    labels = tmp_path / "labels.ctf"
    labels.write_text("c |digit 3\na |digit 1\nb |digit 2\n")
    reader = sheaf.Reader(
        tmp_path / "*.wav",
        keys="text",
        join={labels: ["digit:dense:1"]},
        batch_size=2,
        unit="sequences",
        packing="padded",
    )
    found = {}
    for minibatch in reader:
        audio = minibatch["audio"]
        assert audio.values.shape[2] == 1
        digits = np.asarray(minibatch["digit"].values).reshape(-1)
        for key, length, digit in zip(minibatch.key_texts, audio.lengths, digits, strict=True):
            found[key] = (int(length), int(digit))
    assert found == {"a": (3, 1), "b": (5, 2), "c": (4, 3)}


def test_minibatches_count_milliseconds(tmp_path):
    for i in range(12):
        write_wav(tmp_path / f"r{i:02}.wav", samples_of(2, 16 * (i + 1)))  # i + 1 ms
    reader = sheaf.Reader(
        tmp_path / "*.wav", minibatch_size=10, unit="cost", packing="ragged", order="file"
    )
    costs = [sum(int(key[1:]) + 1 for key in each.key_texts) for each in reader]
    assert sum(costs) == 78
    assert max(costs) <= 12
    assert costs[0] == 10


def test_files_that_differ_are_left_out_and_told(tmp_path):
    write_wav(tmp_path / "a.wav", samples_of(2, 5))
    write_wav(tmp_path / "b.wav", samples_of(2, 5), rate=8000)
    write_wav(tmp_path / "c.wav", samples_of(2, 5, channels=2))
    (tmp_path / "d.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:-1])
    pattern = tmp_path / "*.wav"
    with pytest.raises(sheaf.DataError, match=r"b\.wav.*16000 \[wav-other-rate\]"):
        list(sheaf.Reader(pattern, batch_size=1, unit="sequences", packing="ragged", order="file"))
    reader = sheaf.Reader(
        pattern, batch_size=1, unit="sequences", packing="ragged", order="file", max_errors=3
    )
    assert [key for each in reader for key in each.key_texts] == ["a"]
    codes = sorted(each.code for each in reader.diagnostics)
    assert codes == ["wav-cut", "wav-other-channels", "wav-other-rate"]


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        write_wav(tmp_path / folder / "a.wav", samples_of(2, 5))
    with pytest.raises(sheaf.DataError, match=r"y/a\.wav.*the key of .*x/a\.wav"):
        sheaf.open(tmp_path / "*" / "*.wav")
    with sheaf.open(tmp_path / "*" / "*.wav", format_options={"wav.keys": "path"}) as data:
        assert data.keys == [str(tmp_path / folder / "a.wav") for folder in ("x", "y")]


def test_a_file_that_was_changed_is_an_error(tmp_path):
    path = write_wav(tmp_path / "a.wav", samples_of(2, 100))
    with sheaf.open(path) as data:
        write_wav(path, samples_of(2, 100, seed=1))
        os.utime(path, ns=(1, 1))
        with pytest.raises(sheaf.IoError, match=r"a\.wav: was changed after it was indexed"):
            recordings(data)


def test_entries_of_archives_and_compressed_files_are_read(tmp_path):
    values = samples_of(2, 100)
    path = write_wav(tmp_path / "a.wav", values)
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        archive.add(path, "clips/a.wav")
    (tmp_path / "b.wav.gz").write_bytes(gzip.compress(path.read_bytes()))
    names = [tmp_path / "all.tar" / "clips" / "a.wav", tmp_path / "b.wav.gz"]
    with sheaf.open(names) as data:
        found = recordings(data)
    assert sorted(found) == ["a", "b"]
    for each in found.values():
        np.testing.assert_array_equal(each.reshape(-1) * 32768, values[:, 0])


def test_other_recordings_are_told_to_be_decoded(tmp_path):
    path = tmp_path / "a.flac"
    path.write_bytes(b"fLaC\0\0\0\x22" + bytes(34))
    with pytest.raises(sheaf.ConfigError, match=r"a recording in FLAC: decode it first"):
        sheaf.open(path)
