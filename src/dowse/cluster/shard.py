"""One shard: an ordinary engine that takes part in a crawl of several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from dowse.cluster.beats import Beats
from dowse.cluster.errand import Errand
from dowse.cluster.membership import Membership
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.loop.engine import Stop
from dowse.model.clock import SystemClock
from dowse.model.common_ground import LEASE_S, CommonGround, GroundAway, Joined
from dowse.model.errors import TopicError
from dowse.model.topic import Topic
from dowse.store.schema import DATABASE

__all__ = ["run_shard"]

_AGAIN_S = 1.0


async def run_shard(errand: Errand, ground: CommonGround, begun: Callable[[Assembly], None]) -> Stop:
    """Crawl as one of several, until the ground says that the crawl is over. A folder that holds a part of the crawl
    is gone on with. ``begun`` is shown the assembly before it runs."""
    clock = SystemClock()
    joined = await _joined(ground, errand.shard)
    came_at = clock.now()
    polite = errand.topic.politeness.delay_s > 0
    membership = Membership(errand.shard, joined.owners, errand.by, clock, polite=polite, slots=joined.slots)
    resume = (errand.folder / DATABASE).exists()
    if joined.known and not resume:
        raise TopicError(f"the crawl's shard {errand.shard} has records, and they are not in {errand.folder}")
    topic = _gone_on(errand) if resume else errand.topic
    assembly = await assemble(topic, errand.folder, resume=resume, clock=clock, others=membership, share=errand.share)
    try:
        if clock.now() - came_at > LEASE_S / 3:  # to restore much takes longer than a lease
            joined = await _joined(ground, errand.shard)
            came_at = clock.now()
        membership.heard_at(came_at)
        beats = Beats(ground, joined, membership, assembly, errand.topic.budget)
        begun(assembly)
        beating = asyncio.create_task(beats.run())
        try:
            stop = await assembly.crawl()
        finally:
            beats.end()
            with suppress(asyncio.CancelledError):
                await beating
        await beats.last_words()
        await assembly.publish_rest(stop)
        return stop
    finally:
        await assembly.close()


async def _joined(ground: CommonGround, shard: int) -> Joined:
    """Take part, once the ground answers."""
    while True:
        try:
            return await asyncio.to_thread(ground.join, shard)
        except GroundAway:
            await asyncio.sleep(_AGAIN_S)


def _gone_on(errand: Errand) -> Topic:
    """The topic that the folder keeps, with what may be given anew: budgets, how the network is used, and where it
    is published."""
    kept = read_settings(errand.folder)
    return replace(
        kept, budget=errand.topic.budget, network=errand.topic.network, workers=errand.topic.workers,
        publish=errand.topic.publish,
    )  # fmt: skip
