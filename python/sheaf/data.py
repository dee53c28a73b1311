"""Looks into data in the order of the file: streams, chunks, keys, and any sequence."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from . import _sheaf
from ._options.options import (
    DataOptions,
    Sources,
    found_streams,
    open_whole,
    plan_whole,
    refuse_transforms,
)
from ._options.streams import FoundStreams, Streams
from ._options.values import checked_key, whole
from ._sheaf import Minibatch
from ._user.source import ProgramData
from .errors import ConfigError, DataError, Diagnostic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ChunkInfo:
    """Consecutive sequences that are loaded together: an entry of the index."""

    sequences: int
    samples: int
    offset_bytes: int  # in the file; of joined or several files, in all that is read
    size_bytes: int
    first_line: int  # from 1; 0 where the format has no lines


class Data:
    """Open data, in the order of the file: ``sheaf.open()`` makes one.

    ``len(data)`` is the number of sequences. Iterating gives each sequence as a minibatch of one:
    ``sequence.features.values`` is an array of [samples, *shape], ``sequence.labels`` the rows of a
    sparse stream, ``sequence.sequence_keys[0]`` its key. ``sequence(key)`` returns a sequence by
    its key, ``sequence_at(number)`` by its number in the file.

    Threads may share the object. ``close()`` closes it, and so does the end of a ``with`` block.
    """

    def __init__(
        self,
        path: Sources | None = None,
        streams: Streams | None = None,
        *,
        max_errors: int | None = None,
        **options: Unpack[DataOptions],
    ) -> None:
        said = {"path": path, "streams": streams, "max_errors": max_errors, **options}
        self._process = os.getpid()
        opened = open_whole(said)
        self._data: _sheaf.Data | None = opened.data  # None once it is closed
        self._config_warnings = opened.warnings
        self._declared = opened.declared
        self._sources = opened.sources  # they live as long as they are read
        self._lock = threading.Lock()
        self._still: _sheaf.Run | None = None  # for random access

    # Properties of the data.

    @property
    def files(self) -> list[str]:
        """The paths of all files."""
        return self._opened().files

    @property
    def format(self) -> str:
        """The name of the format; of joined files, that of the first."""
        return self._opened().format

    @property
    def streams(self) -> FoundStreams:
        """The streams by name, with the shapes that were declared, or found in the data."""
        return FoundStreams(found_streams(self._opened(), self._declared))

    def __len__(self) -> int:
        """Return the number of sequences; the first call reads the whole index."""
        return self._opened().sizes()[1]

    @property
    def sample_count(self) -> int:
        """The number of samples that minibatch sizes count; needs the whole index."""
        return self._opened().sizes()[2]

    @property
    def chunks(self) -> list[ChunkInfo]:
        """The chunks in the order of the file; needs the whole index."""
        return [ChunkInfo(*sizes) for sizes in self._opened().chunks()]

    @property
    def keys(self) -> NDArray[np.uint64] | list[str]:
        """The key of each sequence, in the order of the file.

        Keys that are numbers come from the index. Keys that are texts need a read of all sequences.
        """
        data = self._opened()
        data.sizes()  # all of the index is needed, and all threads make it
        if not data.has_text_keys:
            return data.keys()
        return [text for sequence in self for text in sequence.key_texts]

    @property
    def warnings(self) -> list[Diagnostic]:
        """Hints about data that are not wrong, as far as they are known by now."""
        return self._config_warnings + self._opened().warnings

    # Sequences.

    def __iter__(self) -> Iterator[Minibatch]:
        """Iterate over the sequences in the order of the file, each as a ragged minibatch of one.

        A wrong one is a DataError where it would have come, or is left out, as ``max_errors`` says.
        """
        data = self._opened()
        return _Sequences(_sheaf.Run(data, data.begin_of(0)), self)

    def __contains__(self, key: object) -> bool:
        """Return whether a sequence has this key, even one with wrong data."""
        if not isinstance(key, (int, str)):
            return False
        try:
            self.sequence(key)
        except KeyError:
            return False
        except DataError:
            return True
        return True

    def sequence(self, key: int | str) -> Minibatch:
        """Return the first sequence with this key.

        Raises KeyError if no sequence has the key, and DataError if the data of the sequence are
        wrong.
        """
        return self._for_random_access().sequence(checked_key(key), 0)

    def sequence_at(self, number: int) -> Minibatch:
        """Return sequence ``number`` of the file, from 0; IndexError if there is no such one."""
        return self._for_random_access().sequence_at(0, whole("number", number))

    def _for_random_access(self) -> _sheaf.Run:
        with self._lock:
            if self._still is None:
                self._still = _sheaf.Run(self._opened(), None)
            return self._still

    # Lifetime.

    def __repr__(self) -> str:
        if self._data is None:
            return "<sheaf.Data, closed>"
        files = self.files
        name = repr(files[0]) if len(files) == 1 else f"{len(files)} files"
        if files:
            name += f", {self.format}"
        else:
            data = (source for source in self._sources if isinstance(source, ProgramData))
            name = ", ".join(type(source).__name__ for source in data)
        lines = [f"<sheaf.Data of {name}"]
        lines += [f"{name}: {stream}" for name, stream in self.streams.items()]
        return "\n  ".join(lines) + ">"

    def close(self) -> None:
        """End threads and close files. Sequences stay valid; any other use raises ConfigError."""
        with self._lock:
            if self._still is not None:
                self._still.close()
            self._still = self._data = None

    def __enter__(self) -> Data:
        self._opened()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("Data have open files and threads: open them in each process instead")

    def _opened(self) -> _sheaf.Data:
        if self._data is None:
            raise ConfigError("the Data are closed")
        if os.getpid() != self._process:  # its threads did not come along
            raise ConfigError("the Data were opened before a fork: open them in each process")
        return self._data


class _Sequences(Iterator[Minibatch]):
    def __init__(self, run: _sheaf.Run, data: Data) -> None:
        self._run = run
        self._data = data  # keeps the Deserializer or the table alive

    def __next__(self) -> Minibatch:
        while True:
            sequence = next(self._run)
            if sequence.sequence_count > 0:  # none: it was left out
                return sequence


def open(
    path: Sources | None = None,
    streams: Streams | None = None,
    *,
    max_errors: int | None = None,
    **options: Unpack[DataOptions],
) -> Data:
    """Open data to look into them; ``sheaf.Reader`` is for minibatches.

    path        the path of a file, a pattern such as "part-*.ctf", or several of them
    streams     name -> Stream, or strings such as "features:dense:64"; by default all streams that
                sheaf finds when it reads the data
    max_errors  number of errors that an iteration tolerates
    options     those of ``sheaf.Reader`` about the data: join, missing_sequences, lengths,
                length_tolerance, length_streams, same_keys, format, format_options, dtype, keys,
                skip_sequence_ids, missing_streams, compatibility, chunk_size, index, index_dir,
                transforms, part, spec, objects, config, section, settings, num_threads,
                memory_limit

    Raises ConfigError, IoError, DataError.
    """
    return Data(path, streams, max_errors=max_errors, **options)


def infer(
    path: Sources | None = None, streams: Streams | None = None, **options: Unpack[DataOptions]
) -> FoundStreams:
    """Find the streams of data, by reading all data, or an index file that knows the streams.

    Returns name -> Stream, which ``sheaf.Reader`` takes as ``streams``; ``str()`` of the result
    gives the options ``--stream`` of the command. ``streams`` may select streams, such as
    ["features:dense", "labels:sparse"]. The other keywords are those of ``sheaf.open``. The result
    describes the untransformed data: transforms of a spec have no effect, and ``transforms`` is an
    error.

    Raises ConfigError, IoError, and DataError if samples contradict each other.
    """
    said = {"path": path, "streams": streams, **options}
    refuse_transforms("the streams of data", said)
    planned = plan_whole(said)
    planned.plan.drop_transforms()
    opened = planned.open()
    return FoundStreams(found_streams(opened.data, opened.declared))


def opened(source: Any, streams: Streams | None, options: dict[str, Any]) -> _sheaf.Data:
    """Return the data behind a ``Data``, a ``Reader`` or a path, with the keywords of ``open``."""
    if hasattr(source, "_opened"):
        given = [name for name, value in options.items() if value is not None]
        if streams is not None:
            given.append("streams")
        if given:
            raise ConfigError(f"{given[0]}: the source is open already: say it there")
        data: _sheaf.Data = source._opened()
        return data
    return open_whole({"path": source, "streams": streams, **options}).data
