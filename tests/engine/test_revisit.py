"""Runs of visits to pages that a crawl has, on a web that changes meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import StrategyChoice, Topic
from tests.engine.servers import crawl_all, page, topic_for

SEED = "http://a.test/0"
LINKS = {"/0": ["/1", "/2"], "/1": ["/3"], "/2": [], "/3": []}


def web(changes: dict[str, Resource | None] | None = None) -> Web:
    """Four pages of one site, with changes; None: a page is gone."""
    pages = {path: page(f"a{path[1:]}", "solar", links) for path, links in LINKS.items()}
    pages.update({path: made for path, made in (changes or {}).items() if made is not None})
    return Web.of(
        Site("a.test", {path: made for path, made in pages.items() if (changes or {}).get(path, made) is not None})
    )


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        return connection.execute(sql).fetchall()


def visit(topic: Topic, folder: Path, how: str = "0s", budget: Budget | None = None) -> Stop:
    """A run of visits."""

    async def run() -> Stop:
        assembly = await assemble(topic, folder, resume=True, revisit=Revisit(how, budget or Budget()))
        try:
            return await assembly.run()
        finally:
            await assembly.close()

    return asyncio.run(run())


def began(server: LoopbackServer, folder: Path, **changes: object) -> Topic:
    topic = topic_for(server.address, [SEED], **changes)
    asyncio.run(crawl_all(topic, folder))
    server.log.clear()
    return topic


def asked(server: LoopbackServer) -> list[tuple[str, int]]:
    return sorted((hit.target, hit.status) for hit in server.log if hit.target != "/robots.txt")


def outcomes(folder: Path) -> list[tuple[Any, ...]]:
    return ask(folder, "SELECT page, status, changed FROM visits ORDER BY page, number")


def test_what_did_not_change_is_asked_for_with_its_validators_and_not_downloaded(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        before = ask(tmp_path, "SELECT url, ordinal, warc_offset, score, relevant, fetched_at FROM pages ORDER BY id")
        assert str(visit(topic, tmp_path)) == "empty: nothing is left to visit"
        assert asked(server) == [(path, 304) for path in sorted(LINKS)]
    same = ask(tmp_path, "SELECT url, ordinal, warc_offset, score, relevant, fetched_at FROM pages ORDER BY id")
    assert same == before, "the last good version stays"
    assert [row[1:] for row in outcomes(tmp_path)] == [(200, None), (304, 0)] * 4
    assert ask(tmp_path, "SELECT count(*) FROM pages WHERE visited_at > fetched_at AND gone_at IS NULL") == [(4,)]
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)]
    assert ask(tmp_path, "SELECT count(*) FROM candidates WHERE state <> 2") == [(0,)]
    assert ask(tmp_path, "SELECT recorded, judged, pages FROM totals") == [(4, 4, 8)], "a visit counts as a page"
    [(relevant,)] = ask(tmp_path, "SELECT relevant FROM totals")
    assert [(relevant,)] == ask(tmp_path, "SELECT sum(relevant) FROM sites")


def test_revisit_records_are_read_by_others(tmp_path: Path) -> None:
    plain = page("a2", "solar", [])
    with in_thread(web({"/2": Resource(plain.body)})) as server:
        topic = began(server, tmp_path)
        visit(topic, tmp_path)
    responses, revisits = {}, {}
    with (tmp_path / "dowse-00000.warc.gz").open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests=True):
            get = record.rec_headers.get_header
            if record.rec_type == "response":
                responses[get("WARC-Record-ID")] = get("WARC-Target-URI"), get("WARC-Payload-Digest"), get("WARC-Date")
            elif record.rec_type == "revisit":
                assert get("WARC-Profile").endswith("revisit/server-not-modified")
                assert not record.http_headers, "whoever plays it back shows the original's"
                refers = (get("WARC-Refers-To-Target-URI"), get("WARC-Payload-Digest"), get("WARC-Refers-To-Date"))
                revisits[get("WARC-Refers-To")] = refers
    assert len(revisits) == 4
    assert all(responses[original] == told for original, told in revisits.items()), "each leads to what it repeats"
    [(file, offset)] = ask(tmp_path, "SELECT warc_file, warc_offset FROM visits WHERE status = 304 AND page = 0")
    with (tmp_path / file).open("rb") as stream:
        stream.seek(offset)
        assert next(iter(ArchiveIterator(stream))).rec_type == "revisit"


def test_a_changed_page_is_the_one_that_is_held_and_its_new_links_are_followed(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        new = page("fresh", "solar", ["/3", "/4"])
        server.web = web({"/1": new, "/4": page("a4", "solar", ["/0"])})
        visit(topic, tmp_path)
        assert asked(server) == [("/0", 304), ("/1", 200), ("/2", 304), ("/3", 304), ("/4", 200)]
    assert ask(tmp_path, "SELECT title, ordinal FROM pages WHERE url LIKE '%/1'") == [("fresh", 1)]
    assert ask(tmp_path, "SELECT v.changed FROM visits v WHERE page = 1") == [(None,), (1,)]
    assert ask(tmp_path, "SELECT ordinal, visited_at FROM pages WHERE url LIKE '%/4'") == [(4, None)]
    assert ask(tmp_path, "SELECT recorded, judged FROM totals") == [(5, 5)]
    [(file, offset)] = ask(tmp_path, "SELECT warc_file, warc_offset FROM pages WHERE id = 1")
    assert [(file, offset)] == ask(tmp_path, "SELECT warc_file, warc_offset FROM visits WHERE page = 1 AND changed = 1")
    with (tmp_path / file).open("rb") as stream:
        stream.seek(offset)
        assert b"fresh" in next(iter(ArchiveIterator(stream))).content_stream().read()
    links = "SELECT count(*) FROM links l JOIN candidates c ON c.id = l.target WHERE l.page = 1 AND c.url LIKE '%/4'"
    assert ask(tmp_path, links) == [(1,)]
    pages = "SELECT page FROM changes WHERE page IS NOT NULL"
    assert [row[0] for row in ask(tmp_path, pages)].count(1) >= 2, "whoever keeps a copy is told"


def test_other_bytes_that_say_the_same_are_no_change(tmp_path: Path) -> None:
    old = page("a2", "solar", [])
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({"/2": Resource(old.body.replace(b"<body>", b"<body class=new><!-- built again -->"))})
        visit(topic, tmp_path)
        assert ("/2", 200) in asked(server)
        assert ask(tmp_path, "SELECT changed FROM visits WHERE page = 2") == [(None,), (0,)]
        server.log.clear()
        visit(topic, tmp_path)
        assert ("/2", 304) in asked(server), "its validators are those of the latest body"


def test_a_page_that_is_not_there_twice_is_gone_and_not_lost(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({"/3": None})
        visit(topic, tmp_path)
        row = "SELECT title, outcome, misses, gone_at IS NOT NULL FROM pages WHERE url LIKE '%/3'"
        assert ask(tmp_path, row) == [("a3", "fetched", 1.0, 0)]
        visit(topic, tmp_path)
        assert ask(tmp_path, row) == [("a3", "fetched", 2.0, 1)]
        server.log.clear()
        visit(topic, tmp_path)
        assert ("/3", 404) not in asked(server), "what is gone is asked for no more"
    assert ask(tmp_path, "SELECT status, reason FROM visits WHERE page = 3") == [
        (200, ""), (404, "http 404"), (404, "http 404")
    ]  # fmt: skip
    [(offset,)] = ask(tmp_path, "SELECT warc_offset FROM pages WHERE id = 3")
    with (tmp_path / "dowse-00000.warc.gz").open("rb") as stream:
        stream.seek(offset)
        assert b"<title>a3" in next(iter(ArchiveIterator(stream))).content_stream().read()


def test_a_page_that_comes_back_begins_to_count_anew(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        for now in (web({"/3": None}), web(), web({"/3": None})):
            server.web = now
            visit(topic, tmp_path)
    assert ask(tmp_path, "SELECT misses, gone_at FROM pages WHERE id = 3") == [(1.0, None)]


def test_a_fault_that_may_pass_counts_half(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({"/3": Resource(b"busy", status=503)})
        visit(topic, tmp_path)
        assert ask(tmp_path, "SELECT misses, gone_at FROM pages WHERE id = 3") == [(0.5, None)]
        assert ask(tmp_path, "SELECT count(*) FROM candidates WHERE state <> 2") == [(0,)]


def test_a_redirect_is_a_miss_and_its_target_is_found(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        moved = Resource(b"", status=301, headers=(("Location", "/5"),))
        server.web = web({"/3": moved, "/5": page("a5", "solar", [])})
        visit(topic, tmp_path)
        assert ("/5", 200) in asked(server)
    assert ask(tmp_path, "SELECT outcome, title, misses FROM pages WHERE id = 3") == [("fetched", "a3", 1.0)]


def test_what_waited_before_waits_for_another_run(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path, budget=Budget(pages=2))
        assert ask(tmp_path, "SELECT count(*) FROM candidates WHERE state = 0") == [(2,)]
        visit(topic, tmp_path)
        assert asked(server) == [("/0", 304), ("/1", 304)]
        assert ask(tmp_path, "SELECT count(*) FROM candidates WHERE state = 0") == [(2,)]
        server.log.clear()
        asyncio.run(crawl_all(topic_for(server.address, [SEED], budget=Budget(pages=6)), tmp_path, resume=True))
        assert asked(server) == [("/2", 200), ("/3", 200)], "the crawl itself goes on where it was"


def test_a_budget_is_that_of_the_run_and_what_is_left_of_its_plan_is_dropped(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        stop = visit(topic, tmp_path, budget=Budget(pages=3))
        assert str(stop) == "budget: pages (3p)", "as it was given, whatever the crawl had spent"
        assert len(asked(server)) == 3
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)]
    assert ask(tmp_path, "SELECT count(*) FROM statistics WHERE name = 'revisiting'") == [(0,)]


def test_its_progress_is_how_many_of_the_due_pages_are_done(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({"/1": page("fresh", "solar", ["/3"])})

        async def part(budget: int, how: Revisit | None) -> list[tuple[int | None, int, int, float]]:
            assembly = await assemble(topic, tmp_path, resume=True, revisit=how)
            told = [assembly.progress()]
            if budget < 4:  # as after a kill
                await assembly.close()
            else:
                await assembly.run()
                told.append(assembly.progress())
                await assembly.close()
            return [(one.due, one.visited, one.changed, one.budget_left["pages"]) for one in told]

        assert asyncio.run(part(0, Revisit("0s", Budget(pages=8)))) == [(4, 0, 0, 1.0)]
        with closing(sqlite3.connect(tmp_path / "dowse.sqlite")) as connection:
            connection.execute("DELETE FROM due WHERE page = 3")  # as if it had been visited by then
            connection.commit()
        assert asyncio.run(part(4, None)) == [(4, 1, 0, 1.0), (4, 4, 1, 1 - 3 / 8)]
        assembly = asyncio.run(assemble(topic, tmp_path, resume=True))
        assert (assembly.progress().due, assembly.progress().visited) == (None, 0), "no run of visits"
        asyncio.run(assembly.close())


def test_only_what_is_older_is_visited(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        assert str(visit(topic, tmp_path, "7d")) == "empty: nothing is left to visit"
        assert asked(server) == []


def test_a_run_that_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path, politeness=topic_for("", []).politeness)

        async def stopped() -> None:
            assembly = await assemble(topic, tmp_path, resume=True, revisit=Revisit("0s"))
            assembly.engine.stop("interrupted", "by a test")
            await assembly.run()
            await assembly.close()

        asyncio.run(stopped())
        assert ask(tmp_path, "SELECT count(*) FROM due") == [(4,)]
        asyncio.run(crawl_all(topic, tmp_path, resume=True))
        assert asked(server) == [(path, 304) for path in sorted(LINKS)]
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)]


@pytest.mark.parametrize("strategy", ["learning", "best-first", "bfs", "site-first", "average"])
def test_whatever_the_order_visits_teach_nothing_twice(tmp_path: Path, strategy: str) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path, strategy=StrategyChoice(strategy))
        server.web = web({"/1": page("fresh", "solar", ["/3", "/4"]), "/4": page("a4", "solar", [])})
        visit(topic, tmp_path)
        visit(topic, tmp_path)
        assert ask(tmp_path, "SELECT count(*) FROM pages WHERE outcome = 'fetched'") == [(5,)]
    assert ask(tmp_path, "SELECT sum(pages) FROM sites") == [(5,)]


def test_a_copy_that_becomes_a_page_of_its_own_is_learned_from(tmp_path: Path) -> None:
    with in_thread(web({"/2": page("a1", "solar", ["/3"])})) as server:
        topic = began(server, tmp_path, strategy=StrategyChoice("learning"))
        assert ask(tmp_path, "SELECT duplicate_of FROM pages WHERE id = 2") == [(1,)]
        server.web = web({"/2": page("a2", "solar", ["/3", "/4"]), "/4": page("a4", "solar", [])})
        visit(topic, tmp_path)
    assert ask(tmp_path, "SELECT duplicate_of, relevant FROM pages WHERE id = 2") == [(None, 1)]
    assert ask(tmp_path, "SELECT count(*) FROM pages WHERE url LIKE '%/4'") == [(1,)]


def test_robots_that_forbid_a_page_by_now_leave_it_as_it_was(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({"/robots.txt": Resource(b"User-agent: *\nDisallow: /3\n", "text/plain")})
        visit(topic, tmp_path)
        assert "/3" not in [target for target, _ in asked(server)]
    assert ask(tmp_path, "SELECT state FROM candidates WHERE id = 3") == [(2,)]


@pytest.mark.parametrize(
    ("how", "told"),
    [("soon", "'soon' says nothing"), ("auto", "say how many with --budget"), ("-3d", "'-3d' says nothing")],
)
def test_what_cannot_be_meant_is_told(how: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        Revisit(how)
