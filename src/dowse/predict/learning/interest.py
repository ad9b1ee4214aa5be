"""``learning`` as it was published: ``wc log Ic + wu log Iu + wl log Il + ws log Is`` (METHODS, section 4).

Aggarwal, Al-Garawi and Yu, Intelligent crawling on the world wide web with arbitrary predicates (2001): what a URL's
parents say (content words), its own address (tokens), links between judged pages, and its siblings. Everything is
counted literally, URL by URL, so it is for comparing in the lab; the crawl's own form is :mod:`~.learner`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning.book import Book, Entry
from dowse.predict.learning.link_tokens import BUCKETS, url_hashes
from dowse.predict.learning.ratios import Counted, Pairs
from dowse.predict.rerank import Sweep

__all__ = ["InterestRatios"]

Floats = NDArray[np.float64]
_MASK = np.uint32(BUCKETS - 1)
_AT_ONCE = 64
_MOST_SOURCES = 8  # that vote, in the robust form
_NAMES = ("content", "url", "links", "siblings")


class InterestRatios:
    """The weighted sum of the logs of four interest ratios."""

    name = "learning"
    predicts_value = False  # logs are an order
    learns_words = True

    def __init__(self, weights: tuple[float, float, float, float], *, robust: bool, exact: bool = False) -> None:
        if min(weights) < 0 or not max(weights) > 0:
            raise TopicError("content, url, links and siblings are weights: none below 0, and one above")
        self.memory = Book("interest ratios")
        self._weights = weights
        self._robust = robust
        self._exact = exact
        self._start()

    def _start(self) -> None:
        self._pages, self._satisfying = 0, 0
        self._words = np.zeros((BUCKETS, 2), np.int32)  # pages that have it, and those of them that satisfy
        self._tokens = np.zeros((BUCKETS, 2), np.int32)
        self._pairs = Pairs()
        self._children: dict[int, list[int]] = {}  # page -> its targets that were judged
        self._sweep = Sweep(_AT_ONCE)
        self._of_words: dict[tuple[int, ...], float] = {}

    # -- counting ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        entry = self.memory.at(page.id)
        entry.site, entry.ordinal, entry.satisfies = page.site, self._pages, page.relevant
        if page.bag is not None:
            entry.words = np.unique(page.bag.terms & _MASK)
        self._judged(page.id, entry)
        for row, id_ in enumerate(links.ids.tolist()):
            target = self.memory.at(id_)
            target.parents.append(page.id)
            target.site = int(links.sites[row])
            if not len(target.tokens) and row < len(links.urls):
                target.tokens = url_hashes(links.urls[row])
        for id_ in links.others.tolist():
            target = self.memory.at(id_)
            target.parents.append(page.id)
            if target.judged:
                self._linked(page.id, id_)
        self._of_words.clear()
        self._sweep.begin(self.memory.count)
        return np.array([self._value(id_) for id_ in links.ids.tolist()], np.float64)

    def _judged(self, id_: int, entry: Entry) -> None:
        satisfies = int(entry.satisfies)
        self._pages += 1
        self._satisfying += satisfies
        for table, found in ((self._words, entry.words), (self._tokens, np.unique(entry.tokens & _MASK))):
            table[found, 0] += 1
            table[found, 1] += satisfies
        for parent in entry.parents:
            self._linked(parent, id_)

    def _linked(self, source: int, target: int) -> None:
        """A judged page links to a judged page."""
        entries = self.memory.entries
        self._pairs.add(entries[source].satisfies, entries[target].satisfies)
        self._children.setdefault(source, []).append(target)

    # -- values --------------------------------------------------------------------------------------------------

    def _logs(self, id_: int) -> tuple[float, float, float, float]:
        entry = self.memory.entries.get(id_, Entry())
        counted = Counted(self._pages, self._satisfying, self._robust)
        return (
            self._content(tuple(entry.parents), counted), _total(self._tokens, entry.tokens & _MASK, counted),
            self._links(entry, counted), self._siblings(id_, entry, counted),
        )  # fmt: skip

    def _content(self, parents: tuple[int, ...], counted: Counted) -> float:
        """Words present in any page that links there."""
        if parents not in self._of_words:
            entries = self.memory.entries
            words = [entries[parent].words for parent in parents]
            self._of_words[parents] = _total(self._words, np.concatenate(words), counted) if words else 0.0
        return self._of_words[parents]

    def _links(self, entry: Entry, counted: Counted) -> float:
        parents = [self.memory.entries[parent] for parent in entry.parents]
        if not self._robust:
            return self._pairs.log(sum(parent.satisfies for parent in parents), len(parents), counted)
        by_site: dict[int, list[bool]] = {}  # one vote each
        for parent in parents:
            by_site.setdefault(parent.site, []).append(parent.satisfies)
        votes = [sum(found) / len(found) for found in by_site.values()][:_MOST_SOURCES]
        return self._pairs.log(sum(votes), len(votes), counted)

    def _siblings(self, id_: int, entry: Entry, counted: Counted) -> float:
        """The paper counts a sibling for each page it shares; the robust form once."""
        found = [child for parent in entry.parents for child in self._children.get(parent, ()) if child != id_]
        if self._robust:
            found = list(dict.fromkeys(found))
        return counted.siblings(sum(self.memory.entries[child].satisfies for child in found), len(found))

    def _value(self, id_: int) -> float:
        return sum(weight * log for weight, log in zip(self._weights, self._logs(id_), strict=True))

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        if self._exact:
            ids = np.array(sorted(self.memory.entries), np.int64)
            ids = ids[is_waiting(ids)] if len(ids) else ids
        else:
            some = self._sweep.some(self.memory.count, is_waiting)
            if some is None:
                return None
            ids = some
        entries = self.memory.entries
        ids = np.array([id_ for id_ in ids.tolist() if id_ in entries and entries[id_].parents], np.int64)
        return ids, np.array([self._value(id_) for id_ in ids.tolist()], np.float64)

    def refresh(self, candidate: int) -> float | None:
        entry = self.memory.entries.get(candidate)
        return self._value(candidate) if entry is not None and entry.parents else None

    def explain(self, candidate: int, priority: float) -> Explanation:
        logs = self._logs(candidate)
        parts = {
            f"log interest ratio: {name}": (log, weight)
            for name, log, weight in zip(_NAMES, logs, self._weights, strict=True)
        }
        predicted = self._value(candidate)
        if abs(priority - predicted) > 1e-6:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        return Explanation(priority, {"predicted": (predicted, 0.0), **parts})

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"sweep": self._sweep.state()}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        self._start()
        self._sweep.restore(state["sweep"])
        judged = sorted((entry.ordinal, id_) for id_, entry in self.memory.entries.items() if entry.judged)
        for _, id_ in judged:
            entry = self.memory.entries[id_]
            parents, entry.parents = entry.parents, []
            self._judged(id_, entry)
            entry.parents = parents
        for _, id_ in judged:
            for parent in self.memory.entries[id_].parents:
                self._linked(parent, id_)


def _total(table: NDArray[np.int32], found: NDArray[np.uint32], counted: Counted) -> float:
    counts = table[np.unique(found)].astype(np.float64)
    return float(counted.logs(counts[:, 1], counts[:, 0]).sum())
