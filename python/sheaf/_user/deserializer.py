"""Data of one's own: a class that says what its chunks are, and reads them."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._options.streams import Streams
from .source import ProgramData

# What read() gives of a stream; see Deserializer.
Columns = Any


@dataclass(frozen=True, eq=False)
class Chunk:
    """What is known of a chunk before it is read: how many sequences, how long, under which keys.

    Enough is one of the first three, or what says it too: ``sequences`` is then found from the
    others. An int in place of a Chunk is that many sequences of one sample each.
    """

    sequences: int | None = None
    samples: Any = 1  # of each sequence: a number for all, or one for each
    keys: Any = None  # whole numbers from 0, or texts; None: sequences are numbered through
    costs: Any = None  # a whole number from 0 for each sequence; of all chunks, or of none
    # Of its arrays, about; found from the streams unless told. With a memory limit, streams of
    # variable shape need it.
    size_bytes: int | None = None

    def __repr__(self) -> str:
        return f"Chunk(sequences={self.sequences})"


@dataclass(frozen=True)
class Bad:
    """In place of a sequence that cannot be read: ``reason`` says why.

    Stands in a list that ``read()`` gives, or is what a function of ``sheaf.map`` returns.

    It is a wrong place, as one in a file is: ``max_errors`` says how many are tolerated, and the
    sequence is then left out, in all streams.
    """

    reason: str


class Deserializer(ProgramData, abc.ABC):
    """A data source written in Python: subclass it, and hand an object to a Reader.

    Such data are ordered, packed, joined, shared among workers and resumed as a file is. A class
    has ``streams``, and two methods:

    streams    name -> Stream with dim or shape, or texts as "features:dense:64"; a dtype of None is
               float32
    chunks()   what is known of each chunk without reading it: an int or a Chunk for each, in order
    read(n)    the sequences of chunk n: a mapping from the name of each stream to its columns

    A chunk is what is in memory as a whole, and what is read at once: some megabytes are good, and
    at least some dozens of chunks. How long a sequence is, in samples of its longest stream, or of
    the one that defines the minibatch size, is said by chunks(), since the order goes by it.

    Sequences may have a cost, such as the pixels of an image: a Chunk tells the ``costs``, and
    ``cost_name`` says what they measure. A Reader with ``unit="cost"`` counts costs in its
    minibatches.

    Columns of a dense stream of shape S are

    - an array [samples, *S] of all sequences, one after the other, each as long as chunks() says;
    - ``(array, lengths)``, where this stream is of another length: a number for all sequences, or
      one for each;
    - a list with an array [samples, *S], or [*S] for a single sample, for each sequence.

    Of a sparse stream they are a CSR matrix of SciPy with a row for each sample, or the tuple
    ``(data, indices, indptr)`` that it is made of; the same with lengths, as ``(matrix, lengths)``;
    or a list of such, one for each sequence. Indices rise in each row.

    Of a stream of variable shape they are a list with, for each sequence, a list of its samples: an
    array of its own shape for each, or where the dtype is "bytes" an object with their buffer, such
    as ``bytes`` or ``memoryview``. A single sample needs no list.

    In a list, None stands for a sequence that does not have the stream, and Bad(reason) for one
    that cannot be read.

    Arrays have the dtype of their stream. Contiguous ones are not copied, and must not be changed
    afterwards. Whatever is not so is an error that says where.

    All methods run on one thread, which each object has for itself and which is started when a
    Reader is made; nothing else of a Reader waits for the GIL. What they raise is raised by the
    Reader where the sequences would have been delivered. They must not use the Reader that they
    read for.
    """

    streams: Streams
    cost_name: str  # what costs measure: "pixels"; without it, "cost"

    @abc.abstractmethod
    def chunks(self) -> Iterable[int | Chunk]:
        """What is known of each chunk. Asked for once, when a Reader is made."""

    @abc.abstractmethod
    def read(self, chunk: int) -> Mapping[str, Columns]:
        """The sequences of a chunk, numbered from 0 as chunks() has them."""

    def read_many(self, chunks: Sequence[int]) -> Iterator[Mapping[str, Columns]]:
        """The sequences of several chunks that are wanted at the same time, one after the other.

        Override it where that is faster than one by one.
        """
        for chunk in chunks:
            yield self.read(chunk)

    def read_sequences(self, chunk: int, first: int, count: int) -> Mapping[str, Columns]:
        """Some sequences of a chunk, from its ``first`` on.

        Override it where that is much faster than reading all of it: otherwise the chunk is read
        whole, and kept for a while.
        """
        raise NotImplementedError

    def fingerprint(self) -> str | None:
        """What tells the data from others of the same streams, lengths and keys: a version, a date.

        A state of a Reader belongs to data of one fingerprint; so do the units of a cache. None:
        streams, lengths and keys are all there is to tell, and there is no cache.
        """
        return None
