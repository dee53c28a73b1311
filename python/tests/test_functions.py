"""Python functions as transforms: sheaf.map."""

import copy
import gc
import pathlib
import pickle
import threading
import weakref

import numpy as np
import pytest

import sheaf

SEQUENCES = 60


@pytest.fixture
def path(tmp_path):
    """Write sequences: number k has 1 + k % 5 samples, x = (10 k + t, t), and y the class t % 3."""
    file = tmp_path / "train.ctf"
    file.write_text(
        "".join(
            f"{k} |x {10 * k + t} {t} |y {t % 3}:1\n"
            for k in range(SEQUENCES)
            for t in range(1 + k % 5)
        )
    )
    return file


def delivered(path, transforms=None, stream="x", **options):
    """Return the values of one stream, by sequence key."""
    found = {}
    options = {"minibatch_size": 7, "unit": "sequences", "order": "keyed", **options}
    with sheaf.Reader(path, packing="ragged", transforms=transforms, **options) as reader:
        for minibatch in reader:
            batch = minibatch[stream]
            ends = batch.sequence_offsets
            for i, key in enumerate(minibatch.sequence_keys):
                found[int(key)] = batch.values[ends[i] : ends[i + 1]].copy()
    return found


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def center(x):
    return x - x.mean(axis=0)


def noise(x, rng):
    return x + rng.random(x.shape, dtype=np.float32)


def test_a_function_gets_whole_sequences(path):
    raw = delivered(path)
    assert len(raw) == SEQUENCES
    made = delivered(path, [sheaf.map(center, "x")])
    assert same(made, {key: x - x.mean(axis=0) for key, x in raw.items()})


def test_random_numbers_depend_on_sweep_and_key(path):
    raw = delivered(path)
    made = delivered(path, [sheaf.map(noise, "x")], seed=3)
    for key, x in raw.items():
        rng = sheaf.generator(3, 0, key, "noise")
        assert np.array_equal(made[key], x + rng.random(x.shape, dtype=np.float32))
    for options in ({"num_threads": 1}, {"num_threads": 4}, {"minibatch_size": 50}):
        assert same(delivered(path, [sheaf.map(noise, "x")], seed=3, **options), made)
    workers = {}
    for rank in range(2):
        workers |= delivered(path, [sheaf.map(noise, "x")], seed=3, rank=rank, world_size=2)
    assert same(workers, made)
    assert not same(delivered(path, [sheaf.map(noise, "x")], seed=4), made)


def test_file_order_has_a_seed_for_transforms(path):
    made = delivered(path, [sheaf.map(noise, "x")], order="file", seed=3)
    assert same(made, delivered(path, [sheaf.map(noise, "x")], order="keyed", seed=3))
    assert not same(made, delivered(path, [sheaf.map(noise, "x")], order="file"))
    with pytest.raises(sheaf.ConfigError, match='the order "file" shuffles nothing'):
        sheaf.Reader(path, seed=3)


def test_a_resumed_run_draws_the_same_numbers(path):
    options = {"minibatch_size": 7, "unit": "sequences", "order": "keyed", "packing": "ragged"}

    def reader():
        return sheaf.Reader(path, transforms=[sheaf.map(noise, "x")], **options)

    with reader() as whole:
        epoch = [minibatch.x.values.copy() for minibatch in whole]
    with reader() as first:
        iterator = iter(first)
        for _ in range(3):
            next(iterator)
        state = first.state_dict()
    with reader() as second:
        second.load_state_dict(state)
        rest = [minibatch.x.values.copy() for minibatch in second]
    assert len(rest) == len(epoch) - 3
    assert all(np.array_equal(a, b) for a, b in zip(rest, epoch[3:], strict=True))


def test_a_function_makes_streams(path):
    def both(x, y):
        data, indices, indptr = y
        assert indptr[0] == 0 and indptr[-1] == len(data) == len(indices) == len(x)
        return {"sum": x.sum(axis=1, keepdims=True), "class": indices.astype(np.int64)[:, None]}

    outputs = {"class": sheaf.Stream(dim=1, dtype="int64"), "sum": sheaf.Stream(dim=1)}
    transforms = [sheaf.map(both, ["x", "y"], outputs), "select:sum+class"]
    raw = delivered(path)
    made = delivered(path, transforms, "sum")
    assert same(made, {key: x.sum(axis=1, keepdims=True) for key, x in raw.items()})
    classes = delivered(path, transforms, "class")
    assert same(classes, {key: x[:, 1:].astype(np.int64) % 3 for key, x in raw.items()})


