"""The evidence for each candidate, as columns of numbers: what a learned mix makes a value of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Context
from dowse.predict.learning.link_tokens import BUCKETS
from dowse.predict.learning.notes import EXACT, PARENTS, Rows, judged
from dowse.predict.learning.shards import Told
from dowse.predict.learning.siblings import MOST_PLACES, Siblings
from dowse.predict.learning.statistics import Statistics

__all__ = ["NAMES", "Tables", "weighted"]

Floats = NDArray[np.float64]
_KAPPA_TOKEN = 3.0
_KAPPA_SITE = 1.0
_KAPPA_PARENTS = 0.5
_KAPPA_ALONE = 10.0
_SPREAD = 2.0  # a sum over pages is taken over the root of their number and so many more
_MASK = np.uint32(BUCKETS - 1)
_SITES_A_RECORD, _MORE_SITES = 2, 4096  # a site may be known before any URL of it
_CONTEXTS = [f"{'tag path' if context is Context.PATH else context.name.lower()}'s similarity" for context in Context]
_CONTENT, _URL, _LINKS, _SIBLINGS, _ANY = range(5)
_PRIORS: dict[str, float] = {
    "best page": 0.3, "mean of pages": 0.3, "sum of pages": 0.0,
    **{f"best {name}": 0.0 for name in _CONTEXTS}, **{f"mean {name}": 0.0 for name in _CONTEXTS},
    "mean anchor's similarity": 0.15, "mean url's similarity": 0.15, "mean paragraph's similarity": 0.2,
    "siblings on the page, mean": 0.4, "siblings on the page, best": 0.0, "siblings on the page, sum": 0.0,
    "siblings in twelve links, mean": 0.1, "siblings in twelve links, best": 0.0, "siblings in twelve links, sum": 0.0,
    "siblings in four links, mean": 0.1, "siblings in four links, best": 0.0, "siblings in four links, sum": 0.0,
    "tokens": 0.5, "site": 0.4, "pages that link to it": 0.0, "always": 0.0, "never": 0.0,
}  # fmt: skip
NAMES = tuple(_PRIORS)
_BEST = slice(3, 3 + len(Context))
_MEAN = slice(_BEST.stop, _BEST.stop + len(Context))
_RATES = slice(_MEAN.stop, _MEAN.stop + 9, 3)
_RATES_BEST = slice(_RATES.start + 1, _RATES.stop, 3)
_RATES_SUM = slice(_RATES.start + 2, _RATES.stop, 3)
_SORTS_OF_CONTEXTS = [_URL if context is Context.URL else _CONTENT for context in Context]
_SORTS = np.array([_LINKS] * 3 + 2 * _SORTS_OF_CONTEXTS + [_SIBLINGS] * 9 + [_URL, _URL, _LINKS, _ANY, _ANY])


def weighted(content: float, url: float, links: float, siblings: float) -> tuple[list[float], NDArray[np.intp]]:
    """The first weights when the four sorts of evidence are given so much weight, and which are left out (weight 0)."""
    of_sort = np.array([content, url, links, siblings, 1.0])[_SORTS]
    return (of_sort * np.array(list(_PRIORS.values()))).tolist(), np.flatnonzero(of_sort == 0)


def _check(rows: Rows, pages: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """Records that somebody else may have written: what they count in must exist, or stay small."""
    own, sites = rows["own"], rows["site"]
    most_sites = _SITES_A_RECORD * len(rows) + _MORE_SITES
    if not (
        0 <= int(sites.min(initial=0)) <= int(sites.max(initial=0)) < most_sites
        and 0 <= int(pages.min(initial=0)) <= int(pages.max(initial=0)) < max(1, len(rows))
        and int(places.max(initial=0)) <= MOST_PLACES
        and (np.isnan(own) | (np.abs(own) <= 1)).all()
    ):
        raise ValueError("what is known of a candidate names a page or site that is none")


class Tables:
    """Counts over judged pages, by site, token and group of links. All are sums that are exact in any order."""

    def __init__(self) -> None:
        self.siblings = Siblings()
        self._tokens = np.zeros(BUCKETS, np.complex64)  # pages, and i times the sum of their values
        self._sites = np.zeros(64, np.complex128)  # the same
        self.pages, self.total = 0, 0.0
        self.alone = 0j  # judged pages that no page linked to, and i times the sum of their values
        self._before = Statistics()
        self._own: NDArray[np.complex128] | None = None  # what of the tokens was counted here, once others count, too
        self._others = np.zeros(2, np.complex128)  # their pages, and those of them that no page linked to

    @property
    def usual(self) -> float:
        """``P``: what a page is worth on average, never 0 or 1."""
        before, others = self._before, self._others.item(0)
        return (self.total + before.value + others.imag + 0.5) / (self.pages + before.pages + others.real + 1)

    @property
    def nbytes(self) -> int:
        return self.siblings.nbytes + self._tokens.nbytes + self._sites.nbytes

    def begin(self, before: Statistics) -> None:
        """Start from what was learned before: first of all, or after :meth:`restore`."""
        self._before = before
        buckets = before.tokens.keys & _MASK
        there = buckets > 0  # the first stays empty, whatever a file may hold
        pages, values = _exact(before.tokens.sums[there]).T
        np.add.at(self._tokens, buckets[there], (pages + 1j * values).astype(np.complex64))

    def met(self, site: int, host: str) -> bool:
        """A site has this host: what was learned before of it counts from now on. Was there anything?"""
        found = self._before.hosts.get(host)
        if found is not None:
            self._reach(site + 1)
            self._sites[site] += complex(*_exact(np.array(found)))
        return found is not None

    def _reach(self, top: int) -> None:
        if top >= len(self._sites):  # the last stays empty
            self._sites = np.concatenate((self._sites, np.zeros(top * 9 // 8 - len(self._sites) + 64)))

    def judged(self, rows: Rows, values: Floats, times: int = 1) -> None:
        """Pages with these records are worth so much (``times`` 0: so much more than was said before)."""
        self.pages += times * len(rows)
        self.total += float(values.sum())
        self._reach(int(rows["site"].max(initial=0)) + 1)
        more = times + 1j * values
        np.add.at(self._sites, rows["site"], more)
        tokens = rows["token"]
        at, which = np.nonzero(tokens)
        np.add.at(self._tokens, tokens[at, which] & _MASK, more[at].astype(np.complex64))
        if self._own is not None:
            np.add.at(self._own, tokens[at, which] & _MASK, more[at])
        self._count_links(rows, values, times)

    def failed(self, rows: Rows) -> None:
        """URLs with these records were asked for in vain: targets that are worth nothing, for their siblings. What
        tokens and sites say of that is told by :class:`~dowse.predict.learning.answers.Answers`."""
        self.known(rows, np.zeros(len(rows)))

    def known(self, rows: Rows, values: Floats, times: int = 1) -> None:
        """URLs with these records are worth so much for their siblings, and count for nothing else (``times`` 0: so
        much more than was said before)."""
        self._count_links(rows, values, times)

    def _count_links(self, rows: Rows, values: Floats, times: int) -> None:
        at, which = np.nonzero(_remembered(rows))
        self.siblings.count(
            rows["page"][at, which].astype(np.int64), rows["place"][at, which].astype(np.int64), values[at], times
        )

    def judged_one(self, row: Rows, value: float) -> None:
        """A page with this record was not judged before, and is worth so much."""
        self._reach(row["site"].item() + 1)
        base, groups, _ = self.siblings.tables
        if core is not None and core.count_page(row, base, groups, self._tokens, self._sites, value):
            self.pages += 1
            self.total += value
            if self._own is not None:
                tokens = row["token"][0]
                np.add.at(self._own, tokens[tokens > 0] & _MASK, complex(1, value))
        else:
            self.judged(row, np.array([value]))

    def restore(self, rows: Rows) -> None:
        """Work everything out again from all records."""
        at, which = np.nonzero(_remembered(rows))
        pages, places = rows["page"][at, which].astype(np.int64), rows["place"][at, which].astype(np.int64)
        _check(rows, pages, places)
        last = np.full(len(rows), -1, np.int64)
        np.maximum.at(last, pages, places)
        opened = np.flatnonzero(last >= 0)
        self.siblings.open(opened, last[opened], rows["own"][opened].astype(np.float64))
        known = rows[judged(rows)]
        self.judged(known, known["own"].astype(np.float64))
        others = rows[~np.isnan(rows["own"]) & (rows["failed"] > 0)]
        self.known(others, others["own"].astype(np.float64))

    # -- shards ------------------------------------------------------------------------------------------------

    def own(self, rows: Rows) -> NDArray[np.complex128]:
        """By token, what was counted of our own pages, of which these are the records. From the first time on it is
        counted beside what is gone by."""
        if self._own is None:
            self._own = np.zeros(BUCKETS, np.complex128)
            known = rows[judged(rows)]
            at, which = np.nonzero(known["token"])
            np.add.at(self._own, known["token"][at, which] & _MASK, 1 + 1j * known["own"][at].astype(np.float64))
        return self._own

    def take(self, told: Told, times: int) -> None:
        """Count what another shard has told (``times`` -1: no more)."""
        self._others += times * told.pages
        self._tokens[told.buckets] += (times * told.pages_with).astype(np.complex64)

    # -- evidence ----------------------------------------------------------------------------------------------

    def features(self, rows: Rows) -> Floats:
        """A row of evidence for each record; the columns are :data:`NAMES`."""
        found = np.zeros((len(rows), len(NAMES)))
        tables = (*self.siblings.tables, self._tokens, self._sites)
        if core is None or not core.evidence(rows, *tables, self.usual, found):
            linked = rows["parents"] > 0
            found[linked] = self._of_linked(rows[linked])
            found[:, -2:] = 1.0, -1.0  # a constant of either sign
        return found

    def _of_linked(self, rows: Rows) -> Floats:
        """The evidence for candidates that pages link to."""
        found = np.zeros((len(rows), len(NAMES)))
        if not len(rows):
            return found
        usual, parents = self.usual, rows["parents"].astype(np.float64)
        linked = _remembered(rows)
        known = linked.sum(axis=1)
        starts = np.cumsum(known) - known
        of_links = self.siblings.rates(rows["page"][linked], rows["place"][linked], usual)
        sums, best = np.add.reduceat(of_links, starts, axis=1), np.maximum.reduceat(of_links, starts, axis=1)
        means, spread = sums / known, np.sqrt(known + _SPREAD)
        found[:, 0] = best[0]
        found[:, 1] = (sums[0] + _KAPPA_PARENTS * usual) / (known + _KAPPA_PARENTS)
        found[:, 2] = (sums[0] - known * usual) / spread
        found[:, _BEST] = rows["best"]
        found[:, _MEAN] = rows["mean"] * (parents / (parents + _KAPPA_PARENTS))[:, None]
        found[:, _RATES] = means[1:].T
        found[:, _RATES_BEST] = best[1:].T
        found[:, _RATES_SUM] = (sums[1:] / spread).T
        found[:, -5] = self._of_tokens(rows["token"], usual)
        found[:, -4] = self._of_sites(rows["site"], usual)
        found[:, -3] = np.log1p(parents) * 0.05
        return found

    def unlinked(self, rows: Rows) -> Floats:
        """The evidence for candidates that no page links to: what their addresses say, and in place of pages that link
        there what others like them turned out to be worth."""
        found = np.zeros((len(rows), len(NAMES)))
        alone = self.alone + self._others[1]
        found[:, :2] = (alone.imag + _KAPPA_ALONE * self.usual) / (alone.real + _KAPPA_ALONE)
        found[:, -5] = self._of_tokens(rows["token"], self.usual)
        found[:, -4] = self._of_sites(rows["site"], self.usual)
        found[:, -2:] = 1.0, -1.0
        return found

    def _of_tokens(self, tokens: NDArray[np.uint32], usual: float) -> Floats:
        """How much more than usual pages with these tokens are worth, added up over the root of their number."""
        known = self._tokens[tokens & _MASK].astype(np.complex128)  # the bucket of what is not there stays empty
        more = (known.imag - known.real * usual) / (known.real + _KAPPA_TOKEN)
        there = np.count_nonzero(tokens, axis=1)
        return np.asarray(more.sum(axis=1) / np.sqrt(np.maximum(there, 1)))

    def _of_sites(self, sites: NDArray[np.int32], usual: float) -> Floats:
        known = self._sites.take(sites, mode="clip")  # a site beyond is the last, of which nothing is known
        return np.asarray((known.imag - known.real * usual) / (known.real + _KAPPA_SITE))


def _exact(sums: Floats) -> Floats:
    """Multiples of the same number: so sums do not depend on their order."""
    return np.asarray(np.round(sums * EXACT) / EXACT)


def _remembered(rows: Rows) -> NDArray[np.bool_]:
    """Which of the places for parents are filled."""
    return np.arange(PARENTS) < rows["parents"][:, None]
