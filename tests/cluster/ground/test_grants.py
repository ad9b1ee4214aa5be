"""Whom the best waiting URLs belong to, against the sentence that says it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.cluster.ground.grants import alike, best_of, dealt, note_pace, part_of, regrant
from dowse.cluster.ground.members import Shard, Stage
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import Values
from tests.cluster.ground.places import report

_VALUES = st.lists(st.sampled_from([float("inf"), 0.9, 0.5, 0.5, 0.1, 0.0, float("-inf")]), max_size=6)


def test_a_hair_more_does_not_bring_a_shard_everything() -> None:
    """Two have as much to do, and one promises a thousandth more; a third promises half."""
    told = [np.full(50, 0.8), np.full(50, 0.801), np.full(50, 0.4)]
    assert best_of(told, [50, 50, 50], 40) == [0, 40, 0]
    assert best_of(alike(told), [50, 50, 50], 40) == [20, 20, 0]
    small = [values / 1e6 for values in told]
    assert best_of(alike(small), [50, 50, 50], 40) == [20, 20, 0], "on any scale"
    assert alike([np.array([np.inf, 1.0, np.nan]), np.zeros(0)])[0][:2].tolist() == [np.inf, 100.0]


@given(st.lists(st.tuples(_VALUES, st.integers(0, 12)), min_size=1, max_size=5), st.integers(0, 60))
def test_each_has_as_many_of_the_best_as_are_its_own(shards: list[tuple[list[float], int]], most: int) -> None:
    told = [sorted(values, reverse=True) for values, _ in shards]
    all_of_them = [
        (value, owner)
        for owner, (values, (_, count)) in enumerate(zip(told, shards, strict=True)) if values
        for value in (values + [values[-1]] * count)[:count]
    ]  # fmt: skip
    best = sorted(all_of_them, key=lambda one: -one[0])[:most]
    edge = best[-1][0] if best else float("inf")
    sure = Counter(owner for value, owner in best if value > edge)
    tied = Counter(owner for value, owner in all_of_them if value == edge)
    found = best_of([np.array(values) for values in told], [count for _, count in shards], most)
    assert sum(found) == len(best)
    for one, own in enumerate(found):
        assert sure[one] <= own <= sure[one] + tied[one]
        for other, others in enumerate(found):
            more = (own - sure[one]) - (others - sure[other])
            assert more <= 1 or others - sure[other] == tied[other], "ties are shared evenly"


@given(st.integers(0, 50), st.lists(st.integers(0, 20), max_size=6))
def test_dealt_one_by_one(most: int, wanted: list[int]) -> None:
    literal, left = [0] * len(wanted), most
    while left and any(have < want for have, want in zip(literal, wanted, strict=True)):
        for n, want in enumerate(wanted):
            if left and literal[n] < want:
                literal[n] += 1
                left -= 1
    assert dealt(most, wanted) == literal


@st.composite
def _shards(draw: st.DrawFn) -> list[Shard]:
    found = []
    for number in range(draw(st.integers(1, 5))):
        spent = draw(st.integers(0, 9))
        held = spent + draw(st.integers(0, 5))
        granted = held + draw(st.integers(0, 9))
        found.append(Shard(
            number, epoch=1, stage=draw(st.sampled_from(Stage)), lease_until=draw(st.sampled_from([0.0, 9.0])),
            reported=True, idle=draw(st.sampled_from(["", "empty", "stalled", "budget: pages"])),
            spent=Spent(spent, spent * 1000, 0.0, spent * 2), held=Spent(held, held * 1000, 0.0, held * 2),
            granted=Spent(granted, granted * 1000, 0.0, granted * 2), waiting=draw(st.integers(0, 900)),
            pages_per_s=draw(st.sampled_from([0.0, 3.0, 400.0])),
        ))  # fmt: skip
    found[0].stage, found[0].lease_until = Stage.HERE, 9.0
    return found


@given(_shards(), st.data(), st.booleans())
def test_no_more_is_granted_than_there_is_and_no_less_than_is_held(
    shards: list[Shard], data: st.DataObject, evenly: bool
) -> None:
    own = shards[0]
    more = data.draw(st.integers(0, 2000))
    limits = data.draw(st.sets(st.sampled_from(["pages", "bytes", "requests"]), min_size=1))
    budget = Budget(**{name: sum(getattr(shard.granted, name) for shard in shards) + more for name in limits})
    told: dict[int, Values] = {shard.shard: np.array(data.draw(_VALUES)) for shard in shards}
    granted = regrant(own, shards, told, budget, 1.0, evenly=evenly)
    for name in ("pages", "bytes", "requests"):
        others = sum(getattr(shard.granted, name) for shard in shards[1:])
        if name in limits:
            assert getattr(own.held, name) <= getattr(granted, name) <= getattr(budget, name) - others
        else:
            assert getattr(granted, name) == 0
    if own.idle in ("empty", "stalled"):
        assert all(getattr(granted, name) == getattr(own.held, name) for name in limits)


@given(_shards(), st.data(), st.booleans())
def test_the_choice_of_one_engine_is_divided(shards: list[Shard], data: st.DataObject, evenly: bool) -> None:
    """Among the shards that have work: each has its part, and together it is the whole."""
    at_work = [shard for shard in shards if shard.is_alive(1.0) and shard.idle not in ("empty", "stalled")]
    told: dict[int, Values] = {shard.shard: np.array(data.draw(_VALUES)) for shard in shards}
    budget = Budget(pages=sum(shard.granted.pages for shard in shards) + data.draw(st.integers(0, 9000)))
    parts = [part_of(own, shards, told, budget, 1.0, evenly=evenly) for own in at_work]
    assert all(0 <= part <= 1 for part in parts)
    if at_work:
        assert sum(parts) == pytest.approx(1)
    if evenly:
        assert all(part == pytest.approx(1 / len(at_work)) for part in parts)


def test_who_has_the_best_has_the_choice() -> None:
    """Of 1,600 pages that are left, one engine chooses among the best hundred."""
    shards = [Shard(n, 1, Stage.HERE, 9.0, reported=True, waiting=500) for n in range(3)]
    told = {0: np.array([0.9] * 60 + [0.1] * 400), 1: np.array([0.5] * 20 + [0.2] * 400), 2: np.empty(0)}
    parts = [part_of(own, shards, told, Budget(pages=1600), 1.0, evenly=False) for own in shards]
    assert parts == [0.6, 0.4, 0.0]
    assert part_of(shards[2], shards, told, Budget(seconds=9.0), 1.0, evenly=False) == 1.0, "nothing is counted"


def test_a_lone_shard_is_never_left_without() -> None:
    """Whatever it tells, it gets something while there is some: its last page too."""
    for left in (1, 2, 5, 1000):
        for promises in ([], [0.0], [0.5] * 500):
            own = Shard(0, 1, Stage.HERE, 9.0, reported=True, idle="budget: pages", waiting=len(promises))
            for evenly in (False, True):
                granted = regrant(own, [own], {0: np.array(promises)}, Budget(pages=left), 1.0, evenly=evenly)
                assert 0 < granted.pages <= left


def test_who_cannot_use_a_share_leaves_it_to_others() -> None:
    """The best of all wait at a slow site."""
    budget = Budget(pages=100_000)
    slow = Shard(0, 1, Stage.HERE, 99.0, reported=True, waiting=5000, pages_per_s=1.0)
    quick = Shard(1, 1, Stage.HERE, 99.0, reported=True, waiting=5000, pages_per_s=100.0)
    told = {0: np.full(512, 0.9), 1: np.full(512, 0.1)}
    assert regrant(slow, [slow, quick], told, budget, 1.0, evenly=False).pages == 64
    assert regrant(quick, [slow, quick], told, budget, 1.0, evenly=False).pages == 138
    slow.pages_per_s = 100.0
    assert regrant(slow, [slow, quick], told, budget, 1.0, evenly=False).pages == 400
    assert regrant(quick, [slow, quick], told, budget, 1.0, evenly=False).pages == 0
    assert regrant(quick, [slow, quick], told, budget, 1.0, evenly=True).pages == 200


def test_how_quickly_a_shard_could_go_is_seen_when_it_was_not_short() -> None:
    budget = Budget(pages=1000)
    own = Shard(0, 1, Stage.HERE, 99.0, granted=Spent(pages=200))
    for now, pages, expected in ((0.0, 0, 0.0), (0.25, 90, 0.0), (2.0, 100, 50.0), (12.0, 130, 25.0)):
        note_pace(own, report(Spent(pages=pages)), budget, now)
        assert own.pages_per_s == expected
    note_pace(own, report(Spent(pages=200)), budget, 12.5)
    own.granted = Spent(pages=300)
    note_pace(own, report(Spent(pages=200)), budget, 32.0)
    assert own.pages_per_s == 25.0, "it had no more to spend"
    note_pace(own, report(Spent(pages=200)), budget, 42.0)
    assert own.pages_per_s == 12.5
