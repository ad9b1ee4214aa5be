"""What a slot's letters say to the shard that it moves to: what else they say of a URL, or of its site.

They are letters like others, so they are told apart by the first byte of what goes with them, which no
:class:`~dowse.model.mention.Mention` begins with.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from enum import IntEnum
from math import isfinite

from dowse.model.others import Letter
from dowse.model.revive import revived

__all__ = ["MovedSite", "Moving", "Waits", "Whole", "moving"]

_WAITS = struct.Struct("<BBHBH")
_PAGE = struct.Struct("<Hf")
_WHOLE = struct.Struct("<BHQ")
_MOST_RUN, _MOST_ATTEMPTS = 0xFFFF, 0xFF


class Moving(IntEnum):
    """What a letter of a move tells."""

    SITE = 0x80  # what is known of a site
    ENDED = 0x81  # a URL that nobody may fetch again
    WAITS = 0x82  # a URL that waits
    WHOLE = 0x83  # that was all: the slot is the receiver's


def moving(letter: Letter) -> Moving | None:
    """What a letter tells of a slot that moves; None: it is about a link."""
    mark = letter.mention[0] if letter.mention else 0
    return Moving(mark) if Moving.SITE <= mark <= Moving.WHOLE else None


@dataclass(frozen=True, slots=True)
class MovedSite:
    """What is known of a site, for who asks it from now on."""

    delay_s: float = 0.0
    wait_s: float = 0.0  # nobody may ask it for so long
    failures: int = 0  # in a row
    given_up: int = 0  # pages in a row that no worker could do in time
    fruitless: int = 0  # pages since the last relevant one
    closed: str = ""
    closed_for_s: float = 0.0
    walked: tuple[str, ...] = ()  # its sitemaps that were read

    def packed(self) -> bytes:
        return bytes((Moving.SITE,)) + json.dumps(asdict(self), separators=(",", ":")).encode()

    @staticmethod
    def unpacked(data: bytes) -> MovedSite:
        """ValueError where it cannot be."""
        try:
            found: MovedSite = revived(MovedSite, json.loads(data[1:]))
        except (TypeError, RecursionError) as fault:
            raise ValueError(str(fault)) from None
        numbers = (found.delay_s, found.wait_s, found.failures, found.given_up, found.fruitless, found.closed_for_s)
        if not all(isfinite(number) and number >= 0 for number in numbers):
            raise ValueError("what is told of a site cannot be")
        return found


@dataclass(frozen=True, slots=True)
class Waits:
    """What else is known of a URL that waits."""

    attempts: int = 0
    run: int = 0  # steps within one URL pattern since the last relevant page
    row: bytes = b""  # what the strategy knows of it
    pages: tuple[tuple[str, float], ...] = ()  # the judged pages that this speaks of, with what each is worth

    def packed(self) -> bytes:
        head = _WAITS.pack(
            Moving.WAITS, min(self.attempts, _MOST_ATTEMPTS), min(self.run, _MOST_RUN), len(self.pages), len(self.row)
        )
        urls = [url.encode("utf-8", "surrogatepass") for url, _ in self.pages]
        told = [_PAGE.pack(len(url), worth) + url for url, (_, worth) in zip(urls, self.pages, strict=True)]
        return head + self.row + b"".join(told)

    @staticmethod
    def unpacked(data: bytes) -> Waits:
        try:
            _, attempts, run, count, size = _WAITS.unpack_from(data)
            at, pages = _WAITS.size + size, []
            for _ in range(count):
                length, worth = _PAGE.unpack_from(data, at)
                at += _PAGE.size + length
                pages.append((data[at - length : at].decode("utf-8", "surrogatepass"), worth))
        except struct.error as fault:
            raise ValueError(str(fault)) from None
        if at != len(data) or not all(0 <= worth <= 1 for _, worth in pages):
            raise ValueError("what is told of a URL cannot be")
        return Waits(attempts, run, data[_WAITS.size : _WAITS.size + size], tuple(pages))


@dataclass(frozen=True, slots=True)
class Whole:
    """The last letter of a slot."""

    slot: int
    move: int

    def packed(self) -> bytes:
        return _WHOLE.pack(Moving.WHOLE, self.slot, self.move)

    @staticmethod
    def unpacked(data: bytes) -> Whole:
        try:
            return Whole(*_WHOLE.unpack(data)[1:])
        except struct.error as fault:
            raise ValueError(str(fault)) from None
