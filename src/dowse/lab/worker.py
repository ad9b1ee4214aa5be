"""A process that works for the lab: reads calls from a socket, answers each, ends when the socket closes.

Started as ``python -m dowse.lab.worker FD`` rather than through :mod:`multiprocessing`, as the workers of a crawl are,
so that a program that uses the lab needs no ``__main__`` guard.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from dowse.model.errors import DowseError

__all__ = ["Answer", "Call"]

Call = tuple[Any, tuple[Any, ...]]  # a function and its arguments
Answer = tuple[Any, Exception | None]  # what it returned, or raised


def _attempt(call: Call) -> Answer:
    function, arguments = call
    try:
        return function(*arguments), None
    except Exception as error:
        if not isinstance(error, DowseError):  # a defect: say where it lies, which the other process cannot see
            error.add_note(traceback.format_exc())
        return None, error


def _read(link: Connection[Answer, Call], calls: SimpleQueue[Call]) -> None:
    """Runs beside the work, so that the end of the other process, however it came, ends this one at once."""
    while True:
        try:
            calls.put(link.recv())
        except (EOFError, OSError):
            os._exit(0)


def main() -> None:
    link: Connection[Answer, Call] = Connection(int(sys.argv[1]))
    calls: SimpleQueue[Call] = SimpleQueue()
    threading.Thread(target=_read, args=(link, calls), daemon=True).start()
    while True:
        try:
            link.send(_attempt(calls.get()))
        except OSError:
            os._exit(0)


if __name__ == "__main__":
    main()
