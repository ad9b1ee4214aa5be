"""The lines of a log, plain or compressed: by what it holds, whatever its name is; a piece at a time."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

from dowse.model.errors import UserError

__all__ = ["STANDARD_INPUT", "LogFile", "TooLong"]

STANDARD_INPUT = Path("-")
_PIECE = 1 << 18
_LONGEST_LINE = 1 << 16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BROKEN = (OSError, EOFError, zlib.error, zstandard.ZstdError)


class TooLong(bytes):
    """The beginning of a line that is longer than any access is."""


class LogFile:
    """A log that is read once, from its beginning to its end. ``begins`` is what it begins with, unpacked; ``fault`` is
    set where it cannot be read to its end."""

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._files = ExitStack()
        try:
            raw = sys.stdin.buffer if path == STANDARD_INPUT else path.open("rb")
            self._raw = self._files.enter_context(_Counted(cast(BinaryIO, raw)))
            self._stream = self._files.enter_context(self._unpacked())
            self.begins = self._read()
        except OSError as error:
            self._files.close()
            raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None

    def _unpacked(self) -> IO[bytes]:
        magic = self._raw.peek(4)
        if magic.startswith(_GZIP):
            return cast(IO[bytes], gzip.GzipFile(fileobj=cast(BinaryIO, self._raw), mode="rb"))
        if magic.startswith(_ZSTD):
            unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
            return unpacker.stream_reader(cast(BinaryIO, self._raw), read_across_frames=True)
        return cast(IO[bytes], self._raw)

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def _read(self) -> bytes:
        try:
            return self._stream.read(_PIECE)
        except _BROKEN as error:
            self.fault = str(error) or type(error).__name__
            return b""

    def lines(self, tell: Callable[[int], None]) -> Iterator[bytes]:
        """All lines without their ends, empty ones left out. ``tell`` is told how many bytes of the file were read."""
        piece, rest, skips = self.begins, b"", False
        while piece:
            *lines, last = piece.split(b"\n")
            if lines:
                lines[0] = rest + lines[0]
                rest = b""
            for line in lines:
                if skips:  # the end of a line that was given already
                    skips = False
                elif len(line) > _LONGEST_LINE:
                    yield TooLong(line[:200])
                elif line and line != b"\r":
                    yield line[:-1] if line[-1] == 13 else line
            rest += b"" if skips else last
            if len(rest) > _LONGEST_LINE:
                yield TooLong(rest[:200])
                rest, skips = b"", True
            tell(self._raw.done)
            piece = self._read()
        if rest.strip() and not self.fault:  # else it is half a line
            yield rest.rstrip(b"\r")


class _Counted:
    """A stream of bytes that knows how many of them were read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ahead = stream.read(_PIECE)
        self.done = 0

    def __enter__(self) -> _Counted:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def peek(self, size: int) -> bytes:
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        if not self._ahead:
            found = self._stream.read(size)
        else:
            found, self._ahead = (self._ahead, b"") if size < 0 else (self._ahead[:size], self._ahead[size:])
        self.done += len(found)
        return found

    def close(self) -> None:
        if self._stream is not sys.stdin.buffer:
            self._stream.close()

    def readable(self) -> bool:
        return True
