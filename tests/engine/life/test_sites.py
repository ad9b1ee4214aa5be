"""The life of a site: what it needs, how it is asked, and how it is given up."""

from __future__ import annotations

import pytest

from dowse.frontier import Errand, Lease
from dowse.model.errors import StoreError
from dowse.model.http import Failure, FailureKind, Response, Timings
from dowse.model.records import CandidateState, SiteRow
from dowse.model.topic import Limits, Politeness, Topic
from tests.engine.life.made import Made

A = "http://a.test/"
TOPIC = Topic(
    query="x", politeness=Politeness(delay_s=1.0, max_delay_s=60.0), limits=Limits(retry_wait_s=2.0, page_time_s=30.0)
)


def made() -> Made:
    made = Made(topic=TOPIC)
    made.seed(A)
    return made


def test_a_turn_lasts_until_it_is_released_and_then_the_delay_runs() -> None:
    one = made()
    site = one.sites.of(A)
    turn = one.sites.try_turn(site)
    assert isinstance(turn, Lease)
    assert one.sites.try_turn(site) == pytest.approx(1.0), "its delay, which runs from now on at the least"
    one.clock.time += 5.0
    assert isinstance(one.sites.try_turn(site), float), "it is being asked"
    one.sites.release(turn, heard_at=one.clock.now() - 0.25)
    assert one.sites.try_turn(site) == pytest.approx(0.75), "from the first byte on"
    one.clock.time += 0.75
    turn = one.sites.try_turn(site)
    assert isinstance(turn, Lease)
    one.sites.cancel(turn)
    assert isinstance(one.sites.try_turn(site), Lease), "nobody was asked"


def test_an_errand_keeps_others_away_while_its_requests_take_turns() -> None:
    one = Made(topic=TOPIC)
    one.life.admit_seeds([A])
    site = one.sites.of(A)
    one.sites.found_at(site, "192.0.2.1")
    errand = one.lease()
    assert errand.errand is Errand.ROBOTS
    errand = one.sites.hold_errand(errand)
    assert one.life.lease() is None
    turn = one.sites.try_turn(site)
    assert isinstance(turn, Lease)
    one.sites.release(turn)
    one.clock.time += 10.0
    assert one.life.lease() is None, "the errand is not over"
    one.sites.opened(site, "allowed")
    one.sites.release(errand)
    assert one.lease().url == A


def test_a_longer_delay_is_kept_a_shorter_one_is_not_and_one_beyond_all_measure_is_clipped() -> None:
    one = made()
    site = one.sites.of(A)
    told: list[str] = []
    one.sites.journal.on_event = lambda kind, detail: told.append(f"{kind}: {detail}")
    for asked, kept in ((None, 1.0), (0.1, 1.0), (7.0, 7.0), (86400.0, 60.0)):
        one.sites.opened(site, "rules", asked)
        assert site.delay_s == kept
    assert told == ["delay clipped: http://a.test: Crawl-delay 86400 s taken as 60 s"]


def test_a_site_that_fails_is_set_aside_for_longer_and_longer_and_then_closed() -> None:
    one = made()
    site, failure = one.sites.of(A), Failure(A, FailureKind.TIMEOUT)
    waits = []
    for _ in range(12):
        one.clock.time += 10_000.0
        one.sites.exchanged(site, failure, counts=True)
        waits.append(max(0.0, site.ready_at - one.clock.now()))
    assert waits[:5] == [0.0, 0.0, 2.0, 4.0, 8.0]
    assert site.closed == "timeout: 12 failures in a row"
    one.commit()
    assert one.disk.states() == {0: (CandidateState.FAILED, "timeout: 12 failures in a row", 0)}
    row = one.disk.batches[-1].sites[0]
    assert (row.failures, row.closed) == (12, site.closed)
    assert row.not_before == one.clock.wall() + 24 * 3600.0


def test_an_answer_of_any_kind_ends_the_row_of_failures() -> None:
    one = made()
    site, failure = one.sites.of(A), Failure(A, FailureKind.RESET)
    for _ in range(30):
        one.sites.exchanged(site, failure, counts=True)
        one.sites.exchanged(site, failure, counts=True)
        one.sites.exchanged(site, Response(A, 500, ()), counts=True)
        one.sites.exchanged(site, Failure(A, FailureKind.BUDGET), counts=True)
        one.sites.exchanged(site, failure, counts=False)
    assert not site.closed
    assert site.ready_at <= one.clock.now()


def test_every_exchange_is_in_the_row_of_its_site() -> None:
    one = made()
    site = one.sites.of(A)
    one.sites.exchanged(site, Response(A, 200, (), wire_bytes=10, timings=Timings(0, 0, 1.0, 3.0)), counts=True)
    one.sites.exchanged(site, Failure(A, FailureKind.RESET, wire_bytes=5), counts=False)
    row = one.commit().batches[-1].sites[0]
    assert (row.requests, row.wire_bytes, row.latency_s, row.download_s, row.failures) == (2, 15, 1.0, 2.0, 0)


