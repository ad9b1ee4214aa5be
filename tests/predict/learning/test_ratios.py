"""Interest ratios, each by its formula (METHODS, section 4)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.predict.learning.ratios import Counted, Pairs


def log_of(counted: Counted, satisfying: int, pages: int) -> float:
    return float(counted.logs(np.array([float(satisfying)]), np.array([float(pages)]))[0])


@given(pages=st.integers(2, 500), share=st.floats(0.01, 0.99), own=st.integers(1, 60), hits=st.integers(0, 60))
def test_words_in_the_paper(pages: int, share: float, own: int, hits: int) -> None:
    satisfying, hits = min(max(1, round(pages * share)), pages - 1), min(hits, own)
    usual = satisfying / pages
    significance = abs(hits / own - usual) / math.sqrt(usual * (1 - usual) / satisfying)
    expected = 0.0
    if significance >= 2:
        expected = max(-30.0, math.log(hits / own / usual)) if hits else -30.0
    assert log_of(Counted(pages, satisfying, robust=False), hits, own) == pytest.approx(expected, abs=1e-9)


@given(pages=st.integers(0, 500), satisfying=st.integers(0, 500), own=st.integers(0, 60), hits=st.integers(0, 60))
def test_words_in_the_robust_form(pages: int, satisfying: int, own: int, hits: int) -> None:
    satisfying, hits = min(satisfying, pages), min(hits, own)
    usual = (satisfying + 1) / (pages + 2)
    expected = 0.0
    if own >= 5 and abs(hits / own - usual) / math.sqrt(usual * (1 - usual) / own) >= 2:
        expected = max(-3.0, min(3.0, math.log((hits + 10 * usual) / (own + 10) / usual)))
    assert log_of(Counted(pages, satisfying, robust=True), hits, own) == pytest.approx(expected, abs=1e-9)


@given(
    pages=st.integers(0, 500), satisfying=st.integers(0, 500), own=st.integers(0, 60), hits=st.integers(0, 60),
    t=st.sampled_from([0.0, 1.0, 2.0, 3.5]),
)  # fmt: skip
def test_what_may_tell_is_what_tells(pages: int, satisfying: int, own: int, hits: int, t: float) -> None:
    counted = Counted(pages, min(satisfying, pages), robust=True, significance=t)
    counts = np.array([float(min(hits, own))]), np.array([float(own)])
    usual = counted.share
    distance = abs(min(hits, own) / own - usual) / math.sqrt(usual * (1 - usual) / own) if own else t
    assert counted.may_tell(*counts)[0] or counted.logs(*counts, least=1)[0] == 0
    if abs(distance - t) > 1e-6:
        assert counted.may_tell(*counts)[0] == (distance > t)


def test_the_papers_form_knows_nothing_while_all_pages_are_alike() -> None:
    for satisfying in (0, 7):
        counted = Counted(7, satisfying, robust=False)
        assert log_of(counted, satisfying, 7) == 0.0
        assert counted.siblings(3, 4) == 0.0
        assert Pairs(1, 2, 3, 4).log(2, 3, counted) == 0.0


def test_siblings() -> None:
    assert Counted(10, 5, robust=False).siblings(3, 4) == pytest.approx(math.log(3 / (4 * 0.5)))
    assert Counted(10, 5, robust=False).siblings(0, 4) == -30.0
    assert Counted(10, 5, robust=True).siblings(3, 4) == pytest.approx(math.log((3 + 10 * 0.5) / 14 / 0.5))
    assert Counted(10, 5, robust=True).siblings(0, 0) == 0.0


def test_links() -> None:
    pairs = Pairs()
    for source, target in ((True, True), (True, True), (True, False), (False, True), (False, False), (False, False)):
        pairs.add(source, target)
    assert (pairs.f1, pairs.f2, pairs.f3, pairs.f4) == (2, 1, 1, 2)
    p, q = (2 / 6) / 0.4**2, (1 / 6) / (0.4 * 0.6)
    assert pairs.log(1, 3, Counted(10, 4, robust=False)) == pytest.approx(math.log(p) + 2 * math.log(q))
    f1, f2, f3, f4 = 2.5 / 8, 1.5 / 8, 1.5 / 8, 2.5 / 8
    p, q = f1 / ((f1 + f2) * (f1 + f3)), f3 / ((f3 + f4) * (f1 + f3))
    assert pairs.log(1, 3, Counted(10, 4, robust=True)) == pytest.approx(math.log(p) + 2 * math.log(q))
