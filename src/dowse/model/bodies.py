"""How much of the web is in memory at once, over all stages.

One body is bounded by the topic's limits, but sixty of the largest, or sixty bombs, at the same time would be more than
a gigabyte. So what is being read and what waits for a worker is counted together. Beyond the limit small bodies go on,
and of the large ones one at a time: first until the workers have made room, or have nothing left to do. Then it is read
to its end, so that there is always one that gets on.
"""

from __future__ import annotations

import asyncio

__all__ = ["Bodies"]

_MOST_BYTES = 256 * 2**20
_SMALL_BYTES = 2**20


class Bodies:
    """The bytes of bodies that are in memory: ``reading`` while they come, ``working`` until a worker is done."""

    def __init__(self, most_bytes: int = _MOST_BYTES, small_bytes: int = _SMALL_BYTES) -> None:
        self.small_bytes = small_bytes
        self._most_bytes = most_bytes
        self.reading = 0
        self.working = 0
        self._turn = asyncio.Lock()
        self._waiter: asyncio.Future[None] | None = None  # of the one whose turn it is

    @property
    def full(self) -> bool:
        return self.reading + self.working >= self._most_bytes

    async def take_turn(self) -> None:
        """Wait to be the one large body that grows; :meth:`end_turn` when it is read."""
        await self._turn.acquire()
        try:
            while self.full and self.working:
                self._waiter = asyncio.get_running_loop().create_future()
                await self._waiter
        except BaseException:
            self._turn.release()
            raise
        finally:
            self._waiter = None

    def end_turn(self) -> None:
        self._turn.release()

    def begin_work(self, size: int) -> None:
        """A body is handed to the workers."""
        self.working += size

    def end_work(self, size: int) -> None:
        self.working -= size
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
