#!/usr/bin/env python3
"""Measure sheaf against a plain strtof loop, the limits of the machine and other packages.

    bench/run.py [--megabytes 400] [--large 4000] [--runs 5] [--corpora decimals,pairs]
                 [--programs keyed,cntk] [--peers all] [--warm-up] [--cold] [--json FILE]

Each corpus is generated once in --folder. All programs take turns within each run, and the file of
a program is brought into the page cache just before. The tables show medians, the spread, and the
ratio to the strtof loop. `scan` finds sequences and `parse` decodes them, both on one thread.
`file N`, `keyed N` and `cntk N` deliver every minibatch of 256 samples in the named order on N
threads, without an index file; their time covers the whole process. Peers (bench/others/) run from
.venv-bench, which `make bench-setup` makes; a peer that is not installed is listed as missing.
--large also measures the time to the first minibatch of a large file. bench/report.py makes
docs/benchmarks.md from the JSON.

--programs measures only programs whose names begin with one of the words, beside the strtof loop.
--warm-up runs each program that delivers minibatches once before each measured run, because a
machine gives out memory that a process has just used faster than other memory. --cold measures
with a file that is not in the page cache.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import report
from others.peers import PEERS

ROOT = pathlib.Path(__file__).resolve().parents[1]

STREAMS = {
    "decimals": ["x:dense:100"],
    "pairs": ["x:sparse:2000000", "y:sparse:10"],
    "integers": ["x:dense:784", "y:sparse:10"],
    "ones": ["a:sparse:100000", "b:sparse:100000"],
    "tagged": ["w:sparse:50000", "t:sparse:128"],
    "libsvm": ["label:dense:1", "features:sparse:100000"],
}

# The notations, besides CTF, in which each corpus is written for other programs.
TEXTS = {
    "decimals": ["csv"],
    "pairs": ["libsvm"],
    "integers": ["csv"],
    "ones": ["libsvm"],
    "tagged": [],
    "libsvm": ["libsvm"],
}

LIMITED = ["--memory-limit", "256MiB", "--window-chunks", "2"]


@dataclasses.dataclass
class Program:
    """One row of a table: the program to run and its results."""

    name: str
    group: str  # "limit", "loop", "sheaf" or "peer"
    command: list[str]
    path: pathlib.Path
    text: str = "home"
    threads: int = 1
    clock: str = ""  # field of the output with the seconds; empty means from start to exit
    warm_up: bool = False  # whether to run the program before each measured run
    cold: bool = False  # whether the file is not in the page cache
    runs: int = 0
    seconds: list[float] = dataclasses.field(default_factory=list)
    processor_seconds: list[float] = dataclasses.field(default_factory=list)  # of the process
    peak_bytes: list[int] = dataclasses.field(default_factory=list)
    output: dict[str, Any] = dataclasses.field(default_factory=dict)  # output of the last run
    failure: str = ""

    def measure(self) -> None:
        """Run the program once more if it takes part."""
        if self.failure or len(self.seconds) == self.runs:
            return
        try:
            if self.warm_up:
                subprocess.run(self.command, capture_output=True, check=False)
            (cool if self.cold else warm)(self.path)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            done = subprocess.run(self.command, capture_output=True, check=False, text=True)
        except FileNotFoundError:
            self.failure = f"missing: there is no {self.command[0]}"
            return
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            kind = "missing" if done.returncode == 3 else f"exit code {done.returncode}"
            self.failure = f"{kind}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
            return
        last = (done.stdout.strip().splitlines() or [""])[-1]
        self.output = json.loads(last) if last.startswith("{") else {"line": last}
        self.seconds.append(self.output[self.clock] if self.clock else wall)
        if not self.clock:
            user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
            self.processor_seconds.append(user + system)
        if peak := self.output.get("peak_rss_bytes"):
            self.peak_bytes.append(peak)

    def to_json(self, corpus: str) -> dict[str, Any]:
        row: dict[str, Any] = {"corpus": corpus, "program": self.name, "group": self.group}
        row |= {"text": self.text, "threads": self.threads}
        if self.failure:
            return row | {"failure": self.failure}
        row["seconds"] = [float(f"{seconds:.5g}") for seconds in self.seconds]
        if self.processor_seconds:
            row["processor_seconds"] = [float(f"{each:.5g}") for each in self.processor_seconds]
        if self.peak_bytes:
            row["peak_bytes"] = max(self.peak_bytes)
        if version := self.output.get("version"):
            row["version"] = version
        return row


def warm(path: pathlib.Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 22):
            pass


def cool(path: pathlib.Path) -> None:
    """Drop a file from the page cache."""
    with path.open("rb") as file:
        os.fsync(file.fileno())  # pages that are not on the disk yet would stay
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def generate(
    build: pathlib.Path, corpus: str, megabytes: int, folder: pathlib.Path, text: str = "home"
) -> pathlib.Path:
    home = "svm" if corpus == "libsvm" else "ctf"
    ending = {"home": home, "csv": "csv", "libsvm": "svm"}[text]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{corpus}-{megabytes}.{ending}"
    if not path.exists():
        command = [str(build / "bench/sheaf_generate"), corpus, str(megabytes)]
        command += [] if text == "home" else [text]
        with path.with_suffix(".part").open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        path.with_suffix(".part").rename(path)
    return path


def simd_paths(build: pathlib.Path) -> list[str]:
    """Return the sets of instructions that the parser can be restricted to."""
    command = [str(build / "bench/sheaf_parse_file"), "--levels"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def sheaf_read(build: pathlib.Path, corpus: str, path: pathlib.Path, *how: str) -> list[str]:
    command = [str(build / "sheaf"), "read", str(path), "--format", "none", "--json", *how]
    command += ["--minibatch-size", "256", "--unit", "samples"]
    for stream in STREAMS[corpus]:
        command += ["--stream", stream]
    return command


def own_programs(
    build: pathlib.Path, corpus: str, path: pathlib.Path, scratch: str
) -> Iterable[Program]:
    bench = build / "bench"
    for limit in ("copy", "read", "newlines"):
        command = [str(bench / "sheaf_limits"), limit, str(path)]
        yield Program(limit, "limit", command, path, clock="seconds")
    yield Program("strtof loop", "loop", [str(bench / "strtof_loop"), str(path)], path)
    parse = [str(bench / "sheaf_parse_file"), corpus, str(path)]
    yield Program("scan", "sheaf", parse, path, clock="index_seconds")
    for simd in simd_paths(build):
        yield Program(f"parse {simd}", "sheaf", [*parse, simd], path, clock="parse_seconds")
    index = [str(build / "sheaf"), "index", str(path), "--json", "--index-dir", scratch]
    for stream in STREAMS[corpus]:
        index += ["--stream", stream]
    for threads in (1, 2):
        count = ["--threads", str(threads)]
        yield Program(f"index {threads}", "sheaf", [*index, *count], path, threads=threads)
        for order in ("file", "keyed", "cntk"):
            command = [str(bench / "sheaf_read_file"), corpus, str(path), order, str(threads)]
            yield Program(f"{order} {threads}", "sheaf", command, path, threads=threads)
    how = ["--threads", "2", "--index", "off", "--order", "keyed", *LIMITED]
    limited = sheaf_read(build, corpus, path, *how)
    yield Program("keyed 2, 256 MiB", "sheaf", limited, path, threads=2)


def peer_programs(
    python: pathlib.Path, names: Iterable[str], paths: dict[str, pathlib.Path]
) -> Iterable[Program]:
    script = str(ROOT / "bench/others/peers.py")
    for name in names:
        for text in PEERS[name].texts:
            if text in paths:
                command = [str(python), script, name, str(paths[text]), "--text", text]
                threads = PEERS[name].threads or 2
                command += ["--threads", str(threads)]
                yield Program(name, "peer", command, paths[text], text, threads, "seconds")


def count_numbers(build: pathlib.Path, path: pathlib.Path) -> int:
    """Return how many numbers a text has, as the strtof loop counts."""
    done = subprocess.run(
        [str(build / "bench/strtof_loop"), str(path)], capture_output=True, check=True, text=True
    )
    return int(done.stdout.split()[0])


def measure_corpus(
    options: argparse.Namespace, corpus: str, scratch: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a description of a corpus, and the rows of its programs."""

    def make(text: str, megabytes: int) -> pathlib.Path:
        return generate(options.build, corpus, megabytes, options.folder, text)

    path = make("home", options.megabytes)
    paths = {text: make(text, options.peer_megabytes) for text in ("home", *TEXTS[corpus])}
    programs = list(own_programs(options.build, corpus, path, scratch))
    words = ("strtof loop", *options.programs)
    programs = [p for p in programs if not options.programs or p.name.startswith(words)]
    for program in programs:
        program.runs = options.runs
        program.cold = options.cold and program.group != "limit"
        program.warm_up = options.warm_up and program.name.startswith(("file", "keyed", "cntk"))
    peers = list(peer_programs(options.python, options.peers, paths))
    for program in peers:
        program.runs = options.peer_runs

    files = {(p.group == "peer", p.text): p.path for p in (*programs, *peers)}
    numbers = {file: count_numbers(options.build, file) for file in set(files.values())}
    for run in range(options.runs):
        print(f"{corpus}: run {run + 1} of {options.runs}", file=sys.stderr, flush=True)
        for program in (*programs, *peers):
            program.measure()
            found, wanted = program.output.get("numbers"), numbers[program.path]
            if found not in (None, wanted):
                program.failure = f"found {found} numbers of {wanted}"

    rows = []
    for program in (*programs, *peers):
        size = {"bytes": program.path.stat().st_size, "numbers": numbers[program.path]}
        rows.append(program.to_json(corpus) | size)
    scans = [program.output for program in programs if program.name == "scan"]
    about = {"corpus": corpus, "decoded_bytes": scans[0].get("decoded_bytes") if scans else None}
    return about, rows


