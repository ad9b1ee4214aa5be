"""One host of 100,000 URLs does not keep 200 hosts of 20 waiting. Time is virtual: the same order in every run."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from dowse.frontier import Lease
from dowse.frontier.frontier import Frontier
from dowse.model.records import CandidateState
from dowse.model.strategy import SEED_PRIORITY, LinkView, SourcePage
from dowse.model.topic import StrategyChoice
from dowse.model.url import fingerprint
from dowse.predict import build_strategy

BIG, HOSTS, PAGES = 100_000, 200, 20
SMALL = HOSTS * PAGES
CONCURRENCY, EXCHANGE_S = 64, 0.25


def take_up(frontier: Frontier, urls: list[str], priorities: np.ndarray) -> None:
    prints = np.array([fingerprint(url) for url in urls], np.uint64)
    frontier.add(urls, prints, depth=1, parent=-1, priorities=priorities, now=0.0)


def filled(rank: Callable[[int, int, int], np.ndarray]) -> Frontier:
    """The large host comes first, in discovery and, where the order looks at that, in worth."""
    frontier = Frontier(delay_s=1.0)
    take_up(frontier, [f"http://big.test/{n}" for n in range(BIG)], rank(0, 0, BIG))
    for host in range(HOSTS):
        urls = [f"http://s{host}.test/{n}" for n in range(PAGES)]
        take_up(frontier, urls, rank(host + 1, BIG + host * PAGES, PAGES))
    for site in frontier.sites:
        frontier.set_address(site, None)
        frontier.open(site)
    return frontier


def by_strategy(name: str) -> Callable[[int, int, int], np.ndarray]:
    """Priorities as the strategy gives them to the links of one page a host; the large host's page is worth more."""
    strategy = build_strategy(StrategyChoice(name), seed_number=1)

    def rank(site: int, first: int, count: int) -> np.ndarray:
        score = 0.9 if site == 0 else 0.1
        ordinal = HOSTS if site == 0 else site - 1  # judged last: depth first prefers it
        page = SourcePage(site, site, 0, ordinal, score, True, count)
        zeros, depths = np.zeros(count, np.float32), np.ones(count, np.int64)
        links = LinkView(
            ids=np.arange(first, first + count), sites=np.full(count, site), depths=depths, counts=zeros + 1,
            similarity=np.zeros((count, 5), np.float32), current=np.full(count, np.nan),
        )  # fmt: skip
        return strategy.rank(page, links)

    return rank


def pages_of_the_large_one(frontier: Frontier, *, within: int | None = None) -> int:
    """How many the large host has got when the last small one is done (or when it has got as many as all of them)."""
    now, got, running = 0.0, Counter[bool](), list[tuple[float, int, Lease]]()
    while got[False] < SMALL and got[True] < SMALL:
        lease = frontier.next(now, within=within) if len(running) < CONCURRENCY else None
        if lease is not None:
            got[lease.site.host == "big.test"] += 1
            heapq.heappush(running, (now + EXCHANGE_S, lease.candidate, lease))
            continue
        wake = frontier.wake_at() if len(running) < CONCURRENCY else None
        now = min([when for when in (wake, running[0][0] if running else None) if when is not None])
        while running and running[0][0] <= now:
            *_, done = heapq.heappop(running)
            frontier.release(done, now)
            frontier.finish(done.candidate, CandidateState.FETCHED)
    assert got[False] == SMALL, f"{SMALL - got[False]} URLs of small hosts have not had their turn"
    return got[True]


@pytest.mark.parametrize("name", ["bfs", "dfs", "best-first", "random"])
def test_small_hosts_are_done_while_the_large_one_has_hardly_begun(name: str) -> None:
    assert pages_of_the_large_one(filled(by_strategy(name))) <= 2 * PAGES


def test_nor_does_counting_pages_hold_back_what_is_as_good() -> None:
    assert pages_of_the_large_one(filled(by_strategy("bfs")), within=500) <= 2 * PAGES


def test_the_order_of_a_list_of_seeds_holds_nobody_back() -> None:
    """100,000 seeds of one host, then those of the others, in a crawl that counts its pages."""

    def in_order(site: int, first: int, count: int) -> np.ndarray:
        return SEED_PRIORITY - np.arange(first, first + count, dtype=np.float64)

    assert pages_of_the_large_one(filled(in_order), within=500) <= 2 * PAGES
