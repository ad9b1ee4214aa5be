"""Shards as processes of one machine, over a real common ground and real servers: what arrives at the servers."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dowse.cluster.errand import Errand, opened
from dowse.cluster.ground import create_ground
from dowse.cluster.kept import Kept
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.shard import run_shard
from dowse.cluster.shared_folder import place_of, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, Topic
from dowse.store import CrawlReader
from tests.cluster.webs import ALL, at, knotted, pages_asked

Told = list[tuple[int, str, dict[str, Any]]]
Beside = Callable[[LocalShards], Coroutine[Any, Any, None]]


async def until(happened: Callable[[], bool]) -> None:
    """Look again and again."""
    while not happened():  # noqa: ASYNC110 - what happens in other processes sets no event here
        await asyncio.sleep(0.02)


def prepare(topic: Topic, folder: Path, shards: int) -> None:
    """Make a common ground, or have the one that is there go on."""
    folder.mkdir(exist_ok=True)
    place = place_of(folder)
    assert isinstance(place.where, Path)
    if place.where.exists():
        with opened(place) as ground:
            ground.go_on(budget=topic.budget)
        return
    create_ground(
        place.where, shards=shards, budget=topic.budget, settings={}, wall=time.time,
        target_relevant=topic.target.relevant,
    ).close()  # fmt: skip


async def crawled(topic: Topic, folder: Path, shards: int) -> Stop:
    """Crawl, or go on with it, with all shards in this process; each host is a slot's."""
    prepare(topic, folder, shards)

    async def shard(number: int) -> Stop:
        errand = Errand(topic, place_of(folder), number, shard_folder(folder, number), "host")
        with opened(errand.ground) as ground:
            return await run_shard(errand, ground, lambda assembly: None)

    async with asyncio.timeout(60):
        stops = await asyncio.gather(*map(shard, range(shards)))
    assert len(set(stops)) == 1, "a stop has one reason"
    return stops[0]


async def crawled_apart(topic: Topic, folder: Path, shards: int, beside: Beside, told: Told) -> Stop:
    """The same in processes of their own, while something happens beside."""
    prepare(topic, folder, shards)
    with opened(place_of(folder)) as ground:
        kept = Kept(topic, shards, "host")
        crawl = LocalShards(kept, folder, place_of(folder), ground, lambda *message: told.append(message))
        other = asyncio.create_task(beside(crawl))
        try:
            async with asyncio.timeout(60):
                return await crawl.run()
        finally:
            other.cancel()
            with suppress(asyncio.CancelledError):
                await other


def spent_pages(folder: Path, shards: int) -> int:
    total = 0
    for shard in range(shards):
        with CrawlReader(shard_folder(folder, shard)) as crawl:
            total += crawl.summary().pages
    return total


def test_every_page_is_fetched_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(knotted()) as server:
            stop = await crawled(at(server), tmp_path / "c", 2)
            assert stop == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert len(asked) == ALL
            assert set(asked.values()) == {1}
            robots = Counter(hit.host for hit in server.log if hit.target == "/robots.txt")
            assert set(robots.values()) == {1}

    asyncio.run(main())


@pytest.mark.parametrize("limit", [Budget(pages=37), Budget(requests=45)], ids=str)
def test_a_budget_is_spent_to_the_last_by_all_together(tmp_path: Path, limit: Budget) -> None:
    async def main() -> None:
        async with LoopbackServer(knotted()) as server:
            topic = replace(at(server), budget=limit)
            stop = await crawled(topic, tmp_path / "c", 3)
            assert stop.kind == "budget"
            if limit.pages is not None:
                assert spent_pages(tmp_path / "c", 3) == limit.pages
            else:
                assert len(server.log) == limit.requests
            more = replace(topic, budget=Budget(pages=1000))
            assert (await crawled(more, tmp_path / "c", 3)).kind == "empty"
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (ALL, {1}), "and the rest in another run"

    asyncio.run(main())


def test_a_target_is_met_together(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(knotted(0.02)) as server:
            topic = at(server)
            topic = replace(
                topic, target=replace(topic.target, relevant=20), network=replace(topic.network, concurrency=2)
            )
            stop = await crawled(topic, tmp_path / "c", 2)
            assert stop.kind == "target"
            assert sum(pages_asked(server.log).values()) < ALL

    asyncio.run(main())


def test_a_shard_that_is_killed_is_started_again_and_nothing_is_lost(tmp_path: Path) -> None:
    told: Told = []

    async def kill(crawl: LocalShards) -> None:
        for shard in (0, 1):
            child = crawl.children[shard]
            await until(lambda child=child: child.pid is not None and crawl.progress().pages >= 10)  # type: ignore[misc]
            before = child.restarts
            os.kill(child.pid or 0, signal.SIGKILL)
            await until(lambda child=child, before=before: child.restarts > before)  # type: ignore[misc]
            await asyncio.sleep(1.5)

    async def main() -> None:
        async with LoopbackServer(knotted(0.1)) as server:
            topic = at(server)
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            stop = await crawled_apart(topic, tmp_path / "c", 2, kill, told)
            assert stop == Stop("empty", "no URL is left to fetch")
            asked = pages_asked(server.log)
            assert len(asked) == ALL
            assert max(asked.values()) <= 3, "once more for each time that its shard was killed"
            assert sum(asked.values()) <= ALL + 2 * (2 + 2 * 10), "what was under way, or asked since the last commit"
            assert any(kind == "restarted" for _, kind, _ in told)
            assert spent_pages(tmp_path / "c", 2) == ALL

    asyncio.run(main())


def test_hosts_of_one_address_share_its_delay_across_shards(tmp_path: Path) -> None:
    """All hosts are at one address, and belong to different shards."""
    delay_s = 0.15

    async def main() -> None:
        async with LoopbackServer(knotted()) as server:
            topic = replace(at(server), politeness=Politeness(delay_s=delay_s), budget=Budget(pages=14))
            stop = await crawled(topic, tmp_path / "c", 2)
            assert stop.kind == "budget"
            times = sorted(hit.time for hit in server.log)
            assert min(later - sooner for sooner, later in pairwise(times)) >= delay_s * 0.95
            owners = {hit.host for hit in server.log}
            assert len(owners) > 3

    asyncio.run(main())


def test_an_interrupted_crawl_goes_on(tmp_path: Path) -> None:
    async def interrupt(crawl: LocalShards) -> None:
        await until(lambda: crawl.progress().pages >= 10)
        crawl.interrupt("by hand")

    async def main() -> None:
        async with LoopbackServer(knotted(0.1)) as server:
            topic = at(server)
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            stop = await crawled_apart(topic, tmp_path / "c", 2, interrupt, [])
            assert stop == Stop("interrupted", "by hand")
            assert 10 <= sum(pages_asked(server.log).values()) < ALL
            assert (await crawled(topic, tmp_path / "c", 2)).kind == "empty"
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (ALL, {1})

    asyncio.run(main())
