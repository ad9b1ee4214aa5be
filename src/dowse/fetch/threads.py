"""Threads for calls that cannot be stopped, such as look-ups: whoever asked may leave, and so may the program."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["Threads"]

_Found = TypeVar("_Found")
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[..., Any], tuple[Any, ...]]


class Threads:
    """At most so many, started as they are needed. Those of the standard library keep a program from ending until
    their calls return; these do not."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self._unfinished = 0

    async def call(self, function: Callable[..., _Found], *given: Any) -> _Found:
        """Call it in a thread. One that is cancelled before its turn is not called at all."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_Found] = loop.create_future()
        self._jobs.put((loop, done, function, given))
        self._unfinished += 1
        if self._started < min(self._most, self._unfinished):
            self._started += 1
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return await done

    def close(self) -> None:
        """Let the threads end when their calls do."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            loop, done, function, given = job
            found: Any = None
            error: BaseException | None = None
            if not done.cancelled():
                try:
                    found = function(*given)
                except BaseException as raised:  # whatever it was, it is the caller's
                    error = raised
            try:
                loop.call_soon_threadsafe(self._tell, done, found, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _tell(self, done: asyncio.Future[Any], found: Any, error: BaseException | None) -> None:
        self._unfinished -= 1
        if done.done():
            return
        if error is None:
            done.set_result(found)
        else:
            done.set_exception(error)
