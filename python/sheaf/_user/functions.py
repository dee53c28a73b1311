"""Python functions as transforms: ``sheaf.map``."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import _sheaf
from .._options.streams import (
    DTYPES,
    Stream,
    Streams,
    numpy_name,
    shape_of,
    shape_text,
    stream_table,
)
from .._options.texts import encodable
from .._options.values import refuse_type, truth, whole
from ..errors import ConfigError, DataError
from .describing import check_shape
from .deserializer import Bad

if TYPE_CHECKING:
    from .columns import Kind

_SAMPLES_MAX = 2**40  # of a sequence


class Function:
    """A Python function for ``transforms=``: ``sheaf.map`` makes one."""

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: tuple[str, ...],
        outputs: dict[str, Stream] | None,
        samples: int | None,
        shapes_max: dict[str, tuple[int, ...]],
        batched: bool,
        name: str,
        version: str,
    ) -> None:
        self.function = function
        self.inputs = inputs
        self.outputs = outputs
        self.samples = samples
        self.shapes_max = shapes_max
        self.batched = batched
        self.name = name
        self.version = version
        self.wants_rng = _takes_rng(function)

    def __repr__(self) -> str:
        return f"sheaf.map({self.name}, inputs={list(self.inputs)})"

    def __getstate__(self) -> object:
        """Return the state of a copy, which gets a thread of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_sheaf_servers"}


def map(
    function: Callable[..., Any],
    inputs: str | Iterable[str],
    outputs: Streams | None = None,
    *,
    samples: int | None = None,
    shape_max: tuple[int, ...] | Mapping[str, tuple[int, ...]] | None = None,
    batched: bool = False,
    name: str | None = None,
    version: str = "",
) -> Function:
    """Make a transform of a function, for ``transforms=`` of a Reader.

    function  gets all samples of one sequence, for each input: a NumPy array ``[samples, *shape]``;
              for a sparse stream the tuple ``(data, indices, indptr)``; for a stream of variable
              shape a list with an array for each sample; for opaque bytes a list with a memoryview
              for each sample; for an absent stream None. A function with a parameter ``rng`` also
              gets the ``numpy.random.Generator`` of the sequence and sweep: the same after a
              resume, and for any number of workers and threads
    inputs    names of the streams that the function reads
    outputs   the streams that the function makes: name -> Stream, or texts such as "x:dense:64"; by
              default the inputs, changed. The function returns the array of one output, or a tuple
              or a mapping of several. An output with the name of a stream replaces the stream. For
              a sequence with wrong data, such as a damaged video, the function returns
              ``Bad("why")``: ``max_errors`` tolerates such sequences, and leaves them out
    samples   how many samples each sequence of the outputs has, if the number is always the same;
              by default as many as the first input has
    shape_max  the largest shape of a sample, if the shape of an output is variable: a tuple, or a
              mapping from outputs to tuples. A ``memory_limit`` needs it; a larger sample is an
              error
    batched   whether the function gets lists with an array for each sequence of the minibatch (of
              this worker), and returns lists; ``rng`` is then a list, too. The result is then the
              same only for equal minibatch sizes and numbers of workers
    name      name in messages and positions; by default the name of the function
    version   a text that a position remembers: change the text when the function changes

    One thread makes all calls of a function, whatever ``num_threads`` is, and Python runs one
    function at a time. The transforms of ``sheaf.transforms()`` run on all threads.

    >>> import sheaf
    >>> sheaf.map(lambda x: x - x.mean(axis=0), "features", name="center")
    sheaf.map(center, inputs=['features'])

    Raises ConfigError and TypeError.
    """
    if not callable(function):
        refuse_type("function", "a function", function)
    said = name if name is not None else getattr(function, "__name__", type(function).__name__)
    if not isinstance(said, str) or not said:
        refuse_type("name", "a text", said)
    if not isinstance(version, str):
        refuse_type("version", "a text", version)
    streams = None if outputs is None else _outputs(outputs, said)
    return Function(
        function,
        _inputs(inputs),
        streams,
        None if samples is None else _samples(samples),
        _shapes_max(shape_max, streams or {}, said),
        truth("batched", batched),
        encodable("the name of a function", said),
        encodable("the version of a function", version),
    )


def _takes_rng(function: Callable[..., Any]) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of some functions written in C
        return False


