"""The cache of decoded sequences: a Reader keeps them in a folder, and reads them from there."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle

import numpy as np
import pytest

import sheaf
from speech_files import lattice_of, write_lattices

# Less than the 8 units of 1 MiB by which a reader judges whether a cache is worth it.
ROWS = [f"{key} |x {key} {key % 7}.5 |s {key % 9}:{key % 5 + 1}\n" for key in range(40_000)]
TEXT = "".join(row * (1 + number % 3) for number, row in enumerate(ROWS))
KEYED = {"order": "keyed", "seed": 3, "batch_size": 1000, "packing": "ragged"}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the data, and with no cache."""
    (tmp_path / "data.ctf").write_text(TEXT)
    return tmp_path


def read(reader):
    """Return all data that an epoch delivers."""
    return [
        (
            minibatch.sequence_keys.tolist(),
            minibatch.x.values.tolist(),
            minibatch.s.indices.tolist(),
            minibatch.s.data.tolist(),
        )
        for minibatch in reader
    ]


def counts(reader):
    return reader.stats["cache_hits"], reader.stats["cache_misses"]


def units(path):
    return sorted(path.rglob("*.unit"))


def test_later_readers_get_the_same_from_the_cache(folder):
    with sheaf.Reader(folder / "data.ctf", **KEYED) as reader:
        expected = read(reader)
        assert counts(reader) == (0, 0)
    with sheaf.Reader(folder / "data.ctf", **KEYED, cache=folder / "cache") as reader:
        assert read(reader) == expected
        hits, misses = counts(reader)
        assert (hits, misses > 0) == (0, True)
    assert units(folder / "cache")
    for changes in ({}, {"num_threads": 1}):
        said = {**KEYED, **changes, "cache": str(folder / "cache")}
        with sheaf.Reader(folder / "data.ctf", **said) as reader:
            assert read(reader) == expected
            assert counts(reader) == (misses, 0)


def test_later_epochs_of_a_reader_come_from_the_cache(folder):
    path = folder / "data.ctf"
    with sheaf.Reader(path, **KEYED) as reader:
        expected = [read(reader), read(reader)]
    assert expected[0] != expected[1]
    with sheaf.Reader(path, **KEYED, cache=folder / "cache") as reader:
        assert read(reader) == expected[0]
        misses = reader.stats["cache_misses"]
        assert read(reader) == expected[1]
        assert reader.stats["cache_misses"] == misses > 0
        assert reader.stats["cache_hits"] > 0


def test_runs_with_other_options_share_a_cache(folder):
    path, cache = folder / "data.ctf", folder / "cache"
    read(sheaf.Reader(path, **KEYED, cache=cache))
    for said, is_whole in (
        ({**KEYED, "order": "cntk"}, True),
        ({"batch_size": 77, "packing": "ragged"}, True),
        ({**KEYED, "memory_limit": "64MiB"}, False),
        ({**KEYED, "rank": 1, "world_size": 3}, False),  # a worker reads parts of units
    ):
        with sheaf.Reader(path, **said, cache=cache) as reader:
            assert read(reader) == read(sheaf.Reader(path, **said)), said
            assert not is_whole or reader.stats["cache_misses"] == 0, said


def test_the_files_of_a_cache_stay_within_the_limit(folder):
    cache = folder / "cache"
    limit = 300_000
    for _ in range(2):
        with sheaf.Reader(folder / "data.ctf", **KEYED, cache=cache, cache_limit=limit) as reader:
            whole = read(reader)
        assert sum(path.stat().st_size for path in units(cache)) <= limit
    assert whole == read(sheaf.Reader(folder / "data.ctf", **KEYED))


def test_keywords_override_the_cache_of_a_spec(folder):
    data = {"files": "data.ctf"}
    said = {"data": data, "read": {**KEYED, "cache": "own", "cache_limit": 1}}
    said["read"] |= {"minibatch_size": said["read"].pop("batch_size"), "unit": "sequences"}
    (folder / "train.json").write_text(json.dumps(said))
    spec = folder / "train.json"
    expected = read(sheaf.Reader(folder / "data.ctf", **KEYED))

    assert read(sheaf.Reader(spec=spec)) == expected
    assert units(folder / "own") == []  # a unit takes more than one byte
    assert read(sheaf.Reader(spec=spec, cache=folder / "other", cache_limit="none")) == expected
    assert units(folder / "own") == []
    assert units(folder / "other")
    assert read(sheaf.Reader(spec=spec, cache_limit="100MB")) == expected
    assert units(folder / "own")
    with sheaf.Reader(spec=spec, cache="", cache_limit="none") as reader:
        assert read(reader) == expected
        assert counts(reader) == (0, 0)


def test_a_cache_of_a_spec_lies_beside_the_spec(folder, monkeypatch):
    spec = {"data": {"files": "data.ctf"}, "read": {"packing": "ragged", "cache": "c"}}
    (folder / "specs").mkdir()
    (folder / "data.ctf").rename(folder / "specs" / "data.ctf")
    (folder / "specs" / "train.json").write_text(json.dumps(spec))
    read(sheaf.Reader(spec=folder / "specs" / "train.json"))
    assert units(folder / "specs" / "c")
    monkeypatch.chdir(folder)
    read(sheaf.Reader(spec=pathlib.Path("specs", "train.json"), cache="beside"))
    assert units(folder / "beside")  # a keyword begins at the folder of the program


