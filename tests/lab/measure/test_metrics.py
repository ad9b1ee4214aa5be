from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.measure import metrics
from dowse.lab.measure.metrics import (
    benefit_ratio,
    harvest_rate,
    harvest_steps,
    moving_rate,
    recall_steps,
    relative_efficiency,
    requests_to_recall,
    shared_targets,
    target_length,
    target_recall,
    value_by_cost,
    value_steps,
)
from dowse.lab.measure.run import Request, Run, Spending, StepFunction

EMPTY = Run.of([])
# Ten requests: robots.txt, five pages, a redirect, an error, two pages.
KINDS = [Request.ROBOTS, *[Request.PAGE] * 5, Request.REDIRECT, Request.ERROR, *[Request.PAGE] * 2]
TEN = Run.of(
    [0, 1, 0, 1, 1, 0, 0, 0, 1, 0],
    target=[0, 0, 0, 1, 1, 0, 0, 0, 1, 0],
    value=[0, 0.5, 0.1, 1, 0.4, 0, 0, 0, 2, 0],
    brought=KINDS,
    wire_bytes=[10, 100, 100, 200, 100, 100, 5, 0, 300, 100],
    ended_s=[1, 2, 2, 3, 4, 5, 6, 16, 17, 18],
    cost=[1, 2, 2, 3, 2, 2, 1, 5, 4, 2],
)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    rows = draw(st.lists(st.tuples(st.sampled_from(Request), st.booleans(), st.booleans(), st.integers(0, 8),
                                   st.integers(0, 8), st.integers(0, 8)), max_size=30))  # fmt: skip
    brought = [row[0] for row in rows]
    page = [kind is Request.PAGE for kind in brought]
    return Run.of(
        [row[1] and is_page for row, is_page in zip(rows, page, strict=True)],
        target=[row[2] and is_page for row, is_page in zip(rows, page, strict=True)],
        value=[row[3] / 4 if is_page else 0 for row, is_page in zip(rows, page, strict=True)],
        brought=brought,
        wire_bytes=[row[4] for row in rows],
        ended_s=list(accumulate(row[5] for row in rows)),
        cost=[row[5] for row in rows],
    )


# -- runs --------------------------------------------------------------------------------------------------------------


def test_a_run_counts_what_was_sent() -> None:
    assert (len(TEN), TEN.pages, TEN.count(Request.REDIRECT), TEN.count(Request.HEAD)) == (10, 7, 1, 0)
    assert TEN.spent("requests").tolist() == list(range(1, 11))
    assert TEN.spent("bytes")[-1] == 1015
    assert TEN.spent("cost")[-1] == 24
    assert TEN.spent("seconds")[-1] == 18


def test_columns_left_out() -> None:
    run = Run.of([True, False])
    assert (run.pages, run.value.tolist(), run.spent("cost").tolist()) == (2, [1, 0], [1, 2])
    assert not run.target.any()


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"target": [True]}, "different lengths"),
        ({"value": [0, -1]}, "value must be finite"),
        ({"cost": [math.nan, 1]}, "cost must be finite"),
        ({"wire_bytes": [-1, 1]}, "wire_bytes"),
        ({"ended_s": [2, 1]}, "ended_s falls"),
        ({"brought": [Request.ERROR, Request.PAGE]}, "brought no page"),
        ({"distance": [-2, 0]}, "distances are at least 0"),
        ({"distance": [0, 1], "brought": [Request.PAGE, Request.ERROR]}, "of pages only"),
    ],
)
def test_columns_that_are_no_crawl(columns: dict[str, list[float]], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Run.of([True, False], **columns)


# -- harvest -----------------------------------------------------------------------------------------------------------


def test_harvest_is_of_pages_not_of_requests() -> None:
    assert harvest_rate(TEN) == pytest.approx(4 / 7)
    assert harvest_rate(EMPTY) == 0
    assert harvest_rate(Run.of([False], brought=[Request.ERROR])) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 60))
def test_moving_rate_is_the_mean_of_the_last_pages(gains: list[bool], window: int) -> None:
    window = min(window, len(gains))
    naive = [sum(gains[end - window : end]) / window for end in range(window, len(gains) + 1)]
    relevant = np.cumsum(np.array(gains, np.int64))
    assert np.allclose(moving_rate(relevant, window), naive)
    assert moving_rate(relevant, len(gains) + 1).tolist() == []
    with pytest.raises(ValueError, match="at least one page"):
        moving_rate(relevant, 0)


def test_harvest_steps_by_requests() -> None:
    assert harvest_steps(TEN).height.tolist() == pytest.approx(
        [0, 1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 3 / 5, 3 / 5, 4 / 6, 4 / 7]
    )


# -- targets -----------------------------------------------------------------------------------------------------------


def test_recall() -> None:
    assert target_recall(TEN, 4) == 0.75
    assert target_recall(EMPTY, 4) == 0
    assert math.isnan(target_recall(EMPTY, 0))
    assert math.isnan(recall_steps(EMPTY, 0).area(10))
    with pytest.raises(ValueError, match="found 3 of 2 targets"):
        target_recall(TEN, 2)


