"""A small HTTP/1.1 server on loopback that shows a :class:`Web` of virtual hosts from memory.

It answers GET and HEAD, keeps connections open, pipelines in order, compresses for those who accept gzip, and answers
conditional requests with 304. A request in absolute form (``GET http://host/path``) is taken too, so the server also
stands in for a proxy. Each request is logged as it arrives, with the answer it will get: what a crawler did is
measured here, where the crawler cannot touch it.
"""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import ssl
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Self

import xxhash

from dowse.loopback.web import TEXT, Ask, Resource, Site, Web
from dowse.model.clock import Clock, SystemClock
from dowse.model.errors import UserError

__all__ = ["Answer", "Hit", "LoopbackServer", "in_thread", "is_loopback", "together"]

_MAX_HEAD_BYTES = 65_536
_GZIP_FROM_BYTES = 256  # a smaller body gains nothing
_SLICES_PER_S = 20  # how finely a slow host doles out its bytes
_COMPRESSIBLE = ("text/", "application/json", "application/xml", "application/xhtml+xml", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Hit:
    """One request, as the server saw it. ``time`` is the server clock's, at the request's last byte."""

    time: float
    peer: tuple[str, int]
    host: str
    target: str  # path and query
    status: int
    bytes: int  # of the body on the wire; 0 for HEAD and 304
    method: str = "GET"
    agent: str = ""

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.target}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was sent. The times are taken just before the bytes leave: nobody can have heard them earlier."""

    hit: Hit
    first_byte: float
    last_byte: float


@dataclass(frozen=True, slots=True)
class _Wire:
    """A resource made ready to send: its bytes plain and compressed, and the header lines both share."""

    plain: bytes
    packed: bytes | None
    etag: str
    head: str


class _BadRequest(Exception):
    """The request cannot be answered; the connection ends with this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _wire(resource: Resource) -> _Wire:
    """Compress once, and write the header lines."""
    kind = resource.content_type or ""
    packed = None
    if len(resource.body) >= _GZIP_FROM_BYTES and kind.startswith(_COMPRESSIBLE):
        packed = gzip.compress(resource.body, compresslevel=6, mtime=0)
    etag = f'W/"{xxhash.xxh3_64_hexdigest(resource.body)}"' if resource.status == 200 else ""
    lines = [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name}: {value}" for name, value in resource.headers]
    if packed is not None:
        lines.append("Vary: Accept-Encoding")
    if etag:
        lines.append(f"ETag: {etag}")
    if resource.modified:
        lines.append(f"Last-Modified: {resource.modified}")
    return _Wire(resource.body, packed, etag, "".join(f"{line}\r\n" for line in lines))


@lru_cache(maxsize=256)
def _parse_fields(block: bytes) -> dict[str, str]:
    """Header fields by lower-case name; a crawler sends the same block again and again, hence the cache."""
    fields: dict[str, str] = {}
    for line in block.decode("latin-1").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            fields[name.strip().lower()] = value.strip()
    return fields


def _parse(head: bytes) -> tuple[Ask, bool]:
    """The request and whether the connection stays open after it."""
    line, _, block = head[:-4].partition(b"\r\n")
    parts = line.decode("latin-1").split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise _BadRequest(400)
    method, target, version = parts
    fields = _parse_fields(block)
    host = fields.get("host", "")
    if target.startswith("http://"):
        host, slash, rest = target[7:].partition("/")
        target = slash + rest or "/"
    if not host or not target.startswith("/"):
        raise _BadRequest(400)
    if method not in ("GET", "HEAD"):
        raise _BadRequest(405)  # its body, if any, is not read: the connection closes
    connection = fields.get("connection", "").lower()
    keep = connection != "close" if version == "HTTP/1.1" else connection == "keep-alive"
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return Ask(name.lower(), target.partition("#")[0], method, fields), keep


def _unchanged(ask: Ask, resource: Resource, wire: _Wire) -> bool:
    """RFC 9110, 13.2.2: If-None-Match decides where it is present, else If-Modified-Since."""
    if resource.status != 200:
        return False
    known = ask.headers.get("if-none-match")
    if known is not None:
        return known == "*" or wire.etag.removeprefix("W/") in (
            tag.strip().removeprefix("W/") for tag in known.split(",")
        )
    return resource.modified is not None and ask.headers.get("if-modified-since") == resource.modified


def _accepts_gzip(ask: Ask) -> bool:
    accepted = ask.headers.get("accept-encoding", "").lower()
    return "gzip" in accepted and "gzip;q=0" not in accepted.replace(" ", "").replace("gzip;q=0.", "")


