"""What sites cost, and what the engine makes of it: frozen webs and virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.loopback import Resource, Site, Web, in_thread, redirect
from dowse.loopback.demo import demo_topic, demo_web
from dowse.model.budget import Budget
from dowse.model.errors import TopicError
from dowse.model.topic import Cost, JudgeSettings, Network, Politeness, StrategyChoice, Topic
from dowse.model.url import split
from dowse.predict import build_strategy
from tests.engine.servers import adding, chain, crawl_all, page, topic_for
from tests.engine.test_engine import rows
from tests.lab.replay.frozen import Frozen, Host, by_host, crawl

EFFICIENT = StrategyChoice("weighted", maximise="efficiency")
VALUABLE = StrategyChoice("weighted")


def test_efficiency_is_value_for_time() -> None:
    """A host worth a little less but ten times as quick: value alone leaves it for last."""
    web = Frozen({"good.test": Host(latency_s=0.8, score=0.6), "quick.test": Host(latency_s=0.08, score=0.5)})
    budget = Budget(seconds=12)
    value = by_host(crawl(web, strategy=VALUABLE, budget=budget))
    efficient = by_host(crawl(web, strategy=EFFICIENT, budget=budget))
    assert value.get("good.test", 0) > 3 * value.get("quick.test", 0)
    assert efficient["quick.test"] >= 39
    assert sum(efficient.values()) > 2 * sum(value.values())


def test_the_size_of_pages_counts() -> None:
    web = Frozen({"a-large.test": Host(size=3_000_000), "small.test": Host(size=3_000)}, pages=30)
    found = by_host(crawl(web, strategy=EFFICIENT, budget=Budget(pages=32)))
    assert found["small.test"] >= 27
    paper = crawl(web, strategy=EFFICIENT, budget=Budget(pages=32), cost=Cost(form="paper"))
    assert by_host(paper)["small.test"] >= 27


def test_a_head_tells_how_soon_a_site_answers() -> None:
    """The slow site comes first on the front page, and is as good; after its first HEAD it comes last."""
    web = Frozen({"slow.test": Host(latency_s=4.0), "quick.test": Host(latency_s=0.05)}, pages=8)
    done = crawl(web, strategy=EFFICIENT, budget=Budget(requests=100), cost=Cost(head=True))
    order = [(exchange.method, split(exchange.url).host) for exchange in done.exchanges]
    heard, asked = order.index(("HEAD", "slow.test")), order.index(("GET", "slow.test"))
    assert heard < min(place for place, (_, host) in enumerate(order) if host == "quick.test")
    assert asked > max(place for place, (_, host) in enumerate(order) if host == "quick.test")


def test_a_head_tells_which_pages_are_large() -> None:
    """Odd pages are large, and nothing but a HEAD tells them from the others."""
    sizes = {f"http://a.test/{n}": 4_000_000 for n in range(1, 40, 2)}
    web = Frozen({"a.test": Host(size=4_000)}, pages=40, sizes=sizes)
    plain = crawl(web, strategy=EFFICIENT, budget=Budget(pages=15))
    asked = crawl(web, strategy=EFFICIENT, budget=Budget(pages=15), cost=Cost(head=True))
    size = {name: sum(exchange.wire_bytes for exchange in done.exchanges) for name, done in
            {"plain": plain, "asked": asked}.items()}  # fmt: skip
    assert size["asked"] < 0.7 * size["plain"]
    assert len(asked.exchanges) > len(plain.exchanges), "a HEAD is a request, and charged"


@pytest.mark.parametrize("strategy", ["bfs", "best-first"])
def test_a_slow_site_stands_back_while_others_have_something_to_offer(strategy: str) -> None:
    web = Frozen({"a-slow.test": Host(latency_s=6.0, score=0.6), "b.test": Host(), "c.test": Host()}, pages=30)
    done = crawl(web, strategy=StrategyChoice(strategy), budget=Budget(pages=300), network=Network(concurrency=2))
    order = [exchange.url.split("/")[2] for exchange in done.exchanges]
    last_quick = max(place for place, host in enumerate(order) if host in ("b.test", "c.test"))
    assert order[:last_quick].count("a-slow.test") <= 6
    assert by_host(done) == {"front.test": 1, "a-slow.test": 30, "b.test": 30, "c.test": 30}, "it comes back later"


def test_a_site_that_turns_slow_is_priced_anew() -> None:
    class Turning(Frozen):
        asked = 0

        def usual(self, url: str) -> tuple[float, float]:
            if "turning" not in url:
                return super().usual(url)
            self.asked += 1
            return (0.05 if self.asked < 12 else 0.9), 1e6  # below what makes a site stand back

    web = Turning({"a-turning.test": Host(score=0.5), "steady.test": Host(latency_s=0.2, score=0.5)}, pages=60)
    found = by_host(crawl(web, strategy=EFFICIENT, budget=Budget(pages=60)))
    assert found["steady.test"] > 30


def test_an_order_has_no_value_to_set_against_a_cost() -> None:
    with pytest.raises(TopicError, match="bfs is an order"):
        crawl(Frozen({}), strategy=StrategyChoice("bfs", maximise="efficiency"), budget=Budget(pages=3))


@pytest.mark.parametrize(
    "choice",
    [
        StrategyChoice("weighted"),
        StrategyChoice("average-2", {"form": "paper"}),
        StrategyChoice("hybrid"),
        StrategyChoice("hybrid", {"form": "paper", "predictor": "average-2"}),
        StrategyChoice("tunnel"),
        StrategyChoice("tunnel", {"form": "paper"}),
        StrategyChoice("black-tunnel"),
        StrategyChoice("best-n-first", {"n": 16}),
        StrategyChoice("shark-search"),
    ],
    ids=str,
)
def test_what_is_known_of_candidates_outlives_a_stop(tmp_path: Path, choice: StrategyChoice) -> None:
    """Two runs ask in the order in which one does."""
    with in_thread(demo_web()) as server:
        topic = demo_topic(server.address)
        topic = replace(
            topic, strategy=choice, workers=0, network=replace(topic.network, concurrency=1),
            politeness=Politeness(delay_s=0, max_delay_s=0),
        )  # fmt: skip
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=90)), tmp_path / "one"))
        whole = [hit.url for hit in server.log]
        server.log.clear()
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=40)), tmp_path / "two"))
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=90)), tmp_path / "two", resume=True))
        parts = [hit.url for hit in server.log]
    pages = [url for url in whole if not url.endswith("/robots.txt")]
    assert len(pages) >= 90
    assert [url for url in parts if not url.endswith("/robots.txt")] == pages


def test_efficiency_goes_on_after_a_stop(tmp_path: Path) -> None:
    with in_thread(demo_web()) as server:
        topic = replace(demo_topic(server.address), strategy=StrategyChoice("hybrid", maximise="efficiency"), workers=0)
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=30)), tmp_path / "c"))
        stop = asyncio.run(crawl_all(replace(topic, budget=Budget(pages=60)), tmp_path / "c", resume=True))
        urls = [hit.url for hit in server.log if not hit.url.endswith("/robots.txt")]
    assert stop.kind == "budget"
    assert len(urls) == len(set(urls))


def test_a_value_is_set_against_its_cost_once_however_often_its_url_is_mentioned(tmp_path: Path) -> None:
    with in_thread(demo_web()) as server:
        choice = StrategyChoice("best-first", maximise="efficiency")
        topic = replace(demo_topic(server.address), strategy=choice, workers=0, budget=Budget(pages=60))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    priorities = rows(tmp_path / "c", "SELECT priority FROM candidates WHERE priority < 1e11")
    assert 0 < max(priority for (priority,) in priorities) <= 1 / Cost().min_s
    decided = [json.loads(features) for (features,) in rows(
        tmp_path / "c", "SELECT features FROM decisions WHERE priority < 1e11")]  # fmt: skip
    assert decided
    for features in decided:
        assert features["best parent's score"][0] == features["value"][0] <= 1


def test_a_redirect_hands_its_value_on(tmp_path: Path) -> None:
    """A HEAD prices its target anew, which must not take it for worthless."""
    site = Site(
        "a.test", {"/0": page("p0", "solar", ["/old"]), "/old": redirect("/new"), "/new": page("n", "bread", [])}
    )
    choice = StrategyChoice("best-first", maximise="efficiency")
    with in_thread(Web.of(site)) as server:
        topic = topic_for(server.address, ["http://a.test/0"], strategy=choice, cost=Cost(head=True))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    values = {url: json.loads(features)["value"][0] for url, features in rows(
        tmp_path / "c", "SELECT url, features FROM decisions JOIN candidates ON id = candidate")}  # fmt: skip
    [(score,)] = rows(tmp_path / "c", "SELECT score FROM pages WHERE url = 'http://a.test/0'")
    assert values["http://a.test/new"] == pytest.approx(score)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (StrategyChoice("average-2", {"form": "paper"}), StrategyChoice("average-2")),
        (StrategyChoice("average"), StrategyChoice("average-2", {"form": "paper"})),
        (StrategyChoice("link"), StrategyChoice("similar-link")),
        (StrategyChoice("hybrid"), StrategyChoice("hybrid", {"link": "link"})),
    ],
    ids=str,
)
def test_what_another_strategy_knew_is_not_taken_for_ones_own(
    tmp_path: Path, before: StrategyChoice, after: StrategyChoice
) -> None:
    with in_thread(demo_web()) as server:
        topic = replace(demo_topic(server.address), workers=0)
        asyncio.run(crawl_all(replace(topic, strategy=before, budget=Budget(pages=30)), tmp_path / "c"))
        last = rows(tmp_path / "c", "SELECT max(ordinal) FROM pages")[0][0]
        more = replace(topic, strategy=after, budget=Budget(pages=60))
        asyncio.run(crawl_all(more, tmp_path / "c", resume=True))
    kept = dict(rows(tmp_path / "c", "SELECT id, evidence FROM candidates WHERE evidence IS NOT NULL"))
    later = f"SELECT id FROM pages WHERE ordinal > {last}"
    mentions = dict(rows(tmp_path / "c", f"SELECT target, count(*) FROM links WHERE page IN ({later}) GROUP BY 1"))
    strategy = build_strategy(after, seed_number=0)
    assert strategy.memory is not None
    strategy.memory.load(0, [kept.get(id_) for id_ in range(max(kept) + 1)])
    compared = 0
    for id_ in kept:
        features = strategy.explain(id_, 0.0).features
        if "parents" in features and id_ in mentions:
            compared += 1
            assert features["parents"][0] <= mentions[id_]
        assert all(0 <= value < 1000 for value, _ in features.values())
    assert compared or after.name.endswith("link")


def test_a_resume_may_maximise_something_else(tmp_path: Path) -> None:
    """A page takes a fraction of a second here: value over cost is several times the value."""
    greatest = "SELECT max(priority) FROM candidates WHERE state = 0 AND priority < 1e11"
    with in_thread(demo_web()) as server:
        choice = StrategyChoice("best-first")
        topic = replace(demo_topic(server.address), strategy=choice, workers=0)
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=60)), tmp_path / "c"))
        [(value,)] = rows(tmp_path / "c", greatest)
        efficient = replace(topic, strategy=replace(choice, maximise="efficiency"))
        asyncio.run(crawl_all(replace(efficient, budget=Budget(pages=61)), tmp_path / "c", resume=True))
        [(priority,)] = rows(tmp_path / "c", greatest)
        assert priority > 5 * value
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=62)), tmp_path / "c", resume=True))
        [(again,)] = rows(tmp_path / "c", greatest)
        assert 0.3 * value < again < 3 * value


def test_the_delay_of_a_site_is_part_of_its_cost_after_a_stop(tmp_path: Path) -> None:
    site = adding(chain("a.test", 9), robots_txt=Resource(b"User-agent: *\nCrawl-delay: 0.4", "text/plain"))
    choice = StrategyChoice("best-first", maximise="efficiency")
    with in_thread(Web.of(site)) as server:
        topic = topic_for(server.address, ["http://a.test/1"], strategy=choice, budget=Budget(pages=2))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
        [(score,)] = rows(tmp_path / "c", "SELECT max(score) FROM pages")
        [(waits,)] = rows(tmp_path / "c", "SELECT max(id) FROM candidates WHERE state = 0")

        async def value() -> float:
            assembly = await assemble(replace(topic, budget=Budget(pages=3)), tmp_path / "c", resume=True)
            await assembly.close()
            ids = np.array([waits])
            return float(assembly.life.worth.values(ids, assembly.life._frontier.priorities(ids))[0])

        assert asyncio.run(value()) == pytest.approx(score, rel=0.3)


def test_a_site_is_priced_anew_as_soon_as_its_delay_is_known(tmp_path: Path) -> None:
    site = adding(chain("a.test", 9), robots_txt=Resource(b"User-agent: *\nCrawl-delay: 2", "text/plain"))
    front = Site("front.test", {"/": page("front", "solar", [f"http://a.test/{n}" for n in range(9)])})
    choice = StrategyChoice("best-first", maximise="efficiency")
    with in_thread(Web.of(front, site)) as server:
        topic = topic_for(server.address, ["http://front.test/"], strategy=choice, budget=Budget(pages=2))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    waiting = rows(tmp_path / "c", "SELECT priority FROM candidates WHERE state = 0")
    assert waiting
    assert all(priority < 1 / 2 for (priority,) in waiting), "no value is above 1, and the delay alone is 2 s"


def test_a_page_that_links_to_nothing_new_still_speaks_for_what_it_links_to(tmp_path: Path) -> None:
    """Two pages link to the poor one: the seed, and one that has no other link."""
    pages = {
        "/": page("seed", "solar", ["/poor", "/other"]), "/poor": page("poor", "bread", ["/last"]),
        "/other": page("other", "solar", ["/poor"]), "/last": page("last", "bread", []),
    }  # fmt: skip
    choice = StrategyChoice("average-2", {"form": "paper"})
    with in_thread(Web.of(Site("a.test", pages))) as server:
        topic = topic_for(server.address, ["http://a.test/"], strategy=choice, budget=Budget(pages=3))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    score = dict(rows(tmp_path / "c", "SELECT url, score FROM pages"))
    seed, poor, other = score["http://a.test/"], score["http://a.test/poor"], score["http://a.test/other"]
    [(priority,)] = rows(tmp_path / "c", "SELECT priority FROM candidates WHERE url = 'http://a.test/last'")
    assert priority == pytest.approx((poor + (seed + other) / 2) / 2)
    assert seed != other


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_lost_counts_of_terms_are_told(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    async def notes(topic: Topic) -> list[str]:
        assembly = await assemble(topic, tmp_path / "c", resume=True)
        await assembly.close()
        return assembly.notes

    with in_thread(Web.of(chain("a.test", 5))) as server:
        topic = topic_for(
            server.address, ["http://a.test/0"], judge=JudgeSettings(weighting="log-idf"), budget=Budget(pages=2)
        )
        asyncio.run(crawl_all(topic, tmp_path / "c"))
        assert asyncio.run(notes(topic)) == []
        damage(tmp_path / "c" / "dowse.terms")
        [note] = asyncio.run(notes(topic))
    assert "dowse.terms is gone or damaged" in note
