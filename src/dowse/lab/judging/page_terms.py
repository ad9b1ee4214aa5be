"""The terms of all pages of a corpus, by term: a score that is a weighted sum over terms takes milliseconds for
thousands of pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dowse.judge.terms import weights
from dowse.lab.corpus import Corpus
from dowse.model.words import word_hash

__all__ = ["PageTerms", "page_terms"]

Floats = NDArray[np.float64]


class PageTerms:
    """Which pages have a term, and what it counts for in each. Scores are by page number, 0 for what is no page."""

    def __init__(self, corpus: Corpus, language: str) -> None:
        read = corpus.vocabulary(language).reader(())
        tokens = corpus.pages.columns["tokens"]
        numbers = np.flatnonzero(corpus.pages.is_page())
        found = [read(tokens[corpus.pages.bounds("token_ends", page)]).hashed_terms() for page in numbers.tolist()]
        hashes = np.concatenate([np.zeros(0, np.uint64), *(own for own, _ in found)])
        counts = np.concatenate([np.zeros(0, np.int64), *(own for _, own in found)])
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._size = len(corpus)
        self._pages = np.repeat(numbers, [len(own) for own, _ in found])[order]
        weighed = weights(counts[order], "log")
        norms = np.sqrt(np.bincount(self._pages, weighed**2, self._size))
        self._units = weighed / norms[self._pages]
        totals = np.bincount(self._pages, counts[order], self._size)
        self._shares = counts[order] / totals[self._pages]

    def cosines(self, topic: Mapping[str, float]) -> Floats:
        """The cosine of each page with a unit vector over terms (METHODS, section 1), weighting ``log``."""
        return np.minimum(1.0, self._sums(topic, self._units))

    def shares(self, keywords: Mapping[str, float]) -> Floats:
        """The share of each page's terms that each keyword has, times its weight (METHODS, section 2)."""
        return self._sums(keywords, self._shares)

    def _sums(self, wanted: Mapping[str, float], values: Floats) -> Floats:
        total = np.zeros(self._size)
        for term, weight in wanted.items():
            places = self._places(np.uint64(word_hash(term)))
            total[self._pages[places]] += weight * values[places]  # a page has a term once
        return total

    def _places(self, key: np.uint64) -> slice:
        return slice(int(self._hashes.searchsorted(key, "left")), int(self._hashes.searchsorted(key, "right")))


@lru_cache(2)
def page_terms(corpus: Corpus, language: str) -> PageTerms:
    """The terms of a corpus, gathered once a process."""
    return PageTerms(corpus, language)