def _inputs(inputs: Any) -> tuple[str, ...]:
    names = (inputs,) if isinstance(inputs, str) else inputs
    if isinstance(names, bytes) or not isinstance(names, Iterable):
        refuse_type("inputs", "a name or several", inputs)
    found = tuple(names)
    for each in found:
        if not isinstance(each, str):
            refuse_type("inputs", "names that are texts", each)
    if not found:
        raise ConfigError("inputs: at least one stream is needed")
    return found


def _outputs(outputs: Any, name: str) -> dict[str, Stream]:
    streams = stream_table(outputs)
    if not streams:
        raise ConfigError("outputs: at least one stream is needed")
    for key, stream in streams.items():
        where = f'{name}: output "{encodable("the name of a stream", key)}"'
        if stream.sample_shape is None:
            raise ConfigError(f"{where}: it needs a dim or a shape")
        if stream.alias is not None or stream.defines_minibatch_size:
            raise ConfigError(f"{where}: an output has no alias, and does not define the size")
        check_shape(stream, where)
    return streams


def _shapes_max(given: Any, streams: dict[str, Stream], name: str) -> dict[str, tuple[int, ...]]:
    """Return the declared largest shapes, by output."""
    if given is None:
        return {}
    variable = [key for key, stream in streams.items() if stream.is_variable]
    if not isinstance(given, Mapping):
        if len(variable) != 1:
            raise ConfigError(
                f"{name}: shape_max: expected a mapping from outputs to shapes, since "
                f"{len(variable)} outputs are of variable shape: got {given!r}"
            )
        given = {variable[0]: given}
    shapes = {}
    for key, shape in given.items():
        if key not in variable:
            raise ConfigError(
                f"{name}: shape_max: {key!r} is none of the outputs of variable shape {variable}"
            )
        if not isinstance(shape, Iterable):
            refuse_type("shape_max", "a tuple of whole numbers", shape)
        extents = tuple(whole("shape_max", extent) for extent in shape)
        own = streams[key].sample_shape or ()
        fits = len(extents) == len(own) and all(
            extent >= 1 if said is None else extent == said
            for extent, said in zip(extents, own, strict=True)
        )
        if not fits:
            raise ConfigError(
                f'{name}: shape_max: expected the largest {shape_text(own)} of "{key}", got '
                f"{extents}"
            )
        shapes[key] = extents
    return shapes


def _samples(samples: Any) -> int:
    try:
        number = operator.index(samples)
    except TypeError:
        refuse_type("samples", "a whole number", samples)
    if not 1 <= number <= _SAMPLES_MAX:
        raise ConfigError(f"samples is a whole number from 1 to {_SAMPLES_MAX}: got {number}")
    return number


class FunctionDescription:
    """The facts that a call of a function needs, without the function, which may be gone."""

    def __init__(self, function: Function) -> None:
        self.name = function.name


def answer(function: Function, call: _sheaf.UserCall) -> Any:
    """Call a function with the sequences of a call, and check the results.

    Raises the exceptions of the function, with a note, and DataError for other arrays than
    declared. ``bad`` of the answer has the sequences that the function called bad.
    """
    from .columns import Answer

    inputs = [_sequences(said) for said in call.inputs()]
    results = _Results(function, call)
    if function.batched:
        results.add_all(inputs)
    else:
        for i in range(call.count):
            results.add(i, [sequences[i] for sequences in inputs])
    data = {kind.name: results.columns[kind.name] for kind in results.kinds}
    made = Answer(data, results.kinds, call, function.name, where=function.name, copies=True)
    bad = {i for i, _ in made.bad}
    for kind, arrays in zip(results.kinds, made.streams, strict=True):
        lengths, presence = arrays[3], arrays[4]
        for i in range(call.count):
            if i in bad:
                continue
            if presence is not None and not presence[i]:
                raise DataError(
                    f'{function.name}: stream "{kind.name}": expected an array, got None (the key '
                    f"is {call.key(i)})"
                )
            if lengths[i] != call.length(i):
                raise DataError(
                    f'{function.name}: stream "{kind.name}": expected {call.length(i)} samples, as '
                    f"declared, got {lengths[i]} (the key is {call.key(i)})"
                )
    return made


