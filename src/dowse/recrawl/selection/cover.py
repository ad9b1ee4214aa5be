"""Which patterns cover the objects: SR(k) as published, and by cost (Zhou et al., section 2.3; METHODS, section 5)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

__all__ = ["Step", "by_cost", "by_gain", "sr"]

Covers = Mapping[int, frozenset[int]]
"""The distinct objects that each pattern covers."""

Cost = Callable[[int, Collection[int]], float]
"""Expected bytes of one pattern more, beside those that are chosen already: its pages, and what of the way to them is
not fetched anyway."""


@dataclass(frozen=True, slots=True)
class Step:
    """A pattern that was chosen: what it added, and what that took."""

    pattern: int
    gain: int  # objects that no pattern before it covers
    cost: float  # bytes, the way included
    covered: int  # objects, with those before it
    spent: float  # bytes, likewise


def sr(covers: Covers, k: int, cost: Cost) -> list[Step]:
    """SR(k): the pattern with the most new distinct objects is next, until none adds ``k``. Of equals the cheaper."""
    return by_gain(covers, cost, least=k)


def by_gain(
    covers: Covers, cost: Cost, *, least: int = 1, enough: int | None = None, budget: float | None = None
) -> list[Step]:
    """Greedy by new objects, until a pattern adds fewer than ``least``, or ``enough`` are covered. What does not fit
    into the ``budget`` is passed over."""
    waiting = [(-len(objects), cost(pattern, ()), pattern) for pattern, objects in covers.items()]
    heapq.heapify(waiting)
    steps: list[Step] = []
    covered: set[int] = set()
    chosen: list[int] = []
    spent = 0.0
    while waiting and (enough is None or len(covered) < enough):
        known, alone, pattern = heapq.heappop(waiting)
        gain = len(covers[pattern] - covered)
        if gain < max(least, 1):
            continue
        if gain < -known:  # others may add more by now; the gain of none grows
            heapq.heappush(waiting, (-gain, alone, pattern))
            continue
        price = cost(pattern, chosen)
        if budget is not None and spent + price > budget:
            continue
        covered |= covers[pattern]
        chosen.append(pattern)
        spent += price
        steps.append(Step(pattern, gain, price, len(covered), spent))
    return steps


def by_cost(
    covers: Covers, cost: Cost, site_of: Mapping[int, str], *, enough: int, budget: float | None = None
) -> list[Step]:
    """Greedy by new objects a byte, until ``enough`` are covered.

    Evaluated lazily: what a pattern adds only ever falls, so that a ratio of before is a bound. Its cost falls only
    when another pattern of its site is chosen, which opens a part of its way; then those of that site are counted anew.
    """
    waiting: list[tuple[float, int, int]] = []  # minus the ratio, the pattern, and when it was counted
    latest: dict[int, int] = {}
    of_site: dict[str, list[int]] = {}
    covered: set[int] = set()
    chosen: list[int] = []

    def count(pattern: int) -> None:
        gain, price = len(covers[pattern] - covered), cost(pattern, chosen)
        latest[pattern] = len(chosen)
        if gain:
            heapq.heappush(waiting, (-gain / max(price, 1.0), pattern, len(chosen)))

    for pattern in covers:
        of_site.setdefault(site_of[pattern], []).append(pattern)
        count(pattern)
    steps: list[Step] = []
    spent = 0.0
    while waiting and len(covered) < enough:
        known, pattern, when = heapq.heappop(waiting)
        if when != latest[pattern]:
            continue
        gain, price = len(covers[pattern] - covered), cost(pattern, chosen)
        if -gain / max(price, 1.0) != known:
            count(pattern)
            continue
        latest[pattern] = -1
        if budget is not None and spent + price > budget:
            continue
        covered |= covers[pattern]
        chosen.append(pattern)
        spent += price
        steps.append(Step(pattern, gain, price, len(covered), spent))
        for other in of_site[site_of[pattern]]:
            if latest[other] >= 0:
                count(other)
    return steps
