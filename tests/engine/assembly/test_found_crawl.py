"""Crawls that begin with search engines: what is recorded, what a resume knows, and that no record has a key."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
import ssl
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from dowse.cli.why import explain
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.folder_texts import open_folder
from dowse.engine.assembly.kept_settings import read_settings
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.budget import Budget
from dowse.model.errors import TopicError, UserError
from dowse.model.found import FOUND, FoundRow
from dowse.model.topic import Find, Politeness, Topic
from dowse.store import CrawlReader
from dowse.store.seed_targets import seed_target
from tests.engine.assembly.engine_answers import ENGINES, HOST, answering
from tests.engine.servers import chain, crawl_all, page, topic_for

RESULTS = [
    ("http://a.test/0", "Bread", "dough"),
    ("http://b.test/0", "Perovskite solar cells", "how solar cells are made"),
    ("http://a.test/1", "Solar", "cells"),
]
KEY = "key-of-brave"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    kind = ENGINES["searxng"]
    search = Site(HOST, {}, {
        kind.path: lambda ask: kind.answer(ask, RESULTS, False),
        ENGINES["brave"].path: lambda ask: ENGINES["brave"].answer(ask, RESULTS, False),
    })  # fmt: skip
    with in_thread(Web.of(search, chain("a.test", 4), chain("b.test", 4))) as running:
        yield running


def finding(server: LoopbackServer, *seeds: str, **caps: object) -> Topic:
    find = Find(engines=(f"searxng:http://{HOST}",), per_query=3, **caps)  # type: ignore[arg-type]
    return topic_for(server.address, list(seeds), find=find, budget=Budget(pages=20))


def order(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        return [
            url for (url,) in records.execute("SELECT url FROM candidates WHERE parent IS NULL ORDER BY priority DESC")
        ]


def test_found_seeds_come_after_those_that_are_given_the_nearest_first(server: LoopbackServer, tmp_path: Path) -> None:
    asyncio.run(crawl_all(finding(server, "http://a.test/3"), tmp_path / "c"))
    assert order(tmp_path / "c") == ["http://a.test/3", "http://b.test/0", "http://a.test/1", "http://a.test/0"]
    with CrawlReader(tmp_path / "c") as crawl:
        assert [row.url for row in crawl.found()] == ["http://b.test/0", "http://a.test/1", "http://a.test/0"]
        [find] = crawl.found("http://b.test/0")[0].found_by()
        assert (find.engine, find.query, find.rank) == (f"searxng:{HOST}", "perovskite solar cells", 2)
        assert crawl.summary().requests >= 5, "the engine's request counts"


def test_why_tells_where_a_seed_came_from(server: LoopbackServer, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("http://a.test/2\n")
    topic = finding(server, "http://a.test/3")
    topic = replace(topic, seeds=replace(topic.seeds, files=(str(tmp_path / "list.txt"),)))
    asyncio.run(crawl_all(topic, tmp_path / "c"))
    told = explain(tmp_path / "c", "http://b.test/0")
    assert (
        "found: it is a seed, found by search engines\n    by searxng:search.test, rank 2 for 'perovskite solar cells'"
        in told
    )
    assert "as 'Perovskite solar cells: how solar cells are made'" in told
    assert "found: it is a seed, given by its URL" in explain(tmp_path / "c", "http://a.test/3")
    assert f"found: it is a seed, listed in {tmp_path / 'list.txt'}" in explain(tmp_path / "c", "http://a.test/2")


def test_only_as_many_as_are_wanted_are_taken(server: LoopbackServer, tmp_path: Path) -> None:
    asyncio.run(crawl_all(finding(server, seeds=1), tmp_path / "c"))
    assert order(tmp_path / "c") == ["http://b.test/0"]


def test_a_resume_asks_nobody_again_and_takes_up_what_was_found_since(server: LoopbackServer, tmp_path: Path) -> None:
    topic = replace(finding(server, seeds=1), budget=Budget(pages=2))
    asyncio.run(crawl_all(topic, tmp_path / "c"))
    asked = sum(hit.host == HOST for hit in server.log)
    target = seed_target(str(tmp_path / "c"), force=False)
    target.check()
    more = [{"engine": "e", "query": "q", "rank": 1, "title": "", "snippet": "", "at": "t"}]
    told = target.write(
        FOUND, [FoundRow(0, "http://a.test/3", "T", finds=more), FoundRow(1, "http://b.test/0", finds=more)]
    )
    assert "--resume" in told
    again = replace(read_settings(tmp_path / "c"), budget=Budget(pages=20))
    asyncio.run(crawl_all(again, tmp_path / "c", resume=True))
    assert sum(hit.host == HOST for hit in server.log) == asked == 1
    assert order(tmp_path / "c") == ["http://b.test/0", "http://a.test/3"]
    with CrawlReader(tmp_path / "c") as crawl:
        assert [len(row.finds) for row in crawl.found()] == [2, 1], "found once more"
        assert crawl.page("http://a.test/3") is not None


def test_without_seeds_and_without_answers_it_is_one_line(tmp_path: Path) -> None:
    topic = topic_for("127.0.0.1:9", [], find=Find(engines=(f"searxng:http://{HOST}", f"hackernews:http://{HOST}")))
    with pytest.raises(
        TopicError, match=r"^no seed was found: searxng:search.test, hackernews:search.test: connect: "
    ) as error:
        asyncio.run(assemble(topic, tmp_path / "c"))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "c").exists()


def test_with_seeds_an_engine_that_fails_is_a_note(tmp_path: Path) -> None:
    with in_thread(Web.of(chain("a.test", 1))) as server:
        topic = finding(server, "http://a.test/0")

        async def notes() -> list[str]:
            told: list[str] = []
            assembly = await assemble(topic, tmp_path / "c", tell=told.append)
            await assembly.close()
            return [*told, *assembly.notes]

        found = asyncio.run(notes())
    assert found == [f"asking searxng:{HOST} for seeds", f"searxng:{HOST}: http 421", "seeds found: 0"]


def test_the_engines_that_need_no_key_bring_seeds(tmp_path: Path) -> None:
    """At their own addresses, over TLS; nothing leaves the machine, since every name leads here."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("en.wikipedia.org").configure_cert(tls)
    named = {
        "mediawiki": "en.wikipedia.org",
        "marginalia": "api2.marginalia-search.com",
        "hackernews": "hn.algolia.com",
    }
    sites = [replace(answering(ENGINES[name], 2), host=host) for name, host in named.items()]
    results = Site("result.test", {f"/{n}": page(f"r{n}", "solar", []) for n in range(2)})
    cited = Site("cited.test", {"/both": page("both", "bread", []), "/one": page("one", "solar", [])})
    with in_thread(Web.of(*sites, results, cited), tls=tls) as server:
        topic = topic_for(server.address, [])
        network = replace(topic.network, resolve={"*": server.address}, verify_tls=False)
        asyncio.run(crawl_all(replace(topic, network=network), tmp_path / "c"))
    with CrawlReader(tmp_path / "c") as crawl:
        found = {row.url: {find.engine for find in row.found_by()} for row in crawl.found()}
        assert found["https://result.test/0"] == {"mediawiki:en.wikipedia.org", "marginalia", "hackernews"}
        assert found["https://cited.test/one"] == {"mediawiki:en.wikipedia.org"}
        assert crawl.summary().pages == 4


