"""A text as a category sees it: its terms with their counts, and its embedding where that is asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dowse.judge.embedding import embed
from dowse.judge.terms import Terms
from dowse.model.words import word_hash, words

__all__ = ["Bag", "bag_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """The distinct terms of a text in the order of their hashes, and how often each occurs."""

    terms: tuple[str, ...]
    hashes: NDArray[np.uint64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    embedding: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Equal for two texts that a category cannot tell apart."""
        return self.hashes.tobytes(), self.counts.tobytes()


def bag_of(text: str, terms: Terms, *, embedded: bool = False) -> Bag:
    """Read a text (a page's title and text) in the language of ``terms``.

    >>> bag_of("Solar cells, a solar cell", Terms("english")).counts.tolist()
    [2, 2]
    """
    counts = Counter(terms.sequence(words(text)))
    known = list(counts)
    hashes = np.fromiter(map(word_hash, known), np.uint64, len(known))
    order = np.argsort(hashes)
    return Bag(
        tuple(known[place] for place in order.tolist()),
        hashes[order],
        np.fromiter(counts.values(), np.int64, len(known))[order],
        embed(text) if embedded else None,
    )
