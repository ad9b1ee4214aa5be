"""Time as a dependency: nothing else in Dowse reads a clock, so that a replay is the same crawl."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """``now`` orders and schedules (never goes back); ``wall`` dates records."""

    def now(self) -> float:
        """Seconds of a steady clock."""
        ...

    def wall(self) -> float:
        """Seconds since 1970 (UTC)."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds`` of this clock."""
        ...


class SystemClock:
    """The machine's clocks. ``now`` is monotonic, so a wall clock set back harms no schedule."""

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