def test_a_function_makes_sparse_streams(path):
    def ids(x):
        count = len(x)
        return np.ones(count, np.float32), x[:, 1].astype(np.int32), np.arange(count + 1)

    transforms = [sheaf.map(ids, "x", {"ids": sheaf.Stream(dim=9, sparse=True)}), "to_dense:ids"]
    made = delivered(path, transforms, "ids")
    assert same(made, {k: np.eye(9, dtype=np.float32)[: 1 + k % 5] for k in range(SEQUENCES)})


def test_a_function_declares_its_number_of_samples(path):
    mean = sheaf.map(lambda x: x.mean(axis=0, keepdims=True), "x", samples=1, name="mean")
    raw = delivered(path)
    options = {"unit": "samples", "minibatch_size": 10}
    made = delivered(path, [mean, "select:x"], **options)
    assert same(made, {key: x.mean(axis=0, keepdims=True) for key, x in raw.items()})
    with sheaf.Reader(path, transforms=[mean, "select:x"], order="keyed", **options) as reader:
        assert [len(minibatch.sequence_keys) for minibatch in reader] == [10] * 6


def test_frames_match_whole_sequences(path):
    whole = delivered(path, [sheaf.map(center, "x")])
    with sheaf.Reader(
        path, transforms=[sheaf.map(center, "x")], split_frames=True, packing="frames"
    ) as reader:
        count = 0
        for minibatch in reader:
            for i, key in enumerate(minibatch.sequence_keys):
                first = minibatch.slices[i][0]
                assert np.array_equal(minibatch.x.values[i], whole[int(key)][first])
                count += 1
    assert count == sum(map(len, whole.values()))


def test_a_batched_function_gets_the_sequences_of_a_minibatch(path):
    sizes = []

    def crowd(xs, rng):
        assert isinstance(xs, list) and len(xs) == len(rng)
        sizes.append(len(xs))
        return [x + len(xs) for x in xs]

    raw = delivered(path)
    transforms = [sheaf.map(crowd, "x", batched=True)]
    with sheaf.Reader(path, transforms=transforms, order="keyed", packing="ragged") as reader:
        for minibatch in reader:
            expected = [
                raw[int(key)] + len(minibatch.sequence_keys) for key in minibatch.sequence_keys
            ]
            assert np.array_equal(minibatch.x.values, np.concatenate(expected))
            assert len(minibatch.sequence_keys) in sizes
    assert sum(sizes) == SEQUENCES


def test_a_function_may_keep_its_arrays(path):
    kept = []

    def keep(x):
        kept.append(x)
        return x

    raw = delivered(path, [sheaf.map(keep, "x")])
    gc.collect()
    assert sorted(map(bytes, kept)) == sorted(map(bytes, raw.values()))


def test_random_access_draws_the_numbers_of_a_sweep(path):
    with sheaf.Reader(path, transforms=[sheaf.map(noise, "x")], order="keyed", seed=3) as reader:
        for sweep in (0, 1):
            found = reader.sequence_at(sweep, 5)
            key = int(found.sequence_keys[0])
            x = np.array([[10 * key + t, t] for t in range(1 + key % 5)], dtype=np.float32)
            rng = sheaf.generator(3, sweep, key, "noise")
            expected = x + rng.random(x.shape, dtype=np.float32)
            assert np.array_equal(found.x.values.reshape(-1, 2), expected)


def test_a_spec_names_functions(path):
    spec = {
        "data": {
            "files": str(path),
            "transforms": [{"type": "function", "name": "augment", "streams": ["x"]}],
        },
        "read": {"packing": "ragged"},
    }
    with sheaf.Reader(spec=spec, objects={"augment": sheaf.map(center, "x")}) as reader:
        first = next(iter(reader))
    assert abs(first.x.values[: first.x.sequence_offsets[1]].mean()) < 1e-3
    with pytest.raises(sheaf.ConfigError, match='the program gives no function "augment"'):
        sheaf.Reader(spec=spec)
    with pytest.raises(sheaf.ConfigError, match='no transform of the spec names the function "b"'):
        objects = {"augment": sheaf.map(center, "x"), "b": sheaf.map(center, "x")}
        sheaf.Reader(spec=spec, objects=objects)


