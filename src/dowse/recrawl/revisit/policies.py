"""How often each page is to be visited when so many visits a second may be made in all (METHODS, section 2: Revisit).

A page of rate ``lambda`` that is visited ``f`` times a second, at equal intervals, is fresh for a share
``F(lambda, f)`` of the time. ``uniform`` visits all alike, ``proportional`` those that change most; ``optimal``
maximises ``sum w F`` (Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers", 2003, section 5). What
changes faster than it could be kept up with gets little, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

__all__ = ["POLICIES", "Policy", "freshness", "optimal", "proportional", "uniform"]

Floats = NDArray[np.float64]
Policy = Callable[[Floats, Floats, float], Floats]
"""Visits a second for each page, by value, rate and visits a second in all."""

_HALVINGS = 100
_STEPS = 60
_EXACT = 1e-12  # of the budget


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
    that get any, and the others would be below it with all. By bisection on that number, the multiplier."""
    visits = np.zeros(len(rates))
    live = (rates > 0) & (values > 0)
    if not live.any() or budget <= 0:
        return visits if budget <= 0 else uniform(values, rates, budget)
    most = values[live] / rates[live]  # what the first visit brings, when it is rare
    low, high = 0.0, float(most.max())
    share = np.zeros(len(most))
    for _ in range(_HALVINGS):
        multiplier = (low + high) / 2
        share = _visits_at(multiplier, most, rates[live])
        over = share.sum() - budget
        if abs(over) <= _EXACT * budget or multiplier in (low, high):
            break
        low, high = (multiplier, high) if over > 0 else (low, multiplier)
    visits[live] = share * (budget / share.sum()) if share.sum() > 0 else 0.0
    return visits


def _visits_at(multiplier: float, most: Floats, rates: Floats) -> Floats:
    """The visits at which each page brings just so much."""
    wanted = multiplier / most
    visits = np.zeros(len(rates))
    some = wanted < 1
    visits[some] = rates[some] / _inverse(wanted[some])
    return visits


def _inverse(wanted: Floats) -> Floats:
    """The ``r`` at which ``1 - (1 + r) exp(-r)`` is ``wanted``, in (0, 1): that rises from 0 to 1. By bisection of its
    logarithm, all pages at once."""
    low, high = np.full(len(wanted), -20.0), np.full(len(wanted), 7.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        r = np.exp(middle)
        # -expm1(-r) - r exp(-r): for a small r, the sum of two numbers that nearly cancel; then it is r^2 / 2
        brings = np.where(r < 1e-4, r * r / 2, -np.expm1(-r) - r * np.exp(-r))
        below = brings < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    inverse: Floats = np.exp((low + high) / 2)
    return inverse


POLICIES: Mapping[str, Policy] = MappingProxyType({"auto": optimal, "uniform": uniform, "proportional": proportional})
"""By the name that a user gives them."""
