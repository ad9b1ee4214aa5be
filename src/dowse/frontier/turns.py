"""Whose turn it is: sites that may be asked now, best first; the others wait for their time or for their address.

A site with waiting URLs that is not being asked stands in one place: in the *ready* heap under its best key, in the
alarm heap until its time comes, or parked at an address that is busy. A site that stands back (it is slow) is in a heap
of its own, the *spare* one, that is asked only when nothing comes from the other. Keys that no longer hold are dropped
when they surface.

``in_order`` is for a crawl that does one thing at a time and must not depend on how long things take. Sites stay ready
while their delay runs and nobody stands back: the best of all comes up, and the crawl waits until it may be asked
(:meth:`Turns.wait_s`). Only a site that is not asked for longer than :data:`PATIENCE_S` lets others go first.
"""

from __future__ import annotations

import heapq

from dowse.frontier.candidates import ID_MASK, Candidates
from dowse.frontier.queues import Queues
from dowse.frontier.selectivity import Selectivity
from dowse.frontier.site import Address, Errand, Site
from dowse.frontier.site_line import SiteLine
from dowse.model.records import SiteTurn

__all__ = ["BUSY_S", "PATIENCE_S", "Turns"]

BUSY_S = 0.05  # between two looks at a site that is being asked
PATIENCE_S = 60.0  # that a crawl in order waits for its best site: the longest delay that a site may ask for


