"""Value gathered for what was spent: TH-Gatherer's figures 4 and 5 (METHODS, section 1).

The value of a page is its true similarity to the topic, its cost the time it takes, both known only once it is fetched;
a request that brings no page costs and is worth nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from dowse.lab.compare.bootstrap import Cell
from dowse.lab.compare.each_topic import Task, Told, each_topic, opened
from dowse.lab.compare.mean_curves import Drawn, averaged
from dowse.lab.compare.plan import Plan, budget_requests, kind_of, with_references
from dowse.lab.measure.metrics import benefit_ratio, relative_efficiency
from dowse.lab.measure.oracles import Bound, knapsack_bound
from dowse.lab.measure.run import Floats, Run

__all__ = ["benefit", "efficiency", "value_curves"]

_POINTS = 200

Height = Callable[[Run, Floats, float, Bound], Floats]
"""The height of a run's curve at fractions of the total cost, which is given, as is the best that each cost buys."""


def benefit(run: Run, fractions: Floats, total_cost: float, bound: Bound) -> Floats:
    """The share of all value (figure 4)."""
    return benefit_ratio(run, float(bound.value[-1]), total_cost).value(fractions)


def efficiency(run: Run, fractions: Floats, total_cost: float, bound: Bound) -> Floats:
    """The share of what could have been bought (figure 5)."""
    budgets = fractions * total_cost
    return np.nan_to_num(relative_efficiency(run, budgets, bound.at(budgets)))


def value_curves(
    height: Height, folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """By the cost, in percent of that of the whole corpus."""
    pages = int(np.count_nonzero(opened(folder)[0].pages.is_page()))
    requests = budget_requests(plan.budget, pages)
    fractions = np.linspace(0.0, requests / pages, _POINTS + 1)
    # the curves end at a cost, which cheap requests reach late
    plan = replace(with_references(plan), budget=f"{2 * requests}r")
    done = each_topic(partial(_heights, height, fractions), folder, plan, labels, jobs=jobs, told=told)
    heights: dict[str, dict[Cell, Floats]] = {}
    for own in done.found.values():
        for strategy, cells in own.items():
            heights.setdefault(strategy, {}).update(cells)
    return Drawn(averaged(100 * fractions, heights, kind_of), done.unfit)


def _heights(height: Height, fractions: Floats, task: Task) -> dict[str, dict[Cell, Floats]]:
    """The curve of each run on a topic."""
    runs = task.runs()
    value, cost = runs.values(), runs.costs()
    total_cost, bound = float(cost.sum()), knapsack_bound(value, cost)
    return {
        strategy: {
            (task.topic.label, f"{seeds.kind}-{seeds.number}"): height(
                runs.measured(seeds, strategy, value, cost), fractions, total_cost, bound
            )
            for seeds in task.seeds
        }
        for strategy in task.plan.strategies
    }
