"""The reader: files in, minibatches out."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal

from . import _sheaf
from ._options.keywords import kept, suggesting
from ._options.options import Joined, Paths, Sources, found_streams, open_data
from ._options.streams import Stream, Streams
from ._options.texts import Path
from ._options.values import DType, checked_key, refuse_type, whole
from ._sheaf import Minibatch
from ._texts import html_table, printable
from ._user.deserializer import Deserializer
from .errors import ConfigError, Diagnostic, Error, RaisedBefore

_QUICK_BYTES = 64 << 20  # so much data are counted for a __repr__


class _Epoch(Iterator[Minibatch]):
    """The minibatches of an epoch, which begins with the first of them. Threads may share it.

    Bad data end it: each thread gets the error once, then StopIteration, as of a generator.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._run: _sheaf.Run | None = None
        self._told: set[int] = set()  # threads that got the error which ended the epoch

    def __next__(self) -> Minibatch:
        if threading.get_ident() in self._told:
            raise StopIteration
        try:
            return self._next()
        except Error as error:
            if not isinstance(error, ConfigError):
                self._told.add(threading.get_ident())
            raise

    def _next(self) -> Minibatch:
        if self._run is None:
            self._reader._opened()
            with self._lock:
                if self._run is None:
                    self._run = self._reader._begin()
        try:
            return next(self._run)
        except StopIteration:
            raise
        except RaisedBefore:
            error, traceback = self._run.__dict__["failure"]
        except BaseException as raised:
            # Kept at the run, where the garbage collector sees it: its traceback leads there again.
            # Without this frame, which comes to it each time.
            found = raised.__traceback__
            self._run.__dict__["failure"] = raised, found.tb_next if found else None
            raise
        raise error.with_traceback(traceback)


