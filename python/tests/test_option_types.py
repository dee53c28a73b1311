"""Values of options: their types, words and names."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import sheaf
from conftest import JAGGED, ROOT


@pytest.fixture
def path(write_ctf):
    return write_ctf(JAGGED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 2.5}, "batch_size: expected a whole number, got 2.5 (float)"),
        ({"batch_size": "3"}, "batch_size: expected a whole number, got '3' (str)"),
        ({"batch_size": True}, "batch_size: expected a whole number, got True (bool)"),
        ({"sweeps": "all"}, "sweeps: expected a whole number or \"endless\", got 'all' (str)"),
        ({"memory_limit": 2.5}, 'memory_limit: expected a whole number or "none", got 2.5'),
        (
            {"dtype": 5},
            'dtype: expected "float32", "int64" or another type of NumPy or torch, got 5',
        ),
        ({"order": 5}, "order: expected a text, got 5 (int)"),
        ({"packing": b"padded"}, "packing: expected a text, got b'padded' (bytes)"),
        ({"split_frames": 1}, "split_frames: expected True or False, got 1 (int)"),
        ({"index_dir": 5}, "index_dir: expected a path, got 5 (int)"),
        ({"cache": 5}, "cache: expected a path, got 5 (int)"),
        ({"cache": ["a"]}, "cache: expected a path, got ['a'] (list)"),
        ({"cache_limit": 2.5}, 'cache_limit: expected a whole number or "none", got 2.5'),
        ({"join": 5}, "join: expected a path, several, a Deserializer, or a table, got 5 (int)"),
        ({"join": ["x.ctf", 5]}, "join: expected paths, got 5 (int)"),
        ({"config": 5}, "config: expected a path or several, got 5 (int)"),
        ({"spec": 5}, "spec: expected a path or a dict, got 5 (int)"),
        ({"settings": "x=y"}, "settings: expected a dict, or a list of texts"),
        ({"settings": [5]}, 'settings: expected texts "NAME=VALUE", got 5 (int)'),
        ({"format_options": 5}, "format_options: expected a dict of names and values, got 5"),
        ({"format_options": {5: 1}}, "format_options: expected names that are texts, got 5"),
        ({"streams": 5}, "streams: expected a dict of names and Streams, or a list of texts"),
    ],
)
def test_a_value_of_a_wrong_type_is_named(path, options, message):
    with pytest.raises(TypeError) as raised:
        sheaf.Reader(path, **options)
    assert message in str(raised.value)


@pytest.mark.parametrize("path", [5, [5], [None], 2.5])
def test_a_path_of_a_wrong_type_is_named(path):
    for call in (sheaf.Reader, sheaf.open, sheaf.check, sheaf.infer):
        with pytest.raises(TypeError, match="path: expected"):
            call(path)


def test_wrong_arguments_of_methods_are_named(path):
    reader = sheaf.Reader(path)
    for call, message in (
        (lambda: reader.load_state_dict(None), "load_state_dict: expected a dict"),
        (lambda: reader.load_state_dict([1]), "load_state_dict: expected a dict"),
        (lambda: reader.set_epoch(1.5), "set_epoch: expected a whole number, got 1.5"),
        (lambda: reader.sequence(1.5), "a key: expected a whole number, got 1.5"),
        (lambda: reader.sequence_at("a", 0), "sweep: expected a whole number"),
        (lambda: sheaf.check(path, limit="a"), "limit: expected a whole number"),
    ):
        with pytest.raises(TypeError) as raised:
            call()
        assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1GiB", 1 << 30),
        ("64M", 64 << 20),
        ("2gb", 2_000_000_000),
        ("64 MiB", 64 << 20),
        ("5000000", 5_000_000),
        ("5000000B", 5_000_000),
        ("1TiB", 1 << 40),
        ("none", 0),
    ],
)
def test_sizes_may_be_texts_with_units(path, text, size):
    from sheaf._options.keywords import understood

    for name in ("memory_limit", "cache_limit"):
        assert understood({name: text}) == {name: size}
    assert len(list(sheaf.Reader(path, memory_limit=text, batch_size=1))) == 3


@pytest.mark.parametrize("text", ["x", "", "1.5GiB", "-1", "64Mib/s", "none at all"])
def test_wrong_sizes_are_refused(path, text):
    for name in ("memory_limit", "cache_limit"):
        with pytest.raises(sheaf.ConfigError, match=f"^{name} is a number of bytes, such as"):
            sheaf.Reader(path, **{name: text})


def test_a_memory_limit_below_1_mib_is_refused(path):
    for limit in (1, "1000kB", (1 << 20) - 1):
        with pytest.raises(sheaf.ConfigError, match='memory_limit must be at least "1MiB"'):
            sheaf.Reader(path, memory_limit=limit)


@pytest.mark.parametrize("dtype", [np.float64, np.dtype("float64"), "float64"])
def test_dtypes_of_numpy_are_accepted(path, dtype):
    reader = sheaf.Reader(path, dtype=dtype)
    assert {stream.dtype for stream in reader.streams.values()} == {"float64"}
    assert sheaf.Stream(dim=2, dtype=dtype).dtype == "float64"
    with pytest.raises(sheaf.ConfigError, match=r'dtype is "float32", .*: got "int16"'):
        sheaf.Reader(path, dtype=np.int16)


def test_words_replace_special_numbers(path):
    def keys(**options):
        return [m.sequence_keys.tolist() for m in sheaf.Reader(path, batch_size=2, **options)]

    assert keys(num_threads="auto", max_errors="any") == keys()
    keyed = keys(order="keyed", seed=3, window_chunks="all")
    assert keyed == keys(order="keyed", seed=3, window="all", num_threads=1)
    with pytest.raises(TypeError, match="has no end"):
        len(sheaf.Reader(path, sweeps="endless"))


def test_names_of_specs_are_accepted_as_keywords(path):
    def counts(**options):
        return [(m.sequence_count, m.sample_count) for m in sheaf.Reader(path, **options)]

    assert counts(minibatch_size=2, unit="sequences") == counts(batch_size=2) == [(2, 3), (1, 3)]
    assert counts(minibatch_size=3) == counts(minibatch_samples=3) == [(2, 3), (1, 3)]
    assert sheaf.Reader(path, chunk_size="4MiB")._data is not None
    spec = {"data": {"files": str(path)}, "read": {"minibatch_size": 1, "unit": "sequences"}}
    changed = [m.sequence_count for m in sheaf.Reader(spec=spec, minibatch_size=2)]
    assert changed == [2, 1]  # the unit stays


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 1, "minibatch_size": 1}, "either batch_size or minibatch_size sets"),
        ({"window": 1, "window_chunks": 1}, "either window or window_chunks sets the window"),
        ({"chunk_size": 9, "chunk_size_bytes": 9}, "chunk_size or chunk_size_bytes sets"),
        ({"batch_size": 1, "unit": "samples"}, 'batch_size counts sequences: leave out unit="sam'),
        ({"window": 1}, 'window: the order "file" shuffles nothing'),
        ({"window_chunks": 1}, 'window_chunks: the order "file" shuffles nothing'),
    ],
)
def test_two_names_of_one_option_are_refused(path, options, message):
    with pytest.raises(sheaf.ConfigError) as raised:
        sheaf.Reader(path, **options)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ordr", "order"),
        ("batchsize", "batch_size"),
        ("num_workers", "num_threads"),
        ("shuffle", "order"),
        ("memory_limit_bytes", "memory_limit"),
        ("cache_dir", "cache"),
        ("cache_limit_bytes", "cache_limit"),
    ],
)
def test_an_unknown_keyword_gets_a_suggestion(path, name, meant):
    with pytest.raises(TypeError) as raised:
        sheaf.Reader(path, **{name: 1})
    assert str(raised.value) == (
        f"got an unexpected keyword argument '{name}'; did you mean '{meant}'?"
    )
    with pytest.raises(TypeError, match=r"keyword argument 'idex'; did you mean 'index'\?"):
        sheaf.open(path, idex="off")
    with pytest.raises(TypeError, match=r"keyword argument 'zzzz'$"):
        sheaf.open(path, zzzz="off")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dim": -1}, sheaf.ConfigError, "at least 1"),
        ({"dim": 0}, sheaf.ConfigError, "at least 1"),
        ({"shape": (8, -8)}, sheaf.ConfigError, "at least 1"),
        ({"dim": "3"}, TypeError, "dim: expected a whole number"),
        ({"shape": 5}, TypeError, "shape: expected a tuple of whole numbers"),
        ({"sparse": "yes"}, TypeError, "sparse: expected True or False"),
        ({"alias": 5}, TypeError, "alias: expected a text"),
        ({"dtype": 5}, TypeError, "dtype: expected"),
    ],
)
def test_wrong_streams_are_refused_when_made(options, error, message):
    with pytest.raises(error, match=message):
        sheaf.Stream(**options)


def test_an_iterator_ends_after_an_error(write_ctf):
    path = write_ctf("0 |x 1\n1 |x a\n2 |x 3\n")
    reader = sheaf.Reader(path, batch_size=1, index="off")
    iterator, keys, errors = iter(reader), [], 0
    while True:  # ends only because the iterator does
        try:
            keys += next(iterator).sequence_keys.tolist()
        except sheaf.DataError:
            errors += 1
        except StopIteration:
            break
    assert (keys, errors) == ([0], 1)
    with pytest.raises(sheaf.DataError, match="expected a number"):
        list(reader)


CHECKED = """\
import numpy
import sheaf
reader = sheaf.Reader("x.ctf", dtype=numpy.float64, memory_limit="1GiB", sweeps="endless")
for minibatch in reader:
    reader.load_state_dict(minibatch.position)
    print(minibatch.features.values.shape, minibatch.labels.indices, minibatch["x"].lengths)
reader.load_state_dict(minibatch.positon)  # AnyBatch
sheaf.Reader("x.ctf", ordr="keyed")  # "ordr"
sheaf.Reader("x.ctf", order="keyd")  # "order"
sheaf.open("x.ctf", ordr="keyed")  # "ordr"
"""


def test_mypy_finds_wrong_arguments(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(CHECKED)
    command = [sys.executable, "-m", "mypy", "--strict", tmp_path / "program.py"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    errors = [line for line in result.stdout.splitlines() if ": error: " in line]
    lines = CHECKED.splitlines()
    assert [int(error.split(":")[1]) for error in errors] == [7, 8, 9, 10], result.stdout
    for error in errors:
        assert lines[int(error.split(":")[1]) - 1].partition("# ")[2] in error
