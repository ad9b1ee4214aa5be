"""Virtual time: an event loop that never waits.

The engine sleeps, times out and schedules through asyncio, so a replay needs no second engine, only a loop whose clock
jumps to the next timer whenever nothing is left to do. A crawl of hours then takes the seconds its computing takes,
and, with no outside world to race against, the same crawl always takes the same course.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["VirtualClock", "VirtualLoop", "run"]

_T = TypeVar("_T")
_EPOCH = 1_000_000_000.0  # what the wall clock of a replay shows at its start: a date, the same every time


class _Jump(selectors.SelectSelector):
    """Instead of waiting for files, moves the clock to where the loop wanted to wait."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("a replay waits for something that cannot come")
        self.loop.passed_s += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which only computing takes time, and that time does not count."""

    def __init__(self) -> None:
        self.passed_s = 0.0
        jump = _Jump()
        jump.loop = self
        super().__init__(jump)

    def time(self) -> float:
        return self.passed_s

    @property
    def _clock_resolution(self) -> float:
        """Timers that are due within this are run at once, as asyncio has it: here none too early. Two engines that
        each wait for the last billionth of a second would wake each other for ever, and the clock never move."""
        return math.ulp(self.passed_s)

    @_clock_resolution.setter
    def _clock_resolution(self, of_real_clock: float) -> None:
        """It is asyncio's own attribute, set when a loop is made."""


class VirtualClock:
    """The clock of a :class:`VirtualLoop`, as :class:`dowse.model.clock.Clock` has it."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return self._loop.passed_s

    def wall(self) -> float:
        return _EPOCH + self._loop.passed_s

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run(main: Coroutine[Any, Any, _T], loop: VirtualLoop) -> _T:
    """Run to the end, as :func:`asyncio.run` does."""
    try:
        return loop.run_until_complete(main)
    except BaseException:
        # the error, or Ctrl-C, is told by whoever catches it: tasks that it left undone are not told of as well
        loop.set_exception_handler(lambda *_: None)
        raise
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            with suppress(RuntimeError):  # Ctrl-C may have cut anything in two, so that a task waits for ever
                loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()
