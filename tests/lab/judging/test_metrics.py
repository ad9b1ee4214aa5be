from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.judging.metrics import FAINT, average_precision, best_f1, figures, reliability

PAGES = st.lists(st.tuples(st.sampled_from((0.0, 0.005, 0.01, 0.2, 0.5, 0.8, 1.0)), st.booleans()), max_size=30)
FEW = st.lists(st.tuples(st.sampled_from((0.0, 0.2, 0.5, 0.8)), st.booleans()), min_size=1, max_size=6)
Pages = list[tuple[float, bool]]


def arrays(pages: Pages) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in pages], np.float64), np.array([held for _, held in pages], np.bool_)


def counts(pages: Pages, threshold: float) -> tuple[int, int, int]:
    """Right, wrong and missed."""
    taken = [held for score, held in pages if score > 0 and score >= threshold]
    return sum(taken), len(taken) - sum(taken), sum(held for _, held in pages) - sum(taken)


def f1(pages: Pages, threshold: float) -> float:
    right, wrong, missed = counts(pages, threshold)
    return 2 * right / (2 * right + wrong + missed)


def precision_down_the_list(truth: list[bool]) -> float:
    """The mean, over relevant places of a ranking, of the precision down to each."""
    found = [sum(truth[: place + 1]) / (place + 1) for place, held in enumerate(truth) if held]
    return sum(found) / len(found)


@given(PAGES, st.sampled_from((0.0, 0.1, 0.5, 0.9)))
def test_figures_are_what_counting_gives(pages: Pages, threshold: float) -> None:
    found = figures(*arrays(pages), threshold)
    right, wrong, missed = counts(pages, threshold)
    assert found.precision == (right / (right + wrong) if right + wrong else 0)
    if right + missed:
        assert found.recall == right / (right + missed)
        assert found.f1 == pytest.approx(f1(pages, threshold))
        best = max(f1(pages, cut) for cut in (0.0, *(score for score, _ in pages), 2.0))
        assert found.best_f1 == pytest.approx(best)
        assert found.best_f1 >= found.f1 - 1e-12
    else:
        assert all(map(math.isnan, (found.recall, found.f1, found.best_f1, found.average_precision)))
    if pages:
        squares = [(score - held) ** 2 for score, held in pages]
        assert found.brier == pytest.approx(sum(squares) / len(squares))
    else:
        assert math.isnan(found.brier)


@given(FEW)
def test_average_precision_is_the_mean_over_all_orders_of_equal_scores(pages: Pages) -> None:
    scores, truth = arrays(pages)
    if not truth.any():
        assert math.isnan(average_precision(scores, truth))
        return
    orders = [
        [held for _, held in order]
        for order in permutations(pages)
        if all(first[0] >= second[0] for first, second in pairwise(order))
    ]
    expected = sum(map(precision_down_the_list, orders)) / len(orders)
    assert average_precision(scores, truth) == pytest.approx(expected)


def test_scores_without_a_difference_rank_as_chance_does() -> None:
    truth = np.arange(1_000) < 100
    assert average_precision(np.zeros(1_000), truth) == pytest.approx(0.1, abs=0.01)
    assert best_f1(np.zeros(1_000), truth) == 0, "a page with score 0 is never relevant"


@given(PAGES, st.integers(1, 7))
def test_bins_hold_every_page_once_in_order_and_equal_chances_together(pages: Pages, count: int) -> None:
    chances, truth = arrays(pages)
    bins = reliability(chances, truth, count)
    assert sum(one.pages for one in bins) == len(pages)
    assert all(one.high < other.low for one, other in pairwise(bins))
    for one in bins:
        own = [(score, held) for score, held in pages if one.low <= score <= one.high]
        assert one.pages == len(own)
        assert one.said == pytest.approx(sum(score for score, _ in own) / len(own))
        assert one.held == pytest.approx(sum(held for _, held in own) / len(own))
    faint = [one for one in bins if one.low < FAINT]
    assert len(faint) <= 1
    assert all(one.high < FAINT for one in faint)


@given(st.integers(0, 50), st.integers(1, 60), st.integers(1, 10))
def test_distinct_chances_are_cut_into_equal_parts(faint: int, others: int, count: int) -> None:
    chances = np.concatenate((np.linspace(0, FAINT / 2, faint), np.linspace(0.1, 1.0, others)))
    np.random.default_rng(0).shuffle(chances)
    sizes = [one.pages for one in reliability(chances, chances > 0.5, count)]
    rest = sizes[1:] if faint else sizes
    assert sum(rest) == others
    assert len(rest) == min(count, others)
    assert max(rest) - min(rest) <= 1
