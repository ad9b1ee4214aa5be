"""Which sites are worth the request for their robots.txt, when requests are counted and few are left.

A robots.txt brings no page by itself: it is read so that a page can follow. So towards the end of a budget in requests
each site that is being opened has a request kept for its first page, and a site for which none could be kept is put
off while pages can be had elsewhere. Nothing is put off more than a few times in a row: a crawl never goes round in
circles, whoever waits for whom.
"""

from __future__ import annotations

from dowse.engine.life import Life
from dowse.frontier import Errand, Site
from dowse.model.budget import Purse

__all__ = ["Openings"]

_OPENING = 2  # requests: robots.txt and a page
_MOST_TIMES = 10


class Openings:
    """Keeps count of the sites that were opened and had no page since. ``in_order``: one thing is asked at a time, and
    the best URL is not left for another."""

    def __init__(self, purse: Purse, life: Life, *, in_order: bool) -> None:
        self._purse = purse
        self._life = life
        self._in_order = in_order
        self._promised: set[Site] = set()
        self._put_off: dict[Site, int] = {}  # how often
        self._turned_down = 0  # pages, since one was asked for

    def worth_it(self, site: Site, under_way: int) -> bool:
        """Shall the robots.txt of this site be read? ``under_way``: how many exchanges and pages are."""
        left = self._purse.requests_left()
        if left is None or self._in_order:
            return True
        self._promised.discard(site)  # what was kept for an opening that failed is free again
        times = self._put_off.get(site, 0)
        elsewhere = under_way or self._pages_elsewhere(site)
        if left >= self._kept() + _OPENING or not elsewhere or times >= _MOST_TIMES:
            self._promised.add(site)
            self._put_off.pop(site, None)
            return True
        self._put_off[site] = times + 1
        return False

    def may_ask(self, site: Site) -> bool:
        """May a page of this site be asked for, or are the last requests kept for others? Where it may, the site has
        had its page."""
        left = self._purse.requests_left()
        if left is None or site in self._promised or left > self._kept() or self._turned_down >= _MOST_TIMES:
            self._promised.discard(site)
            self._turned_down = 0
            return True
        self._turned_down += 1
        return False

    def _kept(self) -> int:
        """Requests that are kept for sites which are being opened, or were: one whose robots.txt is not read yet may
        not have asked for it. One that did not answer keeps none: nobody waits for it to be asked again."""
        self._promised = {
            site
            for site in self._promised
            if site.waiting and not site.closed and (site.in_flight or site.errand is Errand.PAGE)
        }
        return sum(1 if site.errand is Errand.PAGE else _OPENING for site in self._promised)

    def _pages_elsewhere(self, site: Site) -> bool:
        """Does anything wait at a site that is open, or is being opened?"""
        closed_to_us = {site, *self._put_off}
        return self._life.within_reach > sum(other.waiting for other in closed_to_us)
