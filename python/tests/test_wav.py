"""Recordings: files that the standard library writes are read value for value."""

from __future__ import annotations

import gzip
import os
import tarfile
import wave

import numpy as np
import pytest

import sheaf
from sheaf import _sheaf

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
def test_every_value_is_divided_by_the_full_scale(tmp_path, width, channels):
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


def test_labels_join_recordings_by_file_name(tmp_path):
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


def test_files_of_other_rates_or_channels_are_left_out_and_reported(tmp_path):
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


def test_a_changed_file_is_an_error(tmp_path):
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


@pytest.fixture
def soundfile():
    return pytest.importorskip("soundfile", reason="pip install soundfile")


@pytest.fixture
def no_library():
    sheaf.set_sound_library("/nowhere/libsndfile.so.1")
    yield
    sheaf.set_sound_library(None)


def flac_with_length(path, count):
    """Return a copy of a FLAC file whose header gives `count` samples, in 36 bits."""
    head = bytearray(path.read_bytes())
    fields = int.from_bytes(head[18:26], "big") >> 36 << 36
    head[18:26] = (fields | count).to_bytes(8, "big")
    copy = path.with_name(f"{path.stem}-{count}.flac")
    copy.write_bytes(head)
    return copy


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("scale", ["unit", "int16"])
def test_lossless_recordings_equal_wav_files_bit_for_bit(tmp_path, soundfile, channels, scale):
    values = samples_of(2, 50_001, channels)
    write_wav(tmp_path / "a.wav", values)
    numbers = values.astype(np.int16)
    soundfile.write(tmp_path / "b.flac", numbers, 16000)
    soundfile.write(tmp_path / "c.sph", numbers, 16000, format="NIST", subtype="PCM_16")
    soundfile.write(tmp_path / "d.flac", numbers, 16000, subtype="PCM_24")
    paths = [tmp_path / name for name in ("a.wav", "b.flac", "c.sph", "d.flac")]
    with sheaf.open(paths, format_options={"wav.scale": scale}) as data:
        assert data.keys == ["a", "b", "c", "d"]
        found = recordings(data)
    assert found["a"].shape == (50_001, channels)
    for key in "bcd":
        assert found[key].tobytes() == found["a"].tobytes(), key


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.ogg", {"format": "OGG", "subtype": "VORBIS"}),
        ("a.opus", {"format": "OGG", "subtype": "OPUS"}),
        ("a.mp3", {"format": "MP3"}),
    ],
)
def test_lossy_recordings_keep_their_lengths_and_are_close(tmp_path, soundfile, name, kind):
    tone = np.sin(np.arange(30_000) / 5).astype(np.float32) / 2  # 509 Hz
    soundfile.write(tmp_path / name, tone, 16000, **kind)
    with sheaf.open(tmp_path / name) as data:
        found = recordings(data)["a"].reshape(-1)
    assert len(found) == 30_000
    assert np.abs(found - tone)[400:-400].max() < 0.05
    # The decoder is the same, so the values are. (soundfile.read() seeks first: other last bits.)
    with soundfile.SoundFile(tmp_path / name) as file:
        np.testing.assert_array_equal(found, file.read(dtype="float32"))


def test_wav_flac_and_archives_may_be_read_together(tmp_path, soundfile):
    values = samples_of(2, 1600)
    write_wav(tmp_path / "a.wav", values)
    soundfile.write(tmp_path / "b.flac", values.astype(np.int16), 16000)
    (tmp_path / "c.flac.gz").write_bytes(gzip.compress((tmp_path / "b.flac").read_bytes()))
    with tarfile.open(tmp_path / "d.tar", "w") as archive:
        archive.add(tmp_path / "b.flac", "d.flac")
    paths = [tmp_path / "a.wav", tmp_path / "b.flac", tmp_path / "c.flac.gz"]
    reader = sheaf.Reader(
        [*paths, tmp_path / "d.tar" / "d.flac"],
        keys="text",
        minibatch_size=200,
        unit="cost",
        packing="padded",
        order="file",
    )
    (first, second) = list(reader)
    assert [*first.key_texts, *second.key_texts] == ["a", "b", "c", "d"]
    for minibatch in (first, second):  # of 100 ms each
        for each in np.asarray(minibatch["audio"].values):
            np.testing.assert_array_equal(each * 32768, values)


def test_wrong_recordings_are_left_out_and_reported(tmp_path, soundfile):
    good = tmp_path / "good.flac"
    soundfile.write(good, samples_of(2, 20_000).astype(np.int16), 16000)
    long = flac_with_length(good, 20_001)
    unknown = flac_with_length(good, 0)
    impossible = flac_with_length(good, 2**36 - 1)
    cut = tmp_path / "cut.flac"
    cut.write_bytes(good.read_bytes()[:30_000])
    soundfile.write(tmp_path / "tone.mp3", np.zeros(5000), 16000, format="MP3")
    junk = tmp_path / "junk.mp3"
    junk.write_bytes(b"no MP3 " * 100 + (tmp_path / "tone.mp3").read_bytes())
    paths = [good, long, unknown, impossible, cut, junk]
    reader = sheaf.Reader(
        paths, batch_size=1, unit="sequences", packing="ragged", order="file", max_errors=5
    )
    assert [key for each in reader for key in each.key_texts] == ["good"]
    codes = {os.path.basename(each.path): each.code for each in reader.diagnostics}
    assert codes == {
        "good-20001.flac": "sound-cut",
        "good-0.flac": "sound-length",
        f"good-{2**36 - 1}.flac": "sound-length",
        "cut.flac": "sound-data",
        "junk.mp3": "sound-header",
    }


def test_a_missing_library_is_an_error_that_names_the_file(tmp_path, no_library):
    write_wav(tmp_path / "a.wav", samples_of(2, 5))
    (tmp_path / "b.flac").write_bytes(b"fLaC\0\0\0\x22" + bytes(34))
    with pytest.raises(
        sheaf.ConfigError,
        match=r"b\.flac: a recording in FLAC needs the library libsndfile, .*/nowhere/.*: "
        "apt install libsndfile1, or pip install soundfile",
    ):
        sheaf.open(tmp_path / "*")
    with sheaf.open(tmp_path / "a.wav") as data:  # WAV files do not need the library
        assert data.keys == ["a"]


def test_the_library_of_soundfile_is_used(soundfile):
    sheaf.set_sound_library(None)
    assert "_soundfile_data" in _sheaf.sound_library()
