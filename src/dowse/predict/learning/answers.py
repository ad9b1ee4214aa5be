"""The chance that a URL answers with a page, by what became of others of its site, with its tokens, and at its path of
tags on the pages of a site (a menu, a list of files).

A page off the topic and a URL that leads nowhere are different things: words tell the one, a site and its URLs the
other. So what a URL is worth is the chance to be on the topic, times the chance that there is a page at all.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.predict.learning.link_tokens import BUCKETS
from dowse.predict.learning.notes import Rows, told
from dowse.predict.learning.shards import Told

__all__ = ["Answers", "Failed"]

Floats = NDArray[np.float64]
_MASK = np.uint32(BUCKETS - 1)
_KAPPA = 3.0
_USUAL, _USUAL_ASKED = 0.5, 5.0  # so many failed of so many that were asked for, before anything is known


class Failed(IntEnum):
    """What a record says of a URL that was asked for in vain."""

    LASTING = 1  # it speaks against the URL, and against its site
    PASSING = 2  # against its site only
    ELSEWHERE = 3  # none of ours: another shard has judged it, and this is what it is worth to its siblings and links


class Answers:
    """How many URLs were asked for and how many of them in vain, by site, token and path of tags. Whole numbers: their
    sums are exact in any order."""

    def __init__(self) -> None:
        self._tokens = np.zeros(BUCKETS, np.complex64)  # URLs that were asked for, and i times those that failed
        self._sites = np.zeros(64, np.complex128)  # the same
        self.asked, self.failed = 0, 0
        self._own: NDArray[np.complex128] | None = None  # what of the tokens was counted here, once others count, too
        self._met = np.zeros(0, np.bool_)  # which of them were; a table that is searched much more quickly
        self._others = 0j  # URLs that they asked for, and i times those that failed

    @property
    def nbytes(self) -> int:
        return self._tokens.nbytes + self._sites.nbytes

    @property
    def usual(self) -> float:
        """The share that fails, never 0 or 1."""
        return (self.failed + self._others.imag + _USUAL) / (self.asked + self._others.real + _USUAL_ASKED)

    def count(self, row: Rows) -> None:
        """The URL with this record was asked for: it failed, as its record says, or brought a page."""
        failed = row["failed"].item()
        self._reach(row["site"].item() + 1)
        if self._own is not None:
            _count_tokens(self._own, self._met, row)
        if core is not None and core.count_answer(row, self._tokens, self._sites):
            self.asked += 1
            self.failed += failed > 0
        else:
            self._count(row)

    def restore(self, rows: Rows) -> None:
        """Work everything out again from all records."""
        asked = _asked(rows)
        self._reach(int(asked["site"].max(initial=0)) + 1)
        self._count(asked)

    def _count(self, rows: Rows) -> None:
        failed = rows["failed"] > 0
        self.asked += len(rows)
        self.failed += int(failed.sum())
        more = 1 + 1j * failed
        np.add.at(self._sites, rows["site"], more)
        of_url = rows["failed"] != Failed.PASSING
        tokens = told(rows[of_url])
        at, which = np.nonzero(tokens)
        np.add.at(self._tokens, tokens[at, which] & _MASK, more[of_url][at].astype(np.complex64))

    def own(self, rows: Rows) -> tuple[NDArray[np.intp], NDArray[np.complex128]]:
        """The tokens of our own URLs, of which these are the records, and by token what was counted of them; paths of
        tags are not tokens. From the first time on it is counted beside what is gone by."""
        if self._own is None:
            self._own, self._met = np.zeros(BUCKETS, np.complex128), np.zeros(BUCKETS, np.bool_)
            _count_tokens(self._own, self._met, _asked(rows))
        return np.flatnonzero(self._met), self._own

    def take(self, told: Told, times: int) -> None:
        """Count what another shard has told (``times`` -1: no more)."""
        self._others += times * told.asked
        self._tokens[told.buckets] += (times * told.asked_with).astype(np.complex64)

    def _reach(self, top: int) -> None:
        if top >= len(self._sites):  # the last stays empty
            self._sites = np.concatenate((self._sites, np.zeros(top * 9 // 8 - len(self._sites) + 64)))

    def chances(self, rows: Rows) -> Floats:
        """That each candidate answers.

        Odds to fail, as a naive Bayes has them: those of the site, times what each token and the path say beyond that.
        Tokens come together (``images`` and ``png``), so what they say is taken to the root.
        """
        found = np.empty(len(rows))
        if core is not None and core.chances(rows, self._tokens, self._sites, self.usual, found):
            return found
        site = self._sites.take(rows["site"], mode="clip")  # a site beyond is the last, of which nothing is known
        fails = ((site.imag + _KAPPA * self.usual) / (site.real + _KAPPA))[:, None]
        token = self._tokens[told(rows) & _MASK].astype(np.complex128)  # the bucket of what is not there stays empty
        answered = token.real - token.imag
        odds = fails / (1 - fails)
        beyond = (token.imag + _KAPPA * fails) / (answered + _KAPPA * (1 - fails)) / odds
        return np.asarray(1 / (1 + odds[:, 0] * np.sqrt(beyond.prod(axis=1))))


def _asked(rows: Rows) -> Rows:
    """Those of URLs that were asked for."""
    ours = rows["failed"] != Failed.ELSEWHERE
    asked: Rows = rows[ours & (~np.isnan(rows["own"]) | (rows["failed"] > 0))]
    return asked


def _count_tokens(table: NDArray[np.complex128], met: NDArray[np.bool_], rows: Rows) -> None:
    """Count URLs with these records by token, and i times those that failed; note which tokens they have."""
    of_url = rows[rows["failed"] != Failed.PASSING]
    at, which = np.nonzero(of_url["token"])
    buckets = of_url["token"][at, which] & _MASK
    np.add.at(table, buckets, 1 + 1j * (of_url["failed"][at] > 0))
    met[buckets] = True
