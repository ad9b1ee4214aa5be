from __future__ import annotations

import asyncio
import itertools
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.life import Life
from dowse.engine.loop.dispatch import Dispatcher
from dowse.engine.loop.engine import Stop
from dowse.frontier import Lease
from dowse.loopback import Ask, LoopbackServer, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.errors import FolderBusy
from dowse.model.topic import JudgeSettings, Network, Politeness, Scope, Seeds, StrategyChoice, Target, Topic
from tests.engine.servers import adding, chain, crawl_all, page, topic_for


def run(
    web: Web,
    folder: Path,
    seeds: list[str],
    change: Callable[[Topic], Topic] = lambda topic: topic,
    *,
    resume: bool = False,
) -> tuple[Stop, LoopbackServer]:
    """Serve a web, crawl it to the end, and give back the server with its log."""

    async def main() -> tuple[Stop, LoopbackServer]:
        async with LoopbackServer(web) as server:
            topic = change(topic_for(server.address, seeds))
            return await crawl_all(topic, folder, resume=resume), server

    return asyncio.run(main())


def rows(folder: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / "dowse.sqlite")
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def asked(server: LoopbackServer) -> list[str]:
    """Page targets in the order they were asked for."""
    return [hit.target for hit in server.log if hit.target != "/robots.txt"]


def test_every_page_is_fetched_exactly_once_in_breadth_first_order(tmp_path: Path) -> None:
    stop, server = run(Web.of(chain("a.test", 30)), tmp_path / "c", ["http://a.test/0"])
    assert stop.kind == "empty"
    assert asked(server) == [f"/{n}" for n in range(30)] + ["/30", "/31"]
    found = rows(tmp_path / "c", "SELECT outcome, count(*) FROM pages GROUP BY 1")
    assert dict(found) == {"fetched": 30, "failed": 2}
    relevant = rows(tmp_path / "c", "SELECT title FROM pages WHERE relevant")
    assert len(relevant) == 20, "two of three pages are on the topic"


def test_the_page_budget_is_never_exceeded_under_concurrency(tmp_path: Path) -> None:
    hosts = [chain(f"s{n}.test", 40) for n in range(8)]
    seeds = [f"http://s{n}.test/0" for n in range(8)]
    stop, server = run(Web.of(*hosts), tmp_path / "c", seeds, lambda topic: replace(topic, budget=Budget(pages=57)))
    assert stop == Stop("budget", "pages (57p)")
    assert len(asked(server)) == 57
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(57,)]


def test_the_request_budget_counts_robots_and_errors(tmp_path: Path) -> None:
    stop, server = run(
        Web.of(chain("a.test", 40)), tmp_path / "c", ["http://a.test/0", "http://a.test/missing"],
        lambda topic: replace(topic, budget=Budget(requests=20)),
    )  # fmt: skip
    assert stop.detail.startswith("requests")
    assert len(server.log) == 20


def test_the_byte_budget_cuts_the_last_body(tmp_path: Path) -> None:
    noise = {f"/{n}": Resource(b"<p>" + random.Random(n).randbytes(3000).hex().encode()) for n in range(20)}
    web = Web.of(Site("a.test", noise))
    seeds = [f"http://a.test/{n}" for n in range(20)]
    stop, _ = run(web, tmp_path / "c", seeds, lambda topic: replace(topic, budget=Budget(bytes=20_000)))
    assert stop.detail.startswith("bytes")
    [(total,)] = rows(tmp_path / "c", "SELECT sum(bytes) FROM pages")
    assert total <= 20_000
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE truncated = 'budget'")[0][0] >= 1


def test_stops_when_enough_relevant_pages_were_found(tmp_path: Path) -> None:
    stop, server = run(
        Web.of(chain("a.test", 300)), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, target=Target(relevant=10)),
    )  # fmt: skip
    assert stop.kind == "target"
    assert len(asked(server)) < 20


def test_stops_when_the_scores_add_up_over_all_runs(tmp_path: Path) -> None:
    """The second run must count what the first one found: from zero again, it would need as many pages as both."""
    folder, web = tmp_path / "c", Web.of(chain("a.test", 300))

    def wanting(value: float) -> Callable[[Topic], Topic]:
        return lambda topic: replace(topic, target=Target(value=value), network=replace(topic.network, concurrency=1))

    stop, _ = run(web, folder, ["http://a.test/0"], wanting(4.0))
    assert str(stop) == "target: pages with scores of 4 in all were wanted"
    [(first, pages)] = rows(folder, "SELECT sum(score), count(*) FROM pages")
    assert 4.0 <= first < 6.0
    _, server = run(web, folder, ["http://a.test/0"], wanting(first + 2.0), resume=True)
    [(both, more)] = rows(folder, "SELECT sum(score), count(*) FROM pages")
    assert first + 2.0 <= both < first + 4.0
    assert len(asked(server)) == more - pages < pages


