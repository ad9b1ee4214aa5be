"""What a request of a replay is charged: the cost that ``V/C`` divides by, with what happened in place of what was
expected (METHODS, section 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dowse.lab.measure.run import Floats
from dowse.model.topic import Topic

__all__ = ["Charge"]


@dataclass(frozen=True, slots=True)
class Charge:
    """Seconds of requests, clipped to ``[min_s, max_s]`` (TH-Gatherer's MINC and MAXC, section 2.3).

    Paper form: ``size / speed``. Robust form: ``latency + size / speed + politeness wait``. That failures cost, which a
    forecast must allow for, shows by itself: each failed request is charged like any other.
    """

    form: str
    min_s: float
    max_s: float
    delay_s: float

    @classmethod
    def of(cls, topic: Topic) -> Charge:
        """As a crawl for this topic expects costs."""
        return cls(topic.cost.form, topic.cost.min_s, topic.cost.max_s, topic.politeness.delay_s)

    def seconds(self, latency_s: ArrayLike, download_s: ArrayLike) -> Floats:
        """The charge of requests that took so long to the first byte, and from there to the last."""
        download = np.asarray(download_s, np.float64)
        whole = download if self.form == "paper" else np.asarray(latency_s) + download + self.delay_s
        return np.clip(whole, self.min_s, self.max_s)
