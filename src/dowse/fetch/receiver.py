"""A connection's end: every byte is counted, and headers are collected, put right and parsed before what follows."""

from __future__ import annotations

from aiohttp.client_proto import ResponseHandler
from aiohttp.http import HttpProcessingError

from dowse.fetch.exchange import Spent
from dowse.fetch.mend import mended
from dowse.model.http import Meter, Truncation

__all__ = ["Receiver"]

_MOST_BYTES = 262_144  # of an answer's headers, with all that is only said in between (1xx)
_BEGIN = b"HTTP/"


class Receiver(ResponseHandler):
    """aiohttp's parser forgets a whole answer when it stumbles within the same bytes, has no limit for all headers
    together, and swallows what frames a body (the sizes of chunks, their extensions) without a word.

    Here it gets headers alone, up to a limit: then a malformed chunk, or more than was announced, ends a body and no
    more. And whatever comes from the socket counts, towards the meter and the cap on an answer; where either says no,
    the body ends there, and so does the connection. Anything that comes between two answers ends it, too.
    """

    broke = False  # the connection ended in a fault, and not because the other side was done
    received = 0  # bytes of this answer, whatever they were
    cut = Truncation.NONE  # why the answer was ended by us
    _head: bytearray | None = None  # the headers so far; None: none are expected
    _header_bytes = 0  # of those that were complete
    _most_bytes = _MOST_BYTES  # behind the headers
    _meter: Meter | None = None
    _is_waited_for = True  # is an answer being received? At first that of a proxy, perhaps

    def expect(self, most_bytes: int, meter: Meter | None) -> None:
        """A request is sent: what comes next are the headers of its answer, and then at most so many bytes."""
        self._head, self._header_bytes = bytearray(), 0
        self.received, self.cut = 0, Truncation.NONE
        self._most_bytes, self._meter, self._is_waited_for = most_bytes, meter, True

    def rest(self) -> None:
        """The answer was received: until the next request nothing is to come."""
        self._is_waited_for, self._meter = False, None

    def data_received(self, data: bytes) -> None:
        if not data:  # so aiohttp asks itself to go on with what it has put off, once somebody has read
            super().data_received(data)
            return
        if not self._is_waited_for:
            self.force_close()
            self._hang_up()
            return
        data = self._counted(data)
        while self._head is not None and data:
            data = self._headers(self._head, data)
        if data:
            self._body(data)
        if self.cut is not Truncation.NONE:
            self._end()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.broke = exc is not None
        super().connection_lost(exc)

    def _counted(self, data: bytes) -> bytes:
        """As much of it as the budget has for it."""
        size = len(data)
        granted = size if self._meter is None else self._meter.grant(size)
        self.received += granted
        if granted == size:
            return data
        self.cut = Truncation.BUDGET
        return data[:granted]

    def _body(self, data: bytes) -> None:
        over = self.received - self._header_bytes - self._most_bytes
        if over > 0:
            self.cut = self.cut or Truncation.LENGTH
            data = data[: max(0, len(data) - over)]
        super().data_received(data)
        if self._exception is not None:
            self._hang_up()  # aiohttp closes it, which over TLS waits for the other side

    def _end(self) -> None:
        """Take no more: what came of the body is all of it."""
        payload, self._payload = self._payload, None
        if payload is not None:
            payload.feed_eof()
        elif self._exception is None:
            self.set_exception(Spent("the byte budget ended within the headers"))
        self.force_close()
        self._is_waited_for = False
        self._hang_up()

    def _hang_up(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def _headers(self, head: bytearray, data: bytes) -> bytes:
        """Parse headers once they are complete; what follows them, or all of it where they are none."""
        if not head:
            before, data = len(data), data.lstrip(b"\r\n")  # blank lines may come before an answer
            self._header_bytes += before - len(data)
        found, start = (data, 0) if not head else (head, len(head) - 2)
        if head:
            head += data
        end = _end(found, max(start, 0))
        if not found.startswith(_BEGIN[: len(found)]):
            self._head = None
            return bytes(found)
        if self._header_bytes + (end if end > 0 else len(found)) > _MOST_BYTES:
            self._head = None
            self.set_exception(HttpProcessingError(message=f"more than {_MOST_BYTES:,} bytes of headers"))
            self._hang_up()
            return b""
        if end < 0:
            if found is data:
                head += data
            return b""
        self._header_bytes += end
        block, rest = bytes(found[:end]), bytes(found[end:])
        is_interim = block[9:10] == b"1" and block[9:12] != b"101"
        self._head = bytearray() if is_interim else None
        super().data_received(mended(block))
        return rest if self._exception is None else b""


def _end(found: bytes | bytearray, start: int) -> int:
    """Where headers end; -1: not yet."""
    end = found.find(b"\n\r\n", start)
    bare = found.find(b"\n\n", start, end if end >= 0 else len(found))
    if bare >= 0:
        return bare + 2
    return end + 3 if end >= 0 else -1
