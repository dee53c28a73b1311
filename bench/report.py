#!/usr/bin/env python3
"""Write docs/benchmarks.md and its charts from the results of bench/run.py.

bench/report.py [--json docs/benchmarks.json] [--folder docs]
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
from collections.abc import Callable, Iterable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]

Row = dict[str, Any]

TITLES = {
    "decimals": "100 decimals a row",
    "pairs": "30 index:0.123456 a row",
    "integers": "784 small integers a row",
    "ones": "54 index:1 in two streams a row",
    "tagged": "tagged sequences, short rows",
    "libsvm": "LibSVM: a label and 70 index:0.123456 a row",
}

# The target speeds as multiples of the strtof loop, by corpus and program.
WANTED = {
    "decimals": {"parse avx512": 15, "parse avx2": 8},
    "pairs": {"parse avx512": 12, "parse avx2": 7},
    "integers": {"parse avx512": 20, "parse avx2": 5},
    "ones": {"parse avx512": 5, "parse avx2": 5},
    "tagged": {"parse avx512": 4, "parse avx2": 4},
}
# The target speeds of whole runs on two threads, by maker of the processor.
WANTED_RUNS = {
    "AMD": {"decimals": 16, "pairs": 11, "integers": 16, "ones": 8, "tagged": 4},
    "Intel": {"decimals": 20, "pairs": 12, "integers": 18, "ones": 9, "tagged": 5},
}
# The chart in README shows the most common corpora and the best-known packages.
SHORT_CORPORA = ("decimals", "pairs")
SHORT_PEERS = ("polars", "pandas", "pyarrow.csv", "numpy.loadtxt", "scikit-learn")
SHORT_PEERS += ("xgboost DMatrix", "torch DataLoader 2")
FIRST_WANTED_MS = {"file order, no index file": 50, "keyed, index file": 500}
LIMIT_BYTES = 256 << 20  # memory limit of the program "keyed 2, 256 MiB"
SLACK_BYTES = 64_000_000
BUSY_LOAD = 0.5

INTRODUCTION = """# Benchmarks

This page shows how fast sheaf reads text. It compares sheaf with a loop that calls `strtof` for
each number, with the limits of the machine, and with other packages that load the same numbers.
These commands make the page:

```sh
make bench-setup build                                   # the other packages, and sheaf
bench/run.py --large 4000 --json docs/benchmarks.json    # on a machine with nothing else to do
bench/report.py
```

[benchmarks.json](benchmarks.json) has every single measurement. A number on this page is the median
of all runs, with the smallest and the largest value beside it. The programs take turns in each run,
and each program finds its file in the page cache.

- *MB/s* counts megabytes of the text that the program reads.
- *M/s* counts millions of numbers, indices and labels included. It compares programs that read
  different texts.
- *Ratio* compares with the `strtof` loop, in numbers per second.
- *MB / CPU s* counts megabytes for each second of a processor, of all threads together.
"""

READING = """
## What was measured

- `copy`, `read` and `newlines` are limits. They copy the bytes of the file in memory, read them
  into one buffer, and search them for the ends of lines.
- `strtof loop` ([bench/others/strtof_loop.cc](../bench/others/strtof_loop.cc)) calls `strtof` for
  each number, indices too, and does nothing else.
- `scan` finds the sequences of a file on one thread. `parse` decodes the sequences with the named
  set of instructions. `index N` finds sequences and writes the index file, on N threads.
- `file N`, `keyed N` and `cntk N` deliver all minibatches of 256 samples on N threads, in the order
  of the file or in a random order. They use no index file, so the time includes the scan. The time
  runs from the start of the process to its end. The time until the first minibatch begins when the
  file is opened.
- All other programs are packages that a user could choose
  ([bench/others/peers.py](../bench/others/peers.py)). Each package loads a whole file in a format
  that the package can read, into arrays or into rows of index and value, as 32-bit floats if the
  package offers them. Only the loops of torch and Python deliver minibatches. The time is that of
  loading, without start and imports. `torch DataLoader N` parses batches of 256 shuffled sequences
  in Python, with N workers. `python loop` does the same in file order. `lightgbm Dataset` also
  sorts values into bins.
- *Peak* is the largest memory of the process, if the program reports it. Worker processes do not
  count.

This page has no measurements of machines with more than two cores, of files outside the page cache,
of CBF, and of arrays or tensors saved as `.npy` or by `torch.save`. If your data are arrays that
fit in memory, load them with NumPy or torch, which need not parse anything.
"""

FRESH_MEMORY = """
### Fresh memory

