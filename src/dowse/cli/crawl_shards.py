"""``dowse crawl --shards N``: a crawl on several engines of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dowse.cli.crawl import early, event_told
from dowse.cli.display import Display
from dowse.cli.flags import with_flags
from dowse.cli.signals import Signals, run_loop
from dowse.cluster.ground import create_ground, open_ground
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.ready import make_ready
from dowse.cluster.shared_folder import ground_of
from dowse.cluster.slots import Spread
from dowse.engine.loop.engine import Stop
from dowse.engine.workers.port import default_workers
from dowse.model.common_ground import CommonGround
from dowse.model.errors import Interrupted, UserError
from dowse.model.found import FoundRow
from dowse.model.topic import Topic
from dowse.model.topicfile import predicate_text, topic_from_json, topic_to_json

__all__ = ["begin", "go_on"]

_CRAWL = "crawl"  # its name on its own ground


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a ground keeps of a crawl beside its state."""

    topic: Topic
    shards: int
    by: Spread


def begin(topic: Topic, folder: Path, display: Display, shards: int, by: Spread) -> Stop:
    """A new crawl on so many engines."""
    check_free(folder)
    return _in_loop(lambda: _begin(topic, folder, display, shards, by))


def go_on(folder: Path, display: Display, given: Mapping[str, Any]) -> Stop:
    """Go on with the crawl in a folder; flags that were ``given`` change its topic."""
    ground = open_ground(ground_of(folder), _CRAWL, wall=time.time)
    kept = _kept(ground)
    kept = replace(kept, topic=with_flags(kept.topic, given))

    async def work() -> Stop:
        ground.go_on(
            _settings(kept), budget=kept.topic.budget, target_relevant=kept.topic.target.relevant,
            target_value=kept.topic.target.value,
        )  # fmt: skip
        return await _run(kept, folder, ground, display, [])

    return _in_loop(work)


def check_free(folder: Path) -> None:
    """UserError where a folder holds something already."""
    with suppress(OSError):
        if any(folder.iterdir()):
            raise UserError(f"{folder} is not empty: go on with the crawl in it with --resume, or name another folder")


async def _begin(topic: Topic, folder: Path, display: Display, shards: int, by: Spread) -> Stop:
    if topic.publish.url is not None:
        raise UserError("--publish does not go with --shards: bring the crawl there afterwards, with 'dowse publish'")
    ready = await make_ready(topic, early(display))
    kept = _Kept(ready.topic, shards, by)
    os.makedirs(folder, exist_ok=True)
    ground = create_ground(
        ground_of(folder), _CRAWL, shards=shards, budget=topic.budget, target_relevant=topic.target.relevant,
        target_value=topic.target.value, settings=_settings(kept, ready.found), wall=time.time,
    )  # fmt: skip
    return await _run(kept, folder, ground, display, ready.notes)


async def _run(kept: _Kept, folder: Path, ground: CommonGround, display: Display, notes: list[str]) -> Stop:
    signals = Signals(folder, display)
    topic = replace(kept.topic, workers=_workers(kept))

    def told(shard: int, kind: str, fields: dict[str, Any]) -> None:
        if kind == "event":
            event_told(display, folder, fields["event"], fields["detail"])
        elif kind in ("note", "restarted", "failed"):
            display.say(f"shard {shard}: {'started again: ' if kind == 'restarted' else ''}{fields['detail']}")

    crawl = LocalShards(topic, folder, ground, kept.shards, kept.by, told)
    signals.crawl = crawl
    display.open(f"Dowse: {topic.name or topic.query or predicate_text(topic)}  ->  {folder}  ({kept.shards} shards)")
    for note in notes:
        display.say(note)
    watcher = asyncio.create_task(_watch(crawl, display))
    try:
        return await crawl.run()
    finally:
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher
        display.show(crawl.progress())
        display.close()
        ground.close()


async def _watch(crawl: LocalShards, display: Display) -> None:
    while True:
        await asyncio.sleep(display.every_s)
        display.show(crawl.progress())


def _workers(kept: _Kept) -> int:
    """How many processes each shard has for its pages: what there would be for one engine, shared out."""
    given = kept.topic.workers
    return max(1, default_workers() // kept.shards) if given is None else given


def _settings(kept: _Kept, found: list[FoundRow] | None = None) -> dict[str, Any]:
    return {"topic": topic_to_json(kept.topic), "shards": kept.shards, "by": kept.by}


def _kept(ground: CommonGround) -> _Kept:
    settings = ground.settings()
    return _Kept(topic_from_json(settings["topic"]), settings["shards"], settings["by"])


def _in_loop(work: Callable[[], Awaitable[Stop]]) -> Stop:
    async def run() -> Stop:
        return await work()

    try:
        return run_loop(run())
    except asyncio.CancelledError:
        raise Interrupted("interrupted before the crawl began", signal.SIGINT) from None
