"""Siblings: what pages turned out to be that are linked from the same page, or from the same part of it.

Links that stand near one another lead to pages that are like one another. So what is known is counted three times: over
all links of a page, over runs of twelve links in a row, and over runs of four.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core

__all__ = ["MOST_PLACES", "RUN", "Siblings"]

Floats = NDArray[np.float64]
RUN = 4
"""Links in the shortest run; ``place`` of a link is its position on the page over this."""
_RUNS = 3  # short runs in a long one
_STEP = _RUNS + 1  # numbers that a long run takes: its own, and one for each short run in it
_KAPPA = 4.0  # pages: what a page's siblings say is drawn so far to what is usual
_KAPPA_RUN = 2.0  # and what those of a run say, to what those of the page do
MOST_PLACES = 1250


class Siblings:
    """Counts and sums of values by page and run. Both are functions of which page links where and of what pages are
    worth, so that they can be worked out again; values are such that their sums are exact."""

    def __init__(self) -> None:
        self._base = np.full(1024, -1, np.int32)  # page -> the number of its first group
        self._last = np.full(1024, -1, np.int16)  # page -> the last place for which it has groups
        # by group: targets that are known, and i times the sum of their values; so one look brings both
        self._known = np.zeros(4096, np.complex128)
        self._own = np.zeros(4096)  # by the first group of a page: its own value
        self._used = 0

    @property
    def nbytes(self) -> int:
        return self._base.nbytes + self._last.nbytes + self._known.nbytes + self._own.nbytes

    @property
    def tables(self) -> tuple[NDArray[np.int32], NDArray[np.complex128], Floats]:
        """By page, its first group; by group, what is known; by the first group of a page, its value."""
        return self._base, self._known, self._own

    def place(self, positions: NDArray[np.int32]) -> NDArray[np.int64]:
        """The places of links, by their positions among all the links of a page."""
        return np.minimum(positions // RUN, MOST_PLACES).astype(np.int64)

    def open(self, pages: NDArray[np.int64], last: NDArray[np.int64], values: Floats) -> None:
        """Pages of these values, with links up to these places, are new."""
        sizes = 1 + _STEP * (last // _RUNS + 1)
        starts = self._used + np.cumsum(sizes) - sizes
        self._reach(int(pages.max(initial=-1)) + 1, self._used + int(sizes.sum()))
        self._base[pages] = starts
        self._last[pages] = last
        self._own[starts] = values

    def open_one(self, page: int, last: int, value: float) -> None:
        """A page of this value, with links up to this place, is new."""
        start = self._used
        self._reach(page + 1, start + 1 + _STEP * (last // _RUNS + 1))
        self._base[page] = start
        self._last[page] = last
        self._own[start] = value

    def make_room(self, page: int, last: int) -> None:
        """An open page has links up to this place: those of others' pages come a few at a time."""
        before = self._last.item(page)
        if last <= before:
            return
        start, size = self._base.item(page), 1 + _STEP * (before // _RUNS + 1)
        known = self._known[start : start + size].copy()
        self.open_one(page, last, self._own.item(start))
        start = self._base.item(page)
        self._known[start : start + size] = known

    def is_open(self, page: int) -> bool:
        """Is it known, from an earlier visit?"""
        return page < len(self._base) and bool(self._base[page] >= 0)

    def _reach(self, pages: int, used: int) -> None:
        """Make room for page numbers below ``pages``, and for so many groups."""
        if pages > len(self._base):
            more = np.full(pages * 9 // 8 + 1024 - len(self._base), -1, np.int32)
            self._base = np.concatenate((self._base, more))
            self._last = np.concatenate((self._last, more.astype(np.int16)))
        self._used = used
        if used > len(self._own):
            room = np.zeros(used * 9 // 8 + 4096 - len(self._own))
            self._known = np.concatenate((self._known, room))
            self._own = np.concatenate((self._own, room))

    def revalue(self, pages: NDArray[np.int64], values: Floats) -> None:
        """Pages are worth something else; those without links are not known here."""
        pages, values = pages[pages < len(self._base)], values[pages < len(self._base)]
        opened = self._base[pages] >= 0
        self._own[self._base[pages[opened]]] = values[opened]

    def _groups(self, pages: NDArray[Any], places: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The groups that links belong to: the page's, the long run's, the short run's."""
        whole = np.maximum(self._base.take(pages), 0)
        runs = places.astype(np.int32) // _RUNS
        long = whole + (1 + _STEP * runs)
        return whole, long, long + (1 + places - _RUNS * runs)

    def count(
        self, pages: NDArray[np.int64], places: NDArray[np.int64], values: Floats | float, times: int = 1
    ) -> None:
        """Targets of links are worth so much: ``times`` more are known (0: known ones are worth so much more)."""
        values = np.broadcast_to(np.asarray(values, np.float64), pages.shape)
        if core is not None and core.count_links(
            self._base, self._known, pages, places, times, np.ascontiguousarray(values)
        ):
            return
        more = times + 1j * values
        for groups in self._groups(pages, places):
            np.add.at(self._known, groups, more)

    def rates(self, pages: NDArray[Any], places: NDArray[Any], usual: float) -> Floats:
        """Four rows: what pages are worth themselves, and how much more than usual the targets of their links are, of
        all, of those in the long run, of those in the short run.

        ``((s + kappa P)/(n + kappa)) - P``, Aggarwal's sibling evidence in its robust form (METHODS, section 4) as a
        difference; a run's is drawn to the page's.
        """
        groups = self._groups(pages, places)
        of_page, of_long, of_short = (self._known[group] for group in groups)
        page = (of_page.imag - of_page.real * usual) / (of_page.real + _KAPPA)
        runs = [
            (run.imag - run.real * usual + _KAPPA_RUN * page) / (run.real + _KAPPA_RUN) for run in (of_long, of_short)
        ]
        return np.stack((self._own[groups[0]], page, *runs))
