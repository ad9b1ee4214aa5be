"""What a page is worth, by its words: how much more it is like the examples than like pages off the topic.

The topic's own judge knows the examples alone, so it takes what all pages of a web have in common for likeness. A crawl
soon knows better: every page that it fetched in vain shows what the topic is not. Rocchio's vector (1971) with the
fetched pages off the topic as negative examples, each term weighted by how rare it is among them:
``v = mean(examples) - n/(n + k) mean(n pages off the topic)``, and a page scores ``x v``, both of length 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.model.strategy import Subject
from dowse.predict.learning.hosts import Origins
from dowse.predict.learning.statistics import Statistics
from dowse.predict.learning.texts import Numbering, Text, Texts

__all__ = ["Contrast", "Told", "first_kept"]

Floats = NDArray[np.float64]
_KEPT = 4096  # pages
_LEAST = 5  # pages off the topic, before anything is learned from them
_FEW = 20.0  # k
_QUANTILE = 0.4  # of the examples' scores: as in the judge's own threshold
_ONE_EXAMPLE = 0.3
_STEEPNESS = 2.2  # the usual page off the topic is given 0.1
_STEEPEST = 30.0
_LEAST_SCALE = 1e-6


def first_kept(pages: int) -> int:
    """Of so many judged pages, the latest are kept: from which on. See :meth:`Contrast.forget`."""
    return max(0, pages // _KEPT - 1) * _KEPT


@dataclass(frozen=True, slots=True)
class Told:
    """A page as it was judged: its number, and what the topic's judge said."""

    id: int
    bag: Bag
    score: float
    threshold: float

    @property
    def is_off(self) -> bool:
        return self.score < self.threshold


class Contrast:
    """Learns what is off the topic. A page's value is in [0, 1], and about a half where it is doubtful."""

    def __init__(self, subject: Subject, before: Statistics | None = None) -> None:
        self._vocabulary = words = Numbering()
        self._before = Background(before, words)
        self.origins = Origins(page.host for page in subject.positive)
        self._positive = Texts([words.text(self.origins.beside(page.bag, page.host)) for page in subject.positive])
        self._negative = [words.text(self.origins.beside(page.bag, page.host)) for page in subject.negative]
        self._rarity = np.ones(1)
        self._vector: Floats | None = None  # none: the judge's own scores do
        self._middle, self._scale = 0.0, 0.0  # of scores: what is doubtful, and how far from it much is; 0: unknown
        self._pages: list[Told] = []
        self._texts: list[Text] = []  # of the pages
        if self._before.pages:
            self.fit()

    def add(self, page: Told) -> float:
        """A page was judged; its value, as far as is known."""
        text = self._keep(page)
        middle, scale, score = self._middle, self._scale, page.score
        if not scale:
            middle = page.threshold
            scale = max(middle / 2 / _STEEPNESS, _LEAST_SCALE)
        if self._vector is not None:
            score = text.dot(self._rarity, self._vector)
        steps = min(max((score - middle) / scale, -_STEEPEST), _STEEPEST)
        return 1 / (1 + exp(-steps))

    def _keep(self, page: Told) -> Text:
        text = self._vocabulary.text(page.bag)
        self._pages.append(page)
        self._texts.append(text)
        return text

    def forget(self) -> list[int]:
        """Which pages, the oldest, are no longer kept."""
        gone = self._pages[:_KEPT] if len(self._pages) >= 2 * _KEPT else []
        del self._pages[: len(gone)], self._texts[: len(gone)]
        return [page.id for page in gone]

    def restore(self, fitted: list[Told], kept: list[Told]) -> None:
        """Take up what was learned from the pages of the last fit, and the pages that are kept by now."""
        self._take_up(fitted)
        if fitted:
            self.fit()
        self._take_up(kept)

    def _take_up(self, pages: list[Told]) -> None:
        self._pages, self._texts = [], []
        for page in pages:
            self._keep(page)

    def fit(self) -> tuple[NDArray[np.int64], Floats]:
        """Learn from all that was added; the pages that are kept, and their values anew."""
        pages, given = self._pages, len(self._negative)
        off = np.array([True] * given + [page.is_off for page in pages], np.bool_)
        self._vector = None
        if self._positive.count and np.count_nonzero(off) + self._before.pages >= _LEAST:
            texts = Texts([*self._negative, *self._texts])
            scores = self._oppose(texts, off)[given:]
        else:
            scores = np.array([page.score for page in pages], np.float64)
        self._place(scores)
        return np.array([page.id for page in pages], np.int64), _values(scores, self._middle, self._scale)

    def off(self) -> list[Bag]:
        """The kept pages that are off the topic."""
        return [page.bag for page in self._pages if page.is_off]

    def _oppose(self, texts: Texts, off: NDArray[np.bool_]) -> Floats:
        """Set the examples against all that is off the topic; how the texts score then."""
        size = self._vocabulary.count + 1
        count = np.count_nonzero(off) + self._before.pages
        self._rarity = 1 + np.log((count + 1) / (texts.sums(None, off, size) + self._before.found(size) + 1))
        unit, examples = texts.unit(self._rarity), self._positive
        theirs = texts.sums(unit, off, size) + self._before.sum(self._rarity)
        ours = examples.sums(examples.unit(self._rarity), np.full(examples.count, 1 / examples.count), size)
        self._vector = ours - theirs / (count + _FEW)
        return texts.dot(unit, self._vector)

    def _place(self, scores: Floats) -> None:
        """Where scores lie: what an example would have that the others were told without, and a page off the topic."""
        if self._vector is None:
            if not self._pages:
                return
            self._middle = self._pages[-1].threshold
        else:
            self._middle = self._of_examples(self._vector)
        below = scores[scores < self._middle]
        count, total = float(len(below)), float(below.sum())
        if self._vector is not None and self._before.pages:
            count += self._before.pages
            total += float((self._before.sum(self._rarity) * self._vector).sum())
        low = total / count if count >= _LEAST else min(self._middle / 2, self._middle - 1e-3)
        self._scale = max((self._middle - low) / _STEEPNESS, _LEAST_SCALE)

    def _of_examples(self, vector: Floats) -> float:
        texts, count = self._positive, self._positive.count
        unit = texts.unit(self._rarity)
        scores = texts.dot(unit, vector)
        if count == 1:
            return _ONE_EXAMPLE * float(scores[0])
        # the mean of the others is (count * mean - own) / (count - 1)
        mean = texts.dot(unit, texts.sums(unit, np.full(count, 1 / count), len(vector)))
        return float(np.quantile(scores + (mean - texts.squares(unit)) / (count - 1), _QUANTILE))


