"""Going site by site, against a model that answers every question by looking at everything."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier import Lease
from dowse.frontier.frontier import Frontier
from dowse.frontier.site_line import web_site_name
from dowse.model.records import CandidateBlock, CandidateState, SiteTurn
from tests.frontier.made import add, drain, open_sites

ORIGINS = ("http://a.test", "https://www.a.test", "http://b.test", "https://c.test", "http://d.test:81")


@dataclass
class NaiveLine:
    at_once: int
    urls: dict[int, tuple[str, float]] = field(default_factory=dict)  # id -> web site, priority
    waiting: set[int] = field(default_factory=set)
    leased: set[int] = field(default_factory=set)
    current: set[str] = field(default_factory=set)
    processed: set[str] = field(default_factory=set)

    def add(self, id_: int, origin: str, priority: float) -> None:
        self.urls[id_] = web_site_name(origin), priority
        self.waiting.add(id_)
        self.processed.discard(web_site_name(origin))

    def best(self, sites: set[str]) -> int | None:
        ids = [id_ for id_ in self.waiting if self.urls[id_][0] in sites]
        return min(ids, key=lambda id_: (-self.urls[id_][1], id_), default=None)

    def next(self) -> int | None:
        every = {site for site, _ in self.urls.values()}
        while len(self.current) < self.at_once and (best := self.best(every - self.current)) is not None:
            self.current.add(self.urls[best][0])
        busy = {self.urls[id_][0] for id_ in self.leased}
        found = self.best(self.current - busy)
        if found is not None:
            self.waiting.discard(found)
            self.leased.add(found)
        return found

    def over(self, id_: int, *, again: bool) -> None:
        self.leased.discard(id_)
        if again:
            self.waiting.add(id_)
        self.settle()

    def settle(self) -> None:
        for site in list(self.current):
            if not any(self.urls[id_][0] == site for id_ in self.waiting | self.leased):
                self.current.discard(site)
                self.processed.add(site)


class Both:
    """The frontier and the model, told the same."""

    def __init__(self, at_once: int, dice: random.Random) -> None:
        self.dice = dice
        self.frontier = Frontier(delay_s=0)
        self.frontier.go_by_site(at_once)
        self.naive = NaiveLine(at_once)
        self.leases: dict[int, Lease] = {}
        self.turns: dict[int, SiteTurn] = {}
        self.number = 0
        self.now = 0.0

    def adds(self) -> None:
        origin = self.dice.choice(ORIGINS)
        url = f"{origin}/{self.number}"
        priority = self.dice.choice((-float(self.number), 1.0, 2.0))
        closed = (site := self.frontier.known_site(url)) is not None and site.closed
        if closed or (self.frontier.is_processed(url) and self.dice.random() < 0.8):  # a link is refused, a seed is not
            return
        self.number += 1
        [id_] = add(self.frontier, [url], [priority], self.now)
        self.naive.add(id_, origin, priority)
        open_sites(self.frontier)

    def leases_one(self) -> None:
        lease = self.frontier.next(self.now)
        wanted = self.naive.next()
        assert (None if lease is None else lease.candidate) == wanted
        if lease is not None:
            self.leases[lease.candidate] = lease

    def ends_one(self) -> None:
        if not self.leases:
            return
        id_ = self.dice.choice(sorted(self.leases))
        lease, again = self.leases.pop(id_), self.dice.random() < 0.2
        if self.dice.random() < 0.5:
            self.frontier.release(lease, self.now)
        else:
            self.frontier.cancel(lease, self.now)
        again = again and not lease.site.closed
        if again:
            self.frontier.retry(id_, at=self.now, now=self.now)
        else:
            self.frontier.finish(id_, CandidateState.FETCHED)
        self.naive.over(id_, again=again)

    def closes_one(self) -> None:
        site = self.dice.choice(self.frontier.sites) if self.frontier.sites else None
        if site is None or site.closed or self.dice.random() < 0.9:
            return
        self.naive.waiting -= set(self.frontier.close(site, "gone"))
        self.naive.settle()

    def agree(self) -> None:
        self.turns |= dict(self.frontier.turned())
        by_name: dict[str, set[SiteTurn]] = {}
        for site in self.frontier.sites:
            by_name.setdefault(web_site_name(site.origin), set()).add(self.turns.get(site.id, SiteTurn.LATER))
        for name, turns in by_name.items():
            wanted = (SiteTurn.CURRENT if name in self.naive.current else
                      SiteTurn.PROCESSED if name in self.naive.processed else SiteTurn.LATER)  # fmt: skip
            assert max(turns) == wanted, name
        reach = [id_ for id_ in self.naive.waiting if self.naive.urls[id_][0] in self.naive.current]
        assert self.frontier.within_reach == len(reach)

    def resumed(self) -> Frontier:
        """A frontier that takes up what would be in the records; leases are lost."""
        columns, count = self.frontier.candidates, len(self.frontier.candidates)
        again = Frontier(delay_s=0)
        again.go_by_site(self.naive.at_once)
        for site in self.frontier.sites:
            again.site(site.origin).closed = site.closed
        again.restore_turns(sorted(self.turns.items()))
        states = columns.state[:count].astype(np.int64)
        states[states == CandidateState.LEASED] = CandidateState.WAITING
        none = np.zeros(count, np.int64)
        if count:
            again.load(CandidateBlock(
                0, [self.frontier.url(id_) for id_ in range(count)], columns.site[:count].astype(np.int64), none,
                none - 1, self.frontier.priorities(np.arange(count)), none, states, none, {}, [None] * count,
            ))  # fmt: skip
        again.loaded(0.0)
        open_sites(again)
        return again


@settings(max_examples=300, deadline=None)
@given(at_once=st.integers(1, 3), seed=st.integers(0, 10_000), steps=st.integers(0, 120))
def test_only_current_sites_are_leased_and_a_resume_goes_on(at_once: int, seed: int, steps: int) -> None:
    both = Both(at_once, random.Random(seed))
    verbs = [both.adds] * 4 + [both.leases_one] * 4 + [both.ends_one] * 4 + [both.closes_one]
    for _ in range(steps):
        both.dice.choice(verbs)()
        both.agree()
    for id_ in sorted(both.leases):  # as a crash would have it
        if not both.leases[id_].site.closed:
            both.naive.over(id_, again=True)
        else:
            both.naive.over(id_, again=False)
            both.frontier.candidates.state[id_] = CandidateState.REFUSED
    order = []
    while (found := both.naive.next()) is not None:
        order.append(both.frontier.url(found))
        both.naive.over(found, again=False)
    assert drain(both.resumed()) == order


def test_a_crawl_that_does_not_go_by_site_has_all_within_reach() -> None:
    frontier = Frontier(delay_s=0)
    add(frontier, ["http://a.test/", "http://b.test/"], [1.0, 2.0])
    assert (frontier.within_reach, frontier.turned(), frontier.is_processed("http://a.test/")) == (2, [], False)
    assert frontier.web_sites(np.array([0, 1])).tolist() == [0, 1]


@pytest.mark.parametrize(("origin", "name"), [
    ("http://a.test", "a.test"), ("https://a.test", "a.test"), ("https://www.a.test", "a.test"),
    ("http://a.test:8080", "a.test:8080"), ("http://[::1]:80", "[::1]:80"), ("http://wwwa.test", "wwwa.test"),
])  # fmt: skip
def test_what_one_web_site_is(origin: str, name: str) -> None:
    assert web_site_name(origin) == name
