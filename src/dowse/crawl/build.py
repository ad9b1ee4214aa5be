"""Puts a crawl together: the one place that names concrete classes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dowse.crawl.conclude import Conclusion, Fetched
from dowse.crawl.engine import Engine, Stop
from dowse.crawl.errands import Errands
from dowse.crawl.extra import ExtraRequests
from dowse.crawl.intake import Intake
from dowse.crawl.prepare import Source, read_examples, read_seeds
from dowse.crawl.recorder import STRATEGY_STATE, Recorder
from dowse.crawl.sitemaps import WALKED, Sitemaps
from dowse.crawl.step import PageStep
from dowse.crawl.tally import Tally
from dowse.crawl.workers import InProcess, ProcessPool, Workers, default_workers
from dowse.fetch import HttpTransport, product_token
from dowse.frontier import Frontier, Site
from dowse.frontier.scope import StaticScope
from dowse.frontier.traps import GrowthRules
from dowse.judge import build_judge
from dowse.model.budget import Purse
from dowse.model.clock import Clock, SystemClock
from dowse.model.errors import StoreError, UserError
from dowse.model.http import Transport
from dowse.model.page import Signature
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.topicfile import check_ready, topic_from_json, topic_to_json
from dowse.model.url import split
from dowse.parse import DuplicateIndex
from dowse.predict import build_strategy
from dowse.store import CrawlStore

__all__ = ["Assembly", "assemble", "read_settings"]

OnPage = Callable[[Fetched], Coroutine[Any, Any, None]]
_MOST_WORKERS = 64


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
    notes: list[str]  # what the user should know before it starts: odd seed lines, refused seeds, ...

    async def run(self) -> Stop:
        """Crawl to the end; the reason is recorded. A store that fails ends the crawl with StoreError."""
        self.store.start_run(self.clock.wall())
        await self.workers.start()
        self.engine.background(self.sitemaps.walk(self.topic.seeds.sitemaps))
        stop = await self.engine.run()
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
) -> Assembly:
    """Make every part of a crawl. Nothing is written before the whole topic is known to be usable.

    For ``resume`` the folder holds a crawl and ``topic`` is its topic (:func:`read_settings`), perhaps with a larger
    budget.
    """
    clock = clock or SystemClock()
    notes: list[str] = []
    strategy = build_strategy(topic.strategy, seed_number=topic.seed_number)
    if not resume:
        check_ready(topic)
    async with AsyncExitStack() as undo:
        transport = transport or HttpTransport(topic.network, topic.limits, clock)
        undo.push_async_callback(transport.close)
        store = CrawlStore.open(folder) if resume else None
        purse = Purse(topic.budget, store.spent() if store else None)
        if store is not None:
            undo.callback(store.close)
        seeds = read_seeds(topic, store.settings().get("seeds", []) if store else None, notes)
        source = Source(transport, clock, topic.politeness.delay_s, purse)
        topic = await read_examples(topic, source, notes)
        # an example, or the last request of a run that was killed, may have gone to any site just now
        asked_at = clock.now() if resume else source.asked_at
        opens_at = 0.0 if asked_at is None else asked_at + topic.politeness.delay_s
        judge = build_judge(topic)
        named = [*seeds, *(url for url in topic.seeds.sitemaps if "://" in url)]
        scope = StaticScope(topic.scope, named)
        workers = _workers(topic, PageStep(judge, scope, topic.limits.max_links))
        if store is None:
            settings = {
                "topic": topic_to_json(topic),
                "version": version("dowse"),
                "seeds": seeds,
                "threshold": judge.threshold,  # whether given, calibrated from examples, or the method's own
            }
            store = CrawlStore.create(folder, settings, clock.wall())
            undo.callback(store.close)
        assembly = _join(topic, folder, strategy, scope, transport, workers, store, purse, clock, notes,
                         seed_origins={split(url).origin for url in named}, opens_at=opens_at, resume=resume,
                         keep_text=keep_text, on_page=on_page)  # fmt: skip
        assembly.intake.seeds(seeds, clock.now())
        undo.pop_all()
    return assembly


def _join(
    topic: Topic, folder: Path, strategy: Strategy, scope: StaticScope, transport: Transport, workers: Workers,
    store: CrawlStore, purse: Purse, clock: Clock, notes: list[str], *, seed_origins: set[str], opens_at: float,
    resume: bool, keep_text: bool, on_page: OnPage | None,
) -> Assembly:  # fmt: skip
    """Wire the parts to each other; with ``resume``, bring them to where the last run left off."""
    connections = topic.politeness.connections_per_host
    frontier = Frontier(delay_s=topic.politeness.delay_s, connections_per_site=connections, opens_at=opens_at)
    recorder = Recorder(store, frontier, purse, strategy, clock)
    growth, tally, duplicates = GrowthRules(topic.scope.traps), Tally(), DuplicateIndex()
    extra = ExtraRequests(frontier, transport, purse, recorder, clock, topic.limits.timeout_s)
    errands = Errands(topic, frontier, transport, extra, recorder, clock, product_token(topic.network))
    intake = Intake(frontier, strategy, scope, growth, recorder, topic.scope.max_depth)
    conclusion = Conclusion(
        topic, frontier=frontier, intake=intake, errands=errands, workers=workers, duplicates=duplicates,
        recorder=recorder, tally=tally, clock=clock, keep_text=keep_text,
    )  # fmt: skip
    engine = Engine(
        topic, frontier=frontier, transport=transport, workers=workers, strategy=strategy, errands=errands,
        extra=extra, conclusion=conclusion, recorder=recorder, purse=purse, tally=tally, clock=clock, on_page=on_page,
    )  # fmt: skip
    statistics = store.statistics()
    sitemaps = Sitemaps(extra, errands, recorder, intake, clock, statistics.get(WALKED, []))
    if topic.seeds.robots_sitemaps:

        def walk_named(site: Site, urls: tuple[str, ...]) -> None:
            if site.origin in seed_origins:
                engine.background(sitemaps.walk(urls))

        errands.on_sitemaps = walk_named
    if resume:
        _restore(store, frontier, growth, recorder, errands, conclusion, tally, duplicates, clock.now())
        mark = f"{STRATEGY_STATE}{strategy.name}."
        strategy.restore(
            {name.removeprefix(mark): value for name, value in statistics.items() if name.startswith(mark)}
        )
    return Assembly(topic, folder, engine, store, transport, workers, sitemaps, recorder, intake, clock, notes)


def read_settings(folder: Path) -> Topic:
    """The topic a folder's crawl was started with."""
    with CrawlStore.open(folder) as store:
        return topic_from_json(store.settings()["topic"])