def test_a_configuration_may_have_a_cache(folder):
    (folder / "train.cntk").write_text(
        "reader = [readerType = CNTKTextFormatReader ; randomize = false ; file = "
        f"{folder / 'data.ctf'} ; input = [x = [dim = 2 ; format = dense]]]\n"
    )
    for expected in ((False, True), (True, False)):
        with sheaf.Reader(config=folder / "train.cntk", cache=folder / "cache") as reader:
            assert sum(minibatch.sequence_count for minibatch in reader) == len(ROWS)
            assert tuple(count > 0 for count in counts(reader)) == expected


def test_a_limit_without_a_cache_is_refused(folder):
    path = folder / "data.ctf"
    spec = {"data": {"files": str(path)}, "read": {"cache_limit": 1_000_000}}
    for said in ({"path": path, "cache_limit": "1MB"}, {"spec": spec}):
        with pytest.raises(sheaf.ConfigError, match=r"^cache_limit: "):
            sheaf.Reader(**said)
    assert len(sheaf.Reader(path, cache_limit="none")) > 0


def test_a_data_set_refuses_a_limit_without_a_cache_before_data_are_opened():
    torch = pytest.importorskip("sheaf.torch", exc_type=ImportError)
    with pytest.raises(sheaf.ConfigError, match=r"^cache_limit: "):
        torch.SheafDataset("missing.ctf", cache_limit="1MB")


def test_a_limit_out_of_range_is_refused(folder):
    for limit in (-1, 2**63):
        with pytest.raises(sheaf.ConfigError, match="cache_limit must be at least 0"):
            sheaf.Reader(folder / "data.ctf", cache=folder / "cache", cache_limit=limit)
    assert not (folder / "cache").exists()


def test_a_folder_that_is_a_file_is_refused(folder):
    with pytest.raises(sheaf.ConfigError, match=r"^cache: "):
        sheaf.Reader(folder / "data.ctf", cache=folder / "data.ctf")


def test_functions_that_read_once_have_no_cache(folder):
    path = folder / "data.ctf"
    calls = (
        lambda **said: [len(sequence) for sequence in sheaf.open(**said)],
        sheaf.check,
        sheaf.stat,
        sheaf.index,
        lambda path=None, **said: sheaf.convert(path, folder / "out.ctf", overwrite=True, **said),
    )
    for call in calls:
        with pytest.raises(TypeError, match="unexpected keyword argument 'cache'"):
            call(path=path, cache=folder / "cache")
        call(spec={"data": {"files": str(path)}, "read": {"cache": str(folder / "cache")}})
        assert not (folder / "cache").exists()


def test_copies_of_a_reader_share_its_cache(folder):
    with sheaf.Reader(folder / "data.ctf", **KEYED, cache=folder / "cache") as reader:
        expected = read(reader)
        for other in (copy.copy(reader), pickle.loads(pickle.dumps(reader))):
            other.set_epoch(0)
            assert read(other) == expected
            hits, misses = counts(other)
            assert (hits > 0, misses) == (True, 0)


def test_tensors_come_from_the_cache(folder):
    torch = pytest.importorskip("sheaf.torch", exc_type=ImportError)

    def values(**said):
        with torch.SheafDataset(folder / "data.ctf", **KEYED, **said) as dataset:
            found = [batch["x"]["values"].tolist() for batch in dataset]
            return found, counts(dataset.reader)

    expected, _ = values()
    _, (_, misses) = values(cache=folder / "cache", cache_limit="1GB")
    assert misses > 0
    assert values(cache=folder / "cache", cache_limit="1GB") == (expected, (misses, 0))


class Squares(sheaf.Deserializer):
    """One chunk of numbers, with a fingerprint for the version of its values."""

    streams = ("x:dense:1",)

    def __init__(self, version, power):
        self.version = version
        self.power = power

    def chunks(self):
        return [6]

    def read(self, chunk):
        return {"x": np.arange(6, dtype=np.float32).reshape(6, 1) ** self.power}

    def fingerprint(self):
        return self.version


def test_data_of_the_program_are_kept_by_their_fingerprint(tmp_path):
    def values(version, power):
        with sheaf.Reader(Squares(version, power), batch_size=6, cache=tmp_path / "c") as reader:
            (minibatch,) = reader
            return minibatch.x.values.ravel().tolist(), counts(reader)

    squares = [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]
    assert values("a", 2) == (squares, (0, 1))
    assert values("a", 2) == (squares, (1, 0))
    assert values("b", 1) == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], (0, 1))


def test_data_without_a_fingerprint_have_no_cache(tmp_path):
    message = "cache: nothing tells when the values of the Squares change"
    with pytest.raises(sheaf.ConfigError, match=message):
        sheaf.Reader(Squares(None, 2), cache=tmp_path / "c")
    spec = {"data": {"object": "numbers"}, "read": {"cache": str(tmp_path / "c")}}
    with pytest.raises(sheaf.ConfigError, match=message):
        sheaf.Reader(spec=spec, objects={"numbers": Squares(None, 2)})
    sheaf.Reader(Squares(None, 2)).close()
    assert not (tmp_path / "c").exists()


def test_lattices_have_no_cache_and_the_run_says_so(tmp_path):
    path = write_lattices(tmp_path, [lattice_of(range(n + 1)) for n in (3, 2)])
    with sheaf.Reader(path, keys="text", cache=tmp_path / "c") as reader:
        assert sum(minibatch.sequence_count for minibatch in reader) == 2
        (warning,) = reader.warnings
        assert (warning.code, warning.stream) == ("cache-stream", "lattice")
        assert counts(reader) == (0, 0)
    assert not (tmp_path / "c").exists()
