"""Strategies, judges, transports and clocks that are given as objects."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import dowse
from dowse.cli.why import explain
from dowse.engine.assembly.kept_settings import read_settings
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import replay
from dowse.loopback import LoopbackServer, Web
from tests.engine.servers import chain, crawl_all, page, topic_for


class Numbered:
    """Pages whose number is even, from ``text``: importable, so that workers can judge by it."""

    name = "even"
    threshold = 0.5
    needs_text = True
    needs_objects = False
    can_be_sent = True

    def verdict(self, page: dowse.ReadPage) -> dowse.Verdict:
        if page.facts.title == "ap4":
            raise ValueError("four is no number")
        number = int(page.facts.url.rpartition("/")[2])
        assert page.facts.title in page.facts.words()
        score = 0.75 if number % 2 == 0 and page.facts.text else 0.25
        return dowse.Verdict(score, score >= 0.5, 0.5, self.name, (dowse.Reason("even", score),))


class LastFirst(dowse.RanksOnMention):
    """The highest number first, with a memory of how often each URL was mentioned."""

    name = "last-first"
    predicts_value = False

    def __init__(self) -> None:
        self.memory = dowse.NumberTable(2, "last first")

    def rank(self, page: dowse.SourcePage, links: dowse.LinkView) -> NDArray[np.float64]:
        rows = self.memory.at(links.ids)
        rows[:, 0] += 1
        rows[:, 1] = links.ids
        self.memory.put(links.ids, rows)
        return links.ids.astype(np.float64)

    def explain(self, candidate: int, priority: float) -> dowse.Explanation:
        return dowse.Explanation(priority, {"mentions": (float(self.memory.one(candidate)[0, 0]), 1.0)})


class Yesterday(dowse.SystemClock):
    def wall(self) -> float:
        return time.time() - 86_400


EVEN = {f"http://a.test/{n}" for n in range(0, 30, 2)} - {"http://a.test/4"}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_judge_decides_live_and_resumed_in_workers_and_in_the_lab(tmp_path: Path, workers: int) -> None:
    folder = tmp_path / "c"

    async def main() -> list[dowse.Fetched]:
        async with LoopbackServer(Web.of(chain("a.test", 30))) as server:
            topic = topic_for(server.address, ["http://a.test/0"], workers=workers, query="")
            first = replace(topic, budget=dowse.Budget(pages=10))
            found = [page async for page in dowse.crawl(first, out=folder, judge=Numbered())]
            with pytest.raises(dowse.TopicError, match="no judge is called 'even'"):
                await crawl_all(replace(read_settings(folder), budget=dowse.Budget(pages=50)), folder, resume=True)
            found += [page async for page in dowse.crawl(topic, out=folder, resume=True, judge=Numbered())]
            return found

    found = asyncio.run(main())
    assert len(found) == 30
    assert {page.url for page in found if page.relevant} == EVEN
    assert {page.verdict.method for page in found} == {"even"}
    [fault] = [page.verdict.fault for page in found if page.verdict.fault]
    assert fault == "even: ValueError: four is no number"
    assert "+0.7500  even" in explain(folder, "http://a.test/2")
    with dowse.open_crawl(folder) as crawl:
        assert crawl.summary().relevant == len(EVEN)
        assert {page.url for page in crawl.judged_pages(relevant=True)} == EVEN
    corpus = open_corpus(folder, jobs=1)
    topic, scope = dowse.Topic(seeds=dowse.Seeds(urls=("http://a.test/0",))), StaticScope(dowse.Scope())
    web = CorpusWeb(corpus)
    pages = KnownPages(web, corpus.digests(build_judge(topic, Numbered()), scope, 100))
    asked = replay(web, pages, topic, scope).exchanges
    judged = [one for one in asked if one.is_page]
    relevant = {one.url for one in judged if pages.digest(one.page).verdict.relevant}
    assert relevant == EVEN


def test_a_strategy_orders_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    pages = {f"/{n}": page(f"s{n}", "solar", ["/1", "/2", "/3", "/4"]) for n in range(5)}
    site = replace(chain("a.test", 0), resources=pages)

    async def main() -> list[str]:
        async with LoopbackServer(Web.of(site)) as server:
            topic = topic_for(server.address, ["http://a.test/0"], strategy=dowse.StrategyChoice("hybrid", {"a": 0.1}))
            first = replace(topic, budget=dowse.Budget(pages=2))
            urls = [one.url async for one in dowse.crawl(first, out=tmp_path / "c", strategy=LastFirst())]
            assert "priority: 3; more cannot be told: no strategy is called 'last-first'" in explain(
                tmp_path / "c", "http://a.test/3"
            )
            again = dowse.crawl(topic, out=tmp_path / "c", resume=True, strategy=LastFirst())
            urls += [one.url async for one in again]
            return urls

    assert asyncio.run(main()) == [f"http://a.test/{n}" for n in (0, 4, 3, 2, 1)]
    with dowse.open_crawl(tmp_path / "c") as crawl:
        assert crawl.topic()["strategy"]["name"] == "last-first"
        last = crawl.candidate("http://a.test/1")
        assert last is not None
        decision = crawl.decision(last.id)
        assert decision is not None
        assert (decision.strategy, decision.features) == ("last-first", {"mentions": (4.0, 1.0)})


def test_a_strategy_by_name_and_a_clock(tmp_path: Path) -> None:
    async def main() -> list[dowse.Fetched]:
        async with LoopbackServer(Web.of(chain("a.test", 3))) as server:
            topic = topic_for(server.address, ["http://a.test/0"])
            pages = dowse.crawl(topic, out=tmp_path / "c", strategy="best-n-first:n=4", clock=Yesterday())
            return [page async for page in pages]

    found = asyncio.run(main())
    assert all(time.time() - page.fetched_at > 80_000 for page in found)
    with dowse.open_crawl(tmp_path / "c") as crawl:
        assert crawl.topic()["strategy"]["params"] == {"n": 4}


def test_what_is_no_strategy_is_refused(tmp_path: Path) -> None:
    async def main(strategy: object, topic: dowse.Topic) -> None:
        async for _ in dowse.crawl(topic, out=tmp_path / "c", strategy=strategy):  # type: ignore[arg-type]
            pass

    topic = topic_for("127.0.0.1:1", ["http://a.test/0"])
    with pytest.raises(dowse.TopicError, match="object is no strategy: it has no name, predicts_value, learns_words"):
        asyncio.run(main(object(), topic))
    with pytest.raises(dowse.TopicError, match=r"LastFirst is a class: give what it makes, LastFirst\(\)"):
        asyncio.run(main(LastFirst, topic))
    learned = replace(topic, strategy=dowse.StrategyChoice(learn_from=(str(tmp_path),)))
    with pytest.raises(dowse.TopicError, match="leave out learn_from"):
        asyncio.run(main(LastFirst(), learned))
    assert not (tmp_path / "c").exists()
