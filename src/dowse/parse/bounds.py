"""Keeps hostile markup from costing more than its size: an HTML tree builder is quadratic in several places.

Depth (tags look up the whole stack of open elements), open formatting (each new paragraph repeats it), attributes (each
is compared with those before it, on one tag or on all ``<html>`` tags together) and text between the cells of a table
(which is copied at each tag). No sound page comes near to what this may cost here. One that does is cut into pieces,
each of which is read as a page of its own: nothing of it is lost but which element is in which, across a cut.
"""

from __future__ import annotations

import re

from dowse.compiled import core
from dowse.parse.markup import MARK, RAW, TAG, end_of_comment, end_of_raw, first_attributes
from dowse.parse.openings import SORTS, Openings

__all__ = ["MOST_TAGS", "bounded"]

MOST_TAGS = 300_000
"""Of a page, comments counted as well; it ends there."""
_MOST_ATTRIBUTES = 200
_FEW_TAGS = 1_000  # with no more than these, and in so many bytes, nothing is dear
_SMALL = 65_536
_MOST_COST = 128_000_000  # of a page in one piece: half a second; 16,000 elements one in the other, or 300,000 in rows
_PIECE_COST = 4_000_000  # of a piece of one that is dearer
_MOST_PIECES = 100
# the letters in front of the names spare the search most tags: whole names, in any case, are slow to compare
_XHTML_EMPTY = re.compile(rb"<(?=[sStTiInN])(script|title|style|textarea|iframe|noscript)\b([^<>]*)/>", re.IGNORECASE)
_CDATA = b"<![CDATA["
_RAW = RAW | {b"plaintext"}
_RAW_BIT = 1 << 28
_TABLE = (
    None
    if core is None
    else core.sorts({name: SORTS.get(name, 0) | (name in _RAW) * _RAW_BIT for name in _RAW | SORTS.keys()})
)


def bounded(page: bytes, *, xhtml: bool = False) -> list[bytes]:
    """A page in UTF-8 in pieces, nearly always one, that a tree builder reads in time bounded by their size."""
    if xhtml:  # "<script src=x />" is whole in XML, but swallows the rest of the page in HTML
        page = _XHTML_EMPTY.sub(rb"<\1\2></\1>", page)
    if b"\0" in page:  # never text to a browser; later a paragraph separator to us
        page = page.replace(b"\0", b"")
    if core is not None:
        size = core.cheap_bytes(page, _TABLE, _SMALL, _FEW_TAGS, _MOST_ATTRIBUTES, MOST_TAGS, _MOST_COST)
        if size >= 0:
            return [page[:size]]
    elif len(page) <= _SMALL and page.count(b"<") <= _FEW_TAGS:
        return [page]
    return _Cutter(page).pieces()


class _Cutter:
    """Reads a page tag by tag."""

    __slots__ = ("_at", "_begin", "_budget", "_cdata_end", "_left", "_openings", "_page", "_parts", "_pieces")

    def __init__(self, page: bytes) -> None:
        self._page = page
        self._at = 0
        self._begin = 0  # of what was not taken over yet
        self._parts: list[bytes] = []  # of the piece
        self._pieces: list[bytes] = []
        self._openings = Openings()
        self._budget = _MOST_COST
        self._left = MOST_TAGS
        self._cdata_end = 0  # the next one that is known

    def pieces(self) -> list[bytes]:
        page = self._page
        while (mark := MARK.search(page, self._at)) is not None:
            at = mark.start()
            self._openings.text(page[self._at : at])
            self._at = at
            self._left -= 1
            if self._left < 0 or self._openings.cost > self._budget:
                self._cut(at)
            if self._left < 0 or len(self._pieces) >= _MOST_PIECES:
                return self._pieces
            tag = TAG.match(page, at)
            if tag is None:
                self._comment()
            elif not tag[5]:  # the page ends within it
                break
            else:
                self._tag(tag)
        if not self._begin and not self._parts:
            return [page]
        self._cut(len(page))
        return self._pieces

    def _cut(self, at: int) -> None:
        """The piece ends here, and another one begins."""
        self._parts.append(self._page[self._begin : at])
        self._pieces.append(b"".join(self._parts))
        self._parts.clear()
        self._begin = at
        self._openings = Openings()
        self._budget = _PIECE_COST

    def _comment(self) -> None:
        page, at = self._page, self._at
        self._openings.mark()
        self._at = end_of_comment(page, at)
        if self._openings.foreign and page.startswith(_CDATA, at):
            if self._cdata_end < self._at:
                found = page.find(b"]]>", at)
                self._cdata_end = len(page) if found < 0 else found + 3
            if self._openings.raw_is_certain is False:
                self._at = self._cdata_end
            elif self._at != self._cdata_end:
                self._cut(at)  # in HTML it ends sooner

    def _tag(self, tag: re.Match[bytes]) -> None:
        self._at = tag.end()
        name = tag[2].lower()
        attributes = tag[3]
        fewer = first_attributes(attributes, _MOST_ATTRIBUTES) if len(attributes) > 2 * _MOST_ATTRIBUTES else None
        if fewer is not None:
            self._parts += (self._page[self._begin : tag.start()], b"<%b%b%b >" % (tag[1], tag[2], fewer))
            self._begin = self._at
        if tag[1]:
            self._openings.end(name)
        elif name not in _RAW or not self._raw(name, tag.start()):
            closed = tag[4].endswith(b"/") and fewer is None
            self._openings.start(name, tag[0], len(attributes) // 2, closed)

    def _raw(self, name: bytes, begin: int) -> bool:
        """Pass over what is inside an element that has no tags in it; False where it is an element like others, or is
        none and might as well be."""
        certain = self._openings.raw_is_certain
        if certain is False:
            return False
        page = self._page
        end = len(page) if name == b"plaintext" else end_of_raw(page, name, self._at)
        if certain is None and not self._is_noframes(name):
            if page.find(b"<", self._at, end) < 0:
                return False
            self._cut(begin)  # where nothing is open, there is no doubt
        self._openings.mark()
        self._at = end
        return True

    def _is_noframes(self, name: bytes) -> bool:
        return name == b"noframes" and not self._openings.foreign and not self._openings.selects
