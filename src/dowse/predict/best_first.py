"""Best-first crawlers, as the field has them: best-first, best-N-first and shark-search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Context
from dowse.model.revive import revived
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.memory import NumberRows, NumberTable
from dowse.predict.rerank import RanksOnMention

__all__ = ["BestFirst", "BestNFirst", "SharkSearch"]

Floats = NDArray[np.float64]
_HELD = 2.0  # below every score: what a batch has found waits until the batch is done


class BestFirst(RanksOnMention):
    """The score of the best page that links to a URL.

    The naive best-first crawler of the field (Cho, Garcia-Molina and Page 1998; Menczer et al. 2004): ``max`` over
    the fetched parents of their similarity to the topic. A URL is raised when a better page mentions it.
    """

    name = "best-first"
    predicts_value = True
    memory = None

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        return np.fmax(links.current, page.score)

    def explain(self, candidate: int, priority: float) -> Explanation:
        return Explanation(priority, {"predicted": (priority, 0.0), "best parent's score": (priority, 1.0)})


class BestNFirst:
    """The best n links are fetched before anything they lead to; 1 is best-first, the more the broader.

    Pant, Srinivasan and Menczer, Exploration versus Exploitation in Topic Driven Crawlers (2002). What a batch finds
    has its score less two, which is below all that waited before. When ``n`` pages of the batch were judged, or one of
    the held is fetched because the batch had no more, the batch is over, and everything gets its score: at once, since
    the next batch is to be the best of all that waits. Each link is moved once, so it costs the same a link.
    """

    name = "best-n-first"
    predicts_value = False  # a held link's priority is a place, not a value
    learns_words = False

    def __init__(self, n: int = 256) -> None:
        if n < 1:
            raise TopicError(f"n = {n} is no number of links: it is at least 1")
        self._n = n
        # links to it, the best score of their pages, the batch that found or raised it (0: it stands by that score),
        # and 1 + the score it stands by (0: it is held)
        self.memory = NumberTable(4, "best-n-first")
        self._batch = 1
        self._pages = 0  # of this batch
        self._over = False

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        _, _, batch, placed = self.memory.one(page.id)[0].tolist()
        if batch == self._batch and not placed:  # the last batch had no more: this page begins another
            self._end_batch()
        self._pages += 1
        rows = self.memory.at(links.ids)
        freed = (rows[:, 2] > 0) & (rows[:, 2] < self._batch)  # of an earlier batch, with the score it has from there
        rows[freed, 2], rows[freed, 3] = 0, 1 + rows[freed, 1]
        raised = (rows[:, 0] == 0) | (rows[:, 1] < np.float32(page.score))
        rows[:, 0] += 1
        rows[raised, 1] = page.score
        rows[raised, 2] = self._batch
        self.memory.put(links.ids, rows)
        return _places(rows)

    def _end_batch(self) -> None:
        self._batch, self._pages, self._over = self._batch + 1, 0, True

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        if self._pages >= self._n:
            self._end_batch()
        if not self._over:
            return None
        self._over = False
        ids = np.arange(self.memory.count)
        batches = self.memory.at(ids)[:, 2]
        ids = ids[(batches > 0) & (batches < self._batch)]
        ids = ids[is_waiting(ids)]  # what is being fetched, and comes back, is released with a later batch
        rows = self.memory.at(ids)
        rows[:, 2], rows[:, 3] = 0, 1 + rows[:, 1]
        self.memory.put(ids, rows)
        return ids, _places(rows)

    def refresh(self, candidate: int) -> float | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        parents, score, _, placed = self.memory.one(candidate)[0].tolist()
        stands_by = placed - 1 if placed else score
        parts = {"score it stands by": (stands_by, 1.0), "waits for the next batch": (float(not placed), -_HELD)}
        return Explanation(priority, {**parts, "best parent's score": (score, 0.0), "parents": (parents, 0.0)})

    def state(self) -> dict[str, Any]:
        return {"batch": [self._batch, self._pages, int(self._over)]}

    def restore(self, state: dict[str, Any]) -> None:
        if state:
            self._batch, self._pages, over = revived(tuple[int, ...], state["batch"])
            self._over = bool(over)


def _places(rows: NumberRows) -> Floats:
    """The priority of each row of best-n-first."""
    held = rows[:, 3] == 0
    return np.where(held, rows[:, 1].astype(np.float64) - _HELD, rows[:, 3].astype(np.float64) - 1)


class SharkSearch(RanksOnMention):
    """What links inherit from the pages before them, mixed with their anchors and paragraphs.

    Hersovici et al., The shark-search algorithm (1998): ``gamma * inherited + (1 - gamma) * neighbourhood``. A link
    inherits ``delta`` times the score of its page, or, when that is 0, ``delta`` times what the page itself inherited.
    Its neighbourhood is ``beta * anchor + (1 - beta) * context``, where the context counts 1 as soon as the anchor has
    a word of the topic, else the similarity of the paragraph. From pages that are not relevant it goes on for ``d``
    links.
    """

    name = "shark-search"
    predicts_value = True

    def __init__(self, gamma: float = 0.5, delta: float = 0.5, beta: float = 0.8, d: int = 3) -> None:
        for name, share in (("gamma", gamma), ("delta", delta), ("beta", beta)):
            if not 0 <= share <= 1:
                raise TopicError(f"{name} = {share:g} is no share: it is from 0 to 1")
        if d < 0:
            raise TopicError(f"d = {d} is no number of links: it is at least 0")
        self._gamma, self._delta, self._beta, self._d = gamma, delta, beta, d
        # links to it, and of the best: score, what it inherited, its neighbourhood, irrelevant pages since
        self.memory = NumberTable(5, "shark-search")

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        _, _, inherited, _, before = self.memory.one(page.id)[0].tolist()
        inherited = self._delta * (page.score if page.score > 0 else inherited)
        steps = 0.0 if page.relevant else before + 1
        anchor, paragraph = (np.nan_to_num(links.of(context)) for context in (Context.ANCHOR, Context.PARAGRAPH))
        near = self._beta * anchor + (1 - self._beta) * np.where(anchor > 0, 1.0, paragraph)
        scores = self._gamma * inherited + (1 - self._gamma) * near
        if steps > self._d:
            scores = np.zeros_like(scores)
        found = np.empty((len(near), 4), np.float32)
        found[:, 0], found[:, 1], found[:, 2], found[:, 3] = scores, inherited, near, steps
        return self.memory.keep_best(links.ids, found)

    def explain(self, candidate: int, priority: float) -> Explanation:
        parents, score, inherited, near, steps = self.memory.one(candidate)[0].tolist()
        goes_on = float(steps <= self._d)
        return Explanation(priority, {
            "predicted": (score, 0.0),
            "inherited": (inherited, self._gamma * goes_on),
            "neighbourhood": (near, (1 - self._gamma) * goes_on),
            "irrelevant pages since": (steps, 0.0),
            "parents": (parents, 0.0),
        })  # fmt: skip