def test_the_delay_holds_at_the_server_per_host(tmp_path: Path) -> None:
    hosts = [chain(f"s{n}.test", 6) for n in range(3)]

    async def main() -> list[LoopbackServer]:
        # three addresses: the hosts do not wait for one another
        async with (
            LoopbackServer(Web.of(hosts[0]), host="127.0.0.1") as one,
            LoopbackServer(Web.of(hosts[1]), host="127.0.0.2") as two,
            LoopbackServer(Web.of(hosts[2]), host="127.0.0.3") as three,
        ):
            servers = [one, two, three]
            resolve = {f"s{n}.test": server.address for n, server in enumerate(servers)}
            topic = topic_for("", [f"http://s{n}.test/0" for n in range(3)], politeness=Politeness(delay_s=0.15),
                              network=Network(allow_private=True, resolve=resolve))  # fmt: skip
            await crawl_all(topic, tmp_path / "c")
            return servers

    for server in asyncio.run(main()):
        times = [hit.time for hit in server.log]
        assert len(times) >= 7, "robots.txt and the pages"
        assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= 0.15


def test_hosts_on_one_address_share_the_delay(tmp_path: Path) -> None:
    web = Web.of(*(chain(f"s{n}.test", 1) for n in range(4)))
    seeds = [f"http://s{n}.test/0" for n in range(4)]
    _, server = run(web, tmp_path / "c", seeds, lambda topic: replace(topic, politeness=Politeness(delay_s=0.1)))
    times = [hit.time for hit in server.log]
    assert len(times) >= 8
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= 0.1


def robots(text: str, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Resource:
    return Resource(text.encode(), "text/plain", status, headers)


def test_robots_rules_are_obeyed_and_recorded(tmp_path: Path) -> None:
    site = adding(chain("a.test", 6), robots_txt=robots("User-agent: *\nDisallow: /3\nCrawl-delay: 500\n"))
    _, server = run(
        Web.of(site), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, politeness=Politeness(delay_s=0, max_delay_s=0.05)),
    )  # fmt: skip
    assert "/3" not in asked(server)
    assert rows(tmp_path / "c", "SELECT reason FROM candidates WHERE url LIKE '%/3'") == [("robots",)]
    [(event,)] = rows(tmp_path / "c", "SELECT detail FROM events WHERE kind = 'delay clipped'")
    assert event == "http://a.test: Crawl-delay 500 s taken as 0.05 s"


def test_a_robots_file_that_cannot_be_read_closes_the_site(tmp_path: Path) -> None:
    site = adding(chain("a.test", 6), robots_txt=robots("", 503))
    stop, server = run(Web.of(site, chain("b.test", 2)), tmp_path / "c", ["http://a.test/0", "http://b.test/0"])
    assert stop.kind == "empty"
    assert [hit.target for hit in server.log if hit.host == "a.test"] == ["/robots.txt"] * 3
    [(reason,)] = rows(tmp_path / "c", "SELECT reason FROM candidates WHERE url = 'http://a.test/0'")
    assert reason == "robots.txt unreachable: http 503"


def test_a_robots_file_is_read_over_redirects(tmp_path: Path) -> None:
    site = adding(chain("a.test", 4), robots_txt=redirect("/r2"), r2=redirect("http://b.test/r3"))
    other = Site("b.test", {"/r3": robots("User-agent: *\nDisallow: /2\n")})
    _, server = run(Web.of(site, other), tmp_path / "c", ["http://a.test/0"])
    assert "/2" not in asked(server)
    assert "/r3" in asked(server)


