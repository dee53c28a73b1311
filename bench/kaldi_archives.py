#!/usr/bin/env python3
"""Measure whole runs over Kaldi archives and lists against kaldi_native_io, in turns.

    bench/kaldi_archives.py [--utterances 4000] [--folder DIR]

Makes a corpus in DIR once: alignments, and matrices of 200 to 1,399 frames of 80 values (FM and
CM). Each run is a separate process with one thread. The table has the median processor seconds of
five runs and the ratio of native to sheaf; above 1, sheaf is faster. `native` reads one array after
the other. `batches` also joins the arrays to batches of 8,192 frames, as sheaf does.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROUNDS = 5
DIM = 80
MINIBATCH_SIZE = 8192


def make(folder: pathlib.Path, utterances: int) -> None:
    import kaldi_native_io as kio

    rng = np.random.default_rng(7)
    base = np.cumsum(rng.normal(size=(2000, DIM)), axis=0).astype(np.float32)
    writers = {
        "fm": kio.FloatMatrixWriter(f"ark,scp:{folder}/fm.ark,{folder}/fm.scp"),
        "cm": kio.CompressedMatrixWriter(f"ark,scp:{folder}/cm.ark,{folder}/cm.scp"),
        "ali": kio.Int32VectorWriter(f"ark,scp:{folder}/ali.ark,{folder}/ali.scp"),
    }
    for i in range(utterances):
        frames = 200 + int(rng.integers(1200))
        first = int(rng.integers(2000 - frames))
        matrix = base[first : first + frames] + np.float32(i % 17)
        writers["fm"].write(f"utt{i:06}", matrix)
        writers["cm"].write(f"utt{i:06}", matrix, kio.CompressionMethod.kAutomaticMethod)
        writers["ali"].write(f"utt{i:06}", (np.arange(frames, dtype=np.int32) * 7 + i) % 4000)
    for writer in writers.values():
        writer.close()


def read_native(folder: pathlib.Path, kind: str, table: str, makes_batches: bool) -> int:
    import kaldi_native_io as kio

    open_reader = (
        kio.SequentialInt32VectorReader if kind == "ali" else kio.SequentialFloatMatrixReader
    )
    total, held, batch = 0, 0, []
    with open_reader(f"{table}:{folder}/{kind}.{table}") as reader:
        for _, value in reader:
            total += len(value)
            if not makes_batches:
                continue
            if held + len(value) > MINIBATCH_SIZE:
                np.concatenate(batch)
                held, batch = 0, []
            batch.append(np.array(value))  # copies the array, since the reader reuses its memory
            held += len(value)
    return total


def read_sheaf(folder: pathlib.Path, kind: str, table: str) -> int:
    import sheaf

    reader = sheaf.Reader(
        f"{folder}/{kind}.{table}",
        format="kaldi",
        order="file",
        minibatch_size=MINIBATCH_SIZE,
        packing="ragged",
        num_threads=1,
    )
    total = 0
    for minibatch in reader:
        total += int(minibatch[kind].lengths.sum())
    return total


def measured(folder: str, reader: str, kind: str, table: str) -> tuple[float, float, int]:
    command = [sys.executable, __file__, "--folder", folder, "--one", reader, kind, table]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, memory, total = out.split()
    return float(seconds), float(memory), int(total)


def one(folder: pathlib.Path, reader: str, kind: str, table: str) -> None:
    if reader == "sheaf":
        import sheaf  # noqa: F401 the import is not measured
    else:
        import kaldi_native_io  # noqa: F401
    before = resource.getrusage(resource.RUSAGE_SELF)
    if reader == "sheaf":
        total = read_sheaf(folder, kind, table)
    else:
        total = read_native(folder, kind, table, reader == "batches")
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(seconds, after.ru_maxrss / 1024, total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--utterances", type=int, default=4000)
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "sheaf-kaldi"))
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    if options.one:
        one(folder, *options.one)
        return
    if not (folder / "ali.scp").exists():
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, options.utterances)
    print(
        f"{'':10} {'MB':>5} {'native s':>9} {'batches s':>9} {'sheaf s':>8} {'spread':>10}"
        f" {'ratio':>6} {'batches':>7} {'held MB':>7}"
    )
    for kind in ("fm", "cm", "ali"):
        for table in ("ark", "scp"):
            measured(options.folder, "sheaf", kind, table)
            seconds: dict[str, list[float]] = {"native": [], "batches": [], "sheaf": []}
            totals, memory = set(), 0.0
            for _ in range(ROUNDS):
                for reader in seconds:
                    spent, used, total = measured(options.folder, reader, kind, table)
                    seconds[reader].append(spent)
                    totals.add(total)
                    memory = max(memory, used if reader == "sheaf" else 0)
            assert len(totals) == 1, totals
            native, batches, ours = (statistics.median(each) for each in seconds.values())
            size = (folder / f"{kind}.ark").stat().st_size / 1e6
            spread = f"{min(seconds['sheaf']):.2f}-{max(seconds['sheaf']):.2f}"
            print(
                f"{kind} {table:6} {size:5.0f} {native:9.2f} {batches:9.2f} {ours:8.2f}"
                f" {spread:>10} {native / ours:6.2f} {batches / ours:7.2f} {memory:7.0f}"
            )


if __name__ == "__main__":
    main()
