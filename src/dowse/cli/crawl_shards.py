"""A crawl on several engines, as ``dowse crawl --shards`` and ``dowse cluster start`` begin it and go on with it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from dowse.cli.crawl import early, event_told
from dowse.cli.display import Display
from dowse.cli.flags import with_flags
from dowse.cli.rejudge import own_verdicts
from dowse.cli.signals import Signals, run_loop
from dowse.cluster.errand import opened, steady, with_login, with_publish_login
from dowse.cluster.ground import create_ground
from dowse.cluster.kept import Kept, keep, kept_in, settings_of
from dowse.cluster.local_shards import LocalShards
from dowse.cluster.ready import make_ready, note_begun
from dowse.cluster.shared_folder import Place, note_place, place_of, runs_alone
from dowse.cluster.slots import Sites, Spread
from dowse.cluster.visits import budget_of_visits, plan_visits
from dowse.engine.assembly.answered import answers_of
from dowse.engine.assembly.rejudge_by import put_back
from dowse.engine.assembly.revisit import Revisit
from dowse.engine.assembly.shared import check_shared, patience_s
from dowse.engine.loop.engine import Stop
from dowse.engine.loop.progress import Progress
from dowse.judge import learns
from dowse.model.budget import Budget
from dowse.model.common_ground import CommonGround
from dowse.model.errors import Interrupted, NotACrawl, UserError
from dowse.model.strategy import Answer
from dowse.model.topic import Target, Topic
from dowse.model.topicfile import predicate_text
from dowse.store import CrawlReader, CrawlStore
from dowse.store.answers import Answers
from dowse.store.gather import judged_by_other, seeds_put_in
from dowse.store.seed_targets import merged
from dowse.store.sharded import CLUSTER_LOCK, holds_crawl, shard_folders
from dowse.store.shared.connect import check_database
from dowse.store.shared.following import Following, Published

_UNREACHED = Target(relevant=1 << 62, value=1e300)  # a run of visits has none, but what there was would count

__all__ = ["NOWHERE", "Ended", "Runner", "begin", "go_on", "here"]


class _Shards(Protocol):
    """All shards of a crawl, wherever they run."""

    @property
    def is_over(self) -> bool: ...

    async def run(self) -> Stop: ...

    def interrupt(self, detail: str) -> None: ...

    def abort(self) -> None: ...

    def progress(self) -> Progress: ...


Ended = tuple[Stop, Published | None]
"""Why a crawl is over, and how far it is published, if at all."""
Told = Callable[[int, str, dict[str, Any]], None]
Runner = Callable[[Kept, Path, Place, CommonGround, Told], _Shards]
"""Starts the shards of a crawl somewhere."""

NOWHERE = Stop("begun", "its shards are started one by one")


def here(kept: Kept, folder: Path, place: Place, ground: CommonGround, told: Told) -> _Shards:
    """As processes of this machine."""
    return LocalShards(kept, folder, place, ground, told)


def begin(
    topic: Topic, folder: Path, display: Display, shards: int, by: Spread, sites: Sites = "stay", *,
    place: Place | None = None, runner: Runner | None = here,
) -> Ended:  # fmt: skip
    """A new crawl of so many shards, its common ground at a ``place``, else in its folder. Without a ``runner`` it is
    only begun."""
    _check_free(folder)
    check_shared(topic, None)
    place = place or place_of(folder)

    async def work() -> Ended:
        ready = await make_ready(topic, early(display))
        kept = Kept(ready.topic, shards, by, ready.share, sites)
        os.makedirs(folder, exist_ok=True)
        with runs_alone(folder):
            ground = create_ground(
                place.where, place.crawl, shards=shards, budget=topic.budget, target_relevant=topic.target.relevant,
                target_value=topic.target.value, settings=settings_of(kept), wall=steady,
                moving=sites == "move",
            )  # fmt: skip
            with closing(ground):
                keep(ground, kept)
            note_place(folder, place)
            problem = await asyncio.to_thread(note_begun, ready)
            return await _run(kept, folder, place, display, [*ready.notes, *filter(None, [problem])], runner)

    return _in_loop(work())


def go_on(
    folder: Path, display: Display, given: Mapping[str, Any], *, runner: Runner = here, revisit: Revisit | None = None
) -> Ended:  # fmt: skip
    """Go on with the crawl in a folder; flags that were ``given`` change its topic. ``revisit``: its pages are visited
    again. A run of visits that was begun is gone on with first."""
    place = place_of(folder)
    with runs_alone(folder):
        _own_verdicts_again(folder)
        with opened(place) as ground:
            kept = kept_in(ground)
            topic = with_flags(kept.topic, given)
            kept = _with_answers(_with_seeds_since(replace(kept, topic=topic), folder), folder)
            keep(ground, kept)
            settings = settings_of(kept)
            notes: list[str] = []
            visits = _visits(kept, folder, revisit, notes)
            if visits is not None:
                topic = replace(topic, budget=visits, target=_UNREACHED)
                kept = replace(kept, topic=topic)
            ground.go_on(
                settings, budget=topic.budget, target_relevant=topic.target.relevant, target_value=topic.target.value
            )
        return _in_loop(_run(kept, folder, place, display, notes, runner))


def _visits(kept: Kept, folder: Path, asked: Revisit | None, notes: list[str]) -> Budget | None:
    """What all shards may have spent at the end of a run of visits, which is planned if it is ``asked`` for; None: this
    is none."""
    if asked is None:
        budget = budget_of_visits(folder)
        if budget is not None:
            notes.append("going on with the visits that were begun")
        return budget
    if kept.sites == "move":
        raise UserError(
            "--revisit does not go with --sites move: pages lie in the records of shards that ask their sites no longer"
        )
    return plan_visits(folder, kept.shards, asked, time.time(), notes.append)


def _with_seeds_since(kept: Kept, folder: Path) -> Kept:
    """With the seeds that somebody put into the crawl's folder (``dowse seeds --to``)."""
    if kept.share is None or not (found := seeds_put_in(folder)):
        return kept
    share = kept.share
    rows = {row.url: row for row in (*share.found, *merged(share.found, found))}
    seeds = dict.fromkeys([*share.seeds, *rows])
    return replace(kept, share=replace(share, seeds=tuple(seeds), found=tuple(rows.values())))


