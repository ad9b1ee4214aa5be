"""The judges by words, measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, example_texts
from dowse.lab.judging.page_terms import page_terms
from dowse.lab.judging.port import Background, Scores, Told
from dowse.model.topic import Example, JudgeSettings, Topic

__all__ = ["WordJudge", "example_of"]


class WordJudge:
    """The judges by words, ``similarity`` and ``erid``, as a topic's ``[judge] method`` names them. Their scores are
    taken for chances. Lines that a site repeats, to which a crawl gives less weight, count in full."""

    learns = False

    def __init__(self, name: str, corpus: Corpus) -> None:
        self.name = name
        self._corpus = corpus

    def scores(self, told: Told, background: Background) -> Scores:
        positive = (example_of(self._corpus, page) for page in told.positive)
        negative = (replace(example_of(self._corpus, page), positive=False) for page in told.negative)
        topic = Topic(query=told.query, examples=(*positive, *negative), judge=JudgeSettings(self.name))
        judge = build_judge(topic)
        terms = page_terms(self._corpus, judge.nearness.terms.language)
        if self.name == "similarity":
            return Scores(terms.cosines(judge.nearness.vector.weights), judge.threshold)
        pool = judge.nearness.pool
        assert pool is not None  # or there would be no such judge
        by_term = _summed((term, weight) for (term,), weight in zip(pool.phrases, pool.weights, strict=True))
        return Scores(terms.shares(by_term), judge.threshold)


def _summed(weights: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Two words of a query may be one term."""
    total: dict[str, float] = {}
    for term, weight in weights:
        total[term] = total.get(term, 0.0) + weight
    return total


@lru_cache(4_096)
def example_of(corpus: Corpus, page: int) -> Example:
    """A page as an example, parsed once for all judges and numbers of examples."""
    return example_texts(corpus, (page,))[0]
