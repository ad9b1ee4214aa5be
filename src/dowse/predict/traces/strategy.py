"""The crawl order ``traces``: people lead it (Aggarwal, section 3.1; METHODS, section 4, collaborative).

What people read around a judged page is proposed to the crawl (:class:`~dowse.model.strategy.Proposes`); the engine
treats it as it does links. A candidate's priority is ``log I_C``, the sum of the logs of the three kinds of evidence.
Links that lead to a page in no trace come after everything that people went to, in order of discovery.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning.statistics import Statistics
from dowse.predict.traces.evidence import NAMES
from dowse.predict.traces.people import People

__all__ = ["ByPeople", "parts_told"]

Floats = NDArray[np.float64]
_LAST = -1e6
"""The priority of what nobody went to: below any sum of logs."""
_SAME = 1e-6


def parts_told(logs: Floats, weight: float = 1.0) -> dict[str, tuple[float, float]]:
    """For people to read: the logs of a candidate's evidence."""
    return {f"log interest ratio: {name}": (log, weight) for name, log in zip(NAMES, logs.tolist(), strict=True)}


class ByPeople:
    """Pages that people went to who also went to pages on the topic, from access logs."""

    name = "traces"
    predicts_value = False  # logs are an order
    learns_words = True

    def __init__(self, people: People) -> None:
        self._people = people
        self.memory = people.memory

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.judged(page)
        self._people.met(links.ids, links.urls)
        return self._values(links.ids.tolist())

    def propose(self, page: SourcePage) -> Sequence[str]:
        return self._people.propose(page.id)

    def rank_proposed(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.met(links.ids, links.urls, proposed=True)
        return self._values(links.ids.tolist())

    def _values(self, ids: Sequence[int]) -> Floats:
        return np.maximum(self._people.sums(ids, _LAST), _LAST)

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        ids = self._people.sweep(is_waiting)
        return (np.array(ids, np.int64), self._values(ids)) if ids else None

    def refresh(self, candidate: int) -> float | None:
        return max(float(self._people.now(candidate).sum()), _LAST) if self._people.went(candidate) else None

    def explain(self, candidate: int, priority: float) -> Explanation:
        if not self._people.went(candidate):
            return Explanation(priority, {"in no trace": (1.0, 0.0)})
        logs = self._people.now(candidate)
        parts = parts_told(logs)
        predicted = max(float(logs.sum()), _LAST)
        if abs(priority - predicted) > _SAME:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        return Explanation(priority, {**parts, **self._people.told(candidate)})

    def state(self) -> dict[str, Any]:
        return self._people.state()

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            self._people.restore(state)

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        """What was counted of users, and nothing else."""
        own = self._people.readers()
        counted = self._people.evidence.counted
        return Statistics(counted.pages, counted.satisfying, people=own)
