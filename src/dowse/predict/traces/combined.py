"""The crawl order ``combined``: links and people lead it together (Aggarwal, section 4; METHODS, section 4).

A candidate's priority is ``log (I_C * I_L)``: what people's traces say of it, and what the pages that link to it do
(the interest ratios of :mod:`dowse.predict.learning.interest`). Both kinds of candidates wait in one frontier; a part
that is missing counts as 1, so a URL that people led to and no page links to has its people only, and a linked one that
nobody went to its links.

Published, links are taken up from satisfying pages only: what is known from links on other pages alone, and was not
proposed, comes after everything else, in order of discovery, until a satisfying page links to it (``min_priority``
leaves it out). It is not forgotten, since what these links turn out to lead to is counted as well. Robust: links are
taken up from all pages, and the address of a proposed URL speaks for it as that of a linked one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning.interest import InterestRatios
from dowse.predict.memory import Joined
from dowse.predict.traces.evidence import composite
from dowse.predict.traces.people import People
from dowse.predict.traces.strategy import parts_told

__all__ = ["Combined"]

Floats = NDArray[np.float64]
_LAST = -1e6
"""The priority of what was not taken up: below any sum of logs."""
_SAME = 1e-6


class Combined:
    """What people went to and what pages link to, by all that either tells."""

    name = "combined"
    predicts_value = False  # logs are an order
    learns_words = True
    wants_all_terms = True

    def __init__(self, people: People, links: InterestRatios, *, robust: bool) -> None:
        """Both parts in the same form."""
        self._people, self._links, self._robust = people, links, robust
        self.memory = Joined(f"combined: {people.memory.kind}; {links.memory.kind}", people.memory, links.memory)

    # -- learning ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.judged(page)
        self._people.met(links.ids, links.urls)
        of_links = self._links.rank(page, links)
        return self._values(links.ids.tolist(), of_links)

    def propose(self, page: SourcePage) -> Sequence[str]:
        return self._people.propose(page.id)

    def rank_proposed(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.met(links.ids, links.urls, proposed=True)
        if self._robust:
            self._links.name_urls(links.ids, links.urls)
        return self._valued(links.ids.tolist())

    # -- values --------------------------------------------------------------------------------------------------

    def _taken_up(self, candidate: int) -> bool:
        return self._robust or self._people.was_proposed(candidate) or self._links.satisfying_parents(candidate) > 0

    def _values(self, ids: Sequence[int], of_links: Floats) -> Floats:
        """Of candidates whose links say so much."""
        values = np.maximum(composite(self._people.logs(ids).sum(axis=1), of_links), _LAST)
        return np.where(np.array([self._taken_up(id_) for id_ in ids], bool), values, _LAST)

    def _valued(self, ids: Sequence[int]) -> Floats:
        return self._values(ids, np.array([self._links.value(id_) for id_ in ids], np.float64))

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        revised = self._links.revise(is_waiting)
        by_people = self._people.sweep(is_waiting)
        if revised is None:
            return (np.array(by_people, np.int64), self._valued(by_people)) if by_people else None
        ids, of_links = revised
        more = sorted({*by_people}.difference(ids.tolist()))
        values = self._values(ids.tolist(), of_links), self._valued(more)
        return np.concatenate((ids, np.array(more, np.int64))), np.concatenate(values)

    def refresh(self, candidate: int) -> float | None:
        if not self._people.went(candidate) and not self._links.has_parents(candidate):
            return None
        return self._value_now(candidate)

    def _value_now(self, candidate: int) -> float:
        if not self._taken_up(candidate):
            return _LAST
        return max(_LAST, composite(float(self._people.now(candidate).sum()), self._links.value(candidate)))

    def explain(self, candidate: int, priority: float) -> Explanation:
        of_links = self._links.parts(candidate)
        if not self._people.went(candidate) and not self._links.has_parents(candidate):
            return Explanation(priority, {"in no trace, and no page links there": (1.0, 0.0)})
        parts = parts_told(self._people.now(candidate)) | of_links
        predicted, taken_up = self._value_now(candidate), self._taken_up(candidate)
        if not taken_up:
            parts["no page on the topic links there, and nobody led there"] = (
                _LAST - sum(value * weight for value, weight in parts.values()), 1.0
            )  # fmt: skip
        if abs(priority - predicted) > _SAME:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        told = self._people.told(candidate) if self._people.went(candidate) else {"in no trace": (1.0, 0.0)}
        return Explanation(priority, {"predicted": (predicted, 0.0), **parts, **told})

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"people": self._people.state(), "links": self._links.state()}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            self._people.restore(state["people"])
            self._links.restore(state["links"])
