"""Recordings in Kaldi archives and lists, and segments of them."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

import numpy as np
import pytest

import sheaf

RATE = 8000


def riff(samples: np.ndarray) -> bytes:
    """Return a RIFF file of 16 bits, as the standard library writes it."""
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    bytes_ = io.BytesIO()
    with wave.open(bytes_, "wb") as file:
        file.setparams((channels, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return bytes_.getvalue()


@pytest.fixture
def recordings() -> dict[str, np.ndarray]:
    random = np.random.default_rng(4)
    return {f"rec{n}": random.integers(-32768, 32768, 4000 + 777 * n) for n in range(7)}


@pytest.fixture
def folder(tmp_path: Path, recordings: dict[str, np.ndarray]) -> Path:
    """A folder with an archive of recordings, a list of it, and segments."""
    archive = b""
    lines = []
    for n, (key, samples) in enumerate(recordings.items()):
        archive += key.encode() + b" "
        lines.append(f"{key} wav.ark:{len(archive)}\n")
        image = riff(samples)
        is_image = n % 2 == 1
        archive += b"AUDIO\4" + struct.pack("<I", len(image)) + image if is_image else image
    (tmp_path / "wav.ark").write_bytes(archive)
    (tmp_path / "wav.scp").write_text("".join(lines))
    return tmp_path


def values_of(path: Path, **options: object) -> dict[str, np.ndarray]:
    reader = sheaf.Reader(str(path), minibatch_size=1, packing="padded", **options)
    found = {}
    for minibatch in reader:
        batch = minibatch["wav"]
        for n, key in enumerate(minibatch.key_texts):
            found[key] = np.array(batch.values[n, : batch.lengths[n]])
    return found


@pytest.mark.parametrize("name", ["wav.ark", "wav.scp"])
@pytest.mark.parametrize("scale", ["unit", "int16"])
def test_values_match_the_recordings(
    folder: Path, recordings: dict[str, np.ndarray], name: str, scale: str
) -> None:
    found = values_of(folder / name, format_options={"kaldi.scale": scale})
    assert list(found) == list(recordings)
    for key, samples in recordings.items():
        expected = samples[:, None].astype("f4") / (32768 if scale == "unit" else 1)
        np.testing.assert_array_equal(found[key], expected)


@pytest.mark.parametrize("name", ["wav.ark", "wav.scp"])
@pytest.mark.parametrize("order", ["file", "keyed"])
def test_segments_are_parts_of_recordings(
    folder: Path, recordings: dict[str, np.ndarray], name: str, order: str
) -> None:
    random = np.random.default_rng(5)
    lines = []
    expected = {}
    for n in range(200):
        key = f"rec{random.integers(7)}"
        length = len(recordings[key]) / RATE
        start = random.uniform(0, length - 0.2)
        end = random.uniform(start + 0.11, length + 0.4)
        lines.append(f"utt{n} {key} {start:.5f} {end:.5f}\n")
        begin, behind = (int(float(f"{time:.5f}") * RATE + 0.5) for time in (start, end))
        expected[f"utt{n}"] = recordings[key][begin:behind]
    (folder / "segments").write_text("".join(lines))
    options = {"kaldi.segments": str(folder / "segments"), "kaldi.scale": "int16"}
    found = values_of(folder / name, order=order, format_options=options)
    assert found.keys() == expected.keys()
    for key, samples in expected.items():
        np.testing.assert_array_equal(found[key][:, 0], samples)


def test_segments_that_kaldi_skips_are_left_out_and_reported(folder: Path) -> None:
    (folder / "segments").write_text(
        "a rec0 0 0.2\nb rec0 0.3 0.2\nc none 0 1\nd rec0 0 0.05\ne rec0 0.4 9\nf rec0 9 10\n"
    )
    options = {"kaldi.segments": str(folder / "segments")}
    reader = sheaf.Reader(
        str(folder / "wav.scp"), batch_size=9, max_errors=9, format_options=options
    )
    keys = [key for minibatch in reader for key in minibatch.key_texts]
    assert keys == ["a"]
    found = {each.sequence_key: (each.line, each.code) for each in reader.diagnostics}
    assert found == {
        "b": (2, "kaldi-segment-time"),
        "c": (3, "kaldi-segment-recording"),
        "d": (4, "kaldi-segment-short"),
        "e": (5, "kaldi-segment-end"),
        "f": (6, "kaldi-segment-start"),
    }


def test_features_are_made_of_segments(folder: Path) -> None:
    (folder / "segments").write_text("a rec0 0 0.2\nb rec1 0.1 0.4\n")
    reader = sheaf.Reader(
        str(folder / "wav.scp"),
        batch_size=9,
        packing="padded",
        format_options={"kaldi.segments": str(folder / "segments"), "kaldi.scale": "int16"},
        transforms=["fbank:wav:sample_rate=8000,num_mel_bins=23"],
    )
    (minibatch,) = reader
    assert list(minibatch["wav"].lengths) == [18, 28]


def test_a_list_of_files_may_have_commands(folder: Path, recordings: dict[str, np.ndarray]) -> None:
    (folder / "a.wav").write_bytes(riff(recordings["rec0"]))
    (folder / "b.wav").write_bytes(riff(np.stack([recordings["rec1"]] * 2, axis=1)))
    (folder / "wav.scp").write_text(
        "a a.wav\nb cat a.wav |\nc sox a.wav -t wav - |\nd sox a.wav -r 4k -t wav - |\ne b.wav\n"
    )
    reader = sheaf.Reader(str(folder / "wav.scp"), batch_size=9, max_errors=9)
    keys = [key for minibatch in reader for key in minibatch.key_texts]
    assert keys == ["a", "b", "c"]
    command, channels = reader.diagnostics
    assert (command.code, command.line) == ("kaldi-command", 4)
    assert "sox a.wav -r 4k -t wav - |" in command.found
    assert channels.code == "kaldi-other-channels"


def test_recordings_match_kaldi(folder: Path, recordings: dict[str, np.ndarray]) -> None:
    kaldi = pytest.importorskip("kaldi_native_io")
    with kaldi.WaveWriter(f"ark,scp:{folder}/k.ark,{folder}/k.scp") as writer:
        for key, samples in recordings.items():
            writer.write(key, kaldi.WaveData(RATE, samples[None].astype("f4")))
    for name in ("k.ark", "k.scp"):
        options = {"kaldi.scale": "int16"}
        reader = sheaf.Reader(
            str(folder / name), minibatch_size=1, packing="padded", format_options=options
        )
        found = {m.key_texts[0]: np.array(m["k"].values[0]) for m in reader}
        prefix = "ark" if name.endswith("ark") else "scp"
        with kaldi.SequentialWaveReader(f"{prefix}:{folder}/{name}") as waves:
            for key, wave_data in waves:
                expected = np.array(wave_data.data, copy=False).T
                np.testing.assert_array_equal(found.pop(key), expected)
        assert not found


@pytest.mark.parametrize("has_segments", [False, True])
def test_commands_that_decode_give_the_values_of_the_recordings(
    folder: Path, recordings: dict[str, np.ndarray], has_segments: bool
) -> None:
    soundfile = pytest.importorskip("soundfile")
    stereo = np.stack([recordings["rec1"], -(recordings["rec1"] // 2)], axis=1).astype("i2")
    mono = recordings["rec0"].astype("i2")
    soundfile.write(folder / "a.flac", mono, RATE, subtype="PCM_16")
    soundfile.write(folder / "b.sph", stereo, RATE, subtype="PCM_16", format="NIST")
    (folder / "wav.scp").write_text(
        "a flac -c -d -s a.flac |\n"
        "b1 /tools/sph2pipe -f wav -p -c 1 b.sph |\n"
        "b2 sph2pipe -f wav -p -c 2 b.sph |\n"
        "c sox a.flac -t wav - |\n"
        "d a.flac\n"
    )
    expected = {"a": mono, "b1": stereo[:, 0], "b2": stereo[:, 1], "c": mono, "d": mono}
    options = {"kaldi.scale": "int16"}
    if has_segments:
        (folder / "segments").write_text("".join(f"{key} {key} 0.1 0.35\n" for key in expected))
        options["kaldi.segments"] = str(folder / "segments")
        expected = {key: values[800:2800] for key, values in expected.items()}
    found = values_of(folder / "wav.scp", format_options=options)
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_array_equal(found[key][:, 0], values)


def test_flac_inside_an_archive_needs_its_size(
    folder: Path, recordings: dict[str, np.ndarray]
) -> None:
    soundfile = pytest.importorskip("soundfile")
    file = io.BytesIO()
    mono = recordings["rec0"].astype("i2")
    soundfile.write(file, mono, RATE, subtype="PCM_16", format="FLAC")
    flac = file.getvalue()
    (folder / "wav.ark").write_bytes(b"a AUDIO\4" + struct.pack("<I", len(flac)) + flac)
    found = values_of(folder / "wav.ark", format_options={"kaldi.scale": "int16"})
    np.testing.assert_array_equal(found["a"][:, 0], mono)
    (folder / "wav.ark").write_bytes(b"a " + flac)
    with pytest.raises(sheaf.DataError, match="kaldi-flac"):
        sheaf.Reader(str(folder / "wav.ark"))


def test_a_missing_library_is_named(folder: Path) -> None:
    (folder / "a.flac").write_bytes(b"fLaC" + bytes(60))
    (folder / "wav.scp").write_text("a flac -c -d -s a.flac |\n")
    sheaf.set_sound_library(folder / "none.so")
    try:
        with pytest.raises(sheaf.ConfigError, match="libsndfile"):
            sheaf.Reader(str(folder / "wav.scp"))
    finally:
        sheaf.set_sound_library(None)
