"""How good a category is by cross-validation, with intervals that say how little a few examples tell.

A figure that comes out as 1.0 on eight examples is not certain to be 1.0 on the web. The intervals here stay honest at
the ends, where resampling the examples would give one of no width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "Measured", "Round", "auc", "measured", "wilson"]

_Z = 1.6448536269514722  # of an interval that holds the truth nine times in ten
_STEPS = 60  # of bisection: more than a float has digits


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, the mean of several rounds; its 90 % interval, given how many examples there are; and the standard
    deviation between the rounds, which differ in how the examples were divided."""

    value: float
    low: float
    high: float
    spread: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What cross-validation says, over examples that the classifier in question did not know."""

    folds: int
    rounds: int
    precision: Figure
    recall: Figure
    f1: Figure
    auc: Figure


@dataclass(frozen=True, slots=True)
class Round:
    """One round: of each example whether it was taken for positive, its score, and the fold it was in."""

    chosen: NDArray[np.bool_]
    scores: NDArray[np.float64]
    folds: NDArray[np.intp]


def measured(truth: NDArray[np.bool_], rounds: Sequence[Round], folds: int) -> Measured:
    """The figures of some rounds over the same examples."""
    hits, alarms, areas = [], [], []
    for one in rounds:
        hits.append(int(np.count_nonzero(one.chosen & truth)))
        alarms.append(int(np.count_nonzero(one.chosen & ~truth)))
        areas.append(_auc_by_fold(one, truth))
    positive = int(np.count_nonzero(truth))
    hit, alarm = np.array(hits, np.float64), np.array(alarms, np.float64)
    shares = {
        "precision": (hit / np.maximum(hit + alarm, 1), float(np.mean(hit + alarm))),
        "recall": (hit / positive, float(positive)),
    }
    found = {name: _figure(values, *wilson(float(values.mean()), size)) for name, (values, size) in shares.items()}
    # F1 = 2 J / (1 + J), where J, hits over hits, alarms and misses, is a plain proportion
    f1 = 2 * hit / (positive + hit + alarm)
    mean = float(f1.mean())
    low, high = wilson(mean / (2 - mean), float(np.mean(positive + alarm)))
    found["f1"] = _figure(f1, 2 * low / (1 + low), 2 * high / (1 + high))
    area = np.array(areas)
    found["auc"] = _figure(area, *_auc_interval(float(area.mean()), positive, len(truth) - positive))
    return Measured(folds, len(rounds), **found)


def _figure(values: NDArray[np.float64], low: float, high: float) -> Figure:
    return Figure(float(values.mean()), low, high, float(values.std()))


def auc(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """How often a positive example has the higher score than a negative one, a tie being half of it.

    >>> auc(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    _, rank, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[rank]  # of equal scores the mean rank
    positive = int(np.count_nonzero(truth))
    above = float(ranks[truth].sum()) - positive * (positive + 1) / 2
    return above / (positive * (len(truth) - positive))


def _auc_by_fold(one: Round, truth: NDArray[np.bool_]) -> float:
    """The area over pairs of the same fold: scores of two models are not on one scale, and comparing them makes a
    classifier of few examples look worse than it is (Airola et al., leave-pair-out cross-validation, 2011)."""
    won, pairs = 0.0, 0
    for fold in np.unique(one.folds):
        inside = one.folds == fold
        own = truth[inside]
        count = int(np.count_nonzero(own)) * int(np.count_nonzero(~own))
        if count:
            won += count * auc(one.scores[inside], own)
            pairs += count
    return won / pairs


def wilson(share: float, size: float) -> tuple[float, float]:
    """Wilson's score interval of a proportion (1927).

    >>> [round(bound, 3) for bound in wilson(1.0, 8)]
    [0.747, 1.0]
    """
    if size <= 0:
        return 0.0, 1.0
    z2 = _Z * _Z
    middle = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = _Z / (1 + z2 / size) * math.sqrt(share * (1 - share) / size + z2 / (4 * size * size))
    return max(0.0, middle - half), 1.0 if share == 1.0 else middle + half


def _auc_interval(area: float, positive: int, negative: int) -> tuple[float, float]:
    """Newcombe's interval for the area under the curve: Statistics in Medicine 25 (2006) 559-573, method 5. Wilson's
    idea with Hanley and McNeil's variance: the bounds are the areas of which the measured one is just within reach."""
    mean = (positive + negative) / 2 - 1

    def reach(true: float) -> float:
        variance = true * (1 - true) * (1 + mean * (1 - true) / (2 - true) + mean * true / (1 + true))
        return _Z * math.sqrt(variance / (positive * negative))

    return _bound(area, 0.0, reach), _bound(area, 1.0, reach)


def _bound(area: float, end: float, reach: Callable[[float], float]) -> float:
    """The value between ``area`` and ``end`` that lies its own reach away from ``area``."""
    near, far = area, end
    for _ in range(_STEPS):
        middle = (near + far) / 2
        if abs(area - middle) <= reach(middle):
            near = middle
        else:
            far = middle
    return near
