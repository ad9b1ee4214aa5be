"""The links between the pages of a corpus, and how far they are apart.

An edge leads from a page to each distinct page of the corpus that it links to; one that leads to a recorded redirect
ends where that ends. Links that a crawler may not follow (nofollow) are none, and neither are a page's links to itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.lab.corpus.index import Index
from dowse.lab.corpus.pages import Pages

__all__ = ["UNREACHED", "Graph", "build_graph"]

UNREACHED = -1
"""The distance of what cannot be reached."""

_REDIRECT_DOUBLINGS = 4  # 16 redirects in a row, more than any crawl follows


@dataclass(frozen=True, slots=True)
class Graph:
    """Compressed rows: the targets of page n are ``targets[starts[n]:starts[n + 1]]``, in ascending order."""

    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    leaving: NDArray[np.int32]  # distinct links of each page to what is not in the corpus

    def __len__(self) -> int:
        return len(self.starts) - 1

    def links_of(self, page: int) -> NDArray[np.int32]:
        """The pages that a page links to."""
        return self.targets[self.starts[page] : self.starts[page + 1]]

    def reversed(self) -> Graph:
        """The same links the other way round."""
        sources = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        order = np.argsort(self.targets, kind="stable")
        return Graph(_starts(self.targets, len(self)), sources[order], np.zeros(len(self), np.int32))

    def distances(self, pages: Iterable[int]) -> NDArray[np.int32]:
        """How many links each page is from the nearest of these, followed forward; UNREACHED where no path leads."""
        found = np.full(len(self), UNREACHED, np.int32)
        front = np.unique(np.fromiter(pages, np.int64))
        distance = 0
        while len(front):
            found[front] = distance
            distance += 1
            reached = np.unique(self._targets_of(front))
            front = reached[found[reached] == UNREACHED]
        return found

    def distances_to(self, pages: Iterable[int]) -> NDArray[np.int32]:
        """How many links lead from each page to the nearest of these."""
        return self.reversed().distances(pages)

    def reachable(self, pages: Iterable[int]) -> NDArray[np.bool_]:
        """Which pages a crawl from these can come to."""
        found: NDArray[np.bool_] = self.distances(pages) != UNREACHED
        return found

    def _targets_of(self, pages: NDArray[np.int64]) -> NDArray[np.int32]:
        first, count = self.starts[pages], self.starts[pages + 1] - self.starts[pages]
        # of the k-th of all these links: the start of its page's row, and how far it is into it
        into = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        found: NDArray[np.int32] = self.targets[np.repeat(first, count) + into]
        return found

    def core(self) -> NDArray[np.bool_]:
        """The pages that can be reached from the best connected one and lead back to it; that has the greatest product
        of links in and out."""
        backward = self.reversed()
        best = int(np.argmax(np.diff(self.starts) * np.diff(backward.starts))) if len(self) else 0
        start = [best] if len(self) else []
        return self.reachable(start) & backward.reachable(start)


def _starts(rows: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count)))).astype(np.int64)


def build_graph(index: Index, pages: Pages) -> Graph:
    """The graph of a corpus."""
    size = len(index)
    sources = np.repeat(np.arange(size, dtype=np.int64), np.diff(pages.columns["row_ends"], prepend=0))
    targets = pages.columns["targets"].astype(np.int64)
    refreshing = np.flatnonzero(pages.columns["refresh"] >= 0)
    sources = np.concatenate((sources, refreshing))
    targets = np.concatenate((targets, pages.columns["refresh"][refreshing]))
    ends = np.concatenate((_redirect_ends(index), np.arange(size, len(pages.fingerprints))))
    targets = ends[targets]
    keys = np.unique(sources[targets != sources] * len(ends) + targets[targets != sources])
    sources, targets = keys // max(1, len(ends)), keys % max(1, len(ends))
    known = np.zeros(len(ends), bool)
    known[:size] = pages.is_page()
    inside = known[targets]
    return Graph(
        _starts(sources[inside].astype(np.int32), size),
        targets[inside].astype(np.int32),
        np.bincount(sources[~inside], minlength=size).astype(np.int32),
    )


def _redirect_ends(index: Index) -> NDArray[np.int64]:
    """Where each address of the corpus leads in the end, as far as it is recorded."""
    ends = np.arange(len(index), dtype=np.int64)
    leading = [(row, location) for row, location in enumerate(index.locations) if location]
    numbers = {url: row for row, url in enumerate(index.urls)} if leading else {}
    for row, location in leading:
        ends[row] = numbers.get(location, row)
    for _ in range(_REDIRECT_DOUBLINGS):
        ends = ends[ends]
    return ends
