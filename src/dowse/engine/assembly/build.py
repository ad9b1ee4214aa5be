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

from dowse.engine.assembly.categories import absolute_categories, keep_categories, with_kept_categories
from dowse.engine.assembly.join import OnPage, Parts, costs_of, join
from dowse.engine.assembly.learned import absolute_sources, keep_learned, kept_learned, learned_from
from dowse.engine.assembly.prepare import Source, read_examples, read_seeds
from dowse.engine.exchange.cached import FromCache, absolute_folders, open_cache
from dowse.engine.exchange.heads import Heads
from dowse.engine.exchange.sitemaps import Sitemaps
from dowse.engine.life.intake import Intake
from dowse.engine.life.recorder import Recorder
from dowse.engine.loop.engine import Engine, Stop
from dowse.engine.loop.watchdog import Watchdog
from dowse.engine.page.pool import ProcessPool
from dowse.engine.page.processes import Started
from dowse.engine.page.step import PageStep
from dowse.engine.page.workers import InProcess, Workers, default_workers
from dowse.frontier.scope import StaticScope
from dowse.judge import TERMS, Judge, build_judge, check_predicate, subject_of
from dowse.model.bodies import Bodies
from dowse.model.budget import Purse
from dowse.model.clock import Clock, SystemClock
from dowse.model.errors import StoreError, UserError
from dowse.model.http import Transport
from dowse.model.page import Signature
from dowse.model.proxy import LOGIN, PROXY, has_login
from dowse.model.records import EVIDENCE_KIND, REPEATS, STRATEGY_STATE
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.topicfile import check_ready, topic_from_json, topic_to_json
from dowse.model.url import canonical, split
from dowse.predict import build_strategy, check_maximise
from dowse.predict.calibration import MOST
from dowse.predict.learning import Statistics
from dowse.store import CrawlStore, damage_told

__all__ = ["Assembly", "assemble", "read_settings", "wanted_workers"]

_OTHER_FILES = 1024  # connections that are idle, records, workers
_MOST_WORKERS = 64
_IN_PROCESS = (
    "the predicate is a function that other processes cannot import: pages are judged in this one (define it at the "
    "top of a module of its own to use workers)"
)
_MAXIMISED = "maximise"  # the statistic that says what the priorities in the records stand for


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
    recorder: Recorder
    intake: Intake
    clock: Clock
    cache: FromCache | None
    heads: Heads | None
    notes: list[str]  # what the user should know before it starts: odd seed lines, refused seeds, ...

    async def run(self) -> Stop:
        """Crawl to the end; the reason is recorded. A store that fails ends the crawl with StoreError."""
        self.store.start_run(self.clock.wall())
        await self.workers.start()
        self.engine.tasks.background(self.sitemaps.walk(self.topic.seeds.sitemaps))
        watchdog = Watchdog(self.recorder.held)
        watchdog.start()
        try:
            stop = await self.engine.run()
        finally:
            watchdog.stop()
        if isinstance(self.engine.failure, StoreError):
            raise self.engine.failure
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
    prepared: Sequence[Started] = (),
    hash_seed: int | None = None,
) -> Assembly:
    """Make every part of a crawl. Nothing is written before the whole topic is known to be usable.

    Workers that are ``prepared`` are used as far as they are wanted; what became of them is the caller's to end.
    ``hash_seed`` keeps outsiders from crowding the frontier's tables: a secret of this run, unless it is given.

    For ``resume`` the folder holds a crawl and ``topic`` is its topic (:func:`read_settings`), perhaps with a larger
    budget.
    """
    clock = clock or SystemClock()
    hash_seed = secrets.randbits(64) if hash_seed is None else hash_seed
    notes: list[str] = []
    topic = absolute_folders(with_kept_categories(topic, folder) if resume else absolute_categories(topic))
    topic = absolute_sources(topic)
    check_predicate(topic)
    check_maximise(topic.strategy, build_strategy(topic.strategy, seed_number=topic.seed_number))
    if not resume:
        check_ready(topic)
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
        source = Source(transport, clock, topic.politeness.delay_s, purse)
        topic = await read_examples(topic, source, notes)
        before = await asyncio.to_thread(_before, topic, folder, resume)
        strategy = build_strategy(
            topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), before=before
        )
        # an example, or the last request of a run that was killed, may have gone to any site just now
        asked_at = clock.now() if resume else source.asked_at
        opens_at = 0.0 if asked_at is None else asked_at + topic.politeness.delay_s
        judge = build_judge(topic).kept_at(folder)
        named = [*seeds, *filter(None, map(canonical, topic.seeds.sitemaps))]
        scope = StaticScope(topic.scope, named)
        workers = _workers(topic, judge, PageStep(judge, scope, topic.limits.max_links, hash_seed), bodies, prepared)
        if not judge.can_be_sent and topic.workers != 0:
            notes.append(_IN_PROCESS)
        if store is None:
            settings = {
                "topic": topic_to_json(topic),
                "version": version("dowse"),
                "seeds": seeds,
                LOGIN: has_login(topic.network.proxy),
                "threshold": judge.threshold,  # whether given, calibrated from examples, or the method's own
            }
            store = CrawlStore.create(folder, settings, clock.wall())
            undo.callback(store.close)
        keep_categories(judge.categories, folder)  # a run that was killed may not have come so far
        keep_learned(before, folder)
        if judge.frequencies is not None and not judge.frequencies.prepare(fresh=not resume) and resume:
            notes.append(f"{TERMS} is gone or damaged: which terms are rare is learned anew, so scores will differ")
        parts = join(
            topic, strategy=strategy, scope=scope, transport=transport, workers=workers, records=store, purse=purse,
            clock=clock, seed_origins={split(url).origin for url in named}, opens_at=opens_at, keep_text=keep_text,
            on_page=on_page, held=held, hash_seed=hash_seed,
        )  # fmt: skip
        if resume:
            with damage_told(folder):  # what is taken up here may be anybody's
                _restore(store, parts, strategy, topic, clock.now())
        parts.recorder.statistic(_MAXIMISED, topic.strategy.maximise)
        parts.intake.seeds(seeds, clock.now())
        undo.pop_all()
    return Assembly(
        topic, folder, parts.engine, store, transport, workers, parts.sitemaps, parts.recorder, parts.intake, clock,
        parts.cache, parts.heads, notes,
    )  # fmt: skip


