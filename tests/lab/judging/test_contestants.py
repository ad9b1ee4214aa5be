from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, example_texts
from dowse.lab.judging.contestants import CONTESTANTS
from dowse.lab.judging.port import NO_CRAWL, Background, Told
from dowse.lab.judging.word_judge import example_of
from dowse.model.errors import TopicError
from dowse.model.topic import JudgeSettings, Topic
from tests.lab.compare.webs import PAGES, url

NUMBERS = {url(number): number for number in range(PAGES)}


@pytest.mark.parametrize("name", ["similarity", "erid"])
@pytest.mark.parametrize(("positive", "negative"), [((), ()), ((0,), ()), ((0, 3, 6), (1, 2, 4))])
def test_a_judge_by_words_says_what_that_of_a_topic_does(
    corpus: Corpus, name: str, positive: tuple[int, ...], negative: tuple[int, ...]
) -> None:
    against = (replace(one, positive=False) for one in example_texts(corpus, negative))
    examples = (*example_texts(corpus, positive), *against)
    judge = build_judge(Topic(query="solar cells cell", examples=examples, judge=JudgeSettings(name)))
    found = CONTESTANTS[name](corpus).scores(Told("solar cells cell", positive, negative), NO_CRAWL)
    assert found.threshold == judge.threshold
    read = judge.nearness.reader(corpus.vocabulary("english"))
    for page in np.flatnonzero(corpus.pages.is_page()).tolist():
        words = corpus.pages.columns["tokens"][corpus.pages.bounds("token_ends", page)]
        assert found.chances[page] == pytest.approx(judge.verdict_of(read(words)).score, abs=1e-9)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_judge_answers_the_same_each_time_and_refuses_what_says_nothing(corpus: Corpus, name: str) -> None:
    judge, told = CONTESTANTS[name](corpus), Told("bread", (1, 2), (0,))
    first, _, again = (judge.scores(one, NO_CRAWL) for one in (told, Told("solar"), told))
    assert judge.name == name
    assert len(first.chances) == len(corpus)
    assert (first.chances == again.chances).all()
    assert first.threshold == again.threshold
    assert ((first.chances >= 0) & (first.chances <= 1)).all()
    with pytest.raises(TopicError):
        judge.scores(Told("!?"), NO_CRAWL)


def test_an_example_is_parsed_once(corpus: Corpus) -> None:
    assert example_of(corpus, 0) is example_of(corpus, 0)


@pytest.mark.parametrize(("query", "positive", "negative"), [("solar cells", 0, 0), ("", 3, 0), ("", 3, 2)])
def test_the_learned_judge_learns_from_the_pages_of_a_crawl(
    corpus: Corpus, query: str, positive: int, negative: int
) -> None:
    pages = [page for page in np.flatnonzero(corpus.pages.is_page()).tolist() if corpus.url(page) in NUMBERS]
    solar, bread = ([page for page in pages if (NUMBERS[corpus.url(page)] % 3 == 0) is on] for on in (True, False))
    told = Told(query, tuple(solar[:positive]), tuple(bread[:negative]))
    found = CONTESTANTS["learned"](corpus).scores(told, Background("bfs", (), np.array(pages)))
    assert found.threshold == 0.5
    assert found.chances[solar].min() > 0.5 > found.chances[bread].max()
