"""What runs beside the engine's loop: exchanges and what follows them, and the loop's own sleep until one ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from dowse.frontier import Lease

__all__ = ["Tasks"]

_Work = Coroutine[Any, Any, None]


class Tasks:
    """The tasks of a crawl. Each that ends wakes the loop; what fails is told once, to ``on_error``."""

    def __init__(self, on_error: Callable[[BaseException], None]) -> None:
        self._on_error = on_error
        self._running: set[asyncio.Task[None]] = set()
        self._waiter: asyncio.Future[None] | None = None
        self.fetching = 0  # exchanges under way

    def __len__(self) -> int:
        return len(self._running)

    def background(self, work: _Work) -> None:
        """Run something beside the loop; the crawl does not end before it."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def start(self, work: _Work) -> None:
        """The same for what begins with an exchange; :meth:`answered` says when that is over."""
        self.fetching += 1
        self.background(work)

    def answered(self) -> None:
        self.fetching -= 1
        self.wake()

    async def occupied(self, work: Callable[[Lease], _Work], lease: Lease) -> None:
        """Work that counts as an exchange from its beginning to its end."""
        try:
            await work(lease)
        finally:
            self.fetching -= 1

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)
        self.wake()

    async def sleep(self, seconds: float) -> None:
        """Until something ends, or somebody wakes the loop, or so many seconds have passed."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(seconds, self.wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def cancel(self) -> None:
        """End everything at once."""
        for task in list(self._running):
            task.cancel()

    async def finish(self, grace_s: float) -> None:
        """Wait for what is under way, and drop what takes longer than that."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace_s)
        self.cancel()
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