def test_requests_to_recall_counts_all_requests() -> None:
    assert requests_to_recall(TEN, 4) == (5, None, None)
    assert requests_to_recall(TEN, 3) == (5, 9, 9)
    assert requests_to_recall(TEN, 3, (0.01, 1 / 3, 1.0)) == (4, 4, 9)
    assert requests_to_recall(EMPTY, 0) == (None, None, None)
    tens = Run.of([True] * 10, target=[True] * 10)
    assert requests_to_recall(tens, 10, (0.7, 0.1 + 0.2)) == (7, 3)
    with pytest.raises(ValueError, match="shares"):
        requests_to_recall(TEN, 3, (0.0,))


@given(runs(), st.integers(0, 5), st.floats(0.01, 1))
def test_requests_to_recall_by_the_definition(run: Run, missed: int, share: float) -> None:
    targets = int(run.target.sum()) + missed
    reached = [n for n in range(1, len(run) + 1) if targets and run.target[:n].sum() >= share * targets - 1e-9]
    assert requests_to_recall(run, targets, (share,)) == (reached[0] if reached else None,)


def test_target_length_compares_the_same_number() -> None:
    crawls = [[2, 1, 4, 3], [5, 5], [1, 1, 1]]
    shared = shared_targets(crawls)
    assert [target_length(crawl, shared) for crawl in crawls] == [3, 10, 2]
    assert math.isnan(target_length(crawls[1], 3))
    assert target_length([], 0) == 0
    assert shared_targets([]) == 0
    with pytest.raises(ValueError, match="at least 0"):
        target_length([-1], 1)


# -- value and cost ----------------------------------------------------------------------------------------------------


def test_value_by_cost_never_passes_the_budget() -> None:
    assert value_by_cost(TEN, [0, 1, 2.9, 3, 8, 22, 99]).tolist() == pytest.approx([0, 0, 0, 0.5, 1.6, 4, 4])
    tenths = Run.of([True] * 3, cost=[0.1] * 3)
    assert value_by_cost(tenths, [0.3]).tolist() == [3]  # 0.1 + 0.1 + 0.1 > 0.3 by rounding only


def test_benefit_ratio_is_of_the_corpus() -> None:
    steps = benefit_ratio(TEN, 8.0, 48.0)
    assert steps.value([3 / 48, 0.5]).tolist() == pytest.approx([0.5 / 8, 0.5])
    assert np.isnan(benefit_ratio(TEN, 0.0, 48.0).height).all()
    with pytest.raises(ValueError, match="total above 0"):
        benefit_ratio(TEN, 8.0, 0.0)


def test_relative_efficiency() -> None:
    assert relative_efficiency(TEN, [3, 8], [1, 3.2]).tolist() == pytest.approx([0.5, 0.5])
    assert np.isnan(relative_efficiency(TEN, [0], [0])).all()


# -- steps -------------------------------------------------------------------------------------------------------------


@given(runs(), st.sampled_from(["requests", "cost", "bytes", "seconds"]), st.integers(1, 40))
def test_the_area_is_the_sum_of_what_was_found_over_the_rest_of_the_budget(run: Run, by: Spending, budget: int) -> None:
    """Found early counts long: each target adds the budget that was left when it came."""
    targets = int(run.target.sum()) + 1
    spent = run.spent(by)
    naive = sum(max(0.0, budget - spent[n]) for n in range(len(run)) if run.target[n]) / targets / budget
    assert recall_steps(run, targets, by).area(budget) == pytest.approx(naive)
    total = float(run.value.sum()) + 1
    worth = sum(max(0.0, budget - spent[n]) * run.value[n] for n in range(len(run))) / total / budget
    assert value_steps(run, total, by).area(budget) == pytest.approx(worth)


@given(runs(), st.integers(1, 20))
def test_the_area_under_the_harvest_is_its_mean(run: Run, budget: int) -> None:
    """By requests the steps are one wide: the area is the mean over the budgets 0 to B - 1."""
    rates = harvest_steps(run).value(np.arange(budget))
    naive = [harvest_rate(Run.of(run.relevant[:n], brought=run.brought[:n])) for n in range(budget)]
    assert rates.tolist() == pytest.approx(naive)
    assert harvest_steps(run).area(budget) == pytest.approx(sum(naive) / budget)
    assert 0 <= harvest_steps(run).area(budget) <= 1


@given(runs(), st.sampled_from(["requests", "cost", "bytes", "seconds"]))
def test_only_the_changes_make_the_same_function(run: Run, by: Spending) -> None:
    steps = recall_steps(run, int(run.target.sum()) + 1, by)
    few = steps.changes()
    places = np.arange(0, 300, 0.5)
    assert few.value(places).tolist() == steps.value(places).tolist()
    assert few.area(17) == pytest.approx(steps.area(17))
    assert len(few.at) <= run.target.sum()


def test_areas_of_hand_made_steps() -> None:
    assert StepFunction(np.zeros(0), np.zeros(0)).area(5) == 0
    assert StepFunction(np.array([2.0]), np.array([1.0])).area(8) == 0.75
    assert StepFunction(np.array([9.0]), np.array([1.0])).area(8) == 0
    for end in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match="end above 0"):
            StepFunction(np.zeros(0), np.zeros(0)).area(end)


def test_all_metrics_are_public() -> None:
    assert all(hasattr(metrics, name) for name in metrics.__all__)
