"""How fresh a collection was at each moment, as far as the visits to its pages tell."""

from __future__ import annotations

from collections.abc import Mapping

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


def expected_freshness(
    history: VisitHistory, rates: Floats, at: Floats, groups: Mapping[str, NDArray[np.bool_]]
) -> dict[str, Floats]:
    """Of each group of pages: at each of these times (rising), the share of those held then that are expected to be as
    the web had them. That is the mean of ``exp(-rate t)``, ``t`` since the last good visit (Cho and Garcia-Molina,
    "Effective page refresh policies for Web crawlers", 2003, section 3: changes are a Poisson process). What is gone is
    held no more. Not a number where none is held."""
    visits = history.visits
    known = np.isin(visits.page, history.page)
    place, when = np.searchsorted(history.page, visits.page[known]), visits.at[known]
    order = np.argsort(when, kind="stable")
    place, when = place[order], when[order]
    last, taken = history.first.copy(), 0
    found = {name: np.full(len(at), np.nan) for name in groups}
    for row, now in enumerate(at.tolist()):
        until = int(np.searchsorted(when, now, side="right"))
        np.maximum.at(last, place[taken:until], when[taken:until])
        taken = until
        held = (history.first <= now) & (history.gone > now)
        fresh = np.exp(-rates * np.maximum(now - last, 0.0))
        for name, among in groups.items():
            ours = held & among
            if ours.any():
                found[name][row] = fresh[ours].mean()
    return found
