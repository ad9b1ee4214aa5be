"""Where a body ends: after its length, after its last chunk, or with the connection (RFC 9112, section 6.3)."""

from __future__ import annotations

import re
from typing import Protocol

from dowse.fetch.faults import Malformed
from dowse.fetch.headers import Head

__all__ = ["Chunks", "Framing", "Length", "UntilClose", "framing_of"]

_MAX_LINE_BYTES = 16_384  # of a chunk's size with its extensions
_MAX_TRAILER_BYTES = 65_536
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?").fullmatch
_SHORT_SIZE = re.compile(rb"([0-9A-Fa-f]{1,6})\r\n").match


class Framing(Protocol):
    """Takes the body out of the bytes that come."""

    @property
    def is_complete(self) -> bool: ...

    def feed(self, data: bytes, pieces: list[bytes]) -> int:
        """Append what is of the body to ``pieces``; how many bytes belong to the answer. Raises :class:`Malformed`."""
        ...


def framing_of(head: Head, *, has_body: bool) -> Framing:
    """The framing that a head announces. An answer to HEAD or CONNECT has no body, whatever its head says."""
    if not has_body or head.status in (204, 304):
        return Length(0)
    if head.is_chunked:
        return Chunks()
    return UntilClose() if head.length is None else Length(head.length)


class Length:
    """A body of so many bytes."""

    __slots__ = ("_left",)

    def __init__(self, length: int) -> None:
        self._left = length

    @property
    def is_complete(self) -> bool:
        return self._left == 0

    def feed(self, data: bytes, pieces: list[bytes]) -> int:
        used = min(len(data), self._left)
        if used:
            pieces.append(data if used == len(data) else data[:used])
            self._left -= used
        return used


class UntilClose:
    """A body that the end of the connection ends."""

    __slots__ = ()
    is_complete = False

    def feed(self, data: bytes, pieces: list[bytes]) -> int:
        pieces.append(data)
        return len(data)


class Chunks:
    """A chunked body (RFC 9112, section 7.1). Extensions and trailers are passed over; lines may end with a bare LF."""

    __slots__ = ("_held", "_is_at_end", "_is_last", "_left", "_trailer_bytes", "is_complete")

    def __init__(self) -> None:
        self._held = b""  # the beginning of a line
        self._left = 0  # bytes of a chunk
        self._is_at_end = False  # of a chunk, whose line end comes next
        self._is_last = False  # has the last chunk come? Then trailers are next
        self._trailer_bytes = 0
        self.is_complete = False

    def feed(self, data: bytes, pieces: list[bytes]) -> int:
        before = len(self._held)
        if before:
            data, self._held = self._held + data, b""
        at, size = 0, len(data)
        while at < size and not self.is_complete:
            if not (self._left or self._is_at_end or self._is_last):
                at = _take_whole_chunks(data, at, pieces)
            if self._left:
                piece = data[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                self._is_at_end = not self._left
            elif (end := data.find(b"\n", at)) >= 0:
                self._take_line(data[at:end].removesuffix(b"\r"))
                at = end + 1
            elif at < size:
                self._hold(data[at:])
                at = size
        return at - before

    def _take_line(self, line: bytes) -> None:
        if self._is_at_end:
            if line:
                raise Malformed("a chunk longer than its size")
            self._is_at_end = False
        elif self._is_last:
            self._trailer_bytes += len(line)
            if self._trailer_bytes > _MAX_TRAILER_BYTES:
                raise Malformed(f"more than {_MAX_TRAILER_BYTES:,} bytes of trailers")
            self.is_complete = not line
        else:
            size = _SIZE(line) if len(line) <= _MAX_LINE_BYTES else None
            if size is None:
                raise Malformed("a chunk without a size")
            self._left = int(size[1], 16)
            self._is_last = self._left == 0

    def _hold(self, line: bytes) -> None:
        if len(line) > _MAX_LINE_BYTES or (self._is_at_end and line != b"\r"):
            raise Malformed("a chunk without a size" if not self._is_at_end else "a chunk longer than its size")
        self._held = line


def _take_whole_chunks(data: bytes, at: int, pieces: list[bytes]) -> int:
    """Take the chunks that are there from beginning to end and have nothing special about them, as most are and as a
    flood of little ones is; where the next one begins. What they mean is in :class:`Chunks`."""
    while (size := _SHORT_SIZE(data, at)) is not None:
        start = size.end()
        end = start + int(size[1], 16)
        if end == start or data[end : end + 2] != b"\r\n":
            break
        pieces.append(data[start:end])
        at = end + 2
    return at
