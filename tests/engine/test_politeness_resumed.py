"""What a site may expect outlives the process: delays, Retry-After and given-up sites, measured at the servers.

A crash is a copy of the folder, taken between two steps of a crawl that goes on: what `kill -9` would leave at that
instant. So the next run begins without the second that a new process needs, and nothing is polite by accident.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.loop.engine import Stop
from dowse.loopback import Ask, LoopbackServer, Resource, Site, Web, together
from dowse.model.budget import Budget
from dowse.model.clock import SystemClock
from dowse.model.topic import Example, Limits, Network, Politeness, Seeds, Topic
from tests.engine.servers import adding, chain, crawl_all, page, topic_for

DELAY_S = 0.5
NAMES = ("plain.test", "slow.test", "busy.test", "shut.test")


@dataclass(slots=True)
class SetClock(SystemClock):
    """The machine's clocks, the wall clock set wrong."""

    ahead_s: float = 0.0

    def wall(self) -> float:
        return time.time() + self.ahead_s


def busy_site(retry_after: str) -> Site:
    def once(ask: Ask) -> Resource:
        asked.append(ask.target)
        again = len(asked) > 1
        return (
            page("busy", "solar", []) if again else Resource(b"", status=429, headers=(("Retry-After", retry_after),))
        )

    asked: list[str] = []
    return Site("busy.test", {}, made={"/0": once})


def text(body: str, status: int = 200) -> Resource:
    return Resource(body.encode(), "text/plain", status)


class Hosts:
    """Four hosts at addresses of their own: without a wish, with a Crawl-delay, too busy, and out of order."""

    def __init__(self, *, crawl_delay: str = "1.2", retry_after: str = "2") -> None:
        sites = [
            chain("plain.test", 40),
            adding(chain("slow.test", 40), robots_txt=text(f"User-agent: *\nCrawl-delay: {crawl_delay}\n")),
            busy_site(retry_after),
            adding(chain("shut.test", 40), robots_txt=text("", 503)),
        ]
        self.servers = {
            site.host: LoopbackServer(Web.of(site), host=f"127.5.0.{n + 1}") for n, site in enumerate(sites)
        }

    def open(self) -> AbstractContextManager[None]:
        return together(list(self.servers.values()))

    def topic(self, **changes: object) -> Topic:
        resolve = {host: server.address for host, server in self.servers.items()}
        topic = topic_for(
            "", [f"http://{host}/0" for host in NAMES], budget=Budget(seconds=60),
            politeness=Politeness(delay_s=DELAY_S, max_delay_s=5.0), limits=Limits(retry_wait_s=0.05, max_retries=1),
            network=Network(allow_private=True, resolve=resolve),
        )  # fmt: skip
        return replace(topic, **changes)  # type: ignore[arg-type]

    def times(self, host: str) -> list[float]:
        return [hit.time for hit in self.servers[host].log]


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not reached():  # noqa: ASYNC110 - at the records and at another thread's log
            await asyncio.sleep(0.005)


