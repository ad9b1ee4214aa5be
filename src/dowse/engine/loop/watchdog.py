"""Notices when the engine's loop is held: nothing else goes on then, neither budgets nor delays nor Ctrl-C.

No piece of work in the loop may take longer than some 50 ms of CPU, whatever a stranger sent: what may is done by a
worker, by a thread, or in slices. The watchdog tells when that does not hold, and where. It measures the CPU time of
the loop's own thread, so that a busy machine is no cause for alarm.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

__all__ = ["HELD_S", "Watchdog"]

HELD_S = 0.25
"""The loop is held when it does not come round for so many seconds of its CPU time: some of the longest pieces of work,
or many short ones in one turn, are no cause for alarm."""

_BEAT_S = 0.02
_LOOK_S = 0.05
_PACKAGE = "dowse"


class Watchdog:
    """Watches the running loop between :meth:`start` and :meth:`stop`. ``on_held`` is told, in the loop, where it was
    held and for how many seconds."""

    def __init__(self, on_held: Callable[[str, float], None]) -> None:
        self._on_held = on_held
        self._timer: asyncio.TimerHandle | None = None
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._clock = 0
        self._beat_at = 0.0  # by the clock of the loop's thread
        self._place = ""  # where it was seen since the last beat, when that was too long ago

    def start(self) -> None:
        held = threading.get_ident()
        # where a thread's time cannot be told from outside, that of the process serves: workers are others
        self._clock = time.pthread_getcpuclockid(held) if hasattr(time, "pthread_getcpuclockid") else 0
        self._beat_at = self._now()
        self._beat()
        self._thread = threading.Thread(target=self._watch, args=(held,), name="dowse-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._thread is None:
            return
        self._done.set()
        self._thread.join()
        if self._timer is not None:
            self._timer.cancel()

    def _now(self) -> float:
        return time.clock_gettime(self._clock) if self._clock else time.process_time()

    def _beat(self) -> None:
        now = self._now()
        held_s, place = now - self._beat_at, self._place
        self._beat_at, self._place = now, ""
        self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)
        if held_s >= HELD_S:
            self._on_held(place or "unknown", held_s)

    def _watch(self, held: int) -> None:
        while not self._done.wait(_LOOK_S):
            if not self._place and self._now() - self._beat_at >= HELD_S:
                # Most of what holds a loop is one call that lets no other thread run: this one gets its turn as soon as
                # that returns, when the frame that made it is still there.
                frame = sys._current_frames().get(held)
                self._place = _place(frame) if frame is not None else ""


def _place(frame: FrameType) -> str:
    """The innermost function of ours, as ``fetch/robots.py:95 read_robots``."""
    at: FrameType | None = frame
    while at is not None:
        _, mark, name = at.f_code.co_filename.replace("\\", "/").rpartition(f"/{_PACKAGE}/")
        if mark and name:
            return f"{name}:{at.f_lineno} {at.f_code.co_qualname}"
        at = at.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno} {frame.f_code.co_qualname}"
