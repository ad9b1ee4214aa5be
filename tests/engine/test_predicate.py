"""Crawls that end with the pages a predicate asks for."""

from __future__ import annotations

import asyncio
import importlib
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dowse
from dowse.engine.assembly import assemble as assembling
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.judge import TopicJudge, build_judge
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.budget import Budget
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.judge import Judge
from dowse.model.topic import StrategyChoice, Topic
from dowse.store import CrawlReader
from tests.engine.servers import chain, crawl_all, page, topic_for
from tests.judge.predicate.made import write_made

EVENT = '<script type="application/ld+json">{"@type": "Event"}</script>'
PREDICATE = 'word("perovskite") >= 2 and (object("Event") or url.host("b.test"))'


def web() -> Web:
    """Page n links to 2n + 1 and 2n + 2, on two hosts; every third is about bread, every fifth carries an event."""

    def site(host: str) -> Site:
        return Site(
            host,
            {
                f"/{n}": page(
                    f"{host[0]}{n}", "solar" if n % 3 else "bread",
                    [f"http://{name}/{m}" for m in (2 * n + 1, 2 * n + 2) if m < 40 for name in ("a.test", "b.test")],
                    "" if n % 5 else EVENT,
                )
                for n in range(40)
            },
        )  # fmt: skip

    return Web.of(site("a.test"), site("b.test"))


def wanted() -> set[str]:
    return {f"http://{host}/{n}" for host in ("a.test", "b.test") for n in range(40)
            if n % 3 and (host == "b.test" or n % 5 == 0)}  # fmt: skip


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        return connection.execute(sql).fetchall()


def relevant(folder: Path) -> set[str]:
    return {url for (url,) in ask(folder, "SELECT url FROM pages WHERE relevant")}


def predicate_topic(address: str, **changes: object) -> Topic:
    return topic_for(address, ["http://a.test/0"], query="", name="", predicate=PREDICATE, **changes)


def solar_function(page: PageFacts) -> bool:
    return page.words().count("perovskite") >= 2 and ("event" in page.objects or "//b.test" in page.url)


def fails_on_a(page: PageFacts) -> float:
    if "//a.test" in page.url:
        raise ZeroDivisionError("no page of a")
    return 1.0


@pytest.mark.parametrize("workers", [0, 1])
def test_a_crawl_ends_with_the_right_pages(tmp_path: Path, workers: int) -> None:
    async def main() -> None:
        async with LoopbackServer(web()) as server:
            await crawl_all(predicate_topic(server.address, workers=workers), tmp_path / "c")

    asyncio.run(main())
    assert relevant(tmp_path / "c") == wanted()
    scores = ask(tmp_path / "c", "SELECT score, relevant FROM pages WHERE score IS NOT NULL")
    assert all((score >= 0.5) == bool(held) for score, held in scores)
    assert {bool(held) for _, held in scores} == {True, False}
    [(verdict,)] = ask(tmp_path / "c", "SELECT verdict FROM pages WHERE url = 'http://a.test/5'")
    score = json.loads(verdict)[0][1]
    assert json.loads(verdict) == [
        ["predicate", score, 1.0],
        ["and", score, 0.0, True, None, 0],
        ['word("perovskite") >= 2', pytest.approx(1 - 1 / 3), 0.0, True, 3.0, 1],
        ["or", 1.0, 0.0, True, None, 1],
        ['object("Event")', 1.0, 0.0, True, None, 2],
        ['url.host("b.test")', 0.0, 0.0, False, None, 2],
    ]
    with CrawlReader(tmp_path / "c") as crawl:
        seen = crawl.page("http://a.test/5")
    assert seen is not None
    assert [part.text for part in seen.parts] == [row[0] for row in json.loads(verdict)[1:]]
    assert [part.depth for part in seen.parts] == [0, 1, 1, 2, 2]
    assert len(seen.reasons) == 1


def test_words_of_the_predicate_lead_the_crawl(tmp_path: Path) -> None:
    """A topic of nothing but a predicate: anchors that say its words go first."""
    links = {f"/bread{n}": "bread" for n in range(5)} | {f"/perovskite{n}": "solar" for n in range(5)}
    start = "".join(f'<p><a href="{link}">{link[1:-1]} page</a></p>' for link in links)
    pages = {link: page(link[1:], kind, []) for link, kind in links.items()}
    site = Site("a.test", {"/": Resource(f"<title>Start</title>{start}".encode()), **pages})

    async def main() -> list[str]:
        async with LoopbackServer(Web.of(site)) as server:
            topic = topic_for(server.address, ["http://a.test/"], query="", name="", budget=Budget(pages=6),
                              predicate='word("perovskite") and language == "en"',
                              strategy=StrategyChoice("weighted"))  # fmt: skip
            return [found.url async for found in dowse.crawl(topic, out=tmp_path / "c")]

    assert sorted(asyncio.run(main())[1:]) == [f"http://a.test/perovskite{n}" for n in range(5)]


def test_a_predicate_without_words_crawls(tmp_path: Path) -> None:
    async def main() -> list[bool]:
        async with LoopbackServer(Web.of(chain("a.test", 6))) as server:
            topic = topic_for(server.address, ["http://a.test/0"], query="", predicate='url.regex("/[135]$")',
                              strategy=StrategyChoice("hybrid"))  # fmt: skip
            pages = {found.url: found.relevant async for found in dowse.crawl(topic, out=tmp_path / "c")}
            return [pages[f"http://a.test/{n}"] for n in range(6)]

    assert asyncio.run(main()) == [False, True] * 3


