"""Table 1 of the paper: what each way to recrawl fetches and finds, on the pages it was learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dowse.lab.recrawl.walk import Walked
from dowse.model.objects import DistinctObject
from dowse.recrawl.numbered import with_objects
from dowse.recrawl.objects import distinct
from dowse.recrawl.patterns.learn import learn_patterns
from dowse.recrawl.patterns.pattern import parse_pattern
from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.choose import Choice, choose_all, choose_by_cost, choose_sr
from dowse.recrawl.selection.site_graph import rows_of

__all__ = ["Learned", "Row", "learned", "table_one"]

IsTrue = Callable[[DistinctObject], bool]


@dataclass(frozen=True, slots=True)
class Row:
    """One way to recrawl."""

    method: str
    patterns: int
    object_bytes: int
    wire_bytes: int  # with the pages on the way
    distinct: int
    correct: int | None  # None where nobody knows what is


@dataclass(frozen=True, slots=True)
class Learned:
    """What a full crawl says."""

    atlas: Atlas
    objects: list[DistinctObject]


def learned(walk: Walked, form: str) -> Learned:
    """Distinct objects, patterns, and which pages are of which."""
    objects = distinct(walk.found)
    pages = with_objects(walk.pages, objects)
    return Learned(Atlas(pages, list(map(parse_pattern, learn_patterns(pages, form)))), objects)


def choices(atlas: Atlas, coverage: float = 0.99) -> Iterator[Choice]:
    """All patterns, SR(1) to SR(3), and cost-aware."""
    yield choose_all(atlas)
    for k in (1, 2, 3):
        yield choose_sr(atlas, k)
    yield choose_by_cost(atlas, coverage)


def table_one(known: Learned, is_true: IsTrue | None) -> list[Row]:
    """The paper's table, with the cost-aware cover below it."""
    atlas = known.atlas
    true = None if is_true is None else frozenset(n for n, one in enumerate(known.objects) if is_true(one))

    def correct(objects: frozenset[int]) -> int | None:
        return None if true is None else len(objects & true)

    size = atlas.total_bytes
    rows = [Row("full download", 0, size, size, len(atlas.objects), correct(atlas.objects))]
    for choice in choices(atlas):
        objects = reached_objects(atlas, choice)
        rows.append(
            Row(choice.method, len(choice.patterns), choice.object_bytes, choice.wire_bytes, len(objects),
                correct(objects))
        )  # fmt: skip
    return rows


def reached_objects(atlas: Atlas, choice: Choice) -> frozenset[int]:
    """What the pages of a choice state."""
    found: set[int] = set()
    for origin, edges in choice.edges.items():
        site = atlas.sites[origin]
        found.update(*(site.pages[row].objects for row in rows_of(site.reached(edges))))
    return frozenset(found)


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """The paper's and our claims: objects of SR(1) to those of all patterns, bytes and objects of cost-aware to
    SR(1)'s."""
    by_name = {row.method: row for row in rows}
    one, every, spare = by_name["SR(1)"], by_name["all patterns"], by_name["cost-aware"]
    return {
        "sr1_objects": one.distinct / every.distinct,
        "cost_objects": spare.distinct / one.distinct,
        "cost_bytes": spare.wire_bytes / one.wire_bytes,
    }
