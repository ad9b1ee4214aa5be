"""How good scores and verdicts are against the truth, page by page.

A page is called relevant when its score is above 0 and reaches the threshold, as judges have it. A figure that would
divide by nothing is NaN, with one exception: a judge that calls no page relevant has precision 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bin", "Figures", "average_precision", "best_f1", "figures", "reliability"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

FAINT = 0.01
"""Pages with a lower chance share the first bin: nearly all pages of a corpus are off any topic."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """Of verdicts: precision, recall, F1. Of scores, whatever the threshold: the others."""

    precision: float
    recall: float
    f1: float
    best_f1: float
    average_precision: float
    brier: float


def figures(scores: Floats, truth: Bools, threshold: float) -> Figures:
    """All figures of one judge on one topic. Scores are chances, 0 to 1."""
    chosen = (scores > 0) & (scores >= threshold)
    hits = int(np.count_nonzero(chosen & truth))
    positive, taken = int(np.count_nonzero(truth)), int(np.count_nonzero(chosen))
    return Figures(
        hits / taken if taken else 0.0,
        hits / positive if positive else math.nan,
        2 * hits / (positive + taken) if positive else math.nan,
        best_f1(scores, truth),
        average_precision(scores, truth),
        float(np.mean((scores - truth) ** 2)) if len(scores) else math.nan,
    )


def best_f1(scores: Floats, truth: Bools) -> float:
    """F1 at the threshold that suits the scores best.

    >>> best_f1(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    0.8
    """
    positive = int(np.count_nonzero(truth))
    if not positive:
        return math.nan
    taken, hits, heights = _from_the_top(scores, truth)
    f1 = np.where(heights > 0, 2 * hits / (positive + taken), 0.0)
    return float(f1.max())


def average_precision(scores: Floats, truth: Bools) -> float:
    """The mean, over relevant pages, of the precision down to each, best score first. Equal scores count as their mean
    over all orders: McSherry and Najork, Computing information retrieval performance measures efficiently in the
    presence of tied scores (2008).

    >>> round(average_precision(np.array([0.9, 0.5, 0.5]), np.array([False, True, True])), 4)
    0.5833
    """
    positive = int(np.count_nonzero(truth))
    if not positive:
        return math.nan
    taken, hits, _ = _from_the_top(scores, truth)
    sizes, own = np.diff(taken, prepend=0), np.diff(hits, prepend=0)  # of each run of equals
    before, found = np.repeat(taken - sizes, sizes), np.repeat(hits - own, sizes)
    place = np.arange(1, len(scores) + 1) - before  # within the run
    others = np.repeat(
        (own - 1) / np.maximum(sizes - 1, 1), sizes
    )  # chance of another of the run, given one is relevant
    precision = (found + 1 + (place - 1) * others) / (before + place)
    return float(np.sum(np.repeat(own / sizes, sizes) * precision) / positive)


def _from_the_top(scores: Floats, truth: Bools) -> tuple[NDArray[np.intp], NDArray[np.int64], Floats]:
    """Of each distinct score, the highest first: how many pages reach it, how many relevant ones, and the score."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.diff(ordered, append=-np.inf))
    return ends + 1, np.cumsum(truth[order], dtype=np.int64)[ends], ordered[ends]


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages with about the same chance: from ``low`` to ``high``, ``said`` on average; and the share that ``held``."""

    low: float
    high: float
    said: float
    held: float
    pages: int


def reliability(chances: Floats, truth: Bools, bins: int = BINS) -> list[Bin]:
    """The pages in order of their chances: those below ``FAINT`` as one bin, the others cut into ``bins`` of equal
    count, but equal chances stay together. None is empty, so there may be fewer.

    >>> [one.held for one in reliability(np.array([0.0, 0.2, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1, 1], bool), 2)]
    [0.0, 0.5, 1.0]
    """
    order = np.argsort(chances, kind="stable")
    said, held = chances[order], truth[order]
    faint = int(np.searchsorted(said, FAINT))
    cuts = faint + (np.arange(1, bins) * (len(said) - faint)) // bins
    cuts = np.searchsorted(said, said[cuts[cuts < len(said)]], "left")  # where the run of equals begins
    edges = np.unique(np.concatenate(([0, faint], np.maximum(cuts, faint), [len(said)])))
    return [
        Bin(float(said[start]), float(said[end - 1]), float(said[start:end].mean()), float(held[start:end].mean()),
            end - start)
        for start, end in pairwise(edges.tolist())
    ]  # fmt: skip