def test_a_site_whose_pages_keep_workers_busy_leaves_most_of_their_time_to_others() -> None:
    one = made()
    site = one.sites.of(A)
    one.sites.kept_busy(site, 0.5, given_up=False)
    assert site.ready_at <= one.clock.now()
    one.sites.kept_busy(site, 2.0, given_up=False)
    assert site.ready_at == one.clock.now() + 16.0
    one.sites.put_off(site)
    assert site.ready_at == one.clock.now() + 8 * 30.0
    for _ in range(12):
        one.sites.kept_busy(site, 30.0, given_up=True)
    assert site.closed == "parse: 12 pages in a row took too long"


def test_urls_of_a_closed_site_end_in_slices() -> None:
    one = Made(topic=TOPIC)
    one.seed(*(f"http://a.test/{n}" for n in range(5_000)))
    one.sites.close(one.sites.of(A), "gone", CandidateState.REFUSED)
    assert one.life.waiting == 0
    assert len(one.sites.journal._batch.states) == 2_048
    assert one.sites.end_some()
    assert not one.sites.end_some()
    assert len(one.commit().states()) == 5_000
    assert {state for state, *_ in one.disk.states().values()} == {CandidateState.REFUSED}


def test_what_an_earlier_run_knew_of_sites_holds() -> None:
    one = Made(topic=TOPIC)
    wall = one.clock.wall()
    rows = [
        SiteRow(0, "http://open.test", "open.test", delay_s=5.0, not_before=wall + 20.0),
        SiteRow(1, "http://closed.test", "closed.test", closed="dns", not_before=wall + 1000.0),
        SiteRow(2, "http://again.test", "again.test", closed="timeout", not_before=wall - 1.0),
        SiteRow(3, "http://clock.test", "clock.test", delay_s=1.0, not_before=wall + 1e6),
    ]
    one.sites.load(rows)
    assert one.sites.delays_before == [5.0, 0.0, 0.0, 1.0]
    one.sites.reopen()
    opened, closed, again, clock = one.sites.first(4)
    assert opened.ready_at == one.clock.now() + 20.0
    assert (closed.closed, again.closed) == ("dns", "")
    assert clock.ready_at == one.clock.now() + 60.0, "no longer than a site may ask for"
    assert one.commit().batches[-1].sites[2].closed == ""


def test_rows_of_sites_that_are_not_in_order_are_damage() -> None:
    with pytest.raises(StoreError, match="no row for site"):
        Made(topic=TOPIC).sites.load([SiteRow(1, "http://b.test", "b.test")])


def test_a_site_that_did_not_answer_is_asked_again_sooner_when_nobody_else_can_be() -> None:
    one = Made(topic=TOPIC)
    one.life.admit_seeds([A, "http://b.test/"])
    for name, address in (("a", "192.0.2.1"), ("b", "192.0.2.2")):
        one.sites.found_at(one.sites.of(f"http://{name}.test/"), address)
    first = one.lease()
    one.sites.try_later(first.site, 50.0)
    one.sites.release(first)
    one.sites.hasten()
    one.clock.time += 5.0
    second = one.lease()
    assert second.site is not first.site, "the other one can be asked: the first waits as long as it was told to"
    one.sites.close(second.site, "gone", CandidateState.FAILED)
    one.sites.release(second)
    assert one.life.lease() is None
    one.sites.hasten()
    assert one.lease().site is first.site


def test_a_site_is_not_asked_again_before_its_delay_has_passed() -> None:
    one = Made(topic=TOPIC)
    one.life.admit_seeds([A])
    one.sites.found_at(one.sites.of(A), "192.0.2.1")
    lease = one.lease()
    one.sites.try_later(lease.site, 50.0)
    one.sites.release(lease)
    one.sites.hasten()
    assert one.life.lease() is None
    wake = one.life.wake_at()
    assert wake == pytest.approx(one.clock.now() + 1.0)
    one.clock.time += 1.0
    assert one.lease().site is lease.site


@pytest.mark.parametrize("opens", [False, True])
def test_what_a_site_asks_for_after_it_did_not_answer_holds(opens: bool) -> None:
    """A Retry-After, or a Crawl-delay of the robots.txt that came at last."""
    one = Made(topic=TOPIC)
    one.life.admit_seeds([A])
    one.sites.found_at(one.sites.of(A), "192.0.2.1")
    lease = one.lease()
    one.sites.try_later(lease.site, 50.0)
    one.sites.release(lease)
    one.clock.time += 50.0
    lease = one.lease()
    if opens:
        one.sites.opened(lease.site, "ok", 30.0)
        one.sites.need_robots(lease.site)
    else:
        one.sites.set_aside(lease.site, 30.0)
    one.sites.release(lease)
    one.sites.hasten()
    assert one.life.lease() is None
    assert one.life.wake_at() == pytest.approx(one.clock.now() + 30.0)
