"""JSON read piece by piece, for a file that may be larger than the memory it should take.

What is held at a time is a window of text; a value that is decoded as a whole must end within a stated length. So a
file of a few kilobytes that unpacks to gigabytes is told from its first row that is wrong, and takes no more than that.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

__all__ = ["JsonStream", "OtherKind", "unpacked"]

_CHUNK = 1 << 16
_GZIP = b"\x1f\x8b"
_space = re.compile(r"[ \t\n\r]*").match
_LONGEST_KEY = 4_000


def unpacked(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file in pieces of bounded size, decompressed where they are gzip. Raises zlib.error."""
    data = stream.read(_CHUNK)
    if not data.startswith(_GZIP):
        while data:
            yield data
            data = stream.read(_CHUNK)
        return
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    while data and not inflate.eof:
        yield inflate.decompress(data, _CHUNK)
        data = inflate.unconsumed_tail or stream.read(_CHUNK)


class OtherKind(ValueError):
    """The value that is next is no object, or no list, as was asked for."""


class JsonStream:
    """A cursor in a JSON text. Raises ValueError where the text is not JSON, or one of its parts is too long."""

    def __init__(self, pieces: Iterable[bytes], most: int) -> None:
        """``most`` bytes are read at the most; OverflowError when there are more."""
        self._pieces = iter(pieces)
        self._left = most
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._text = ""
        self._at = 0
        self._over = False
        self._value = json.JSONDecoder(parse_constant=_refuse).raw_decode

    def members(self) -> Iterator[str]:
        """The keys of the object that is next; whoever takes one reads its value before the next."""
        self._begin("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value(_LONGEST_KEY)
            if not isinstance(key, str):
                raise ValueError("a key is no text")
            self._expect(":")
            yield key
            if self._expect(",}") == "}":
                return

    def items(self) -> Iterator[None]:
        """As often as the list that is next has elements, each of which is read before the next."""
        self._begin("[")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield
            if self._expect(",]") == "]":
                return

    def value(self, longest: int) -> Any:
        """The value that is next, of so many characters at the most."""
        self._peek()
        while len(self._text) - self._at <= longest and self._more():
            pass  # so that what ends before the window does is no part of a number
        try:
            found, end = self._value(self._text, self._at)
        except RecursionError:
            raise ValueError("too deep") from None
        if end - self._at > longest:
            raise ValueError("too long")
        self._at = end
        return found

    def end(self) -> None:
        """Nothing may follow."""
        if self._peek(at_end=True):
            raise ValueError("more follows")

    # -- within --------------------------------------------------------------------------------------------------

    def _begin(self, mark: str) -> None:
        if self._peek() != mark:
            self.value(_LONGEST_KEY)
            raise OtherKind
        self._at += 1

    def _expect(self, wanted: str) -> str:
        char = self._peek()
        if char not in wanted:
            raise ValueError(f"one of {wanted} is missing")
        self._at += 1
        return char

    def _peek(self, *, at_end: bool = False) -> str:
        """The next character that is no blank."""
        while True:
            blank = _space(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                if at_end:
                    return ""
                raise ValueError("the text ends too early")

    def _more(self) -> bool:
        """Have another piece of text in the window; False: there is none."""
        if self._over:
            return False
        piece = next(self._pieces, None)
        self._over = piece is None
        self._left -= len(piece or b"")
        if self._left < 0:
            raise OverflowError("too large")
        self._text = self._text[self._at :] + self._decode(piece or b"", final=self._over)
        self._at = 0
        return not self._over or bool(self._text)


def _refuse(name: str) -> float:
    raise ValueError(name)  # NaN and the infinities, which JSON does not know
