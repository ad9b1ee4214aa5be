"""A connection's end: headers are collected, put right and parsed before what follows them."""

from __future__ import annotations

from aiohttp.client_proto import ResponseHandler
from aiohttp.http import HttpProcessingError

from dowse.fetch.mend import mended

__all__ = ["Receiver"]

_MOST_BYTES = 262_144  # of an answer's headers, with all that is only said in between (1xx)
_BEGIN = b"HTTP/"


class Receiver(ResponseHandler):
    """aiohttp's parser forgets a whole answer when it stumbles within the same bytes, and has no limit for all headers
    together. Here it gets headers alone, up to a limit: then a malformed chunk, or more than was announced, ends a body
    and no more."""

    broke = False  # the connection ended in a fault, and not because the other side was done
    _head: bytearray | None = None  # the headers so far; None: none are expected
    _header_bytes = 0  # of those that were complete

    def expect(self) -> None:
        """A request is sent: what comes next are the headers of its answer."""
        self._head, self._header_bytes = bytearray(), 0

    def data_received(self, data: bytes) -> None:
        while self._head is not None:
            data = self._headers(self._head, data)
            if not data:
                return
        super().data_received(data)
        if self._exception is not None and self.transport is not None:
            self.transport.abort()  # aiohttp closes it, which over TLS waits for the other side

    def connection_lost(self, exc: BaseException | None) -> None:
        self.broke = exc is not None
        super().connection_lost(exc)

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
            if self.transport is not None:
                self.transport.abort()
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
