"""Your own data: a class that describes its chunks, and reads them."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._options.streams import Streams
from .source import ProgramData

# The result of read() for a stream; see Deserializer.
Columns = Any


@dataclass(frozen=True, eq=False)
class Chunk:
    """Describes a chunk before it is read: number of sequences, their lengths and keys.

    Give at least one field that tells the number of sequences; ``sequences`` then follows from it.
    An int in place of a Chunk means this number of sequences of one sample each.
    """

    sequences: int | None = None
    samples: Any = 1  # samples of each sequence: a number for all, or one for each
    keys: Any = None  # whole numbers from 0, or texts; None numbers all sequences from 0
    costs: Any = None  # a whole number from 0 for each sequence; of all chunks, or of none
    # Approximate size of its arrays; by default estimated from the streams. With a memory limit,
    # streams of variable shape need it.
    size_bytes: int | None = None

    def __repr__(self) -> str:
        return f"Chunk(sequences={self.sequences})"


@dataclass(frozen=True)
class Bad:
    """Replaces a sequence that cannot be read; ``reason`` explains why.

    A list returned by ``read()`` may contain it, and a function of ``sheaf.map`` may return it.

    It counts as an error, like an error in a file. ``max_errors`` tolerates a number of errors, and
    leaves the sequence of an error out of all streams.
    """

    reason: str


class Deserializer(ProgramData, abc.ABC):
    """A data source written in Python: derive a class, and give an object of it to a Reader.

    sheaf orders, packs, joins, shares and resumes such data like a file. A class has ``streams``,
    and two methods:

    streams    name -> Stream with dim or shape, or texts such as "features:dense:64"; a dtype of
               None means float32
    chunks()   a description of each chunk, in order: an int or a Chunk
    read(n)    the sequences of chunk n: a mapping from the name of each stream to its columns

    sheaf reads a chunk at once, and holds it in memory as a whole. Good chunks have some megabytes,
    and there are at least some dozens of them. chunks() tells the length of each sequence, because
    the order depends on it: the number of samples of the longest stream, or of the stream that
    defines the minibatch size.

    Sequences may have a cost, such as the pixels of an image: a Chunk has the ``costs``, and
    ``cost_name`` names their measure. With ``unit="cost"``, a Reader counts costs in minibatches.

    Columns of a dense stream of shape S are one of

    - an array [samples, *S] of all sequences, one after the other, with the lengths of chunks();
    - ``(array, lengths)``, if the stream has other lengths: a number for all sequences, or one for
      each;
    - a list with an array [samples, *S], or [*S] for a single sample, for each sequence.

    Columns of a sparse stream are a CSR matrix of SciPy with a row for each sample, or its parts as
    a tuple ``(data, indices, indptr)``; the same with lengths, as ``(matrix, lengths)``; or a list
    with one of these for each sequence. Indices rise in each row.

    Columns of a stream of variable shape are a list with a list of samples for each sequence. A
    sample is an array of its own shape, or with the dtype "bytes" an object with a buffer, such as
    ``bytes`` or ``memoryview``. A single sample needs no list.

    In a list, None means a sequence without the stream, and Bad(reason) a sequence that cannot be
    read.

    Arrays have the dtype of their stream. sheaf does not copy contiguous arrays, so do not change
    them afterwards. Other arrays are an error that names their location.

    All methods of an object run on its own thread, which starts when a Reader is made. No other
    thread of a Reader waits for the GIL. The Reader raises the exceptions of the methods when it
    would deliver the sequences. The methods must not use the Reader that they read for.
    """

    streams: Streams
    cost_name: str  # the measure of costs, such as "pixels"; "cost" by default

    @abc.abstractmethod
    def chunks(self) -> Iterable[int | Chunk]:
        """Return a description of each chunk. sheaf calls this once, when a Reader is made."""

    @abc.abstractmethod
    def read(self, chunk: int) -> Mapping[str, Columns]:
        """Return the sequences of a chunk, numbered from 0 in the order of chunks()."""

    def read_many(self, chunks: Sequence[int]) -> Iterator[Mapping[str, Columns]]:
        """Yield the sequences of several chunks that sheaf needs at the same time, in order.

        Override this if it is faster than reading chunks one by one.
        """
        for chunk in chunks:
            yield self.read(chunk)

    def read_sequences(self, chunk: int, first: int, count: int) -> Mapping[str, Columns]:
        """Return some sequences of a chunk, from sequence ``first`` on.

        Override this if it is much faster than reading the whole chunk. Otherwise sheaf reads the
        whole chunk, and keeps it for a while.
        """
        raise NotImplementedError

    def fingerprint(self) -> str | None:
        """Return a text that identifies the values of the data, such as a version or a date.

        A state of a Reader belongs to data with one fingerprint; so do the units of a cache. None
        means that only streams, lengths and keys identify the data, and that there is no cache.
        """
        return None
