from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dowse.lab.compare.mean_curves import MeanCurve, mean_curves
from dowse.lab.compare.run_results import Kind
from dowse.lab.draw.drawing import Area, Drawing, Line, Text
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.draw.strategies_chart import looks, strategies_chart, topics_chart
from dowse.lab.draw.svg import svg_in_page
from tests.lab import compared
from tests.lab.draw.painted import BLUE, TITLES, VERMILLION, pixels, where
from tests.lab.draw.test_harvest_chart import LOWER, SVG, places

CURVES = mean_curves(compared.results(topics=2, seed_sets=2), 600)


def flat(name: str, height: float) -> MeanCurve:
    nothing = np.full(2, np.nan)
    return MeanCurve(name, "strategy", np.array([0.0, 100.0]), np.full(2, height), nothing, nothing, 1)


def curves_of(drawing: Drawing) -> list[Line]:
    return [mark for mark in drawing.marks if isinstance(mark, Line) and mark.role == "curve"]


def texts(drawing: Drawing) -> list[str]:
    return [mark.text for mark in drawing.marks if isinstance(mark, Text)]


def test_colours_for_strategies_dashes_for_references() -> None:
    names: list[tuple[str, Kind]] = [(f"s{n}", "strategy") for n in range(20)]
    made = looks([("oracle-path", "oracle"), *names, ("bfs", "baseline"), ("random", "baseline")])
    assert len(set(made.values())) == 23
    assert [made[f"s{n}"].colour for n in range(8)] == ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c1"]
    assert (made["oracle-path"].colour, made["bfs"].colour) == ("ink", "soft")
    assert made["s0"].dashes == ()
    assert all(made[name].dashes for name in ("oracle-path", "bfs", "random", "s7"))


@pytest.mark.parametrize(("width", "height"), [(900, 460), (400, 400)])
def test_the_numbers_in_the_picture_are_the_means(width: int, height: int) -> None:
    root = ElementTree.fromstring(svg_in_page(strategies_chart(CURVES, width=width, height=height).drawing))
    x0, per_request = places(root, "x", "x")
    y0, per_percent = places(root, "y", "y")
    lines = [line.attrib["points"] for line in root.iter(f"{SVG}polyline") if line.get("class") == "curve"]
    assert len(lines) == len(CURVES)
    for points, curve in zip(reversed(lines), CURVES, strict=True):
        drawn = np.array([[float(part) for part in pair.split(",")] for pair in points.split()])
        assert np.allclose((drawn[:, 0] - x0) / per_request, curve.at, atol=0.2)
        assert np.allclose((drawn[:, 1] - (y0 - LOWER)) / per_percent / 100, curve.height, atol=0.001)
        assert (drawn >= 0).all()
        assert (drawn <= [width, height]).all()


def test_strategies_have_their_interval_and_all_their_last_value() -> None:
    drawing = strategies_chart(CURVES, title="t").drawing
    ranked = [curve for curve in CURVES if curve.kind == "strategy"]
    assert len([mark for mark in drawing.marks if isinstance(mark, Area)]) == len(ranked)
    best = CURVES[0]
    low, high = 100 * best.low[-1], 100 * best.high[-1]
    assert f"{100 * best.height[-1]:.1f} % ({low:.0f} to {high:.0f})" in texts(drawing)
    assert drawing.told.startswith("Mean recall of the targets after 600 requests: oracle-path 100.0 %, ")


def test_heights_that_are_no_shares() -> None:
    drawing = strategies_chart([flat("a", 0.08), flat("b", 0.05)], title="t", y="error", percents=False).drawing
    assert {"0.08", "0.02", "0.080", "0.050"} <= set(texts(drawing))
    drawing = strategies_chart([flat("a", 812.0)], title="t", y="links", percents=False).drawing
    assert {"800", "812"} <= set(texts(drawing))


def test_curves_painted_in_their_places(tmp_path: Path) -> None:
    chart = strategies_chart([flat("high", 0.8), flat("low", 0.2)], title="t")
    save_picture(chart.drawing, tmp_path / "recall.png")
    picture = pixels(tmp_path / "recall.png")
    assert picture.shape == (1000, 1720, 4)
    (xs, ys), (low_xs, low_ys) = where(picture, BLUE), where(picture, VERMILLION)
    right, axis = 2 * chart.panel.right - 8, 2 * chart.panel.bottom
    top, bottom = ys[xs < right].mean(), low_ys[low_xs < right].mean()
    assert (axis - top) / (axis - bottom) == pytest.approx(4, abs=0.1)
    assert (picture[:, :12, :3] == 255).all()
    assert (picture[:, -12:, :3] == 255).all()


@pytest.mark.parametrize("size", [(860, 500), (900, 460), (400, 400)])
def test_names_stay_inside_and_apart(size: tuple[int, int]) -> None:
    many = [flat(f"a strategy with a long name {n}", n / 40) for n in range(25)]
    for curves in (CURVES, many, CURVES[:1], []):
        drawing = strategies_chart(curves, width=size[0], height=size[1]).drawing
        names = [mark for mark in drawing.marks if isinstance(mark, Text) and mark.role == "name"]
        assert len(names) == (len(curves) if size[0] >= 600 else 0)
        rows = sorted(mark.y for mark in names)
        assert all(0 < y < size[1] for y in rows)
        assert (np.diff(rows) > 12).all()
    assert "no run with targets" in texts(drawing)
    assert drawing.told == "No run with targets"


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_any_title_stays_inside_the_picture(tmp_path: Path, title: str) -> None:
    save_picture(strategies_chart([flat(title, 0.5)], title=title or "t", note=title).drawing, tmp_path / "recall.png")
    picture = pixels(tmp_path / "recall.png")
    assert (picture[:, -12:, :3] == 255).all()


def test_a_panel_a_topic() -> None:
    skill = {"hybrid": compared.SKILL["hybrid"], "bfs": compared.SKILL["bfs"]}
    drawings = [topics_chart(compared.results(n, 1, 40, skill), 40, title="t") for n in (3, 4, 30, 31)]
    assert drawings[1].height - drawings[0].height == 214
    assert [len(curves_of(drawing)) for drawing in drawings] == [6, 8, 60, 60]  # 30 topics at most
    assert "The first 30 of 31 topics." in texts(drawings[3])
    blue = [line for line in curves_of(drawings[2]) if line.colour == "c1"]
    assert len({(int(line.points[0][0]), int(line.points[0][1])) for line in blue}) == 30
    assert all(0 <= x <= 860 and 0 <= y <= drawings[2].height for line in blue for x, y in line.points)
    assert curves_of(topics_chart([], 50, title="t")) == []
