from __future__ import annotations

import numpy as np
import pytest

from dowse.model.visits import GoodVisits, Visitable
from dowse.recrawl.revisit.choice import intervals_of, older_than, worth_most

DAY = 86_400.0
NOW = 100 * DAY
Seen = tuple[int, float, bool | None]
Page = tuple[int, int, float, float]  # id, site, value, when it was visited


def known(*pages: Page) -> Visitable:
    columns = list(zip(*pages, strict=True)) or [()] * 4
    ids, sites = (np.array(column, np.int64) for column in columns[:2])
    return Visitable(ids, sites, *(np.array(column, float) for column in columns[2:]))


def good(*seen: Seen) -> GoodVisits:
    page, at, changed = list(zip(*seen, strict=True)) or [()] * 3
    told = [-1 if one is None else int(one) for one in changed]
    return GoodVisits(np.array(page, np.int64), np.array(at, float), np.array(told, np.int8))


def test_what_is_older_comes_the_most_valuable_first() -> None:
    days = ((0, 0.1, 9), (1, 0.9, 7), (2, 1.0, 6), (3, 0.9, 8))
    pages = known(*((page, 0, value, NOW - ago * DAY) for page, value, ago in days))
    assert older_than(pages, 7 * DAY, NOW) == [3, 1, 0]
    assert older_than(known(), 0, NOW) == []


def test_visits_become_intervals_between_them() -> None:
    seen = good(
        (1, 0.0, None), (7, 3.0, None), (1, 5.0, True), (9, 100.0, True), (8, 0.0, None), (1, 7.0, False),
        (8, 6.0, True), (7, 2.0, True), (7, 9.0, True), (1, 11.0, None),
    )  # fmt: skip
    found = intervals_of(seen, known((1, 0, 1.0, 0.0), (7, 0, 1.0, 0.0), (9, 0, 1.0, 0.0)))
    told = list(zip(found.group.tolist(), found.interval_s.tolist(), found.changed.tolist(), strict=True))
    assert told == [(0, 5.0, True), (0, 2.0, False), (1, 7.0, True)], "8 is gone, and a clock was set back at 7"
    assert len(intervals_of(seen, known()).group) == len(intervals_of(good(), known()).group) == 0


def visited(page: int, every: float, *, changed: bool, times: int = 10) -> list[Seen]:
    return [(page, place * every, None if not place else changed) for place in range(times + 1)]


def test_uniform_takes_the_oldest() -> None:
    pages = known(*((page, 0, 1.0, NOW - page * DAY) for page in range(1, 6)))
    assert worth_most("uniform", pages, good(), 2, DAY, NOW) == [5, 4]


def test_what_changes_more_goes_first_and_what_it_is_worth_counts() -> None:
    pages = known(*((page, page, 1.0 if page != 2 else 0.1, NOW - DAY) for page in range(3)))
    seen = good(*visited(0, DAY, changed=False), *visited(1, DAY, changed=True), *visited(2, DAY, changed=True))
    assert worth_most("proportional", pages, seen, 3, DAY, NOW) == [1, 2, 0]
    assert worth_most("auto", pages, seen, 2, DAY, NOW)[0] == 1


@pytest.mark.parametrize("policy", ["auto", "uniform", "proportional"])
def test_nothing_can_be_due(policy: str) -> None:
    assert worth_most(policy, known(), good(), 5, DAY, NOW) == []


@pytest.mark.parametrize("policy", ["auto", "uniform", "proportional"])
def test_a_visit_in_the_future_is_that_of_a_wrong_clock(policy: str) -> None:
    ahead = (0, 0, 1.0, NOW + 300 * DAY)
    assert older_than(known(ahead), 7 * DAY, NOW) == [0]
    assert worth_most(policy, known(ahead, (1, 0, 1.0, NOW - DAY / 2)), good(), 1, DAY, NOW) == [0]
    assert worth_most(policy, known(ahead, (1, 0, 1.0, NOW - 2 * DAY)), good(), 1, DAY, NOW) == [1]


def test_who_waited_longest_goes_first_among_those_that_are_visited_as_often() -> None:
    pages = known((0, 0, 1.0, NOW - DAY), (1, 0, 1.0, NOW - 3 * DAY), (2, 1, 1.0, NOW - 2 * DAY))
    assert worth_most("auto", pages, good(), 3, DAY, NOW) == [1, 2, 0]
    seen = good(*visited(0, DAY, changed=True), *visited(1, DAY, changed=False))
    for ago, expected in ((DAY, [0, 1]), (DAY / 1000, [1, 0])):
        pages = known((0, 0, 1.0, NOW - ago), (1, 0, 1.0, NOW - 3 * DAY))
        assert worth_most("proportional", pages, seen, 2, DAY, NOW) == expected, "nor is the liveliest always first"
