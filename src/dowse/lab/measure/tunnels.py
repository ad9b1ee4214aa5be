"""The ways that a crawl took to its pages: how long they are, and the tunnels on them (Gray Tunneling, section 1;
METHODS, section 3).

The way to a page is the one on which the crawl discovered it: over the first page it fetched that links there. So a
seed is at distance 0, and another page one link farther than the page before it. A link to a recorded redirect leads to
where that ends: a redirect adds nothing, and neither does any other request that brings no page.

Irrelevant pages ``n_1, ..., n_k`` that follow each other on a way right before a relevant page ``p`` are a tunnel of
length ``k`` (definition 1). The chain begins behind the last relevant page, or at a seed. It is gray when each of its
links, from that of ``n_1`` up to the one that leads to ``p``, stands in a content block that is on the topic
(definition 3), else black.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from dowse.lab.measure.link_graph import LinkGraph
from dowse.lab.measure.run import NO_PATH, Bools, Ints

__all__ = ["IsGray", "Ways", "ways"]

IsGray = Callable[[int, int], bool]
"""Does a link from the first page to the second stand in a block that is on the topic?"""


@dataclass(frozen=True, slots=True)
class Ways:
    """How a crawl came to each of its pages, in their order."""

    distance: Ints  # links from a seed; NO_PATH where no page before it leads there, so the crawl came otherwise
    tunnel: Ints  # the length of the tunnel to a relevant page, 0: none; NO_PATH for others, seeds among them
    gray: Bools  # is there one, and is it gray?


def ways(graph: LinkGraph, seeds: Iterable[int], order: Ints, relevant: Bools, is_gray: IsGray) -> Ways:
    """The ways of a crawl that fetched pages in this order, each once; ``relevant`` is by page of the graph.

    >>> graph = LinkGraph.of(4, [0, 1, 2], [1, 2, 3])
    >>> found = ways(graph, [0], np.arange(4), np.array([1, 0, 0, 1], bool), lambda source, target: source == 2)
    >>> found.tunnel.tolist(), found.gray.tolist()
    ([-1, -1, -1, 2], [False, False, False, False])
    """
    is_gray = cache(is_gray)
    starts = frozenset(seeds)
    parents = np.full(len(graph), NO_PATH)
    distance = np.full(len(graph), NO_PATH)
    distance[list(starts)] = 0
    found = Ways(np.empty(len(order), np.int64), np.full(len(order), NO_PATH), np.zeros(len(order), np.bool_))
    for place, page in enumerate(order.tolist()):
        found.distance[place] = own = distance[page]
        if own == NO_PATH:
            continue
        if relevant[page] and page not in starts:
            chain = _chain(page, parents, relevant)
            found.tunnel[place] = len(chain) - 1
            found.gray[place] = len(chain) > 1 and all(map(is_gray, chain[1:], chain[:-1]))
        links = graph.links_of(page)
        new = links[distance[links] == NO_PATH]
        distance[new], parents[new] = own + 1, page
    return found


def _chain(page: int, parents: Ints, relevant: Bools) -> list[int]:
    """A page, and the irrelevant pages before it, backwards."""
    chain = [page]
    while (before := int(parents[chain[-1]])) != NO_PATH and not relevant[before]:
        chain.append(before)
    return chain
