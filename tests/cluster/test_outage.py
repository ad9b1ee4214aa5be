"""PostgreSQL is killed while shards crawl: what arrives at the servers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cluster.errand import Errand, opened
from dowse.cluster.ground import create_ground
from dowse.cluster.shard import run_shard
from dowse.cluster.shared_folder import Place, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer
from tests.cluster.webs import ALL, at, knotted, pages_asked
from tests.servers import POSTGRESQL, DatabaseServer, postgresql

pytestmark = POSTGRESQL


@pytest.fixture
def database() -> Iterator[DatabaseServer]:
    """One that a test may kill."""
    server = postgresql()
    yield server
    server.remove()


def test_shards_wait_for_it_and_go_on(database: DatabaseServer, tmp_path: Path) -> None:
    place = Place(database.url)
    reached = asyncio.Event()

    async def shard(topic: Errand) -> Stop:
        with opened(place) as ground:
            return await run_shard(topic, ground, lambda assembly: None)

    async def kill(server: LoopbackServer) -> None:
        while len(pages_asked(server.log)) < 10:  # noqa: ASYNC110 - nothing here tells
            await asyncio.sleep(0.02)
        await asyncio.to_thread(database.kill)
        await asyncio.sleep(1.0)
        before = len(server.log)
        await asyncio.sleep(1.0)
        assert len(server.log) <= before + 4, "what was granted is soon spent, and more is not granted"
        await asyncio.to_thread(database.start)
        reached.set()

    async def main() -> None:
        async with LoopbackServer(knotted(0.05)) as server:
            topic = at(server)
            topic = replace(topic, network=replace(topic.network, concurrency=2))
            create_ground(database.url, shards=2, budget=topic.budget, settings={}, wall=time.time).close()
            errands = [Errand(topic, place, n, shard_folder(tmp_path, n), "host") for n in range(2)]
            async with asyncio.timeout(90):
                _, *stops = await asyncio.gather(kill(server), *map(shard, errands))
            assert set(stops) == {Stop("empty", "no URL is left to fetch")}
            assert reached.is_set()
            asked = pages_asked(server.log)
            assert (len(asked), set(asked.values())) == (ALL, {1})

    asyncio.run(main())
