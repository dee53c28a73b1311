"""Data folders of Kaldi, joined by ``sheaf.kaldi_dir``."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sheaf

DIM = 3
WORDS = {"<eps>": 0, "<unk>": 1, "one": 2, "two": 3, "caf\xe9": 4}
TEXTS = {
    "ann-1": "one two one",
    "ann-2": "",
    "bob-1": "caf\xe9",
    "bob-2": "two",
    "bob-3": "two one",
}


def text_matrix(values: np.ndarray) -> str:
    rows = "\n".join("  " + " ".join(f"{value:.17g}" for value in row) for row in values)
    return f" [\n{rows} ]\n"


def speaker_of(key: str) -> str:
    return key[:3]


def ali_of(key: str, length: int) -> list[int]:
    return [len(TEXTS[key]) + t for t in range(length)]


@pytest.fixture
def features() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    return {
        key: random.normal(2, 3, (4 + n, DIM)).astype("f4") for n, key in enumerate(sorted(TEXTS))
    }


def statistics(values: np.ndarray) -> np.ndarray:
    """Sums and a count, and sums of squares and 0, as compute-cmvn-stats does."""
    values = values.astype("f8")
    found = np.zeros((2, DIM + 1))
    found[0, :DIM], found[0, DIM], found[1, :DIM] = values.sum(0), len(values), (values**2).sum(0)
    return found


def of_speakers(features: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        speaker: statistics(
            np.concatenate([each for key, each in features.items() if speaker_of(key) == speaker])
        )
        for speaker in ("ann", "bob")
    }


@pytest.fixture
def folder(tmp_path: Path, features: dict[str, np.ndarray]) -> Path:
    """data/train, data/lang and exp/ali, the archive of features as text."""
    train = tmp_path / "data" / "train"
    train.mkdir(parents=True)
    archive = ""
    lines = []
    for key, values in features.items():
        archive += f"{key} "
        lines.append(f"{key} {train}/feats.ark:{len(archive.encode())}\n")
        archive += text_matrix(values)
    (train / "feats.ark").write_text(archive)
    (train / "feats.scp").write_text("".join(lines))
    (train / "text").write_text("".join(f"{key} {text}\n" for key, text in TEXTS.items()))
    (train / "utt2spk").write_text("".join(f"{key} {speaker_of(key)}\n" for key in TEXTS))
    (train / "cmvn.ark").write_text(
        "".join(f"{name} {text_matrix(each)}" for name, each in of_speakers(features).items())
    )
    lang = tmp_path / "data" / "lang"
    lang.mkdir()
    (lang / "words.txt").write_text("".join(f"{word} {id}\n" for word, id in WORDS.items()))
    ali = tmp_path / "exp" / "ali"
    ali.mkdir(parents=True)
    for part in (1, 2):
        text = "".join(
            f"{key} {' '.join(map(str, ali_of(key, len(features[key]))))} \n"
            for key in sorted(TEXTS)[part - 1 :: 2]
        )
        (ali / f"ali.{part}.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def read(source: Any, **options: Any) -> dict[str, dict[str, list[Any]]]:
    """The samples of each sequence: of numbers as lists, of bytes as bytes."""
    found: dict[str, dict[str, list[Any]]] = {}
    for minibatch in sheaf.Reader(source, batch_size=2, **options):
        for n, key in enumerate(minibatch.key_texts):
            found[key] = {}
            for name in minibatch:
                samples = minibatch[name].samples(n)
                if samples is not None:
                    found[key][name] = [
                        bytes(each) if isinstance(each, memoryview) else each.tolist()
                        for each in samples
                    ]
    return found


def test_features_transcripts_speakers_and_alignments(
    folder: Path, features: dict[str, np.ndarray]
) -> None:
    train = folder / "data" / "train"
    data = sheaf.kaldi_dir(train, ali=folder / "exp" / "ali" / "ali.*.gz")
    assert data.found == {
        "feats": str(train / "feats.scp"),
        "text": str(train / "text"),
        "spk": str(train / "utt2spk"),
        "ali": str(folder / "exp" / "ali" / "ali.*.gz"),
    }
    assert data.missing == ("wav.scp", "vad.scp")
    for options in ({}, {"order": "keyed", "seed": 3}):
        found = read(data, **options)
        assert found.keys() == TEXTS.keys()
        for key, values in features.items():
            assert found[key] == {
                "feats": values.tolist(),
                "text": [TEXTS[key].encode()],
                "spk": [speaker_of(key).encode()],
                "ali": [[each] for each in ali_of(key, len(values))],
            }


def test_words_become_ids_of_a_table(folder: Path) -> None:
    train, table = folder / "data" / "train", folder / "data" / "lang" / "words.txt"
    found = read(sheaf.kaldi_dir(train, ["feats", "text"], symbols=table))
    for key, text in TEXTS.items():
        assert found[key]["text"] == [[WORDS[word]] for word in text.split()]
    (train / "text").write_text("ann-1 one three\nbob-1 two\n")
    with pytest.raises(sheaf.DataError, match=r'text:1:11: .*found "three" \[kaldi-word\]'):
        read(sheaf.kaldi_dir(train, symbols=table))
    for unknown in ("<unk>", 1):
        data = sheaf.kaldi_dir(train, ["feats", "text"], symbols=table, unknown=unknown)
        assert {key: each["text"] for key, each in read(data).items()} == {
            "ann-1": [[2], [1]],
            "bob-1": [[3]],
        }


def test_a_changed_table_refuses_the_position(folder: Path) -> None:
    table = folder / "data" / "lang" / "words.txt"

    def reader() -> sheaf.Reader:
        return sheaf.Reader(sheaf.kaldi_dir(folder / "data" / "train", symbols=table), batch_size=2)

    first = reader()
    next(iter(first))
    state = first.state_dict()
    reader().load_state_dict(state)
    table.write_text(table.read_text().replace("<eps> 0", "<eps> 9"))
    with pytest.raises(sheaf.ConfigError, match="another run"):
        reader().load_state_dict(state)


@pytest.mark.parametrize("norm_vars", [False, True])
@pytest.mark.parametrize("cmvn", [True, "speaker", "utterance", "all"])
def test_cmvn_matches_kaldi(
    folder: Path, features: dict[str, np.ndarray], cmvn: bool | str, norm_vars: bool
) -> None:
    train = folder / "data" / "train"
    speakers = of_speakers(features)
    whole = statistics(np.concatenate(list(features.values())))
    if cmvn == "all":
        path = folder / "global"
        head = b"\0BDM \4" + struct.pack("<i", 2) + b"\4" + struct.pack("<i", DIM + 1)
        path.write_bytes(head + whole.tobytes())
        data = sheaf.kaldi_dir(train, cmvn=path, norm_vars=norm_vars)
    else:
        data = sheaf.kaldi_dir(train, cmvn=cmvn, norm_vars=norm_vars)
    found = read(data)
    assert found.keys() == features.keys()
    for key, values in features.items():
        sums = {"all": whole, "utterance": statistics(values)}.get(
            str(cmvn), speakers[speaker_of(key)]
        )
        mean = sums[0, :DIM] / sums[0, DIM]
        variance = np.maximum(sums[1, :DIM] / sums[0, DIM] - mean**2, 1e-20)
        expected = (values - mean) / (np.sqrt(variance) if norm_vars else 1)
        np.testing.assert_allclose(found[key]["feats"], expected, rtol=2e-6, atol=2e-6)


def test_cmvn_prefers_a_list_to_an_archive(folder: Path, features: dict[str, np.ndarray]) -> None:
    train = folder / "data" / "train"
    (train / "cmvn.ark").rename(train / "other.ark")
    offset = (train / "other.ark").read_bytes().index(b"\nbob ") + len(b"\nbob ")
    (train / "cmvn.scp").write_text(f"ann {train}/other.ark:4\nbob {train}/other.ark:{offset}\n")
    data = sheaf.kaldi_dir(train, ["feats"], cmvn=True)
    assert data.spec["data"]["transforms"][0]["statistics"] == str(train / "cmvn.scp")
    bob = of_speakers(features)["bob"]
    expected = features["bob-2"] - bob[0, :DIM] / bob[0, DIM]
    np.testing.assert_allclose(read(data)["bob-2"]["feats"], expected, rtol=2e-6, atol=2e-6)


def test_lengths_of_alignments_are_compared_with_features(folder: Path) -> None:
    ali = folder / "exp" / "ali"
    (ali / "ali.1.gz").write_bytes(gzip.compress(b"ann-1 1 2 3\nann-2 1 2 3 4 5\n"))
    (ali / "ali.2.gz").unlink()
    files = str(ali / "ali.*.gz")
    train = folder / "data" / "train"
    with pytest.raises(sheaf.DataError, match="join-length"):
        read(sheaf.kaldi_dir(train, ali=files))
    found = read(sheaf.kaldi_dir(train, ali=files, length_tolerance=1))
    assert len(found["ann-1"]["feats"]) == len(found["ann-1"]["ali"]) == 3
    found = read(sheaf.kaldi_dir(train, ali=files, lengths="any"))
    assert (len(found["ann-1"]["feats"]), len(found["ann-1"]["ali"])) == (4, 3)
    assert found.keys() == {"ann-1", "ann-2"}
    found = read(sheaf.kaldi_dir(train, ali=files, lengths="any", missing_sequences="absent"))
    assert found.keys() == TEXTS.keys()
    assert "ali" not in found["bob-1"]


def test_vad_and_ivectors_are_read(folder: Path, features: dict[str, np.ndarray]) -> None:
    train = folder / "data" / "train"
    (train / "vad.ark").write_text(
        "".join(
            f"{key}  [ {' '.join(str(t % 2) for t in range(len(values)))} ]\n"
            for key, values in features.items()
        )
    )
    archive = (train / "vad.ark").read_bytes()
    (train / "vad.scp").write_text(
        "".join(f"{key} {train}/vad.ark:{archive.index(key.encode()) + 6}\n" for key in features)
    )
    (folder / "iv.ark").write_text("".join(f"{key}  [ 0.5 1.5 ]\n" for key in features))
    data = sheaf.kaldi_dir(train, ["vad", "feats"], ivectors=folder / "iv.ark")
    assert list(data.found) == ["feats", "vad", "ivector"]
    found = read(data)
    for key, values in features.items():
        assert found[key]["vad"] == [[t % 2] for t in range(len(values))]
        assert found[key]["ivector"] == [[0.5, 1.5]]


def test_recordings_are_cut_by_segments(folder: Path) -> None:
    train = folder / "data" / "train"
    samples = np.arange(400, dtype="<i2")
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 100, 200, 2, 16)
    head += b"data" + struct.pack("<I", samples.nbytes)
    size = struct.pack("<I", len(head) + samples.nbytes)
    (folder / "a.wav").write_bytes(b"RIFF" + size + head + samples.tobytes())
    (train / "wav.scp").write_text(f"a {folder}/a.wav\n")
    (train / "segments").write_text("ann-1 a 0.5 1.5\nbob-1 a 2 4\n")
    found = read(sheaf.kaldi_dir(train, ["wav", "text"]))
    assert [found[key]["text"] for key in ("ann-1", "bob-1")] == [
        [b"one two one"],
        ["caf\xe9".encode()],
    ]
    for key, begin, end in (("ann-1", 50, 150), ("bob-1", 200, 400)):
        assert found[key]["wav"] == [[each / 32768] for each in range(begin, end)]
    assert "wav" not in sheaf.kaldi_dir(train).found  # there are features
    (train / "feats.scp").unlink()
    assert list(sheaf.kaldi_dir(train).found) == ["wav", "text", "spk"]


def test_transforms_follow_those_of_the_folder(folder: Path) -> None:
    def double(x: np.ndarray) -> np.ndarray:
        return x * 2

    data = sheaf.kaldi_dir(folder / "data" / "train", ["feats"], cmvn="utterance")
    plain = read(data)
    more = read(data, transforms=[sheaf.map(double, "feats"), "reverse:feats"])
    for key in plain:
        expected = 2 * np.array(plain[key]["feats"], "f4")[::-1]
        assert more[key]["feats"] == expected.tolist()


def test_every_function_takes_a_folder(folder: Path, tmp_path: Path) -> None:
    data = sheaf.kaldi_dir(folder / "data" / "train", ["feats"])
    assert len(sheaf.open(data)) == 5
    assert sheaf.open(data).sequence("bob-2").feats.values.shape == (7, DIM)
    assert sheaf.check(data).ok
    assert sheaf.stat(data)["sequences"] == 5
    assert list(sheaf.infer(data)) == ["feats"]
    assert sheaf.convert(data, tmp_path / "out.ctf").sequences == 5
    assert sheaf.index(data).files
    assert sheaf.order(data)["sequences"] == 5
    reader = pickle.loads(pickle.dumps(sheaf.Reader(data, batch_size=5)))
    assert next(iter(reader)).feats.values.shape[0] == 5


def test_a_spec_in_a_file_reads_the_same(folder: Path, tmp_path: Path) -> None:
    data = sheaf.kaldi_dir(folder / "data" / "train", cmvn=True)
    (tmp_path / "train.json").write_text(str(data))
    assert json.loads(str(data)) == data.spec
    reader = sheaf.Reader(spec=tmp_path / "train.json", batch_size=5)
    (minibatch,) = reader
    expected = read(data)
    for n, key in enumerate(minibatch.key_texts):
        assert [each.tolist() for each in minibatch.feats.samples(n)] == expected[key]["feats"]
    data.spec["data"]["join"].clear()  # a copy
    assert read(data) == expected
    train = str(folder / "data" / "train")
    assert repr(data) == f"<KaldiDir {train!r}: feats, text, spk; not there: wav.scp, vad.scp>"


def test_missing_files_are_errors_that_name_the_file(folder: Path) -> None:
    train = folder / "data" / "train"
    with pytest.raises(sheaf.IoError, match="expected a data folder of Kaldi: No such file"):
        sheaf.kaldi_dir(folder / "none")
    with pytest.raises(
        sheaf.IoError, match=r"expected feats.scp or wav.scp in the folder, which has words.txt"
    ):
        sheaf.kaldi_dir(folder / "data" / "lang")
    with pytest.raises(sheaf.IoError, match=r"expected vad.scp in .* has cmvn.ark, feats.ark,"):
        sheaf.kaldi_dir(train, ["feats", "vad"])
    (train / "cmvn.ark").unlink()
    with pytest.raises(sheaf.IoError, match=r"expected cmvn.scp or cmvn.ark in"):
        sheaf.kaldi_dir(train, cmvn=True)
    with pytest.raises(sheaf.IoError, match=r"cmvn: none: No such file"):
        sheaf.kaldi_dir(train, cmvn="none")
    (folder / "empty").mkdir()
    with pytest.raises(sheaf.IoError, match="which has no file"):
        sheaf.kaldi_dir(folder / "empty")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"streams": ["feat"]}, sheaf.ConfigError, "streams: expected names out of feats, wav"),
        ({"streams": []}, sheaf.ConfigError, "at least one name"),
        ({"streams": "feats"}, TypeError, "streams"),
        ({"streams": ["feats"], "symbols": "x"}, sheaf.ConfigError, 'the stream "text"'),
        ({"streams": ["text"], "cmvn": True}, sheaf.ConfigError, 'the stream "feats"'),
        ({"norm_vars": True}, sheaf.ConfigError, "cmvn says which"),
        ({"cmvn": True, "norm_vars": 1}, TypeError, "norm_vars"),
        ({"ali": []}, sheaf.ConfigError, "ali: expected at least one path"),
        ({"symbols": "none.txt"}, sheaf.IoError, "none.txt"),
        ({"unknown": "x"}, sheaf.ConfigError, "kaldi.unknown"),
        ({"ali": "none.*.gz"}, sheaf.ConfigError, "no file has such a name"),
        ({"missing_sequences": "x"}, sheaf.ConfigError, "missing_sequences"),
    ],
)
def test_wrong_options_are_refused(
    folder: Path, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        read(sheaf.kaldi_dir(folder / "data" / "train", **options))


def test_a_kaldi_folder_excludes_other_keywords(folder: Path) -> None:
    data = sheaf.kaldi_dir(folder / "data" / "train")
    for options in (
        {"streams": ["feats"]},
        {"join": "x.ctf"},
        {"spec": {"data": {"files": "x"}}},
        {"config": "x.cntk"},
        {"format": "kaldi"},
    ):
        with pytest.raises(sheaf.ConfigError, match=r"sheaf\.kaldi_dir says what is read"):
            sheaf.Reader(data, **options)
    with pytest.raises(TypeError, match="join"):
        sheaf.Reader("x.ctf", join=data)


def test_a_data_set_of_torch_takes_a_folder(folder: Path) -> None:
    pytest.importorskip("torch")
    import sheaf.torch

    data = sheaf.kaldi_dir(folder / "data" / "train", symbols=folder / "data/lang/words.txt")
    dataset = sheaf.torch.SheafDataset(data, batch_size=5, order="keyed", rank=0, world_size=1)
    (batch,) = pickle.loads(pickle.dumps(dataset))
    assert batch["feats"]["values"].shape == (5, 8, DIM)
    assert batch["text"]["lengths"].sum() == sum(len(text.split()) for text in TEXTS.values())
