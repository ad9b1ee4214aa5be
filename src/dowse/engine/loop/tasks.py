"""What runs beside the engine's loop: exchanges and what follows them, and the loop's own sleep until one ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from dowse.frontier import Lease

__all__ = ["Tasks"]

_BRIEF_S = 0.1  # that a look-up counts as an exchange
_Work = Coroutine[Any, Any, None]


class Tasks:
    """The tasks of a crawl. Each that ends wakes the loop; what fails is told to ``on_error``."""

    def __init__(self) -> None:
        self.on_error: Callable[[BaseException], None] = _raise
        self._running: set[asyncio.Task[None]] = set()
        self._lookups: set[asyncio.Task[None]] = set()  # of these, those that nobody waits for at the end
        self._waiter: asyncio.Future[None] | None = None
        self.fetching = 0  # exchanges under way

    def __len__(self) -> int:
        return len(self._running)

    def background(self, work: _Work) -> asyncio.Task[None]:
        """Run something beside the loop; the crawl does not end before it."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def start(self, work: _Work) -> None:
        """Run something that begins with an exchange; :meth:`answered` says when that is over."""
        self.fetching += 1
        self.background(work)

    def look_up(self, work: Callable[[Lease], _Work], lease: Lease) -> None:
        """Run a look-up: it counts as an exchange for a moment only, and is dropped when the crawl ends."""
        self.fetching += 1
        task = self.background(self.occupied(work, lease, _BRIEF_S))
        self._lookups.add(task)
        task.add_done_callback(self._lookups.discard)

    def answered(self) -> None:
        self.fetching -= 1
        self.wake()

    async def occupied(self, work: Callable[[Lease], _Work], lease: Lease, most_s: float | None = None) -> None:
        """Work that counts as an exchange from its beginning to its end, or for so many seconds at most."""
        counts = True

        def leave() -> None:
            nonlocal counts
            counts = False
            self.answered()

        timer = None if most_s is None else asyncio.get_running_loop().call_later(most_s, leave)
        try:
            await work(lease)
        finally:
            if timer is not None:
                timer.cancel()
            self.fetching -= counts

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.on_error(error)
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

    @property
    def is_asleep(self) -> bool:
        """Has the loop seen all that it was woken for?"""
        return self._waiter is not None and not self._waiter.done()

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def cancel(self) -> None:
        """End everything at once."""
        for task in list(self._running):
            task.cancel()

    async def finish(self, grace_s: float) -> None:
        """Wait for what is under way, and drop what takes longer than that."""
        for task in list(self._lookups):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=grace_s)
        self.cancel()
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)


def _raise(error: BaseException) -> None:
    raise error
