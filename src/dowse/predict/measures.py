"""TH-Gatherer's measures of a page that is not fetched yet (METHODS, section 1), each from a few numbers a candidate.

A measure keeps its numbers in columns of a row (see ``memory``). A page that links to a candidate changes the row in
constant time, whatever was seen before; the value is read from the row alone. So nothing is recomputed, and a row can
be stored and taken up again.

Notation: ``h`` a candidate, ``P(h)`` the fetched pages that link to it, ``L(p,h)`` the links from ``p`` to ``h``,
``L(p)`` all links on ``p``, ``V_sim`` the similarity of a text to the topic. Of a page that is its cosine
(:func:`cosine`), in the robust form what its judge thinks of it (:func:`as_judged`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.memory import NumberRows

__all__ = [
    "LINK_MEASURES", "Average", "AverageTwo", "LinkMeasure", "Measure", "Parts", "Value", "Weighted", "as_judged",
    "cosine",
]  # fmt: skip

Floats = NDArray[np.float64]
Parts = dict[str, tuple[float, float]]
"""What a value is made of: name -> (value, weight)."""
Value = Callable[[SourcePage], float]
"""``V_sim`` of a fetched page."""


def cosine(page: SourcePage) -> float:
    """``V_sim(p)`` to the letter: the cosine with the topic's words, whoever judges (section 2.2, measure 1)."""
    return page.similarity


def as_judged(page: SourcePage) -> float:
    """``V_sim(p)``, robust: a page's score where that is a chance or a degree. A judge by words is taken by its cosine,
    too: ERID's share of keywords is on another scale than the cosines of paragraphs and anchors."""
    return page.similarity if page.by_words else page.score


def _kind(name: str, value: Value) -> str:
    """What rows of a measure mean: those by another value are of no use."""
    return f"{name}, cosines" if value is cosine else name


class Measure(Protocol):
    """One idea of what a candidate is worth."""

    @property
    def width(self) -> int:
        """Columns of a row it needs."""
        ...

    @property
    def kind(self) -> str:
        """What its columns mean."""
        ...

    def learn(self, rows: NumberRows, page: SourcePage, links: LinkView, own: NumberRows) -> None:
        """Take a page's links to these candidates in, changing their rows in place. ``own`` is the row of the page
        itself, from when it was a candidate."""
        ...

    def value(self, rows: NumberRows) -> Floats:
        """The value of each row; 0 where nothing is known."""
        ...

    def parts(self, row: list[float]) -> Parts:
        """What makes up the value of a single row: values times weights add up to it."""
        ...


def _mean(rows: NumberRows, column: int, value: float) -> None:
    """Add a value to the mean in ``column + 1``, counted in ``column``. The mean moves by its error, which stays exact
    for millions of parents where a growing sum would not."""
    counts, means = rows[:, column], rows[:, column + 1]
    counts += np.float32(1)
    means += (np.float32(value) - means) / counts


class Average:
    """``average``: the mean of ``V_sim(p)`` over ``P(h)`` (TH-Gatherer, section 3.1, Averaging Method)."""

    width = 2

    def __init__(self, value: Value = as_judged) -> None:
        self.kind = _kind("average", value)
        self._value = value

    def learn(self, rows: NumberRows, page: SourcePage, links: LinkView, own: NumberRows) -> None:
        _mean(rows, 0, self._value(page))

    def value(self, rows: NumberRows) -> Floats:
        return rows[:, 1].astype(np.float64)

    def parts(self, row: list[float]) -> Parts:
        return {"parents' mean score": (row[1], 1.0), "parents": (row[0], 0.0)}


class AverageTwo:
    """``average-2``, robust: ``a`` mean ``V_sim(p)`` + (1-a) mean over ``P(h)`` of what ``average`` gave for ``p`` when
    it was fetched. It follows the second-order mean (section 3.1) in constant time a link; ``second_order`` has the
    literal one. Without a page behind the parents, their own mean is all. Nothing was predicted of a seed."""

    width, kind = 4, "average-2"

    def __init__(self, a: float = 0.5, value: Value = as_judged) -> None:
        if not 0 <= a <= 1:
            raise TopicError(f"a = {a:g} is no share: it is from 0 to 1")
        self._a = a
        self._value = value

    def learn(self, rows: NumberRows, page: SourcePage, links: LinkView, own: NumberRows) -> None:
        _mean(rows, 0, self._value(page))
        if own[0, 0] > 0:
            _mean(rows, 2, float(own[0, 1]))

    def value(self, rows: NumberRows) -> Floats:
        a = np.where(rows[:, 2] > 0, self._a, 1.0)
        return np.asarray(a * rows[:, 1] + (1 - a) * rows[:, 3])

    def parts(self, row: list[float]) -> Parts:
        a = self._a if row[2] else 1.0
        return {
            "parents' mean score": (row[1], a),
            "their parents' mean score": (row[3], 1 - a),
            "parents": (row[0], 0.0),
        }


