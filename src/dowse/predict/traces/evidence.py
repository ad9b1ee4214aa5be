"""The three kinds of evidence together (equation 14): ``I_C = I_TL * I_SF * I_B``, and ``I_C * I_L`` with linkage. What
says nothing counts as 1; all is in logs, so that is 0."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.traces import Traces
from dowse.predict.learning.ratios import SIGNIFICANT, Counted
from dowse.predict.learning.readers import Readers
from dowse.predict.traces.affinity import Affinities
from dowse.predict.traces.locality import Locality
from dowse.predict.traces.reach import EVERYTHING, Reach, people_of
from dowse.predict.traces.signature import PaperSignatures, RobustSignatures, Signatures

__all__ = ["NAMES", "Evidence", "composite"]

NAMES = ("temporal", "signature", "user")
"""The columns of :meth:`Evidence.logs`."""
Number = TypeVar("Number", float, NDArray[np.float64])


def composite(people: Number, links: Number, weight: float = 1.0) -> Number:
    """``log (I_C * I_L)``; ``weight`` is that of the people. Whichever is missing is 0."""
    return weight * people + links


class Evidence:
    """What traces say of pages, from the pages that were judged. A page is its number in the traces, -1 where it is in
    none."""

    def __init__(
        self, traces: Traces, *, robust: bool = True, significance: float = SIGNIFICANT, reach: Reach | None = None,
        before: Readers | None = None,
    ) -> None:  # fmt: skip
        """``before`` is what earlier crawls counted of users under the key of these traces."""
        self._traces, self._robust, self._significance = traces, robust, significance
        self._reach = reach or (Reach() if robust else EVERYTHING)
        before = before or Readers()
        self._pages, self._satisfying = before.pages, before.satisfying
        self.affinities = Affinities(traces, self._reach)
        self.affinities.begin(before.users)
        self.locality = Locality(traces, self._reach)
        self.signatures: Signatures = (
            RobustSignatures(len(traces.users), self._reach) if robust else PaperSignatures(self._reach)
        )

    @property
    def counted(self) -> Counted:
        """``P(U)``, from all judged pages."""
        return Counted(self._pages, self._satisfying, self._robust, self._significance)

    @property
    def nbytes(self) -> int:
        """Memory beside the traces themselves."""
        return self.affinities.nbytes + self.locality.nbytes + self.signatures.nbytes

    def judged(self, page: int, satisfies: bool, bag: Bag) -> None:
        """A page was judged, for the first time. It touches its users and what lies around it, and nothing else."""
        self._pages += 1
        self._satisfying += satisfies
        if page < 0:
            return
        users = self.users(page)
        self.signatures.judged(page, users, satisfies, bag)
        self.affinities.judged(users, satisfies)
        self.locality.judged(page, satisfies)

    @property
    def readers(self) -> Readers:
        """What was counted of users, with what it started from."""
        return Readers(self._pages, self._satisfying, self.affinities.counted())

    def users(self, page: int) -> NDArray[np.int64]:
        """Who went to a page, by their numbers in the traces."""
        return people_of(self._traces, np.array([page]), self._reach.accesses)[1]

    def descendants(self, page: int) -> NDArray[np.int64]:
        """The pages that the users of a page went to within ``n`` accesses of it, and in the same session."""
        near, _ = self.locality.near(page)
        found: NDArray[np.int64] = near[near != page]
        return found

    def logs(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """The logs of interest ratios, a row a page, a column a kind of evidence (:data:`NAMES`); zeros where a page is
        in no trace."""
        found, counted = np.zeros((len(pages), len(NAMES))), self.counted
        there = np.flatnonzero(pages >= 0)
        known = pages[there]
        if len(known) and counted.tells:
            rows, users = people_of(self._traces, known, self._reach.accesses)
            found[there, 0] = self.locality.logs(known, counted)
            found[there, 1] = self.signatures.logs(known, rows, users, counted)
            found[there, 2] = self.affinities.logs(rows, users, len(known), counted)
        return found
