from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier import Errand, Lease
from dowse.frontier.frontier import Frontier
from dowse.model.records import CandidateState
from tests.frontier.made import add, drain, open_sites
from tests.frontier.reference import NaiveAddress, NaiveFrontier


def test_best_first_ties_in_order_of_discovery() -> None:
    frontier = Frontier(delay_s=0)
    urls = [f"http://a.test/{n}" for n in range(6)]
    add(frontier, urls, [0.1, 0.9, 0.5, 0.9, -1.0, 0.5])
    open_sites(frontier)
    assert [url[-1] for url in drain(frontier)] == ["1", "3", "2", "5", "0", "4"]


def test_a_new_site_needs_address_then_robots_then_pages() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, ["http://a.test/x"], [0.5])
    lease = frontier.next(0)
    assert lease is not None
    assert (lease.errand, lease.candidate) == (Errand.ADDRESS, -1)
    assert frontier.next(0) is None, "one exchange at a time"
    frontier.set_address(lease.site, "10.0.0.1")
    frontier.release(lease, 0.2)
    lease = frontier.next(0.2)
    assert lease is not None
    assert lease.errand is Errand.ROBOTS
    frontier.open(lease.site)
    frontier.release(lease, 0.5)
    assert frontier.next(1.4) is None, "the delay counts from the robots exchange"
    assert frontier.wake_at() == pytest.approx(1.5)
    lease = frontier.next(1.5)
    assert lease is not None
    assert lease.url == "http://a.test/x"


def test_sites_on_one_address_share_its_delay() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, ["http://a.test/", "http://b.test/", "http://c.test/"], [0.3, 0.2, 0.1])
    open_sites(frontier, {"a.test": "10.0.0.1", "b.test": "10.0.0.1", "c.test": "10.0.0.2"})
    first, second = frontier.next(0), frontier.next(0)
    assert first is not None
    assert second is not None
    assert (first.url, second.url) == ("http://a.test/", "http://c.test/")
    assert frontier.next(5) is None, "the address is busy as long as an exchange runs"
    frontier.release(first, 5)
    assert frontier.next(5.5) is None
    third = frontier.next(6)
    assert third is not None
    assert third.url == "http://b.test/"


def test_retry_waits_for_its_time_and_keeps_its_place() -> None:
    frontier = Frontier(delay_s=0)
    add(frontier, ["http://a.test/1", "http://a.test/2"], [0.9, 0.1])
    open_sites(frontier)
    lease = frontier.next(0)
    assert lease is not None
    frontier.release(lease, 0)
    frontier.retry(lease.candidate, at=10, now=0)
    assert frontier.waiting == 2
    second = frontier.next(0)
    assert second is not None
    assert second.url.endswith("/2")
    frontier.release(second, 0)
    assert frontier.next(9) is None
    assert frontier.wake_at() == 10
    again = frontier.next(10)
    assert again is not None
    assert again.url.endswith("/1")


def test_closing_a_site_refuses_all_that_waits_there() -> None:
    frontier = Frontier(delay_s=0)
    ids = add(frontier, ["http://a.test/1", "http://b.test/2", "http://a.test/3"], [0.9, 0.1, 0.2])
    open_sites(frontier)
    assert frontier.close(frontier.site("http://a.test"), "gone") == [ids[0], ids[2]]
    assert frontier.waiting == 1
    assert drain(frontier) == ["http://b.test/2"]


def test_a_held_site_comes_back() -> None:
    frontier = Frontier(delay_s=0)
    add(frontier, ["http://a.test/1", "http://a.test/2"], [0.9, 0.8])
    open_sites(frontier)
    lease = frontier.next(0)
    assert lease is not None
    frontier.set_aside(lease.site, 30, 0)
    frontier.release(lease, 1)
    assert frontier.next(29) is None
    assert frontier.wake_at() == 30
    assert frontier.next(30) is not None


