"""The queues and their order. The prose with the guarantees is in the package's docstring."""

from __future__ import annotations

import heapq
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import ID_BITS, ID_MASK, Candidates, orders_of, priorities_of, priority_of
from dowse.frontier.queues import Queues
from dowse.frontier.seen import ENDED, GONE, LOW, WAITS, Seen, look_up
from dowse.frontier.selectivity import Selectivity
from dowse.frontier.site import Errand, Lease, Site
from dowse.frontier.site_line import SiteLine
from dowse.frontier.table import Table
from dowse.frontier.turns import PATIENCE_S, Turns
from dowse.model.errors import StoreError
from dowse.model.records import CandidateBlock, CandidateState, SiteTurn
from dowse.model.url import fingerprint

__all__ = ["Frontier"]

_WAITING = int(CandidateState.WAITING)  # plain numbers: comparing arrays with an enum is slow
_LEASED = int(CandidateState.LEASED)
_FETCHED = int(CandidateState.FETCHED)
_BELOW = int(CandidateState.BELOW)
_HELD = 101  # in memory only: it waits for another run
_DEFERRED = 100  # in memory only: waiting for its time before it joins its site's queue again
_KINDS = bytes(
    {_WAITING: WAITS, _DEFERRED: WAITS, _FETCHED: GONE, _LEASED: GONE, _BELOW: LOW}.get(state, ENDED)
    for state in range(256)
)


