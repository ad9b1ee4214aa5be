"""One crawl of a frozen web by several shards, in virtual time: engines, beats and the common ground of a live crawl,
on one clock. So it takes the same course every time, and differs from :mod:`~dowse.lab.replay.replay` in nothing but
that there are several engines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dowse.cluster.beats import Beats
from dowse.cluster.ground import IN_MEMORY, create_ground
from dowse.cluster.membership import Membership
from dowse.cluster.slots import Spread
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.assembly.join import join, way_out
from dowse.engine.assembly.learned import traces_for
from dowse.engine.life.shared_learning import SharedLearning
from dowse.engine.loop.engine import Stop
from dowse.engine.workers.port import Workers
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge, learned_judge, subject_of
from dowse.lab.replay.recorded_transport import Exchange, FrozenWeb, NetworkModel, ReplayTransport
from dowse.lab.replay.virtual_time import VirtualClock, VirtualLoop, run
from dowse.model.budget import Purse
from dowse.model.common_ground import CommonGround
from dowse.model.topic import Topic
from dowse.model.url import split
from dowse.predict import build_strategy
from dowse.store import CrawlStore

__all__ = ["SharedReplayed", "Sharing", "replay_shared"]

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Sharing:
    """How a crawl is shared."""

    shards: int
    by: Spread = "host"
    promises: bool = True  # grants go to those that promise most; else to all alike
    learning: bool = True  # shards learn from each other
    moving: bool = False  # slots go from shards that have much to do to those that have little
    every_s: float = 0.1  # seconds between beats: a replay of minutes stands for a crawl of hours


class _VirtualBeats(Beats):
    """Asks the ground at once: no thread has a part in virtual time."""

    async def _ask(self, call: Callable[..., Answer], *arguments: object) -> Answer:
        return call(*arguments)


@dataclass(frozen=True, slots=True)
class SharedReplayed:
    """Every request of all shards in the order they left, why the crawl ended, and how many pages each has fetched."""

    exchanges: list[Exchange]
    stop: Stop
    pages: list[int]


def replay_shared(
    web: FrozenWeb, workers: Workers, topic: Topic, scope: StaticScope, sharing: Sharing, folder: Path, *,
    model: NetworkModel | None = None,
) -> SharedReplayed:  # fmt: skip
    """Crawl ``web`` from the topic's seeds with so many shards, which may together spend the topic's budget. Their
    records are kept in ``folder``, a folder each."""
    loop = VirtualLoop()
    clock = VirtualClock(loop)
    transport = ReplayTransport(web, clock, model or NetworkModel())
    ground = create_ground(
        IN_MEMORY, shards=sharing.shards, budget=topic.budget, settings={}, wall=clock.now,
        evenly=not sharing.promises, moving=sharing.moving,
    )  # fmt: skip

    async def crawl() -> list[tuple[Stop, int]]:
        each = [
            asyncio.create_task(_shard(number, ground, web, workers, topic, scope, sharing, folder, clock, transport))
            for number in range(sharing.shards)
        ]
        return await asyncio.gather(*each)

    try:
        ended = run(crawl(), loop)
    finally:
        ground.close()
    return SharedReplayed(transport.log, ended[0][0], [pages for _, pages in ended])


async def _shard(
    number: int, ground: CommonGround, web: FrozenWeb, workers: Workers, topic: Topic, scope: StaticScope,
    sharing: Sharing, folder: Path, clock: VirtualClock, transport: ReplayTransport,
) -> tuple[Stop, int]:  # fmt: skip
    """How it ended, and how many pages it has."""
    joined = ground.join(number)
    polite = topic.politeness.delay_s > 0
    membership = Membership(number, joined.owners, sharing.by, clock, polite=polite, slots=joined.slots)
    membership.heard_at(clock.now())
    exchange = way_out(topic, transport, Purse(topic.budget), clock, others=membership)
    order = build_strategy(
        topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), traces=traces_for(topic.strategy)
    )
    seeds = list(topic.seeds.urls)
    learned = learned_judge(topic)
    with CrawlStore.create(folder / str(number), {}, clock.wall()) as store:
        parts = join(
            topic, exchange, order, scope, workers, store, clock,
            seed_origins={split(url).origin for url in seeds}, learned=learned,
        )  # fmt: skip
        parts.life.admit_seeds([url for url in seeds if membership.owner(url) is None])
        learning = parts.shared_learning if sharing.learning else SharedLearning({}, parts.life.journal)
        assembly = Assembly(
            topic, folder / str(number), parts.engine, store, transport, workers, parts.sitemaps, parts.life, clock,
            None, build_judge(topic), learned, [], learning,
        )  # fmt: skip
        beats = _VirtualBeats(
            ground, joined, membership, assembly, topic.budget, every_s=sharing.every_s, promises=sharing.promises
        )  # fmt: skip
        beating = asyncio.create_task(beats.run())
        stop = await parts.engine.run()
        beats.end()
        await beating
        await beats.last_words()
        if parts.engine.failure is not None:
            raise parts.engine.failure
        return stop, parts.life.tally.pages
