"""New connections: the host's addresses, the address guard, TLS, and the tunnel through a proxy."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Sequence
from functools import cache
from time import perf_counter

from dowse.fetch.connection import Connection
from dowse.fetch.faults import Refused, Unresolved
from dowse.fetch.guard import Guard, strip_literal
from dowse.fetch.proxy import Proxy
from dowse.fetch.resolver import Resolver
from dowse.model.http import FailureKind, Timings
from dowse.model.url import UrlParts

__all__ = ["Connector", "Exchange", "tls_context"]

_NEXT_ADDRESS_S = 0.25  # RFC 8305, section 5: the delay between two attempts
_CLOSING_S = 1.0


class Exchange:
    """What is known of an exchange while it runs."""

    __slots__ = ("address", "connect_s", "connected", "dns_s", "fresh", "resolving", "started", "wanted", "wire_bytes")

    def __init__(self, wanted: str = "") -> None:
        self.started = perf_counter()
        self.wanted = wanted  # the address that is to be asked; "": the host's best
        self.dns_s = 0.0
        self.connect_s = 0.0
        self.resolving = False
        self.fresh = False  # a connection was opened for it
        self.connected = False
        self.address = ""
        self.wire_bytes = 0

    @property
    def elapsed_s(self) -> float:
        return perf_counter() - self.started

    def timings(self, first_byte_s: float = 0.0) -> Timings:
        return Timings(self.dns_s, self.connect_s, first_byte_s, self.elapsed_s)


@cache
def tls_context(*, is_verified: bool) -> ssl.SSLContext:
    """TLS with the system's authorities, or with whoever answers."""
    context = ssl.create_default_context() if is_verified else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not is_verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    return context


class Connector:
    """Makes connections, and can end all of them."""

    def __init__(
        self, resolver: Resolver, guard: Guard, *, tls: ssl.SSLContext, proxy: Proxy | None, user_agent: str
    ) -> None:
        self._resolver = resolver
        self._guard = guard
        self._tls = tls
        self._proxy = proxy
        self._user_agent = user_agent
        self._open: set[Connection] = set()
        self._is_closed = False
        self._emptied: asyncio.Future[None] | None = None

    async def connect(self, parts: UrlParts, exchange: Exchange, deadline: float) -> Connection:
        """A new connection to a site. Raises OSError."""
        exchange.fresh = True
        started = perf_counter()
        is_tls = parts.origin.startswith("https:")
        if self._proxy is None:
            connection = await self._connected(parts.host, parts.port, is_tls, exchange)
        else:
            connection = await self._connected(self._proxy.host, self._proxy.port, self._proxy.is_tls, exchange)
            if is_tls:
                await self._tunnel(self._proxy, connection, parts, deadline)
        if self._is_closed:
            connection.abort()
            raise ConnectionAbortedError("the transport is closed")
        exchange.connect_s = perf_counter() - started - exchange.dns_s
        return connection

    async def close(self) -> None:
        """End every connection, also those that are in use."""
        self._is_closed = True
        for connection in self._open:
            connection.abort()
        if self._open:
            self._emptied = asyncio.get_running_loop().create_future()
            await asyncio.wait((self._emptied,), timeout=_CLOSING_S)

    async def _connected(self, host: str, port: int, is_tls: bool, exchange: Exchange) -> Connection:
        addresses, port = await self._addresses(host, port, exchange)
        tls = self._tls if is_tls else None
        connection = await self._first(addresses, port, tls, _server_name(host))
        if connection.is_open:
            self._open.add(connection)
        return connection

    async def _addresses(self, host: str, port: int, exchange: Exchange) -> tuple[Sequence[str], int]:
        """The addresses to try, and the port: the user may have named others."""
        if exchange.wanted:
            return (exchange.wanted,), self._resolver.port_of(host) or port
        exchange.resolving = True
        started = perf_counter()
        answer = await self._resolver.resolve(host)
        exchange.dns_s += perf_counter() - started
        exchange.resolving = False
        if answer.failure is not None:
            raise (Refused if answer.failure is FailureKind.ADDRESS else Unresolved)(answer.detail)
        return answer.addresses, answer.port or port

    async def _first(self, addresses: Sequence[str], port: int, tls: ssl.SSLContext | None, name: str) -> Connection:
        """A connection to the first address that answers; each is tried a little after the one before."""
        if len(addresses) == 1:
            return await self._connect_to(addresses[0], port, tls, name)
        waiting, faults = deque(addresses), []
        trying: set[asyncio.Task[Connection]] = set()
        try:
            while waiting or trying:
                if waiting:
                    trying.add(asyncio.create_task(self._connect_to(waiting.popleft(), port, tls, name)))
                delay_s = _NEXT_ADDRESS_S if waiting else None
                done, _ = await asyncio.wait(trying, timeout=delay_s, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    trying.discard(task)
                    if (fault := task.exception()) is None:
                        return task.result()
                    faults.append(fault)
        finally:
            for task in trying:
                _give_up(task)
        raise faults[0]

    async def _connect_to(self, address: str, port: int, tls: ssl.SSLContext | None, name: str) -> Connection:
        """The guard's last word is here: it judges the very address that is connected to."""
        if not self._guard.allows(address):
            raise Refused(f"{address} is not a public address")
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            lambda: Connection(self._lost), address, port, ssl=tls, server_hostname=name if tls is not None else None
        )
        return connection

    async def _tunnel(self, proxy: Proxy, connection: Connection, parts: UrlParts, deadline: float) -> None:
        try:
            await proxy.tunnel(connection, parts, self._user_agent, deadline)
            await connection.start_tls(self._tls, _server_name(parts.host))
        except BaseException:
            connection.abort()
            raise

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        if self._emptied is not None and not self._open and not self._emptied.done():
            self._emptied.set_result(None)


def _server_name(host: str) -> str:
    return strip_literal(host).rstrip(".")


def _give_up(task: asyncio.Task[Connection]) -> None:
    if not task.done():
        task.cancel()
    elif not task.cancelled() and task.exception() is None:
        task.result().abort()
