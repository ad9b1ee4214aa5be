"""User evidence: who went to a page, and how the judged pages they went to turned out (equations 8 to 10).

Event ``R_i``: user ``i`` went to the page. ``I_B(U|R_i) = P(U|R_i)/P(U)``; a page that somebody went to several times
counts once. A user counts where ``T = |P(U|R_i) - P(U)| / sqrt(P(U)(1 - P(U))/N) >= 2``, ``N`` being all judged pages.

Robust: the log of the mean ratio of all its users who went to a judged page, each drawn to 1 by the user's own count of
them, and the mean by three users of whom nothing is known: a page is not better for being known to many. None has to be
significant: of somebody who went to three pages only one that satisfies would be, so that users could speak for pages
and never against them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.traces import Traces
from dowse.predict.learning.ratios import Counted
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.sums import Sums
from dowse.predict.traces.reach import Reach, strongest

__all__ = ["Affinities"]

_UNKNOWN_USERS = 3.0


class Affinities:
    """Counts by user: the judged pages that each went to, and how many of those satisfy."""

    def __init__(self, traces: Traces, reach: Reach) -> None:
        self._traces, self._reach = traces, reach
        self.pages = np.zeros(len(traces.users))
        self.satisfying = np.zeros(len(traces.users))
        self._elsewhere = Readers().users  # of those it began with, who are not in these traces

    @property
    def nbytes(self) -> int:
        return self.pages.nbytes + self.satisfying.nbytes

    def begin(self, users: Sums) -> None:
        """Count on from these, by their keyed hashes; nothing was counted before."""
        places = np.searchsorted(self._traces.users, users.keys)
        there = places < len(self._traces.users)
        there[there] = self._traces.users[places[there]] == users.keys[there]
        self.pages[places[there]], self.satisfying[places[there]] = users.sums[there].T
        self._elsewhere = Sums(users.keys[~there], users.sums[~there])

    def counted(self) -> Sums:
        """By their keyed hashes, all who went to a judged page; those it began with are among them."""
        met = np.flatnonzero(self.pages)
        own = Sums(np.array(self._traces.users[met]), np.column_stack((self.pages[met], self.satisfying[met])))
        return own.merged(self._elsewhere)

    def judged(self, users: NDArray[np.int64], satisfies: bool) -> None:
        """These users, each once, went to a page that was judged."""
        self.pages[users] += 1
        if satisfies:
            self.satisfying[users] += 1

    def logs(
        self, rows: NDArray[np.int64], users: NDArray[np.int64], pages: int, counted: Counted
    ) -> NDArray[np.float64]:
        """``log I_B`` of so many pages, whose users come row by row, a row a page; 0 where nothing is known of them."""
        if counted.robust:
            rows, users = rows[known := self.pages[users] > 0], users[known]
            ratios = counted.drawn(self.satisfying[users], self.pages[users])
            unknown = _UNKNOWN_USERS
            return np.log((np.bincount(rows, ratios, pages) + unknown) / (np.bincount(rows, minlength=pages) + unknown))
        logs = counted.logs(self.satisfying[users], self.pages[users], over=counted.pages or 1, least=1)
        told = np.flatnonzero(logs)
        return np.bincount(rows[told], logs[told], pages).astype(np.float64)  # whole numbers where there is none

    def strongest(self, users: NDArray[np.int64], counted: Counted) -> list[tuple[int, float, float, float]]:
        """For people to read: the strongest of a page's users (their keyed hashes), the judged pages of each, how many
        of these satisfy, and the log."""
        logs = counted.logs(self.satisfying[users], self.pages[users], over=counted.pages or 1, least=1)
        told = np.flatnonzero(logs)
        told = told[strongest(np.zeros(len(told), np.int64), logs[told], self._reach.strongest_users)]
        return [
            (int(self._traces.users[user]), float(self.pages[user]), float(self.satisfying[user]), float(log))
            for user, log in zip(users[told].tolist(), logs[told].tolist(), strict=True)
        ]