class Turns:
    """Keeps the order across sites, and their delays."""

    def __init__(
        self,
        candidates: Candidates,
        sites: list[Site],
        queues: Queues,
        selectivity: Selectivity,
        delay_s: float,
        connections: int,
        *,
        in_order: bool = False,
    ) -> None:
        self._candidates = candidates
        self._sites = sites
        self._top = queues.top
        self._selectivity = selectivity
        self._delay_s = delay_s
        self._connections = connections
        self._patience_s = PATIENCE_S if in_order else 0.0
        self._in_order = in_order
        self._line: SiteLine | None = None
        self._addresses: dict[str, Address] = {}
        self._ready: list[int] = []  # heap of keys, one current key a site
        self._spare: list[int] = []  # the same of sites that stand back
        self._alarms: list[tuple[float, int, Site | Address]] = []
        self._alarm_number = 0
        self.missed: set[str] = set()  # addresses that are kept off while a site there has something to ask

    def go_by_site(self, line: SiteLine, *, in_order: bool) -> None:
        """Only current sites are offered from now on, and a page of one is learned from before its next is taken."""
        self._line = line
        if in_order:
            self._patience_s, self._in_order = PATIENCE_S, True

    def address(self, key: str) -> Address:
        return self._addresses.setdefault(key, Address(key))

    def best(self, now: float, *, spare: bool = False) -> tuple[int, Site] | None:
        """The best key whose site may be asked now; :meth:`take` it, or leave it where it is. ``spare``: among the
        sites that stand back."""
        heap = self._spare if spare else self._ready
        while heap:
            key = heap[0]
            site = self._site(key)
            current = site.offer == key and site.spare == spare
            if current and self._top(site) == key and self._may_be_asked(site, now):
                return key, site
            heapq.heappop(heap)
            if not current:
                continue
            site.offer = -1
            self.offer(site, now)
            if site.offer < 0 and site.address is not None:
                self._unpark(site.address, now)
        return None

    def take(self, site: Site) -> None:
        """Take the site that :meth:`best` gave out of its heap."""
        heapq.heappop(self._spare if site.spare else self._ready)
        site.offer = -1

    def stand_back(self, site: Site, until: float, now: float) -> None:
        """The site is asked only when no other can be, until then."""
        site.back_until = until
        site.offer = -1
        self.offer(site, now)

    # -- exchanges -----------------------------------------------------------------------------------------------

    def occupy(self, site: Site, now: float) -> Address | None:
        """An exchange with the site begins: its delay and its address's run from now on."""
        self.not_before(site, now + site.delay_s, now)
        address = site.address
        if address is not None:
            address.in_flight += 1
            address.ready_at = now + self._delay_s
        return address

    def leave(self, address: Address, start: float, now: float) -> None:
        """An exchange with an address is over; its delay runs from ``start``."""
        address.in_flight -= 1
        address.ready_at = max(address.ready_at, start + self._delay_s)
        self._unpark(address, now)

    def undo(self, address: Address, now: float) -> None:
        """An exchange with an address never began: no delay runs."""
        address.in_flight -= 1
        if not address.in_flight:
            address.ready_at = min(address.ready_at, now)
        self._unpark(address, now)

    def keep_off(self, address: Address) -> None:
        """An address is not asked until it is let in."""
        address.kept_off = True
        if address.parked:
            self.missed.add(address.key)

    def let_in(self, address: Address, when: float, now: float) -> None:
        """An address that was kept off may be asked, not before ``when``."""
        address.kept_off, address.ready_at = False, max(address.ready_at, when)
        self._unpark(address, now)

    def wait_s(self, site: Site, now: float) -> float:
        """Seconds until the site may be asked; 0: now."""
        wait = site.ready_at - now
        busy = site.in_flight - site.away >= self._connections
        if site.address is not None and self._delay_s > 0:
            wait = max(wait, site.address.ready_at - now)
            busy = busy or site.address.in_flight >= self._connections or site.address.kept_off
            if site.address.kept_off:
                self.missed.add(site.address.key)
        return max(0.0, wait, BUSY_S if busy else 0.0)

    def not_before(self, site: Site, when: float, now: float) -> None:
        """The site is not asked before ``when``."""
        site.ready_at = when
        self._selectivity.not_before(site.id, when, now)

    # -- waiting -------------------------------------------------------------------------------------------------

    def offer(self, site: Site, now: float) -> None:
        """Put the site where it belongs: ready, waiting for its time, or parked at its address."""
        if site.held:
            site.offer = -1
            return
        if self._line is not None and not self._has_turn(self._line, site):
            site.offer = -1
            return
        if site.in_flight >= self._limit(site) or not site.waiting:
            site.offer = -1  # offered again when a URL comes or the exchange ends
            return
        if site.ready_at > now + self._patience_s:
            site.offer = -1
            self._book(site, site.ready_at)
            return
        top = self._top(site)
        if top < 0:
            site.offer = -1
            return
        address = site.address
        if address is not None and address.kept_off:
            self.missed.add(address.key)
        if address is not None and self._is_busy(address, now):
            site.offer = -1
            if site.parked != top:
                site.parked = top
                heapq.heappush(address.parked, top)
            if address.in_flight < self._connections and not address.kept_off:
                self._book(address, address.ready_at)
            return
        spare = site.back_until > now and not self._in_order
        if site.offer != top or site.spare != spare:
            site.offer, site.spare = top, spare
            heapq.heappush(self._spare if spare else self._ready, top)
        if spare:  # each time: an earlier alarm may have been in the way before
            self._book(site, site.back_until)
        if address is not None and address.parked and address.parked[0] < top:
            self._unpark(address, now)

    def wake(self, now: float) -> None:
        """Offer the sites whose time has come."""
        while self._alarms and self._alarms[0][0] <= now:
            when, _, who = heapq.heappop(self._alarms)
            if who.alarm != when:
                continue
            who.alarm = None
            if isinstance(who, Site):
                self.offer(who, now)
            else:
                self._unpark(who, now)

    def wake_at(self) -> float | None:
        """When the next site's time comes."""
        while self._alarms and self._alarms[0][2].alarm != self._alarms[0][0]:
            heapq.heappop(self._alarms)
        return self._alarms[0][0] if self._alarms else None

    # -- within --------------------------------------------------------------------------------------------------

    def _site(self, key: int) -> Site:
        return self._sites[self._candidates.site.item(key & ID_MASK)]

    def _limit(self, site: Site) -> int:
        return self._connections if site.errand is Errand.PAGE else 1

    def _has_turn(self, line: SiteLine, site: Site) -> bool:
        web_site = line.of(site)
        if web_site.turn is SiteTurn.CURRENT:
            return web_site.leased < self._connections and not web_site.prepares_beside(site)
        if site.waiting:
            line.stand(site)
        return False

    def _is_busy(self, address: Address, now: float) -> bool:
        if self._delay_s <= 0 or self._in_order:
            return False
        return address.in_flight >= self._connections or address.ready_at > now or address.kept_off

    def _may_be_asked(self, site: Site, now: float) -> bool:
        """Has its time come? In order: is it worth waiting for?"""
        if self._line is not None and not self._has_turn(self._line, site):  # another origin of its web site is asked
            return False
        if site.in_flight >= self._limit(site) or site.ready_at > now + self._patience_s:
            return False
        return site.address is None or not self._is_busy(site.address, now)

    def _unpark(self, address: Address, now: float) -> None:
        """Offer the best site parked at an address, as soon as the address may be asked."""
        while address.parked:
            if address.in_flight >= self._connections or address.kept_off:
                return
            if address.ready_at > now:
                self._book(address, address.ready_at)
                return
            key = heapq.heappop(address.parked)
            site = self._site(key)
            if site.parked != key:
                continue
            site.parked = -1
            top = self._top(site)
            if top >= 0 and address.parked and address.parked[0] < top:
                site.parked = top  # its best URL is gone or lowered: another site comes first
                heapq.heappush(address.parked, top)
                continue
            self.offer(site, now)
            if site.offer >= 0 and not site.spare:  # one that stands back leaves the turn to the next
                return

    def _book(self, who: Site | Address, when: float) -> None:
        if who.alarm is None or when < who.alarm:
            who.alarm = when
            self._alarm_number += 1
            heapq.heappush(self._alarms, (when, self._alarm_number, who))