class Reader:
    """Delivers the minibatches of one or several files; iterate over it.

    Each ``iter()`` is an epoch: the first is epoch 0, the next epoch 1, shuffled anew where the
    order shuffles; ``set_epoch`` and ``load_state_dict`` say otherwise. ``len()`` is the number of
    its minibatches. An epoch without end (``sweeps="endless"``) goes on where it was left. A
    minibatch of the orders "file" and "cntk" holds ``batch_size`` sequences, or, where
    ``minibatch_samples`` is given instead, at most so many samples but at least one sequence. The
    order "keyed" divides each sweep evenly, so all minibatches of a sweep have about the same size:
    with ``batch_size`` at most that many sequences; with ``minibatch_samples`` at most that many
    samples plus the longest sequence, minus 1. What is read ahead is never part of the state.
    Minibatches stay valid when later ones come, and when the reader is gone. The GIL is free while
    a minibatch is waited for.

    ``sequence(key)`` gives the sequence of a key alone, ``sequence_at(sweep, number)`` the one
    that a sweep delivers there, counted over all workers; the reader stays where it is.

    What is read:

    path              of a file, or a pattern such as "part-*.ctf", or several: read one after the
                      other; or a Deserializer of one's own
    streams           name -> Stream, or strings as "features:dense:64", "labels:sparse:10";
                      without it, all that the data have, found by reading them
    join              files that have other streams of the same sequences, put together by key: a
                      path, several, or path -> streams; a Deserializer stands for a path
    missing_sequences what becomes of a sequence that a file of ``join`` lacks: "drop" (and
                      counted), "error", or "absent": its streams are
    same_keys         keys that several files of ``path`` have: "refuse", or "number": sequences
                      are numbered through, whatever their keys
    format            one of sheaf.formats(), where the extension does not tell
    format_options    what only this format understands, as {"libsvm.base": 0}: see its page
    dtype             "float32" or "float64", of all values, or a type of NumPy or torch; without
                      it, as the file has them: of texts, "float32"
    keys              what sequence ids are: "numeric", or "text"
    skip_sequence_ids each row is a sequence of its own, whatever its id
    missing_streams   what a sequence without one of the streams is: an "error", or with "allow"
                      one where the stream is absent
    compatibility     what is an error: "strict": what is not as the format's page says; "cntk":
                      what CNTK 2.x held for one
    max_errors        wrong places tolerated in an epoch; each spoils its sequence, which is left
                      out whole; "any": all
    chunk_size        bytes of the file, indexed together, about, or a text as "4MiB"; 32 MiB
                      unless told; also called chunk_size_bytes
    index             the index file beside the data: "auto": used where it fits, and written for
                      large files; "off"; "rebuild"; "require": no scan of the data
    index_dir         where index files lie, if not beside the data

    Instead of all of these but the last two and ``max_errors``:

    spec              a file with a spec in JSON, or a dict: docs/spec.md says what there is. The
                      other keywords change what the spec says of order and minibatches
    objects           name -> Deserializer: the data that a spec names as {"object": name}
    config            a CNTK configuration, or several: one of its reader sections says what is
                      read, and in which order
    section           which, as "Train/reader"; needed where there are several
    settings          behind all those of the file: {"DataDir": "/data"}, or ["DataDir=/data"]

    Minibatches:

    batch_size        sequences of a minibatch, of all workers together; with "keyed" the most
    minibatch_samples instead of that: at most so many samples, but at least one sequence; 256
                      unless told
    minibatch_size    instead of both: so many of what ``unit`` says, "samples" or "sequences"
    unit              what minibatch_size counts; "samples" unless told
    packing           "padded": arrays of [sequences, samples, ...] with a mask; "ragged": samples
                      back to back; "packed": CNTK's layout, arrays of [steps, slots, ...] where
                      short sequences follow each other in a slot; "frames": arrays of [sequences,
                      ...], where each has one sample; "truncated": arrays of [steps, slots, ...],
                      which truncation_length makes whether named or not
    row_samples       makes the packing "packed" with exactly so many steps in each slot: longest
                      sequences first, each goes into the slot whose room left is the least that
                      suffices; a longer sequence is an error. Streams that are equally long in
                      every sequence, tokens and their labels, lie alike; ``slots``, ``begins`` and
                      ``lengths`` say where each sequence is
    split_frames      each sample is a sequence of its own, also for the order
    truncation_length for truncated backpropagation through time: steps of a minibatch, whose slots
                      (minibatch_samples / truncation_length) go on with their sequences

    Order:

    order             "file": that of the file; "keyed": shuffled, the same for any number of
                      workers; "cntk": shuffled, exactly as CNTK 2.x does it
    seed              each gives another order of "keyed" and "cntk", and each sweep has its own
    window_chunks     among how many chunks' data a sequence moves; "all"; without a window as many
                      as make 4 GiB; also called window
    window_samples    the same, in samples
    sweeps            how often an epoch delivers all sequences, 1 unless told; "endless"
    epoch_size        samples of an epoch, in place of sweeps
    sweep_ends        "cross": a minibatch may hold sequences of two sweeps; "cut": it may not, as
                      with "keyed", which divides each sweep evenly
    batching          "plain": minibatches are stretches of the order; "bucketed", of "keyed":
                      sequences of like length together, where minibatch_samples also counts what
                      padding adds

    Workers, threads, memory:

    rank, world_size  of several workers, which this one is: each sequence goes to one of them.
                      Sizes are those of all workers together
    timeline          "local": a worker fills its share of the minibatch size from its own
                      sequences; "global": it keeps what is its own of a stretch that all look at,
                      as with "keyed"
    balance           what the workers of "keyed" get the same of in each minibatch: "cost", which
                      is samples, or "count", which is sequences
    num_threads       that read ahead; "auto", as without it: one for each processor; the result
                      is the same
    memory_limit      most bytes for the index and what is read ahead, or a text as "2GB"; "none",
                      as without it: no limit

    docs/options.md has these names beside those of specs, of the command and of C++.

    Raises ConfigError, IoError, DataError; TypeError for an unknown keyword, and for a value of a
    type that a keyword does not take.
    """

    @suggesting
    def __init__(
        self,
        path: Sources | None = None,
        streams: Streams | None = None,
        *,
        join: Sources | Iterable[Joined] | Mapping[Joined, Streams | None] | None = None,
        missing_sequences: Literal["drop", "error", "absent"] | None = None,
        same_keys: Literal["refuse", "number"] | None = None,
        format: str | None = None,
        format_options: Mapping[str, object] | None = None,
        dtype: DType | None = None,
        keys: Literal["numeric", "text"] | None = None,
        skip_sequence_ids: bool | None = None,
        missing_streams: Literal["error", "allow"] | None = None,
        compatibility: Literal["strict", "cntk"] | None = None,
        max_errors: int | Literal["any"] | None = None,
        chunk_size: int | str | None = None,
        chunk_size_bytes: int | str | None = None,
        index: Literal["auto", "off", "rebuild", "require"] | None = None,
        index_dir: Path | None = None,
        spec: Path | Mapping[str, Any] | None = None,
        objects: Mapping[str, Deserializer] | None = None,
        config: Paths | None = None,
        section: str | None = None,
        settings: Mapping[str, object] | Iterable[str] | None = None,
        batch_size: int | None = None,
        minibatch_samples: int | None = None,
        minibatch_size: int | None = None,
        unit: Literal["samples", "sequences"] | None = None,
        packing: Literal["padded", "ragged", "packed", "frames", "truncated"] | None = None,
        row_samples: int | None = None,
        split_frames: bool | None = None,
        truncation_length: int | None = None,
        order: Literal["file", "cntk", "keyed"] | None = None,
        seed: int | None = None,
        window: int | Literal["all"] | None = None,
        window_chunks: int | Literal["all"] | None = None,
        window_samples: int | Literal["all"] | None = None,
        sweeps: int | Literal["endless"] | None = None,
        epoch_size: int | None = None,
        sweep_ends: Literal["cross", "cut"] | None = None,
        batching: Literal["plain", "bucketed"] | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        timeline: Literal["local", "global"] | None = None,
        balance: Literal["cost", "count"] | None = None,
        num_threads: int | Literal["auto"] | None = None,
        memory_limit: int | str | None = None,
    ) -> None:
        # The keywords that were given: what goes together is a matter of names.
        given = {name: value for name, value in locals().items() if value is not None}
        del given["self"]
        self._said = said = {name: kept(name, value) for name, value in given.items()}
        self._process = os.getpid()
        opened = open_data(said)
        self._has_end = opened.has_end
        self._data: _sheaf.Data | None = opened.data  # None once it is closed
        self._config_warnings = opened.warnings
        self._declared = opened.declared
        self._sources = opened.sources  # they live as long as they are read
        self._lock = threading.RLock()
        self._run: _sheaf.Run | None = None  # the epoch that was begun last
        self._begun = -1  # its number
        self._start: str | None = None  # where the next one begins, if not where it would anyway
        self._still: _sheaf.Run | None = None  # for random access
        self._lengths: dict[int, int] = {}  # minibatches of an epoch
        self._sizes: tuple[int, int, int] | None = None

    # Iteration.

    def __iter__(self) -> Iterator[Minibatch]:
        """The minibatches of the next epoch, which begins with the first one that is asked for.

        A DataError or IoError ends it: what comes after the error is StopIteration. The state is
        then the one after the last minibatch.
        """
        self._opened()
        return _Epoch(self)

    def __len__(self) -> int:
        """Minibatches of the whole epoch that the reader stands in.

        They are planned for that, which needs the whole index, and reads no values. TypeError where
        an epoch has no end.
        """
        if not self._has_end:
            raise TypeError('a Reader with sweeps="endless" has no len(): its epoch has no end')
        with self._alone():
            epoch = self._opened().epoch_of(self._position())
            if epoch not in self._lengths:
                self._lengths = {epoch: self._opened().minibatch_count(epoch)}
            return self._lengths[epoch]

    @property
    def epoch(self) -> int:
        """Number of the epoch that the next ``iter()`` is."""
        if self._start is not None:
            return self._opened().epoch_of(self._start)
        return self._begun + 1 if self._has_end else 0

    def set_epoch(self, epoch: int) -> None:
        """Make the next ``iter()`` epoch ``epoch``, counted from 0.

        Where ``load_state_dict`` has put the reader into this very epoch, it is the rest of it.
        """
        epoch = whole("set_epoch", epoch)
        with self._alone():
            if self._start is None or self.epoch != epoch:
                if epoch > 0 and not self._has_end:
                    raise ConfigError('set_epoch: with sweeps="endless" no epoch follows the first')
                self._start = self._opened().begin_of(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Where the reader stands, behind the last minibatch that was taken; plain types, for JSON.

        It belongs to the data and the options that change what is delivered; not to threads, memory
        or index files, nor, with the order "keyed", to the number of workers.
        """
        with self._alone():
            state: dict[str, Any] = json.loads(self._position())
            return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a ``state_dict``, or from the ``position`` of a minibatch.

        The next ``iter()`` is the rest of its epoch; where that was over, the next one. Raises
        ConfigError that names each difference where the state is that of another run.
        """
        if not isinstance(state, Mapping):
            refuse_type("load_state_dict", "a dict that state_dict() gave", state)
        with self._alone():
            start = json.dumps(dict(state))
            self._opened().check(start)
            self._start = start

    def _position(self) -> str:
        if self._start is not None:
            return self._start
        return self._opened().begin_of(0) if self._run is None else self._run.position

    def _begin(self) -> _sheaf.Run:
        with self._alone():
            data = self._opened()
            if not self._has_end and self._run is not None and self._start is None:
                return self._run
            epoch = self.epoch
            start = self._position()
            if data.epoch_of(start) != epoch:  # the last one was left before its end
                start = data.begin_of(epoch)
            self._run = _sheaf.Run(data, start)
            self._start = None
            self._begun = epoch
            return self._run

    # Random access.

    def sequence(self, key: int | str) -> Minibatch:
        """The first sequence of the data with this key, packed alone; the reader stays where it is.

        KeyError where there is none; DataError where it is left out because its data are wrong;
        ConfigError where the packing does not take it alone. Its ``position`` says nothing.
        """
        return self._for_random_access().sequence(checked_key(key))

    def sequence_at(self, sweep: int, number: int) -> Minibatch:
        """The sequence that a sweep delivers as its number-th, from 0, counted over all workers.

        As ``sequence``, but IndexError where there is none.
        """
        sweep, number = whole("sweep", sweep), whole("number", number)
        return self._for_random_access().sequence_at(sweep, number)

    def _for_random_access(self) -> _sheaf.Run:
        with self._alone():
            if self._still is None:
                self._still = _sheaf.Run(self._opened(), None)
            return self._still

    # What there is, and what was done.

    @property
    def streams(self) -> dict[str, Stream]:
        """The streams that are read, with what was found in the data."""
        return found_streams(self._opened(), self._declared)

    @property
    def sequence_count(self) -> int:
        """Sequences of a sweep, those of all workers; the first call looks at the whole index."""
        return self._counted()[1]

    @property
    def sample_count(self) -> int:
        """Samples of a sweep, likewise, of each sequence those that its minibatch size counts."""
        return self._counted()[2]

    @property
    def stats(self) -> dict[str, Any]:
        """What was done in the epoch that was begun last.

        ``sample_places`` are the rows of the arrays, of which ``padding_ratio`` is the share that
        holds none of the ``samples``; ``wait_seconds`` is how long minibatches were waited for.
        """
        return (self._run or self._for_random_access()).stats

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The wrong places met in what the epoch that was begun last delivered so far."""
        return (self._run or self._for_random_access()).diagnostics

    @property
    def warnings(self) -> list[Diagnostic]:
        """What is worth knowing though nothing is wrong, as far as it is known by now."""
        return self._config_warnings + (self._run or self._for_random_access()).warnings

    def _counted(self) -> tuple[int, int, int]:
        if self._sizes is None:
            self._sizes = self._opened().sizes()
        return self._sizes

    def __repr__(self) -> str:
        if self._data is None:
            return "<sheaf.Reader, closed>"
        files = self._data.files
        size = sum(os.path.getsize(file) for file in files)
        names = [type(source).__name__ for source in self._sources]
        if files:
            names.append(repr(files[0]) if len(files) == 1 else f"{len(files)} files")
        lines = [f"<sheaf.Reader of {' and '.join(names)}" + (f", {size:,} bytes" if files else "")]
        if self._sizes is not None or size <= _QUICK_BYTES:
            try:
                lines.append(
                    "{1:,} sequences, {2:,} samples, chunks: {0:,}".format(*self._counted())
                )
            except Error as error:
                lines.append(str(error).partition("\n")[0])
        lines += [f"{name}: {stream}" for name, stream in self.streams.items()]
        return "\n  ".join(lines) + ">"

    def _repr_html_(self) -> str:
        if self._data is None:
            return html_table("Reader, closed", (), ())
        title = repr(self).partition("\n  ")[0].removeprefix("<sheaf.")
        rows = [(printable(name), str(stream)) for name, stream in self.streams.items()]
        return html_table(title, ("stream", "values"), rows)

    # Lifetime.

    def close(self) -> None:
        """End threads, close files. Minibatches stay valid; all else is a ConfigError then."""
        with self._alone():
            for run in (self._run, self._still):
                if run is not None:
                    run.close()
            self._run = self._still = self._data = None
            self._sources = []

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: a Reader with the same options that stands at the same place.

        It opens the data anew. Deserializers go along, if they can.
        """
        with self._alone():
            self._opened()
            untouched = self._run is None and self._start is None
            return _reopened, (self._said, None if untouched else self.state_dict())

    def __enter__(self) -> Reader:
        self._opened()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self) -> _sheaf.Data:
        self._check_process()
        if self._data is None:
            raise ConfigError("the Reader is closed")
        return self._data

    def _alone(self) -> threading.RLock:
        """The lock; not where a thread may hold it that did not come along with a fork."""
        self._check_process()
        return self._lock

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise ConfigError("the Reader was made before a fork: make one in each process instead")


def _reopened(said: dict[str, Any], state: dict[str, Any] | None) -> Reader:
    reader = Reader(**said)
    if state is not None:
        reader.load_state_dict(state)
    return reader
