"""A collection is kept fresh for a while: the engine of a live crawl makes run after run of visits on a web that
changes, and what it holds is compared with what there is."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.lab.freshness.changing_web import Answer, ChangingTransport, ChangingWeb, DatedClock
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import JudgeSettings, Politeness, Scope, Seeds, StrategyChoice, Topic, Traps
from dowse.parse import own_lines
from dowse.recrawl.revisit import Visit, intervals_of, rates_of
from dowse.recrawl.revisit.choice import LEAST_VALUE
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable

__all__ = ["Kept", "Schedule", "keep_fresh", "topic_of"]

Floats = NDArray[np.float64]
_NO_TRAPS = Traps(max_per_host=0, max_per_pattern=0, max_pattern_run=0)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a collection is crawled first, and how often and how long visits follow."""

    start: float
    every_s: float
    runs: int
    warm_up: int = 0  # runs after which freshness begins to count


@dataclass(frozen=True, slots=True)
class Kept:
    """How fresh a collection was kept."""

    fresh: dict[str, Floats]  # of each page of the web: the share of each period that what is held was what there is
    values: dict[str, float]  # of those that were found
    visits: int
    changed: int  # of these, how many found a change
    rates: dict[str, float]  # as they were estimated in the end
    intervals: dict[str, list[Visit]]

    def over_time(self, values: Mapping[str, float] | None = None) -> Floats:
        """Freshness in each period, the first crawl's first, weighted by ``values``: its own, or those of a comparison,
        in which what this one did not find counts as well."""
        weights = self.values if values is None else values
        shares = np.array([self.fresh[url] for url in weights])
        return np.asarray(np.average(shares, axis=0, weights=list(weights.values())))


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
        pages, seen = room.pages(), room.visits()
        sql = "SELECT id, url, ifnull(score, 0.0) FROM pages WHERE outcome = 'fetched'"
        found = {page: (str(url), float(score)) for page, url, score in store._connection.execute(sql)}
    if not found:
        raise UserError("no page was found from where the crawl begins: is that a page of this web?")
    urls = [found[page][0] for page in pages.page.tolist()]
    visits = intervals_of(seen, pages)
    intervals: dict[str, list[Visit]] = {}
    for place, *visit in zip(visits.group.tolist(), visits.interval_s.tolist(), visits.changed.tolist(), strict=True):
        intervals.setdefault(urls[place], []).append(Visit(*visit))
    answers: dict[str, list[Answer]] = {}
    for answer in log:
        answers.setdefault(answer.url, []).append(answer)
    return Kept(
        {url: _fresh(web, url, answers.get(url, []), schedule) for url in web.versions},
        {url: max(score, LEAST_VALUE) for url, score in found.values()}, len(visits.group), int(visits.changed.sum()),
        dict(zip(urls, rates_of(visits, pages.site).tolist(), strict=True)), intervals,
    )  # fmt: skip


def _fresh(web: ChangingWeb, url: str, answers: list[Answer], schedule: Schedule) -> Floats:
    """The share of each period in which what the crawl has last been shown says what the page says. What neither the
    crawl nor the web has is fresh."""
    edges = [schedule.start + period * schedule.every_s for period in range(schedule.runs + 2)]
    held = sorted({answer.at: _says(url, answer.body) for answer in answers}.items())
    there = sorted({at: _says(url, body) for at, body in web.versions[url]}.items())
    moments = sorted({*edges, *(at for at, _ in (*held, *there) if edges[0] < at < edges[-1])})
    fresh = np.zeros(schedule.runs + 1)
    for begin, until in pairwise(moments):
        if _at(held, begin) == _at(there, begin):
            fresh[bisect_right(edges, begin) - 1] += until - begin
    return fresh / schedule.every_s


@lru_cache(1 << 16)  # trial after trial shows the same versions
def _says(url: str, body: bytes | None) -> int:
    return 0 if body is None else hash(tuple(own_lines(body, url, "text/html")))


def _at(states: Sequence[tuple[float, int]], when: float) -> int:
    place = bisect_right(states, when, key=itemgetter(0))
    return states[place - 1][1] if place else 0
