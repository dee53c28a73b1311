"""The reader: a file in, minibatches out."""

from __future__ import annotations

import os
from typing import Literal

from . import _sheaf
from .errors import ConfigError
from .streams import Stream, Streams, stream_table

_SAMPLES_DEFAULT = 256
_SEED_MAX = 2**64 - 1


def _stream_options(name: str, stream: Stream) -> _sheaf.StreamOptions:
    return _sheaf.StreamOptions(
        name,
        stream.alias or "",
        stream.sample_shape,
        stream.sparse,
        stream.dtype == "float64",
        stream.defines_minibatch_size,
    )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        known = " or ".join(f'"{choice}"' for choice in choices)
        raise ConfigError(f'{name} is {known}: got "{value}"')


def _check_positive(name: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ConfigError(f"{name} must be at least 1: got {value}")


def _check_order(
    order: str, seed: int | None, window_chunks: int | None, window_samples: int | None
) -> None:
    _check_choice("order", order, ("file", "cntk", "keyed"))
    if seed is not None and not 0 <= seed <= _SEED_MAX:
        raise ConfigError(f"seed is a whole number from 0 to {_SEED_MAX}: got {seed}")
    if window_chunks is not None and window_samples is not None:
        raise ConfigError(
            "window_chunks and window_samples both say how large the window is: leave one out"
        )
    if order != "file":
        return
    if seed is not None:
        raise ConfigError(
            'seed: the order "file" has no seed, since it shuffles nothing; "keyed" has one'
        )
    for name, window in (("window_chunks", window_chunks), ("window_samples", window_samples)):
        if window is not None:
            raise ConfigError(
                f'{name}: the order "file" has no window, since it shuffles nothing; "keyed" has '
                "one"
            )


def _check_keyed(
    order: str,
    timeline: str | None,
    sweep_ends: str | None,
    balance: str | None,
    batching: str | None,
) -> None:
    for name, value, choices in (
        ("sweep_ends", sweep_ends, ("cross", "cut")),
        ("timeline", timeline, ("local", "global")),
        ("balance", balance, ("cost", "count")),
        ("batching", batching, ("plain", "bucketed")),
    ):
        if value is not None:
            _check_choice(name, value, choices)
    if order == "keyed":
        if timeline is not None:
            raise ConfigError(
                'timeline: all workers of the order "keyed" look at the same minibatches: '
                "leave it out"
            )
        if sweep_ends == "cross":
            raise ConfigError(
                'sweep_ends: the order "keyed" divides each sweep evenly, so no minibatch has '
                "sequences of two: leave it out"
            )
        return
    for name, value in (("balance", balance), ("batching", batching)):
        if value is not None:
            raise ConfigError(f'{name}: it is the order "keyed" that has it, not "{order}"')


def _check_truncation(length: int, batch_size: int | None, timeline: str | None) -> None:
    _check_positive("truncation_length", length)
    if batch_size is not None:
        raise ConfigError(
            "truncation_length: samples are counted where sequences are cut: give "
            "minibatch_samples in place of batch_size"
        )
    if timeline == "global":
        raise ConfigError(
            'truncation_length: each worker has slots of its own, which is the timeline "local"'
        )


class Reader(_sheaf.Reader):
    """Delivers the minibatches of a file; iterate over it.

    A minibatch holds ``batch_size`` sequences, or, where ``minibatch_samples`` is given instead, at
    most so many samples but at least one sequence. Iterating again goes on from where the reader
    stands. The GIL is free while a minibatch is waited for.

    ``sequence(key)`` gives the sequence of a key alone, ``sequence_at(sweep, number)`` the one that
    a sweep delivers there, counted over all workers; the reader stays where it is.

    streams           name -> Stream, or strings as "features:dense:64", "labels:sparse:10"
    order             "file": that of the file; "keyed": shuffled, the same for any number of
                      workers; "cntk": shuffled, exactly as CNTK 2.x does it
    seed              each gives another order of "keyed" and "cntk", and each sweep has its own
    window_chunks     among how many chunks' data a sequence moves; without a window as many as make
                      4 GiB
    window_samples    the same, in samples
    sweeps            how often an epoch delivers all sequences, 1 unless told; 0: without end
    epoch_size        samples of an epoch, in place of sweeps
    epochs            how many epochs to deliver; 0: without end
    sweep_ends        "cross": a minibatch may hold sequences of two sweeps; "cut": it may not, as
                      with "keyed", which divides each sweep evenly
    worker            (index, count): of several workers, each sequence goes to one
    timeline          "local": a worker fills its share of the minibatch size from its own
                      sequences; "global": it keeps what is its own of a stretch that all look at,
                      as with "keyed"
    balance           what the workers of "keyed" get the same of in each minibatch: "cost", which
                      is samples, or "count", which is sequences
    batching          "plain": minibatches are stretches of the order; "bucketed", of "keyed":
                      sequences of like length together, where minibatch_samples also counts what
                      padding adds
    split_frames      each sample is a sequence of its own, also for the order
    truncation_length for truncated backpropagation through time: steps of a minibatch, whose slots
                      (minibatch_samples / truncation_length) go on with their sequences
    packing           "padded": arrays of [sequences, samples, ...] with a mask; "ragged": samples
                      back to back; "packed": CNTK's layout, arrays of [steps, slots, ...] where
                      short sequences follow each other in a slot; "frames": arrays of
                      [sequences, ...], where each has one sample; "truncated": arrays of
                      [steps, slots, ...], which truncation_length makes whether named or not
    row_samples       makes the packing "packed" with exactly so many steps in each slot: longest
                      sequences first, each goes into the slot whose room left is the least that
                      suffices; a longer sequence is an error. Streams that are equally long in
                      every sequence, tokens and their labels, lie alike; ``slots``, ``begins`` and
                      ``lengths`` say where each sequence is
    threads           that read ahead; 0: one for each processor; the result is the same
    memory_limit      most bytes for what is read ahead; 0: no limit
    chunk_size_bytes  of the file, read and decoded together, about
    keys              what sequence ids are: "numeric", or "text"
    max_errors        wrong places tolerated; each spoils its sequence, which is left out whole
    position          where to begin: a ``position`` of an earlier reader or minibatch

    Raises ConfigError, IoError, DataError.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        streams: Streams,
        *,
        batch_size: int | None = None,
        minibatch_samples: int | None = None,
        order: Literal["file", "cntk", "keyed"] = "file",
        seed: int | None = None,
        window_chunks: int | None = None,
        window_samples: int | None = None,
        sweeps: int | None = None,
        epoch_size: int | None = None,
        epochs: int = 1,
        sweep_ends: Literal["cross", "cut"] | None = None,
        worker: tuple[int, int] = (0, 1),
        timeline: Literal["local", "global"] | None = None,
        balance: Literal["cost", "count"] | None = None,
        batching: Literal["plain", "bucketed"] | None = None,
        split_frames: bool = False,
        truncation_length: int | None = None,
        packing: Literal["padded", "ragged", "packed", "frames", "truncated"] = "padded",
        row_samples: int | None = None,
        threads: int = 0,
        memory_limit: int = 0,
        chunk_size_bytes: int = 32 << 20,
        keys: Literal["numeric", "text"] = "numeric",
        max_errors: int = 0,
        position: str | None = None,
    ) -> None:
        if batch_size is not None and minibatch_samples is not None:
            raise ConfigError("either batch_size or minibatch_samples sets the size, not both")
        _check_choice("keys", keys, ("numeric", "text"))
        _check_order(order, seed, window_chunks, window_samples)
        _check_keyed(order, timeline, sweep_ends, balance, batching)
        if sweeps is not None and epoch_size is not None:
            raise ConfigError("sweeps and epoch_size both say how long an epoch is: leave one out")
        _check_positive("epoch_size", epoch_size)
        _check_positive("row_samples", row_samples)
        if truncation_length is not None:
            _check_truncation(truncation_length, batch_size, timeline)
        self._streams = stream_table(streams)
        size = batch_size if batch_size is not None else minibatch_samples
        worker_index, worker_count = worker
        super().__init__(
            os.fspath(path),
            [_stream_options(name, stream) for name, stream in self._streams.items()],
            order=_sheaf.OrderOptions(
                minibatch_size=size if size is not None else _SAMPLES_DEFAULT,
                counts_sequences=batch_size is not None,
                sweeps=1 if sweeps is None else sweeps,
                epoch_size=epoch_size or 0,
                epochs=epochs,
                cut_at_sweep_end=sweep_ends == "cut",
                split_frames=split_frames,
                worker_index=worker_index,
                worker_count=worker_count,
                is_global=timeline == "global",
                algorithm=order,
                seed=seed or 0,
                window_chunks=window_chunks,
                window_samples=window_samples,
                truncation_length=truncation_length or 0,
                balances_count=balance == "count",
                is_bucketed=batching == "bucketed",
            ),
            packing=packing,
            row_samples=row_samples or 0,
            threads=threads,
            memory_limit_bytes=memory_limit,
            chunk_size_bytes=chunk_size_bytes,
            has_text_keys=keys == "text",
            max_errors=max_errors,
            position=position,
        )

    @property
    def streams(self) -> dict[str, Stream]:
        """The streams that are read."""
        return dict(self._streams)
