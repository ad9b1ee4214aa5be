"""What of a user's accesses counts (METHODS, section 4, collaborative).

* Whoever asks for one page several times within half an hour by the clock (10:00 to 10:30) went there once: reloads,
  pages that renew themselves, and going back are no new interest.
* Of one user, the first 50 accesses of a day count (UTC), and of all days the latest 10,000: one who reads all day, or
  a robot that nobody knew for one, must not speak for all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.model.traces import runs

__all__ = ["Limits", "Sifted", "sift"]

_WINDOW_S = 1800
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Limits:
    """How many accesses of one user count."""

    a_day: int = 50
    in_all: int = 10_000


@dataclass(frozen=True, slots=True)
class Sifted:
    """Accesses in order of user, time and page, and how many were left out."""

    users: NDArray[np.uint64]
    at: NDArray[np.uint32]
    pages: NDArray[np.uint64]
    repeats: int
    beyond_day: int
    beyond_all: int = 0


def sift(
    users: NDArray[np.uint64], at: NDArray[np.uint32], pages: NDArray[np.uint64], limits: Limits, *, whole: bool
) -> Sifted:  # fmt: skip
    """What counts of these accesses, which may come in any order. Those of a part of a log may be sifted first and
    then, ``whole``, those of all parts: what comes of it is the same."""
    order = np.lexsort((at, at // _WINDOW_S, pages, users))
    users, at, pages = users[order], at[order], pages[order]
    window = at // _WINDOW_S
    first = runs(users) | runs(pages) | runs(window)
    users, at, pages = users[first], at[first], pages[first]
    repeats = len(order) - len(at)
    order = np.lexsort((pages, at, users))
    users, at, pages = users[order], at[order], pages[order]
    kept = _rank(runs(users) | runs(at // _DAY_S)) < limits.a_day
    beyond_day = len(kept) - int(kept.sum())
    users, at, pages = users[kept], at[kept], pages[kept]
    if not whole:
        return Sifted(users, at, pages, repeats, beyond_day)
    ends = np.append(runs(users)[1:], True) if len(users) else np.zeros(0, bool)
    latest = _rank(ends[::-1])[::-1] < limits.in_all
    return Sifted(
        users[latest], at[latest], pages[latest], repeats, beyond_day, len(latest) - int(latest.sum())
    )  # fmt: skip


def _rank(begins: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How far each is from where its run begins."""
    places = np.arange(len(begins))
    return places - np.maximum.accumulate(np.where(begins, places, 0))
