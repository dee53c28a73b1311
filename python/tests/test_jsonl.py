"""JSON Lines: files of json.dumps, read in every order, and written again."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pytest

import sheaf

OPTIONS = {"batch_size": 5, "packing": "ragged", "chunk_size": 300}


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def as_json(sample):
    """Return a sample as Python's own values: bytes, a list, or a dictionary of pairs."""
    if isinstance(sample, tuple):
        return dict(zip(sample[0].tolist(), sample[1].tolist(), strict=True))
    return bytes(sample) if isinstance(sample, memoryview) else sample.ravel().tolist()


def delivered(reader):
    """Return [(key, {stream: samples})] as delivered; a stream that is absent has None."""
    found = []
    for minibatch in reader:
        for i, key in enumerate(minibatch.key_texts or minibatch.sequence_keys.tolist()):
            streams = {}
            for name in minibatch:
                samples = minibatch[name].samples(i)
                streams[name] = None if samples is None else [as_json(each) for each in samples]
            found.append((key, streams))
    return found


def rounded(value):
    return float(np.float32(value))


def expected_samples(value):
    """Return the samples of a JSON value by the table of docs/formats/jsonl.md, as f32."""
    if value is None:
        return None
    if isinstance(value, str):
        return [value.encode()]
    if isinstance(value, dict):
        values = value.get("values", [1] * len(value["indices"]))
        return [dict(sorted(zip(value["indices"], map(rounded, values), strict=True)))]
    if not isinstance(value, list):
        return [[rounded(value)]]
    samples = []
    for each in value:
        if isinstance(each, list):
            samples.append([rounded(number) for number in each])
        else:
            samples += expected_samples(each)
    return samples


def random_number(choices):
    kind = choices.randrange(4)
    if kind == 0:
        return choices.randrange(-1000, 1000)
    if kind == 1:
        return choices.random() < 0.5
    return choices.uniform(-1, 1) * 10 ** choices.randrange(-30, 30)


def random_text(choices):
    letters = 'ab\u00e9\u4e2d\U0001f600"\\\n\x00\x7f/'
    return "".join(choices.choice(letters) for _ in range(choices.randrange(30)))


def random_sparse(choices, dim):
    indices = choices.sample(range(dim), choices.randrange(min(dim, 6)))
    sample = {"indices": indices}
    if choices.random() < 0.7:
        sample["values"] = [choices.uniform(-5, 5) for _ in indices]
    return sample


def random_line(choices, dim):
    """Return an object of four fields, some of them null or left out."""

    def numbers(count):
        numbers = [random_number(choices) for _ in range(count)]
        if any(isinstance(number, bool) for number in numbers):
            return [bool(number) for number in numbers]
        return numbers

    line = {
        "x": choices.choice([lambda: numbers(1)[0], lambda: numbers(choices.randrange(5))])(),
        "m": [numbers(dim) for _ in range(choices.randrange(4))],
        "s": choices.choice(
            [
                lambda: random_sparse(choices, 20),
                lambda: [random_sparse(choices, 20) for _ in range(choices.randrange(3))],
            ]
        )(),
        "t": choices.choice(
            [lambda: random_text(choices), lambda: [random_text(choices) for _ in range(2)]]
        )(),
    }
    # A field of one line has numbers, or true and false.
    scalars = [number for row in line["m"] for number in row]
    if any(isinstance(number, bool) for number in scalars):
        line["m"] = [[float(number) for number in row] for row in line["m"]]
    for name in list(line):
        if choices.random() < 0.1:
            line[name] = None
        elif choices.random() < 0.1:
            del line[name]
    items = list(line.items())
    choices.shuffle(items)
    return dict(items)


STREAMS = {
    "x": sheaf.Stream(dim=1),
    "s": sheaf.Stream(dim=20, sparse=True),
    "t": sheaf.Stream(dtype="bytes"),
}


@pytest.mark.parametrize("seed", range(100))
def test_random_tables_match_json_loads(tmp_path, seed):
    choices = random.Random(seed)
    dim = choices.randrange(2, 5)
    path = tmp_path / "a.jsonl"
    lines = [random_line(choices, dim) for _ in range(1 + choices.randrange(12))]
    end = choices.choice(["\n", "\r\n", "\n\n"])
    text = end.join(
        json.dumps(line, ensure_ascii=choices.random() < 0.5, indent=None) for line in lines
    )
    path.write_bytes((choices.choice(["", "\ufeff"]) + text).encode())
    streams = {**STREAMS, "m": sheaf.Stream(dim=dim)}
    reader = sheaf.Reader(str(path), streams, missing_streams="allow", **OPTIONS)
    found = [streams for _, streams in delivered(reader)]
    read_back = [json.loads(line) for line in text.split(end) if line]
    assert found == [
        {name: expected_samples(line.get(name)) for name in streams} for line in read_back
    ]


def made(count=120):
    choices = random.Random(7)
    return [
        {
            "id": f"utterance {i}",
            "tokens": [choices.randrange(50_000) for _ in range(choices.randrange(1, 30))],
            "weight": choices.random(),
        }
        for i in range(count)
    ]


@pytest.fixture
def corpus(tmp_path):
    lines = made()
    return write(tmp_path / "corpus.jsonl", lines), lines


