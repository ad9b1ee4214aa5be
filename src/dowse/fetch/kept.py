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
    """Idle connections by origin: at most ``most``, and none that was not used for ``most_s``."""

    def __init__(self, most_s: float, most: int) -> None:
        self._most_s = most_s
        self._most = most
        self._idle: dict[str, deque[_Connection]] = {}  # the longest idle first, here and below
        self._since: dict[_Connection, tuple[str, float]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, origin: str) -> _Connection | None:
        """One that can be used, if there is any: the longest idle first."""
        oldest = asyncio.get_running_loop().time() - self._most_s
        while origin in self._idle:
            connection, since = self._pop(origin)
            if since >= oldest and not connection.closed:
                return connection
            connection.close()
        return None

    def keep(self, origin: str, connection: _Connection) -> None:
        """An exchange is over, and the next one may use its connection."""
        loop = asyncio.get_running_loop()
        self._idle.setdefault(origin, deque()).append(connection)
        self._since[connection] = origin, loop.time()
        if len(self._since) > self._most:
            self._close_oldest()
        if self._timer is None:
            self._timer = loop.call_later(self._most_s, self._sweep)

    def close(self) -> None:
        """Close them all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._since:
            self._close_oldest()

    def _pop(self, origin: str) -> tuple[_Connection, float]:
        idle = self._idle[origin]
        connection = idle.popleft()
        if not idle:
            del self._idle[origin]
        return connection, self._since.pop(connection)[1]

    def _close_oldest(self) -> None:
        origin, _ = next(iter(self._since.values()))
        self._pop(origin)[0].close()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self._most_s
        while self._since and next(iter(self._since.values()))[1] <= oldest:
            self._close_oldest()
        self._timer = loop.call_later(self._most_s, self._sweep) if self._since else None
