"""Mel features of audio equal those of kaldi-native-fbank, in readers, frames and specs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sheaf

RATE = 16_000


def make_speech(seconds: float, seed: int) -> np.ndarray:
    """Make voiced sounds with three formants, pauses and noise, in the range of 16 bits."""
    random = np.random.default_rng(seed)
    times = np.arange(int(seconds * RATE)) / RATE
    pitch = 120 + 30 * np.sin(2 * np.pi * 1.3 * times + seed)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    sound = np.zeros_like(times)
    for harmonic in range(1, 50):
        frequency = harmonic * pitch
        gain = sum(np.exp(-(((frequency - f) / 150) ** 2)) for f in (500, 1500, 2500)) + 0.01
        sound += gain * np.cos(harmonic * phase) * (frequency < RATE / 2)
    voiced = np.clip(np.sin(2 * np.pi * 2 * times) + 0.4, 0, 1)
    return np.round(4000 * sound * voiced + random.normal(scale=200, size=len(times)))


@pytest.fixture(scope="module")
def audio():
    return {key: make_speech(0.4 + 0.15 * key, key) for key in range(4)}


@pytest.fixture(scope="module")
def path(audio, tmp_path_factory):
    path = tmp_path_factory.mktemp("audio") / "audio.ctf"
    path.write_text("".join(f"{key} |x {v:g}\n" for key, samples in audio.items() for v in samples))
    return path


def features_of(path, transform, **options):
    """Return the features of each sequence."""
    options = {"order": "file", "batch_size": 1, "packing": "ragged"} | options
    reader = sheaf.Reader(path, ["x:dense:1"], transforms=[transform], **options)
    return [minibatch.x.values for minibatch in reader]


CASES = [
    ("fbank:x", {}),
    ("fbank:x:num_mel_bins=80", {"mel_opts.num_bins": 80}),
    (
        "fbank:x:num_mel_bins=80,snip_edges=false,high_freq=-400",
        {
            "mel_opts.num_bins": 80,
            "frame_opts.snip_edges": False,
            "mel_opts.high_freq": -400,
        },
    ),
    (
        "fbank:x:use_energy=true,raw_energy=false,htk_compat=true,window=blackman",
        {
            "use_energy": True,
            "raw_energy": False,
            "htk_compat": True,
            "frame_opts.window_type": "blackman",
        },
    ),
    (
        "fbank:x:use_power=false,remove_dc_offset=false,window=hamming",
        {
            "use_power": False,
            "frame_opts.remove_dc_offset": False,
            "frame_opts.window_type": "hamming",
        },
    ),
    (
        "fbank:x:round_to_power_of_two=false,preemphasis=0,window=hanning",
        {
            "frame_opts.round_to_power_of_two": False,
            "frame_opts.preemph_coeff": 0.0,
            "frame_opts.window_type": "hanning",
        },
    ),
    ("mfcc:x", {}),
    (
        "mfcc:x:use_energy=false,num_ceps=20,cepstral_lifter=0",
        {"use_energy": False, "num_ceps": 20, "cepstral_lifter": 0},
    ),
    ("mfcc:x:use_energy=false,htk_compat=true", {"use_energy": False, "htk_compat": True}),
]


def kaldi_features(samples, transform, settings):
    """Return the features of kaldi-native-fbank for samples."""
    knf = pytest.importorskip("kaldi_native_fbank", reason="needs kaldi-native-fbank")
    is_fbank = transform.startswith("fbank")
    options = knf.FbankOptions() if is_fbank else knf.MfccOptions()
    options.frame_opts.dither = 0
    for name, value in settings.items():
        *groups, last = name.split(".")
        target = options
        for group in groups:
            target = getattr(target, group)
        setattr(target, last, value)
    maker = (knf.OnlineFbank if is_fbank else knf.OnlineMfcc)(options)
    maker.accept_waveform(RATE, samples.tolist())
    maker.input_finished()
    return np.array([maker.get_frame(i) for i in range(maker.num_frames_ready)])


@pytest.mark.parametrize(("transform", "settings"), CASES, ids=[case[0] for case in CASES])
def test_features_match_kaldi(path, audio, transform, settings):
    for found, samples in zip(features_of(path, transform), audio.values(), strict=True):
        expected = kaldi_features(samples, transform, settings)
        assert found.shape == expected.shape
        assert np.abs(found - expected).max() < 1e-3


@pytest.mark.parametrize("transform", ["fbank:x:snip_edges=false", "mfcc:x:dither=1"])
def test_frames_match_whole_sequences(path, transform):
    whole = np.concatenate(features_of(path, transform, seed=3))
    options = {"batch_size": None, "minibatch_samples": 7, "split_frames": True, "seed": 3}
    frames = np.concatenate(features_of(path, transform, **options))
    assert (frames == whole).all()


def test_pieces_match_whole_sequences(path):
    transform = "fbank:x:snip_edges=false,dither=1"
    whole = np.concatenate(features_of(path, transform, seed=3))
    reader = sheaf.Reader(
        path,
        ["x:dense:1"],
        transforms=[transform],
        order="file",
        seed=3,
        minibatch_samples=8,
        truncation_length=8,
    )
    pieces = np.concatenate([minibatch.x.values[minibatch.x.mask] for minibatch in reader])
    assert (pieces == whole).all()


def test_dither_is_reproducible(path):
    first, again, other = (
        features_of(path, "fbank:x:dither=1", seed=seed, num_threads=threads)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert all((a != b).any() for a, b in zip(first, other, strict=True))


def test_minibatches_count_frames(path, audio):
    reader = sheaf.Reader(
        path, ["x:dense:1"], transforms=["fbank:x"], order="file", minibatch_samples=100
    )
    lengths = [1 + (len(samples) - 400) // 160 for samples in audio.values()]
    assert [m.x.lengths.tolist() for m in reader] == [lengths[:2], [lengths[2]], [lengths[3]]]


def test_a_spec_and_a_call_equal_the_text_form(path):
    spec = {
        "data": {
            "files": str(path),
            "streams": [{"name": "x", "storage": "dense", "shape": [1]}],
            "transforms": [{"type": "fbank", "streams": "x", "num_mel_bins": 40}],
        },
        "read": {"order": "file", "minibatch_size": 1, "unit": "sequences", "packing": "ragged"},
    }
    file = path.parent / "spec.json"
    file.write_text(json.dumps(spec))
    text = features_of(path, "fbank:x:num_mel_bins=40")
    call = features_of(path, sheaf.transform("fbank", "x", num_mel_bins=40))
    from_spec = [minibatch.x.values for minibatch in sheaf.Reader(spec=file)]
    for a, b, c in zip(text, call, from_spec, strict=True):
        assert (a == b).all()
        assert (a == c).all()


def test_a_sequence_too_short_for_a_frame_has_length_0(write_ctf):
    path = write_ctf("".join(f"7 |x {i}\n" for i in range(399)))
    reader = sheaf.Reader(path, ["x:dense:1"], transforms=["fbank:x"], batch_size=1)
    assert [minibatch.x.lengths.tolist() for minibatch in reader] == [[0]]


def test_several_channels_need_the_option_channel(write_ctf):
    path = write_ctf("".join(f"7 |x {i} {-i}\n" for i in range(500)))
    with pytest.raises(sheaf.ConfigError, match="2 channels: channel is needed, from 0 to 1"):
        sheaf.Reader(path, ["x:dense:2"], transforms=["fbank:x"], batch_size=1)
