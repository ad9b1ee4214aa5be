"""Navigation patterns: from a site's entry pages to its object patterns (METHODS, section 5, step 5).

Built backwards: all edges of a site are there first, and those are left out that save the most bytes while what is
wanted is still reached. Forwards, one would stop at the first link to a pattern, such as the three events on a front
page, and miss the listings that lead to all of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable

from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.site_graph import Edge, SiteGraph

__all__ = ["Costs", "edges_within", "pruned", "ways_to"]


def edges_within(site: SiteGraph, patterns: Collection[int]) -> set[Edge]:
    """The edges of a site between these patterns."""
    return {edge for edge in site.edges if edge[0] in patterns and edge[1] in patterns}


def ways_to(site: SiteGraph, wanted: Iterable[int]) -> set[Edge]:
    """The cheapest edges by which every page of the wanted patterns is reached that all edges reach."""
    pages = 0
    for pattern in wanted:
        pages |= site.of_pattern.get(pattern, 0)
    pages &= site.reached(site.edges)
    return pruned(site, set(site.edges), lambda reached: reached & pages == pages)


def pruned(site: SiteGraph, edges: set[Edge], suffices: Callable[[int], bool]) -> set[Edge]:
    """The edges, without what can be left out: whole patterns first, then single edges, the dearest first. ``suffices``
    is asked of the pages that would be reached."""
    for unit in _units(site, edges):
        fewer = edges - unit
        if len(fewer) < len(edges) and suffices(site.reached(fewer)):
            edges = fewer
    return _used(site, edges)


def _units(site: SiteGraph, edges: set[Edge]) -> list[set[Edge]]:
    """What may be left out together: all edges to a pattern, then each edge."""
    reached = site.reached(edges)
    weight = {number: site.bytes_of(pages & reached) for number, pages in site.of_pattern.items()}
    targets = sorted({target for _, target in edges}, key=lambda target: (-weight[target], target))
    single = sorted(edges, key=lambda edge: (-weight[edge[1]], edge))
    return [{edge for edge in edges if edge[1] == target} for target in targets] + [{edge} for edge in single]


def _used(site: SiteGraph, edges: set[Edge]) -> set[Edge]:
    """The edges that start at a pattern of which a page is reached."""
    reached = site.reached(edges)
    return {edge for edge in edges if site.of_pattern[edge[0]] & reached}


class Costs:
    """Expected bytes of a pattern more: its pages, and the patterns on the cheapest way to it that are not fetched
    anyway. A pattern leads to another where its pages link to at least half as many of the other's as those of any."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._ways = {pattern: self._way(pattern) for pattern in atlas.objects_of}

    def __call__(self, pattern: int, chosen: Collection[int]) -> float:
        site, bytes_of = self._atlas.site_of, self._atlas.bytes_of
        fetched: set[int] = set()
        for other in chosen:
            if site[other] == site[pattern]:
                fetched.add(other)
                fetched.update(self._ways[other])
        return float(sum(bytes_of[number] for number in {pattern, *self._ways[pattern]} - fetched))

    def _way(self, pattern: int) -> tuple[int, ...]:
        """The patterns before it. Where those that lead to most of its pages lead round in circles, any will do."""
        found = self._shortest(pattern, 0.5)
        return self._shortest(pattern, 0.0) or () if found is None else found

    def _shortest(self, pattern: int, least: float) -> tuple[int, ...] | None:
        """By Dijkstra's algorithm from its end, over patterns that lead to at least this share of what any leads to."""
        site = self._atlas.sites[self._atlas.site_of[pattern]]
        before: dict[int, int] = {}
        waiting = [(0, pattern, pattern)]
        while waiting:
            spent, number, behind = heapq.heappop(waiting)
            if number in before:
                continue
            before[number] = behind
            if site.of_pattern[number] & site.entries:
                return tuple(_path(before, number, pattern))
            leading = site.leading_to(number)
            for other, share in leading.items():
                if other not in before and share >= least * max(leading.values()):
                    heapq.heappush(waiting, (spent + self._atlas.bytes_of[other], other, number))
        return None


def _path(before: dict[int, int], start: int, end: int) -> list[int]:
    """From an entry's pattern to the last one before ``end``."""
    found = []
    while start != end:
        found.append(start)
        start = before[start]
    return found
