"""How nearly a predicate is satisfied, so that a crawl can climb towards it.

Each test has a degree d in [0, 1], and its negation has one of its own, both at least 1/2 exactly when they hold:

- what is true or false: 1 or 0;
- a comparison of x with the bound b, where r is the ratio of the smaller of both to the greater: 1 - r/2 where it
  holds, 0.49 r where it does not. So ``x >= b`` rises from 0 at x = 0 to 1/2 at the bound and on towards 1;
- ``x == b`` where it holds, and ``x != b``, and whatever has a bound of 0 or below, which nothing comes nearer to: 1
  or 0.

``or`` has the greatest degree of its parts. ``and`` has their mean when all hold, else the mean of min(d, 1/2): each
part that is satisfied, or nearly, adds its share, and no part makes up for another. ``not`` swaps a part with its
negation, so that ``not (a and b)`` is ``not a or not b``. ``and`` and ``or`` are monotone: what raises the degree of a
part never lowers that of the whole.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dowse.judge.category import Category
from dowse.model.judge import ReadPage
from dowse.model.page import Part

__all__ = ["BOUND", "OPPOSITE", "Predicate", "Satisfied", "all_of", "compared", "holds"]

BOUND = 0.5
_BELOW = math.nextafter(BOUND, 0.0)  # so that no rounding makes up for a part that does not hold
_NEARLY = 0.49
OPPOSITE = {">": "<=", "<=": ">", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Satisfied:
    """Whether a page satisfies a predicate: ``score`` is at least 0.5 exactly when it ``held``."""

    held: bool
    score: float
    parts: tuple[Part, ...]
    fault: str = ""


class Predicate(Protocol):
    """What a page must satisfy."""

    @property
    def needs_objects(self) -> bool:
        """Does it look at :attr:`PageFacts.objects`?"""
        ...

    @property
    def needs_text(self) -> bool:
        """Does it look at :attr:`PageFacts.text`?"""
        ...

    @property
    def can_be_sent(self) -> bool:
        """Can it be sent to a worker process?"""
        ...

    @property
    def categories(self) -> Mapping[str, Category]:
        """The categories that it asks for, by the names it has for them."""
        ...

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms that it counts on pages."""
        ...

    def wanted(self) -> dict[str, float]:
        """The terms that pages which satisfy it are likely to have, with weights up to 1."""
        ...

    def __call__(self, page: ReadPage) -> Satisfied: ...


def holds(value: float | str, sign: str, bound: float | str) -> bool:
    """The comparison itself."""
    return _COMPARE[sign](value, bound)


def compared(value: float, sign: str, bound: float) -> float:
    """The degree of ``value sign bound`` for a value of at least 0.

    >>> compared(1, ">=", 4), compared(4, ">=", 4), compared(8, ">=", 4), compared(8, "<", 4)
    (0.1225, 0.5, 0.75, 0.245)
    """
    held = holds(value, sign, bound)
    if sign == "!=" or bound <= 0 or (sign == "==" and held):
        return float(held)
    ratio = value / bound if value <= bound else bound / value
    return 1.0 - ratio / 2 if held else _NEARLY * ratio


def all_of(degrees: Sequence[float]) -> float:
    """The degree of ``and``.

    >>> all_of([1.0, 0.5]), all_of([1.0, 0.0])
    (0.75, 0.25)
    """
    if all(degree >= BOUND for degree in degrees):
        return max(BOUND, math.fsum(degrees) / len(degrees))
    return min(_BELOW, math.fsum(min(degree, BOUND) for degree in degrees) / len(degrees))
