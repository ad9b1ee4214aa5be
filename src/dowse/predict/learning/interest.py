"""``learning`` as it was published: ``wc log Ic + wu log Iu + wl log Il + ws log Is`` (METHODS, section 4).

Aggarwal, Al-Garawi and Yu, Intelligent crawling on the world wide web with arbitrary predicates (2001). The events, of
a page that was judged or may be fetched:

* content: a word stands in some judged page *that links to it* (equation 5);
* tokens: its own address has the token. Published, an address is split at dots and slashes;
* links: ``m`` of the ``k`` judged pages that link to it satisfy;
* siblings: pages that some page links to as well as to it.

Everything is counted literally, over all words and all links that are known by now, so it is for comparing in the lab;
the crawl's own form is :mod:`~.learner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Bag
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.learning.book import Book, Entry
from dowse.predict.learning.events import Events
from dowse.predict.learning.link_tokens import published_hashes, url_hashes
from dowse.predict.learning.occurrences import Occurrences, Places
from dowse.predict.learning.ratios import SIGNIFICANT, Counted, Pairs
from dowse.predict.learning.reuse import REUSE
from dowse.predict.learning.statistics import Statistics
from dowse.predict.rerank import Sweep

__all__ = ["KIND_OF_RATIOS", "InterestRatios"]

Floats = NDArray[np.float64]
_AT_ONCE = 64
_MOST_SOURCES = 8  # that vote, in the robust form
_NAMES = ("content", "url", "links", "siblings")
FORMS = ("paper", "logs")  # as published, and robust
_WANTED = ("form=paper", "combine=logs")
KIND_OF_RATIOS = "interest ratios, "
"""What its records of candidates mean, followed by the form."""


class InterestRatios:
    """The weighted sum of the logs of four interest ratios."""

    name = "learning"
    predicts_value = False  # logs are an order
    learns_words = True
    wants_all_terms = True

    def __init__(
        self, weights: tuple[float, float, float, float], *, robust: bool, exact: bool = False,
        significance: float = SIGNIFICANT, before: Statistics | None = None, reuse: float = REUSE,
    ) -> None:  # fmt: skip
        """``before`` is what earlier crawls of the same form have counted; it weighs as ``reuse`` pages at the most."""
        if min(weights) < 0 or not max(weights) > 0:
            raise TopicError("content, url, links and siblings are weights: none below 0, and one above")
        if not 0 <= significance < float("inf"):
            raise TopicError(f"t = {significance:g} is no number of standard deviations: it is 0 or above")
        if not 0 <= reuse < float("inf"):
            raise TopicError(f"reuse = {reuse:g} is no number of pages: it is 0 or above")
        self.form = FORMS[robust]
        if before is not None and self.form not in before.events:
            raise TopicError(
                f"{_WANTED[robust]} starts from what a crawl in that form has counted: learn from such a crawl, or"
                " leave out learn_from"
            )
        self._significance = significance
        self._before = Events() if before is None else before.events[self.form].weighing(reuse)
        self._hosts_before = {} if before is None else before.weighing(reuse).hosts
        self.memory = Book(f"{KIND_OF_RATIOS}{self.form}")
        self._weights = weights
        self._robust = robust
        self._exact = exact
        self._start()

    def _start(self) -> None:
        before = self._before
        self._judged_here = 0
        self._pages, self._satisfying = before.pages, before.satisfying
        self._words, self._tokens = Occurrences(), Occurrences()
        self._words.begin(before.words)
        self._tokens.begin(before.tokens)
        self._words_on: dict[int, Places] = {}  # page -> its words
        self._pairs = Pairs(*before.pairs)
        self._children: dict[int, list[int]] = {}  # page -> its targets that were judged
        self._sweep = Sweep(_AT_ONCE)
        self._logs_by_word: Floats | None = None  # after the last page

    # -- counting ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        entry = self.memory.at(page.id)
        entry.site, entry.ordinal, entry.satisfies = page.site, self._judged_here, page.relevant
        if page.bag is not None:
            entry.words = page.bag.terms
        if page.url is not None:
            entry.tokens, entry.borrowed = self._hashes(page.url), False
        self._judged(page.id, entry)
        for row, id_ in enumerate(links.ids.tolist()):
            target = self.memory.at(id_)
            target.parents.append(page.id)
            target.site = int(links.sites[row])
            if (target.borrowed or not len(target.tokens)) and row < len(links.urls):
                target.tokens, target.borrowed = self._hashes(links.urls[row]), False
        for id_ in map(self.memory.end, links.others.tolist()):
            target = self.memory.at(id_)
            if id_ == page.id or target.parents[-1:] == [page.id]:  # the page named it by another URL already
                continue
            if target.judged:
                self._linked(page.id, id_)
                new = np.setdiff1d(self._words_on[page.id], self._named(target.parents), assume_unique=True)
                self._words.count(new, target.satisfies)
            target.parents.append(page.id)
        self._logs_by_word = None
        self._sweep.begin(self.memory.count)
        return np.array([self.value(id_) for id_ in links.ids.tolist()], np.float64)

    def _judged(self, id_: int, entry: Entry) -> None:
        self._judged_here += 1
        self._pages += 1
        self._satisfying += entry.satisfies
        self._words_on[id_] = self._words.places(entry.words)
        self._words.count(self._named(entry.parents), entry.satisfies)
        self._tokens.count(self._tokens.places(entry.tokens), entry.satisfies)
        for parent in entry.parents:
            self._linked(parent, id_)

    def _hashes(self, url: str) -> NDArray[np.uint32]:
        return url_hashes(url) if self._robust else published_hashes(url)

    def _named(self, pages: list[int]) -> Places:
        """The words of any of these pages."""
        return self._words.union([self._words_on[page] for page in pages])

    def _linked(self, source: int, target: int) -> None:
        """A judged page links to a judged page."""
        entries = self.memory.entries
        self._pairs.add(entries[source].satisfies, entries[target].satisfies)
        self._children.setdefault(source, []).append(target)

    # -- values --------------------------------------------------------------------------------------------------

    def _logs(self, id_: int) -> tuple[float, float, float, float]:
        entry = self.memory.entries.get(id_, Entry())
        counted = Counted(self._pages, self._satisfying, self._robust, self._significance)
        return (
            self._content(entry, counted), self._of_tokens(entry, counted),
            self._links(entry, counted), self._siblings(id_, entry, counted),
        )  # fmt: skip

    def _content(self, entry: Entry, counted: Counted) -> float:
        """Words of any page that links there (equation 7)."""
        if self._logs_by_word is None:
            pages, satisfying = self._words.table()
            self._logs_by_word = counted.logs(satisfying, pages)
        return float(self._logs_by_word[self._named(entry.parents)].sum())

    def _of_tokens(self, entry: Entry, counted: Counted) -> float:
        pages, satisfying = self._tokens.counts(entry.tokens)
        return float(counted.logs(satisfying, pages).sum())

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
        """A page that several pages link to beside it is one sibling."""
        found = {child for parent in entry.parents for child in self._children.get(parent, ())} - {id_}
        return counted.siblings(sum(self.memory.entries[child].satisfies for child in found), len(found))

    def value(self, id_: int) -> float:
        """The weighted sum of its logs, by what is known now."""
        return sum(weight * log for weight, log in zip(self._weights, self._logs(id_), strict=True))

    def parts(self, id_: int) -> dict[str, tuple[float, float]]:
        """For people to read: the logs, with their weights."""
        told = zip(_NAMES, self._logs(id_), self._weights, strict=True)
        return {f"log interest ratio: {name}": (log, weight) for name, log, weight in told}

    def has_parents(self, id_: int) -> bool:
        """Does a judged page link there?"""
        entry = self.memory.entries.get(id_)
        return entry is not None and bool(entry.parents)

    def satisfying_parents(self, id_: int) -> int:
        """How many judged pages that satisfy link there."""
        entry = self.memory.entries.get(id_)
        return 0 if entry is None else sum(self.memory.entries[parent].satisfies for parent in entry.parents)

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
        return ids, np.array([self.value(id_) for id_ in ids.tolist()], np.float64)

    def refresh(self, candidate: int) -> float | None:
        entry = self.memory.entries.get(candidate)
        return self.value(candidate) if entry is not None and entry.parents else None

    def explain(self, candidate: int, priority: float) -> Explanation:
        parts = self.parts(candidate)
        predicted = self.value(candidate)
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
        judged = {id_: entry for id_, entry in self.memory.entries.items() if entry.judged}
        for id_, entry in judged.items():  # first all, since a page may have been linked to by one judged after it
            self._words_on[id_] = self._words.places(entry.words)
        for id_, entry in judged.items():
            self._judged(id_, entry)

    # -- over crawls ---------------------------------------------------------------------------------------------

    def statistics(
        self, hosts: Mapping[int, str] | None = None, bags: Mapping[int, Bag] | None = None
    ) -> Statistics:  # fmt: skip
        """What was counted, with what it started from. The words of all pages are known: ``bags`` are not needed."""
        names, by_host = hosts or {}, dict(self._hosts_before)
        for entry in self.memory.entries.values():
            host = names.get(entry.site) if entry.judged else None
            if host is not None:
                pages, satisfying = by_host.get(host, (0.0, 0.0))
                by_host[host] = (pages + 1, satisfying + entry.satisfies)
        words, tokens, f = self._words.sums(), self._tokens.sums(), self._pairs
        events = Events(self._pages, self._satisfying, words, tokens, (f.f1, f.f2, f.f3, f.f4))
        return Statistics(self._pages, self._satisfying, hosts=by_host, events={self.form: events})
