"""Shards that die, stand still or are cut off, as the servers see it: nothing is lost, nothing is asked for twice but
what its shard had not recorded, no delay is shortened, a budget holds to the page, and the end has one reason."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from dowse.cluster.child import Child
from dowse.cluster.errand import opened
from dowse.cluster.ground import Ground
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.shared_folder import place_of, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.model.budget import Budget
from dowse.model.common_ground import LEASE_S
from tests.cluster.crawls import Told, crawled, crawled_apart, spent_pages, until
from tests.cluster.relay import relay_to
from tests.cluster.spread import Spread, last_words, served
from tests.servers import POSTGRESQL, DatabaseServer

NOTHING_LEFT = Stop("empty", "no URL is left to fetch")


def check_whole(
    spread: Spread, stop: Stop, folder: Path, shards: int, limit: int | None, delay_s: float, *, moving: bool = False
) -> None:
    """All that is promised of a crawl with this budget in pages, or none, that is over."""
    assert set(last_words(folder, shards)) == {str(stop)}
    spread.check_once(shards, moving=moving)
    spread.check_delays(delay_s)
    assert spent_pages(folder, shards) == (limit or len(spread.everything))
    if limit:
        assert stop == Stop("budget", f"pages ({limit}p)")
        assert set(spread.asked) <= spread.everything
    else:
        assert stop == NOTHING_LEFT
        spread.check_all_fetched()


async def killed(crawl: LocalShards, shard: int, folder: Path, spread: Spread) -> None:
    """Kill a shard, and note what it had recorded by then."""
    child = crawl.children[shard]
    await until(lambda: child.pid is not None)
    restarts = child.restarts
    os.kill(child.pid or 0, signal.SIGKILL)
    spread.died(folder, shard)  # nothing is awaited between: it was not started again
    await until(lambda: child.restarts > restarts)


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process")
def test_a_shard_that_cannot_write_ends_the_crawl_and_nothing_is_lost(tmp_path: Path) -> None:
    """As with a full disk: a file can grow no more."""
    shards, told = 2, Told()

    async def main() -> None:
        async with served(Spread(latency_s=0.05)) as spread:

            async def fill(crawl: LocalShards) -> None:
                child = crawl.children[1]
                await until(lambda: child.requests > 8)
                resource.prlimit(child.pid or 0, resource.RLIMIT_FSIZE, (4096, 4096))

            topic = spread.topic()
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            stop = await crawled_apart(topic, tmp_path, shards, fill, told)
            assert stop.kind == "failed"
            assert f"shard 1 cannot go on: cannot keep records in {shard_folder(tmp_path, 1)}" in stop.detail
            assert not [kind for _, kind, _ in told if kind == "restarted"]
            spread.died(tmp_path, 1)
            assert await crawled(topic, tmp_path, shards) == NOTHING_LEFT
            spread.check_all_fetched()
            spread.check_once(shards)

    asyncio.run(main())


async def joined(ground: Ground, shard: int, after: int) -> None:
    """Until a start of the shard after that epoch takes part."""
    await until(lambda: ground.standings()[shard].epoch > after)


async def got_on(child: Child, requests: int) -> None:
    """Until a shard has asked for something, or has gone on for long with nothing to ask for."""
    with suppress(TimeoutError):
        await asyncio.wait_for(until(lambda: child.requests > requests), 31.0)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seed", "limit"), [(1, None), (2, 1300)], ids=["all", "1300p"])
def test_fifty_kills(tmp_path: Path, seed: int, limit: int | None) -> None:
    """Four of five once the shard takes part, the others at any moment of its start; and never so often in a row that
    it would seem to get nowhere."""
    shards, delay_s, kills = 4, 0.25, 50
    rng, told = Random(seed), Told()

    async def main() -> None:
        async with served(Spread(hosts=24, addresses=6, pages=60, latency_s=0.02)) as spread:

            async def kill(crawl: LocalShards) -> None:
                epochs, vain, before = [0] * shards, [0] * shards, [0] * shards
                with opened(place_of(tmp_path)) as ground:
                    for _ in range(kills):
                        shard = rng.randrange(shards)
                        if rng.random() < 0.8:
                            await joined(ground, shard, epochs[shard])
                        await asyncio.sleep(rng.uniform(0.1, 2.0))
                        child = crawl.children[shard]
                        if vain[shard] == 3:
                            await got_on(child, before[shard])
                        vain[shard] = vain[shard] % 3 + 1 if child.requests == before[shard] else 0
                        before[shard] = child.requests
                        epochs[shard] = ground.standings()[shard].epoch
                        await killed(crawl, shard, tmp_path, spread)

            topic = replace(spread.topic(delay_s=delay_s), budget=Budget(pages=limit or 5000))
            stop = await crawled_apart(topic, tmp_path, shards, kill, told, within_s=800)
            assert len(spread.deaths) == kills
            check_whole(spread, stop, tmp_path, shards, limit, delay_s)

    asyncio.run(main())


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_shard_that_stands_still_is_fenced_and_begins_again(tmp_path: Path) -> None:
    """It comes back with its old epoch, long after others may have taken its addresses."""
    shards, delay_s, told = 3, 0.2, Told()

    async def main() -> None:
        async with served(Spread(hosts=12, addresses=3, pages=30, latency_s=0.05)) as spread:

            async def hold(crawl: LocalShards) -> None:
                await until(lambda: len(spread.log) > 60)
                child, before = crawl.children[1], len(spread.log)
                os.kill(child.pid or 0, signal.SIGSTOP)
                await asyncio.sleep(LEASE_S + 6.0)
                assert len(spread.log) > before + 20, "the others go on"
                os.kill(child.pid or 0, signal.SIGCONT)
                await until(lambda: child.restarts > 0)

            stop = await crawled_apart(spread.topic(delay_s=delay_s), tmp_path, shards, hold, told, within_s=240)
            assert stop == NOTHING_LEFT
            assert [fields["detail"] for _, kind, fields in told if kind == "restarted"] == [
                f"shard 1: it was not heard of for {LEASE_S:g} s and is taken for dead"
            ]
            spread.check_all_fetched()
            spread.check_once(shards)
            spread.check_delays(delay_s)

    asyncio.run(main())


@POSTGRESQL
@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("limit", [None, 150], ids=["all", "150p"])
def test_a_shard_that_is_cut_off_from_the_database_asks_nobody(
    tmp_path: Path, postgres_server: DatabaseServer, limit: int | None
) -> None:
    """Without a word: what it sends arrives nowhere."""
    shards, delay_s, told = 2, 0.2, Told()

    async def main() -> None:
        async with served(Spread(hosts=8, addresses=2, pages=40, latency_s=0.02)) as spread:
            async with relay_to(postgres_server.url) as relay:

                async def cut(crawl: LocalShards) -> None:
                    child = crawl.children[1]
                    await until(lambda: child.requests > 20)
                    relay.cut()
                    own = {spread.host(host) for host in range(spread.hosts) if spread.owner(host, shards) == 1}
                    await asyncio.sleep(LEASE_S)
                    asked = len([hit for hit in spread.log if hit.host in own])
                    others = len(spread.log) - asked
                    await asyncio.sleep(8.0)
                    assert len([hit for hit in spread.log if hit.host in own]) == asked, "it takes itself for dead"
                    assert limit or len(spread.log) - asked > others, "the other goes on"
                    relay.heal()

                def apart(crawl: LocalShards) -> Coroutine[Any, Any, None]:
                    errand = crawl.children[1].errand
                    crawl.children[1].errand = replace(errand, ground=replace(errand.ground, where=relay.url))
                    return cut(crawl)

                topic = spread.topic(delay_s=delay_s)
                topic = replace(topic, budget=Budget(pages=limit or 5000))
                stop = await crawled_apart(
                    topic, tmp_path, shards, apart, told, where=postgres_server.url, within_s=240
                )
            assert "taken for dead" in next(fields["detail"] for _, kind, fields in told if kind == "restarted")
            spread.check_once(shards)
            spread.check_delays(delay_s)
            if limit:
                assert (stop.kind, spent_pages(tmp_path, shards)) == ("budget", limit)
            else:
                assert stop == NOTHING_LEFT
                spread.check_all_fetched()

    try:
        asyncio.run(main())
    finally:
        with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_crawl CASCADE")


@POSTGRESQL
@pytest.mark.soak
@pytest.mark.timeout(200)
def test_an_end_that_is_asked_for_while_shards_hear_nothing_from_the_database(
    tmp_path: Path, postgres_server: DatabaseServer
) -> None:
    shards, told = 2, Told()

    async def main() -> None:
        async with served(Spread(latency_s=0.2)) as spread, relay_to(postgres_server.url) as relay:

            def apart(crawl: LocalShards) -> Coroutine[Any, Any, None]:
                for child in crawl.children:
                    child.errand = replace(child.errand, ground=replace(child.errand.ground, where=relay.url))
                return interrupted(crawl)

            async def interrupted(crawl: LocalShards) -> None:
                await until(lambda: len(spread.log) > 8)
                relay.cut()
                crawl.interrupt("by hand")

            where = postgres_server.url
            stop = await crawled_apart(spread.topic(), tmp_path, shards, apart, told, where=where, within_s=60)
            assert stop == Stop("interrupted", "by hand")
            relay.heal()
            assert not [kind for _, kind, _ in told if kind == "restarted"]
            stop = await crawled_apart(spread.topic(), tmp_path, shards, nothing, told, where=where)
            assert stop == NOTHING_LEFT
            spread.check_all_fetched()
            spread.check_once(shards)

    async def nothing(crawl: LocalShards) -> None:
        """Nothing happens beside the second run."""

    try:
        asyncio.run(main())
    finally:
        with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_crawl CASCADE")
