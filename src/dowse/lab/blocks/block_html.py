"""A page's blocks as HTML: the page's tables, lists and lines, coloured by how near each block is to the topic.

The page's own markup is not passed on. What is written is a handful of elements by ``html_markup.element``
(div, table, tr, td, ul, li, span), with texts and addresses as data; links do not lead anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from dowse.lab.blocks.block_layout import SEVERAL, Kind, Piece, arrange
from dowse.lab.blocks.blocked_page import BlockedPage, Lines
from dowse.lab.blocks.legend import block_told, shade, shades_told, tunnel_told
from dowse.lab.html_markup import Html, clip, document, element, join
from dowse.lab.wording import counted
from dowse.model.files import write_whole
from dowse.model.shown import shown
from dowse.parse import RawLink, base_of

__all__ = ["ROOM", "block_markup", "legend", "write_markup"]

ROOM = 400_000
"""Characters of text, addresses and markup that a picture of its own may have, about; what follows is cut."""

_MOST_LINE = 2_000
_MOST_LINKS = 300  # of a line
_MOST_URL = 300
_LEAST_SHOWN = 4
_MOST_COLUMNS = 1_000  # browsers take no more
_OVERHEAD = 60  # of a line's or link's markup
_TAGS = {Kind.TABLE: "table", Kind.ROW: "tr", Kind.CELL: "td", Kind.LIST: "ul", Kind.ITEM: "li"}  # else: div


def write_markup(page: BlockedPage, path: Path, *, topic: str, source: str) -> None:
    """A page of its own with the picture, whole or not at all; UserError when it cannot be written."""
    title = clip(page.document.title, 200) or clip(source, 200)
    body = [
        element("p", "Dowse content blocks", class_="brand"),
        element("h1", element("bdi", title)),
        element("p", element("bdi", clip(source, 400)), class_="soft"),
        element("p", "Topic: ", element("bdi", clip(topic, 400)), class_="soft"),
        element("p", tunnel_told(page)),
        legend(page.verdict.threshold),
        block_markup(page),
    ]
    text = document(f"{title} – content blocks", body)
    write_whole(path, lambda partial: partial.write_text(text, encoding="utf-8", newline="\n"))


def legend(threshold: float) -> Html:
    """What the colours mean."""
    items = (
        element("li", element("span", class_=f"key r{number}"), text) for number, text in shades_told(threshold)
    )  # fmt: skip
    return element("ul", *items, class_="legend")


def block_markup(page: BlockedPage, *, room: int = ROOM, found: Collection[str] = ()) -> Html:
    """The picture alone, about ``room`` characters long at the most. Links to the URLs ``found`` are marked."""
    return _Drawing(page, room, frozenset(found)).whole()


class _Drawing:
    def __init__(self, page: BlockedPage, room: int, found: frozenset[str]) -> None:
        self._page = page
        self._found = found
        self._base = base_of(page.document)
        self._lines = Lines(page.document)
        self._best = page.best
        self._labelled: set[int] = set()
        self._end = self._cut(room)

    def _cut(self, room: int) -> int:
        """The line before which there is room; the first is always drawn."""
        first, last = self._page.blocks[0].start, self._page.blocks[-1].end
        for line in range(first, last):
            links = self._lines.links(line)[:_MOST_LINKS]
            room -= _OVERHEAD + min(len(self._lines.text(line)), _MOST_LINE)
            room -= sum(_OVERHEAD + min(len(link.href), _MOST_URL) + min(len(link.anchor), _MOST_URL) for link in links)
            if room < 0:
                return max(line, first + 1)
        return last

    def whole(self) -> Html:
        drawn = [self._draw(arrange(self._page, self._end))]
        blocks, end = self._page.blocks, self._end
        if end < blocks[-1].end:
            last = self._page.at(end).number
            words = sum(len(self._page.document.lines.line(line)) for line in range(end, blocks[-1].end))
            told = f"Cut here, in block {last} of {len(blocks)}: {counted(words, 'word')} more are not drawn."
            drawn.append(element("p", told, class_="note"))
        return element("div", *drawn, class_="shot")

    # -- pieces --------------------------------------------------------------------------------------------------------

    def _draw(self, piece: Piece, *, inside: bool = False, columns: int = 1) -> Html:
        """``inside``: what is around it has the block's colour already."""
        if piece.block == SEVERAL or inside:
            return self._plain(piece, [], inside=inside, columns=columns)
        block = self._page.blocks[piece.block - 1]
        best = self._best is block
        looks = f"blk r{shade(block.score, self._page.verdict.threshold)}{' best' if best else ''}"
        first = block.number not in self._labelled
        self._labelled.add(block.number)
        told = f"{block.number} · {block.score:.2f}{' · best' if best else ''}" if first else str(block.number)
        label = [element("span", told, class_="tag")]
        if piece.kind is Kind.LIST:  # it has no place for a label
            return element("div", *label, self._plain(piece, [], inside=True), class_=looks, title=block_told(block))
        if piece.kind is Kind.TABLE:
            return element("div", self._plain(piece, label, inside=True), class_=looks, title=block_told(block))
        return self._plain(piece, label, inside=True, columns=columns, class_=looks, title=block_told(block))

    def _plain(self, piece: Piece, label: list[Html], *, inside: bool, columns: int = 1, **attributes: str) -> Html:
        """A piece without a look of its own; ``label`` stands at its top, ``columns`` are those of its table."""
        name = _TAGS.get(piece.kind, "div")
        if piece.kind is Kind.LINE:
            return element(name, *label, *self._line(piece.start), dir="auto", **attributes)
        if piece.kind is Kind.HEADING:
            attributes["class_"] = f"{attributes.get('class_', '')} hd".strip()
        if piece.kind is Kind.ROW:
            return element(name, *self._cells(piece.parts, label, columns, inside=inside), **attributes)
        if piece.kind is Kind.TABLE:
            columns = max(len(row.parts) for row in piece.parts)
            first, *rows = piece.parts
            top = self._plain(first, label, inside=True, columns=columns) if label else (
                self._draw(first, inside=inside, columns=columns)
            )  # fmt: skip
            return element(name, top, *(self._draw(row, inside=inside, columns=columns) for row in rows), **attributes)
        return element(name, *label, *(self._draw(part, inside=inside) for part in piece.parts), **attributes)

    def _cells(self, cells: Sequence[Piece], label: list[Html], columns: int, *, inside: bool) -> Iterator[Html]:
        """The cells of a row, the last with the label; in a row that is short it is taken to be a wide one."""
        for place, cell in enumerate(cells, 1):
            last = place == len(cells)
            wide = {"colspan": str(min(columns - place + 1, _MOST_COLUMNS))} if last and place < columns else {}
            parts = cell.parts
            if not inside and cell.block != SEVERAL:
                parts = (Piece(Kind.STACK, cell.start, cell.end, cell.block, parts),)
            yield element("td", *(label if last else ()), *(self._draw(part, inside=inside) for part in parts), **wide)

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _line(self, line: int) -> list[Html]:
        """The text, its links marked where their anchors stand in it; those that show no text (images) behind it."""
        text = clip(self._lines.text(line), _MOST_LINE)
        parts: list[str] = []
        unseen: list[Html] = []
        at = 0
        for link in self._lines.links(line)[:_MOST_LINKS]:
            start, end = _find(text, shown(link.anchor), at)
            if start < 0:
                unseen += [Html(" "), self._link(link, f"[{clip(link.anchor, _MOST_URL)}]")]
                continue
            parts += [text[at:start], self._link(link, text[start:end])]
            at = end
        return [join((*parts, text[at:])), *unseen]

    def _link(self, link: RawLink, text: str) -> Html:
        url = self._base.join(link.href)
        hit = url is not None and url in self._found
        return element("span", text, class_="a hit" if hit else "a", title=clip(url or "", _MOST_URL))


def _find(text: str, anchor: str, at: int) -> tuple[int, int]:
    """Where an anchor stands in a line, from a place on: as many of its first words as do, since the last may be of a
    title or an image; (-1, -1) when none does. One short word is no sign: it may be anybody's.

    >>> _find("see the lab, or else", "the lab with a title", 0)
    (4, 11)
    """
    shown = anchor
    while shown and (shown == anchor or len(shown) >= _LEAST_SHOWN):
        start = text.find(shown, at)
        if start >= 0:
            return start, start + len(shown)
        shown = shown.rpartition(" ")[0]
    return -1, -1
