"""What a recrawl brought against the last time: new, changed and gone objects, and whether to learn again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from dowse.model.objects import DistinctObject, FoundObject
from dowse.recrawl.objects import distinct

__all__ = ["LEAST_FOUND", "Renewal", "is_over", "renewal"]

LEAST_FOUND = 0.95
"""A run that finds less of what the last one had, what is over left out, says that its plan is out of date."""

_ENDS = ("endDate", "validThrough", "startDate", "date")  # the first that an object has says when its time is over


@dataclass(frozen=True, slots=True)
class Renewal:
    """Objects of two runs."""

    kept: int
    new: list[DistinctObject]
    changed: list[tuple[DistinctObject, DistinctObject]]
    gone: list[DistinctObject]  # though their time is not over
    over: int  # gone, and their time is

    @property
    def found(self) -> float:
        """The share of the objects of before, less those that are over, that were found again."""
        again = self.kept + len(self.changed)
        return again / (again + len(self.gone)) if again + len(self.gone) else 1.0

    @property
    def is_due(self) -> bool:
        """Is it time to learn anew?"""
        return self.found < LEAST_FOUND


def renewal(before: Sequence[DistinctObject], after: Sequence[DistinctObject], today: date) -> Renewal:
    """Compare two runs. An object is the same by name, day and place; of two that are not, one has become the other
    where the same page states each of them alone."""
    groups = distinct([*_tagged("b", before), *_tagged("a", after)])
    kept, changed = 0, []
    left: dict[str, list[DistinctObject]] = {"a": [], "b": []}
    for group in groups:
        ours = {"a": [after[n] for n in _numbers(group, "a")], "b": [before[n] for n in _numbers(group, "b")]}
        if not (ours["a"] and ours["b"]):
            left["a"] += ours["a"]
            left["b"] += ours["b"]
        elif ours["a"][0].fields == ours["b"][0].fields:
            kept += len(ours["b"])
        else:
            changed.append((ours["b"][0], ours["a"][0]))
            kept += len(ours["b"]) - 1
    moved = _moved(left["b"], left["a"])
    gone = [one for one in left["b"] if id(one) not in {id(was) for was, _ in moved}]
    new = [one for one in left["a"] if id(one) not in {id(now) for _, now in moved}]
    over = [one for one in gone if is_over(one, today)]
    return Renewal(kept, new, changed + moved, [one for one in gone if not is_over(one, today)], len(over))


def is_over(one: DistinctObject, today: date) -> bool:
    """Did it end before this day? Not when it has no day."""
    for name in _ENDS:
        value = one.fields.get(name)
        if isinstance(value, str):
            try:
                return date.fromisoformat(value[:10]) < today
            except ValueError:
                continue
    return False


def _tagged(tag: str, objects: Iterable[DistinctObject]) -> list[FoundObject]:
    """As if each were stated by a page of its own, whose address is its place."""
    return [FoundObject(one.kind, one.fields, f"{tag}{number}") for number, one in enumerate(objects)]


def _numbers(group: DistinctObject, tag: str) -> list[int]:
    return [int(source[1:]) for source in group.sources if source[0] == tag]


def _moved(
    before: Sequence[DistinctObject], after: Sequence[DistinctObject]
) -> list[tuple[DistinctObject, DistinctObject]]:
    """Those that a page states alone, then and now: it is the page of one thing."""
    was, now = _alone(before), _alone(after)
    found: dict[int, tuple[DistinctObject, DistinctObject]] = {}
    for page, one in was.items():
        other = now.get(page)
        if other is not None and other.kind == one.kind:
            found.setdefault(id(one), (one, other))
    taken: set[int] = set()
    return [pair for pair in found.values() if id(pair[1]) not in taken and not taken.add(id(pair[1]))]  # type: ignore[func-returns-value]


def _alone(objects: Sequence[DistinctObject]) -> dict[str, DistinctObject]:
    stated: dict[str, list[DistinctObject]] = defaultdict(list)
    for one in objects:
        for page in one.sources:
            stated[page].append(one)
    return {page: ours[0] for page, ours in stated.items() if len(ours) == 1}
