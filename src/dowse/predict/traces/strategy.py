"""The crawl order ``traces``: people lead it (Aggarwal, section 3.1; METHODS, section 4, collaborative).

A judged page teaches what its users' accesses are worth, and leads to its *descendants*: what its users read within
``n`` accesses of it. Those are proposed to the crawl (:class:`~dowse.model.strategy.Proposes`); the engine treats them
as it does links. A candidate's priority is ``log I_C``, the sum of the logs of the three kinds of evidence. Links that
lead to a page in no trace come after everything that people went to, in order of discovery.

What is stored of a candidate is its number in the traces, and of a judged page its verdict and its words. A stop counts
all of it anew, in the order in which the pages were judged.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.model.traces import Traces
from dowse.model.url import fingerprint
from dowse.predict.traces.evidence import NAMES, Evidence
from dowse.predict.traces.reach import Reach

__all__ = ["ByPeople"]

Floats = NDArray[np.float64]
_LAST = -1e6
"""The priority of what nobody went to: below any sum of logs."""
_MOST_PROPOSED = 20  # a page; those that were read around it most often
_WORDS = 240  # of a judged page that are kept in the published form, those it has most often
_USERS_TOLD = 3
_HEAD = struct.Struct("<qiBH")  # number, ordinal, flags, how many words
_SATISFIES = 1


_NO_WORDS = np.zeros(0, np.uint32)


@dataclass(slots=True)
class _Mark:
    """What is known of one candidate."""

    page: int = -1  # its number in the traces
    ordinal: int = -1  # how many pages were judged before it; -1: it was not judged
    satisfies: bool = False
    words: NDArray[np.uint32] = field(default_factory=lambda: _NO_WORDS)

    def packed(self) -> bytes:
        flags = _SATISFIES * self.satisfies
        return _HEAD.pack(self.page, self.ordinal, flags, len(self.words)) + self.words.astype("<u4").tobytes()

    @staticmethod
    def unpacked(row: bytes) -> _Mark:
        page, ordinal, flags, count = _HEAD.unpack_from(row)
        return _Mark(page, ordinal, bool(flags & _SATISFIES), np.frombuffer(row, "<u4", count, _HEAD.size))


class _Marks:
    """Implements :class:`dowse.model.strategy.Memory`."""

    def __init__(self, kind: str, pages: int) -> None:
        self.kind = kind
        self.known: dict[int, _Mark] = {}
        self._pages = pages
        self._changed: set[int] = set()

    def put(self, id_: int, mark: _Mark) -> None:
        self.known[id_] = mark
        self._changed.add(id_)

    def page(self, id_: int) -> int:
        """A candidate's number in the traces, -1 where it is in none."""
        mark = self.known.get(id_)
        return -1 if mark is None else mark.page

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = sorted(self._changed)
        self._changed.clear()
        return ids, [self.known[id_].packed() for id_ in ids]

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        for id_, row in enumerate(rows, first):
            if row is not None and len(row) >= _HEAD.size:
                mark = _Mark.unpacked(row)
                if not -1 <= mark.page < self._pages:
                    raise ValueError("what is known of a candidate names a page that is in no trace")
                self.known[id_] = mark

    def moved(self, source: int, target: int) -> None:
        """People went to the one and came to the other."""
        self.put(target, _Mark(self.page(source)))


class ByPeople:
    """Pages that people went to who also went to pages on the topic, from access logs."""

    name = "traces"
    predicts_value = False  # logs are an order
    learns_words = True

    def __init__(self, traces: Traces, *, robust: bool, significance: float, reach: Reach | None = None) -> None:
        self._traces, self._robust, self._significance, self._reach = traces, robust, significance, reach
        self._words = min(_WORDS, (reach or Reach()).words) if robust else _WORDS
        form = "robust" if robust else "paper"
        self.memory = _Marks(f"people, {form}, {traces.mark}", len(traces.fingerprints))
        self._start()

    def _start(self) -> None:
        self._evidence = Evidence(self._traces, robust=self._robust, significance=self._significance, reach=self._reach)
        self._judged = 0

    # -- learning ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        number = self.memory.page(page.id)
        if number < 0 and page.url is not None:
            number = self._traces.number(page.url)
        bag = (page.bag or Bag()).most(self._words)
        mark = _Mark(number, self._judged, page.relevant, bag.terms if number >= 0 else _NO_WORDS)
        self.memory.put(page.id, mark)
        self._learn(mark, bag)
        return self.rank_proposed(page, links)

    def _learn(self, mark: _Mark, bag: Bag) -> None:
        self._evidence.judged(mark.page, mark.satisfies, bag)
        self._judged += 1

    def propose(self, page: SourcePage) -> Sequence[str]:
        """What its people read around a page, most often read first."""
        number = self.memory.page(page.id)
        if number < 0:
            return ()
        near, times = np.unique(self._evidence.locality.near(number), return_counts=True)
        order = np.argsort(-times, kind="stable")[: _MOST_PROPOSED + 1]
        return [self._traces.urls[row] for row in near[order].tolist() if row != number][:_MOST_PROPOSED]

    def rank_proposed(self, page: SourcePage, links: LinkView) -> Floats:
        ids = links.ids.tolist()
        numbers = np.array([self.memory.page(id_) for id_ in ids], np.int64)
        if len(links.urls) == len(ids):
            marks = np.fromiter(map(fingerprint, links.urls), np.uint64, len(ids))
            numbers = np.where(numbers < 0, self._traces.numbers(marks), numbers)
        for id_, number in zip(ids, numbers.tolist(), strict=True):
            if number >= 0 and self.memory.page(id_) != number:
                self.memory.put(id_, _Mark(number))
        return self._values(numbers)

    # -- values --------------------------------------------------------------------------------------------------

    def _values(self, pages: NDArray[np.int64]) -> Floats:
        return np.where(pages >= 0, np.maximum(self._evidence.logs(pages).sum(axis=1), _LAST), _LAST)

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        return None  # a page proposes what it touches

    def refresh(self, candidate: int) -> float | None:
        number = self.memory.page(candidate)
        return float(self._values(np.array([number]))[0]) if number >= 0 else None

    def explain(self, candidate: int, priority: float) -> Explanation:
        number = self.memory.page(candidate)
        if number < 0:
            return Explanation(priority, {"in no trace": (1.0, 0.0)})
        pages = np.array([number])
        logs = self._evidence.logs(pages)[0].tolist()
        parts = {f"log interest ratio: {name}": (log, 1.0) for name, log in zip(NAMES, logs, strict=True)}
        predicted = float(self._values(pages)[0])
        if abs(priority - predicted) > 1e-6:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        return Explanation(priority, {**parts, **self._people(number)})

    def _people(self, number: int) -> dict[str, tuple[float, float]]:
        """Who went there: how many, and the strongest, by what nobody can tell them from but the owner of the key."""
        users = self._evidence.users(number)
        told = {
            "people who went there": (float(len(users)), 0.0),
            "was read near a page on the topic": (float(self._evidence.locality.inside[number]), 0.0),
        }
        strongest = self._evidence.affinities.strongest(users, self._evidence.counted)
        for user, judged, satisfying, log in strongest[:_USERS_TOLD]:
            told[f"log interest ratio of user {user:016x} ({satisfying:.0f} of {judged:.0f} pages)"] = (log, 0.0)
        return told

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"judged": self._judged}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        self._start()
        judged = [mark for mark in self.memory.known.values() if mark.ordinal >= 0]
        for mark in sorted(judged, key=lambda mark: mark.ordinal):
            self._learn(mark, Bag(mark.words, np.ones(len(mark.words), np.float32)))
