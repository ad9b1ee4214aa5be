"""What waiting URLs are worth by now, and so which priorities they have: part of :class:`Life`, and in step with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life.elsewhere import Elsewhere
from dowse.engine.life.journal import Journal
from dowse.engine.life.pricing import Pricing
from dowse.frontier import Lease, Site
from dowse.frontier.frontier import Frontier
from dowse.model.clock import Clock
from dowse.model.http import Failure, Response
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR, Revaluing, Strategy

__all__ = ["Ids", "Values", "Worth"]

Ids = NDArray[np.int64]
Values = NDArray[np.float64]


class Worth:
    """Gives waiting URLs other priorities as pages, prices and the strategy's mind change. What does not wait is left
    as it is."""

    def __init__(
        self, frontier: Frontier, pricing: Pricing, strategy: Strategy, journal: Journal, clock: Clock,
        elsewhere: Elsewhere | None = None,
    ) -> None:  # fmt: skip
        self._frontier = frontier
        self._pricing = pricing
        self._strategy = strategy
        self._journal = journal
        self._clock = clock
        self._elsewhere = elsewhere

    # -- by the strategy -----------------------------------------------------------------------------------------

    def values(self, ids: Ids, priorities: Values) -> Values:
        """What the strategy last thought candidates of these priorities worth, whatever they cost."""
        return self._pricing.values(ids, priorities)

    def rerank(self, ids: Ids, values: Values, sites: Ids | None = None) -> None:
        """Candidates (of these ``sites``, where they are at hand) have these values by now: those that wait get
        priorities to match."""
        if sites is None:
            sites = self._frontier.candidates.site[ids].astype(np.int64)
        self.reprioritise(ids, self._pricing.priorities(ids, sites, values))

    def mentioned(self, ids: Ids) -> None:
        """A page has links to these, whose priorities are what they are by now. Those that were refused for a low one
        may wait; those that still are count as refused (ExpandList of figure 1; METHODS, section 4)."""
        frontier = self._frontier
        for id_ in frontier.rise(ids, self._clock.now()).tolist():
            self._journal.ended(id_, CandidateState.WAITING, "", 0)
        low = ids[frontier.is_below(ids)]
        if len(low):
            self._journal.refused("min-priority", len(low), frontier.url(int(low[0])))

    def revalue(self, pages: Ids, values: Values) -> None:
        """Pages that were judged are worth something else by now."""
        if isinstance(self._strategy, Revaluing):
            self._strategy.revalue(pages, values)
            self.revise()

    def revise(self) -> None:
        """The strategy has learned something: give waiting URLs the values that it has for some of them by now."""
        revised = self._strategy.revise(self._frontier.is_waiting)
        if revised is not None and len(revised[0]):
            ours = self._frontier.priorities(revised[0]) < SEED_FLOOR  # a seed keeps its place, whatever is behind it
            self.rerank(revised[0][ours], revised[1][ours])

    # -- by cost -------------------------------------------------------------------------------------------------

    def sized(self, candidate: int, size: int) -> None:
        """The size of a waiting candidate is known before it is fetched: so is its cost."""
        priority = self._pricing.sized(candidate, size)
        if priority is not None:
            self.reprioritise(np.array([candidate]), np.array([priority]))

    def measured(self, lease: Lease, result: Response | Failure) -> None:
        """An exchange for a page is over: what its site costs is known better. A site that is slow stands back while
        others have something to offer."""
        self._pricing.learn(lease.site, lease.candidate, result)
        self._reprice(lease.site)

    def timed(self, lease: Lease, answer: Response) -> None:
        """A HEAD for a page was answered: what its site costs is known a little better, as after any exchange."""
        self._pricing.timed(lease.site, answer)
        self._reprice(lease.site)

    def _reprice(self, site: Site) -> None:
        now = self._clock.now()
        repriced = self._pricing.reprice(site)
        if repriced is not None:
            self.reprioritise(*repriced)
        back_s = self._pricing.stands_back_s(site)
        if back_s and site.back_until <= now:
            self._frontier.stand_back(site, back_s, now)

    def reprioritise(self, ids: Ids, priorities: Values) -> None:
        """Candidates get these priorities, if they wait, here or at another shard."""
        before = None if self._elsewhere is None else self._frontier.priorities(ids)
        changed = self._frontier.update(ids, priorities, self._clock.now())
        self._journal.reprioritised(changed)
        if self._elsewhere is not None and before is not None and len(changed):
            self._elsewhere.tell_again(ids, before)
