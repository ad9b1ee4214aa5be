"""What the crawl has seen of each candidate: a few numbers a URL, in one flat table indexed by its id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Evidence", "Rows"]

Rows = NDArray[np.float32]
"""Rows of the table, one a candidate."""


class Evidence:
    """Implements :class:`dowse.model.strategy.Memory`. A row of zeros is a candidate that no page has mentioned."""

    def __init__(self, width: int, kind: str = "") -> None:
        self.kind = kind
        self._rows: Rows = np.zeros((1024, width), np.float32)
        self.count = 0  # ids below it may have a row
        self._changed: list[NDArray[np.int64]] = []

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    def at(self, ids: NDArray[np.int64]) -> Rows:
        """A copy of the rows of candidates; :meth:`put` it back when it was changed."""
        if len(ids):
            self._reach(int(ids.max()) + 1)
        return self._rows[ids]

    def put(self, ids: NDArray[np.int64], rows: Rows) -> None:
        self._rows[ids] = rows
        self._changed.append(ids)

    def keep_best(self, ids: NDArray[np.int64], found: Rows) -> NDArray[np.float64]:
        """In rows of a count, a value and what led to it: count one mention more, and take ``found`` (without the
        count) where its value is the higher. Returns the values."""
        rows = self.at(ids)
        better = (rows[:, 0] == 0) | (rows[:, 1] < found[:, 0])
        rows[better, 1:] = found[better]
        rows[:, 0] += 1
        self.put(ids, rows)
        return rows[:, 1].astype(np.float64)

    def one(self, candidate: int) -> Rows:
        """The row of one candidate, as a table of one row."""
        if candidate >= self.count:
            return np.zeros((1, self._rows.shape[1]), np.float32)
        return self._rows[candidate : candidate + 1]

    def _reach(self, count: int) -> None:
        if count > len(self._rows):
            # The system moves large blocks without copying them; rows stay where they are, since only rows are added.
            self._rows.resize((count * 9 // 8 + 1024, self._rows.shape[1]), refcheck=False)
        self.count = max(self.count, count)

    # -- as a memory ---------------------------------------------------------------------------------------------

    def changes(self) -> tuple[list[int], list[bytes]]:
        if not self._changed:
            return [], []
        ids = np.unique(np.concatenate(self._changed))
        self._changed.clear()
        table = self._rows[ids].astype("<f4", copy=False)
        data, size = table.tobytes(), table.shape[1] * 4
        return ids.tolist(), [data[start : start + size] for start in range(0, len(data), size)]

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        width = self._rows.shape[1]
        known = [(place, row) for place, row in enumerate(rows, first) if row is not None and len(row) == 4 * width]
        if known:
            places, data = zip(*known, strict=True)
            self._reach(places[-1] + 1)
            self._rows[np.array(places)] = np.frombuffer(b"".join(data), "<f4").reshape(-1, width)

    def moved(self, source: int, target: int) -> None:
        self._reach(max(source, target) + 1)
        self._rows[target] = self._rows[source]
        self._changed.append(np.array([target]))
