"""Wires the parts of a crawl to each other. What goes in decides what it is: a live crawl, or a replay in the lab."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from dowse.engine.exchange.cached import FromCache
from dowse.engine.exchange.conclude import Conclusion
from dowse.engine.exchange.errands import Errands
from dowse.engine.exchange.extra import ExtraRequests
from dowse.engine.exchange.heads import Heads
from dowse.engine.exchange.sitemaps import WALKED, Sitemaps
from dowse.engine.life.endings import Endings
from dowse.engine.life.intake import Intake
from dowse.engine.life.outlook import Outlook
from dowse.engine.life.pricing import Worth
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Tally
from dowse.engine.loop.dispatch import Launcher
from dowse.engine.loop.engine import Engine
from dowse.engine.page.pages import Fetched, PageIntake
from dowse.engine.workers.port import Workers
from dowse.fetch import product_token
from dowse.frontier import Frontier, Site
from dowse.frontier.scope import StaticScope
from dowse.frontier.traps import GrowthRules
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Transport
from dowse.model.records import Records
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.parse import DuplicateIndex, Repeats
from dowse.predict import Costs, SiteLog, check_maximise
from dowse.store import HeldPages

__all__ = ["OnPage", "Parts", "costs_of", "join"]

OnPage = Callable[[Fetched], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a crawl is made of besides its way out, its workers and its records."""

    frontier: Frontier
    growth: GrowthRules
    tally: Tally
    outlook: Outlook
    duplicates: DuplicateIndex
    repeats: Repeats
    recorder: Recorder
    worth: Worth
    errands: Errands
    intake: Intake
    conclusion: Conclusion
    sitemaps: Sitemaps
    cache: FromCache | None
    heads: Heads | None  # its ``on_size`` is told what pages will cost
    engine: Engine


def join(
    topic: Topic,
    *,
    strategy: Strategy,
    scope: StaticScope,
    transport: Transport,
    workers: Workers,
    records: Records,
    purse: Purse,
    clock: Clock,
    seed_origins: set[str],
    opens_at: float = 0.0,
    keep_text: bool = False,
    on_page: OnPage | None = None,
    held: HeldPages | None = None,
    hash_seed: int = 0,
) -> Parts:
    """Make the parts. ``seed_origins`` are the sites whose sitemaps are read when their robots.txt names them; before
    ``opens_at`` no site is asked; what is ``held`` is not downloaded; ``hash_seed`` is the workers' too."""
    connections = topic.politeness.connections_per_host
    frontier = Frontier(
        delay_s=topic.politeness.delay_s, connections_per_site=connections, opens_at=opens_at, hash_seed=hash_seed
    )
    recorder = Recorder(records, frontier, purse, strategy, clock)
    purse.on_bytes = recorder.note_spent
    growth, tally = GrowthRules(topic.scope.traps, hash_seed), Tally()
    duplicates, repeats = DuplicateIndex(), Repeats()
    outlook = Outlook(frontier, recorder)
    extra = ExtraRequests(
        frontier, transport, purse, recorder, clock, topic.limits.timeout_s, topic.scope.allow_ports
    )  # fmt: skip
    errands = Errands(topic, frontier, transport, extra, workers, recorder, clock, product_token(topic.network))
    check_maximise(topic.strategy, strategy)
    log = SiteLog()
    worth = Worth(frontier, log, costs_of(topic, log, topic.strategy.maximise))
    intake = Intake(frontier, strategy, scope, growth, recorder, worth, topic.scope.max_depth)
    endings = Endings(frontier, recorder, tally, outlook)
    pages = PageIntake(
        topic, frontier=frontier, intake=intake, workers=workers, duplicates=duplicates, repeats=repeats,
        endings=endings, recorder=recorder, tally=tally, clock=clock, keep_text=keep_text,
    )  # fmt: skip
    conclusion = Conclusion(
        topic, frontier=frontier, intake=intake, errands=errands, pages=pages, endings=endings, recorder=recorder,
        tally=tally, worth=worth, clock=clock,
    )  # fmt: skip
    cache = None if held is None else FromCache(topic, held, conclusion, clock)
    heads = None
    if topic.cost.head:
        heads = Heads(
            topic, frontier=frontier, transport=transport, conclusion=conclusion, recorder=recorder, purse=purse,
            clock=clock,
        )  # fmt: skip
        heads.on_size = lambda candidate, size: recorder.reprioritised(worth.sized(candidate, size, clock.now()))
    launcher = Launcher(
        topic, frontier=frontier, workers=workers, strategy=strategy, errands=errands, conclusion=conclusion,
        recorder=recorder, purse=purse, tally=tally, worth=worth, clock=clock, on_page=on_page, cache=cache,
        heads=heads,
    )  # fmt: skip
    engine = Engine(
        topic, frontier=frontier, transport=transport, launcher=launcher, errands=errands, extra=extra,
        conclusion=conclusion, recorder=recorder, purse=purse, tally=tally, outlook=outlook, clock=clock,
    )  # fmt: skip
    sitemaps = Sitemaps(extra, errands, workers, recorder, intake, clock, records.statistics().get(WALKED, []))
    if topic.seeds.robots_sitemaps:

        def walk_named(site: Site, urls: tuple[str, ...]) -> None:
            if site.origin in seed_origins:
                engine.tasks.background(sitemaps.walk(urls))

        errands.on_sitemaps = walk_named
    return Parts(
        frontier, growth, tally, outlook, duplicates, repeats, recorder, worth, errands, intake, conclusion, sitemaps,
        cache, heads, engine,
    )  # fmt: skip


def costs_of(topic: Topic, log: SiteLog, maximise: str) -> Costs | None:
    """What values are set against; None: nothing, value alone is maximised."""
    cost = topic.cost
    return None if maximise == "value" else Costs(log, cost.min_s, cost.max_s, cost.form == "robust")
