"""From an atlas to what a recrawl fetches: SR(k), or as little as covers a share of the objects."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.cover import Step, by_cost, by_gain, sr
from dowse.recrawl.selection.site_graph import Edge
from dowse.recrawl.selection.sparing import spared
from dowse.recrawl.selection.ways import Costs, edges_within, ways_to

__all__ = ["COVERAGE", "Choice", "choose_all", "choose_by_cost", "choose_sr"]

COVERAGE = 0.99
"""The share of the objects that is to be covered, where nobody says."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is fetched again, and what that brought on the crawl it was learned from."""

    method: str
    steps: tuple[Step, ...]  # in the order of their choice
    patterns: frozenset[int]  # those of them that are reached in the end
    edges: dict[str, set[Edge]]  # by site
    objects: int
    object_bytes: int  # of pages of chosen patterns
    way_bytes: int  # of those that lead there

    @property
    def wire_bytes(self) -> int:
        return self.object_bytes + self.way_bytes


def choose_all(atlas: Atlas) -> Choice:
    """All object patterns: recrawling without a selection."""
    covers = atlas.objects_of
    return _to_patterns(atlas, "all patterns", by_gain(covers, Costs(atlas), least=1), covers)


def choose_sr(atlas: Atlas, k: int, *, budget: float | None = None) -> Choice:
    """SR(k), with all pages of its patterns."""
    costs = Costs(atlas)
    covers = atlas.objects_of
    steps = sr(covers, k, costs) if budget is None else by_gain(covers, costs, least=k, budget=budget)
    return _to_patterns(atlas, f"SR({k})", steps, [step.pattern for step in steps])


def choose_by_cost(atlas: Atlas, coverage: float = COVERAGE, *, budget: float | None = None) -> Choice:
    """The cheapest that was found to cover this share of all objects: greedy by objects a byte, and greedy by objects,
    whichever costs less in the end."""
    costs, covers = Costs(atlas), atlas.objects_of
    enough = math.ceil(coverage * len(atlas.objects) - 1e-9)
    runs = [
        by_cost(covers, costs, atlas.site_of, enough=enough, budget=budget),
        by_gain(covers, costs, enough=enough, budget=budget),
    ]
    found = [_sparing(atlas, steps, enough) for steps in runs]
    if budget is not None:
        return max(found, key=lambda choice: (choice.objects, -choice.wire_bytes))
    return min(found, key=lambda choice: choice.wire_bytes)


def _to_patterns(atlas: Atlas, method: str, steps: Sequence[Step], patterns: Collection[int]) -> Choice:
    by_site: dict[str, list[int]] = {}
    for pattern in patterns:
        by_site.setdefault(atlas.site_of[pattern], []).append(pattern)
    edges = {origin: ways_to(atlas.sites[origin], wanted) for origin, wanted in by_site.items()}
    return _choice(atlas, method, steps, patterns, edges)


def _sparing(atlas: Atlas, steps: Sequence[Step], enough: int) -> Choice:
    chosen = {step.pattern for step in steps}
    edges = {}
    for origin in {atlas.site_of[pattern] for pattern in chosen}:
        site = atlas.sites[origin]
        wanted = [pattern for pattern in site.of_pattern if pattern in chosen]
        some = edges_within(site, {number for number in site.of_pattern if number not in atlas.objects_of} | chosen)
        pages = sum(site.of_pattern[pattern] for pattern in wanted)
        reached = site.reached(site.edges) & pages
        edges[origin] = some if site.reached(some) & pages == reached else set(site.edges)
    return _choice(atlas, "cost-aware", steps, chosen, spared(atlas, edges, enough))


def _choice(
    atlas: Atlas, method: str, steps: Sequence[Step], patterns: Collection[int], edges: Mapping[str, set[Edge]]
) -> Choice:
    objects: set[int] = set()
    fetched: set[int] = set()
    spent = {True: 0, False: 0}
    for origin, ours in edges.items():
        site = atlas.sites[origin]
        pages = site.reached(ours)
        objects.update(*site.objects_of(pages))
        for number, of_pattern in site.of_pattern.items():
            if of_pattern & pages:
                spent[number in patterns] += site.bytes_of(of_pattern & pages)
                fetched.add(number)
    return Choice(
        method, tuple(steps), frozenset(fetched.intersection(patterns)), dict(edges), len(objects), spent[True],
        spent[False],
    )  # fmt: skip
