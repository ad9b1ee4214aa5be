"""Pages off the topic that an earlier crawl has seen, as far as sums tell of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.predict.learning.statistics import Statistics

__all__ = ["Background"]

Floats = NDArray[np.float64]


class Background:
    """Stands beside the pages off the topic that a crawl sees itself: so many of them, in which of them a word is, and
    the sum of them as vectors.

    A vector of length 1 depends on how rare words are, which the next crawl sees otherwise. So each word's sum of
    weights is multiplied by its new rarity, and all are divided by the length that the pages then have (the root of
    their mean square): every page is taken to be as long as they are on average.
    """

    def __init__(self, before: Statistics | None, buckets: int) -> None:
        self.pages = 0.0 if before is None else before.off_pages
        self.found: Floats = np.zeros(buckets)  # how many of them have a word
        self._weights: Floats = np.zeros(buckets)
        self._squares: Floats = np.zeros(buckets)
        if before is not None and self.pages:
            places = (before.off_words.keys & np.uint32(buckets - 1)).astype(np.intp)
            for column, into in enumerate((self.found, self._weights, self._squares)):
                into += np.bincount(places, before.off_words.sums[:, column], buckets)

    def sum(self, rarity: Floats) -> Floats:
        """The sum of their vectors, each of length 1 once its words are weighed so."""
        if not self.pages:
            return self._weights
        length = float(np.sqrt((self._squares * rarity * rarity).sum() / self.pages))
        return np.asarray(self._weights * rarity / max(length, 1e-12))
