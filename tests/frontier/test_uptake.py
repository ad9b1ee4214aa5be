from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.frontier import Frontier
from dowse.model.errors import StoreError
from dowse.model.records import CandidateRow, CandidateState
from dowse.model.url import fingerprint
from tests.frontier.made import add, block, drain, load, open_sites


def test_a_better_priority_overtakes_at_the_last_moment() -> None:
    frontier = Frontier(delay_s=0)
    ids = add(frontier, ["http://a.test/1", "http://a.test/2", "http://b.test/3"], [0.5, 0.1, 0.4])
    open_sites(frontier)
    changed = frontier.update(np.array(ids), np.array([0.2, 0.1, 0.4]), 0)
    assert changed.tolist() == [ids[0]]
    frontier.update(np.array([ids[1]]), np.array([0.9]), 0)
    assert [url[-1] for url in drain(frontier)] == ["2", "3", "1"]


def test_memory_of_a_waiting_url_is_small() -> None:
    frontier = Frontier(delay_s=1)
    for part in range(20):
        urls = [
            f"http://s{n % 40}.test/articles/2024/05/a-title-of-middling-length-{part}-{n}.html" for n in range(1000)
        ]
        add(frontier, urls, [random.Random(n).random() for n in range(1000)])
    assert frontier.nbytes / 20_000 < 250


def test_damaged_records_are_noticed() -> None:
    with pytest.raises(StoreError, match="damaged"):
        load(Frontier(), [CandidateRow(1, "http://a.test/1", 0, 0, None, 1.0)])
    with pytest.raises(StoreError, match="damaged"):
        Frontier().load(block([CandidateRow(0, "http://a.test/0", 0, 0, None, 1.0)]))  # of a site without a row


def test_loading_gives_the_same_frontier() -> None:
    rows = [
        CandidateRow(0, "http://a.test/0", 0, 0, None, 0.3),
        CandidateRow(1, "http://a.test/1", 0, 1, 0, 0.9, state=CandidateState.FETCHED),
        CandidateRow(2, "http://b.test/2", 1, 1, 0, 0.5, run=3, attempts=200),
    ]
    frontier = Frontier(delay_s=0)
    load(frontier, rows, size=2)
    open_sites(frontier)
    assert frontier.waiting == 2
    columns = frontier.candidates
    assert (columns.run[2], columns.attempts[2], columns.parent[0], columns.depth[2]) == (3, 200, -1, 1)
    assert drain(frontier) == ["http://b.test/2", "http://a.test/0"]
    assert frontier.find(np.array([fingerprint("http://a.test/1")], np.uint64)).tolist() == [1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.sampled_from([0, 0, 0, 2])), min_size=1, max_size=150)
)
def test_a_loaded_frontier_goes_on_like_the_one_it_came_from(found: list[tuple[int, int, int]]) -> None:
    numbers: dict[int, int] = {}
    rows = [
        CandidateRow(id_, f"http://s{site}.test/{id_}", numbers.setdefault(site, len(numbers)), 0, None, rank / 8,
                     state=CandidateState(state))
        for id_, (site, rank, state) in enumerate(found)
    ]  # fmt: skip
    frontier = Frontier(delay_s=0)
    load(frontier, rows, size=40)
    open_sites(frontier)
    waiting = [row for row in rows if row.state is CandidateState.WAITING]
    assert frontier.waiting == len(waiting) == sum(site.waiting for site in frontier.sites)
    assert drain(frontier) == [row.url for row in sorted(waiting, key=lambda row: -row.priority)]
