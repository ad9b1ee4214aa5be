"""Which pages are due: all that are older than an age, or those whose visit is most overdue by a policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dowse.model.visits import DuePage
from dowse.recrawl.revisit.policies import POLICIES
from dowse.recrawl.revisit.rates import Visit, rates_of

__all__ = ["LEAST_VALUE", "Seen", "intervals_of", "older_than", "worth_most"]

LEAST_VALUE = 0.01
"""What a page off the topic is worth: it may lead to others."""


class Seen(NamedTuple):
    """A good visit, as the records have it."""

    page: int
    at: float
    changed: bool | None  # None: the first


def older_than(pages: Iterable[DuePage], age_s: float, now: float) -> list[int]:
    """The pages that were last visited so long ago, the most valuable first, and of these the oldest. Where a clock was
    set back, nobody knows how long ago a visit in the future was."""
    due = [page for page in pages if now - page.visited_at >= age_s or page.visited_at > now]
    return [page.page for page in sorted(due, key=lambda page: (-page.value, page.visited_at, page.page))]


def worth_most(
    policy: str, pages: Sequence[DuePage], visits: Iterable[Seen], budget: int, period_s: float, now: float
) -> list[int]:  # fmt: skip
    """So many pages, those first whose visit is most overdue. A policy of so many visits a period says how often each
    is to be visited, and a page is overdue by as many visits as it should have had since the last one."""
    values = np.array([max(page.value, LEAST_VALUE) for page in pages])
    rates = rates_of(intervals_of(visits), {page.page: page.site for page in pages})
    by_page = np.array([rates[page.page] for page in pages])
    often = POLICIES[policy](values, by_page, budget / period_s)
    waited_s = np.array([now - page.visited_at for page in pages])
    waited_s[waited_s < 0] = period_s  # a clock was set back: nobody knows
    overdue = often * waited_s
    order = np.lexsort((np.array([page.page for page in pages]), -waited_s, -overdue))
    return [pages[place].page for place in order[:budget].tolist() if overdue[place] > 0]


def intervals_of(visits: Iterable[Seen]) -> Mapping[int, Sequence[Visit]]:
    """What the visits to each page, in order, say of how often it changes."""
    found: dict[int, list[Visit]] = {}
    before: dict[int, float] = {}
    for page, at, changed in visits:
        if changed is not None and page in before and at > before[page]:
            found.setdefault(page, []).append(Visit(at - before[page], changed))
        before[page] = at
    return found
