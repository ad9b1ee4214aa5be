"""Orders that know nothing, to hold others against."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dowse.lab.measure.link_graph import LinkGraph


def bfs_order(graph: LinkGraph, seeds: Iterable[int]) -> NDArray[np.int64]:
    """Breadth first: in the order of discovery."""
    found = dict.fromkeys(seeds)
    done: list[int] = []
    while len(done) < len(found):
        done.append(list(found)[len(done)])
        found |= dict.fromkeys(page for page in graph.links_of(done[-1]).tolist() if page not in found)
    return np.array(done, np.int64)


def random_order(graph: LinkGraph, seeds: Iterable[int], dice: np.random.Generator) -> NDArray[np.int64]:
    """Any of the discovered pages next, each as likely as the others."""
    waiting, done = set(seeds), list[int]()
    while waiting:
        done.append(sorted(waiting)[dice.integers(len(waiting))])
        waiting = (waiting | set(graph.links_of(done[-1]).tolist())) - set(done)
    return np.array(done, np.int64)
