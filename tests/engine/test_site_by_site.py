"""A crawl that goes site by site, over real connections: killed and resumed, with what it refuses, and why."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.crawl_summary import finish as finish_told
from dowse.cli.why import explain
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer, Site, Web, in_thread
from dowse.model.budget import Budget
from dowse.model.errors import TopicError
from dowse.model.records import SiteTurn
from dowse.model.topic import Seeds, StrategyChoice
from dowse.predict import build_strategy
from dowse.store import CrawlReader
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_kill import Kills, ask, finish, start, wait_for
from tests.predict.queue_model import QueuedPage, QueuedWeb, queue_model

HOSTS = ("a.test", "b.test", "c.test")
PAGES = 30
BY_SITE = ("--strategy", "site-first", "--param", "free_levels=100")


def links_of(host: str, number: int) -> tuple[str, ...]:
    """Two pages of the site, and one of another."""
    own = [f"http://{host}/{n}" for n in (2 * number + 1, 2 * number + 2) if n < PAGES]
    other = HOSTS[(HOSTS.index(host) + 1 + number % 2) % len(HOSTS)]
    late = [f"http://a.test/late{number}"] if host == "c.test" else []  # not there, if anybody asked
    return (*own, f"http://{other}/{number * 7 % PAGES}", *late)


WEB = QueuedWeb(
    ("http://a.test/0", "http://b.test/0"),
    {f"http://{host}/{n}": QueuedPage(True, links_of(host, n)) for host in HOSTS for n in range(PAGES)},
)  # fmt: skip


def served(latency_s: float = 0.0) -> Web:
    sites = (
        Site(host, {f"/{n}": page(f"{host[0]}{n}", "solar", list(links_of(host, n))) for n in range(PAGES)},
             latency_s=latency_s)
        for host in HOSTS
    )  # fmt: skip
    return Web.of(*sites)


def asked(folder: Path) -> list[str]:
    return [url for (url,) in ask(folder, "SELECT url FROM pages ORDER BY ordinal")]


def test_a_killed_crawl_goes_on_with_the_same_site_in_the_same_order(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with in_thread(served(0.02)) as server:
        kills = Kills(server, folder)
        for requests in (12, 25, 14, 20):
            process = start(server, folder, *(() if kills.count else BY_SITE))
            wait_for(server, requests, process)
            kills.strike(process, "all")
        finish(server, folder)
    kills.check()
    whole = queue_model(WEB, 1, 100, 1)
    assert len(whole.asked) > 50
    assert asked(folder) == whole.asked
    assert ask(folder, "SELECT DISTINCT turn FROM sites") == [(SiteTurn.PROCESSED,)]
    [(refused,)] = ask(folder, "SELECT count FROM refusals WHERE rule = 'site-done'")
    assert refused == whole.refused["site-done"] > 0, "counted once, however often it was killed"


def test_stops_in_the_middle_do_not_show(tmp_path: Path) -> None:
    whole = queue_model(WEB, 2, 100, 1)
    folder = tmp_path / "crawl"

    async def main() -> None:
        async with LoopbackServer(served()) as server:
            topic = topic_for(server.address, list(WEB.seeds),
                              strategy=StrategyChoice("site-first", {"sites": 2, "free_levels": 100}))  # fmt: skip
            topic = replace(topic, network=replace(topic.network, concurrency=1))
            for run, pages in enumerate((7, 20, 21, 40, 500)):
                stop = await crawl_all(replace(topic, budget=Budget(pages=pages)), folder, resume=run > 0, hash_seed=1)
            assert stop.kind == "empty"

    asyncio.run(main())
    assert asked(folder) == whole.asked


def crawl(folder: Path, web: Web, seeds: list[str], **params: object) -> None:
    async def main() -> None:
        async with LoopbackServer(web) as server:
            await crawl_all(topic_for(server.address, seeds, strategy=StrategyChoice("site-first", params)), folder)

    asyncio.run(main())


def test_a_refused_page_is_recorded_and_its_body_dropped_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ("bread", "bread", "solar", "bread", "solar")
    site = Site("a.test", {f"/{n}": page(f"p{n}", kind, [f"/{n + 1}"]) for n, kind in enumerate(kinds)})
    for name, drops in (("kept", False), ("dropped", True)):
        folder = tmp_path / name
        crawl(folder, Web.of(site), ["http://a.test/0"], free_levels=1, drop_refused=drops)
        rows = ask(folder, "SELECT reason, relevant, warc_file IS NOT NULL FROM pages ORDER BY ordinal")
        assert rows == [("", 0, 1), ("", 0, 1), ("", 1, 1), ("page-refused", 0, int(not drops))]
        assert ask(folder, "SELECT rule, count FROM refusals") == [("page-refused", 1)]
        told = explain(folder, "http://a.test/3")
        assert "level on its site = 3" in told
        assert "its links were not followed" in told
        assert ("its record:" in told) is not drops
        told = "the pages that link to it are refused by the judge, below the free levels of their site (page-refused)"
        assert told in explain(folder, "http://a.test/4")
        finish_told(folder, Stop("empty", ""), as_json=False, quiet=False)
        told = capsys.readouterr().out
        assert "stopped at  1 page that the judge refuses" in told
        assert "not judged" not in told


def test_why_tells_of_a_link_to_a_processed_site(tmp_path: Path) -> None:
    one = Site("a.test", {"/0": page("a0", "solar", ["http://b.test/0"])})
    back = [f"http://a.test/late{n}" for n in range(30)]  # more than are noted one by one
    other = Site("b.test", {"/0": page("b0", "solar", back)})
    crawl(tmp_path / "crawl", Web.of(one, other), ["http://a.test/0"])
    for link in (back[0], back[-1]):
        told = explain(tmp_path / "crawl", link)
        assert "site-done" in told
        assert "a.test was processed" in told
    with CrawlReader(tmp_path / "crawl") as reader:
        assert {refusal.rule: refusal.count for refusal in reader.refusals()} == {"site-done": 30}


def test_a_seed_that_is_added_brings_its_site_another_turn(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    site = Site("a.test", {"/0": page("a0", "solar", []), "/new": page("new", "bread", ["/more"]),
                           "/more": page("more", "solar", [])})  # fmt: skip

    async def main() -> None:
        async with LoopbackServer(Web.of(site)) as server:
            topic = topic_for(server.address, ["http://a.test/0"], strategy=StrategyChoice("site-first"))
            await crawl_all(topic, folder)
            assert ask(folder, "SELECT turn FROM sites") == [(SiteTurn.PROCESSED,)]
            more = replace(topic, seeds=Seeds(urls=("http://a.test/0", "http://a.test/new")))
            await crawl_all(more, folder, resume=True)

    asyncio.run(main())
    assert asked(folder) == ["http://a.test/0", "http://a.test/new", "http://a.test/more"]
    assert ask(folder, "SELECT turn FROM sites") == [(SiteTurn.PROCESSED,)]


def test_a_site_that_is_away_is_given_up_and_the_next_has_its_turn(tmp_path: Path) -> None:
    alive = Site("b.test", {"/0": page("b0", "solar", ["/1"]), "/1": page("b1", "bread", [])})

    async def main() -> None:
        async with LoopbackServer(Web.of(alive)) as server:
            topic = topic_for(server.address, ["http://a.test/0", "http://b.test/0"],
                              strategy=StrategyChoice("site-first"))  # fmt: skip
            network = replace(topic.network, resolve={"a.test": "127.0.0.1:9", "b.test": server.address})
            await crawl_all(replace(topic, network=network), tmp_path / "crawl")

    asyncio.run(main())
    assert [url for url in asked(tmp_path / "crawl") if "b.test" in url] == ["http://b.test/0", "http://b.test/1"]


def test_the_lowest_priority_holds_here_too(tmp_path: Path) -> None:
    """The queue's places are the priorities: what is found later than the tenth is not taken up, but counted."""
    links = [f"/{n}" for n in range(1, 21)]
    site = Site("a.test", {f"/{n}": page(f"p{n}", "solar", links if not n else []) for n in range(21)})

    async def main() -> None:
        async with LoopbackServer(Web.of(site)) as server:
            choice = StrategyChoice("site-first", min_priority=-10)
            await crawl_all(topic_for(server.address, ["http://a.test/0"], strategy=choice), tmp_path / "crawl")

    asyncio.run(main())
    assert len(asked(tmp_path / "crawl")) == 11
    assert ask(tmp_path / "crawl", "SELECT rule, count FROM refusals") == [("min-priority", 10)]


def test_there_is_a_current_site() -> None:
    with pytest.raises(TopicError, match="0 or more free levels, not free_levels=-1"):
        build_strategy(StrategyChoice("site-first", {"free_levels": -1}), seed_number=0)
    with pytest.raises(TopicError, match=r"'sites' of strategy site-first takes a whole number, not 1\.5"):
        build_strategy(StrategyChoice("site-first", {"sites": 1.5}), seed_number=0)
    with pytest.raises(TopicError, match="at least one current site"):
        build_strategy(StrategyChoice("site-first", {"sites": 0}), seed_number=0)
