"""A worker process: reads pages and calls from a socket, answers each, ends when the socket closes.

Started as ``python -m dowse.engine.workers.worker FD`` rather than through :mod:`multiprocessing`, so that a program
that uses Dowse needs no ``__main__`` guard, or forked (see ``start``). The death of whoever started it closes the
socket, so no worker outlives it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator

from dowse.engine.workers.freed_memory import LARGE_BYTES, give_back, keep_less
from dowse.engine.workers.job import Job, Step, Work
from dowse.engine.workers.wire import (
    READY,
    Frames,
    frame,
    is_call,
    lost,
    pack_found,
    pack_work,
    unpack_call,
    unpack_job,
)

__all__ = ["messages", "serve", "work"]

_MOST_MEMORY = 4 << 30  # an honest page needs a few hundred megabytes at the very worst


def messages(sock: socket.socket) -> Iterator[memoryview]:
    """What comes from the other end, until it closes; each message is good until the next."""
    frames = Frames()
    while count := sock.recv_into(frames.room()):
        yield from frames.took(count)


def _attempt(step: Step, job: Job) -> Work:
    try:
        return step(job)
    except Exception as error:  # whatever a page does to a parser costs that page only
        return Work(error=f"{type(error).__name__}: {error}"[:200])


def _called(payload: memoryview) -> bytes:
    try:
        call = unpack_call(payload)
        return pack_found(call.function(*call.arguments))
    except Exception as error:
        return pack_found(lost(error))


def serve(sock: socket.socket) -> None:
    """Take the step for pages (None: there will only be calls), say ready, then work until the socket closes."""
    received = messages(sock)
    greeting = next(received, None)
    if greeting is None:
        return
    step: Step | None = pickle.loads(greeting)
    if step is not None:
        _expect_pages()
    sock.sendall(frame(READY))
    for payload in received:
        large = len(payload) >= LARGE_BYTES
        if is_call(payload):
            answer = _called(payload)
        else:
            assert step is not None, "who sends pages has sent a step"
            answer = pack_work(_attempt(step, unpack_job(payload)))
        sock.sendall(frame(answer))
        if large:
            give_back()


def _expect_pages() -> None:
    """Bounds and habits of a process that reads what strangers wrote."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    # A page makes many small objects and no cycles: looking for garbage less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def _end_with(sock: socket.socket) -> None:
    """Runs beside the work, so that the end of who waits for it ends this process at once, whatever it is at."""
    hung_up = select.poll()
    hung_up.register(sock, 0)
    hung_up.poll()
    os._exit(0)


def work(sock: socket.socket) -> None:
    """All that a worker's process does."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # sent to the whole group, they are for who started it to handle
    threading.Thread(target=_end_with, args=(sock,), daemon=True).start()
    keep_less()
    with sock, contextlib.suppress(ConnectionError):
        serve(sock)


if __name__ == "__main__":
    work(socket.socket(fileno=int(sys.argv[1])))
