"""What is counted by page and run, against a literal count."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.learning import Learner
from dowse.predict.learning.features import NAMES
from dowse.predict.learning.siblings import RUN, Siblings
from tests.compiled import needs_core, pure
from tests.predict.learning.made import told

SIBLINGS = ("on the page", "in twelve links", "in four links")

KAPPA, KAPPA_RUN, LONG = 4.0, 2.0, 3 * RUN
Known = list[tuple[int, int, float]]  # page, position of the link, value of its target


@st.composite
def known(draw: st.DrawFn) -> Known:
    values = st.integers(0, 1 << 16).map(lambda n: n / (1 << 16))
    return draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60), values), max_size=30))


def literal(links: Known, page: int, position: int, usual: float) -> tuple[float, float, float]:
    def rate(found: list[float], kappa: float, drawn: float) -> float:
        return (sum(found) - len(found) * usual + kappa * drawn) / (len(found) + kappa)

    of_page = [value for source, _, value in links if source == page]
    whole = rate(of_page, KAPPA, 0.0)
    runs = [
        rate([v for source, at, v in links if source == page and at // run == position // run], KAPPA_RUN, whole)
        for run in (LONG, RUN)
    ]
    return whole, runs[0], runs[1]


@settings(max_examples=50, deadline=None)
@given(links=known())
def test_pages_are_opened_one_by_one_as_all_at_once(links: Known) -> None:
    together, alone = Siblings(), Siblings()
    pages = np.array([7, 2, 3000])
    together.open(pages, pages % 40, pages / 8192)
    for page in pages.tolist():
        alone.open_one(page, page % 40, page / 8192)
    for source, at, value in links:
        link = pages[[source % 3]], np.array([at // RUN]), np.array([value])
        together.count(*link)
        alone.count(*link)
    for ours, theirs in zip(together.tables, alone.tables, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=50, deadline=None)
@given(links=known(), rooms=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60)), max_size=6))
def test_pages_whose_links_come_a_few_at_a_time_are_as_those_that_were_opened_for_all(
    links: Known, rooms: list[tuple[int, int]]
) -> None:
    at_once, grown = Siblings(), Siblings()
    last = at_once.place(np.full(6, 60, np.int32))
    at_once.open(np.arange(6), last, np.arange(6) / 8)
    for page in range(6):
        grown.open_one(page, 0, page / 8)
    for page, position in rooms:
        grown.make_room(page, position // RUN)
    for source, at, value in links:
        grown.make_room(source, at // RUN)
        for siblings in (at_once, grown):
            siblings.count(np.array([source]), np.array([at // RUN]), np.array([value]))
    for page in range(6):
        grown.make_room(page, 60 // RUN)
    pages, places = np.divmod(np.arange(6 * (60 // RUN + 1)), 60 // RUN + 1)
    np.testing.assert_array_equal(at_once.rates(pages, places, 0.3), grown.rates(pages, places, 0.3))


@settings(max_examples=100, deadline=None)
@given(links=known(), page=st.integers(0, 5), position=st.integers(0, 60), usual=st.floats(0.01, 0.99))
def test_rates_are_the_literal_ones(links: Known, page: int, position: int, usual: float) -> None:
    siblings = Siblings()
    own = np.arange(6) / 8
    siblings.open(np.arange(6), siblings.place(np.full(6, 60, np.int32)), own)
    for source, at, value in links:
        siblings.count(np.array([source]), siblings.place(np.array([at], np.int32)), np.array([value]))
    found = siblings.rates(np.array([page]), siblings.place(np.array([position], np.int32)), usual)
    assert found[0].item() == own[page]
    np.testing.assert_allclose([rate.item() for rate in found[1:]], literal(links, page, position, usual))


def test_a_page_may_turn_out_to_be_worth_something_else() -> None:
    siblings = Siblings()
    pages, places = np.array([0, 0]), np.array([1, 9])
    siblings.open(np.array([0]), np.array([9]), np.array([0.5]))
    siblings.count(pages, places, np.array([0.25, 1.0]))
    siblings.count(pages[:1], places[:1], 0.5, times=0)
    siblings.revalue(np.array([0, 7, 5000]), np.array([0.75, 0.1, 0.1]))
    own, of_page, *_ = siblings.rates(pages, places, 0.5)
    assert own.tolist() == [0.75, 0.75]
    np.testing.assert_allclose(of_page, (0.75 + 1.0 - 2 * 0.5) / 6)


def links_to(ids: range, first: int = 0) -> LinkView:
    count = len(ids)
    return LinkView(
        ids=np.array(ids, np.int64), sites=np.zeros(count, np.int64), depths=np.ones(count, np.int64),
        counts=np.ones(count, np.float32), similarity=np.zeros((count, len(Context)), np.float32),
        current=np.full(count, np.nan), urls=[f"http://a.test/{id_}" for id_ in ids], anchors=[""] * count,
        positions=np.arange(first, first + count, dtype=np.int32),
    )  # fmt: skip


def evidence(learner: Learner, candidate: int) -> list[float]:
    """What siblings say of a candidate: on its page, in twelve links, in four links."""
    found = learner._tables.features(learner.memory.one(candidate))[0]
    return [found[NAMES.index(f"siblings {where}, mean")] for where in SIBLINGS]


@pytest.mark.parametrize("without", [pure, pytest.param(nullcontext, marks=needs_core)])
def test_a_target_that_fails_for_good_is_a_sibling_worth_nothing(
    without: Callable[[], AbstractContextManager[None]],
) -> None:
    with without():
        check_failed_siblings(Learner())


def check_failed_siblings(learner: Learner) -> None:
    learner.rank(SourcePage(0, 0, 0, 0, 0.6, True, 20, worth=0.9), links_to(range(10, 30)))
    learner.failed(11, 0, lasting=True)
    learner.failed(12, 0, lasting=False)  # the site may answer another time
    learner.rank(SourcePage(25, 0, 1, 1, 0.6, True, 0, worth=0.5), links_to(range(0)))
    # a page that links to what has failed already
    learner.rank(SourcePage(1, 0, 0, 2, 0.6, True, 20, worth=0.75), links_to(range(40, 43), first=1))
    learner.rank(
        SourcePage(2, 0, 0, 3, 0.6, True, 20, worth=0.75),
        replace(links_to(range(50, 53), first=1), others=np.array([11]), others_at=np.zeros(1, np.int32)),
    )
    usual = learner._tables.usual
    known = [(0, 1, 0.0), (0, 15, 0.5), (2, 0, 0.0)]
    np.testing.assert_allclose(evidence(learner, 10), literal(known, 0, 0, usual), atol=1e-6)
    np.testing.assert_allclose(evidence(learner, 29), literal(known, 0, 19, usual), atol=1e-6)
    np.testing.assert_allclose(evidence(learner, 41), literal(known, 1, 2, usual), atol=1e-6)
    np.testing.assert_allclose(evidence(learner, 50), literal(known, 2, 1, usual), atol=1e-6)
    assert learner._tables.pages == 4  # what a page is worth on average is told by pages


def test_siblings_that_failed_are_known_after_a_stop_and_are_no_pages() -> None:
    learner = told(Learner())
    for candidate in (30, 31, 32):
        learner.failed(candidate, candidate % 3, lasting=candidate != 31)
    later = Learner()
    ids, rows = learner.memory.changes()
    known = dict(zip(ids, rows, strict=True))
    later.memory.load(0, [known.get(id_) for id_ in range(learner.memory.count)])
    later.restore(json.loads(json.dumps(learner.state())))
    assert evidence(later, 33) == evidence(learner, 33)
    assert evidence(learner, 33) != evidence(told(Learner()), 33)
    assert learner.statistics().pages == later.statistics().pages == 30
    learner.revalue(np.array([30]), np.array([0.9]))
    assert evidence(later, 33) == evidence(learner, 33)
