"""Connections to sites, kept open between two exchanges; and how many files a process may open, since each is one."""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from dowse.fetch.connect import Connector, Exchange
from dowse.fetch.connection import Connection
from dowse.model.url import UrlParts

__all__ = ["Idle", "Pool", "allow_open_files"]

_KEEPALIVE_S = 15.0
_MAX_IDLE = 256
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


class Pool:
    """Gives connections out and takes them back."""

    def __init__(self, connector: Connector, connect_timeout_s: float) -> None:
        self._connector = connector
        self._connect_timeout_s = connect_timeout_s
        self._idle: Idle[Connection] = Idle(_KEEPALIVE_S, _MAX_IDLE)

    async def take(self, parts: UrlParts, exchange: Exchange, deadline: float) -> Connection:
        """An idle connection to a site, else a new one. Raises OSError."""
        while (idle := self._idle.take(parts.origin)) is not None:
            if not exchange.wanted or idle.address == exchange.wanted:
                return idle
            idle.abort()  # the host has another address by now
        deadline = min(deadline, asyncio.get_running_loop().time() + self._connect_timeout_s)
        async with asyncio.timeout_at(deadline):
            try:
                return await self._connector.connect(parts, exchange, deadline)
            except OSError as error:
                if error.errno not in _TOO_MANY_FILES:
                    raise
            self._idle.close()  # better than to do without the page
            return await self._connector.connect(parts, exchange, deadline)

    def give_back(self, parts: UrlParts, connection: Connection) -> None:
        """The exchange is over: its connection is kept if it can be used again, else closed at once. What is left of an
        answer is not worth its bytes."""
        if connection.is_reusable:
            connection.take()  # of a body that was not wanted: an idle connection need not hold it
            self._idle.keep(parts.origin, connection)
        else:
            connection.abort()

    async def close(self) -> None:
        """Close every connection, idle or not."""
        self._idle.close()
        await self._connector.close()


class _Reusable(Protocol):
    @property
    def is_reusable(self) -> bool:
        """May it be used again? The other side may have ended it."""
        ...

    def abort(self) -> None: ...


_Kept = TypeVar("_Kept", bound=_Reusable)


class Idle(Generic[_Kept]):
    """Idle connections by origin: at most ``most``, and none that was not used for ``most_s``."""

    def __init__(self, most_s: float, most: int) -> None:
        self._most_s = most_s
        self._most = most
        self._idle: dict[str, deque[_Kept]] = {}  # the longest idle first, here and below
        self._since: dict[_Kept, tuple[str, float]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, origin: str) -> _Kept | None:
        """One that can be used, if there is any: the longest idle first."""
        oldest = asyncio.get_running_loop().time() - self._most_s
        while origin in self._idle:
            connection, since = self._pop(origin)
            if since >= oldest and connection.is_reusable:
                return connection
            connection.abort()
        return None

    def keep(self, origin: str, connection: _Kept) -> None:
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

    def _pop(self, origin: str) -> tuple[_Kept, float]:
        idle = self._idle[origin]
        connection = idle.popleft()
        if not idle:
            del self._idle[origin]
        return connection, self._since.pop(connection)[1]

    def _close_oldest(self) -> None:
        origin, _ = next(iter(self._since.values()))
        self._pop(origin)[0].abort()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self._most_s
        while self._since and next(iter(self._since.values()))[1] <= oldest:
            self._close_oldest()
        self._timer = loop.call_later(self._most_s, self._sweep) if self._since else None


def allow_open_files(wanted: int) -> None:
    """Raise the limit of open files to so many, as far as the system lets anybody."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and now < wanted:
        room = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, room), most))
