from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dowse.lab.draw.drawing import Drawing, Line, Text
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.draw.svg import svg_in_page
from dowse.lab.judging.reliability import reliability_curves
from dowse.lab.judging.reliability_chart import reliability_chart
from dowse.lab.judging.trials import Setting
from tests.lab.draw.painted import BLUE, TITLES, pixels, where
from tests.lab.draw.test_harvest_chart import LOWER, SVG, places
from tests.lab.judging.made import trial

NUMBERS = (0, 1, 3, 8, 20, 50)
SETTINGS = [
    *(Setting("similarity", "", number, 0) for number in NUMBERS), Setting("similarity", "", 8, 8),
    Setting("learned", "bfs", 8, 0), Setting("learned", "learning", 8, 0),
]  # fmt: skip
CURVES = reliability_curves([trial("bread", setting) for setting in SETTINGS])


def texts(drawing: Drawing, role: str = "") -> list[str]:
    return [mark.text for mark in drawing.marks if isinstance(mark, Text) and (not role or mark.role == role)]


def test_a_panel_a_judge_and_background_a_curve_a_number_of_examples() -> None:
    drawing = reliability_chart(CURVES, title="Verdicts")
    assert texts(drawing, "name") == ["similarity", "learned, background by bfs", "learned, background by learning"]
    assert {"name alone", "1 example", "50 examples"} <= set(texts(drawing))
    curves = [mark for mark in drawing.marks if isinstance(mark, Line) and mark.role == "curve"]
    assert len(curves) == len(NUMBERS) + 2, "those with counter-examples are in the table only"
    assert len({line.colour for line in curves[: len(NUMBERS)]}) == len(NUMBERS)
    assert curves[3].colour == curves[-1].colour, "a number of examples has one colour in all panels"
    for x, y in (point for line in curves for point in line.points):
        assert 0 <= x <= drawing.width
        assert 0 <= y <= drawing.height
    assert "similarity, learned" in drawing.told


def test_the_numbers_in_the_picture_are_those_of_the_bins() -> None:
    [curve] = reliability_curves([trial("bread", SETTINGS[0])])
    root = ElementTree.fromstring(svg_in_page(reliability_chart([curve], title="Verdicts")))
    x0, per_x = places(root, "x", "x")
    y0, per_y = places(root, "y", "y")
    [line] = [line for line in root.iter(f"{SVG}polyline") if line.get("class") == "curve"]
    drawn = np.array([[float(part) for part in pair.split(",")] for pair in line.attrib["points"].split()])
    assert (drawn[:, 0] - x0) / per_x == pytest.approx([100 * one.said for one in curve.bins], abs=0.1)
    assert (drawn[:, 1] - (y0 - LOWER)) / per_y == pytest.approx([100 * one.held for one in curve.bins], abs=0.5)


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_any_title_is_painted(tmp_path: Path, title: str) -> None:
    drawing = reliability_chart(CURVES[:1], title=title)
    save_picture(drawing, tmp_path / "p.png")
    save_picture(drawing, tmp_path / "p.svg")
    assert len(where(pixels(tmp_path / "p.png"), BLUE)[0]) > 50
    ElementTree.parse(tmp_path / "p.svg")


def test_nothing_to_draw_is_a_picture_all_the_same() -> None:
    assert reliability_chart([], title="Verdicts").height > 0
