"""The report of a crawl whose judge learned."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.kept_settings import read_settings
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings
from dowse.store import CrawlReader, CrawlStore
from dowse.store.read_verdicts import borderline
from tests.engine.assembly.test_rejudge import PAGES, WORDS, crawled, run, web
from tests.engine.servers import crawl_all, topic_for
from tests.lab.report.test_crawl_report import ATTACKS, check_harmless, report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    crawled(tmp_path / "crawl", PAGES)
    return tmp_path / "crawl"


def test_verdicts_are_told_with_threshold_words_and_doubts(folder: Path) -> None:
    page, read = report(folder)
    check_harmless(page, read)
    assert f"made of the topic's words alone and {PAGES} pages" in read.text
    assert re.search(r"Expect precision 0\.\d\d \(0\.\d\d to [01]\.\d\d\) and recall", read.text)
    assert "joined," in read.text
    assert page.count('class="threshold"') == 2, "in the broad picture and in the narrow one"
    with CrawlReader(folder) as crawl:
        above, below = borderline(crawl, 10)
    hrefs = read.links()
    assert all(one.url in hrefs for one in (*above, *below))
    words = read.text[read.text.index("Words that decide") :]
    assert "perovskite" in words
    assert "perovskit " not in words
    assert sum(word in words for word in WORDS[1].split()) > 3
    assert "What judged" not in read.text, "one run"
    assert "the model's chance" not in read.text


def test_what_each_run_judged_by(tmp_path: Path) -> None:
    folder = tmp_path / "c"

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings("similarity", threshold=0.2))
            await crawl_all(replace(topic, budget=Budget(pages=5)), folder)
            known = read_settings(folder)
            other = replace(known, judge=replace(known.judge, threshold=0.3), budget=Budget(pages=10))
            await crawl_all(other, folder, resume=True)

    asyncio.run(main())
    _, read = report(folder)
    assert "Since run 2 by similarity from 0.300 on, before by similarity from 0.200 on." in read.text


def test_what_was_judged_again_since(folder: Path) -> None:
    run("rejudge", str(folder), "--precision", "0.95")
    _, read = report(folder)
    assert "What judged" in read.text
    assert "since" in read.text[read.text.index("What judged") :]


def test_what_the_records_say_of_a_judge_is_data(folder: Path) -> None:
    with CrawlStore.open(folder) as store:
        store._connection.execute("UPDATE runs SET vague = ?", (" ".join(ATTACKS[:8]),))
        store.start_run(2e9)
        store._connection.execute("UPDATE runs SET judge = ? WHERE id = 2", (ATTACKS[0],))
        store._connection.execute("UPDATE pages SET language = ? WHERE id = 3", (ATTACKS[1],))
    page, read = report(folder)
    check_harmless(page, read)
    assert "Languages" in read.text
