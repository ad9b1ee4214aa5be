"""The evidence for each candidate, as columns of numbers: what a learned mix makes a value of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Context
from dowse.predict.learning.notes import PARENTS, Notes, Rows
from dowse.predict.learning.siblings import Siblings
from dowse.predict.learning.tokens import BUCKETS

__all__ = ["NAMES", "Tables", "weighted"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_KAPPA_TOKEN = 3.0
_KAPPA_SITE = 1.0
_KAPPA_PARENTS = 0.5
_SPREAD = 2.0  # a sum over pages is taken over the root of their number and so many more
_MASK = np.uint32(BUCKETS - 1)
_CONTEXTS = [f"{'tag path' if context is Context.PATH else context.name.lower()}'s similarity" for context in Context]
_CONTENT, _URL, _LINKS, _SIBLINGS, _ANY = range(5)
_PRIORS: dict[str, float] = {
    "best page": 0.3, "mean of pages": 0.3, "sum of pages": 0.0,
    **{f"best {name}": 0.0 for name in _CONTEXTS}, **{f"mean {name}": 0.0 for name in _CONTEXTS},
    "siblings on the page, mean": 0.4, "siblings on the page, best": 0.0, "siblings on the page, sum": 0.0,
    "siblings in twelve links, mean": 0.1, "siblings in twelve links, best": 0.0, "siblings in twelve links, sum": 0.0,
    "siblings in four links, mean": 0.1, "siblings in four links, best": 0.0, "siblings in four links, sum": 0.0,
    "tokens": 0.5, "site": 0.3, "pages that link to it": 0.0, "always": 0.0, "never": 0.0,
}  # fmt: skip
NAMES = tuple(_PRIORS)
_SORTS = np.array([_LINKS] * 3 + [_CONTENT] * (2 * len(Context)) + [_SIBLINGS] * 9 + [_URL, _URL, _LINKS, _ANY, _ANY])


def weighted(content: float, url: float, links: float, siblings: float) -> tuple[list[float], NDArray[np.bool_]]:
    """The first weights when the four sorts of evidence are given so much weight, and which are left out (weight 0)."""
    of_sort = np.array([content, url, links, siblings, 1.0])[_SORTS]
    return (of_sort * np.array(list(_PRIORS.values()))).tolist(), of_sort == 0


class Tables:
    """Counts over judged pages, by site, token and group of links. All are sums that are exact in any order."""

    def __init__(self) -> None:
        self.siblings = Siblings()
        self._tokens = np.zeros((BUCKETS, 2), np.float32)  # pages and the sum of their values
        self._sites = np.zeros((64, 2))
        self.pages, self.total = 0, 0.0

    @property
    def usual(self) -> float:
        """``P``: what a page is worth on average, never 0 or 1."""
        return (self.total + 0.5) / (self.pages + 1)

    @property
    def nbytes(self) -> int:
        return self.siblings.nbytes + self._tokens.nbytes + self._sites.nbytes

    def judged(self, rows: Rows, values: Floats, times: int = 1) -> None:
        """Pages with these records are worth so much (``times`` 0: so much more than was said before)."""
        self.pages += times * len(rows)
        self.total += float(values.sum())
        top = int(rows["site"].max(initial=0)) + 1
        if top > len(self._sites):
            self._sites = np.concatenate((self._sites, np.zeros((top * 9 // 8 - len(self._sites) + 64, 2))))
        np.add.at(self._sites, rows["site"], np.column_stack((np.full(len(rows), float(times)), values)))
        tokens = rows["token"]
        at, which = np.nonzero(tokens)
        np.add.at(
            self._tokens, tokens[at, which] & _MASK,
            np.column_stack((np.full(len(at), float(times)), values[at])).astype(np.float32),
        )  # fmt: skip
        at, which = np.nonzero(_remembered(rows))
        self.siblings.count(
            rows["page"][at, which].astype(np.int64), rows["place"][at, which].astype(np.int64), values[at], times
        )

    def restore(self, rows: Rows) -> None:
        """Work everything out again from all records."""
        at, which = np.nonzero(_remembered(rows))
        pages, places = rows["page"][at, which].astype(np.int64), rows["place"][at, which].astype(np.int64)
        last = np.full(len(rows), -1, np.int64)
        np.maximum.at(last, pages, places)
        opened = np.flatnonzero(last >= 0)
        self.siblings.open(opened, last[opened])
        judged = ~np.isnan(rows["own"])
        self.judged(rows[judged], rows["own"][judged].astype(np.float64))

    def features(self, rows: Rows, notes: Notes) -> Floats:
        """A row of evidence for each record; the columns are :data:`NAMES`."""
        usual = self.usual
        valid = _remembered(rows)
        known = valid.sum(axis=1)
        pages = np.where(valid, rows["page"], rows["page"][:, :1]).astype(np.int64)
        places = np.where(valid, rows["place"], rows["place"][:, :1]).astype(np.int64)
        none = known == 0
        pages[none], places[none] = 0, 0
        found = np.zeros((len(rows), len(NAMES)))
        worth = np.nan_to_num(notes.own[pages].astype(np.float64))
        found[:, 0] = worth.max(axis=1, initial=0)
        found[:, 1] = (np.where(valid, worth, 0).sum(axis=1) + _KAPPA_PARENTS * usual) / (known + _KAPPA_PARENTS)
        found[:, 2] = np.where(valid, worth - usual, 0).sum(axis=1) / np.sqrt(known + _SPREAD)
        size = len(Context)
        found[:, 3 : 3 + size] = rows["best"]
        parents = rows["parents"].astype(np.float64)[:, None]
        found[:, 3 + size : 3 + 2 * size] = rows["mean"] * (parents / (parents + _KAPPA_PARENTS))
        column = 3 + 2 * size
        for rates in self.siblings.rates(pages, places, usual):
            sums = np.where(valid, rates, 0).sum(axis=1)
            found[:, column] = sums / np.maximum(known, 1)
            found[:, column + 1] = rates.max(axis=1)
            found[:, column + 2] = sums / np.sqrt(known + _SPREAD)
            column += 3
        found[:, column] = self._of_tokens(rows["token"], usual)
        found[:, column + 1] = self._of_sites(rows["site"], usual)
        found[:, column + 2] = np.log1p(rows["parents"]) * 0.05
        found[none] = 0
        found[:, column + 3], found[:, column + 4] = 1.0, -1.0  # a constant of either sign
        return found

    def _of_tokens(self, tokens: NDArray[np.uint32], usual: float) -> Floats:
        """How much more than usual pages with these tokens are worth, added up over the root of their number."""
        counts = self._tokens[tokens & _MASK].astype(np.float64)
        more = (counts[..., 1] - counts[..., 0] * usual) / (counts[..., 0] + _KAPPA_TOKEN)
        there = tokens > 0
        return np.asarray(np.where(there, more, 0).sum(axis=1) / np.sqrt(np.maximum(there.sum(axis=1), 1)))

    def _of_sites(self, sites: NDArray[np.int32], usual: float) -> Floats:
        counts = self._sites[np.minimum(sites, len(self._sites) - 1)]
        return np.asarray((counts[:, 1] - counts[:, 0] * usual) / (counts[:, 0] + _KAPPA_SITE))


def _remembered(rows: Rows) -> NDArray[np.bool_]:
    """Which of the places for parents are filled."""
    return np.arange(PARENTS) < rows["parents"][:, None]
