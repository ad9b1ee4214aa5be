"""One HTTP/1.1 connection: a request goes out, its answer comes in, every byte of it counted.

A connection is asked (:meth:`Connection.ask`), read (:meth:`Connection.read`) until its answer has come to an
:attr:`~Connection.end`, and may then be asked again. What comes while nobody asks ends it: it would be taken for the
next answer. A body that comes faster than it is read makes the connection stop reading.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable

from dowse.fetch.faults import Malformed, Spent
from dowse.fetch.framing import Framing, UntilClose, framing_of
from dowse.fetch.headers import MAX_HEAD_BYTES, Head, head_end, read_head
from dowse.model.http import Meter, Truncation

__all__ = ["Connection"]

_MAX_UNREAD_BYTES = 131_072  # of a body, before the other side has to wait
_BEGINNING = b"HTTP/"
_BLANK_LINES = re.compile(rb"[\r\n]*").match  # some servers send them before an answer
_INTERIM = re.compile(rb"HTTP/[0-9]\.[0-9] +1(?!01)[0-9]{2}\b").match


class Connection(asyncio.Protocol):
    """Our end of a connection. ``on_lost`` is called when it is over, whoever ended it.

    A fault before the head of an answer is complete raises; one behind it ends the body, and :attr:`end` says why.
    """

    __slots__ = (
        "_body_start", "_fault", "_framing", "_has_body", "_head", "_held", "_is_overrun", "_is_paused",
        "_max_bytes", "_meter", "_on_lost", "_pieces", "_transport", "_unread_bytes", "_waiter", "address", "end",
        "received",
    )  # fmt: skip

    def __init__(self, on_lost: Callable[[Connection], None]) -> None:
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._fault: Exception | None = None
        self._held = bytearray()  # of a head that is not complete
        self._head: Head | None = None
        self._framing: Framing | None = None
        self._pieces: list[bytes] = []  # of the body, not read yet
        self._unread_bytes = 0
        self._is_paused = False
        self._is_overrun = False  # did more come than the answer has?
        self._has_body = True
        self._body_start = 0
        self._max_bytes = 0
        self._meter: Meter | None = None
        self.address = ""
        self.received = 0  # bytes of this answer, whatever they were
        self.end: Truncation | None = Truncation.NONE  # why the answer is over; None: it is not

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_reusable(self) -> bool:
        """Was its answer received to the end, and may another be asked for?"""
        is_whole = self.end is Truncation.NONE and not self._is_overrun
        return is_whole and self.is_open and self._head is not None and self._head.keeps_open

    async def ask(
        self, request: bytes, *, deadline: float, has_body: bool = True, max_bytes: int = 0, meter: Meter | None = None
    ) -> Head:
        """Send a request; the head of its answer, if it comes before the deadline. Interim answers are passed over.

        Of what follows the head at most ``max_bytes`` are taken, and of everything as much as ``meter`` grants.
        """
        if self._fault is not None:
            raise self._fault
        if self._transport is None or self._transport.is_closing():
            raise ConnectionResetError("the connection ended before the request")
        self.take()  # what nobody wanted of the last body is no part of the next
        self._head, self._framing, self._has_body = None, None, has_body
        self._max_bytes, self._meter, self.received, self.end = max_bytes, meter, 0, None
        self._transport.write(request)
        timer = asyncio.get_running_loop().call_at(deadline, self._fail, TimeoutError())
        try:
            return await self._next_head()
        finally:
            timer.cancel()

    def at_eof(self) -> bool:
        """Was all of the body read?"""
        return self.end is not None and not self._pieces

    async def read(self) -> bytes:
        """What came of the body since the last call, as soon as there is anything; empty at its end."""
        while not self._pieces and self.end is None:
            await self._news()
        return self.take()

    def take(self) -> bytes:
        """What came of the body since the last call."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        self._unread_bytes = 0
        self._go_on()
        return data

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on under TLS with the host, through the tunnel that this connection has become."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        self._transport = await loop.start_tls(self._transport, self, context, server_hostname=host)

    def abort(self) -> None:
        """End it at once. To close it politely means, over TLS, to wait for the other side, and to read on."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # uvloop's inherit from nothing
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if peer else ""

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self.end is None:
            is_done = isinstance(self._framing, UntilClose) and exc is None
            if is_done:
                self._finish(Truncation.NONE)
            else:
                self._fail(exc or ConnectionResetError("the server closed the connection"))
        self._on_lost(self)

    def data_received(self, data: bytes) -> None:
        if self.end is not None:
            self._fault = Malformed("an answer that nobody asked for")
            self.abort()
            return
        size = len(data)
        granted = size if self._meter is None else self._meter.grant(size)
        self.received += granted
        if granted < size:
            data = data[:granted]
        try:
            if self._framing is None:
                data = self._take_head(data)
            if self._framing is not None and data:
                self._take_body(self._framing, data)
        except Malformed as fault:
            self._fail(fault)
        if granted < size and self.end is None:
            if self._head is None:
                self._fail(Spent("the byte budget ended within the headers"))
            else:
                self._finish(Truncation.BUDGET)

    def _take_head(self, data: bytes) -> bytes:
        """Collect a head, and read it once it is complete; what came behind it."""
        held, at = self._held, 0
        looked_at = max(len(held) - 2, 0)
        held += data
        while True:
            at = _BLANK_LINES(held, at).end()  # type: ignore[union-attr]  # it matches nothing, too
            if not held.startswith(_BEGINNING[: len(held) - at], at):
                raise Malformed("not an HTTP answer")
            end = head_end(held, max(at, looked_at))
            behind = len(held) - end if end >= 0 else 0
            if self.received - behind > MAX_HEAD_BYTES:
                raise Malformed(f"more than {MAX_HEAD_BYTES:,} bytes of headers")
            if end < 0:
                del held[:at]
                return b""
            if not _INTERIM(held, at):
                break
            at = end
        head, rest = read_head(bytes(held[at:end])), bytes(held[end:])
        held.clear()
        if head.status < 200:
            raise Malformed(f"status {head.status} without being asked for")
        self._begin_body(head, behind)
        return rest

    def _begin_body(self, head: Head, behind: int) -> None:
        self._head = head
        self._framing = framing_of(head, has_body=self._has_body)
        self._body_start = self.received - behind
        if self._framing.is_complete:
            self._is_overrun = behind > 0
            self._finish(Truncation.NONE)
        self._wake()

    def _take_body(self, framing: Framing, data: bytes) -> None:
        if self.end is not None:
            return  # it has none
        over = self.received - self._body_start - self._max_bytes
        if over > 0:
            data = data[: len(data) - over]
        used = framing.feed(data, self._pieces)
        self._unread_bytes += used
        if framing.is_complete:
            self._is_overrun = over > 0 or used < len(data)
            self._finish(Truncation.NONE)
        elif over > 0:
            self._finish(Truncation.LENGTH)
        else:
            self._wake()
            if self._unread_bytes > _MAX_UNREAD_BYTES and not self._is_paused and self._transport is not None:
                self._is_paused = True
                self._transport.pause_reading()

    def _go_on(self) -> None:
        """Read on where the other side had to wait, also for its end when there is no more to come."""
        if self._is_paused:
            self._is_paused = False
            if self._transport is not None and not self._transport.is_closing():
                self._transport.resume_reading()

    def _finish(self, end: Truncation) -> None:
        """The answer is over."""
        if self.end is None:
            self.end, self._meter = end, None
        if end is Truncation.NONE:
            self._go_on()
        else:
            self.abort()
        self._wake()

    def _fail(self, fault: Exception) -> None:
        """The connection is of no more use; what came of a body stays."""
        if self._head is None:
            self._fault = self._fault or fault
        self._finish(Truncation.DISCONNECT)

    async def _next_head(self) -> Head:
        while self._head is None:
            if self._fault is not None:
                raise self._fault
            await self._news()
        return self._head

    async def _news(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
