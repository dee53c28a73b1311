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
from ._options.options import Joined, Paths, Source, Sources, found_streams, open_data
from ._options.streams import Stream, Streams
from ._options.texts import Path
from ._options.transforms import Transforms
from ._options.values import COUNT_MAX, DType, checked_key, refuse_type, whole
from ._sheaf import Minibatch
from ._texts import html_table, printable
from ._user.functions import Function
from ._user.source import ProgramData
from .errors import ConfigError, Diagnostic, Error, RaisedBefore
from .workers import Worker, given_worker, worker_warnings

_QUICK_BYTES = 64 << 20  # __repr__ counts the sequences of data up to this size


class _Epoch(Iterator[Minibatch]):
    """Iterates over the minibatches of an epoch. Threads may share it.

    The epoch begins when the first minibatch is asked for. Bad data end the epoch: each thread gets
    the error once, and then StopIteration.
    """

    def __init__(self, reader: Reader, memory: _sheaf.SlabMemory | None = None) -> None:
        self._reader = reader
        self._memory = memory
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
                    self._run = self._reader._begin(self._memory)
        try:
            return next(self._run)
        except StopIteration:
            raise
        except RaisedBefore:
            error, traceback = self._run.__dict__["failure"]
        except BaseException as raised:
            # Keep the error at the run: the traceback refers to the run, and the garbage collector
            # follows both. Leave this frame out of the traceback: each raise adds the frame again.
            found = raised.__traceback__
            self._run.__dict__["failure"] = raised, found.tb_next if found else None
            raise
        raise error.with_traceback(traceback)


