from __future__ import annotations

import numpy as np
import pytest

from dowse.lab.compare.mean_curves import mean_curves
from dowse.lab.compare.run_results import harvest_function, recall_function
from tests.lab import compared
from tests.lab.compare.test_summary_table import small


def test_mean_curves_are_the_means_of_the_curves() -> None:
    results = compared.results(topics=2, seed_sets=3)
    curves = mean_curves(results, 600)
    assert curves[0].strategy == "oracle-path"
    [hybrid] = [curve for curve in curves if curve.strategy == "hybrid"]
    own = [result for result in results if result["strategy"] == "hybrid"]
    for place in (0, 100, 240):
        requests = hybrid.at[place]
        naive = np.mean([steps.value([requests])[0] for steps in recall_function(own)])
        assert hybrid.height[place] == pytest.approx(naive)
    assert (hybrid.low <= hybrid.height + 1e-9).all()
    assert (hybrid.height <= hybrid.high + 1e-9).all()
    assert hybrid.at[-1] == 600
    assert (np.diff(hybrid.height) >= -1e-12).all()
    assert hybrid.runs == 6


def test_curves_of_few_requests_single_runs_and_runs_without_targets() -> None:
    [curve] = mean_curves([small(), small("bfs", targets=2 + 0) | {"recall": None}], 10)
    assert curve.at.tolist() == list(range(11))
    assert curve.height.tolist() == [0, 0, 0.25, 0.25, 0.25, *[0.5] * 6]
    assert np.isnan(curve.low).all()
    assert mean_curves([], 10) == []


def test_other_functions_of_a_run_have_mean_curves_too() -> None:
    results = compared.results(topics=2, seed_sets=2)
    [hybrid] = [curve for curve in mean_curves(results, 600, harvest_function) if curve.strategy == "hybrid"]
    own = [result for result in results if result["strategy"] == "hybrid"]
    assert hybrid.height[-1] == pytest.approx(np.mean([result["harvest"] for result in own]))
