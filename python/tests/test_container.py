"""The container .sheaf from Python: written, read, converted, resumed."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import sheaf

STREAMS = ["x:dense:3", "ids:sparse:100"]


def write_rows(path: pathlib.Path, count: int, **options: object) -> None:
    lines = [
        f"{key} |x {key}.5 -1 {key % 7} |ids {key % 50}:1 {50 + key % 50}:0.25\n"
        for key in range(count)
    ]
    path.with_suffix(".ctf").write_text("".join(lines), encoding="utf-8")
    sheaf.convert(str(path.with_suffix(".ctf")), str(path), STREAMS, **options)


def test_a_name_without_an_extension_is_a_container(tmp_path: pathlib.Path) -> None:
    for name in ("scores", ".scores"):
        path = tmp_path / name
        with sheaf.Writer(path, {"score": sheaf.Stream(dim=3)}) as writer:
            writer.write(318, {"score": [0.5, 0.25, 2]})
        assert path.read_bytes().startswith(b"\x89SHEAF\r\n")
        (minibatch,) = sheaf.Reader(path)
        assert list(minibatch.sequence_keys) == [318]
        assert minibatch.score.values.tolist() == [[[0.5, 0.25, 2]]]
        assert sheaf.open(path).format == "sheaf"
        with pytest.raises(sheaf.ConfigError, match="exists"):
            sheaf.Writer(path, ["x:dense:1"], overwrite=False)
    copied = tmp_path / "copied"
    sheaf.convert(tmp_path / "scores", copied)
    assert copied.read_bytes() == (tmp_path / "scores").read_bytes()
    with pytest.raises(sheaf.ConfigError, match="does not tell the format"):
        sheaf.Writer(tmp_path / "scores.cft", ["x:dense:1"])


def rows_of(reader: sheaf.Reader) -> list[tuple[object, list[object], list[object]]]:
    """Return key, values of x and entries of ids of each sequence, in the order of delivery."""
    rows = []
    for minibatch in reader:
        for i, key in enumerate(minibatch.sequence_keys):
            rows.append(
                (
                    key,
                    np.asarray(minibatch.x.samples(i)).tolist(),
                    [
                        (indices.tolist(), values.tolist())
                        for indices, values in minibatch.ids.samples(i)
                    ],
                )
            )
    return rows


def test_a_conversion_keeps_keys_and_values(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.sheaf"
    write_rows(path, 100)
    for compression in ("fast", "small", "none"):
        other = tmp_path / f"{compression}.sheaf"
        sheaf.convert(str(path), str(other), to_options={"sheaf.compression": compression})
        assert rows_of(sheaf.Reader(str(other))) == rows_of(
            sheaf.Reader(str(tmp_path / "rows.ctf"), STREAMS)
        )


@pytest.mark.parametrize("in_own_order", [False, True])
def test_costs_count_as_in_the_source(tmp_path: pathlib.Path, *, in_own_order: bool) -> None:
    source = tmp_path / "rows.ctf"
    source.write_text(
        "".join(f"{key} |x 1.{'0' * (key * 37 % 101)}5\n" for key in range(200)), encoding="utf-8"
    )
    path = tmp_path / "rows.sheaf"
    reader = sheaf.Reader(source, ["x:dense:1:dtype=float64"], dtype="float64")
    sheaf.convert(
        reader if in_own_order else source,
        path,
        *([] if in_own_order else [["x:dense:1:dtype=float64"]]),
    )

    def minibatches(of: pathlib.Path, **options: object) -> list[list[int]]:
        run = sheaf.Reader(of, unit="cost", minibatch_size=400, **options)
        return [list(minibatch.sequence_keys) for minibatch in run]

    for options in ({}, {"order": "keyed", "batching": "bucketed", "window_samples": 50}):
        expected = minibatches(source, **options)
        assert len(expected) > 10
        assert minibatches(path, **options) == expected


@pytest.mark.parametrize("order", ["file", "keyed", "cntk"])
def test_a_run_resumes(tmp_path: pathlib.Path, order: str) -> None:
    path = tmp_path / "rows.sheaf"
    write_rows(path, 200)
    options = {"order": order, "batch_size": 7} | ({} if order == "file" else {"seed": 3})
    expected = rows_of(sheaf.Reader(str(path), **options))
    assert sorted(key for key, _, _ in expected) == list(range(200))
    reader = sheaf.Reader(str(path), **options)
    batches = iter(reader)
    first = [next(batches) for _ in range(5)]
    state = reader.state_dict()
    resumed = sheaf.Reader(str(path), **options)
    resumed.load_state_dict(state)
    assert rows_of(resumed) == expected[sum(len(each.sequence_keys) for each in first) :]


def test_a_position_fits_every_compression(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.sheaf"
    write_rows(path, 200)
    other = tmp_path / "none.sheaf"
    sheaf.convert(str(path), str(other), to_options={"sheaf.compression": "none"})
    options = {"order": "keyed", "batch_size": 7}
    reader = sheaf.Reader(str(path), **options)
    first = next(iter(reader))
    resumed = sheaf.Reader(str(other), **options)
    resumed.load_state_dict(reader.state_dict())
    assert (
        rows_of(resumed) == rows_of(sheaf.Reader(str(path), **options))[len(first.sequence_keys) :]
    )


def test_samples_of_any_shape_come_back(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "any.sheaf")
    rng = np.random.default_rng(1)
    images = [rng.integers(0, 256, (2 + n % 3, 4), dtype=np.uint8) for n in range(20)]
    streams = {
        "image": sheaf.Stream(shape=(None, 4), dtype="uint8"),
        "text": sheaf.Stream(dtype="bytes"),
    }
    with sheaf.Writer(path, streams) as writer:
        for n, image in enumerate(images):
            writer.write(f"key-{n}", {"image": image, "text": f"text {n}"})
    found = {}
    for minibatch in sheaf.Reader(path, packing="ragged", minibatch_size=5):
        for i, key in enumerate(minibatch.key_texts):
            found[key] = (minibatch.image.samples(i)[0], bytes(minibatch.text.samples(i)[0]))
    for n, image in enumerate(images):
        np.testing.assert_array_equal(found[f"key-{n}"][0], image)
        assert found[f"key-{n}"][1] == f"text {n}".encode()


def test_stat_reports_the_storage_of_streams(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.sheaf"
    write_rows(path, 2000)
    storage = {(each["stream"], each["array"]): each for each in sheaf.stat(str(path))["storage"]}
    values = storage["x", "values"]
    assert values["codec"] == "decimal"
    assert values["content_bytes"] == 2000 * 3 * 4
    assert values["stored_bytes"] < values["content_bytes"]
    assert storage["ids", "indices"]["codec"] == "delta"


def test_damage_is_found_and_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.sheaf"
    write_rows(path, 50)
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    with pytest.raises(sheaf.DataError, match=r"sheaf-hash") as caught:
        rows_of(sheaf.Reader(str(path)))
    assert caught.value.diagnostics[0].byte_offset == 64
