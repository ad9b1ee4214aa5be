"""The pages of one site and the links between them, so that what a set of edges reaches is counted quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from dowse.recrawl.crawled import CrawledPage

__all__ = ["Edge", "SiteGraph", "rows_of"]

Edge = tuple[int, int]
"""From pages of one pattern to pages of another."""


def rows_of(pages: int) -> Iterator[int]:
    """The rows that a set of pages has: a set is a whole number, with a bit a page."""
    while pages:
        low = pages & -pages
        yield low.bit_length() - 1
        pages ^= low


class SiteGraph:
    """Sets of pages are whole numbers with one bit a page: to unite two takes an instruction a word."""

    def __init__(self, pages: Sequence[tuple[CrawledPage, int]]) -> None:
        self.pages = [page for page, _ in pages]
        self.pattern_of = [number for _, number in pages]
        rows = {page.url: row for row, page in enumerate(self.pages)}
        self.entries = sum(1 << row for row, page in enumerate(self.pages) if page.is_entry)
        self.of_pattern: dict[int, int] = defaultdict(int)
        for row, number in enumerate(self.pattern_of):
            self.of_pattern[number] |= 1 << row
        self._same: dict[int, int] = {}  # menus are alike: each set is kept once
        self._links: list[dict[int, int]] = [self._links_of(page, rows) for page in self.pages]
        self.edges: set[Edge] = set()
        for number, links in zip(self.pattern_of, self._links, strict=True):
            self.edges.update((number, target) for target in links)

    def _links_of(self, page: CrawledPage, rows: dict[str, int]) -> dict[int, int]:
        """The pages that a page links to, by their pattern."""
        found: dict[int, int] = defaultdict(int)
        for url in page.links:
            row = rows.get(url)
            if row is not None:
                found[self.pattern_of[row]] |= 1 << row
        return {number: self._same.setdefault(pages, pages) for number, pages in found.items()}

    def reached(self, edges: Collection[Edge]) -> int:
        """The pages that are reached from the entries along these edges."""
        onward: dict[int, list[int]] = defaultdict(list)
        for source, target in edges:
            onward[source].append(target)
        seen = waiting = self.entries
        while waiting:
            low = waiting & -waiting
            waiting ^= low
            row = low.bit_length() - 1
            links = self._links[row]
            found = 0
            for target in onward.get(self.pattern_of[row], ()):
                found |= links.get(target, 0)
            found &= ~seen
            seen |= found
            waiting |= found
        return seen

    def bytes_of(self, pages: int) -> int:
        return sum(self.pages[row].wire_bytes for row in rows_of(pages))

    def objects_of(self, pages: int) -> list[frozenset[int]]:
        """What each of them states, where it states anything."""
        return [self.pages[row].objects for row in rows_of(pages) if self.pages[row].objects]

    def leading_to(self, target: int) -> dict[int, float]:
        """The patterns with links to pages of a pattern, and the share of its other pages that each links to."""
        found: dict[int, int] = defaultdict(int)
        for number, links in zip(self.pattern_of, self._links, strict=True):
            if target in links and number != target:
                found[number] |= links[target]
        whole = max(1, self.of_pattern[target].bit_count())
        return {number: pages.bit_count() / whole for number, pages in found.items()}
