"""A predicate that is a function of Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dowse.judge.category import Category
from dowse.judge.guarded import can_travel, packed, told_fault, unpacked
from dowse.judge.predicate.grade import BOUND, Satisfied
from dowse.model.judge import ReadPage
from dowse.model.page import Part
from dowse.model.topic import PageFunction
from dowse.model.topic_json import function_name

__all__ = ["FunctionPredicate"]


class FunctionPredicate:
    """Asks a function. What it raises is a fault of the page's verdict, not of the crawl."""

    terms: tuple[str, ...] = ()
    categories: Mapping[str, Category] = MappingProxyType({})
    needs_objects = True
    needs_text = True

    def __init__(self, function: PageFunction) -> None:
        self._function = function
        self._text = f"{function_name(function)}(page)"

    def wanted(self) -> dict[str, float]:
        return {}

    @property
    def can_be_sent(self) -> bool:
        """Can another process import the function? Not a lambda, a closure, or one of the main program."""
        return can_travel(self._function)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, packed(self._function)

    def __call__(self, page: ReadPage) -> Satisfied:
        try:
            answer = self._function(page.facts)
            degree = _degree(answer)
        except (Exception, SystemExit) as error:  # whatever it is, it costs this page only
            fault = told_fault(self._text, error)
            return Satisfied(False, 0.0, (Part(self._text, False, 0.0, "failed"),), fault)
        held = degree >= BOUND
        value = None if isinstance(answer, bool) else degree
        return Satisfied(held, degree, (Part(self._text, held, degree, value),))


def _degree(answer: Any) -> float:
    """bool or number in [0, 1], also of NumPy's kinds."""
    degree = float(answer) if hasattr(answer, "__float__") or isinstance(answer, int) else math.nan
    if not 0.0 <= degree <= 1.0:
        raise ValueError(f"it returned {answer!r}, not True, False or a number from 0 to 1")
    return degree


def _revived(function: bytes, path: list[str]) -> FunctionPredicate:
    return FunctionPredicate(unpacked(function, path))
