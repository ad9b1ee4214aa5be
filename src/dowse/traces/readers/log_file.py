"""The lines of a log, plain or compressed, a piece at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from dowse.model.errors import UserError
from dowse.traces.readers.unpack import BROKEN, pieces

__all__ = ["STANDARD_INPUT", "HalfLine", "LogFile", "TooLong"]

STANDARD_INPUT = Path("-")
_PIECE = 1 << 18
_MAGIC = 4
_LONGEST_LINE = 1 << 16


class TooLong(bytes):
    """The beginning of a line that is longer than any access is."""


class HalfLine(bytes):
    """The last line, where nothing ends it: perhaps the log was cut off there."""


class LogFile:
    """A log that is read once, from its beginning to its end. ``begins`` is what it begins with, unpacked; ``fault`` is
    set where it cannot be read to its end."""

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._done = 0
        try:
            self._file: BinaryIO = sys.stdin.buffer if path == STANDARD_INPUT else path.open("rb")
            self._pieces = pieces(self._bytes(_MAGIC), self._bytes)
        except OSError as error:
            raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
        self.begins = self._read()

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not sys.stdin.buffer:
            self._file.close()

    def _bytes(self, size: int) -> bytes:
        found = self._file.read(size)
        self._done += len(found)
        return found

    def _read(self) -> bytes:
        """The next piece; less than one, or nothing, where the log ends."""
        found: list[bytes] = []
        try:
            size = 0
            while size < _PIECE and (piece := next(self._pieces, b"")):
                found.append(piece)
                size += len(piece)
        except BROKEN as error:
            self.fault = str(error) or type(error).__name__
        return b"".join(found)

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
            tell(self._done)
            piece = b"" if self.fault else self._read()
        if rest.strip() and not self.fault:  # else it is half a line
            yield HalfLine(rest.rstrip(b"\r"))
