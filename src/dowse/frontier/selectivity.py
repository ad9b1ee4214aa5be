"""How choosy a crawl is: while it counts its pages, only the best waiting URLs may go.

Politeness leaves most hosts idle most of the time. If every idle host were given a page, however poor, a focused crawl
would become a broad one. So a URL that is not among the best so many is held back as long as
better ones are leased. Seeds never are: their order is that of a list, not a judgement.
"""

from __future__ import annotations

import numpy as np

from dowse.frontier.candidates import ID_BITS, ID_MASK, Candidates, orders_of
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR

__all__ = ["Selectivity"]

_WAITING = int(CandidateState.WAITING)
_LEAST_PART = 1 / 16  # of a crawl: who has less of the best URLs still gets its turn
_PATIENCE_S = 0.5  # beyond two delays: how long a URL is held back while nothing else is leased
_EDGE_EVERY = 10_000  # known URLs a lease, between two looks at the whole frontier
_LOOKS = 8  # at the whole frontier while a URL is held back: what was better may be worth less by now
_EVERYTHING = 1 << (64 + ID_BITS)
_LAST_SEED = int(orders_of(np.array([SEED_FLOOR]))[0]) << ID_BITS


class Selectivity:
    """Knows which keys are among the best. Its edge is found again after a number of leases that grows with the
    frontier, and lies as many places further out: so the cost a lease stays flat, and what is inside is not held back
    meanwhile. Where priorities have changed, and nothing is leased, it is found again sooner: a page may have lowered
    all that waits, and then nothing would be inside."""

    def __init__(self, candidates: Candidates, delay_s: float) -> None:
        self._candidates = candidates
        self._patience_s = _PATIENCE_S + 2 * delay_s
        self.part = 1.0  # of the best URLs of a crawl by several engines, how much is here
        self._leases = 0
        self._leased_at = 0.0
        self._edge = -1  # the last key inside; -1: not yet known
        self._edge_leases = 0  # leases when the edge was found
        self._edge_at = 0.0  # when that was
        self._is_old = False  # have priorities changed since?
        self._aside: dict[int, float] = {}  # sites that are not asked for a while, and until when

    def leased(self, now: float) -> None:
        """Something was leased."""
        self._leases += 1
        self._leased_at = now

    def opens_at(self) -> float:
        """When everything may go, because nothing was leased for so long: longer where only some of the leases of a
        crawl are ours."""
        return self._leased_at + self._patience_s / max(self.part, _LEAST_PART)

    def changed(self) -> None:
        """URLs that wait have other priorities than before."""
        self._is_old = True

    def look_at(self) -> float:
        """When a URL that is held back now may turn out to be among the best, or may go whatever it is."""
        if not self._is_old:
            return self.opens_at()
        return min(self.opens_at(), max(self._leased_at, self._edge_at) + self._patience_s / _LOOKS)

    def not_before(self, site: int, until: float, now: float) -> None:
        """A site is not asked before ``until``: if that is far off, its URLs must not hold back the rest."""
        if until > now + self._patience_s:
            self._aside[site] = until

    def admits(self, key: int, within: int, now: float) -> bool:
        """Is the URL behind this key among the best ``within`` that wait at sites within reach?"""
        if key <= _LAST_SEED or now >= self.opens_at():
            return True
        due = max(1, len(self._candidates) // _EDGE_EVERY)
        if self._edge < 0 or self._leases - self._edge_leases >= due:  # also where it lies too far out by now
            self._find_edge(within + due, now)
        if key > self._edge and now >= self.look_at():
            self._find_edge(within + due, now)
        return key <= self._edge

    def _find_edge(self, rank: int, now: float) -> None:
        self._edge_at, self._is_old = now, False
        columns, count = self._candidates, len(self._candidates)
        waiting = columns.state[:count] == _WAITING
        horizon = now + self._patience_s
        self._aside = {site: until for site, until in self._aside.items() if until > horizon}
        if self._aside:
            waiting &= ~np.isin(columns.site[:count], list(self._aside))
        orders = columns.order[:count][waiting]
        self._edge_leases = self._leases
        if len(orders) <= rank:
            self._edge = _EVERYTHING
        else:
            self._edge = (int(np.partition(orders, rank - 1)[rank - 1]) << ID_BITS) | ID_MASK
