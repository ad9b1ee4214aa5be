"""A page's blocks as a picture file: a box each, laid out like the page, coloured by how near it is to the topic.

Cells of a table row stand side by side, everything else below one another; a box is as high as its text needs, up to a
bound. Import it late: matplotlib, which draws it, is slow to load.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dowse.lab.blocks.layout import SEVERAL, Kind, Piece, arrange, grouped
from dowse.lab.blocks.lines import Lines
from dowse.lab.blocks.measure import Block, BlockedPage
from dowse.lab.blocks.scale import FRAME, LINE, SHADES, shade, shades_told
from dowse.lab.blocks.told import tunnel_told
from dowse.lab.canvas import INK, SOFT, Canvas, fitted, text_width
from dowse.lab.tables import counted

__all__ = ["Box", "place", "write_picture"]

WIDTH = 1000  # pixels, as all that follow
_MARGIN, _GAP, _PAD = 24, 6, 8
_LEAST_WIDTH = 120  # of a cell; in a row that has no room for it, cells go on below
_LINE, _LABEL_LINE = 15, 17
_TEXT_SIZE, _LABEL_SIZE = 8.0, 8.5  # points
_MOST_LINES = 7
_MOST_HEIGHT = 4_000
_MOST_TEXT = 1_500  # characters of a box
_MOST_PAGE_LINES = 4_000
_KEYS = 22  # height of the legend
_HINTED = 0.95  # small letters are drawn on whole pixels, a little wider than they are


@dataclass(frozen=True, slots=True)
class Box:
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


def write_picture(page: BlockedPage, path: Path, *, topic: str, source: str) -> None:
    """Draw a PNG 1,000 pixels wide. The file appears under its name once it is whole; raises UserError when it cannot
    be written."""
    boxes = place(page, WIDTH - 2 * _MARGIN)
    shown = [box for box in boxes if box.bottom <= _MOST_HEIGHT]
    left_out = len(page.blocks) - len({box.block.number for box in shown})
    inner = WIDTH - 2 * _MARGIN
    head = [
        (fitted(page.document.title or source, inner, 14.0, bold=True)[0], 14.0, INK, True, 28),
        (fitted(f"{source} · topic: {topic}", inner, 9.5)[0], 9.5, SOFT, False, 22),
        (fitted(tunnel_told(page), inner, 9.5)[0], 9.5, INK, False, 26),
    ]
    above = 16 + sum(height for *_, height in head) + _KEYS + 12
    below = 14 + (24 if left_out else 0)
    canvas = Canvas(WIDTH, round(above + max((box.bottom for box in shown), default=0) + below))
    top: float = 16
    for text, size, colour, bold, height in head:
        canvas.write(_MARGIN, canvas.height - top, text, size, colour, bold=bold, va="top")
        top += height
    _legend(canvas, top, page.verdict.threshold)
    for box in shown:
        _draw(canvas, box, page, canvas.height - above)
    if left_out:
        canvas.write(_MARGIN, 12, f"Cut here: {counted(left_out, 'block')} of {len(page.blocks)} not drawn.", 9.5, SOFT)
    canvas.save(path)


def _legend(canvas: Canvas, top: float, threshold: float) -> None:
    x = float(_MARGIN)
    for number, text in shades_told(threshold):
        canvas.box(x, canvas.height - top - 13, 26, 13, SHADES[number], edge=_edge(number))
        canvas.write(x + 33, canvas.height - top - 11, text, 9.0, SOFT)
        x += 33 + text_width(text, 9.0) + 22


def _draw(canvas: Canvas, box: Box, page: BlockedPage, top: float) -> None:
    number = shade(box.block.score, page.verdict.threshold)
    best = box.block is page.best
    canvas.box(_MARGIN + box.left, top - box.bottom, box.width, box.height, SHADES[number],
               edge=FRAME if best else _edge(number), edge_width=2.4 if best else 0.9)  # fmt: skip
    x, y = _MARGIN + box.left + _PAD, top - box.top - 5
    canvas.write(x, y, box.label, _LABEL_SIZE, INK, bold=True, va="top")
    for place, line in enumerate(box.lines):
        canvas.write(x, y - _LABEL_LINE - place * _LINE, line, _TEXT_SIZE, INK, va="top")


def _edge(number: int) -> str:
    return FRAME if number >= 3 else LINE


# -- where everything stands -------------------------------------------------------------------------------------------


def place(page: BlockedPage, width: float) -> list[Box]:
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

    def piece(self, piece: Piece, left: float, top: float, width: float) -> tuple[list[Box], float]:
        if piece.block != SEVERAL:
            box = self._box(piece, left, top, width)
            return [box], box.height
        if piece.kind is Kind.ROW:
            return self._row(piece.parts, left, top, width)
        return self._stack(grouped(piece.parts), left, top, width)

    def _stack(self, parts: Sequence[Piece], left: float, top: float, width: float) -> tuple[list[Box], float]:
        boxes: list[Box] = []
        height = 0.0
        for part in parts:
            if top + height > _MOST_HEIGHT:  # the rest is cut anyway
                break
            height += _GAP if boxes else 0
            more, high = self.piece(part, left, top + height, width)
            boxes += more
            height += high
        return boxes, height

    def _row(self, cells: Sequence[Piece], left: float, top: float, width: float) -> tuple[list[Box], float]:
        fit = max(1, int((width + _GAP) // (_LEAST_WIDTH + _GAP)))
        boxes: list[Box] = []
        height = 0.0
        for first in range(0, len(cells), fit):
            height += _GAP if boxes else 0
            some = cells[first : first + fit]
            more, high = self._side_by_side(some, left, top + height, width)
            boxes += more
            height += high
        return boxes, height

    def _side_by_side(self, cells: Sequence[Piece], left: float, top: float, width: float) -> tuple[list[Box], float]:
        """Each cell at least as wide as it must be, and wider the more text it has."""
        weights = [math.sqrt(1 + self._lines.length(cell.start, cell.end)) for cell in cells]
        spare = width - _GAP * (len(cells) - 1) - _LEAST_WIDTH * len(cells)
        columns: list[list[Box]] = []
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

    def _box(self, piece: Piece, left: float, top: float, width: float) -> Box:
        block = self._page.blocks[piece.block - 1]
        room = _HINTED * (width - 2 * _PAD)
        if piece.block in self._met:
            label = f"{block.number}, continued"
        else:
            self._met.add(piece.block)
            best = ", best" if block is self._page.best else ""
            label = f"{block.number}: {block.score:.2f}{best}, {counted(block.links, 'link')}"
        lines = fitted(self._lines.beginning(piece.start, piece.end, _MOST_TEXT), room, _TEXT_SIZE, most=_MOST_LINES)
        height = _LABEL_LINE + _LINE * len(lines) + _PAD
        return Box(left, top, width, height, block, fitted(label, room, _LABEL_SIZE, bold=True)[0], tuple(lines))
