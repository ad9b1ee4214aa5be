"""How often each page is to be visited when so many visits a second may be made in all (METHODS, section 2: Revisit).

A page of rate ``lambda`` that is visited ``f`` times a second, at equal intervals, is fresh for a share
``F(lambda, f)`` of the time. ``uniform`` visits all alike, ``proportional`` those that change most; ``optimal``
maximises ``sum w F`` (Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers", 2003, section 5). What
changes faster than it could be kept up with gets little, or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

__all__ = ["POLICIES", "Policy", "freshness", "optimal", "proportional", "uniform"]

Floats = NDArray[np.float64]
Policy = Callable[[Floats, Floats, float], Floats]
"""Visits a second for each page, by value, rate and visits a second in all."""

_HALVINGS = 100
_STEPS = 8
_EXACT = 1e-10  # of the budget
_SMALLEST = -690.0  # logarithm of a number that is not 0
_LEAST = 1e-17


def freshness(rates: Floats, visits: Floats) -> Floats:
    """``F(lambda, f) = (f / lambda)(1 - exp(-lambda / f))``: 1 where nothing changes, 0 where nobody looks."""
    found = np.where(rates > 0, 0.0, 1.0)
    live = (rates > 0) & (visits > 0)
    ratio = rates[live] / visits[live]
    found[live] = -np.expm1(-ratio) / ratio
    return found


def uniform(values: Floats, rates: Floats, budget: float) -> Floats:
    """All alike, whatever they are."""
    return np.full(len(rates), budget / max(len(rates), 1))


def proportional(values: Floats, rates: Floats, budget: float) -> Floats:
    """As often as they change."""
    total = rates.sum()
    return rates * (budget / total) if total > 0 else uniform(values, rates, budget)


def optimal(values: Floats, rates: Floats, budget: float) -> Floats:
    """Where another visit brings most: ``w / lambda (1 - (1 + r) exp(-r))``, ``r = lambda / f``, is equal for all pages
    that get any, and the others would be below it with all. By bisection on that number, the multiplier: on how far it
    is from what the first visit of all brings, which is what tells rare visits apart."""
    visits = np.zeros(len(rates))
    live = (rates > 0) & (values > 0)
    if not live.any() or budget <= 0:
        return visits if budget <= 0 else uniform(values, rates, budget)
    most = values[live] / rates[live]  # what the first visit brings, when it is rare
    low, high = _SMALLEST, 0.0  # of the logarithm of the gap between the multiplier and the greatest of these
    fewer, more = np.zeros(len(most)), None  # visits for less than the budget, and for more
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        share = _visits_at(math.exp(middle), most, rates[live])
        over = share.sum() - budget
        if abs(over) <= _EXACT * budget or middle in (low, high):
            break
        if over > 0:
            high, more = middle, share
        else:
            low, fewer = middle, share
    if more is not None and abs(over) > _EXACT * budget:
        # no number lies between: a page is about to be visited at last, at once some often
        share = fewer + (more - fewer) * ((budget - fewer.sum()) / (more.sum() - fewer.sum()))
    visits[live] = share * (budget / share.sum())
    return visits


def _visits_at(gap: float, most: Floats, rates: Floats) -> Floats:
    """The visits at which each page brings ``1 - gap`` of the greatest of ``most``."""
    greatest = most.max()
    own_gap = (most - greatest + gap * greatest) / most  # (1 + r) exp(-r), which is what a page is still missing
    visits = np.zeros(len(rates))
    some = own_gap > 0
    wanted = (1 - gap) * greatest / most[some]
    missing = np.where(wanted < 0.5, -np.log1p(-np.minimum(wanted, 0.5)), -np.log(own_gap[some]))
    visits[some] = rates[some] / _inverse(np.maximum(missing, _LEAST))
    return visits


def _inverse(missing: Floats) -> Floats:
    """The ``r`` at which ``r - log(1 + r)`` is so much, by Newton's method from above: it is convex and rises."""
    r = missing + np.sqrt(2 * missing)
    for _ in range(_STEPS):
        # for a small r that is the difference of two numbers that nearly agree; then it is r^2 / 2 - r^3 / 3
        value = np.where(r < 1e-4, r * r * (0.5 - r / 3), r - np.log1p(r))
        r -= (value - missing) * (1 + r) / r
    return r


POLICIES: Mapping[str, Policy] = MappingProxyType({"auto": optimal, "uniform": uniform, "proportional": proportional})
"""By the name that a user gives them."""
