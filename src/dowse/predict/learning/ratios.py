"""Interest ratios: how much likelier a page satisfies the predicate when the evidence is there (METHODS, section 4).

``I(C,E) = P(C|E)/P(C)``, Aggarwal, Al-Garawi and Yu (2001). The paper takes shares as they are; the robust form draws
them to what is usual, so that one rare word can neither veto nor crown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIGNIFICANT", "Counted", "Pairs"]

Floats = NDArray[np.float64]
_KAPPA = 10.0
_CLIP = 3.0
_SLACK = 1e-9  # rounding decides nothing
SIGNIFICANT = 2.0
"""Standard deviations from what is usual, from which on a word counts: ``t`` of equation 7."""
_LEAST = 5  # occurrences, in the robust form
_LOWEST = -30.0  # the paper's log 0


@dataclass(frozen=True, slots=True)
class Counted:
    """How many pages were judged, and how many of them satisfy the predicate."""

    pages: float
    satisfying: float
    robust: bool
    significance: float = SIGNIFICANT

    @property
    def share(self) -> float:
        """``P(C)``; in the robust form never 0 or 1."""
        if self.robust:
            return (self.satisfying + 1) / (self.pages + 2)
        return self.satisfying / self.pages if self.pages else 0.0

    @property
    def tells(self) -> bool:
        """Is anything to be learned yet? The paper's form knows nothing while all pages satisfy, or none does."""
        return self.robust or 0 < self.satisfying < self.pages

    def logs(self, satisfying: Floats, pages: Floats, *, over: float | None = None, least: int = _LEAST) -> Floats:
        """``log I`` of words or tokens that so many pages have, of which so many satisfy; 0 for what is not
        significant: ``|P(C|Q) - P(C)| / sqrt(P(C)(1 - P(C)) / n) >= t``, where ``n`` is how many pages satisfy (paper;
        or ``over``, where it says something else) or have the word (robust: the paper's makes a word seen once look
        certain; and ``least`` pages must have it)."""
        if not self.tells:
            return np.zeros(len(pages))
        share, there = self.share, np.where(pages > 0, pages, 1.0)  # of an earlier crawl, a page may be a part of one
        own = satisfying / there
        spread = share * (1 - share)
        if not self.robust:
            z = np.abs(own - share) / math.sqrt(spread / (self.satisfying if over is None else over))
            found = np.where(own > 0, np.log(np.maximum(own, math.exp(_LOWEST)) / share), _LOWEST)
            return np.where((z >= self.significance) & (pages > 0), found, 0.0)
        z = np.abs(own - share) / np.sqrt(spread / there)
        found = np.log((satisfying + _KAPPA * share) / (pages + _KAPPA) / share)
        return np.where((z >= self.significance) & (pages >= least), np.clip(found, -_CLIP, _CLIP), 0.0)

    def may_tell(self, satisfying: Floats, pages: Floats) -> NDArray[np.bool_]:
        """Every one that is significant, and few others: the robust form's test without its divisions and roots."""
        beyond = satisfying - self.share * pages
        return beyond * beyond >= (1 - _SLACK) * self.significance**2 * self.share * (1 - self.share) * pages

    def drawn(self, satisfying: Floats, pages: Floats) -> Floats:
        """``I`` of so many pages of which so many satisfy, drawn to 1 where they are few; the robust form's."""
        share = self.share
        return (satisfying + _KAPPA * share) / (pages + _KAPPA) / share

    def siblings(self, satisfying: float, pages: int) -> float:
        """``log(s/e)``, ``e = n P(C)``: siblings that satisfy against those that would by chance; none: 0."""
        return self.mean(satisfying, pages)

    def mean(self, satisfying: float, pages: float) -> float:
        """``log I`` of so many pages of which so many satisfy, however significant that is; none: 0."""
        if not pages or not self.tells:
            return 0.0
        if self.robust:
            share = self.share
            return max(-_CLIP, min(_CLIP, math.log((satisfying + _KAPPA * share) / (pages + _KAPPA) / share)))
        return math.log(satisfying / (pages * self.share)) if satisfying else _LOWEST


@dataclass(slots=True)
class Pairs:
    """Links between judged pages, by whether their two ends satisfy: ``f1`` both, ``f2`` the source only, ``f3`` the
    target only, ``f4`` neither."""

    f1: float = 0.0
    f2: float = 0.0
    f3: float = 0.0
    f4: float = 0.0

    def add(self, source: bool, target: bool) -> None:
        if source:
            self.f1, self.f2 = self.f1 + target, self.f2 + (not target)
        else:
            self.f3, self.f4 = self.f3 + target, self.f4 + (not target)

    def log(self, satisfying: float, sources: float, counted: Counted) -> float:
        """``log p^m q^(k-m)`` for ``m`` of ``k`` sources that satisfy."""
        if not counted.tells or not sources:
            return 0.0
        p, q = self._robust() if counted.robust else self._paper(counted.share)
        return max(_LOWEST, satisfying * _log(p) + (sources - satisfying) * _log(q))

    def _paper(self, share: float) -> tuple[float, float]:
        pairs = self.f1 + self.f2 + self.f3 + self.f4
        if not pairs:
            return 1.0, 1.0
        return self.f1 / pairs / share**2, self.f3 / pairs / (share * (1 - share))

    def _robust(self) -> tuple[float, float]:
        """``p = f1/((f1+f2)(f1+f3))``, ``q = f3/((f3+f4)(f1+f3))`` in shares, each count half a pair higher."""
        f1, f2, f3, f4 = (count + 0.5 for count in (self.f1, self.f2, self.f3, self.f4))
        pairs = f1 + f2 + f3 + f4
        return f1 * pairs / ((f1 + f2) * (f1 + f3)), f3 * pairs / ((f3 + f4) * (f1 + f3))


def _log(ratio: float) -> float:
    return max(_LOWEST, math.log(ratio)) if ratio > 0 else _LOWEST
