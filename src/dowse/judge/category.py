"""A category: a text classifier that was trained once and serves in many topics. Here it is used;
``judge.training`` makes one, ``judge.category_file`` reads and writes it.

A page has ``x = (1 + log tf) / |1 + log tf|`` of each term, where the length is that of all its terms, known to the
category or not. So a page that is mostly about something else has little of everything, and a term left out of the
file changes nothing for the others. Then::

    score       = bias + sum of x * scale * weight over the known terms (+ embedding of the text . its weights)
    probability = 1 / (1 + exp(-(slope * score + offset)))          Platt's scaling (1999)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.embedding import embed
from dowse.judge.measured import Measured
from dowse.judge.reading import Counts
from dowse.judge.similarity import text_norm
from dowse.judge.terms import weights
from dowse.model.errors import TopicError
from dowse.model.words import word_hash

__all__ = ["MAX_TERMS", "WEIGHTING", "Category", "check_name", "is_name", "made_category"]

MAX_TERMS = 20_000
WEIGHTING = "log"
_LONGEST_NAME = 200  # bytes: file systems take 255, endings included
_SURE = 1e-6  # no page is taken for less likely, or more likely than the rest to 1
_name = re.compile(r"\w[\w .+-]{0,99}").fullmatch


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A classifier of texts. A pure value: it can be sent to another process and gives the same answers.

    ``threshold`` is the probability from which on a page is best taken for one of the category.
    """

    name: str
    language: str  # terms are stems of it, as ``judge.language`` of a topic
    threshold: float
    bias: float
    slope: float
    offset: float
    terms: tuple[str, ...]  # in the order of their hashes
    hashes: NDArray[np.uint64] = field(repr=False)
    scales: NDArray[np.float64] = field(repr=False)  # how telling a term is by itself
    weights: NDArray[np.float64] = field(repr=False)
    embedding: NDArray[np.float64] | None = field(repr=False)  # weights of the text's embedding, where it is used
    positive: int  # examples it was trained on
    negative: int
    measured: Measured
    made_at: str  # ISO 8601, UTC
    made_by: str

    @property
    def needs_text(self) -> bool:
        """Does :meth:`probability` need the page's text besides its terms?"""
        return self.embedding is not None

    def probability(self, terms: NDArray[np.uint64], counts: Counts, text: str | None = None) -> float:
        """How likely a page is one of the category: above 0 and below 1. ``terms`` are the hashes of its distinct
        terms, ``counts`` how often each occurs; ``text`` is its title and text, where :attr:`needs_text`."""
        if self.embedding is None:
            return self.likelihood(self.score(terms, counts))
        if text is None:
            raise ValueError(f"the category {self.name} needs the text of a page")
        return self.likelihood(self.score(terms, counts, embed(text)))

    def likelihood(self, score: float) -> float:
        """The probability that belongs to a score."""
        exponent = max(-50.0, min(50.0, self.slope * score + self.offset))
        return min(1.0 - _SURE, max(_SURE, 1.0 / (1.0 + math.exp(-exponent))))

    def score(self, terms: NDArray[np.uint64], counts: Counts, embedding: NDArray[np.float64] | None = None) -> float:
        """The score of a page, whatever the order of its terms."""
        _, parts = self._parts(terms, counts)
        score = self.bias + float(parts.sum())
        if self.embedding is None:
            return score
        assert embedding is not None
        return score + float(embedding @ self.embedding)

    def telling(self, terms: NDArray[np.uint64], counts: Counts) -> list[tuple[str, float]]:
        """What each known term of a page adds to its score, the greatest first."""
        places, parts = self._parts(terms, counts)
        found = zip(places.tolist(), parts.tolist(), strict=True)
        return sorted([(self.terms[place], part) for place, part in found], key=lambda pair: (-pair[1], pair[0]))

    def _parts(self, terms: NDArray[np.uint64], counts: Counts) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The place of each known term of a page, rising, and what it adds to the score."""
        if not len(terms) or not len(self.hashes):
            return np.zeros(0, np.intp), np.zeros(0)
        order = np.argsort(terms)  # what is looked up in order is found in half of the time
        terms, counts = terms[order], counts[order]
        places = np.searchsorted(self.hashes, terms)
        places[places == len(self.hashes)] = 0
        known = np.flatnonzero(self.hashes[places] == terms)
        places = places[known]
        values = weights(counts[known], WEIGHTING) / text_norm(counts, WEIGHTING)
        return places, values * self.scales[places] * self.weights[places]

    def strongest(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak most for the category, with their weights (scale times weight, above 0)."""
        return self._strongest(n, 1.0)

    def strongest_against(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak most against it, with their weights (below 0)."""
        return self._strongest(n, -1.0)

    def _strongest(self, n: int, sign: float) -> list[tuple[str, float]]:
        values = (self.scales * self.weights).tolist()
        found = [pair for pair in zip(self.terms, values, strict=True) if sign * pair[1] > 0]
        return sorted(found, key=lambda pair: (-sign * pair[1], pair[0]))[:n]


def made_category(
    vocabulary: Sequence[tuple[str, float, float]], *, embedding: Sequence[float] | None = None, **facts: Any
) -> Category:
    """A category from its terms (term, scale, weight), which are distinct, and its other fields by name."""
    hashes = np.fromiter((word_hash(term) for term, _, _ in vocabulary), np.uint64, len(vocabulary))
    order = np.argsort(hashes)
    scales, values = (
        np.fromiter((row[column] for row in vocabulary), np.float64, len(vocabulary))[order] for column in (1, 2)
    )
    of_text = None if embedding is None else np.array(embedding, np.float64)
    category = Category(
        terms=tuple(vocabulary[place][0] for place in order.tolist()), hashes=hashes[order], scales=scales,
        weights=values, embedding=of_text, **facts,
    )  # fmt: skip
    for array in (category.hashes, category.scales, category.weights):
        array.setflags(write=False)
    return category


def is_name(name: str) -> bool:
    """Is it fit for a category, a file and a predicate?"""
    return _name(name) is not None and name == name.strip() and len(name.encode()) <= _LONGEST_NAME


def check_name(name: str) -> str:
    """The name, when it is fit for a category, a file and a predicate; TopicError when not."""
    if not is_name(name):
        raise TopicError(f"{name!r} cannot name a category: write letters, digits, blanks and . _ + -, at most 100")
    return name
