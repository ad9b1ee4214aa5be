from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dowse
from dowse.engine.assembly.api import choose_folder
from dowse.loopback import LoopbackServer, Web
from dowse.model.budget import Budget
from tests.engine.servers import chain, topic_for


def test_pages_come_as_they_are_judged(tmp_path: Path) -> None:
    async def main() -> list[dowse.Fetched]:
        async with LoopbackServer(Web.of(chain("a.test", 12))) as server:
            topic = topic_for(server.address, ["http://a.test/0"])
            return [page async for page in dowse.crawl(topic, out=tmp_path / "c", text=True)]

    pages = asyncio.run(main())
    assert [page.url for page in pages] == [f"http://a.test/{n}" for n in range(12)]
    assert [page.relevant for page in pages] == [bool(n % 3) for n in range(12)]
    assert pages[1].text is not None
    assert "perovskite" in pages[1].text
    assert pages[1].links == ["http://a.test/2", "http://a.test/3"]
    assert b"<title>ap1</title>" in pages[1].body
    assert pages[1].verdict.reasons


def test_leaving_the_loop_stops_the_crawl_so_that_it_can_go_on(tmp_path: Path) -> None:
    async def main() -> tuple[int, list[str]]:
        async with LoopbackServer(Web.of(chain("a.test", 300))) as server:
            topic = topic_for(server.address, ["http://a.test/0"])
            pages = dowse.crawl(topic, out=tmp_path / "c")
            seen = 0
            async for _ in pages:
                seen += 1
                if seen == 5:
                    break
            await pages.aclose()
            more = replace(topic, budget=Budget(pages=500))
            rest = [page.url async for page in dowse.crawl(more, out=tmp_path / "c", resume=True)]
            return len(server.log), rest

    asked, rest = asyncio.run(main())
    with sqlite3.connect(tmp_path / "c" / "dowse.sqlite") as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM pages WHERE outcome = 'fetched'")]
    connection.close()
    assert len(urls) == len(set(urls)) == 300
    assert asked == 300 + 2 + 2, "the pages, two dead links, and robots.txt for each run"
    assert 0 < len(rest) < 300


def test_the_package_is_light_until_it_crawls() -> None:
    code = "import sys, dowse; dowse.Topic(query='x'); print('dowse.fetch.http' in sys.modules, callable(dowse.crawl))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert not hasattr(dowse, "nonsense")


def test_a_folder_is_named_after_the_topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    topic = dowse.Topic(query="Perovskite solar cells!")
    assert choose_folder(topic) == Path("crawls/perovskite-solar-cells")
    choose_folder(topic).mkdir(parents=True)
    assert choose_folder(topic) == Path("crawls/perovskite-solar-cells-2")
    assert choose_folder(topic, "here") == Path("here")
    assert choose_folder(replace(topic, out="there")) == Path("there")
