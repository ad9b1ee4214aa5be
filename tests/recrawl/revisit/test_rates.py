"""Change rates, against METHODS' sentences taken literally, one page at a time, and against simulated pages."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.recrawl.revisit.rates import Visit, Visits, equal_rate, rate_of, rates_of

DAY = 86_400.0
USUAL = 1 / (30 * DAY)
intervals = st.floats(60.0, 400 * DAY)
visits = st.lists(st.builds(Visit, intervals, st.booleans()), min_size=1, max_size=30)
collections = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.builds(Visit, intervals, st.booleans()), max_size=8)), max_size=8
)


def likeliest(seen: list[Visit], unchanged_s: float = 0.0) -> float:
    """The root of ``sum over changed of tau / (exp(lambda tau) - 1) = sum over unchanged of tau``, by bisection;
    ``unchanged_s`` more on the right."""
    right = unchanged_s + sum(tau for tau, changed in seen if not changed)
    low, high = 0.0, 1.0
    for _ in range(2000):
        middle = (low + high) / 2
        left = sum(tau / math.expm1(middle * tau) for tau, changed in seen if changed and 0 < middle * tau < 700)
        low, high = (middle, high) if left > right else (low, middle)
        if middle in (low, high) and high - low <= 1e-15 * high:
            break
    return (low + high) / 2


def literal_rate(seen: list[Visit]) -> float:
    if not any(visit.changed for visit in seen):
        return 0.0
    return likeliest(seen, sum(tau for tau, _ in seen) / len(seen) / 2)


def log_likelihood(rate: float, seen: list[Visit]) -> float:
    """Of Poisson changes: what has changed did so with 1 - exp(-rate tau), what has not with exp(-rate tau)."""
    return sum(
        math.log(-math.expm1(-rate * tau)) if changed else -rate * tau for tau, changed in seen
    )  # fmt: skip


def columns(pages: list[list[Visit]]) -> Visits:
    rows = [(place, *visit) for place, seen in enumerate(pages) for visit in seen]
    group, tau, changed = list(zip(*rows, strict=True)) or [()] * 3
    return Visits(np.array(group, np.int64), np.array(tau, float), np.array(changed, bool))


@given(visits)
def test_the_literal_rate_is_the_likeliest(seen: list[Visit]) -> None:
    if len({visit.changed for visit in seen}) == 2:
        rate = likeliest(seen)
        best = log_likelihood(rate, seen)
        for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0):
            assert log_likelihood(rate * factor, seen) <= best + 1e-9 * abs(best)


@given(visits)
def test_the_rate_is_the_root_that_methods_names(seen: list[Visit]) -> None:
    assert rate_of(seen) == pytest.approx(literal_rate(seen), rel=1e-7)


@given(collections)
def test_all_at_once_as_one_by_one(pages: list[tuple[int, list[Visit]]]) -> None:
    """Few visits shrink a page towards its site, and a site towards all."""

    def shrunk(seen: list[Visit], towards: float) -> float:
        return (len(seen) * literal_rate(seen) + 2 * towards) / (len(seen) + 2)

    sites, seen = [site for site, _ in pages], [found for _, found in pages]
    usual = shrunk([visit for found in seen for visit in found], USUAL)
    expected = []
    for site, found in pages:
        there = [visit for other, visits in pages if other == site for visit in visits]
        expected.append(shrunk(found, shrunk(there, usual)))
    assert rates_of(columns(seen), np.array(sites, np.int64)).tolist() == pytest.approx(expected, rel=1e-6)


@given(st.integers(1, 200), st.data(), intervals)
def test_at_equal_intervals_both_ways_are_one(count: int, data: st.DataObject, tau: float) -> None:
    changes = data.draw(st.integers(0, count))
    seen = [Visit(tau, place < changes) for place in range(count)]
    literal = -math.log((count - changes + 0.5) / (count + 0.5)) / tau
    assert equal_rate(*np.array([[count], [changes], [tau]])).item() == pytest.approx(literal, rel=1e-12, abs=1e-300)
    assert rate_of(seen) == pytest.approx(literal, rel=1e-12, abs=1e-300)
    assert literal_rate(seen) == pytest.approx(literal, rel=1e-9, abs=1e-300)


@given(visits)
def test_a_rate_is_finite_and_a_change_more_never_lowers_it(seen: list[Visit]) -> None:
    rate = rate_of(seen)
    assert 0 <= rate < math.inf
    more = [Visit(tau, True) for tau, _ in seen]
    assert rate_of(more) >= rate * (1 - 1e-9)


def test_few_visits_shrink_towards_the_site() -> None:
    often = [Visit(DAY, True)] * 20
    never = [Visit(DAY, False)] * 20
    seen = columns([often, never, [Visit(DAY, False)]])
    rates = rates_of(seen, np.array([5, 7, 5, 5, 7, 9]))
    assert rates[0] > rates[2] > rates[1], "a page of a lively site that was looked at once"
    assert rates[3] > rates[4], "one that was never looked at has the rate of its site"
    assert rates[4] < rates[5] < rates[3], "and one of an unknown site that of all"
    assert rates_of(columns([]), np.array([0, 1])).tolist() == [USUAL] * 2, "nothing is known at all"


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_estimates_of_many_pages_lie_about_the_truth(rate: float) -> None:
    """Each simulated page changes at a known rate; the mean of the estimates is within four standard errors of it."""
    dice = random.Random(5)
    found = []
    for _ in range(400):
        seen = []
        for _ in range(40):
            tau = dice.choice((0.5, 1.0, 2.0))
            seen.append(Visit(tau, dice.random() < -math.expm1(-rate * tau)))
        found.append(rate_of(seen))
    mean = sum(found) / len(found)
    error = math.sqrt(sum((one - mean) ** 2 for one in found) / (len(found) - 1) / len(found))
    assert abs(mean - rate) < 4 * error + 0.02 * rate
