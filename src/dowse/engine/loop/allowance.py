"""How choosy a crawl is: how many of the best waiting URLs may go while pages are counted."""

from __future__ import annotations

import math

from dowse.engine.life.tally import Tally
from dowse.model.topic import Target

__all__ = ["allowance"]

_BUDGET_SHARE = 16  # of the pages left, so many times fewer may go: most of what is good is not found yet
_PAGES_A_FIND = 4  # it takes to get one that the target wants
_FEWEST = 8
_MOST = 1e9


def allowance(left: int | None, target: Target, tally: Tally) -> int | None:
    """How many, when so many fetches are ``left``: a small share of them, since better URLs will be found on the way,
    or a few for each page the target still wants (of a value: as many as it takes at the going rate). None: nothing
    is counted, so idle hosts cost nothing, and every URL may go.

    >>> allowance(1600, Target(), Tally()), allowance(1600, Target(relevant=3), Tally())
    (100, 12)
    """
    found = [] if left is None else [left // _BUDGET_SHARE]
    if target.relevant is not None:
        found.append(_PAGES_A_FIND * (target.relevant - tally.relevant))
    if target.value is not None:
        a_page = tally.value / tally.pages if tally.value > 0 else 1 / _PAGES_A_FIND
        found.append(math.ceil(min((target.value - tally.value) / a_page, _MOST)))
    return max(_FEWEST, min(found)) if found else None
