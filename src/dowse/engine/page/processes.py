"""How a worker's process comes into being: started afresh, or forked from a program that has all it needs loaded.

To start Python and load everything takes a worker 0.3 seconds of CPU, as much as a hundred pages. A fork takes none of
it, and shares the memory of what is loaded. But a fork takes along whatever the program holds at that instant, so only
one that has no threads and nothing open yet may do it: ``dowse crawl``, before the crawl begins. A worker that is
lost later, and any worker of a program that uses Dowse, is started afresh.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from dowse.engine.page.worker import work

__all__ = ["Process", "Started", "fork_workers", "start_afresh"]


class Process(Protocol):
    """What the engine does with a worker's process."""

    pid: int

    def kill(self) -> None: ...

    def wait(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Started:
    """A worker that waits for its step, and the engine's end of the socket to it."""

    process: Process
    sock: socket.socket

    def end(self) -> None:
        """It is not needed, or no more: may be called whatever became of it."""
        self.sock.close()
        self.process.kill()
        self.process.wait()


def start_afresh() -> Started:
    """A new Python, which loads what it needs."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "dowse.engine.page.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            # a page's arrays are small: threads for them, as many as cores in each worker, only take start-up time
            env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        )  # fmt: skip
    return Started(process, ours)


def fork_workers(count: int) -> list[Started]:
    """So many workers forked from this process; none where that would not be safe."""
    if sys.platform != "linux" or threading.active_count() > 1:  # other systems' own libraries have threads
        return []
    started: list[Started] = []
    for stream in filter(None, (sys.stdout, sys.stderr)):  # none where they were closed
        with contextlib.suppress(OSError, ValueError):
            stream.flush()  # else a worker would have a copy of what was not written yet
    for _ in range(count):
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            _become_worker(theirs, [ours, *(one.sock for one in started)])
        theirs.close()
        started.append(Started(_Child(pid), ours))
    return started


def _become_worker(sock: socket.socket, of_engine: Sequence[socket.socket]) -> NoReturn:
    """In the fork: work until the socket closes, and never come back."""
    try:
        for other in of_engine:  # held open here, they would hide from other workers that the engine is gone
            other.close()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        work(sock)
    finally:
        os._exit(0)


class _Child:
    """A forked process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:  # not waited for yet, so its number is nobody else's
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            try:
                self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:
                self._code = 0  # somebody else was faster
        return self._code
