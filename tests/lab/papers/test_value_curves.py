from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dowse.lab.compare.plan import REFERENCES, Plan
from dowse.lab.papers.value_curves import Height, benefit, efficiency, value_curves
from tests.lab.compare.webs import write_labelled

PLAN = Plan(("best-first",), budget="50%", seed_sets=2, seeds=2, examples=4, min_pages=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


@pytest.mark.parametrize("height", [benefit, efficiency])
def test_every_strategy_has_a_curve_below_the_bound(folder: Path, height: Height) -> None:
    told: list[tuple[int, int]] = []
    drawn = value_curves(height, folder, PLAN, ["solar cells"], told=lambda *at: told.append(at))
    curves = {curve.strategy: curve for curve in drawn.curves}
    assert told == [(1, 1)]
    assert set(curves) == {"best-first", *REFERENCES}
    for curve in curves.values():
        assert curve.at[0] == 0
        assert curve.at[-1] == pytest.approx(50)
        assert (curve.height >= 0).all()
        assert (curve.height <= 1 + 1e-9).all()
    assert curves["knapsack"].height[-1] >= curves["best-first"].height[-1] > curves["random"].height[-1]


def test_benefit_only_grows_and_the_bound_is_efficient(folder: Path) -> None:
    gained = {curve.strategy: curve.height for curve in value_curves(benefit, folder, PLAN, ["solar cells"]).curves}
    assert all((np.diff(column) >= -1e-12).all() for column in gained.values())
    found = {curve.strategy: curve.height for curve in value_curves(efficiency, folder, PLAN, ["solar cells"]).curves}
    assert found["knapsack"][-1] > 0.95


def test_a_label_without_enough_pages_has_no_curve(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    drawn = value_curves(benefit, folder, PLAN, ["rare"], told=lambda *at: told.append(at))
    assert drawn.curves == []
    assert [unfit.label for unfit in drawn.unfit] == ["rare"]
    assert told == [(1, 1)], "it is done with, all the same"
