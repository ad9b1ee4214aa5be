"""Leases, and what becomes of sites. The prose with the guarantees is in the package's docstring.

:class:`Frontier` is in three parts, one on top of the other: what is known (``known``), what waits (``uptake``), and
here what is asked for. They are one object, since a page asks it for some hundred URLs.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import ID_BITS, ID_MASK, priority_of
from dowse.frontier.known import BELOW, DEFERRED, ELSEWHERE, LEASED, WAITING
from dowse.frontier.site import Errand, Lease, Site
from dowse.frontier.turns import PATIENCE_S
from dowse.frontier.uptake import Uptake
from dowse.model.records import CandidateState

__all__ = ["Frontier"]


class Frontier(Uptake):
    """See the package's docstring. Times are seconds of the crawl's clock, always passed in."""

    def __init__(
        self, *, delay_s: float = 1.0, connections_per_site: int = 1, opens_at: float = 0.0, hash_seed: int = 0,
        in_order: bool = False, lowest: float = -math.inf,
    ) -> None:  # fmt: skip
        """``opens_at``: no site is asked before, since any of them may just have been. ``hash_seed``: of the
        fingerprints that it is given, see ``table``. ``in_order``: the best of all is leased next, whenever its site
        may be asked, so that no order depends on how long things take. ``lowest``: URLs with a lower priority do not
        wait until they have a higher one."""
        super().__init__(delay_s, connections_per_site, opens_at, hash_seed, in_order, lowest)
        self.in_flight = 0
        self._deferred: list[tuple[float, int]] = []
        self._held_back = False
        self._best_at: float | None = None  # in order: when the best URL may be leased

    @property
    def part(self) -> float:
        """Of the best URLs that wait at all engines of a crawl, how much is here: 1, where one engine crawls."""
        return self._selectivity.part

    @part.setter
    def part(self, part: float) -> None:
        self._selectivity.part = part

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
        self.candidates.state[id_] = LEASED
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
        if self.candidates.state[candidate] == LEASED:
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
            columns.state[candidate] = DEFERRED
            heapq.heappush(self._deferred, (at, candidate))
        else:
            columns.state[candidate] = WAITING
            self._enqueue(site, columns.key(candidate), now)

    def wake_at(self) -> float | None:
        """When something that cannot be leased now may become leasable by time alone; None: never."""
        turn = self._turns.wake_at()
        times = [] if turn is None else [turn]
        if self._deferred:
            times.append(self._deferred[0][0])
        if self._held_back:
            times.append(self._selectivity.look_at())
        if self._best_at is not None:
            times.append(self._best_at)
        return min(times) if times else None

    def _wake(self, now: float) -> None:
        while self._deferred and self._deferred[0][0] <= now:
            _, id_ = heapq.heappop(self._deferred)
            if self.candidates.state[id_] == DEFERRED:
                self.candidates.state[id_] = WAITING
                self._enqueue(self.sites[self.candidates.site.item(id_)], self.candidates.key(id_), now)
        self._turns.wake(now)

    def _returned(self, site: Site, now: float) -> None:
        """Nobody asks a site any more: it may be asked again, when its time comes."""
        self._turns.offer(site, now)
        if self._line is not None:
            self._line.stir(site)

    def _unlease(self, site: Site) -> None:
        site.leased -= 1
        if self._line is not None:
            self._line.stir(site)

    # -- sites ---------------------------------------------------------------------------------------------------

    def set_address(self, site: Site, address: str | None) -> None:
        """The address errand is done: the site shares the delay of this address (None: of no other site)."""
        if address is not None:
            site.address = self._turns.address(address)
        site.errand = Errand.ROBOTS

    def keep_off(self, key: str, now: float) -> float | None:
        """No site at an address is asked, until :meth:`let_in`. Seconds until somebody else may ask there; None: it is
        being asked."""
        address = self._turns.address(key)
        self._turns.keep_off(address)
        return None if address.in_flight else max(0.0, address.ready_at - now)

    def idle_s(self, key: str, now: float) -> float:
        """For how long an address could have been asked, and was not."""
        address = self._turns.address(key)
        return 0.0 if address.in_flight else max(0.0, now - address.ready_at)

    def missed(self) -> set[str]:
        """Addresses that are kept off, and that some site has had something to ask at since this was last called."""
        found, self._turns.missed = self._turns.missed, set()
        return found

    def let_in(self, key: str, when: float, now: float) -> None:
        """Sites at an address may be asked, not before ``when``."""
        self._turns.let_in(self._turns.address(key), when, now)

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

    # -- sites that go to another shard, or come from one ----------------------------------------------------------

    def hold(self, site: Site) -> None:
        """Nothing more is leased at a site, until :meth:`let_go`."""
        site.held, site.offer = True, -1

    def let_go(self, site: Site, now: float) -> None:
        """A site that was held may be asked."""
        site.held = False
        self._turns.offer(site, now)

    def best_at(self, site: Site) -> float | None:
        """The priority of the best URL in a site's queue; None: there is none."""
        top = self._queues.top(site)
        return None if top < 0 else priority_of(top >> ID_BITS)

    def of_sites(self, sites: Collection[Site]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The candidates of these sites: those that wait, or have too low a priority; and those whose life has ended,
        here or where they were before. Looks at every URL: ask rarely."""
        columns, count = self.candidates, len(self.candidates)
        numbers = np.fromiter((site.id for site in sites), np.int64, len(sites))
        ids = np.flatnonzero(np.isin(columns.site[:count], numbers))
        states = columns.state[ids]
        waits = (states == WAITING) | (states == DEFERRED) | (states == BELOW)
        return ids[waits], ids[~waits & (states != ELSEWHERE)]

    def wait_s(self, sites: Collection[Site], now: float) -> dict[Site, float]:
        """How long each of these sites is not to be asked, be it for the sake of a single URL that is to be tried
        again."""
        waits = {site: max(0.0, site.ready_at - now) for site in sites}
        for at, id_ in self._deferred:
            site = self.site_of(id_)
            if site in waits and self.candidates.state[id_] == DEFERRED:
                waits[site] = max(waits[site], at - now)
        return waits

    def hand_over(self, sites: Collection[Site], waiting: NDArray[np.int64]) -> None:
        """Sites at which nothing is under way are another shard's from now on, with all that waits there. Should they
        come back, they need their errands again."""
        self.give_away(waiting)
        for site in sites:
            self._queues.clear(site)
            site.errand, site.address, site.parked = Errand.ADDRESS, None, -1
            self.hold(site)

    def close(self, site: Site, reason: str) -> list[int]:
        """Refuse everything that waits at a site and whatever comes later; the ids that were refused."""
        columns = self.candidates
        site.closed = reason
        ids = self._queues.waiting(site)
        ids += [id_ for _, id_ in self._deferred if columns.site[id_] == site.id and columns.state[id_] == DEFERRED]
        for id_ in ids:
            columns.state[id_] = CandidateState.REFUSED
            self._uncount(site)
        self._queues.clear(site)
        site.offer = -1
        if self._line is not None:
            self._line.stir(site)
        return sorted(ids)

    @property
    def nbytes(self) -> int:
        """Bytes held for candidates and queues (without per-site objects)."""
        return self.candidates.nbytes + self._seen.nbytes + self._queues.nbytes
