"""Pages off the topic that an earlier crawl has seen, as far as sums tell of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.predict.learning.statistics import Statistics
from dowse.predict.learning.texts import Numbering

__all__ = ["Background"]

Floats = NDArray[np.float64]


class Background:
    """Stands beside the pages off the topic that a crawl sees itself: so many of them, in which of them a word is, and
    the sum of them as vectors.

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
