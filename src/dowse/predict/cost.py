"""What a page costs before it is fetched, and so what a candidate is worth for its cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.predict.sitelog import Estimate, SiteLog

__all__ = ["Costs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64] | NDArray[np.int32]
_MOST_HOPELESS = 0.9  # of all requests failing: beyond, a site's cost grows no further


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds a page takes, clipped to ``[min_s, max_s]`` (TH-Gatherer's MINC and MAXC, section 2.3).

    Paper form: ``size / speed``. Robust form: ``latency + size / speed + politeness wait``, over the share of requests
    that bring an answer, since a page of a failing site must be asked for more than once.
    """

    log: SiteLog
    min_s: float
    max_s: float
    robust: bool

    def of_pages(self, site: int, prefixes: Ints, wait_s: float) -> Floats:
        """The cost of pages of one site below these prefixes; ``wait_s`` is the site's delay."""
        expected = self.log.of(site)
        return np.clip(self._seconds(expected, self.log.sizes(prefixes, expected.size), wait_s), self.min_s, self.max_s)

    def of_page(self, site: int, size: float | None, wait_s: float) -> float:
        """The cost of a page of this size; None: of the site's usual size."""
        expected = self.log.of(site)
        seconds = self._seconds(expected, expected.size if size is None else size, wait_s)
        return min(max(float(seconds), self.min_s), self.max_s)

    def _seconds(self, expected: Estimate, size: Floats | float, wait_s: float) -> Floats | float:
        seconds = size / expected.bytes_per_s
        if not self.robust:
            return seconds
        return (expected.latency_s + seconds + wait_s) / (1 - min(expected.failure_rate, _MOST_HOPELESS))
