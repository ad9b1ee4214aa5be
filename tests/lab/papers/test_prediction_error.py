from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.papers.prediction_error import (
    CONSTANT,
    MOST_PARENTS,
    PREDICTORS,
    prediction_curves,
    predictions,
    rmse_by_parents,
)
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.model.topic import Scope, Topic
from tests.lab.compare.webs import write_labelled


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(write_labelled(tmp_path_factory.mktemp("prediction")), jobs=1)


def test_each_page_is_predicted_from_all_that_link_to_it(corpus: Corpus) -> None:
    web = CorpusWeb(corpus)
    judge = build_judge(Topic(query="solar bread"))
    pages = KnownPages(web, corpus.digests(judge, StaticScope(Scope()), 5_000))
    numbers = np.flatnonzero(corpus.pages.is_page()).tolist()
    parents, truth, predicted = predictions(web, pages, numbers, {name: make() for name, make in PREDICTORS.items()})
    links = {page: set(pages.digest(page).links.urls) for page in numbers}
    checked = 0
    for place, page in enumerate(numbers):
        sources = [other for other in numbers if other != page and corpus.url(page) in links[other]]
        assert parents[place] == len(sources)
        assert truth[place] == pages.digest(page).verdict.score
        if sources:
            mean = math.fsum(pages.digest(other).verdict.score for other in sources) / len(sources)
            assert predicted["average"][place] == pytest.approx(mean, rel=1e-4, abs=1e-6)
            checked += 1
    assert checked > 50


def test_errors_are_told_by_the_number_of_parents() -> None:
    parents = np.array([0, 1, 1, 2, MOST_PARENTS, 5 * MOST_PARENTS], np.float64)
    errors = rmse_by_parents(parents, np.zeros(6), np.array([9, 3, 4, 0.5, 1, 7], np.float64))
    assert errors[0] == pytest.approx(math.sqrt(12.5))
    assert errors[1] == 0.5
    assert math.isnan(errors[2])
    assert errors[-1] == 5
    assert len(errors) == MOST_PARENTS


def test_curves_are_means_over_topics(corpus: Corpus) -> None:
    plan = Plan(("bfs",), min_pages=8, examples=2, seeds=1, seed_sets=1)
    labels = sorted(label for label, pages in corpus.labels.pages.items() if len(pages) >= 20)[:3]
    told: list[tuple[int, int]] = []
    drawn = prediction_curves(Path(corpus.folder), plan, labels, told=lambda *done: told.append(done))
    curves = drawn.curves
    assert {curve.strategy: curve.kind for curve in curves} == {
        **dict.fromkeys(PREDICTORS, "strategy"), CONSTANT: "baseline",
    }  # fmt: skip
    assert drawn.notes == [f"queries: {', '.join(labels)}"]
    assert told == [(done, len(labels)) for done in range(1, len(labels) + 1)]
    assert all(np.isfinite(curve.height).all() for curve in curves)


def test_a_label_takes_part_wherever_a_crawl_could_begin(corpus: Corpus) -> None:
    """The corpus has no entry pages, so no crawl could begin there: but nothing is crawled."""
    plan = Plan(("bfs",), min_pages=8, examples=2, seeds_kind="roots", by_query=True)
    drawn = prediction_curves(Path(corpus.folder), plan, ["bread"])
    assert drawn.unfit == []
    assert drawn.notes == ["queries: bread"]


def test_predictors_that_predict_are_better_than_none(corpus: Corpus) -> None:
    """Solar pages are linked to by solar pages here, so who asks them knows more than the mean of all."""
    plan = Plan(("bfs",), min_pages=8, examples=2, by_query=True)
    curves = prediction_curves(Path(corpus.folder), plan, ["solar cells"]).curves
    errors = {curve.strategy: float(curve.height.mean()) for curve in curves}
    assert errors["average"] < errors[CONSTANT]
