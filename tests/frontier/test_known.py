from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.frontier import Frontier
from dowse.model.records import CandidateState
from tests.frontier.made import add, drain, open_sites


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.sets(st.integers(0, 29)), st.integers(1, 40))
def test_what_is_to_come(priorities: list[float], done: set[int], most: int) -> None:
    frontier = Frontier(delay_s=0)
    add(frontier, [f"http://a.test/{n}" for n in range(len(priorities))], priorities)
    gone = [n for n in done if n < len(priorities)]
    for candidate in gone:
        frontier.finish(candidate, CandidateState.FETCHED)
    left = sorted((one for n, one in enumerate(priorities) if n not in gone), reverse=True)
    best, count = frontier.to_come(most)
    assert (best.tolist(), count) == (left[:most], len(left))


def test_what_is_under_way_or_waits_for_a_retry_is_still_to_come() -> None:
    frontier = Frontier(delay_s=0)
    add(frontier, ["http://a.test/1", "http://b.test/2", "http://c.test/3"], [0.9, 0.8, 0.7])
    open_sites(frontier)
    [one, two] = [frontier.next(0.0), frontier.next(0.0)]
    assert one is not None
    assert two is not None
    frontier.release(one, 0.0)
    frontier.retry(one.candidate, at=5.0, now=0.0)
    assert frontier.to_come(5)[0].tolist() == [0.9, 0.8, 0.7]
    frontier.finish(two.candidate, CandidateState.FETCHED)
    assert frontier.to_come(5)[0].tolist() == [0.9, 0.7]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), min_size=1, max_size=60), st.integers(1, 2**64 - 1))
def test_the_seed_of_fingerprints_changes_nothing(places: list[tuple[int, int]], seed: int) -> None:
    def crawled(frontier: Frontier) -> tuple[list[int], list[str]]:
        known: list[int] = []
        for site, path in places:
            url = f"http://s{site}.test/{path}"
            prints = frontier.fingerprints([url])
            found = int(frontier.find(prints)[0])
            known.append(found)
            assert int(frontier.look_up(prints).ids[0]) == found
            if found < 0:
                frontier.add([url], prints, depth=0, parent=-1, priorities=np.array([path % 7 / 7]), now=0.0)
        open_sites(frontier)
        return known, drain(frontier)

    assert crawled(Frontier(hash_seed=seed)) == crawled(Frontier())