class Weighted:
    """``weighted``: ``a`` mean ``V_sim(p)`` + ``b`` mean ``V_sim``(paragraph that holds the link) + (1-a-b) mean
    ``V_sim``(anchor text) (section 3.1, Weighted Averaging Method). A part that was never seen drops out, and the other
    weights make up for it."""

    width = 6
    _NAMES = ("parents' mean score", "paragraphs' mean similarity", "anchors' mean similarity")

    def __init__(self, a: float = 0.5, b: float = 0.3, value: Value = as_judged) -> None:
        self.kind = _kind("weighted", value)
        self._value = value
        if not (a >= 0 and b >= 0 and a + b <= 1):  # so that nan is refused, too
            raise TopicError(f"a = {a:g} and b = {b:g} are no shares: both are at least 0, together at most 1")
        self._weights = (a, b, max(0.0, 1 - a - b))
        self._at_means = np.array([0, a, 0, b, 0, self._weights[2]])
        self._at_counts = np.array(self._weights)

    def learn(self, rows: NumberRows, page: SourcePage, links: LinkView, own: NumberRows) -> None:
        counts, means = rows[:, 0::2], rows[:, 1::2]
        moves = np.empty(means.shape, np.float32)
        moves[:, 0] = self._value(page)
        moves[:, 1] = links.of(Context.PARAGRAPH)
        moves[:, 2] = links.of(Context.ANCHOR)
        seen = moves == moves
        counts += seen
        moves -= means  # as in _mean, for all three
        moves /= np.maximum(counts, np.float32(1))
        moves[~seen] = 0
        means += moves

    def value(self, rows: NumberRows) -> Floats:
        values = rows @ self._at_means
        seen = rows[:, 0::2] > 0
        if not seen.all():
            total = seen @ self._at_counts
            values /= np.where(total > 0, total, 1.0)
        return np.asarray(values)

    def parts(self, row: list[float]) -> Parts:
        weights = [weight if count else 0.0 for weight, count in zip(self._weights, row[0::2], strict=True)]
        total = sum(weights) or 1.0
        means = zip(self._NAMES, row[1::2], weights, strict=True)
        return {**{name: (mean, weight / total) for name, mean, weight in means}, "parents": (row[0], 0.0)}


LINK_MEASURES: dict[str, Callable[[SourcePage, Value], float]] = {
    "link": lambda page, value: 1.0,  # V_link: L(p,h)
    "weighted-link": lambda page, value: 1 / max(page.n_links, 1),  # V_w-link: L(p,h) / L(p)
    "similar-link": lambda page, value: value(page) / max(page.n_links, 1),  # V_s-w-link: V_sim(p) L(p,h) / L(p)
}
"""What each link of a page adds to a candidate (TH-Gatherer, section 2.2, measures 2 to 4)."""


class LinkMeasure:
    """A sum over ``P(h)``: of links, of shares of a page's links, or of such shares of similar pages.

    Paper form: every link of a page counts. Robust form: a page has one vote, however often it repeats the link.
    """

    width = 1

    def __init__(self, name: str, *, robust: bool) -> None:
        if name not in LINK_MEASURES:
            raise TopicError(f"{name!r} is no link measure: there are {', '.join(LINK_MEASURES)}")
        self._name = name
        self.kind = name if robust else f"{name}, each link"
        self._of_page = LINK_MEASURES[name]
        self._robust = robust
        self._value = as_judged if robust else cosine

    def learn(self, rows: NumberRows, page: SourcePage, links: LinkView, own: NumberRows) -> None:
        vote = np.float32(self._of_page(page, self._value))
        rows[:, 0] += vote if self._robust else vote * links.counts

    def value(self, rows: NumberRows) -> Floats:
        return rows[:, 0].astype(np.float64)

    def parts(self, row: list[float]) -> Parts:
        return {f"{self._name} measure": (row[0], 1.0)}
