"""Orders that need no judgement: breadth first, depth first and random.

They are the field's reference lines. Ties go in order of discovery, so that breadth first is exactly the FIFO order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import Explanation, LinkView, SourcePage
from dowse.predict.rerank import RanksOnMention

__all__ = ["BreadthFirst", "DepthFirst", "RandomOrder"]


class _Fixed(RanksOnMention):
    """An order that learns nothing: no state beyond its parameters."""

    name = ""
    feature = ""
    predicts_value = False
    memory = None

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {self.feature: (priority, 1.0)})


class BreadthFirst(_Fixed):
    """Nearest to a seed first."""

    name = "bfs"
    feature = "minus depth"

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        fresh = -links.depths.astype(np.float64)
        return np.where(np.isnan(links.current), fresh, np.maximum(fresh, links.current))


class DepthFirst(_Fixed):
    """The links of the page judged last come first, in the order they stand there."""

    name = "dfs"
    feature = "pages judged when last mentioned"

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        return np.full(len(links.ids), float(page.ordinal))


class RandomOrder(_Fixed):
    """A fixed shuffle: each URL's place depends on the seed number and its id alone."""

    name = "random"
    feature = "lot"

    def __init__(self, seed_number: int = 0) -> None:
        self._salt = np.uint64((seed_number * 2 + 1) & (2**64 - 1))

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        # splitmix64 (Steele, Lea and Flood 2014): a good mixer of consecutive integers
        with np.errstate(over="ignore"):
            z = (links.ids.astype(np.uint64) + self._salt) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2.0**53
