"""Why a page has its verdict, from the records of crawls whose judge learned, and of others."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.decided import decided_lines
from dowse.cli.why import explain
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.page.verdicts import softened
from dowse.lab.finished.crawl_judge import Decided
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.store import CrawlReader
from tests.engine.assembly.test_rejudge import PAGES, WORDS, crawled, one_at_a_time, run, web
from tests.engine.servers import crawl_all, topic_for


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By the default judge and the default strategy."""
    folder = tmp_path_factory.mktemp("why") / "crawl"

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings(), strategy=StrategyChoice())
            await crawl_all(one_at_a_time(replace(topic, budget=Budget(pages=PAGES))), folder)

    asyncio.run(main())
    return folder


def parts_of(told: str) -> tuple[float, list[tuple[float, str]]]:
    [total] = re.findall(r"log odds ([+-][\d.]+)", told)
    return float(total), [
        (float(value), name) for value, name in re.findall(r"^ {8}([+-]\d\.\d{3})  (.*)$", told, re.M)
    ]


@pytest.mark.parametrize("number", [0, 61, 63, 89])
def test_what_is_shown_adds_up_and_is_made_of_whole_words(folder: Path, number: int) -> None:
    told = explain(folder, f"http://a.test/{number}")
    total, parts = parts_of(told)
    assert sum(value for value, _ in parts) == pytest.approx(total, abs=1e-9)
    words = " ".join(WORDS).split()
    if number % 3 == 0:
        assert parts[1][1] in words
        assert parts[1][0] > 0
    assert "relevant: a chance of" in told
    assert ("not relevant: a chance" in told) == (number % 3 != 0)
    assert ", threshold 0.50 (similarity" in told
    assert f"made of the topic's words alone and {PAGES} pages" in told
    assert "when it was fetched: " in told


def test_what_was_foretold_and_what_came_are_in_one_measure(folder: Path) -> None:
    told = explain(folder, "http://a.test/63")
    with CrawlReader(folder) as crawl:
        page = crawl.page("http://a.test/63")
    assert page is not None
    assert page.first_model > 0
    worth = float(softened(page.first_score))
    assert re.search(rf"predicted worth 0\.\d+, in truth {worth:.3f} ", told)


def test_a_log_sum_is_never_set_against_a_score(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(web()) as server:
            choice = StrategyChoice("learning", {"form": "paper"})
            topic = topic_for(server.address, ["http://a.test/0"], strategy=choice, budget=Budget(pages=10))
            await crawl_all(topic, tmp_path / "c")

    asyncio.run(main())
    told = explain(tmp_path / "c", "http://a.test/3")
    assert "log interest ratio" in told
    assert "in truth" not in told
    assert "predicted" not in told


def test_a_verdict_of_another_model_is_not_explained_by_this_one(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "c")
    run("rejudge", str(tmp_path / "c"), "--topic", "bread dough and flour")
    told = explain(tmp_path / "c", "http://a.test/1")
    assert "relevant: a chance of" in told
    assert "which words decided cannot be told" in told
    assert "log odds" not in told


def test_without_the_archive_the_parts_are_told_and_add_up(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.is_file() and not file.name.endswith(".warc.gz"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    total, parts = parts_of(explain(tmp_path, "http://a.test/0"))
    assert sum(value for value, _ in parts) == pytest.approx(total, abs=1e-9)
    assert parts[-1][1] == "words that cannot be read again"


def test_a_resume_with_another_threshold_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "c"

    async def main() -> None:
        async with LoopbackServer(web()) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings("similarity", threshold=0.2))
            await crawl_all(replace(topic, budget=Budget(pages=5)), folder)
            known = read_settings(folder)
            other = replace(known, judge=replace(known.judge, threshold=0.3), budget=Budget(pages=10))
            await crawl_all(other, folder, resume=True)

    asyncio.run(main())
    first, second = explain(folder, "http://a.test/0"), explain(folder, "http://a.test/9")
    assert ", threshold 0.200 (" in first
    assert ", threshold 0.300 (" in second
    changed = "since run 2 by similarity from 0.300 on, before by similarity from 0.200 on"
    assert changed in first
    assert changed in second


def test_rounded_parts_add_up_to_the_last_digit() -> None:
    words = tuple((f"w{n}", 0.0004 + n / 1000) for n in range(30, 0, -1))
    found = Decided(0.5, 0.0, -1.2345, words, 0.0, (("a.test", 0.11115),))
    lines = decided_lines(found)
    total, parts = parts_of("\n".join(f"    {line}" for line in lines))
    assert sum(value for value, _ in parts) == pytest.approx(total, abs=1e-9)
    assert parts[-1][1] == "22 other words"


def test_a_crawl_in_parts_knows_its_threshold(tmp_path: Path) -> None:
    crawled(tmp_path / "c", 20, 40, precision=0.9)
    with CrawlReader(tmp_path / "c") as crawl:
        runs = [one.judged_by for one in crawl.summary().runs]
    assert [by.made_of for by in runs] == [20, 40]
    assert all(by.threshold is not None and by.threshold >= 0.5 for by in runs)
    assert all(by.verdicts is not None for by in runs)
