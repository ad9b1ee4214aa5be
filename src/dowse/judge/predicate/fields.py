"""Fields of the objects that a page states: ``object("Event").location == "Bratislava"``.

A field has as many values as there are objects of the type on the page, and a comparison holds where it does for one of
them. ``!=`` is the opposite of ``==``: it holds where no object has that value. A page without such an object, or such
a field, passes ``!=`` only.

Texts are compared without case, accents and signs; what names a place, part by part: "Kino, Bratislava" is
"Bratislava". Days are compared as far as the bound goes: with "2026-05", their months.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from dowse.judge.predicate.check import A_DAY
from dowse.judge.predicate.syntax import Leaf
from dowse.model.facts import PageFacts, object_type
from dowse.model.normal.dates import read_date
from dowse.model.normal.places import place_key
from dowse.model.normal.texts import plain
from dowse.model.objects import FoundObject, Value

__all__ = ["field_value"]

_PLACES = ("location", "place", "address", "venue", "city", "region", "country", "locality")
_MOST = 1_000  # objects, and values, that a test looks at


def field_value(leaf: Leaf, facts: PageFacts) -> float | str | bool:
    """What a test of a field measures: of several values the one that passes most easily. Alone: is there one? Where
    there is none to compare: False."""
    kind = object_type(leaf.argument)
    stated = islice((one for one in facts.stated if object_type(one.kind) == kind), _MOST)
    found = list(islice((pair for one in stated for pair in _values(one, leaf.field.lower())), _MOST))
    if not leaf.operator:
        return bool(found)
    if isinstance(leaf.bound, str):
        return _text(leaf, leaf.bound, [value for value, _ in found if isinstance(value, str)])
    numbers = [number for value, is_own in found if is_own and (number := _number(value)) is not None]
    return _nearest(numbers, leaf.operator, leaf.bound) if numbers else False


def _values(one: FoundObject, wanted: str) -> Iterator[tuple[Value, bool]]:
    """A field's own value, and what is told of the thing that it is: the town of the address of a location."""
    for name, value in one.fields.items():
        name = name.lower()
        if name == wanted or name.startswith(f"{wanted}."):
            yield value, name == wanted


def _text(leaf: Leaf, bound: str, texts: list[str]) -> str | bool:
    if A_DAY.fullmatch(bound) is not None:
        told = [day for text in texts if (day := read_date(text)) is not None]
        days = [day[: len(bound)] for day in told if len(day) >= len(bound)]
        if leaf.operator not in ("==", "!="):
            return False if not days else max(days) if leaf.operator.startswith(">") else min(days)
        if bound in days:
            return bound
    if not texts:
        return False
    is_place = any(name in leaf.field.lower() for name in _PLACES)
    if any(_is(text, bound, is_place) for text in texts):
        return bound
    return texts[0]


def _is(text: str, bound: str, is_place: bool) -> bool:
    if text == bound or plain(text) == plain(bound):
        return True
    return is_place and place_key(bound) in place_key(text).split(", ")


def _number(value: Value) -> float | None:
    if not isinstance(value, str):
        return float(value)
    try:
        return float(value) if len(value) < 30 else None
    except ValueError:
        return None


def _nearest(numbers: list[float], operator: str, bound: float) -> float:
    if operator in ("<", "<="):
        return min(numbers)
    if operator in (">", ">="):
        return max(numbers)
    return min(numbers, key=lambda number: abs(number - bound))
