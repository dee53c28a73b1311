"""Manifests of NeMo and cuts of lhotse, against the standard library's wave and NumPy."""

from __future__ import annotations

import gzip
import json
import math
import wave

import numpy as np
import pytest

import sheaf

RATE = 8000


def write_wav(path, count, channels=1, seed=0):
    values = np.random.default_rng(seed).integers(-(2**15), 2**15, (count, channels), np.int64)
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, RATE, 0, "NONE", ""))
        file.writeframes(values.astype("<i2").tobytes())
    return (values / 2**15).astype(np.float32)


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return path


def text_of(sequence, name="text"):
    (sample,) = sequence[name].samples(0)
    return bytes(sample).decode()


def samples_of(sequence, name="audio"):
    return np.array(sequence[name].values).reshape(-1, sequence[name].values.shape[-1])


def test_utterances_are_parts_of_recordings(tmp_path):
    random = np.random.default_rng(1)
    recordings = [write_wav(tmp_path / f"r{i}.wav", 4000 + i, seed=i) for i in range(5)]
    lines, expected = [], []
    for i in range(60):
        recording = recordings[i % 5]
        offset = round(float(random.uniform(0, 0.3)), 4)
        duration = round(float(random.uniform(0.01, 0.19)), 4)
        lines.append(
            {
                "audio_filepath": f"r{i % 5}.wav",
                "offset": offset,
                "duration": duration,
                "text": f"gr\u00fcn {i}",
            }
        )
        begin = math.floor(offset * RATE + 0.5)
        expected.append(recording[begin : math.floor((offset + duration) * RATE + 0.5)])
    path = write_lines(tmp_path / "train.jsonl", lines)
    with sheaf.open(path) as data:
        assert data.keys == [f"r{i % 5}.wav@{line['offset']}" for i, line in enumerate(lines)]
        for line, values, sequence in zip(lines, expected, data, strict=True):
            np.testing.assert_array_equal(samples_of(sequence), values)
            assert text_of(sequence) == line["text"]


def test_whole_recordings_have_their_paths_as_keys(tmp_path):
    values = write_wav(tmp_path / "a.wav", 100, channels=2)
    lines = [{"audio_filepath": str(tmp_path / "a.wav"), "duration": 0.0125}]
    with sheaf.open(write_lines(tmp_path / "m.json", lines)) as data:
        assert data.keys == [str(tmp_path / "a.wav")]
        assert list(data.streams) == ["audio"]
        (sequence,) = data
        np.testing.assert_array_equal(samples_of(sequence), values)


def test_reading_only_texts_opens_no_recording(tmp_path):
    lines = [
        {"audio_filepath": f"none{i}.wav", "duration": 1, "text": f"t{i}", "lang": i}
        for i in range(300)
    ]
    path = write_lines(tmp_path / "m.jsonl", lines)
    with sheaf.open(path, {"text": sheaf.Stream(), "lang": sheaf.Stream()}) as data:
        assert [text_of(each) for each in data] == [f"t{i}" for i in range(300)]
        assert [text_of(each, "lang") for each in data] == [str(i) for i in range(300)]
    with gzip.open(tmp_path / "m.jsonl.gz", "wb") as file:
        file.write(path.read_bytes())
    with sheaf.open(tmp_path / "m.jsonl.gz", {"text": sheaf.Stream()}) as data:
        assert [text_of(each) for each in data] == [f"t{i}" for i in range(300)]


def test_fields_become_streams_and_keys(tmp_path):
    write_wav(tmp_path / "a.wav", 100)
    lines = [
        {"audio_filepath": "a.wav", "duration": 0.01, "id": f"u{i}", "speaker": "s", "text": "x"}
        for i in range(3)
    ]
    path = write_lines(tmp_path / "m.jsonl", lines)
    options = {"manifest.keys": "id", "manifest.fields": "speaker"}
    with sheaf.open(path, format_options=options) as data:
        assert data.keys == ["u0", "u1", "u2"]
        assert list(data.streams) == ["audio", "text", "speaker"]
        assert [text_of(each, "speaker") for each in data] == ["s", "s", "s"]


def test_bad_lines_are_left_out(tmp_path):
    write_wav(tmp_path / "a.wav", 8000)
    path = write_lines(
        tmp_path / "m.jsonl",
        [
            {"audio_filepath": "a.wav", "duration": 1},
            {"audio_filepath": "none.wav", "duration": 1},
            {"audio_filepath": "a.wav", "duration": 1.6, "offset": 0.1},
            {"audio_filepath": "a.wav", "offset": 0.5, "duration": 1.0},
        ],
    )
    with path.open("a") as file:
        file.write("{no json\n")
    with pytest.raises(sheaf.DataError, match=r"m.jsonl:2:20: .*none.wav"):
        list(sheaf.Reader(path, keys="text", minibatch_size=1, unit="sequences"))
    report = sheaf.check(path)
    assert not report.ok
    reader = sheaf.Reader(path, keys="text", minibatch_size=1, unit="sequences", max_errors=9)
    keys = [key for minibatch in reader for key in minibatch.key_texts]
    assert keys == ["a.wav", "a.wav@0.5"]
    assert sorted(each.code for each in reader.diagnostics) == [
        "manifest-json",
        "manifest-missing-file",
        "manifest-range",
    ]


