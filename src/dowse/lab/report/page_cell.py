"""A page in a table of the report: its title and address, and the words that decided about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dowse.lab.finished.crawl_judge import CrawlJudge, page_decided
from dowse.lab.html_markup import Html, clip, element, join, link
from dowse.store import CrawlReader, PageView

__all__ = ["deciding", "named_page"]

_PAGES = ("", "html", "text")
_WORDS = 3  # for, and against
_LEAST = 0.05  # of the log odds, from which where a page is from is worth a word


def named_page(page: PageView) -> list[Html]:
    """Its title as a link, what kind of document it is, and below that its address."""
    address = element("span", element("bdi", clip(page.url, 120)), class_="sub")
    document = [] if page.kind in _PAGES else [join((" (", clip(page.kind, 20), ")"))]
    return [link(page.url, page.title, length=140), *document, *([address] if page.title else ())]


def deciding(crawl: CrawlReader, page: PageView, judge: CrawlJudge | None) -> list[Html]:
    """The words that spoke most for it and against it, and its site or a word of its address, by the model that judged
    it; nothing where that cannot be told."""
    found = None if judge is None or not page.model else page_decided(crawl, judge, page)
    if found is None or not found.words:
        return []
    places = (*found.domains, *((f"/{word}", value) for word, value in found.address))
    site = max(places, key=lambda place: abs(place[1]), default=("", 0.0))
    sites = [site] if abs(site[1]) >= _LEAST else []
    above = [word for word in found.words if word[1] > 0][:_WORDS] + [one for one in sites if one[1] > 0]
    below = [word for word in found.words if word[1] < 0][:_WORDS] + [one for one in sites if one[1] < 0]
    told = join((*_told("for it", above), *_told("against it", below)), "; ")
    return [element("span", told, class_="sub")]


def _told(side: str, parts: Sequence[tuple[str, float]]) -> Iterator[Html]:
    if parts:
        named = (join((element("b", element("bdi", clip(name, 40))), f" {value:+.2f}")) for name, value in parts)
        yield join((f"{side}: ", join(named, ", ")))
