"""A limit on the CPU time of a piece of work that may run what strangers, or the user, made slow.

What Python runs, regular expressions included, is stopped by an exception. What a library runs in C, and does not look
up from, is not: twice the time, and the process dies of it, which whoever started it is told.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TooLong", "time_limit"]


class TooLong(BaseException):
    """The time is over. No ``except Exception`` of anybody's takes it for a fault of its own."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TooLong in the block when its time is over. Only in the main thread of a process that may die."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, 2 * seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
