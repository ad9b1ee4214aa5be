"""TH-Gatherer's strategies: the best by one measure first, or by a predictor and a link measure together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Counting
from dowse.model.revive import revived
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.measures import LinkMeasure, Measure, Parts
from dowse.predict.memory import NumberTable
from dowse.predict.quantiles import Quantiles
from dowse.predict.rerank import RanksOnMention, Sweep

__all__ = ["ByMeasure", "Hybrid", "check_alpha"]

Floats = NDArray[np.float64]
_SAMPLE = 2048  # candidates a scale is made from
_TIE = 1e-6
_USUAL = Counting()


def check_alpha(alpha: float) -> float:
    """The share of the predictor in a hybrid. Raises TopicError."""
    if not 0 <= alpha <= 1:
        raise TopicError(f"alpha = {alpha:g} is no share: it is from 0 to 1")
    return alpha


class ByMeasure(RanksOnMention):
    """The candidate with the highest value of one measure goes first.

    A mean over one parent says less than the same mean over ten. So ``kappa`` above 0 (the robust form of predictors)
    takes a candidate to have so many further parents that are worth nothing, as most pages of the web are.
    """

    predicts_value = True

    def __init__(self, name: str, measure: Measure, kappa: float = 0.0, counting: Counting = _USUAL) -> None:
        if not 0 <= kappa < float("inf"):
            raise TopicError(f"kappa = {kappa:g} is no number of pages: it is at least 0")
        self.name = name
        self.counting = counting
        self._measure = measure
        self._kappa = kappa
        self.memory = NumberTable(measure.width, measure.kind)

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        rows = self.memory.at(links.ids)
        self._measure.learn(rows, page, links, self.memory.one(page.id))
        self.memory.put(links.ids, rows)
        values = self._measure.value(rows)
        return values * (rows[:, 0] / (rows[:, 0] + self._kappa)) if self._kappa else values

    def explain(self, candidate: int, priority: float) -> Explanation:
        row = self.memory.one(candidate)[0].tolist()
        parts = self._measure.parts(row)
        if isinstance(self._measure, LinkMeasure):  # a number of links is no score
            return Explanation(priority, parts)
        features = {"predicted": (_sum(parts), 0.0), **parts}
        if self._kappa:
            features["taken for so much, as parents are few"] = (row[0] / (row[0] + self._kappa), 0.0)
        return Explanation(priority, features)


class Hybrid:
    """``alpha`` times a predictor and (1 - ``alpha``) times a link measure (TH-Gatherer, section 2.2, measure 5).

    The paper adds a cosine and a sum, of which the greater drowns the other. The robust form asks of both how many of
    the waiting candidates are below, adds those shares, and gives the predicted value that stands at that place: so the
    sum is a value again, that can be set against a cost. That scale is made from a sample, anew each time the number
    of pages or of candidates has grown by half; then every candidate is ranked again, some at a time, so that none is
    compared by an older scale for longer than that takes.
    """

    name = "hybrid"
    predicts_value = True
    learns_words = False

    def __init__(
        self, predictor: Measure, links: LinkMeasure, alpha: float, *, robust: bool, counting: Counting = _USUAL
    ) -> None:
        self._predictor, self._links = predictor, links
        self._alpha = check_alpha(alpha)
        self.counting = counting
        self._robust = robust
        self._cut = predictor.width
        self.memory = NumberTable(predictor.width + links.width, f"{predictor.kind} + {links.kind}")
        self._scales: tuple[Quantiles, Quantiles] | None = None
        self._pages = 0
        self._due = [8, 16]  # pages and candidates at which the scales are made next
        self._version = 0
        self._sweep = Sweep()

    def rank(self, page: SourcePage, links: LinkView) -> Floats:
        rows = self.memory.at(links.ids)
        own = self.memory.one(page.id)
        self._predictor.learn(rows[:, : self._cut], page, links, own[:, : self._cut])
        self._links.learn(rows[:, self._cut :], page, links, own[:, self._cut :])
        self.memory.put(links.ids, rows)
        self._pages += 1
        return self._value(rows)

    def _measures(self, rows: NDArray[np.float32]) -> tuple[Floats, Floats]:
        return self._predictor.value(rows[:, : self._cut]), self._links.value(rows[:, self._cut :])

    def _value(self, rows: NDArray[np.float32]) -> Floats:
        predicted, linked = self._measures(rows)
        if self._scales is None:
            return self._alpha * predicted + (1 - self._alpha) * linked
        scale, of_links = self._scales
        places = self._alpha * scale(predicted) + (1 - self._alpha) * of_links(linked)
        return scale.back(places) + _TIE * places  # where many have one value, the place still decides

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        if not self._robust:
            return None
        count = self.memory.count
        if self._pages >= self._due[0] or count >= self._due[1]:
            self._make_scales(is_waiting)
            self._due = [self._pages * 3 // 2 + 8, count * 3 // 2 + 16]
            self._sweep.begin(count)
        ids = self._sweep.some(count, is_waiting)
        if ids is None:
            return None
        rows = self.memory.at(ids)
        seen = rows[:, 0] > 0  # others are seeds, whose place is not ours to choose
        return ids[seen], self._value(rows[seen])

    def _make_scales(self, is_waiting: IsWaiting) -> None:
        ids = np.arange(self.memory.count)
        rows = self.memory.at(ids[is_waiting(ids)])
        rows = rows[rows[:, 0] > 0]
        rows = rows[:: max(1, len(rows) // _SAMPLE)]
        predicted, linked = self._measures(rows)
        if predicted.any():  # a scale of nothing but zeros would take all that is better for equally good
            self._scales = Quantiles.of(predicted), Quantiles.of(linked)
            self._version += 1

    def refresh(self, candidate: int) -> float | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        row = self.memory.one(candidate)[0].tolist()
        parts, linked = self._predictor.parts(row[: self._cut]), self._links.parts(row[self._cut :])
        predicted, alpha = _sum(parts), self._alpha
        features = {"predicted": (predicted, 0.0)}
        if self._scales is None:
            return Explanation(priority, {**features, **_times(alpha, parts), **_times(1 - alpha, linked)})
        features |= {**parts, **_times(0.0, linked)}
        features["predictor's place"] = (self._scales[0].one(predicted), alpha)
        features["link measure's place"] = (self._scales[1].one(_sum(linked)), 1 - alpha)
        return Explanation(priority, features, self._version)

    def state(self) -> dict[str, Any]:
        progress = [self._pages, *self._due, *self._sweep.state(), self._version]
        return {"scales": [scale.state() for scale in self._scales or ()], "progress": progress}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        if state["scales"]:
            predicted, linked = state["scales"]
            self._scales = Quantiles.restored(predicted), Quantiles.restored(linked)
        self._pages, *self._due, at, left, self._version = revived(tuple[int, ...], state["progress"])
        self._sweep.restore([at, left])


def _times(factor: float, parts: Parts) -> Parts:
    return {name: (value, factor * weight) for name, (value, weight) in parts.items()}


def _sum(parts: Parts) -> float:
    return sum(value * weight for value, weight in parts.values())