def test_a_site_that_stands_back_is_asked_when_no_other_can_be() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, ["http://slow.test/1", "http://slow.test/2", "http://quick.test/1"], [0.9, 0.8, 0.1])
    open_sites(frontier)
    frontier.stand_back(frontier.sites[0], 10, 0)
    first, second = frontier.next(0), frontier.next(0)
    assert first is not None
    assert second is not None
    assert [first.url, second.url] == ["http://quick.test/1", "http://slow.test/1"]
    frontier.release(second, 0)
    add(frontier, ["http://other.test/1"], [0.1], 11)
    open_sites(frontier)
    back = frontier.next(11)
    assert back is not None
    assert back.url == "http://slow.test/2", "its time is over: the best goes first again"


def test_standing_back_ends_though_a_lease_was_not_used() -> None:
    frontier = Frontier(delay_s=1, connections_per_site=2)
    quick = [f"http://q{n}.test/" for n in range(20)]
    add(frontier, ["http://slow.test/1", "http://slow.test/2", *quick], [0.9, 0.8, *[0.1] * len(quick)])
    open_sites(frontier)
    held = frontier.next(0)
    assert held is not None
    frontier.stand_back(held.site, 10, 0)
    frontier.cancel(held, 0)  # a cache holds it
    seen = [lease.url for now in range(1, 15) if (lease := frontier.next(now)) is not None]
    assert len(seen) == 14
    assert seen.index("http://slow.test/2") == 9, "with others to ask, but its time is over"


def test_no_site_starves_beside_a_huge_one() -> None:
    """One site of 5,000 URLs and 50 of 10, all of one priority: the small ones are done early."""
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://big.test/{n}" for n in range(5000)], [0.5] * 5000)
    for s in range(50):
        add(frontier, [f"http://s{s}.test/{n}" for n in range(10)], [0.5] * 10)
    open_sites(frontier)
    order = drain(frontier)
    last_small = max(i for i, url in enumerate(order) if "big" not in url)
    assert last_small < 600
    assert len(order) == 5500


OPS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5), st.integers(0, 8)), max_size=120)


@settings(max_examples=150, deadline=None)
@given(ops=OPS, delay=st.sampled_from([0.0, 1.0]), connections=st.sampled_from([1, 2]))
def test_always_the_best_that_may_be_asked(ops: list[tuple[int, int, int]], delay: float, connections: int) -> None:
    """Random adds, updates, leases, releases, retries, waits and sites that stand back give what the naive frontier
    gives."""
    frontier = Frontier(delay_s=delay, connections_per_site=connections)
    naive = NaiveFrontier(delay, connections)
    running: list[tuple[Lease, int, str | None]] = []
    now = 0.0
    for op, a, b in ops:
        site = f"http://s{a}.test"
        if op < 30:
            id_ = naive.add(site, b / 8)
            assert add(frontier, [f"{site}/{id_}"], [b / 8], now) == [id_]
        elif op < 40 and naive.urls:
            url = naive.urls[(a * 9 + b) % len(naive.urls)]
            if url.state == "waiting":
                url.priority = b / 7
            frontier.update(np.array([url.id]), np.array([b / 7]), now)
        elif op < 75:
            expected, lease = naive.next(now), frontier.next(now)
            got = None if lease is None else (lease.site.origin, int(lease.errand), lease.candidate)
            assert got == expected
            if lease is not None:
                address = naive.sites[lease.site.origin].address if lease.errand else None
                running.append((lease, int(lease.errand), address))
        elif op < 92 and running:
            lease, errand, address = running.pop((a * 9 + b) % len(running))
            origin = lease.site.origin
            naive.release(origin, errand, now, address)
            if errand == 0:
                key = f"10.0.0.{a % 2}"
                naive.addresses.setdefault(key, NaiveAddress())
                naive.sites[origin].address = key
                naive.sites[origin].errand = 1
                frontier.set_address(lease.site, key)
            elif errand == 1:
                naive.sites[origin].errand = 2
                frontier.open(lease.site)
            frontier.release(lease, now)
            if errand == 2:
                url = naive.urls[lease.candidate]
                if b < 2:
                    url.state, url.not_before = "waiting", now + b
                    frontier.retry(lease.candidate, at=now + b, now=now)
                else:
                    url.state = "done"
                    frontier.finish(lease.candidate, CandidateState.FETCHED)
        elif op < 95 and site in naive.sites:
            naive.sites[site].back_until = now + b
            frontier.stand_back(frontier.site(site), b, now)
        else:
            now += b / 4
    assert frontier.waiting == sum(url.state == "waiting" for url in naive.urls)


