"""Queues of fronts and rears against a plain list that is searched from end to end."""

from __future__ import annotations

from heapq import heappop

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.candidates import ID_BITS, ID_MASK, Candidates, orders_of
from dowse.frontier.queues import Queues
from dowse.frontier.site import Site
from dowse.model.records import CandidateState
from tests.frontier.reference import NaiveQueues

SITES = 2
RANK = st.integers(0, 6).map(float)  # few, so that many are equal
BATCH = st.lists(st.tuples(st.integers(0, 10**6), RANK), min_size=1, max_size=40)
STEPS = st.lists(
    st.tuples(st.just("add"), BATCH)
    | st.tuples(st.just("rerank"), BATCH)
    | st.tuples(st.just("take"), st.lists(st.tuples(st.integers(0, 1), RANK), max_size=40)),
    max_size=25,
)


class Fast:
    def __init__(self) -> None:
        self.columns = Candidates()
        self.sites = [Site(n, f"http://{n}", 1.0) for n in range(SITES)]
        self.queues = Queues(self.columns, self.sites)

    def add(self, site: int, rank: float) -> None:
        orders = orders_of(np.array([rank]))
        [id_] = self.columns.extend(["/"], np.array([site]), 0, 0, 0, orders).tolist()
        self.sites[site].waiting += 1
        self.queues.push(self.sites[site], (int(orders[0]) << ID_BITS) | id_)

    def rerank(self, ranks: dict[int, float]) -> None:
        ids, orders = np.array(list(ranks)), orders_of(np.array(list(ranks.values())))
        before = self.columns.order[ids]
        self.columns.order[ids] = orders
        better = self.queues.rerank(ids, before, orders)
        for site in self.sites:  # offered under nothing here, so that every new key in a front is better
            moved = {key & ID_MASK for key in site.front if self.columns.is_current(key)} & set(ranks)
            assert not moved or site in better

    def take(self, site: int) -> int:
        key = self.queues.top(self.sites[site])
        if key < 0:
            return -1
        heappop(self.sites[site].front)
        self.columns.state[key & ID_MASK] = CandidateState.LEASED
        self.sites[site].waiting -= 1
        return key & ID_MASK


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_the_best_at_each_site_whatever_happened(steps: list[tuple[str, list[tuple[int, float]]]]) -> None:
    fast, naive = Fast(), NaiveQueues()
    taken: list[tuple[int, int]] = []
    for kind, batch in steps:
        if kind == "take":
            for site, rank in batch:
                id_ = naive.take(site)
                assert fast.take(site) == id_
                if id_ >= 0:
                    taken.append((site, id_))
                if taken and rank > 5:  # tried again
                    site, id_ = taken.pop()
                    naive.back(id_)
                    fast.columns.state[id_] = CandidateState.WAITING
                    fast.sites[site].waiting += 1
                    fast.queues.push(fast.sites[site], fast.columns.key(id_))
        elif kind == "add":
            for number, rank in batch:
                fast.add(number % SITES, rank)
                naive.add(number % SITES, rank)
        else:
            waiting = naive.all_waiting()
            ranks = {waiting[number % len(waiting)]: rank for number, rank in batch} if waiting else {}
            if ranks:
                fast.rerank(ranks)
                naive.rerank(ranks)
    for site in range(SITES):
        assert fast.queues.waiting(fast.sites[site]) == naive.waiting(site)
        while (id_ := naive.take(site)) >= 0:
            assert fast.take(site) == id_
        assert fast.take(site) == -1


def test_a_url_ranked_again_and_again_takes_no_more_room() -> None:
    fast = Fast()
    for n in range(200):
        fast.add(0, n / 200)
    dice = np.random.default_rng(1)
    for _ in range(300):
        fast.rerank(dict(zip(dice.permutation(200)[:50].tolist(), dice.random(50).tolist(), strict=True)))
        site = fast.sites[0]
        assert len(site.front) <= site.front_most
        assert len(site.rear or ()) <= 2 * 200 + 32
    assert len(fast.queues.waiting(fast.sites[0])) == 200
