"""Raw loopback servers: every byte they send is written out by the test, so that they can misbehave at will."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from dowse.fetch import Lookup
from dowse.fetch.http import HttpTransport
from dowse.model.http import Failure, Meter, Request, Response
from dowse.model.topic import Limits, Network

T = TypeVar("T")

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class Site:
    """A running server and what it saw."""

    port: int = 0
    heads: list[bytes] = field(default_factory=list)
    peers: list[Any] = field(default_factory=list)  # one a connection

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


class FakeClock:
    """Time that moves when the test says so."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


class Dns:
    """A DNS whose answers the test gives; the last answer for a name stays."""

    def __init__(self, answers: dict[str, list[Sequence[str] | OSError]], delay_s: float = 0.0) -> None:
        self.answers = answers
        self.delay_s = delay_s
        self.asked: list[str] = []

    async def addresses(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        await asyncio.sleep(self.delay_s)
        answers = self.answers.get(host)
        if answers is None:
            raise OSError(-2, "Name or service not known")
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer


@asynccontextmanager
async def serve(
    behaviour: Behaviour, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[Site]:
    """Run a behaviour on every connection. It starts after the request's head was read."""
    site = Site()
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        site.peers.append(writer.get_extra_info("peername"))
        try:
            while True:
                site.heads.append(await reader.readuntil(b"\r\n\r\n"))
                await behaviour(reader, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(connection, host, 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def reply(*pieces: bytes, pause_s: float = 0.0, close: bool = False) -> Behaviour:
    """Send these bytes, then wait for the next request, or close."""

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if pause_s:
                await asyncio.sleep(pause_s)
        if close:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    return behaviour


def hang(*pieces: bytes) -> Behaviour:
    """Send these bytes and then nothing, for ever."""

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.writelines(pieces)
        await asyncio.sleep(60)

    return behaviour


def forever(head: bytes, piece: bytes) -> Behaviour:
    """Send the head and then the piece again and again, as fast as the client takes it."""

    async def behaviour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return behaviour


def page(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A whole response with its Content-Length."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(*pieces: bytes, headers: tuple[str, ...] = ()) -> bytes:
    """A whole chunked response."""
    head = "\r\n".join(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers]).encode() + b"\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


PRIVATE = Network(allow_private=True)
LIMITS = Limits(connect_timeout_s=2.0)


@asynccontextmanager
async def transport(
    network: Network = PRIVATE,
    lookup: Lookup | None = None,
    *,
    clock: FakeClock | None = None,
    limits: Limits = LIMITS,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[HttpTransport]:
    out = HttpTransport(network, limits, clock or FakeClock(), lookup or Dns({}), tls=tls)
    try:
        yield out
    finally:
        await out.close()


def run(main: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(main)


def get(
    behaviour: Behaviour,
    request: Request | None = None,
    *,
    path: str = "/",
    network: Network = PRIVATE,
    meter: Meter | None = None,
) -> Response | Failure:
    """One exchange with a server of that behaviour. ``request`` is sent to it whatever URL it names."""

    async def main() -> Response | Failure:
        async with serve(behaviour) as site, transport(network) as out:
            asked = replace(request or Request("", timeout_s=3.0), url=site.url(path))
            return await out.fetch(asked, meter)

    return run(main())


def response(result: Response | Failure) -> Response:
    assert isinstance(result, Response), result
    return result


def failure(result: Response | Failure) -> Failure:
    assert isinstance(result, Failure), result
    return result
