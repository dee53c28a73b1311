"""Minibatches for people: texts, and tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._sheaf import DenseBatch, Minibatch, SparseBatch

_KEYS_SHOWN = 8


def printable(text: str) -> str:
    """Return a text that fits on a line: a literal if the text has unprintable characters."""
    return text if text.isprintable() else repr(text)


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML; the texts may have any characters."""
    lines = [f"<p>{_escaped(title)}</p>", "<table>", _row("th", head)]
    return "\n".join([*lines, *(_row("td", row) for row in rows), "</table>"])


def _row(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_escaped(text)}</{tag}>' for text in texts)}</tr>"


def minibatch_text(minibatch: Minibatch) -> str:
    """Return a text with the counts, the streams and the keys."""
    lines = [f"<sheaf.Minibatch, {_counts(minibatch)}"]
    lines += [
        f"{printable(name)}: {' '.join(_description(batch))}" for name, batch in minibatch.items()
    ]
    if minibatch.sequence_count > 0:
        lines.append(f"keys: {_keys(minibatch)}")
    return "\n  ".join(lines) + ">"


def minibatch_html(minibatch: Minibatch) -> str:
    """Return HTML with the counts, a table of the streams, and the keys."""
    rows = [(printable(name), *_description(batch)) for name, batch in minibatch.items()]
    head = ("stream", "storage", "type", "shape", "packing")
    table = html_table(f"Minibatch: {_counts(minibatch)}", head, rows)
    return f"{table}\n<p>keys: {_escaped(_keys(minibatch))}</p>"


def batch_text(batch: DenseBatch | SparseBatch) -> str:
    """Return a text with type, shape and counts."""
    return f"<sheaf.{_title(batch)}, {' '.join(_description(batch))}, {_lengths(batch)}>"


def batch_html(batch: DenseBatch | SparseBatch) -> str:
    """Return HTML with a table of type, shape and counts."""
    names = ("storage", "type", "shape", "packing")
    rows = [*zip(names, _description(batch), strict=True), ("holds", _lengths(batch))]
    return html_table(_title(batch), ("", ""), rows)


def _title(batch: DenseBatch | SparseBatch) -> str:
    return "DenseBatch" if isinstance(batch, DenseBatch) else "SparseBatch"


def _counts(minibatch: Minibatch) -> str:
    parts = [
        f"sequences: {minibatch.sequence_count:,}",
        f"samples: {minibatch.sample_count:,}",
    ]
    if minibatch.hole_count > 0:
        parts.append(f"left out: {minibatch.hole_count:,}")
    if minibatch.ends_epoch:
        parts.append("ends the epoch")
    return ", ".join(parts)


def _keys(minibatch: Minibatch) -> str:
    count = minibatch.sequence_count
    keys: list[Any] = minibatch.key_texts or minibatch.sequence_keys[:_KEYS_SHOWN].tolist()
    shown = [printable(str(key)) for key in keys[:_KEYS_SHOWN]]
    return ", ".join(shown) + (f", ... ({count:,} in all)" if count > _KEYS_SHOWN else "")


def _description(batch: DenseBatch | SparseBatch) -> tuple[str, str, str, str]:
    """Return storage, type, shape and packing."""
    if isinstance(batch, SparseBatch):
        stored = f"{list(batch.shape)} with {len(batch.data):,} values"
        return "sparse", str(batch.data.dtype), stored, batch.packing
    values = batch.values
    if batch.sample_offsets is not None:
        shape = f"{int(batch.lengths.sum()):,} samples of varying shape, {len(values):,} values"
        return "dense", str(values.dtype), shape, batch.packing
    return "dense", str(values.dtype), str(list(values.shape)), batch.packing


def _lengths(batch: DenseBatch | SparseBatch) -> str:
    lengths = batch.lengths
    if len(lengths) == 0:
        return "sequences: 0"
    least, most = int(lengths.min()), int(lengths.max())
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"sequences: {len(lengths):,}, samples of each: {each}"


def _escaped(text: str) -> str:
    import html  # only here: `import sheaf` stays fast

    return html.escape(text)
