"""Requests read and answers written by hand: most trials break HTTP on purpose, so every byte is their own."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

__all__ = ["HTML", "Visit", "document", "head", "prose"]

HTML = "text/html; charset=utf-8"
_WORDS = 40


@dataclass(frozen=True, slots=True)
class Visit:
    """One request, and the way to answer it."""

    host: str
    target: str  # path and query
    headers: Mapping[str, str]  # names in lower case
    writer: asyncio.StreamWriter

    async def send(self, *pieces: bytes) -> None:
        """Send these bytes, at the pace the visitor takes them."""
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def reply(
        self, body: bytes, *lines: str, status: str = "200 OK", content_type: str = HTML, length: int | None = None
    ) -> None:
        """An ordinary answer: a status, header lines and a body with its length (or the one to be claimed)."""
        length = len(body) if length is None else length
        await self.send(head(f"Content-Type: {content_type}", *lines, f"Content-Length: {length}", status=status), body)

    async def pour(self, pieces: Iterable[str]) -> None:
        """A page packed with gzip piece by piece, so that it is nowhere whole."""
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        await self.send(head(f"Content-Type: {HTML}", "Content-Encoding: gzip"))
        for piece in pieces:
            packed = packer.compress(piece.encode())
            if packed:
                await self.send(packed)
            await asyncio.sleep(0)  # other visitors get their turn
        await self.send(packer.flush())

    async def redirect(self, to: str, *lines: str) -> None:
        await self.reply(b"Moved.\n", f"Location: {to}", *lines, status="302 Found", content_type="text/plain")

    async def missing(self) -> None:
        await self.reply(b"Not found.\n", status="404 Not Found", content_type="text/plain")


def head(*lines: str, status: str = "200 OK") -> bytes:
    """Status line and header lines, complete."""
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "Connection: close", "", ""]).encode()


def prose(name: str) -> str:
    """Words that stand on no other page, so that it is nobody's duplicate."""
    return " ".join(f"{name.replace('-', '')}{number}" for number in range(_WORDS))


def document(name: str, *links: str, body: str = "", in_head: str = "") -> bytes:
    """A page of its own words, with links."""
    anchors = "".join(f'<p><a href="{escape(link)}">onward</a></p>\n' for link in links)
    return (
        f"<!doctype html><html><head><title>{escape(name)}</title>{in_head}</head>\n"
        f"<body>{body}<p>{prose(name)}</p>\n{anchors}</body></html>\n"
    ).encode()