class Frontier:
    """See the package's docstring. Times are seconds of the crawl's clock, always passed in."""

    def __init__(
        self, *, delay_s: float = 1.0, connections_per_site: int = 1, opens_at: float = 0.0, hash_seed: int = 0,
        in_order: bool = False, lowest: float = -math.inf,
    ) -> None:  # fmt: skip
        """``opens_at``: no site is asked before, since any of them may just have been. ``hash_seed``: of the
        fingerprints that it is given, see ``table``. ``in_order``: the best of all is leased next, whenever its site
        may be asked, so that no order depends on how long things take. ``lowest``: URLs with a lower priority do not
        wait until they have a higher one."""
        self.delay_s = delay_s
        self.lowest = lowest
        self.hash_seed = hash_seed
        self._opens_at = opens_at
        self.candidates = Candidates()
        self.sites: list[Site] = []
        self.waiting = 0
        self.in_flight = 0
        self._seen = Table()
        self._by_origin: dict[str, Site] = {}
        self._deferred: list[tuple[float, int]] = []
        self._selectivity = Selectivity(self.candidates, delay_s)
        self._queues = Queues(self.candidates, self.sites)
        self._turns = Turns(
            self.candidates, self.sites, self._queues, self._selectivity, delay_s, connections_per_site,
            in_order=in_order,
        )  # fmt: skip
        self._held_back = False
        self._in_order = in_order
        self._best_at: float | None = None  # in order: when the best URL may be leased
        self._line: SiteLine | None = None  # None: all sites are crawled at once

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

    # -- taking up URLs ------------------------------------------------------------------------------------------

    def site(self, origin: str) -> Site:
        """The site of an origin, made on first mention."""
        site = self._by_origin.get(origin)
        if site is None:
            site = Site(id=len(self.sites), origin=origin, delay_s=self.delay_s, ready_at=self._opens_at)
            self.sites.append(site)
            self._by_origin[origin] = site
            if self._line is not None:
                self._line.meet(site)
        return site

    def known_site(self, url: str) -> Site | None:
        """The site of a canonical URL, if it was mentioned before."""
        return self._by_origin.get(url[: url.index("/", 8)])

    def site_of_url(self, url: str) -> Site:
        """The site of a canonical URL."""
        return self.site(url[: url.index("/", 8)])

    def fingerprints(self, urls: list[str]) -> NDArray[np.uint64]:
        """What the URLs are known by here."""
        return np.fromiter((fingerprint(url, self.hash_seed) for url in urls), np.uint64, len(urls))

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Candidate ids, -1 for URLs never seen."""
        return self._seen.find(fingerprints)

    def look_up(self, fingerprints: NDArray[np.uint64]) -> Seen:
        """What is known of URLs, all at once."""
        return look_up(self._seen, self.candidates, _KINDS, fingerprints)

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
            self.candidates.state[ids[low]] = _BELOW
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
            for id_ in ids[columns.state[ids] == _BELOW].tolist()
            if self.priority(id_) >= self.lowest and not self._takes_no_more(self.site_of(id_))
        ]
        for id_ in risen:
            self._begin_to_wait(id_, now)
        return np.array(risen, np.int64)

    def _takes_no_more(self, site: Site) -> bool:
        processed = self._line is not None and self._line.of(site).turn is SiteTurn.PROCESSED
        return processed or site.closed != ""

    def _begin_to_wait(self, id_: int, now: float) -> None:
        site = self.site_of(id_)
        self.candidates.state[id_] = _WAITING
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
        changed &= (states == _WAITING) | (states == _DEFERRED) | (states == _BELOW)
        ids, orders, before, states = ids[changed], orders[changed], before[changed], states[changed]
        columns.order[ids] = orders
        queued = states == _WAITING  # what is to be tried again later is in no queue
        for site in self._queues.rerank(ids[queued], before[queued], orders[queued]):
            self._turns.offer(site, now)
        return ids

    def _enqueue(self, site: Site, key: int, now: float) -> None:
        self._queues.push(site, key)
        if site.offer < 0 or key < site.offer:
            self._turns.offer(site, now)

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
        states = np.where((block.states == _BELOW) & (block.priorities >= self.lowest), _WAITING, block.states)
        columns.state[ids] = states
        self.waiting += int(np.count_nonzero(states == _WAITING))

    def visit_again(self, due: NDArray[np.int64], priorities: NDArray[np.float64], first_new: int) -> None:
        """Of what was loaded, these URLs wait once more, with these priorities, and else only what was found from
        ``first_new`` on; :meth:`loaded` must follow."""
        columns = self.candidates
        before = columns.state[:first_new]
        before[before == _WAITING] = _HELD
        columns.state[due], columns.order[due], columns.attempts[due] = _WAITING, orders_of(priorities), 0
        self.waiting = int(np.count_nonzero(columns.state[: len(columns)] == _WAITING))

    def loaded(self, now: float) -> None:
        """Everything was loaded: put the queues in order."""
        self._queues.build()
        for site in self.sites:
            if site.waiting:
                self._turns.offer(site, now)
            if self._line is not None:
                self._line.stir(site)

    # -- leases --------------------------------------------------------------------------------------------------

    def next(self, now: float, *, within: int | None = None) -> Lease | None:
        """Lease the best URL (or errand) among the sites that may be asked now; None when there is none.

        ``within`` keeps a crawl that counts its pages from spending them on whatever host is idle: a URL that is not
        among the best so many waiting ones is held back, unless nothing was leased for some seconds.
        """
        self._wake(now)
        if self._line is not None:
            for site in self._line.move_up():
                self._turns.offer(site, now)
            within = None  # whatever is better elsewhere has to wait for its site
        if self._in_order:
            return self._best_of_all(now)
        self._held_back = False
        for spare in (False, True):
            best = self._turns.best(now, spare=spare)
            if best is None:
                continue
            key, site = best
            if within is None or self.waiting <= within or self._selectivity.admits(key, within, now):
                self._held_back = False
                self._turns.take(site)
                return self._lease(site, key, now)
            self._held_back = True
        return None

    def _best_of_all(self, now: float) -> Lease | None:
        self._best_at = None
        best = self._turns.best(now)
        if best is None:
            return None
        key, site = best
        wait_s = 0.0 if site.errand is Errand.ADDRESS else self._turns.wait_s(site, now)
        if wait_s > 0:
            self._best_at = now + wait_s
            return None
        self._turns.take(site)
        return self._lease(site, key, now)

    def _lease(self, site: Site, key: int, now: float) -> Lease:
        errand = site.errand
        site.in_flight += 1
        self.in_flight += 1
        self._selectivity.leased(now)
        if errand is Errand.ADDRESS:
            return Lease(site, errand)
        address = self._turns.occupy(site, now)
        if errand is Errand.ROBOTS:
            return Lease(site, errand, address=address)
        heapq.heappop(site.front)
        id_ = key & ID_MASK
        self.candidates.state[id_] = _LEASED
        site.leased += 1
        self._uncount(site)
        columns = self.candidates
        lease = Lease(site, errand, id_, site.origin + columns.path(id_), columns.depth.item(id_), address)
        self._turns.offer(site, now)
        return lease

    def release(self, lease: Lease, now: float, *, counted_from: float | None = None) -> None:
        """The exchange is over: the site may be asked again when its delay, counted from then, has passed."""
        site, address = lease.site, lease.address
        site.in_flight -= 1
        site.away -= lease.away
        self.in_flight -= 1
        start = now if counted_from is None else counted_from
        if lease.errand is not Errand.ADDRESS:
            self._turns.not_before(site, max(site.ready_at, start + site.delay_s), now)
        if address is not None:
            self._turns.leave(address, start, now)
        self._returned(site, now)

    def cancel(self, lease: Lease, now: float) -> None:
        """The lease was not used: nobody was asked, so no delay begins."""
        site, address = lease.site, lease.address
        site.in_flight -= 1
        self.in_flight -= 1
        site.ready_at = min(site.ready_at, now)
        if address is not None:
            self._turns.undo(address, now)
        self._returned(site, now)

    def try_lease(self, site: Site, now: float) -> Lease | float:
        """Lease a site for a request beside its pages; else how many seconds to wait before trying again."""
        wait = self._turns.wait_s(site, now)
        if wait > 0:
            return wait
        site.in_flight += 1
        self.in_flight += 1
        return Lease(site, Errand.ROBOTS, address=self._turns.occupy(site, now))

    def hold_errand(self, lease: Lease, now: float) -> Lease:
        """Keep an errand's lease while its requests take turns of their own (:meth:`try_lease`), here and at other
        sites: nothing else is leased here, and two sites whose robots.txt lead to each other do not wait for ever."""
        self.cancel(lease, now)
        lease.site.in_flight += 1
        lease.site.away += 1
        self.in_flight += 1
        self._turns.offer(lease.site, now)
        return replace(lease, address=None, away=True)

    def finish(self, candidate: int, state: CandidateState) -> None:
        """End the life of a leased URL, or of one whose site was closed."""
        if self.candidates.state[candidate] == _LEASED:
            self._unlease(self.site_of(candidate))
        self.candidates.state[candidate] = state

    def retry(self, candidate: int, *, at: float, now: float) -> None:
        """A leased URL waits again, not before ``at``; in order, its site waits with it if that is soon."""
        columns = self.candidates
        site = self.sites[columns.site.item(candidate)]
        site.waiting += 1
        self.waiting += 1
        self._unlease(site)
        if self._in_order and at <= now + PATIENCE_S:
            self._turns.not_before(site, max(site.ready_at, at), now)
            at = now
        if at > now:
            columns.state[candidate] = _DEFERRED
            heapq.heappush(self._deferred, (at, candidate))
        else:
            columns.state[candidate] = _WAITING
            self._enqueue(site, columns.key(candidate), now)

    # -- sites ---------------------------------------------------------------------------------------------------

    def set_address(self, site: Site, address: str | None) -> None:
        """The address errand is done: the site shares the delay of this address (None: of no other site)."""
        if address is not None:
            site.address = self._turns.address(address)
        site.errand = Errand.ROBOTS

    def rehome(self, site: Site, address: str, now: float) -> None:
        """The site lives at another address from now on."""
        site.address = self._turns.address(address)
        site.parked = -1
        self._turns.offer(site, now)

    def open(self, site: Site, *, delay_s: float | None = None) -> None:
        """The robots errand is done: pages may be asked for, at the site's own delay if it has one."""
        if delay_s is not None:
            site.delay_s = delay_s
        site.errand = Errand.PAGE

    def need_robots(self, site: Site) -> None:
        """The site's robots.txt has aged: it must be read again before the next page."""
        site.errand = Errand.ROBOTS

    def set_aside(self, site: Site, seconds: float, now: float) -> None:
        """The site is not asked for so long."""
        self._turns.not_before(site, max(site.ready_at, now + seconds), now)

    def hasten(self, site: Site, when: float, now: float) -> None:
        """A site that was set aside may be asked from ``when`` on, if that is earlier."""
        if when < site.ready_at:
            self._turns.not_before(site, when, now)
            self._turns.offer(site, now)

    def stand_back(self, site: Site, seconds: float, now: float) -> None:
        """The site is asked only while no other can be, for so long."""
        self._turns.stand_back(site, now + seconds, now)

    def close(self, site: Site, reason: str) -> list[int]:
        """Refuse everything that waits at a site and whatever comes later; the ids that were refused."""
        columns = self.candidates
        site.closed = reason
        ids = self._queues.waiting(site)
        ids += [id_ for _, id_ in self._deferred if columns.site[id_] == site.id and columns.state[id_] == _DEFERRED]
        for id_ in ids:
            columns.state[id_] = CandidateState.REFUSED
            self._uncount(site)
        self._queues.clear(site)
        site.offer = -1
        if self._line is not None:
            self._line.stir(site)
        return sorted(ids)

    # -- looking -------------------------------------------------------------------------------------------------

    def url(self, candidate: int) -> str:
        return self.site_of(candidate).origin + self.candidates.path(candidate)

    def site_of(self, candidate: int) -> Site:
        return self.sites[self.candidates.site.item(candidate)]

    def introduced_by(self, site: Site) -> Site | None:
        """The site of the page that linked to the best URL that waits at a site; None for a seed, and without one."""
        top = self._queues.top(site)
        parent = self.candidates.parent.item(top & ID_MASK) if top >= 0 else -1
        return self.site_of(parent) if parent >= 0 else None

    def priority(self, candidate: int) -> float:
        return priority_of(self.candidates.order.item(candidate))

    def priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The current priorities of candidates."""
        return priorities_of(self.candidates.order[ids])

    def to_come(self, most: int) -> tuple[NDArray[np.float64], int]:
        """What is yet to be fetched, waiting (if for another run) or under way: the highest priorities, at most so many
        and highest first, and how many there are in all. Looks at every URL: ask rarely."""
        count = len(self.candidates)
        states = self.candidates.state[:count]
        orders = self.candidates.order[:count][(states <= _LEASED) | (states == _DEFERRED) | (states == _HELD)]
        best = orders if len(orders) <= most else np.partition(orders, most - 1)[:most]
        return priorities_of(np.sort(best)), len(orders)

    def is_waiting(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates wait, now or for a retry."""
        states = self.candidates.state[ids]
        waiting: NDArray[np.bool_] = (states == _WAITING) | (states == _DEFERRED)
        return waiting

    def is_below(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates do not wait, for their low priority."""
        below: NDArray[np.bool_] = self.candidates.state[ids] == _BELOW
        return below

    def waiting_at(self, site: Site) -> NDArray[np.int64]:
        """The candidates that wait in a site's queue."""
        return np.array(self._queues.waiting(site), np.int64)

    def wake_at(self) -> float | None:
        """When something that cannot be leased now may become leasable by time alone; None: never."""
        turn = self._turns.wake_at()
        times = [] if turn is None else [turn]
        if self._deferred:
            times.append(self._deferred[0][0])
        if self._held_back:
            times.append(self._selectivity.opens_at())
        if self._best_at is not None:
            times.append(self._best_at)
        return min(times) if times else None

    @property
    def nbytes(self) -> int:
        """Bytes held for candidates and queues (without per-site objects)."""
        return self.candidates.nbytes + self._seen.nbytes + self._queues.nbytes

    # -- within --------------------------------------------------------------------------------------------------

    def _returned(self, site: Site, now: float) -> None:
        """Nobody asks a site any more: it may be asked again, when its time comes."""
        self._turns.offer(site, now)
        if self._line is not None:
            self._line.stir(site)

    def _unlease(self, site: Site) -> None:
        site.leased -= 1
        if self._line is not None:
            self._line.stir(site)

    def _uncount(self, site: Site) -> None:
        site.waiting -= 1
        self.waiting -= 1

    def _wake(self, now: float) -> None:
        while self._deferred and self._deferred[0][0] <= now:
            _, id_ = heapq.heappop(self._deferred)
            if self.candidates.state[id_] == _DEFERRED:
                self.candidates.state[id_] = _WAITING
                self._enqueue(self.sites[self.candidates.site.item(id_)], self.candidates.key(id_), now)
        self._turns.wake(now)
