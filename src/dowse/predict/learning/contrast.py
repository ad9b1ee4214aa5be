"""What a page is worth, by its words: how much more it is like the examples than like pages off the topic.

The topic's own judge knows the examples alone, so it takes what all pages of a web have in common for likeness. A crawl
soon knows better: every page that it fetched in vain shows what the topic is not. Rocchio's vector (1971) with the
fetched pages off the topic as negative examples, each term weighted by how rare it is among them:
``v = mean(examples) - n/(n + k) mean(n pages off the topic)``, and a page scores ``x v``, both of length 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import Subject
from dowse.predict.learning.background import Background
from dowse.predict.learning.statistics import Statistics

__all__ = ["KEPT", "Contrast", "Told"]

Floats = NDArray[np.float64]
_BUCKETS = 1 << 18  # terms that share one count as one
_MASK = np.uint32(_BUCKETS - 1)
_KEPT = 4096  # pages
_LEAST = 5  # pages off the topic, before anything is learned from them
_FEW = 20.0  # k
_QUANTILE = 0.4  # of the examples' scores: as in the judge's own threshold
_ONE_EXAMPLE = 0.3
_STEEPNESS = 2.2  # the usual page off the topic is given 0.1
_STEEPEST = 30.0
_LEAST_SCALE = 1e-6
KEPT = 2 * _KEPT
"""Pages that are kept at the most."""


@dataclass(slots=True)
class Told:
    """A page as it was judged: its number, and what the topic's judge said."""

    id: int
    bag: Bag
    score: float
    threshold: float


class _Texts:
    """Bags behind one another in flat arrays, so that all can be weighed at once."""

    def __init__(self, bags: list[Bag]) -> None:
        sizes = np.array([len(bag.terms) for bag in bags], np.int64)
        self.count = len(bags)
        self.rows = np.repeat(np.arange(len(bags)), sizes)
        none: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
        self.terms = (np.concatenate([bag.terms for bag in bags] or none) & _MASK).astype(np.intp)
        counts = np.concatenate([bag.counts for bag in bags] or [np.zeros(0, np.float32)]).astype(np.float64)
        self.weights: Floats = np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1)))

    def unit(self, rarity: Floats) -> Floats:
        """Their weights, such that each text has length 1."""
        own = self.weights * rarity[self.terms]
        norms = np.sqrt(np.bincount(self.rows, own * own, self.count))
        return np.asarray(own / np.maximum(norms, 1e-12)[self.rows])

    def mean(self, unit: Floats) -> Floats:
        return np.asarray(np.bincount(self.terms, unit, _BUCKETS) / max(self.count, 1))

    def dot(self, unit: Floats, vector: Floats) -> Floats:
        return np.asarray(np.bincount(self.rows, unit * vector[self.terms], self.count), np.float64)


class Contrast:
    """Learns what is off the topic. A page's value is in [0, 1], and about a half where it is doubtful."""

    def __init__(self, subject: Subject, before: Statistics | None = None) -> None:
        self._positive = _Texts(list(subject.positive))
        self._negative = list(subject.negative)
        self._rarity = np.ones(_BUCKETS)
        self._vector: Floats | None = None  # none: the judge's own scores do
        self._middle, self._scale = 0.0, 0.0  # of scores: what is doubtful, and how far from it much is; 0: unknown
        self._pages: list[Told] = []
        self._before = Background(before, _BUCKETS)
        if self._before.pages:
            self.fit()

    def add(self, page: Told) -> float:
        """A page was judged; its value, as far as is known."""
        self._pages.append(page)
        return float(self._values([page])[0])

    def forget(self) -> list[int]:
        """Which pages, the oldest, are no longer kept."""
        gone = self._pages[:_KEPT] if len(self._pages) >= 2 * _KEPT else []
        del self._pages[: len(gone)]
        return [page.id for page in gone]

    def restore(self, fitted: list[Told], since: list[Told]) -> None:
        """Take up the pages that were kept: those of the last fit, and those that came after it."""
        self._pages = fitted
        if fitted:
            self.fit()
        self._pages = [*fitted, *since]

    def fit(self) -> tuple[NDArray[np.int64], Floats]:
        """Learn from all that was added; the pages that are kept, and their values anew."""
        self._vector = None
        off = self.off()
        if self._positive.count and len(off) + len(self._negative) + self._before.pages >= _LEAST:
            self._oppose(_Texts(off + self._negative))
        self._place()
        return np.array([page.id for page in self._pages], np.int64), self._values(self._pages)

    def off(self) -> list[Bag]:
        """The kept pages that are off the topic."""
        return [page.bag for page in self._pages if page.score < page.threshold]

    def _oppose(self, off: _Texts) -> None:
        found = np.bincount(off.terms, minlength=_BUCKETS) + self._before.found
        count = off.count + self._before.pages
        self._rarity = 1 + np.log((count + 1) / (found + 1))
        ours = self._positive.unit(self._rarity)
        self._vector = self._positive.mean(ours)
        theirs = off.count * off.mean(off.unit(self._rarity)) + self._before.sum(self._rarity)
        self._vector -= theirs / (count + _FEW)

    def _place(self) -> None:
        """Where scores lie: what an example would have that the others were told without, and a page off the topic."""
        if self._vector is None:
            if not self._pages:
                return
            self._middle = self._pages[-1].threshold
        else:
            self._middle = self._of_examples(self._vector)
        scores = self._scores(self._pages)
        below = scores[scores < self._middle]
        count, total = float(len(below)), float(below.sum())
        if self._vector is not None:
            count += self._before.pages
            total += float(self._before.sum(self._rarity) @ self._vector)
        low = total / count if count >= _LEAST else min(self._middle / 2, self._middle - 1e-3)
        self._scale = max((self._middle - low) / _STEEPNESS, _LEAST_SCALE)

    def _of_examples(self, vector: Floats) -> float:
        texts, count = self._positive, self._positive.count
        unit = texts.unit(self._rarity)
        scores = texts.dot(unit, vector)
        if count == 1:
            return _ONE_EXAMPLE * float(scores[0])
        # the mean of the others is (count * mean - own) / (count - 1)
        mean = texts.dot(unit, texts.mean(unit))
        own = np.bincount(texts.rows, unit * unit, count)
        return float(np.quantile(scores + (mean - own) / (count - 1), _QUANTILE))

    def _scores(self, pages: list[Told]) -> Floats:
        if self._vector is None:
            return np.array([page.score for page in pages], np.float64)
        texts = _Texts([page.bag for page in pages])
        return texts.dot(texts.unit(self._rarity), self._vector)

    def _values(self, pages: list[Told]) -> Floats:
        middle, scale = self._middle, self._scale
        if not scale and pages:
            middle = pages[0].threshold
            scale = max(middle / 2 / _STEEPNESS, _LEAST_SCALE)
        steps = (self._scores(pages) - middle) / scale
        return np.asarray(1 / (1 + np.exp(-np.clip(steps, -_STEEPEST, _STEEPEST))))
