"""TH-Gatherer's second-order average to the letter, alone or in a hybrid."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.page import Counting
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage
from dowse.predict.ancestors import Ancestors
from dowse.predict.gatherer import check_alpha
from dowse.predict.measures import LinkMeasure, cosine
from dowse.predict.memory import NumberTable

__all__ = ["SecondOrder", "SecondOrderHybrid"]

_USUAL = Counting()
_LINKED = struct.Struct("<d")


class SecondOrder:
    """``a`` times the mean ``V_sim`` over ``P(h)``, (1 - ``a``) times that over ``P'(h)`` (section 3.1, the 2-order
    model); without a page in ``P'(h)`` the first mean is all.

    The paper calls it too complex for use, and it is (see :class:`Ancestors`). For the lab and for small crawls.
    """

    name = "average-2"
    kind = "cosines and parents"
    predicts_value = True
    learns_words = False

    def __init__(self, a: float = 0.5, counting: Counting = _USUAL) -> None:
        if not 0 <= a <= 1:
            raise TopicError(f"a = {a:g} is no share: it is from 0 to 1")
        self._a = a
        self._ancestors = Ancestors()
        self.counting = counting

    @property
    def memory(self) -> SecondOrder:
        return self

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        self._ancestors.fetched(page.id, cosine(page), links)
        return self._values(links.ids)

    def _values(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([self._predicted(candidate) for candidate in ids.tolist()], np.float64)

    def _predicted(self, candidate: int) -> float:
        first, second = self._ancestors.means(candidate)
        return first if second is None else self._a * first + (1 - self._a) * second

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        grown = self._ancestors.take_grown()
        if not grown:
            return None
        ids = np.array(grown, np.int64)
        ids = ids[is_waiting(ids)]
        return ids, self._values(ids)

    def refresh(self, candidate: int) -> float | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        self._ancestors.derive()
        first, second = self._ancestors.means(candidate)
        a = 1.0 if second is None else self._a
        return Explanation(priority, {
            "predicted": (self._predicted(candidate), 0.0),
            "parents' mean score": (first, a),
            "their parents' mean score": (second or 0.0, 1 - a),
            "parents": (float(self._ancestors.count(candidate)), 0.0),
        })  # fmt: skip

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """What is known of each URL is all there is."""

    # -- as a memory ---------------------------------------------------------------------------------------------

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = self._ancestors.take_changed()
        return ids, [self._ancestors.row(candidate) for candidate in ids]

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        self._ancestors.load(first, rows)

    def moved(self, source: int, target: int) -> None:
        self._ancestors.moved(source, target)


class SecondOrderHybrid(SecondOrder):
    """``alpha`` times the second-order average and (1 - ``alpha``) times a link measure (section 2.2, measure 5)."""

    name = "hybrid"

    def __init__(self, links: LinkMeasure, alpha: float, a: float = 0.5, counting: Counting = _USUAL) -> None:
        super().__init__(a, counting)
        self._alpha = check_alpha(alpha)
        self._links = links
        self._linked = NumberTable(links.width)
        self.kind = f"{SecondOrder.kind} + {links.kind}"

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        rows = self._linked.at(links.ids)
        self._links.learn(rows, page, links, self._linked.one(page.id))
        self._linked.put(links.ids, rows)
        return super().rank(page, links)

    def _values(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._alpha * super()._values(ids) + (1 - self._alpha) * self._links.value(self._linked.at(ids))

    def explain(self, candidate: int, priority: float) -> Explanation:
        of_predictor = super().explain(candidate, priority).features
        linked = self._links.parts(self._linked.one(candidate)[0].tolist())
        features = {name: (value, self._alpha * weight) for name, (value, weight) in of_predictor.items()}
        features |= {name: (value, (1 - self._alpha) * weight) for name, (value, weight) in linked.items()}
        return Explanation(priority, features)

    def changes(self) -> tuple[list[int], list[bytes]]:
        self._linked.changes()  # whoever is linked to is among the others
        ids, rows = super().changes()
        linked = [_LINKED.pack(float(self._linked.one(candidate)[0, 0])) for candidate in ids]
        return ids, [measure + row for measure, row in zip(linked, rows, strict=True)]

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        size = _LINKED.size
        super().load(first, [row[size:] if row else None for row in rows])
        for candidate, row in enumerate(rows, first):
            if row and len(row) >= size:
                self._linked.put(np.array([candidate]), self._found(candidate, *_LINKED.unpack_from(row)))
        self._linked.changes()  # nothing of this is new to the records

    def _found(self, candidate: int, linked: float) -> NDArray[np.float32]:
        row = self._linked.at(np.array([candidate]))
        row[0, 0] = linked
        return row

    def moved(self, source: int, target: int) -> None:
        super().moved(source, target)
        self._linked.moved(source, target)
