"""The cost-aware plan's edges: what all sites' pages state together is kept, not what each one states.

An object that another page of the plan states too need not be reached twice. So patterns and edges are left out over
all sites: first whatever loses no object, then, while there is more than enough, what saves the most bytes an object
that is lost.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.site_graph import Edge
from dowse.recrawl.selection.ways import pruned

__all__ = ["spared"]

Edges = dict[str, set[Edge]]
"""Of each site that is visited."""


def spared(atlas: Atlas, edges: Mapping[str, set[Edge]], enough: int) -> Edges:
    """Fewer edges that still reach ``enough`` objects, as far as these do."""
    return _Sparing(atlas, edges).run(enough)


class _Sparing:
    def __init__(self, atlas: Atlas, edges: Mapping[str, set[Edge]]) -> None:
        self._sites = atlas.sites
        self._edges = {origin: set(ours) for origin, ours in edges.items()}
        self._reached = {origin: self._sites[origin].reached(ours) for origin, ours in self._edges.items()}
        self._stated: Counter[int] = Counter()  # by how many pages
        for origin, pages in self._reached.items():
            for objects in self._sites[origin].objects_of(pages):
                self._stated.update(objects)
        self._left = len(self._stated)

    def run(self, enough: int) -> Edges:
        for origin in sorted(self._edges):
            site = self._sites[origin]
            fewer = pruned(site, self._edges[origin], lambda pages, origin=origin: not self._lost(origin, pages))  # type: ignore[misc]
            self._take(origin, fewer)
        self._trade(enough)
        return {origin: edges for origin, edges in self._edges.items() if self._states(origin)}

    def _trade(self, enough: int) -> None:
        """Leave out what saves the most bytes an object, as long as enough are left."""
        waiting = [offer for origin in sorted(self._edges) for offer in self._offers(origin)]
        heapq.heapify(waiting)
        while waiting and self._left > enough:
            known, origin, unit = heapq.heappop(waiting)
            now = self._offer(origin, unit)
            if now is None:
                continue
            if now[0] > known:
                heapq.heappush(waiting, now)
                continue
            fewer = self._edges[origin] - unit
            if self._left - self._lost(origin, self._sites[origin].reached(fewer)) >= enough:
                self._take(origin, fewer)

    def _offers(self, origin: str) -> list[tuple[float, str, frozenset[Edge]]]:
        """Each pattern, each edge, and the whole site."""
        edges = self._edges[origin]
        units = {frozenset(edges)}
        units |= {frozenset(edge for edge in edges if edge[1] == target) for _, target in edges}
        units |= {frozenset((edge,)) for edge in edges}
        ordered = sorted(units, key=sorted)
        return [offer for unit in ordered if (offer := self._offer(origin, unit)) is not None]

    def _offer(self, origin: str, unit: frozenset[Edge]) -> tuple[float, str, frozenset[Edge]] | None:
        """Minus the bytes that it saves for each object that is lost; None where it saves nothing."""
        site = self._sites[origin]
        pages = site.reached(self._edges[origin] - unit)
        saved = site.bytes_of(self._reached[origin] & ~pages)
        return (-saved / max(self._lost(origin, pages), 1), origin, unit) if saved else None

    def _gone(self, origin: str, pages: int) -> Counter[int]:
        """By how many pages fewer each object is stated when these are reached."""
        found: Counter[int] = Counter()
        for objects in self._sites[origin].objects_of(self._reached[origin] & ~pages):
            found.update(objects)
        return found

    def _lost(self, origin: str, pages: int) -> int:
        return sum(self._stated[one] == count for one, count in self._gone(origin, pages).items())

    def _take(self, origin: str, edges: set[Edge]) -> None:
        pages = self._sites[origin].reached(edges)
        self._left -= self._lost(origin, pages)
        self._stated.subtract(self._gone(origin, pages))
        self._edges[origin], self._reached[origin] = edges, pages

    def _states(self, origin: str) -> bool:
        """Is anything left to be fetched there but an entry page that states nothing?"""
        return bool(self._sites[origin].objects_of(self._reached[origin]))
