"""Puts a live crawl together: chooses its way out, its workers and its store. ``join`` makes and wires all other parts,
which a replay shares. Only these two name concrete classes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from dowse.engine.assembly.answered import tell_answers, with_answers
from dowse.engine.assembly.assembly import Assembly
from dowse.engine.assembly.join import OnPage, Parts, join, way_out
from dowse.engine.assembly.kept_categories import absolute_categories, keep_categories, with_kept_categories
from dowse.engine.assembly.kept_settings import check_alone, check_login, new_settings, seeds_before, stored_topic
from dowse.engine.assembly.learned import (
    absolute_sources,
    keep_learned,
    kept_learned,
    learned_from,
    traces_for,
    unrecognised,
)
from dowse.engine.assembly.prepare import ambiguous_words, named_after, read_examples, read_seeds
from dowse.engine.assembly.revisit import Revisit, revisit_run
from dowse.engine.assembly.search_engines import build_engines, wants_engines
from dowse.engine.assembly.shared import (
    absolute_databases,
    check_shared,
    following,
    note_shared_seeds,
    shared_seeds,
)
from dowse.engine.assembly.starting_seeds import numbered, own_found, seeds_found
from dowse.engine.exchange.documents import Documents
from dowse.engine.life.restoring import restore
from dowse.engine.page.cached import Holder, absolute_folders, open_cache
from dowse.engine.page.step import PageStep
from dowse.engine.page.verdicts import restore_judge
from dowse.engine.workers.port import InProcess, Workers, default_workers
from dowse.engine.workers.process_pool import ProcessPool
from dowse.engine.workers.start import Started
from dowse.frontier.scope import StaticScope
from dowse.judge import METHODS, TERMS, TopicJudge, build_judge, check_judge, learned_judge, subject_of
from dowse.model.bodies import Bodies
from dowse.model.budget import Purse
from dowse.model.clock import Clock, SystemClock
from dowse.model.converters import added_converters
from dowse.model.found import FoundRow
from dowse.model.http import Transport
from dowse.model.judge import Judge
from dowse.model.others import MovingSlots, Others
from dowse.model.secret_fields import OWN_HEADERS, sends_secrets
from dowse.model.share import Share
from dowse.model.statistic_names import FINAL_VERDICTS, OTHER_VERDICTS
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.topic_check import check_topic
from dowse.model.topicfile import check_ready
from dowse.model.url import canonical, split
from dowse.predict import block_rule, build_strategy, check_maximise
from dowse.predict.learning import Statistics
from dowse.store import CrawlStore, damage_told
from dowse.store.final_verdicts import first_verdicts
from dowse.store.seed_targets import merged

__all__ = ["assemble", "usable", "wanted_workers", "way_out_of"]

_OTHER_FILES = 1024  # connections that are idle, records, workers
_HEADERS_GONE = (
    "the crawl began with headers or cookies of your own, which are not kept: none are sent unless you give them again "
    "with --header and --cookie"
)
_IN_PROCESS = (
    "the predicate or judge cannot be sent to other processes: pages are judged in this one (define it at the top of a "
    "module of its own to use workers)"
)


async def assemble(
    topic: Topic,
    folder: Path,
    *,
    resume: bool = False,
    revisit: Revisit | None = None,
    keep_text: bool = False,
    on_page: OnPage | None = None,
    clock: Clock | None = None,
    transport: Transport | None = None,
    strategy: Strategy | None = None,
    own_judge: Judge | None = None,
    prepared: Sequence[Started] = (),
    hash_seed: int | None = None,
    held: Holder | None = None,
    tell: Callable[[str], None] | None = None,
    others: Others | None = None,
    share: Share | None = None,
) -> Assembly:
    """Make every part of a crawl. Nothing is written before the whole topic is known to be usable.

    Workers that are ``prepared`` are used as far as they are wanted; what became of them is the caller's to end.
    ``hash_seed`` keeps outsiders from crowding the frontier's tables: a secret of this run, unless it is given.

    ``tell`` is told at once what takes a while, or is news: that search engines are asked, which pages are due. What
    engines answer decides where the crawl starts; what went wrong with them is among the notes.

    What is ``held`` is not downloaded; else that is what the topic's caches hold.

    ``strategy`` and ``own_judge`` serve in place of what the topic names. The records keep their names only: who
    resumes gives them again.

    ``revisit``, of a crawl that is resumed: pages that it has are visited again, and only what is new besides.

    With ``others`` this is one shard of a crawl: it asks for what is its own, and goes on until it is stopped. Its
    ``share`` tells where it starts, if that is known already: then nobody is asked for seeds.

    For ``resume`` the folder holds a crawl and ``topic`` is its topic (``kept_settings.read_settings``), perhaps with a
    larger budget.
    """
    clock = clock or SystemClock()
    hash_seed = secrets.randbits(64) if hash_seed is None else hash_seed
    notes: list[str] = []
    check_topic(topic)
    if resume:
        check_alone(folder)
    topic = with_kept_categories(topic, folder) if resume else absolute_categories(topic)
    topic = absolute_databases(absolute_sources(absolute_folders(topic)))
    topic = usable(named_after(topic, strategy, own_judge), strategy, own_judge)
    notes += ambiguous_words(topic)
    if not resume:
        check_ready(topic, by_judge=topic.judge.method not in METHODS)
    async with AsyncExitStack() as undo:
        bodies = Bodies()
        transport = transport or way_out_of(topic, clock, bodies)
        undo.push_async_callback(transport.close)
        store = CrawlStore.open(folder) if resume else None
        if store is not None:
            undo.callback(store.close)
            _own_verdicts(store)
            check_login(topic, store)
            if store.settings().get(OWN_HEADERS) and not sends_secrets(topic.network):
                notes.append(_HEADERS_GONE)
        check_shared(topic, store, seeds_known=share is not None)
        due = None
        if store is not None:
            with damage_told(folder):
                topic, due = revisit_run(store, topic, revisit, clock.wall(), tell or notes.append)
        purse = Purse(topic.budget, store.spent() if store else None, before=None if due is None else due.spent)
        known = stored_topic(store).cache.folders if store else ()
        if held is None:
            held = await asyncio.to_thread(
                open_cache, topic.cache, folder, clock.wall(), notes, known, topic.limits.max_body_bytes
            )
        if held is not None:
            undo.callback(held.close)
        asks = not resume and share is None and wants_engines(topic)
        engines = build_engines(topic) if asks else {}
        needed = not (asks or topic.seeds.database)
        before_us = [*(seeds_before(store) if store else ()), *(share.seeds if share else ())]
        seeds = read_seeds(topic, before_us if store or share else None, notes, needed=needed)
        # the last request of a run that was killed may have gone to any site just now
        opens_at = clock.now() + topic.politeness.delay_s if resume else 0.0
        exchange = way_out(topic, transport, purse, clock, opens_at=opens_at, hash_seed=hash_seed, others=others)
        if store is not None:
            with damage_told(folder):
                if isinstance(others, MovingSlots):
                    others.recall(store.statistics())
                exchange.sites.load(store.sites())
        topic = await read_examples(topic, Documents(exchange), notes)
        given: list[FoundRow] = []
        if not resume and share is None and topic.seeds.database is not None:
            given = await asyncio.to_thread(shared_seeds, topic, notes)
            seeds = list(dict.fromkeys([*seeds, *(row.url for row in given)]))
        found = given if share is None or others is None else own_found(share, others)
        if asks:
            asked = await seeds_found(topic, engines, exchange, clock, notes, tell or notes.append, alone=not seeds)
            found = numbered([*given, *asked])
            seeds = list(dict.fromkeys([*seeds, *(row.url for row in found)]))
        before = await asyncio.to_thread(_before, topic, folder, resume)
        traces = traces_for(topic.strategy)
        notes += filter(None, [unrecognised(before, traces)])
        told = share.answers if share is not None else ()
        subject = subject_of(topic) if store is None else with_answers(subject_of(topic), folder, store, told)
        strategy = strategy or build_strategy(
            topic.strategy, seed_number=topic.seed_number, subject=subject, before=before,
            traces=traces,
        )  # fmt: skip
        judge = build_judge(topic, own_judge).kept_at(folder)
        learned = learned_judge(topic) if own_judge is None else None
        named = [*seeds, *filter(None, map(canonical, topic.seeds.sitemaps))]
        scope = StaticScope(topic.scope, named)
        if topic.scope.documents:
            notes += added_converters().faults
        step = PageStep(judge, scope, topic.limits.max_links, hash_seed, block_rule(strategy))
        workers = _workers(topic, judge, step, bodies, prepared)
        if not judge.judge.can_be_sent and topic.workers != 0:
            notes.append(_IN_PROCESS)
        if store is None:
            store = CrawlStore.create(folder, new_settings(topic, seeds, judge), clock.wall(), found=found, share=share)
            undo.callback(store.close)
            if given:
                problem = await asyncio.to_thread(note_shared_seeds, topic, store.uuid(), given, clock.wall())
                notes += filter(None, [problem])
        elif share is not None:
            store.put_found(merged(store.found(), found))
        keep_categories(judge.categories, folder)  # a run that was killed may not have come so far
        keep_learned(before, folder)
        frequencies = judge.nearness.frequencies
        if frequencies is not None and not frequencies.prepare(fresh=not resume) and resume:
            notes.append(f"{TERMS} is gone or damaged: which terms are rare is learned anew, so scores will differ")
        parts = join(
            topic, exchange, strategy, scope, workers, store, clock,
            seed_origins={split(url).origin for url in named}, learned=learned, keep_text=keep_text, on_page=on_page,
            held=held, folder=folder, due=due,
        )  # fmt: skip
        if resume:
            with damage_told(folder):  # what is taken up here may be anybody's
                _restore(store, parts)
                if learned is not None:
                    tell_answers(learned, folder, store, told)
                    restore_judge(learned, store)
        if due is None:
            parts.life.admit_seeds(seeds if others is None else [url for url in seeds if others.owner(url) is None])
        undo.pop_all()
    return Assembly(
        topic, folder, parts.engine, store, transport, workers, parts.sitemaps, parts.life, clock, parts.cache,
        judge, learned, notes, parts.shared_learning, told, following(
            topic, folder, lambda why: parts.life.journal.event("not published", why)
        ),
    )  # fmt: skip


def usable(topic: Topic, strategy: Strategy | None, own_judge: Judge | None) -> Topic:
    """The topic, after everything in it was found to make sense. Raises TopicError."""
    if own_judge is None:
        check_judge(topic)
    if strategy is None:
        traces_for(topic.strategy)  # told now, and not after seeds were looked for
    check_maximise(topic.strategy, strategy or build_strategy(topic.strategy, seed_number=topic.seed_number))
    return topic


def way_out_of(topic: Topic, clock: Clock, bodies: Bodies) -> Transport:
    from dowse.fetch.http import HttpTransport  # loaded after workers were forked, which have no use for it
    from dowse.fetch.pool import allow_open_files

    allow_open_files(topic.network.concurrency + _OTHER_FILES)
    return HttpTransport(topic.network, topic.limits, clock, bodies=bodies)


def _before(topic: Topic, folder: Path, resume: bool) -> Statistics | None:
    """What earlier crawls have learned, for this one to start from."""
    sources = topic.strategy.learn_from
    kept = kept_learned(folder) if resume and sources else None
    return learned_from(sources) if kept is None else kept


def _workers(topic: Topic, judge: TopicJudge, step: PageStep, bodies: Bodies, prepared: Sequence[Started]) -> Workers:
    count = wanted_workers(topic) if judge.judge.can_be_sent else 0
    return ProcessPool(step, count, topic.limits.page_time_s, bodies, prepared) if count else InProcess(step)


def wanted_workers(topic: Topic) -> int:
    """How many processes a topic asks for."""
    return default_workers() if topic.workers is None else topic.workers


def _own_verdicts(store: CrawlStore) -> None:
    """Where pages were judged by something else since the last run, let them have the crawl's own verdicts again,
    before anything counts them."""
    with damage_told(store.folder):
        if store.statistics().get(OTHER_VERDICTS) is not None:
            first_verdicts(store, {OTHER_VERDICTS: None, FINAL_VERDICTS: None})


def _restore(store: CrawlStore, parts: Parts) -> None:
    """Bring everything to where the last run's last commit left it."""
    restore(parts.life, store, stored_topic(store))
    parts.pages.restore(store.statistics(), store.signatures())
