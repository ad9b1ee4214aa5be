from __future__ import annotations

import numpy as np

from dowse.engine.page.vagueness import VagueWords, vague_cause
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.model.page import Bag
from dowse.model.strategy import Sample, Subject
from tests.judge.learned.made import NAMES, bag, finished, page


def judged(query: tuple[int, ...], pages: list[Bag], examples: tuple[Sample, ...] = ()) -> LearnedJudge:
    judge = LearnedJudge(Subject(examples, (), query))
    for number, one in enumerate(pages):
        judge.add(number, one, "a.test", judge.nearness(one))
    finished(judge.learn())
    return judge


def with_word(word: int, one: Bag) -> Bag:
    return bag({**dict(zip(one.terms.tolist(), one.counts.tolist(), strict=True)), word: 2.0})


PAGES = [page(number, on=number % 5 == 0) for number in range(120)]


def test_words_that_tell_pages_apart_are_not_vague() -> None:
    assert vague_cause(judged(NAMES, PAGES)) == ""


def test_a_word_on_most_pages() -> None:
    everywhere = [with_word(7, one) for one in PAGES]
    assert vague_cause(judged((7,), everywhere)) == "even the rarest of its words is on most pages"
    assert vague_cause(judged((7,), everywhere[:60])) == "", "too early, while it runs"
    assert vague_cause(judged((7,), everywhere[:60]), over=True) == "even the rarest of its words is on most pages"


def test_words_that_hardly_a_page_has() -> None:
    assert vague_cause(judged((8,), PAGES)) == "hardly a page has any of its words"
    assert vague_cause(judged((8, NAMES[0]), PAGES)) == "1 of its 2 words is on no page so far"
    assert vague_cause(judged((8, *NAMES), PAGES)) == "", "most of its words are found"


def test_who_gives_examples_needs_no_better_words() -> None:
    examples = tuple(Sample(page(900 + number, on=True), "") for number in range(4))
    assert vague_cause(judged((8,), PAGES, examples)) == ""


def test_a_cause_is_told_once_whatever_its_figures() -> None:
    told = VagueWords()
    assert not told.new("")
    assert told.new("1 of its 2 words is on no page so far")
    assert not told.new("3 of its 4 words is on no page so far")
    assert told.new("another")
    assert not np.any([told.new("another"), told.new("")])
