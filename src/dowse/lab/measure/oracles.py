"""Orders that know the answer, to measure a crawl against.

- :func:`knapsack_bound` is what no order can pass: the best pages by V/C, as if every one could be had at once. It
  ignores links and is therefore out of reach on most webs (TH-Gatherer, Fig 5, ``UB``).
- :func:`oracle_greedy` fetches, of the URLs discovered so far, the one of highest true V/C. While nothing it has
  discovered is of value it knows nothing better than the order of discovery, and may wander far.
- :func:`oracle_path` is **the reachable oracle**, the reference of all comparisons. It too is greedy by true V/C among
  URLs discovered so far, so it is one reading of the definition (METHODS, section 1); it only breaks the ties better:
  while nothing discovered is of value, it takes the URL with the fewest links to an undiscovered page of value, and of
  several that link to one, the URL that links to the most.

Neither oracle is the best of all orders: to find that is NP-hard (it holds the Steiner tree problem), so a lucky crawl
may beat them by a little. But for equal costs and values 1 and 0, to take a discovered page of value at once is never
a mistake; only the choice of the path is a heuristic.

All orders name every page that can be reached from the seeds once, or the first ``limit``. Links of a page are
discovered in their order; seeds in theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dowse.lab.measure.link_graph import UNREACHED, LinkGraph
from dowse.lab.measure.run import Bools, Floats, Ints, Run
from dowse.lab.measure.tunnels import Ways

__all__ = ["Bound", "knapsack_bound", "oracle_greedy", "oracle_path", "order_run"]

# -- the bound ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bound:
    """The most value a cost can buy: straight between its corners, level after the last."""

    cost: Floats
    value: Floats

    def at(self, budgets: ArrayLike) -> Floats:
        return np.interp(np.asarray(budgets, np.float64), self.cost, self.value)


def knapsack_bound(value: ArrayLike, cost: ArrayLike) -> Bound:
    """``UB(B)``: pages by falling ``V/C``, the last in part (Dantzig's solution of the fractional knapsack). Pages that
    cost nothing are had at budget 0.

    >>> knapsack_bound([4.0, 1.0, 3.0], [2.0, 1.0, 1.0]).at([0, 1, 2, 3, 4, 9]).tolist()
    [0.0, 3.0, 5.0, 7.0, 8.0, 8.0]
    """
    values, costs = np.asarray(value, np.float64), np.asarray(cost, np.float64)
    priced = costs > 0
    best = np.flatnonzero(priced)[np.argsort(-(values[priced] / costs[priced]), kind="stable")]
    free = values[~priced].sum()
    return Bound(
        np.concatenate(([0.0], np.cumsum(costs[best]))), np.concatenate(([free], free + np.cumsum(values[best])))
    )


# -- orders that know the answer ---------------------------------------------------------------------------------------


def oracle_greedy(
    graph: LinkGraph, seeds: Iterable[int], value: ArrayLike, cost: ArrayLike | None = None, *, limit: int | None = None
) -> Ints:
    """The discovered URL of highest true V/C next, of equals the one discovered first. Cost 1 a page unless given."""
    rate = _rate(graph, value, cost)
    return _listed(_greedy(graph, seeds, rate), graph, limit)


def _greedy(graph: LinkGraph, seeds: Iterable[int], rate: Floats) -> Iterator[int]:
    rates = rate.tolist()
    known = _Known(graph, seeds)
    waiting = [(-rates[page], number, page) for number, page in known.new]
    heapify(waiting)
    while waiting:
        page = heappop(waiting)[2]
        yield page
        for number, new in known.read(page):
            heappush(waiting, (-rates[new], number, new))


def oracle_path(
    graph: LinkGraph, seeds: Iterable[int], value: ArrayLike, cost: ArrayLike | None = None, *, limit: int | None = None
) -> Ints:
    """The reachable oracle: as :func:`oracle_greedy`, and where nothing discovered is of value, the shortest way (in
    links) to an undiscovered page of value. When none is left, the order of discovery."""
    return _listed(_path(graph, seeds, _rate(graph, value, cost)), graph, limit)


def _path(graph: LinkGraph, seeds: Iterable[int], rate: Floats) -> Iterator[int]:
    rates = rate.tolist()
    known = _Known(graph, seeds)
    valuable: list[tuple[float, int, int]] = []
    ways = _Ways(graph, rate > 0, known.seen)
    new = known.new
    while True:
        for number, page in new:
            if rates[page] > 0:
                heappush(valuable, (-rates[page], number, page))
            else:
                ways.add(number, page)
        chosen = heappop(valuable)[2] if valuable else ways.shortest()
        if chosen is None:
            return
        yield chosen
        new = known.read(chosen)


class _Ways:
    """Discovered URLs without value of their own, by how soon they lead to something new of value.

    A key is (links to the nearest undiscovered page of value, minus how many such pages it links to, number). As pages
    get discovered, distances only grow and counts only fall, so an old key is never too late in the heap: it is enough
    to look again at the first one. A distance still holds while the page it leads to is undiscovered; where that is no
    longer so, all distances are measured anew.
    """

    def __init__(self, graph: LinkGraph, valuable: Bools, seen: Bools) -> None:
        self._graph = graph.distinct()
        self._backward = self._graph.reversed()
        self._sources = self._graph.sources()
        self._valuable, self._seen = valuable, seen
        self._heap: list[tuple[int, int, int, int]] = []
        self._measure()

    def _measure(self) -> None:
        hidden = self._valuable & ~self._seen
        self._distance, self._goal = self._backward.nearest(np.flatnonzero(hidden))
        self._hidden_links = np.bincount(
            self._sources, weights=hidden[self._graph.targets], minlength=len(self._graph)
        ).astype(np.int64)

    def add(self, number: int, page: int) -> None:
        heappush(self._heap, (int(self._distance[page]), -int(self._hidden_links[page]), number, page))

    def shortest(self) -> int | None:
        while self._heap:
            distance, gain, number, page = heappop(self._heap)
            if distance == UNREACHED:
                return page
            if distance > 1:
                if self._distance[page] == distance and not self._seen[self._goal[page]]:
                    return page
                heappush(self._heap, (distance, gain, number, page))
                self._rebuild()
                continue
            links = self._graph.links_of(page)
            left = int(np.count_nonzero(self._valuable[links] & ~self._seen[links]))
            if left == -gain and left:
                return page
            heappush(self._heap, (1, -left, number, page) if left else (2, 0, number, page))
        return None

    def _rebuild(self) -> None:
        self._measure()
        numbers, pages = ([key[part] for key in self._heap] for part in (2, 3))
        at = np.array(pages)
        self._heap = list(
            zip(self._distance[at].tolist(), (-self._hidden_links[at]).tolist(), numbers, pages, strict=True)
        )
        heapify(self._heap)


# -- what they share ---------------------------------------------------------------------------------------------------


class _Known:
    """Which URLs have been discovered, numbered in that order."""

    def __init__(self, graph: LinkGraph, seeds: Iterable[int]) -> None:
        self._graph = graph
        self.seen = np.zeros(len(graph), np.bool_)
        self._count = 0
        self.new = self._taken(np.fromiter(seeds, np.int64))

    def read(self, page: int) -> list[tuple[int, int]]:
        """The URLs discovered on this page, each with its number."""
        return self._taken(self._graph.links_of(page))

    def _taken(self, pages: NDArray[np.integer]) -> list[tuple[int, int]]:
        # a page may link to the same URL twice: a dict keeps the first of each, in order
        fresh = list(dict.fromkeys(pages[~self.seen[pages]].tolist()))
        self.seen[fresh] = True
        first = self._count
        self._count += len(fresh)
        return list(enumerate(fresh, first))


def _rate(graph: LinkGraph, value: ArrayLike, cost: ArrayLike | None) -> Floats:
    """V/C a page; what costs nothing comes first when it has value and last when it has none."""
    values = np.asarray(value, np.float64)
    costs = np.ones(len(graph)) if cost is None else np.asarray(cost, np.float64)
    if values.shape != (len(graph),) or costs.shape != (len(graph),):
        raise ValueError(f"value and cost need one number for each of the {len(graph)} pages")
    free = np.where(values > 0, np.inf, 0.0)
    return np.divide(values, costs, out=free, where=costs > 0)


def _listed(order: Iterator[int], graph: LinkGraph, limit: int | None) -> Ints:
    return np.fromiter(islice(order, len(graph) if limit is None else limit), np.int64)


def order_run(
    order: Ints, relevant: Bools, target: Bools, *, value: ArrayLike | None = None, wire_bytes: ArrayLike | None = None,
    cost: ArrayLike | None = None, by: Ways | None = None,
) -> Run:  # fmt: skip
    """The run that fetches pages in this order, one request each, given the columns of the whole corpus; ``by`` which
    ways it came to them, in their order."""
    columns = {"value": value, "wire_bytes": wire_bytes, "cost": cost}
    chosen = {name: np.asarray(column)[order] for name, column in columns.items() if column is not None}
    if by is not None:
        chosen |= {"distance": by.distance, "tunnel": by.tunnel, "gray": by.gray}
    return Run.of(relevant[order], target=target[order], **chosen)
