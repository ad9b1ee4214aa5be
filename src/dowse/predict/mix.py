"""``tunnel``, robust: a link is worth a mix of what it stands in, from its anchor out to its site (METHODS, section 3).

The best of anchor, block and page would take the loudest of them at its word; which of them tells something differs by
site and topic. So the mix is learned: when a page is judged, what its links had promised is compared with what it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.block_rule import BlockRule
from dowse.model.errors import TopicError
from dowse.model.page import Context
from dowse.model.revive import revived
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.memory import NumberRows, NumberTable
from dowse.predict.regression import Regression
from dowse.predict.rerank import Sweep

__all__ = ["ContextMix"]

Floats = NDArray[np.float64]
_PUBLISHED = BlockRule()
_PARENTS, _SITE, _OWN, _FIRST = 0, 1, 2, 3  # columns: parents, site, 1 + own score (0: not judged), then the contexts
_CONTEXTS = tuple(Context)[: Context.URL]  # what a link stands in
_WIDTHS = 1 + len(_CONTEXTS)  # the page that has the link, and what it stands in there
_NAMES = ("page's score", *(f"{'tag path' if context is Context.PATH else context.name.lower()}'s similarity"
                            for context in _CONTEXTS))  # fmt: skip
_BEST = (0.26, 0.0, 0.0, 0.0, 0.0, 0.0)  # of the page, then of each context
_MEAN = (0.06, 0.03, 0.06, 0.03, 0.0, 0.0)
_OF_SITE = 0.56
_MORE_SITES = 4096  # a site may be known before any URL of it
_KAPPA = 0.5  # as in ByMeasure: a mean over one parent says less than one over ten
_EXACT = 1 << 16  # scores are summed in such parts, whatever their order: so sums are the same after a resume
_SAME = 1e-6
_FIRST_FIT = 4  # pages; then each time there are a quarter and four more


class ContextMix:
    """``sum w_i best_i + v_i mean_i + u site``: of each context the best and the mean over the pages that link to a
    candidate, and what pages of its site were worth so far.

    To begin with, half the value is the site's and a quarter the best page's; ``trust`` says how many pages it takes to
    outweigh that.
    """

    name = "tunnel"
    predicts_value = True
    learns_words = False

    def __init__(self, trust: float = 40.0, block_rule: BlockRule = _PUBLISHED) -> None:
        if not 0 < trust < float("inf"):
            raise TopicError(f"trust = {trust:g} is no number of pages: it is above 0")
        self.block_rule = block_rule
        self.memory = NumberTable(_FIRST + 2 * _WIDTHS, "contexts, best and mean")
        self._learned = Regression([*_BEST, *_MEAN, _OF_SITE], trust)
        self._due = _FIRST_FIT
        self._version = 0
        self._sweep = Sweep()
        self._site_pages, self._site_scores = np.zeros(64), np.zeros(64)
        self._pages, self._scores = 0, 0.0

    # -- learning ------------------------------------------------------------------------------------------------

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        self._reach(max(page.site, int(links.sites.max(initial=0))))
        self._learn(page)
        rows = self.memory.at(links.ids)
        seen = np.empty((len(rows), _WIDTHS), np.float32)
        seen[:, 0] = page.score
        seen[:, 1:] = np.nan_to_num(links.similarity[:, _CONTEXTS])
        rows[:, _PARENTS] += 1
        rows[:, _SITE] = links.sites
        best, mean = rows[:, _FIRST : _FIRST + _WIDTHS], rows[:, _FIRST + _WIDTHS :]
        np.maximum(best, seen, out=best)
        mean += (seen - mean) / rows[:, _PARENTS, None]
        self.memory.put(links.ids, rows)
        return self._value(rows)

    def _learn(self, page: SourcePage) -> None:
        """Compare what was promised of a page with what it is."""
        row = self.memory.at(np.array([page.id]))
        row[0, _SITE] = page.site  # a redirect may have led to another than was thought
        if row[0, _PARENTS] > 0:
            self._learned.learn(self._features(row)[0], page.score)
            if self._learned.examples >= self._due:
                self._learned.fit()
                self._due = self._learned.examples * 5 // 4 + _FIRST_FIT
                self._version += 1
                self._sweep.begin(self.memory.count)
        score = round(page.score * _EXACT) / _EXACT
        row[0, _OWN] = 1 + score
        self.memory.put(np.array([page.id]), row)
        self._site_pages[page.site] += 1
        self._site_scores[page.site] += score
        self._pages += 1
        self._scores += score

    def _reach(self, site: int) -> None:
        more = site + 1 - len(self._site_pages)
        if more > 0:
            room = np.zeros(more + len(self._site_pages) // 8)
            self._site_pages = np.concatenate((self._site_pages, room))
            self._site_scores = np.concatenate((self._site_scores, room))

    # -- values --------------------------------------------------------------------------------------------------

    def _of_sites(self, rows: NumberRows) -> Floats:
        """The mean score of each candidate's site, as if one page more had been there that is like all others."""
        sites = rows[:, _SITE].astype(np.intp)
        usual = self._scores / self._pages if self._pages else 0.0
        return (self._site_scores[sites] + usual) / (self._site_pages[sites] + 1)

    def _features(self, rows: NumberRows) -> Floats:
        found = np.empty((len(rows), 2 * _WIDTHS + 1))
        found[:, : 2 * _WIDTHS] = rows[:, _FIRST:]
        found[:, _WIDTHS : 2 * _WIDTHS] *= (rows[:, _PARENTS] / (rows[:, _PARENTS] + _KAPPA))[:, None]
        found[:, -1] = self._of_sites(rows)
        return found

    def _value(self, rows: NumberRows) -> Floats:
        return self._features(rows) @ self._learned.weights

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        ids = self._sweep.some(self.memory.count, is_waiting)
        if ids is None:
            return None
        rows = self.memory.at(ids)
        seen = rows[:, _PARENTS] > 0  # others are seeds, whose place is not ours to choose
        return ids[seen], self._value(rows[seen])

    def refresh(self, candidate: int) -> float | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        row = self.memory.one(candidate)
        values = self._features(row)[0].tolist() if row[0, _PARENTS] > 0 else [0.0] * (2 * _WIDTHS + 1)
        names = [f"best {name}" for name in _NAMES] + [f"mean {name}" for name in _NAMES] + ["site's mean score"]
        weights = self._learned.weights.tolist()
        parts = {name: (value, weight) for name, value, weight in zip(names, values, weights, strict=True)}
        predicted = sum(value * weight for value, weight in parts.values())
        if row[0, _PARENTS] > 0 and abs(priority - predicted) > _SAME:
            parts["what was learned since it was ranked"] = (priority - predicted, 1.0)
        parents = {"parents": (float(row[0, _PARENTS]), 0.0)}
        return Explanation(priority, {"predicted": (predicted, 0.0), **parts, **parents}, self._version)

    # -- over a stop ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"learned": self._learned.state(), "progress": [self._due, self._version, *self._sweep.state()]}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        self._learned.restore(state["learned"])
        self._due, self._version, *sweep = revived(tuple[int, ...], state["progress"])
        self._sweep.restore(sweep)
        rows = self.memory.at(np.arange(self.memory.count))
        sites = rows[:, _SITE]
        if (
            not np.isfinite(rows).all()
            or sites.min(initial=0) < 0
            or sites.max(initial=0) > 2 * len(rows) + _MORE_SITES
        ):
            raise ValueError("what is known of a candidate names a site that is none")
        self._reach(int(rows[:, _SITE].max(initial=0)))
        judged = rows[rows[:, _OWN] > 0]
        sites, scores = judged[:, _SITE].astype(np.intp), judged[:, _OWN].astype(np.float64) - 1
        self._site_pages[:] = np.bincount(sites, minlength=len(self._site_pages))
        self._site_scores[:] = np.bincount(sites, scores, len(self._site_scores))
        self._pages, self._scores = len(judged), float(scores.sum())
