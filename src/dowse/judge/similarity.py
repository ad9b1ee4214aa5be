"""Cosine similarity of a text to the topic: TH-Gatherer's V_sim (METHODS, section 1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.judge.terms import weights

__all__ = ["TopicVector", "rocchio", "text_norm", "unit_vector"]

MAX_TERMS = 200
_QUARTERS = 4_096  # of an occurrence: more than nearly any page has of a term
_DTYPES = (np.int64, np.float64)
_ALPHA, _BETA, _GAMMA = 1.0, 1.0, 0.5  # query, positive examples, negative examples


@dataclass(frozen=True, slots=True)
class TopicVector:
    """A unit vector over terms. ``weighting`` says how a text's own terms are weighted."""

    weights: Mapping[str, float]
    weighting: str = "log"

    def parts(self, counts: Mapping[str, float], norm: float) -> list[tuple[str, float, float]]:
        """(term, its weight in the text's unit vector, its weight in the topic's) for each shared term.

        ``counts`` are those of the topic's terms at least, ``norm`` is the length of the text's whole vector. The
        products add up to the cosine.
        """
        log = self.weighting == "log"
        weights = self.weights
        return [
            (term, (1.0 + math.log(count) if log and count > 1 else count) / norm, weights[term])
            for term, count in counts.items()
            if term in weights
        ]

    def cosine(self, counts: Mapping[str, int]) -> float:
        """Cosine with a text's term counts, in [0, 1]; a text or topic without terms gives 0."""
        if self.weights.keys().isdisjoint(counts):
            return 0.0
        if len(counts) < 24 and self.weighting == "log":  # below this a loop beats the array
            norm = math.sqrt(sum((1.0 + math.log(n)) ** 2 if n > 1 else 1.0 for n in counts.values()))
        else:
            norm = text_norm(np.fromiter(counts.values(), np.int64, len(counts)), self.weighting)
        return min(1.0, math.fsum(own * topic for _, own, topic in self.parts(counts, norm)))


def text_norm(counts: NDArray[np.int64] | NDArray[np.float64], weighting: str) -> float:
    """Euclidean length of a text's vector, from the counts of its terms.

    Added in order of the counts: how terms were numbered, which differs by process, is not to show in the last digit.
    """
    values = np.empty(len(counts))
    if (
        core is None
        or counts.dtype not in _DTYPES
        or not core.sorted_weights(counts, counts.dtype == np.int64, _weights_of_quarters(weighting), values)
    ):
        values = np.sort(weights(counts, weighting))
    return math.sqrt(float(values @ values))


@cache
def _weights_of_quarters(weighting: str) -> NDArray[np.float64]:
    """The weight of a term that occurs 0, 0.25, 0.5, ... times, for the compiled core."""
    return weights(np.arange(_QUARTERS) / 4, weighting)


def unit_vector(counts: Mapping[str, int], weighting: str) -> dict[str, float]:
    """A text's vector, of length 1 (or empty)."""
    if not counts:
        return {}
    values = weights(np.fromiter(counts.values(), np.int64, len(counts)), weighting)
    return normalised(dict(zip(counts, values.tolist(), strict=True)))


def normalised(vector: Mapping[str, float]) -> dict[str, float]:
    norm = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {term: value / norm for term, value in vector.items()} if norm > 0 else {}


def mean(vectors: Sequence[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for vector in vectors:
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value / len(vectors)
    return total


def rocchio(
    query: Mapping[str, float], positive: Sequence[Mapping[str, float]], negative: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """alpha q + beta mean(positive) - gamma mean(negative), clipped at 0, the 200 greatest terms, length 1.

    Rocchio, Relevance feedback in information retrieval (1971). ``query`` and examples are unit vectors.
    """
    total = {term: _ALPHA * value for term, value in query.items()}
    for sign, vectors in ((_BETA, positive), (-_GAMMA, negative)):
        for term, value in mean(vectors).items():
            total[term] = total.get(term, 0.0) + sign * value
    return normalised(dict(_greatest(total.items())))


def _greatest(items: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    positive = [item for item in items if item[1] > 0]
    return sorted(positive, key=lambda item: (-item[1], item[0]))[:MAX_TERMS]
