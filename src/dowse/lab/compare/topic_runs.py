"""All runs of one topic: every strategy from every set of seeds, and what an oracle would have done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.plan import ORACLES, Plan, budget_requests, kind_of, parse_strategy
from dowse.lab.compare.run_results import RunResult, run_result
from dowse.lab.compare.shard_choice import sharing_of, without_sharing
from dowse.lab.corpus import Corpus, LabTopic, SeedSet, example_texts
from dowse.lab.measure.charge import Charge
from dowse.lab.measure.oracles import oracle_greedy, oracle_path, order_run
from dowse.lab.measure.run import NO_PATH, Request, Run
from dowse.lab.measure.tunnels import Ways, ways
from dowse.lab.people.own_log import PEOPLE, Span, parse_cut, traces_folder
from dowse.lab.replay.block_links import BlockLinks
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.recorded_transport import Exchange, FrozenWeb, NetworkModel
from dowse.lab.replay.replay import Replayed, replay
from dowse.lab.replay.shared_replay import Sharing, replay_shared
from dowse.lab.replay.uneven_sites import UnevenSites
from dowse.model.block_rule import BlockRule
from dowse.model.budget import Budget
from dowse.model.strategy import Strategy
from dowse.model.topic import Cost, JudgeSettings, Scope, Seeds, StrategyChoice, Topic
from dowse.predict import block_rule

__all__ = ["Inside", "TopicRuns", "WaysOf", "crawl_run", "page_costs"]

WaysOf = Callable[[NDArray[np.int64]], Ways]
"""How a crawl came to pages that it fetched in an order."""


class TopicRuns:
    """Runs strategies on one topic of an open corpus. The topic's judge is built, and its pages are digested, once."""

    def __init__(self, corpus: Corpus, web: CorpusWeb, plan: Plan, topic: LabTopic) -> None:
        self._corpus = corpus
        self.web = _web(web, plan)
        self._recorded = web
        self._topic = topic
        pages = len(corpus)
        is_page = corpus.pages.is_page()
        self._people = Span(until=parse_cut(plan.traces_until))
        self._requests = budget_requests(plan.budget, int(np.count_nonzero(is_page)))
        self._relevant = _members(topic.relevant, pages)
        self._targets = _members(topic.targets, pages)
        self._told = Topic(
            query=topic.query if plan.query else "",
            examples=() if plan.by_query else example_texts(corpus, topic.examples),
            judge=JudgeSettings(weighting=plan.weighting),
            budget=Budget(requests=self._requests),
            cost=Cost(form=plan.cost),
            seed_number=topic.seed_number,
        )
        self._charge = Charge.of(self._told)
        self.judge = build_judge(self._told)
        self.scope = Inside(web) if plan.inside else StaticScope(self._told.scope)
        self._pages: dict[BlockRule, KnownPages] = {}

    def run(self, seeds: SeedSet, strategy: str) -> RunResult:
        """One strategy (or oracle) from one set of seeds."""
        return self._result(self.measured(seeds, strategy), seeds, strategy)

    def crawled(self, seeds: SeedSet, name: str, strategy: Strategy) -> RunResult:
        """One crawl in the order of a strategy that was made elsewhere, and goes by this name."""
        return self._result(self._run(self.crawl(self.web, seeds, strategy).exchanges, seeds), seeds, name)

    def crawl(self, web: FrozenWeb, seeds: SeedSet, strategy: Strategy) -> Replayed:
        """The crawl itself, over a web that holds no pages that this topic's corpus has not."""
        topic = self.topic_for(seeds, strategy.name)
        return replay(web, self.pages_for(strategy), topic, self.scope, strategy=strategy)

    @property
    def workers(self) -> KnownPages:
        """Those of a crawl that begins now, whose pages are cut into blocks as published."""
        return self._cut_by(BlockRule())

    def pages_for(self, strategy: Strategy | StrategyChoice) -> KnownPages:
        """The workers of a crawl that begins now, which cut pages as its strategy asks for."""
        return self._cut_by(block_rule(strategy))

    def _cut_by(self, rule: BlockRule) -> KnownPages:
        if rule not in self._pages:
            digests = self._corpus.digests(self.judge, self.scope, self._told.limits.max_links, rule)
            self._pages[rule] = KnownPages(self._recorded, digests)
        self._pages[rule].start_over()
        return self._pages[rule]

    def _run(self, exchanges: list[Exchange], seeds: SeedSet) -> Run:
        return crawl_run(exchanges, self._relevant, self._targets, ways_of=self._ways_from(seeds))

    def _ways_from(self, seeds: SeedSet) -> WaysOf:
        """The ways of a crawl from these seeds to pages fetched in an order."""
        links = BlockLinks(self._corpus, self._recorded, self.workers, self.judge.threshold)
        return lambda order: ways(self._corpus.graph, seeds.pages, order, self._relevant, links.is_gray)

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
        if strategy not in ORACLES:
            exchanges, ways_of = self.replay(seeds, strategy).exchanges, self._ways_from(seeds)
            charge = None if cost is None else self._charge
            return crawl_run(exchanges, self._relevant, self._targets, value, charge=charge, ways_of=ways_of)
        worth = self._targets.astype(np.float64) if value is None else value
        order = self._oracle(seeds, strategy, worth, cost)
        wire_bytes = self._corpus.index.columns["wire_bytes"]
        return order_run(
            order, self._relevant, self._targets, value=value, wire_bytes=wire_bytes, cost=cost,
            by=None if strategy == "knapsack" else self._ways_from(seeds)(order),
        )  # fmt: skip

    def values(self) -> NDArray[np.float64]:
        """The true similarity of each page to the topic; 0 for what is no page."""
        pages, similarity = self.workers, np.zeros(len(self._corpus))
        for page in np.flatnonzero(self._corpus.pages.is_page()).tolist():
            similarity[page] = pages.digest(page).verdict.similarity
        return similarity

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
        """The crawl itself, by one engine or by the shards that the strategy asks for."""
        topic, sharing = self.topic_for(seeds, strategy), sharing_of(strategy)
        if sharing is not None:
            return self._shared(topic, sharing)
        return replay(self.web, self.pages_for(topic.strategy), topic, self.scope)

    def _shared(self, topic: Topic, sharing: Sharing) -> Replayed:
        with TemporaryDirectory() as records:
            done = replay_shared(
                self.web, self.pages_for(topic.strategy), topic, self.scope, sharing, Path(records)
            )  # fmt: skip
        return Replayed(done.exchanges, done.stop)

    def topic_for(self, seeds: SeedSet, strategy: str) -> Topic:
        """What the crawler is told."""
        urls = tuple(self._corpus.url(page) for page in seeds.pages)
        return replace(self._told, seeds=Seeds(urls=urls), strategy=self._chosen(strategy))

    def _chosen(self, strategy: str) -> StrategyChoice:
        """A strategy, with the traces of the people it asks for."""
        choice = parse_strategy(without_sharing(strategy))
        if choice.traces not in PEOPLE:
            return choice
        return replace(choice, traces=str(traces_folder(self._corpus, choice.traces, self._people)))


