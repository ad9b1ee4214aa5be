"""How a worker's process begins and ends: started afresh, or forked from a program that has all it needs loaded.

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

from dowse.engine.workers.worker import work

__all__ = ["ENDS_GROUP", "Process", "Started", "fork_workers", "start_afresh"]

ENDS_GROUP = (signal.SIGINT, signal.SIGTERM)
"""Signals that a terminal or a service sends to a whole group of processes: for the one that started it to handle."""


class Process(Protocol):
    """What is done with a worker's process from outside."""

    pid: int

    def kill(self) -> None: ...

    def wait(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Started:
    """A worker that waits for its step, and our end of the socket to it."""

    process: Process
    sock: socket.socket

    def end(self) -> None:
        """It is not needed, or no more: may be called whatever became of it."""
        self.sock.close()
        self.process.kill()
        self.process.wait()


def start_afresh(**variables: str) -> Started:
    """A new Python, which loads what it needs. ``variables`` of its environment give way to those that are set."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "dowse.engine.workers.worker", str(theirs.fileno())]
    environment = {**variables, **os.environ}
    # what is blocked here is blocked there, so that Ctrl-C finds no worker that is still loading
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS_GROUP)
    try:
        with theirs:
            process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=environment
            )  # fmt: skip
    except BaseException:
        ours.close()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
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
