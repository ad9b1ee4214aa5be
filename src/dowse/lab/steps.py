"""Functions that only change at certain points: what a crawl has found, by what it has spent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dowse.lab.run import Floats

__all__ = ["Steps"]

# Sums of costs carry rounding errors; a request that fits its budget but for those has been paid.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Steps:
    """``height[i]`` holds from ``at[i]`` on, up to ``at[i + 1]``; before the first it is 0, after the last it stays.

    What a request brings counts from its end, when it has been paid. A crawl that ended keeps what it has.
    """

    at: Floats  # never falling
    height: Floats

    def value(self, places: ArrayLike) -> Floats:
        """The heights at these places.

        >>> Steps(np.array([1.0, 3.0]), np.array([0.5, 1.0])).value([0, 1, 2.9, 3, 99]).tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
        """
        reached = np.searchsorted(self.at, np.asarray(places, np.float64) * (1 + _ROUNDING), side="right")
        return np.concatenate((np.zeros(1), self.height))[reached]

    def area(self, end: float) -> float:
        """The mean height over [0, ``end``], exactly: the area below the steps as a share of the rectangle of height 1.

        >>> Steps(np.array([1.0, 3.0]), np.array([0.5, 1.0])).area(4.0)
        0.5
        """
        if not 0 < end < np.inf:
            raise ValueError(f"an area needs an end above 0, not {end}")
        edges = np.minimum(np.concatenate((self.at, [end])), end)
        return float(np.dot(self.height, np.diff(edges)) / end)

    def changes(self) -> Steps:
        """The same function with only the points where it changes."""
        last = np.flatnonzero(np.diff(self.at, append=np.inf))  # of several at one place only the last is ever seen
        before = np.concatenate((np.zeros(1), self.height[last]))[:-1]
        kept = last[self.height[last] != before]
        return Steps(self.at[kept], self.height[kept])