class Reader:
    """Delivers the minibatches of one or several files; iterate over it.

    Each ``iter()`` starts the next epoch: first epoch 0, then epoch 1. Each epoch has its own order
    where the order shuffles. ``set_epoch`` and ``load_state_dict`` choose another epoch or place.
    With ``sweeps="endless"`` there is one epoch without end, and ``iter()`` goes on in it.
    ``len()`` is the number of minibatches of an epoch.

    A minibatch stays valid after later minibatches have come, and after the reader is gone. The GIL
    is free while you wait for a minibatch. The state never counts minibatches that were only read
    ahead.

    ``sequence(key)`` returns the sequence with this key. ``sequence_at(sweep, number)`` returns the
    sequence that a sweep delivers at this place. Neither moves the reader.

    What is read:

    path              a file, a pattern such as "part-*.ctf", or a list of both: read one after the
                      other. Or a Deserializer or a Table of your own; sheaf.mix(...);
                      sheaf.kaldi_dir(...); sheaf.from_hugging_face(...); or a table in memory,
                      which is anything with __arrow_c_stream__. pyarrow reads files whose names
                      end with ".parquet"
    streams           name -> Stream, or texts such as "features:dense:64" and "labels:sparse:10";
                      without streams, sheaf looks at the data and reads all streams that it finds
    join              files with other streams of the same sequences, matched by key: a path, a list
                      of paths, or path -> streams; whatever stands for a path may stand here, too
    missing_sequences what sheaf does with a sequence that a file of ``join`` lacks: "drop" (the
                      default) leaves the sequence out and counts it; "error" raises an error;
                      "absent" delivers the sequence without the streams of that file
    lengths           which numbers of samples files of ``join`` may have for a sequence: "any" (the
                      default); "equal" numbers, except for ``length_tolerance``; or at least as
                      many as ``path`` has: "primary". sheaf cuts longer ones, and a sequence that
                      is too short is an error. "at_least" is "primary" without the cut, for
                      ``split_frames``
    length_tolerance  how many samples files may differ by, with "equal": all are cut to the
                      shortest
    length_streams    the streams whose files ``lengths`` compares; without it, all files
    same_keys         what sheaf does with a key that several files of ``path`` have: "refuse" (the
                      default) raises an error; "number" gives all sequences new keys 0, 1, 2, ...
    format            one of sheaf.formats(), for a file whose extension does not tell its format
    format_options    options of one format, such as {"libsvm.base": 0}; the format's page has them
    dtype             type of all values: "float32" or "float64", also as a type of NumPy or torch;
                      without dtype, the type that the file stores, and "float32" for text
    keys              type of the sequence ids: "numeric" or "text". Without keys: texts for HTK's
                      lists and labels, else numbers
    skip_sequence_ids True makes each row a sequence of its own, whatever its id
    missing_streams   "error" (the default) raises an error for a sequence that lacks a stream;
                      "allow" delivers the sequence without the stream
    compatibility     "strict" (the default) raises an error for everything that the format's page
                      does not allow; "cntk" accepts what CNTK 2.x accepts
    max_errors        how many errors in the data an epoch tolerates, or "any". sheaf leaves out the
                      whole sequence around an error. Without max_errors, the first error raises
                      a DataError
    chunk_size        about how many bytes of the file a chunk has: a number, or a text such as
                      "4MiB"; 32 MiB by default; also called chunk_size_bytes
    index             how sheaf uses the index file beside the data. "auto" (the default) uses an
                      index file that fits the data, and writes one for large files; "off" uses
                      none; "rebuild" writes a new one; "require" refuses to scan the data
    index_dir         folder of the index files, by default the folder of the data

    transforms        functions of one sequence, in the order in which sheaf applies them: a list of
                      texts such as "reverse:features", of dicts as a spec has them, or of
                      sheaf.transform(...); sheaf.transforms() lists the types
    part              (3, 8) or "3/8" reads part 3 of 8 parts of the data: a range of chunks. Parts
                      are for work that is divided, such as conversions; for training, ``rank`` and
                      ``world_size`` divide minibatches

    A spec or a configuration replaces all keywords above, except ``max_errors``, ``index``,
    ``index_dir`` and ``part``; ``transforms`` may stand beside a configuration:

    spec              a JSON file or a dict; docs/spec.md has its fields. Keywords below change the
                      order and the minibatches that the spec asks for
    objects           name -> Deserializer, Table or anything with __arrow_c_stream__ for each
                      {"object": name} of a spec, and name -> sheaf.map(...) for each transform of
                      the type "function"
    config            a CNTK configuration, or a list of them. A reader section of the configuration
                      says what to read, and in which order
    section           which reader section, such as "Train/reader"; needed if there are several
    settings          settings that follow those of the file: {"DataDir": "/data"}, or
                      ["DataDir=/data"]

    Minibatches:

    batch_size        number of sequences in a minibatch, of all workers together. With one worker,
                      "file" and "cntk" deliver exactly this many, and one shorter minibatch at the
                      end of the epoch. "keyed" divides the epoch evenly, and batch_size is the
                      maximum, unless ``sizes`` is "exact"
    minibatch_samples number of samples in a minibatch, in place of batch_size; 256 by default. With
                      "file" and "cntk", a minibatch has at most this many samples, and at least one
                      sequence. With "keyed", a minibatch exceeds this number by less than its
                      longest sequence
    minibatch_size    size of a minibatch in the given ``unit``, in place of the two above
    unit              what minibatch_size counts: "samples" (the default), "sequences", or "cost",
                      which the data declare: bytes of text, or what a Deserializer says
    packing           how the arrays of a minibatch look:
                      "padded" (the default): [sequences, samples, ...], with a mask
                      "ragged": [samples of all sequences, ...], without padding
                      "packed": [steps, slots, ...], CNTK's layout: short sequences follow each
                      other in a slot
                      "frames": [sequences, ...], for sequences of one sample or none
                      "truncated": [steps, slots, ...]; truncation_length selects it
    row_samples       number of steps in each slot of "packed". sheaf takes the longest sequences
                      first and puts each into the fullest slot with room for it. Streams whose
                      sequences are equally long, such as tokens and their labels, have equal
                      places: ``slots``, ``begins`` and ``lengths`` tell them
    pad_values        a dict: for each dense stream the value where no sample is, in place of 0:
                      {"tokens": 50256, "labels": -100}
    pad_side          "right" (the default) or "left": the side of a sequence where "padded" has its
                      padding
    pad_multiple      "padded" pads to a multiple of this number of samples
    pad_length        "padded" pads every minibatch to this number of samples. ``long`` says what
                      becomes of a longer sequence
    long              what becomes of a sequence longer than row_samples or pad_length. "error" (the
                      default): its minibatch is an error; "split": it falls into pieces, which the
                      order takes for sequences; "truncate": its first samples are delivered, as
                      many as a row has; "drop": it is left out. ``slices`` of a minibatch tell the
                      pieces
    split_frames      True makes each sample a sequence of its own, before the order is made
    truncation_length number of steps in a minibatch, for truncated backpropagation through time.
                      A minibatch has minibatch_samples / truncation_length slots. A long sequence
                      goes on in its slot in the next minibatch

    Order:

    order             "file" (the default): the order of the file; "keyed": shuffled, the same for
                      any number of workers; "cntk": shuffled exactly as CNTK 2.x shuffles
    seed              number that selects the order of "keyed" and "cntk"; 0 by default. Each sweep
                      of a seed has its own order
    window_chunks     how many chunks sheaf holds in memory and mixes, or "all"; by default as many
                      as make 4 GiB; also called window
    window_samples    the same in samples
    sweeps            how often an epoch delivers all sequences; 1 by default, or "endless"
    epoch_size        number of samples in an epoch, in place of sweeps
    sweep_ends        "cross" (the default of "file" and "cntk"): a minibatch may hold sequences of
                      two sweeps; "cut": a minibatch ends where a sweep ends, as always with "keyed"
    batching          "plain" (the default), or "bucketed", for "keyed" alone: puts sequences of
                      similar length into a minibatch. minibatch_samples then counts padding too,
                      and is a maximum for minibatches of two or more sequences
    sizes             "even" (the default), or "exact", for "keyed" alone: each minibatch has
                      exactly batch_size sequences. The last minibatch of a sweep, or of an epoch of
                      epoch_size samples, may have fewer
    drop_last         True leaves out a last minibatch that has fewer; needs sizes="exact"

    Workers, threads, memory, cache:

    rank, world_size  this worker and the number of workers. Each sequence goes to one worker. Sizes
                      are those of all workers together. rank="env" takes both numbers from
                      ``sheaf.worker()``, which asks torch.distributed, Ray Train and the variables
                      of launchers
    timeline          for "file" and "cntk". "local" (the default): a worker fills its share of the
                      minibatch size with sequences of its own; "global": all workers look at the
                      same sequences, and each delivers those that are its own
    balance           for "keyed": each worker gets about as many samples ("cost", the default) or
                      sequences ("count") in each minibatch as the others. With sizes="exact", the
                      counts differ by at most one
    num_threads       number of threads that read ahead; "auto" (the default) means one for each
                      processor. The number never changes the result
    memory_limit      most bytes for the index and for what is read ahead: a number, or a text such
                      as "2GB"; "none" (the default) means no limit
    cache             a folder that keeps decoded sequences. Later epochs and runs read them from
                      there in place of decoding the data again. sheaf makes the folder. What is
                      delivered does not change
    cache_limit       most bytes that the files of the cache take: a number, or a text such as
                      "20GB"; "none" (the default) means no limit

    docs/options.md shows these names beside those of specs, of the command and of C++.

    Raises ConfigError, IoError and DataError, and TypeError for an unknown keyword or for a value
    of a wrong type.
    """

    @suggesting
    def __init__(
        self,
        path: Sources | None = None,
        streams: Streams | None = None,
        *,
        join: Source | Iterable[Joined] | Mapping[Joined, Streams | None] | None = None,
        missing_sequences: Literal["drop", "error", "absent"] | None = None,
        lengths: Literal["any", "equal", "primary", "at_least"] | None = None,
        length_tolerance: int | None = None,
        length_streams: str | Iterable[str] | None = None,
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
        transforms: Transforms | None = None,
        part: tuple[int, int] | str | None = None,
        spec: Path | Mapping[str, Any] | None = None,
        objects: Mapping[str, ProgramData | Function] | None = None,
        config: Paths | None = None,
        section: str | None = None,
        settings: Mapping[str, object] | Iterable[str] | None = None,
        batch_size: int | None = None,
        minibatch_samples: int | None = None,
        minibatch_size: int | None = None,
        unit: Literal["samples", "sequences", "cost"] | None = None,
        packing: Literal["padded", "ragged", "packed", "frames", "truncated"] | None = None,
        row_samples: int | None = None,
        pad_values: Mapping[str, float] | None = None,
        pad_side: Literal["right", "left"] | None = None,
        pad_multiple: int | None = None,
        pad_length: int | None = None,
        long: Literal["error", "split", "truncate", "drop"] | None = None,
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
        sizes: Literal["even", "exact"] | None = None,
        drop_last: bool | None = None,
        rank: int | Literal["env"] | None = None,
        world_size: int | None = None,
        timeline: Literal["local", "global"] | None = None,
        balance: Literal["cost", "count"] | None = None,
        num_threads: int | Literal["auto"] | None = None,
        memory_limit: int | str | None = None,
        cache: Path | None = None,
        cache_limit: int | str | None = None,
    ) -> None:
        # Keep the keywords that were given, by name.
        given = {name: value for name, value in locals().items() if value is not None}
        del given["self"]
        self._said = {name: kept(name, value) for name, value in given.items()}
        said, found = given_worker(self._said)
        self._process = os.getpid()
        opened = open_data(said)
        self._worker: dict[str, Any] = {
            "worker_index": whole("rank", said.get("rank", 0)),
            "worker_count": whole("world_size", said.get("world_size", 1)),
            "worker_source": None if found is None else found.source,
        }
        self._worker_warnings = worker_warnings(found)
        self._has_end = opened.has_end
        self._data: _sheaf.Data | None = opened.data  # None once it is closed
        self._config_warnings = opened.warnings
        self._declared = opened.declared
        self._sources = opened.sources  # must live as long as the reader reads them
        self._lock = threading.RLock()
        self._run: _sheaf.Run | None = None  # the latest epoch
        self._memory: _sheaf.SlabMemory | None = None  # of the minibatches of this epoch
        self._begun = -1  # its number
        self._start: str | None = None  # where the next epoch begins, if not at its own beginning
        self._still: _sheaf.Run | None = None  # for random access
        self._lengths: dict[int, int] = {}  # minibatches of an epoch
        self._sizes: tuple[int, int, int] | None = None

    # Iteration.

    def __iter__(self) -> Iterator[Minibatch]:
        """Iterate over the minibatches of the next epoch.

        The epoch begins when you ask for its first minibatch. A DataError or IoError ends the
        iterator, which then raises StopIteration. The state stays behind the last minibatch.
        """
        return self._epoch_in(None)

    def _epoch_in(self, memory: _sheaf.SlabMemory | None) -> Iterator[Minibatch]:
        """Iterate over the next epoch, with the arrays of its minibatches in ``memory``."""
        self._opened()
        return _Epoch(self, memory)

    def __len__(self) -> int:
        """Return the number of minibatches of the whole epoch that the reader stands in.

        The first call plans the epoch, which needs the whole index but reads no values. Raises
        TypeError if the epoch has no end.
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
        """Number of the epoch that the next ``iter()`` delivers."""
        if self._start is not None:
            return self._opened().epoch_of(self._start)
        return self._begun + 1 if self._has_end else 0

    def set_epoch(self, epoch: int) -> None:
        """Make the next ``iter()`` deliver epoch ``epoch``, counted from 0.

        If ``load_state_dict`` has put the reader into this epoch, the next ``iter()`` delivers the
        rest of the epoch.
        """
        epoch = whole("set_epoch", epoch)
        with self._alone():
            if self._start is None or self.epoch != epoch:
                if epoch > 0 and not self._has_end:
                    raise ConfigError('set_epoch: with sweeps="endless" no epoch follows the first')
                self._start = self._opened().begin_of(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return the place behind the last minibatch that you took, as plain types for JSON.

        Load the state into a reader of the same data and options. Threads, memory limits and index
        files may differ, and with the order "keyed" also the number of workers.
        """
        with self._alone():
            state: dict[str, Any] = json.loads(self._position())
            return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a ``state_dict``, or from the ``position`` of a minibatch.

        The next ``iter()`` delivers the rest of the epoch, or the next epoch if nothing is left.
        Raises ConfigError for a state of other data or options, and names each difference.
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

    def _begin(self, memory: _sheaf.SlabMemory | None) -> _sheaf.Run:
        with self._alone():
            data = self._opened()
            run = self._run if self._start is None and self._memory is memory else None
            if not self._has_end and run is not None:
                return run
            epoch = self.epoch
            start = self._position()
            if data.epoch_of(start) != epoch:  # the caller left the last epoch before its end
                start = data.begin_of(epoch)
            self._run = _sheaf.Run(data, start, memory)
            self._memory = memory
            self._start = None
            self._begun = epoch
            return self._run

    # Random access.

    def sequence(self, key: int | str, *, sweep: int = 0) -> Minibatch:
        """Return a minibatch of the first sequence with this key, without moving the reader.

        Transforms draw their random numbers as in sweep ``sweep``.

        Raises KeyError if no sequence has this key, DataError if the data of the sequence are
        wrong, and ConfigError if the packing cannot hold the sequence alone. Do not resume from the
        ``position`` of this minibatch.
        """
        sweep = whole("sweep", sweep)
        if not 0 <= sweep <= COUNT_MAX:
            raise ConfigError(f"sweep is a whole number from 0: got {sweep}")
        return self._for_random_access().sequence(checked_key(key), sweep)

    def sequence_at(self, sweep: int, number: int) -> Minibatch:
        """Return a minibatch of the sequence that a sweep delivers at place ``number``.

        Places count from 0, over all workers. Raises IndexError if the sweep has no such place, and
        otherwise what ``sequence`` raises.
        """
        sweep, number = whole("sweep", sweep), whole("number", number)
        return self._for_random_access().sequence_at(sweep, number)

    def _for_random_access(self) -> _sheaf.Run:
        with self._alone():
            if self._still is None:
                self._still = _sheaf.Run(self._opened(), None)
            return self._still

    # Properties and statistics.

    @property
    def streams(self) -> dict[str, Stream]:
        """The streams that the reader reads, with the shapes and types found in the data."""
        return found_streams(self._opened(), self._declared)

    @property
    def sequence_count(self) -> int:
        """Number of sequences in a sweep, of all workers. The first call reads the whole index."""
        return self._counted()[1]

    @property
    def sample_count(self) -> int:
        """Number of samples in a sweep, of all workers, as the minibatch size counts them."""
        return self._counted()[2]

    @property
    def stats(self) -> dict[str, Any]:
        """Counts and times of the latest epoch.

        ``sample_places`` counts the rows of the arrays, and ``padding_ratio`` is the share of rows
        without a sample. ``wait_seconds`` is how long you waited for minibatches. ``cache_hits``
        counts the units that came from the cache, and ``cache_misses`` those that had to be decoded
        although there is a cache, both since the reader was made. ``worker_source`` says who told
        ``worker_index`` and ``worker_count``, and is None where you gave rank and world_size.
        """
        return {**(self._run or self._for_random_access()).stats, **self._worker}

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Descriptions of the first hundred errors in the latest epoch so far."""
        return (self._run or self._for_random_access()).diagnostics

    @property
    def warnings(self) -> list[Diagnostic]:
        """Hints about data and options that are not wrong, as far as they are known by now."""
        found = (self._run or self._for_random_access()).warnings
        return self._config_warnings + self._worker_warnings + found

    def _counted(self) -> tuple[int, int, int]:
        if self._sizes is None:
            self._sizes = self._opened().sizes()
        return self._sizes

    def __repr__(self) -> str:
        if self._data is None:
            return "<sheaf.Reader, closed>"
        files = self._data.files
        size = sum(os.path.getsize(file) for file in files)
        sources = [each for each in self._sources if not isinstance(each, Function)]
        names = [type(source).__name__ for source in sources]
        if files:
            names.append(repr(files[0]) if len(files) == 1 else f"{len(files)} files")
        lines = [f"<sheaf.Reader of {' and '.join(names)}" + (f", {size:,} bytes" if files else "")]
        if self._sizes is not None or size <= _QUICK_BYTES:
            try:
                chunks, sequences, samples = self._counted()
                lines.append(f"{sequences:,} sequences, {samples:,} samples, chunks: {chunks:,}")
                if sequences > 0 and samples == 0:
                    lines.append("no sequence has any of these streams: is a name misspelled?")
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

    def _told_by(self, found: Worker) -> None:
        """Note who told rank and world size."""
        self._worker["worker_source"] = found.source
        self._worker_warnings = worker_warnings(found)

    # Lifetime.

    def close(self) -> None:
        """End the threads and close the files.

        Minibatches stay valid. Every later use of the reader raises ConfigError.
        """
        with self._alone():
            for run in (self._run, self._still):
                if run is not None:
                    run.close()
            self._run = self._still = self._data = self._memory = None
            self._sources = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Let pickle and copy make a Reader with the same options at the same place.

        The copy opens the data again. It includes Deserializers, which must be picklable.
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
        """Return the lock.

        Raises ConfigError in a forked process: a thread of the parent may hold the lock.
        """
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