def _with_answers(kept: Kept, folder: Path) -> Kept:
    """With what somebody answered about pages of any shard (``dowse label``): all judges learn from all of it."""
    if kept.share is None:
        return kept
    answers: list[Answer] = []
    if Answers(folder).known:
        with suppress(NotACrawl), CrawlReader(folder) as crawl:
            answers = answers_of(folder, crawl)
    return replace(kept, share=replace(kept.share, answers=tuple(answers)))


def _own_verdicts_again(folder: Path) -> None:
    """As with one engine: what was judged by something else since the last run has the crawl's own verdicts again."""
    if judged_by_other(folder):
        with CrawlStore.open(folder) as store:
            put_back(store)


def _check_free(folder: Path) -> None:
    with suppress(OSError):
        if any(path.name != CLUSTER_LOCK for path in folder.iterdir()):  # that is left of a beginning that failed
            raise UserError(f"{folder} is not empty: go on with the crawl in it with --resume, or name another folder")


async def _run(
    kept: Kept, folder: Path, place: Place, display: Display, notes: list[str], runner: Runner | None
) -> Ended:
    topic = kept.topic
    kept = replace(kept, topic=with_publish_login(topic))

    def told(shard: int, kind: str, fields: dict[str, Any]) -> None:
        if kind == "event":
            event_told(display, folder, fields["event"], fields["detail"])
        elif kind in ("note", "restarted", "failed"):
            display.say(f"shard {shard}: {'started again: ' if kind == 'restarted' else ''}{fields['detail']}")

    display.open(f"Dowse: {topic.name or topic.query or predicate_text(topic)}  ->  {folder}  ({kept.shards} shards)")
    for note in notes:
        display.say(note)
    if runner is None:
        display.close()
        return NOWHERE, None
    signals = Signals(folder, display)
    with opened(place) as ground:
        crawl = runner(kept, folder, with_login(place), ground, told)
        signals.crawl = crawl
        watcher = asyncio.create_task(_watch(crawl, display))
        try:
            stop = await crawl.run()
            await asyncio.to_thread(_judge_all, folder, topic)
            return stop, await _published(kept, folder, stop, crawl.progress(), signals)
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
            display.show(crawl.progress())
            display.close()


def _judge_all(folder: Path, topic: Topic) -> None:
    """Each shard has judged its own pages at its end, by a model that is nearly the others'. Now one judges all."""
    if learns(topic) and shard_folders(folder):
        with suppress(NotACrawl), CrawlStore.open(folder) as store:
            own_verdicts(store, topic)


async def _published(kept: Kept, folder: Path, stop: Stop, now: Progress, signals: Signals) -> Published | None:
    """How far it is published. Each shard has brought its own pages; where one model has judged all, and all are here,
    the crawl as a whole comes after them, with its verdicts."""
    url = kept.topic.publish.url
    if url is None:
        return None
    if not learns(kept.topic) or sum(map(holds_crawl, shard_folders(folder))) < kept.shards:
        lag = now.unpublished or 0
        return Published(lag=lag, trouble=now.publish_trouble, finished=not lag, to=check_database(url)[0].shown())
    whole = _Whole(Following(folder, url, lambda _: None))
    signals.crawl = whole
    try:
        await whole.following.start()
        return await whole.following.finish(patience_s(stop.kind))
    finally:
        await whole.following.close()


class _Whole:
    """A crawl that has ended and is being published."""

    is_over = True

    def __init__(self, following: Following) -> None:
        self.following = following

    def interrupt(self, detail: str) -> None:
        self.following.give_up()

    def abort(self) -> None:
        self.following.give_up()


async def _watch(crawl: _Shards, display: Display) -> None:
    while True:
        await asyncio.sleep(display.every_s)
        display.show(crawl.progress())


def _in_loop(work: Coroutine[Any, Any, Ended]) -> Ended:
    try:
        return run_loop(work)
    except asyncio.CancelledError:
        raise Interrupted("interrupted before the crawl began", signal.SIGINT) from None
