"""Changes to bytes, as dice fall."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["mutated"]

_MOST_BYTES = 65_536
_LONG_BYTES = 400_000  # one input in fifty: what grows faster than its size shows
_TRICKY = (
    b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b" " * 40, b"<", b">", b"&", b"'", b'"', b"%",
    b"#", b"/", b"\\", b"=", b":", b";", b"-", b"*", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "é".encode(),
    "\u0301".encode(), "İ".encode(), "漢字".encode(), "😀".encode(), b"9" * 30, b"1e999", b"-1", b"NaN",
)  # fmt: skip


def mutated(dice: random.Random, seeds: Sequence[bytes], words: Sequence[bytes], *, long: bool = True) -> bytes:
    """One of the seeds, with a few changes; now and then much longer."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.choice((1, 1, 2, 3, 5, 9))):
        _change(dice, data, seeds, words)
        del data[_MOST_BYTES:]
    if long and dice.random() < 0.02:
        _lengthen(dice, data)
    return bytes(data)


def _stretch(dice: random.Random, data: Sequence[int], most: int) -> slice:
    start = dice.randrange(len(data) + 1)
    return slice(start, min(len(data), start + dice.randrange(1, most)))


def _change(dice: random.Random, data: bytearray, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    at = dice.randrange(len(data) + 1)
    match dice.randrange(8):
        case 0:
            data[at:at] = dice.choice(_TRICKY)
        case 1 if words:
            data[at:at] = dice.choice(words)
        case 2 if data:
            data[dice.randrange(len(data))] = dice.randrange(256)
        case 3:
            del data[_stretch(dice, data, 64)]
        case 4:
            data[at:at] = bytes(data[_stretch(dice, data, 200)]) * dice.choice((1, 2, 20, 200))
        case 5:
            other = dice.choice(seeds)
            data[at:at] = other[_stretch(dice, other, 400)]
        case 6 if words:
            data[at:at] = b"".join(dice.choices(words, k=dice.randrange(1, 12)))
        case 7:
            del data[at:]
        case _:
            data[at:at] = bytes(dice.randrange(256) for _ in range(dice.randrange(1, 9)))


def _lengthen(dice: random.Random, data: bytearray) -> None:
    """A few bytes of it, again and again."""
    part = bytes(data[_stretch(dice, data, 80)]) or b"<"
    at = dice.randrange(len(data) + 1)
    data[at:at] = part * (_LONG_BYTES // len(part))
