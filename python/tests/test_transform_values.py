"""The built-in transforms deliver the values that NumPy computes from the same numbers."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pytest

import sheaf

KEYS = [3, 5, 8, 13, 21, 34, 55, 89, 144, 233]
LENGTHS = [1, 2, 3, 7, 8, 9, 20, 4, 5, 13]
STREAMS = ["x:dense:4", "y:dense:2", "id:dense:1", "w:sparse:5"]
STATISTICS = {"mean": [1.5, 0, -2, 0.25], "stddev": [0.5, 2, 4, 0.125]}
SPEAKERS = {
    "ann": {"mean": [1, 2, 3, 4], "stddev": [4, 2, 1, 0.5]},
    "bob": {"mean": [-1, 0, 0, 1], "stddev": [8, 8, 2, 2]},
}


def make_sequences():
    """Make arrays [samples, *shape] by key and stream. Text holds all numbers exactly."""
    random = np.random.default_rng(1)
    return {
        key: {
            "x": (random.integers(-40, 40, (n, 4)) / 8).astype(np.float32),
            "y": (random.integers(-40, 40, (n, 2)) / 8).astype(np.float32),
            "id": random.integers(-1, 6, (n, 1)).astype(np.float32),
            "w": (random.integers(1, 9, (n, 5)) * (random.random((n, 5)) < 0.4)).astype(np.float32),
        }
        for key, n in zip(KEYS, LENGTHS, strict=True)
    }


SEQUENCES = make_sequences()


def text_of(name, row) -> str:
    pairs = (
        [f"{i}:{v:g}" for i, v in enumerate(row) if v] if name == "w" else [f"{v:g}" for v in row]
    )
    return f"|{name} {' '.join(pairs)}"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("transforms")
    lines = [
        f"{key} " + " ".join(text_of(name, array[t]) for name, array in arrays.items())
        for key, arrays in SEQUENCES.items()
        for t in range(len(arrays["x"]))
    ]
    (folder / "data.ctf").write_text("\n".join(lines) + "\n")
    (folder / "all.json").write_text(json.dumps(STATISTICS))
    (folder / "speakers.json").write_text(json.dumps({"speakers": SPEAKERS}))
    lines = [f"{key} {speaker_of(key)}\n" for key in KEYS]
    (folder / "utt2spk").write_text("".join(lines))
    return folder / "data.ctf"


def speaker_of(key) -> str:
    return "ann" if key % 2 else "bob"


def open_reader(path, transforms, **options):
    options = {"packing": "ragged", "minibatch_samples": 16} | options
    texts = [text.replace("FOLDER", str(path.parent)) for text in transforms]
    return sheaf.Reader(path, STREAMS, transforms=texts, **options)


def rows_of(stream):
    """Give all rows of a stream as dense rows, gaps included."""
    if isinstance(stream, sheaf.DenseBatch):
        return stream.values
    dense = np.zeros((len(stream.indptr) - 1, stream.shape[-1]), stream.data.dtype)
    for i, (begin, end) in enumerate(zip(stream.indptr, stream.indptr[1:], strict=False)):
        np.add.at(dense[i], stream.indices[begin:end], stream.data[begin:end])
    return dense if stream.mask is None else dense.reshape(*stream.mask.shape, -1)


def parts_of(minibatch):
    """Give a pair for each sequence, or for each slice of a sequence: the key, and the arrays."""
    for i, key in enumerate(minibatch.sequence_keys.tolist()):
        arrays = {}
        for name, stream in minibatch.items():
            rows = rows_of(stream)
            if stream.packing == "frames":
                arrays[name] = rows[i : i + 1]
            elif stream.packing == "padded":
                arrays[name] = rows[i, : stream.lengths[i]]
            elif stream.packing == "ragged":
                begin, end = stream.sequence_offsets[i : i + 2]
                arrays[name] = rows[begin:end]
            else:
                begin, end = stream.begins[i], stream.begins[i] + stream.lengths[i]
                arrays[name] = rows[begin:end, stream.slots[i]]
        yield key, arrays


def join_parts(minibatches):
    """Give the arrays of each sequence, by key and stream; slices of a sequence are joined."""
    parts = {}
    for minibatch in minibatches:
        for key, arrays in parts_of(minibatch):
            for name, array in arrays.items():
                parts.setdefault(key, {}).setdefault(name, []).append(array)
    return {
        key: {name: np.concatenate(arrays) for name, arrays in streams.items()}
        for key, streams in parts.items()
    }


def read(path, transforms, **options):
    return join_parts(open_reader(path, transforms, **options))


def assert_equal(found, expected, tolerance=0.0):
    assert sorted(found) == sorted(expected)
    for key, arrays in expected.items():
        assert list(found[key]) == list(arrays)
        for name, array in arrays.items():
            assert found[key][name].dtype == array.dtype, name
            assert found[key][name].shape == array.shape, (key, name)
            np.testing.assert_allclose(found[key][name], array, tolerance, tolerance, err_msg=name)


class Name(NamedTuple):
    """The inputs of random numbers, besides the name of the transform."""

    seed: int
    sweep: int
    key: int


# References in NumPy. Each function gets the arrays of a sequence, and the inputs of its numbers.


def context(left, right):
    def apply(arrays, inputs):
        n = len(arrays["x"])
        at = np.clip(np.arange(n)[:, None] + np.arange(-left, right + 1), 0, n - 1)
        return arrays | {"x": arrays["x"][at].reshape(n, -1)}

    return apply


def deltas_inside(padded, window):
    """Give the deltas of all samples that have `window` neighbours on both sides."""
    n = len(padded) - 2 * window
    steps = range(1, window + 1)
    forward = [padded[window + j : window + j + n] for j in steps]
    backward = [padded[window - j : window - j + n] for j in steps]
    total = sum(j * (a - b) for j, a, b in zip(steps, forward, backward, strict=True))
    return total / (2 * sum(j * j for j in steps))


def delta(order=2, window=2, style="kaldi", append=True):
    def repeat_ends(x, count):
        return np.pad(x, ((count, count), (0, 0)), mode="edge")

    def apply(arrays, inputs):
        x = arrays["x"].astype(np.float64)
        parts = [x] if append else []
        for k in range(1, order + 1):
            if style == "kaldi":
                part = repeat_ends(x, k * window)
                for _ in range(k):
                    part = deltas_inside(part, window)
            else:
                part = x
                for _ in range(k):
                    part = deltas_inside(repeat_ends(part, window), window)
            parts.append(part)
        return arrays | {"x": np.concatenate(parts, axis=1).astype(np.float32)}

    return apply


def standardize(statistics):
    """Standardize x. `statistics` gives the mean and the standard deviation of a sequence."""

    def apply(arrays, inputs):
        x = arrays["x"].astype(np.float64)
        mean, stddev = statistics(x, inputs.key)
        return arrays | {"x": ((x - mean) / stddev).astype(np.float32)}

    return apply


def of_sequence(x, key):
    return x.mean(axis=0), np.where(x.std(axis=0) < 1e-8, 1, x.std(axis=0))


def of_speaker(x, key):
    return np.array(list(SPEAKERS[speaker_of(key)].values()))


def cast(name, dtype):
    return lambda arrays, inputs: arrays | {name: arrays[name].astype(dtype)}


class Draws:
    """Draws whole numbers from 64 random bits each: the high half of the bits times the bound."""

    def __init__(self, inputs, transform):
        self.bits = sheaf.generator(*inputs, transform).bit_generator

    def below(self, bound):
        while True:
            product = int(self.bits.random_raw()) * bound
            if product % 2**64 >= 2**64 % bound:
                return product >> 64


def clip(samples, at="random", name="clip", streams=None):
    def apply(arrays, inputs):
        surplus = len(arrays["x"]) - samples
        if surplus <= 0:
            return arrays
        first = {"start": 0, "center": surplus // 2, "end": surplus}.get(at)
        if first is None:
            first = Draws(inputs, name).below(surplus + 1)
        kept = slice(first, first + samples)
        return arrays | {each: arrays[each][kept] for each in streams or arrays}

    return apply


def subsample(every, first):
    def apply(arrays, inputs):
        return {name: array[first::every] for name, array in arrays.items()}

    return apply


def reverse(*names):
    def apply(arrays, inputs):
        return arrays | {name: arrays[name][::-1] for name in names or arrays}

    return apply


def spec_augment(stream, name, time, frequency, ratio=1.0, value=0.0):
    """Mask a stream. `time` and `frequency` are pairs: the number of masks, the largest width."""

    def apply(arrays, inputs):
        x = arrays[stream].copy()
        n, dim = x.shape
        draws = Draws(inputs, name)

        def masks(count, width_max, extent):
            for _ in range(count):
                width = draws.below(min(width_max, extent) + 1)
                first = draws.below(extent - width + 1)
                yield slice(first, first + width)

        masked = x.mean(dtype=np.float64) if value == "mean" else value
        samples = list(masks(time[0], min(time[1], int(ratio * n)), n))
        for mask in samples:
            x[mask] = masked
        for mask in masks(*frequency, dim):
            x[:, mask] = masked
        return arrays | {stream: x}

    return apply


def one_hot(dim, dtype):
    def apply(arrays, inputs):
        ids = arrays["id"].astype(int)
        return arrays | {"id": (ids == np.arange(dim)).astype(dtype)}  # -1 has no 1

    return apply


def same(arrays, inputs):
    return arrays


def select_and_rename(arrays, inputs):
    return {"w": arrays["w"], "z": arrays["x"]}


def chained(*functions):
    def apply(arrays, inputs):
        for function in functions:
            arrays = function(arrays, inputs)
        return arrays

    return apply


def expected_of(function, seed=0, sweep=0):
    """Apply a function to all sequences."""
    return {key: function(arrays, Name(seed, sweep, key)) for key, arrays in SEQUENCES.items()}


GIVEN = "standardize:x:mean=1.5 0 -2 0.25,stddev=0.5 2 4 0.125"
SPEC_AUGMENT = "time_masks=3,time_width=6,time_ratio=0.5,frequency_masks=2,frequency_width=2"
MASKS = {"time": (3, 6), "frequency": (2, 2), "ratio": 0.5}
ONE_HOT = "one_hot:id:dim=6,ignore=-1"

# Name: transforms, the reference in NumPy, the tolerance (0: the numbers are the same).
CASES = {
    "none": ([], same, 0),
    "context": (["context:x:left=2,right=3"], context(2, 3), 0),
    "context of nothing": (["context:x"], context(0, 0), 0),
    "delta": (["delta:x"], delta(), 1e-6),
    "delta, htk": (["delta:x:style=htk"], delta(style="htk"), 1e-6),
    "delta, order 1": (["delta:x:order=1,window=3"], delta(1, 3), 1e-6),
    "delta, order 3": (["delta:x:order=3,append=false"], delta(3, append=False), 1e-6),
    "delta, htk 3": (
        ["delta:x:order=3,window=1,style=htk,append=false"],
        delta(3, 1, "htk", append=False),
        1e-6,
    ),
    "standardize, per sequence": (["standardize:x:per=sequence"], standardize(of_sequence), 1e-6),
    "standardize, mean only": (
        ["standardize:x:per=sequence,variance=false"],
        standardize(lambda x, key: (x.mean(axis=0), 1)),
        1e-6,
    ),
    "standardize, given": (
        [GIVEN],
        standardize(lambda x, key: np.array(list(STATISTICS.values()))),
        0,
    ),
    "standardize, one number": (
        ["standardize:x:mean=0.5,stddev=0.25"],
        standardize(lambda x, key: (0.5, 0.25)),
        0,
    ),
    "standardize, file": (
        ["standardize:x:statistics=FOLDER/all.json"],
        standardize(lambda x, key: np.array(list(STATISTICS.values()))),
        0,
    ),
    "standardize, speakers": (
        ["standardize:x:statistics=FOLDER/speakers.json,speakers=FOLDER/utt2spk"],
        standardize(of_speaker),
        0,
    ),
    "cast": (["cast:id:dtype=int32"], cast("id", np.int32), 0),
    "cast, sparse": (["cast:w:dtype=float64"], cast("w", np.float64), 0),
    "clip, start": (["clip:samples=4,at=start"], clip(4, "start"), 0),
    "clip, center": (["clip:samples=4,at=center"], clip(4, "center"), 0),
    "clip, end": (["clip:samples=4,at=end"], clip(4, "end"), 0),
    "clip, random": (["clip:samples=4"], clip(4), 0),
    "clip, twice": (
        ["clip:samples=7", "clip:samples=3"],
        chained(clip(7), clip(3, name="clip#2")),
        0,
    ),
    "subsample": (["subsample:every=3"], subsample(3, 0), 0),
    "subsample, first": (["subsample:every=3,first=1"], subsample(3, 1), 0),
    "reverse": (["reverse"], reverse(), 0),
    "reverse, two streams": (["reverse:w+x"], reverse("w", "x"), 0),
    "spec_augment": (
        [f"spec_augment:x:{SPEC_AUGMENT}"],
        spec_augment("x", "spec_augment", **MASKS),
        0,
    ),
    "spec_augment, mean": (
        [f"spec_augment:x:{SPEC_AUGMENT},value=mean"],
        spec_augment("x", "spec_augment", **MASKS, value="mean"),
        1e-6,
    ),
    "spec_augment, two streams": (
        [f"spec_augment:x+y:{SPEC_AUGMENT},value=-1"],
        chained(
            spec_augment("x", "spec_augment", **MASKS, value=-1),
            spec_augment("y", "spec_augment#2", **MASKS, value=-1),
        ),
        0,
    ),
    "one_hot": ([ONE_HOT], one_hot(6, np.float32), 0),
    "one_hot, f64": ([f"{ONE_HOT},dtype=f64"], one_hot(6, np.float64), 0),
    "to_dense": (["to_dense:w"], same, 0),
    "select, rename": (["select:w+x", "rename:x:as=z"], select_and_rename, 0),
    "chain": (
        ["subsample:every=2", "clip:samples=5", "reverse:x", "context:x:left=1,right=1"],
        chained(subsample(2, 0), clip(5), reverse("x"), context(1, 1)),
        0,
    ),
}

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.mark.parametrize("packing", ["ragged", "padded", "packed"])
@each_case
def test_sequences_match_numpy(path, case, packing):
    transforms, function, tolerance = case
    assert_equal(read(path, transforms, packing=packing), expected_of(function), tolerance)


@each_case
def test_frames_and_slices_match_whole_sequences(path, case):
    transforms = case[0]
    whole = read(path, transforms)
    for key in [key for key, arrays in whole.items() if len(arrays["w"]) == 0]:
        del whole[key]  # there are no frames of a sequence that has no samples
    frames = {"packing": "frames", "split_frames": True, "minibatch_samples": 5}
    assert_equal(read(path, transforms, **frames), whole)
    slices = {"packing": "truncated", "truncation_length": 3, "minibatch_samples": 9}
    assert_equal(read(path, transforms, **slices), whole)


def test_kaldi_and_htk_differ_near_the_ends_only(path):
    kaldi = read(path, ["delta:x"])[55]["x"]
    htk = read(path, ["delta:x:style=htk"])[55]["x"]
    differ = (kaldi != htk).any(axis=1)
    assert differ[[0, 1, -2, -1]].all()
    np.testing.assert_allclose(kaldi[2:-2], htk[2:-2], 1e-6, 1e-6)


def test_to_dense_makes_a_dense_stream_and_one_hot_a_sparse_one(path):
    made = open_reader(path, ["to_dense:w", ONE_HOT]).streams
    assert not made["w"].sparse
    assert made["id"].sparse
    assert made["id"].dim == 6


RANDOM = ["clip:samples=6", f"spec_augment:x+y:{SPEC_AUGMENT}"]
RANDOM_FUNCTION = chained(
    clip(6),
    spec_augment("x", "spec_augment", **MASKS),
    spec_augment("y", "spec_augment#2", **MASKS),
)
ORDERS = [
    {"order": "file"},
    {"order": "cntk", "seed": 5},
    {"order": "keyed", "seed": 11},
    {"order": "keyed", "seed": 11, "batching": "bucketed"},
]


def expected_random(options, sweep):
    return expected_of(RANDOM_FUNCTION, options.get("seed", 0), sweep)


each_order = pytest.mark.parametrize("options", ORDERS, ids=str)


@each_order
def test_each_sweep_draws_its_own_numbers_in_every_order(path, options):
    reader = open_reader(path, RANDOM, **options)
    for sweep in range(3):
        assert_equal(join_parts(reader), expected_random(options, sweep))


@each_order
def test_minibatches_count_samples_after_the_transforms(path, options):
    clipped = [min(n, 6) for n in LENGTHS]
    assert sheaf.stat(path, STREAMS, transforms=RANDOM)["samples"] == sum(clipped)
    sizes = [mb.x.lengths.sum() for mb in open_reader(path, RANDOM, **options)]
    assert sum(sizes) == sum(clipped)
    assert len(sizes) <= 4  # 72 samples before the clip would need 5


def contents(minibatches):
    return [
        [(key, {name: array.tolist() for name, array in arrays.items()}) for key, arrays in parts]
        for parts in map(parts_of, minibatches)
    ]


@each_order
def test_threads_do_not_change_the_values(path, options):
    one, four = (open_reader(path, RANDOM, num_threads=n, **options) for n in (1, 4))
    assert contents(one) == contents(four)
    assert contents(one) == contents(four)  # of the second sweep


@each_order
def test_two_workers_share_the_sequences(path, options):
    options = options | {"chunk_size": 512}  # cntk deals whole chunks to workers
    readers = [open_reader(path, RANDOM, rank=rank, world_size=2, **options) for rank in (0, 1)]
    for sweep in range(2):
        shares = [join_parts(reader) for reader in readers]
        assert all(shares)
        assert not set(shares[0]) & set(shares[1])
        assert_equal(shares[0] | shares[1], expected_random(options, sweep))


@pytest.mark.parametrize("packing", ["ragged", "truncated"])
def test_a_resumed_reader_draws_the_same_numbers(path, packing):
    options = {"order": "keyed", "seed": 11, "packing": packing}
    if packing == "truncated":
        options["truncation_length"] = 4
    reader = open_reader(path, RANDOM, **options)
    run = [minibatch for _ in range(2) for minibatch in reader]
    for number in range(len(run) - 1):
        resumed = open_reader(path, RANDOM, **options)
        resumed.load_state_dict(run[number].position)
        rest = [minibatch for _ in range(2) for minibatch in resumed]
        count = len(run) - number - 1
        assert contents(rest[:count]) == contents(run[number + 1 :])


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ("context:x:left=-1", "left must be"),
        ("delta:x:order=4", "order must be"),
        ("delta:x:style=sox", "style must be"),
        ("standardize:x", "exactly one of these is needed"),
        ("standardize:x:stddev=0", "stddev must be numbers above 0"),
        ("standardize:x:mean=1 2 3", 'stream "x"'),
        ("cast:x:dtype=float8", "dtype must be"),
        ("clip:samples=0", "samples must be"),
        ("clip:samples=4,at=middle", "at must be"),
        ("subsample:every=3,first=3", "first must be"),
        ("spec_augment:x:time_ratio=1.5", "time_ratio must be"),
        ("spec_augment:x:value=nan", "value must be"),
        ("one_hot:id:dim=0", "dim must be"),
        ("rename:x:as=y", 'two streams would be called "y"'),
        ("rename:x", "as is needed"),
        ("select:x+x", 'the stream "x" is named twice'),
        ("select:z", 'there is no stream "z"'),
        ("context:w", 'stream "w" must be dense'),
        ("delta:w", 'stream "w" must be dense'),
        ("standardize:w:per=sequence", 'stream "w" must be dense'),
        ("spec_augment:w", 'stream "w" must be dense'),
        ("one_hot:x:dim=6", 'stream "x" must be dense'),
        ("to_dense:x", 'stream "x" must be sparse'),
        ("context", "the streams are needed"),
    ],
)
def test_a_wrong_option_or_stream_is_refused_before_data_are_read(path, transform, message):
    with pytest.raises(sheaf.ConfigError) as raised:
        next(iter(open_reader(path, [transform])))
    assert message in str(raised.value)
    assert transform.partition(":")[0] in str(raised.value)


def test_a_missing_file_of_statistics_is_an_error(path):
    with pytest.raises(sheaf.IoError, match=r"none\.json: cannot open"):
        open_reader(path, ["standardize:x:statistics=none.json"])


def test_clipping_one_stream_requires_a_stream_that_defines_the_size(path):
    with pytest.raises(sheaf.ConfigError, match="it is open which of them minibatch sizes count"):
        open_reader(path, ["clip:x:samples=3"])
    streams = ["x:dense:4:mb", *STREAMS[1:]]
    reader = sheaf.Reader(path, streams, transforms=["clip:x:samples=3"], minibatch_samples=6)
    for minibatch in reader:
        assert 0 < minibatch.x.lengths.sum() <= 6
    clipped = clip(3, name="clip", streams=["x"])
    expected = expected_of(clipped)
    assert_equal(join_parts(reader), expected_of(clipped, sweep=1))
    assert [len(expected[key]["x"]) for key in KEYS] == [min(n, 3) for n in LENGTHS]


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ("cast:x:dtype=int32", "which int32 does not hold"),
        ("one_hot:id:dim=6", "must be a whole number from 0 to 5: got -1"),
        ("one_hot:id:dim=5,ignore=-1", "must be a whole number from 0 to 4: got 5"),
    ],
)
def test_errors_of_values_name_transform_and_sequence(path, transform, message):
    with pytest.raises(sheaf.ConfigError) as raised:
        list(open_reader(path, [transform]))
    assert message in str(raised.value)
    assert transform in str(raised.value)
    assert "sequence " in str(raised.value)


def test_clip_refuses_streams_of_different_lengths(tmp_path):
    path = tmp_path / "uneven.ctf"
    path.write_text("4 |x 1 |y 1\n4 |x 2 |y 2\n7 |x 1 |y 1\n7 |x 2\n")
    reader = sheaf.Reader(path, ["x:dense:1", "y:dense:1"], transforms=["clip:samples=1"])
    with pytest.raises(sheaf.ConfigError, match='sequence 7: streams "x" and "y" must have equal'):
        list(reader)
