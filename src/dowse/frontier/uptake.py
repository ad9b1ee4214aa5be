"""Who waits: URLs that are taken up, rise, or are given other priorities, in this run or since an earlier one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import ID_BITS, ID_MASK, orders_of
from dowse.frontier.known import BELOW, DEFERRED, ELSEWHERE, ENDED_ELSEWHERE, HELD, WAITING, Known
from dowse.frontier.queues import Queues
from dowse.frontier.selectivity import Selectivity
from dowse.frontier.site import Site
from dowse.frontier.site_line import SiteLine
from dowse.frontier.turns import Turns
from dowse.model.errors import StoreError
from dowse.model.records import CandidateBlock, SiteTurn

__all__ = ["Uptake"]


class Uptake(Known):
    """The part of :class:`~dowse.frontier.frontier.Frontier` that puts URLs into the queues of their sites."""

    def __init__(
        self, delay_s: float, connections: int, opens_at: float, hash_seed: int, in_order: bool, lowest: float
    ) -> None:
        super().__init__(delay_s, opens_at, hash_seed)
        self.lowest = lowest
        self.waiting = 0
        self._selectivity = Selectivity(self.candidates, delay_s)
        self._queues = Queues(self.candidates, self.sites)
        self._turns = Turns(
            self.candidates, self.sites, self._queues, self._selectivity, delay_s, connections, in_order=in_order,
        )  # fmt: skip
        self._in_order = in_order
        self._line: SiteLine | None = None  # None: all sites are crawled at once

    # -- taking up URLs ------------------------------------------------------------------------------------------

    def add(
        self,
        urls: list[str],
        fingerprints: NDArray[np.uint64],
        *,
        depth: int,
        parent: int,
        priorities: NDArray[np.float64],
        now: float,
        runs: NDArray[np.int64] | int = 0,
        sites: list[Site] | None = None,
        exempt: bool = False,
    ) -> NDArray[np.int64]:
        """Take up URLs that are new (and distinct); they wait from now on, but for those of too low a priority, if they
        are not ``exempt``. Returns their ids. ``sites``: of each, where they are at hand."""
        if sites is None:
            sites = [self.site_of_url(url) for url in urls]
        orders = orders_of(priorities)
        ids = self.candidates.extend(
            [url[len(site.origin) :] for url, site in zip(urls, sites, strict=True)],
            np.fromiter((site.id for site in sites), np.int64, len(sites)), depth, parent, runs, orders,
        )  # fmt: skip
        self._seen.add(fingerprints, ids)
        if not exempt and (priorities < self.lowest).any():
            low = priorities < self.lowest
            self.candidates.state[ids[low]] = BELOW
            for id_ in ids[~low].tolist():
                self._begin_to_wait(id_, now)
            return ids
        self.waiting += len(urls)
        for site, order, id_ in zip(sites, orders.tolist(), ids.tolist(), strict=True):
            site.waiting += 1
            self._enqueue(site, (order << ID_BITS) | id_, now)
        return ids

    def rise(self, ids: NDArray[np.int64], now: float) -> NDArray[np.int64]:
        """Those of these candidates that had too low a priority, and have one that is high enough by now: they wait."""
        columns = self.candidates
        risen = [
            id_
            for id_ in ids[columns.state[ids] == BELOW].tolist()
            if self.priority(id_) >= self.lowest and not self._takes_no_more(self.site_of(id_))
        ]
        for id_ in risen:
            self._begin_to_wait(id_, now)
        return np.array(risen, np.int64)

    def give_away(self, ids: NDArray[np.int64]) -> None:
        """These candidates, which wait or have too low a priority, are another shard's."""
        for id_ in ids[self.is_waiting(ids)].tolist():
            self._uncount(self.site_of(id_))
        self.candidates.state[ids] = ELSEWHERE

    def take_back(self, ids: NDArray[np.int64], priorities: NDArray[np.float64], now: float) -> None:
        """These candidates were another shard's, and are ours by now: they wait, if their priority is high enough."""
        columns = self.candidates
        columns.order[ids] = orders_of(priorities)
        columns.state[ids] = BELOW
        for id_ in ids[priorities >= self.lowest].tolist():
            self._begin_to_wait(id_, now)

    def end_elsewhere(self, ids: NDArray[np.int64]) -> None:
        """These candidates, which wait or were another shard's, ended there: nobody is to ask for them again."""
        self.give_away(ids)
        self.candidates.state[ids] = ENDED_ELSEWHERE

    def _takes_no_more(self, site: Site) -> bool:
        processed = self._line is not None and self._line.of(site).turn is SiteTurn.PROCESSED
        return processed or site.closed != ""

    def _begin_to_wait(self, id_: int, now: float) -> None:
        site = self.site_of(id_)
        self.candidates.state[id_] = WAITING
        site.waiting += 1
        self.waiting += 1
        self._enqueue(site, self.candidates.key(id_), now)

    def update(self, ids: NDArray[np.int64], priorities: NDArray[np.float64], now: float) -> NDArray[np.int64]:
        """Give waiting candidates new priorities, and those that are too low to wait; the ids whose priority changed.
        Others are left as they are."""
        columns = self.candidates
        orders, before = orders_of(priorities), columns.order[ids]
        changed = before != orders
        if not changed.any():  # as mostly
            return ids[:0]
        states = columns.state[ids]
        changed &= (states == WAITING) | (states == DEFERRED) | (states == BELOW) | (states == ELSEWHERE)
        ids, orders, before, states = ids[changed], orders[changed], before[changed], states[changed]
        columns.order[ids] = orders
        queued = states == WAITING  # what is to be tried again later is in no queue
        self._selectivity.changed()
        for site in self._queues.rerank(ids[queued], before[queued], orders[queued]):
            self._turns.offer(site, now)
        return ids

    def _enqueue(self, site: Site, key: int, now: float) -> None:
        self._queues.push(site, key)
        if site.offer < 0 or key < site.offer:
            self._turns.offer(site, now)

    def waiting_at(self, site: Site) -> NDArray[np.int64]:
        """The candidates that wait in a site's queue."""
        return np.array(self._queues.waiting(site), np.int64)

    def introduced_by(self, site: Site) -> Site | None:
        """The site of the page that linked to the best URL that waits at a site; None for a seed, and without one."""
        top = self._queues.top(site)
        parent = self.candidates.parent.item(top & ID_MASK) if top >= 0 else -1
        return self.site_of(parent) if parent >= 0 else None

    def _uncount(self, site: Site) -> None:
        site.waiting -= 1
        self.waiting -= 1

    # -- another run ---------------------------------------------------------------------------------------------

    def load(self, block: CandidateBlock) -> None:
        """Take up candidates of an earlier run, in id order, as they were. Their sites are known by :meth:`site`
        already; :meth:`loaded` must follow the last block."""
        columns = self.candidates
        if block.first != len(columns) or int(block.sites.max()) >= len(self.sites):
            raise StoreError(f"the records have no row for candidate {len(columns)}, or for its site: they are damaged")
        ids = columns.extend(
            [url[url.index("/", 8) :] for url in block.urls],
            block.sites, block.depths, block.parents, block.runs, orders_of(block.priorities),
        )  # fmt: skip
        self._seen.add(self.fingerprints(block.urls), ids)
        columns.attempts[ids] = block.attempts
        states = np.where((block.states == BELOW) & (block.priorities >= self.lowest), WAITING, block.states)
        columns.state[ids] = states
        self.waiting += int(np.count_nonzero(states == WAITING))

    def visit_again(self, due: NDArray[np.int64], priorities: NDArray[np.float64], first_new: int) -> None:
        """Of what was loaded, these URLs wait once more, with these priorities, and else only what was found from
        ``first_new`` on; :meth:`loaded` must follow."""
        columns = self.candidates
        before = columns.state[:first_new]
        before[before == WAITING] = HELD
        columns.state[due], columns.order[due], columns.attempts[due] = WAITING, orders_of(priorities), 0
        self.waiting = int(np.count_nonzero(columns.state[: len(columns)] == WAITING))

    def loaded(self, now: float) -> None:
        """Everything was loaded: put the queues in order."""
        self._queues.build()
        for site in self.sites:
            if site.waiting:
                self._turns.offer(site, now)
            if self._line is not None:
                self._line.stir(site)

    # -- site by site --------------------------------------------------------------------------------------------

    def go_by_site(self, at_once: int) -> None:
        """From now on, before anything waits: so many web sites are crawled at once, one after the other (see
        ``site_line``). With one, the crawl is in order, and waits out the delay of its site."""
        self._line = SiteLine(at_once, self.candidates, self.sites, self._queues.top)
        self._in_order = self._in_order or at_once == 1
        self._turns.go_by_site(self._line, in_order=self._in_order)

    @property
    def goes_by_site(self) -> bool:
        return self._line is not None

    @property
    def within_reach(self) -> int:
        """How many URLs wait at sites whose turn it is."""
        return self.waiting if self._line is None else sum(web_site.waiting for web_site in self._line.current)

    def is_processed(self, url: str) -> bool:
        """Is a canonical URL of a web site that was worked off?"""
        return self._line is not None and self._line.is_processed(url)

    def web_sites(self, sites: NDArray[np.int64]) -> NDArray[np.int64]:
        """The web sites of these origins, each by the number of its first origin; all origins, as they are, where the
        crawl does not go site by site."""
        if self._line is None:
            return sites
        line = self._line
        return np.array([line.of(self.sites[number]).origins[0].id for number in sites.tolist()], np.int64)

    def restore_turns(self, turns: list[tuple[int, SiteTurn]]) -> None:
        """Take up how sites stood in an earlier run; :meth:`loaded` must follow."""
        if self._line is not None:
            self._line.restore(turns)

    def turned(self) -> list[tuple[int, SiteTurn]]:
        """Sites that stand otherwise than when this was last asked, and how."""
        return [] if self._line is None else self._line.turned()

    def _met(self, site: Site) -> None:
        if self._line is not None:
            self._line.meet(site)
