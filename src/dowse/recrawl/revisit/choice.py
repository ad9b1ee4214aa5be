"""Which pages are due: all that are older than an age, or those whose visit is most overdue by a policy."""

from __future__ import annotations

import numpy as np

from dowse.model.visits import GoodVisits, Visitable
from dowse.recrawl.revisit.policies import POLICIES
from dowse.recrawl.revisit.rates import Floats, Visits, rates_of

__all__ = ["LEAST_VALUE", "intervals_of", "older_than", "worth_most"]

LEAST_VALUE = 0.01
"""What a page off the topic is worth: it may lead to others."""


def older_than(pages: Visitable, age_s: float, now: float) -> list[int]:
    """The pages that were last visited so long ago, the most valuable first, and of these the oldest. Where a clock was
    set back, nobody knows how long ago a visit in the future was."""
    age = now - pages.visited_at
    order = np.lexsort((pages.page, pages.visited_at, -pages.value))
    return [int(page) for page in pages.page[order[((age >= age_s) | (age < 0))[order]]]]


def worth_most(
    policy: str, pages: Visitable, visits: GoodVisits, budget: int, period_s: float, now: float
) -> list[int]:  # fmt: skip
    """So many pages, those first whose visit is most overdue. A policy of so many visits a period says how often each
    is to be visited, and a page is overdue by as many visits as it should have had since the last one."""
    often = _often(policy, pages, visits, budget / period_s)
    waited_s = now - pages.visited_at
    waited_s[waited_s < 0] = period_s  # a clock was set back: nobody knows
    overdue = often * waited_s
    order = np.lexsort((pages.page, -waited_s, -overdue))[:budget]
    return [int(page) for page in pages.page[order[overdue[order] > 0]]]


def _often(policy: str, pages: Visitable, visits: GoodVisits, budget: float) -> Floats:
    rates = rates_of(intervals_of(visits, pages), pages.site)
    return POLICIES[policy](np.maximum(pages.value, LEAST_VALUE), rates, budget)


def intervals_of(visits: GoodVisits, pages: Visitable) -> Visits:
    """What the visits say of how often each of these pages changes, each by its place among them."""
    order = np.argsort(visits.page, kind="stable")
    page, at, changed = visits.page[order], visits.at[order], visits.changed[order]
    interval_s = at[1:] - at[:-1]
    places = np.searchsorted(pages.page, page[1:])
    known = pages.page[np.minimum(places, len(pages.page) - 1)] == page[1:] if len(pages.page) else page[1:] < 0
    tells = (page[1:] == page[:-1]) & (changed[1:] >= 0) & (interval_s > 0) & known
    return Visits(places[tells], interval_s[tells], changed[1:][tells] == 1)
