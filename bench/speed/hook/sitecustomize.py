"""Samples where a process spends its CPU time. Python imports it by its name in every process of a profiled crawl.

A timer of CPU time sends a signal; the handler writes down the frames that are running and the CPU time since the
handler ran last, so that the samples of a process add up to all it used, however long a call into C kept the signal
waiting. Each sample is written at once: worker processes are ended by SIGKILL.
"""

from __future__ import annotations

import atexit
import dis
import os
import signal
import time
from functools import partial
from types import FrameType

_EVERY_S = 0.002
_RESUME = dis.opmap["RESUME"]
_COROUTINE = 0x80  # inspect.CO_COROUTINE


def _running(frame: FrameType | None) -> FrameType | None:
    """The frame the time belongs to. Python looks for signals when it enters a function: what was running until then
    is whoever called it, which for a coroutine that goes on is the event loop."""
    if frame is None or frame.f_code.co_code[frame.f_lasti] != _RESUME:
        return frame
    goes_on = frame.f_code.co_code[frame.f_lasti + 1] & 3 != 0
    frame = frame.f_back
    while goes_on and frame is not None and frame.f_code.co_flags & _COROUTINE:
        frame = frame.f_back
    return frame


def _name(frame: FrameType) -> str:
    module = frame.f_globals.get("__name__", "")
    if module == "__main__" and (spec := frame.f_globals.get("__spec__")) is not None:
        module = spec.name  # started with -m
    return f"{module}:{frame.f_code.co_qualname}"


def _start(folder: str) -> None:
    out = os.open(f"{folder}/{os.getpid()}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    last = 0.0

    def sample(_signal: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.process_time()
        names = []
        frame = _running(frame)
        while frame is not None:
            names.append(_name(frame))
            frame = frame.f_back
        os.write(out, f"{now - last:.6f} {' '.join(names)}\n".encode())
        last = now

    def stop() -> None:  # before Python takes its handlers down: without one, the signal kills
        signal.setitimer(signal.ITIMER_PROF, 0)
        sample(signal.SIGPROF, None)

    atexit.register(stop)
    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, _EVERY_S, _EVERY_S)


if folder := os.environ.get("DOWSE_SAMPLES"):
    _start(folder)
    os.register_at_fork(after_in_child=partial(_start, folder))  # a timer is not inherited