IN_ORDER = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 7), st.sampled_from([0.0, 0.4, 3.0, 30.0])), min_size=1, max_size=40
)


@settings(max_examples=100, deadline=None)
@given(urls=IN_ORDER, retried=st.sets(st.integers(0, 39), max_size=5))
def test_in_order_nothing_depends_on_how_long_things_take(
    urls: list[tuple[int, int, float]], retried: set[int]
) -> None:
    """URLs of four sites, two of which share an address: the best goes next, after as long as its site wants. What
    failed is waited for and asked again. A third of the URLs come late."""
    frontier = Frontier(delay_s=1.0, in_order=True)
    late = len(urls) // 3
    priorities = [priority / 8 for _, priority, _ in urls]
    names = [f"http://s{site}.test/{n}" for n, (site, _, _) in enumerate(urls)]
    add(frontier, names[late:], priorities[late:])
    open_sites(frontier, {"s0.test": "10.0.0.1", "s1.test": "10.0.0.1"})
    waiting = dict(zip(names[late:], priorities[late:], strict=True))
    known, now, turn = list(waiting), 0.0, 0
    while waiting:
        best = max(waiting, key=lambda url: (waiting[url], -known.index(url)))
        while (lease := frontier.next(now)) is None:
            wake = frontier.wake_at()
            assert wake is not None
            assert now < wake <= now + 31
            now = wake
        while lease.errand is not Errand.PAGE:  # of a site that came late
            frontier.set_address(lease.site, None)
            frontier.open(lease.site)
            frontier.cancel(lease, now)
            found = frontier.next(now)
            assert found is not None
            lease = found
        assert lease.url == best
        now += urls[turn % len(urls)][2]
        frontier.release(lease, now)
        if turn in retried:
            frontier.retry(lease.candidate, at=now + 5, now=now)
        else:
            frontier.finish(lease.candidate, CandidateState.FETCHED)
            del waiting[best]
        if turn == 0 and late:
            add(frontier, names[:late], priorities[:late], now)
            waiting.update(zip(names[:late], priorities[:late], strict=True))
            known += names[:late]
        turn += 1
    assert frontier.next(now) is None


def test_in_order_a_site_that_is_set_aside_for_long_lets_others_go() -> None:
    frontier = Frontier(delay_s=1.0, in_order=True)
    add(frontier, ["http://good.test/1", "http://poor.test/1"], [0.9, 0.1])
    open_sites(frontier)
    frontier.set_aside(frontier.site("http://good.test"), 300.0, 0.0)
    assert drain(frontier) == ["http://poor.test/1", "http://good.test/1"]


def test_a_counted_crawl_holds_back_what_is_not_among_the_best() -> None:
    """A host that is free does not get a page for that alone; after some seconds without a lease it does."""
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://good.test/{n}" for n in range(20)], [0.9] * 20)
    add(frontier, ["http://poor.test/1"], [0.1])
    open_sites(frontier)
    first = frontier.next(0, within=5)
    assert first is not None
    assert first.site.host == "good.test"
    assert frontier.next(0, within=5) is None, "poor.test is free, but 19 better URLs wait"
    assert frontier.wake_at() == pytest.approx(2.5)
    assert frontier.next(0, within=20) is not None, "with as many pages to spend it may go"


def test_what_was_among_the_best_while_little_waited_is_held_back_when_better_is_found() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://poor{n}.test/" for n in range(12)], [0.1] * 12)
    open_sites(frontier)
    assert frontier.next(0, within=10) is not None, "hardly anything waits that is better"
    add(frontier, [f"http://good.test/{n}" for n in range(20)], [0.9] * 20)
    open_sites(frontier)
    found = [lease.site.host for lease in iter(lambda: frontier.next(0, within=10), None)]
    assert "good.test" in found
    assert len(found) <= 3, "the poor ones wait by now, though their hosts are idle"


