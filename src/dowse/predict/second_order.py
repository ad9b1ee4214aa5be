"""TH-Gatherer's second-order average to the letter: parents, and every fetched page that links to one of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.strategy import Explanation, IsWaiting, LinkView, Revision, SourcePage

__all__ = ["SecondOrder"]

_ONE = 1 << 40  # scores are added as whole numbers of this fraction: then the order of adding does not show
_NOT_FETCHED = -1


class SecondOrder:
    """``a`` times the mean score over ``P(h)``, (1 - ``a``) times that over ``P'(h)``, the fetched pages that link to a
    page of ``P(h)``, each once (section 3.1, the 2-order model).

    The paper calls it too complex for use, and it is: a link to a page that is fetched already reaches everything that
    page links to, so work and memory grow with the square of the links a page. For the lab and for small crawls.
    """

    name = "average-2"
    kind = "scores and parents"
    predicts_value = True
    learns_words = False

    def __init__(self, a: float = 0.5) -> None:
        if not 0 <= a <= 1:
            raise TopicError(f"a = {a:g} is no share: it is from 0 to 1")
        self._a = a
        self._scores: dict[int, int] = {}
        self._parents: dict[int, list[int]] = {}
        self._children: dict[int, list[int]] = {}
        self._behind: dict[int, set[int]] = {}  # P'(h)
        self._sums: dict[int, list[int]] = {}  # of the scores of P(h), of P'(h)
        self._moved_on: set[int] = set()  # candidates whose P' grew by a page that does not link to them
        self._changed: set[int] = set()
        self._loaded = False

    @property
    def memory(self) -> SecondOrder:
        return self

    def rank(self, page: SourcePage, links: LinkView) -> NDArray[np.float64]:
        self._derive()
        self._scores[page.id] = round(page.score * _ONE)
        self._changed.add(page.id)
        for target in (*links.ids.tolist(), *links.others.tolist()):
            self._link(page.id, target)
            self._changed.add(target)
        return np.array([self._value(candidate) for candidate in links.ids.tolist()], np.float64)

    def _link(self, source: int, target: int) -> None:
        self._parents.setdefault(target, []).append(source)
        self._children.setdefault(source, []).append(target)
        self._sums.setdefault(target, [0, 0])[0] += self._scores[source]
        self._behind.setdefault(target, set())
        for behind in self._parents.get(source, ()):
            self._add_behind(target, behind)
        for further in self._children.get(target, ()) if target in self._scores else ():
            self._add_behind(further, source)
            self._moved_on.add(further)

    def _add_behind(self, candidate: int, page: int) -> None:
        if page not in self._behind[candidate]:
            self._behind[candidate].add(page)
            self._sums[candidate][1] += self._scores[page]

    def _means(self, candidate: int) -> tuple[float, float | None]:
        parents, behind = self._parents.get(candidate), self._behind.get(candidate)
        if not parents:
            return 0.0, None
        first, second = self._sums[candidate]
        return first / len(parents) / _ONE, second / len(behind) / _ONE if behind else None

    def _value(self, candidate: int) -> float:
        first, second = self._means(candidate)
        return first if second is None else self._a * first + (1 - self._a) * second

    def revise(self, is_waiting: IsWaiting) -> Revision | None:
        if not self._moved_on:
            return None
        ids = np.array(sorted(self._moved_on), np.int64)
        self._moved_on.clear()
        ids = ids[is_waiting(ids)]
        return ids, np.array([self._value(candidate) for candidate in ids.tolist()], np.float64)

    def refresh(self, candidate: int) -> float | None:
        return None

    def explain(self, candidate: int, priority: float) -> Explanation:
        self._derive()
        first, second = self._means(candidate)
        a = 1.0 if second is None else self._a
        parts = {
            "predicted": (self._value(candidate), 0.0),
            "parents' mean score": (first, a),
            "their parents' mean score": (second or 0.0, 1 - a),
            "parents": (float(len(self._parents.get(candidate, ()))), 0.0),
        }
        return Explanation(priority, parts)

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """What is known of each URL is all there is."""

    # -- as a memory ---------------------------------------------------------------------------------------------

    def changes(self) -> tuple[list[int], list[bytes]]:
        ids = sorted(self._changed)
        self._changed.clear()
        return ids, [self._row(candidate) for candidate in ids]

    def _row(self, candidate: int) -> bytes:
        return array("q", [self._scores.get(candidate, _NOT_FETCHED), *self._parents.get(candidate, ())]).tobytes()

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        for candidate, row in enumerate(rows, first):
            if row and len(row) % 8 == 0:
                score, *parents = array("q", row)
                if score != _NOT_FETCHED:
                    self._scores[candidate] = score
                if parents:
                    self._parents[candidate] = parents
        self._loaded = True

    def _derive(self) -> None:
        """Work out what follows from loaded rows."""
        if not self._loaded:
            return
        self._loaded = False
        scores, parents_of = self._scores, self._parents
        self._children.clear()
        for candidate, parents in parents_of.items():
            for parent in parents:
                self._children.setdefault(parent, []).append(candidate)
            behind = {page for parent in parents for page in parents_of.get(parent, ()) if page in scores}
            self._behind[candidate] = behind
            self._sums[candidate] = [
                sum(scores.get(page, 0) for page in parents), sum(scores[page] for page in behind),
            ]  # fmt: skip

    def moved(self, source: int, target: int) -> None:
        self._derive()
        for parent in list(self._parents.get(source, ())):
            self._link(parent, target)
        self._changed.add(target)
