"""Shards that die, stand still or are cut off, as the servers see it: nothing is lost, nothing is asked for twice but
what its shard had not recorded, no delay is shortened, a budget holds to the page, and the end has one reason."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dowse.cluster.errand import opened
from dowse.cluster.ground import Ground
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.shared_folder import place_of
from dowse.engine.loop.engine import Stop
from dowse.model.budget import Budget
from tests.cluster.crawls import Told, crawled_apart, spent_pages, until
from tests.cluster.spread import Spread, last_words, served

NOTHING_LEFT = Stop("empty", "no URL is left to fetch")


async def killed(crawl: LocalShards, shard: int, folder: Path, spread: Spread) -> None:
    """Kill a shard, and note what it had recorded by then."""
    child = crawl.children[shard]
    await until(lambda: child.pid is not None)
    restarts = child.restarts
    os.kill(child.pid or 0, signal.SIGKILL)
    spread.died(folder, shard)  # nothing is awaited between: it was not started again
    await until(lambda: child.restarts > restarts)


async def joined(ground: Ground, shard: int, after: int) -> None:
    """Until a start of the shard after that epoch takes part."""
    await until(lambda: ground.standings()[shard].epoch > after)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1, 2])
def test_fifty_kills(tmp_path: Path, seed: int) -> None:
    """Four of five while the shard is at work, the others at any moment of its start."""
    shards, delay_s, kills = 4, 0.25, 50
    rng, told = Random(seed), Told()

    async def main() -> None:
        async with served(Spread(hosts=24, addresses=6, pages=40, latency_s=0.02)) as spread:

            async def kill(crawl: LocalShards) -> None:
                epochs = [0] * shards
                with opened(place_of(tmp_path)) as ground:
                    for _ in range(kills):
                        shard = rng.randrange(shards)
                        if rng.random() < 0.8:
                            await joined(ground, shard, epochs[shard])
                        await asyncio.sleep(rng.uniform(0.1, 2.0))
                        epochs[shard] = ground.standings()[shard].epoch
                        await killed(crawl, shard, tmp_path, spread)

            topic = replace(spread.topic(delay_s=delay_s), budget=Budget(pages=5000))
            stop = await crawled_apart(topic, tmp_path, shards, kill, told, within_s=800)
            assert len(spread.deaths) == kills
            assert stop == NOTHING_LEFT
            assert set(last_words(tmp_path, shards)) == {str(stop)}
            spread.check_all_fetched()
            spread.check_once(shards)
            spread.check_delays(delay_s)
            assert spent_pages(tmp_path, shards) == len(spread.everything)

    asyncio.run(main())
