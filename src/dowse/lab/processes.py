"""Work by several processes, which end with the work: when it is done, fails, is interrupted, or this process dies.

Each process belongs to a thread that hands it one call at a time and waits for the answer. A signal to the whole group
(Ctrl-C in a terminal) is this process' to handle: in those threads it is blocked, and what they start inherits that.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from dowse.lab.worker import Answer, Call
from dowse.model.errors import DowseError

__all__ = ["Processes", "processes"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Processes:
    """So many processes at most, started as there is work for them. Made by :func:`processes`."""

    def __init__(self, count: int, died: str) -> None:
        self._died = died
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(count, "lab-process", _leave_signals_to_others)
        self._lock = threading.Lock()
        self._closed = False
        self._started: list[subprocess.Popen[bytes]] = []

    def submit(self, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> Future[_T]:
        """Call a function of a module in another process. DowseError when that dies over it."""
        assert not named, "no caller needs them"
        return self._threads.submit(self._call, function, arguments)

    def _call(self, function: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
        try:
            link = self._link()
            link.send((function, arguments))
            value, error = link.recv()
        except (EOFError, OSError):
            raise DowseError(self._died) from None
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _link(self) -> Connection[Call, Answer]:
        """To the process of this thread."""
        link: Connection[Call, Answer] | None = getattr(self._own, "link", None)
        if link is not None:
            return link
        ours, theirs = Pipe()
        with self._lock, theirs:
            if self._closed:
                raise EOFError
            command = [sys.executable, "-m", "dowse.lab.worker", str(theirs.fileno())]
            self._started.append(subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL))
        self._own.link = ours
        return ours

    def close(self) -> None:
        """End every process, whatever it is at."""
        with self._lock:
            self._closed = True
            for process in self._started:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            process.wait()


def _leave_signals_to_others() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


@contextmanager
def processes(count: int, *, died: str) -> Iterator[Processes]:
    """Processes for as long as the block lasts. ``died``: what to tell when one of them dies over its work."""
    pool = Processes(count, died)
    try:
        yield pool
    finally:
        pool.close()
