"""A collection is kept fresh for a while: the engine of a live crawl makes run after run of visits on a web that
changes, and what it holds is compared with what there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.lab.freshness.changing_web import Answer, ChangingTransport, ChangingWeb, DatedClock
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import JudgeSettings, Politeness, Scope, Seeds, StrategyChoice, Topic, Traps
from dowse.parse import own_lines
from dowse.recrawl.revisit import Seen, Visit, rates_of
from dowse.recrawl.revisit.choice import LEAST_VALUE, intervals_of
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable

__all__ = ["Kept", "Schedule", "keep_fresh", "topic_of"]

_NO_TRAPS = Traps(max_per_host=0, max_per_pattern=0, max_pattern_run=0)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a collection is crawled first, and how often and how long visits follow."""

    start: float
    every_s: float
    runs: int
    warm_up: int = 0  # runs after which freshness begins to count

    @property
    def end(self) -> float:
        return self.start + (self.runs + 1) * self.every_s


@dataclass(frozen=True, slots=True)
class Kept:
    """How fresh a collection was kept."""

    freshness: float  # share of the time that what is held was what there is, weighted by value
    visits: int
    changed: int  # of these, how many found a change
    rates: dict[str, float]  # as they were estimated in the end
    intervals: dict[str, list[Visit]]


def topic_of(query: str, entry: str) -> Topic:
    """A topic that crawls all of such a web: nobody has to wait, and pages are worth what their words say."""
    return Topic(
        name="freshness", query=query, seeds=Seeds(urls=(entry,), robots_sitemaps=False),
        scope=Scope(traps=_NO_TRAPS), strategy=StrategyChoice("bfs"), politeness=Politeness(delay_s=0.0),
        judge=JudgeSettings("similarity"), workers=0,
    )  # fmt: skip


def keep_fresh(
    web: ChangingWeb, topic: Topic, policy: str, pages: int, schedule: Schedule,
    progress: Callable[[int, int], None] | None = None,
) -> Kept:  # fmt: skip
    """Crawl the web once, and spend so many pages a run on visits by a policy."""
    with TemporaryDirectory(prefix="dowse-freshness-") as place:
        folder = Path(place) / "crawl"
        clock = DatedClock(schedule.start)
        log: list[Answer] = []
        _run(web, topic, folder, clock, log, None)
        for number in range(1, schedule.runs + 1):
            clock.date = schedule.start + number * schedule.every_s
            _run(web, topic, folder, clock, log, Revisit(policy, Budget(pages=pages), schedule.every_s))
            if progress is not None:
                progress(number, schedule.runs)
        return _kept(web, folder, log, schedule)


def _run(
    web: ChangingWeb, topic: Topic, folder: Path, clock: DatedClock, log: list[Answer], revisit: Revisit | None
) -> None:  # fmt: skip
    async def run() -> None:
        transport = ChangingTransport(web, clock)
        assembly = await assemble(
            topic, folder, resume=revisit is not None, revisit=revisit, clock=clock, transport=transport
        )
        try:
            await assembly.run()
        finally:
            await assembly.close()
        log.extend(transport.log)

    asyncio.run(run())


def _kept(web: ChangingWeb, folder: Path, log: list[Answer], schedule: Schedule) -> Kept:
    with CrawlStore.open(folder) as store:
        room = Revisitable(store)
        seen = [Seen(*visit) for visit in room.visits()]
        found = store._connection.execute(
            "SELECT p.id, p.url, ifnull(p.score, 0.0), c.site FROM pages p JOIN candidates c ON c.id = p.id"
            " WHERE p.outcome = 'fetched' ORDER BY p.id"
        ).fetchall()
    if not found:
        raise UserError("no page was found from where the crawl begins: is that a page of this web?")
    urls = {int(page): str(url) for page, url, _, _ in found}
    intervals = {urls[page]: list(visits) for page, visits in intervals_of(seen).items() if page in urls}
    rates = rates_of(intervals_of(seen), {int(page): int(site) for page, _, _, site in found})
    answers: dict[str, list[Answer]] = {}
    for answer in log:
        answers.setdefault(answer.url, []).append(answer)
    from_s = schedule.start + schedule.warm_up * schedule.every_s
    weights, shares = [], []
    for _, url, score, _ in found:
        weights.append(max(float(score), LEAST_VALUE))
        shares.append(_fresh_share(web, url, answers.get(url, []), from_s, schedule.end))
    again = [visit for visits in intervals.values() for visit in visits]
    return Kept(
        float(np.average(shares, weights=weights)), len(again), sum(visit.changed for visit in again),
        {urls[page]: rate for page, rate in rates.items()}, intervals,
    )  # fmt: skip


def _fresh_share(web: ChangingWeb, url: str, answers: list[Answer], start: float, end: float) -> float:
    """The share of the time between two dates in which what the crawl has last been shown says what the page says."""
    held = {answer.at: _says(url, answer.body) for answer in answers}
    there = {at: _says(url, body) for at, body in web.versions[url]}
    moments = sorted({start, *(at for at in (*held, *there) if start < at < end), end})
    fresh = 0.0
    for begin, until in pairwise(moments):
        fresh += (until - begin) * (_latest(held, begin) == _latest(there, begin))
    return fresh / (end - start)


def _says(url: str, body: bytes | None) -> tuple[str, ...]:
    return () if body is None else tuple(own_lines(body, url, "text/html"))


def _latest(states: dict[float, tuple[str, ...]], when: float) -> tuple[str, ...]:
    known = [at for at in states if at <= when]
    return states[max(known)] if known else ()
