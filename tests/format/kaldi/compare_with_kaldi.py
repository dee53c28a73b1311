#!/usr/bin/env python3
"""Compare sheaf's reading and writing of Kaldi objects with Kaldi's own code.

    compare_with_kaldi.py TESTS [--count N] [--seed S]

TESTS is the program sheaf_tests. kaldi_native_io, which is Kaldi's code, writes N random objects of
each kind to archives and reads them back. Then sheaf_tests decodes these archives and encodes the
same values, and must find the same bits. Of N random texts, sheaf_tests must read those that Kaldi
reads. Exits with 1 where anything differs, and with 0 and a message where kaldi_native_io is not
installed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

try:
    import kaldi_native_io as kaldi
    import numpy as np
except ImportError:
    print("skipped: kaldi_native_io is not installed (pip install kaldi_native_io)")
    sys.exit(0)

ROWS_MAX = 40
LONG_ROWS_MAX = 400
COLS_MAX = 24
METHODS = (
    "kAutomaticMethod",
    "kSpeechFeature",
    "kTwoByteAuto",
    "kTwoByteSignedInteger",
    "kOneByteAuto",
    "kOneByteUnsignedInteger",
    "kOneByteZeroOne",
)


def floats(random: np.random.Generator, dtype: type, shape: tuple[int, ...]) -> Any:
    """Return numbers of many sizes; now and then many of them are equal."""
    values = random.standard_normal(shape) * 10.0 ** random.integers(-6, 7)
    if random.random() < 0.2:
        values = np.round(values)
    if random.random() < 0.05:
        values[:] = values.flat[0]
    return values.astype(dtype)


def shape(random: np.random.Generator) -> tuple[int, int]:
    """Return a shape; one in sixteen has many rows, which CM decodes by tables."""
    rows_max = LONG_ROWS_MAX if random.random() < 1 / 16 else ROWS_MAX
    return int(random.integers(1, rows_max)), int(random.integers(1, COLS_MAX))


def integers(random: np.random.Generator) -> list[int]:
    count = int(random.integers(0, 50))
    return [int(n) for n in random.integers(-(2**31), 2**31, count)]


def posterior(random: np.random.Generator) -> list[list[tuple[int, float]]]:
    """Return frames whose indices ascend, as sheaf writes them."""
    frames = []
    for _ in range(random.integers(1, 12)):
        indices = sorted(set(random.integers(0, 1000, random.integers(0, 6)).tolist()))
        frames.append([(int(i), float(np.float32(random.random()))) for i in indices])
    return frames


def raw_posterior(frames: list[list[tuple[int, float]]]) -> bytes:
    raw = b""
    for frame in frames:
        raw += np.int32(len(frame)).tobytes()
        for index, weight in frame:
            raw += np.int32(index).tobytes() + np.float32(weight).tobytes()
    return raw


class Maker:
    """Writes archives, and beside them what Kaldi reads from them."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.count = count

    def make(
        self,
        stem: str,
        writer: Any,
        reader: Any,
        objects: Iterator[Any],
        raw: Callable[[Any], bytes],
        mode: str = "ark",
    ) -> None:
        path = self.folder / f"{stem}.ark"
        with writer(f"{mode}:{path}") as out:
            for i in range(self.count):
                value = next(objects)
                out.write(f"key{i}", *value) if isinstance(value, tuple) else out.write(
                    f"key{i}", value
                )
        with reader(f"ark:{path}") as entries:
            path.with_suffix(".bin").write_bytes(b"".join(raw(value) for _, value in entries))


def repeat(make: Callable[[], Any]) -> Iterator[Any]:
    while True:
        yield make()


def make_plain(maker: Maker, random: np.random.Generator) -> None:
    for dtype, name in ((np.float32, "Float"), (np.float64, "Double")):
        matrix = (
            getattr(kaldi, f"{name}MatrixWriter"),
            getattr(kaldi, f"Sequential{name}MatrixReader"),
        )
        vector = (
            getattr(kaldi, f"{name}VectorWriter"),
            getattr(kaldi, f"Sequential{name}VectorReader"),
        )
        matrices = repeat(lambda dtype=dtype: floats(random, dtype, shape(random)))
        vectors = repeat(lambda dtype=dtype: floats(random, dtype, (shape(random)[0],)))
        raw = lambda value, dtype=dtype: np.asarray(value, dtype).tobytes()  # noqa: E731
        maker.make(f"matrix_{name}", *matrix, matrices, raw)
        maker.make(f"vector_{name}", *vector, vectors, raw)
        if name == "Float":
            maker.make("matrix_text", *matrix, matrices, raw, "ark,t")
            maker.make("vector_text", *vector, vectors, raw, "ark,t")
        scalars = repeat(lambda dtype=dtype: float(floats(random, dtype, (1,))[0]))
        maker.make(
            f"scalar_{name}",
            getattr(kaldi, f"{name}Writer"),
            getattr(kaldi, f"Sequential{name}Reader"),
            scalars,
            raw,
        )


