"""The queues and their order. The prose with the guarantees is in the package's docstring."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import ID_BITS, ID_MASK, Candidates, orders_of, priorities_of
from dowse.frontier.seen import SeenSet
from dowse.frontier.sites import Address, Errand, Site
from dowse.model.errors import StoreError
from dowse.model.records import CandidateRow, CandidateState
from dowse.model.url import fingerprint

__all__ = ["Frontier", "Lease"]

_WAITING = int(CandidateState.WAITING)  # plain numbers: comparing arrays with an enum is slow
_LEASED = int(CandidateState.LEASED)
_DEFERRED = 100  # in memory only: waiting for its time before it joins its site's queue again
_STALE_SLACK = 32
_BUSY_S = 0.05  # between two looks at a site that is being asked
_PATIENCE_S = 0.5  # how long a URL is held back while nothing else can be leased
_EDGE_EVERY = 10_000  # known URLs a lease, between two looks at the whole frontier


@dataclass(frozen=True, slots=True)
class Lease:
    """Leave to ask a site once: for its address, its robots.txt or a page (``candidate`` and ``url``)."""

    site: Site
    errand: Errand
    candidate: int = -1
    url: str = ""
    address: Address | None = None


class Frontier:
    """See the package's docstring. Times are seconds of the crawl's clock, always passed in."""

    def __init__(self, *, delay_s: float = 1.0, connections_per_site: int = 1) -> None:
        self.delay_s = delay_s
        self.candidates = Candidates()
        self.sites: list[Site] = []
        self.waiting = 0
        self.in_flight = 0
        self._connections = connections_per_site
        self._seen = SeenSet()
        self._by_origin: dict[str, Site] = {}
        self._addresses: dict[str, Address] = {}
        self._ready: list[int] = []  # heap of keys, one current key a site
        self._alarms: list[tuple[float, int, Site | Address]] = []
        self._alarm_number = 0
        self._deferred: list[tuple[float, int]] = []
        self._leased_at = 0.0
        self._leases = 0
        self._edge = -1  # the last key inside the window of ``next``; -1: not yet known
        self._edge_leases = 0  # leases when the edge was found
        self._aside: dict[int, float] = {}  # sites that are not asked for a while, and until when
        self._held_back = False

    # -- taking up URLs ------------------------------------------------------------------------------------------

    def site(self, origin: str) -> Site:
        """The site of an origin, made on first mention."""
        site = self._by_origin.get(origin)
        if site is None:
            site = Site(id=len(self.sites), origin=origin, delay_s=self.delay_s)
            self.sites.append(site)
            self._by_origin[origin] = site
        return site

    def site_of_url(self, url: str) -> Site:
        """The site of a canonical URL."""
        return self.site(url[: url.index("/", 8)])

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Candidate ids, -1 for URLs never seen."""
        return self._seen.find(fingerprints)

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
    ) -> NDArray[np.int64]:
        """Take up URLs that are new (and distinct); they wait from now on. Returns their ids."""
        sites = [self.site_of_url(url) for url in urls]
        orders = orders_of(priorities)
        ids = self.candidates.extend(
            [url[len(site.origin) :] for url, site in zip(urls, sites, strict=True)],
            np.fromiter((site.id for site in sites), np.int64, len(sites)), depth, parent, runs, orders,
        )  # fmt: skip
        self._seen.add(fingerprints, ids)
        self.waiting += len(urls)
        for site, order, id_ in zip(sites, orders.tolist(), ids.tolist(), strict=True):
            site.waiting += 1
            self._enqueue(site, (order << ID_BITS) | id_, now)
        return ids

    def update(self, ids: NDArray[np.int64], priorities: NDArray[np.float64], now: float) -> NDArray[np.int64]:
        """Give waiting candidates new priorities; the ids whose priority changed. Others are left as they are."""
        columns = self.candidates
        orders = orders_of(priorities)
        states = columns.state[ids]
        changed = self.is_waiting(ids) & (columns.order[ids] != orders)
        ids, orders, states = ids[changed], orders[changed], states[changed]
        columns.order[ids] = orders
        for id_, order, state in zip(ids.tolist(), orders.tolist(), states.tolist(), strict=True):
            if state == _WAITING:
                self._enqueue(self.sites[columns.site.item(id_)], (order << ID_BITS) | id_, now)
        return ids

    def _enqueue(self, site: Site, key: int, now: float) -> None:
        heap = site.heap
        heapq.heappush(heap, key)
        if site.offer < 0 or key < site.offer:
            self._offer(site, now)
        if len(heap) > 2 * site.waiting + _STALE_SLACK:
            current = set(filter(self.candidates.is_current, heap))
            site.heap = list(current)
            heapq.heapify(site.heap)

    def load(self, rows: list[CandidateRow]) -> None:
        """Take up candidates of an earlier run, in id order, as they were; :meth:`loaded` must follow the last."""
        columns = self.candidates
        if rows[0].id != len(columns) or rows[-1].id != rows[0].id + len(rows) - 1:
            raise StoreError(f"the records have no row for candidate {len(columns)}: they are damaged")
        sites = [self.site_of_url(row.url) for row in rows]
        orders = orders_of(np.array([row.priority for row in rows], np.float64))
        ids = columns.extend(
            [row.url[len(site.origin) :] for row, site in zip(rows, sites, strict=True)],
            np.array([site.id for site in sites], np.int64),
            np.array([row.depth for row in rows], np.int64),
            np.array([-1 if row.parent is None else row.parent for row in rows], np.int64),
            np.array([row.run for row in rows], np.int64),
            orders,
        )
        self._seen.add(np.array([fingerprint(row.url) for row in rows], np.uint64), ids)
        columns.attempts[ids] = [min(row.attempts, 255) for row in rows]
        columns.state[ids] = [row.state for row in rows]
        for row, site, order, id_ in zip(rows, sites, orders.tolist(), ids.tolist(), strict=True):
            if row.state == _WAITING:
                site.heap.append((order << ID_BITS) | id_)
                site.waiting += 1
                self.waiting += 1

    def loaded(self, now: float) -> None:
        """Everything was loaded: put the queues in order."""
        for site in self.sites:
            heapq.heapify(site.heap)
            self._offer(site, now)

    # -- leases --------------------------------------------------------------------------------------------------

    def next(self, now: float, *, within: int | None = None) -> Lease | None:
        """Lease the best URL (or errand) among the sites that may be asked now; None when there is none.

        ``within`` keeps a crawl that counts its pages from spending them on whatever host is idle: a URL that is not
        among the best so many waiting ones is held back, unless nothing was leased for some seconds.
        """
        self._wake(now)
        self._held_back = False
        while self._ready:
            key = self._ready[0]
            site = self.sites[self.candidates.site.item(key & ID_MASK)]
            if site.offer == key and self._top(site) == key and self._may_be_asked(site, now):
                if within is not None and not self._is_within(key, within, now):
                    self._held_back = True
                    return None
                heapq.heappop(self._ready)
                site.offer = -1
                return self._lease(site, key, now)
            heapq.heappop(self._ready)
            if site.offer != key:
                continue
            site.offer = -1
            self._offer(site, now)
            if site.offer < 0 and site.address is not None:
                self._unpark(site.address, now)
        return None

    def _is_within(self, key: int, within: int, now: float) -> bool:
        """Is the URL behind this key among the best ``within`` that wait for sites within reach?

        The edge of the window is found again after a number of leases that grows with the frontier, and lies as many
        places further out: so the cost a lease stays flat, and what is inside is not held back meanwhile.
        """
        if self.waiting <= within or key <= self._edge or now - self._leased_at >= self._patience_s():
            return True
        due = max(1, len(self.candidates) // _EDGE_EVERY)
        if self._edge >= 0 and self._leases - self._edge_leases < due:
            return False
        columns, count = self.candidates, len(self.candidates)
        waiting = columns.state[:count] == _WAITING
        far = self._far_off(now)
        if far:  # what cannot be asked for a while must not hold back the rest
            waiting &= ~np.isin(columns.site[:count], far)
        orders = columns.order[:count][waiting]
        self._edge_leases = self._leases
        if len(orders) <= within + due:
            self._edge = 1 << (64 + ID_BITS)
        else:
            last = within + due - 1
            self._edge = (int(np.partition(orders, last)[last]) << ID_BITS) | ID_MASK
        return key <= self._edge

    def _far_off(self, now: float) -> list[int]:
        """Sites that will not be asked for longer than the patience lasts."""
        horizon = now + self._patience_s()
        self._aside = {id_: until for id_, until in self._aside.items() if until > horizon}
        return list(self._aside)

    def _not_before(self, site: Site, when: float, now: float) -> None:
        site.ready_at = when
        if when > now + self._patience_s():
            self._aside[site.id] = when

    def _patience_s(self) -> float:
        return _PATIENCE_S + 2 * self.delay_s

    def _lease(self, site: Site, key: int, now: float) -> Lease:
        errand = site.errand
        site.in_flight += 1
        self.in_flight += 1
        self._leases += 1
        self._leased_at = now
        if errand is Errand.ADDRESS:
            return Lease(site, errand)
        address = self._occupy(site, now)
        if errand is Errand.ROBOTS:
            return Lease(site, errand, address=address)
        heapq.heappop(site.heap)
        id_ = key & ID_MASK
        self.candidates.state[id_] = _LEASED
        self._uncount(site)
        lease = Lease(site, errand, id_, site.origin + self.candidates.path(id_), address)
        self._offer(site, now)
        return lease

    def _occupy(self, site: Site, now: float) -> Address | None:
        """An exchange with the site begins: its delay and its address's run from now on."""
        self._not_before(site, now + site.delay_s, now)
        address = site.address
        if address is not None:
            address.in_flight += 1
            address.ready_at = now + self.delay_s
        return address

    def release(self, lease: Lease, now: float, *, counted_from: float | None = None) -> None:
        """The exchange is over: the site may be asked again when its delay, counted from then, has passed."""
        site, address = lease.site, lease.address
        site.in_flight -= 1
        self.in_flight -= 1
        start = now if counted_from is None else counted_from
        if lease.errand is not Errand.ADDRESS:
            self._not_before(site, max(site.ready_at, start + site.delay_s), now)
        if address is not None:
            address.in_flight -= 1
            address.ready_at = max(address.ready_at, start + self.delay_s)
            self._unpark(address, now)
        self._offer(site, now)

    def cancel(self, lease: Lease, now: float) -> None:
        """The lease was not used: nobody was asked, so no delay begins."""
        site, address = lease.site, lease.address
        site.in_flight -= 1
        self.in_flight -= 1
        site.ready_at = min(site.ready_at, now)
        if address is not None:
            address.in_flight -= 1
            if not address.in_flight:
                address.ready_at = min(address.ready_at, now)
            self._unpark(address, now)
        self._offer(site, now)

    def try_lease(self, site: Site, now: float) -> Lease | float:
        """Lease a site for a request beside its pages; else how many seconds to wait before trying again."""
        wait = site.ready_at - now
        busy = site.in_flight >= self._connections
        if site.address is not None and self.delay_s > 0:
            wait = max(wait, site.address.ready_at - now)
            busy = busy or site.address.in_flight >= self._connections
        if busy or wait > 0:
            return max(wait, _BUSY_S) if busy else wait
        site.in_flight += 1
        self.in_flight += 1
        return Lease(site, Errand.ROBOTS, address=self._occupy(site, now))

    def step_aside(self, lease: Lease, now: float) -> Lease:
        """The exchange goes on elsewhere: the lease keeps its site, but frees the address for others."""
        address = lease.address
        if address is None:
            return lease
        address.in_flight -= 1
        address.ready_at = max(address.ready_at, now + self.delay_s)
        self._unpark(address, now)
        return replace(lease, address=None)

    def finish(self, candidate: int, state: CandidateState) -> None:
        """End the life of a leased URL."""
        self.candidates.state[candidate] = state

    def retry(self, candidate: int, *, at: float, now: float) -> None:
        """A leased URL waits again, not before ``at``."""
        columns = self.candidates
        site = self.sites[columns.site.item(candidate)]
        site.waiting += 1
        self.waiting += 1
        if at > now:
            columns.state[candidate] = _DEFERRED
            heapq.heappush(self._deferred, (at, candidate))
        else:
            columns.state[candidate] = _WAITING
            self._enqueue(site, columns.key(candidate), now)

    # -- sites ---------------------------------------------------------------------------------------------------

    def settle_address(self, site: Site, address: str | None) -> None:
        """The address errand is done: the site shares the delay of this address (None: of no other site)."""
        if address is not None:
            site.address = self._addresses.setdefault(address, Address(address))
        site.errand = Errand.ROBOTS

    def settle_robots(self, site: Site, *, delay_s: float | None = None) -> None:
        """The robots errand is done: pages may be asked for, at the site's own delay if it has one."""
        if delay_s is not None:
            site.delay_s = delay_s
        site.errand = Errand.PAGE

    def require(self, site: Site, errand: Errand) -> None:
        """The site needs an errand again (its robots.txt has aged)."""
        site.errand = errand

    def set_aside(self, site: Site, until: float) -> None:
        """The site is not asked before ``until``."""
        site.ready_at = max(site.ready_at, until)
        self._aside[site.id] = site.ready_at

    def close(self, site: Site, reason: str) -> list[int]:
        """Refuse everything that waits at a site and whatever comes later; the ids that were refused."""
        columns = self.candidates
        site.closed = reason
        ids = [key & ID_MASK for key in set(site.heap) if columns.is_current(key)]
        ids += [id_ for _, id_ in self._deferred if columns.site[id_] == site.id and columns.state[id_] == _DEFERRED]
        for id_ in ids:
            columns.state[id_] = CandidateState.REFUSED
            self._uncount(site)
        site.heap = []
        site.offer = -1
        return sorted(ids)

    # -- looking -------------------------------------------------------------------------------------------------

    def url(self, candidate: int) -> str:
        return self.site_of(candidate).origin + self.candidates.path(candidate)

    def site_of(self, candidate: int) -> Site:
        return self.sites[self.candidates.site.item(candidate)]

    def priority(self, candidate: int) -> float:
        return float(priorities_of(self.candidates.order[candidate : candidate + 1])[0])

    def priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The current priorities of candidates."""
        return priorities_of(self.candidates.order[ids])

    def is_waiting(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these candidates wait, now or for a retry."""
        states = self.candidates.state[ids]
        return np.asarray((states == _WAITING) | (states == _DEFERRED))

    def wake_at(self) -> float | None:
        """When something that cannot be leased now may become leasable by time alone; None: never."""
        times = []
        while self._alarms and self._alarms[0][2].alarm != self._alarms[0][0]:
            heapq.heappop(self._alarms)
        if self._alarms:
            times.append(self._alarms[0][0])
        if self._deferred:
            times.append(self._deferred[0][0])
        if self._held_back:
            times.append(self._leased_at + self._patience_s())
        return min(times) if times else None

    @property
    def nbytes(self) -> int:
        """Bytes held for candidates and queues (without per-site objects)."""
        entries = sum(len(site.heap) for site in self.sites)
        return self.candidates.nbytes + self._seen.nbytes + entries * 48

    # -- within --------------------------------------------------------------------------------------------------

    def _uncount(self, site: Site) -> None:
        site.waiting -= 1
        self.waiting -= 1

    def _top(self, site: Site) -> int:
        """The site's best current key, -1 when nothing waits there."""
        heap = site.heap
        while heap and not self.candidates.is_current(heap[0]):
            heapq.heappop(heap)
        return heap[0] if heap else -1

    def _address_busy(self, site: Site, now: float) -> bool:
        address = site.address
        if address is None or self.delay_s <= 0:
            return False
        return address.in_flight >= self._connections or address.ready_at > now

    def _may_be_asked(self, site: Site, now: float) -> bool:
        limit = self._connections if site.errand is Errand.PAGE else 1
        return site.in_flight < limit and site.ready_at <= now and not self._address_busy(site, now)

    def _offer(self, site: Site, now: float) -> None:
        """Put the site where it belongs: ready, waiting for its time, or parked at its address."""
        top = self._top(site)
        if top < 0 or site.in_flight >= (self._connections if site.errand is Errand.PAGE else 1):
            site.offer = -1  # offered again when a URL comes or the exchange ends
            return
        if site.ready_at > now:
            site.offer = -1
            self._book(site, site.ready_at)
            return
        address = site.address
        if address is not None and self._address_busy(site, now):
            site.offer = -1
            if site.parked != top:
                site.parked = top
                heapq.heappush(address.parked, top)
            if address.in_flight < self._connections:
                self._book(address, address.ready_at)
            return
        if site.offer != top:
            site.offer = top
            heapq.heappush(self._ready, top)
        if address is not None and address.parked and address.parked[0] < top:
            self._unpark(address, now)

    def _unpark(self, address: Address, now: float) -> None:
        """Offer the best site parked at an address, as soon as the address may be asked."""
        while address.parked:
            if address.in_flight >= self._connections:
                return
            if address.ready_at > now:
                self._book(address, address.ready_at)
                return
            key = heapq.heappop(address.parked)
            site = self.sites[self.candidates.site.item(key & ID_MASK)]
            if site.parked != key:
                continue
            site.parked = -1
            top = self._top(site)
            if top >= 0 and address.parked and address.parked[0] < top:
                site.parked = top  # its best URL is gone or lowered: another site comes first
                heapq.heappush(address.parked, top)
                continue
            self._offer(site, now)
            if site.offer >= 0:
                return

    def _book(self, who: Site | Address, when: float) -> None:
        if who.alarm is None or when < who.alarm:
            who.alarm = when
            self._alarm_number += 1
            heapq.heappush(self._alarms, (when, self._alarm_number, who))

    def _wake(self, now: float) -> None:
        while self._deferred and self._deferred[0][0] <= now:
            _, id_ = heapq.heappop(self._deferred)
            if self.candidates.state[id_] == _DEFERRED:
                self.candidates.state[id_] = _WAITING
                self._enqueue(self.sites[self.candidates.site.item(id_)], self.candidates.key(id_), now)
        while self._alarms and self._alarms[0][0] <= now:
            when, _, who = heapq.heappop(self._alarms)
            if who.alarm != when:
                continue
            who.alarm = None
            if isinstance(who, Site):
                self._offer(who, now)
            else:
                self._unpark(who, now)
