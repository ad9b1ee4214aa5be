"""Texts as vectors over the terms that a crawl has met, all weighed at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Bag

__all__ = ["Numbering", "Text", "Texts", "term_weights"]

Floats = NDArray[np.float64]
_BUCKETS = 1 << 18  # terms that share one count as one
_MASK = np.uint32(_BUCKETS - 1)
_LEAST = 1e-12  # a length to divide by


@dataclass(frozen=True, slots=True)
class Text:
    """Its terms by their numbers, and how much each is in it."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float32]

    def dot(self, rarity: Floats, vector: Floats) -> float:
        """Itself at length 1 times a vector: what :class:`Texts` would say of it alone."""
        own = self.weights * rarity.take(self.terms, mode="clip")
        length = math.sqrt(float((own * own).sum()))
        return float((own * vector.take(self.terms, mode="clip")).sum()) / max(length, _LEAST)


def term_weights(counts: NDArray[Any]) -> NDArray[Any]:
    """``1 + log`` of how often a term occurs; where it counts for less than once, just that."""
    return np.asarray(np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1))))


class Numbering:
    """Numbers terms as they are met, so that tables over them are no longer than there are."""

    def __init__(self) -> None:
        self._numbers = np.full(_BUCKETS, -1, np.int32)
        self.count = 0

    def numbers(self, terms: NDArray[np.uint32]) -> NDArray[np.int32]:
        if core is not None:
            numbers = np.empty(len(terms), np.int32)
            self.count = core.number_terms(self._numbers, np.ascontiguousarray(terms), self.count, numbers)
            return numbers
        buckets = terms & _MASK
        found = self._numbers.take(buckets)
        if len(found) and found.min() < 0:
            new = np.unique(buckets[found < 0])
            self._numbers[new] = np.arange(self.count, self.count + len(new))
            self.count += len(new)
            found = self._numbers.take(buckets)
        return found

    def text(self, bag: Bag) -> Text:
        return Text(self.numbers(bag.terms), term_weights(bag.counts).astype(np.float32))


class Texts:
    """Texts behind one another in flat arrays. A table over terms has one place more than the terms it knows: the last
    is for all that were met since."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.count = len(texts)
        self._sizes = np.array([len(text.terms) for text in texts], np.int64)
        self._terms = np.concatenate([np.zeros(0, np.int32), *(text.terms for text in texts)])
        self._weights = np.concatenate([np.zeros(0, np.float32), *(text.weights for text in texts)])

    def unit(self, rarity: Floats) -> Floats:
        """The weights of their terms, such that each text has length 1."""
        found = np.empty(len(self._terms))
        if core is not None and core.unit_texts(self._sizes, self._terms, self._weights, rarity, found):
            return found
        own = self._weights * rarity.take(self._terms, mode="clip")
        lengths = np.sqrt(self._by_text(own * own))
        return np.asarray(own / np.repeat(np.maximum(lengths, _LEAST), self._sizes))

    def squares(self, unit: Floats) -> Floats:
        return self._by_text(unit * unit)

    def sums(self, unit: Floats | None, of: NDArray[Any], size: int) -> Floats:
        """By term, the sum over texts, each times a number of its own; without ``unit``, every term counts 1."""
        found, of = np.empty(size), of.astype(np.float64)
        if core is not None and core.sum_texts(self._sizes, self._terms, unit, of, found):
            return found
        own = np.repeat(of, self._sizes)
        return np.asarray(np.bincount(self._terms, own if unit is None else unit * own, size), np.float64)

    def dot(self, unit: Floats, vector: Floats) -> Floats:
        """Each text times a vector."""
        found = np.empty(self.count)
        if core is not None and core.dot_texts(self._sizes, self._terms, unit, vector, found):
            return found
        return self._by_text(unit * vector.take(self._terms, mode="clip"))

    def _by_text(self, of_terms: Floats) -> Floats:
        rows = np.repeat(np.arange(self.count), self._sizes)
        return np.asarray(np.bincount(rows, of_terms, self.count), np.float64)
