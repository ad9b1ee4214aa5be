from __future__ import annotations

import pytest

from dowse.model.visits import DuePage
from dowse.recrawl.revisit.choice import Seen, intervals_of, older_than, worth_most
from dowse.recrawl.revisit.rates import Visit

DAY = 86_400.0
NOW = 100 * DAY


def test_what_is_older_comes_the_most_valuable_first() -> None:
    pages = [
        DuePage(0, 0, 0.1, NOW - 9 * DAY), DuePage(1, 0, 0.9, NOW - 7 * DAY), DuePage(2, 0, 1.0, NOW - 6 * DAY),
        DuePage(3, 0, 0.9, NOW - 8 * DAY),
    ]  # fmt: skip
    assert older_than(pages, 7 * DAY, NOW) == [3, 1, 0]
    assert older_than([], 0, NOW) == []


def test_visits_become_intervals_between_them() -> None:
    seen = [Seen(1, 0.0, None), Seen(1, 5.0, True), Seen(1, 7.0, False), Seen(2, 3.0, None), Seen(3, 1.0, True)]
    assert intervals_of(seen) == {1: [Visit(5.0, True), Visit(2.0, False)]}


def visited(page: int, every: float, *, changed: bool, times: int = 10) -> list[Seen]:
    return [Seen(page, place * every, None if not place else changed) for place in range(times + 1)]


def test_uniform_takes_the_oldest() -> None:
    pages = [DuePage(page, 0, 1.0, NOW - page * DAY) for page in range(1, 6)]
    assert worth_most("uniform", pages, [], 2, DAY, NOW) == [5, 4]


def test_what_changes_more_goes_first_and_what_it_is_worth_counts() -> None:
    pages = [DuePage(page, page, 1.0 if page != 2 else 0.1, NOW - DAY) for page in range(3)]
    seen = [*visited(0, DAY, changed=False), *visited(1, DAY, changed=True), *visited(2, DAY, changed=True)]
    assert worth_most("proportional", pages, seen, 3, DAY, NOW) == [1, 2, 0]
    assert worth_most("auto", pages, seen, 2, DAY, NOW)[0] == 1


@pytest.mark.parametrize("policy", ["auto", "uniform", "proportional"])
def test_nothing_can_be_due(policy: str) -> None:
    assert worth_most(policy, [], [], 5, DAY, NOW) == []


@pytest.mark.parametrize("policy", ["auto", "uniform", "proportional"])
def test_a_visit_in_the_future_is_that_of_a_wrong_clock(policy: str) -> None:
    ahead = DuePage(0, 0, 1.0, NOW + 300 * DAY)
    assert older_than([ahead], 7 * DAY, NOW) == [0]
    assert worth_most(policy, [ahead, DuePage(1, 0, 1.0, NOW - DAY / 2)], [], 1, DAY, NOW) == [0]
    assert worth_most(policy, [ahead, DuePage(1, 0, 1.0, NOW - 2 * DAY)], [], 1, DAY, NOW) == [1]