def _check_login(topic: Topic, store: CrawlStore) -> None:
    """A proxy's password is in no record: who resumes gives it again."""
    proxy = topic.network.proxy
    if proxy and proxy == _stored_topic(store).network.proxy and store.settings().get(LOGIN):
        raise UserError(
            f"the crawl goes through {proxy} with a password, which is not kept: give the proxy's whole URL in the"
            f" environment variable {PROXY}, or with --proxy"
        )


def _way_out(topic: Topic, clock: Clock, bodies: Bodies) -> Transport:
    from dowse.fetch.files import allow_files  # loaded after workers were forked, which have no use for them
    from dowse.fetch.http import HttpTransport

    allow_files(topic.network.concurrency + _OTHER_FILES)
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


def _workers(topic: Topic, judge: Judge, step: PageStep, bodies: Bodies, prepared: Sequence[Started]) -> Workers:
    count = wanted_workers(topic) if judge.can_be_sent else 0
    return ProcessPool(step, count, topic.limits.page_time_s, bodies, prepared) if count else InProcess(step)


def wanted_workers(topic: Topic) -> int:
    """How many processes a topic asks for; UserError when it cannot be had."""
    count = default_workers() if topic.workers is None else topic.workers
    most = max(_MOST_WORKERS, 4 * default_workers())
    if not 0 <= count <= most:
        raise UserError(f"workers is {count}: write 0 for none, or a number of processes up to {most}")
    return count


def _restore(store: CrawlStore, parts: Parts, strategy: Strategy, topic: Topic, now: float) -> None:
    """Bring everything to where the last run's last commit left it."""
    frontier, tally = parts.frontier, parts.tally
    learned, memory = store.statistics(), strategy.memory
    known = memory is None or learned.get(EVIDENCE_KIND, memory.kind) == memory.kind
    if memory is not None and not known:  # an earlier run had another strategy
        store.forget_evidence(memory.kind)
    sites = list(store.sites())
    for site in sites:
        if frontier.site(site.origin).id != site.id:
            raise StoreError(f"the records have no row for site {site.id - 1}: they are damaged")
        parts.recorder.restore_site(site)
        tally.restore_host(site.host, site.relevant, site.pages)
    for block in store.candidates():
        frontier.load(block)
        parts.worth.load(block)
        if memory is not None and known:
            memory.load(block.first, block.evidence)
        parts.growth.count_all(block.sites, block.urls)
        parts.conclusion.via.update(block.via)
    frontier.loaded(now)
    if memory is not None:
        for candidate, more in store.details(memory.wanted()):
            memory.load_settled(candidate, more)
    maximised = learned.get(_MAXIMISED, _stored_topic(store).strategy.maximise)
    before = costs_of(topic, parts.worth.log, maximised)
    delays_s = [site.delay_s for site in sites]
    parts.recorder.reprioritised(parts.worth.restore(store.exchanges(), delays_s, before, now))
    for site in sites:
        parts.errands.restore_site(site)
    parts.repeats.load_all(
        {int(name.removeprefix(REPEATS)): state for name, state in learned.items() if name.startswith(REPEATS)}
    )
    for page, exact, minhash in store.signatures():
        parts.duplicates.add(page, Signature(exact, minhash))
    tally.saved(*store.saved())
    tally.pages, tally.relevant = store.spent().pages + tally.saved_pages, store.counters().relevant
    tally.value = store.value()
    mark = f"{STRATEGY_STATE}{strategy.name}."
    if known:  # else it speaks of other measures
        strategy.restore({name.removeprefix(mark): at for name, at in learned.items() if name.startswith(mark)})
    parts.outlook.restore(learned, store.last_fetches(MOST), fetches=store.counters().recorded, tally=tally)
