"""How nearly a predicate is satisfied, so that a crawl can climb towards it.

Each test has a degree d in [0, 1], and its negation has one of its own, both at least 1/2 exactly when they hold:

- what is true or false: 1 or 0;
- ``x >= b`` and ``x > b``: x / 2b below the bound, 1 - b / 2x above it;
- ``x <= b`` and ``x < b``: 1 less that, so 1 - x / 2b below the bound, b / 2x above it;
- ``x == b``: 1, else half the ratio of the smaller to the greater; ``x != b``: 1 or 0;
- with a bound of 0 or below, which nothing comes nearer to: 1 or 0;
- at the bound itself 1/2 where it holds, the greatest number below 1/2 where it does not.

``or`` has the greatest degree of its parts. ``and`` has their mean when all hold, else the mean of min(d, 1/2): each
part that is satisfied, or nearly, adds its share, and no part makes up for another. ``not`` swaps a part with its
negation, so that ``not (a and b)`` is ``not a or not b``. ``and`` and ``or`` are monotone: what raises the degree of a
part never lowers that of the whole.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["BOUND", "OPPOSITE", "all_of", "compared", "holds"]

BOUND = 0.5
_BELOW = math.nextafter(BOUND, 0.0)
OPPOSITE = {">": "<=", "<=": ">", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def holds(value: float | str, sign: str, bound: float | str) -> bool:
    """The comparison itself."""
    return _COMPARE[sign](value, bound)


def compared(value: float, sign: str, bound: float) -> float:
    """The degree of ``value sign bound`` for a value of at least 0.

    >>> compared(1, ">=", 4), compared(4, ">=", 4), compared(8, ">=", 4), compared(8, "<", 4)
    (0.125, 0.5, 0.75, 0.25)
    """
    held = holds(value, sign, bound)
    if sign == "!=" or bound <= 0:
        return float(held)
    if sign == "==":
        return 1.0 if held else _failed(0.5 * min(value, bound) / max(value, bound))
    above = _above(value, bound)
    degree = above if sign in (">", ">=") else 1.0 - above
    return max(degree, BOUND) if held else _failed(degree)


def _above(value: float, bound: float) -> float:
    return 0.5 * value / bound if value <= bound else 1.0 - 0.5 * bound / value


def _failed(degree: float) -> float:
    return min(degree, _BELOW)


def all_of(degrees: Sequence[float]) -> float:
    """The degree of ``and``.

    >>> all_of([1.0, 0.5]), all_of([1.0, 0.0])
    (0.75, 0.25)
    """
    if all(degree >= BOUND for degree in degrees):
        return max(BOUND, math.fsum(degrees) / len(degrees))
    return _failed(math.fsum(min(degree, BOUND) for degree in degrees) / len(degrees))
