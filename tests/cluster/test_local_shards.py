"""Shards as processes of one machine, over a real common ground and real servers: what arrives at the servers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dowse.cluster.local_shards import LocalShards
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import Politeness
from tests.cluster.crawls import Told, crawled, crawled_apart, spent_pages, until
from tests.cluster.webs import ALL, at, knotted, pages_asked


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
