"""Temporal locality: pages that were read close to pages that satisfy (equations 11 to 13).

``TLR(A)`` is what the same user read in the same session up to ``n`` accesses before or after the access ``A``, never
``A`` itself; ``TL(U)`` is all that over the accesses to judged pages that satisfy. ``I_TL = f1/P(U)`` for a page
inside, ``f2/P(U)`` for one outside, where ``f1`` and ``f2`` are the shares of judged pages that satisfy, inside and
outside. A page in no trace is neither: nothing is known of it.

Robust: not whether a page lies inside, where half of all pages soon do, but how often it was read around judged pages,
and around satisfying ones: every access in ``TLR(A)`` of a judged page counts for the page it went to. ``I_TL`` is the
share of those around satisfying pages over ``P(U)``, drawn to 1 where there are few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.traces import Traces, runs
from dowse.predict.learning.ratios import Counted
from dowse.predict.traces.reach import Reach

__all__ = ["Locality"]

Ints = NDArray[np.int64]
_UNKNOWN, _FAILS, _SATISFIES = 0, 1, 2


class Locality:
    """Which pages are inside, and how the judged ones on either side turned out."""

    def __init__(self, traces: Traces, reach: Reach) -> None:
        self._traces, self._reach = traces, reach
        self.inside = np.zeros(len(traces.fingerprints), bool)
        self._verdicts = np.zeros(len(traces.fingerprints), np.uint8)
        self._pages = np.zeros(2)  # judged ones, outside and inside
        self._satisfying = np.zeros(2)
        self._around = np.zeros(len(traces.fingerprints))  # accesses around judged pages, and satisfying ones
        self._around_satisfying = np.zeros(len(traces.fingerprints))
        self._last = -1, (np.zeros(0, np.int64), np.zeros(0, np.int64))

    @property
    def nbytes(self) -> int:
        return self.inside.nbytes + self._verdicts.nbytes + self._around.nbytes + self._around_satisfying.nbytes

    def judged(self, page: int, satisfies: bool) -> None:
        side = int(self.inside[page])
        self._verdicts[page] = _SATISFIES if satisfies else _FAILS
        self._pages[side] += 1
        self._satisfying[side] += satisfies
        near, times = self.near(page)
        self._around[near] += times
        if satisfies:
            self._around_satisfying[near] += times
            self._reach_out(page)

    def _reach_out(self, page: int) -> None:
        """What lies around the accesses to a page comes inside."""
        near, _ = self.near(page)
        new = near[~self.inside[near]]
        self.inside[new] = True
        verdicts = self._verdicts[new]
        judged, satisfying = int((verdicts != _UNKNOWN).sum()), int((verdicts == _SATISFIES).sum())
        self._pages += (-judged, judged)
        self._satisfying += (-satisfying, satisfying)

    def near(self, page: int) -> tuple[Ints, Ints]:
        """The pages that were read around a page, rising, and how often each. That of the last page is kept: it is
        asked for again, for where people lead a crawl."""
        known, found = self._last
        if known != page:
            accesses = self._traces.accesses(page, self._reach.accesses)
            near = np.sort(self._traces.page[self._traces.around(accesses, self._reach.around)]).astype(np.int64)
            starts = np.flatnonzero(runs(near))
            found = near[starts], np.append(starts[1:], len(near)) - starts
            self._last = page, found
        return found

    def logs(self, pages: NDArray[np.int64], counted: Counted) -> NDArray[np.float64]:
        """``log I_TL`` of pages; 0 where no judged page is on their side (robust: where none was read around them)."""
        if counted.robust:
            return np.log(counted.drawn(self._around_satisfying[pages], self._around[pages]))
        sides = zip(self._satisfying.tolist(), self._pages.tolist(), strict=True)
        outside, inside = (counted.mean(*side) for side in sides)
        return np.where(self.inside[pages], inside, outside)
