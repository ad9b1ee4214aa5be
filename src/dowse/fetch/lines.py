"""Connections to sites: made on aiohttp's connector, guarded, and kept open between exchanges.

The connector learns whose connection it makes through a context variable (:data:`~dowse.fetch.exchange.current`), so
that the address guard and the timings see the address and the moment a connection is really made.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Iterable
from functools import partial
from time import perf_counter
from typing import Any, cast

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from dowse.fetch.exchange import Refused, Unresolved, current
from dowse.fetch.guard import Guard
from dowse.fetch.kept import Kept
from dowse.fetch.receiver import Receiver
from dowse.fetch.resolver import Resolver
from dowse.model.http import FailureKind

__all__ = ["Line", "Lines", "header_lines"]

_KEEPALIVE_S = 15.0
_MOST_IDLE = 256
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)
_SECRET = ("Proxy-Authorization",)


def _result(host: str, address: str, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST,
    )


class _Names(AbstractResolver):
    """Our resolver in aiohttp's shape."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        exchange = current.get()
        if exchange.wanted:
            return [_result(host, exchange.wanted, self._resolver.port_of(host) or port)]
        exchange.resolving = True
        started = perf_counter()
        answer = await self._resolver.resolve(host)
        exchange.dns_s += perf_counter() - started
        exchange.resolving = False
        if answer.failure is not None:
            kind = Refused if answer.failure is FailureKind.ADDRESS else Unresolved
            raise kind(answer.detail)
        return [_result(host, address, answer.port or port) for address in answer.addresses]

    async def close(self) -> None:
        await self._resolver.close()


class _Connector(aiohttp.TCPConnector):
    """Notes when a connection was made and to whom."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._factory: Any = partial(Receiver, loop=asyncio.get_running_loop())

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        exchange = current.get()
        started = perf_counter()
        connection = await super().connect(req, traces, timeout)
        if exchange.fresh:
            exchange.connect_s = perf_counter() - started - exchange.dns_s
            lost = connection.protocol.closed if connection.protocol is not None else None
            if lost is not None:
                lost.add_done_callback(_noticed)
        return connection


def _noticed(lost: asyncio.Future[None]) -> None:
    """Look at why a connection ended, which asyncio would otherwise report as never looked at."""
    if not lost.cancelled():
        lost.exception()


def header_lines(headers: Iterable[tuple[str, str]]) -> bytes:
    """Headers as they are sent. None can hold a line end: they are ours, or were seen to (``conditions``)."""
    return "".join([f"{name}: {value}\r\n" for name, value in headers]).encode()


class Line:
    """An open connection to a site, and the headers that every request over it has: as they are sent, and in text
    without what is between us and a proxy."""

    __slots__ = ("_connection", "headers", "protocol", "sent")

    def __init__(self, connection: Connection, headers: Iterable[tuple[str, str]]) -> None:
        self._connection = connection
        self.protocol = cast(Receiver | None, connection.protocol)  # as made by _Connector
        sent = tuple(headers)
        self.sent = header_lines(sent)
        self.headers = tuple(header for header in sent if header[0] not in _SECRET)

    @property
    def closed(self) -> bool:
        """Is it of no more use? One is that has ended, or on which something came that nobody had asked for: it would
        be taken for the next answer."""
        return self._connection.closed or self.protocol is None or self.protocol.should_close

    @property
    def address(self) -> str:
        """The address at the other end."""
        transport = self._connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        return peer[0] if peer else ""

    def close(self) -> None:
        if self.protocol is not None:
            self.protocol.abort()  # to close it politely means, over TLS, to wait for the other side, and to read on
        self._connection.close()


class Lines:
    """Makes connections and keeps them. ``headers`` are those of every request, ``tls`` is aiohttp's ``ssl``."""

    def __init__(
        self, resolver: Resolver, guard: Guard, headers: dict[str, str], *,
        tls: ssl.SSLContext | bool, proxy: URL | None, connect_timeout_s: float,
    ) -> None:  # fmt: skip
        self._resolver = resolver
        self._guard = guard
        self._headers = headers
        self._tls = tls
        self._proxy = proxy
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_timeout_s)
        self._connector: _Connector | None = None  # made on the first use, when a loop is running
        self._kept: Kept[Line] = Kept(_KEEPALIVE_S, _MOST_IDLE)

    async def take(self, origin: str, deadline: float) -> Line:
        """One that is idle, or a new one."""
        wanted = current.get().wanted
        while (kept := self._kept.take(origin)) is not None:
            if not wanted or kept.address == wanted:
                return kept
            kept.close()  # the host has another address by now
        async with asyncio.timeout_at(deadline):
            try:
                return await self._connect(origin)
            except OSError as error:
                if error.errno not in _TOO_MANY_FILES:
                    raise
            self._kept.close()  # better than to do without the page
            return await self._connect(origin)

    def give_back(self, origin: str, line: Line) -> None:
        """Its exchange is over; it is kept if it can be used again."""
        if line.closed:
            line.close()
        else:
            self._kept.keep(origin, line)

    async def close(self) -> None:
        self._kept.close()
        if self._connector is not None:
            await self._connector.close()

    async def _connect(self, origin: str) -> Line:
        if self._connector is None:
            self._connector = _Connector(
                resolver=_Names(self._resolver),
                use_dns_cache=False,
                ssl=self._tls,
                limit=0,
                force_close=True,  # it keeps none: we do
                socket_factory=self._socket,
            )
        loop, url = asyncio.get_running_loop(), URL(origin, encoded=True)
        request = aiohttp.ClientRequest("GET", url, headers=self._headers, proxy=self._proxy, loop=loop)
        connection = await self._connector.connect(request, [], self._timeout)
        # only now, since a proxy's may have come on the way
        return Line(connection, [(str(name), value) for name, value in request.headers.items()])

    def _socket(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """The last word on an address: aiohttp asks no resolver about IP literals, but every connection comes here."""
        family, kind, protocol, _, address = addr_info
        if not self._guard.allows(address[0]):
            raise Refused(f"{address[0]} is not a public address")
        current.get().fresh = True
        return socket.socket(family, kind, protocol)
