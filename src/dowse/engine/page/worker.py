"""A worker process: reads jobs from a socket, answers each with its work, ends when the socket closes.

Started as ``python -m dowse.engine.page.worker FD`` rather than through :mod:`multiprocessing`, so that a program that
uses Dowse needs no ``__main__`` guard, or forked (see ``processes``). The engine's death closes the
socket, so no worker outlives it.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
import resource
import signal
import socket
import sys
from collections.abc import Iterator

from dowse.engine.page.heap import LARGE_BYTES, give_back, keep_less
from dowse.engine.page.job import Job, Step, Work
from dowse.engine.page.wire import (
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

__all__ = ["serve", "work"]

_MOST_MEMORY = 4 << 30  # an honest page needs a few hundred megabytes at the very worst


def _messages(sock: socket.socket) -> Iterator[memoryview]:
    """What the engine sends, until the socket closes; each message is good until the next."""
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
    """Take the step, say ready, then work until the socket closes."""
    messages = _messages(sock)
    greeting = next(messages, None)
    if greeting is None:
        return
    step: Step = pickle.loads(greeting)
    # A page makes many small objects and no cycles: looking for garbage less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    sock.sendall(frame(READY))
    for payload in messages:
        large = len(payload) >= LARGE_BYTES
        answer = _called(payload) if is_call(payload) else pack_work(_attempt(step, unpack_job(payload)))
        sock.sendall(frame(answer))
        if large:
            give_back()


def work(sock: socket.socket) -> None:
    """All that a worker's process does."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # sent to the whole group, they are the engine's to handle
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    keep_less()
    with sock, contextlib.suppress(ConnectionError):
        serve(sock)


if __name__ == "__main__":
    work(socket.socket(fileno=int(sys.argv[1])))
