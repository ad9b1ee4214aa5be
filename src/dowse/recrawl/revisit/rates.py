"""Change rates from visits: how often a page changes, when all that is known is whether it had changed at each visit.

Changes are taken for a Poisson process of rate ``lambda``: after an interval ``tau`` a page has changed with the
probability ``1 - exp(-lambda tau)``, once or often, which a visit cannot tell (Cho and Garcia-Molina, "Estimating
frequency of change", 2003). Rates are per second.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Visit", "equal_rate", "expected_error", "likeliest_rate", "rate_of", "rates_of"]

_HALVINGS = 200
_ALIKE = 1e-9  # of the longest: so much may intervals differ and be equal
_KAPPA = 2.0  # visits: so many weigh as much as what is known of the site
_USUAL = 1 / (30 * 86_400.0)  # of a page of which, as of all others, nothing is known: once a month


class Visit(NamedTuple):
    """A visit to a page that was visited before."""

    interval_s: float  # since then
    changed: bool


def equal_rate(visits: int, changes: int, interval_s: float) -> float:
    """The rate after so many visits at equal intervals, some of which found a change: ``-log((n - X + 0.5)/(n + 0.5))``
    an interval. The halves take out the bias, and keep it finite.

    >>> equal_rate(10, 0, 1.0), round(equal_rate(10, 10, 1.0), 3)
    (0.0, 3.045)
    """
    return math.log((visits + 0.5) / (visits - changes + 0.5)) / interval_s


def likeliest_rate(visits: Sequence[Visit], unchanged_s: float = 0.0) -> float:
    """The rate with the greatest likelihood: the root of ``sum over changed of tau / (exp(lambda tau) - 1) = sum over
    unchanged of tau``. Infinite where every visit found a change, 0 where none did. ``unchanged_s`` is added to the
    right: as if there had been a visit more that found none."""
    changed = [visit.interval_s for visit in visits if visit.changed]
    unchanged_s += sum(visit.interval_s for visit in visits if not visit.changed)
    if not changed:
        return 0.0
    if unchanged_s <= 0:
        return math.inf
    # tau / (exp(x) - 1) lies between 1/lambda - tau and 1/lambda: so the root lies between these
    low, high = len(changed) / (unchanged_s + sum(changed)), len(changed) / unchanged_s
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _left(changed, middle) > unchanged_s:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _left(changed: Iterable[float], rate: float) -> float:
    return sum(tau / math.expm1(rate * tau) if rate * tau < 700 else 0.0 for tau in changed)


def rate_of(visits: Sequence[Visit]) -> float:
    """The rate of a page, or of pages that are taken for one: by :func:`equal_rate` where intervals are equal, else by
    :func:`likeliest_rate` with half an interval more, which is the same where they are."""
    if not visits:
        return 0.0
    intervals = [visit.interval_s for visit in visits]
    changes = sum(visit.changed for visit in visits)
    if max(intervals) - min(intervals) <= _ALIKE * max(intervals):
        return equal_rate(len(visits), changes, intervals[0])
    return likeliest_rate(visits, sum(intervals) / len(intervals) / 2)


def expected_error(rate: float, intervals_s: Iterable[float]) -> float:
    """The standard error of the likeliest rate, for pages of this rate that are visited at these intervals, as theory
    has it: from the Fisher information ``sum tau^2 / (exp(lambda tau) - 1)``."""
    information = sum(tau * tau / math.expm1(rate * tau) for tau in intervals_s if rate * tau < 700)
    return math.inf if information <= 0 else 1 / math.sqrt(information)


def rates_of(visits: Mapping[int, Sequence[Visit]], sites: Mapping[int, int]) -> dict[int, float]:
    """The rate of each page whose site is told, by the visits that there were: few of them shrink it towards the mean
    of its site, and that towards the mean of all."""
    of_site: dict[int, list[Visit]] = {}
    for page, seen in visits.items():
        if page in sites:
            of_site.setdefault(sites[page], []).extend(seen)
    every = [visit for seen in of_site.values() for visit in seen]
    usual = _shrunk(every, _USUAL)
    site_rates = {site: _shrunk(seen, usual) for site, seen in of_site.items()}
    return {page: _shrunk(visits.get(page, ()), site_rates.get(site, usual)) for page, site in sites.items()}


def _shrunk(visits: Sequence[Visit], towards: float) -> float:
    count = len(visits)
    return (count * rate_of(visits) + _KAPPA * towards) / (count + _KAPPA)
