#!/usr/bin/env python3
"""Measure containers: reading and writing on one thread, against text, CBF, Arrow and a copy.

    bench/container.py [--build build/release] [--megabytes 300] [--runs 5]
                       [--folder /tmp/container] [--sizes]

Each corpus is made once and written in each format. The programs take turns within each run. `copy`
copies as many bytes as the values take in memory, a megabyte at a time. The tables show the median
seconds, MB of values per second, the speed relative to `copy`, and the size relative to the plain
values. All files are in the page cache. Without pyarrow, the corpus `rows` is left out.

With --sizes, the program compares sizes alone: each corpus of CTF, as f32 and as f64, as a
container, as CBF, as Parquet with zstd and with gzip, and as text with gzip. Without pyarrow,
Parquet is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time
from collections.abc import Callable

import numpy as np
from run import STREAMS, generate

COMPRESSIONS = ("fast", "small", "none")


def run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def copy_seconds(size: int) -> float:
    piece = np.ones(1 << 20, np.uint8)
    source = np.ones(max(size, 1 << 20), np.uint8)
    start = time.perf_counter()
    for at in range(0, size - len(piece) + 1, len(piece)):
        piece[:] = source[at : at + len(piece)]
    return time.perf_counter() - start


def parse(build: pathlib.Path, path: pathlib.Path, streams: list[str]) -> Callable[[], float]:
    """Return a program that decodes a whole file on one thread, a megabyte at a time."""
    spec = path.with_name(path.name + ".json")
    declared = [stream_of(text) for text in streams] if path.suffix == ".ctf" else []
    data: dict[str, object] = {"files": str(path)}
    if declared:
        data["streams"] = declared
    if ".f64." in path.name and path.suffix == ".ctf":
        data["dtype"] = "float64"
    spec.write_text(json.dumps({"data": data}), encoding="utf-8")
    command = [str(build / "bench" / "sheaf_parse_file"), "--spec", str(spec)]
    return lambda: float(json.loads(run(command))["parse_seconds"])


def stream_of(text: str) -> dict[str, object]:
    name, storage, shape = text.split(":")[:3]
    return {"name": name, "storage": storage, "shape": int(shape)}


def convert(
    build: pathlib.Path, source: pathlib.Path, target: pathlib.Path, *options: str
) -> Callable[[], float]:
    command = [str(build / "sheaf"), "convert", str(source), str(target), "--overwrite"]
    command += ["--threads", "1", *options]

    def seconds() -> float:
        start = time.perf_counter()
        run(command)
        return time.perf_counter() - start

    return seconds


def make_rows(path: pathlib.Path, megabytes: int) -> int:
    """Write rows of 1,024 random f32 to an Arrow file. Returns the bytes of the values."""
    import pyarrow as pa

    rng = np.random.default_rng(1)
    count = megabytes * 256
    kind = pa.list_(pa.float32(), 1024)
    schema = pa.schema([("x", kind)])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for _ in range(0, count, 1024):
            values = pa.array(rng.standard_normal(1024 * 1024, np.float32))
            rows = pa.FixedSizeListArray.from_arrays(values, 1024)
            writer.write_batch(pa.record_batch([rows], ["x"]))
    return count * 4096


def content_of(build: pathlib.Path, path: pathlib.Path) -> int:
    """Return the bytes of values and indices according to the container."""
    report = json.loads(run([str(build / "sheaf"), "stat", str(path), "--json", "--no-duplicates"]))
    return sum(
        each["content_bytes"]
        for each in report["storage"]
        if each["array"] in ("values", "indices")
    )


def parquet_sizes(arrow: pathlib.Path) -> dict[str, int]:
    """Return the sizes of Parquet files with the tables of an Arrow file, by compression."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return {}
    sizes = {}
    for compression in ("zstd", "gzip"):
        path = arrow.with_suffix(f".{compression}.parquet")
        with pa.OSFile(str(arrow)) as source, pa.ipc.open_file(source) as reader:
            pq.write_table(reader.read_all(), path, compression=compression)
        sizes[f"Parquet {compression}"] = path.stat().st_size
        path.unlink()
    return sizes