def sql(folder: Path, text: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as connection:
        return connection.execute(text).fetchall()


def site_rows(folder: Path) -> dict[str, tuple[str | None, str]]:
    rows = sql(folder, "SELECT host, not_before, closed FROM sites")
    return {host: (not_before, closed) for host, not_before, closed in rows}


@asynccontextmanager
async def crawling(topic: Topic, folder: Path, clock: SystemClock, *, resume: bool = False) -> AsyncIterator[None]:
    """A crawl beside the block; dropped at its end."""
    assembly = await assemble(topic, folder, resume=resume, clock=clock)
    run = asyncio.create_task(assembly.run())
    try:
        yield
    finally:
        assembly.engine.abort()
        await run
        await assembly.close()


async def crash(topic: Topic, folder: Path, when: Callable[[], bool], clock: SystemClock) -> Path:
    """Crawl until ``when``, and leave the folder as a kill at that instant does."""
    async with crawling(topic, folder, clock):
        await until(when)
        return Path(shutil.copytree(folder, folder.with_name("left")))


async def go_on(topic: Topic, folder: Path, when: Callable[[], bool], clock: SystemClock) -> None:
    """Resume until ``when``, with one more seed at the host that was given up."""
    seeds = replace(topic.seeds, urls=(*topic.seeds.urls, "http://shut.test/9"))
    async with crawling(replace(topic, seeds=seeds), folder, clock, resume=True):
        await until(when)


def known(folder: Path, hosts: Hosts) -> Callable[[], bool]:
    """The busy host's wish and the closed one are in the records, and the plain host was asked a moment ago."""

    def reached() -> bool:
        rows = site_rows(folder) if (folder / "dowse.sqlite").exists() else {}
        if rows.get("busy.test", ("", ""))[0] is None or not rows.get("shut.test", ("", ""))[1]:
            return False
        asked = {host: hosts.times(host) for host in ("plain.test", "slow.test", "busy.test")}
        recent = time.monotonic() - DELAY_S / 2
        return len(asked["slow.test"]) >= 2 and len(asked["busy.test"]) == 2 and asked["plain.test"][-1] > recent

    return reached


def test_a_killed_run_is_as_polite_as_one_that_goes_on(tmp_path: Path) -> None:
    hosts = Hosts()

    async def main() -> dict[str, int]:
        with hosts.open():
            clock = SystemClock()
            left = await crash(hosts.topic(), tmp_path / "c", known(tmp_path / "c", hosts), clock)
            sql(left, "UPDATE candidates SET state = 1 WHERE url = 'http://shut.test/0'")  # as if lost in flight
            before = {host: len(hosts.times(host)) for host in NAMES}
            again = {host: before[host] + 2 for host in NAMES if host != "shut.test"}
            await go_on(hosts.topic(), left, lambda: all(len(hosts.times(h)) >= n for h, n in again.items()), clock)
            return before

    before = asyncio.run(main())
    for host, least in (("plain.test", DELAY_S), ("slow.test", 1.2), ("busy.test", 2.0)):
        times = hosts.times(host)
        gap = times[before[host]] - times[before[host] - 1]
        assert gap >= least, host
    assert len(hosts.times("shut.test")) == before["shut.test"], "given up is given up"
    why = "robots.txt unreachable: http 503"
    assert site_rows(tmp_path / "left")["shut.test"][1] == why
    lost = sql(tmp_path / "left", "SELECT state, reason FROM candidates WHERE url LIKE 'http://shut.test/%'")
    assert lost == [(4, why)], "and the new seed was not taken up"


def test_a_kill_before_the_first_transaction(tmp_path: Path) -> None:
    """Nothing is known of any site; still none is asked twice within a delay."""
    hosts = Hosts()

    async def main() -> int:
        with hosts.open():
            clock = SystemClock()
            left = await crash(hosts.topic(), tmp_path / "c", lambda: bool(hosts.times("plain.test")), clock)
            before = len(hosts.times("plain.test"))
            await go_on(hosts.topic(), left, lambda: len(hosts.times("plain.test")) > before, clock)
            return before

    before = asyncio.run(main())
    assert not site_rows(tmp_path / "c") or before == 1
    times = hosts.times("plain.test")
    assert times[before] - times[before - 1] >= DELAY_S


@pytest.mark.parametrize("ahead_s", [-86400.0 * 400, -3600.0, 86400.0 * 2])
def test_a_clock_set_wrong_between_two_runs(tmp_path: Path, ahead_s: float) -> None:
    """Set back: no wait is longer than a site may ask for. Set ahead: the delay holds, and a site is asked again."""
    hosts = Hosts(retry_after="2")

    async def main() -> tuple[dict[str, int], float]:
        with hosts.open():
            topic = hosts.topic(politeness=Politeness(delay_s=DELAY_S, max_delay_s=2.0))
            left = await crash(topic, tmp_path / "c", known(tmp_path / "c", hosts), SystemClock())
            before = {host: len(hosts.times(host)) for host in NAMES}
            enough = ("plain.test", "slow.test", "busy.test", *(("shut.test",) if ahead_s > 0 else ()))
            began = time.monotonic()
            await go_on(topic, left, lambda: all(len(hosts.times(h)) > before[h] for h in enough), SetClock(ahead_s))
            return before, time.monotonic() - began

    before, took = asyncio.run(main())
    assert took < 15, "a wait of at most two seconds, whatever the calendar says"
    for host, least in (("plain.test", DELAY_S), ("slow.test", 1.2)):
        times = hosts.times(host)
        assert times[before[host]] - times[before[host] - 1] >= least
    if ahead_s == -3600.0:  # by more, nobody could tell when it was given up
        assert len(hosts.times("shut.test")) == before["shut.test"]


def test_a_clock_set_back_during_a_run(tmp_path: Path) -> None:
    """Delays, Retry-After dates and seconds of the budget are of a steady clock; only the dates in the records jump."""
    hosts = Hosts(retry_after="Fri, 31 Dec 9999 23:59:59 GMT")
    clock = SetClock()

    async def main() -> Stop:
        with hosts.open():
            topic = hosts.topic(budget=Budget(seconds=3.0), politeness=Politeness(delay_s=0.2, max_delay_s=1.0))
            assembly = await assemble(topic, tmp_path / "c", clock=clock)
            run = asyncio.create_task(assembly.run())
            await until(lambda: len(hosts.times("plain.test")) >= 4)
            clock.ahead_s = -3600.0
            await run
            await assembly.close()
            return run.result()

    assert asyncio.run(main()).detail.startswith("seconds")
    plain, busy = hosts.times("plain.test"), hosts.times("busy.test")
    assert min(later - earlier for earlier, later in itertools.pairwise(plain)) >= 0.2
    assert len(plain) <= 16, "no more than fit into three seconds"
    assert busy[2] - busy[1] >= 1.0, "the date is clipped to the longest delay"
    [(seconds,)] = sql(tmp_path / "c", "SELECT seconds FROM totals")
    dates = [at for (at,) in sql(tmp_path / "c", "SELECT fetched_at FROM pages ORDER BY ordinal")]
    assert 3.0 <= seconds < 30.0
    assert dates != sorted(dates), "the clock was set back in the middle"


def test_a_site_that_was_never_asked_may_be_tried_at_once_by_a_later_run(tmp_path: Path) -> None:
    """Its address was refused, or its name not found: nobody is bothered by another try with other settings."""
    hosts = Hosts()

    async def main() -> None:
        with hosts.open():
            seeds = Seeds(urls=("http://plain.test/0",))
            topic = hosts.topic(seeds=seeds, budget=Budget(requests=2), politeness=Politeness(delay_s=0.0))
            guarded = replace(topic, network=replace(topic.network, allow_private=False))
            assert (await crawl_all(guarded, tmp_path / "c")).kind == "empty"
            assert site_rows(tmp_path / "c")["plain.test"][1].startswith("address: ")
            more = replace(topic, seeds=Seeds(urls=("http://plain.test/1",)))
            await crawl_all(more, tmp_path / "c", resume=True)

    asyncio.run(main())
    assert [hit.target for hit in hosts.servers["plain.test"].log] == ["/robots.txt", "/1"]
    assert site_rows(tmp_path / "c")["plain.test"][1] == ""


def test_an_example_counts_as_a_request_to_its_site(tmp_path: Path) -> None:
    hosts = Hosts()

    async def main() -> None:
        with hosts.open():
            seeds, examples = Seeds(urls=("http://plain.test/0",)), (Example("http://plain.test/1"),)
            await crawl_all(hosts.topic(seeds=seeds, examples=examples, budget=Budget(requests=3)), tmp_path / "c")

    asyncio.run(main())
    times = hosts.times("plain.test")
    assert [hit.target for hit in hosts.servers["plain.test"].log] == ["/1", "/robots.txt", "/0"]
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= DELAY_S
