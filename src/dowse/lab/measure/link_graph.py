"""Who links to whom, as flat arrays, and how far pages are apart by the shortest path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dowse.lab.measure.run import Bools, Ints

__all__ = ["UNREACHED", "LinkGraph"]

UNREACHED = np.iinfo(np.int64).max
"""The distance of what cannot be reached: farther than anything that can."""


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Page ``p`` links to ``targets[starts[p]:starts[p + 1]]`` (compressed sparse rows).

    Repeated links and links of a page to itself are allowed.
    """

    starts: Ints
    targets: NDArray[np.int32]

    @classmethod
    def of(cls, pages: int, sources: ArrayLike, targets: ArrayLike) -> LinkGraph:
        """From one source and one target a link; the links of a page keep their order."""
        origin, goal = np.asarray(sources, np.int64), np.asarray(targets, np.int32)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(origin, minlength=pages))))
        return cls(starts, goal[np.argsort(origin, kind="stable")])

    def __len__(self) -> int:
        """How many pages there are, linked or not."""
        return len(self.starts) - 1

    def sources(self) -> Ints:
        """The page of each link in ``targets``."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def links_of(self, page: int) -> NDArray[np.int32]:
        """The pages that a page links to."""
        return self.targets[self.starts[page] : self.starts[page + 1]]

    def reversed(self) -> LinkGraph:
        """Every link turned round: from its target to its source."""
        return LinkGraph.of(len(self), self.targets, self.sources())

    def distinct(self) -> LinkGraph:
        """Each link once, in the order of page numbers."""
        pairs = np.unique(self.sources() * len(self) + self.targets)
        return LinkGraph.of(len(self), pairs // max(1, len(self)), pairs % max(1, len(self)))

    def nearest(self, pages: Iterable[int]) -> tuple[Ints, Ints]:
        """For each page how many links it is from the nearest of these (:data:`UNREACHED` where no path leads), and
        which of them that is (-1)."""
        distance = np.full(len(self), UNREACHED)
        nearest = np.full(len(self), -1)
        level: NDArray[np.integer] = np.unique(np.fromiter(pages, np.int64))
        distance[level], nearest[level] = 0, level
        steps = 0
        while len(level):
            steps += 1
            lengths = self.starts[level + 1] - self.starts[level]
            before = np.cumsum(lengths) - lengths
            links = np.arange(lengths.sum()) + np.repeat(self.starts[level] - before, lengths)
            reached, origin = self.targets[links], np.repeat(nearest[level], lengths)
            new = distance[reached] == UNREACHED
            level, first = np.unique(reached[new], return_index=True)
            distance[level], nearest[level] = steps, origin[new][first]
        return distance, nearest

    def distances(self, pages: Iterable[int]) -> Ints:
        """How many links each page is from the nearest of these."""
        return self.nearest(pages)[0]

    def distances_to(self, pages: Iterable[int]) -> Ints:
        """How many links lead from each page to the nearest of these."""
        return self.reversed().distances(pages)

    def reachable(self, pages: Iterable[int]) -> Bools:
        """Which pages a crawl from these can come to."""
        return self.distances(pages) < UNREACHED

    def core(self) -> Bools:
        """The pages that can be reached from the best connected one and lead back to it; that has the greatest product
        of links in and out."""
        backward = self.reversed()
        best = int(np.argmax(np.diff(self.starts) * np.diff(backward.starts))) if len(self) else 0
        start = [best] if len(self) else []
        return self.reachable(start) & backward.reachable(start)
