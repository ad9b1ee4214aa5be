"""What people's traces say of the candidates of a crawl: the part of a strategy that goes by them.

A judged page teaches what its users' accesses are worth, and leads to its *descendants*: what its users read within
``n`` accesses of it. The logs of a candidate's evidence are worked out when it is met or proposed, and again, a few
with each judged page, round and round, since what is known of its users changes with every page.

What is stored of a candidate is its number in the traces with those logs, and of a judged page its verdict and its
words. A stop counts all of it anew, in the order in which the pages were judged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Bag
from dowse.model.revive import revived
from dowse.model.strategy import IsWaiting, SourcePage
from dowse.model.traces import Traces
from dowse.model.url import fingerprint
from dowse.model.words import word_hash
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.reuse import REUSE
from dowse.predict.learning.statistics import Statistics
from dowse.predict.traces.evidence import NAMES, Evidence
from dowse.predict.traces.marks import KIND_OF_PEOPLE, Mark, Marks
from dowse.predict.traces.reach import Reach

__all__ = ["People"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_MOST_PROPOSED = 20  # a page; those that were read around it most often
_WORDS = 240  # of a judged page that are kept in the published form, those it has most often
_USERS_TOLD = 3
_MENTIONED = 16  # known candidates that are valued anew when a page mentions them; others wait for the sweep
_SWEPT, _LOOKED_AT = 4, 64  # with each judged page
_WORDS_TOLD = 3
_LOWER, _ALWAYS = 0xFFFFFFFF, 1e6
_NO_WORDS = np.zeros(0, np.uint32)


def _characteristics(page: SourcePage, most: int) -> Bag:
    """What stands for a page in signatures: the words that it has most often, and its categories before all."""
    words = page.bag or Bag()
    named = np.unique(np.array([word_hash(name) & _LOWER for name in page.categories][:most], np.uint32))
    if not len(named):
        return words.most(most)
    words = words.most(most - len(named))
    terms = np.union1d(words.terms, named)
    counts = np.full(len(terms), _ALWAYS, np.float32)
    counts[np.searchsorted(terms, words.terms)] = words.counts
    counts[np.searchsorted(terms, named)] = _ALWAYS
    return Bag(terms, counts)


class People:
    """Which candidates people went to, and what that tells."""

    def __init__(
        self, traces: Traces, *, robust: bool, significance: float, reach: Reach | None = None,
        before: Statistics | None = None, reuse: float = REUSE,
    ) -> None:  # fmt: skip
        """Whom earlier crawls met (``before``) is known again where the key is that of these traces. What was counted
        then weighs as ``reuse`` pages at the most."""
        if not 0 <= reuse < float("inf"):
            raise TopicError(f"reuse = {reuse:g} is no number of pages: it is 0 or above")
        self._traces, self._robust, self._significance, self._reach = traces, robust, significance, reach
        self._before = {} if before is None else before.people
        self._known = self._before.get(traces.key, Readers()).weighing(reuse)
        self._words = min(_WORDS, (reach or Reach()).words) if robust else _WORDS
        self._names: dict[int, str] = {}  # of categories
        form = "robust" if robust else "paper"
        self.memory = Marks(f"{KIND_OF_PEOPLE}{form}, {traces.mark}", len(traces.fingerprints))
        self._start()

    def _start(self) -> None:
        self.evidence = Evidence(
            self._traces, robust=self._robust, significance=self._significance, reach=self._reach, before=self._known
        )
        self._judged = 0
        self._at = 0  # the sweep goes on with this one

    # -- learning ------------------------------------------------------------------------------------------------

    def judged(self, page: SourcePage) -> None:
        """A page was judged, for the first time."""
        number = self.memory.page(page.id)
        if number < 0 and page.url is not None:
            number = self._traces.number(page.url)
        bag = _characteristics(page, self._words)
        self.memory.put(
            page.id, Mark(number, self._judged, page.relevant, words=bag.terms if number >= 0 else _NO_WORDS)
        )
        self._names |= {word_hash(name) & _LOWER: name for name in page.categories}
        self._learn(number, page.relevant, bag)

    def _learn(self, number: int, satisfies: bool, bag: Bag) -> None:
        self.evidence.judged(number, satisfies, bag)
        self._judged += 1

    def propose(self, page: int) -> list[str]:
        """What its people read around a page, most often read first."""
        number = self.memory.page(page)
        if number < 0:
            return []
        near, times = self.evidence.locality.near(number)
        order = np.argsort(-times, kind="stable")[: _MOST_PROPOSED + 1]
        return [self._traces.urls[row] for row in near[order].tolist() if row != number][:_MOST_PROPOSED]

    # -- candidates ----------------------------------------------------------------------------------------------

    def met(self, ids: Ints, urls: Sequence[str], *, proposed: bool = False) -> None:
        """A page links to these, or people went there who went to the page (``proposed``). ``urls``: one each, or none
        where they are not told."""
        known = self.memory.known
        missing = [row for row, id_ in enumerate(ids.tolist()) if id_ not in known] if len(urls) == len(ids) else []
        new: list[int] = []
        if missing:
            marks = np.fromiter((fingerprint(urls[row]) for row in missing), np.uint64, len(missing))
            for row, number in zip(missing, self._traces.numbers(marks).tolist(), strict=True):
                if number >= 0:
                    id_ = int(ids[row])
                    self.memory.put(id_, Mark(number, proposed=proposed))
                    new.append(id_)
        fresh, seen = set(new), [(id_, known.get(id_)) for id_ in ids.tolist()]
        old = [id_ for id_, mark in seen if mark is not None and mark.page >= 0 and id_ not in fresh]
        if proposed:
            for id_ in old:
                known[id_].proposed = True
        self._value([*new, *(old if proposed else old[:_MENTIONED])])

    def _value(self, ids: Sequence[int]) -> None:
        """Work out the logs of candidates by what is known now."""
        if not ids:
            return
        known = self.memory.known
        self.memory.told(ids, self.evidence.logs(np.array([known[id_].page for id_ in ids], np.int64)))

    def sweep(self, is_waiting: IsWaiting) -> list[int]:
        """The next few that wait, valued anew."""
        there = self.memory.there
        start = bisect_left(there, self._at)
        some = there[start : start + _LOOKED_AT]
        waiting = np.flatnonzero(is_waiting(np.array(some, np.int64)))[:_SWEPT].tolist() if some else []
        if len(waiting) == _SWEPT:
            self._at = some[waiting[-1]] + 1
        else:
            self._at = some[-1] + 1 if start + _LOOKED_AT < len(there) else 0
        found = [some[place] for place in waiting]
        self._value(found)
        return found

    # -- looking -------------------------------------------------------------------------------------------------

    def went(self, candidate: int) -> bool:
        """Did anybody go there?"""
        return self.memory.page(candidate) >= 0

    def was_proposed(self, candidate: int) -> bool:
        mark = self.memory.known.get(candidate)
        return mark is not None and mark.proposed

    def logs(self, ids: Sequence[int]) -> Floats:
        """The logs of interest ratios as they were last worked out: a row a candidate, a column a kind of evidence
        (:data:`~dowse.predict.traces.evidence.NAMES`)."""
        known = self.memory.known
        nobody = Mark()
        return np.array([known.get(id_, nobody).logs for id_ in ids], np.float64).reshape(-1, len(NAMES))

    def sums(self, ids: Sequence[int], nobody: float) -> Floats:
        """Those of each candidate together; ``nobody`` where nobody went there."""
        known = self.memory.known
        marks = [known.get(id_) for id_ in ids]
        return np.array([nobody if mark is None or mark.page < 0 else fsum(mark.logs) for mark in marks], np.float64)

    def now(self, candidate: int) -> Floats:
        """Those of one candidate by what is known now."""
        return np.asarray(self.evidence.logs(np.array([self.memory.page(candidate)]))[0])

    def told(self, candidate: int) -> dict[str, tuple[float, float]]:
        """For people to read: how many went there, and the strongest of them, by what nobody can tell them from but the
        owner of the key."""
        number = self.memory.page(candidate)
        users = self.evidence.users(number)
        told = {
            "people who went there": (float(len(users)), 0.0),
            "was read near a page on the topic": (float(self.evidence.locality.inside[number]), 0.0),
        }
        strongest = self.evidence.affinities.strongest(users, self.evidence.counted)
        for user, judged, satisfying, log in sorted(strongest, key=lambda one: -abs(one[3]))[:_USERS_TOLD]:
            told[f"log interest ratio of user {user:016x} ({satisfying:.0f} of {judged:.0f} pages)"] = (log, 0.0)
        words = self.evidence.signatures.words(number, users, self.evidence.counted)
        for word, log in sorted(words, key=lambda one: -abs(one[1]))[:_WORDS_TOLD]:
            told[f"log interest ratio of {self._name(word)} in what else they read"] = (log, 0.0)
        return told

    def _name(self, word: int) -> str:
        return self._names.get(word, f"word #{word}")

    # -- over crawls ---------------------------------------------------------------------------------------------

    def readers(self) -> dict[str, Readers]:
        """What was counted of users, by the mark of their key, with what it started from. Traces that tell no key are
        nobody's: nobody could be known again."""
        return {**self._before, self._traces.key: self.evidence.readers} if self._traces.key else dict(self._before)

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"judged": self._judged, "at": self._at, "categories": sorted(self._names.values())}

    def restore(self, state: dict[str, Any]) -> None:
        self._start()
        self._at = revived(int, state["at"])
        self._names = {word_hash(name) & _LOWER: name for name in revived(tuple[str, ...], state["categories"])}
        known = self.memory.known
        for mark in sorted((mark for mark in known.values() if mark.ordinal >= 0), key=lambda mark: mark.ordinal):
            self._learn(mark.page, mark.satisfies, Bag(mark.words, np.ones(len(mark.words), np.float32)))