def compare_sizes(build: pathlib.Path, corpus: str, megabytes: int, folder: pathlib.Path) -> None:
    text = generate(build, corpus, megabytes, folder)
    packed = subprocess.Popen(["gzip", "-c", str(text)], stdout=subprocess.PIPE)
    assert packed.stdout is not None
    text_gzip = sum(len(piece) for piece in iter(lambda: packed.stdout.read(1 << 20), b""))
    packed.wait()
    for dtype in ("float32", "float64"):
        options = ["--dtype", dtype]
        for stream in STREAMS[corpus]:
            options += ["--stream", stream]
        sizes = {"text": text.stat().st_size, "text gzip": text_gzip}
        for kind in (*COMPRESSIONS, "cbf", "arrow"):
            ending = kind if kind in ("cbf", "arrow") else "sheaf"
            path = folder / f"sizes.{kind}.{ending}"
            own = ["--out-option", f"sheaf.compression={kind}"] if ending == "sheaf" else []
            convert(build, text, path, *options, *own)()
            if kind == "none":
                content = content_of(build, path)
            if kind == "arrow":
                sizes |= parquet_sizes(path)
            else:
                sizes[kind] = path.stat().st_size
            path.unlink()
        print(f"\n{corpus}, {dtype}: {content / 1e6:.1f} MB of values")
        for kind, size in sizes.items():
            print(f"  {kind:14} {size / 1e6:8.1f} MB {size / content:6.2f}")


def measure(name: str, programs: dict[str, Callable[[], float]], runs: int, size: int) -> None:
    seconds: dict[str, list[float]] = {program: [] for program in programs}
    for _ in range(runs):
        for program, work in programs.items():
            seconds[program].append(work())
    copy = statistics.median(seconds["copy"])
    print(f"\n{name}: {size / 1e6:.0f} MB of values")
    for program, times in seconds.items():
        middle = statistics.median(times)
        spread = f"{min(times):.3f} - {max(times):.3f}"
        print(
            f"  {program:24} {middle:7.3f} s {spread:>16} "
            f"{size / middle / 1e6:7.0f} MB/s {copy / middle:6.2f} of copy"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/container"))
    arguments = parser.parse_args()
    build, folder = arguments.build, arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.2f}")
    if arguments.sizes:
        for corpus in ("decimals", "pairs", "integers", "ones", "tagged"):
            compare_sizes(build, corpus, arguments.megabytes, folder)
        return
    for corpus in ("decimals", "decimals.f64", "pairs", "rows"):
        streams = STREAMS.get(corpus.split(".", maxsplit=1)[0], [])
        text = folder / f"{corpus}.ctf"
        if corpus == "rows":
            text = folder / "rows.arrow"
            try:
                make_rows(text, arguments.megabytes)
            except ImportError:
                print("rows: no pyarrow")
                continue
        else:
            plain = generate(build, corpus.split(".", maxsplit=1)[0], arguments.megabytes, folder)
            if plain != text:
                text.unlink(missing_ok=True)
                text.hardlink_to(plain)
        options = ["--dtype", "float64"] if corpus.endswith("f64") else []
        for stream in streams:
            options += ["--stream", stream]
        files = {"CBF": folder / f"{corpus}.cbf"}
        convert(build, text, files["CBF"], *options)()
        for compression in COMPRESSIONS:
            files[compression] = folder / f"{corpus}.{compression}.sheaf"
            convert(
                build, files["CBF"], files[compression], "--out-option",
                f"sheaf.compression={compression}",
            )()  # fmt: skip
        size = content_of(build, files["none"])
        reading = {"copy": lambda size=size: copy_seconds(size)}
        reading[text.suffix[1:]] = parse(build, text, streams)
        for kind, path in files.items():
            reading[f"read {kind}"] = parse(build, path, streams)
        measure(f"{corpus}, read", reading, arguments.runs, size)
        writing = {"copy": reading["copy"]}
        writing["CBF to CBF"] = convert(build, files["CBF"], folder / "again.cbf")
        for compression in COMPRESSIONS:
            writing[f"CBF to {compression}"] = convert(
                build, files["CBF"], folder / "again.sheaf", "--out-option",
                f"sheaf.compression={compression}",
            )  # fmt: skip
        measure(f"{corpus}, written", writing, arguments.runs, size)
        sizes = {"text": text, **files}
        for kind, path in sizes.items():
            print(f"  {kind:8} {path.stat().st_size:12d} bytes, {path.stat().st_size / size:5.2f}")


if __name__ == "__main__":
    main()
