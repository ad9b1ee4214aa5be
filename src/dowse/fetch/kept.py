"""Connections that are kept open between two exchanges with a site."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, Protocol, TypeVar

__all__ = ["Kept"]


class _Open(Protocol):
    @property
    def closed(self) -> bool:
        """Is it over, perhaps by the other side's will?"""
        ...

    def close(self) -> None: ...


_Connection = TypeVar("_Connection", bound=_Open)


class Kept(Generic[_Connection]):
    """Idle connections by origin. One that was not used for ``most_s`` is closed."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._idle: dict[str, deque[tuple[_Connection, float]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, origin: str) -> _Connection | None:
        """One that can be used, if there is any: the longest idle first."""
        idle = self._idle.get(origin)
        if idle is None:
            return None
        oldest = asyncio.get_running_loop().time() - self._most_s
        while idle:
            connection, since = idle.popleft()
            if since >= oldest and not connection.closed:
                return connection
            connection.close()
        del self._idle[origin]
        return None

    def keep(self, origin: str, connection: _Connection) -> None:
        """An exchange is over, and the next one may use its connection."""
        loop = asyncio.get_running_loop()
        self._idle.setdefault(origin, deque()).append((connection, loop.time()))
        if self._timer is None:
            self._timer = loop.call_later(self._most_s, self._sweep)

    def close(self) -> None:
        """Close them all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for idle in self._idle.values():
            for connection, _ in idle:
                connection.close()
        self._idle.clear()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self._most_s
        for origin, idle in list(self._idle.items()):
            while idle and (idle[0][1] <= oldest or idle[0][0].closed):
                idle.popleft()[0].close()
            if not idle:
                del self._idle[origin]
        self._timer = loop.call_later(self._most_s, self._sweep) if self._idle else None
