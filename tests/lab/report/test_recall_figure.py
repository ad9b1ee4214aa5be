from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from dowse.lab.compare.mean_curves import MeanCurve, mean_curves
from dowse.lab.draw.strategies_chart import Look, looks
from dowse.lab.report.recall_figure import legend, recall_svg, swatch
from dowse.lab.wording import percent
from tests.lab import compared
from tests.lab.draw.test_harvest_chart import SVG

CURVES = mean_curves(compared.results(topics=2, seed_sets=2), 600)
STYLES = looks((curve.strategy, curve.kind) for curve in CURVES)


def test_a_reading_tells_every_strategy_best_first() -> None:
    root = ElementTree.fromstring(recall_svg(CURVES, STYLES, readings=6))
    readings = [group for group in root.iter(f"{SVG}g") if group.get("class") == "reading"]
    assert len(readings) == 6
    last = [mark.text or "" for mark in readings[-1].iter(f"{SVG}text")]
    assert last[0] == "after 600 requests"
    expected = sorted(CURVES, key=lambda curve: -float(curve.height[-1]))
    assert last[1::2] == [curve.strategy for curve in expected]
    for told, curve in zip(last[2::2], expected, strict=True):
        assert told.startswith(percent(float(curve.height[-1])))


@pytest.mark.parametrize(("width", "height"), [(900, 460), (400, 400)])
def test_readings_stay_inside(width: int, height: int) -> None:
    nothing = np.full(9, np.nan)
    many = [
        MeanCurve(f"a long name {n}", "strategy", np.arange(9.0), np.full(9, n / 40), nothing, nothing, 1)
        for n in range(30)
    ]
    for curves in (CURVES, many, CURVES[:1]):
        styles = looks((curve.strategy, curve.kind) for curve in curves)
        root = ElementTree.fromstring(recall_svg(curves, styles, width=width, height=height))
        for box in root.iter(f"{SVG}rect"):
            if box.get("rx"):
                left, top = float(box.attrib["x"]), float(box.attrib["y"])
                assert 0 <= left <= width - float(box.attrib["width"])
                assert 0 <= top <= height - float(box.attrib["height"])


def test_nothing_to_draw_is_said() -> None:
    text = recall_svg([], {})
    assert "no run with targets" in text
    assert ElementTree.fromstring(text).get("aria-label") == "No run with targets"


def test_the_legend_names_each_with_its_line() -> None:
    root = ElementTree.fromstring(legend(CURVES, STYLES))
    assert ["".join(item.itertext()) for item in root] == [curve.strategy for curve in CURVES]
    assert "var(--c1," in swatch(Look("c1"))
    assert "stroke-dasharray" in swatch(Look("soft", (3.0, 2.5)))