def is_loopback(host: str) -> bool:
    """Is this an address of this machine itself?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _status_line(status: int) -> str:
    try:
        return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
    except ValueError:
        return f"HTTP/1.1 {status} \r\n"


class LoopbackServer:
    """Serves a web while its ``async with`` block runs.

    ``host`` must be a loopback address; several servers can share a port on different addresses (127.0.0.2 ...), so
    that virtual hosts can have addresses of their own. With ``tls`` it speaks https. ``log`` keeps the newest
    ``keep_log`` requests in order of arrival, ``answers`` as many answers in the order they were finished; ``peak`` is
    the most requests each host had open at one time, ``most_connections`` the most connections to this server. ``web``
    may be replaced while it runs.
    """

    def __init__(
        self,
        web: Web,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Clock | None = None,
        on_hit: Callable[[Hit], None] | None = None,
        keep_log: int = 200_000,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if not is_loopback(host):
            raise UserError(f"{host} is not a loopback address: write 127.0.0.1, another of 127.0.0.0/8, or ::1")
        self.web = web
        self.host = host
        self.port = port
        self.log: deque[Hit] = deque(maxlen=keep_log)
        self.answers: deque[Answer] = deque(maxlen=keep_log)
        self.peak: Counter[str] = Counter()
        self.most_connections = 0
        self._open: Counter[str] = Counter()
        self._tls = tls
        self._clock = clock or SystemClock()
        self._on_hit = on_hit
        self._wires: dict[tuple[str, str], tuple[Resource, _Wire]] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, self.host, self.port, limit=_MAX_HEAD_BYTES, backlog=1024, ssl=self._tls
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def address(self) -> str:
        """``host:port``, as ``--resolve`` wants it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # our own task, not the one start_server would make: that one reports a cancelled connection as an error
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(task)
        self.most_connections = max(self.most_connections, len(self._connections))
        task.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, in order, until either side has had enough."""
        peer = writer.get_extra_info("peername")[:2]
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            try:
                keep = True
                while keep:
                    ask, keep = _parse(await reader.readuntil(b"\r\n\r\n"))
                    await self._answer(ask, keep, peer, writer)
            except asyncio.LimitOverrunError:
                self._refuse(431, writer)
            except _BadRequest as error:
                self._refuse(error.status, writer)
        writer.close()
        with suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    def _refuse(self, status: int, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{_status_line(status)}Content-Length: 0\r\nConnection: close\r\n\r\n".encode("ascii"))

    async def _answer(self, ask: Ask, keep: bool, peer: tuple[str, int], writer: asyncio.StreamWriter) -> None:
        site = self.web.sites.get(ask.host)
        if site is None:
            site = Site(ask.host, missing=Resource(b"This server knows no such host.\n", TEXT, 421))
        status, head, body = self._compose(site, ask)
        sent = b"" if ask.method == "HEAD" else body
        agent = ask.headers.get("user-agent", "")
        hit = Hit(self._clock.now(), peer, ask.host, ask.target, status, len(sent), ask.method, agent)
        self.log.append(hit)
        if self._on_hit is not None:
            self._on_hit(hit)
        self._open[ask.host] += 1
        self.peak[ask.host] = max(self.peak[ask.host], self._open[ask.host])
        try:
            if site.latency_s:
                await self._clock.sleep(site.latency_s)
            close = "" if keep else "Connection: close\r\n"
            first_byte = self._clock.now()
            writer.write(f"{_status_line(status)}{head}{close}\r\n".encode("latin-1"))
            last_byte = await self._pour(sent, site.bytes_per_s, writer) if sent else first_byte
            self.answers.append(Answer(hit, first_byte, last_byte))
        finally:
            self._open[ask.host] -= 1

    def _compose(self, site: Site, ask: Ask) -> tuple[int, str, bytes]:
        """Status, header lines and body of the answer, as a GET would get it."""
        resource = site.find(ask)
        key = (ask.host, ask.target)
        known = self._wires.get(key)
        if known is not None and known[0] is resource:
            wire = known[1]
        else:
            wire = _wire(resource)
            if ask.target in site.resources:  # made pages are without end: not kept
                self._wires[key] = (resource, wire)
        if _unchanged(ask, resource, wire):
            return 304, wire.head, b""
        if wire.packed is not None and _accepts_gzip(ask):
            head = f"{wire.head}Content-Encoding: gzip\r\nContent-Length: {len(wire.packed)}\r\n"
            return resource.status, head, wire.packed
        return resource.status, f"{wire.head}Content-Length: {len(wire.plain)}\r\n", wire.plain

    async def _pour(self, body: bytes, bytes_per_s: float | None, writer: asyncio.StreamWriter) -> float:
        """Send the body at the site's pace; when its last piece left."""
        last_byte = self._clock.now()
        if bytes_per_s is None:
            writer.write(body)
            await writer.drain()
            return last_byte
        slice_bytes = max(1, int(bytes_per_s / _SLICES_PER_S))
        for start in range(0, len(body), slice_bytes):
            await self._clock.sleep(min(slice_bytes, len(body) - start) / bytes_per_s)
            last_byte = self._clock.now()
            writer.write(body[start : start + slice_bytes])
            await writer.drain()
        return last_byte


@contextmanager
def in_thread(web: Web, **options: Any) -> Iterator[LoopbackServer]:
    """Serve from a thread of its own, for code that is not asynchronous; options as of :class:`LoopbackServer`."""
    server = LoopbackServer(web, **options)
    with together([server]):
        yield server


@contextmanager
def together(servers: Sequence[AbstractAsyncContextManager[Any]]) -> Iterator[None]:
    """Run servers, of whatever kind, in one thread beside the caller's."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        stop = asyncio.Event()
        async with AsyncExitStack() as running:
            for server in servers:
                await running.enter_async_context(server)
            started.set_result((asyncio.get_running_loop(), stop))
            await stop.wait()

    def main() -> None:
        try:
            asyncio.run(run())
        except Exception as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=main, name="loopback-server", daemon=True)
    thread.start()
    loop, stop = started.result()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
