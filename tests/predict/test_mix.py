"""The learned mix of contexts against a literal one, which remembers every link and computes everything anew."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings

from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.mix import ContextMix
from dowse.predict.regression import Regression
from tests.predict.memories import hand_over
from tests.predict.webs import Link, Page, crawls, tell

PRIOR = [0.26, 0, 0, 0, 0, 0, 0.06, 0.03, 0.06, 0.03, 0, 0, 0.56]
KAPPA, TRUST = 0.5, 10.0


def features(parents: list[tuple[float, Link]], scores: list[float]) -> list[float]:
    """Best and mean of the pages' scores and of each context, and the mean score of the site (there is only one)."""
    columns = [[score for score, _ in parents]]
    for context in list(Context)[: Context.URL]:
        values = [link.similarity[context] for _, link in parents]
        columns.append([0.0 if math.isnan(value) else value for value in values])
    shrink = len(parents) / (len(parents) + KAPPA)
    usual = sum(scores) / len(scores) if scores else 0.0
    site = (sum(scores) + usual) / (len(scores) + 1)
    return [*(max(column) for column in columns), *(shrink * sum(column) / len(column) for column in columns), site]


@settings(max_examples=60, deadline=None)
@given(crawls())
def test_links_are_worth_the_literal_mix(crawl: list[Page]) -> None:
    strategy = ContextMix(TRUST)
    regression, due = Regression(PRIOR, TRUST), 4
    parents: dict[int, list[tuple[float, Link]]] = {}
    scores: list[float] = []
    for fetched, priorities in tell(strategy, crawl):
        page = fetched[-1]
        if page.id in parents:
            regression.learn(np.array(features(parents[page.id], scores)), page.score)
            if regression.examples >= due:
                regression.fit()
                due = regression.examples * 5 // 4 + 4
        scores.append(round(page.score * 65536) / 65536)
        done = {other.id for other in fetched}
        for link in page.links:
            if link.target not in done:
                parents.setdefault(link.target, []).append((page.score, link))
        for link in page.links:
            if link.target not in done:
                expected = float(np.dot(features(parents[link.target], scores), regression.weights))
                assert priorities[link.target] == pytest.approx(expected, abs=1e-4)
                explained = strategy.explain(link.target, expected).features
                assert sum(value * weight for value, weight in explained.values()) == pytest.approx(expected, abs=1e-4)


def test_it_learns_which_context_tells() -> None:
    """A web where blocks promise nothing and anchors everything: after some pages anchors decide."""
    dice = np.random.default_rng(3)
    strategy = ContextMix()
    truth = dice.random(2_000)
    for number in range(400):
        ids = np.arange(5 * number, 5 * number + 5) + 1
        similarity = dice.random((5, len(Context))).astype(np.float32)
        similarity[:, Context.ANCHOR] = truth[ids - 1]
        none = np.zeros(5, np.int64)
        view = LinkView(ids, none, none, np.ones(5, np.float32), similarity, np.full(5, np.nan))
        score = float(truth[number - 1]) if number else 0.5
        strategy.rank(SourcePage(number, 0, 0, number, score, score > 0.5, 5), view)
        strategy.revise(lambda ids: np.ones(len(ids), np.bool_))
    ids = np.arange(1_000, 1_500)
    strategy._sweep.begin(strategy.memory.count)
    values: dict[int, float] = {}
    while (revised := strategy.revise(lambda ids: np.ones(len(ids), np.bool_))) is not None:
        values.update(zip(*(column.tolist() for column in revised), strict=True))
    found = np.array([values[int(id_)] for id_ in ids])
    assert np.corrcoef(found, truth[ids - 1])[0, 1] > 0.9


def test_sites_that_only_wait_are_known_after_a_stop() -> None:
    """A page with links to 200 sites, of which none was asked yet."""
    one, other = ContextMix(), ContextMix()
    ids, zeros = np.arange(1, 201), np.zeros(200, np.int64)
    similarity = np.full((200, len(Context)), 0.5, np.float32)
    view = LinkView(ids, ids, zeros, np.ones(200, np.float32), similarity, np.full(200, np.nan))
    one.rank(SourcePage(0, 0, 0, 0, 0.5, True, 200), view)
    hand_over(one.memory, other.memory, 201)
    other.restore(json.loads(json.dumps(one.state())))
    again = SourcePage(7, 7, 1, 1, 0.25, False, 200)
    assert one.rank(again, view).tolist() == other.rank(again, view).tolist()
    assert one.explain(150, 0.4) == other.explain(150, 0.4)
    assert sum(value * weight for value, weight in one.explain(150, 0.4).features.values()) == pytest.approx(0.4)


def test_a_redirected_page_is_learned_with_the_site_it_is_on() -> None:
    strategy = ContextMix()
    none = np.zeros(0, np.int64)
    empty = LinkView(none, none, none, np.zeros(0, np.float32), np.zeros((0, len(Context)), np.float32), np.zeros(0))
    for number in range(5):
        strategy.rank(SourcePage(number, 1, 0, number, 0.8, True, 0), empty)
    one = np.array([9])
    view = LinkView(
        one, one * 0, one, np.ones(1, np.float32), np.zeros((1, len(Context)), np.float32), np.full(1, np.nan)
    )
    strategy.rank(SourcePage(6, 0, 0, 6, 0.0, False, 1), view)
    strategy.memory.moved(9, 10)
    strategy.rank(SourcePage(10, 1, 1, 7, 0.9, True, 0), empty)
    assert strategy._learned._products[-1, -1] == pytest.approx(((5 * 0.8 + 4 / 6) / 6) ** 2, abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(crawls(), crawls())
def test_a_later_run_goes_on_with_the_same_numbers(before: list[Page], after: list[Page]) -> None:
    one, other = ContextMix(), ContextMix()
    for _ in tell(one, before):
        pass
    hand_over(one.memory, other.memory, 100)
    other.restore(json.loads(json.dumps(one.state())))
    for mine, theirs in zip(tell(one, after), tell(other, after), strict=True):
        assert mine[1] == theirs[1]
