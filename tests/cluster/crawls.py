"""Crawls of several shards for the tests: within one process, or each in its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from dowse.cluster.errand import Errand, opened
from dowse.cluster.ground import create_ground
from dowse.cluster.kept import Kept
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.shard import run_shard
from dowse.cluster.shared_folder import Place, place_of, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.model.common_ground import CommonGround
from dowse.model.topic import Topic
from dowse.store import CrawlReader

__all__ = ["Beside", "Told", "crawled", "crawled_apart", "prepare", "spent_pages", "until"]

Told = list[tuple[int, str, dict[str, Any]]]
Beside = Callable[[LocalShards], Coroutine[Any, Any, None]]


async def until(happened: Callable[[], bool]) -> None:
    """Look again and again."""
    while not happened():  # noqa: ASYNC110 - what happens in other processes sets no event here
        await asyncio.sleep(0.02)


def prepare(
    topic: Topic, folder: Path, shards: int, where: str | None = None, *, moving: bool = False
) -> Place:  # fmt: skip
    """Make a common ground, in the folder or in a database, or have the one that is there go on."""
    folder.mkdir(exist_ok=True)
    place = place_of(folder) if where is None else Place(where)
    if shard_folder(folder, 0).parent.exists() or (isinstance(place.where, Path) and place.where.exists()):
        with opened(place) as ground:
            ground.go_on(budget=topic.budget)
        return place
    create_ground(
        place.where, shards=shards, budget=topic.budget, settings={}, wall=time.time,
        target_relevant=topic.target.relevant, moving=moving,
    ).close()  # fmt: skip
    return place


async def crawled(
    topic: Topic, folder: Path, shards: int, *, seen: Callable[[CommonGround], CommonGround] = lambda ground: ground,
    moving: bool = False,
) -> Stop:  # fmt: skip
    """Crawl, or go on with it, with all shards in this process; each host is a slot's. ``seen``: the ground as each
    shard has it. ``moving``: slots may move."""
    prepare(topic, folder, shards, moving=moving)

    async def shard(number: int) -> Stop:
        errand = Errand(topic, place_of(folder), number, shard_folder(folder, number), "host")
        with opened(errand.ground) as ground:
            return await run_shard(errand, seen(ground), lambda assembly: None)

    async with asyncio.timeout(60):
        stops = await asyncio.gather(*map(shard, range(shards)))
    assert len(set(stops)) == 1, "a stop has one reason"
    return stops[0]


async def crawled_apart(
    topic: Topic, folder: Path, shards: int, beside: Beside, told: Told, *, where: str | None = None,
    within_s: float = 60.0, moving: bool = False,
) -> Stop:  # fmt: skip
    """The same in processes of their own, while something happens beside."""
    place = prepare(topic, folder, shards, where, moving=moving)
    with opened(place) as ground:
        kept = Kept(topic, shards, "host")
        crawl = LocalShards(kept, folder, place, ground, lambda *message: told.append(message))
        other = asyncio.create_task(beside(crawl))
        try:
            async with asyncio.timeout(within_s):
                return await crawl.run()
        finally:
            if other.done():
                other.result()  # what went wrong there is told
            other.cancel()
            with suppress(asyncio.CancelledError):
                await other


def spent_pages(folder: Path, shards: int) -> int:
    total = 0
    for shard in range(shards):
        with CrawlReader(shard_folder(folder, shard)) as crawl:
            total += crawl.summary().pages
    return total