def test_redirects_live_and_end_as_they_should(tmp_path: Path) -> None:
    def endless(ask: Ask) -> Resource:
        return redirect(f"/endless/{int(ask.target.rsplit('/', 1)[1]) + 1}")

    pages = {
        "/": page("home", "solar", ["/old", "/self", "/a", "/endless/0", "/file", "/out", "/known"]),
        "/old": redirect("/new", 308), "/new": page("new", "solar", []),
        "/self": redirect("/self"), "/a": redirect("/b"), "/b": redirect("/a"),
        "/file": redirect("file:///etc/passwd"), "/out": redirect("http://elsewhere.test/"),
        "/known": redirect("/new"),
    }  # fmt: skip
    stop, server = run(
        Web.of(Site("a.test", pages, made={"/endless/": endless})), tmp_path / "c", ["http://a.test/"],
        lambda topic: replace(topic, scope=Scope(reach="host")),
    )  # fmt: skip
    assert stop.kind == "empty"
    ends = {url.removeprefix("http://a.test"): (outcome, reason, final.removeprefix("http://a.test")) for url, outcome,
            reason, final in rows(tmp_path / "c", "SELECT url, outcome, reason, final_url FROM pages")}  # fmt: skip
    assert ends["/old"] == ("redirected", "redirect", "/new")
    assert ends["/known"] == ("redirected", "redirect", "/new")
    assert ends["/self"] == ("failed", "redirect: to itself", "/self")
    assert sorted((ends["/a"], ends["/b"]))[0][:2] == ("failed", "redirect: loop")
    assert ends["/file"][:2] == ("refused", "redirect: not a web address")
    assert ends["/out"][:2] == ("refused", "redirect: host")
    assert ends["/endless/10"][:2] == ("failed", "redirect: too many")
    assert "/endless/11" not in asked(server)
    assert Counter(asked(server)).most_common(1)[0][1] == 1, "nothing is asked for twice"


def test_faults_are_retried_by_the_table(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def flaky(ask: Ask) -> Resource:
        seen[ask.target] += 1
        good = page(ask.target.strip("/"), "solar", [])
        answers = {
            "/x/once": [Resource(b"", status=500), good],
            "/x/busy": [Resource(b"", status=429, headers=(("Retry-After", "0"),)), good],
            "/x/never": [Resource(b"", status=502)],
            "/x/gone": [Resource(b"", status=410)],
        }[ask.target]
        return answers[min(seen[ask.target], len(answers)) - 1]

    seeds = [f"http://a.test/x/{name}" for name in ("once", "busy", "never", "gone")]
    run(Web.of(Site("a.test", {}, made={"/x/": flaky})), tmp_path / "c", seeds)
    assert seen == {"/x/once": 2, "/x/busy": 2, "/x/never": 3, "/x/gone": 1}
    ends = dict(
        rows(tmp_path / "c", "SELECT replace(url, 'http://a.test/x/', ''), outcome || ' ' || reason FROM pages")
    )
    assert ends == {"once": "fetched ", "busy": "fetched ", "never": "failed http 502", "gone": "failed http 410"}


def test_same_content_under_another_url_is_judged_once(tmp_path: Path) -> None:
    copy = page("same", "solar", ["/deeper"])
    pages = {"/": page("home", "bread", ["/one", "/two"]), "/one": copy, "/two": copy,
             "/deeper": page("deeper", "bread", [])}  # fmt: skip
    run(Web.of(Site("a.test", pages)), tmp_path / "c", ["http://a.test/"])
    one, two = rows(tmp_path / "c", "SELECT score, relevant, duplicate_of FROM pages WHERE title = 'same' ORDER BY id")
    assert one[0] > 0
    assert one[1:] == (1, None)
    first = rows(tmp_path / "c", "SELECT id FROM pages WHERE url LIKE '%/one'")[0][0]
    assert two == (None, None, first)


def test_noindex_nofollow_and_other_types(tmp_path: Path) -> None:
    pages = {
        "/": page("home", "solar", ["/noindex", "/nofollow", "/image", "/frame"]),
        "/noindex": page("noindex", "solar", ["/below"], '<meta name="robots" content="noindex">'),
        "/nofollow": page("nofollow", "solar", ["/never"], '<meta name="robots" content="nofollow">'),
        "/image": Resource(b"\x89PNG....", "image/png"),
        "/below": page("below", "solar", []),
        "/never": page("never", "solar", []),
    }
    _, server = run(Web.of(Site("a.test", pages)), tmp_path / "c", ["http://a.test/"])
    assert "/below" in asked(server)
    assert "/never" not in asked(server)
    ends = {url.removeprefix("http://a.test"): rest for url, *rest in rows(
        tmp_path / "c", "SELECT url, outcome, reason, relevant, warc_offset IS NULL FROM pages")}  # fmt: skip
    assert ends["/noindex"] == ["fetched", "noindex", None, 1]
    assert ends["/image"][:2] == ["refused", "content-type image/png"]


def test_private_addresses_are_refused_by_default(tmp_path: Path) -> None:
    stop, server = run(
        Web.of(chain("a.test", 3)), tmp_path / "c", ["http://a.test/0", "http://127.0.0.1/"],
        lambda topic: replace(topic, network=replace(topic.network, allow_private=False)),
    )  # fmt: skip
    assert stop.kind == "empty"
    assert not server.log
    assert all(reason.startswith("address") for (reason,) in rows(tmp_path / "c", "SELECT reason FROM candidates"))


def test_a_dead_host_does_not_hold_up_the_others(tmp_path: Path) -> None:
    def change(topic: Topic) -> Topic:
        resolve = {**topic.network.resolve, "dead.test": "127.0.0.1:1"}
        return replace(topic, network=replace(topic.network, resolve=dict(reversed(resolve.items()))))

    stop, _ = run(
        Web.of(chain("a.test", 20)), tmp_path / "c",
        [*(f"http://dead.test/{n}" for n in range(5)), "http://a.test/0"], change,
    )  # fmt: skip
    assert stop.kind == "empty"
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(20,)]
    assert rows(tmp_path / "c", "SELECT count(*) FROM candidates WHERE state = 0") == [(0,)]


