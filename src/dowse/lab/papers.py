"""Figures of the papers, drawn on any corpus: what each measures, and the curves it needs.

All are TH-Gatherer's (METHODS, section 1). th-3 is the error of prediction by the number of pages that link to a page
(see ``prediction``); th-4 and th-5 are about crawls. The value of a page is its true similarity to the topic, its cost
the time it takes, both known only once it is fetched; a request that brings no page costs and is worth nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dowse.lab.bootstrap import Cell
from dowse.lab.compare.compare import opened, topic_and_seeds
from dowse.lab.compare.plan import REFERENCES, Plan, budget_requests, kind_of
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, Unfit
from dowse.lab.curves import MeanCurve, averaged
from dowse.lab.metrics import benefit_ratio, relative_efficiency
from dowse.lab.oracles import Bound, knapsack_bound
from dowse.lab.prediction import MOST_PARENTS, prediction_curves
from dowse.lab.replay.web import CorpusWeb
from dowse.lab.run import Floats, Run

__all__ = ["PAPERS", "PaperFigure", "paper_curves"]

_POINTS = 200
_COST = "cost, in percent of that of the whole corpus"


Height = Callable[[Run, Floats, float, Bound], Floats]
"""The height of a run's curve at fractions of the total cost, which is given, as is the best that each cost buys."""


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One figure: its title, its axes, and what it shows of a run."""

    title: str
    x: str
    y: str
    height: Height | None = None  # None: it is not about crawls


def _benefit(run: Run, fractions: Floats, total_cost: float, bound: Bound) -> Floats:
    return benefit_ratio(run, float(bound.value[-1]), total_cost).value(fractions)


def _efficiency(run: Run, fractions: Floats, total_cost: float, bound: Bound) -> Floats:
    budgets = fractions * total_cost
    return np.nan_to_num(relative_efficiency(run, budgets, bound.at(budgets)))


PAPERS = {
    "th-3": PaperFigure("Error of the value predicted before download",
                        f"pages that link to a page ({MOST_PARENTS}: or more)", "root mean squared error"),
    "th-4": PaperFigure("Value gathered for what was spent", _COST,
                        "share of all value", _benefit),
    "th-5": PaperFigure("Value gathered, against the best that money can buy", _COST,
                        "value over the knapsack bound", _efficiency),
}  # fmt: skip


def paper_curves(
    name: str, folder: Path, plan: Plan, labels: Sequence[str], told: Callable[[int, int], None] | None = None
) -> list[MeanCurve]:
    """The curve of each strategy and reference, a mean over topics and seed sets; the highest first."""
    figure = PAPERS[name]
    if figure.height is None:
        return prediction_curves(folder, plan, labels, told)
    corpus, web = opened(folder)
    strategies = tuple(dict.fromkeys((*REFERENCES, *plan.strategies)))
    pages = int(np.count_nonzero(corpus.pages.is_page()))
    requests = budget_requests(plan.budget, pages)
    fractions = np.linspace(0.0, requests / pages, _POINTS + 1)
    plan = replace(plan, budget=f"{2 * requests}r")  # the curves end at a cost, which cheap requests reach late
    heights: dict[str, dict[Cell, Floats]] = {strategy: {} for strategy in strategies}
    for done, label in enumerate(labels, 1):
        for strategy, cell, height in _heights(figure.height, corpus, web, plan, label, strategies, fractions):
            heights[strategy][cell] = height
        if told is not None:
            told(done, len(labels))
    return averaged(100 * fractions, {name: cells for name, cells in heights.items() if cells}, kind_of)


def _heights(
    height: Height, corpus: Corpus, web: CorpusWeb, plan: Plan, label: str, strategies: Sequence[str],
    fractions: Floats,
) -> Iterator[tuple[str, Cell, Floats]]:  # fmt: skip
    """The curve of each run on a topic; none when its label makes no topic."""
    found = topic_and_seeds(corpus, plan, label)
    if isinstance(found, Unfit):
        return
    topic, seeds = found
    runs = TopicRuns(corpus, web, plan, topic)
    value, cost = runs.values(), runs.costs()
    total_cost, bound = float(cost.sum()), knapsack_bound(value, cost)
    for one in seeds:
        for strategy in strategies:
            run = runs.measured(one, strategy, value, cost)
            yield strategy, (label, f"{one.kind}-{one.number}"), height(run, fractions, total_cost, bound)
