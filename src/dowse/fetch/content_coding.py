"""Content decoding of a body that arrives in pieces and may be false, broken, cut short or a bomb.

Each coding is a :class:`_Stage`; stacked codings run one into the other, a piece at a time, so memory stays bounded
by the cap on the result plus a few pieces (a piece is at most 4 MB, for zstd; 1 MB or less for the others):

* input goes in by small slices, so that an error late in a stream loses little of what was decoded before it;
* no stage may produce more than the cap, so that an inner stream cannot hide a bomb;
* nothing is looked at or copied twice, and streams that follow one another are counted, so that the time is linear in
  what goes in and what comes out, however many empty streams there are;
* a stream that is plainly not what its header says (plain HTML declared as gzip) passes through unchanged.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import brotli
import zstandard

from dowse.model.http import Truncation

__all__ = ["ACCEPT_ENCODING", "MAX_CODINGS", "MAX_MEMBERS", "Decoder"]

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_CODINGS = 3
MAX_MEMBERS = 1_000  # streams one behind the other within a coding
_LONGEST_MAGIC = 4

_ZLIB_SLICE = 1024  # deflate grows by at most 1032 times
_BROTLI_SLICE = 1024
_BROTLI_PIECE = 65536
_ZSTD_SLICE = 128  # a block of 4 bytes gives up to 128 KiB
_ZSTD_WINDOW = 8 * 2**20  # RFC 9659: the largest window a server may ask for
_HELD = 65536
_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\r\x20-\x7e]{8,}").fullmatch
_NO_CONTROLS = re.compile(rb"[^\x00-\x08\x0e-\x1f]*").fullmatch
_ERRORS = (zlib.error, brotli.error, zstandard.ZstdError)


class _Broken(Exception):
    """The stream is not valid from here on."""


class _Full(Exception):
    """The cap is reached."""


class _Engine(Protocol):
    complete: bool

    def decode(self, data: bytes) -> Iterator[bytes]: ...


class _Members:
    """gzip, zlib, raw deflate or zstd: streams that say where they end; gzip and zstd may follow one another."""

    def __init__(self, start: Callable[[], Any], slice_size: int, magic: bytes | None = None) -> None:
        self._start = start
        self._slice = slice_size
        self._magic = magic
        self._stream = start()
        self._between = b""  # the beginning of what may be another member
        self._members = 1
        self.complete = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._between:
            data, self._between = self._between + data, b""
        view, offset = memoryview(data), 0
        while offset < len(data):
            if self.complete and not self._goes_on(view[offset : offset + _LONGEST_MAGIC]):
                return
            piece = view[offset : offset + self._slice]
            out = self._stream.decompress(piece)
            self.complete = self._stream.eof
            offset += len(piece) - (len(self._stream.unused_data) if self.complete else 0)
            if out:
                yield out

    def _goes_on(self, head: memoryview) -> bool:
        """After the end of a member: does another begin? Padding and noise are ignored, as browsers do."""
        magic = self._magic
        if magic is None or head[: len(magic)] != magic[: len(head)]:
            self._magic = None
            return False
        if len(head) < len(magic):
            self._between = bytes(head)
            return False
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise _Broken
        self._stream, self.complete = self._start(), False
        return True


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self.complete = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        stream = self._stream
        for offset in range(0, len(data), _BROTLI_SLICE):
            if self.complete:
                return
            out = stream.process(data[offset : offset + _BROTLI_SLICE], output_buffer_limit=_BROTLI_PIECE)
            while out:
                yield out
                # until nothing comes: it may take more input while it still holds output
                out = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_BROTLI_PIECE)
            self.complete = stream.is_finished()


def _gzip(head: bytes) -> _Engine | None:
    return _Members(lambda: zlib.decompressobj(31), _ZLIB_SLICE, b"\x1f\x8b") if head[:2] == b"\x1f\x8b" else None


def _deflate(head: bytes) -> _Engine | None:
    """zlib as the standard has it, or the raw deflate that some servers send instead."""
    if head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0:
        return _Members(lambda: zlib.decompressobj(15), _ZLIB_SLICE)
    return None if _TEXT(head[:64]) else _Members(lambda: zlib.decompressobj(-15), _ZLIB_SLICE)


def _brotli(head: bytes) -> _Engine | None:
    return None if _TEXT(head[:64]) else _Brotli()


def _zstd(head: bytes) -> _Engine | None:
    skippable = head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50
    if head[:4] != b"\x28\xb5\x2f\xfd" and not skippable:
        return None
    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    return _Members(context.decompressobj, _ZSTD_SLICE, b"\x28\xb5\x2f\xfd")


@dataclass(frozen=True, slots=True)
class _Coding:
    """How a coding is recognised from its first ``sniff`` bytes (or a whole shorter body), and whether these are a
    signature or only a hint."""

    open: Callable[[bytes], _Engine | None]  # None: these bytes are not that coding
    sniff: int
    signed: bool


_GZIP = _Coding(_gzip, 2, signed=True)
_CODINGS = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": _Coding(_deflate, 64, signed=False),
    "br": _Coding(_brotli, 64, signed=False),
    "zstd": _Coding(_zstd, 4, signed=True),
}


class _Stage:
    """One coding at work: sniffs, then decodes, or passes everything through when the header was false."""

    def __init__(self, coding: _Coding, max_bytes: int) -> None:
        self._coding = coding
        self._left = max_bytes
        self._engine: _Engine | None = None
        self._passing = False
        self._head = b""  # what came so far, until the stream has proved to be what it says

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._passing:
            yield data
        elif self._engine is None:
            self._head += data
            if len(self._head) >= self._coding.sniff:
                yield from self._begin()
        else:
            if self._head:
                self._head += data
            yield from self._decode(data)

    def finish(self) -> Iterator[bytes]:
        """What was held back to the end."""
        if self._engine is None and self._head:
            yield from self._begin()
        if not self.complete and self._plain():
            yield self._pass()

    @property
    def complete(self) -> bool:
        return self._engine is None or self._engine.complete

    def _begin(self) -> Iterator[bytes]:
        data = self._head
        self._engine = self._coding.open(data)
        if self._engine is None:
            yield self._pass()
            return
        if self._coding.signed:
            self._head = b""
        yield from self._decode(data)

    def _decode(self, data: bytes) -> Iterator[bytes]:
        assert self._engine is not None
        try:
            for piece in self._engine.decode(data):
                self._head = b""
                self._left -= len(piece)
                yield piece
                if self._left < 0:
                    raise _Full
        except _ERRORS as error:
            if not self._plain():
                raise _Broken from error
            yield self._pass()
        if len(self._head) > _HELD:
            self._head = b""

    def _plain(self) -> bool:
        """Without a signature only trying could tell: nothing was decoded, and it reads like text."""
        return bool(self._head) and _NO_CONTROLS(self._head[:64]) is not None

    def _pass(self) -> bytes:
        """Pass through from here on, beginning with what was held back."""
        self._passing, self._engine = True, None
        head, self._head = self._head, b""
        return head


class Decoder:
    """Collects one body. ``feed`` until it says False or the body ends, then ``finish``.

    >>> decoder = Decoder("gzip", max_bytes=1000)
    >>> decoder.feed(b"plain after all")
    True
    >>> decoder.finish()
    (b'plain after all', <Truncation.NONE: ''>)
    """

    __slots__ = ("_left", "_max_bytes", "_parts", "_stages", "_truncated")

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        self._parts: list[bytes] = []
        self._max_bytes = max_bytes
        self._left = max_bytes
        self._truncated = Truncation.NONE
        self._stages: list[_Stage] = []
        if content_encoding:
            names = (name.strip().lower() for name in content_encoding.split(","))
            # Unknown names are mostly misplaced charsets ("utf-8", "none"): such a body is what it is.
            codings = [_CODINGS[name] for name in names if name in _CODINGS]
            if len(codings) > MAX_CODINGS:
                self._truncated = Truncation.ENCODING
            else:
                self._stages = [_Stage(coding, max_bytes) for coding in reversed(codings)]

    @property
    def open(self) -> bool:
        """Does it still take input?"""
        return self._truncated is Truncation.NONE

    @property
    def is_layered(self) -> bool:
        """Is there more than one coding to undo? Then a little input may pass through a lot on its way to nothing."""
        return len(self._stages) > 1

    @property
    def is_plain(self) -> bool:
        """Is there no coding to undo?"""
        return not self._stages

    @property
    def size(self) -> int:
        """How many bytes of the body there are by now."""
        return self._max_bytes - self._left

    def feed(self, data: bytes) -> bool:
        """Take the next bytes of the wire; False: nothing after them is wanted."""
        if self.open:
            self._take((data,), 0)
        return self.open

    def finish(self) -> tuple[bytes, Truncation]:
        """The decoded body, and why it is only a prefix where it is."""
        for depth, stage in enumerate(self._stages):
            if self.open:
                self._take(stage.finish(), depth + 1)
        if self.open and not all(stage.complete for stage in self._stages):
            self._truncated = Truncation.ENCODING
        return b"".join(self._parts), self._truncated

    def _take(self, pieces: Iterable[bytes], depth: int) -> None:
        try:
            self._run(pieces, depth)
        except _Full:
            self._truncated = Truncation.LENGTH
        except _Broken:
            self._truncated = Truncation.ENCODING

    def _run(self, pieces: Iterable[bytes], depth: int) -> None:
        """Pass pieces on to the stage at ``depth``, or to the body behind the last one."""
        for piece in pieces:
            if depth < len(self._stages):
                self._run(self._stages[depth].decode(piece), depth + 1)
            elif len(piece) > self._left:
                self._parts.append(piece[: self._left])
                self._left = 0
                raise _Full
            else:
                self._left -= len(piece)
                self._parts.append(piece)
