"""Pages with the distinct objects that they state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from dowse.model.objects import DistinctObject
from dowse.recrawl.crawled import CrawledPage

__all__ = ["with_objects"]


def with_objects(pages: Iterable[CrawledPage], objects: Sequence[DistinctObject]) -> list[CrawledPage]:
    """The pages, each with the places in ``objects`` of those that it states."""
    stated: dict[str, set[int]] = defaultdict(set)
    for number, one in enumerate(objects):
        for url in one.sources:
            stated[url].add(number)
    return [replace(page, objects=frozenset(stated.get(page.url, ()))) for page in pages]
