"""The reader: a file in, minibatches out."""

from __future__ import annotations

import os
from typing import Literal

from . import _sheaf
from .errors import ConfigError
from .streams import Stream, Streams, stream_table

_SAMPLES_DEFAULT = 256


class Reader(_sheaf.Reader):
    """Delivers the minibatches of a file, in the order of the file; iterate over it.

    A minibatch holds ``batch_size`` sequences, or, where ``minibatch_samples`` is given instead, at
    most so many samples but at least one sequence. Iterating again goes on from where the reader
    stands. The GIL is free while a minibatch is waited for.

    streams           name -> Stream, or strings as "features:dense:64", "labels:sparse:10"
    sweeps            how often to deliver all sequences; 0: without end
    sweep_ends        "cross": a minibatch may hold sequences of two sweeps; "cut": it may not
    packing           "padded": arrays of [sequences, samples, ...] with a mask; "ragged": samples
                      back to back; "packed": CNTK's layout, arrays of [steps, slots, ...] where
                      short sequences follow each other in a slot; "frames": arrays of
                      [sequences, ...], where each has one sample
    threads           that read ahead; 0: one for each processor; the result is the same
    memory_limit      most bytes for what is read ahead; 0: no limit
    chunk_size_bytes  of the file, read and decoded together, about
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
        sweeps: int = 1,
        sweep_ends: Literal["cross", "cut"] = "cross",
        packing: Literal["padded", "ragged", "packed", "frames"] = "padded",
        threads: int = 0,
        memory_limit: int = 0,
        chunk_size_bytes: int = 32 << 20,
        max_errors: int = 0,
        position: str | None = None,
    ) -> None:
        if batch_size is not None and minibatch_samples is not None:
            raise ConfigError("either batch_size or minibatch_samples sets the size, not both")
        if sweep_ends not in ("cross", "cut"):
            raise ConfigError(f'sweep_ends is "cross" or "cut": got "{sweep_ends}"')
        self._streams = stream_table(streams)
        size = batch_size if batch_size is not None else minibatch_samples
        super().__init__(
            os.fspath(path),
            [
                _sheaf.StreamOptions(
                    name,
                    stream.alias or "",
                    stream.sample_shape,
                    stream.sparse,
                    stream.dtype == "float64",
                    stream.defines_minibatch_size,
                )
                for name, stream in self._streams.items()
            ],
            minibatch_size=size if size is not None else _SAMPLES_DEFAULT,
            counts_sequences=batch_size is not None,
            sweeps=sweeps,
            cut_at_sweep_end=sweep_ends == "cut",
            packing=packing,
            threads=threads,
            memory_limit_bytes=memory_limit,
            chunk_size_bytes=chunk_size_bytes,
            max_errors=max_errors,
            position=position,
        )

    @property
    def streams(self) -> dict[str, Stream]:
        """The streams that are read."""
        return dict(self._streams)