def test_two_functions_of_one_name_draw_different_numbers(path):
    first = delivered(path, [sheaf.map(noise, "x")])
    twice = delivered(path, [sheaf.map(noise, "x"), sheaf.map(noise, "x")])
    for key, x in first.items():
        rng = sheaf.generator(0, 0, key, "noise#2")
        assert np.array_equal(twice[key], x + rng.random(x.shape, dtype=np.float32))


def test_a_position_has_the_version_of_a_function(path):
    def reader(version):
        function = sheaf.map(center, "x", version=version)
        return sheaf.Reader(path, transforms=[function], minibatch_size=5)

    with reader("1") as first:
        next(iter(first))
        state = first.state_dict()
    with reader("1") as second:
        second.load_state_dict(state)
    with reader("2") as third, pytest.raises(sheaf.ConfigError, match="version=1"):
        third.load_state_dict(state)


class OhError(Exception):
    pass


def fails_at_33(x):
    if x[0, 0] == 330:
        raise OhError("no")
    return x


@pytest.mark.parametrize("threads", [1, 4])
def test_an_exception_arrives_at_the_step_of_its_sequence(path, threads):
    options = {"minibatch_size": 10, "unit": "sequences", "num_threads": threads, "order": "file"}
    with sheaf.Reader(path, transforms=[sheaf.map(fails_at_33, "x")], **options) as reader:
        keys = []
        with pytest.raises(OhError) as caught:
            for minibatch in reader:
                keys += [int(key) for key in minibatch.sequence_keys]
    assert keys == list(range(30))
    assert caught.value.__notes__ == [
        "sheaf: this was the function fails_at_33, for the sequence with the key 33"
    ]


def test_stop_iteration_does_not_end_an_epoch(path):
    def stops(x):
        raise StopIteration

    with pytest.raises(RuntimeError, match="stops raised StopIteration"):
        delivered(path, [sheaf.map(stops, "x")])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[:-1], "expected 1 samples, as declared, got 0"),
        (lambda x: x.astype(np.float64), "expected float32, got float64"),
        (lambda x: x[:, :1], r"expected the shape \(samples, 2\), got \(1, 1\)"),
        (lambda x: x.tolist(), "expected an array of NumPy, got list"),
        (lambda x: None, r'stream "x": expected an array, got None \(the key is 0\)'),
        (lambda x: {"z": x}, r"expected the outputs \['x'\], got \['z'\]"),
        (lambda x: sheaf.Bad("it is too long"), 'the function "augment" takes, found it is too lo'),
    ],
)
def test_undeclared_arrays_are_errors(path, function, message):
    with pytest.raises(sheaf.DataError, match=message) as caught:
        delivered(path, [sheaf.map(function, "x", name="augment")], order="file")
    assert "augment" in str(caught.value)


def refuses(x):
    """Call every seventh sequence bad: 9 of the 60."""
    k = int(x[0, 0]) // 10
    return sheaf.Bad(f"{k} is a multiple of 7") if k % 7 == 0 else x


def refuses_many(xs):
    return [refuses(x) for x in xs]


def refuses_all_outputs(x):
    made = refuses(x)
    return made if isinstance(made, sheaf.Bad) else {"x": x, "z": x[:, :1]}


def refuses_one_output(x):
    return {"z": x[:, :1], "x": refuses(x)}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    "made",
    [
        sheaf.map(refuses, "x", name="refuses"),
        sheaf.map(refuses_many, "x", name="refuses", batched=True),
        sheaf.map(refuses_all_outputs, "x", ["x:dense:2", "z:dense:1"], name="refuses"),
        sheaf.map(refuses_one_output, "x", ["x:dense:2", "z:dense:1"], name="refuses"),
    ],
    ids=["one", "batched", "of_all_outputs", "of_one_output"],
)
def test_sequences_that_a_function_rejects_are_left_out(path, made, threads):
    """All other sequences are delivered with all streams, including sequences of the same call."""
    raw = delivered(path)
    expected = {key: x for key, x in raw.items() if key % 7}
    options = {"order": "file", "num_threads": threads}
    assert same(delivered(path, [made], max_errors=9, **options), expected)
    with pytest.raises(sheaf.DataError):
        delivered(path, [made], max_errors=8, **options)
    with sheaf.Reader(path, transforms=[made], max_errors=9, **options) as reader:
        assert sum(minibatch.hole_count for minibatch in reader) == 9
        assert [each.sequence_key for each in reader.diagnostics] == [str(7 * i) for i in range(9)]
        last = reader.diagnostics[-1]
    assert last.text == (
        'refuses: sequence 56: error: stream "x": expected a sequence that the function "refuses" '
        "takes, found 56 is a multiple of 7 [python-bad]"
    )


