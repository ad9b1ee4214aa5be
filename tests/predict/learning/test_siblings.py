"""What is counted by page and run, against a literal count."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.predict.learning.siblings import RUN, Siblings

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
