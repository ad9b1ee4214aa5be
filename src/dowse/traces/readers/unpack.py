"""A log's bytes, plain or unpacked: by what it holds, whatever its name is.

A piece is of bounded size whatever the file holds, and what can be read of a file that ends early, or is damaged, comes
before the error.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import zstandard

__all__ = ["BROKEN", "pieces"]

BROKEN = (OSError, EOFError, zlib.error, zstandard.ZstdError)
"""What a piece may end in."""

_PIECE = 1 << 18
_PACKED = 1 << 9  # bytes unpacked at once: zstd may mean 128 kB by four bytes, so that it comes to 20 MB at the most
_WINDOW = 1 << 27
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
Read = Callable[[int], bytes]


class _Member(Protocol):
    """One part of a packed file, which may have several one behind the other."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def pieces(begins: bytes, read: Read) -> Iterator[bytes]:
    """The bytes of a file of which ``begins`` was read already. Raises one of :data:`BROKEN`."""
    if begins.startswith(_GZIP):
        return _unpacked(begins, read, lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))
    if begins.startswith(_ZSTD):
        return _unpacked(begins, read, zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj)
    return _plain(begins, read)


def _plain(begins: bytes, read: Read) -> Iterator[bytes]:
    piece = begins
    while piece:
        yield piece
        piece = read(_PIECE)


def _unpacked(begins: bytes, read: Read, next_member: Callable[[], _Member]) -> Iterator[bytes]:
    member: _Member | None = None
    data = begins
    while data:
        while data:
            if member is None:
                data = data.lstrip(b"\0")  # what a tape or a copy of blocks is filled up with
                if not data:
                    break
                member = next_member()
            piece, data = member.decompress(data), b""
            for start in range(0, len(piece), _PIECE):
                yield piece[start : start + _PIECE]
            if member.eof:
                data, member = member.unused_data, None
        data = read(_PACKED)
    if member is not None:
        raise EOFError("it ends before its end: it was cut off, or is still being written")
