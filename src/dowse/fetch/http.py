"""The way out over HTTP/1.1, on aiohttp (the only module that imports it).

One exchange is one call of :meth:`HttpTransport.fetch`: it ends within its time, whatever the server does, with a
:class:`Response` (perhaps a marked prefix) or a :class:`Failure`. The life of an exchange is kept in an
:class:`Exchange`, which the connector reaches through a context variable, so that the address guard and the timings
see the address and the moment a connection is really made.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from time import perf_counter
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from dowse.fetch.agent import product_token, user_agent
from dowse.fetch.body import READ_BYTES, Body
from dowse.fetch.decode import ACCEPT_ENCODING, Decoder
from dowse.fetch.exchange import Exchange, Refused, Unresolved, clean, conditions, current, header_text
from dowse.fetch.guard import Guard, is_literal, networks, strip_literal
from dowse.fetch.resolver import Lookup, Resolver, SystemLookup
from dowse.model.bodies import Bodies
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response, Truncation, is_unwanted
from dowse.model.topic import Limits, Network
from dowse.model.url import split

__all__ = ["HttpTransport"]

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_KEEPALIVE_S = 15.0
_MAX_LINE_BYTES = 16_384
_MAX_FIELD_BYTES = 65_536
_MAX_HEADERS = 500
_QUOTED = re.compile(r"\s*:\s*b['\"].*", re.DOTALL)  # the bytes that were wrong, which may be kilobytes of anything
_OPENSSL = re.compile(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$")  # where in the library it was noticed
_LOCALHOST = re.compile(r"(?:.*\.)?localhost\.?").fullmatch


class _Once(Exception):
    """Carries a broken connection past aiohttp, which would send the request again unasked and uncounted."""


class _Names(AbstractResolver):
    """Our resolver in aiohttp's shape."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        exchange = current.get()
        exchange.resolving = True
        started = perf_counter()
        answer = await self._resolver.resolve(host)
        exchange.dns_s += perf_counter() - started
        exchange.resolving = False
        if answer.failure is not None:
            kind = Refused if answer.failure is FailureKind.ADDRESS else Unresolved
            raise kind(answer.detail)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=answer.port or port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in answer.addresses
        ]

    async def close(self) -> None:
        await self._resolver.close()


class _Connector(aiohttp.TCPConnector):
    """Notes when a connection was made and to whom."""

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        exchange = current.get()
        started = perf_counter()
        connection = await super().connect(req, traces, timeout)
        exchange.connected = True
        if exchange.fresh:
            exchange.connect_s = perf_counter() - started - exchange.dns_s
            lost = connection.protocol.closed if connection.protocol is not None else None
            if lost is not None:
                lost.add_done_callback(_noticed)
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        exchange.address = peer[0] if peer else ""
        return connection


def _noticed(lost: asyncio.Future[None]) -> None:
    """Look at why a connection ended, which asyncio would otherwise report as never looked at."""
    if not lost.cancelled():
        lost.exception()


