"""Change rates, against METHODS' sentences taken literally and against simulated pages."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.recrawl.revisit.rates import Visit, equal_rate, likeliest_rate, rate_of, rates_of

DAY = 86_400.0
intervals = st.floats(60.0, 400 * DAY)
visits = st.lists(st.builds(Visit, intervals, st.booleans()), min_size=1, max_size=30)


def log_likelihood(rate: float, seen: list[Visit]) -> float:
    """Of Poisson changes: what has changed did so with 1 - exp(-rate tau), what has not with exp(-rate tau)."""
    return sum(
        math.log(-math.expm1(-rate * tau)) if changed else -rate * tau for tau, changed in seen
    )  # fmt: skip


@given(visits)
def test_no_other_rate_is_likelier(seen: list[Visit]) -> None:
    rate = likeliest_rate(seen)
    if not any(visit.changed for visit in seen):
        assert rate == 0
    elif all(visit.changed for visit in seen):
        assert rate == math.inf
    else:
        best = log_likelihood(rate, seen)
        for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0):
            assert log_likelihood(rate * factor, seen) <= best + 1e-9 * abs(best)


@given(visits)
def test_it_is_the_root_that_methods_names(seen: list[Visit]) -> None:
    rate = likeliest_rate(seen)
    if 0 < rate < math.inf:
        left = sum(tau / math.expm1(rate * tau) for tau, changed in seen if changed and rate * tau < 700)
        right = sum(tau for tau, changed in seen if not changed)
        assert left == pytest.approx(right, rel=1e-6)


@given(st.integers(1, 200), st.data(), intervals)
def test_at_equal_intervals_both_ways_are_one(count: int, data: st.DataObject, tau: float) -> None:
    changes = data.draw(st.integers(0, count))
    seen = [Visit(tau, place < changes) for place in range(count)]
    literal = -math.log((count - changes + 0.5) / (count + 0.5)) / tau
    assert equal_rate(count, changes, tau) == pytest.approx(literal, rel=1e-12, abs=1e-300)
    assert rate_of(seen) == pytest.approx(literal, rel=1e-12, abs=1e-300)
    assert likeliest_rate(seen, tau / 2) == pytest.approx(literal, rel=1e-9, abs=1e-300)


@given(visits)
def test_a_rate_is_finite_and_a_change_more_never_lowers_it(seen: list[Visit]) -> None:
    rate = rate_of(seen)
    assert 0 <= rate < math.inf
    more = [Visit(tau, True) for tau, _ in seen]
    assert rate_of(more) >= rate * (1 - 1e-9)


def test_few_visits_shrink_towards_the_site() -> None:
    often = [Visit(DAY, True)] * 20
    never = [Visit(DAY, False)] * 20
    seen = {1: often, 2: never, 3: [Visit(DAY, False)]}
    rates = rates_of(seen, {1: 0, 2: 1, 3: 0, 4: 0, 5: 1, 6: 2})
    assert rates[1] > rates[3] > rates[2], "a page of a lively site that was looked at once"
    assert rates[4] > rates[5], "one that was never looked at has the rate of its site"
    assert rates[5] < rates[6] < rates[4], "and one of an unknown site that of all"
    assert set(rates_of({}, {1: 0, 2: 1}).values()) == {1 / (30 * DAY)}, "nothing is known at all"


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