def test_what_is_among_the_best_by_now_is_not_held_back_because_all_was_better_before() -> None:
    """A page has lowered all that waits."""
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://good.test/{n}" for n in range(20)], [0.9] * 20)
    add(frontier, [f"http://poor{n}.test/" for n in range(10)], [0.5] * 10)
    open_sites(frontier)
    assert frontier.next(0, within=5) is not None
    assert frontier.next(0, within=5) is None
    frontier.update(np.arange(30), np.array([0.05] * 20 + [0.1] * 10), 0.0)
    again_at = frontier.wake_at()
    assert again_at is not None
    assert again_at < 2.5, "before everything may go"
    found = frontier.next(again_at, within=5)
    assert found is not None
    assert found.site.host.startswith("poor"), "it is among the best by now"


def test_patience_ends_when_nothing_else_moves() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://good.test/{n}" for n in range(20)], [0.9] * 20)
    add(frontier, ["http://poor.test/1"], [0.1])
    open_sites(frontier)
    assert frontier.next(0, within=5) is not None
    assert frontier.next(2, within=5) is None
    late = frontier.next(2.5, within=5)
    assert late is not None
    assert late.site.host == "poor.test", "good.test has been answering for 2.5 s: do not wait for it"


@pytest.mark.parametrize(("part", "after_s"), [(1.0, 2.5), (0.25, 10.0), (0.0, 40.0)])
def test_patience_is_longer_where_little_of_the_best_is_here(part: float, after_s: float) -> None:
    """Other engines lease what is better."""
    frontier = Frontier(delay_s=1)
    frontier.part = part
    add(frontier, [f"http://good.test/{n}" for n in range(20)], [0.9] * 20)
    add(frontier, ["http://poor.test/1"], [0.1])
    open_sites(frontier)
    assert frontier.next(0, within=5) is not None
    assert frontier.next(0, within=5) is None
    assert frontier.wake_at() == pytest.approx(after_s)


@settings(max_examples=80, deadline=None)
@given(priorities=st.lists(st.integers(0, 20), min_size=1, max_size=60), within=st.integers(1, 20))
def test_what_is_within_the_window_is_never_held_back(priorities: list[int], within: int) -> None:
    frontier = Frontier(delay_s=1)
    for n, priority in enumerate(priorities):
        add(frontier, [f"http://s{n % 7}.test/{n}"], [priority])
    open_sites(frontier)
    left = list(priorities)
    while (lease := frontier.next(0, within=within)) is not None:
        left.remove(priorities[lease.candidate])
    busy = {site.origin for site in frontier.sites if site.in_flight}
    for id_ in range(len(priorities)):
        if frontier.site_of(id_).origin not in busy:
            better = sum(other > priorities[id_] for other in left)
            assert better >= within, "a free site's URL was held back though it is among the best"


def test_the_window_does_not_slow_a_large_frontier_down() -> None:
    """Many idle hosts, everything alike: as many leases at once as there are hosts, whatever the size."""
    frontier = Frontier(delay_s=1)
    for part in range(30):
        urls = [f"http://s{n % 500}.test/{part}/{n}" for n in range(1000)]
        add(frontier, urls, [random.Random(part * 1000 + n).random() for n in range(1000)])
    open_sites(frontier)
    leases = 0
    while frontier.next(0, within=400) is not None:
        leases += 1
    assert leases >= 250, "400 of the best URLs are spread over far more than 250 hosts"


def test_a_host_that_is_far_off_holds_nobody_back() -> None:
    frontier = Frontier(delay_s=1)
    add(frontier, [f"http://slow.test/{n}" for n in range(600)], [0.9] * 600)
    add(frontier, [f"http://s{n}.test/" for n in range(50)], [0.1] * 50)
    open_sites(frontier)
    frontier.set_aside(frontier.site("http://slow.test"), 60, 0)
    leases = 0
    while frontier.next(0, within=20) is not None:
        leases += 1
    assert leases == 50
