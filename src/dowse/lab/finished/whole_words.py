"""The words behind terms: a judge knows stems by their hashes, a reader wants the words that stand on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from dowse.judge import Terms
from dowse.model.words import word_hash

__all__ = ["WholeWords"]

_LOWER = (1 << 32) - 1  # the half of a hash that a page's terms have


class WholeWords:
    """Remembers, of the terms that are wanted, as which words they were met.

    >>> found = WholeWords(Terms("english"))
    >>> found.read(["cells", "the", "cell", "cells", "solar"])
    >>> found.names()[word_hash("cell") & _LOWER]
    'cells'
    """

    def __init__(self, terms: Terms, wanted: Collection[int] | None = None) -> None:
        self._terms = terms
        self._wanted = wanted
        self._forms: dict[int, Counter[str]] = {}

    def read(self, words: Iterable[str]) -> None:
        """A text has these words."""
        for word, often in Counter(words).items():
            term = self._terms[word]
            key = word_hash(term) & _LOWER
            if term and (self._wanted is None or key in self._wanted):
                self._forms.setdefault(key, Counter())[word] += often

    @property
    def is_done(self) -> bool:
        """Were all that are wanted met?"""
        return self._wanted is not None and len(self._forms) == len(self._wanted)

    def names(self) -> dict[int, str]:
        """By the hash of each term, the word as which it was met most often; of equals, the shortest."""
        return {key: min(forms, key=lambda word: (-forms[word], len(word), word)) for key, forms in self._forms.items()}
