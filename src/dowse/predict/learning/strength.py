"""How strongly a word, token or host speaks for or against the topic (METHODS, section 4, the robust forms)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["LEAST_PAGES", "SIGNIFICANT", "Strength", "significance", "strength", "strongest"]

KAPPA = 10.0
LEAST_PAGES = 5.0
SIGNIFICANT = 2.0


@dataclass(frozen=True, slots=True)
class Strength:
    """Evidence ``E``: on how many pages it was, what these were worth on average, and what that says."""

    pages: float
    mean: float
    interest: float  # I(C,E): above 1 it speaks for the topic
    z: float


def strength(pages: float, value: float, usual: float) -> Strength:
    """``I = ((v + kappa P)/(n + kappa))/P``, ``kappa`` 10: one rare word can neither veto nor crown.

    >>> strength(10, 8.0, 0.2)
    Strength(pages=10, mean=0.8, interest=2.5, z=4.743416490252569)
    """
    interest = (value + KAPPA * usual) / (pages + KAPPA) / usual
    return Strength(pages, value / pages if pages else usual, interest, significance(pages, value, usual))


def significance(pages: float, value: float, usual: float) -> float:
    """``z = |P(C|E) - P| / sqrt(P(1 - P)/n(E))``, with the evidence's own count."""
    if not pages:
        return 0.0
    return abs(value / pages - usual) / math.sqrt(usual * (1 - usual) / pages)


def strongest(
    rows: Iterable[tuple[str, float, float]], usual: float, most: int
) -> tuple[list[tuple[str, Strength]], list[tuple[str, Strength]]]:
    """Of named (pages, value), what speaks most for the topic and what most against it: only what was on 5 pages and is
    significant at 2."""
    found = [
        (name, strength(pages, value, usual))
        for name, pages, value in rows
        if pages >= LEAST_PAGES and significance(pages, value, usual) >= SIGNIFICANT
    ]
    ordered = sorted(found, key=lambda row: (-row[1].interest, -row[1].z))  # equal ones as they came
    above = [row for row in ordered if row[1].interest > 1]
    below = [row for row in reversed(ordered) if row[1].interest < 1]
    return above[:most], below[:most]
