"""How fresh a collection was at each moment, as far as the visits to its pages tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.visits import Visitable
from dowse.recrawl.revisit import intervals_of, rates_of
from dowse.store.views import VisitHistory

__all__ = ["change_rates", "expected_freshness"]

Floats = NDArray[np.float64]


def change_rates(history: VisitHistory) -> Floats:
    """How often each page changes a second, as the policies of visits have it."""
    pages = Visitable(history.page, history.site, np.zeros(len(history.page)), history.first)
    return rates_of(intervals_of(history.visits, pages), history.site)


def expected_freshness(history: VisitHistory, rates: Floats, at: Floats, among: NDArray[np.bool_]) -> Floats:
    """At each of these times (rising), the share of the pages held then that are expected to be as the web had them:
    the mean of ``exp(-rate t)``, ``t`` since the last good visit (Cho and Garcia-Molina, "Effective page refresh
    policies for Web crawlers", 2003, section 3: changes are a Poisson process). Of the pages ``among``; what is gone
    is held no more. Not a number where none is held."""
    last = np.full(len(history.page), -np.inf)
    visits = history.visits
    known = np.isin(visits.page, history.page)
    place, when = np.searchsorted(history.page, visits.page[known]), visits.at[known]
    order = np.argsort(when, kind="stable")
    place, when = place[order], when[order]
    found, taken = np.full(len(at), np.nan), 0
    for row, now in enumerate(at.tolist()):
        until = int(np.searchsorted(when, now, side="right"))
        np.maximum.at(last, place[taken:until], when[taken:until])
        taken = until
        held = among & (history.first <= now) & (history.gone > now)
        if held.any():
            since = now - np.maximum(last[held], history.first[held])
            found[row] = np.exp(-rates[held] * since).mean()
    return found
