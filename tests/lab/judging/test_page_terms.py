from __future__ import annotations

import numpy as np
import pytest

from dowse.judge import build_judge
from dowse.lab.corpus import Corpus
from dowse.lab.judging.page_terms import page_terms
from dowse.model.topic import JudgeSettings, Topic


@pytest.mark.parametrize("method", ["similarity", "erid"])
@pytest.mark.parametrize("query", ["solar cells", "bread oven solarium", "nowhere found"])
def test_scores_are_those_of_the_judge_page_by_page(corpus: Corpus, method: str, query: str) -> None:
    judge = build_judge(Topic(query=query, judge=JudgeSettings(method)))
    terms = page_terms(corpus, "english")
    if method == "similarity":
        found = terms.cosines(judge.nearness.vector.weights)
    else:
        assert judge.nearness.pool is not None
        names = (term for (term,) in judge.nearness.pool.phrases)
        found = terms.shares(dict(zip(names, judge.nearness.pool.weights, strict=True)))
    read = judge.nearness.reader(corpus.vocabulary("english"))
    is_page = corpus.pages.is_page()
    assert not is_page.all()
    for page in range(len(corpus)):
        words = corpus.pages.columns["tokens"][corpus.pages.bounds("token_ends", page)]
        expected = judge.verdict_of(read(words)).score if is_page[page] else 0.0
        assert found[page] == pytest.approx(expected, abs=1e-9)
    assert np.isfinite(found).all()


def test_terms_are_gathered_once(corpus: Corpus) -> None:
    assert page_terms(corpus, "english") is page_terms(corpus, "english")