def measure_first(options: argparse.Namespace, scratch: str) -> list[dict[str, Any]]:
    """Measure the time to the first minibatch of a large file."""
    corpus = "decimals"
    path = generate(options.build, corpus, options.large, options.folder)
    where = ["--index-dir", scratch]
    streams = [word for stream in STREAMS[corpus] for word in ("--stream", stream)]
    index = [str(options.build / "sheaf"), "index", str(path), *where, *streams]
    subprocess.run(index, check=True, stdout=subprocess.DEVNULL)
    ways = {
        "file order, no index file": ["--index", "off"],
        "keyed, index file": [*where, "--index", "require", "--order", "keyed"],
        "cntk, index file": [*where, "--index", "require", "--order", "cntk"],
    }
    programs = []
    for threads in (1, 2):
        for name, how in ways.items():
            how = [*how, "--threads", str(threads), "--max-minibatches", "1"]
            command = sheaf_read(options.build, corpus, path, *how)
            clock = "first_minibatch_seconds"
            programs.append(Program(name, "first", command, path, "home", threads, clock))
            programs[-1].runs = options.runs
    for _ in range(options.runs):
        for program in programs:
            program.measure()
    return [program.to_json(corpus) | {"bytes": path.stat().st_size} for program in programs]


def first_match(pattern: str, path: pathlib.Path) -> str:
    match = re.search(pattern, path.read_text(), re.MULTILINE)
    return match[1].strip() if match else "unknown"


