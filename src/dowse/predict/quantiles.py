"""A common scale for numbers that have none: how many of those that wait are smaller."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Quantiles"]

Floats = NDArray[np.float64]
_KNOTS = 129


class Quantiles:
    """The share of a sample that is below a value, in [0, 1], rising and continuous. Beyond the greatest it still
    rises, ever slower: what is better than anything before is better than the best before."""

    def __init__(self, values: Floats, places: Floats) -> None:
        """``values``, rising, stand at ``places``; made by :meth:`of`."""
        self._values, self._places = values, places

    @classmethod
    def of(cls, sample: Floats) -> Quantiles:
        """The scale of a sample. Equal values share the middle of their places: one that half of all have is at a
        quarter, not at 0. Up to 129 knots are kept, evenly spread over the places."""
        values, counts = np.unique(sample, return_counts=True)
        places = (np.cumsum(counts) - counts / 2) / max(len(sample), 1)
        if len(values) > _KNOTS:
            wanted = np.linspace(places[0], places[-1], _KNOTS)
            kept = np.unique(np.searchsorted(places, wanted))
            values, places = values[kept], places[kept]
        return cls(values, places)

    def __call__(self, values: Floats) -> Floats:
        if not len(self._values):
            return np.full(len(values), 0.5)
        places = np.interp(values, self._values, self._places)
        last, top = self._values[-1], self._places[-1]
        beyond = np.flatnonzero(values > last)
        if beyond.size:
            places[beyond] = top + (1 - top) * (1 - last / values[beyond])
        return np.asarray(places)

    def back(self, places: Floats) -> Floats:
        """The values that stand at these places."""
        if not len(self._values):
            return np.zeros(len(places))
        return np.asarray(np.interp(places, self._places, self._values))

    def one(self, value: float) -> float:
        """The place of a single value, at the cost of a look-up."""
        values, places = self._values, self._places
        after = bisect_right(values, value)
        if not len(values) or after == 0:
            return float(places[0]) if len(places) else 0.5
        if after == len(values):
            beyond = 1 - float(values[-1]) / value if value > values[-1] else 0.0
            return float(places[-1] + (1 - places[-1]) * beyond)
        share = (value - values[after - 1]) / (values[after] - values[after - 1])
        return float(places[after - 1] + share * (places[after] - places[after - 1]))

    def state(self) -> list[list[float]]:
        """The knots, as JSON values."""
        return [self._values.tolist(), self._places.tolist()]

    @classmethod
    def restored(cls, state: Any) -> Quantiles:
        values, places = (np.array(part, np.float64) for part in state)
        if values.ndim != 1 or values.shape != places.shape or not np.isfinite((values, places)).all():
            raise ValueError("there is no such scale")
        return cls(values, places)
