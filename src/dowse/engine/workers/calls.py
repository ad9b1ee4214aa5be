"""Functions called in worker processes by a program without an event loop, as the lab is.

The processes end with the work: when it is done, fails, is interrupted, or this process dies. Each belongs to a thread
that hands it one call at a time and waits for the answer. A signal to the whole group (Ctrl-C in a terminal) is for the
main thread to handle, and blocked in those.
"""

from __future__ import annotations

import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from dowse.engine.workers.job import Call, Lost
from dowse.engine.workers.start import ENDS_GROUP, Started, start_afresh
from dowse.engine.workers.wire import frame, framed, pack_call, unpack_found
from dowse.engine.workers.worker import messages
from dowse.model.errors import DowseError

__all__ = ["Processes", "WorkerDied", "attempt", "processes"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class WorkerDied(DowseError):
    """A process died over its work, for want of memory or time. Another one takes its place."""


class Processes:
    """So many processes at most, started as there is work for them. Made by :func:`processes`."""

    def __init__(self, count: int, died: str) -> None:
        self._died = died
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(count, "calls", lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ENDS_GROUP))
        self._lock = threading.Lock()
        self._closed = False
        self._started: list[Started] = []

    def submit(self, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> Future[_T]:
        """Call a function of a module in another process. What it raises is raised by the result; WorkerDied when the
        process dies over it."""
        assert not named, "no caller needs them"
        return self._threads.submit(self._call, function, arguments)

    def _call(self, function: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
        try:
            found = self._worker().answer(Call(attempt, (function, arguments)))
        except (EOFError, OSError):
            self._own.worker = None
            raise WorkerDied(self._died) from None
        if isinstance(found, Lost):  # it, or what it gave, does not travel between processes
            raise TypeError(found.reason)
        value, error = found
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _worker(self) -> _Worker:
        """The worker of this thread, started on its first call."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise EOFError
                started = start_afresh()
                self._started.append(started)
            self._own.worker = worker = _Worker(started)
        return worker

    def close(self) -> None:
        """End every process, whatever it is at."""
        with self._lock:
            self._closed = True
            for started in self._started:
                started.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for started in self._started:
            started.end()


class _Worker:
    """Asked by one thread, which waits. EOFError or OSError: it is gone."""

    def __init__(self, started: Started) -> None:
        self._sock = started.sock
        self._messages = messages(started.sock)
        self._sock.sendall(frame(pickle.dumps(None)))  # there is no step: it gets no pages
        self._receive()

    def answer(self, call: Call) -> Any:
        for part in framed(*pack_call(call)):
            self._sock.sendall(part)
        return unpack_found(self._receive())

    def _receive(self) -> memoryview:
        for message in self._messages:
            return message
        raise EOFError


def attempt(function: Callable[..., _T], arguments: tuple[Any, ...]) -> tuple[_T | None, Exception | None]:
    """In the process that works: what a function returned, or raised."""
    try:
        return function(*arguments), None
    except Exception as error:
        if not isinstance(error, DowseError):  # a defect: say where it lies, which the other process cannot see
            error.add_note(traceback.format_exc())
        return None, error


@contextmanager
def processes(count: int, *, died: str) -> Iterator[Processes]:
    """Processes for as long as the block lasts. ``died``: what to tell when one of them dies over its work."""
    pool = Processes(count, died)
    try:
        yield pool
    finally:
        pool.close()
