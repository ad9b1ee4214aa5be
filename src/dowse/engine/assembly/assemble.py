"""Puts a live crawl together: chooses its way out, its workers and its store. ``join`` makes and wires all other parts,
which a replay shares. Only these two name concrete classes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dowse.engine.assembly.join import OnPage, Parts, join, way_out
from dowse.engine.assembly.kept_categories import absolute_categories, keep_categories, with_kept_categories
from dowse.engine.assembly.learned import absolute_sources, keep_learned, kept_learned, learned_from
from dowse.engine.assembly.prepare import named_after, read_examples, read_seeds
from dowse.engine.assembly.rejudge import rejudge_at_end
from dowse.engine.exchange.documents import Documents
from dowse.engine.exchange.sitemap_walk import Sitemaps
from dowse.engine.life import Life
from dowse.engine.loop.engine import Engine, Stop
from dowse.engine.loop.watchdog import Watchdog
from dowse.engine.page.cached import FromCache, absolute_folders, open_cache
from dowse.engine.page.step import PageStep
from dowse.engine.page.verdicts import restore_judge
from dowse.engine.workers.port import InProcess, Workers, default_workers
from dowse.engine.workers.process_pool import ProcessPool
from dowse.engine.workers.start import Started
from dowse.frontier.scope import StaticScope
from dowse.judge import METHODS, TERMS, LearnedJudge, TopicJudge, build_judge, check_judge, learned_judge, subject_of
from dowse.model.bodies import Bodies
from dowse.model.budget import Purse
from dowse.model.clock import Clock, SystemClock
from dowse.model.errors import StoreError, UserError
from dowse.model.http import Transport
from dowse.model.judge import Judge
from dowse.model.proxy_login import LOGIN, PROXY, has_login
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.topicfile import check_ready, topic_from_json, topic_to_json
from dowse.model.url import canonical, split
from dowse.predict import build_strategy, check_maximise
from dowse.predict.learning import Statistics
from dowse.store import CrawlStore, damage_told

__all__ = ["Assembly", "assemble", "read_settings", "wanted_workers"]

_OTHER_FILES = 1024  # connections that are idle, records, workers
_MOST_WORKERS = 64
_IN_PROCESS = (
    "the predicate or judge cannot be sent to other processes: pages are judged in this one (define it at the top of a "
    "module of its own to use workers)"
)


@dataclass(slots=True)
class Assembly:
    """A crawl ready to run: :meth:`run` once, then :meth:`close`."""

    topic: Topic
    folder: Path
    engine: Engine
    store: CrawlStore
    transport: Transport
    workers: Workers
    sitemaps: Sitemaps
    life: Life
    clock: Clock
    cache: FromCache | None
    learned: LearnedJudge | None
    notes: list[str]  # what the user should know before it starts: odd seed lines, refused seeds, ...

    async def run(self) -> Stop:
        """Crawl to the end; the reason is recorded. A store that fails ends the crawl with StoreError."""
        self.store.start_run(self.clock.wall())
        await self.workers.start()
        self.engine.tasks.background(self.sitemaps.walk(self.topic.seeds.sitemaps))
        watchdog = Watchdog(self.life.journal.held)
        watchdog.start()
        try:
            stop = await self.engine.run()
        finally:
            watchdog.stop()
        if isinstance(self.engine.failure, StoreError):
            raise self.engine.failure
        if self.learned is not None:
            rejudge_at_end(self.store, self.learned, self.topic.scope.languages)
        self.store.end_run(str(stop), self.clock.wall())
        if self.engine.failure is not None:
            raise self.engine.failure
        return stop

    async def close(self) -> None:
        """Close workers, connections and the folder."""
        await self.workers.close()
        await self.transport.close()
        if self.cache is not None:
            self.cache.close()
        self.store.close()


async def assemble(
    topic: Topic,
    folder: Path,
    *,
    resume: bool = False,
    keep_text: bool = False,
    on_page: OnPage | None = None,
    clock: Clock | None = None,
    transport: Transport | None = None,
    strategy: Strategy | None = None,
    own_judge: Judge | None = None,
    prepared: Sequence[Started] = (),
    hash_seed: int | None = None,
) -> Assembly:
    """Make every part of a crawl. Nothing is written before the whole topic is known to be usable.

    Workers that are ``prepared`` are used as far as they are wanted; what became of them is the caller's to end.
    ``hash_seed`` keeps outsiders from crowding the frontier's tables: a secret of this run, unless it is given.

    ``strategy`` and ``own_judge`` serve in place of what the topic names. The records keep their names only: who
    resumes gives them again.

    For ``resume`` the folder holds a crawl and ``topic`` is its topic (:func:`read_settings`), perhaps with a larger
    budget.
    """
    clock = clock or SystemClock()
    hash_seed = secrets.randbits(64) if hash_seed is None else hash_seed
    notes: list[str] = []
    topic = with_kept_categories(topic, folder) if resume else absolute_categories(topic)
    topic = _checked(named_after(absolute_sources(absolute_folders(topic)), strategy, own_judge), strategy, own_judge)
    if not resume:
        check_ready(topic, by_judge=topic.judge.method not in METHODS)
    async with AsyncExitStack() as undo:
        bodies = Bodies()
        transport = transport or _way_out(topic, clock, bodies)
        undo.push_async_callback(transport.close)
        store = CrawlStore.open(folder) if resume else None
        if store is not None:
            undo.callback(store.close)
            _check_login(topic, store)
        purse = Purse(topic.budget, store.spent() if store else None)
        known = _stored_topic(store).cache.folders if store else ()
        held = await asyncio.to_thread(
            open_cache, topic.cache, folder, clock.wall(), notes, known, topic.limits.max_body_bytes
        )
        if held is not None:
            undo.callback(held.close)
        seeds = read_seeds(topic, store.settings().get("seeds", []) if store else None, notes)
        # the last request of a run that was killed may have gone to any site just now
        opens_at = clock.now() + topic.politeness.delay_s if resume else 0.0
        exchange = way_out(topic, transport, purse, clock, opens_at=opens_at, hash_seed=hash_seed)
        if store is not None:
            with damage_told(folder):
                exchange.sites.load(store.sites())
        topic = await read_examples(topic, Documents(exchange), notes)
        before = await asyncio.to_thread(_before, topic, folder, resume)
        strategy = strategy or build_strategy(
            topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), before=before
        )
        judge = build_judge(topic, own_judge).kept_at(folder)
        learned = learned_judge(topic) if own_judge is None else None
        named = [*seeds, *filter(None, map(canonical, topic.seeds.sitemaps))]
        scope = StaticScope(topic.scope, named)
        workers = _workers(topic, judge, PageStep(judge, scope, topic.limits.max_links, hash_seed), bodies, prepared)
        if not judge.judge.can_be_sent and topic.workers != 0:
            notes.append(_IN_PROCESS)
        if store is None:
            store = CrawlStore.create(folder, _settings(topic, seeds, judge), clock.wall())
            undo.callback(store.close)
        keep_categories(judge.categories, folder)  # a run that was killed may not have come so far
        keep_learned(before, folder)
        frequencies = judge.nearness.frequencies
        if frequencies is not None and not frequencies.prepare(fresh=not resume) and resume:
            notes.append(f"{TERMS} is gone or damaged: which terms are rare is learned anew, so scores will differ")
        parts = join(
            topic, exchange, strategy, scope, workers, store, clock,
            seed_origins={split(url).origin for url in named}, learned=learned, keep_text=keep_text, on_page=on_page,
            held=held,
        )  # fmt: skip
        if resume:
            with damage_told(folder):  # what is taken up here may be anybody's
                _restore(store, parts)
                if learned is not None:
                    restore_judge(learned, store)
        parts.life.admit_seeds(seeds)
        undo.pop_all()
    return Assembly(
        topic, folder, parts.engine, store, transport, workers, parts.sitemaps, parts.life, clock, parts.cache,
        learned, notes,
    )  # fmt: skip


def _checked(topic: Topic, strategy: Strategy | None, own_judge: Judge | None) -> Topic:
    """The topic, after everything in it was found to make sense. Raises TopicError."""
    if own_judge is None:
        check_judge(topic)
    check_maximise(topic.strategy, strategy or build_strategy(topic.strategy, seed_number=topic.seed_number))
    return topic


def _settings(topic: Topic, seeds: list[str], judge: TopicJudge) -> dict[str, Any]:
    """What a new crawl is started with, as its records keep it."""
    return {
        "topic": topic_to_json(topic),
        "version": version("dowse"),
        "seeds": seeds,
        LOGIN: has_login(topic.network.proxy),
        "threshold": judge.threshold,  # where a judge learns, that of its first look
    }


def _check_login(topic: Topic, store: CrawlStore) -> None:
    """A proxy's password is in no record: whoever resumes gives it again."""
    proxy = topic.network.proxy
    if proxy and proxy == _stored_topic(store).network.proxy and store.settings().get(LOGIN):
        raise UserError(
            f"the crawl goes through {proxy} with a password, which is not kept: give the proxy's whole URL in the"
            f" environment variable {PROXY}, or with --proxy"
        )


