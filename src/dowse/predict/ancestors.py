"""Who links to a page, and who links to those: the two generations behind each URL, kept whole."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from dowse.model.strategy import LinkView

__all__ = ["Ancestors"]

_ONE = 1 << 40  # values are added as whole numbers of this fraction: then the order of adding does not show
_NOT_FETCHED = -1


class Ancestors:
    """``P(h)``, the fetched pages that link to ``h``, and ``P'(h)``, the fetched pages that link to a page of ``P(h)``,
    each of them once, with the means of their values (METHODS, section 1).

    A link to a page that is fetched already reaches everything that page links to, so work and memory grow with the
    square of the links a page.
    """

    def __init__(self) -> None:
        self._values: dict[int, int] = {}  # of fetched pages
        self._parents: dict[int, list[int]] = {}  # P(h)
        self._children: dict[int, list[int]] = {}
        self._behind: dict[int, set[int]] = {}  # P'(h)
        self._sums: dict[int, list[int]] = {}  # of the values of P(h), of P'(h)
        self._grown: set[int] = set()  # candidates whose P' grew by a page that does not link to them
        self._changed: set[int] = set()
        self._loaded = False

    def fetched(self, page: int, value: float, links: LinkView) -> None:
        """A page was fetched, is worth so much, and has these links."""
        self.derive()
        self._values[page] = round(value * _ONE)
        self._changed.add(page)
        for target in (*links.ids.tolist(), *links.others.tolist(), *((page,) if links.to_itself else ())):
            self._link(page, target)
            self._changed.add(target)

    def _link(self, source: int, target: int) -> None:
        self._parents.setdefault(target, []).append(source)
        self._children.setdefault(source, []).append(target)
        self._sums.setdefault(target, [0, 0])[0] += self._values[source]
        self._behind.setdefault(target, set())
        for behind in self._parents.get(source, ()):
            self._add_behind(target, behind)
        for further in self._children.get(target, ()) if target in self._values else ():
            self._add_behind(further, source)
            self._grown.add(further)

    def _add_behind(self, candidate: int, page: int) -> None:
        if page not in self._behind[candidate]:
            self._behind[candidate].add(page)
            self._sums[candidate][1] += self._values[page]

    def count(self, candidate: int) -> int:
        """The pages of ``P(h)``."""
        return len(self._parents.get(candidate, ()))

    def means(self, candidate: int) -> tuple[float, float | None]:
        """Of the values of ``P(h)`` and of ``P'(h)``; None where there is no page behind."""
        parents, behind = self._parents.get(candidate), self._behind.get(candidate)
        if not parents:
            return 0.0, None
        first, second = self._sums[candidate]
        return first / len(parents) / _ONE, second / len(behind) / _ONE if behind else None

    def take_grown(self) -> list[int]:
        """The candidates of which more is known though no page mentioned them, since this was last asked."""
        found = sorted(self._grown)
        self._grown.clear()
        return found

    # -- as rows -------------------------------------------------------------------------------------------------

    def take_changed(self) -> list[int]:
        """The candidates whose rows changed since this was last asked."""
        found = sorted(self._changed)
        self._changed.clear()
        return found

    def row(self, candidate: int) -> bytes:
        """What a page is worth, if it was fetched, and who links to it."""
        return array("q", [self._values.get(candidate, _NOT_FETCHED), *self._parents.get(candidate, ())]).tobytes()

    def load(self, first: int, rows: Sequence[bytes | None]) -> None:
        """Take up the rows of candidates in a row from ``first`` on."""
        for candidate, row in enumerate(rows, first):
            if row and len(row) % 8 == 0:
                value, *parents = array("q", row)
                if value != _NOT_FETCHED:
                    self._values[candidate] = value
                if parents:
                    self._parents[candidate] = parents
        self._loaded = True

    def derive(self) -> None:
        """Work out what follows from loaded rows."""
        if not self._loaded:
            return
        self._loaded = False
        values, parents_of = self._values, self._parents
        self._children.clear()
        for candidate, parents in parents_of.items():
            for parent in parents:
                self._children.setdefault(parent, []).append(candidate)
            behind = {page for parent in parents for page in parents_of.get(parent, ()) if page in values}
            self._behind[candidate] = behind
            self._sums[candidate] = [
                sum(values.get(page, 0) for page in parents), sum(values[page] for page in behind),
            ]  # fmt: skip

    def moved(self, source: int, target: int) -> None:
        """A redirect leads from one candidate to another: who links to the first links to the second."""
        self.derive()
        for parent in list(self._parents.get(source, ())):
            self._link(parent, target)
        self._changed.add(target)
