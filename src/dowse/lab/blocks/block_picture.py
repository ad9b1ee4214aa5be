"""A page's blocks as a picture: a box each, laid out like the page, coloured by how near it is to the topic.

Cells of a table row stand side by side, everything else below one another; a box is as high as its text needs, up to a
bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.lab.blocks.block_layout import SEVERAL, Kind, Piece, arrange, grouped
from dowse.lab.blocks.blocked_page import Block, BlockedPage, Lines
from dowse.lab.blocks.legend import FRAME, LINE, SHADES, shade, shades_told, tunnel_told
from dowse.lab.draw.drawing import Box, Drawing, Mark, Text
from dowse.lab.draw.text_fit import fitted, text_width
from dowse.lab.wording import counted

__all__ = ["BlockBox", "blocks_drawing", "place"]

WIDTH = 1000  # pixels, as all that follow
_MARGIN, _GAP, _PAD = 24, 6, 8
_LEAST_WIDTH = 120  # of a cell; in a row that has no room for it, cells go on below
_LINE, _LABEL_LINE = 15, 17
_TEXT_SIZE, _LABEL_SIZE = 11.0, 11.5
_MOST_LINES = 7
_MOST_HEIGHT = 4_000
_MOST_TEXT = 1_500  # characters of a box
_MOST_PAGE_LINES = 4_000


@dataclass(frozen=True, slots=True)
class BlockBox:
    """A part of a block on the picture, measured from the upper left of the page's own corner."""

    left: float
    top: float
    width: float
    height: float
    block: Block
    label: str
    lines: tuple[str, ...]  # of text, as they fit

    @property
    def bottom(self) -> float:
        return self.top + self.height


def blocks_drawing(page: BlockedPage, *, topic: str, source: str) -> Drawing:
    """The picture, 1,000 pixels wide and as high as the page needs, up to a bound; what is cut is told."""
    inner = WIDTH - 2 * _MARGIN
    boxes = place(page, inner)
    shown = [box for box in boxes if box.bottom <= _MOST_HEIGHT]
    left_out = len(page.blocks) - len({box.block.number for box in shown})
    tunnel = tunnel_told(page)
    marks: list[Mark] = [
        Text(_MARGIN, 32, fitted(page.document.title or source, inner, 19, bold=True)[0], 19, "ink", bold=True),
        Text(_MARGIN, 57, fitted(f"{source} · topic: {topic}", inner, 13)[0], 13),
        Text(_MARGIN, 79, fitted(tunnel, inner, 13)[0], 13, "ink"),
        *_legend(92, page.verdict.threshold),
    ]
    above = 126
    for box in shown:
        marks += _drawn(box, page, above)
    height = above + max((box.bottom for box in shown), default=0) + 14
    if left_out:
        height += 24
        cut = f"Cut here: {counted(left_out, 'block')} of {len(page.blocks)} not drawn."
        marks.append(Text(_MARGIN, height - 14, cut, 13))
    return Drawing(WIDTH, round(height), tuple(marks), f"{counted(len(page.blocks), 'content block')}; {tunnel}")


def _legend(top: float, threshold: float) -> list[Mark]:
    marks: list[Mark] = []
    x = float(_MARGIN)
    for number, text in shades_told(threshold):
        marks += [Box(x, top, 26, 13, SHADES[number], _edge(number)), Text(x + 33, top + 11, text, 12.5)]
        x += 33 + text_width(text, 12.5) + 22
    return marks


def _drawn(box: BlockBox, page: BlockedPage, above: float) -> list[Mark]:
    number = shade(box.block.score, page.verdict.threshold)
    best = box.block is page.best
    left, top = _MARGIN + box.left, above + box.top
    x, y = left + _PAD, top + _LABEL_LINE - 2
    return [
        Box(left, top, box.width, box.height, SHADES[number], FRAME if best else _edge(number), 3.0 if best else 1.2),
        Text(x, y, box.label, _LABEL_SIZE, "ink", bold=True),
        *(Text(x, y + (place + 1) * _LINE + 1, line, _TEXT_SIZE, "ink") for place, line in enumerate(box.lines)),
    ]


