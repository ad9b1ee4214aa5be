"""Siblings: what pages turned out to be that are linked from the same page, or from the same part of it.

Links that stand near one another lead to pages that are like one another. So what is known is counted three times: over
all links of a page, over runs of twelve links in a row, and over runs of four.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RUN", "Siblings"]

Floats = NDArray[np.float64]
RUN = 4
"""Links in the shortest run; ``place`` of a link is its position on the page over this."""
_RUNS = 3  # short runs in a long one
_STEP = _RUNS + 1  # numbers that a long run takes: its own, and one for each short run in it
_KAPPA = 4.0  # pages: what a page's siblings say is drawn so far to what is usual
_KAPPA_RUN = 2.0  # and what those of a run say, to what those of the page do
_MOST_PLACES = 1250


class Siblings:
    """Counts and sums of values by page and run. Both are functions of which page links where and of what pages are
    worth, so that they can be worked out again; values are such that their sums are exact."""

    def __init__(self) -> None:
        self._base = np.full(1024, -1, np.int32)  # page -> the number of its first group
        self._counts = np.zeros(4096, np.int32)
        self._sums = np.zeros(4096)
        self._used = 0

    @property
    def nbytes(self) -> int:
        return self._base.nbytes + self._counts.nbytes + self._sums.nbytes

    def place(self, positions: NDArray[np.int32]) -> NDArray[np.int64]:
        """The places of links, by their positions among all the links of a page."""
        return np.minimum(positions // RUN, _MOST_PLACES).astype(np.int64)

    def open(self, pages: NDArray[np.int64], last: NDArray[np.int64]) -> None:
        """Pages with links up to these places are new."""
        top = int(pages.max(initial=0)) + 1
        if top > len(self._base):
            more = np.full(top * 9 // 8 + 1024 - len(self._base), -1, np.int32)
            self._base = np.concatenate((self._base, more))
        sizes = 1 + _STEP * (last // _RUNS + 1)
        ends = self._used + np.cumsum(sizes)
        self._base[pages] = ends - sizes
        self._used = int(ends[-1]) if len(ends) else self._used
        if self._used > len(self._counts):
            more_groups = self._used * 9 // 8 + 4096 - len(self._counts)
            self._counts = np.concatenate((self._counts, np.zeros(more_groups, np.int32)))
            self._sums = np.concatenate((self._sums, np.zeros(more_groups)))

    def _groups(self, pages: NDArray[np.int64], places: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """The groups that links belong to: the page's, the long run's, the short run's."""
        whole = self._base[pages].astype(np.int64)
        runs, within = np.divmod(places, _RUNS)
        long = whole + 1 + _STEP * runs
        return whole, long, long + 1 + within

    def count(
        self, pages: NDArray[np.int64], places: NDArray[np.int64], values: Floats | float, times: int = 1
    ) -> None:
        """Targets of links are worth so much: ``times`` more are known (0: known ones are worth so much more)."""
        for groups in self._groups(pages, places):
            np.add.at(self._counts, groups, times)
            np.add.at(self._sums, groups, values)

    def rates(self, pages: NDArray[np.int64], places: NDArray[np.int64], usual: float) -> tuple[Floats, Floats, Floats]:
        """How much more than usual the siblings of links are worth: those on the page, in the long and short run.

        ``((s + kappa P)/(n + kappa)) - P``, Aggarwal's sibling evidence in its robust form (METHODS, section 4) as a
        difference; a run's is drawn to the page's.
        """
        found = []
        whole, *runs = self._groups(pages, places)
        n = self._counts[whole]
        of_page = (self._sums[whole] - n * usual) / (n + _KAPPA)
        for groups in runs:
            n = self._counts[groups]
            found.append((self._sums[groups] - n * usual + _KAPPA_RUN * of_page) / (n + _KAPPA_RUN))
        return of_page, found[0], found[1]
