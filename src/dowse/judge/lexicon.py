"""Words as numbers: a page's words are looked up once, then counted (and signed) with arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.terms import Terms
from dowse.model.words import word_hash

__all__ = ["Lexicon"]

_MOST_WORDS = 300_000
_FIRST_ROOM = 1 << 14
_NO_TERM = -1


class Lexicon(dict[str, int]):
    """word -> number, given in order of first sight. A dict, so that a known word costs one lookup.

    Terms have numbers as well; those of ``topical`` come first, in its order, so what a page shares with the topic is
    what is below ``len(topical)``.
    """

    def __init__(self, terms: Terms, topical: Sequence[str]) -> None:
        super().__init__()
        self._terms = terms
        self.topical = tuple(topical)
        self._term_numbers = {term: number for number, term in enumerate(self.topical)}
        self._hashes = np.zeros(_FIRST_ROOM, np.uint64)
        self._of_word = np.zeros(_FIRST_ROOM, np.int32)

    def __missing__(self, word: str) -> int:
        number = len(self)
        if number == len(self._hashes):
            self._hashes = np.concatenate((self._hashes, np.zeros_like(self._hashes)))
            self._of_word = np.concatenate((self._of_word, np.zeros_like(self._of_word)))
        term = self._terms[word]
        numbers = self._term_numbers
        self._hashes[number] = word_hash(word)
        self._of_word[number] = numbers.setdefault(term, len(numbers)) if term else _NO_TERM
        self[word] = number
        return number

    def __reduce__(self) -> tuple[Any, ...]:
        return Lexicon, (self._terms, self.topical)

    def numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The number of each word; good until the next call."""
        if len(self) >= _MOST_WORDS:  # start over: numbers are only for the page at hand
            self.clear()
            self._term_numbers = {term: number for number, term in enumerate(self.topical)}
        return np.fromiter(map(self.__getitem__, words), np.int64, len(words))

    def hashes(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hash of each word."""
        return self._hashes[numbers]

    def count(self, numbers: NDArray[np.int64]) -> tuple[dict[str, int], NDArray[np.int64]]:
        """Of a text's words: how often each topical term occurs, and how often each term does (topical or not)."""
        terms = self._of_word[numbers]
        terms.sort()
        terms = terms[np.searchsorted(terms, 0) :]  # stop words stand before
        if not len(terms):
            return {}, np.zeros(0, np.int64)
        starts = np.flatnonzero(terms[1:] != terms[:-1])
        starts += 1
        bounds = np.empty(len(starts) + 2, np.int64)
        bounds[0], bounds[-1] = 0, len(terms)
        bounds[1:-1] = starts
        counts = bounds[1:] - bounds[:-1]
        first = terms[bounds[:-1]]
        shared = int(np.searchsorted(first, len(self.topical)))
        topical = self.topical
        return {topical[n]: c for n, c in zip(first[:shared].tolist(), counts[:shared].tolist(), strict=True)}, counts
