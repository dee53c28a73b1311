"""The spec of a source describes the same data without CNTK's names."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from cntk_data import FOUR, ctf, lengths_data, stream, write

import sheaf
from sheaf import cntk

JAGGED = lengths_data({k: 1 + k % 4 for k in range(60)})
ALONE = lengths_data(dict.fromkeys(range(30), 1))


@pytest.mark.parametrize(
    "options",
    [
        {"max_sweeps": 2, "randomize": False},
        {"max_sweeps": 2, "randomization_seed": 2**64 - 1},
        {"max_samples": 100, "randomization_window_in_chunks": 2},
        {
            "max_samples": cntk.FULL_DATA_SWEEP,
            "randomization_window_in_chunks": 0,
            "randomization_window_in_samples": 20,
        },
        {"max_sweeps": 1, "truncation_length": 2},
    ],
)
def test_a_reader_of_the_spec_delivers_the_same(tmp_path, options):
    deserializer = ctf(write(tmp_path, JAGGED), chunkSizeInBytes=100)
    source = cntk.MinibatchSource(deserializer, **options)
    reader = sheaf.Reader(spec=json.loads(json.dumps(source.spec)), minibatch_samples=10)
    count = 0
    for minibatch in reader:
        expected = source.next_minibatch(10)[source["S0"]]
        values = minibatch["S0"].values
        if "truncation_length" in options:
            values = values.swapaxes(0, 1)
        assert values.tolist() == expected.asarray().tolist()
        assert minibatch.ends_sweep == expected.end_of_sweep
        count += 1
    assert count > 5
    assert not source.next_minibatch(10)


def test_frames_match_the_spec(tmp_path):
    source = cntk.MinibatchSource(ctf(write(tmp_path, ALONE)), frame_mode=True, max_sweeps=1)
    reader = sheaf.Reader(spec=source.spec, batch_size=30)
    expected = source.next_minibatch(30)[source["S0"]].asarray()
    assert next(iter(reader))["S0"].values.tolist() == expected[:, 0].tolist()


def test_a_join_becomes_a_join_of_the_spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, JAGGED, "a.ctf")
    write(tmp_path, "".join(f"{k} |y {k}:1\n" for k in range(50)), "b.ctf")
    command = [sys.executable, "-m", "sheaf", "convert", "a.ctf", "a.cbf"]
    subprocess.run(command, check=True, capture_output=True)
    renamed = stream("S0", defines_mb_size=False)
    first = cntk.CBFDeserializer("a.cbf", cntk.StreamDefs(x=renamed), cacheIndex=False)
    sparse = cntk.StreamDefs(y=stream("y", 50, is_sparse=True, defines_mb_size=True))
    options = {"maxErrors": 3, "missingStreams": "allow", "sameKeys": "number"}
    second = cntk.CTFDeserializer(["b.ctf"], sparse, skipSequenceIds=True, **options)
    source = cntk.MinibatchSource([first, second], max_sweeps=3, dtype=np.float64)
    assert source.spec == {
        "data": {
            "join": [
                {
                    "files": [str(tmp_path / "a.cbf")],
                    "format": "cbf",
                    "dtype": "float64",
                    "streams": [{"name": "x", "alias": "S0"}],
                    "compatibility": "cntk",
                },
                {
                    "files": [str(tmp_path / "b.ctf")],
                    "format": "ctf",
                    "dtype": "float64",
                    "streams": [
                        {
                            "name": "y",
                            "storage": "sparse",
                            "shape": [50],
                            "defines_minibatch_size": True,
                        }
                    ],
                    "missing_streams": "allow",
                    "same_keys": "number",
                    "skip_sequence_ids": True,
                },
            ]
        },
        "read": {"order": "cntk", "window_chunks": 128, "sweeps": 3, "max_errors": 3},
    }
    source.spec["data"].clear()  # a copy
    reader = sheaf.Reader(spec=source.spec, minibatch_samples=20)
    assert next(iter(reader))["y"].data.dtype == np.float64


def test_unlimited_errors_become_any(tmp_path):
    path = write(tmp_path, ALONE)
    source = cntk.MinibatchSource(ctf(path, maxErrors=-1), numeric_keys=False)
    assert source.spec["read"] == {
        "order": "cntk",
        "window_chunks": 128,
        "sweeps": "endless",
        "max_errors": "any",
    }
    assert source.spec["data"]["keys"] == "text"


def test_names_may_be_any_bytes(tmp_path):
    name = os.fsdecode(b"caf\xe9")
    path = str(tmp_path / f"{name}.ctf")
    with open(path, "wb") as file:
        file.write(b"|caf\xe9 1\n|caf\xe9 2\n")
    streams = cntk.StreamDefs(**{name: stream(name)})
    source = cntk.MinibatchSource(cntk.CTFDeserializer(path, streams), max_sweeps=1)
    (tmp_path / "s.json").write_text(json.dumps(source.spec))
    reader = sheaf.Reader(spec=tmp_path / "s.json")
    assert list(reader.streams) == [name]
    values = source.next_minibatch(2)[source[name]].asarray()
    assert next(iter(reader))[name].values.tolist() == values.tolist()


def test_errors_of_options_use_names_of_the_spec(tmp_path):
    path = write(tmp_path, FOUR)
    with pytest.raises(ValueError, match=r'data.missing_streams: expected "error" or "allow"'):
        cntk.MinibatchSource(ctf(path, missingStreams="none"))
    with pytest.raises(ValueError, match=r'^dtype: expected "float32" or "float64", got "int32"'):
        cntk.MinibatchSource(ctf(path), dtype=np.int32)


def test_sources_without_a_spec_are_errors(tmp_path):
    class Squares(cntk.UserDeserializer):
        def stream_infos(self):
            return [cntk.StreamInformation("x", 0, "dense", np.float32, (1,))]

        def num_chunks(self):
            return 1

        def get_chunk(self, chunk_id):
            return {"x": np.ones((3, 1), np.float32)}

    with pytest.raises(RuntimeError, match="no spec says"):
        _ = cntk.MinibatchSource(Squares()).spec