@pytest.mark.parametrize("predicate", [PREDICATE, solar_function])
def test_a_resumed_crawl_keeps_its_predicate(tmp_path: Path, predicate: Any) -> None:
    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, budget=Budget(pages=20)), predicate=predicate)
            await crawl_all(topic, tmp_path / "c")
            kept = read_settings(tmp_path / "c")
            again = topic if callable(predicate) else kept
            await crawl_all(replace(again, budget=Budget(pages=500)), tmp_path / "c", resume=True)
            if callable(predicate):
                with pytest.raises(TopicError, match="is the Python function"):
                    await assemble(kept, tmp_path / "c", resume=True)

    asyncio.run(main())
    assert relevant(tmp_path / "c") == wanted()


def test_a_function_runs_in_workers_or_here(tmp_path: Path) -> None:
    """What can be imported runs in workers; what cannot, in this process, and that is noted."""

    async def main(predicate: Any, folder: Path) -> tuple[int, list[str]]:
        async with LoopbackServer(web()) as server:
            assembly = await assemble(replace(predicate_topic(server.address, workers=1), predicate=predicate), folder)
            try:
                await assembly.run()
            finally:
                await assembly.close()
            return assembly.workers.count, assembly.notes

    assert asyncio.run(main(solar_function, tmp_path / "sent")) == (1, [])
    count, [note] = asyncio.run(main(lambda page: solar_function(page), tmp_path / "here"))
    assert count == 0
    assert "pages are judged in this one" in note
    assert relevant(tmp_path / "sent") == relevant(tmp_path / "here") == wanted()


def test_workers_find_the_function_where_the_program_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "wanted_pages.py").write_text("def wanted(page):\n    return '//b.test/' in page.url\n")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    wanted_pages = importlib.import_module("wanted_pages")

    async def main() -> int:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, workers=1), predicate=wanted_pages.wanted)
            assembly = await assemble(topic, tmp_path / "c")
            try:
                await assembly.run()
            finally:
                await assembly.close()
            return assembly.workers.count

    assert asyncio.run(main()) == 1
    assert relevant(tmp_path / "c") == {f"http://b.test/{n}" for n in range(1, 40)}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_function_that_fails_costs_the_page_only(tmp_path: Path, workers: int) -> None:
    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, workers=workers), predicate=fails_on_a)
            await crawl_all(topic, tmp_path / "c")

    asyncio.run(main())
    assert {url.split("/")[2] for url in relevant(tmp_path / "c")} == {"b.test"}
    [(detail,)] = ask(tmp_path / "c", "SELECT detail FROM events WHERE kind = 'predicate failed'")
    assert detail.startswith(
        "http://a.test/0: tests.engine.test_predicate.fails_on_a(page): ZeroDivisionError: no page"
    )


def test_a_mistake_is_told_before_anything_is_asked_or_written(tmp_path: Path) -> None:
    topic = topic_for("127.0.0.1:9", ["http://a.test/0"], predicate='word("a b") nad word("b")')
    with pytest.raises(TopicError, match=r"predicate: column 13, at nad word"):
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    assert not (tmp_path / "c").exists()


def test_a_folder_without_its_copy_gets_one(tmp_path: Path) -> None:
    """Killed between the records and the copy, a crawl goes on with the original, and keeps it then."""
    file = write_made(tmp_path / "solar.json", "solar")

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, budget=Budget(pages=2)), predicate='category("solar")',
                            categories={"solar": str(file)})  # fmt: skip
            await crawl_all(topic, tmp_path / "c")
            shutil.rmtree(tmp_path / "c" / "categories")
            await crawl_all(read_settings(tmp_path / "c"), tmp_path / "c", resume=True)

    asyncio.run(main())
    assert (tmp_path / "c" / "categories" / "solar.json").read_bytes() == file.read_bytes()


def test_the_category_that_judges_is_the_one_that_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file changes while the crawl is put together, as when examples are fetched meanwhile."""
    file = write_made(tmp_path / "solar.json", "solar")
    before = file.read_bytes()

    def built(topic: Topic, own: Judge | None) -> TopicJudge:
        judge = build_judge(topic, own)
        write_made(file, "bread")
        return judge

    monkeypatch.setattr(assembling, "build_judge", built)

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, budget=Budget(pages=2)), predicate='category("solar")',
                            categories={"solar": str(file)})  # fmt: skip
            await crawl_all(topic, tmp_path / "c")

    asyncio.run(main())
    assert (tmp_path / "c" / "categories" / "solar.json").read_bytes() == before != file.read_bytes()


def test_categories_are_kept_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resume from elsewhere needs neither the category's own file nor the folder where it was."""
    monkeypatch.chdir(tmp_path)
    write_made(tmp_path / "solar.category.json", "perovskit", "solar", "cell", bias=-0.5)

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = replace(predicate_topic(server.address, budget=Budget(pages=10)),
                            predicate='category("solar") > 0.5')  # fmt: skip
            await crawl_all(topic, tmp_path / "c")
            assert json.loads((tmp_path / "c" / "categories" / "solar.json").read_text())["terms"][1][0] == "solar"
            (tmp_path / "solar.category.json").unlink()
            (tmp_path / "elsewhere").mkdir()
            shutil.move(tmp_path / "c", tmp_path / "elsewhere" / "c")
            monkeypatch.chdir("/")
            kept = read_settings(tmp_path / "elsewhere" / "c")
            await crawl_all(replace(kept, budget=Budget(pages=500)), tmp_path / "elsewhere" / "c", resume=True)

    asyncio.run(main())
    found = relevant(tmp_path / "elsewhere" / "c")
    assert found == {f"http://{host}/{n}" for host in ("a.test", "b.test") for n in range(40) if n % 3}
