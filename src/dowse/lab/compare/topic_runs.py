"""All runs of one topic: every strategy from every set of seeds, and what an oracle would have done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.plan import ORACLES, Plan, budget_requests, kind_of, parse_strategy
from dowse.lab.compare.run_results import RunResult, run_result
from dowse.lab.corpus import Corpus, LabTopic, SeedSet, example_texts
from dowse.lab.measure.link_graph import path_lengths
from dowse.lab.measure.oracles import oracle_greedy, oracle_path, order_run
from dowse.lab.measure.run import NO_PATH, Request, Run
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.recorded_transport import Exchange, FrozenWeb, NetworkModel
from dowse.lab.replay.replay import Replayed, replay
from dowse.model.budget import Budget
from dowse.model.strategy import Strategy
from dowse.model.topic import JudgeSettings, Scope, Seeds, Topic

__all__ = ["Inside", "TopicRuns", "crawl_run"]


class TopicRuns:
    """Runs strategies on one topic of an open corpus. The topic's judge is built, and its pages are digested, once."""

    def __init__(self, corpus: Corpus, web: CorpusWeb, plan: Plan, topic: LabTopic) -> None:
        self._corpus = corpus
        self.web = web
        self._topic = topic
        pages = len(corpus)
        is_page = corpus.pages.is_page()
        self._requests = budget_requests(plan.budget, int(np.count_nonzero(is_page)))
        self._relevant = _members(topic.relevant, pages)
        self._targets = _members(topic.targets, pages)
        self._told = Topic(
            query=topic.query if plan.query else "",
            examples=() if plan.by_query else example_texts(corpus, topic.examples),
            judge=JudgeSettings(weighting=plan.weighting),
            budget=Budget(requests=self._requests),
            seed_number=topic.seed_number,
        )
        judge = build_judge(self._told)
        self.scope = Inside(web) if plan.inside else StaticScope(self._told.scope)
        self.workers = KnownPages(web, corpus.digests(judge, self.scope, self._told.limits.max_links))

    def run(self, seeds: SeedSet, strategy: str) -> RunResult:
        """One strategy (or oracle) from one set of seeds."""
        return self._result(self.measured(seeds, strategy), seeds, strategy)

    def crawled(self, seeds: SeedSet, name: str, strategy: Strategy) -> RunResult:
        """One crawl in the order of a strategy that was made elsewhere, and goes by this name."""
        return self._result(self._run(self.crawl(self.web, seeds, strategy).exchanges, seeds), seeds, name)

    def crawl(self, web: FrozenWeb, seeds: SeedSet, strategy: Strategy) -> Replayed:
        """The crawl itself, over a web that holds no pages that this topic's corpus has not."""
        self.workers.start_over()
        return replay(web, self.workers, self.topic_for(seeds, strategy.name), self.scope, strategy=strategy)

    def _run(self, exchanges: list[Exchange], seeds: SeedSet) -> Run:
        lengths = partial(path_lengths, self._corpus.graph, seeds.pages)
        return crawl_run(exchanges, self._relevant, self._targets, lengths=lengths)

    def _result(self, run: Run, seeds: SeedSet, strategy: str) -> RunResult:
        return run_result(
            run, strategy=strategy, topic=self._topic.label, seed_set=f"{seeds.kind}-{seeds.number}",
            targets=len(self._topic.targets), budget_requests=self._requests, kind=kind_of(strategy),
        )  # fmt: skip

    def measured(
        self, seeds: SeedSet, strategy: str, value: NDArray[np.float64] | None = None,
        cost: NDArray[np.float64] | None = None,
    ) -> Run:  # fmt: skip
        """The run itself. Value and cost of each page of the corpus may be given; else a target is worth 1, and a
        request costs 1."""
        lengths = partial(path_lengths, self._corpus.graph, seeds.pages)
        if strategy not in ORACLES:
            exchanges = self.replay(seeds, strategy).exchanges
            return crawl_run(exchanges, self._relevant, self._targets, value, timed=cost is not None, lengths=lengths)
        worth = self._targets.astype(np.float64) if value is None else value
        order = self._oracle(seeds, strategy, worth, cost)
        wire_bytes = self._corpus.index.columns["wire_bytes"]
        return order_run(
            order, self._relevant, self._targets, value=value, wire_bytes=wire_bytes, cost=cost,
            distance=None if strategy == "knapsack" else lengths(order),
        )  # fmt: skip

    def values(self) -> NDArray[np.float64]:
        """The true similarity of each page to the topic; 0 for what is no page."""
        self.workers.start_over()
        similarity = np.zeros(len(self._corpus))
        for page in np.flatnonzero(self._corpus.pages.is_page()).tolist():
            similarity[page] = self.workers.digest(page).verdict.similarity
        return similarity

    def costs(self) -> NDArray[np.float64]:
        """Seconds that each page takes; 0 for what is no page."""
        model, is_page = NetworkModel(), self._corpus.pages.is_page()
        seconds = np.zeros(len(self._corpus))
        for page in np.flatnonzero(is_page).tolist():
            url = self._corpus.url(page)
            seconds[page] = sum(model.times(self.web.find(url), self.web.usual(url)))
        return seconds

    def _oracle(
        self, seeds: SeedSet, name: str, value: NDArray[np.float64], cost: NDArray[np.float64] | None
    ) -> NDArray[np.int64]:
        """The pages in the order of an oracle: by links, or (knapsack) the best of all wherever they are."""
        if name == "knapsack":
            rate = value if cost is None else np.divide(value, cost, out=np.zeros(len(value)), where=cost > 0)
            return np.argsort(-rate, kind="stable")[: self._requests]
        order = oracle_path if name == "oracle-path" else oracle_greedy
        return order(self._corpus.graph, seeds.pages, value, cost, limit=self._requests)

    def replay(self, seeds: SeedSet, strategy: str) -> Replayed:
        """The crawl itself."""
        self.workers.start_over()
        return replay(self.web, self.workers, self.topic_for(seeds, strategy), self.scope)

    def topic_for(self, seeds: SeedSet, strategy: str) -> Topic:
        """What the crawler is told."""
        urls = tuple(self._corpus.url(page) for page in seeds.pages)
        return replace(self._told, seeds=Seeds(urls=urls), strategy=parse_strategy(strategy))


