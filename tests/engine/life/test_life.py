"""The life of a URL, transition by transition: nobody is asked, and nothing is fetched."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dowse.frontier import Errand, Lease
from dowse.model.page import Outcome
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_FLOOR
from dowse.model.topic import Scope, Topic
from dowse.predict.best_first import BestFirst
from tests.engine.life.made import Made, links_to, row

A, B, C = "http://a.test/", "http://a.test/b", "http://b.test/c"


WAITING, LEASED, FETCHED, FAILED, REFUSED, BELOW, *_ = CandidateState


def test_seeds_wait_in_their_order_before_everything_else() -> None:
    made = Made()
    assert made.seed(B, A, B) == 2
    assert made.seed(A) == 0, "it is known"
    assert made.life.waiting == 2
    lease = made.begun()
    assert (lease.url, lease.depth) == (B, 0)
    made.over(lease)
    made.links(lease, C, score=0.9)
    assert made.lease().url == A
    rows = [candidate for batch in made.commit().batches for candidate in batch.candidates]
    told = [(one.id, one.url, one.parent, one.depth) for one in rows]
    assert told == [(0, B, None, 0), (1, A, None, 0), (2, C, 0, 1)]
    assert [one.priority > SEED_FLOOR for one in rows] == [True, True, False]


def test_what_a_rule_refuses_stays_unknown_and_is_counted() -> None:
    made = Made(topic=Topic(query="x", scope=Scope(max_depth=1, exclude=("/secret*",))))
    assert made.seed("http://a.test/secret", A) == 1
    lease = made.begun()
    made.over(lease)
    made.links(lease, B)
    deeper = made.begun()
    made.over(deeper)
    made.links(deeper, C)
    refusals: dict[str, int] = {}
    for batch in made.commit().batches:
        refusals |= batch.refusals
    assert refusals == {"path": 1, "depth": 1}
    assert len(made.disk.states()) == 2


def test_a_site_is_asked_for_its_address_and_its_robots_txt_before_a_page() -> None:
    made = Made()
    made.life.admit_seeds([A])
    first = made.lease()
    assert (first.errand, first.candidate) == (Errand.ADDRESS, -1)
    assert made.life.lease() is None, "one at a time"
    made.sites.found_at(first.site, "192.0.2.1")
    made.over(first)
    second = made.lease()
    assert second.errand is Errand.ROBOTS
    made.sites.opened(second.site, "rules", 3.0)
    made.over(second)
    assert made.sites.of(A).delay_s == 3.0
    made.clock.time += 3.0
    assert made.lease().url == A
    [site] = made.commit().batches[-1].sites.values()
    assert (site.address, site.robots_status, site.delay_s) == ("192.0.2.1", "rules", 3.0)


def test_a_lease_that_is_put_back_leaves_no_trace() -> None:
    made = Made()
    made.seed(A)
    made.commit()
    lease = made.lease()
    assert made.state(0) == LEASED
    assert made.life.waiting == 0
    made.life.put_back(lease)
    assert (made.state(0), made.life.waiting, made.life.attempts(lease)) == (WAITING, 1, 0)
    made.commit()
    assert made.disk.batches[-1].states == {}
    assert made.life.lease() == lease, "at once: nobody was asked"


def test_why_a_url_is_asked_for_is_written_before_it_is() -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.commit()
    assert made.disk.states()[0] == (LEASED, "", 1)
    [decision] = made.disk.batches[-1].decisions
    assert (decision.candidate, decision.strategy) == (0, "best-first")
    made.life.wait(lease)
    made.over(lease)
    made.begun()
    assert made.life.attempts(lease) == 2


@pytest.mark.parametrize(("forgiven", "attempts"), [(False, 1), (True, 0)])
def test_a_url_that_waits_again_does_so_for_as_long_as_it_is_told(forgiven: bool, attempts: int) -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.over(lease)
    made.life.wait(lease, "http 503", after_s=10.0, forgiven=forgiven)
    made.clock.time += 5.0
    assert made.life.lease() is None
    assert made.life.wake_at() == made.clock.time + 5.0
    made.commit()
    assert made.disk.states()[0] == (WAITING, "http 503", attempts)
    made.clock.time += 5.0
    assert made.lease().candidate == lease.candidate


def test_what_would_wait_at_a_site_that_was_given_up_is_refused() -> None:
    made = Made()
    made.seed(A, B)
    lease = made.begun()
    made.sites.close(lease.site, "dns", FAILED)
    made.over(lease)
    made.life.wait(lease, "timeout")
    assert made.life.waiting == 0
    made.commit()
    assert made.disk.states() == {0: (REFUSED, "dns", 1), 1: (FAILED, "dns", 0)}
    assert made.life.admit_seeds(["http://a.test/new"]) == 0


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome.FETCHED, FETCHED),
        (Outcome.REDIRECTED, FETCHED),
        (Outcome.FAILED, FAILED),
        (Outcome.REFUSED, REFUSED),
    ],
)
def test_an_end_is_in_the_frontier_the_records_the_tally_and_the_forecast(outcome: Outcome, state: int) -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.over(lease)
    made.life.end(lease, row(lease, outcome, "why"))
    assert made.state(0) == state
    assert made.life.tally.outcomes == {outcome: 1}
    assert made.life.forecasts._forecaster.fetches == 1
    made.commit()
    assert made.disk.states()[0] == (state, "why", 1)
    [page] = made.disk.pages()
    assert (page.id, page.depth, page.attempts) == (0, 0, 1)
    made.clock.time += 1000.0
    assert made.life.lease() is None, "it never waits again"


def test_a_judged_page_counts_for_its_site_and_for_the_crawl() -> None:
    made = Made()
    made.seed(A, B)
    for number, score in enumerate((0.75, 0.25)):
        lease = made.begun()
        made.over(lease)
        assert made.life.judged(lease, score, score >= 0.5) == number
        made.life.end(lease, row(lease, score=score))
    tally = made.life.tally
    assert (tally.pages, tally.relevant, tally.value) == (2, 1, 1.0)
    made.commit()
    [site] = made.disk.batches[-1].sites.values()
    assert (site.pages, site.relevant) == (2, 1)


def test_a_refused_url_has_no_row_and_frees_its_site() -> None:
    made = Made()
    made.seed(A, B)
    lease = made.lease()
    made.life.refuse(lease, "robots")
    assert made.life.lease() is not None, "the site was not asked"
    made.commit()
    assert made.disk.states()[0] == (REFUSED, "robots", 0)
    assert made.disk.pages() == []
    assert made.disk.batches[-1].refusals == {"robots": 1}
    assert made.life.tally.outcomes == {Outcome.REFUSED: 1}


def test_the_target_of_a_redirect_waits_in_place_of_its_source() -> None:
    made = Made()
    made.seed(A)
    first = made.begun()
    made.over(first)
    made.links(first, B, score=0.5)
    made.life.end(first, row(first, score=0.5))
    lease = made.begun()
    made.over(lease)
    assert made.life.admit_redirect(lease, C) == ""
    assert made.life.admit_redirect(lease, A) == "known"
    made.life.end(lease, row(lease, Outcome.REDIRECTED, "redirect"))
    made.open_all()
    target = made.begun()
    assert (target.url, target.depth, made.life.found_on(target)) == (C, 1, A)
    assert made.life.redirected_from(target) == [B]
    made.commit()
    assert made.disk.priorities()[2] == made.disk.priorities()[1]
    assert [one.via for batch in made.disk.batches for one in batch.candidates] == [None, None, 1]


def test_a_url_that_lost_its_worth_since_it_was_ranked_goes_back_to_where_it_belongs() -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.over(lease)
    made.links(lease, "http://a.test/1", "http://a.test/2")
    first = made.lease()
    assert not made.life.reconsider(first), "best-first never changes its mind"
    made.life._strategy.refresh = lambda candidate: 0.1  # type: ignore[method-assign]
    assert made.life.reconsider(first)
    assert made.lease().url == "http://a.test/2"
    made.commit()
    assert made.disk.priorities()[first.candidate] == 0.1


def test_a_commit_that_fails_forgets_nothing() -> None:
    made = Made()
    made.seed(A)
    lease = made.begun()
    made.disk.full = True
    with pytest.raises(Exception, match="disk full"):
        made.commit()
    made.over(lease)
    made.life.end(lease, row(lease, Outcome.FAILED, "http 404"))
    made.disk.full = False
    assert made.commit().states() == {0: (FAILED, "http 404", 1)}


def test_a_page_of_very_many_links_is_prepared_in_slices() -> None:
    made = Made()
    turns = 0

    async def main() -> None:
        nonlocal turns

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(others())
        await made.life.foresee(links_to(*(f"http://a.test/{n}" for n in range(2_000))))
        task.cancel()

    asyncio.run(main())
    assert turns >= 4


class Lives(RuleBasedStateMachine):
    """Any order of verbs: frontier, records and counts agree with a plain dictionary of states."""

    def __init__(self) -> None:
        super().__init__()
        self.made = Made("bfs")
        self.expected: dict[str, CandidateState] = {}
        self.leased: list[Lease] = []
        self.number = 0
        self.ended: list[str] = []  # with a row

    def new(self, count: int) -> list[str]:
        self.number += count
        return [f"http://{n % 3}.test/{n}" for n in range(self.number - count, self.number)]

    def admitted(self, urls: list[str]) -> None:
        closed = [url for url in urls if self.made.sites.of(url).closed]
        self.expected |= {url: WAITING for url in urls if url not in closed}

    def drop(self, data: st.DataObject) -> Lease:
        lease = data.draw(st.sampled_from(self.leased))
        self.leased.remove(lease)
        return lease

    @rule(count=st.integers(1, 4))
    def seeds(self, count: int) -> None:
        urls = self.new(count)
        self.made.life.admit_seeds(urls)
        self.admitted(urls)
        self.made.open_all()

    @precondition(lambda self: any(state == WAITING for state in self.expected.values()))
    @rule(begins=st.sampled_from([True, True, True, False]))
    def lease(self, begins: bool) -> None:
        self.made.clock.time += 50.0
        lease = self.made.life.lease()
        if lease is None:
            return  # all that waits is at sites that are being asked
        assert self.expected[lease.url] == WAITING
        if not begins:
            self.made.life.put_back(lease)
            return
        self.made.life.begin(lease)
        self.expected[lease.url] = LEASED
        self.leased.append(lease)

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), count=st.integers(0, 3), score=st.floats(0, 1))
    def fetched(self, data: st.DataObject, count: int, score: float) -> None:
        lease, urls = self.drop(data), self.new(count)
        self.made.over(lease)
        known = data.draw(st.sampled_from(sorted(self.expected)))
        self.made.links(lease, *urls, known, score=score)
        self.made.life.end(lease, row(lease, score=score))
        self.admitted(urls)
        self.expected[lease.url] = FETCHED
        self.ended.append(lease.url)

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def redirected(self, data: st.DataObject) -> None:
        lease, urls = self.drop(data), self.new(1)
        self.made.over(lease)
        self.made.life.admit_redirect(lease, urls[0])
        self.made.life.end(lease, row(lease, Outcome.REDIRECTED))
        self.admitted(urls)
        self.made.open_all()
        self.expected[lease.url] = FETCHED
        self.ended.append(lease.url)

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), after_s=st.sampled_from([0.0, 1.0, 1000.0]))
    def waits(self, data: st.DataObject, after_s: float) -> None:
        lease = self.drop(data)
        self.made.over(lease)
        self.made.life.wait(lease, "again", after_s=after_s)
        self.expected[lease.url] = REFUSED if lease.site.closed else WAITING

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def fails(self, data: st.DataObject) -> None:
        lease = self.drop(data)
        self.made.over(lease)
        self.made.life.end(lease, row(lease, Outcome.FAILED, "http 404"))
        self.expected[lease.url] = FAILED
        self.ended.append(lease.url)

    @precondition(lambda self: len(self.expected) > 12)
    @rule(number=st.integers(0, 2))
    def closes(self, number: int) -> None:
        site = self.made.sites.of(f"http://{number}.test/")
        if site.closed:
            return
        self.made.sites.close(site, "gone", REFUSED)
        for url, state in self.expected.items():
            if state == WAITING and self.made.sites.of(url) is site:
                self.expected[url] = REFUSED

    @rule()
    def commits(self) -> None:
        self.made.commit()

    @invariant()
    def they_agree(self) -> None:
        frontier = self.made.sites._frontier
        urls = [frontier.url(candidate) for candidate in range(len(frontier.candidates))]
        waiting = frontier.is_waiting(np.arange(len(urls)))
        states = frontier.candidates.state
        found = {url: WAITING if waiting[id_] else CandidateState(states[id_]) for id_, url in enumerate(urls)}
        assert found == self.expected
        assert self.made.life.waiting == sum(state == WAITING for state in self.expected.values())

    def teardown(self) -> None:
        recorded = self.made.commit().states()
        urls = {candidate: self.made.sites._frontier.url(candidate) for candidate in recorded}
        assert {urls[candidate]: state for candidate, (state, *_) in recorded.items()} == self.expected
        assert sorted(page.url for page in self.made.disk.pages()) == sorted(self.ended), "a URL ends once"
        assert sum(self.made.life.tally.outcomes.values()) == len(self.ended)


Lives.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


TestLives = Lives.TestCase


class Heard(BestFirst):
    """Notes what it is told of failures."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: list[tuple[int, int, bool]] = []

    def failed(self, candidate: int, site: int, *, lasting: bool) -> None:
        self.failures.append((candidate, site, lasting))


