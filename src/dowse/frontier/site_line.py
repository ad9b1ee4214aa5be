"""Site by site: which web sites are current, which are done, and which is next (WebCrawler; METHODS, section 2).

A *web site* here is a host, asked by http or https, with or without ``www.``: one site to its visitors, though it may
be four origins. Where a crawl goes site by site, each is in one of three states::

    later ── its URL is the oldest that waits, and fewer than N sites are current ──► current
    current ── nothing of it waits or is leased any more ──► processed
    processed ── a seed is added there ──► later

Only URLs of current sites are leased. A URL that failed and is to be tried again waits, so its site stays current. No
link to a processed site is taken up; that is for whoever admits links to see to (:meth:`SiteLine.is_processed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from dowse.frontier.candidates import ID_MASK, Candidates
from dowse.frontier.site import Errand, Site
from dowse.model.records import SiteTurn

__all__ = ["SiteLine", "WebSite", "web_site_name"]


def web_site_name(origin: str) -> str:
    """What the origins of one web site have in common. A port that is named makes another site.

    >>> web_site_name("https://www.a.test"), web_site_name("http://a.test"), web_site_name("http://a.test:8080")
    ('a.test', 'a.test', 'a.test:8080')
    """
    return origin.partition("//")[2].removeprefix("www.")


@dataclass(slots=True, eq=False)
class WebSite:
    """The origins that are one web site."""

    name: str
    origins: list[Site] = field(default_factory=list)
    turn: SiteTurn = SiteTurn.LATER
    key: int = -1  # the best key under which it stands in line; -1: it does not

    @property
    def waiting(self) -> int:
        return sum(site.waiting for site in self.origins)

    @property
    def leased(self) -> int:
        return sum(site.leased for site in self.origins)

    def prepares_beside(self, one: Site) -> bool:
        """Is another origin asked for what it needs before its first page?"""
        return any(site.in_flight and site.errand is not Errand.PAGE for site in self.origins if site is not one)


class SiteLine:
    """Keeps the states of web sites; at most ``at_once`` become current."""

    def __init__(
        self, at_once: int, candidates: Candidates, sites: list[Site], top: Callable[[Site], int]
    ) -> None:  # fmt: skip
        self._at_once = at_once
        self._candidates = candidates
        self._sites = sites
        self._top = top  # the best key that waits at an origin, -1 when there is none
        self._by_name: dict[str, WebSite] = {}
        self._of: list[WebSite] = []  # by the number of an origin
        self._line: list[int] = []  # heap of keys
        self._stirred: set[WebSite] = set()
        self._turned: set[WebSite] = set()
        self.current: list[WebSite] = []
        for site in sites:
            self.meet(site)

    def meet(self, site: Site) -> None:
        """An origin was made."""
        name = web_site_name(site.origin)
        web_site = self._by_name.setdefault(name, WebSite(name))
        web_site.origins.append(site)
        self._of.append(web_site)

    def of(self, site: Site) -> WebSite:
        return self._of[site.id]

    def is_processed(self, url: str) -> bool:
        """Is a canonical URL one of a processed site?"""
        known = self._by_name.get(web_site_name(url[: url.index("/", 8)]))
        return known is not None and known.turn is SiteTurn.PROCESSED

    def stand(self, site: Site) -> None:
        """URLs wait at an origin that is not current: its web site is in line."""
        web_site, key = self._of[site.id], self._top(site)
        if key < 0:
            return
        if web_site.turn is SiteTurn.PROCESSED:
            self._turn(web_site, SiteTurn.LATER)
        if web_site.key < 0 or key < web_site.key:
            web_site.key = key
            heappush(self._line, key)

    def stir(self, site: Site) -> None:
        """A lease of an origin or its errand ended, or it was closed: its web site may be done, or have its next URL
        taken."""
        web_site = self._of[site.id]
        if web_site.turn is not SiteTurn.CURRENT:
            return
        if web_site.waiting or web_site.leased:
            self._stirred.add(web_site)
            return
        self.current.remove(web_site)
        self._turn(web_site, SiteTurn.PROCESSED)

    def move_up(self) -> list[Site]:
        """Let the next in line become current; the origins that are to be offered."""
        stirred = sorted(self._stirred, key=lambda web_site: web_site.origins[0].id)
        self._stirred.clear()
        while self._line and len(self.current) < self._at_once:
            key = heappop(self._line)
            web_site = self._of[self._candidates.site.item(key & ID_MASK)]
            if web_site.key != key:
                continue
            web_site.key = -1
            best = min((top for top in map(self._top, web_site.origins) if top >= 0), default=-1)
            if best == key:
                self.current.append(web_site)
                self._turn(web_site, SiteTurn.CURRENT)
                stirred.append(web_site)
            elif best >= 0:  # what it stood in line with is gone, or ranked lower
                web_site.key = best
                heappush(self._line, best)
        return [site for web_site in stirred for site in web_site.origins]

    def restore(self, turns: Iterable[tuple[int, SiteTurn]]) -> None:
        """Take up the states that origins had in an earlier run."""
        for number, turn in turns:
            web_site = self._of[number]
            web_site.turn = max(web_site.turn, turn)  # an origin that was met later may have none written down
        self.current = [web_site for web_site in self._by_name.values() if web_site.turn is SiteTurn.CURRENT]

    def turned(self) -> list[tuple[int, SiteTurn]]:
        """The origins whose web site has another state than when this was last asked."""
        found = [(site.id, web_site.turn) for web_site in self._turned for site in web_site.origins]
        self._turned.clear()
        return sorted(found)

    def _turn(self, web_site: WebSite, turn: SiteTurn) -> None:
        web_site.turn = turn
        self._turned.add(web_site)
