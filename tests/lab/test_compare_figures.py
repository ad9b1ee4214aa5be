from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.compare_figures import curves_figure, topics_figure
from dowse.lab.curves import MeanCurve, mean_curves
from dowse.model.errors import UserError
from tests.lab import compared
from tests.lab.test_figures import BLUE, TITLES, VERMILLION, pixels, where


def flat(name: str, height: float) -> MeanCurve:
    nothing = np.full(2, np.nan)
    return MeanCurve(name, "strategy", np.array([0.0, 100.0]), np.full(2, height), nothing, nothing, 1)


def test_curves_lie_where_their_numbers_say(tmp_path: Path) -> None:
    curves_figure([flat("high", 0.8), flat("low", 0.2)], tmp_path / "recall.png", title="t")
    picture = pixels(tmp_path / "recall.png")
    assert picture.shape == (580, 1000, 4)
    xs, ys = where(picture, BLUE)
    low_xs, low_ys = where(picture, VERMILLION)
    inside, low_inside = xs < 770, low_xs < 770
    top, bottom = ys[inside].mean(), low_ys[low_inside].mean()
    axis = 580 - 64
    assert (axis - top) / (axis - bottom) == pytest.approx(4, abs=0.1)
    assert (picture[:, :6, :3] == 255).all()
    assert (picture[:, -6:, :3] == 255).all()


def test_any_number_of_strategies_and_topics(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        curves_figure([flat(f"strategy {n} with a long name", n / 20) for n in range(20)], tmp_path / "many.png",
                      title="t", note="n " * 300)  # fmt: skip
        curves_figure([], tmp_path / "none.png", title="t")
        curves_figure(mean_curves(compared.results(1, 1, 50), 50), tmp_path / "one.png", title="t")
        topics_figure(compared.results(1, 1, 50), 50, tmp_path / "topic.png", title="t")
        topics_figure([], 50, tmp_path / "no-topic.png", title="t")
    assert caplog.records == []
    assert {pixels(path).shape[1] for path in tmp_path.iterdir()} == {1000}


def test_a_panel_a_topic(tmp_path: Path) -> None:
    skill = {"hybrid": compared.SKILL["hybrid"], "bfs": compared.SKILL["bfs"]}
    heights = []
    for topics in (3, 4, 31):
        topics_figure(compared.results(topics, 1, 40, skill), 40, tmp_path / "topics.png", title="t")
        picture = pixels(tmp_path / "topics.png")
        heights.append(picture.shape[0])
    assert heights[1] - heights[0] == 236
    assert heights[2] - heights[0] == 236 * 9  # 30 topics at most
    xs, ys = where(picture, BLUE)
    assert len({(int(x) // 318, int(y - 130) // 236) for x, y in zip(xs, ys, strict=True)}) >= 30


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_any_title_without_a_warning(tmp_path: Path, title: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        curves_figure([flat(title, 0.5)], tmp_path / "recall.png", title=title, note=title)
    assert pixels(tmp_path / "recall.png").shape == (580, 1000, 4)
    assert caplog.records == []


def test_svg_by_name_the_same_each_time_and_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        curves_figure([flat("a", 0.3)], tmp_path / name, title="t")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    with pytest.raises(UserError, match="cannot write"):
        curves_figure([], tmp_path / "no" / "recall.png", title="t")
