"""The picture: boxes where the page has its blocks, none over another, and the file itself."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from PIL import Image

from dowse.lab.blocks.block_picture import BlockBox, blocks_drawing, place
from dowse.lab.blocks.blocked_page import BlockedPage
from dowse.lab.blocks.legend import SHADES
from dowse.lab.draw.picture_file import save_picture
from dowse.model.errors import UserError
from tests.lab.blocks.pages import blocked, judge
from tests.parse.pages import mutated_pages

WIDTH = 952.0


def overlap(one: BlockBox, other: BlockBox) -> bool:
    beside = one.left + one.width <= other.left + 0.01 or other.left + other.width <= one.left + 0.01
    return not beside and one.top < other.bottom - 0.01 and other.top < one.bottom - 0.01


def check(boxes: list[BlockBox]) -> None:
    assert all(box.left >= 0 and box.left + box.width <= WIDTH + 0.01 and box.top >= 0 for box in boxes)
    assert not [pair for pair in combinations(boxes[:150], 2) if overlap(*pair)]
    for box in boxes:
        assert box.height >= 17 + 15 * len(box.lines)


def test_cells_of_a_row_stand_side_by_side() -> None:
    boxes = place(blocked(), WIDTH)
    check(boxes)
    assert [box.block.number for box in boxes] == [1, 1, 2, 3, 4]
    head, menu, laboratory, kitchen, foot = boxes
    assert head.top < menu.top == laboratory.top == kitchen.top < foot.top
    assert menu.left < laboratory.left < kitchen.left
    assert menu.height == laboratory.height == kitchen.height
    assert head.width == foot.width == WIDTH
    assert menu.label == "1, continued"
    assert laboratory.label == f"2: {laboratory.block.score:.2f}, best, 1 link"
    assert " ".join(laboratory.lines).startswith("Laboratory · Perovskite solar")


def test_a_box_is_as_high_as_its_text_up_to_a_bound() -> None:
    heights = [place(blocked(f"<p>{'word ' * count}"), WIDTH)[0].height for count in (1, 100, 400, 40_000)]
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_a_row_without_room_goes_on_below() -> None:
    cells = "".join(f"<td><ul><li><a href=/{n}>cell {n}</a></ul>" for n in range(40))
    boxes = place(blocked(f"<table><tr>{cells}</table>"), WIDTH)
    check(boxes)
    assert len(boxes) == 40
    assert len({box.top for box in boxes}) > 3


def draw(page: BlockedPage, path: Path, *, topic: str, source: str) -> None:
    save_picture(blocks_drawing(page, topic=topic, source=source), path)


def pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGB"))


def count(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], colour: str) -> int:
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return int((picture == wanted).all(axis=2).sum())


def test_the_file_shows_each_block_in_its_colour(tmp_path: Path) -> None:
    page, path = blocked(), tmp_path / "p.png"
    draw(page, path, topic="perovskite solar cells", source="http://lune.test/")
    picture = pixels(path)
    assert picture.shape[1] == 2000
    assert 500 < picture.shape[0] < 1200
    [box] = [box for box in place(page, WIDTH) if box.block.number == 2]
    assert count(picture, SHADES[3]) > 4 * 0.7 * box.width * box.height
    assert [entry.name for entry in tmp_path.iterdir()] == ["p.png"]


def test_a_long_page_is_cut_and_the_picture_says_so(tmp_path: Path) -> None:
    items = "".join(f"<tr><td><ul><li><a href=/{n}>perovskite {n}</a></ul>" for n in range(500))
    path = tmp_path / "p.png"
    draw(blocked(f"<table>{items}</table>", judge(0.01)), path, topic="t", source="s")
    assert 3_900 < pixels(path).shape[0] < 4_300


@pytest.mark.parametrize(
    "html", ["", "<title>$x^2$ 鈣鈦礦 \u202e \x00</title><p>$\\frac{1}{2}$ خلايا <a href=/>☃ \ud800</a>"]
)
def test_any_text_can_be_drawn(html: str, tmp_path: Path) -> None:
    draw(blocked(html), tmp_path / "p.png", topic="$x$", source="\x1b[31m")
    assert pixels(tmp_path / "p.png").shape[1] == 2000


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot write"):
        draw(blocked(), tmp_path / "no" / "p.png", topic="x", source="y")


@settings(max_examples=40, deadline=None)
@given(mutated_pages)
def test_no_boxes_overlap_on_any_page(body: bytes) -> None:
    check(place(blocked(body), WIDTH))
