"""Verdicts of a crawl whose judge learns: given as pages come, and again at the end."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.cli.main import make_app
from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from dowse.loopback.demo import DEMO_QUERY, DEMO_SEEDS, RELEVANT, demo_web, labels
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings, StrategyChoice, Topic
from tests.engine.servers import crawl_all, topic_for

WORDS = (
    "perovskite solar cell module efficiency layer absorber film tandem voltage current spectrum halide lead",
    "dough bread oven loaf flour yeast crust kitchen butter pastry salt sugar water bake",
    "football league season coach goal team player match stadium transfer keeper striker cup final",
)
COMMON = [
    "page",
    "news",
    "about",
    "people",
    "year",
    "time",
    "world",
    "first",
    "found",
    "many",
    "often",
    "made",
    "part",
    "place",
    "small",
    "large",
]
PAGES = 90


def web() -> Web:
    """Every third page is on the topic; each links to the next three."""
    dice = random.Random(4)
    resources = {}
    for n in range(PAGES):
        words = dice.choices(WORDS[n % 3].split(), k=60) + dice.choices(COMMON, k=60)
        dice.shuffle(words)
        links = " ".join(f'<a href="/{m}">{m}</a>' for m in (n + 1, n + 2, n + 3) if m < PAGES)
        text = f"<html><head><title>p{n}</title></head><body><p>{' '.join(words)}</p>{links}</body></html>"
        resources[f"/{n}"] = Resource(text.encode())
    return Web.of(Site("a.test", resources))


def crawled(folder: Path, *budgets: int, **judge: Any) -> None:
    """A crawl with these budgets, one run after the other."""

    async def run() -> None:
        async with LoopbackServer(web()) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings(**judge))
            topic = one_at_a_time(replace(topic, budget=Budget(pages=budgets[0])))
            await crawl_all(topic, folder)
            for pages in budgets[1:]:
                await crawl_all(replace(read_settings(folder), budget=Budget(pages=pages)), folder, resume=True)

    asyncio.run(run())


def one_at_a_time(topic: Topic) -> Topic:
    return replace(topic, network=replace(topic.network, concurrency=1))


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        return connection.execute(sql).fetchall()


def test_a_sentence_is_enough_and_both_verdicts_are_kept(tmp_path: Path) -> None:
    crawled(tmp_path / "crawl", PAGES)
    rows = ask(
        tmp_path / "crawl", "SELECT url, relevant, model, first_model, first_score, score FROM pages ORDER BY id"
    )
    truth = [int(url.rpartition("/")[2]) % 3 == 0 for url, *_ in rows]
    assert [bool(relevant) for _, relevant, *_ in rows] == truth
    versions = [first for _, _, _, first, *_ in rows]
    assert versions[0] == 0, "the first pages are judged by a first look"
    assert versions == sorted(versions)
    [final] = {model for _, _, model, *_ in rows}
    assert final > max(versions), "the last model is made of all pages"
    assert any(first != score for *_, first, score in rows)
    [(relevant,)] = ask(tmp_path / "crawl", "SELECT relevant FROM totals")
    assert relevant == sum(truth)
    assert ask(tmp_path / "crawl", "SELECT relevant FROM sites") == [(relevant,)]


def test_a_crawl_that_was_stopped_comes_to_the_same_verdicts(tmp_path: Path) -> None:
    crawled(tmp_path / "whole", PAGES)
    crawled(tmp_path / "parts", 23, 50, PAGES)
    told = "SELECT url, first_score, first_model, score, relevant FROM pages ORDER BY ordinal"
    assert ask(tmp_path / "parts", told) == ask(tmp_path / "whole", told)


def test_a_crawl_ends_as_it_should_though_its_answers_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"

    async def run() -> None:
        async with LoopbackServer(web()) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings())
            crawl = await assemble(one_at_a_time(replace(topic, budget=Budget(pages=40))), folder)
            (folder / "labels.csv").write_text("page,verdict\nx,y\n", "utf-8")
            try:
                await crawl.run()
            finally:
                await crawl.close()

    asyncio.run(run())
    assert ask(folder, "SELECT ended_at IS NOT NULL, stop_reason LIKE 'budget%' FROM runs") == [(1, 1)]
    assert ask(folder, "SELECT count(*) FROM pages WHERE model > first_model") == [(40,)], "judged again at the end"
    [(told,)] = ask(folder, "SELECT detail FROM events WHERE kind = 'answers not read'")
    assert "has no column 'url'" in told


def test_rejudge_says_the_same_again_and_asks_for_precision_or_another_topic(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawled(folder, PAGES)
    scores = ask(folder, "SELECT score, relevant FROM pages ORDER BY id")
    run("rejudge", str(folder))
    assert ask(folder, "SELECT score, relevant FROM pages ORDER BY id") == scores
    run("rejudge", str(folder), "--precision", "1.0")
    assert ask(folder, "SELECT count(*) FROM pages WHERE relevant") <= [(sum(own for _, own in scores),)]
    run("rejudge", str(folder), "--topic", "bread dough and flour")
    [(again,)] = ask(folder, "SELECT count(*) FROM pages WHERE relevant AND first_relevant")
    [(relevant,)] = ask(folder, "SELECT count(*) FROM pages WHERE relevant")
    assert relevant > again


def run(*arguments: str) -> None:
    make_app(arguments[0])(list(arguments), standalone_mode=False)


def crawl_demo(folder: Path, pages: int) -> None:
    with in_thread(demo_web()) as server:
        topic = topic_for(server.address, list(DEMO_SEEDS), judge=JudgeSettings(), strategy=StrategyChoice())
        topic = one_at_a_time(replace(topic, query=DEMO_QUERY, budget=Budget(pages=pages)))
        asyncio.run(crawl_all(topic, folder))


def test_while_it_runs_a_new_model_gives_pages_other_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the records say of a crawl that was killed before its end."""
    monkeypatch.setattr("dowse.engine.assembly.assembly.rejudge_at_end", lambda *_, **__: None)
    folder, truth = tmp_path / "crawl", labels(demo_web())
    crawl_demo(folder, 200)
    changed = ask(folder, "SELECT score, relevant FROM pages WHERE model > first_model AND relevant <> first_relevant")
    assert changed
    assert all(bool(relevant) == (score >= 0.5) for score, relevant in changed)
    [counts] = ask(
        folder,
        "SELECT (SELECT relevant FROM totals), (SELECT sum(relevant) FROM pages), (SELECT sum(relevant) FROM sites)",
    )
    assert len({*counts}) == 1, "the same in all, of pages and of sites"
    rows = ask(folder, "SELECT url, relevant, first_relevant FROM pages WHERE score IS NOT NULL")
    right, at_first = (sum(bool(row[place]) == (truth.get(row[0]) == RELEVANT) for row in rows) for place in (1, 2))
    assert right > at_first


def test_of_the_demo_web_a_sentence_finds_nine_in_ten_and_is_right_nine_times_in_ten(tmp_path: Path) -> None:
    """Most of its pages have the sentence's common words; one in eight is on the topic."""
    folder, truth = tmp_path / "crawl", labels(demo_web())
    crawl_demo(folder, 300)
    rows = ask(folder, "SELECT url, relevant FROM pages WHERE score IS NOT NULL")
    right = sum(relevant for url, relevant in rows if truth.get(url) == RELEVANT)
    assert right >= 0.9 * sum(truth.get(url) == RELEVANT for url, _ in rows)
    assert right >= 0.9 * sum(relevant for _, relevant in rows)
