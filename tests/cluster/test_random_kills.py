"""PostgreSQL, or shards whose sites move, are killed again and again at random moments: what arrives at the servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dowse.cluster.local_shards import LocalShards
from dowse.model.budget import Budget
from dowse.model.common_ground import LEASE_S
from tests.cluster.crawls import Told, crawled_apart
from tests.cluster.spread import Spread, served
from tests.cluster.test_faults import check_whole, got_on, killed
from tests.servers import POSTGRESQL, DatabaseServer, postgresql

pytestmark = pytest.mark.soak


@pytest.fixture
def database() -> Iterator[DatabaseServer]:
    """One that a test may kill."""
    server = postgresql()
    yield server
    server.remove()


@POSTGRESQL
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seed", "limit"), [(1, None), (2, 700)], ids=["all", "700p"])
def test_a_database_that_is_killed_again_and_again(
    database: DatabaseServer, tmp_path: Path, seed: int, limit: int | None
) -> None:
    """Shards that find themselves fenced, after a long outage, end in order: so nothing at all is asked for twice."""
    shards, delay_s, kills = 3, 0.2, 12
    rng, told = Random(seed), Told()
    outages = [rng.uniform(0.0, 3.0) for _ in range(kills - 2)] + [LEASE_S - 3.0, LEASE_S + 3.0]
    rng.shuffle(outages)
    survived: list[float] = []

    async def main() -> None:
        async with served(Spread(hosts=18, addresses=4, pages=70, latency_s=0.02)) as spread:

            async def kill(_: LocalShards) -> None:
                for outage_s in outages:
                    await asyncio.sleep(rng.uniform(0.2, 4.0))
                    await asyncio.to_thread(database.kill)
                    await asyncio.sleep(outage_s)
                    await asyncio.to_thread(database.start)
                    survived.append(outage_s)

            topic = replace(spread.topic(delay_s=delay_s), budget=Budget(pages=limit or 5000))
            stop = await crawled_apart(topic, tmp_path, shards, kill, told, where=database.url, within_s=800)
            assert len(survived) >= kills // 2, "it was killed while they crawled"
            check_whole(spread, stop, tmp_path, shards, limit, delay_s)

    asyncio.run(main())


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seed", "limit"), [(3, None), (4, 900)], ids=["all", "900p"])
def test_shards_whose_sites_move_are_killed_again_and_again(tmp_path: Path, seed: int, limit: int | None) -> None:
    """Once each has asked for something since it was killed last: else it would seem to get nowhere."""
    shards, delay_s, kills = 3, 0.2, 25
    rng, told, asked = Random(seed), Told(), [0] * 3

    async def main() -> None:
        async with served(Spread(hosts=18, addresses=5, pages=70, latency_s=0.02)) as spread:

            async def kill(crawl: LocalShards) -> None:
                for _ in range(kills):
                    shard = rng.randrange(shards)
                    await got_on(crawl.children[shard], asked[shard])
                    await asyncio.sleep(rng.uniform(0.0, 3.0))
                    asked[shard] = crawl.children[shard].requests
                    await killed(crawl, shard, tmp_path, spread)

            topic = replace(spread.topic(delay_s=delay_s), budget=Budget(pages=limit or 5000))
            stop = await crawled_apart(topic, tmp_path, shards, kill, told, within_s=800, moving=True)
            assert stop.kind == ("budget" if limit else "empty"), stop
            assert any(fields.get("event") == "slot taken" for _, kind, fields in told if kind == "event")
            assert len(spread.deaths) >= kills // 2
            check_whole(spread, stop, tmp_path, shards, limit, delay_s, moving=True)

    asyncio.run(main())
