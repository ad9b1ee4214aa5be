"""The pages of one site and the links between them, so that what a set of edges reaches is counted quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.recrawl.crawled import CrawledPage

__all__ = ["Edge", "SiteGraph", "rows_of"]

Edge = tuple[int, int]
"""From pages of one pattern to pages of another."""


def rows_of(pages: int) -> list[int]:
    """The rows that a set of pages has: a set is a whole number, with a bit a page."""
    return _rows(pages).tolist()  # type: ignore[no-any-return]


def _rows(pages: int) -> NDArray[np.intp]:
    whole = np.frombuffer(pages.to_bytes((pages.bit_length() + 7) // 8, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(whole, bitorder="little"))


def _set_of(marked: bytearray) -> int:
    """The set of the rows that are marked, from one byte a row."""
    return int.from_bytes(np.packbits(np.frombuffer(marked, np.uint8), bitorder="little").tobytes(), "little")


class SiteGraph:
    """Sets of pages are whole numbers with one bit a page: to unite two takes an instruction a word.

    Links go in bundles: those of a page to pages of one pattern. Pages of one pattern with the same menu share its
    bundle, which is followed once. So time and memory grow with a site's distinct links.
    """

    def __init__(self, pages: Sequence[tuple[CrawledPage, int]]) -> None:
        self.pages = [page for page, _ in pages]
        self.pattern_of = [number for _, number in pages]
        self._sizes = np.array([page.wire_bytes for page in self.pages], np.int64)
        self._starts = [row for row, page in enumerate(self.pages) if page.is_entry]
        self.entries = self._marked(self._starts)
        ours: dict[int, list[int]] = defaultdict(list)
        for row, number in enumerate(self.pattern_of):
            ours[number].append(row)
        self.of_pattern = {number: self._marked(rows) for number, rows in ours.items()}
        self._bundles: dict[tuple[Edge, tuple[int, ...]], int] = {}
        rows = {page.url: row for row, page in enumerate(self.pages)}
        self._links = [self._links_of(row, rows) for row in range(len(self.pages))]
        self._followed = list(self._bundles)
        self.edges = {edge for edge, _ in self._followed}
        self._leading = self._led_to({number: len(rows) for number, rows in ours.items()})

    def _marked(self, rows: Iterable[int]) -> int:
        marked = bytearray(len(self.pages))
        for row in rows:
            marked[row] = 1
        return _set_of(marked)

    def _links_of(self, row: int, rows: dict[str, int]) -> tuple[int, ...]:
        """The bundles of a page's links."""
        found: dict[Edge, dict[int, None]] = defaultdict(dict)
        source = self.pattern_of[row]
        for url in self.pages[row].links:
            target = rows.get(url)
            if target is not None:
                found[source, self.pattern_of[target]][target] = None
        bundles = self._bundles
        return tuple(bundles.setdefault((edge, tuple(sorted(own))), len(bundles)) for edge, own in found.items())

    def _led_to(self, sizes: dict[int, int]) -> dict[int, dict[int, float]]:
        """Of each pattern, those with links to its pages, and to which share of them."""
        linked: dict[Edge, set[int]] = defaultdict(set)
        for edge, rows in self._followed:
            linked[edge].update(rows)
        found: dict[int, dict[int, float]] = defaultdict(dict)
        for (source, target), pages in linked.items():
            if source != target:
                found[target][source] = len(pages) / sizes[target]
        return found

    def reached(self, edges: Collection[Edge]) -> int:
        """The pages that are reached from the entries along these edges."""
        wanted = frozenset(edges)
        seen, done = bytearray(len(self.pages)), bytearray(len(self._followed))
        waiting = list(self._starts)
        for row in waiting:
            seen[row] = 1
        while waiting:
            for bundle in self._links[waiting.pop()]:
                if done[bundle]:
                    continue
                done[bundle] = 1
                edge, rows = self._followed[bundle]
                if edge in wanted:
                    for row in rows:
                        if not seen[row]:
                            seen[row] = 1
                            waiting.append(row)
        return _set_of(seen)

    def bytes_of(self, pages: int) -> int:
        return int(self._sizes[_rows(pages)].sum())

    def objects_of(self, pages: int) -> list[frozenset[int]]:
        """What each of them states, where it states anything."""
        return [objects for row in rows_of(pages) if (objects := self.pages[row].objects)]

    def leading_to(self, target: int) -> dict[int, float]:
        """The patterns with links to pages of a pattern, and the share of its pages that each links to."""
        return self._leading.get(target, {})
