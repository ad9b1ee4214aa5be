"""A crawl by its patterns: which pages each one holds, what they cost, which objects they state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dowse.recrawl.crawled import CrawledPage
from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import Pattern
from dowse.recrawl.selection.site_graph import SiteGraph, rows_of

__all__ = ["Atlas"]


class Atlas:
    """Pages and patterns by number. A page that no pattern matches is left out, and so is one to which no links lead
    from its site's entries: no run will come there."""

    def __init__(self, pages: Iterable[CrawledPage], patterns: Sequence[Pattern]) -> None:
        self.patterns = patterns
        self._matcher = Matcher(patterns)
        by_site: dict[str, list[tuple[CrawledPage, int]]] = {}
        for page in pages:
            number = self._matcher.match(page.url)
            if number >= 0:
                by_site.setdefault(page.url[: page.url.index("/", 8)], []).append((page, number))
        self.sites = {origin: _reachable(SiteGraph(ours)) for origin, ours in by_site.items()}
        self.site_of: dict[int, str] = {}  # of a pattern
        self.bytes_of: dict[int, int] = {}  # all pages of a pattern
        self.pages_of: dict[int, int] = {}
        objects: dict[int, set[int]] = {}
        for origin, site in self.sites.items():
            for page, number in zip(site.pages, site.pattern_of, strict=True):
                self.site_of[number] = origin
                self.bytes_of[number] = self.bytes_of.get(number, 0) + page.wire_bytes
                self.pages_of[number] = self.pages_of.get(number, 0) + 1
                if page.objects:
                    objects.setdefault(number, set()).update(page.objects)
        self.objects_of = {number: frozenset(found) for number, found in sorted(objects.items())}
        """The object patterns, and what each covers."""

    @property
    def objects(self) -> frozenset[int]:
        """All that a run could find."""
        return frozenset().union(*self.objects_of.values())

    @property
    def total_bytes(self) -> int:
        return sum(self.bytes_of.values())


def _reachable(site: SiteGraph) -> SiteGraph:
    rows = list(rows_of(site.reached(site.edges)))
    if len(rows) == len(site.pages):
        return site
    return SiteGraph([(site.pages[row], site.pattern_of[row]) for row in rows])
