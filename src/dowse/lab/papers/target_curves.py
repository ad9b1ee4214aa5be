"""What crawls found, and how far they went for it: figures 5 to 7 of the gray tunneling paper (METHODS, section 3).

They show the runs of a comparison, which are kept: what was compared before is not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dowse.lab.compare.comparison import compare
from dowse.lab.compare.each_topic import Told, opened
from dowse.lab.compare.mean_curves import Drawn, MeanCurve, averaged, mean_curves
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.run_results import RunResult, by_strategy, harvest_function, recall_function
from dowse.lab.compare.target_lengths import comparable
from dowse.lab.measure.run import Floats
from dowse.model.errors import UserError

__all__ = ["HUNDRED", "harvest_curves", "length_curves", "recall_curves", "target_curves"]

HUNDRED = 100
"""Targets of every topic and seed set in a figure of target lengths, however many were compared there."""


def target_curves(
    curves: Callable[[Sequence[RunResult], int], list[MeanCurve]], folder: Path, plan: Plan, labels: Sequence[str], *,
    jobs: int = 1, told: Told | None = None,
) -> Drawn:  # fmt: skip
    """The curves that a function makes of the runs of a comparison and the number of pages there are."""
    compared = compare(folder, plan, labels, jobs=jobs, told=told)
    pages = int(np.count_nonzero(opened(folder)[0].pages.is_page()))
    return Drawn(curves(compared.runs, pages) if compared.runs else [], compared.unfit)


def harvest_curves(results: Sequence[RunResult], pages: int) -> list[MeanCurve]:
    """The mean harvest rate so far (figure 5), by requests in percent of the pages of the corpus. Before the first
    request there is none."""
    curves = mean_curves(results, _budget(results), harvest_function)
    return _by_percent([_from(curve, 1) for curve in curves], pages)


def recall_curves(results: Sequence[RunResult], pages: int) -> list[MeanCurve]:
    """The mean target recall (figure 6), by requests in percent of the pages of the corpus."""
    return _by_percent(mean_curves(results, _budget(results), recall_function), pages)


def _from(curve: MeanCurve, first: int) -> MeanCurve:
    """The curve without its first places."""
    at, height, low, high = (column[first:] for column in (curve.at, curve.height, curve.low, curve.high))
    return replace(curve, at=at, height=height, low=low, high=high)


def _budget(results: Sequence[RunResult]) -> int:
    return max(result["budget_requests"] for result in results)


def _by_percent(curves: Sequence[MeanCurve], pages: int) -> list[MeanCurve]:
    return [replace(curve, at=100 * curve.at / pages) for curve in curves]


def length_curves(results: Sequence[RunResult], _: int = 0) -> list[MeanCurve]:
    """The sum of target lengths by targets found (figure 7), over the same number of targets for all (see
    ``lengths``).

    Every topic and seed set is stretched or shrunk to a hundred targets, so that each weighs the same, whether 5 or 500
    targets were compared there: the last height is a hundred times the mean links a target. Strategies that did not
    find so many somewhere have no curve. Raises UserError when nothing could be compared.
    """
    lengths, groups = comparable(results), by_strategy(results)
    if not lengths.targets:
        raise UserError("no lengths to compare: in every run a strategy found no target; raise --budget")
    places = np.arange(HUNDRED + 1.0)
    heights = {
        name: {cell: _stretched(lengths.distances[name][cell], places) for cell in lengths.targets}
        for name in groups
        if lengths.sums(name)
    }
    return averaged(places, heights, lambda name: groups[name][0]["kind"])


def _stretched(distances: Sequence[int], places: Floats) -> Floats:
    """The sums of the first distances at these places, as if there were a hundred of them.

    >>> _stretched([1, 3], np.array([0.0, 50.0, 75.0, 100.0])).tolist()
    [0.0, 50.0, 125.0, 200.0]
    """
    scale = HUNDRED / len(distances)
    sums = np.concatenate(([0.0], np.cumsum(distances, dtype=np.float64)))
    return np.interp(places, scale * np.arange(len(sums)), scale * sums)
