"""What the folder of a crawl says of its pages, for a recrawl to be planned from."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from dowse.recrawl.crawled import CrawledPage
from dowse.store import CrawlReader
from dowse.store.read_links import asked_pages, links_between_pages

__all__ = ["crawled_pages"]


def crawled_pages(folder: Path) -> list[CrawledPage]:
    """Every page that was asked for, with its links to others. A site begins at its seeds; one that has none, at the
    page that was taken first on it."""
    with CrawlReader(folder) as crawl:
        asked = asked_pages(crawl)
        url_of = {id_: url for id_, url, *_ in asked}
        links: dict[int, list[str]] = defaultdict(list)
        for page, target in links_between_pages(crawl):
            if target in url_of:
                links[page].append(url_of[target])
    seeded = {_origin(url) for _, url, _, _, is_seed in asked if is_seed}
    pages = []
    for id_, url, leads_to, size, is_seed in asked:
        origin = _origin(url)
        is_first = origin not in seeded
        seeded.add(origin)
        targets = (leads_to,) if leads_to else tuple(links[id_])
        pages.append(CrawledPage(url, size, targets, is_entry=is_seed or is_first))
    return pages


def _origin(url: str) -> str:
    return url[: url.index("/", 8)]
