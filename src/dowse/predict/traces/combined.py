"""The crawl order ``combined``: links and people lead it together (Aggarwal, section 4; METHODS, section 4).

A candidate's priority is ``log (I_C * I_L)``: what people's traces say of it, and what the pages that link to it do
(the interest ratios of :mod:`dowse.predict.learning.interest`). Both kinds of candidates wait in one frontier; a part
that is missing counts as 1, so a URL that people led to and no page links to has its people only, and a linked one that
nobody went to its links.

Published, links are taken up from satisfying pages only: what is known from links on other pages alone, and was not
proposed, comes after everything else, in order of discovery, until a satisfying page links to it (``min_priority``
leaves it out). It is not forgotten, since what these links turn out to lead to is counted as well.

Robust: links are taken up from all pages. People's part, which takes means, weighs as much as ten words of the links'
part, which adds all of them up. And a missing part counts as what that part was for the middle one of those that were
ranked lately. A focused crawl fetches better pages than it sees, so what is known speaks against most of what waits:
were nothing to count as 1, that of which nothing is known would come first. (On the encyclopedia of the lab, the crawl
would find less than by either part alone.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Bag
from dowse.model.revive import revived
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning.interest import InterestRatios
from dowse.predict.learning.statistics import Statistics
from dowse.predict.memory import Joined
from dowse.predict.traces.evidence import composite
from dowse.predict.traces.people import People
from dowse.predict.traces.strategy import parts_told

__all__ = ["KIND_OF_BOTH", "Combined"]

KIND_OF_BOTH = "combined: "
"""What its records of candidates mean, followed by what those of either part do."""

Floats = NDArray[np.float64]
Parts = dict[str, tuple[float, float]]
_LAST = -1e6
"""The priority of what was not taken up: below any sum of logs."""
_SAME = 1e-6
_LATELY = 256  # candidates of which a part was known


class _Usual:
    """The middle of the latest numbers."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque(maxlen=_LATELY)
        self.middle = 0.0

    def see(self, numbers: Floats) -> None:
        if len(numbers):
            self._latest.extend(numbers.tolist())
            self.middle = float(np.median(self._latest))

    def state(self) -> list[float]:
        return list(self._latest)

    def restore(self, state: list[float]) -> None:
        self._latest.clear()
        self.see(np.array(revived(tuple[float, ...], state), np.float64))


class Combined:
    """What people went to and what pages link to, by all that either tells."""

    name = "combined"
    predicts_value = False  # logs are an order
    learns_words = True
    wants_all_terms = True

    def __init__(self, people: People, links: InterestRatios, *, robust: bool, weight: float = 1.0) -> None:
        """Both parts in the same form; ``weight`` is that of the people."""
        if not 0 <= weight < float("inf"):
            raise TopicError(f"people = {weight:g} is no weight: it is 0 or above")
        self._people, self._links, self._robust, self._weight = people, links, robust, weight
        self._usual_people, self._usual_links = _Usual(), _Usual()
        self.memory = Joined(f"{KIND_OF_BOTH}{people.memory.kind}; {links.memory.kind}", people.memory, links.memory)

    # -- learning ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.judged(page)
        self._people.met(links.ids, links.urls)
        of_links, ids = self._links.rank(page, links), links.ids.tolist()
        if self._robust:
            self._usual_links.see(of_links)
            self._usual_people.see(self._people.logs([id_ for id_ in ids if self._people.went(id_)]).sum(axis=1))
        return self._values(ids, of_links)

    def propose(self, page: SourcePage) -> Sequence[str]:
        return self._people.propose(page.id)

    def rank_proposed(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.met(links.ids, links.urls, proposed=True)
        return self._valued(links.ids.tolist())

    # -- values --------------------------------------------------------------------------------------------------

    def _taken_up(self, candidate: int) -> bool:
        return self._robust or self._people.was_proposed(candidate) or self._links.satisfying_parents(candidate) > 0

    def _values(self, ids: Sequence[int], of_links: Floats) -> Floats:
        """Of candidates whose links say so much (0 where no page links there)."""
        there = np.array([self._people.went(id_) for id_ in ids], bool)
        linked = np.array([self._links.has_parents(id_) for id_ in ids], bool)
        people = np.where(there, self._people.logs(ids).sum(axis=1), self._usual_people.middle)
        of_links = np.where(linked, of_links, self._usual_links.middle)
        values = np.maximum(composite(people, of_links, self._weight), _LAST)
        return np.where(np.array([self._taken_up(id_) for id_ in ids], bool), values, _LAST)

    def _valued(self, ids: Sequence[int]) -> Floats:
        return self._values(ids, np.array([self._of_links(id_) for id_ in ids], np.float64))

    def _of_links(self, candidate: int) -> float:
        return self._links.value(candidate) if self._links.has_parents(candidate) else 0.0

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
        if not self._taken_up(candidate):
            return _LAST
        return max(_LAST, _sum(self._parts(candidate)))

    def _parts(self, candidate: int) -> Parts:
        """The logs of its evidence by what is known now, each with its weight."""
        if self._people.went(candidate):
            parts = parts_told(self._people.now(candidate), self._weight)
        else:
            parts = {"in no trace: what is usual": (self._usual_people.middle, self._weight)}
        if self._links.has_parents(candidate):
            return parts | self._links.parts(candidate)
        return parts | {"no page links there: what is usual": (self._usual_links.middle, 1.0)}

    def explain(self, candidate: int, priority: float) -> Explanation:
        predicted = self.refresh(candidate)
        if predicted is None:
            return Explanation(priority, {"in no trace, and no page links there": (1.0, 0.0)})
        parts = self._parts(candidate)
        if not self._taken_up(candidate):
            parts["nobody led there, nor a page on the topic"] = (_LAST - _sum(parts), 1.0)
        if abs(priority - predicted) > _SAME:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        told = self._people.told(candidate) if self._people.went(candidate) else {}
        return Explanation(priority, {"predicted": (predicted, 0.0), **parts, **told})

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        usual = [self._usual_people.state(), self._usual_links.state()]
        return {"people": self._people.state(), "links": self._links.state(), "usual": usual}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            self._people.restore(state["people"])
            self._links.restore(state["links"])
            of_people, of_links = state["usual"]
            self._usual_people.restore(of_people)
            self._usual_links.restore(of_links)

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        return replace(self._links.statistics(hosts, bags), people=self._people.readers())


def _sum(parts: Parts) -> float:
    return sum(value * weight for value, weight in parts.values())
