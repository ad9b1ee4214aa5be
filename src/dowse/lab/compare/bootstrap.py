"""Means over topics and seed sets, with intervals that say how far they can be trusted.

Seed sets of one topic are not independent, so they are resampled inside it: first topics, then seed sets within each
topic drawn (a two-stage cluster bootstrap; Davison and Hinkley 1997, section 3.8). Every topic weighs the same, however
many seed sets it has. Intervals are percentiles of the resampled means. Strategies are compared pair by pair: on the
runs both have, resampled together, so that a hard topic is hard for both.

The same runs and the same ``seed_number`` give the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dowse.lab.measure.run import Floats

__all__ = ["RESAMPLES", "Cell", "Comparison", "Interval", "Resampling", "difference", "mean", "ratio", "resampling"]

RESAMPLES = 2_000
LEVEL = 0.95
Cell = tuple[str, str]  # topic, seed set
Results = Mapping[Cell, float]  # NaN or absent: missing


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and where it may lie. ``low`` and ``high`` are NaN where nothing could be resampled."""

    mean: float
    low: float
    high: float
    runs: int
    basis: str  # what was resampled: "topics and seed sets", "topics", "seed sets" or "nothing"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one strategy stands to another, and the share of resamples in which it was the better (equal counts half;
    NaN where nothing could be resampled)."""

    interval: Interval
    wins: float


class Resampling:
    """Draws of the given runs, as weights: ``weights @ values`` is the mean in each draw, for any values of them."""

    def __init__(self, cells: Sequence[Cell], seed_number: int = 0, resamples: int = RESAMPLES) -> None:
        topics = list(dict.fromkeys(topic for topic, _ in cells))
        members = [np.flatnonzero([cell[0] == topic for cell in cells]) for topic in topics]
        sizes = np.array([len(own) for own in members], np.int64)
        self.runs = len(cells)
        self.basis = _basis(len(topics), int(sizes.max(initial=0)))
        self.plain = np.zeros(len(cells))  # the weights of the mean itself
        for own in members:
            self.plain[own] = 1 / (len(topics) * len(own))
        if not cells:
            self.weights = np.zeros((resamples, 0))
            return
        dice = np.random.default_rng(seed_number)
        drawn = dice.integers(0, len(topics), (resamples, len(topics)))
        throws = dice.random((resamples, len(topics), int(sizes.max())))
        place = (throws * sizes[drawn][:, :, None]).astype(np.int64)
        used = np.arange(int(sizes.max())) < sizes[drawn][:, :, None]
        first = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        cell = np.concatenate(members)[(first[drawn][:, :, None] + place)[used]]
        row = np.broadcast_to(np.arange(resamples)[:, None, None], used.shape)[used]
        counts = np.bincount(row * len(cells) + cell, minlength=resamples * len(cells))
        self.weights = counts.reshape(resamples, len(cells)) * self.plain

    def interval(self, mean: float, draws: Floats) -> Interval:
        """The mean with the percentiles of what it was in each draw; draws without an answer (NaN) are left out."""
        known = draws[np.isfinite(draws)]
        if self.basis == "nothing" or not len(known):
            return Interval(mean, math.nan, math.nan, self.runs, self.basis)
        low, high = np.percentile(known, _PERCENTILES)
        return Interval(mean, float(low), float(high), self.runs, self.basis)


@lru_cache(maxsize=32)
def resampling(cells: tuple[Cell, ...], seed_number: int = 0, resamples: int = RESAMPLES) -> Resampling:
    """The draws of these runs, made once: strategies of one comparison mostly share their runs."""
    return Resampling(cells, seed_number, resamples)


_PERCENTILES = (50 * (1 - LEVEL), 50 * (1 + LEVEL))


def _basis(topics: int, seed_sets: int) -> str:
    parts = [name for name, count in (("topics", topics), ("seed sets", seed_sets)) if count > 1]
    return " and ".join(parts) or "nothing"


def mean(results: Results, seed_number: int = 0, resamples: int = RESAMPLES) -> Interval:
    """The mean over topics of the means over their seed sets; NaN of no results."""
    cells = _present(results)
    draw = resampling(tuple(cells), seed_number, resamples)
    values = np.array([results[cell] for cell in cells])
    return draw.interval(float(draw.plain @ values) if cells else math.nan, draw.weights @ values)


def difference(ours: Results, theirs: Results, seed_number: int = 0, resamples: int = RESAMPLES) -> Comparison:
    """The mean of ours minus theirs, over the runs that both have."""
    draw, a, b = _paired(ours, theirs, seed_number, resamples)
    gap = a - b
    average = float(draw.plain @ gap) if draw.runs else math.nan
    return Comparison(draw.interval(average, draw.weights @ gap), _wins(draw, draw.weights @ gap))


def ratio(ours: Results, theirs: Results, seed_number: int = 0, resamples: int = RESAMPLES) -> Comparison:
    """The mean of ours over the mean of theirs, over the runs that both have: a ratio of means, which one topic where
    theirs is almost nothing does not overturn. NaN where theirs is 0."""
    draw, a, b = _paired(ours, theirs, seed_number, resamples)
    above, below = draw.weights @ a, draw.weights @ b
    divisor = float(draw.plain @ b) if draw.runs else 0.0
    average = float(draw.plain @ a) / divisor if divisor else math.nan
    draws = np.divide(above, below, out=np.full(len(above), math.nan), where=below != 0)
    return Comparison(draw.interval(average, draws), _wins(draw, above - below))


def _present(*results: Results) -> list[Cell]:
    """The runs that all have, in an order that does not depend on how they were given."""
    shared = set.intersection(*(set(one) for one in results))
    return sorted(cell for cell in shared if all(math.isfinite(one[cell]) for one in results))


def _paired(ours: Results, theirs: Results, seed_number: int, resamples: int) -> tuple[Resampling, Floats, Floats]:
    cells = _present(ours, theirs)
    a, b = (np.array([one[cell] for cell in cells]) for one in (ours, theirs))
    return resampling(tuple(cells), seed_number, resamples), a, b


def _wins(draw: Resampling, gaps: Floats) -> float:
    if draw.basis == "nothing":
        return math.nan
    # two equal strategies differ by the rounding of their sums alone
    level = np.abs(gaps) <= 1e-12
    return float(((gaps > 0) & ~level).mean() + level.mean() / 2)
