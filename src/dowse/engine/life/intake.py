"""From found URLs to the frontier: scope, traps, the strategy's priorities, and the records of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from dowse.engine.life.pricing import Worth
from dowse.engine.life.recorder import Recorder
from dowse.frontier import Frontier
from dowse.frontier.scope import StaticScope
from dowse.frontier.seen import WAITS
from dowse.frontier.traps import GrowthRules
from dowse.model.page import Context, Links
from dowse.model.strategy import SEED_FLOOR, SEED_PRIORITY, LinkView, SourcePage, Strategy

__all__ = ["Intake"]

_AT_ONCE = 500  # links
_NONE = np.zeros(0, np.int64)
_NO_COUNTS = np.zeros(0, np.float32)
_NO_CONTEXTS = np.zeros((0, len(Context)), np.float32)
_NO_VALUES = np.zeros(0)


class Intake:
    """Takes up URLs. Everything new to the crawl passes here once."""

    def __init__(
        self,
        frontier: Frontier,
        strategy: Strategy,
        scope: StaticScope,
        growth: GrowthRules,
        recorder: Recorder,
        worth: Worth,
        max_depth: int | None,
    ) -> None:
        self._frontier = frontier
        self._strategy = strategy
        self._scope = scope
        self._growth = growth
        self._recorder = recorder
        self._worth = worth
        self._max_depth = max_depth
        self._seeds = 0

    @property
    def learns_words(self) -> bool:
        """Does the strategy ask for the terms of pages?"""
        return self._strategy.learns_words

    def seeds(self, urls: list[str], now: float) -> int:
        """Take up canonical seed URLs in their order; how many were new and in scope."""
        urls = list(dict.fromkeys(urls))
        prints = self._frontier.fingerprints(urls)
        kept = []
        for row in np.flatnonzero(self._frontier.find(prints) < 0).tolist():
            rule = self._scope.refuse(urls[row])
            site = self._frontier.site_of_url(urls[row]) if rule is None else None
            if site is not None and site.closed:
                rule = "site-closed"
            if rule is not None:
                self._recorder.refused(rule, 1, urls[row])
            elif site is not None:
                self._growth.count(site.id, urls[row])
                kept.append(row)
        if kept:
            taken = [urls[row] for row in kept]
            priorities = SEED_PRIORITY - np.arange(self._seeds, self._seeds + len(kept), dtype=np.float64)
            ids = self._frontier.add(taken, prints[kept], depth=0, parent=-1, priorities=priorities, now=now)
            self._worth.met(ids, taken)
            self._recorder.taken_up(ids, taken, priorities, depth=0, parent=None)
            self._seeds += len(kept)
        return len(kept)

    async def foresee(self, links: Links) -> None:
        """Work out in slices, between which others have their turn, what :meth:`links` will need of a page with very
        many new ones."""
        if len(links.urls) <= _AT_ONCE:  # as nearly always
            return
        new = np.flatnonzero(self._frontier.find(links.fingerprints) < 0).tolist()
        for start in range(0, len(new), _AT_ONCE):
            self._growth.foresee([links.urls[row] for row in new[start : start + _AT_ONCE]])
            await asyncio.sleep(0)

    def links(self, page: SourcePage, page_url: str, links: Links, now: float) -> None:
        """Take up the links of a judged page and let the strategy rank their targets; it hears of pages without links
        as well, since it may learn from what they are."""
        ids, priorities, standing = self._frontier.look_up(links.fingerprints)
        current = self._worth.values(ids, priorities)
        new, runs = self._admit(page, page_url, links, ids)
        ranked = (standing == WAITS) & (current < SEED_FLOOR)
        other = (((standing >= WAITS) > ranked) & (ids != page.id)).nonzero()[0]
        view = self._view(page, links, ids, current, ranked, new, other)
        self._rank(page, links, view, new, runs, now)
        self._revise(now)
        kept = ids >= 0
        self._recorder.links(page.id, links, None if kept.all() else kept.nonzero()[0], ids[kept])

    def _revise(self, now: float) -> None:
        """Let the strategy change its mind about what this page did not mention."""
        revised = self._strategy.revise(self._frontier.is_waiting)
        if revised is not None and len(revised[0]):
            ids, values = revised
            priorities = self._worth.priorities(ids, self._frontier.candidates.site[ids].astype(np.int64), values)
            self._recorder.reprioritised(self._frontier.update(ids, priorities, now))

    def redirect(self, candidate: int, url: str, priority: float, now: float) -> str:
        """Take up the target of a redirect in place of the URL that redirects. Returns "" when it will be fetched,
        "known" when it was already taken up, else the rule that refuses it."""
        prints = self._frontier.fingerprints([url])
        if self._frontier.find(prints)[0] >= 0:
            return "known"
        rule = self._scope.refuse(url)
        site = self._frontier.site_of_url(url) if rule is None else None
        if site is not None:
            rule = "site-closed" if site.closed else self._growth.admit(site.id, url, None, 0, False).rule
        if rule is not None:
            self._recorder.refused(rule, 1, url)
            return rule
        columns = self._frontier.candidates
        depth, parent = int(columns.depth[candidate]), int(columns.parent[candidate])
        priorities = np.array([priority])
        ids = self._frontier.add([url], prints, depth=depth, parent=parent, priorities=priorities, now=now)
        self._worth.met(ids, [url])
        self._worth.moved(candidate, int(ids[0]))
        if self._strategy.memory is not None:
            self._strategy.memory.moved(candidate, int(ids[0]))
        self._recorder.taken_up(
            ids, [url], priorities, depth=depth, parent=parent if parent >= 0 else None, via=candidate
        )
        return ""

    def _admit(
        self, page: SourcePage, page_url: str, links: Links, ids: np.ndarray
    ) -> tuple[list[int], list[int]]:  # fmt: skip
        """Give admitted new URLs the ids they will have; the row and the pattern run of each, in that order."""
        new = (ids < 0).nonzero()[0].tolist()
        admitted: list[int] = []
        runs: list[int] = []
        if not new:
            return admitted, runs
        if self._max_depth is not None and page.depth + 1 > self._max_depth:
            self._recorder.refused("depth", len(new), links.urls[new[0]])
            return admitted, runs
        frontier, growth = self._frontier, self._growth
        page_pattern = growth.pattern(page_url)
        page_run = int(frontier.candidates.run[page.id])
        next_id = len(frontier.candidates)
        for row in new:
            url = links.urls[row]
            site = frontier.known_site(url)
            if site is None:
                if growth.is_full(url):  # asked first: a site, once made, stays
                    self._recorder.refused("domain-cap", 1, url)
                    continue
                site = frontier.site_of_url(url)
            if site.closed:
                self._recorder.refused("site-closed", 1, url)
                continue
            admission = growth.admit(site.id, url, page_pattern, page_run, page.relevant)
            if admission.rule is not None:
                self._recorder.refused(admission.rule, 1, url)
                continue
            ids[row] = next_id + len(runs)
            admitted.append(row)
            runs.append(admission.run)
        return admitted, runs

    def _view(
        self, page: SourcePage, links: Links, ids: np.ndarray, current: np.ndarray, ranked: np.ndarray,
        new: list[int], other: np.ndarray,
    ) -> LinkView:  # fmt: skip
        """The links whose targets the strategy ranks: those that were ranked before, and the new ones."""
        columns, depth = self._frontier.candidates, page.depth + 1
        rows = ranked.nonzero()[0]
        if not new and not len(rows) and not self._strategy.learns_words:  # half the pages of a site lead nowhere new
            return LinkView(_NONE, _NONE, _NONE, _NO_COUNTS, _NO_CONTEXTS, _NO_VALUES, ids[other])
        old = ids[rows]
        sites, depths = columns.site[old].astype(np.int64), np.minimum(columns.depth[old], depth).astype(np.int64)
        if new:
            known, ranked = ranked, ranked.copy()
            ranked[new] = True
            known, rows = known[ranked], ranked.nonzero()[0]
            of_old, sites = sites, np.empty(len(known), np.int64)
            sites[known], sites[~known] = of_old, [self._frontier.site_of_url(links.urls[row]).id for row in new]
            of_old, depths = depths, np.full(len(known), depth, np.int64)
            depths[known] = of_old
        view = LinkView(
            ids=ids[rows], sites=sites, depths=depths, counts=links.counts[rows],
            similarity=links.similarity[rows], current=current[rows], besides=ids[other],
        )  # fmt: skip
        if not self._strategy.learns_words:
            return view
        asked = rows.tolist()
        return replace(
            view, urls=[links.urls[row] for row in asked], anchors=[links.anchors[row] for row in asked],
            positions=links.positions[rows], besides_at=links.positions[other],
        )  # fmt: skip

    def _rank(
        self, page: SourcePage, links: Links, view: LinkView, new: list[int], runs: list[int], now: float
    ) -> None:  # fmt: skip
        """Let the strategy rank the links; those that are new are taken up with what it says."""
        frontier, depth, ids = self._frontier, page.depth + 1, view.ids
        first = len(frontier.candidates)  # of the new ones
        urls = [links.urls[row] for row in new]
        if urls:
            self._worth.met(np.arange(first, first + len(urls)), urls)
        priorities = self._worth.priorities(ids, view.sites, self._strategy.rank(page, view))
        if len(ids) > len(urls):
            known = ids < first
            self._recorder.reprioritised(frontier.update(ids[known], priorities[known], now))
        if urls:
            fresh = priorities[ids >= first]
            taken = frontier.add(
                urls, links.fingerprints[new], depth=depth, parent=page.id, priorities=fresh,
                runs=np.array(runs, np.int64), now=now,
            )  # fmt: skip
            self._recorder.taken_up(taken, urls, fresh, depth=depth, parent=page.id, runs=runs)
