from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.lab.finished.changes import changes_since
from dowse.loopback import in_thread
from dowse.loopback.a_week_on import a_week_on
from dowse.loopback.demo import RELEVANT, demo_topic, demo_web
from dowse.loopback.web import HTML
from dowse.parse import parse_page, sign
from dowse.parse.signature import similarity
from dowse.store import CrawlReader
from dowse.store.read_visits import watched
from tests.engine.servers import crawl_all

BEFORE, AFTER = dict(demo_web().fixed()), dict(a_week_on().fixed())
GONE, NEW = BEFORE.keys() - AFTER.keys(), AFTER.keys() - BEFORE.keys()
CHANGED = {url for url in BEFORE.keys() & AFTER.keys() if BEFORE[url].body != AFTER[url].body}


def words(url: str) -> list[str]:
    page = AFTER[url]
    return parse_page(page.body, url=url, content_type=page.content_type or "").text.lower().split()


def test_most_pages_stay_some_change_some_are_gone_and_some_new() -> None:
    assert 0.02 < len(GONE) / len(BEFORE) < 0.1
    assert 0.1 < len(CHANGED) / len(BEFORE) < 0.3
    assert not any(url.endswith(("/robots.txt", "/sitemap.xml")) for url in GONE | CHANGED)
    assert dict(a_week_on().fixed()) == AFTER, "the same each time"
    assert dict(a_week_on(8).fixed()) != AFTER


def test_new_articles_are_like_nothing_that_there_is() -> None:
    signed = {url: sign(words(url)).minhash for url, page in AFTER.items() if page.content_type == HTML}
    assert len(NEW) >= 12
    for url in NEW:
        closest = max(similarity(signed[url], other) for known, other in signed.items() if known != url and other)
        assert closest < 0.5, url
    assert sum(AFTER[url].label == RELEVANT for url in NEW) >= 3
    assert all(f'"/this-week/{url.rpartition("/")[2]}"'.encode() in AFTER[front(url)].body for url in NEW)


def front(url: str) -> str:
    return url[: url.index("/", 8) + 1]


def test_visits_find_what_is_new_changed_and_gone(tmp_path: Path) -> None:
    folder = tmp_path / "solar"
    with in_thread(demo_web()) as server:
        topic = demo_topic(server.address)
        topic = replace(topic, politeness=replace(topic.politeness, delay_s=0.0), workers=0)
        asyncio.run(crawl_all(topic, folder))
        server.web = a_week_on()

        async def visit() -> float:
            assembly = await assemble(topic, folder, resume=True, revisit=Revisit("0s"))
            await assembly.run()
            await assembly.close()
            with CrawlReader(folder) as crawl:
                began, _ = watched(crawl)
                assert began is not None
                return began

        began = asyncio.run(visit())
        with CrawlReader(folder) as crawl:
            found = changes_since(crawl, began)
        assert len([page for page in found.new if "/this-week/" in page.url]) >= 2
        told = [one for one in found.changed if any("Added this week" in line for line in one.lines or ())]
        assert len(told) >= 5
        assert not found.gone, "a page may come back"
        again = asyncio.run(visit())
        with CrawlReader(folder) as crawl:
            found = changes_since(crawl, again)
    assert not found.changed
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        held = {url for (url,) in records.execute("SELECT url FROM pages WHERE relevant = 1 AND outcome = 'fetched'")}
    assert {page.url for page in found.gone} == held & GONE != set()
