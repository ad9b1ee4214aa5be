"""Who links to whom, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dowse.lab.run import Ints

__all__ = ["UNREACHED", "LinkGraph"]

UNREACHED = np.iinfo(np.int64).max  # a distance


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Page ``p`` links to ``indices[indptr[p]:indptr[p + 1]]``, in the order of the page (compressed sparse rows).

    Repeated links and links of a page to itself are allowed.
    """

    indptr: Ints
    indices: Ints

    @classmethod
    def of(cls, pages: int, sources: ArrayLike, targets: ArrayLike) -> LinkGraph:
        """From one source and one target a link; the links of a page keep their order."""
        origin, goal = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
        indptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(origin, minlength=pages))))
        return cls(indptr, goal[np.argsort(origin, kind="stable")])

    @property
    def pages(self) -> int:
        return len(self.indptr) - 1

    def sources(self) -> Ints:
        """The page of each link in ``indices``."""
        return np.repeat(np.arange(self.pages), np.diff(self.indptr))

    def out(self, page: int) -> Ints:
        return self.indices[self.indptr[page] : self.indptr[page + 1]]

    def backward(self) -> LinkGraph:
        """The same links, each from its target to its source."""
        return LinkGraph.of(self.pages, self.indices, self.sources())

    def distinct(self) -> LinkGraph:
        """Each link once, in the order of page numbers."""
        pairs = np.unique(self.sources() * self.pages + self.indices)
        return LinkGraph.of(self.pages, pairs // max(1, self.pages), pairs % max(1, self.pages))

    def distances(self, starts: ArrayLike) -> tuple[Ints, Ints]:
        """For each page how many links it is from the nearest start (:data:`UNREACHED` where no path leads), and which
        start that is (-1)."""
        distance = np.full(self.pages, UNREACHED)
        nearest = np.full(self.pages, -1)
        level = np.unique(np.asarray(starts, np.int64))
        distance[level], nearest[level] = 0, level
        steps = 0
        while len(level):
            steps += 1
            lengths = self.indptr[level + 1] - self.indptr[level]
            before = np.cumsum(lengths) - lengths
            links = np.arange(lengths.sum()) + np.repeat(self.indptr[level] - before, lengths)
            reached, origin = self.indices[links], np.repeat(nearest[level], lengths)
            new = distance[reached] == UNREACHED
            reached, first = np.unique(reached[new], return_index=True)
            distance[reached], nearest[reached] = steps, origin[new][first]
            level = reached
        return distance, nearest
