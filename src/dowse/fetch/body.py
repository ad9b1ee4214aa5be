"""Reading one body as it comes: decoded, outside of the loop where that may take long, and counted in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from dowse.fetch.connection import Connection
from dowse.fetch.content_coding import Decoder
from dowse.fetch.headers import Head
from dowse.model.bodies import Bodies
from dowse.model.http import Request, Truncation, is_unwanted

__all__ = ["Body", "Stream", "receive"]

_SLICE_BYTES = 1024  # decoded at a time: a bomb makes some megabytes of them
_LONG_BYTES = 2**19  # of what came out so far: what a decoder does on top of that it does beside the loop


_Done = TypeVar("_Done")


class Stream(Protocol):
    """Bytes as they arrive."""

    def at_eof(self) -> bool:
        """Is the body known to be over?"""
        ...

    async def read(self) -> bytes:
        """The next bytes, as soon as there are any; empty at the end."""
        ...


async def receive(
    request: Request, head: Head, connection: Connection, bodies: Bodies, deadline: float
) -> tuple[bytes, Truncation]:
    """The decoded body of an answer, and why it is only a prefix where it is; a fault ends the prefix."""
    if request.method != "HEAD" and is_unwanted(head.content_type, request.accept_types):
        return b"", Truncation.TYPE
    if connection.end is not None and not head.content_encoding and not bodies.full:
        whole = connection.take()
        if len(whole) <= request.max_body_bytes:
            return whole, connection.end
        return whole[: request.max_body_bytes], Truncation.LENGTH
    body = Body(Decoder(head.content_encoding, request.max_body_bytes), bodies)
    try:
        try:
            async with asyncio.timeout_at(deadline):
                await body.read(connection)
            truncated = connection.end or Truncation.NONE
        except TimeoutError:
            truncated = connection.end or Truncation.TIME
        return await body.finish(truncated)
    finally:
        body.release()


class Body:
    """One body in the making. What was read stays usable whatever ends the reading, an exception included. ``bodies``
    counts what is in memory, and makes a large body wait when that is too much.

    A little that is decoded at once is a few milliseconds; codings within codings, or a body that has grown large, are
    decoded by a thread, which the libraries let run beside the loop.
    """

    __slots__ = ("_bodies", "_counted", "_decoder", "_has_turn")

    def __init__(self, decoder: Decoder, bodies: Bodies | None = None) -> None:
        self._decoder = decoder
        self._bodies = bodies or Bodies()
        self._counted = 0
        self._has_turn = False

    async def read(self, stream: Stream) -> None:
        """Read until the end, or until the decoder wants no more."""
        while self._decoder.open and not stream.at_eof():
            data = await stream.read()
            if data:
                await self._feed(data)

    async def _feed(self, data: bytes) -> None:
        if self._decoder.is_plain and not self._bodies.full:
            self._decoder.feed(data)
            self._count()
            return
        for start in range(0, len(data), _SLICE_BYTES):
            if not self._has_turn and self._bodies.full and self._decoder.size > self._bodies.small_bytes:
                await self._bodies.take_turn()
                self._has_turn = True
            piece = data[start : start + _SLICE_BYTES]
            if self._is_long and not self._decoder.is_plain:
                await _aside(self._decoder.feed, piece)
            else:
                self._decoder.feed(piece)
            self._count()
            if not self._decoder.open:
                return

    @property
    def _is_long(self) -> bool:
        """May what comes next take long to decode?"""
        return self._decoder.is_layered or self._decoder.size > _LONG_BYTES

    def _count(self) -> None:
        size = self._decoder.size
        self._bodies.reading += size - self._counted
        self._counted = size

    async def finish(self, truncated: Truncation) -> tuple[bytes, Truncation]:
        """The decoded body, and why it is a prefix: what ended the reading, else what the decoder met."""
        body, met = await _aside(self._decoder.finish) if self._is_long else self._decoder.finish()
        return body, met if truncated is Truncation.NONE else truncated

    def release(self) -> None:
        """Count it no more: it is over, or was given on."""
        self._bodies.reading -= self._counted
        self._counted = 0
        if self._has_turn:
            self._has_turn = False
            self._bodies.end_turn()


async def _aside(work: Callable[..., _Done], *given: object) -> _Done:
    """Have a thread do it. Who gives up waiting waits for it all the same: it cannot be stopped, and nobody else may
    touch what it works on."""
    doing = asyncio.get_running_loop().run_in_executor(None, work, *given)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait((doing,))
        raise