def test_best_first_goes_where_the_topic_is(tmp_path: Path) -> None:
    pages = {"/": page("home", "bread", ["/solar", "/bread"])}
    for kind in ("bread", "solar"):
        pages[f"/{kind}"] = page(kind, kind, [f"/{kind}/{n}" for n in range(20)])
        for n in range(20):
            pages[f"/{kind}/{n}"] = page(f"{kind}{n}", kind, [])
    _, server = run(
        Web.of(Site("a.test", pages)), tmp_path / "c", ["http://a.test/"],
        lambda topic: replace(topic, strategy=StrategyChoice("best-first"), budget=Budget(pages=23),
                              network=replace(topic.network, concurrency=1)),
    )  # fmt: skip
    assert asked(server)[:22] == ["/", "/solar", *(f"/solar/{n}" for n in range(20))]


def test_scope_depth_and_language(tmp_path: Path) -> None:
    second = page("second", "solar", ["/2", "/3", "http://b.test/0", "/x.jpg"])
    web = Web.of(adding(chain("a.test", 30), **{"1": second}), chain("b.test", 3))
    _, server = run(
        web, tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, scope=Scope(reach="host", max_depth=2, exclude=("/4",))),
    )  # fmt: skip
    assert asked(server) == ["/0", "/1", "/2", "/3"]
    refusals = dict(rows(tmp_path / "c", "SELECT rule, count FROM refusals"))
    assert refusals["host"] == 1
    assert refusals["extension"] == 1
    assert refusals["path"] == 2
    assert refusals["depth"] >= 1


def test_sitemaps_give_seeds(tmp_path: Path) -> None:
    index = b"<sitemapindex><sitemap><loc>http://a.test/map.xml</loc></sitemap></sitemapindex>"
    site = adding(
        chain("a.test", 3),
        robots_txt=robots("Sitemap: http://a.test/index.xml\n"),
        index_xml=Resource(index, "application/xml"),
        map_xml=Resource(b"<urlset><url><loc>http://a.test/hidden</loc></url></urlset>", "application/xml"),
        hidden=page("hidden", "solar", []),
    )
    _, server = run(
        Web.of(site), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, seeds=replace(topic.seeds, robots_sitemaps=True)),
    )  # fmt: skip
    assert "/hidden" in asked(server)
    _, server = run(
        Web.of(site), tmp_path / "d", [], lambda topic: replace(topic, seeds=Seeds(sitemaps=("http://a.test/map.xml",)))
    )
    assert asked(server) == ["/map.xml", "/hidden"]