def _edge(number: int) -> str:
    return FRAME if number >= 3 else LINE


# -- where everything stands -------------------------------------------------------------------------------------------


def place(page: BlockedPage, width: float) -> list[BlockBox]:
    """The boxes of a page in a column of ``width``, in document order; no two of them overlap."""
    placing = _Placing(page)
    boxes, _ = placing.piece(arrange(page, page.blocks[0].start + _MOST_PAGE_LINES), 0, 0, width)
    return boxes


class _Placing:
    """Each method gives the boxes of what it places, and how high they stand together."""

    def __init__(self, page: BlockedPage) -> None:
        self._page = page
        self._lines = Lines(page.document)
        self._met: set[int] = set()

    def piece(self, piece: Piece, left: float, top: float, width: float) -> tuple[list[BlockBox], float]:
        if piece.block != SEVERAL:
            box = self._box(piece, left, top, width)
            return [box], box.height
        if piece.kind is Kind.ROW:
            return self._row(piece.parts, left, top, width)
        return self._stack(grouped(piece.parts), left, top, width)

    def _stack(self, parts: Sequence[Piece], left: float, top: float, width: float) -> tuple[list[BlockBox], float]:
        boxes: list[BlockBox] = []
        height = 0.0
        for part in parts:
            if top + height > _MOST_HEIGHT:  # the rest is cut anyway
                break
            height += _GAP if boxes else 0
            more, high = self.piece(part, left, top + height, width)
            boxes += more
            height += high
        return boxes, height

    def _row(self, cells: Sequence[Piece], left: float, top: float, width: float) -> tuple[list[BlockBox], float]:
        fit = max(1, int((width + _GAP) // (_LEAST_WIDTH + _GAP)))
        boxes: list[BlockBox] = []
        height = 0.0
        for first in range(0, len(cells), fit):
            height += _GAP if boxes else 0
            some = cells[first : first + fit]
            more, high = self._side_by_side(some, left, top + height, width)
            boxes += more
            height += high
        return boxes, height

    def _side_by_side(
        self, cells: Sequence[Piece], left: float, top: float, width: float
    ) -> tuple[list[BlockBox], float]:
        """Each cell at least as wide as it must be, and wider the more text it has."""
        weights = [math.sqrt(1 + self._lines.length(cell.start, cell.end)) for cell in cells]
        spare = width - _GAP * (len(cells) - 1) - _LEAST_WIDTH * len(cells)
        columns: list[list[BlockBox]] = []
        height = 0.0
        for cell, weight in zip(cells, weights, strict=True):
            own = width if len(cells) == 1 else _LEAST_WIDTH + spare * weight / sum(weights)
            boxes, high = self.piece(cell, left, top, own)
            columns.append(boxes)
            height = max(height, high)
            left += own + _GAP
        # a column of one box is as high as its row, as a cell is
        columns = [[replace(boxes[0], height=height)] if len(boxes) == 1 else boxes for boxes in columns]
        return [box for boxes in columns for box in boxes], height

    def _box(self, piece: Piece, left: float, top: float, width: float) -> BlockBox:
        block = self._page.blocks[piece.block - 1]
        room = width - 2 * _PAD
        if piece.block in self._met:
            label = f"{block.number}, continued"
        else:
            self._met.add(piece.block)
            best = ", best" if block is self._page.best else ""
            label = f"{block.number}: {block.score:.2f}{best}, {counted(block.links, 'link')}"
        lines = fitted(self._lines.beginning(piece.start, piece.end, _MOST_TEXT), room, _TEXT_SIZE, most=_MOST_LINES)
        height = _LABEL_LINE + _LINE * len(lines) + _PAD
        return BlockBox(left, top, width, height, block, fitted(label, room, _LABEL_SIZE, bold=True)[0], tuple(lines))
