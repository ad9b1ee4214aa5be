"""The model of a finished crawl, made again."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dowse.lab.finished.crawl_judge import crawl_judge, page_decided, topic_words
from dowse.lab.finished.verdict_facts import verdict_facts
from dowse.store import CrawlReader
from tests.engine.assembly.test_rejudge import PAGES, WORDS, crawled, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "crawl"
    crawled(folder, 40, PAGES)
    return folder


def test_it_gives_every_page_the_chance_it_has_and_the_parts_add_up(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        judge = crawl_judge(crawl)
        assert judge is not None
        assert (judge.made_of, judge.threshold) == (PAGES, 0.5)
        for page in crawl.judged_pages()[::9]:
            found = page_decided(crawl, judge, page)
            assert found is not None
            assert found.chance == pytest.approx(page.score, abs=1e-9)
            parts = [found.base, found.unnamed, *(value for _, value in (*found.words, *found.address, *found.domains))]
            assert math.fsum(parts) == pytest.approx(found.log_odds, abs=1e-9)
            assert found.unnamed == pytest.approx(0, abs=1e-9), "every term is a word of the page"
            assert [name for name, _ in found.domains] == ["a.test"]


def test_words_are_whole_and_speak_for_what_they_are_about(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        judge = crawl_judge(crawl)
        assert judge is not None
        above, below = topic_words(crawl, judge, 8)
    assert {word.word for word in above} <= set(WORDS[0].split()), "perovskite, not perovskit"
    assert {word.word for word in below} & set(" ".join(WORDS[1:]).split())
    assert [word.adds for word in above] == sorted((word.adds for word in above), reverse=True)
    assert above[0].adds > 0 > below[0].adds


def test_verdicts_of_another_topic_are_not_explained_by_this_one(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    run("rejudge", str(tmp_path), "--topic", "bread dough and flour")
    with CrawlReader(tmp_path) as crawl:
        judge = crawl_judge(crawl)
        found = crawl.page("http://a.test/1")
        assert found is not None
        assert judge is None or page_decided(crawl, judge, found) is None


def test_what_there_is_to_tell_of_a_crawl(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        facts, summary = verdict_facts(crawl, 3), crawl.summary()
    assert facts.spread is not None
    assert int(facts.spread.counts.sum()) == PAGES
    assert int(facts.spread.counts[facts.spread.below :].sum()) == summary.relevant
    just, nearly = ([page.score or 0.0 for page in pages] for pages in (facts.just_relevant, facts.nearly_relevant))
    assert just == sorted(just)
    assert nearly == sorted(nearly, reverse=True)
    assert min(just) >= 0.5 > max(nearly)
    assert facts.by.judge == "learned"
    assert facts.by.made_of == PAGES
    assert [run.judged_by.made_of for run in summary.runs] == [40, PAGES]
    assert facts.changes == [], "the same threshold in both runs"
    assert facts.to_json()["scores"]["near_threshold"] == facts.spread.near


def test_a_crawl_that_learned_nothing_has_no_model(tmp_path: Path) -> None:
    crawled(tmp_path / "c", 12, method="similarity", threshold=0.2)
    with CrawlReader(tmp_path / "c") as crawl:
        assert crawl_judge(crawl) is None
        facts = verdict_facts(crawl, 3)
    assert (facts.by.judge, facts.by.threshold, facts.by.model) == ("similarity", 0.2, 0)
