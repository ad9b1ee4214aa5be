"""A worker process: reads jobs from a socket, answers each with its work, ends when the socket closes.

Started as ``python -m dowse.crawl.worker FD`` rather than through :mod:`multiprocessing`, so that a program that uses
Dowse needs no ``__main__`` guard. The engine's death closes the socket, so no worker outlives it.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
import resource
import signal
import socket
import sys

from dowse.crawl.job import Job, Step, Work
from dowse.crawl.wire import FRAME, READY, frame, pack_work, unpack_job

__all__ = ["serve"]

_MOST_MEMORY = 4 << 30  # an honest page needs a few hundred megabytes at the very worst


def _read(sock: socket.socket, size: int) -> bytes | None:
    parts = []
    while size:
        part = sock.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _receive(sock: socket.socket) -> bytes | None:
    head = _read(sock, FRAME.size)
    return None if head is None else _read(sock, FRAME.unpack(head)[0])


def _attempt(step: Step, job: Job) -> Work:
    try:
        return step(job)
    except Exception as error:  # whatever a page does to a parser costs that page only
        return Work(error=f"{type(error).__name__}: {error}"[:200])


def serve(sock: socket.socket) -> None:
    """Take the step, say ready, then work until the socket closes."""
    greeting = _receive(sock)
    if greeting is None:
        return
    step: Step = pickle.loads(greeting)
    # A page makes many small objects and no cycles: looking for garbage less often saves a tenth of the time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    sock.sendall(frame(READY))
    while (payload := _receive(sock)) is not None:
        sock.sendall(frame(pack_work(_attempt(step, unpack_job(payload)))))


def main() -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # sent to the whole group, they are the engine's to handle
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    with socket.socket(fileno=int(sys.argv[1])) as sock, contextlib.suppress(ConnectionError):
        serve(sock)


if __name__ == "__main__":
    main()
