"""Mean curves of strategies: what each had found, on average over topics and seed sets, at places along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dowse.lab.compare.bootstrap import Cell, Interval, resampling
from dowse.lab.compare.run_results import Kind, RunResult, by_strategy, recall_function
from dowse.lab.corpus import Unfit
from dowse.lab.measure.run import Floats, StepFunction

__all__ = ["Drawn", "LiftRow", "MeanCurve", "averaged", "mean_curves"]


@dataclass(frozen=True, slots=True)
class MeanCurve:
    """The mean of a strategy's runs at places along an axis (requests, cost); the bounds are NaN where nothing could
    be resampled."""

    strategy: str
    kind: Kind
    at: Floats
    height: Floats
    low: Floats
    high: Floats
    runs: int


@dataclass(frozen=True, slots=True)
class LiftRow:
    """A strategy's means with their 95 % intervals. ``against``: its area over that of another, as a ratio of means
    over the runs that both have."""

    strategy: str
    harvest: Interval  # at the end
    lift: Interval  # the mean height of the lift curve: harvest counted early and late alike
    area: Interval  # below recall by requests
    against: tuple[tuple[str, Interval], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The curves of a figure, the highest first; the labels that could not take part; the table of some figures; and
    what a reader must know besides."""

    curves: list[MeanCurve]
    unfit: list[Unfit]
    table: list[LiftRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def averaged(
    at: Floats, heights: Mapping[str, Mapping[Cell, Floats]], kind: Callable[[str], Kind], *, seed_number: int = 0
) -> list[MeanCurve]:
    """The mean curve of each strategy, given the heights of its runs at these places; the highest area first."""
    curves = []
    for strategy, cells in heights.items():
        own = sorted(cells)
        draw = resampling(tuple(own), seed_number)
        columns = np.stack([cells[cell] for cell in own])
        low = high = np.full(len(at), math.nan)
        if draw.basis != "nothing":
            low, high = np.percentile(draw.weights @ columns, (2.5, 97.5), axis=0)
        curves.append(MeanCurve(strategy, kind(strategy), at, draw.plain @ columns, low, high, len(own)))
    return sorted(curves, key=lambda curve: (-float(curve.height.sum()), curve.strategy))


def mean_curves(
    results: Sequence[RunResult], budget_requests: int,
    function: Callable[[Iterable[RunResult]], list[StepFunction]] = recall_function, *, points: int = 240,
    seed_number: int = 0,
) -> list[MeanCurve]:  # fmt: skip
    """Mean recall (or what ``function`` makes of a run) by requests, one curve a strategy; runs without targets have no
    curve."""
    places = np.unique(np.linspace(0, budget_requests, points + 1).round())
    known = by_strategy([result for result in results if result["recall"] is not None])
    heights = {
        name: {
            (result["topic"], result["seed_set"]): steps.value(places)
            for result, steps in zip(own, function(own), strict=True)
        }
        for name, own in known.items()
    }
    return averaged(places, heights, lambda name: known[name][0]["kind"], seed_number=seed_number)
