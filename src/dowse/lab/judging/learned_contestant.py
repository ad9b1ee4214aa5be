"""The learned judge, measured: it is told a topic, sees the pages of a crawl in their order, and judges all others."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dowse.judge import build_judge, learned_judge
from dowse.judge.learned.lead import page_bag
from dowse.lab.corpus import Corpus
from dowse.lab.judging.page_terms import page_terms
from dowse.lab.judging.port import Background, Scores, Told
from dowse.lab.judging.word_judge import example_of
from dowse.model.judge import LEARNED
from dowse.model.page import Bag
from dowse.model.topic import Topic

__all__ = ["LearnedContestant"]

_EVEN = 0.5


class LearnedContestant:
    """A topic's default judge. The examples are not among the pages it sees, as they are not in a crawl's records."""

    name = LEARNED
    learns = True

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def scores(self, told: Told, background: Background) -> Scores:
        corpus = self._corpus
        positive = [example_of(corpus, page) for page in told.positive]
        negative = [replace(example_of(corpus, page), positive=False) for page in told.negative]
        topic = Topic(query=told.query, examples=(*positive, *negative))
        first_look = build_judge(topic)
        judge = learned_judge(topic)
        assert judge is not None
        cosines = page_terms(corpus, topic.judge.language).cosines(first_look.nearness.vector.weights)
        bags = _bags(corpus, topic.judge.language)
        given, seeds = {*told.positive, *told.negative}, set(background.seeds)
        for page in background.pages.tolist():
            if page not in given and page in bags:
                judge.add(page, bags[page], corpus.url(page), float(cosines[page]), is_seed=page in seeds)
        for _ in judge.learn(revise=False):
            pass
        numbers = list(bags)
        found = judge.chances([(bags[page], corpus.url(page)) for page in numbers])
        chances = np.zeros(len(corpus))
        if found is None:  # there was nothing to learn from: the first look stays
            even = np.maximum(first_look.threshold, 1e-9)
            return Scores(np.minimum(1.0, _EVEN * cosines / even), _EVEN)
        chances[numbers] = found
        return Scores(chances, judge.threshold)


@lru_cache(2)
def _bags(corpus: Corpus, language: str) -> dict[int, Bag]:
    """The terms of all pages, gathered once a process."""
    read, tokens = corpus.vocabulary(language).reader(()), corpus.pages.columns["tokens"]
    numbers = np.flatnonzero(corpus.pages.is_page()).tolist()
    return {page: page_bag(read(tokens[corpus.pages.bounds("token_ends", page)])) for page in numbers}
