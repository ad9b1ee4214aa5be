"""HEAD before GET: what is sent in which order, what it costs, and that it never makes a URL fail."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.loop.engine import Stop
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.topic_runs import crawl_run
from dowse.lab.corpus import open_corpus
from dowse.lab.measure.run import Request
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import replay
from dowse.loopback import Ask, Hit, LoopbackServer, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.topic import Cache, Cost, Politeness, StrategyChoice, Topic
from tests.engine.servers import adding, chain, crawl_all, page, topic_for
from tests.engine.test_engine import robots, rows

Change = Callable[[Topic], Topic]
SEEDS = ["http://a.test/0"]
ODD = ", ".join(["gzip"] * 9)  # more codings than anybody would undo


def same(topic: Topic) -> Topic:
    return topic


def crawl(web: Web, folder: Path, change: Change = same, seeds: list[str] = SEEDS) -> tuple[Stop, list[Hit]]:
    async def main() -> tuple[Stop, list[Hit]]:
        async with LoopbackServer(web) as server:
            topic = change(replace(topic_for(server.address, seeds), cost=Cost(head=True)))
            return await crawl_all(topic, folder), list(server.log)

    return asyncio.run(main())


def sent(log: list[Hit]) -> list[tuple[str, str]]:
    return [(hit.method, hit.target) for hit in log]


def test_each_page_is_asked_for_with_head_then_get_a_delay_apart(tmp_path: Path) -> None:
    delay_s = 0.1
    stop, log = crawl(
        Web.of(chain("a.test", 4)), tmp_path / "c", lambda topic: replace(topic, politeness=Politeness(delay_s=delay_s))
    )
    assert stop.kind == "empty"
    assert sent(log) == [
        ("GET", "/robots.txt"),
        *itertools.chain.from_iterable((("HEAD", f"/{n}"), ("GET", f"/{n}")) for n in range(6)),
    ]
    assert min(later.time - earlier.time for earlier, later in itertools.pairwise(log)) >= delay_s
    assert rows(tmp_path / "c", "SELECT requests, pages FROM totals") == [(13, 4)]
    assert rows(tmp_path / "c", "SELECT requests FROM sites") == [(13,)]
    assert rows(tmp_path / "c", "SELECT DISTINCT attempts FROM pages") == [(1,)]


def test_delays_are_kept_by_all_sites_of_an_address(tmp_path: Path) -> None:
    hosts = [f"s{n}.test" for n in range(3)]
    _, log = crawl(
        Web.of(*(chain(host, 2) for host in hosts)), tmp_path / "c",
        lambda topic: replace(topic, politeness=Politeness(delay_s=0.05)), [f"http://{host}/0" for host in hosts],
    )  # fmt: skip
    assert Counter(hit.method for hit in log) == {"HEAD": 12, "GET": 12 + 3}
    assert min(later.time - earlier.time for earlier, later in itertools.pairwise(log)) >= 0.05


def test_an_unwanted_type_ends_the_url_without_a_get(tmp_path: Path) -> None:
    pages = {"/0": page("home", "solar", ["/film", "/1"]), "/film": Resource(b"x" * 5000, "video/mp4"),
             "/1": page("one", "solar", [])}  # fmt: skip
    _, log = crawl(Web.of(Site("a.test", pages)), tmp_path / "c")
    assert ("GET", "/film") not in sent(log)
    assert ("HEAD", "/film") in sent(log)
    found = "SELECT outcome, reason, status, body_bytes, attempts, warc_file FROM pages WHERE url LIKE '%film'"
    assert rows(tmp_path / "c", found) == [("refused", "content-type video/mp4", 200, 0, 1, "dowse-00000.warc.gz")]


def test_redirects_are_taken_from_the_head(tmp_path: Path) -> None:
    pages = {
        "/0": page("home", "solar", ["/old", "/loop", "/out", "/odd"]),
        "/odd": Resource(b"Moved", "text/plain", 301, (("Location", "/new"), ("Content-Encoding", ODD))),
        "/old": redirect("/new"), "/new": page("new", "solar", []),
        "/loop": redirect("/loop2"), "/loop2": redirect("/loop"), "/out": redirect("file:///etc/passwd"),
    }  # fmt: skip
    _, log = crawl(Web.of(Site("a.test", pages)), tmp_path / "c")
    counts = Counter(sent(log))
    assert max(counts.values()) == 1, "nothing is sent twice"
    assert {target for method, target in counts if method == "GET"} == {"/robots.txt", "/0", "/new"}
    ends = {url[13:]: (outcome, reason) for url, outcome, reason in
            rows(tmp_path / "c", "SELECT url, outcome, reason FROM pages")}  # fmt: skip
    assert ends["/old"] == ("redirected", "redirect")
    assert ends["/odd"] == ("redirected", "redirect"), "it has no body that would have to be decoded"
    assert ends["/new"] == ("fetched", "")
    assert ends["/loop2"] == ("failed", "redirect: loop")
    assert ends["/out"] == ("refused", "redirect: not a web address")


@pytest.mark.parametrize("status", [405, 501, 404, 500, 403])
def test_a_site_that_does_not_know_head_is_soon_asked_no_more(tmp_path: Path, status: int) -> None:
    known = chain("a.test", 12)

    def only_get(ask: Ask) -> Resource | None:
        return Resource(b"", status=status) if ask.method == "HEAD" else known.resources.get(ask.target)

    stop, log = crawl(Web.of(Site("a.test", made={"/": only_get})), tmp_path / "c")
    assert stop.kind == "empty"
    assert Counter(hit.method for hit in log) == {"HEAD": 3, "GET": 1 + 14}
    assert rows(tmp_path / "c", "SELECT outcome, count(*) FROM pages GROUP BY 1 ORDER BY 1") == [
        ("failed", 2),
        ("fetched", 12),
    ]


def test_useless_answers_between_others_are_borne(tmp_path: Path) -> None:
    known = chain("a.test", 12)

    def moody(ask: Ask) -> Resource | None:
        number = int(ask.target[1:]) if ask.target[1:].isdigit() else 0
        unwilling = ask.method == "HEAD" and number % 3
        return Resource(b"", status=405) if unwilling else known.resources.get(ask.target)

    _, log = crawl(Web.of(Site("a.test", made={"/": moody})), tmp_path / "c")
    assert {("HEAD", f"/{n}") for n in range(12)} <= set(sent(log))


def test_a_server_that_hangs_up_on_head_still_gives_its_pages(tmp_path: Path) -> None:
    """A raw server: it closes the connection when it hears HEAD, and answers GET."""
    methods: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b" ", 2)
        methods.append(method.decode())
        if method == b"GET":
            links = b"".join(b'<a href="/%d">x</a>' % n for n in range(1, 8))
            body = b"<p>perovskite solar cells " + target + b"</p>" + links
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + body)
        writer.close()

    async def main() -> Stop:
        server = await asyncio.start_server(answer, "127.0.0.1")
        async with server:
            address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            return await crawl_all(replace(topic_for(address, SEEDS), cost=Cost(head=True)), tmp_path / "c")

    assert asyncio.run(main()).kind == "empty"
    assert Counter(methods) == {"HEAD": 3, "GET": 9}
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(8,)]
    assert rows(tmp_path / "c", "SELECT failures, closed FROM sites") == [(0, "")]


def test_retry_after_on_a_head_holds_the_site(tmp_path: Path) -> None:
    known, busy = chain("a.test", 2), itertools.count()

    def limited(ask: Ask) -> Resource | None:
        if ask.method == "HEAD" and next(busy) == 0:
            return Resource(b"", status=429, headers=(("Retry-After", "1"),))
        return known.resources.get(ask.target)

    _, log = crawl(Web.of(Site("a.test", made={"/": limited})), tmp_path / "c")
    assert sent(log)[:3] == [("GET", "/robots.txt"), ("HEAD", "/0"), ("GET", "/0")]
    assert log[2].time - log[1].time >= 0.99
    assert rows(tmp_path / "c", "SELECT outcome FROM pages WHERE url LIKE '%/0'") == [("fetched",)]


def test_robots_rules_hold_for_head(tmp_path: Path) -> None:
    site = adding(chain("a.test", 5), robots_txt=robots("User-agent: *\nDisallow: /2\n"))
    _, log = crawl(Web.of(site), tmp_path / "c")
    assert not [target for _, target in sent(log) if target == "/2"]


def test_sizes_are_told_before_the_get_leaves(tmp_path: Path) -> None:
    sizes = {1: 3000, 2: 1000, 3: 2000}
    leaves = {f"/{n}": Resource(b"perovskite solar " + random.Random(n).randbytes(size).hex().encode(), "image/x-text")
              for n, size in sizes.items()}  # fmt: skip
    web = Web.of(Site("a.test", {"/0": page("home", "solar", list(leaves)), **leaves}))
    told: dict[str, int] = {}

    async def main() -> list[Hit]:
        async with LoopbackServer(web) as server:
            topic = topic_for(server.address, SEEDS, cost=Cost(head=True))
            scope = replace(topic.scope, content_types=("text/html", "image/x-text"))
            assembly = await assemble(replace(topic, scope=scope), tmp_path / "c")
            targets, sized = ["/0", *leaves], assembly.life.worth.sized  # in the order they were found

            def told_of(candidate: int, size: int) -> None:
                told[targets[candidate]] = size
                assert ("GET", targets[candidate]) not in sent(list(server.log))
                sized(candidate, size)

            assembly.life.worth.sized = told_of  # type: ignore[method-assign]
            try:
                await assembly.run()
            finally:
                await assembly.close()
            return list(server.log)

    log = asyncio.run(main())
    got = {hit.target: hit.bytes for hit in log if hit.method == "GET" and hit.target != "/robots.txt"}
    assert told == got, "what was told is what then came over the wire"


@pytest.mark.parametrize("requests", [2, 3, 7, 20, 41])
def test_the_request_budget_holds_with_heads(tmp_path: Path, requests: int) -> None:
    hosts = [f"s{n}.test" for n in range(6)]
    stop, log = crawl(
        Web.of(*(chain(host, 30) for host in hosts)), tmp_path / "c",
        lambda topic: replace(topic, budget=Budget(requests=requests)), [f"http://{host}/0" for host in hosts],
    )  # fmt: skip
    assert stop.detail.startswith("requests")
    assert len(log) == requests
    heads = sum(hit.method == "HEAD" for hit in log)
    gets = sum(hit.method == "GET" and hit.target != "/robots.txt" for hit in log)
    assert heads <= gets, "no HEAD is sent for a page the budget no longer reaches for"


def test_the_page_and_byte_budgets_hold_with_heads(tmp_path: Path) -> None:
    hosts = [f"s{n}.test" for n in range(6)]
    web, seeds = Web.of(*(chain(host, 30) for host in hosts)), [f"http://{host}/0" for host in hosts]
    stop, log = crawl(web, tmp_path / "p", lambda topic: replace(topic, budget=Budget(pages=23)), seeds)
    assert stop.detail == "pages (23p)"
    gets = [hit for hit in log if hit.method == "GET" and hit.target != "/robots.txt"]
    assert len(gets) == 23
    stop, log = crawl(web, tmp_path / "b", lambda topic: replace(topic, budget=Budget(bytes=9_000)), seeds)
    assert stop.detail.startswith("bytes")
    assert rows(tmp_path / "b", "SELECT bytes FROM totals")[0][0] <= 9_000


def test_budgets_hold_with_a_cache_and_heads(tmp_path: Path) -> None:
    hosts = [f"s{n}.test" for n in range(4)]
    web, seeds = Web.of(*(chain(host, 40) for host in hosts)), [f"http://{host}/0" for host in hosts]
    crawl(web, tmp_path / "old", lambda topic: replace(topic, budget=Budget(pages=50), cost=Cost()), seeds)
    held = {url for (url,) in rows(tmp_path / "old", "SELECT url FROM pages WHERE outcome = 'fetched'")}
    cache, most = Cache((str(tmp_path / "old"),)), float("inf")
    for name, budget in (("r", Budget(requests=30)), ("p", Budget(pages=12)), ("b", Budget(bytes=7_000))):

        def both(topic: Topic, budget: Budget = budget) -> Topic:
            return replace(topic, budget=budget, cache=cache)

        stop, log = crawl(web, tmp_path / name, both, seeds)
        assert stop.kind == "budget"
        assert not {hit.url for hit in log} & held
        [(pages, size, requests)] = rows(tmp_path / name, "SELECT pages, bytes, requests FROM totals")
        assert requests == len(log) <= (budget.requests or most)
        assert sum(hit.bytes + 400 for hit in log) >= size, "bytes are counted as they came, with their headers"
        assert (pages <= (budget.pages or most), size <= (budget.bytes or most)) == (True, True)
        assert rows(tmp_path / name, "SELECT count(*) FROM pages WHERE cached_from <> ''")[0][0] >= 4


def test_a_replay_sends_the_heads_of_the_live_crawl(tmp_path: Path) -> None:
    def one_at_a_time(topic: Topic) -> Topic:
        return replace(topic, network=replace(topic.network, concurrency=1), strategy=StrategyChoice("best-first"))

    _, log = crawl(Web.of(chain("a.test", 15)), tmp_path / "c", one_at_a_time)
    corpus = open_corpus(tmp_path / "c", jobs=1)
    topic = one_at_a_time(topic_for("", SEEDS, cost=Cost(head=True)))
    scope, web = StaticScope(topic.scope, SEEDS), CorpusWeb(corpus)
    again = replay(web, KnownPages(web, corpus.digests(build_judge(topic), scope, 5000)), topic, scope)
    assert [(done.method, done.url) for done in again.exchanges] == [(hit.method, hit.url) for hit in log]
    assert all(done.wire_bytes == 0 for done in again.exchanges if done.method == "HEAD")
    relevant = corpus.pages.is_page()
    run = crawl_run(again.exchanges, relevant, relevant)
    assert (run.count(Request.HEAD), run.pages, int(run.relevant.sum())) == (17, 15, 15)
