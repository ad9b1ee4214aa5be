"""Crawls of a made web as far as its pages, links and objects go: breadth first on each site, in full or by a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dowse.loopback.listings.html import written
from dowse.loopback.listings.site import ListedPage
from dowse.model.objects import FoundObject
from dowse.model.url import Base
from dowse.recrawl.crawled import CrawledPage

__all__ = ["MOST_PAGES", "NO_LIMIT", "DatedWeb", "Route", "Walked", "everything", "walked", "walked_by"]

MOST_PAGES = 2_000
"""Of a site, in the learning phase (METHODS, section 5)."""
NO_LIMIT = 10_000_000


class DatedWeb(Protocol):
    """A web of listings that changes from day to day."""

    hosts: list[str]

    def pages(self, host: str, today: int) -> Mapping[str, ListedPage]: ...


@dataclass(frozen=True, slots=True)
class Route:
    """Where to begin, and whether each link of a page is followed."""

    entries: Collection[str]
    follows: Callable[[str, Sequence[str]], list[bool]]
    most: int = NO_LIMIT  # pages of a site


@dataclass(frozen=True, slots=True)
class Walked:
    """What was fetched, and what it states."""

    pages: list[CrawledPage] = field(default_factory=list)
    found: list[FoundObject] = field(default_factory=list)

    @property
    def wire_bytes(self) -> int:
        return sum(page.wire_bytes for page in self.pages)


def everything(web: DatedWeb, most: int = NO_LIMIT) -> Route:
    """A full crawl, from all front pages on."""
    return Route([f"http://{host}/" for host in web.hosts], lambda url, links: [True] * len(links), most)


def walked(web: DatedWeb, today: int) -> Walked:
    """A full crawl of a day, as the learning phase makes it."""
    return walked_by(web, today, {"": everything(web, MOST_PAGES)})[""]


def walked_by(web: DatedWeb, today: int, routes: Mapping[str, Route]) -> dict[str, Walked]:
    """What each route comes to on a day. A site's pages are made once, for all of them."""
    found = {name: Walked() for name in routes}
    for host in web.hosts:
        site = _Site(host, web.pages(host, today))
        for name, route in routes.items():
            site.walk(route, found[name])
    return found


class _Site:
    """The pages of one site, read when they are first come upon."""

    def __init__(self, host: str, pages: Mapping[str, ListedPage]) -> None:
        self._start = f"http://{host}"
        self._pages = pages
        self._read: dict[str, tuple[CrawledPage, list[FoundObject]]] = {}

    def walk(self, route: Route, found: Walked) -> None:
        seen = dict.fromkeys(url for url in route.entries if url.startswith(f"{self._start}/"))
        entries = set(seen)
        queue = list(seen)
        taken = 0
        for url in queue:  # grows
            if taken >= route.most:
                return
            known = self._page(url)
            if known is None:
                continue
            taken += 1
            page, objects = known
            found.pages.append(page if url not in entries else _entry(page))
            found.found.extend(objects)
            for link, follow in zip(page.links, route.follows(url, page.links), strict=True):
                if follow and link not in seen and link.startswith(self._start):
                    seen[link] = None
                    queue.append(link)

    def _page(self, url: str) -> tuple[CrawledPage, list[FoundObject]] | None:
        if url not in self._read:
            page = self._pages.get(url.removeprefix(self._start))
            if page is None:
                return None
            base = Base(url)
            links = tuple(dict.fromkeys(filter(None, (base.join(path) for path, _ in page.links))))
            stated = page.states if page.markup != "none" else []
            objects = [FoundObject("Event", {**one.fields}, url, page.markup) for one in stated]
            self._read[url] = CrawledPage(url, len(written(page)), links), objects
        return self._read[url]


def _entry(page: CrawledPage) -> CrawledPage:
    return CrawledPage(page.url, page.wire_bytes, page.links, is_entry=True)