class Inside(StaticScope):
    """Links that leave the frozen set are refused, as if they had never been there."""

    def __init__(self, web: CorpusWeb) -> None:
        super().__init__(Scope())
        self._web = web

    def refuse(self, url: str) -> str | None:
        return super().refuse(url) or (None if self._web.number(url) >= 0 else "not-recorded")


def _members(pages: frozenset[int], count: int) -> NDArray[np.bool_]:
    chosen = np.zeros(count, np.bool_)
    chosen[list(pages)] = True
    return chosen


def crawl_run(
    exchanges: list[Exchange], relevant: NDArray[np.bool_], targets: NDArray[np.bool_],
    value: NDArray[np.float64] | None = None, *, timed: bool = False,
    lengths: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None,
) -> Run:  # fmt: skip
    """What the metrics need of a replay: its requests in the order in which they ended, relevance by label. The cost of
    a request is 1, or (``timed``) the seconds it took. ``lengths``: of the paths to pages fetched in an order, see
    :func:`~dowse.lab.measure.link_graph.path_lengths`."""
    ordered = sorted(exchanges, key=lambda exchange: exchange.ended_s)
    pages = np.array([exchange.page for exchange in ordered], np.int64)
    brought = np.array([_brought(exchange) for exchange in ordered], np.int8)
    came = np.flatnonzero(brought == Request.PAGE)
    counted = np.zeros(len(pages), np.bool_)
    counted[came[np.unique(pages[came], return_index=True)[1]]] = True  # a page counts once
    distance = np.full(len(pages), NO_PATH)
    if lengths is not None:
        distance[counted] = lengths(pages[counted])
    return Run.of(
        counted & relevant[pages],
        target=counted & targets[pages],
        value=None if value is None else np.where(counted, value[pages], 0.0),
        brought=brought,
        wire_bytes=[exchange.wire_bytes for exchange in ordered],
        ended_s=[exchange.ended_s for exchange in ordered],
        cost=[exchange.ended_s - exchange.started_s for exchange in ordered] if timed else None,
        distance=distance,
    )


def _brought(exchange: Exchange) -> Request:
    if exchange.is_page:
        return Request.PAGE
    if exchange.method == "HEAD":
        return Request.HEAD
    if exchange.url.endswith("/robots.txt"):
        return Request.ROBOTS
    if exchange.page < 0:
        return Request.MISSING
    return Request.REDIRECT if 300 <= exchange.status < 400 else Request.ERROR