class _Results:
    """The results of a function so far, stream by stream."""

    def __init__(self, function: Function, call: _sheaf.UserCall) -> None:
        self._function = function
        self._call = call
        self.kinds = _kinds(function, call)
        self.columns: dict[str, list[Any]] = {kind.name: [] for kind in self.kinds}

    def add(self, i: int, arrays: list[Any]) -> None:
        """Call the function with one sequence."""
        try:
            given = {"rng": self._generator(i)} if self._function.wants_rng else {}
            made = self._made(self._function.function(*arrays, **given))
        except BaseException as error:
            error.add_note(
                f"sheaf: this was the function {self._function.name}, for the sequence with the "
                f"key {self._call.key(i)}"
            )
            raise
        for name, array in made:
            self.columns[name].append(array)

    def add_all(self, inputs: list[list[Any]]) -> None:
        """Call the function with all sequences at once."""
        count = self._call.count
        try:
            given = {}
            if self._function.wants_rng:
                given["rng"] = [self._generator(i) for i in range(count)]
            made = list(self._made(self._function.function(*inputs, **given)))
        except BaseException as error:
            error.add_note(
                f"sheaf: this was the function {self._function.name}, for a minibatch of {count} "
                f"sequences, the first with the key {self._call.key(0)}"
            )
            raise
        for name, arrays in made:
            if not isinstance(arrays, list):
                raise DataError(
                    f'{self._function.name}: stream "{name}": expected a list with an array for '
                    f"each of {count} sequences, got {type(arrays).__name__}"
                )
            self.columns[name] = arrays

    def _generator(self, i: int) -> Any:
        import numpy as np

        words = np.array(self._call.generator_key(i), dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=words))

    def _made(self, made: Any) -> Iterator[tuple[str, Any]]:
        name = self._function.name
        names = [kind.name for kind in self.kinds]
        if isinstance(made, Bad):
            return iter([(each, made) for each in names])
        if isinstance(made, Mapping):
            if set(made) != set(names):
                raise DataError(f"{name}: expected the outputs {names}, got {list(made)}")
            return iter([(each, made[each]) for each in names])
        if len(names) == 1:
            return iter([(names[0], made)])
        if not isinstance(made, tuple) or len(made) != len(names):
            what = f"{len(made)} of them" if isinstance(made, tuple) else type(made).__name__
            raise DataError(f"{name}: expected a tuple of the outputs {names}, got {what}")
        return iter(list(zip(names, made, strict=True)))


def _kinds(function: Function, call: _sheaf.UserCall) -> list[Kind]:
    import numpy as np

    from .columns import Kind

    if function.outputs is not None:
        return [Kind.of(name, stream) for name, stream in function.outputs.items()]
    return [
        Kind(
            name,
            np.dtype(_dtype(dtype)),
            shape_of(shape),
            is_sparse,
            dtype == "bytes",
            dtype == "bf16",
        )
        for name, shape, is_sparse, dtype, *_ in call.inputs()
    ]


def _dtype(short: str) -> str:
    return "uint8" if short == "bytes" else numpy_name(DTYPES[short])


def _sequences(said: Any) -> list[Any]:
    """Return views of the samples of each sequence; None if the stream is absent."""
    import numpy as np

    _, shape, is_sparse, dtype, index_dtype, *buffers = said
    values, indices, offsets, lengths, presence, extents = buffers
    values = values.view(_dtype(dtype))
    lengths = lengths.view(np.int64)
    ends = np.cumsum(lengths)
    is_variable = any(extent < 0 for extent in shape)
    if is_sparse or is_variable:
        offsets = offsets.view(np.int64)
    else:
        values = values.reshape((-1, *shape))
    if is_sparse:
        indices = indices.view(_dtype(index_dtype))
    elif is_variable:
        extents = extents.view(np.int64).reshape((-1, len(shape)))
    sequences: list[Any] = []
    for i, (end, length) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True)):
        begin = end - length
        if not presence[i]:
            sequences.append(None)
        elif is_sparse:
            first, last = offsets[begin], offsets[end]
            rows = offsets[begin : end + 1] - first
            sequences.append((values[first:last], indices[first:last], rows))
        elif is_variable:
            samples = [values[offsets[t] : offsets[t + 1]] for t in range(begin, end)]
            if dtype == "bytes":
                sequences.append([memoryview(sample) for sample in samples])
            else:
                shapes = extents[begin:end]
                sequences.append([s.reshape(e) for s, e in zip(samples, shapes, strict=True)])
        else:
            sequences.append(values[begin:end])
    return sequences
