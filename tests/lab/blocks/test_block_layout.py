from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from dowse.lab.blocks.block_layout import SEVERAL, Kind, Piece, arrange, grouped
from dowse.lab.blocks.blocked_page import BlockedPage
from tests.lab.blocks.pages import blocked
from tests.parse.pages import mutated_pages

OUTER = {Kind.ROW: Kind.TABLE, Kind.CELL: Kind.ROW, Kind.ITEM: Kind.LIST}


def shape(piece: Piece) -> str:
    inner = " ".join(map(shape, piece.parts))
    return f"{piece.kind}{piece.block or ''}({inner})" if inner else f"{piece.kind}{piece.block}"


def walk(piece: Piece) -> Iterator[Piece]:
    yield piece
    for part in piece.parts:
        yield from walk(part)


def check(page: BlockedPage, piece: Piece, end: int) -> None:
    """Every line is drawn once, in order, in its block; rows, cells and items stand where they may."""
    lines = [each for each in walk(piece) if each.kind is Kind.LINE]
    assert [line.start for line in lines] == list(range(page.blocks[0].start, end))
    assert all(line.block == page.at(line.start).number for line in lines)
    for outer in walk(piece):
        if outer.block != SEVERAL:
            assert all(part.block == outer.block for part in outer.parts)
        for part in outer.parts:
            assert outer.start <= part.start < part.end <= outer.end
            assert OUTER.get(part.kind, outer.kind) is outer.kind
            if outer.kind in OUTER.values():
                assert part.kind in OUTER


def test_a_portal_keeps_its_rows_and_cells() -> None:
    page = blocked()
    head = "row1(cell1(heading1(line1) line1))"
    menu = "cell1(list1(item1(line1) item1(line1)))"
    laboratory = "cell2(heading2(line2) line2 list2(item2(line2)))"
    kitchen = "cell3(heading3(line3) line3 list3(item3(line3) item3(line3)))"
    assert shape(arrange(page)) == f"table({head} row({menu} {laboratory} {kitchen}) row4(cell4(line4)))"


@pytest.mark.parametrize(
    "html",
    [
        "<svg><td>a<tr>b<li><a href=/>c</a></svg>",
        "<table><caption>a</caption>loose<tr><td><p>b<p>c<tr><li><a href=/>d</a></table>",
        "<table><tr><td><table><tr><td><a href=/>a</a></table></table>",
        "<ul>loose<li>a<ul><li><a href=/>b</a><li><a href=/>c</a></ul><p>d</ul>",
        "<p><table><tr><td><a href=/>x</a></table>",
        "plain",
        "",
    ],
)
def test_odd_markup_is_laid_out(html: str) -> None:
    page = blocked(html)
    check(page, arrange(page), page.blocks[-1].end)


def test_depth_is_bounded() -> None:
    page = blocked("<div>" * 390 + "<a href=/>x</a>")
    assert shape(arrange(page)) == "line1"
    page = blocked("".join(f"<div>{n}" for n in range(390)) + "<a href=/>x</a>")
    check(page, arrange(page), page.blocks[-1].end)


def test_neighbours_of_a_block_are_put_together() -> None:
    pieces = [Piece(Kind.LINE, n, n + 1, block) for n, block in enumerate((1, 1, 2, SEVERAL, SEVERAL, 3, 3, 3))]
    assert [(piece.kind, piece.start, piece.end, piece.block) for piece in grouped(pieces)] == [
        (Kind.STACK, 0, 2, 1), (Kind.LINE, 2, 3, 2), (Kind.LINE, 3, 4, SEVERAL), (Kind.LINE, 4, 5, SEVERAL),
        (Kind.STACK, 5, 8, 3),
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(mutated_pages)
def test_any_page_is_laid_out_whole_or_cut(body: bytes) -> None:
    page = blocked(body)
    last = page.blocks[-1].end
    check(page, arrange(page), last)
    middle = min(last, page.blocks[0].start + max(1, (last - page.blocks[0].start) // 2))
    check(page, arrange(page, middle), middle)