def first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True, cwd=ROOT)
    except OSError:
        return "unknown"
    return (done.stdout.splitlines() or ["unknown"])[0]


def describe(options: argparse.Namespace) -> dict[str, Any]:
    """Describe the machine and the versions that the numbers depend on."""
    cache = options.build / "CMakeCache.txt"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "date": datetime.date.today().isoformat(),
        "commit": first_line(["git", "describe", "--always", "--dirty"]),
        "processor": first_match(r"^model name\s*:(.*)", pathlib.Path("/proc/cpuinfo")),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "kernel": os.uname().release,
        "compiler": first_line([first_match(r"^CMAKE_CXX_COMPILER:\w+=(.*)", cache), "--version"]),
        "build": first_match(r"^CMAKE_BUILD_TYPE:\w+=(.*)", cache),
        "simd": simd_paths(options.build),
        "python": first_line([str(options.python), "--version"]),
        "load_before": round(os.getloadavg()[0], 2),
        "megabytes": options.megabytes,
        "peer_megabytes": options.peer_megabytes,
        "runs": options.runs,
        "peer_runs": options.peer_runs,
    }


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--large", type=int, default=0, help="megabytes; 0: not measured")
    parser.add_argument("--corpora", default=",".join(STREAMS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--programs", default="", help="beginnings of names; default: all")
    parser.add_argument("--warm-up", action="store_true", help="run whole runs once before")
    parser.add_argument("--cold", action="store_true", help="the file is not in the page cache")
    parser.add_argument("--peers", default="all", help="all, none, or names")
    parser.add_argument("--peer-runs", type=int, default=3, help="they are slow, and vary less")
    parser.add_argument("--peer-megabytes", type=int, help="default: --megabytes")
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / ".venv-bench/bin/python")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.peer_runs = min(options.peer_runs, options.runs)
    options.peer_megabytes = options.peer_megabytes or options.megabytes
    known = {"all": list(PEERS), "none": []}
    options.peers = known.get(options.peers, options.peers.split(","))
    options.corpora = options.corpora.split(",")
    options.programs = tuple(filter(None, options.programs.split(",")))
    for name, names in ((options.peers, PEERS), (options.corpora, STREAMS)):
        if unknown := set(name) - set(names):
            parser.error(f"no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


def main() -> int:
    options = parse_arguments()
    results: dict[str, Any] = {"about": describe(options), "corpora": [], "rows": []}
    # Write index files to memory, where syncing takes no time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as scratch:
        for corpus in options.corpora:
            about, rows = measure_corpus(options, corpus, scratch)
            results["corpora"].append(about)
            results["rows"] += rows
        if options.large:
            results["rows"] += measure_first(options, scratch)
    print(report.tables(results))
    if options.json:
        options.json.write_text(report.dump(results))
    ours = [row for row in results["rows"] if row["group"] != "peer" and "failure" in row]
    for row in ours:
        print(f"{row['corpus']}, {row['program']}: {row['failure']}", file=sys.stderr)
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
