"""Text that fits: about how wide it will be, and where to cut it, without asking a font.

Widths are those of DejaVu Sans, in which pictures are painted; the fonts of most screens are narrower.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from dowse.model.shown import shown

__all__ = ["fitted", "text_width"]

_LONGEST = 2_000
_BOLD = 1.13  # as wide as plain letters, on average
_USUAL = 0.72
_CLASSES = {
    0.30: "'IJijl", 0.40: " !(),-./:;[\\]|frt", 0.55: "\"*?_`csz·–", 0.64: "$0123456789EFLPSTYabdeghknopquvxy{}",
    0.69: "ABCKRVXZ", 0.78: "&DGHNOQU", 0.85: "#+<=>^~Mw", 1.0: "%@Wm…",
}  # fmt: skip
_WIDTHS = {letter: width for width, letters in _CLASSES.items() for letter in letters}


@lru_cache(maxsize=10_000)
def _letter_width(letter: str) -> float:
    """As a share of the size of the type."""
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if unicodedata.category(letter)[0] == "M":
        return 0.0
    return 1.05 if unicodedata.east_asian_width(letter) in "WF" else _USUAL


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How many pixels a line of text takes, about.

    >>> round(text_width("recall", 10))
    28
    """
    return sum(map(_letter_width, shown(text))) * size * (_BOLD if bold else 1)


def fitted(text: str, width: float, size: float, *, bold: bool = False, most: int = 1) -> list[str]:
    """The text in at most ``most`` lines of ``width`` pixels, cut where it is longer.

    >>> fitted("perovskite solar cells", 100, 12), fitted("perovskite solar cells", 100, 12, most=2)
    (['perovskite so…'], ['perovskite', 'solar cells'])
    """
    rest, scale = shown(text[:_LONGEST]), size * (_BOLD if bold else 1)
    lines: list[str] = []
    while True:
        ends = [scale * end for end in accumulate(map(_letter_width, rest))]
        if not ends or ends[-1] <= width:
            return [*lines, rest]
        if len(lines) == most - 1:
            cut = max(1, bisect_right(ends, width - scale))
            return [*lines, rest[:cut].rstrip() + "…"]
        cut = max(1, bisect_right(ends, width))
        space = rest.rfind(" ", 0, cut + 1)
        cut = space if space > cut // 2 else cut
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
