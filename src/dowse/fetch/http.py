"""The way out over HTTP/1.1, on aiohttp (the only module that imports it).

One exchange is one call of :meth:`HttpTransport.fetch`: it ends within its time, whatever the server does, with a
:class:`Response` (perhaps a marked prefix) or a :class:`Failure`. The life of an exchange is kept in an
:class:`Exchange`, which the connector reaches through a context variable, so that the address guard and the timings
see the address and the moment a connection is really made.

Of aiohttp this takes what connects (resolving, TLS, proxies) and what reads an answer. Its session, made for requests
of every kind, stands between the two with cookies, redirects, retries and uploads, none of which an exchange has, and
costs more than both. So requests are written here.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Iterable
from time import perf_counter
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import HttpProcessingError, RawResponseMessage
from aiohttp.tracing import Trace
from yarl import URL

from dowse.fetch.agent import product_token, user_agent
from dowse.fetch.body import READ_BYTES, Body
from dowse.fetch.decode import ACCEPT_ENCODING, Decoder
from dowse.fetch.exchange import Exchange, Refused, Unresolved, clean, conditions, current, header_text
from dowse.fetch.guard import Guard, is_literal, networks, strip_literal
from dowse.fetch.kept import Kept
from dowse.fetch.resolver import Lookup, Resolver, SystemLookup
from dowse.model.bodies import Bodies
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response, Truncation, is_unwanted
from dowse.model.topic import Limits, Network
from dowse.model.url import UrlParts, split

__all__ = ["HttpTransport"]

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_KEEPALIVE_S = 15.0
_MAX_LINE_BYTES = 16_384
_MAX_FIELD_BYTES = 65_536
_MAX_HEADERS = 500
_MOST_WAYS = 10_000  # sites whose headers are kept ready
_QUOTED = re.compile(r"\s*:\s*b['\"].*", re.DOTALL)  # the bytes that were wrong, which may be kilobytes of anything
_OPENSSL = re.compile(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$")  # where in the library it was noticed
_LOCALHOST = re.compile(r"(?:.*\.)?localhost\.?").fullmatch


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


class _Way:
    """How a site is asked: who connects to it, and the headers of each request, in text and as they are sent."""

    __slots__ = ("headers", "request", "sent")

    def __init__(self, origin: str, headers: dict[str, str], proxy: URL | None) -> None:
        loop = asyncio.get_running_loop()
        self.request = aiohttp.ClientRequest("GET", URL(origin, encoded=True), headers=headers, proxy=proxy, loop=loop)
        self.headers: tuple[tuple[str, str], ...] = ()
        self.sent = b""

    def connected(self) -> None:
        """The headers are known: a proxy's may have come on the way."""
        self.headers = tuple([(str(name), value) for name, value in self.request.headers.items()])
        self.sent = _lines(self.headers)


