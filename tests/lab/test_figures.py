from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dowse.lab.figures import Curve, harvest_figure
from dowse.model.errors import UserError

BLUE, VERMILLION = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)


def curve(label: str, gains: Sequence[int]) -> Curve:
    return Curve(label, np.arange(1, len(gains) + 1), np.cumsum(np.array(gains, np.int64)))


def pixels(path: Path) -> NDArray[np.uint8]:
    """The picture of a PNG as rows of pixels (matplotlib brings the library that reads it)."""
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGBA"))


def where(picture: NDArray[np.uint8], colour: tuple[int, int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ys, xs = np.nonzero((picture[:, :, :3] == colour).all(axis=2))
    return xs, ys


def test_a_png_of_the_right_size_with_the_curves_in_their_places(tmp_path: Path) -> None:
    path = tmp_path / "harvest.png"
    harvest_figure([curve("focused", [1] * 90), curve("bfs", [1, 0, 0] * 30)], path, title="Solar cells")
    picture = pixels(path)
    assert picture.shape == (520, 900, 4)
    assert (picture[0, 0] == 255).all()
    xs, ys = where(picture, BLUE)
    low_xs, low_ys = where(picture, VERMILLION)
    assert xs.min() < 90
    assert low_xs.min() < 100
    # a third of the height for a third of the pages, both measured from the axis at 64 pixels above the bottom
    tall = 520 - 64 - ys[xs < 690].min()
    assert 520 - 64 - low_ys[low_xs < 690].min() == pytest.approx(tall / 3, abs=4)


@pytest.mark.parametrize("gains", [[], [0], [1], [1] * 40_000])
def test_any_number_of_points(tmp_path: Path, gains: list[int]) -> None:
    path = tmp_path / "harvest.png"
    harvest_figure([curve("this crawl", gains)], path, title="t")
    picture = pixels(path)
    assert picture.shape == (520, 900, 4)
    assert (len(where(picture, BLUE)[0]) > 20) == bool(gains)
    assert [entry.name for entry in tmp_path.iterdir()] == ["harvest.png"]


TITLES = {
    "empty": "", "words": "long " * 80, "one word": "W" * 600, "han": "鈣鈦礦太陽能電池" * 40,
    "arabic": "خلايا شمسية \u202e x",
    "formula": "$5 and \\frac{1}{0} $x_{", "control": "a\x00\x1b\nb\ud800", "emoji": "🌞 \U0010ffff",
}  # fmt: skip


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_any_title_without_a_warning(tmp_path: Path, title: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        harvest_figure([curve(title, [1, 0, 1])], tmp_path / "harvest.png", title=title)
    assert pixels(tmp_path / "harvest.png").shape == (520, 900, 4)
    assert caplog.records == []


def test_a_long_title_stays_inside_the_picture(tmp_path: Path) -> None:
    harvest_figure([curve("long " * 50, [1, 0, 1])], tmp_path / "harvest.png", title="Wide words " * 50)
    picture = pixels(tmp_path / "harvest.png")
    assert (picture[:, :20, :3] == 255).all()
    assert (picture[:, -6:, :3] == 255).all()
    assert (picture[:12, :, :3] == 255).all()


def test_svg_by_name_and_the_same_each_time(tmp_path: Path) -> None:
    curves = [curve("a", [1, 0, 1] * 20), curve("b", [0, 1])]
    for name in ("one.svg", "two.SVG"):
        harvest_figure(curves, tmp_path / name, title="t")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.SVG").read_bytes()
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    assert root.get("viewBox") == "0 0 648 374.4"  # 900 by 520 pixels in points


def test_many_curves_and_none(tmp_path: Path) -> None:
    harvest_figure([curve(f"curve {n}", [1, 0] * n) for n in range(30)], tmp_path / "many.png", title="t")
    harvest_figure([], tmp_path / "none.png", title="t")
    assert pixels(tmp_path / "many.png").shape == pixels(tmp_path / "none.png").shape == (520, 900, 4)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*: No such file or directory"):
        harvest_figure([], tmp_path / "no" / "harvest.png", title="t")