def _values(scores: Floats, middle: float, scale: float) -> Floats:
    steps = (scores - middle) / scale
    return np.asarray(1 / (1 + np.exp(-np.clip(steps, -_STEEPEST, _STEEPEST))))


class Background:
    """Pages off the topic that an earlier crawl has seen, as far as sums tell of them. It stands beside those that a
    crawl sees itself: so many of them, in which of them a word is, and the sum of them as vectors.

    A vector of length 1 depends on how rare words are, which the next crawl sees otherwise. So each word's sum of
    weights is multiplied by its new rarity, and all are divided by the length that the pages then have (the root of
    their mean square): every page is taken to be as long as they are on average.
    """

    def __init__(self, before: Statistics | None, words: Numbering) -> None:
        """Takes the first numbers of a vocabulary, so that its sums do not depend on what a crawl meets when."""
        self.pages = 0.0 if before is None else before.off_pages
        self._found: Floats = np.zeros(0)  # how many of them have a word
        self._weights: Floats = np.zeros(0)
        self._squares: Floats = np.zeros(0)
        if before is not None and self.pages:
            numbers = words.numbers(before.off_words.keys)
            sums = before.off_words.sums.T
            columns = [np.bincount(numbers, column, words.count).astype(np.float64) for column in sums]
            self._found, self._weights, self._squares = columns

    def found(self, size: int) -> Floats:
        """How many of them have a word, in a table of this size."""
        return _reaching(self._found, size)

    def sum(self, rarity: Floats) -> Floats:
        """The sum of their vectors, each of length 1 once its words are weighed so."""
        if not self.pages:
            return np.zeros(len(rarity))
        own = rarity[: len(self._weights)]
        length = float(np.sqrt((self._squares * own * own).sum() / self.pages))
        return _reaching(self._weights * own / max(length, 1e-12), len(rarity))


def _reaching(table: Floats, size: int) -> Floats:
    wider = np.zeros(size)
    wider[: len(table)] = table
    return wider
