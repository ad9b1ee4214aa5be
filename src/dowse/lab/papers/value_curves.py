"""Value gathered for what was spent: TH-Gatherer's figures 4 and 5 (METHODS, section 1).

The value of a page is its true similarity to the topic. Its cost is what the plan's form of costs makes of it, and that
is what ``V/C`` divides by as well; both are known only once it is fetched. A request that brings no page costs and is
worth nothing. Where costs hardly differ from page to page, dividing by them can show nothing: so their spread is told.
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
from dowse.lab.compare.topic_runs import page_costs
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
    # the curves end at a cost, and who chooses cheap pages needs more requests to spend as much; some bring no page
    paid = np.sort(page_costs(*opened(folder), plan))[-pages:]
    cheapest = int(np.searchsorted(np.cumsum(paid), requests / pages * paid.sum())) + 1
    plan = replace(with_references(plan), budget=f"{cheapest + requests}r")
    done = each_topic(partial(_heights, height, fractions), folder, plan, labels, jobs=jobs, told=told)
    heights: dict[str, dict[Cell, Floats]] = {}
    for own in done.found.values():
        for strategy, cells in own.items():
            heights.setdefault(strategy, {}).update(cells)
    return Drawn(averaged(100 * fractions, heights, kind_of), done.unfit, notes=[_spread(folder, plan)])


def _spread(folder: Path, plan: Plan) -> str:
    """What pages cost."""
    cost = page_costs(*opened(folder), plan)
    low, middle, high = np.percentile(cost[cost > 0], (10, 50, 90))
    return (
        f"cost ({plan.cost} form, {plan.speeds} speeds): half of the pages cost at most {middle:.2f} s, "
        f"a tenth at most {low:.2f} s, a tenth at least {high:.2f} s"
    )


def _heights(height: Height, fractions: Floats, task: Task) -> dict[str, dict[Cell, Floats]]:
    """The curve of each run on a topic."""
    runs = task.runs()
    value, cost = runs.values(), page_costs(task.corpus, task.web, task.plan)
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
