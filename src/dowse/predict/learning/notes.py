"""What the learner knows of each candidate: one record a URL, and the words of those that were judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag, Context
from dowse.predict.learning.tokens import WIDTH

__all__ = ["PARENTS", "ROW", "Notes", "Rows"]

PARENTS = 8
"""So many of the pages that link to a candidate are remembered, the latest."""

ROW = np.dtype([
    ("site", "<i4"),
    ("own", "<f4"),  # what it was worth, nan before it is judged
    ("score", "<f4"),  # the same as the topic's judge saw it
    ("ordinal", "<i4"),  # how many were judged before it
    ("page", "<i4", PARENTS),  # the pages that link to it
    ("token", "<u4", WIDTH),
    ("parents", "<u2"),  # how many pages link to it
    ("place", "<u2", PARENTS),  # where on them, in runs of links
    ("best", "<f2", len(Context)),  # similarity of its contexts
    ("mean", "<f2", len(Context)),
    ("spare", "<u2"),
])  # fmt: skip
Rows = NDArray[np.void]
"""Records, one a candidate."""


class Notes:
    """Implements :class:`dowse.model.strategy.Memory`. A record without parents: no page mentioned it."""

    def __init__(self, kind: str, most_bags: int) -> None:
        self.kind = kind
        self.most_bags = most_bags  # after a load; then it is for others to forget some
        self._rows: Rows = np.zeros(1024, ROW)
        self._rows["own"] = np.nan
        self.count = 0  # ids below it may have a record
        self.bags: dict[int, Bag] = {}  # of judged pages, for as long as somebody may ask for them
        self._changed: list[NDArray[np.int64]] = []

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    def at(self, ids: NDArray[np.int64]) -> Rows:
        """A copy of the records of candidates; :meth:`put` it back when it was changed."""
        if len(ids):
            self.reach(int(ids.max()) + 1)
        return self._rows[ids]

    def put(self, ids: NDArray[np.int64], rows: Rows) -> None:
        self._rows[ids] = rows
        self._changed.append(ids)

    @property
    def own(self) -> NDArray[np.float32]:
        """What each page was worth; a view."""
        return self._rows["own"]

    def all(self) -> Rows:
        """Every record; a view."""
        return self._rows[: self.count]

    def reach(self, count: int) -> None:
        """Make room for ids below ``count``."""
        if count > len(self._rows):
            # the system moves large blocks without copying them
            before = len(self._rows)
            self._rows.resize(count * 9 // 8 + 1024, refcheck=False)
            self._rows["own"][before:] = np.nan
        self.count = max(self.count, count)

    def changes(self) -> tuple[list[int], list[bytes]]:
        if not self._changed:
            return [], []
        ids = np.unique(np.concatenate(self._changed))
        self._changed.clear()
        data, size = self._rows[ids].tobytes(), ROW.itemsize
        rows = [data[start : start + size] for start in range(0, len(data), size)]
        numbers = ids.tolist()
        for place, id_ in enumerate(numbers):
            if id_ in self.bags:
                rows[place] += _packed(self.bags[id_])
        return numbers, rows

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        if len(self.bags) > 2 * self.most_bags:
            self._forget_oldest()
        for id_, row in enumerate(rows, first):
            if row is not None and len(row) >= ROW.itemsize:
                self.reach(id_ + 1)
                self._rows[id_] = np.frombuffer(row[: ROW.itemsize], ROW)[0]
                if len(row) > ROW.itemsize:
                    self.bags[id_] = _unpacked(row[ROW.itemsize :])

    def _forget_oldest(self) -> None:
        oldest_first = sorted(self.bags, key=lambda id_: int(self._rows["ordinal"][id_]))
        for id_ in oldest_first[: -self.most_bags]:
            del self.bags[id_]

    def moved(self, source: int, target: int) -> None:
        self.reach(max(source, target) + 1)
        self._rows[target] = self._rows[source]
        self._changed.append(np.array([target]))


def _packed(bag: Bag) -> bytes:
    """How many terms, the terms, how often each occurs."""
    size = np.array([len(bag.terms)], "<u2").tobytes()
    return size + bag.terms.astype("<u4").tobytes() + bag.counts.astype("<f2").tobytes()


def _unpacked(data: bytes) -> Bag:
    size = int.from_bytes(data[:2], "little")
    return Bag(np.frombuffer(data, "<u4", size, 2), np.frombuffer(data, "<f2", size, 2 + 4 * size).astype(np.float32))