def _workers(topic: Topic, step: PageStep) -> Workers:
    count = default_workers() if topic.workers is None else topic.workers
    most = max(_MOST_WORKERS, 4 * default_workers())
    if not 0 <= count <= most:
        raise UserError(f"workers is {count}: write 0 for none, or a number of processes up to {most}")
    return ProcessPool(step, count, topic.limits.page_time_s) if count else InProcess(step)


def _restore(
    store: CrawlStore, frontier: Frontier, growth: GrowthRules, recorder: Recorder, errands: Errands,
    conclusion: Conclusion, tally: Tally, duplicates: DuplicateIndex, now: float,
) -> None:  # fmt: skip
    """Bring everything to where the last run's last commit left it."""
    sites = list(store.sites())
    for site in sites:
        if frontier.site(site.origin).id != site.id:
            raise StoreError(f"the records have no row for site {site.id - 1}: they are damaged")
        recorder.restore_site(site)
        tally.restore_host(site.host, site.relevant, site.pages)
    for block in store.candidates():
        frontier.load(block)
        growth.count_all(block.sites, block.urls)
        conclusion.via.update(block.via)
    frontier.loaded(now)
    for site in sites:
        errands.restore_site(site)
    for page, exact, minhash in store.signatures():
        duplicates.add(page, Signature(exact, minhash))
    counters = store.counters()
    tally.pages, tally.relevant = store.spent().pages, counters.relevant
