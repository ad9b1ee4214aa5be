"""One shard: an ordinary engine that takes part in a crawl of several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dowse.cluster.beats import Beats
from dowse.cluster.errand import Errand
from dowse.cluster.membership import Membership
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.loop.engine import Stop
from dowse.model.clock import SystemClock
from dowse.model.common_ground import LEASE_S, CommonGround, GroundAway, Joined, RecordsElsewhere
from dowse.model.errors import FolderBusy, TopicError
from dowse.model.topic import Topic
from dowse.store.crawl_store import LOCK
from dowse.store.lock import FolderLock
from dowse.store.outbox import Outbox
from dowse.store.schema import DATABASE

__all__ = ["run_shard"]

_AGAIN_S = 1.0
_PATIENCE_S = 60.0  # with an earlier start that is still ending: longer than that takes


async def run_shard(
    errand: Errand, ground: CommonGround, begun: Callable[[Assembly], None],
    tell: Callable[[str], None] = lambda note: None,
) -> Stop:  # fmt: skip
    """Crawl as one of several, until the ground says that the crawl is over. A folder that holds a part of the crawl
    is gone on with. ``begun`` is shown the assembly before it runs; ``tell`` is told what the start waits for."""
    clock = SystemClock()
    await _folder_free(errand.folder / LOCK, tell)
    resume = (errand.folder / DATABASE).exists()
    joined = await _joined(ground, errand)
    came_at = clock.now()
    polite = errand.topic.politeness.delay_s > 0
    membership = Membership(errand.shard, joined.owners, errand.by, clock, polite=polite, slots=joined.slots)
    topic = _gone_on(errand) if resume else errand.topic
    assembly = await assemble(topic, errand.folder, resume=resume, clock=clock, others=membership, share=errand.share)
    try:
        if clock.now() - came_at > LEASE_S / 3:  # to restore much takes longer than a lease
            joined = await _joined(ground, errand)
            came_at = clock.now()
        if Outbox(assembly.store).last() < joined.posted:
            raise TopicError(
                f"{errand.folder} is an older copy of what shard {errand.shard} had recorded: bring the newest one"
            )
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


async def _folder_free(lock: Path, tell: Callable[[str], None]) -> None:
    """Until nobody else writes to the folder: an earlier start, whose starter was killed, may still wait for its last
    answers. Only then may this one take its place. Raises FolderBusy where that takes too long."""
    tries = round(_PATIENCE_S / _AGAIN_S)
    for left in reversed(range(tries)):
        try:
            return _check_free(lock)
        except FolderBusy as error:
            if left == tries - 1:
                tell(f"waiting: {error}")
        await asyncio.sleep(_AGAIN_S)
    _check_free(lock)


def _check_free(lock: Path) -> None:
    if lock.exists():
        FolderLock(lock).release()


async def _joined(ground: CommonGround, errand: Errand) -> Joined:
    """Take part, once the ground answers."""
    while True:
        try:
            return await asyncio.to_thread(ground.join, errand.shard, empty=not (errand.folder / DATABASE).exists())
        except RecordsElsewhere as error:
            raise TopicError(f"{error}, and they are not in {errand.folder}") from None
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
