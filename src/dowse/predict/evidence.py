"""What the crawl has seen of each candidate: a few numbers a URL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.predict.row_table import RowTable

__all__ = ["Evidence", "Rows"]

Rows = NDArray[np.float32]
"""Rows of the table, one a candidate."""


class Evidence(RowTable):
    """A row of zeros is a candidate that no page has mentioned."""

    def __init__(self, width: int, kind: str = "") -> None:
        super().__init__(np.zeros((1, width), "<f4"), kind)

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
        return self._rows[candidate : candidate + 1] if candidate < self.count else self._empty.copy()
