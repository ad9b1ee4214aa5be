"""What a page costs before it is fetched, and so what a candidate is worth for its cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.predict.sitelog import SiteLog

__all__ = ["Costs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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

    def of(self, sites: Ints, sizes: Floats, waits_s: Floats) -> Floats:
        """The cost of pages of these sizes at these sites, whose delays are ``waits_s``."""
        seconds = sizes / self.log.bytes_per_s(sites)
        if self.robust:
            seconds = (self.log.latency_s(sites) + seconds + waits_s) / (
                1 - np.minimum(self.log.failure_rate(sites), _MOST_HOPELESS)
            )
        return np.clip(seconds, self.min_s, self.max_s)
