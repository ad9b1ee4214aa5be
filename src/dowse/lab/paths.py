"""How far a crawl went from its seeds to each page: along the links by which it came there, not along the shortest.

A seed is at distance 0. Another page is one link farther than the page on which the crawl discovered it, which is the
first page it fetched that links there. A link to a recorded redirect leads to where that ends, so a redirect adds
nothing, and neither does any other request that brings no page.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dowse.lab.linkgraph import LinkGraph
from dowse.lab.run import NO_PATH, Ints

__all__ = ["path_lengths"]


def path_lengths(graph: LinkGraph, seeds: Iterable[int], order: Ints) -> Ints:
    """Links from a seed to each page of a crawl that fetched pages in this order, each once. :data:`NO_PATH` for a
    page to which no page before it leads: the crawl did not come there by links.

    >>> path_lengths(LinkGraph.of(4, [0, 0, 1, 2], [1, 2, 3, 3]), [0], np.array([0, 2, 3, 1])).tolist()
    [0, 1, 2, 1]
    """
    distance = np.full(len(graph), NO_PATH)
    distance[list(seeds)] = 0
    lengths = np.empty(len(order), np.int64)
    for place, page in enumerate(order.tolist()):
        lengths[place] = own = distance[page]
        if own != NO_PATH:
            links = graph.links_of(page)
            distance[links[distance[links] == NO_PATH]] = own + 1
    return lengths
