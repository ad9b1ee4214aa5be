"""The judge of a running crawl: it gives each page its chance by what it knows so far, and learns from all of them.

What it keeps of the pages is a function of which pages were judged in which order: a sample of them all as by lot,
those nearest to the query, and the latest. So a crawl that is resumed knows what it knew, and needs no more than the
terms of those pages (:meth:`LearnedJudge.wanted`).
"""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.judge.learned.model import Known, Model, learned
from dowse.judge.learned.texts import Floats, Numbering, Text
from dowse.model.judge import LEARNED, Revised, SeenPage
from dowse.model.page import Bag, Reason, Verdict
from dowse.model.strategy import Sample, Subject

__all__ = ["LearnedJudge", "next_fit"]

THRESHOLD = 0.5
_SAMPLE = 800
_NEAREST = 400
_KEPT = 4096  # the latest pages, at least: their worth is told anew when the model changes
_FEWEST = 5  # pages, before there is a model
_SHORTEST = 50.0  # words: of a shorter page a word's share counts as if it had so many


def next_fit(pages: int) -> int:
    """How many pages are known when a model is made, after one was made of so many."""
    return max(_FEWEST, pages * 11 // 10 + 3)


@dataclass(frozen=True, slots=True)
class _Seen:
    id: int
    text: Text
    shares: NDArray[np.float32]  # of the query's terms


class LearnedJudge:
    """See the package's docstring. A chance is in [0, 1]; from ``threshold`` on a page is relevant."""

    def __init__(self, subject: Subject, precision: float | None = None) -> None:
        self._words = Numbering()
        self._query = np.sort(np.array(subject.query, np.uint32))
        self._positive = self._texts(subject.positive)
        self._negative = self._texts(subject.negative)
        self._precision = precision
        self._sample: list[tuple[int, int, _Seen]] = []  # by lot
        self._nearest: list[tuple[float, int, _Seen]] = []
        self._latest: list[_Seen] = []
        self.model: Model | None = None
        self.threshold = THRESHOLD
        self.pages = 0
        self.version = 0
        self._made_of = 0  # pages when the model was made

    def _texts(self, samples: Iterable[Sample]) -> list[Text]:
        return [self._words.text(one.bag, one.host) for one in samples]

    # -- judging -------------------------------------------------------------------------------------------------

    def verdict(self, page: SeenPage) -> Verdict:
        """By the model; before there is one, by the first look."""
        look = page.first_look
        if self.model is None:
            return look
        return self._verdict(self.model.chance(self._words.text(page.bag, page.host)), look)

    def _verdict(self, chance: float, look: Verdict) -> Verdict:
        reasons = (Reason("the model's chance", chance),)
        relevant = chance >= self.threshold
        return Verdict(
            chance, relevant, self.threshold, LEARNED, reasons, look.similarity, look.erid, model=self.version
        )  # fmt: skip

    def chances(self, pages: Sequence[tuple[Bag, str]]) -> Floats | None:
        """The chances of many pages, each with its host; None while there is no model."""
        if self.model is None:
            return None
        return self.model.chances([self._words.text(bag, host) for bag, host in pages])

    # -- learning ------------------------------------------------------------------------------------------------

    def add(self, id_: int, bag: Bag, host: str, similarity: float) -> None:
        """A page was judged."""
        seen = _Seen(id_, self._words.text(bag, host), self._shares(bag))
        self.pages += 1
        bisect.insort(self._sample, (_lot(id_), id_, seen), key=_place)
        del self._sample[_SAMPLE:]
        if similarity > 0 and not self._positive:
            bisect.insort(self._nearest, (-similarity, id_, seen), key=_place)
            del self._nearest[_NEAREST:]
        self._latest.append(seen)
        if len(self._latest) >= 2 * _KEPT:
            del self._latest[:_KEPT]

    def nearness(self, bag: Bag) -> float:
        """How near a page is to the query, where nothing else was measured."""
        return float(self._shares(bag).sum())

    def _shares(self, bag: Bag) -> NDArray[np.float32]:
        """The root of how much of the page each of the query's terms makes up."""
        if not len(self._query) or not len(bag.terms):
            return np.zeros(len(self._query), np.float32)
        at = np.minimum(np.searchsorted(bag.terms, self._query), len(bag.terms) - 1)
        found = np.where(bag.terms[at] == self._query, bag.counts[at], 0.0)
        return np.sqrt(found / max(float(bag.counts.sum()), _SHORTEST)).astype(np.float32)

    @property
    def positive(self) -> int:
        """How many examples it was told."""
        return len(self._positive)

    @property
    def made_of(self) -> int:
        """How many pages were known when the model was made."""
        return self._made_of

    @property
    def is_due(self) -> bool:
        """Is it time to learn?"""
        return self.pages >= next_fit(self._made_of)

    def learn(self) -> Generator[None, None, Revised]:
        """Make a model of all that is known now, in pieces; the latest pages and their chances by it. Pages that are
        added between two pieces are not in it."""
        pages = self._made_of = self.pages
        sample = [seen for _, _, seen in self._sample]
        model = yield from learned(self._known(sample))
        self.model, self.threshold = model, THRESHOLD  # none as well: a resume could not know of an earlier one
        if model is not None:
            self.version += 1
            self.threshold = _cut(model.chances([seen.text for seen in sample]), self._precision)
        yield
        latest = self._latest[-min(pages, _KEPT) :]
        if self.model is None:
            return np.zeros(0, np.int64), np.zeros(0)
        return np.array([seen.id for seen in latest], np.int64), self.model.chances([seen.text for seen in latest])

    def _known(self, sample: Sequence[_Seen]) -> Known:
        near = [seen for _, _, seen in self._nearest]
        found = np.zeros((0, len(self._query)))
        if near:
            found = np.stack([seen.shares for seen in near]).astype(np.float64)
        with_term = np.zeros(len(self._query))
        for seen in sample:
            with_term += seen.shares > 0
        rarity = np.maximum(np.log((len(sample) + 1) / (with_term + 0.5)), 0.05)
        return Known(
            self._positive, self._negative, [seen.text for seen in sample], [seen.text for seen in near],
            found @ rarity, _rarest(with_term) / max(1, len(sample)), self._words.order(),
        )  # fmt: skip

    # -- over a stop ---------------------------------------------------------------------------------------------

    def wanted(self, judged: Sequence[tuple[int, float]], made_of: int) -> list[int]:
        """Of all judged pages in their order, each with its similarity, those that must be added again when the last
        model was made of the first so many."""
        chosen: set[int] = set()
        for count in (made_of, len(judged)):
            some = judged[:count]
            chosen.update(heapq.nsmallest(_SAMPLE, (id_ for id_, _ in some), key=_lot))
            chosen.update(id_ for id_, _ in some[max(0, count // _KEPT - 1) * _KEPT :])
            if not self._positive:
                near = heapq.nsmallest(_NEAREST, ((-value, id_) for id_, value in some if value > 0))
                chosen.update(id_ for _, id_ in near)
        return [id_ for id_, _ in judged if id_ in chosen]

    def restore(
        self, judged: Sequence[tuple[int, float]], pages: Mapping[int, tuple[Bag, str]], made_of: int, version: int
    ) -> None:
        """Know what was known after these pages were judged, given the terms and hosts of the wanted ones."""
        for count, (id_, similarity) in enumerate(judged):
            if count == made_of:
                self._make_again()
            if id_ in pages:
                self.add(id_, *pages[id_], similarity)
            self.pages = count + 1
        if made_of >= len(judged):
            self._make_again()
        self.version = version

    def _make_again(self) -> None:
        if self.pages:
            deque(self.learn(), maxlen=0)


def _rarest(with_term: Floats) -> float:
    """How many pages have the rarest of the terms that occur."""
    return float(with_term[with_term > 0].min(initial=np.inf)) if with_term.any() else 0.0


def _place(entry: tuple[float, int, _Seen]) -> tuple[float, int]:
    return entry[0], entry[1]


def _lot(id_: int) -> int:
    return xxhash.xxh3_64_intdigest(id_.to_bytes(8, "little"))


def _cut(chances: Floats, precision: float | None) -> float:
    """The lowest chance at which pages are still right as often as is wanted, and never below even odds."""
    if precision is None:
        return THRESHOLD
    ordered = np.sort(chances)[::-1]
    means = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    good = np.flatnonzero(means >= precision)
    return max(THRESHOLD, float(ordered[good[-1]])) if len(good) else max(THRESHOLD, precision)
