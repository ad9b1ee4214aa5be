"""A live crawl and its replay are the same crawl."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import Replayed, replay
from dowse.loopback import in_thread
from dowse.loopback.demo import demo_topic, demo_web
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, StrategyChoice, Topic
from tests.engine.servers import crawl_all


def replayed(corpus: Corpus, topic: Topic) -> Replayed:
    web = CorpusWeb(corpus)
    scope = StaticScope(topic.scope, topic.seeds.urls)
    digests = corpus.digests(build_judge(topic), scope, topic.limits.max_links)
    return replay(web, KnownPages(web, digests), topic, scope)


@pytest.mark.parametrize("strategy", ["best-first", "bfs", "random", "weighted", "average-2", "hybrid"])
def test_a_replay_asks_for_the_same_urls_in_the_same_order(tmp_path: Path, strategy: str) -> None:
    with in_thread(demo_web()) as server:
        topic = demo_topic(server.address)
        topic = replace(
            topic, strategy=StrategyChoice(strategy), budget=Budget(pages=120), workers=0,
            network=replace(topic.network, concurrency=1), politeness=Politeness(delay_s=0, max_delay_s=0),
            scope=replace(topic.scope, exclude=("/news.html", "/tags")),  # noindex: not kept, so not to be replayed
        )  # fmt: skip
        asyncio.run(crawl_all(topic, tmp_path / "crawl"))
        live = [hit.url for hit in server.log]
    again = replayed(open_corpus(tmp_path / "crawl", jobs=1), topic)
    assert len(live) > 120
    assert [exchange.url for exchange in again.exchanges] == live
    assert str(again.stop) == "budget: pages (120p)"


def test_a_replay_is_the_same_every_time_and_takes_virtual_time(tmp_path: Path) -> None:
    with in_thread(demo_web()) as server:
        topic = replace(demo_topic(server.address), budget=Budget(pages=60), workers=0)
        asyncio.run(crawl_all(topic, tmp_path / "crawl"))
    corpus = open_corpus(tmp_path / "crawl", jobs=1)
    polite = replace(topic, budget=Budget(pages=40), politeness=replace(topic.politeness, delay_s=30.0))
    one, other = replayed(corpus, polite), replayed(corpus, polite)
    assert one.exchanges == other.exchanges
    assert one.exchanges[-1].ended_s > 30
    by_host: dict[str, list[float]] = {}
    for exchange in one.exchanges:
        by_host.setdefault(exchange.url.split("/")[2], []).append(exchange.started_s)
    for times in by_host.values():
        assert all(later - earlier >= 30 - 1e-6 for earlier, later in pairwise(times))
