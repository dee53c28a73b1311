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
    """The rows of the table of formats."""

def set_sound_library(path: str) -> None:
    """
    The file of libsndfile that later recordings are decoded with; empty: the system's.
    """

def sound_library() -> str:
    """The file that was set last."""

def cntk_spec(dictionary: dict[str, Any], folder: str) -> tuple[str, list[sheaf.errors.Diagnostic]]:
    """
    The spec, in JSON, of the reader that a dictionary of CNTK describes, and what the reader does not know of it. Relative paths begin at the folder.
    """

def transforms() -> list[dict[str, Any]]:
    """The rows of the table of transforms."""

def generator_key(seed: int, sweep: int, key: int, transform: str) -> tuple[int, int]:
    """The key of Philox for a sequence whose key is a number."""

def generator_key_of_text(seed: int, sweep: int, key: str, transform: str) -> tuple[int, int]:
    """The same for a sequence whose key is a text."""

class DenseBatch:
    """One dense stream of a minibatch."""

    @property
    def values(self) -> numpy.typing.NDArray[Any]:
        """
        Padded: [sequences, samples, *shape], zero where no sample is. Ragged: [samples of all sequences, *shape]. Packed and truncated: [steps, slots, *shape], zero where no sample is. Frames: [sequences, *shape]. Where the shape varies, *shape is the largest extents, with zeros around each sample. Ragged, and of bytes, where the shape varies: [all values], one sample after the other. Of bfloat16, which NumPy does not have, the bits as uint16.
        """

    @property
    def extents(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where the shape of samples varies, the shape of each sample: [sequences, samples, rank] padded, [samples of all sequences, rank] ragged, [steps, slots, rank] packed and truncated, [sequences, rank] frames; zero where no sample is. Else None. Bytes have it ragged alone.
        """

    @property
    def sample_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Of bytes, and ragged where the shape of samples varies: [rows + 1], where each row begins among the values, and the end. Else None.
        """

    def samples(self, sequence: int) -> list[Any] | None:
        """
        The samples of a sequence, each by itself, in every packing; None where the sequence does not have the stream. A sample is an array of its own shape, or a memoryview where the stream is opaque bytes. Nothing is copied, and each keeps the minibatch alive.
        """

    @property
    def dtype(self) -> str:
        """The type of the values, as "float32" or "bfloat16"."""

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """Samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True where a sample is. Padded: [sequences, samples]. Packed and truncated: [steps, slots]. Else None.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Ragged: where each sequence begins among the rows, and the end. Else None.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """Packed and truncated: the slot of each sequence. Else None."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Packed and truncated: the step of each sequence's first sample here. Else None.
        """

    @property
    def slot_count(self) -> int:
        """Packed and truncated: how many sequences advance side by side. Else 0."""

    @property
    def presence(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        [sequences], False where a sequence does not have the stream. None where all have it.
        """

    @property
    def packing(self) -> str:
        """
        How the samples lie: "padded", "ragged", "packed", "frames" or "truncated".
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy, with memory of its own."""

    def __repr__(self) -> str:
        """Returns a readable summary."""

    def cu_seqlens(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Ragged: sequence_offsets in 32 bits, [sequences + 1], as attention kernels for sequences of different lengths take them. ConfigError in other packings.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]:
        """The values."""

    def __dlpack__(self, **options: Any) -> Any:
        """The values as a DLPack capsule, not a copy: torch.from_dlpack(batch)."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU: (1, 0)."""

    def to_torch(self) -> torch.Tensor:
        """The values as a tensor, not a copy."""

    def to_nested(self) -> torch.Tensor:
        """
        Ragged: a jagged nested tensor, [sequences, *, *shape], not a copy. ConfigError in other packings.
        """

class SparseBatch:
    """
    One sparse stream of a minibatch: compressed rows, as scipy.sparse.csr_matrix takes them.
    A row is a sample; padded, there are as many rows for each sequence, the last ones empty;
    packed and truncated, row t * slot_count + s is step t of slot s.
    """

    @property
    def data(self) -> numpy.typing.NDArray[Any]:
        """The stored values; of bfloat16 the bits, as uint16."""

    @property
    def indices(self) -> numpy.typing.NDArray[Any]:
        """The index of each value."""

    @property
    def indptr(self) -> numpy.typing.NDArray[numpy.int64]:
        """Where each row begins among the values, and the end."""

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, dim)."""

    def samples(self, sequence: int) -> list[tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[Any]]] | None:
        """
        The samples of a sequence, in every packing: (indices, values) of each; None where the sequence does not have the stream. Nothing is copied.
        """

    @property
    def dtype(self) -> str:
        """The type of the values, as "float32" or "bfloat16"."""

    @property
    def lengths(self) -> numpy.typing.NDArray[numpy.int64]:
        """Samples of each sequence."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        True where a sample is. Padded: [sequences, samples]. Packed and truncated: [steps, slots]. Else None.
        """

    @property
    def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Ragged: where each sequence begins among the rows, and the end. Else None.
        """

    @property
    def slots(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """Packed and truncated: the slot of each sequence. Else None."""

    @property
    def begins(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Packed and truncated: the step of each sequence's first sample here. Else None.
        """

    @property
    def slot_count(self) -> int:
        """Packed and truncated: how many sequences advance side by side. Else 0."""

    @property
    def presence(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """
        [sequences], False where a sequence does not have the stream. None where all have it.
        """

    @property
    def packing(self) -> str:
        """
        How the samples lie: "padded", "ragged", "packed", "frames" or "truncated".
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy, with memory of its own."""

    def __repr__(self) -> str:
        """Returns a readable summary."""

    def cu_seqlens(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Ragged: sequence_offsets in 32 bits, [sequences + 1], as attention kernels for sequences of different lengths take them. ConfigError in other packings.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]:
        """
        TypeError: a sparse stream is no array. It says what to take in its place.
        """

    def to_scipy(self) -> scipy.sparse.csr_array:
        """A scipy.sparse.csr_array, [rows, dim]; the values are not copied."""

    def to_torch(self) -> torch.Tensor:
        """A sparse CSR tensor, [rows, dim]; the values are not copied."""

    def to_bags(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """
        (indices, offsets, weights) as torch.nn.functional.embedding_bag takes them, with include_last_offset=True: a bag for each row, [rows + 1] offsets.
        """

class Minibatch:
    """What one step consumes: a mapping from stream names to arrays."""

    def __getitem__(self, stream: str) -> sheaf._batch.AnyBatch: ...

    def __getattr__(self, stream: str) -> sheaf._batch.AnyBatch:
        """
        minibatch.features is minibatch["features"]; what has an attribute's name, as "position", is to be had by [] alone.
        """

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """
        The sequences as an Arrow array of structs, values not copied, for pyarrow.record_batch(minibatch) and others that take this interface: sequence_key, and each stream: lists of samples (ragged), or samples (frames). A dense sample is a list of fixed size or a single value, a sparse one a list of structs of index and value, one of variable shape a list or a struct of data and shape, opaque bytes a large_binary. ConfigError in other packings.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy, with memory of its own."""

    def __dir__(self) -> list[str]: ...

    def get(self, stream: str, default: Any = None) -> Any: ...

    def __len__(self) -> int: ...

    def __contains__(self, stream: str) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def keys(self) -> list[str]:
        """Names of the streams."""

    def values(self) -> list[DenseBatch | SparseBatch]: ...

    def items(self) -> list[tuple[str, DenseBatch | SparseBatch]]: ...

    def __repr__(self) -> str:
        """Returns a readable summary."""

    @property
    def sequence_keys(self) -> numpy.typing.NDArray[numpy.uint64]:
        """Names of the sequences, in the order of delivery."""

    @property
    def key_texts(self) -> list[str]:
        """The texts of the keys; empty where keys are numbers."""

    @property
    def slices(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Where sequences are cut, the part of each that is in here: [sequences, (first sample, samples, samples of the whole sequence)]. Else None.
        """

    @property
    def members(self) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Of a mixture, the number of the member that each sequence comes from. Else None.
        """

    @property
    def sequence_count(self) -> int: ...

    @property
    def sample_count(self) -> int:
        """The largest number of samples that any one stream has in it."""

    @property
    def position(self) -> dict[str, Any]:
        """The state of the reader after it, for Reader.load_state_dict()."""

    @property
    def ends_sweep(self) -> bool:
        """Whether the last sequence of a sweep is in it."""

    @property
    def ends_epoch(self) -> bool: ...

    @property
    def hole_count(self) -> int:
        """Sequences left out because their data are wrong."""

def restore_minibatch(state: tuple[Any, ...]) -> Minibatch:
    """Make a minibatch of what its __reduce__ gave."""

def restore_batch(state: tuple[Any, ...]) -> DenseBatch | SparseBatch:
    """Make a stream of a minibatch of what its __reduce__ gave."""

class StreamOptions:
    def __init__(self, *, name: str, alias: str, shape: Sequence[int] | None, sparse: bool, dtype: str | None, has_long_indices: bool, defines_minibatch_size: bool) -> None: ...

class OrderOptions:
    def __init__(self, *, minibatch_size: int, unit: str, sweeps: int, epoch_size: int, rank: int, world_size: int, order: str, seed: int, window_chunks: int | None, window_samples: int | None, sweep_ends: str, timeline: str, balance: str, batching: str, sizes: str, drop_last: bool, split_frames: bool, truncation_length: int, long: str) -> None: ...

class FormatOptions:
    def __init__(self, *, format: str, format_options: Mapping[str, str], dtype: str | None, keys: str | None, missing_streams: str, compatibility: str, skip_sequence_ids: bool, chunk_size: int, index: str, index_dir: str) -> None: ...

class Plan:
    """What is read, in which order, and how it is packed."""

    def __init__(self) -> None: ...

    @staticmethod
    def of_config(config: str, section: str, settings: Sequence[str], minibatch_size: int) -> tuple[Plan, list[sheaf.errors.Diagnostic]]: ...

    @staticmethod
    def of_spec(name: str, json: str | None) -> Plan: ...

    def to_json(self) -> str: ...

    def add_files(self, paths: Sequence[str], streams: Sequence[StreamOptions], format: FormatOptions, same_keys: str) -> None: ...

    def add_object(self, object: str) -> None:
        """Read what is given under this name, too."""

    def check_objects(self, given: Sequence[str]) -> None:
        """ConfigError unless these are the objects that the spec names."""

    def set_order(self, order: OrderOptions, chunk_size_bytes: int) -> None: ...

    def set_sizes(self, order: OrderOptions) -> None: ...

    def set_worker(self, rank: int, world_size: int) -> None: ...

    def set_index(self, index: str | None, index_dir: str | None) -> None: ...

    @property
    def has_cache(self) -> bool:
        """Whether decoded sequences are kept."""

    def set_cache(self, cache: str | None, cache_limit: int | None) -> None: ...

    def set_missing_sequences(self, word: str) -> None: ...

    def set_lengths(self, word: str, tolerance: int, streams: Sequence[str]) -> None: ...

    def share_format_options(self) -> None:
        """
        Leave each joined file the options that its format has; ConfigError for one that none has.
        """

    def add_transforms(self, json: str) -> None:
        """Add the transforms of a list in JSON, as a spec has them."""

    def set_part(self, part: str) -> None:
        """Read a part of the data, such as "3/8"."""

    def drop_transforms(self) -> None:
        """Read the data as they are."""

    @property
    def has_end(self) -> bool: ...

    def set_padding(self, pad_values: dict[str, int | float], pad_side: str, pad_multiple: int, pad_length: int) -> None:
        """Say what stands where no sample is; 0 leaves a number out."""

    @property
    def row_samples(self) -> int: ...

    @property
    def packing(self) -> str: ...

    @packing.setter
    def packing(self, arg: str, /) -> None: ...

class Data:
    """Open data, and threads to work on them."""

    def __init__(self, plan: Plan, *, row_samples: int, num_threads: int, memory_limit: int, max_errors: int) -> None: ...

    @property
    def format(self) -> str:
        """The name of the format; of joined files, of the first."""

    def chunks(self) -> list[tuple[int, int, int, int, int]]:
        """
        Sequences, samples, offset and size in bytes, and first line of each chunk.
        """

    @property
    def has_text_keys(self) -> bool:
        """Whether keys are texts."""

    def keys(self) -> numpy.typing.NDArray[numpy.uint64]:
        """
        The keys of all sequences, in the order of the file; of texts, a part of their hash.
        """

    def in_turns(self, bytes: int) -> Data:
        """The same data, in minibatches of so many bytes, about."""

    @property
    def files(self) -> list[str]:
        """The paths of all files."""

    @property
    def streams(self) -> list[tuple[str, tuple[int, ...], bool, str, str, bool]]:
        """
        Name, shape, whether sparse, element type, index type, whether it defines the minibatch size.
        """

    @property
    def class_names(self) -> list[tuple[str, ...] | None]:
        """
        The names of the classes of each stream, by the ids of the classes; None where the data have no names.
        """

    def sizes(self) -> tuple[int, int, int]:
        """Chunks, sequences, samples."""

    def minibatch_count(self, epoch: int) -> int:
        """The minibatches of an epoch."""

    def begin_of(self, epoch: int) -> str:
        """The position where an epoch begins."""

    def position_of(self, sample: int) -> str:
        """
        The position of the first sequence that starts at or after so many samples.
        """

    def resized(self, *, minibatch_size: int, sweep_ends: str, rank: int, world_size: int) -> Data:
        """The same open data for another minibatch size and another worker."""

    def epoch_of(self, position: str) -> int:
        """The epoch that a position lies in; where one is over, the next."""

    def check(self, position: str) -> None:
        """ConfigError where a position is of another run."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]: ...

class SlabMemory:
    """Memory of minibatches, cut from slabs that a program provides."""

    def __init__(self, bytes_max: int) -> None: ...

    def turn(self) -> tuple[list[int], int, int]:
        """
        The addresses of spent slabs, the size of a new slab, and how many are wanted.
        """

    def add(self, address: int, size_bytes: int) -> None:
        """
        Add a slab, which must stay valid until it is spent, or as long as this memory.
        """

    @property
    def slab_bytes(self) -> int:
        """How many bytes all slabs have."""

    @property
    def ordinary_count(self) -> int:
        """How many arrays no slab had room for."""

class Run:
    """The rest of an epoch; or nothing, for random access."""

    def __init__(self, data: Data, position: str | None, memory: SlabMemory | None = None) -> None: ...

    def close(self) -> None: ...

    def __next__(self) -> Minibatch: ...

    def sequence(self, key: int | str, sweep: int) -> Minibatch:
        """The first sequence with this key, as in a sweep, packed alone."""

    def sequence_at(self, sweep: int, number: int) -> Minibatch:
        """The sequence that a sweep delivers as its number-th, packed alone."""

    @property
    def position(self) -> str:
        """The position after the last minibatch that was given, as JSON."""

    @property
    def stats(self) -> dict[str, Any]:
        """What was done so far."""

    @property
    def diagnostics(self) -> list[sheaf.errors.Diagnostic]:
        """Descriptions of the first hundred errors in the data delivered so far."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]:
        """Of what was delivered, then of the data."""

def check(data: Data, limit: int) -> dict[str, Any]:
    """Read all of the data, and say what is wrong with them."""

def check_plan(plan: Plan, limit: int, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """The same for data that may not even open."""

def index_data(plan: Plan, mode: str, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """Write or check index files."""

def merge(path: str, parts: Sequence[str], format: str, overwrite: bool, num_threads: int, memory_limit: int) -> dict[str, Any]:
    """Write the file of all parts of a conversion."""

def merge_reports(reports: Sequence[str]) -> str:
    """The report of the whole data, from the reports of all parts, as JSON."""

def output_paths(path: str, shards: int, split: str) -> list[str]:
    """The paths of all files that a conversion writes."""

def convert(data: Data, path: str, choices: Sequence[tuple[str, str, str | None]], format: str, format_options: Mapping[str, str], chunk_size_bytes: int, overwrite: bool, in_own_steps: bool, shards: int, split: str, keys: Sequence[str] | None, min_length: int, max_length: int | None, share: str, for_merge: bool) -> dict[str, Any]:
    """
    Write selected sequences; choices are name, alias and dtype of what is written.
    """

def report_json(data: Data, path: str, against: Data | None, against_path: str, shows_values: bool) -> str:
    """What `sheaf report --json` prints of the data."""

def report_html(json: str) -> str:
    """The page of a report."""

def write_report(json: str, path: str, overwrite: bool) -> None:
    """Write a report as `sheaf report -o` does."""

def stat_json(data: Data, path: str, duplicates: bool) -> str:
    """What `sheaf stat --json` prints of the data."""

def order_json(data: Data, path: str, noise_of: str, steps: int, opening_seconds: float, worker_source: str) -> str:
    """What `sheaf order --json` prints of the data and their order."""

def worker() -> tuple[int, int, str, str]:
    """
    Index, count, source and warning, by the environment variables of launchers.
    """

def check_output_path(path: str, sources: Sequence[str]) -> bool:
    """
    Whether a file is there; refuses a path where writing one would do harm.
    """

class FileWriter:
    """A file under construction."""

    def __init__(self, path: str, streams: Sequence[StreamOptions], format: str, format_options: Mapping[str, str], chunk_size_bytes: int, overwrite: bool) -> None: ...

    def write_columns(self, keys: numpy.typing.NDArray[numpy.uint64] | list[str], columns: list[tuple[Any, ...]]) -> None:
        """
        Write sequences; of each stream values, indices, sample_offsets, extents, sequence_offsets and presence.
        """

    def write_minibatch(self, minibatch: Minibatch) -> bool:
        """
        Write the sequences of a minibatch; False, and nothing is written, where its streams are others.
        """

    def finish(self) -> None: ...

    def discard(self) -> None: ...

    def stats(self) -> tuple[int, int]:
        """Sequences and samples written."""

    @property
    def warnings(self) -> list[sheaf.errors.Diagnostic]: ...

def arrow_stream(data: Data, words: Sequence[str]) -> Any:
    """A capsule with a stream of the first epoch of data."""

class ArrowSource:
    """Record batches that others give."""

    @staticmethod
    def of_stream(capsule: object) -> ArrowSource: ...

    @staticmethod
    def of_array(schema: object, array: object) -> ArrowSource: ...

    @property
    def names(self) -> list[str]:
        """Of the columns."""

    def describe(self, number: int) -> tuple[str, tuple[int, ...] | None, bool, str, str]:
        """
        Word, shape if it is known, whether sparse, formats of values and indices.
        """

    def write_to(self, file: FileWriter, path: str, key: str | None) -> None: ...

class UserCall:
    """Sequences of a chunk that are asked for."""

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
        """Of these sequences, by the table."""

    @property
    def is_whole(self) -> bool:
        """Whether these are all sequences of the chunk."""

    def key(self, i: int) -> str:
        """The key of the i-th of these sequences."""

    def length(self, i: int) -> int:
        """How many samples the i-th of these sequences has to have."""

    @property
    def batch(self) -> tuple[int, list[str]] | None:
        """
        The batch of a table and the names of the columns, where these are asked for.
        """

    def inputs(self) -> list[tuple[str, tuple[int, ...], bool, str, str, Any, Any, Any, Any, Any, Any]]:
        """What a function is called with: each stream, and its arrays as bytes."""

    def generator_key(self, i: int) -> tuple[int, int]:
        """The key of Philox for the i-th of these sequences."""

class UserCalls:
    """What the thread of a Deserializer is to do."""

    def __init__(self, kept: Callable[[int], BaseException | None]) -> None: ...

    def take(self) -> tuple[list[UserCall], list[int]] | None:
        """
        Wait for calls, and numbers to be forgotten; None: the thread is to end.
        """

    def wake(self) -> None:
        """Let take() return."""

    def answer(self, call: UserCall, streams: list[tuple[Any, ...]], bad: list[tuple[int, str]]) -> None: ...

    def answer_batch(self, call: UserCall, schema: object, array: object) -> None: ...

    def refuse_batch(self, call: UserCall, path: str, byte_offset: int, code: str, expected: str, found: str) -> None:
        """Answer that the batch is damaged."""

    def fail(self, call: UserCall, error: int) -> None:
        """Answer with the exception kept under a number."""

    def abandon(self, call: UserCall) -> None:
        """Answer that there is nobody to answer."""

    def close(self) -> None:
        """Nobody calls any more."""

    def end(self) -> None:
        """The interpreter ends."""

class UserTable:
    """What a Deserializer says of its chunks."""

    def __init__(self, name: str, cost_name: str) -> None: ...

    def add(self, count: int, samples: int, each: numpy.typing.NDArray[numpy.int64] | None, keys: numpy.typing.NDArray[numpy.uint64] | None, texts: list[str] | None, costs: numpy.typing.NDArray[numpy.int64] | None, decoded_size_bytes: int) -> None: ...

def give_user_data(plan: Plan, object: str, calls: UserCalls, description: int, name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, bool]], table: UserTable, fingerprint: str, memory_limit: int, reads_parts: bool) -> None:
    """Give a plan a Deserializer, which the spec of the plan calls `object`."""

def give_function(plan: Plan, name: str, calls: UserCalls, description: int, said_name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, bool]] | None, samples: int | None, shapes_max: list[list[int] | None], takes_steps: bool, is_random: bool, version: str) -> None:
    """Give a plan a function, which the transforms of the plan call `name`."""

def give_stream(plan: Plan, object: str, capsule: object, name: str, fingerprint: str, streams: Sequence[StreamOptions], format: FormatOptions) -> None:
    """
    Give a plan the batches of an Arrow stream, which its spec calls `object`.
    """

def index_file_path(path: str, directory: str) -> str:
    """Give the path of the index file of a data file."""

def raise_damage(path: str, byte_offset: int, code: str, expected: str, found: str) -> NoReturn:
    """Raise the DataError of a damaged file."""

def give_batches(plan: Plan, object: str, readers: list[tuple[UserCalls, int]], parts: list[tuple[str, str, Any, list[int], list[int], list[list[int]], str]], streams: Sequence[StreamOptions], format: FormatOptions) -> None:
    """Give a plan a table whose batches code of Python reads."""