def _lines(headers: Iterable[tuple[str, str]]) -> bytes:
    """Headers as they are sent. None can hold a line end: they are ours, or were seen to (``conditions``)."""
    return "".join([f"{name}: {value}\r\n" for name, value in headers]).encode()


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
    (HttpProcessingError, FailureKind.PROTOCOL),
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
        self._connector: _Connector | None = None
        self._ways: dict[str, _Way] = {}
        self._kept: Kept[Connection] = Kept(_KEEPALIVE_S)
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
            return await self._exchange(request, parts, exchange, meter)
        except Exception as error:  # the edge of the web: whatever a server provokes ends as a value
            return self._failure(request, exchange, error)
        finally:
            current.reset(token)

    async def close(self) -> None:
        """Close every connection; exchanges still running end as failures."""
        self._closed = True
        self._kept.close()
        if self._connector is not None:
            await self._connector.close()
        await self._resolver.close()
        if self._system is not None:
            self._system.close()

    async def _connect(self, way: _Way) -> Connection:
        if self._connector is None:
            self._connector = _Connector(
                resolver=_Names(self._resolver),
                use_dns_cache=False,
                ssl=self._tls,
                limit=0,
                force_close=True,  # it keeps none: we do
                socket_factory=self._socket,
            )
        timeout = aiohttp.ClientTimeout(total=None, connect=self._limits.connect_timeout_s)
        connection = await self._connector.connect(way.request, [], timeout)
        way.connected()
        return connection

    def _way(self, origin: str) -> _Way:
        way = self._ways.get(origin)
        if way is None:
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
                self._kept.close()  # whose headers may have been told by who connected them
            headers = {"User-Agent": self.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPT_ENCODING}
            way = self._ways[origin] = _Way(origin, headers, self._proxy)
        return way

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

    async def _exchange(self, request: Request, parts: UrlParts, exchange: Exchange, meter: Meter | None) -> Response:
        """Send, then receive, both before the deadline. A fault up to the headers raises."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.timeout_s
        way, connection = self._way(parts.origin), self._kept.take(parts.origin)
        if connection is None:
            async with asyncio.timeout_at(deadline):
                connection = await self._connect(way)
        protocol, payload = connection.protocol, None
        try:
            exchange.connected = True
            exchange.address = _peer(connection)
            if protocol is None or protocol.transport is None:
                raise ConnectionResetError("Cannot write to closing transport")
            asked = conditions(request)
            # byte for byte as it stands, not as another library would write it
            target = parts.path + parts.query if not self._absolute(parts) else parts.origin + parts.path + parts.query
            _send(protocol, request.method, target, way.sent + _lines(asked.items()) if asked else way.sent)
            timer = loop.call_at(deadline, _give_up, protocol)
            try:
                message, payload = await _headers(protocol)
            finally:
                timer.cancel()
            first_byte_s = exchange.elapsed_s
            if message.code < 200:
                raise aiohttp.ClientPayloadError(f"status {message.code} without being asked for")
            content, truncated, wire_bytes = await _receive(
                request, message, payload, protocol, meter, self._bodies, deadline
            )
        finally:
            if payload is None or not payload.is_eof() or protocol is None or protocol.should_close:
                connection.close()  # closed, not drained: the rest is not worth its bytes
            else:
                self._kept.keep(parts.origin, connection)
        return Response(
            url=request.url,
            status=message.code,
            headers=_texts(message.raw_headers),
            body=content,
            reason=clean(message.reason or ""),
            wire_bytes=wire_bytes,
            truncated=truncated,
            timings=exchange.timings(first_byte_s),
            address="" if self._proxy else exchange.address,
            request_headers=(*way.headers, *asked.items()) if asked else way.headers,
            method=request.method,
        )

    def _absolute(self, parts: UrlParts) -> bool:
        """Is the whole URL told? A proxy that is to ask for it must know; one that only connects need not."""
        return self._proxy is not None and parts.origin.startswith("http:")

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
    if isinstance(cause, (aiohttp.ClientResponseError, HttpProcessingError)):
        return _QUOTED.sub("", cause.message)
    if isinstance(cause, aiohttp.ClientConnectorError):
        cause = cause.os_error
    if isinstance(cause, ssl.SSLError):
        return _OPENSSL.sub("", str(cause))
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause)


def _peer(connection: Connection) -> str:
    """The address at the other end."""
    transport = connection.transport
    peer = transport.get_extra_info("peername") if transport is not None else None
    return peer[0] if peer else ""


def _send(protocol: ResponseHandler, method: str, target: str, headers: bytes) -> None:
    protocol.set_response_params(
        skip_payload=method == "HEAD",
        read_until_eof=True,
        auto_decompress=False,
        read_bufsize=READ_BYTES,
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_FIELD_BYTES,
        max_headers=_MAX_HEADERS,
    )
    assert protocol.transport is not None
    protocol.transport.write(b"%b HTTP/1.1\r\n%b\r\n" % (f"{method} {target}".encode(), headers))


def _give_up(protocol: ResponseHandler) -> None:
    """Time is up for whoever waits for the headers."""
    protocol.set_exception(TimeoutError())


async def _headers(protocol: ResponseHandler) -> tuple[RawResponseMessage, aiohttp.StreamReader]:
    """The answer's headers and its body to come; what is only said in between (100 Continue) is passed over."""
    while True:
        message, payload = await protocol.read()
        if not 100 <= message.code < 200 or message.code == 101:
            return message, payload


def _texts(raw: tuple[tuple[bytes, bytes], ...]) -> tuple[tuple[str, str], ...]:
    try:
        return tuple([(name.decode(), value.decode()) for name, value in raw])
    except UnicodeDecodeError:
        return tuple([(header_text(name), header_text(value)) for name, value in raw])


async def _receive(
    request: Request, message: RawResponseMessage, content: aiohttp.StreamReader, protocol: ResponseHandler,
    meter: Meter | None, bodies: Bodies, deadline: float,
) -> tuple[bytes, Truncation, int]:  # fmt: skip
    """The decoded body, why it is only a prefix where it is, and its bytes on the wire; a fault ends the prefix."""
    headers = message.headers
    if request.method != "HEAD" and is_unwanted(headers.get("Content-Type"), request.accept_types):
        return b"", Truncation.TYPE, 0
    codings = ",".join(headers.getall("Content-Encoding", ()))
    if not codings and not bodies.full and (whole := _whole(request, content, meter)) is not None:
        return whole, Truncation.NONE, len(whole)
    decoder = Decoder(codings, request.max_body_bytes)
    body = Body(decoder, request.max_wire_bytes, int(headers.get("Content-Length", 0)), meter, bodies)
    try:
        if content.is_eof() and not bodies.full:  # all of it came with the headers: nothing to wait for
            truncated = await body.read(content)
        else:
            truncated = await _read_on(content, protocol, body, deadline)
        return *body.finish(truncated), body.wire_bytes
    finally:
        body.release()


def _whole(request: Request, content: aiohttp.StreamReader, meter: Meter | None) -> bytes | None:
    """A body that is there already, and as large as it may be; None where it has to be looked at as it comes."""
    size = content.total_bytes
    if not content.is_eof() or content.exception() or size > min(request.max_wire_bytes, request.max_body_bytes):
        return None
    granted = size if meter is None else meter.grant(size)
    if granted == size:
        return content.read_nowait()
    if meter is not None:
        meter.refund(granted)
    return None


async def _read_on(content: aiohttp.StreamReader, protocol: ResponseHandler, body: Body, deadline: float) -> Truncation:
    """Read a body that is still arriving, until it or its connection ends or time is up."""
    lost = protocol.closed

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
