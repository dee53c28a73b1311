from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy
import numpy.typing
import scipy.sparse
import torch

import sheaf._batch
import sheaf.errors


version: str = '0.1.0'

def formats() -> list[dict[str, Any]]:
    """Return a description of each format."""

def set_sound_library(path: str) -> None:
    """
    Choose the file of libsndfile that decodes later recordings. An empty path chooses the library of the system.
    """

def sound_library() -> str:
    """Return the path that set_sound_library() got last."""

def cntk_spec(dictionary: dict[str, Any], folder: str) -> tuple[str, list[sheaf.errors.Diagnostic]]:
    """
    Return the spec of the reader that a dictionary of CNTK describes, in JSON, and warnings about settings that have no effect. Relative paths begin at the folder.
    """

def transforms() -> list[dict[str, Any]]:
    """Return a description of each transform."""

def generator_key(seed: int, sweep: int, key: int, transform: str) -> tuple[int, int]:
    """
    Return the key of the random generator Philox for a sequence with a numeric key.
    """

def generator_key_of_text(seed: int, sweep: int, key: str, transform: str) -> tuple[int, int]:
    """
    Return the key of the random generator Philox for a sequence with a text key.
    """

class DenseBatch:
    """One dense stream of a minibatch."""

    @property
    def values(self) -> numpy.typing.NDArray[Any]:
        """
        The values of all samples. The packing gives the shape of the array:

            padded             [sequences, samples, *shape]
            ragged             [samples of all sequences, *shape]
            packed, truncated  [steps, slots, *shape]
            frames             [sequences, *shape]

        Rows without a sample have zeros, or the number of pad_values. If the shape of
        samples varies, *shape is the largest extents, and padding surrounds smaller samples.
        Opaque bytes, and ragged samples of varying shape, lie back to back in one dimension,
        and sample_offsets tells where each begins. NumPy has no bfloat16, so the array has
        the bits of such values as uint16.
        """

    @property
    def extents(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        The shape of each sample if shapes vary, otherwise None. The packing gives
        the shape of the array:

            padded             [sequences, samples, rank]
            ragged             [samples of all sequences, rank]
            packed, truncated  [steps, slots, rank]
            frames             [sequences, rank]

        Rows without a sample have zeros. Opaque bytes have extents only if ragged.
        """

    @property
    def sample_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where each row begins among the values, and the end: [rows + 1]. Only for opaque bytes, and for samples of varying shape in the packing ragged; otherwise None.
        """

    def samples(self, sequence: int) -> list[Any] | None:
        """
        Return a list of the samples of a sequence, in any packing, or None if the sequence lacks the stream. A sample is an array of its own shape, or a memoryview of opaque bytes. Samples share the memory of the minibatch, and keep the minibatch alive.
        """

    @property
    def dtype(self) -> str:
        """The type of the values, such as "float32" or "bfloat16"."""

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """The number of samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True for each row with a sample: [sequences, samples] if padded, [steps, slots] if packed or truncated. None in other packings.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where each sequence begins among the rows, and the end: [sequences + 1]. None unless ragged.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """The slot of each sequence. None unless packed or truncated."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        The step of the first sample of each sequence. None unless packed or truncated.
        """

    @property
    def slot_count(self) -> int:
        """How many sequences advance side by side. 0 unless packed or truncated."""

    @property
    def presence(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        False for each sequence that lacks the stream: [sequences]. None if all sequences have the stream.
        """

    @property
    def packing(self) -> str:
        """
        The packing of the stream: "padded", "ragged", "packed", "frames" or "truncated".
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy. A copy has its own memory."""

    def __repr__(self) -> str:
        """Return a readable summary."""

    def cu_seqlens(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Return sequence_offsets as int32, [sequences + 1], for attention kernels that take sequences of different lengths. Raises ConfigError unless the stream is ragged.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]:
        """Return the values."""

    def __dlpack__(self, **options: Any) -> Any:
        """
        Return the values as a DLPack capsule, without a copy, for torch.from_dlpack(batch).
        """

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return (1, 0), the CPU."""

    def to_torch(self) -> torch.Tensor:
        """Return the values as a tensor, without a copy."""

    def to_nested(self) -> torch.Tensor:
        """
        Return the values as a jagged nested tensor, [sequences, *, *shape], without a copy. Raises ConfigError unless the stream is ragged and its shape is fixed.
        """

class SparseBatch:
    """
    One sparse stream of a minibatch, in compressed sparse rows (CSR), as in scipy.sparse.
    Each row is a sample. If padded, every sequence has equally many rows, and rows without
    a sample are empty. If packed or truncated, row t * slot_count + s is step t of slot s.
    """

    @property
    def data(self) -> numpy.typing.NDArray[Any]:
        """The stored values. For bfloat16, the bits as uint16."""

    @property
    def indices(self) -> numpy.typing.NDArray[Any]:
        """The index of each value."""

    @property
    def indptr(self) -> numpy.typing.NDArray[numpy.int64]:
        """Where each row begins among the values, and the end: [rows + 1]."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and the dim."""

    def samples(self, sequence: int) -> list[tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[Any]]] | None:
        """
        Return a list of the samples of a sequence, in any packing, or None if the sequence lacks the stream. A sample is (indices, values). Samples share the memory of the minibatch, and keep the minibatch alive.
        """

    @property
    def dtype(self) -> str:
        """The type of the values, such as "float32" or "bfloat16"."""

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """The number of samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True for each row with a sample: [sequences, samples] if padded, [steps, slots] if packed or truncated. None in other packings.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where each sequence begins among the rows, and the end: [sequences + 1]. None unless ragged.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """The slot of each sequence. None unless packed or truncated."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        The step of the first sample of each sequence. None unless packed or truncated.
        """

    @property
    def slot_count(self) -> int:
        """How many sequences advance side by side. 0 unless packed or truncated."""

    @property
    def presence(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        False for each sequence that lacks the stream: [sequences]. None if all sequences have the stream.
        """

    @property
    def packing(self) -> str:
        """
        The packing of the stream: "padded", "ragged", "packed", "frames" or "truncated".
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy. A copy has its own memory."""

    def __repr__(self) -> str:
        """Return a readable summary."""

    def cu_seqlens(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Return sequence_offsets as int32, [sequences + 1], for attention kernels that take sequences of different lengths. Raises ConfigError unless the stream is ragged.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]:
        """
        Raise a TypeError, because a sparse stream is no array. The message names alternatives.
        """

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a scipy.sparse.csr_array, [rows, dim], that shares the values."""

    def to_torch(self) -> torch.Tensor:
        """Return a sparse CSR tensor, [rows, dim], that shares the values."""

    def to_bags(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """
        Return (indices, offsets, weights) for torch.nn.functional.embedding_bag with include_last_offset=True. Each row is a bag, and there are [rows + 1] offsets.
        """

class Minibatch:
    """The data of one training step: a mapping from stream names to arrays."""

    def __getitem__(self, stream: str) -> sheaf._batch.AnyBatch: ...

    def __getattr__(self, stream: str) -> sheaf._batch.AnyBatch:
        """
        Return a stream: minibatch.features is minibatch["features"]. A stream with the name of an attribute, such as "position", needs the form with brackets.
        """

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """
        Return the sequences as an Arrow array of structs that shares the values. pyarrow.record_batch(minibatch) calls this method. A struct has the sequence_key, and for each stream a list of samples (ragged) or one sample (frames). A dense sample is a list of fixed size, or a single value. A sparse sample is a list of structs of index and value. A sample of variable shape is a list, or a struct of data and shape. Opaque bytes are a large_binary. Raises ConfigError in other packings.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy. A copy has its own memory."""

    def __dir__(self) -> list[str]: ...

    def get(self, stream: str, default: Any = None) -> Any: ...

    def __len__(self) -> int: ...

    def __contains__(self, stream: str) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def keys(self) -> list[str]:
        """Return the names of the streams."""

    def values(self) -> list[DenseBatch | SparseBatch]: ...

    def items(self) -> list[tuple[str, DenseBatch | SparseBatch]]: ...

    def __repr__(self) -> str:
        """Return a readable summary."""

    @property
    def sequence_keys(self) -> numpy.typing.NDArray[numpy.uint64]:
        """The keys of the sequences, in the order of delivery."""

    @property
    def key_texts(self) -> list[str]:
        """The texts of the keys. Empty if keys are numbers."""

    @property
    def slices(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        The part of each sequence that the minibatch has: [sequences, (first sample, number of samples, samples of the whole sequence)]. None if the order cuts no sequences.
        """

    @property
    def members(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        The number of the member of a mixture that each sequence comes from. None if the data are not a mixture.
        """

    @property
    def sequence_count(self) -> int: ...

    @property
    def sample_count(self) -> int:
        """The number of samples of the stream with the most samples."""

    @property
    def position(self) -> dict[str, Any]:
        """
        The state of the reader after this minibatch, for Reader.load_state_dict().
        """

    @property
    def ends_sweep(self) -> bool:
        """Whether the minibatch has the last sequence of a sweep."""

    @property
    def ends_epoch(self) -> bool: ...

    @property
    def hole_count(self) -> int:
        """How many sequences sheaf left out because their data are wrong."""

def restore_minibatch(state: tuple[Any, ...]) -> Minibatch:
    """Return the minibatch with a state from Minibatch.__reduce__()."""

def restore_batch(state: tuple[Any, ...]) -> DenseBatch | SparseBatch:
    """Return the stream with a state from its __reduce__()."""

class StreamOptions:
    def __init__(self, *, name: str, alias: str, shape: Sequence[int] | None, sparse: bool, dtype: str | None, has_long_indices: bool, defines_minibatch_size: bool) -> None: ...

class OrderOptions:
    def __init__(self, *, minibatch_size: int, unit: str, sweeps: int, epoch_size: int, rank: int, world_size: int, order: str, seed: int, window_chunks: int | None, window_samples: int | None, sweep_ends: str, timeline: str, balance: str, batching: str, sizes: str, drop_last: bool, split_frames: bool, truncation_length: int, long: str) -> None: ...

class FormatOptions:
    def __init__(self, *, format: str, format_options: Mapping[str, str], dtype: str | None, keys: str | None, missing_streams: str, compatibility: str, skip_sequence_ids: bool, chunk_size: int, index: str, index_dir: str, shares_options: bool) -> None: ...

class Plan:
    """The data to read, their order, and their packing."""

    def __init__(self) -> None: ...

    @staticmethod
    def of_config(config: str, section: str, settings: Sequence[str], minibatch_size: int) -> tuple[Plan, list[sheaf.errors.Diagnostic]]: ...

    @staticmethod
    def of_spec(name: str, json: str | None) -> Plan: ...

    def to_json(self) -> str: ...

    def add_files(self, paths: Sequence[str], streams: Sequence[StreamOptions], format: FormatOptions, same_keys: str) -> None: ...

    def add_object(self, object: str, chunk_size: int) -> None:
        """
        Also read the object with this name. The size of its chunks gives the default window.
        """

    def set_chunk_size(self, object: str, chunk_size: int) -> None:
        """Tell the size of an object's chunks, as add_object()."""

    def check_objects(self, given: Sequence[str]) -> None:
        """Raise ConfigError unless these are the objects that the spec names."""

    def set_order(self, order: OrderOptions, chunk_size_bytes: int) -> None: ...

    def set_sizes(self, order: OrderOptions) -> None: ...

    def set_worker(self, rank: int, world_size: int) -> None: ...

    def set_index(self, index: str | None, index_dir: str | None) -> None: ...

    @property
    def has_cache(self) -> bool:
        """Whether a cache keeps decoded sequences."""

    def set_cache(self, cache: str | None, cache_limit: int | None) -> None: ...

    def set_missing_sequences(self, word: str) -> None: ...

    def set_lengths(self, word: str, tolerance: int, streams: Sequence[str]) -> None: ...

    def share_format_options(self, of_objects: Sequence[str]) -> list[str]:
        """
        Remove options of other formats from each joined file. Return the names of the options that each file keeps. Raises ConfigError for an option that no format of the files has, unless of_objects names the option.
        """

    def add_transforms(self, json: str) -> None:
        """Add transforms: a list in JSON, as in a spec."""

    def set_part(self, part: str) -> None:
        """Read only a part of the data, such as "3/8"."""

    def drop_transforms(self) -> None:
        """Read the data without transforms."""

    @property
    def has_end(self) -> bool: ...

    def set_padding(self, pad_values: dict[str, int | float], pad_side: str, pad_multiple: int, pad_length: int) -> None:
        """Set the padding. A number of 0 stands for the default."""

    @property
    def row_samples(self) -> int: ...

    @property
    def packing(self) -> str: ...

    @packing.setter
    def packing(self, arg: str, /) -> None: ...

class Data:
    """Open data, and the threads that read them."""

    def __init__(self, plan: Plan, *, row_samples: int, num_threads: int, memory_limit: int, max_errors: int) -> None: ...

    @property
    def format(self) -> str:
        """
        The name of the format. For joined files, the format of the first file.
        """

    def chunks(self) -> list[tuple[int, int, int, int, int]]:
        """
        Return (sequences, samples, offset, size, first line) for each chunk, with offset and size in bytes.
        """

    @property
    def has_text_keys(self) -> bool:
        """Whether keys are texts."""

    def keys(self) -> numpy.typing.NDArray[numpy.uint64]:
        """
        Return the keys of all sequences, in the order of the file. A text key is the low half of its hash.
        """

    def in_turns(self, bytes: int) -> Data:
        """
        Return the same data, in minibatches of about this number of decoded bytes.
        """

    @property
    def files(self) -> list[str]:
        """The paths of all files."""

    @property
    def streams(self) -> list[tuple[str, tuple[int, ...], bool, str, str, bool]]:
        """
        A tuple for each stream: (name, shape, is sparse, element type, index type, defines the minibatch size).
        """

    @property
    def class_names(self) -> list[tuple[str, ...] | None]:
        """
        The class names of each stream, in the order of the class ids. None for a stream without names.
        """

    def sizes(self) -> tuple[int, int, int]:
        """Return the number of chunks, sequences and samples."""

    def minibatch_count(self, epoch: int) -> int:
        """Return the number of minibatches of an epoch."""

    def begin_of(self, epoch: int) -> str:
        """Return the position where an epoch begins."""

    def position_of(self, sample: int) -> str:
        """
        Return the position of the first sequence that starts at or after a sample, counted from the start of the run.
        """

    def resized(self, *, minibatch_size: int, sweep_ends: str, rank: int, world_size: int) -> Data:
        """
        Return the same open data for another minibatch size and another worker.
        """

    def epoch_of(self, position: str) -> int:
        """
        Return the epoch of a position. At the end of an epoch, return the next epoch.
        """

    def check(self, position: str) -> None:
        """Raise ConfigError if the position belongs to another run."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]: ...

class SlabMemory:
    """Memory for minibatches, cut from slabs that the program provides."""

    def __init__(self, bytes_max: int) -> None: ...

    def turn(self) -> tuple[list[int], int, int]:
        """
        Return the addresses of spent slabs, the size of a new slab, and how many slabs to add.
        """

    def add(self, address: int, size_bytes: int) -> None:
        """
        Add a slab. The slab must stay valid until turn() returns its address, or until this object is gone.
        """

    @property
    def slab_bytes(self) -> int:
        """The size of all slabs together, in bytes."""

    @property
    def ordinary_count(self) -> int:
        """How many arrays did not fit into a slab."""

class Run:
    """
    An iterator over the rest of an epoch. Without a position, only random access.
    """

    def __init__(self, data: Data, position: str | None, memory: SlabMemory | None = None) -> None: ...

    def close(self) -> None: ...

    def __next__(self) -> Minibatch: ...

    def sequence(self, key: int | str, sweep: int) -> Minibatch:
        """
        Return a minibatch with only the first sequence that has this key, transformed as in the sweep.
        """

    def sequence_at(self, sweep: int, number: int) -> Minibatch:
        """
        Return a minibatch with only the sequence that a sweep delivers as number `number`, from 0.
        """

    @property
    def position(self) -> str:
        """The position after the last delivered minibatch, as JSON."""

    @property
    def stats(self) -> dict[str, Any]:
        """Counts and times of the run so far."""

    @property
    def diagnostics(self) -> list[sheaf.errors.Diagnostic]:
        """Descriptions of the first hundred errors in the data delivered so far."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]:
        """
        The warnings so far: first about delivered sequences, then about the data as a whole.
        """

def check(data: Data, limit: int) -> dict[str, Any]:
    """Read all data, and describe their errors and warnings."""

def check_plan(plan: Plan, limit: int, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """
    Open the data of a plan, and check them. A DataError of opening becomes an error in the result.
    """

def index_data(plan: Plan, mode: str, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """Write or check index files."""

def merge(path: str, parts: Sequence[str], format: str, overwrite: bool, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """Write one file from all parts of a conversion."""

def merge_reports(reports: Sequence[str]) -> str:
    """
    Return the report about the whole data as JSON, made from the reports about all parts.
    """

def output_paths(path: str, shards: int, split: str) -> list[str]:
    """Return the paths of all files that a conversion writes."""

def convert(data: Data, path: str, choices: Sequence[tuple[str, str, str | None]], format: str, format_options: Mapping[str, str], chunk_size_bytes: int, overwrite: bool, in_own_steps: bool, shards: int, split: str, keys: Sequence[str] | None, min_length: int, max_length: int | None, share: str, for_merge: bool) -> dict[str, Any]:
    """
    Write selected sequences. Each choice has the name of a stream, its name in the file, and its dtype.
    """

def report_json(data: Data, path: str, against: Data | None, against_path: str, shows_values: bool) -> str:
    """Return the text that `sheaf report --json` prints about the data."""

def report_html(json: str) -> str:
    """Return the HTML page of a report."""

def write_report(json: str, path: str, overwrite: bool) -> None:
    """Write a report as `sheaf report -o` does."""

def stat_json(data: Data, path: str, duplicates: bool) -> str:
    """Return the text that `sheaf stat --json` prints about the data."""

def order_json(data: Data, path: str, noise_of: str, steps: int, opening_seconds: float, worker_source: str) -> str:
    """
    Return the text that `sheaf order --json` prints about the data and their order.
    """

def worker() -> tuple[int, int, str, str]:
    """
    Return (index, count, source, warning) of this worker, from the environment variables of launchers.
    """

def check_output_path(path: str, sources: Sequence[str]) -> bool:
    """
    Return whether the file exists. Raises ConfigError for a path that cannot become a file, or that is one of the sources.
    """

class FileWriter:
    """A file under construction."""

    def __init__(self, path: str, streams: Sequence[StreamOptions], format: str, format_options: Mapping[str, str], chunk_size_bytes: int, overwrite: bool) -> None: ...

    def write_columns(self, keys: numpy.typing.NDArray[numpy.uint64] | list[str], columns: list[tuple[Any, ...]]) -> None:
        """
        Write sequences. Each stream has values, indices, sample_offsets, extents, sequence_offsets and presence.
        """

    def write_minibatch(self, minibatch: Minibatch) -> bool:
        """
        Write the sequences of a minibatch. If the streams differ from those of the file, write nothing and return False.
        """

    def finish(self) -> None: ...

    def discard(self) -> None: ...

    def stats(self) -> tuple[int, int]:
        """Return the number of written sequences and samples."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]: ...

def arrow_stream(data: Data, words: Sequence[str]) -> Any:
    """Return a capsule with an Arrow stream of the first epoch of the data."""

class ArrowSource:
    """Record batches from another library."""

    @staticmethod
    def of_stream(capsule: object) -> ArrowSource: ...

    @staticmethod
    def of_array(schema: object, array: object) -> ArrowSource: ...

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    def describe(self, number: int) -> tuple[str, tuple[int, ...] | None, bool, str, str]:
        """
        Return (word of the stream, shape, is sparse, format of the values, format of the indices) for a column. The shape is None if unknown.
        """

    def write_to(self, file: FileWriter, path: str, key: str | None) -> None: ...

class UserCall:
    """
    A request for sequences of a chunk, for a call of a function, or for a batch of a table.
    """

    @property
    def description(self) -> int: ...

    @property
    def chunk(self) -> int: ...

    @property
    def first(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def sample_count(self) -> int:
        """How many samples the requested sequences have according to the table."""

    @property
    def is_whole(self) -> bool:
        """Whether the request is for all sequences of the chunk."""

    def key(self, i: int) -> str:
        """Return the key of the i-th requested sequence."""

    def length(self, i: int) -> int:
        """Return how many samples the i-th requested sequence must have."""

    @property
    def batch(self) -> tuple[int, list[str]] | None:
        """
        The number of the requested batch of a table, and the names of its requested columns. None for other requests.
        """

    def inputs(self) -> list[tuple[str, tuple[int, ...], bool, str, str, Any, Any, Any, Any, Any, Any]]:
        """
        Return the arguments of a function: a tuple for each stream, with its arrays as bytes.
        """

    def generator_key(self, i: int) -> tuple[int, int]:
        """
        Return the key of the random generator Philox for the i-th requested sequence.
        """

class UserCalls:
    """The requests that wait for the Python thread of a Deserializer."""

    def __init__(self, kept: Callable[[int], BaseException | None]) -> None: ...

    def take(self) -> tuple[list[UserCall], list[int]] | None:
        """
        Wait for requests. Return the requests, and the numbers of objects to release; None if the thread is to end.
        """

    def wake(self) -> None:
        """Make take() return, even without a request."""

    def answer(self, call: UserCall, streams: list[tuple[Any, ...]], bad: list[tuple[int, str]]) -> None: ...

    def answer_batch(self, call: UserCall, schema: object, array: object) -> None: ...

    def refuse_batch(self, call: UserCall, path: str, byte_offset: int, code: str, expected: str, found: str) -> None:
        """Answer that the batch is damaged."""

    def fail(self, call: UserCall, error: int) -> None:
        """Answer with the exception that has this number."""

    def abandon(self, call: UserCall) -> None:
        """Answer that the Deserializer or the function no longer exists."""

    def close(self) -> None:
        """Refuse further requests."""

    def end(self) -> None:
        """Fail all requests, because the interpreter ends."""

class UserTable:
    """The chunks and sequences that a Deserializer describes."""

    def __init__(self, name: str, cost_name: str) -> None: ...

    def add(self, count: int, samples: int, each: numpy.typing.NDArray[numpy.int64] | None, keys: numpy.typing.NDArray[numpy.uint64] | None, texts: list[str] | None, costs: numpy.typing.NDArray[numpy.int64] | None, decoded_size_bytes: int) -> None: ...

def give_user_data(plan: Plan, object: str, calls: UserCalls, description: int, name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, bool]], table: UserTable, fingerprint: str, memory_limit: int, reads_parts: bool) -> None:
    """Add a Deserializer to a plan. The spec of the plan calls it `object`."""

def give_function(plan: Plan, name: str, calls: UserCalls, description: int, said_name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, bool]] | None, samples: int | None, shapes_max: list[list[int] | None], takes_steps: bool, is_random: bool, version: str) -> None:
    """Add a function to a plan. The transforms of the plan call it `name`."""

def give_stream(plan: Plan, object: str, capsule: object, name: str, fingerprint: str, streams: Sequence[StreamOptions], format: FormatOptions) -> None:
    """
    Add the batches of an Arrow stream to a plan. The spec of the plan calls them `object`.
    """

def index_file_path(path: str, directory: str) -> str:
    """Return the path of the index file of a data file."""

def raise_damage(path: str, byte_offset: int, code: str, expected: str, found: str) -> NoReturn:
    """Raise the DataError of a damaged file."""

def give_batches(plan: Plan, object: str, readers: list[tuple[UserCalls, int]], parts: list[tuple[str, str, Any, list[int], list[int], list[list[int]], str]], streams: Sequence[StreamOptions], format: FormatOptions) -> None:
    """Add a table to a plan. Python code reads the batches of the table."""
