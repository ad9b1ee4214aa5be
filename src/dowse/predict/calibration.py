"""From priorities to chances: how often a URL of such a priority brought a relevant page, and of what value.

A priority may be on any scale (a cosine, minus a depth, a number of links), so only its rank counts: the recent
outcomes are cut into bins of equal size, and the means of the bins are made to rise with the priority by pooling
neighbours that do not (isotonic regression; Ayer et al. 1955, as used for calibration by Zadrozny and Elkan 2002).
Older outcomes count less, since the web a crawl is in changes: how much less depends on how far ahead one looks. A bin
with few outcomes is drawn towards the mean of all.
Seeds stand outside the scale and have a bin of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import SEED_FLOOR

__all__ = ["Calibration", "Curve", "pooled"]

Floats = NDArray[np.float64]

MOST = 4_000  # outcomes that are remembered
BINS = 16
PRIOR = 10.0  # outcomes that the mean of all counts for in each bin


def pooled(means: Iterable[float], weights: Iterable[float]) -> list[float]:
    """The rising sequence nearest to ``means`` by weighted squares (pool adjacent violators).

    >>> pooled([1.0, 3.0, 2.0, 4.0], [1, 1, 1, 1])
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for mean, weight in zip(means, weights, strict=True):
        block = (mean, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            before, heavy, length = blocks.pop()
            total = heavy + block[1]
            block = ((before * heavy + block[0] * block[1]) / total, total, length + block[2])
        blocks.append(block)
    return [mean for mean, _, length in blocks for _ in range(length)]


@dataclass(frozen=True, slots=True)
class Curve:
    """The chances at one moment. Columns have a row a bin, from the lowest priorities to the highest; the last is the
    seeds'."""

    edges: Floats  # the lowest priority of each bin but the first
    relevant: Floats  # chance that a fetch brings a relevant page
    value: Floats  # score that a fetch is expected to bring
    value_variance: float  # of the score a fetch brings, over all recent ones

    def bins(self, priorities: Floats) -> NDArray[np.intp]:
        """The bin of each priority, for ``relevant`` and ``value``."""
        return np.searchsorted(self.edges, priorities, side="right")


class Calibration:
    """Remembers the last outcomes, in a ring: learning costs the same however long the crawl is."""

    def __init__(self) -> None:
        self._rows = np.zeros((MOST, 3))  # priority, relevant, value
        self._count = 0  # outcomes ever learned

    def learn(self, priority: float, relevant: bool, value: float) -> None:
        """A URL of this priority was fetched; what did not bring a page counts as neither relevant nor of value."""
        self._rows[self._count % MOST] = priority, relevant, value
        self._count += 1

    def curves(self, half_lives: Iterable[float]) -> list[Curve]:
        """The chances as of now: a curve for each number of fetches after which an outcome counts half."""
        kept = min(self._count, MOST)
        ages = (self._count - 1 - np.arange(kept)) % MOST  # of the newest outcome: 0
        rows = self._rows[:kept]
        seeds = rows[:, 0] >= SEED_FLOOR
        ordered = np.argsort(rows[:, 0], kind="stable")[: kept - int(np.count_nonzero(seeds))]
        priorities = rows[ordered, 0]
        edges = np.unique(priorities[len(priorities) * np.arange(1, BINS) // BINS]) if len(priorities) else priorities
        edges = edges[edges > priorities[:1]]  # what is equal is in one bin
        bins = np.searchsorted(edges, rows[:, 0], side="right")
        bins[seeds] = len(edges) + 1
        return [_curve(rows, 0.5 ** (ages / half_life), seeds, edges, bins) for half_life in half_lives]


def _curve(rows: Floats, weights: Floats, seeds: NDArray[np.bool_], edges: Floats, bins: NDArray[np.intp]) -> Curve:
    base = _means(rows, weights, ~seeds if not seeds.all() else seeds)
    heavy = np.bincount(bins, weights, len(edges) + 2) + PRIOR
    columns = []
    for column, mean in ((1, base[0]), (2, base[1])):
        means = (np.bincount(bins, weights * rows[:, column], len(edges) + 2) + PRIOR * mean) / heavy
        columns.append(np.array([*pooled(means[:-1].tolist(), heavy[:-1].tolist()), means[-1]]))
    return Curve(np.append(edges, SEED_FLOOR), columns[0], columns[1], base[2])


def _means(rows: Floats, weights: Floats, chosen: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Chance, mean value and the value's variance. One page that was half relevant is added (Jeffreys 1946), so that
    nothing is ever impossible."""
    rows, weights = rows[chosen], weights[chosen]
    total = float(weights.sum())
    if not total:
        return 0.5, 0.0, 0.0
    mean = float(weights @ rows[:, 2]) / total
    variance = float(weights @ (rows[:, 2] - mean) ** 2) / total
    return (float(weights @ rows[:, 1]) + 0.5) / (total + 1.0), mean, variance