def test_a_later_transform_does_not_see_a_bad_sequence(path):
    seen = []

    def look(x):
        seen.append(int(x[0, 0]) // 10)
        return x

    delivered(path, [sheaf.map(refuses, "x"), sheaf.map(look, "x")], max_errors=9)
    assert sorted(seen) == [k for k in range(SEQUENCES) if k % 7]


def test_check_counts_sequences_that_a_function_rejects(path):
    report = sheaf.check(path, transforms=[sheaf.map(refuses, "x")])
    assert report.error_count == 9
    with sheaf.Reader(path, transforms=[sheaf.map(refuses, "x")]) as reader:
        assert reader.sequence(8) is not None
        with pytest.raises(sheaf.DataError, match="7 is a multiple of 7"):
            reader.sequence(7)


def test_a_batched_function_returns_lists(path):
    with pytest.raises(sheaf.DataError, match="a list with an array for each of 6 sequences"):
        delivered(path, [sheaf.map(lambda xs: xs[0], "x", batched=True, name="first")])
    with pytest.raises(sheaf.DataError, match="expected 6 sequences, got 1"):
        delivered(path, [sheaf.map(lambda xs: xs[:1], "x", batched=True, name="first")])


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (("no function", "x"), {}, TypeError),
        ((center, 5), {}, TypeError),
        ((center, []), {}, sheaf.ConfigError),
        ((center, "x"), {"samples": 0}, sheaf.ConfigError),
        ((center, "x"), {"samples": 1.5}, TypeError),
        ((center, "x"), {"outputs": []}, sheaf.ConfigError),
        ((center, "x"), {"outputs": ["y:dense"]}, sheaf.ConfigError),
        ((center, "x"), {"name": 5}, TypeError),
        ((center, "x"), {"batched": "yes"}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(arguments, options, error):
    with pytest.raises(error):
        sheaf.map(*arguments, **options)


def test_a_function_cannot_use_the_reader_that_waits_for_it(path):
    readers = []

    def reads(x):
        with pytest.raises(sheaf.ConfigError, match="cannot use the Reader that waits for it"):
            readers[0].sequence(3)
        return x

    with sheaf.Reader(path, transforms=[sheaf.map(reads, "x")]) as reader:
        readers.append(reader)
        for _ in reader:
            pass


def test_function_and_thread_end_with_the_reader(path):
    def function(x):
        return x

    made = sheaf.map(function, "x", name="ending")
    reference = weakref.ref(made)
    with sheaf.Reader(path, transforms=[made]) as reader:
        del made
        assert any(thread.name == "sheaf ending" for thread in threading.enumerate())
        for _ in reader:
            pass
    del reader
    gc.collect()
    assert reference() is None
    for thread in threading.enumerate():
        if thread.name == "sheaf ending":
            thread.join(10)
            assert not thread.is_alive()


def test_a_function_can_be_pickled_and_copied(path):
    made = sheaf.map(noise, "x")
    first = delivered(path, [made], seed=3)  # now it has a thread
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made)):
        assert same(delivered(path, [other], seed=3), first)


def test_the_repr_of_a_reader_with_functions_names_the_data(path):
    with sheaf.Reader(path, transforms=[sheaf.map(center, "x")]) as reader:
        assert repr(reader).startswith(f"<sheaf.Reader of '{path}', ")


def test_open_data_have_transforms_too(path):
    with sheaf.open(path, transforms=[sheaf.map(center, "x")]) as data:
        for sequence in data:
            assert abs(float(sequence.x.values[:, 1].mean())) < 1e-6


def test_check_and_convert_apply_functions(path, tmp_path):
    assert sheaf.check(path, transforms=[sheaf.map(center, "x")]).error_count == 0
    out = tmp_path / "out.ctf"
    sheaf.convert(path, out, transforms=[sheaf.map(lambda x: x * 2, "x", name="twice")])
    assert pathlib.Path(out).read_text().splitlines()[0].split() == [
        "0",
        "|x",
        "0",
        "0",
        "|y",
        "0:1",
    ]
    raw = delivered(path)
    assert same(delivered(out), {key: 2 * x for key, x in raw.items()})