def make_integers(maker: Maker, random: np.random.Generator) -> None:
    raw = lambda value: np.asarray(value, np.int32).tobytes()  # noqa: E731
    vector = (kaldi.Int32VectorWriter, kaldi.SequentialInt32VectorReader)
    vectors = repeat(lambda: integers(random))
    maker.make("int_binary", *vector, vectors, raw)
    maker.make("int_text", *vector, vectors, raw, "ark,t")
    maker.make(
        "pair_binary",
        kaldi.Int32PairVectorWriter,
        kaldi.SequentialInt32PairVectorReader,
        repeat(lambda: list(zip(integers(random), integers(random), strict=False))),
        raw,
    )
    maker.make(
        "list_binary",
        kaldi.Int32VectorVectorWriter,
        kaldi.SequentialInt32VectorVectorReader,
        repeat(lambda: [integers(random) for _ in range(random.integers(0, 8))]),
        lambda value: b"".join(raw(part) for part in value),
    )
    maker.make(
        "scalar_int",
        kaldi.Int32Writer,
        kaldi.SequentialInt32Reader,
        repeat(lambda: int(random.integers(-(2**31), 2**31))),
        raw,
    )
    posteriors = (kaldi.PosteriorWriter, kaldi.SequentialPosteriorReader)
    objects = repeat(lambda: posterior(random))
    maker.make("post_binary", *posteriors, objects, raw_posterior)
    maker.make("post_text", *posteriors, objects, raw_posterior, "ark,t")


def make_compressed(maker: Maker, random: np.random.Generator) -> None:
    for number, method in enumerate(METHODS, 1):
        with (maker.folder / f"cm_{number}.src").open("wb") as sources:

            def compressed(method: str = method, sources: Any = sources) -> Any:
                value = floats(random, np.float32, shape(random))
                sources.write(value.tobytes())
                return value, getattr(kaldi.CompressionMethod, method)

            maker.make(
                f"cm_{number}",
                kaldi.CompressedMatrixWriter,
                kaldi.SequentialFloatMatrixReader,
                repeat(compressed),
                lambda value: np.asarray(value, np.float32).tobytes(),
            )


# Pieces of texts, right and wrong.
PIECES = (
    *("[", "]", "[]", "[ ", "] ", " ", " ", "\t", "\n", "\r", ";"),
    *("1", "00", "-2", "-0", "3.5", "1.", "1.2.3", "1e2", "1e", "1e-50", "1e39", "e"),
    *("+1", ".5", "-", "inf", "-inf", "Infinity", "NaN", "nan]", "0x10", "x"),
)


def random_text(random: np.random.Generator, kind: int) -> str:
    body = "".join(random.choice(PIECES, random.integers(0, 8)))
    if kind == 2:
        return body.replace("e", "") + "\n"
    return f"[ {body} ]\n" if random.random() < 0.8 else body + "\n"


def read_text(folder: Path, reader: Any, raw: Callable[[Any], Any], text: str) -> Any:
    """Return `raw` of what Kaldi reads from a text object; None where the text is wrong."""
    path = folder / "text"
    path.write_text(f"key {text}", newline="")
    try:
        with reader(f"ark:{path}") as entries:
            # The arrays of a reader end with it.
            return next((raw(value) for _, value in entries), None)
    except RuntimeError:
        return None


def make_texts(maker: Maker, random: np.random.Generator) -> None:
    raw_float = lambda value: np.asarray(value, np.float32).tobytes()  # noqa: E731
    kinds = (
        (kaldi.SequentialFloatMatrixReader, raw_float),
        (kaldi.SequentialFloatVectorReader, raw_float),
        (kaldi.SequentialInt32VectorReader, lambda value: np.asarray(value, np.int32).tobytes()),
        (kaldi.SequentialPosteriorReader, lambda value: list(map(sorted, value))),
    )
    with (maker.folder / "texts.cases").open("wb") as out:
        for i in range(maker.count):
            kind = i % len(kinds)
            reader, raw = kinds[kind]
            text = random_text(random, kind)
            found = read_text(maker.folder, reader, raw, text)
            if kind == 3 and found is not None:
                indices = [[index for index, _ in frame] for frame in found]
                # sheaf takes neither indices below 0 nor an index twice in a frame.
                if any(min(f, default=0) < 0 or len(set(f)) < len(f) for f in indices):
                    continue
                found = raw_posterior(found)
            size = -1 if found is None else len(found)
            out.write(np.array([kind, len(text), size], np.int32).tobytes())
            out.write(text.encode() + (found or b""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", metavar="TESTS", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as name:
        maker = Maker(Path(name), options.count)
        make_plain(maker, random)
        make_integers(maker, random)
        make_compressed(maker, random)
        make_texts(maker, random)
        return subprocess.run(
            [options.tests, "--gtest_filter=KaldiOracle.*"],
            env={**os.environ, "SHEAF_KALDI_FOLDER": name},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
