from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from dowse.lab.chart import rate_window, svg_curve, svg_file
from dowse.store import HarvestCurve

SVG = "{http://www.w3.org/2000/svg}"


def curve(gains: list[bool]) -> HarvestCurve:
    return HarvestCurve(np.arange(1, len(gains) + 1), np.cumsum(np.array(gains, np.int64)))


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


def drawn(root: Element, name: str) -> list[tuple[float, float]]:
    [line] = [line for line in root.iter(f"{SVG}polyline") if line.get("class") == name]
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.attrib["points"].split())]


@pytest.mark.parametrize("size", [(900, 430), (400, 400)])
@pytest.mark.parametrize("pages", [12, 155, 487])
def test_the_numbers_in_the_picture_are_the_curve(size: tuple[int, int], pages: int) -> None:
    given_curve = curve([n * n % 7 < 3 for n in range(pages)])
    root = ElementTree.fromstring(svg_curve(given_curve, width=size[0], height=size[1]))
    x0, per_page = places(root, "x", "x")
    y0, per_find = places(root, "y", "y")
    points = [((x - x0) / per_page, (y - (y0 - 4)) / per_find) for x, y in drawn(root, "found")]  # text sits 4 lower
    assert len(points) == pages + 1
    assert np.allclose([x for x, _ in points], [0, *given_curve.pages], atol=0.1)
    assert np.allclose([y for _, y in points], [0, *given_curve.relevant], atol=0.1)


def test_the_moving_rate_in_the_picture_is_the_rate() -> None:
    given_curve = curve([n % 3 == 0 or n > 200 for n in range(300)])
    root = ElementTree.fromstring(svg_curve(given_curve))
    y0, per_percent = places(root, "rate", "y")
    shown = [(y - (y0 - 4)) / per_percent / 100 for _, y in drawn(root, "rate")]
    gains = np.diff(given_curve.relevant, prepend=0)
    assert rate_window(300) == 20
    assert np.allclose(shown, [gains[end - 20 : end].mean() for end in range(20, 301)], atol=0.002)


def test_everything_lies_inside_the_picture() -> None:
    for gains in ([True] * 60, [False] * 60, [True], [False], [n % 40 == 0 for n in range(900)]):
        root = ElementTree.fromstring(svg_curve(curve(gains), width=400, height=400))
        for name in ("found", "rate"):
            assert all(0 <= x <= 400 and 0 <= y <= 400 for x, y in drawn(root, name))


def test_an_empty_curve_says_so() -> None:
    text = svg_curve(curve([]))
    assert "no page fetched yet" in text
    assert ElementTree.fromstring(text).get("aria-label") == "Harvest curve: no page fetched yet"


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    text = svg_curve(curve([n % 5 == 0 for n in range(100_000)]))
    assert len(text) < 40_000
    assert "20,000 relevant pages among 100,000 fetched, a harvest rate of 20.0 %" in text
    root = ElementTree.fromstring(text)
    x0, per_page = places(root, "x", "x")
    assert (drawn(root, "found")[-1][0] - x0) / per_page == pytest.approx(100_000, rel=1e-3)
    assert not re.search("nan|inf", text)


def test_as_a_file_it_has_a_title_and_the_same_curve() -> None:
    given_curve = curve([n % 3 == 0 for n in range(60)])
    alone = ElementTree.fromstring(svg_file(given_curve, "a <b> & c " * 20))
    inside = ElementTree.fromstring(svg_curve(given_curve))
    assert drawn(alone, "found") == drawn(inside, "found")
    assert alone.get("aria-label") == inside.get("aria-label")
    [title] = [text.text or "" for text in alone.iter(f"{SVG}text") if (text.text or "").startswith("a <b>")]
    assert len(title) <= 90
    assert title.endswith("…")
