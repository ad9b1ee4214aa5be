from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from dowse.lab.compare_chart import legend, svg_recall, swatch
from dowse.lab.curves import MeanCurve, mean_curves
from dowse.lab.html import percent
from dowse.lab.looks import Look, looks
from dowse.lab.results import Kind
from tests.lab import compared
from tests.lab.test_chart import SVG, places

CURVES = mean_curves(compared.results(topics=2, seed_sets=2), 600)
STYLES = looks((curve.strategy, curve.kind) for curve in CURVES)


def test_colours_for_strategies_dashes_for_references() -> None:
    names: list[tuple[str, Kind]] = [(f"s{n}", "strategy") for n in range(20)]
    made = looks([("oracle-path", "oracle"), *names, ("bfs", "baseline"), ("random", "baseline")])
    assert len(set(made.values())) == 23
    assert [made[f"s{n}"].colour for n in range(8)] == [0, 1, 2, 3, 4, 5, 6, 0]
    assert (made["oracle-path"].colour, made["bfs"].colour) == ("ink", "soft")
    assert made["s0"].dashes == ()
    assert all(made[name].dashes for name in ("oracle-path", "bfs", "random", "s7"))


@pytest.mark.parametrize(("width", "height"), [(900, 460), (400, 400)])
def test_the_numbers_in_the_picture_are_the_means(width: int, height: int) -> None:
    root = ElementTree.fromstring(svg_recall(CURVES, STYLES, width=width, height=height))
    x0, per_request = places(root, "x", "x")
    y0, per_percent = places(root, "y", "y")
    lines = [line.attrib["points"] for line in root.iter(f"{SVG}polyline")]
    assert len(lines) == len(CURVES)
    for points, curve in zip(reversed(lines), CURVES, strict=True):
        drawn = np.array([[float(part) for part in pair.split(",")] for pair in points.split()])
        assert np.allclose((drawn[:, 0] - x0) / per_request, curve.at, atol=0.2)
        assert np.allclose((drawn[:, 1] - (y0 - 4)) / per_percent / 100, curve.height, atol=0.001)  # text sits 4 lower
        assert (drawn >= 0).all()
        assert (drawn <= [width, height]).all()


def test_a_reading_tells_every_strategy_best_first() -> None:
    root = ElementTree.fromstring(svg_recall(CURVES, STYLES, readings=6))
    readings = [group for group in root.iter(f"{SVG}g") if group.get("class") == "reading"]
    assert len(readings) == 6
    last = [mark.text or "" for mark in readings[-1].iter(f"{SVG}text")]
    assert last[0] == "after 600 requests"
    expected = sorted(CURVES, key=lambda curve: -float(curve.height[-1]))
    assert last[1::2] == [curve.strategy for curve in expected]
    for told, curve in zip(last[2::2], expected, strict=True):
        assert told.startswith(percent(float(curve.height[-1])))


@pytest.mark.parametrize(("width", "height"), [(900, 460), (400, 400)])
def test_boxes_and_names_stay_inside(width: int, height: int) -> None:
    nothing = np.full(9, np.nan)
    many = [
        MeanCurve(
            f"a strategy with a long name {n}", "strategy", np.arange(9.0), np.full(9, n / 40), nothing, nothing, 1
        )
        for n in range(30)
    ]
    styles = looks((curve.strategy, curve.kind) for curve in many)
    for curves, looked in ((CURVES, STYLES), (many, styles), (CURVES[:1], STYLES)):
        root = ElementTree.fromstring(svg_recall(curves, looked, width=width, height=height))
        for box in root.iter(f"{SVG}rect"):
            if box.get("rx"):
                left, top = float(box.attrib["x"]), float(box.attrib["y"])
                assert 0 <= left <= width - float(box.attrib["width"])
                assert 0 <= top <= height - float(box.attrib["height"])
        rows = sorted(float(mark.attrib["y"]) for mark in root.iter(f"{SVG}text") if mark.get("class") == "name")
        assert all(0 < y < height for y in rows)
        assert (np.diff(rows) > 12).all()


def test_nothing_to_draw_is_said() -> None:
    text = svg_recall([], {})
    assert "no run with targets" in text
    assert ElementTree.fromstring(text).get("aria-label") == "No run with targets"


def test_the_legend_names_each_with_its_line() -> None:
    root = ElementTree.fromstring(legend(CURVES, STYLES))
    assert ["".join(item.itertext()) for item in root] == [curve.strategy for curve in CURVES]
    assert "var(--c1," in swatch(Look(0, ()))
    assert "stroke-dasharray" in swatch(Look("soft", (3.0, 2.5)))
