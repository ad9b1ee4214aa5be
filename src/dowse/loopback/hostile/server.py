"""Serves the trials on loopback: a plain door, three with bad certificates, and one that resets the handshake.

A trial answers a request with whatever bytes it likes; then the connection ends. What a trial never finishes (it
waits, or sends for ever) ends with the visitor's patience, or with the server.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Self

from dowse.loopback.hostile.catalogue import TRIALS
from dowse.loopback.hostile.certificates import make_contexts
from dowse.loopback.hostile.trial import Trial
from dowse.loopback.hostile.wire import Visit
from dowse.loopback.server import is_loopback
from dowse.model.errors import UserError

__all__ = ["HostileNames", "HostileServer"]

_HEAD_BYTES = 131_072  # a URL of 64 KB fits
_RESET = struct.pack("ii", 1, 0)  # linger for no time: the connection is reset, not closed


class HostileServer:
    """The hostile web while its ``async with`` block runs. ``host`` must be a loopback address; ``port`` is that of the
    plain door, the others take free ones. ``asked`` counts requests by host.
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        if not is_loopback(host):
            raise UserError(f"{host} is not a loopback address: write 127.0.0.1, another of 127.0.0.0/8, or ::1")
        self.host = host
        self.port = port
        self.doors: dict[str, str] = {}  # name -> host:port
        self.authority = b""  # PEM, of the expired certificate and the one for another host
        self.asked: Counter[str] = Counter()
        self._trials = {trial.host: trial for trial in TRIALS}
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        contexts, self.authority = make_contexts(trial.host for trial in TRIALS if trial.door == "expired")
        await self._open("plain", self.port, None)
        for name, context in contexts.items():
            await self._open(name, 0, context)
        loop = asyncio.get_running_loop()
        self._opened("reset", await loop.create_server(_Resetting, self.host, 0))
        return self

    async def __aexit__(self, *exc: object) -> None:
        for server in self._servers:
            server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        for server in self._servers:
            await server.wait_closed()

    async def _open(self, door: str, port: int, tls: ssl.SSLContext | None) -> None:
        server = await asyncio.start_server(
            self._accept, self.host, port, ssl=tls, limit=_HEAD_BYTES, backlog=1024
        )  # fmt: skip
        self._opened(door, server)

    def _opened(self, door: str, server: asyncio.Server) -> None:
        port = server.sockets[0].getsockname()[1]
        self.doors[door] = f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"
        if door == "plain":
            self.port = port
        self._servers.append(server)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            visit = _parse(await reader.readuntil(b"\r\n\r\n"), writer)
            answering = asyncio.ensure_future(self._answer(visit))
            leaving = asyncio.ensure_future(reader.read())  # the visitor sends nothing more: it ends when he leaves
            try:
                await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                answering.cancel()
                leaving.cancel()
                await asyncio.gather(answering, leaving, return_exceptions=True)
            if writer.can_write_eof():
                writer.write_eof()
            writer.close()
            await writer.wait_closed()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError, ValueError):
            writer.transport.abort()

    async def _answer(self, visit: Visit) -> None:
        self.asked[visit.host] += 1
        trial = _find(self._trials, visit.host)
        if trial is None:
            await visit.reply(b"This server knows no such host.\n", status="421 Misdirected Request")
        elif "cookie" in visit.headers:
            await visit.reply(b"No cookies here.\n", status="403 Forbidden")
        elif visit.target == "/robots.txt" and not trial.robots:
            await visit.missing()
        else:
            await trial.answer(visit)


def _find(trials: Mapping[str, Trial], host: str) -> Trial | None:
    """The trial of a host, or of the nearest name above it."""
    while host and host not in trials:
        host = host.partition(".")[2]
    return trials.get(host)


def _parse(head: bytes, writer: asyncio.StreamWriter) -> Visit:
    line, *fields = head[:-4].decode("latin-1").split("\r\n")
    _, target, _ = line.split(" ")
    headers = {}
    for field in fields:
        name, _, value = field.partition(":")
        headers[name.strip().lower()] = value.strip()
    host = headers.get("host", "")
    return Visit(host if host.endswith("]") else host.partition(":")[0].lower(), target, headers, writer)


class _Resetting(asyncio.Protocol):
    """Resets the connection at the first byte, which is the client's part of the handshake."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        sock = self._transport.get_extra_info("socket")
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()


class HostileNames:
    """A DNS for the trials that need one: each look-up of a name brings its next answer, the last one stays."""

    def __init__(self) -> None:
        self._answers = {trial.host: list(trial.names) for trial in TRIALS if trial.names}

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a name; OSError for one that is not of the trials."""
        answers = self._answers.get(host)
        if not answers:
            raise OSError(-2, "Name or service not known")
        return (answers.pop(0) if len(answers) > 1 else answers[0],)
