"""The verbs for URLs. The states and the guarantees are told in the package's docstring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life.admission import Admission
from dowse.engine.life.elsewhere import Elsewhere
from dowse.engine.life.forecasts import Forecasts
from dowse.engine.life.moving import Moves
from dowse.engine.life.pricing import Pricing
from dowse.engine.life.sites import Sites
from dowse.engine.life.tally import Tally
from dowse.engine.life.visits import Due, Visits
from dowse.engine.life.worth import Ids, Values, Worth
from dowse.fetch import may_be_answered_later
from dowse.frontier import Lease, Site
from dowse.frontier.scope import StaticScope
from dowse.model.clock import Clock
from dowse.model.others import Letter, MovingSlots
from dowse.model.page import ALL_TERMS, USUAL_TERMS, Counting, Links, Outcome
from dowse.model.records import CandidateState, DecisionRow, PageRow, VerdictRow
from dowse.model.statistic_names import MAXIMISED
from dowse.model.strategy import (
    SEED_FLOOR,
    CountsTexts,
    GoesBySite,
    LearnsFromFailures,
    RanksMentions,
    RefusesPages,
    SourcePage,
    Strategy,
    WantsAllTerms,
)  # fmt: skip
from dowse.model.topic import Topic
from dowse.model.visits import NOT_ASKED

__all__ = ["Life"]

_LOST = 0.05  # of the priority a URL was ranked with: it goes unless it lost more
_MOST_ATTEMPTS = 255
_STATES = {
    Outcome.FETCHED: CandidateState.FETCHED, Outcome.REDIRECTED: CandidateState.FETCHED,
    Outcome.FAILED: CandidateState.FAILED, Outcome.REFUSED: CandidateState.REFUSED,
}  # fmt: skip


class Life:
    """See the package's docstring."""

    def __init__(
        self, topic: Topic, sites: Sites, strategy: Strategy, scope: StaticScope, clock: Clock, due: Due | None = None
    ) -> None:
        """``due``: the pages that wait again once an earlier run is restored."""
        self._topic = topic
        self._frontier = frontier = sites._frontier  # theirs and ours, and nobody else's
        self._strategy = strategy
        self._clock = clock
        if isinstance(strategy, GoesBySite):
            frontier.go_by_site(strategy.sites_at_once)
        self._pricing = Pricing(frontier, topic)
        others = sites.others
        self._elsewhere = None
        if others is not None:
            by_links = isinstance(strategy, RanksMentions)
            self._elsewhere = Elsewhere(others, frontier, self._pricing, sites.journal, by_links=by_links)
        self.worth = Worth(frontier, self._pricing, strategy, sites.journal, clock, self._elsewhere)
        self._admission = Admission(self, frontier, strategy, scope, topic, self._elsewhere)
        self.moves = None
        if isinstance(others, MovingSlots):
            self.moves = Moves(
                self,
                others,
                frontier,
                sites,
                self._pricing,
                sites.journal,
                self._admission.growth,
                scope,
                clock,
                strategy,
                self._admission.page_of,
            )
        self._learned_from = -1  # the last candidate whose page the strategy was shown
        self._sources: dict[int, int] = {}  # candidate -> the one whose redirect led to it
        self.sites = sites
        self.journal = sites.journal
        self.tally = Tally()
        self.visits = Visits(frontier, sites, self.tally, clock, due)
        self.forecasts = Forecasts(frontier, sites.journal)
        self.journal.statistic(MAXIMISED, topic.strategy.maximise)

    # -- unknown -> waiting --------------------------------------------------------------------------------------

    def admit_seeds(self, urls: list[str]) -> int:
        """Take up canonical seed URLs in their order; how many were new and in scope."""
        return self._admission.seeds(urls)

    async def foresee(self, links: Links) -> None:
        """Do in slices, between which others have their turn, what :meth:`admit_links` needs of a page with very many
        new links."""
        await self._admission.foresee(links)

    def admit_links(self, page: SourcePage, url: str, links: Links) -> bool:
        """Let the strategy learn from a judged page and rank what it links to; take up those targets that are new.
        False: the strategy does not go on from it."""
        followed = self._admission.links(page, url, links)
        self._learned_from = page.id
        return followed

    def admit_links_again(self, page: SourcePage, url: str, links: Links) -> None:
        """Take up what a page that was visited again links to, as far as it is new. It teaches nothing twice."""
        self._admission.links_again(page, url, links)

    def admit_redirect(self, lease: Lease, url: str) -> str:
        """Take up the target of a redirect in place of the leased URL. Returns "" when it will be fetched, "known" when
        it was taken up before, else the rule that refuses it."""
        return self._admission.redirect(lease.candidate, url, moves=lease.candidate not in self.visits)

    def admit_letters(self, letters: Sequence[Letter]) -> None:
        """Take up what other shards have found."""
        if self.moves is None:
            self._admission.letters(letters)
            return
        for part in self.moves.sorted_out(letters):
            self._admission.letters(part)

    def come_back(self, ids: Ids, values: Values, attempts: list[int] | None = None) -> None:
        """URLs that were another shard's are ours, and wait, being worth so much; a seed's value is its place."""
        places = self._frontier.candidates.site[ids].astype(np.int64)
        is_seed = values >= SEED_FLOOR
        priorities = np.where(is_seed, values, self._pricing.priorities(ids, places, np.where(is_seed, 0.0, values)))
        self._frontier.take_back(ids, priorities, self._clock.now())
        self.journal.reprioritised(ids)
        low = self._frontier.is_below(ids).tolist()
        for id_, is_low, tried in zip(ids.tolist(), low, attempts or [0] * len(ids), strict=True):
            state, reason = (CandidateState.BELOW, "min-priority") if is_low else (CandidateState.WAITING, "")
            self.journal.ended(id_, state, reason, tried)

    def take_up(
        self, urls: list[str], fingerprints: NDArray[np.uint64], *, depth: int, parent: int = -1,
        values: Values | None = None, priorities: Values | None = None, runs: list[int] | None = None,
        source: int | None = None, judged_there: bool = False, moves_here: bool = False,
    ) -> Ids:  # fmt: skip
        """URLs that passed :class:`Admission` wait from now on: with these ``values``, or these ``priorities``. Their
        new ids. ``source``: the candidate whose redirect led here. ``judged_there``: pages that another shard has
        judged. ``moves_here``: another shard's, that tells of them."""
        frontier = self._frontier
        ids = np.arange(len(frontier.candidates), len(frontier.candidates) + len(urls))
        places = [frontier.site_of_url(url) for url in urls]
        sites = np.fromiter((site.id for site in places), np.int64, len(urls))
        self._pricing.met(ids, urls, sites)
        if priorities is None:
            assert values is not None
            priorities = self._pricing.priorities(ids, sites, values)
        frontier.add(
            urls, fingerprints, depth=depth, parent=parent, priorities=priorities, now=self._clock.now(),
            runs=0 if runs is None else np.array(runs, np.int64), sites=places, exempt=source is not None,
        )  # fmt: skip
        if source is not None:
            target = int(ids[0])
            self._sources[target] = source
            self._pricing.moved(source, target)
            if self._strategy.memory is not None and not self._leads_away(source, target):
                self._strategy.memory.moved(source, target)
        self.journal.taken_up(
            ids, urls, sites, priorities, depth=depth, parent=parent if parent >= 0 else None, runs=runs, via=source
        )
        if self._elsewhere is not None and judged_there:
            for id_ in ids.tolist():
                self._elsewhere.judged_there(id_)
        elif self._elsewhere is not None:
            self._elsewhere.send(ids, told=moves_here)
        for id_ in ids[frontier.is_below(ids)].tolist():
            self.journal.ended(id_, CandidateState.BELOW, "min-priority", 0)
        return ids

    def _leads_away(self, source: int, target: int) -> bool:
        """Going site by site: does a redirect lead to another site?"""
        if not self._frontier.goes_by_site:
            return False
        sites = self._frontier.candidates.site[[source, target]].astype(np.int64)
        one, other = self._frontier.web_sites(sites).tolist()
        return bool(one != other)

    # -- waiting -> leased -> waiting ----------------------------------------------------------------------------

    def lease(self, within: int | None = None) -> Lease | None:
        """The best URL, or the errand it needs first, of the sites that may be asked now; None when there is none.

        ``within`` keeps a crawl that counts its pages from spending them on whatever host is idle: a URL that is not
        among the best so many is held back, unless nothing was leased for some seconds.
        """
        return self._frontier.next(self._clock.now(), within=within)

    @property
    def part(self) -> float:
        """Of the best URLs that wait at all engines of a crawl, how much is here: it is as choosy as that allows."""
        return self._frontier.part

    @part.setter
    def part(self, part: float) -> None:
        self._frontier.part = part

    def reconsider(self, lease: Lease) -> bool:
        """Is a leased URL worth less by now than it was ranked with? Then it is put back to where it belongs."""
        value = self._pricing.refreshed(lease.candidate, self._strategy)
        ranked = self._frontier.priority(lease.candidate)
        if value is None or value >= ranked - _LOST * abs(ranked):
            return False
        self.put_back(lease)
        self.worth.reprioritise(np.array([lease.candidate]), np.array([value]))
        return True

    def rule_by_now(self, lease: Lease) -> str | None:
        """The rule by which a leased URL would not be taken up any more: others of its place brought nothing since."""
        if lease.candidate in self.visits:
            return None
        return self._admission.rule_by_now(lease.candidate, lease.site.id, lease.url)

    def put_back(self, lease: Lease) -> None:
        """Nobody was asked for a leased URL: it waits as if nothing had happened."""
        now = self._clock.now()
        self._frontier.cancel(lease, now)
        self._frontier.retry(lease.candidate, at=now, now=now)

    # -- leased -> asked for -> waiting --------------------------------------------------------------------------

    def begin(self, lease: Lease, *, requests: int = 1) -> None:
        """A leased URL is about to be asked for (0 ``requests``: of a cache): note why it was chosen."""
        attempts = self.attempts(lease) + requests
        self._frontier.candidates.attempts[lease.candidate] = min(attempts, _MOST_ATTEMPTS)
        if lease.candidate in self.visits:
            return  # why it was chosen the first time is what its links have to do with
        why = self._pricing.explain(lease.candidate, self._strategy)
        decision = DecisionRow(
            lease.candidate, self._clock.wall(), why.priority, self._strategy.name, why.version, why.features
        )
        self.journal.leased(lease.candidate, attempts, decision)

    def counted(self, lease: Lease) -> None:
        """A request that is none of the page's own (its HEAD) turned out to be its first attempt."""
        self._frontier.candidates.attempts[lease.candidate] = 1

    def wait(self, lease: Lease, reason: str = "", *, after_s: float = 0.0, forgiven: bool = False) -> None:
        """The exchange ended without an answer for its page: it waits again, unless its site was given up meanwhile.
        ``forgiven``: the attempt does not count."""
        now, attempts = self._clock.now(), self.attempts(lease)
        due = lease.candidate in self.visits
        if lease.site.closed:
            if due:
                self.visits.left(lease.candidate, lease.site.closed)
            else:
                self._done(lease, CandidateState.REFUSED, lease.site.closed, attempts)
            return
        self._frontier.retry(lease.candidate, at=now + after_s, now=now)
        if due:
            return
        self.journal.ended(lease.candidate, CandidateState.WAITING, reason, attempts - forgiven)

    # -- leased -> done ------------------------------------------------------------------------------------------

    def refuse(self, lease: Lease, rule: str) -> None:
        """Nobody may be asked for a leased URL: it is refused, and its site may be asked for others."""
        self._frontier.cancel(lease, self._clock.now())
        self.journal.refused(rule, 1, lease.url)
        if lease.candidate in self.visits:
            self.visits.left(lease.candidate, f"{NOT_ASKED}{rule}")
            return
        self._done(lease, CandidateState.REFUSED, rule, self.attempts(lease))
        self.tally.ended(Outcome.REFUSED)

    def judged(self, lease: Lease, score: float, relevant: bool) -> int:
        """A leased URL brought a page, and this is what it is worth (nothing, if it adds nothing). How many came before
        it."""
        self.tally.judged(lease.site.host, score, relevant, self._clock.now())
        self.sites.brought(lease.site, relevant)
        return self.tally.pages - 1

    def judged_again(self, page: int, site: Site, row: VerdictRow) -> None:
        """A page has the other verdict from now on: relevant where it was not, or the other way round."""
        self.tally.judged_again(site.host, row.relevant)
        self.sites.judged_again(site, row.relevant)
        self.journal.verdict(page, row)

    def end(self, lease: Lease, row: PageRow) -> None:
        """End the life of a leased URL; ``row`` tells how, and goes into the next commit. A page that was visited again
        and is not there (any more) stays what it was."""
        copy = self.visits.copy(lease)
        if copy is not None:
            self.visits.missed(lease, copy, row)
            return
        row.depth, row.attempts = lease.depth, self.attempts(lease)
        self._done(lease, _STATES[Outcome(row.outcome)], row.reason, row.attempts)
        self.journal.page(row)
        self.tally.ended(row.outcome)
        if row.cached_from is not None:
            self.tally.saved(int(row.outcome == Outcome.FETCHED), row.wire_bytes)
        self.forecasts.ended(row)
        if lease.candidate != self._learned_from and row.outcome != Outcome.REDIRECTED:
            self._failed(lease, row)

    def _failed(self, lease: Lease, row: PageRow) -> None:
        """A URL was asked for, and brought nothing that the strategy could learn from."""
        if isinstance(self._strategy, LearnsFromFailures):
            lasting = not may_be_answered_later(row.status)
            self._strategy.failed(lease.candidate, lease.site.id, lasting=lasting)
            self.worth.revise()

    def _done(self, lease: Lease, state: CandidateState, reason: str, attempts: int) -> None:
        self._frontier.finish(lease.candidate, state)
        self.journal.ended(lease.candidate, state, reason, attempts)

    # -- looking -------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many URLs wait."""
        return self._frontier.waiting

    @property
    def within_reach(self) -> int:
        """How many URLs wait at sites whose turn it is: all, unless the crawl goes site by site."""
        return self._frontier.within_reach

    def to_come(self, most: int) -> tuple[Values, int]:
        """The highest priorities of what is yet to be fetched, at most so many, and how many there are in all. Looks at
        every URL: ask rarely."""
        return self._frontier.to_come(most)

    def wake_at(self) -> float | None:
        """When something that cannot be leased now may become so by time alone; None: never."""
        return self._frontier.wake_at()

    @property
    def learns_words(self) -> bool:
        """Does the strategy learn from words, those of URLs among them?"""
        return self._strategy.learns_words

    @property
    def wants_terms(self) -> int:
        """How many of a page's terms are kept: more than whoever judges it again will ask for, if the strategy does."""
        wants_all = isinstance(self._strategy, WantsAllTerms) and self._strategy.wants_all_terms
        return ALL_TERMS if wants_all else USUAL_TERMS

    @property
    def drops_refused(self) -> bool:
        """Does the strategy want nothing archived of pages that it does not go on from?"""
        return isinstance(self._strategy, RefusesPages) and self._strategy.drops_refused

    @property
    def counting(self) -> Counting:
        """How texts are measured for the strategy."""
        return self._strategy.counting if isinstance(self._strategy, CountsTexts) else Counting()

    def attempts(self, lease: Lease) -> int:
        """How often a leased URL was asked for."""
        return self._frontier.candidates.attempts.item(lease.candidate)

    def found_on(self, lease: Lease) -> str:
        """The page that first linked to a leased URL; "" for a seed."""
        parent = self._frontier.candidates.parent.item(lease.candidate)
        return self._frontier.url(parent) if parent >= 0 else ""

    def redirected_from(self, lease: Lease) -> list[str]:
        """The URLs whose redirects led to a leased one, the nearest first."""
        chain, candidate = [], lease.candidate
        while (source := self._sources.get(candidate)) is not None:
            chain.append(self._frontier.url(source))
            candidate = source
        return chain