async def _once(req: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    try:
        return await handler(req)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _Once from error


_FAULTS: tuple[tuple[type[BaseException], FailureKind], ...] = (
    # The first row that fits decides, so a special fault stands above its parents.
    (Refused, FailureKind.ADDRESS),
    (Unresolved, FailureKind.DNS),
    (ConnectionResetError, FailureKind.RESET),
    (ConnectionAbortedError, FailureKind.RESET),
    (ssl.SSLError, FailureKind.TLS),
    (ssl.CertificateError, FailureKind.TLS),
    (aiohttp.ClientSSLError, FailureKind.TLS),
    (aiohttp.ServerFingerprintMismatch, FailureKind.TLS),
    (aiohttp.ClientConnectorDNSError, FailureKind.DNS),
    (aiohttp.ClientConnectorError, FailureKind.CONNECT),
    (aiohttp.ConnectionTimeoutError, FailureKind.CONNECT),
    (aiohttp.ClientHttpProxyError, FailureKind.CONNECT),
    (TimeoutError, FailureKind.TIMEOUT),
    (aiohttp.ClientResponseError, FailureKind.PROTOCOL),
    (aiohttp.ClientPayloadError, FailureKind.PROTOCOL),
    (aiohttp.InvalidURL, FailureKind.PROTOCOL),
    (aiohttp.ClientConnectionError, FailureKind.RESET),
    (OSError, FailureKind.RESET),
)
_TELLING = (Refused, Unresolved, ssl.SSLError, ConnectionResetError, ConnectionAbortedError)


def _kind(error: BaseException) -> FailureKind:
    for fault, kind in _FAULTS:
        if isinstance(error, fault):
            return kind
    return FailureKind.PROTOCOL


def _cause(error: BaseException) -> BaseException:
    """The fault itself, out of the wrappers it came in."""
    if isinstance(error, _Once) and error.__cause__ is not None:
        error = error.__cause__
    inner = getattr(error, "os_error", None)
    return inner if isinstance(inner, _TELLING) else error


class HttpTransport:
    """HTTP/1.1 with keep-alive, guarded, capped and metered. Implements :class:`dowse.model.http.Transport`.

    ``lookup`` replaces the system's DNS; ``tls`` replaces the trusted authorities; ``bodies`` counts bodies in memory.
    Connections are opened on the first use, so a transport can be made outside a running loop. With a proxy, it is the
    proxy that resolves names: literal targets are still guarded here, and the proxy's own address is the user's word.
    """

    def __init__(
        self,
        network: Network,
        limits: Limits,
        clock: Clock,
        lookup: Lookup | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        bodies: Bodies | None = None,
    ) -> None:
        self.user_agent = user_agent(network)
        self.product = product_token(network)
        self._limits = limits
        self._bodies = bodies or Bodies()
        self._guard = Guard(network.allow_private, networks(network.allow_addresses))
        self._proxy = _proxy(network.proxy)
        self._tls: ssl.SSLContext | bool = network.verify_tls if tls is None or not network.verify_tls else tls
        self._system = SystemLookup() if lookup is None else None
        # Behind a proxy every socket leads to the proxy, so the guard stands at the target instead (_refuse_target).
        self._socket_guard = Guard(allow_private=True) if self._proxy else self._guard
        self._resolver = Resolver(
            lookup or self._system or SystemLookup(),
            self._socket_guard,
            clock,
            overrides=network.resolve,
            timeout_s=limits.connect_timeout_s,
        )
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        """The guarded addresses of a host. Behind a proxy a name stands for itself: only the proxy can resolve it."""
        if self._proxy is not None:
            refused = self._refuse_target(host)
            if refused is not None:
                return Failure(host, FailureKind.ADDRESS, refused)
            return Resolved(host, (strip_literal(host),))
        answer = await self._resolver.resolve(host)
        if answer.failure is not None:
            return Failure(host, answer.failure, answer.detail)
        return Resolved(host, answer.addresses)

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        """One exchange. Raises nothing but cancellation."""
        exchange = Exchange()
        try:
            parts = split(request.url)
        except ValueError:
            return Failure(request.url, FailureKind.PROTOCOL, "not a URL")
        if not parts.origin.startswith("http"):
            return Failure(request.url, FailureKind.PROTOCOL, "not an http or https address")
        if self._closed:
            return Failure(request.url, FailureKind.CANCELLED, "the transport is closed")
        refused = self._refuse_target(parts.host)
        if refused is not None:
            return Failure(request.url, FailureKind.ADDRESS, refused)
        token = current.set(exchange)
        try:
            # encoded: the URL goes out byte for byte as it stands, not as another library would write it
            return await self._exchange(request, URL(parts.origin + parts.path + parts.query, encoded=True), meter)
        except Exception as error:  # the edge of the web: whatever a server provokes ends as a value
            return self._failure(request, exchange, error)
        finally:
            current.reset(token)

    async def close(self) -> None:
        """Close every connection; exchanges still running end as failures."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
        await self._resolver.close()
        if self._system is not None:
            self._system.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = _Connector(
                resolver=_Names(self._resolver),
                use_dns_cache=False,
                ssl=self._tls,
                limit=0,
                keepalive_timeout=_KEEPALIVE_S,
                socket_factory=self._socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPT_ENCODING},
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                proxy=self._proxy,
                timeout=aiohttp.ClientTimeout(total=None, connect=self._limits.connect_timeout_s),
                read_bufsize=READ_BYTES,
                max_line_size=_MAX_LINE_BYTES,
                max_field_size=_MAX_FIELD_BYTES,
                max_headers=_MAX_HEADERS,
                middlewares=(_once,),
            )
        return self._session

    def _socket(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """The last word on an address: aiohttp asks no resolver about IP literals, but every connection comes here."""
        family, kind, protocol, _, address = addr_info
        if not self._socket_guard.allows(address[0]):
            raise Refused(f"{address[0]} is not a public address")
        current.get().fresh = True
        return socket.socket(family, kind, protocol)

    def _refuse_target(self, host: str) -> str | None:
        """Why a proxy must not be asked for this host; None when it may."""
        if self._proxy is None or self._guard.allow_private:
            return None
        inside = not self._guard.allows(host) if is_literal(host) else _LOCALHOST(host.lower())
        return f"{host} is not a public address" if inside else None

    async def _exchange(self, request: Request, url: URL, meter: Meter | None) -> Response:
        """Send, then receive, both before the deadline. A fault up to the headers raises."""
        exchange = current.get()
        deadline = asyncio.get_running_loop().time() + request.timeout_s
        async with asyncio.timeout_at(deadline):
            answer = await self._open().request(request.method, url, headers=conditions(request), allow_redirects=False)
        first_byte_s = exchange.elapsed_s
        try:
            if answer.status < 200:
                raise aiohttp.ClientPayloadError(f"status {answer.status} without being asked for")
            content, truncated, wire_bytes = await _receive(request, answer, meter, self._bodies, deadline)
        finally:
            if not answer.closed:
                answer.close()  # closed, not drained: the rest is not worth its bytes
        return Response(
            url=request.url,
            status=answer.status,
            headers=tuple([(header_text(name), header_text(value)) for name, value in answer.raw_headers]),
            body=content,
            reason=clean(answer.reason or ""),
            wire_bytes=wire_bytes,
            truncated=truncated,
            timings=exchange.timings(first_byte_s),
            address="" if self._proxy else exchange.address,
            request_headers=tuple([(str(name), value) for name, value in answer.request_info.headers.items()]),
            method=request.method,
        )

    def _failure(self, request: Request, exchange: Exchange, error: Exception) -> Failure:
        cause = _cause(error)
        kind = _kind(cause)
        if self._closed:
            kind = FailureKind.CANCELLED
        elif isinstance(error, TimeoutError) and not exchange.connected:
            kind = FailureKind.DNS if exchange.resolving else FailureKind.CONNECT
        said = _said(cause)
        detail = " ".join(clean(said).split())[:200] or type(cause).__name__
        if isinstance(error, TimeoutError):
            detail = f"nothing after {exchange.elapsed_s:.1f} s"
        address = "" if self._proxy else exchange.address
        return Failure(request.url, kind, detail, timings=exchange.timings(), address=address)


def _said(cause: BaseException) -> str:
    """What went wrong in the fault's own words, without the library's decoration."""
    if isinstance(cause, aiohttp.ClientResponseError):
        return _QUOTED.sub("", cause.message)
    if isinstance(cause, aiohttp.ClientConnectorError):
        cause = cause.os_error
    if isinstance(cause, ssl.SSLError):
        return _OPENSSL.sub("", str(cause))
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause)


async def _receive(
    request: Request, answer: aiohttp.ClientResponse, meter: Meter | None, bodies: Bodies, deadline: float
) -> tuple[bytes, Truncation, int]:
    """The decoded body, why it is only a prefix where it is, and its bytes on the wire; a fault ends the prefix."""
    if request.method != "HEAD" and is_unwanted(answer.headers.get("Content-Type"), request.accept_types):
        return b"", Truncation.TYPE, 0
    codings = ",".join(answer.headers.getall("Content-Encoding", ()))
    decoder = Decoder(codings, request.max_body_bytes)
    body = Body(decoder, request.max_wire_bytes, answer.content_length or 0, meter, bodies)
    try:
        if answer.content.is_eof() and not bodies.full:  # all of it came with the headers: nothing to wait for
            truncated = await body.read(answer.content)
        else:
            truncated = await _read_on(answer, body, deadline)
        return *body.finish(truncated), body.wire_bytes
    finally:
        body.release()


async def _read_on(answer: aiohttp.ClientResponse, body: Body, deadline: float) -> Truncation:
    """Read a body that is still arriving, until it or its connection ends or time is up."""
    content = answer.content
    protocol = answer.connection.protocol if answer.connection is not None else None
    lost = protocol.closed if protocol is not None else None

    def end(_: asyncio.Future[None] | None = None) -> None:
        # aiohttp drops the connection at a malformed chunk, but lets the reader of the body wait on.
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection ended within the body"))

    if lost is None:
        end()
    else:
        lost.add_done_callback(end)
    try:
        async with asyncio.timeout_at(deadline):
            return await body.read(content)
    except TimeoutError:
        return Truncation.TIME
    except (aiohttp.ClientError, OSError):
        return Truncation.DISCONNECT
    finally:
        if lost is not None:
            lost.remove_done_callback(end)


def _proxy(text: str | None) -> URL | None:
    if not text:
        return None
    try:
        url = URL(text)
        usable = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        usable = False
    if not usable:
        raise TopicError(f"{text!r} is no proxy: write http://host:port", key="network.proxy")
    return url
