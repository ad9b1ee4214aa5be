from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.measured import Round, auc, measured

scored = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30).filter(
    lambda pairs: len({truth for truth, _ in pairs}) == 2
)


def folds(count: int, of: int = 1) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return (np.arange(count) % of).astype(np.intp)


@given(scored)
def test_auc_is_the_share_of_pairs_in_order(pairs: list[tuple[bool, int]]) -> None:
    inside = [score for truth, score in pairs if truth]
    outside = [score for truth, score in pairs if not truth]
    won = sum((a > b) + 0.5 * (a == b) for a in inside for b in outside)
    truth = np.array([truth for truth, _ in pairs])
    found = auc(np.array([score for _, score in pairs], np.float64), truth)
    assert found == pytest.approx(won / len(inside) / len(outside))


@given(scored, st.floats(0, 5))
def test_figures_are_what_they_are_called(pairs: list[tuple[bool, int]], cut: float) -> None:
    truth = np.array([truth for truth, _ in pairs])
    scores = np.array([score for _, score in pairs], np.float64)
    found = measured(truth, [Round(scores >= cut, scores, folds(len(pairs)))], 1)
    hits = sum(truth and score >= cut for truth, score in pairs)
    chosen = sum(score >= cut for _, score in pairs)
    assert found.recall.value == pytest.approx(hits / truth.sum())
    assert found.precision.value == pytest.approx(hits / chosen if chosen else 0)
    assert found.f1.value == pytest.approx(2 * hits / (truth.sum() + chosen))
    for figure in (found.precision, found.recall, found.f1, found.auc):
        assert 0 <= figure.low <= figure.value + 1e-9
        assert figure.value - 1e-9 <= figure.high <= 1
        assert figure.spread == 0


def test_perfect_figures_of_few_examples_are_not_certain() -> None:
    bounds = []
    for size in (8, 30, 300):
        truth = np.repeat([True, False], size)
        one = Round(truth, truth.astype(np.float64), folds(2 * size))
        found = measured(truth, [one, one], 4)
        assert (found.auc.value, found.auc.high, found.f1.value) == (1.0, 1.0, 1.0)
        bounds.append((found.auc.low, found.f1.low, found.recall.low))
    assert bounds[0][0] < 0.85
    assert bounds[0][2] == pytest.approx(1 / (1 + 1.6448536269514722**2 / 8)), "Wilson's bound at the end"
    assert sorted(bounds) == bounds, "more examples, less doubt"
    assert bounds[2][0] > 0.98


def test_newcombe_is_the_place_where_the_distance_is_the_standard_error() -> None:
    truth = np.repeat([True, False], [20, 30])
    scores = np.concatenate([np.arange(20) + 8.5, np.arange(30)])
    found = measured(truth, [Round(truth, scores, folds(50))], 1).auc
    for bound in (found.low, found.high):
        mean = (20 + 30) / 2 - 1
        variance = bound * (1 - bound) * (1 + mean * (1 - bound) / (2 - bound) + mean * bound / (1 + bound)) / 600
        assert abs(bound - found.value) == pytest.approx(1.6448536269514722 * math.sqrt(variance))


def test_scores_of_different_folds_are_not_compared() -> None:
    """Each model ranks its own fold well, on a scale of its own."""
    truth = np.array([True, False, True, False])
    scores = np.array([1.0, 0.0, 101.0, 100.0])
    assert measured(truth, [Round(truth, scores, np.array([0, 0, 1, 1], np.intp))], 2).auc.value == 1.0
    assert auc(scores, truth) == 0.75


def test_the_spread_is_that_between_rounds() -> None:
    truth = np.array([True, True, False, False])
    good, bad = (Round(np.array(chosen), truth.astype(np.float64), folds(4)) for chosen in (
        [True, True, False, False], [True, False, False, False]
    ))  # fmt: skip
    found = measured(truth, [good, bad], 2)
    assert (found.recall.value, found.recall.spread) == (0.75, 0.25)
