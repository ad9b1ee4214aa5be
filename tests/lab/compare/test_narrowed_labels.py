"""Topics of a label and a predicate."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.compare.comparison import compare
from dowse.lab.compare.each_topic import topic_of
from dowse.lab.compare.narrowed_labels import and_its_word, narrowed
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import Corpus, LabTopic, open_corpus
from dowse.model.errors import UserError
from dowse.model.words import words
from tests.lab.compare.webs import PAGES, url, write_labelled


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(write_labelled(tmp_path_factory.mktemp("web")), jobs=1)


def test_pages_of_the_label_that_satisfy(corpus: Corpus) -> None:
    found = narrowed(corpus, 'solar cells and url.glob("*1.html")')
    assert found is not None
    [pages] = found.pages.values()
    expected = {url(number) for number in range(0, PAGES, 3) if number % 10 == 1}
    assert {corpus.url(page) for page in pages} == expected
    assert all("solar" in words(corpus.response(page).body.decode()) for page in pages)


def test_the_crawler_is_told_the_words_that_are_asked_for(corpus: Corpus) -> None:
    name = 'solar cells and word("perovskite") and not word("oven")'
    topic = topic_of(corpus, Plan(("bfs",), examples=4, min_pages=20), name)
    assert isinstance(topic, LabTopic)
    assert topic.label == name
    assert topic.query.split() == ["solar", "cells", "perovskite"]


def test_no_such_label_no_such_test_and_no_such_page(corpus: Corpus) -> None:
    assert narrowed(corpus, 'cheese and word("solar")') is None
    assert narrowed(corpus, "solar cells or bread") is None
    with pytest.raises(UserError, match="unknown name wrd"):
        narrowed(corpus, 'solar cells and wrd("x")')
    with pytest.raises(UserError, match=r"no page .* with the label 'solar cells' satisfies"):
        narrowed(corpus, 'solar cells and word("nowhere")')


def test_it_is_compared_like_a_label(corpus: Corpus) -> None:
    plan = Plan(("best-first",), budget="30r", seed_sets=1, seeds=2, examples=4, min_pages=5)
    name = 'bread and url.glob("*1.html")'
    compared = compare(corpus.folder, plan, [name], keep=False, yardstick=corpus.labels)
    assert {run["topic"] for run in compared.runs} == {name}


def test_its_word_stands_on_some_of_its_pages_and_on_few_others(corpus: Corpus, tmp_path: Path) -> None:
    assert and_its_word(corpus, "rare", 1) is None, "of one page no quarter is left"
    assert and_its_word(corpus, "solar cells", 20) is None, "its words are on all of its pages, or on one"
    other = open_corpus(write_labelled(tmp_path / "web", also=True), jobs=1)
    assert and_its_word(other, "solar cells", 20) == 'solar cells and word("alsosolar")'
    assert and_its_word(other, "solar cells", PAGES) is None, "no word is on as many"
