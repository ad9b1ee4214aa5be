"""A way to a PostgreSQL that a test can cut without a word: what is sent then arrives nowhere, and nothing is closed.
With a certificate it speaks TLS to who comes, as PostgreSQL does where it was built with it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Relay", "relay_to"]

_SSL_REQUEST = bytes.fromhex("0000000804d2162f")  # "Message Formats" of PostgreSQL's manual


@dataclass
class Relay:
    """Passes on what it gets, unless it is cut off."""

    url: str
    port: int
    _whole: asyncio.Event = field(default_factory=asyncio.Event)

    def cut(self) -> None:
        self._whole.clear()

    def heal(self) -> None:
        self._whole.set()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction of a connection, until its end."""
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._whole.wait()
                writer.write(data)
                await writer.drain()
        await self._whole.wait()
        writer.close()


@asynccontextmanager
async def relay_to(url: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[Relay]:
    """A relay in front of the database at a URL, which is whole."""
    behind = urlsplit(url)
    relay: Relay

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if tls is not None:
            try:
                if await reader.readexactly(8) != _SSL_REQUEST:
                    writer.close()
                    return
                writer.write(b"S")
                await writer.start_tls(tls)
            except (OSError, asyncio.IncompleteReadError):  # who came does not trust us
                writer.close()
                return
        ours, theirs = await asyncio.open_connection(behind.hostname, behind.port)
        await asyncio.gather(relay.carry(reader, theirs), relay.carry(ours, writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    relay = Relay(url.replace(f":{behind.port}/", f":{port}/"), port)
    relay.heal()
    try:
        yield relay
    finally:
        relay.heal()
        server.close()
