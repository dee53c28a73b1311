"""The thread that runs the methods of a Deserializer, and its messages with a Reader."""

from __future__ import annotations

import atexit
import collections
import itertools
import os
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .. import _sheaf
from ..errors import ConfigError, DataError
from .describing import Description, add_note
from .deserializer import Deserializer
from .functions import Function, FunctionDescription, answer
from .source import ProgramData

_END_SECONDS = 5  # how long the ending interpreter waits for a thread

_starting = threading.Lock()
_threads: dict[threading.Thread, _sheaf.UserCalls] = {}


class _Request:
    """A request to the thread: a function to call."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error
        self._done.set()

    def result(self, thread: threading.Thread) -> Any:
        while not self._done.wait(1):
            if not thread.is_alive():
                raise ConfigError("the interpreter ends: no Deserializer is read any more")
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            self._error = None  # or it would keep itself, by its traceback


class Server:
    """Runs the methods of Python data, or a function, on a thread that ends with the Server.

    The thread refers to the Server weakly, and the Server to the data or the Function: both live as
    long as a Reader, or the user, has the data or the Function.
    """

    def __init__(self, source: ProgramData | Function) -> None:
        self.process = os.getpid()
        self._source = weakref.ref(source)
        # Objects that the library knows by a number: descriptions, and exceptions with tracebacks.
        # The garbage collector sees them here.
        self._kept: dict[int, Any] = {}
        self._numbers = itertools.count()
        self._requests: collections.deque[_Request] = collections.deque()
        reference = weakref.ref(self)

        def kept_error(number: int) -> BaseException | None:
            server = reference()
            return None if server is None else server.kept_error(number)

        self.calls = _sheaf.UserCalls(kept_error)
        self.thread = threading.Thread(
            target=_serve,
            args=(self.calls, reference),
            name=f"sheaf {_name_of(source)}",
            daemon=True,
        )
        _threads[self.thread] = self.calls
        self.thread.start()

    def __del__(self) -> None:
        self.calls.close()

    def keep(self, thing: Any) -> int:
        """Keep an object and return its number for the library, until the library forgets it."""
        number = next(self._numbers)
        self._kept[number] = thing
        return number

    def kept_error(self, number: int) -> BaseException:
        """Return an exception in the state in which it was caught."""
        error: BaseException
        traceback: TracebackType | None
        error, traceback = self._kept[number]
        return error.with_traceback(traceback)

    def run(self, function: Callable[[], Any]) -> Any:
        """Call a function on the thread; Ctrl-C does not wait for it."""
        if threading.current_thread() is self.thread:
            return function()
        request = _Request(function)
        self._requests.append(request)
        self.calls.wake()
        return request.result(self.thread)

    def work(self, calls: list[_sheaf.UserCall], forgotten: list[int]) -> None:
        """Do the pending work."""
        for number in forgotten:
            self._kept.pop(number, None)
        while self._requests:
            self._requests.popleft().run()
        source = self._source()
        if source is None:
            _abandon(self.calls, calls)
            return
        # A call may come from a Reader that was gone before its turn.
        _abandon(self.calls, [call for call in calls if call.description not in self._kept])
        calls = [call for call in calls if call.description in self._kept]
        if isinstance(source, Function):
            for call in calls:
                self._call_function(source, call)
            return
        if not isinstance(source, Deserializer):
            for call in calls:
                self._read_batch(source, call)
            return
        parts = [c for c in calls if not c.is_whole and self._description(c).reads_parts]
        self._read_whole(source, collections.deque(c for c in calls if c not in parts))
        for call in parts:
            self._read_part(source, call)

    def _call_function(self, function: Function, call: _sheaf.UserCall) -> None:
        try:
            made = answer(function, call)
        except BaseException as error:
            self._fail(call, error)
        else:
            self.calls.answer(call, made.streams, made.bad)

    def _read_batch(self, table: Any, call: _sheaf.UserCall) -> None:
        try:
            assert call.batch is not None
            read = table.read(*call.batch)
            if not hasattr(read, "__arrow_c_array__"):
                kind = type(read).__name__
                raise TypeError(f"read() gives something with __arrow_c_array__: got {kind}")
            self.calls.answer_batch(call, *read.__arrow_c_array__())
        except DataError as error:
            if not error.diagnostics:
                self._fail(call, error)
                return
            damage = error.diagnostics[-1]
            self.calls.refuse_batch(
                call, damage.path, damage.byte_offset, damage.code, damage.expected, damage.found
            )
        except BaseException as error:
            self._fail(call, error)

    def _read_part(self, source: Deserializer, call: _sheaf.UserCall) -> None:
        try:
            self._answer(call, source.read_sequences(call.chunk, call.first, call.count))
        except BaseException as error:
            self._fail(call, error)

    def _read_whole(self, source: Deserializer, calls: collections.deque[_sheaf.UserCall]) -> None:
        while calls:
            try:
                answers = iter(source.read_many([call.chunk for call in calls]))
                while calls:
                    self._answer(calls[0], next(answers, None))
                    calls.popleft()
            except BaseException as error:
                self._fail(calls.popleft(), error)

    def _description(self, call: _sheaf.UserCall) -> Description:
        description: Description = self._kept[call.description]
        return description

    def _answer(self, call: _sheaf.UserCall, data: Any) -> None:
        from .columns import Answer

        description = self._description(call)
        answer = Answer(data, description.kinds, call, description.name)
        self.calls.answer(call, answer.streams, answer.bad)

    def _fail(self, call: _sheaf.UserCall, error: BaseException) -> None:
        description = self._kept[call.description]
        if isinstance(error, StopIteration):  # that of a Reader says that an epoch is over
            stopped, error = error, RuntimeError(f"{description.name} raised StopIteration")
            error.__cause__ = stopped
        if not isinstance(description, FunctionDescription):
            what, number = ("batch", call.batch[0]) if call.batch else ("chunk", call.chunk)
            note = f"sheaf: this was {what} {number} of {description.name}"
            if call.batch is None and call.count == 1:
                note += f", sequence {call.first}, key {call.key(0)}"
            add_note(error, note)
        self.calls.fail(call, self.keep((error, error.__traceback__)))


def _abandon(owner: _sheaf.UserCalls, calls: list[_sheaf.UserCall]) -> None:
    for call in calls:
        owner.abandon(call)


def _serve(calls: _sheaf.UserCalls, reference: weakref.ref[Server]) -> None:
    try:
        while (work := calls.take()) is not None:
            server = reference()
            if server is None:
                _abandon(calls, work[0])
            else:
                server.work(*work)
            del server, work  # nothing is kept while it waits
    finally:
        calls.end()  # nobody waits for a thread that is gone
        _threads.pop(threading.current_thread(), None)


@atexit.register
def _end_threads() -> None:
    """Let all threads finish before the interpreter ends."""
    threads = dict(_threads)
    for calls in threads.values():
        calls.end()
    for thread in threads:
        thread.join(_END_SECONDS)


def _forget_threads() -> None:
    """Forget the threads in a forked process, which has none of them."""
    global _starting
    _starting = threading.Lock()  # a thread may have held it
    _threads.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def _name_of(source: ProgramData | Function) -> str:
    return source.name if isinstance(source, Function) else type(source).__name__


def server_of(source: ProgramData | Function) -> Server:
    """Return the first Server of data or a Function, in this process."""
    return servers_of(source, 1)[0]


def servers_of(source: ProgramData | Function, count: int) -> list[Server]:
    """Return ``count`` Servers of data or a Function, in this process."""
    with _starting:
        servers: list[Server] = source.__dict__.get("_sheaf_servers", [])
        if servers and servers[0].process != os.getpid():
            servers = []
        while len(servers) < count:
            servers.append(Server(source))
        source.__dict__["_sheaf_servers"] = servers
        return servers[:count]