def test_another_number_of_threads_reads_the_same(tmp_path):
    write_wav(tmp_path / "a.wav", 8000)
    lines = [
        {"audio_filepath": "a.wav", "offset": i / 500, "duration": 0.01 + i / 10000, "text": str(i)}
        for i in range(200)
    ]
    path = write_lines(tmp_path / "m.jsonl", lines)

    def read(threads):
        reader = sheaf.Reader(
            path,
            keys="text",
            minibatch_size=7,
            unit="sequences",
            order="keyed",
            seed=3,
            packing="padded",
            num_threads=threads,
        )
        return [(each.key_texts, each["audio"].values.tobytes()) for each in reader]

    assert read(1) == read(4)


def cut(i, start, duration, **more):
    supervisions = [{"id": f"s{i}", "text": f"a{i}"}, {"id": f"t{i}", "text": "b"}]
    return {
        "id": f"cut-{i}",
        "start": start,
        "duration": duration,
        "channel": 0,
        "supervisions": supervisions,
        "type": "MonoCut",
        **more,
    }


def test_cuts_of_recordings_are_read(tmp_path):
    values = write_wav(tmp_path / "a.wav", 8000, channels=2)
    source = {"type": "file", "channels": [0, 1], "source": str(tmp_path / "a.wav")}
    recording = {"id": "a", "sources": [source], "sampling_rate": RATE, "num_samples": 8000}
    cuts = [
        cut(i, i / 100, 0.25, recording={**recording, "duration": 1.0}, channel=i % 2)
        for i in range(20)
    ]
    with gzip.open(tmp_path / "cuts.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(each) + "\n" for each in cuts)
    with sheaf.open(tmp_path / "cuts.jsonl.gz") as data:
        assert data.keys == [f"cut-{i}" for i in range(20)]
        assert data.streams["audio"].dim == 1
        for i, sequence in enumerate(data):
            begin = round(i / 100 * RATE)
            expected = values[begin : begin + RATE // 4, i % 2 : i % 2 + 1]
            np.testing.assert_array_equal(samples_of(sequence), expected)
            assert text_of(sequence) == f"a{i} b"


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4", "<f8"])
def test_cuts_of_features_are_read(tmp_path, dtype):
    (tmp_path / "feats").mkdir()
    cuts, expected = [], []
    for i in range(10):
        array = np.random.default_rng(i).normal(size=(100, 8)).astype(dtype)
        np.save(tmp_path / "feats" / f"f{i}.npy", array)
        features = {
            "type": "fbank",
            "num_frames": 100,
            "num_features": 8,
            "frame_shift": 0.01,
            "sampling_rate": 16000,
            "start": 2.0,
            "duration": 1.0,
            "storage_type": "numpy_files",
            "storage_path": str(tmp_path / "feats"),
            "storage_key": f"f{i}.npy",
        }
        cuts.append(cut(i, 2 + i / 20, 0.3, features=features))
        expected.append(array[5 * i : 5 * i + 30].astype(np.float32))
    with sheaf.open(write_lines(tmp_path / "cuts.jsonl", cuts)) as data:
        assert list(data.streams) == ["features", "text"]
        for values, sequence in zip(expected, data, strict=True):
            np.testing.assert_array_equal(samples_of(sequence, "features"), values)


@pytest.mark.parametrize("compression", ["none", "auto", "two_byte", "one_byte"])
def test_cuts_of_matrices_of_kaldi_are_read(tmp_path, compression):
    counts = np.array([40 + i for i in range(8)])
    values = np.random.default_rng(5).normal(size=(counts.sum(), 6)).astype(np.float32)
    options = {"kaldi.compression": compression}
    keys = [f"u{i}" for i in range(8)]
    scp = tmp_path / "feats.scp"
    with sheaf.Writer(scp, ["feats:dense:6"], format="kaldi", format_options=options) as writer:
        writer.write_batch(keys, {"feats": (values, counts)})
    with sheaf.open(scp, format="kaldi") as data:
        expected = [samples_of(each, "feats") for each in data]
    cuts = []
    for i, line in enumerate(scp.read_text().splitlines()):
        path = line.split(None, 1)[1]
        features = {"storage_type": "kaldiio", "storage_path": path, "storage_key": keys[i]}
        features |= {"frame_shift": 0.01, "sampling_rate": 16000, "start": 0}
        cuts.append(cut(i, i / 100, 0.3, features=features))
    with sheaf.open(write_lines(tmp_path / "cuts.jsonl", cuts)) as data:
        for i, sequence in enumerate(data):
            np.testing.assert_array_equal(samples_of(sequence, "features"), expected[i][i : i + 30])


def test_commands_and_urls_of_lhotse_are_refused(tmp_path):
    write_wav(tmp_path / "a.wav", 100)
    recording = {"id": "a", "sampling_rate": RATE}
    lines = []
    for i, kind in enumerate(["file", "command", "url", "memory"]):
        source = {"type": kind, "channels": [0], "source": "a.wav"}
        lines.append(cut(i, 0, 0.01, recording={**recording, "sources": [source]}))
    path = write_lines(tmp_path / "cuts.jsonl", lines)
    reader = sheaf.Reader(path, keys="text", minibatch_size=1, unit="sequences", max_errors=9)
    assert [key for minibatch in reader for key in minibatch.key_texts] == ["cut-0"]
    assert {each.code for each in reader.diagnostics} == {"manifest-source"}
