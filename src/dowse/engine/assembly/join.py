"""Joins the parts of a crawl. What goes in decides what it is: a live crawl, or a replay in the lab."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dowse.engine.exchange.exchange import Exchange
from dowse.engine.exchange.site_rules import Robots
from dowse.engine.exchange.sitemap_walk import Sitemaps
from dowse.engine.life import Due, Life, Sites
from dowse.engine.life.shared_learning import SharedLearning
from dowse.engine.loop.dispatch import Dispatcher
from dowse.engine.loop.engine import Engine
from dowse.engine.loop.fetcher import Fetcher, OnPage
from dowse.engine.loop.tasks import Tasks
from dowse.engine.page.again import Again
from dowse.engine.page.cached import FromCache, Holder
from dowse.engine.page.disposition import Disposition
from dowse.engine.page.pages import Pages
from dowse.engine.page.verdicts import Verdicts
from dowse.engine.workers.port import Workers
from dowse.frontier import Site
from dowse.frontier.scope import StaticScope
from dowse.judge import LearnedJudge
from dowse.model.batch import Records
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Transport
from dowse.model.others import Others
from dowse.model.statistic_names import WALKED
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.predict import check_maximise

__all__ = ["OnPage", "Parts", "join", "way_out"]

_HERE = Path()


@dataclass(frozen=True, slots=True)
class Parts:
    """What whoever runs a crawl needs of it."""

    engine: Engine
    life: Life
    pages: Pages
    sitemaps: Sitemaps
    cache: FromCache | None
    shared_learning: SharedLearning  # for whoever carries it to other shards and back


def way_out(
    topic: Topic, transport: Transport, purse: Purse, clock: Clock, *, opens_at: float = 0.0, hash_seed: int = 0,
    others: Others | None = None,
) -> Exchange:  # fmt: skip
    """The exchange, and with it the sites and the journal: all that is needed to ask the web for something. No site is
    asked before ``opens_at``; ``hash_seed`` is the workers' too; ``others`` crawl with us."""
    sites = Sites(topic, purse, clock, opens_at=opens_at, hash_seed=hash_seed, others=others)
    return Exchange(topic, transport, sites, purse, clock)


def join(
    topic: Topic, exchange: Exchange, strategy: Strategy, scope: StaticScope, workers: Workers, records: Records,
    clock: Clock, *, seed_origins: set[str], folder: Path = _HERE, due: Due | None = None,
    learned: LearnedJudge | None = None, keep_text: bool = False,
    on_page: OnPage | None = None, held: Holder | None = None,
) -> Parts:  # fmt: skip
    """Make the other parts. ``seed_origins`` are the sites whose sitemaps are read when their robots.txt names them;
    what is ``held`` is not downloaded; what is ``due`` is visited again, and compared with the archive in ``folder``;
    ``learned`` judges after the workers' first look."""
    check_maximise(topic.strategy, strategy)
    sites = exchange.sites
    sites.journal.open(records, strategy)
    life = Life(topic, sites, strategy, scope, clock, due)
    robots = Robots(topic, exchange, workers, clock)
    pages = Pages(topic, life, workers, Verdicts(learned, life), keep_text=keep_text)
    again = Again(life, pages, workers, folder)
    disposition = Disposition(topic, life, pages, again, robots, clock)
    cache = None if held is None else FromCache(topic, held, life, disposition, clock)
    tasks = Tasks()
    fetcher = Fetcher(topic, life, exchange, disposition, again, tasks, cache=cache, on_page=on_page)
    dispatcher = Dispatcher(topic, life, exchange, robots, fetcher, workers, tasks)
    engine = Engine(topic.target, life, dispatcher, exchange, tasks, clock, alone=sites.others is None)
    sitemaps = Sitemaps(life, exchange, robots, workers, records.statistics().get(WALKED, []))
    if topic.seeds.robots_sitemaps:

        def walk_named(site: Site, urls: tuple[str, ...]) -> None:
            if site.origin in seed_origins:
                tasks.background(sitemaps.walk(urls))

        robots.on_sitemaps = walk_named
    shared_learning = SharedLearning({"strategy": strategy, "judge": learned}, sites.journal)
    return Parts(engine, life, pages, sitemaps, cache, shared_learning)
