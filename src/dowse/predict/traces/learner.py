"""``learning`` with people's traces: what they went to is further evidence, in the mix that is learned while crawling.

Each of the three kinds of evidence comes as a difference, ``P(I - 1)``: how much more than usual a page is worth by it.
So it stands beside what siblings, tokens and sites say, and a regression weighs all of them by what they turn out to
tell. What people read around a judged page is proposed; where no page links to that, its address and its people speak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning import Learner, Statistics
from dowse.predict.memory import Joined
from dowse.predict.traces.evidence import NAMES
from dowse.predict.traces.people import People

__all__ = ["AmongPeople", "Shares"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_PRIOR = 0.2


class Shares:
    """Implements :class:`dowse.predict.learning.learner.Further`."""

    names = tuple(f"people: {name}" for name in NAMES)
    priors = [_PRIOR] * len(NAMES)

    def __init__(self, people: People) -> None:
        self._people = people

    def known(self, ids: Ints) -> NDArray[np.bool_]:
        return np.array([self._people.was_proposed(id_) for id_ in ids.tolist()], bool)

    def columns(self, ids: Ints, usual: float) -> Floats:
        return np.asarray(usual * np.expm1(self._people.logs(ids.tolist())))

    def now(self, id_: int, usual: float) -> Floats:
        return np.asarray(usual * np.expm1(self._people.now(id_)))

    def judged(self, page: SourcePage, links: LinkView) -> None:
        self._people.judged(page)
        self._people.met(links.ids, links.urls)


class AmongPeople:
    """What pages, words, URLs, siblings and people seen so far tell of a link, in a mix learned while crawling."""

    name = "learning"
    predicts_value = True
    learns_words = True

    def __init__(self, people: People, learner: Learner) -> None:
        """The learner has the people as its further evidence."""
        self._people, self._learner = people, learner
        self.memory = Joined(f"{learner.memory.kind}; {people.memory.kind}", people.memory, learner.memory)
        self.failed, self.revalue = learner.failed, learner.revalue

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        return self._learner.rank(page, links)

    def rank_again(self, page: SourcePage, links: LinkView) -> Floats:
        return self._learner.rank_again(page, links)

    def propose(self, page: SourcePage) -> Sequence[str]:
        return self._people.propose(page.id)

    def rank_proposed(self, page: SourcePage, links: LinkView) -> Floats:
        self._people.met(links.ids, links.urls, proposed=True)
        return self._learner.rank_named(links)

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        by_people = self._people.sweep(is_waiting)
        revised = self._learner.revise(is_waiting)
        if revised is None:
            return self._learner.value(np.array(by_people, np.int64)) if by_people else None
        more = sorted(set(by_people).difference(revised[0].tolist()))
        ids, values = self._learner.value(np.array(more, np.int64))
        return np.concatenate((revised[0], ids)), np.concatenate((revised[1], values))

    def refresh(self, candidate: int) -> float | None:
        return self._learner.refresh(candidate)

    def explain(self, candidate: int, priority: float) -> Explanation:
        why = self._learner.explain(candidate, priority)
        told = self._people.told(candidate) if self._people.went(candidate) else {}
        return Explanation(why.priority, {**why.features, **told}, why.version)

    def state(self) -> dict[str, Any]:
        return {"people": self._people.state(), **self._learner.state()}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            self._people.restore(state["people"])
            self._learner.restore(state)

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        return replace(self._learner.statistics(hosts, bags), people=self._people.readers())
