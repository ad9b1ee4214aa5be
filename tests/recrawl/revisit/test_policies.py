"""Policies, against literal versions of METHODS' formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dowse.recrawl.revisit.policies import POLICIES, freshness, optimal, proportional, uniform

pages = st.lists(st.tuples(st.floats(0.01, 1.0), st.floats(0.001, 100.0)), min_size=1, max_size=12)
budgets = st.floats(0.01, 100.0)


def literal_freshness(rate: float, visits: float) -> float:
    if rate == 0:
        return 1.0
    return (visits / rate) * (1 - math.exp(-rate / visits)) if visits > 0 else 0.0


def columns(found: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    values, rates = zip(*found, strict=True)
    return np.array(values), np.array(rates)


@given(
    st.lists(st.tuples(st.just(0.0) | st.floats(1e-4, 10), st.just(0.0) | st.floats(1e-4, 10)), min_size=1, max_size=8)
)
def test_freshness(found: list[tuple[float, float]]) -> None:
    rates, visits = columns(found)
    expected = [literal_freshness(rate, often) for rate, often in found]
    assert freshness(rates, visits).tolist() == pytest.approx(expected, rel=1e-4, abs=1e-6)


@given(pages, budgets)
def test_each_spends_its_budget(found: list[tuple[float, float]], budget: float) -> None:
    values, rates = columns(found)
    for policy in POLICIES.values():
        visits = policy(values, rates, budget)
        assert visits.min() >= 0
        assert visits.sum() == pytest.approx(budget)


@given(pages, budgets)
@example([(0.5, 25.0), (0.75, 12.0)], 11.0)  # the multiplier of both lies between two numbers
@example([(0.5, 26.0), (0.75, 11.0)], 11.0)
def test_another_visit_brings_as_much_wherever_there_are_any(found: list[tuple[float, float]], budget: float) -> None:
    values, rates = columns(found)
    visits = optimal(values, rates, budget)
    brings = [
        value / rate * (1 - (1 + rate / often) * math.exp(-rate / often))
        for value, rate, often in zip(values, rates, visits, strict=True)
        if often > 1e-4 * rate and rate / often > 1e-3
    ]
    if len(brings) > 1:
        assert min(brings) == pytest.approx(max(brings), rel=1e-3)
    for value, rate, often in zip(values, rates, visits, strict=True):
        if often == 0 and brings:
            assert value / rate <= max(brings) * (1 + 1e-3), "its share would be below the others'"


@settings(max_examples=60)
@given(pages, budgets, st.integers(0, 2**32 - 1))
def test_no_other_share_of_the_budget_is_better(
    found: list[tuple[float, float]], budget: float, seed: int
) -> None:  # fmt: skip
    values, rates = columns(found)
    best = (values * freshness(rates, optimal(values, rates, budget))).sum()
    for share in np.random.default_rng(seed).dirichlet(np.ones(len(values)), 20):
        assert (values * freshness(rates, share * budget)).sum() <= best * (1 + 1e-6)
    for policy in (uniform, proportional):
        assert (values * freshness(rates, policy(values, rates, budget))).sum() <= best * (1 + 1e-6)


def test_what_changes_too_fast_to_keep_up_with_gets_nothing() -> None:
    visits = optimal(np.ones(3), np.array([0.1, 0.2, 1000.0]), 0.3)
    assert visits[2] == 0
    assert visits[:2].min() > 0
    assert proportional(np.ones(3), np.array([0.1, 0.2, 1000.0]), 0.3)[2] > 0.29


def test_nothing_that_changes_and_nothing_at_all() -> None:
    for policy in POLICIES.values():
        assert policy(np.ones(2), np.zeros(2), 4.0).tolist() == [2.0, 2.0]
        assert policy(np.zeros(0), np.zeros(0), 4.0).tolist() == []
