"""Pages of an earlier crawl are not downloaded again: counted at the server."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

import dowse
from dowse.cli.why import explain
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.loop.engine import Stop
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import replay
from dowse.lab.report.crawl_report import write_report
from dowse.loopback import LoopbackServer, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import Cache, Politeness, Scope, Topic
from dowse.store import CrawlReader
from tests.engine.servers import adding, chain, crawl_all, page, topic_for
from tests.engine.test_engine import robots, rows

Change = Callable[[Topic], Topic]
SEEDS = ["http://a.test/0"]


def caching(*folders: Path, **other: Any) -> Change:
    """The topic with these caches."""
    return lambda topic: replace(topic, cache=Cache(tuple(map(str, folders)), **other))


def crawl(
    web: Web, folder: Path, change: Change = lambda topic: topic, seeds: list[str] = SEEDS, *, resume: bool = False
) -> tuple[Stop, list[str]]:
    """Serve a web and crawl it; why it stopped, and every target that was asked for, robots.txt too."""

    async def main() -> tuple[Stop, list[str]]:
        async with LoopbackServer(web) as server:
            stop = await crawl_all(change(topic_for(server.address, seeds)), folder, resume=resume)
            return stop, [hit.target for hit in server.log]

    return asyncio.run(main())


def change_records(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as connection:
        connection.execute(sql)


PAGE_FIELDS = (
    "url, fetched_at, outcome, reason, status, bytes, body_bytes, relevant, score, title, language, depth, n_links,"
    " duplicate_of, etag, total_s"
)


def test_nothing_that_is_held_is_asked_for_again(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 30))
    crawl(web, tmp_path / "old")
    stop, asked = crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    assert stop.kind == "empty"
    assert asked == ["/robots.txt", "/30", "/31"], "robots.txt, and the two that are not there"
    held, told = (
        rows(tmp_path / name, f"SELECT {PAGE_FIELDS} FROM pages WHERE outcome = 'fetched' ORDER BY url")
        for name in ("old", "new")
    )
    assert told == held, "dates, sizes and times are those of the download"
    links = "SELECT page, target, anchor FROM link_urls ORDER BY 1, 2"
    assert rows(tmp_path / "new", links) == rows(tmp_path / "old", links)
    assert rows(tmp_path / "new", "SELECT pages, requests FROM totals") == [(0, 3)]
    [(spent,)] = rows(tmp_path / "new", "SELECT bytes FROM totals")
    [(missing,)] = rows(tmp_path / "new", "SELECT sum(bytes) FROM pages WHERE outcome = 'failed'")
    [(robots_bytes,)] = rows(tmp_path / "new", "SELECT sum(bytes) FROM sites")
    assert missing < spent == robots_bytes, "not a byte for what was held"
    origin = "SELECT DISTINCT cached_from, attempts FROM pages WHERE outcome = 'fetched'"
    assert rows(tmp_path / "new", origin) == [(str(tmp_path / "old"), 0)]
    assert rows(tmp_path / "new", "SELECT count(*) FROM decisions") == [(32,)], "each has its reasons"


def test_the_new_folder_stands_for_itself(tmp_path: Path) -> None:
    """The archive has every page again with its first date, and the crawl can be replayed without the old folder."""
    web = Web.of(chain("a.test", 12))
    crawl(web, tmp_path / "old")
    crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    dates = dict(rows(tmp_path / "old", "SELECT url, fetched_at FROM pages"))
    (tmp_path / "old").rename(tmp_path / "away")
    found = rows(tmp_path / "new", "SELECT url, warc_file, warc_offset, title FROM pages WHERE outcome = 'fetched'")
    assert len(found) == 12
    for url, file, offset, title in found:
        with (tmp_path / "new" / file).open("rb") as stream:
            stream.seek(offset)
            record = next(iter(ArchiveIterator(stream, check_digests="raise")))
            assert record.rec_headers.get_header("WARC-Target-URI") == url
            assert record.rec_headers.get_header("WARC-Date") == dates[url]
            assert f"<title>{title}</title>".encode() in record.content_stream().read()
    corpus = open_corpus(tmp_path / "new", jobs=1)
    topic = topic_for("", SEEDS)
    scope, frozen = StaticScope(topic.scope, SEEDS), CorpusWeb(corpus)
    again = replay(frozen, KnownPages(frozen, corpus.digests(build_judge(topic), scope, 5000)), topic, scope)
    assert [exchange.url.rpartition("/")[2] for exchange in again.exchanges if exchange.is_page] == [
        str(n) for n in range(12)
    ]


def test_a_held_page_is_judged_by_the_topic_of_this_crawl(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 9))
    crawl(web, tmp_path / "old")
    crawl(web, tmp_path / "new", lambda topic: caching(tmp_path / "old")(replace(topic, query="bread dough flour")))
    relevant = "SELECT url FROM pages WHERE relevant ORDER BY url"
    assert [url[-1] for (url,) in rows(tmp_path / "old", relevant)] == ["1", "2", "4", "5", "7", "8"]
    assert [url[-1] for (url,) in rows(tmp_path / "new", relevant)] == ["0", "3", "6"]


def test_the_budget_is_for_what_is_downloaded(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 60))
    crawl(web, tmp_path / "old", lambda topic: replace(topic, budget=Budget(pages=20)))
    stop, asked = crawl(
        web, tmp_path / "new", lambda topic: caching(tmp_path / "old")(replace(topic, budget=Budget(pages=15)))
    )
    assert stop.detail == "pages (15p)"
    assert asked == ["/robots.txt", *(f"/{n}" for n in range(20, 35))]
    assert rows(tmp_path / "new", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(35,)]
    with CrawlReader(tmp_path / "new") as crawled:
        summary = crawled.summary()
    assert (summary.pages, summary.saved_pages) == (35, 20)
    assert [(summary.saved_bytes,)] == rows(tmp_path / "old", "SELECT sum(bytes) FROM pages")


def test_redirects_are_taken_too_and_their_targets_once(tmp_path: Path) -> None:
    pages = {
        "/0": page("home", "solar", ["/old", "/older", "/new", "/away"]), "/old": redirect("/new", 308),
        "/older": redirect("/old", 302), "/new": page("new", "solar", []), "/away": redirect("http://b.test/0"),
    }  # fmt: skip
    web = Web.of(Site("a.test", pages), chain("b.test", 1))
    _, first = crawl(web, tmp_path / "old")
    assert Counter(first)["/new"] == 1
    _, asked = crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    assert sorted(asked) == ["/1", "/2", "/robots.txt", "/robots.txt"]
    ends = "SELECT url, outcome, final_url, status FROM pages WHERE outcome <> 'failed' ORDER BY url"
    assert rows(tmp_path / "new", ends) == rows(tmp_path / "old", ends)
    assert len(rows(tmp_path / "new", "SELECT 1 FROM pages WHERE outcome = 'redirected' AND cached_from <> ''")) == 3


def test_what_may_not_be_kept_or_is_not_whole_is_downloaded(tmp_path: Path) -> None:
    secret = page("secret", "solar", [])
    pages = {
        "/0": page("home", "solar", ["/no-store", "/noindex", "/gone", "/cut", "/kept"]),
        "/no-store": replace(secret, headers=(("Cache-Control", "private, no-store"),)),
        "/noindex": page("noindex", "solar", [], '<meta name="robots" content="noindex">'),
        "/cut": Resource(b"<p>solar cells " + b"word " * 20_000, "text/plain"),
        "/kept": page("kept", "solar", []),
    }
    web = Web.of(Site("a.test", pages))
    crawl(web, tmp_path / "old", lambda topic: replace(topic, limits=replace(topic.limits, max_body_bytes=50_000)))
    _, asked = crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    assert sorted(asked) == ["/cut", "/gone", "/no-store", "/noindex", "/robots.txt"]
    assert rows(tmp_path / "new", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(5,)]
    assert rows(tmp_path / "new", "SELECT attempts FROM pages WHERE url LIKE '%no-store'") == [(1,)]


def test_a_page_counts_as_fresh_up_to_its_greatest_age(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 6))
    crawl(web, tmp_path / "old")
    shift = "strftime('%Y-%m-%dT%H:%M:%S.000000Z', fetched_at, '-8 days')"
    change_records(tmp_path / "old", f"UPDATE pages SET fetched_at = {shift} WHERE id < 3")
    missing = ["/6", "/7"]
    for name, options, wanted in (
        ("week", {}, ["/0", "/1", "/2", *missing]),
        ("month", {"max_age_s": 30 * 86400.0}, missing),
        ("never", {"max_age_s": 0.0}, [*(f"/{n}" for n in range(6)), *missing]),
    ):
        _, asked = crawl(web, tmp_path / name, caching(tmp_path / "old", **options))
        assert sorted(asked) == [*wanted, "/robots.txt"], name


def test_an_age_is_that_of_the_first_download_over_any_number_of_crawls(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 4))
    crawl(web, tmp_path / "first")
    shift = "strftime('%Y-%m-%dT%H:%M:%S.000000Z', fetched_at, '-5 days')"
    change_records(tmp_path / "first", f"UPDATE pages SET fetched_at = {shift}")
    crawl(web, tmp_path / "second", caching(tmp_path / "first"))
    change_records(tmp_path / "second", f"UPDATE pages SET fetched_at = {shift} WHERE id = 1")
    _, asked = crawl(web, tmp_path / "third", caching(tmp_path / "second"))
    assert sorted(asked) == ["/1", "/4", "/5", "/robots.txt"]


def test_a_damaged_archive_only_costs_the_download(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 10))
    crawl(web, tmp_path / "old")
    [(offset,)] = rows(tmp_path / "old", "SELECT warc_offset FROM pages WHERE url LIKE '%/4'")
    archive = tmp_path / "old" / "dowse-00000.warc.gz"
    data = bytearray(archive.read_bytes())
    data[offset + 100] ^= 0xFF
    archive.write_bytes(data)
    _, asked = crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    assert sorted(asked) == ["/10", "/11", "/4", "/robots.txt"]
    assert rows(tmp_path / "new", "SELECT cached_from FROM pages WHERE url LIKE '%/4'") == [(None,)]
    archive.unlink()
    _, asked = crawl(web, tmp_path / "newer", caching(tmp_path / "old"))
    assert sorted(asked) == sorted(["/robots.txt", *(f"/{n}" for n in range(12))])


def test_todays_robots_rules_hold_for_held_pages(tmp_path: Path) -> None:
    site = chain("a.test", 6)
    crawl(Web.of(site), tmp_path / "old")
    ruled = Web.of(adding(site, robots_txt=robots("User-agent: *\nDisallow: /3\n")))
    _, asked = crawl(ruled, tmp_path / "new", caching(tmp_path / "old"))
    assert asked[0] == "/robots.txt"
    assert rows(tmp_path / "new", "SELECT reason FROM candidates WHERE url LIKE '%/3'") == [("robots",)]
    assert rows(tmp_path / "new", "SELECT count(*) FROM pages WHERE url LIKE '%/3'") == [(0,)]


def test_an_unreachable_robots_file_keeps_held_pages_out(tmp_path: Path) -> None:
    site = chain("a.test", 3)
    crawl(Web.of(site), tmp_path / "old")
    closed = Web.of(adding(site, robots_txt=robots("", 503)))
    _, asked = crawl(closed, tmp_path / "new", caching(tmp_path / "old"))
    assert set(asked) == {"/robots.txt"}
    assert rows(tmp_path / "new", "SELECT count(*) FROM pages") == [(0,)]


def test_held_pages_wait_for_no_delay_and_begin_none(tmp_path: Path) -> None:
    """Fifty held pages between others: they take no time, and those that are asked for stay a delay apart."""
    web, delay_s = Web.of(chain("a.test", 54)), 0.3
    crawl(web, tmp_path / "old", lambda topic: replace(topic, budget=Budget(pages=50)))

    async def main() -> tuple[list[tuple[str, float]], float]:
        async with LoopbackServer(web) as server:
            topic = topic_for(server.address, SEEDS, politeness=Politeness(delay_s=delay_s))
            started = time.monotonic()
            await crawl_all(caching(tmp_path / "old")(topic), tmp_path / "new")
            return [(hit.target, hit.time) for hit in server.log], time.monotonic() - started

    log, seconds = asyncio.run(main())
    assert [target for target, _ in log] == ["/robots.txt", "/50", "/51", "/52", "/53", "/54", "/55"]
    assert min(later - earlier for (_, earlier), (_, later) in itertools.pairwise(log)) >= delay_s
    assert seconds < 25 * delay_s, "55 pages would have taken 55 delays"


def test_a_large_cache_neither_fills_the_memory_nor_holds_up_the_loop(tmp_path: Path) -> None:
    """Everything is linked from one page, so hundreds of held pages could go at once."""
    count = 400
    big = "<p>" + "perovskite solar cells and modules " * 600
    leaves = {f"/{n}": Resource(f"{big} {n} {n * n}</p>".encode()) for n in range(1, count)}
    web = Web.of(Site("a.test", {"/0": page("home", "solar", list(leaves)), **leaves}))
    crawl(web, tmp_path / "old")

    async def main() -> tuple[int, int, int]:
        most, at_once, handed = 0, 0, 0

        async def count_page(_: object) -> None:
            nonlocal handed
            handed += 1

        async with LoopbackServer(web) as server:
            topic = replace(caching(tmp_path / "old")(topic_for(server.address, SEEDS)), workers=1)
            assembly = await assemble(topic, tmp_path / "new", on_page=count_page)
            crawling = asyncio.create_task(assembly.run())
            while not crawling.done():
                before = handed
                await asyncio.sleep(0)  # one turn of the loop
                at_once = max(at_once, handed - before)
                most = max(most, assembly.engine.progress().parsing)
            await assembly.close()
            assert len(server.log) == 1
        return most, at_once, handed

    most, at_once, handed = asyncio.run(main())
    assert handed == count
    # eight being read, eight waiting for a worker, two at the worker, and a few that it answered between two looks
    assert 1 < most <= count / 10, "a fixed number, whatever the cache holds"
    assert 0 < at_once <= 8, "the loop turns between pages"


def test_an_unwanted_type_is_refused_as_after_a_download(tmp_path: Path) -> None:
    pages = {"/0": page("home", "solar", ["/a.txt"]), "/a.txt": Resource(b"perovskite solar cells " * 9, "text/plain")}
    web = Web.of(Site("a.test", pages))
    crawl(web, tmp_path / "old")
    _, asked = crawl(
        web, tmp_path / "new",
        lambda topic: caching(tmp_path / "old")(replace(topic, scope=Scope(content_types=("text/html",)))),
    )  # fmt: skip
    assert asked == ["/robots.txt"]
    found = rows(tmp_path / "new", "SELECT outcome, reason, bytes FROM pages WHERE url LIKE '%.txt'")
    assert found == [("refused", "content-type text/plain", 0)]


def test_a_resume_goes_on_with_the_cache_or_without_it_when_it_is_gone(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 40))
    crawl(web, tmp_path / "old", lambda topic: replace(topic, budget=Budget(pages=30)))
    first = replace(topic_for("", SEEDS), budget=Budget(pages=1), seeds=replace(topic_for("", SEEDS).seeds,
                    urls=("http://a.test/35", "http://a.test/0")))  # fmt: skip

    async def run(resume: bool, pages: int) -> tuple[list[str], list[str]]:
        async with LoopbackServer(web) as server:
            topic = read_settings(tmp_path / "new") if resume else caching(tmp_path / "old")(first)
            network = replace(topic.network, resolve={"*.test": server.address})
            topic = replace(topic, network=network, budget=Budget(pages=pages))
            assembly = await assemble(topic, tmp_path / "new", resume=resume)
            saved = assembly.engine.progress().saved_pages
            assert saved == len(rows(tmp_path / "new", "SELECT 1 FROM pages WHERE cached_from <> ''"))
            try:
                await assembly.run()
            finally:
                await assembly.close()
            return [hit.target for hit in server.log], assembly.notes

    asked, notes = asyncio.run(run(False, 1))
    assert asked == ["/robots.txt", "/35"]
    assert notes == []
    asked, _ = asyncio.run(run(True, 3))
    assert asked == ["/robots.txt", "/36", "/37"], "the others it met were held"
    held = rows(tmp_path / "new", "SELECT count(*) FROM pages WHERE cached_from <> ''")[0][0]
    (tmp_path / "old").rename(tmp_path / "away")
    asked, notes = asyncio.run(run(True, 100))
    assert notes == [
        f"cache: {tmp_path / 'old'} holds no crawl (there is no dowse.sqlite in it): its pages are downloaded"
    ]
    assert len(asked) == 1 + 42 - 3 - held
    assert rows(tmp_path / "new", "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(40,)]


def test_a_cache_that_cannot_be_one_is_a_mistake_before_anything_is_written(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 2))
    crawl(web, tmp_path / "old")
    for folder, message in (
        (tmp_path, "holds no crawl"), (tmp_path / "nowhere", "holds no crawl"), (tmp_path / "new", "own folder"),
        (tmp_path / "old" / ".." / "new", "own folder"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=message) as told:
            crawl(web, tmp_path / "new", caching(tmp_path / "old", folder))
        assert "\n" not in str(told.value)
        assert not (tmp_path / "new").exists()
    with pytest.raises(UserError, match="own folder"):
        crawl(web, tmp_path / "old", caching(tmp_path / "old"), resume=True)


def test_python_gets_held_pages_too(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 5))
    crawl(web, tmp_path / "old")

    async def main() -> list[str]:
        async with LoopbackServer(web) as server:
            topic = caching(tmp_path / "old")(topic_for(server.address, SEEDS))
            return [page.title async for page in dowse.crawl(topic, out=tmp_path / "new")]

    assert sorted(asyncio.run(main())) == [f"ap{n}" for n in range(5)]


def test_why_and_the_report_tell_where_a_page_came_from(tmp_path: Path) -> None:
    web = Web.of(chain("a.test", 5))
    crawl(web, tmp_path / "old")
    crawl(web, tmp_path / "new", caching(tmp_path / "old"))
    [(at,)] = rows(tmp_path / "old", "SELECT fetched_at FROM pages WHERE url LIKE '%/3'")
    told = explain(tmp_path / "new", "http://a.test/3").splitlines()
    assert f"from the cache {tmp_path / 'old'}, fetched for it at {at}: nobody was asked again" in told
    assert not any("from the cache" in line for line in explain(tmp_path / "old", "http://a.test/3").splitlines())
    assert "from the cache" in write_report(tmp_path / "new").read_text("utf-8")
    assert "from the cache" not in write_report(tmp_path / "old").read_text("utf-8")
