"""The three policies on one web, budget by budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dowse.lab.freshness.changing_web import ChangingWeb
from dowse.lab.freshness.trial import Floats, Kept, Schedule, keep_fresh
from dowse.model.topic import Topic
from dowse.recrawl.revisit import POLICIES, Visit, expected_error, rate_of

__all__ = ["Compared", "Told", "compare_policies", "comparison_text", "within_theory"]

_FEWEST = 8  # visits, for a rate to be compared with the truth
_FEWEST_OF_EACH = 2  # expected changes, and visits without one: else the error is no normal one
_NORMAL = 1.96  # standard errors on either side hold 95 of 100

Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Compared:
    """How fresh each policy kept a collection with so many pages a run. A page that any of them found counts for all,
    with the greatest value that it had for one."""

    pages: int
    kept: Mapping[str, Kept]
    over_time: Mapping[str, Floats]  # by policy: freshness in each period
    freshness: Mapping[str, float]  # the mean of these, from when on it counts

    @classmethod
    def of(cls, pages: int, kept: Mapping[str, Kept], warm_up: int) -> Compared:
        """``warm_up``: periods that do not count yet."""
        values: dict[str, float] = {}
        for one in kept.values():
            for url, value in one.values.items():
                values[url] = max(value, values.get(url, 0.0))
        over_time = {policy: one.over_time(values) for policy, one in kept.items()}
        return cls(pages, kept, over_time, {name: float(line[warm_up:].mean()) for name, line in over_time.items()})

    @property
    def gain(self) -> float:
        """``auto`` over ``uniform``."""
        return self.freshness["auto"] / self.freshness["uniform"]

    @property
    def stale(self) -> float:
        """How much of the time in which the collection is stale with ``uniform`` it still is with ``auto``."""
        uniform = 1 - self.freshness["uniform"]
        return (1 - self.freshness["auto"]) / uniform if uniform > 0 else 1.0

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {
            name: {
                "freshness": self.freshness[name], "visits": kept.visits, "changed": kept.changed,
                "over time": self.over_time[name].tolist(),
            }
            for name, kept in self.kept.items()
        }  # fmt: skip
        return {"pages": self.pages, **told, "gain": self.gain, "stale": self.stale}


def compare_policies(
    web: ChangingWeb, topic: Topic, budgets: Sequence[int], schedule: Schedule, told: Told | None = None
) -> Iterator[Compared]:
    """Each policy with each budget of pages a run."""
    for pages in budgets:
        kept = {}
        for policy in POLICIES:
            name = f"{policy}, {pages} pages a run"
            kept[policy] = keep_fresh(
                web, topic, policy, pages, schedule,
                None if told is None else lambda done, of, name=name: told(name, done, of),  # type: ignore[misc]
            )  # fmt: skip
        yield Compared.of(pages, kept, schedule.warm_up)


def comparison_text(rows: Sequence[Compared]) -> str:
    """The table, to be read."""
    lines = [f"{'pages a run':>11}  {'uniform':>8} {'proport.':>8} {'auto':>8}  auto/uniform  stale"]
    for row in rows:
        shares = " ".join(f"{row.freshness[name]:8.3f}" for name in ("uniform", "proportional", "auto"))
        lines.append(f"{row.pages:>11}  {shares}  {row.gain:>12.2f}  {row.stale:>5.2f}")
    return "\n".join(lines)


def within_theory(kept: Kept, rates: Mapping[str, float]) -> tuple[int, int]:
    """Of how many pages, whose true rates are known, the estimate can be compared; and how many of these estimates lie
    within the interval of 95 % that theory gives for the true rate and the intervals of the visits."""
    compared = within = 0
    for url, visits in kept.intervals.items():
        rate = rates.get(url)
        if rate is None or not _tells(rate, visits):
            continue
        compared += 1
        error = expected_error(rate, [visit.interval_s for visit in visits])
        within += abs(rate_of(visits) - rate) <= _NORMAL * error
    return compared, within


def _tells(rate: float, visits: Sequence[Visit]) -> bool:
    changes = float(sum(-np.expm1(-rate * visit.interval_s) for visit in visits))
    return len(visits) >= _FEWEST and _FEWEST_OF_EACH <= changes <= len(visits) - _FEWEST_OF_EACH