KEYED = {**OPTIONS, "format_options": {"jsonl.key": "id"}}


def tokens_of(found):
    return {key: [token for (token,) in streams["tokens"]] for key, streams in found}


def test_streams_and_types_are_found(corpus):
    path, lines = corpus
    with sheaf.open(path, format_options={"jsonl.key": "id"}) as data:
        assert {name: stream.dtype for name, stream in data.streams.items()} == {
            "tokens": "int64",
            "weight": "float32",
        }
    found = delivered(sheaf.Reader(path, **KEYED))
    assert tokens_of(found) == {line["id"]: line["tokens"] for line in lines}
    chosen = {"jsonl.key": "id", "jsonl.fields": "weight"}
    found = delivered(sheaf.Reader(path, **{**OPTIONS, "format_options": chosen}))
    assert [list(streams) for _, streams in found] == [["weight"]] * len(lines)


@pytest.mark.parametrize(
    "order", [{"order": "file"}, {"order": "keyed", "seed": 3}, {"order": "cntk", "seed": 3}]
)
def test_orders_threads_and_limits_give_the_same_tokens(corpus, order):
    path, lines = corpus
    expected = delivered(sheaf.Reader(path, num_threads=1, **KEYED, **order))
    assert tokens_of(expected) == {line["id"]: line["tokens"] for line in lines}
    for more in ({"num_threads": 4}, {"memory_limit": "4MiB"}):
        assert delivered(sheaf.Reader(path, **KEYED, **order, **more)) == expected


def test_a_run_resumes_with_another_number_of_workers(corpus):
    path, lines = corpus
    options = {**KEYED, "order": "keyed", "seed": 3}
    whole = delivered(sheaf.Reader(path, **options))
    reader = sheaf.Reader(path, **options)
    minibatches = iter(reader)
    first = delivered([next(minibatches) for _ in range(5)])
    state = reader.state_dict()
    rest = []
    for rank in range(3):
        part = sheaf.Reader(path, rank=rank, world_size=3, **options)
        part.load_state_dict(state)
        rest += delivered(part)
    assert tokens_of(first + rest) == tokens_of(whole)
    assert len(first + rest) == len(lines)


def test_compression_and_index_files_do_not_change_the_data(corpus, tmp_path):
    path, _ = corpus
    expected = delivered(sheaf.Reader(path, **KEYED))
    packed = tmp_path / "corpus.ndjson.gz"
    with open(path, "rb") as file:
        packed.write_bytes(gzip.compress(file.read()))
    assert delivered(sheaf.Reader(str(packed), **KEYED)) == expected
    sheaf.index(path, format_options={"jsonl.key": "id"}, chunk_size=300)
    assert delivered(sheaf.Reader(path, index="require", **KEYED)) == expected


def test_several_files_have_common_streams(tmp_path):
    first = write(tmp_path / "a.jsonl", [{"x": 1, "s": {"indices": [3]}, "t": "a"}])
    second = write(tmp_path / "b.jsonl", [{"x": 2.5, "s": {"indices": [7]}, "t": "b"}])
    reader = sheaf.Reader([first, second], same_keys="number", packing="ragged")
    found = [streams for _, streams in delivered(reader)]
    assert found == [
        {"x": [[1]], "s": [{3: 1}], "t": [b"a"]},
        {"x": [[2.5]], "s": [{7: 1}], "t": [b"b"]},
    ]


def test_errors_have_line_column_and_stream(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n{"x": [1, "2"]}\n{"x": 3\n{"x": 4}\n')
    report = sheaf.check(str(path))
    assert not report.ok
    reader = sheaf.Reader(str(path), {"x": sheaf.Stream(dim=1)}, packing="ragged", max_errors=2)
    assert [streams["x"] for _, streams in delivered(reader)] == [[[1]], [[4]]]
    with pytest.raises(sheaf.DataError, match=r'2:11: .*stream "x": expected a number'):
        delivered(sheaf.Reader(str(path), {"x": sheaf.Stream(dim=1)}, packing="ragged"))


def test_streams_of_bytes_can_be_declared_in_several_forms(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"t": "one", "n": 1}, {"t": "", "n": 2}])
    expected = [(0, {"t": [b"one"]}), (1, {"t": [b""]})]
    for streams in (
        ["t:dense:dtype=bytes"],
        ["t:dense:*:dtype=bytes"],
        ["t:dense:*"],
        {"t": sheaf.Stream(dtype="bytes")},
    ):
        assert delivered(sheaf.Reader(path, streams, **OPTIONS)) == expected
    stream = {"name": "t", "dtype": "bytes"}
    spec = {"data": {"files": [path], "streams": [stream]}, "read": {"packing": "ragged"}}
    assert delivered(sheaf.Reader(spec=spec)) == expected
    with pytest.raises(sheaf.ConfigError, match=r"dense, and of the shape \*"):
        sheaf.Reader(path, ["t:dense:3:dtype=bytes"])
    other = tmp_path / "a.ctf"
    other.write_text("|n 1\n|n 2\n")
    with pytest.raises(sheaf.ConfigError):
        sheaf.Reader(other, ["n:dense:dtype=bytes"])
