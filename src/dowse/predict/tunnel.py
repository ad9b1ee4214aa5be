"""Tunnels: ways to good pages that lead through poor ones (Gray Tunneling, sections 1 and 3.2; METHODS, section 3).

A tunnel is *gray* where a page is poor as a whole, but the block that has the link is good: ``tunnel`` follows the
block. It is *black* where nothing on the page tells: ``black-tunnel`` goes on for a few pages on the strength of the
last good one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.block_rule import BlockRule
from dowse.model.errors import TopicError
from dowse.model.page import Context, Counting
from dowse.model.strategy import Explanation, LinkView, SourcePage
from dowse.predict.memory import NumberTable
from dowse.predict.rerank import RanksOnMention

__all__ = ["BestBlock", "BestContext", "BlackTunnel"]

Floats = NDArray[np.float64]
_PUBLISHED = BlockRule()


class BestBlock(RanksOnMention):
    """``tunnel``, as the paper has it: a link is worth what the best block is worth that mentions it (algorithm 2). All
    text of a block counts, be it a menu that the site repeats."""

    name = "tunnel"
    predicts_value = True
    memory = None
    counting = Counting(menus=True)

    def __init__(self, block_rule: BlockRule = _PUBLISHED) -> None:
        self.block_rule = block_rule

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        return np.fmax(links.current, np.nan_to_num(links.of(Context.BLOCK)))

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {"predicted": (priority, 0.0), "best block's similarity": (priority, 1.0)})


class BestContext(RanksOnMention):
    """``tunnel`` without anything learned: the best of anchor, block and page, over all pages that mention a URL
    (METHODS, section 3). Against ``best-first``, which has the page alone, it shows what blocks and anchors bring."""

    name = "tunnel"
    predicts_value = True

    def __init__(self, block_rule: BlockRule = _PUBLISHED) -> None:
        self.block_rule = block_rule
        # pages that mention it, the best, and what that mention had: anchor, block, page
        self.memory = NumberTable(5, "best of anchor, block and page")

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        found = np.empty((len(links.ids), 4), np.float32)
        found[:, 1] = np.nan_to_num(links.of(Context.ANCHOR))
        found[:, 2] = np.nan_to_num(links.of(Context.BLOCK))
        found[:, 3] = page.score
        found[:, 0] = found[:, 1:].max(axis=1, initial=0.0)
        return self.memory.keep_best(links.ids, found)

    def explain(self, candidate: int, priority: float) -> Explanation:
        parents, best, *contexts = self.memory.one(candidate)[0].tolist()
        names = ("anchor's similarity", "block's similarity", "page's score")
        told = contexts.index(max(contexts))
        parts = {name: (value, float(place == told)) for place, (name, value) in
                 enumerate(zip(names, contexts, strict=True))}  # fmt: skip
        return Explanation(priority, {"predicted": (best, 0.0), **parts, "parents": (parents, 0.0)})


class BlackTunnel(RanksOnMention):
    """Best-first that also goes on from irrelevant pages, for up to d of them in a row.

    A link on a relevant page is worth the page's score. On an irrelevant one it is worth the page's score or ``decay``
    times what that page was fetched for, whichever is more; after ``d`` irrelevant pages only the score is left.
    """

    name = "black-tunnel"
    predicts_value = True

    def __init__(self, d: int = 3, decay: float = 0.5) -> None:
        if d < 0:
            raise TopicError(f"d = {d} is no number of pages: it is at least 0")
        if not 0 <= decay <= 1:
            raise TopicError(f"decay = {decay:g} is no share: it is from 0 to 1")
        self._d, self._decay = d, decay
        # links to it, what it is worth, irrelevant pages since the last relevant one
        self.memory = NumberTable(3, "black tunnel")

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        value, steps = page.score, 0.0
        if not page.relevant:
            _, own, before = self.memory.one(page.id)[0].tolist()
            steps = before + 1
            if steps <= self._d:
                value = max(value, self._decay * own)
        found = np.tile(np.array([value, steps], np.float32), (len(links.ids), 1))
        return self.memory.keep_best(links.ids, found)

    def explain(self, candidate: int, priority: float) -> Explanation:
        parents, value, steps = self.memory.one(candidate)[0].tolist()
        return Explanation(priority, {
            "predicted": (value, 0.0),
            "a page's score, or what is left of it": (value, 1.0),
            "irrelevant pages since": (steps, 0.0),
            "parents": (parents, 0.0),
        })  # fmt: skip
