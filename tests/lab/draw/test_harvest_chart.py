from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from dowse.lab.draw.drawing import Drawing, Line, Text
from dowse.lab.draw.harvest_chart import harvest_chart, harvests_chart, rate_window
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.draw.svg import svg_file, svg_in_page
from dowse.store import HarvestCurve
from tests.lab.draw.painted import BLUE, TITLES, VERMILLION, pixels, where

SVG = "{http://www.w3.org/2000/svg}"


def curve(gains: Sequence[int | bool]) -> HarvestCurve:
    return HarvestCurve(np.arange(1, len(gains) + 1), np.cumsum(np.array(gains, np.int64)))


def in_page(curve: HarvestCurve, width: int = 900, height: int = 440) -> str:
    return svg_in_page(harvest_chart(curve, width=width, height=height))


def places(root: Element, name: str, along: str) -> tuple[float, float]:
    """The pixel of 0 and pixels a unit on an axis, read from the numbers beside it."""
    found = [
        (float((mark.text or "").replace(",", "").removesuffix(" %")), float(mark.attrib[along]))
        for mark in root.iter(f"{SVG}text")
        if mark.get("class") == name and mark.get("text-anchor") != ("end" if along == "x" else "")
    ]
    (first, start), (last, end) = found[0], found[-1]
    assert first == 0
    return start, (end - start) / (last - first)


LOWER = 12.5 / 3  # than its line stands the text of a number


def drawn(root: Element, name: str) -> list[tuple[float, float]]:
    [line] = [line for line in root.iter(f"{SVG}polyline") if line.get("class") == name]
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.attrib["points"].split())]


# -- one crawl ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(900, 430), (400, 400)])
@pytest.mark.parametrize("pages", [12, 155, 487])
def test_the_numbers_in_the_picture_are_the_curve(size: tuple[int, int], pages: int) -> None:
    given_curve = curve([n * n % 7 < 3 for n in range(pages)])
    root = ElementTree.fromstring(in_page(given_curve, *size))
    x0, per_page = places(root, "x", "x")
    y0, per_find = places(root, "y", "y")
    points = [((x - x0) / per_page, (y - (y0 - LOWER)) / per_find) for x, y in drawn(root, "found")]
    assert len(points) == pages + 1
    assert np.allclose([x for x, _ in points], [0, *given_curve.pages], atol=0.1)
    assert np.allclose([y for _, y in points], [0, *given_curve.relevant], atol=0.1)


def test_the_moving_rate_in_the_picture_is_the_rate() -> None:
    given_curve = curve([n % 3 == 0 or n > 200 for n in range(300)])
    root = ElementTree.fromstring(in_page(given_curve))
    y0, per_percent = places(root, "rate", "y")
    shown = [(y - (y0 - LOWER)) / per_percent / 100 for _, y in drawn(root, "rate")]
    gains = np.diff(given_curve.relevant, prepend=0)
    assert rate_window(300) == 20
    assert np.allclose(shown, [gains[end - 20 : end].mean() for end in range(20, 301)], atol=0.002)


def test_everything_lies_inside_the_picture() -> None:
    for gains in ([True] * 60, [False] * 60, [True], [False], [n % 40 == 0 for n in range(900)]):
        root = ElementTree.fromstring(in_page(curve(gains), 400, 400))
        for name in ("found", "rate"):
            assert all(0 <= x <= 400 and 0 <= y <= 400 for x, y in drawn(root, name))


def test_an_empty_curve_says_so() -> None:
    text = in_page(curve([]))
    assert "no page fetched yet" in text
    assert ElementTree.fromstring(text).get("aria-label") == "Harvest curve: no page fetched yet"


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    text = in_page(curve([n % 5 == 0 for n in range(100_000)]))
    assert len(text) < 40_000
    assert "20,000 relevant pages among 100,000 fetched, a harvest rate of 20.0 %" in text
    root = ElementTree.fromstring(text)
    x0, per_page = places(root, "x", "x")
    assert (drawn(root, "found")[-1][0] - x0) / per_page == pytest.approx(100_000, rel=1e-3)
    assert not re.search("nan|inf", text)


def test_a_title_comes_on_top_and_is_cut() -> None:
    given_curve = curve([n % 3 == 0 for n in range(60)])
    titled = harvest_chart(given_curve, title="a <b> & c " * 40)
    assert titled.height > 440
    root = ElementTree.fromstring(svg_file(titled))
    assert root.get("aria-label") == harvest_chart(given_curve).told
    lines = [text.text or "" for text in root.iter(f"{SVG}text") if "<b>" in (text.text or "")]
    assert len(lines) == 2
    assert lines[1].endswith("…")
    plain = ElementTree.fromstring(in_page(given_curve))
    assert len(drawn(root, "found")) == len(drawn(plain, "found"))


# -- several crawls ----------------------------------------------------------------------------------------------------


def found(drawing: Drawing) -> list[Line]:
    return [mark for mark in drawing.marks if isinstance(mark, Line) and mark.role == "found"]


def test_curves_painted_in_their_places(tmp_path: Path) -> None:
    path = tmp_path / "harvest.png"
    drawing = harvests_chart({"focused": curve([1] * 90), "bfs": curve([1, 0, 0] * 30)}, title="Solar cells")
    save_picture(drawing, path)
    picture = pixels(path)
    assert picture.shape == (2 * drawing.height, 2 * drawing.width, 4)
    assert (picture[0, 0] == 255).all()
    xs, ys = where(picture, BLUE)
    low_xs, low_ys = where(picture, VERMILLION)
    right = max(x for x, _ in found(drawing)[0].points)
    # a third of the height for a third of the pages, both measured from the axis
    axis = 2 * found(drawing)[0].points[0][1]
    tall = axis - ys[xs < 2 * right - 10].min()
    assert axis - low_ys[low_xs < 2 * right - 10].min() == pytest.approx(tall / 3, abs=6)


@pytest.mark.parametrize("gains", [[], [0], [1], [1] * 40_000])
def test_any_number_of_points(gains: list[int]) -> None:
    drawing = harvests_chart({"this crawl": curve(gains)}, title="t")
    assert bool(found(drawing)) == bool(gains)
    assert all(0 <= x <= 800 and 0 <= y <= 460 for line in found(drawing) for x, y in line.points)


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_any_title_stays_inside_the_picture(tmp_path: Path, title: str) -> None:
    save_picture(harvests_chart({title: curve([1, 0, 1])}, title=title), tmp_path / "harvest.png")
    picture = pixels(tmp_path / "harvest.png")
    assert picture.shape == (920, 1600, 4)
    assert (picture[:, :30, :3] == 255).all()
    assert (picture[:, -12:, :3] == 255).all()
    assert (picture[:18, :, :3] == 255).all()


def test_many_curves_look_different_and_none_is_said() -> None:
    many = harvests_chart({f"curve {n}": curve([1, 0] * (n + 1)) for n in range(28)}, title="t")
    assert len({(line.colour, line.dashes) for line in found(many)}) == 28
    none = harvests_chart({}, title="t")
    assert any(isinstance(mark, Text) and mark.text == "no page fetched yet" for mark in none.marks)
