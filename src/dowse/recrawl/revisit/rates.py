"""Change rates from visits: how often a page changes, when all that is known is whether it had changed at each visit.

Changes are taken for a Poisson process of rate ``lambda``: after an interval ``tau`` a page has changed with the
probability ``1 - exp(-lambda tau)``, once or often, which a visit cannot tell (Cho and Garcia-Molina, "Estimating
frequency of change", 2003). Rates are per second. Collections have millions of visits: so the rates of all pages, of
their sites and of the whole are each found at once, in columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Visit", "Visits", "equal_rate", "expected_error", "rate_of", "rates_of"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_STEPS = 100
_EXACT = 1e-14
_ALIKE = 1e-9  # of the longest: so much may intervals differ and be equal
_MOST_EXPONENT = 700.0
_KAPPA = 2.0  # visits: so many weigh as much as what is known of the site
_USUAL = 1 / (30 * 86_400.0)  # of a page of which, as of all others, nothing is known: once a month


class Visit(NamedTuple):
    """A visit to a page that was visited before."""

    interval_s: float  # since then
    changed: bool


@dataclass(frozen=True, slots=True)
class Visits:
    """Visits to pages that were visited before, in columns: each belongs to a group, such as its page."""

    group: Numbers
    interval_s: Floats
    changed: NDArray[np.bool_]

    def by(self, group: Numbers) -> Visits:
        """The same visits by other groups: the group of each of theirs."""
        return Visits(group[self.group], self.interval_s, self.changed)


def equal_rate(visits: Floats, changes: Floats, interval_s: Floats) -> Floats:
    """The rates after so many visits at equal intervals, some of which found a change:
    ``-log((n - X + 0.5)/(n + 0.5))`` an interval. The halves take out the bias, and keep it finite.

    >>> equal_rate(np.array([10.0, 10.0]), np.array([0.0, 10.0]), np.array([1.0, 1.0])).round(3).tolist()
    [0.0, 3.045]
    """
    rates: Floats = np.log((visits + 0.5) / (visits - changes + 0.5)) / interval_s
    return rates


def rate_of(visits: Sequence[Visit]) -> float:
    """The rate of one page."""
    intervals, changed = np.array([one.interval_s for one in visits]), np.array([one.changed for one in visits], bool)
    return float(_rates(Visits(np.zeros(len(visits), np.int64), intervals, changed), 1)[0])


def rates_of(visits: Visits, sites: Numbers) -> Floats:
    """The rate of each page, whose number is its place in ``sites``, by the visits that there were to it: few of them
    shrink it towards the mean of its site, and that towards the mean of all."""
    places = np.unique(sites, return_inverse=True)[1]
    usual = _shrunk(visits.by(np.zeros(len(sites), np.int64)), np.array([_USUAL]))
    site_rates = _shrunk(visits.by(places), np.repeat(usual, places.max(initial=-1) + 1))
    return _shrunk(visits, site_rates[places])


def _shrunk(visits: Visits, towards: Floats) -> Floats:
    count = np.bincount(visits.group, minlength=len(towards))
    return (count * _rates(visits, len(towards)) + _KAPPA * towards) / (count + _KAPPA)


def _rates(visits: Visits, groups: int) -> Floats:
    """The rate of each of so many groups: of those with equal intervals by :func:`equal_rate`, else the one with the
    greatest likelihood, which is the root of ``sum over changed of tau / (exp(lambda tau) - 1) = sum over unchanged of
    tau``. Half an interval more, as if it had been unchanged, makes both the same where intervals are equal."""
    group, tau = visits.group, visits.interval_s
    count = np.bincount(group, minlength=groups)
    changes = np.bincount(group, visits.changed, groups)
    total = np.bincount(group, tau, groups)
    mean = total / np.maximum(count, 1)
    longest, shortest = np.zeros(groups), np.full(groups, np.inf)
    np.maximum.at(longest, group, tau)
    np.minimum.at(shortest, group, tau)
    alike = longest - shortest <= _ALIKE * longest
    rates = np.zeros(groups)
    live = changes > 0
    plain = live & alike
    rates[plain] = equal_rate(count[plain].astype(float), changes[plain], mean[plain])
    mixed = live & ~alike
    if mixed.any():
        kept = mixed[group] & visits.changed
        place = np.cumsum(mixed) - 1  # of a mixed group among them
        changed_s = np.bincount(group[kept], tau[kept], groups)[mixed]
        unchanged_s = total[mixed] - changed_s + mean[mixed] / 2
        rates[mixed] = _roots(place[group[kept]], tau[kept], changes[mixed], changed_s, unchanged_s)
    return rates


def _roots(group: Numbers, tau: Floats, changes: Floats, changed_s: Floats, unchanged_s: Floats) -> Floats:
    """The rate at which ``sum tau / (exp(rate tau) - 1)`` over the visits of each group is ``unchanged_s``. The sum
    falls and is convex, and ``tau / (exp(x) - 1)`` is no less than ``1/rate - tau``: so Newton's steps from where those
    add up to ``unchanged_s`` climb to the root, and never beyond it."""
    rate = changes / (unchanged_s + changed_s)
    for _ in range(_STEPS):
        grown = np.expm1(np.minimum(rate[group] * tau, _MOST_EXPONENT))
        each = tau / grown
        left = np.bincount(group, each, len(rate))
        slope = np.bincount(group, each * each * (grown + 1), len(rate))
        step = (left - unchanged_s) / slope
        rate = rate + np.maximum(step, 0.0)
        if (np.abs(step) <= _EXACT * rate).all():
            break
    return rate


def expected_error(rate: float, intervals_s: Iterable[float]) -> float:
    """The standard error of the likeliest rate, for pages of this rate that are visited at these intervals, as theory
    has it: from the Fisher information ``sum tau^2 / (exp(lambda tau) - 1)``."""
    information = sum(tau * tau / math.expm1(rate * tau) for tau in intervals_s if rate * tau < _MOST_EXPONENT)
    return math.inf if information <= 0 else 1 / math.sqrt(information)