def _way_out(topic: Topic, clock: Clock, bodies: Bodies) -> Transport:
    from dowse.fetch.http import HttpTransport  # loaded after workers were forked, which have no use for it
    from dowse.fetch.pool import allow_open_files

    allow_open_files(topic.network.concurrency + _OTHER_FILES)
    return HttpTransport(topic.network, topic.limits, clock, bodies=bodies)


def read_settings(folder: Path) -> Topic:
    """The topic a folder's crawl was started with."""
    with CrawlStore.open(folder) as store:
        return with_kept_categories(_stored_topic(store), folder)


def _stored_topic(store: CrawlStore) -> Topic:
    with damage_told(store.folder):
        return topic_from_json(store.settings()["topic"])


def _before(topic: Topic, folder: Path, resume: bool) -> Statistics | None:
    """What earlier crawls have learned, for this one to start from."""
    sources = topic.strategy.learn_from
    kept = kept_learned(folder) if resume and sources else None
    return learned_from(sources) if kept is None else kept


def _workers(topic: Topic, judge: TopicJudge, step: PageStep, bodies: Bodies, prepared: Sequence[Started]) -> Workers:
    count = wanted_workers(topic) if judge.judge.can_be_sent else 0
    return ProcessPool(step, count, topic.limits.page_time_s, bodies, prepared) if count else InProcess(step)


def wanted_workers(topic: Topic) -> int:
    """How many processes a topic asks for; UserError when it cannot be had."""
    count = default_workers() if topic.workers is None else topic.workers
    most = max(_MOST_WORKERS, 4 * default_workers())
    if not 0 <= count <= most:
        raise UserError(f"workers is {count}: write 0 for none, or a number of processes up to {most}")
    return count


def _restore(store: CrawlStore, parts: Parts) -> None:
    """Bring everything to where the last run's last commit left it."""
    parts.life.restore(store, _stored_topic(store))
    parts.pages.restore(store.statistics(), store.signatures())
