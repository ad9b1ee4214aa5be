"""Where the line lies, also with hardly anything to go by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge.learned.scale import Scale, off_topic, place
from dowse.judge.learned.texts import Floats

values = st.lists(st.floats(-20, 20), min_size=1, max_size=30).map(np.array)


@given(on=values, off=values, share=st.none() | st.floats(0, 1))
def test_chances_are_finite_and_rise(on: Floats, off: Floats, share: float | None) -> None:
    scale = place(on, off, share)
    assert scale.unit > 0
    chances = scale.chances(np.linspace(-25, 25, 50))
    assert np.isfinite(chances).all()
    assert (np.diff(chances) >= 0).all()
    assert scale.chances(np.array([scale.middle])).item() == 0.5


def test_the_middle_lies_between_two_kinds() -> None:
    rng = np.random.default_rng(1)
    off = np.concatenate((rng.normal(-3, 0.5, 180), rng.normal(3, 0.5, 20)))
    scale = place(rng.normal(3, 0.5, 8), off)
    assert -1.5 < scale.middle < 2.5
    assert (scale.chances(off) > 0.5).sum() == pytest.approx(20, abs=2)
    assert scale.chances(np.array([np.median(off)])).item() < 0.15


def test_a_share_puts_it_on_the_way_from_the_background_to_the_positives() -> None:
    scale = place(np.array([3.0, 5.0]), np.array([0.0, 0.0, 9.0]), 0.25)
    assert scale == Scale(1.0, 0.8)


@pytest.mark.parametrize("share", [None, 0.5])
def test_one_positive_and_pages_that_are_all_the_same(share: float | None) -> None:
    scale = place(np.array([2.0]), np.zeros(20), share)
    assert 0 < scale.middle <= 2
    assert scale.chances(np.array([2.0])).item() >= 0.5 > scale.chances(np.array([0.0])).item()


def test_where_positives_are_no_better_than_the_rest_they_are_doubtful_at_most() -> None:
    scale = place(np.zeros(3), np.zeros(20))
    assert scale.unit == pytest.approx(0.06)
    assert scale.chances(np.zeros(1)).item() <= 0.5


def test_the_usual_page_off_the_topic_is_none_on_it_also_where_most_are() -> None:
    values = np.concatenate((np.full(70, 3.0), np.full(30, -2.0)))
    assert off_topic(values, 3.0) == -2
    assert off_topic(np.concatenate((np.full(5, 3.0), np.full(95, -2.0))), 3.0) == -2
    assert off_topic(np.zeros(9), 0.0) == 0, "all the same"
