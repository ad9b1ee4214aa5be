"""What is painted is what was drawn: pixel by pixel where it is simple, and without a word of complaint where not."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from dowse.lab.draw.drawing import Area, Box, Dot, Drawing, Line, Mark, Text
from dowse.lab.draw.raster import paint
from tests.lab.draw.painted import BLUE, TITLES, VERMILLION, pixels, where


def painted(tmp_path: Path, *marks: Mark, height: int = 60) -> Path:
    path = tmp_path / "p.png"
    paint(Drawing(100, height, marks, ""), path, pdf=False)
    return path


def test_marks_lie_where_they_say_two_pixels_for_one(tmp_path: Path) -> None:
    picture = pixels(painted(tmp_path, Box(10, 20, 30, 10, "c1", "c1"), Dot(80, 10, 4, "c2")))
    assert picture.shape == (120, 200, 4)
    xs, ys = where(picture, BLUE)
    assert (xs.min(), xs.max(), ys.min(), ys.max()) == pytest.approx((19, 80, 39, 60), abs=1)
    xs, ys = where(picture, VERMILLION)
    assert (xs.mean(), ys.mean()) == pytest.approx((159.5, 19.5), abs=0.6)
    assert xs.max() - xs.min() == pytest.approx(15, abs=2)


def test_later_marks_lie_on_top_and_dashes_leave_gaps(tmp_path: Path) -> None:
    line = ((0.0, 30.0), (100.0, 30.0))
    picture = pixels(painted(tmp_path, Line(line, "c1", 4), Line(line, "c2", 4, (10, 10))))
    row = picture[60, :, :3]
    assert (row[5] == VERMILLION).all()
    assert (row[30] == BLUE).all()


def test_a_long_picture_has_a_pixel_for_one(tmp_path: Path) -> None:
    picture = pixels(painted(tmp_path, Area(((0, 0), (50, 0), (50, 2000)), "c1"), height=2000))
    assert picture.shape == (2000, 100, 4)


@pytest.mark.parametrize("text", TITLES.values(), ids=TITLES)
def test_any_text_without_a_warning(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        painted(tmp_path, Text(5, 30, text.replace("\ud800", ""), angle=30), Text(5, 50, text[:9], anchor="end"))
    assert caplog.records == []


def test_the_same_drawing_gives_the_same_file(tmp_path: Path) -> None:
    drawing = Drawing(90, 40, (Text(4, 20, "curve"), Line(((1, 1), (80, 30)), "ink")), "")
    files = []
    for number in range(2):
        for pdf in (False, True):
            paint(drawing, path := tmp_path / str(number), pdf=pdf)
            files.append(path.read_bytes())
    assert files[:2] == files[2:]
    assert files[1].startswith(b"%PDF")