def page_costs(corpus: Corpus, web: CorpusWeb, plan: Plan) -> NDArray[np.float64]:
    """What a request for each page is charged; 0 for what is no page."""
    pages, answers, model = np.flatnonzero(corpus.pages.is_page()), _web(web, plan), NetworkModel()
    urls = [corpus.url(page) for page in pages.tolist()]
    times = np.array([model.times(answers.find(url), answers.usual(url)) for url in urls]).reshape(-1, 2)
    seconds = np.zeros(len(corpus))
    seconds[pages] = Charge.of(Topic(cost=Cost(form=plan.cost))).seconds(times[:, 0], times[:, 1])
    return seconds


def _web(web: CorpusWeb, plan: Plan) -> FrozenWeb:
    return UnevenSites(web) if plan.speeds == "uneven" else web


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
    value: NDArray[np.float64] | None = None, *, charge: Charge | None = None, ways_of: WaysOf | None = None,
) -> Run:  # fmt: skip
    """What the metrics need of a replay: its requests in the order in which they ended, relevance by label. The cost of
    a request is 1, or what it is charged."""
    ordered = sorted(exchanges, key=lambda exchange: exchange.ended_s)
    pages = np.array([exchange.page for exchange in ordered], np.int64)
    brought = np.array([_brought(exchange) for exchange in ordered], np.int8)
    came = np.flatnonzero(brought == Request.PAGE)
    counted = np.zeros(len(pages), np.bool_)
    counted[came[np.unique(pages[came], return_index=True)[1]]] = True  # a page counts once
    by = Ways(np.full(len(pages), NO_PATH), np.full(len(pages), NO_PATH), np.zeros(len(pages), np.bool_))
    if ways_of is not None:
        own = ways_of(pages[counted])
        by.distance[counted], by.tunnel[counted], by.gray[counted] = own.distance, own.tunnel, own.gray
    return Run.of(
        counted & relevant[pages],
        target=counted & targets[pages],
        value=None if value is None else np.where(counted, value[pages], 0.0),
        brought=brought,
        wire_bytes=[exchange.wire_bytes for exchange in ordered],
        ended_s=[exchange.ended_s for exchange in ordered],
        cost=None if charge is None else charge.seconds(*_times(ordered)),
        distance=by.distance,
        tunnel=by.tunnel,
        gray=by.gray,
    )


def _times(exchanges: list[Exchange]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """To the first byte, and from there to the last."""
    latency_s = np.array([exchange.latency_s for exchange in exchanges], np.float64)
    total_s = np.array([exchange.ended_s - exchange.started_s for exchange in exchanges], np.float64)
    return latency_s, np.maximum(total_s - latency_s, 0.0)


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