def _everything(folder: Path) -> bytes:
    """All bytes of a folder, the compressed ones as they were."""
    return b"".join(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
                    for file in folder.rglob("*") if file.is_file())  # fmt: skip


def test_a_key_is_in_no_record(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOWSE_BRAVE_SEARCH_TEST_KEY", KEY)
    monkeypatch.setenv("DOWSE_OPENALEX_SEARCH_TEST_KEY", "key-of-openalex")
    engines = (f"brave:http://{HOST}", f"openalex:http://{HOST}", f"searxng:http://{HOST}")
    topic = replace(finding(server), find=Find(engines=engines, per_query=3))
    asyncio.run(crawl_all(topic, tmp_path / "c"))
    kept = _everything(tmp_path / "c")
    assert b"brave:search.test" in kept
    assert any("api_key=key-of-openalex" in hit.target for hit in server.log), "it was sent"
    assert b"key-of" not in kept
    assert b"/search?q=perovskite" in kept, "what was asked without a key is archived"
    assert "key-of" not in "".join(capfd.readouterr())


def test_a_crawl_is_an_index_for_the_next(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asyncio.run(crawl_all(finding(server, "http://a.test/0"), tmp_path / "first"))
    local = Find(engines=(f"local:{tmp_path / 'first'}",), queries=("perovskite -dough",), seeds=3)
    asyncio.run(crawl_all(replace(finding(server), find=local), tmp_path / "second"))
    found = order(tmp_path / "second")
    assert len(found) == 3
    assert all(url.rsplit("/", 1)[1] not in ("0", "3") for url in found), "those are about bread"
    [index] = (tmp_path / "cache" / "dowse" / "local").iterdir()
    assert index.stat().st_mode & 0o077 == 0
    (tmp_path / "first" / "more.warc").write_bytes(b"")
    assert open_folder(tmp_path / "first").kept_at != index, "made of other files"
    assert not index.exists(), "of a folder as it was, nothing is kept"


def test_any_folder_of_warc_files_is_indexed_and_garbage_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Solar</title><p>cells"
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://x.test/a>\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
    )
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "x.warc").write_bytes(b"garbage\n" + record % (len(body), body) * 2 + b"\xff\x00 cut")
    pages = list(open_folder(tmp_path / "corpus").pages())
    assert [(one.url, one.title, one.text) for one in pages] == [("http://x.test/a", "Solar", "cells")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="there are no WARC files in it"):
        open_folder(tmp_path / "empty")


def test_a_hostile_answer_harms_no_terminal_and_no_table(tmp_path: Path) -> None:
    rows = [("http://a.test/0", "T\x1b[31m\u202e\x00", "=cmd()\ud800"), ("file:///etc/passwd", "no", "")]
    kind = ENGINES["searxng"]

    def answer(ask: Ask) -> Resource:
        return kind.answer(ask, rows, False)

    with in_thread(
        Web.of(Site(HOST, {}, {kind.path: answer}), Site("a.test", {"/0": page("x", "solar", [])}))
    ) as server:
        topic = replace(finding(server), politeness=Politeness(delay_s=0.0))
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    told = explain(tmp_path / "c", "http://a.test/0")
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert order(tmp_path / "c") == ["http://a.test/0"]
