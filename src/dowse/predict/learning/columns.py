"""What the mix of a learner is made of: the evidence of pages and links, and perhaps further evidence beside it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.learning.features import NAMES, Tables
from dowse.predict.learning.notes import Rows

__all__ = ["Columns", "Further"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NOTHING = (-1, b"", np.zeros(0))


class Further(Protocol):
    """Evidence beyond that of pages and links."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def priors(self) -> list[float]:
        """Its first weights."""
        ...

    def known(self, ids: Ints) -> NDArray[np.bool_]:
        """Of which candidates it knows anything: they are valued though no page should link to them."""
        ...

    def columns(self, ids: Ints, usual: float) -> Floats:
        """A row a candidate, a column a name, as last worked out. ``usual`` is what a page is worth on average."""
        ...

    def now(self, id_: int, usual: float) -> Floats:
        """The row of one, by what is known now."""
        ...

    def judged(self, page: SourcePage, links: LinkView) -> None:
        """A page was judged that has these links, and was learned from as it was before."""
        ...


class Columns:
    """A row of evidence for each candidate. Without further evidence it is that of the tables, and nothing else."""

    def __init__(self, tables: Tables, left_out: NDArray[np.intp], further: Further | None) -> None:
        self._tables, self._left_out, self.further = tables, left_out, further
        self.names = NAMES if further is None else NAMES + further.names
        self._looked = _NOTHING  # the candidate and record that were looked at, and their evidence

    def of(self, ids: Ints, rows: Rows) -> Floats:
        found = self._of_links(rows)
        if self.further is None:
            return found
        return np.concatenate((found, self.further.columns(ids, self._tables.usual)), axis=1)

    def one(self, id_: int, row: Rows) -> Floats:
        """Of a single candidate; kept, since a page is looked at before it goes, and then asked why."""
        whose = (-1 if self.further is None else id_), row.tobytes()  # of equal records the tables say the same
        if self._looked[:2] != whose:
            found = self._of_links(row)[0]
            if self.further is not None:
                found = np.concatenate((found, self.further.now(id_, self._tables.usual)))
            self._looked = *whose, found
        return self._looked[2]

    def forget(self) -> None:
        """There is more to know."""
        self._looked = _NOTHING

    def valued(self, ids: Ints, rows: Rows) -> NDArray[np.bool_]:
        """Which of these have a value; others are seeds, whose place is not ours to choose, and what none mentioned."""
        seen = np.asarray(rows["parents"] > 0)
        return seen if self.further is None else seen | self.further.known(ids)

    def _of_links(self, rows: Rows) -> Floats:
        found = self._tables.features(rows)
        if self.further is not None:
            unlinked = np.flatnonzero(rows["parents"] == 0)
            found[unlinked] = self._tables.unlinked(rows[unlinked])
        if len(self._left_out):
            found[:, self._left_out] = 0.0
        return found
