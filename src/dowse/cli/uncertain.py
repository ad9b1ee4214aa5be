"""The judged pages of a crawl, the most uncertain first. A page is read from the archive when it is needed."""

from __future__ import annotations

from collections.abc import Collection

from dowse.judge import Category, Terms
from dowse.judge.bags import Bag, bag_of
from dowse.lab.finished.page_texts import archived_document, full_text, spread
from dowse.parse import Document
from dowse.store import CrawlReader, PageView

__all__ = ["MOST", "Pool"]

MOST = 5_000
"""The most pages of a crawl to look at; of a larger crawl, this many spread over all of it."""


class Pool:
    """The judged pages of a crawl."""

    def __init__(self, crawl: CrawlReader, terms: Terms, *, embedded: bool) -> None:
        self._crawl = crawl
        self.terms = terms
        self.embedded = embedded
        pages = [page for page in crawl.judged_pages() if not page.dropped]
        self.total = len(pages)
        self.pages = {page.url: page for page in spread(pages, MOST)}
        self._all = {page.url: page for page in pages}
        self._bags: dict[str, Bag | None] = {}
        self.edge = _edge(pages)

    def document(self, url: str) -> Document | None:
        """A page as it was parsed; None when the crawl does not have it, or not any more."""
        page = self._all.get(url)
        return None if page is None else archived_document(self._crawl, page)

    def bag(self, url: str) -> Bag | None:
        """A page as a category sees it."""
        if url not in self._bags:
            document = self.document(url)
            self._bags[url] = (
                None if document is None else bag_of(full_text(document), self.terms, embedded=self.embedded)
            )
        return self._bags[url]

    def unread(self) -> int:
        """Pages that :meth:`probabilities` would have to read first."""
        return sum(url not in self._bags for url in self.pages)

    def probabilities(self, category: Category) -> dict[str, float]:
        """How likely each page is one of the category."""
        found = {}
        for url in self.pages:
            bag = self.bag(url)
            if bag is not None and bag.terms:
                found[url] = category.likelihood(category.score(bag.hashes, bag.counts, bag.embedding))
        return found

    def nearest(self, done: Collection[str], likely: dict[str, float], above: bool) -> PageView | None:
        """The most uncertain page that is not done: by its probability where that is known, else by its score. Then
        it is one ``above`` the crawl's threshold or below it, as long as there are such: both sides need examples."""
        if likely:
            urls = [url for url in likely if url not in done]
            return self.pages[min(urls, key=lambda url: abs(likely[url] - 0.5))] if urls else None
        left = [page for page in self.pages.values() if page.url not in done]
        wanted = [page for page in left if page.relevant is above] or left
        return min(wanted, key=lambda page: abs((page.score or 0.0) - self.edge), default=None)


def _edge(pages: list[PageView]) -> float:
    """The score that divides the relevant pages from the others: midway between the two nearest."""
    inside = [page.score for page in pages if page.relevant and page.score is not None]
    outside = [page.score for page in pages if not page.relevant and page.score is not None]
    bounds = ([min(inside)] if inside else []) + ([max(outside)] if outside else [])
    return sum(bounds) / len(bounds) if bounds else 0.0