@pytest.mark.parametrize(
    ("status", "outcome", "reason", "told"),
    [
        (404, Outcome.FAILED, "http 404", [(0, 0, True)]),
        (410, Outcome.FAILED, "http 410", [(0, 0, True)]),
        (200, Outcome.REFUSED, "content-type image/png", [(0, 0, True)]),
        (200, Outcome.FETCHED, "duplicate", [(0, 0, True)]),
        (503, Outcome.FAILED, "http 503", [(0, 0, False)]),
        (0, Outcome.FAILED, "timeout", [(0, 0, False)]),
        (301, Outcome.REDIRECTED, "redirect", []),
    ],
)
def test_a_strategy_that_wants_to_hears_of_urls_that_were_asked_for_in_vain(
    status: int, outcome: Outcome, reason: str, told: list[tuple[int, int, bool]]
) -> None:
    made, heard = Made(), Heard()
    made.life._strategy = heard
    made.seed(A)
    lease = made.begun()
    made.over(lease)
    ended = row(lease, outcome, reason)
    ended.status = status
    made.life.end(lease, ended)
    assert heard.failures == told


def test_a_page_that_was_learned_from_and_a_url_that_nobody_may_ask_for_are_no_failures() -> None:
    made, heard = Made(), Heard()
    made.life._strategy = heard
    made.seed(A, B)
    lease = made.begun()
    made.over(lease)
    made.links(lease, score=0.1)
    made.life.end(lease, row(lease, score=0.1))
    made.life.refuse(made.lease(), "robots")
    assert heard.failures == []
