"""A full crawl of a made web, as far as its pages, links and objects go: breadth first on each site."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.loopback.listings.html import written
from dowse.loopback.listings.site import ListedPage
from dowse.model.objects import FoundObject
from dowse.model.url import Base
from dowse.recrawl.crawled import CrawledPage

__all__ = ["DatedWeb", "Walked", "followed", "walked"]

_MOST = 2_000  # pages of a site, as in the paper's learning phase


class DatedWeb(Protocol):
    """A web of listings that changes from day to day."""

    hosts: list[str]

    def pages(self, host: str, today: int) -> Mapping[str, ListedPage]: ...


@dataclass(frozen=True, slots=True)
class Walked:
    """What was fetched, and what it states."""

    pages: list[CrawledPage]
    found: list[FoundObject]

    @property
    def wire_bytes(self) -> int:
        return sum(page.wire_bytes for page in self.pages)


Follows = Callable[[str, Sequence[str]], list[bool]]
"""Whether each link of a page is followed."""


def walked(web: DatedWeb, today: int, *, most: int = _MOST) -> Walked:
    """Everything, from the front pages on, at most so many pages a site."""
    return followed(web, today, [f"http://{host}/" for host in web.hosts], lambda url, links: [True] * len(links), most)


def followed(web: DatedWeb, today: int, entries: Sequence[str], follows: Follows, most: int = 1_000_000) -> Walked:
    """What is reached from the entries by the links that are followed, site by site."""
    found = Walked([], [])
    by_host: dict[str, list[str]] = {}
    for url in entries:
        by_host.setdefault(url.split("/")[2], []).append(url)
    for host, starts in by_host.items():
        _walk(host, web.pages(host, today), starts, follows, most, found)
    return found


def _walk(
    host: str, pages: Mapping[str, ListedPage], starts: Sequence[str], follows: Follows, most: int, found: Walked
) -> None:
    start = f"http://{host}"
    seen = dict.fromkeys(starts)
    queue = list(seen)
    taken = 0
    for url in queue:  # grows
        page = pages.get(url.removeprefix(start))
        if page is None or taken >= most:
            continue
        taken += 1
        base = Base(url)
        links = tuple(dict.fromkeys(filter(None, (base.join(path) for path, _ in page.links))))
        if page.markup != "none":
            found.found.extend(FoundObject("Event", {**one.fields}, url, page.markup) for one in page.states)
        found.pages.append(CrawledPage(url, len(written(page)), links, is_entry=url in starts))
        for link, follow in zip(links, follows(url, links), strict=True):
            if follow and link not in seen and link.startswith(start):
                seen[link] = None
                queue.append(link)