Each program is a new process, and a random order fills some hundred megabytes of memory. This
machine is a guest. Its host takes free memory back after some seconds, and returns it slowly. The
programs before `keyed 1` need little memory, so `keyed 1` waits for fresh memory. `cntk 1` and
`keyed 2` come next and reuse the memory that `keyed 1` has released. Four runs over 784 small
integers a row, the first one after a pause, spent 1.64 s in the kernel, then 0.19, 0.13 (`cntk 1`)
and 0.14 s. With `cntk 1` as the first program after a pause, the time was 1.52 s.
[How it is fast](how-it-is-fast.md#where-it-is-not-as-fast-as-wanted) has the details.
"""

Style = tuple[str, str]  # of bars and text: light, dark
STYLES: dict[str, Style] = {
    "limit": ("#b7bec8", "#4b535d"),
    "loop": ("#8a929c", "#8b949e"),
    "sheaf": ("#c2570c", "#f0883e"),
    "peer": ("#3d76c2", "#5899e8"),
}


def median(row: Row) -> float:
    return float(statistics.median(row["seconds"]))


def ratio(row: Row, loop: Row) -> float:
    """Return the speed of a program, in numbers per second, relative to the loop."""
    return float(row["numbers"] / median(row) / (loop["numbers"] / median(loop)))


def notation(row: Row) -> str:
    """Return the notation that the program reads. "home" is the text that sheaf reads."""
    home = "LibSVM" if row["corpus"] == "libsvm" else "CTF"
    return {"home": home, "csv": "CSV", "libsvm": "LibSVM"}[row["text"]]


def by_corpus(results: Row) -> dict[str, dict[str, Row]]:
    """Return the rows with measurements, by corpus and program."""
    found: dict[str, dict[str, Row]] = {about["corpus"]: {} for about in results["corpora"]}
    for row in results["rows"]:
        if row["group"] != "first" and "failure" not in row:
            found[row["corpus"]][row["program"]] = row
    return found


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Format a Markdown table with padded columns. All columns but the first align right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        text.append("| " + " | ".join(cells).rstrip() + " |")
    text.insert(1, "|" + "|".join(["---", *["--:"] * (len(widths) - 1)]) + "|")
    return "\n".join(text) + "\n"


def mark(value: float, wanted: float | None, unit: str = "") -> str:
    return f"{value:.1f}{unit}" + (f" of {wanted:g}{unit}" if wanted else "")


def wanted_ratio(results: Row, corpus: str, name: str) -> float | None:
    """Return the target of a program, as a multiple of the strtof loop; None if it has none."""
    if name == "keyed 2":
        processor = results["about"].get("processor", "")
        maker = "AMD" if "AMD" in processor else "Intel"
        return WANTED_RUNS[maker].get(corpus)
    return WANTED.get(corpus, {}).get(name)


def targets_table(results: Row) -> str:
    paths = results["about"].get("simd", [])
    names = ["scan", *(f"parse {path}" for path in paths), "file 2", "keyed 1", "keyed 2"]
    lines = []
    for corpus, rows in by_corpus(results).items():
        loop = rows.get("strtof loop")
        if loop is None:
            continue
        cells = [TITLES[corpus], f"{loop['bytes'] / median(loop) / 1e6:.0f}"]
        for name in names:
            wanted = wanted_ratio(results, corpus, name)
            cells.append(mark(ratio(rows[name], loop), wanted) if name in rows else "-")
        lines.append(cells)
    return table(["corpus", "strtof loop, MB/s", *names], lines)


def corpus_table(results: Row, corpus: str) -> str:
    loop = by_corpus(results)[corpus].get("strtof loop")
    lines = []
    for row in results["rows"]:
        if row["corpus"] != corpus or row["group"] == "first":
            continue
        cells = [row["program"], notation(row), str(row["threads"])]
        if failure := row.get("failure"):
            lines.append([*cells, failure.replace("|", "/"), *["-"] * 5])
            continue
        size = row["bytes"] / 1e6
        cells += [f"{size / median(row):.0f}"]
        cells += [f"{size / max(row['seconds']):.0f} - {size / min(row['seconds']):.0f}"]
        counts = row["group"] != "limit" and loop is not None
        cells += [f"{row['numbers'] / median(row) / 1e6:.1f}" if counts else "-"]
        cells += [f"{ratio(row, loop):.2f}" if counts and loop else "-"]
        busy = row.get("processor_seconds")
        cells += [f"{size / statistics.median(busy):.0f}" if busy else "-"]
        lines.append([*cells, f"{row['peak_bytes'] / 1e6:.0f}" if "peak_bytes" in row else "-"])
    header = ["program", "text", "threads", "MB/s", "least - most", "M/s", "ratio"]
    return table([*header, "MB / CPU s", "peak, MB"], lines)


def memory_table(results: Row) -> str:
    decoded = {about["corpus"]: about["decoded_bytes"] for about in results["corpora"]}
    lines = []
    for corpus, rows in by_corpus(results).items():
        cells = [TITLES[corpus]]
        no_limit = 1.2 * decoded[corpus] + SLACK_BYTES if decoded[corpus] else None
        for name, most in (("keyed 2", no_limit), ("keyed 2, 256 MiB", LIMIT_BYTES)):
            cells.append(f"{rows[name]['peak_bytes'] / 1e6:.0f}" if name in rows else "-")
            cells.append(f"{most / 1e6:.0f}" if most else "-")
        lines.append(cells)
    return table(["corpus", "no limit, MB", "at most", "limit of 256 MiB, MB", "at most"], lines)


def first_table(results: Row) -> str:
    lines = []
    for row in results["rows"]:
        if row["group"] != "first":
            continue
        cells = [row["program"], str(row["threads"])]
        if failure := row.get("failure"):
            lines.append([*cells, failure, "-", "-"])
            continue
        least, most = min(row["seconds"]) * 1e3, max(row["seconds"]) * 1e3
        cells += [f"{median(row) * 1e3:.1f}", f"{least:.1f} - {most:.1f}"]
        lines.append([*cells, f"{FIRST_WANTED_MS.get(row['program'], '-')}"])
    return table(["order", "threads", "ms", "least - most", "at most"], lines)


def tables(results: Row) -> str:
    text = "\n## Times as fast as the strtof loop\n\n"
    text += (
        "*13.5 of 16* means that 13.5 was measured and 16 is the target. `keyed 1` is slower than\n"
    )
    text += "necessary, because it waits for [fresh memory](#fresh-memory).\n\n"
    text += targets_table(results) + FRESH_MEMORY
    text += "\n## Memory of a run in random order\n\n" + memory_table(results)
    large = [row["bytes"] for row in results["rows"] if row["group"] == "first"]
    if large:
        text += f"\n## Until the first minibatch of {large[0] / 1e9:.1f} GB\n\n"
        text += first_table(results)
    for about in results["corpora"]:
        corpus = about["corpus"]
        text += f"\n## {TITLES[corpus]}\n\n" + corpus_table(results, corpus)
        if waits_for_memory(results, corpus):
            text += (
                "\n`keyed 1` waits for [fresh memory](#fresh-memory), which `cntk 1` then reuses.\n"
            )
    return text


def waits_for_memory(results: Row, corpus: str) -> bool:
    """Return whether `keyed 1` takes more than twice as long as `cntk 1`, which does equal work."""
    rows = by_corpus(results)[corpus]
    both = "keyed 1" in rows and "cntk 1" in rows
    return both and median(rows["keyed 1"]) > 2 * median(rows["cntk 1"])


def is_provisional(results: Row) -> bool:
    """Return whether the machine had other work or the commit was incomplete."""
    about = results["about"]
    return bool(about["load_before"] > BUSY_LOAD or about["commit"].endswith("-dirty"))


def machine(results: Row) -> str:
    about = results["about"]
    versions = {r["program"].split()[0]: r["version"] for r in results["rows"] if "version" in r}
    lines = [
        f"- {about['cores']} x {about['processor']}, {about['memory_gib']} GiB, Linux "
        f"{about['kernel']}; load before: {about['load_before']}",
        f"- {about['compiler']}, {about['build']}; {about['python']}",
        f"- sheaf at {about['commit']}, {about['date']}",
        f"- files of {about['megabytes']} MB, {about['runs']} runs; peers "
        f"{about['peer_megabytes']} MB, {about['peer_runs']} runs",
    ]
    if versions:
        lines.append("- " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    return "\n## Machine and versions\n\n" + "\n".join(lines) + "\n"


def provisional(results: Row) -> str:
    if not is_provisional(results):
        return ""
    load = results["about"]["load_before"]
    return (
        "\n**These numbers are provisional**: the machine had other work (a load of "
        f"{load} before the\nfirst run), or the commit was not whole.\n"
    )


def page(results: Row) -> str:
    charts = (
        "\n![Millions of numbers a second: sheaf, other packages, the strtof loop]"
        "(benchmarks-peers.svg)\n"
        "\n![Megabytes a second: the stages of sheaf and the limits](benchmarks-stages.svg)\n"
    )
    return (
        INTRODUCTION + provisional(results) + charts + READING + tables(results) + machine(results)
    )


Bar = tuple[str, float, str]  # label, length, group


def svg(title: str, unit: str, panels: dict[str, list[Bar]]) -> str:
    """Draw horizontal bars: a panel for each corpus, two panels side by side."""
    width, label, value, row, head = 450, 130, 50, 17, 34
    color = (
        "".join(f".{name} {{ fill: {light} }} " for name, (light, _) in STYLES.items()),
        "".join(f".{name} {{ fill: {dark} }} " for name, (_, dark) in STYLES.items()),
    )
    parts = []
    y = 40
    names = list(panels)
    for i in range(0, len(names), 2):
        for column, name in enumerate(names[i : i + 2]):
            longest = max((length for _, length, _ in panels[name]), default=1)
            x = 10 + column * width
            parts.append(f'<text x="{x}" y="{y + 18}" class="head">{name}</text>')
            for k, (text, length, group) in enumerate(panels[name]):
                top = y + head + k * row - 6
                bar = max(1.0, (width - label - value - 30) * length / longest)
                parts.append(
                    f'<text x="{x + label - 6}" y="{top + 10}" class="end">{text}</text>'
                    f'<rect x="{x + label}" y="{top}" width="{bar:.1f}" height="12" '
                    f'class="{group}"/>'
                    f'<text x="{x + label + bar + 5:.1f}" y="{top + 10}">{number(length)}</text>'
                )
        y += head + row * max(len(panels[name]) for name in names[i : i + 2]) + 6
    style = (
        "text { font: 11px sans-serif; fill: #24292f } .head { font-weight: bold } "
        f".end {{ text-anchor: end }} .paper {{ fill: #ffffff }} {color[0]}"
        "@media (prefers-color-scheme: dark) { text { fill: #d5dbe1 } "
        f".paper {{ fill: #14181d }} {color[1]}}}"
    )
    whole = 20 + 2 * width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {y}" width="{whole}" '
        f'height="{y}" role="img" aria-label="{title}">\n<style>{style}</style>\n'
        f'<rect width="{whole}" height="{y}" rx="6" class="paper"/>\n'
        f'<text x="10" y="24" class="head">{title} ({unit})</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def bars(
    results: Row, is_shown: Callable[[Row], bool], length: Callable[[Row], float]
) -> dict[str, list[Bar]]:
    return {
        TITLES[corpus]: [
            (row["program"], length(row), row["group"]) for row in rows.values() if is_shown(row)
        ]
        for corpus, rows in by_corpus(results).items()
    }


def charts(results: Row) -> dict[str, str]:
    peers = bars(
        results,
        lambda row: row["group"] in ("peer", "loop") or row["program"] == "keyed 2",
        lambda row: row["numbers"] / median(row) / 1e6,
    )
    for title, panel in peers.items():
        named = [(f"sheaf {name}" if of == "sheaf" else name, n, of) for name, n, of in panel]
        peers[title] = sorted(named, key=lambda bar: -bar[1])
    brief = {
        title: [bar for bar in peers[title] if bar[0] in ("sheaf keyed 2", *SHORT_PEERS)]
        for title in (TITLES[corpus] for corpus in SHORT_CORPORA)
        if title in peers
    }
    stages = bars(
        results,
        lambda row: row["group"] != "peer" and row["program"] != "keyed 2, 256 MiB",
        lambda row: row["bytes"] / median(row) / 1e6,
    )
    mark = ", provisional" if is_provisional(results) else ""
    numbers, text = f"millions of numbers/s{mark}", f"MB of text/s{mark}"
    return {
        "benchmarks-peers.svg": svg("Loading the same numbers", numbers, peers),
        "benchmarks-short.svg": svg("Loading a text file", numbers, brief),
        "benchmarks-stages.svg": svg("Stages and limits", text, stages),
    }


def documents(results: Row) -> dict[str, str]:
    """Return the page and the charts by file name."""
    return {"benchmarks.md": page(results), **charts(results)}


def dump(results: Row) -> str:
    """Format the results as JSON with one line for each measured program."""

    def lines(rows: list[Row]) -> str:
        return "[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]"

    about = json.dumps(results["about"], indent=2).replace("\n}", "\n }")
    corpora, rows = lines(results["corpora"]), lines(results["rows"])
    return f'{{\n "about": {about},\n "corpora": {corpora},\n "rows": {rows}\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "docs/benchmarks.json")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs")
    options = parser.parse_args()
    for name, text in documents(json.loads(options.json.read_text())).items():
        (options.folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
