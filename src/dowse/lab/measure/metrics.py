"""How good a crawl was: what it found, against what it spent.

Two rules hold throughout. Everything sent is charged: a request that brought no page moves a curve along its axis and
not up. And a figure that would divide by nothing is NaN, not a guess, with one exception: a crawl that brought no page
has harvest rate 0, since it harvested nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dowse.lab.measure.run import Floats, Ints, Run, Spending, StepFunction

__all__ = [
    "benefit_ratio", "harvest_rate", "harvest_steps", "moving_rate", "recall_steps", "relative_efficiency",
    "requests_to_recall", "shared_targets", "target_length", "target_recall", "value_by_cost", "value_steps",
]  # fmt: skip

SHARES = (0.5, 0.8, 0.9)


# -- harvest -----------------------------------------------------------------------------------------------------------


def harvest_rate(run: Run) -> float:
    """Relevant pages among the pages fetched (METHODS, section 3); 0 when no page came."""
    return float(np.count_nonzero(run.relevant) / run.pages) if run.pages else 0.0


def moving_rate(relevant: Ints, window: int) -> Floats:
    """The share of relevant pages among the last ``window``, after each page from the ``window``-th on, given how many
    were relevant after each page.

    >>> moving_rate(np.array([1, 1, 2, 3]), 2).tolist()
    [0.5, 0.5, 1.0]
    """
    if window < 1:
        raise ValueError(f"a window holds at least one page, not {window}")
    before = np.concatenate((np.zeros(1, np.int64), relevant))
    return (before[window:] - before[:-window]) / window


def harvest_steps(run: Run, by: Spending = "requests") -> StepFunction:
    """The harvest rate of all pages so far, by what was spent; 0 before the first page."""
    pages = np.cumsum(run.page)
    return StepFunction(run.spent(by), np.cumsum(run.relevant) / np.maximum(pages, 1))


# -- targets -----------------------------------------------------------------------------------------------------------


def target_recall(run: Run, targets: int) -> float:
    """``|crawled ∩ T| / |T|`` with ``targets`` = ``|T|`` (METHODS, section 3); NaN when T is empty."""
    return float(_found(run, targets)[-1] / targets) if targets and len(run) else (0.0 if targets else math.nan)


def recall_steps(run: Run, targets: int, by: Spending = "requests") -> StepFunction:
    """Target recall by what was spent; NaN everywhere when T is empty."""
    found = _found(run, targets)
    return StepFunction(run.spent(by), found / targets) if targets else StepFunction(np.zeros(1), np.full(1, math.nan))


def requests_to_recall(run: Run, targets: int, shares: Sequence[float] = SHARES) -> tuple[int | None, ...]:
    """How many requests it took until each share of T was found; None for a share that was never reached, or T empty.

    >>> run = Run.of([True] * 5, target=[True, False, True, True, False])
    >>> requests_to_recall(run, 4)
    (3, None, None)
    """
    if any(not 0 < share <= 1 for share in shares):
        raise ValueError(f"shares lie above 0 and at most at 1, not {shares}")
    found = _found(run, targets)
    needed = [max(1, math.ceil(share * targets - 1e-9)) for share in shares]  # 0.7 of 10 is 7, for all its rounding
    places = np.searchsorted(found, needed, side="left").tolist()
    return tuple(place + 1 if targets and place < len(found) else None for place in places)


def _found(run: Run, targets: int) -> Ints:
    found = np.cumsum(run.target, dtype=np.int64)
    if targets < 0 or (len(found) and found[-1] > targets):
        raise ValueError(f"the run found {found[-1] if len(found) else 0} of {targets} targets: each counts once")
    return found


def shared_targets(distances: Sequence[Sequence[int]]) -> int:
    """Over how many targets the target lengths of these crawls can be compared: the fewest that one of them found."""
    return min((len(found) for found in distances), default=0)


def target_length(distances: Sequence[int], count: int) -> float:
    """The link distances from the seeds of the first ``count`` targets found, summed (METHODS, section 3). NaN when
    fewer were found: only sums over the same number of targets compare, see :func:`shared_targets`.

    >>> target_length([3, 1, 5], 2), target_length([3], 2)
    (4.0, nan)
    """
    if any(distance < 0 for distance in distances):
        raise ValueError("a target that was found has a distance of at least 0")
    return float(sum(distances[:count])) if len(distances) >= count else math.nan


# -- value and cost ----------------------------------------------------------------------------------------------------


def value_steps(run: Run, total_value: float = 1.0, by: Spending = "cost") -> StepFunction:
    """Value so far as a share of ``total_value``, by what was spent; NaN where the total is 0."""
    return StepFunction(run.spent(by), np.cumsum(run.value) / (total_value or math.nan))


def value_by_cost(run: Run, budgets: ArrayLike) -> Floats:
    """``V(B)``: the value of what was fetched before the cost passed each budget (METHODS, section 1)."""
    return value_steps(run).value(budgets)


def benefit_ratio(run: Run, total_value: float, total_cost: float) -> StepFunction:
    """``V(current) / V(total)`` against the fraction of the cost of fetching everything (TH-Gatherer, Fig 4). Both
    totals are of the corpus; requests that bring no page can take a crawl beyond fraction 1. NaN where there is no
    value to be had."""
    if not total_cost > 0:
        raise ValueError(f"a fraction of cost needs a total above 0, not {total_cost}")
    steps = value_steps(run, total_value)
    return StepFunction(steps.at / total_cost, steps.height)


def relative_efficiency(run: Run, budgets: ArrayLike, bound: ArrayLike) -> Floats:
    """``E = V(B) / UB(B)`` at each budget (TH-Gatherer, Fig 5), ``bound`` the fractional-knapsack value there (see
    :func:`dowse.lab.measure.oracles.knapsack_bound`); NaN where nothing could be had for the budget."""
    limits = np.asarray(bound, np.float64)
    return value_by_cost(run, budgets) / np.where(limits > 0, limits, math.nan)
