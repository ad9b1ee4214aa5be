"""Of words or tokens: for how many judged pages each is evidence, and how many of those satisfy the predicate."""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dowse.predict.learning.sums import Sums

__all__ = ["Occurrences", "Places"]

Places = NDArray[np.intp]
_FIRST = 1024


class Occurrences:
    """Counts by the hash of a word. Each hash has a place in the table, so that nothing is counted together."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._order: list[int] = []  # of hashes by place, as far as somebody asked
        self._counts = np.zeros((_FIRST, 2))
        self._marks = np.zeros(_FIRST, np.bool_)

    def begin(self, counted: Sums) -> None:
        """Count on from these; nothing was counted before."""
        places = [self._places.setdefault(key, len(self._places)) for key in counted.keys.tolist()]
        self._reach()
        self._counts[places] = counted.sums

    def __len__(self) -> int:
        return len(self._places)

    def sums(self) -> Sums:
        """What was counted: for how many pages each is evidence, and how many of those satisfy."""
        counts = self._counts[: len(self._places)]
        told = counts[:, 0] > 0  # others were met, and are evidence for nothing yet
        keys = np.fromiter(self._places, np.uint32, len(self._places))
        return Sums.of(keys[told], counts[told])

    def _reach(self) -> None:
        more = len(self._places) - len(self._counts)
        if more > 0:
            more += len(self._places)
            self._counts = np.concatenate((self._counts, np.zeros((more, 2))))
            self._marks = np.concatenate((self._marks, np.zeros(more, np.bool_)))

    def places(self, hashes: NDArray[np.uint32]) -> Places:
        """Where these are, each once; what is new gets a place."""
        known = self._places
        found = {known.setdefault(hash_, len(known)) for hash_ in hashes.tolist()}
        self._reach()
        return np.sort(np.fromiter(found, np.intp, len(found)))

    def union(self, some: list[Places]) -> Places:
        """All of these, each once."""
        if len(some) == 1:
            return some[0]
        return self.distinct(np.concatenate(some)) if some else np.zeros(0, np.intp)

    def distinct(self, places: NDArray[np.integer]) -> Places:
        """Each of these once."""
        self._marks[places] = True
        found = np.flatnonzero(self._marks[: len(self._places)])
        self._marks[found] = False
        return found

    def hashes(self, places: Places) -> list[int]:
        """Which words these are."""
        new = len(self._places) - len(self._order)
        if new:  # the last ones: a dictionary keeps the order in which places were given
            self._order += reversed(list(islice(reversed(self._places), new)))
        return [self._order[place] for place in places.tolist()]

    def add(self, places: Places, pages: NDArray[np.integer], satisfying: NDArray[np.integer]) -> None:
        """Each of these is evidence for so many pages more, of which so many satisfy."""
        self._counts[places, 0] += pages
        self._counts[places, 1] += satisfying

    def count(self, places: Places, satisfies: bool) -> None:
        """These are evidence for one page more."""
        self._counts[places] += (1, satisfies)

    def counts(self, hashes: NDArray[np.uint32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What :meth:`table` has for these, each once."""
        places = {place for hash_ in hashes.tolist() if (place := self._places.get(hash_)) is not None}
        found = self._counts[sorted(places)]
        return found[:, 0], found[:, 1]

    def table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By place: for how many pages each is evidence, and how many of those satisfy."""
        counts = self._counts[: len(self._places)]
        return counts[:, 0], counts[:, 1]
