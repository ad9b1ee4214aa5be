"""The covers, against the paper's sentence and against a greedy that counts everything anew at each step."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from dowse.recrawl.selection.cover import by_cost, by_gain, sr

_COVERS = st.dictionaries(st.integers(0, 7), st.frozensets(st.integers(0, 9)), max_size=8)
_SITES = {number: "ab"[number % 2] for number in range(8)}


def _cost(pattern: int, chosen: Collection[int]) -> float:
    """Its own bytes, and the way that it shares with others of its site."""
    way = 0.0 if any(_SITES[other] == _SITES[pattern] for other in chosen) else 50.0
    return 10.0 * pattern + 5.0 + way


@given(_COVERS, st.integers(1, 3))
def test_sr_is_the_papers_greedy(covers: dict[int, frozenset[int]], k: int) -> None:
    """First a pattern that covers the most distinct objects, then one that covers the most new ones, until none covers
    at least k new ones."""
    steps = sr(covers, k, _cost)
    covered: set[int] = set()
    left = set(covers)
    for step in steps:
        most = max(len(covers[pattern] - covered) for pattern in left)
        assert step.gain == len(covers[step.pattern] - covered) == most >= k
        left.remove(step.pattern)
        covered |= covers[step.pattern]
        assert step.covered == len(covered)
    assert all(len(covers[pattern] - covered) < k for pattern in left)


def test_what_others_cover_already_counts_no_more() -> None:
    covers = {0: frozenset({1, 2, 3}), 1: frozenset({1, 2, 4}), 2: frozenset({5, 6})}
    assert [(step.pattern, step.gain) for step in sr(covers, 1, _cost)] == [(0, 3), (2, 2), (1, 1)]


@given(_COVERS)
def test_sr_1_keeps_every_object(covers: dict[int, frozenset[int]]) -> None:
    steps = sr(covers, 1, _cost)
    assert (steps[-1].covered if steps else 0) == len(frozenset().union(*covers.values()))


@given(_COVERS, st.integers(0, 10))
def test_the_lazy_cover_is_the_greedy_one(covers: dict[int, frozenset[int]], enough: int) -> None:
    steps = by_cost(covers, _cost, _SITES, enough=enough)
    covered: set[int] = set()
    chosen: list[int] = []
    for step in steps:
        assert len(covered) < enough
        ratios = {
            pattern: len(objects - covered) / _cost(pattern, chosen)
            for pattern, objects in covers.items()
            if pattern not in chosen
        }
        assert ratios[step.pattern] == max(ratios.values()) > 0
        assert step.cost == _cost(step.pattern, chosen)
        covered |= covers[step.pattern]
        chosen.append(step.pattern)
    total = len(frozenset().union(*covers.values()))
    assert len(covered) >= min(enough, total)


@given(_COVERS, st.floats(0, 300))
def test_a_budget_is_not_exceeded(covers: dict[int, frozenset[int]], budget: float) -> None:
    for steps in (
        by_gain(covers, _cost, budget=budget),
        by_cost(covers, _cost, _SITES, enough=100, budget=budget),
    ):
        assert sum(step.cost for step in steps) <= budget