def test_a_stopped_crawl_goes_on_where_it_was(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 60))
    first, one = run(web, tmp_path / "c", ["http://a.test/0"], lambda topic: replace(topic, budget=Budget(pages=20)))
    assert first.kind == "budget"

    async def go_on() -> LoopbackServer:
        async with LoopbackServer(web) as server:
            topic = read_settings(tmp_path / "c")
            topic = replace(
                topic, budget=Budget(pages=500), network=replace(topic.network, resolve={"*.test": server.address})
            )
            assert (await crawl_all(topic, tmp_path / "c", resume=True)).kind == "empty"
            return server

    two = asyncio.run(go_on())
    assert asked(one) + asked(two) == [f"/{n}" for n in range(62)], "nothing twice, nothing lost, the same order"
    assert rows(tmp_path / "c", "SELECT count(*), sum(relevant) FROM pages WHERE outcome = 'fetched'") == [(60, 40)]
    runs = rows(tmp_path / "c", "SELECT stop_reason FROM runs")
    assert [reason.partition(":")[0] for (reason,) in runs] == ["budget", "empty"]


def test_a_second_crawl_in_one_folder_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(Web.of(chain("a.test", 3))) as server:
            topic = topic_for(server.address, ["http://a.test/0"])
            assembly = await assemble(topic, tmp_path / "c")
            try:
                with pytest.raises(FolderBusy):
                    await assemble(topic, tmp_path / "c", resume=True)
            finally:
                await assembly.close()

    asyncio.run(main())


def test_every_fetched_url_has_a_decision_and_its_reasons(tmp_path: Path) -> None:
    run(Web.of(chain("a.test", 10)), tmp_path / "c", ["http://a.test/0"],
        lambda topic: replace(topic, judge=JudgeSettings(threshold=0.01)))  # fmt: skip
    missing = rows(tmp_path / "c", "SELECT url FROM pages WHERE id NOT IN (SELECT candidate FROM decisions)")
    assert missing == []
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE relevant AND verdict = '[]'") == [(0,)]


def test_more_forbidden_urls_than_are_refused_at_once(tmp_path: Path) -> None:
    """Nothing is in flight and no site's time is awaited, yet there is work left: that is no stall."""
    home = page("home", "solar", [*(f"/no/{n}x" for n in range(1300)), "/last"])
    rules = robots("User-agent: *\nDisallow: /no/\n")
    site = Site("a.test", {"/": home, "/last": page("last", "solar", []), "/robots.txt": rules})
    stop, server = run(Web.of(site), tmp_path / "c", ["http://a.test/"])
    assert stop.kind == "empty"
    assert asked(server) == ["/", "/last"]
    assert rows(tmp_path / "c", "SELECT count(*) FROM candidates WHERE reason = 'robots'") == [(1300,)]


def test_urls_are_checked_in_slices_by_what_a_check_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these takes milliseconds: others get their turn in between."""
    slices: list[int] = []
    launch, refuse = Dispatcher.launch, Life.refuse

    def counting(self: Dispatcher) -> None:
        slices.append(0)
        launch(self)

    def refusing(self: Life, lease: Lease, rule: str) -> None:
        slices[-1] += 1
        refuse(self, lease, rule)

    monkeypatch.setattr(Dispatcher, "launch", counting)
    monkeypatch.setattr(Life, "refuse", refusing)
    hard = "".join(f"Allow: /no/*{'a' * 20}b{'a' * 20}*{n}$\n" for n in range(1000))
    home = page("home", "solar", [*(f"/no/{'a' * 1800}/{n}x" for n in range(20)), *(f"/no/{n}x" for n in range(600))])
    site = Site("a.test", {"/": home, "/robots.txt": robots(f"User-agent: *\n{hard}Disallow: /no/\n")})
    stop, _ = run(Web.of(site), tmp_path / "c", ["http://a.test/"])
    assert stop.kind == "empty"
    assert rows(tmp_path / "c", "SELECT count(*) FROM candidates WHERE reason = 'robots'") == [(620,)]
    refused = [count for count in slices if count]
    assert min(refused[:-1]) < 5, "of the long ones"
    assert 20 < max(refused) < 200, "of the short ones"


def test_the_time_budget_ends_slow_answers_robots_included(tmp_path: Path) -> None:
    slow = replace(chain("a.test", 5), latency_s=5.0)
    quick = chain("b.test", 3)
    seeds = ["http://a.test/0", "http://b.test/0"]
    stop, _ = run(Web.of(slow, quick), tmp_path / "c", seeds, lambda topic: replace(topic, budget=Budget(seconds=0.6)))
    assert stop.detail.startswith("seconds")
    [(seconds,)] = rows(tmp_path / "c", "SELECT seconds FROM totals")
    assert seconds < 2.0
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(3,)]
