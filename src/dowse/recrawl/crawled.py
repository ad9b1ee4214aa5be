"""What a crawl says of a page, as far as a recrawl is planned from it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CrawledPage"]


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """A URL that was asked for. One that redirects has its target as its only link."""

    url: str  # canonical
    wire_bytes: int
    links: tuple[str, ...] = ()
    objects: frozenset[int] = frozenset()  # numbers of the distinct objects that it states
    is_entry: bool = False  # the crawl began here
