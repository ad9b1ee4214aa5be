"""A page laid out again from its outline and its lines: tables, rows, cells, lists and lines, each with its block.

It is what both pictures are drawn from. Elements around one thing are left out, and nesting is bounded. Whatever the
page's own markup, a row stands in a table, a cell in a row and an item in a list, and nothing else stands in those; a
list that falls into several blocks is no list any more, but a stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from dowse.lab.blocks.blocked_page import BlockedPage
from dowse.parse import Outline
from dowse.parse.outline import TAGS

__all__ = ["SEVERAL", "Kind", "Piece", "arrange", "grouped"]

SEVERAL = 0
_DEEPEST = 60


class Kind(StrEnum):
    """What a piece of a page is."""

    STACK = "stack"  # anything below one another
    TABLE = "table"
    ROW = "row"
    CELL = "cell"
    LIST = "list"
    ITEM = "item"
    HEADING = "heading"
    LINE = "line"


_KINDS = {
    "table": Kind.TABLE, "tr": Kind.ROW, "td": Kind.CELL, "th": Kind.CELL, "ul": Kind.LIST, "ol": Kind.LIST,
    "menu": Kind.LIST, "dir": Kind.LIST, "li": Kind.ITEM, **{f"h{level}": Kind.HEADING for level in range(1, 7)},
}  # fmt: skip
_OUTER = {Kind.ROW: Kind.TABLE, Kind.CELL: Kind.ROW, Kind.ITEM: Kind.LIST}  # where alone it may stand
_INNER = {outer: inner for inner, outer in _OUTER.items()}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of lines from ``start`` to ``end`` (left out). ``block`` is the number of the block that all of it is in,
    or SEVERAL."""

    kind: Kind
    start: int
    end: int
    block: int
    parts: tuple[Piece, ...] = ()


def arrange(page: BlockedPage, end: int | None = None) -> Piece:
    """The page as one piece, up to a line (left out)."""
    last = page.blocks[-1].end
    return _Arranger(page, last if end is None else min(end, last)).whole()


def grouped(parts: Iterable[Piece]) -> list[Piece]:
    """The parts, neighbours of one block put together."""
    found: list[Piece] = []
    for block, run in groupby(parts, key=lambda part: part.block):
        together = tuple(run)
        if block == SEVERAL or len(together) == 1:
            found += together
        else:
            found.append(Piece(Kind.STACK, together[0].start, together[-1].end, block, together))
    return found


class _Arranger:
    def __init__(self, page: BlockedPage, end: int) -> None:
        self._page = page
        self._end = end
        self._outline: Outline = page.document.outline
        self._children: dict[int, list[int]] = {}
        starts, ends, parents = self._outline.starts, self._outline.ends, self._outline.parents
        for element in range(1, len(self._outline)):
            if starts[element] < min(ends[element], end):
                self._children.setdefault(parents[element], []).append(element)

    def whole(self) -> Piece:
        start = self._page.blocks[0].start
        return self._made(Kind.STACK, start, self._end, self._content(0, Kind.STACK, start, self._end, 0))

    def _piece(self, element: int, outer: Kind, depth: int) -> Piece:
        start, end, kind = self._bounds(element, outer)
        children = self._children.get(element, ())
        while kind is Kind.STACK and len(children) == 1:  # a box around a box
            inner = self._bounds(children[0], kind)
            if inner[:2] != (start, end):
                break
            element, kind = children[0], inner[2]
            children = self._children.get(element, ())
        return self._made(kind, start, end, self._content(element, kind, start, end, depth))

    def _bounds(self, element: int, outer: Kind) -> tuple[int, int, Kind]:
        kind = _KINDS.get(TAGS[self._outline.tags[element]], Kind.STACK)
        if _OUTER.get(kind, outer) is not outer:
            kind = Kind.STACK
        return self._outline.starts[element], min(self._outline.ends[element], self._end), kind

    def _content(self, element: int, kind: Kind, start: int, end: int, depth: int) -> list[Piece]:
        """The element's children and the lines between them."""
        parts: list[Piece] = []
        for child in self._children.get(element, ()) if depth < _DEEPEST else ():
            piece = self._piece(child, kind, depth + 1)
            parts += self._lines(start, piece.start)
            parts.append(piece)
            start = piece.end
        return parts + self._lines(start, end)

    def _lines(self, start: int, end: int) -> list[Piece]:
        return [Piece(Kind.LINE, line, line + 1, self._page.at(line).number) for line in range(start, end)]

    def _made(self, kind: Kind, start: int, end: int, parts: Sequence[Piece]) -> Piece:
        block = _shared(parts)
        inner = _INNER.get(kind)
        if inner is not None:
            parts = [self._as(inner, part) for part in parts]
        if kind is Kind.TABLE and len(parts) == 1 and len(parts[0].parts) == 1:  # a table of one cell
            kind, parts = Kind.STACK, parts[0].parts[0].parts
        if kind is Kind.LIST and block == SEVERAL:
            kind, parts = Kind.STACK, [self._made(Kind.STACK, p.start, p.end, p.parts) for p in parts]
        if block == SEVERAL and kind not in (Kind.TABLE, Kind.ROW):
            parts = grouped(parts)
        if kind is Kind.STACK and len(parts) == 1:
            return parts[0]
        return Piece(kind, start, end, block, tuple(parts))

    def _as(self, kind: Kind, part: Piece) -> Piece:
        """What stands in a table is a row, and so on: in one of its own where it is not."""
        return part if part.kind is kind else self._made(kind, part.start, part.end, [part])


def _shared(parts: Iterable[Piece]) -> int:
    blocks = {part.block for part in parts}
    return blocks.pop() if len(blocks) == 1 else SEVERAL
